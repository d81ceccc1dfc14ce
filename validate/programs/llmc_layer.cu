/* SPDX-License-Identifier: MIT
 *
 * llmc_layer.cu - llm.c's forward and backward pass, in fp32, of a model of one layer with random
 * weights. Built with llm.c's folder (suites.tsv of ../third-party names the commit) on the include
 * path:  nvcc -O3 --use_fast_math -arch=sm_90 -lineinfo -I LLMC llmc_layer.cu -lcublas -lcublasLt
 */
#define TESTING
#include "train_gpt2_fp32.cu"

#include <cuda_profiler_api.h>

enum { BATCH = 2, LENGTH = 64, VOCABULARY = 512, CHANNELS = 128, HEADS = 4 };

static void write_checkpoint(const char *path)
{
    const int header[256] = {20240326, 3, LENGTH, VOCABULARY, 1, HEADS, CHANNELS, VOCABULARY};
    const size_t parameters = (size_t)VOCABULARY * CHANNELS + LENGTH * CHANNELS +
                              12ul * CHANNELS * CHANNELS + 13ul * CHANNELS + 2ul * CHANNELS;
    FILE *file = fopenCheck(path, "wb");
    uint32_t state = 1;
    fwrite(header, sizeof header, 1, file);
    for (size_t i = 0; i < parameters; i++) {
        state = state * 1664525u + 1013904223u;
        const float weight = ((float)(state >> 8) / (1 << 24) - 0.5f) * 0.1f;
        fwrite(&weight, sizeof weight, 1, file);
    }
    fcloseCheck(file);
}

int main()
{
    char path[] = "/tmp/llmc-layer-XXXXXX";
    int tokens[BATCH * LENGTH], targets[BATCH * LENGTH];
    GPT2 model;
    if (mkstemp(path) < 0)
        return 1;
    write_checkpoint(path);
    for (int i = 0; i < BATCH * LENGTH; i++) {
        tokens[i] = i * 37 % VOCABULARY;
        targets[i] = i * 53 % VOCABULARY;
    }
    cudaCheck(cudaSetDevice(0));
    cublasCheck(cublasCreate(&cublas_handle));
    cublas_compute_type = CUBLAS_COMPUTE_32F;
    cublasCheck(cublasSetMathMode(cublas_handle, CUBLAS_DEFAULT_MATH));
    gpt2_build_from_checkpoint(&model, path);
    remove(path);
    for (int turn = 0; turn < 2; turn++) { /* the first allocates and loads code */
        cudaCheck(cudaDeviceSynchronize());
        if (turn == 1)
            cudaCheck(cudaProfilerStart());
        gpt2_forward(&model, tokens, targets, BATCH, LENGTH);
        gpt2_zero_grad(&model);
        gpt2_backward(&model);
        cudaCheck(cudaDeviceSynchronize());
    }
    cudaCheck(cudaProfilerStop());
    printf("loss %f\n", model.mean_loss);
    return 0;
}
