/* host_runtime_abi.h: the functions that CUDA compilers call from the code they insert. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_HOST_RUNTIME_ABI_H
#define CLEM_HOST_RUNTIME_ABI_H

#include "../driver_types.h"
#include "../vector_types.h"

/* No program calls these by hand. Before main, one call of __cudaRegisterFatBinary for each
 * translation unit hands over its device code, calls for each kernel and each device variable tie
 * host addresses to device names, and __cudaRegisterFatBinaryEnd closes the list. A launch pushes
 * its shape, and the kernel's host stub pops it again. The names are the compilers' choice.
 *
 * Source: symbols that objects of nvcc 13.0 refer to.
 */

#if defined(__cplusplus)
#define CLEM_DEFAULT(value) = value
extern "C" {
#else
#define CLEM_DEFAULT(value)
#endif

#pragma GCC visibility push(default)

void **CUDARTAPI __cudaRegisterFatBinary(void *fatCubin);
void CUDARTAPI __cudaRegisterFatBinaryEnd(void **fatCubinHandle);
void CUDARTAPI __cudaUnregisterFatBinary(void **fatCubinHandle);
char CUDARTAPI __cudaInitModule(void **fatCubinHandle);

void CUDARTAPI __cudaRegisterVar(void **fatCubinHandle, char *hostVar, char *deviceAddress,
                                 const char *deviceName, int ext, size_t size, int constant,
                                 int global);
void CUDARTAPI __cudaRegisterManagedVar(void **fatCubinHandle, void **hostVarPtrAddress,
                                        char *deviceAddress, const char *deviceName, int ext,
                                        size_t size, int constant, int global);
void CUDARTAPI __cudaRegisterFunction(void **fatCubinHandle, const char *hostFun, char *deviceFun,
                                      const char *deviceName, int thread_limit, uint3 *tid,
                                      uint3 *bid, dim3 *bDim, dim3 *gDim, int *wSize);

/* Called by programs that clemcc compiled, before the above: managed variables that are registered as
 * any device variable and whose host address lies here are this memory. The same section again is no
 * other one. */
void CUDARTAPI __clemRegisterManagedSection(void *first, void *end);

/* Called once for each unit that clemcc -rdc=true compiled: wrapper is that of its code, which is
 * linked with that of the other units in the same executable or library; register_all makes the calls
 * above for it. */
void CUDARTAPI __clemRegisterLinkedBinary(void (*register_all)(void **), void *wrapper, void *id,
                                          void (*unused)(void *));

/* Called by clemcc --precompile: writes to a file what the kernels of a PTX text, which ends with a zero byte, become on the
 * first device, which has to be PoCL's CPU. counts: how many have such code, and how many there are. Errors:
 * cudaErrorInvalidValue for NULL, cudaErrorNotSupported where none has, cudaErrorOperatingSystem where the file cannot be
 * written; those of cuModuleLoadData. */
cudaError_t CUDARTAPI __clemPrecompile(const char *code, const char *path, size_t counts[2]);

/* Texture and surface references, which compilers before version 12 have. dim is the number of
 * dimensions; norm is not 0 for cudaReadModeNormalizedFloat. */
struct textureReference;
struct surfaceReference;
void CUDARTAPI __cudaRegisterTexture(void **fatCubinHandle, const struct textureReference *hostVar,
                                     const void **deviceAddress, const char *deviceName, int dim,
                                     int norm, int ext);
void CUDARTAPI __cudaRegisterSurface(void **fatCubinHandle, const struct surfaceReference *hostVar,
                                     const void **deviceAddress, const char *deviceName, int dim,
                                     int ext);

/* Returns 0, or a value that makes the caller skip the launch. What <<<>>> leaves out is 0. */
#if defined(__cplusplus) && defined(__CUDA__) &&                                                   \
    (defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM))
unsigned CUDARTAPI
clem_push_call_configuration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                             struct CUstream_st *stream) __asm__("__cudaPushCallConfiguration");
}
/* The stubs of kernels call cudaLaunchKernel in any case: stream 0 is named here for what it is. */
static __inline__ unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim,
                                                       size_t sharedMem = 0,
                                                       struct CUstream_st *stream = 0)
{
    return clem_push_call_configuration(gridDim, blockDim, sharedMem,
                                        stream ? stream : cudaStreamPerThread);
}
extern "C" {
#else
unsigned CUDARTAPI __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim,
                                               size_t sharedMem CLEM_DEFAULT(0),
                                               struct CUstream_st *stream CLEM_DEFAULT(0));
#endif
/* stream points to a cudaStream_t. */
cudaError_t CUDARTAPI __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem,
                                                 void *stream);
cudaError_t CUDARTAPI __cudaGetKernel(cudaKernel_t *kernel, const void *hostFun);
cudaError_t CUDARTAPI __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim,
                                         void **args, size_t sharedMem, cudaStream_t stream);
cudaError_t CUDARTAPI __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim,
                                              void **args, size_t sharedMem, cudaStream_t stream);

/* Of host variables that device code names. */
void CUDARTAPI __cudaRegisterHostVar(void **fatCubinHandle, const char *deviceName, char *hostVar,
                                     size_t size);

/* The parameters of these two are published nowhere; they are exported, and read none. */
cudaError_t CUDARTAPI __cudaRegisterUnifiedTable(void);
cudaError_t CUDARTAPI __cudaGetProcAddress(void);

#pragma GCC visibility pop

#if defined(__cplusplus)
}
#endif

#undef CLEM_DEFAULT

#endif
