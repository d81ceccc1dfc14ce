/* SPDX-License-Identifier: MIT
 *
 * sanitizer_api.c - finds the functions of libsanitizer-public.so and of the driver.
 */
#include "traces/capture/sanitizer_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

gmc_sanitizer_api gmc_san;
static bool shows_tensors;

bool gmc_sanitizer_load(const char *path, char *text, size_t size)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        snprintf(text, size, "%s", dlerror());
        return false;
    }
    const char *missing = NULL;
#define GMC_RESOLVE(name)                                                                          \
    {                                                                                              \
        void *symbol = dlsym(library, #name);                                                      \
        memcpy(&gmc_san.name, &symbol, sizeof symbol);                                             \
        if (!symbol)                                                                               \
            missing = #name;                                                                       \
    }
    GMC_SANITIZER_FUNCTIONS(GMC_RESOLVE)
#undef GMC_RESOLVE
    /* Version 13.3 has this function, 13.0 has not. */
    shows_tensors = dlsym(library, "sanitizerIsInsideRecursiveCallback") != NULL;
    if (missing)
        snprintf(text, size, "%s: too old, it has no %s", path, missing);
    return !missing;
}

bool gmc_sanitizer_shows_tensors(void)
{
    return shows_tensors;
}

const char *gmc_sanitizer_error(SanitizerResult result)
{
    const char *text = NULL;
    if (gmc_san.sanitizerGetResultString(result, &text) != SANITIZER_SUCCESS || !text)
        text = "unknown error";
    return text;
}

void *gmc_driver_symbol(const char *name)
{
    static void *driver;
    if (!driver)
        driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    return driver ? dlsym(driver, name) : NULL;
}

void gmc_query_gpu(CUdevice device, gmc_gpu *gpu)
{
    CUresult (*get_name)(char *, int, CUdevice) = NULL;
    CUresult (*get_attribute)(int *, CUdevice_attribute, CUdevice) = NULL;
    CUresult (*get_version)(int *) = NULL;
    void *symbol = gmc_driver_symbol("cuDeviceGetName");
    memcpy(&get_name, &symbol, sizeof symbol);
    symbol = gmc_driver_symbol("cuDeviceGetAttribute");
    memcpy(&get_attribute, &symbol, sizeof symbol);
    symbol = gmc_driver_symbol("cuDriverGetVersion");
    memcpy(&get_version, &symbol, sizeof symbol);

    memset(gpu, 0, sizeof *gpu);
    int value = 0;
    if (get_name && get_name(gpu->name, (int)sizeof gpu->name, device) != CUDA_SUCCESS)
        gpu->name[0] = '\0';
    if (get_version && get_version(&value) == CUDA_SUCCESS)
        gpu->driver_version = (unsigned)value;
    if (!get_attribute)
        return;
    if (!get_attribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
        gpu->cc_major = (unsigned)value;
    if (!get_attribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
        gpu->cc_minor = (unsigned)value;
    if (!get_attribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device))
        gpu->sm_count = (unsigned)value;
}

bool gmc_query_variable(CUmodule module, const char *name, uint64_t *base, uint64_t *size)
{
    static CUresult (*get)(CUdeviceptr *, size_t *, CUmodule, const char *);
    CUdeviceptr at = 0;
    size_t bytes = 0;
    if (!get) {
        void *symbol = gmc_driver_symbol("cuModuleGetGlobal_v2");
        memcpy(&get, &symbol, sizeof symbol);
    }
    if (!get || get(&at, &bytes, module, name) != CUDA_SUCCESS)
        return false;
    *base = at;
    *size = bytes;
    return at && bytes;
}

static CUresult (*parameter_of)(CUfunction, size_t, size_t *, size_t *);

bool gmc_query_parameters(void)
{
    if (!parameter_of) {
        void *symbol = gmc_driver_symbol("cuFuncGetParamInfo");
        memcpy(&parameter_of, &symbol, sizeof symbol);
    }
    return parameter_of != NULL;
}

bool gmc_query_parameter(CUfunction function, size_t index, size_t *offset, size_t *size)
{
    return parameter_of && parameter_of(function, index, offset, size) == CUDA_SUCCESS;
}

int gmc_query_function(CUfunction function, CUfunction_attribute attribute)
{
    static CUresult (*get)(int *, CUfunction_attribute, CUfunction);
    if (!get) {
        void *symbol = gmc_driver_symbol("cuFuncGetAttribute");
        memcpy(&get, &symbol, sizeof symbol);
    }
    int value = -1;
    if (!get || get(&value, attribute, function) != CUDA_SUCCESS)
        return -1;
    return value;
}

const char *gmc_function_name(CUfunction function)
{
    static CUresult (*name_function)(const char **, CUfunction);
    static CUresult (*name_kernel)(const char **, CUkernel);
    const char *name = NULL;
    if (!name_function) {
        void *symbol = gmc_driver_symbol("cuFuncGetName");
        memcpy(&name_function, &symbol, sizeof symbol);
        symbol = gmc_driver_symbol("cuKernelGetName");
        memcpy(&name_kernel, &symbol, sizeof symbol);
    }
    if (name_function && name_function(&name, function) == CUDA_SUCCESS && name)
        return name;
    if (name_kernel && name_kernel(&name, (CUkernel)function) == CUDA_SUCCESS)
        return name;
    return NULL;
}
