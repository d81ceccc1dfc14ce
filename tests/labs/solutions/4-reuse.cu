/* SPDX-License-Identifier: MIT
 *
 * Lab 4, solved: out[i] = the sum over k of weight[k] * in[i] to the k-th power, PASSES
 * terms. Each pass goes through the block's whole part of the arrays, which no L1 holds. Here
 * an element's terms follow one another, in registers.
 */
#include "lab.h"

#define PASSES 8
#define PART   (96 << 10) /* elements of a block */

__global__ void polynomial(const float *weight, const float *in, float *power, float *out)
{
    const size_t first = (size_t)blockIdx.x * PART;
    for (size_t i = first + threadIdx.x; i < first + PART; i += blockDim.x) {
        float term = 1.0f, sum = 0;
        for (int k = 0; k < PASSES; k++) {
            sum += weight[k] * term;
            if (k < PASSES - 1)
                term *= in[i];
        }
        power[i] = term;
        out[i] = sum;
    }
}

int main()
{
    const size_t n = 2 * PART;
    std::vector<float> weight = lab_numbers(PASSES, 1), in = lab_numbers(n, 2), zero(n), out(n);
    float *device_weight = lab_upload(weight), *device_in = lab_upload(in);
    float *device_power = lab_upload(zero), *device_out = lab_upload(zero);
    polynomial<<<2, 1024>>>(device_weight, device_in, device_power, device_out);
    for (size_t i = 0; i < n; i++) {
        float power = 1.0f;
        for (int k = 0; k < PASSES; k++, power *= in[i])
            out[i] += weight[k] * power;
    }
    lab_expect("out", device_out, out);
    return 0;
}
