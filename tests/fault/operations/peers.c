/* Operations between two devices: PoCL makes as many as it is asked for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "operation.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { BYTES = 300000 };

static char host[BYTES];

static void need_two_devices(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count < 2)
        exit(77);
}

static int allocate_on(int device, void **memory)
{
    int error = 0;
    TRY(cudaSetDevice, device);
    TRY(cudaMalloc, memory, BYTES);
    return error;
}

static int use_access(void)
{
    CUcontext peer = NULL;
    int can = 0, error = 0;
    TRY(cudaDeviceCanAccessPeer, &can, 0, 1);
    TRY(cuDeviceCanAccessPeer, &can, 0, 1);
    /* Where it cannot, these are refused without a call of the driver. */
    if (error == 0 && CALL(cudaDeviceEnablePeerAccess, 1, 0) == 0)
        END(cudaDeviceDisablePeerAccess, 1);
    else
        (void)CALL(cudaDeviceDisablePeerAccess, 1);
    TRY(cuDevicePrimaryCtxRetain, &peer, 1);
    if (error == 0 && CALL(cuCtxEnablePeerAccess, peer, 0) == 0)
        END(cuCtxDisablePeerAccess, peer);
    else
        (void)CALL(cuCtxDisablePeerAccess, peer);
    if (peer != NULL)
        END(cuDevicePrimaryCtxRelease, 1);
    return error;
}

static int copy_across(void *here, void *there)
{
    int error = 0;
    memset(host, 5, sizeof host);
    TRY(cudaMemcpy, here, host, BYTES, cudaMemcpyHostToDevice);
    TRY(cudaMemcpyPeer, there, 1, here, 0, BYTES);
    TRY(cudaMemset, here, 0, BYTES);
    TRY(cudaMemcpyPeerAsync, here, 0, there, 1, BYTES, NULL);
    TRY(cudaStreamSynchronize, NULL);
    memset(host, 0, sizeof host);
    TRY(cudaMemcpy, host, here, BYTES, cudaMemcpyDefault);
    CHECK(host[0] == 5 && host[BYTES - 1] == 5);
    return error;
}

static atomic_bool may_end;

static void CUDART_CB hold_on(void *unused)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    (void)unused;
    while (!may_end)
        nanosleep(&nap, NULL);
}

/* The other device goes while a kernel of this one is still to come. */
static int reset_beside_work(void *here)
{
    int error = 0;
    may_end = false;
    TRY(cudaLaunchHostFunc, NULL, hold_on, NULL);
    TRY(cudaMemsetAsync, here, 0, BYTES, NULL);
    (void)cudaSetDevice(1);
    END(cudaDeviceReset);
    (void)cudaSetDevice(0);
    may_end = true;
    TRY(cudaStreamSynchronize, NULL);
    return error;
}

int operation_peers(void)
{
    void *here = NULL, *there = NULL;
    need_two_devices();
    int error = allocate_on(1, &there);
    if (error == 0)
        error = allocate_on(0, &here);
    else
        (void)cudaSetDevice(0);
    if (error == 0)
        error = use_access();
    if (error == 0)
        error = copy_across(here, there);
    END(cudaFree, there);
    error = fault_first(error, reset_beside_work(here));
    END(cudaFree, here);
    return error;
}

/* ---- Launches on both ---- */

static int prepare_launch(int device, cudaStream_t *stream, void **memory)
{
    int error = 0;
    TRY(cudaSetDevice, device);
    TRY(cudaStreamCreateWithFlags, stream, cudaStreamNonBlocking);
    TRY(cudaMalloc, memory, 64);
    return error;
}

int operation_launch_devices(void)
{
    static const char text[] = "kernel void set(global int *p) { p[get_global_id(0)] = 7; }";
    struct cudaLaunchParams list[2];
    CUDA_LAUNCH_PARAMS driver_list[2];
    cudaStream_t streams[2] = {NULL, NULL};
    void *memory[2] = {NULL, NULL}, *args[2][1];
    cudaLibrary_t library = NULL;
    cudaKernel_t kernel = NULL;
    int found[2] = {0, 0};
    need_two_devices();
    int error = prepare_launch(1, &streams[1], &memory[1]);
    error = fault_first(error, prepare_launch(0, &streams[0], &memory[0]));
    TRY(cudaLibraryLoadData, &library, text, NULL, NULL, 0, NULL, NULL, 0);
    TRY(cudaLibraryGetKernel, &kernel, library, "set");
    for (int i = 0; i < 2; i++) {
        args[i][0] = &memory[i];
        list[i] = (struct cudaLaunchParams){.func = kernel,
                                            .gridDim = {1, 1, 1},
                                            .blockDim = {1, 1, 1},
                                            .args = args[i],
                                            .stream = streams[i]};
        driver_list[i] = (CUDA_LAUNCH_PARAMS){.function = (CUfunction)kernel,
                                              .gridDimX = 1,
                                              .gridDimY = 1,
                                              .gridDimZ = 1,
                                              .blockDimX = 1,
                                              .blockDimY = 1,
                                              .blockDimZ = 1,
                                              .hStream = streams[i],
                                              .kernelParams = args[i]};
    }
    TRY(cudaLaunchCooperativeKernelMultiDevice, list, 2, 0);
    TRY(cuLaunchCooperativeKernelMultiDevice, driver_list, 2, 0);
    for (int i = 0; i < 2; i++) {
        TRY(cudaMemcpyAsync, &found[i], memory[i], sizeof found[i], cudaMemcpyDefault, streams[i]);
        TRY(cudaStreamSynchronize, streams[i]);
    }
    CHECK(found[0] == 7 && found[1] == 7);
    for (int i = 0; i < 2; i++) {
        if (streams[i] != NULL)
            END(cudaStreamDestroy, streams[i]);
        END(cudaFree, memory[i]);
    }
    if (library != NULL)
        END(cudaLibraryUnload, library);
    END(cudaSetDevice, 1);
    END(cudaDeviceReset);
    END(cudaSetDevice, 0);
    return error;
}
