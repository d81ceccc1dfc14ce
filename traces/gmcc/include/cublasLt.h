/* SPDX-License-Identifier: MIT
 *
 * cublasLt.h - a handle, for programs that make one; its products are not declared.
 */
#ifndef GMCUDA_CUBLASLT_H
#define GMCUDA_CUBLASLT_H

#include "cublas_v2.h"

typedef struct cublasLtContext *cublasLtHandle_t;
#ifdef __cplusplus
extern "C" {
#endif
cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle);
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle);
#ifdef __cplusplus
}
#endif

#endif
