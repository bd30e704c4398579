/* cuda_device_runtime_api.h: what kernels may call of the runtime, and kernels that launch kernels. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "builtin_types.h"

/* Streams of a kernel's launches. Source: CUDA C++ Programming Guide 13.0, CUDA dynamic parallelism. */
#define cudaStreamTailLaunch    ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)

#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

/* cudaGraphSetConditional() is in crt/device_runtime.h, which comes first. What CUDA 12 took away from kernels, as
 * cudaDeviceSynchronize(), is the host's alone. */
extern "C" {
#define CLEM_DEVICE extern __attribute__((device, nothrow))
CLEM_DEVICE cudaError_t cudaGetLastError(void);
CLEM_DEVICE cudaError_t cudaPeekAtLastError(void);
CLEM_DEVICE const char *cudaGetErrorName(cudaError_t error);
CLEM_DEVICE const char *cudaGetErrorString(cudaError_t error);
CLEM_DEVICE cudaError_t cudaGetDevice(int *device);
CLEM_DEVICE cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
CLEM_DEVICE cudaError_t cudaStreamDestroy(cudaStream_t stream);
CLEM_DEVICE cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
CLEM_DEVICE cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
CLEM_DEVICE cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
CLEM_DEVICE cudaError_t cudaEventDestroy(cudaEvent_t event);
CLEM_DEVICE cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                        enum cudaMemcpyKind kind, cudaStream_t stream);
CLEM_DEVICE cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream);
CLEM_DEVICE cudaError_t cudaMalloc(void **memory, size_t bytes);
CLEM_DEVICE cudaError_t cudaFree(void *memory);
CLEM_DEVICE void *cudaGetParameterBuffer(size_t alignment, size_t bytes);
CLEM_DEVICE cudaError_t cudaLaunchDevice(void *kernel, void *parameters, dim3 grid, dim3 block,
                                         unsigned shared, cudaStream_t stream);
CLEM_DEVICE void *cudaGetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned shared);
CLEM_DEVICE cudaError_t cudaLaunchDeviceV2(void *parameters, cudaStream_t stream);
#undef CLEM_DEVICE

/* Programmatic dependent launch. A launch begins here when those before it in its stream have ended, so that there is nothing to
 * wait for; drivers that take PTX as it is may do otherwise. */
static __inline__ __attribute__((device)) void cudaGridDependencySynchronize(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    __asm__ volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
static __inline__ __attribute__((device)) void cudaTriggerProgrammaticLaunchCompletion(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    __asm__ volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* CUB has it in functions of both sides, and calls it in kernels only. Kernels that wait for kernels are no more. */
static inline __attribute__((host, device, unused)) cudaError_t
__cudaDeviceSynchronizeDeprecationAvoidance(void)
{
    return cudaErrorNotSupported;
}
}

#if __cplusplus >= 201103L

/* The address of a kernel in device code, where clang takes it from a variable alone. */
template <typename Kernel, Kernel kernel> struct clem_kernel {
    static __attribute__((device)) const Kernel address;
};
template <typename Kernel, Kernel kernel>
__attribute__((device)) const Kernel clem_kernel<Kernel, kernel>::address = kernel;

/* Arguments converted to a kernel's parameters, each where it stands in a structure of all of them. */
template <typename... Parameters> struct clem_parameters {
    static __attribute__((device)) void put(char *, size_t)
    {
    }
};
template <typename First, typename... Rest> struct clem_parameters<First, Rest...> {
    template <typename Argument, typename... Arguments>
    static __attribute__((device)) void put(char *to, size_t end, const Argument &argument,
                                            const Arguments &...rest)
    {
        const size_t at = (end + alignof(First) - 1) / alignof(First) * alignof(First);
        ::new (static_cast<void *>(to + at)) First(argument);
        clem_parameters<Rest...>::put(to, at + sizeof(First), rest...);
    }
};

template <typename... Parameters> struct clem_launcher {
    typedef void (*type)(Parameters...);
    template <typename... Arguments>
    static __attribute__((device)) cudaError_t
    launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream,
           const Arguments &...arguments)
    {
        static_assert(sizeof...(Parameters) == sizeof...(Arguments),
                      "a kernel is launched with as many arguments as it has parameters");
        void *const buffer = cudaGetParameterBufferV2(reinterpret_cast<void *>(kernel), grid, block,
                                                      static_cast<unsigned>(shared));
        if (buffer == nullptr)
            return cudaPeekAtLastError();
        clem_parameters<Parameters...>::put(static_cast<char *>(buffer), 0, arguments...);
        return cudaLaunchDeviceV2(buffer, stream);
    }

    type kernel;
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;

    static __attribute__((device)) clem_launcher
    with(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
    {
        return {kernel, grid, block, shared, stream};
    }
    __attribute__((device)) cudaError_t operator()(Parameters... arguments) const
    {
        return launch(kernel, grid, block, shared, stream, arguments...);
    }
};

/* Which kernel is meant: the one that there is, or of a template whose arguments follow from the launch's the one that takes
 * values of their types. */
template <typename... Arguments> struct clem_launched {
    template <typename... Parameters>
    static __attribute__((device)) clem_launcher<Parameters...> by(void (*)(Parameters...));
    static __attribute__((device)) clem_launcher<Arguments...> by(void (*)(Arguments...));
};
template <typename... Arguments>
__attribute__((device)) clem_launched<Arguments...> clem_launched_with(Arguments...);

/* Launches a kernel from a kernel, as kernel<<<grid, block, shared, stream>>>(arguments...) where the compiler has no such
 * statement for device code. A kernel is named, with its template arguments and, where commas stand in it, in parentheses.
 * Returns what cudaPeekAtLastError() says of it. */
#define clem_launch(kernel, grid, block, shared, stream, ...)                                      \
    (decltype(decltype(clem_launched_with(__VA_ARGS__))::by(kernel))::launch(                      \
        clem_kernel<typename decltype(decltype(clem_launched_with(__VA_ARGS__))::by(               \
                        kernel))::type,                                                            \
                    kernel>::address,                                                              \
        (grid), (block), (shared), (stream), ##__VA_ARGS__))

/* The same with the kernel's arguments behind it, which become its parameters as those of a call do: clem_launch_of(kernel, grid, block,
 * shared, stream)(arguments...). Of a template all arguments are named. */
#define clem_launch_of(kernel, grid, block, shared, stream)                                        \
    (decltype(clem_launched<>::by(kernel))::with(                                                  \
        clem_kernel<typename decltype(clem_launched<>::by(kernel))::type, kernel>::address,        \
        (grid), (block), (shared), (stream)))

#endif
#endif

#endif
