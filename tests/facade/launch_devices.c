/* Tests of facade/code/launch_devices.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>

#include "tests/facade/driver_support.h"

enum { DEVICES = 2, NO_PRE = 1, NO_POST = 2 };

/* What a device has of its own. */
struct side {
    CUcontext context;
    CUfunction store;
    CUstream stream;
    CUdeviceptr memory, word;
    int value;
    void *arguments[2];
};

static void open_side(struct side *side, CUdevice device)
{
    CUmodule module = NULL;
    assert_driver(cuDevicePrimaryCtxRetain(&side->context, device));
    assert_driver(cuCtxSetCurrent(side->context));
    assert_driver(cuModuleLoadData(&module, driver_kernels));
    assert_driver(cuModuleGetFunction(&side->store, module, "store"));
    assert_driver(cuStreamCreate(&side->stream, CU_STREAM_NON_BLOCKING));
    assert_driver(cuMemAlloc(&side->memory, 64));
    assert_driver(cuMemAlloc(&side->word, 64));
    assert_driver(cuMemsetD8(side->memory, 0, 64));
    assert_driver(cuMemsetD8(side->word, 0, 64));
    assert_driver(cuCtxSynchronize());
    side->value = 10 + device;
    side->arguments[0] = &side->memory;
    side->arguments[1] = &side->value;
}

static CUDA_LAUNCH_PARAMS launch_of(struct side *side)
{
    return (CUDA_LAUNCH_PARAMS){.function = side->store,
                                .gridDimX = 1,
                                .gridDimY = 1,
                                .gridDimZ = 1,
                                .blockDimX = 4,
                                .blockDimY = 1,
                                .blockDimZ = 1,
                                .hStream = side->stream,
                                .kernelParams = side->arguments};
}

static bool can_launch(void)
{
    int can = 0;
    assert_driver(
        cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH, 0));
    return can != 0;
}

/* PoCL makes as many devices as it is asked for. */
static void open_two(struct side sides[DEVICES])
{
    int count = 0;
    setenv("POCL_DEVICES", "pthread pthread", 0);
    assert_driver(cuInit(0));
    assert_driver(cuDeviceGetCount(&count));
    if (count < DEVICES)
        TEST_SKIP("there are no two devices");
    if (!can_launch())
        TEST_SKIP("there are no cooperative launches");
    for (int i = 0; i < DEVICES; i++)
        open_side(&sides[i], i);
}

static unsigned stored(const struct side *side)
{
    assert_driver(cuCtxSetCurrent(side->context));
    return word_at(side->memory + 12);
}

static void hold(const struct side *side)
{
    assert_driver(cuCtxSetCurrent(side->context));
    assert_driver(cuStreamWaitValue32(side->stream, side->word, 1, CU_STREAM_WAIT_VALUE_EQ));
}

static void release(const struct side *side)
{
    CUstream aside = NULL;
    assert_driver(cuCtxSetCurrent(side->context));
    assert_driver(cuStreamCreate(&aside, CU_STREAM_NON_BLOCKING));
    assert_driver(cuStreamWriteValue32(aside, side->word, 1, 0));
    assert_driver(cuStreamDestroy(aside));
}

static void finish(const struct side *side)
{
    assert_driver(cuCtxSetCurrent(side->context));
    assert_driver(cuStreamSynchronize(side->stream));
}

static CUresult launch_both(struct side sides[DEVICES], unsigned flags)
{
    CUDA_LAUNCH_PARAMS list[DEVICES] = {launch_of(&sides[0]), launch_of(&sides[1])};
    return cuLaunchCooperativeKernelMultiDevice(list, DEVICES, flags);
}

TEST_BODY(launch_devices_wait_for_what_all_streams_got)
{
    struct side sides[DEVICES];
    open_two(sides);
    hold(&sides[0]);
    assert_driver(launch_both(sides, NO_POST));
    assert_int_equal(stored(&sides[1]), 0);
    release(&sides[0]);
    finish(&sides[0]);
    finish(&sides[1]);
    assert_int_equal(stored(&sides[0]), 10);
    assert_int_equal(stored(&sides[1]), 11);
}

/* The first device's kernel waits, the other's does not, and what comes behind that does. */
TEST_BODY(launch_devices_are_waited_for_by_all_streams)
{
    struct side sides[DEVICES];
    open_two(sides);
    hold(&sides[0]);
    assert_driver(launch_both(sides, NO_PRE | NO_POST));
    finish(&sides[1]);
    assert_int_equal(stored(&sides[1]), 11);
    sides[1].value = 12;
    assert_driver(launch_both(sides, NO_PRE));
    assert_driver(cuCtxSetCurrent(sides[1].context));
    assert_driver(cuMemsetD32Async(sides[1].memory, 5, 4, sides[1].stream));
    assert_int_equal(cuStreamQuery(sides[1].stream), CUDA_ERROR_NOT_READY);
    assert_true(stored(&sides[1]) != 5);
    assert_int_equal(stored(&sides[0]), 0);
    release(&sides[0]);
    finish(&sides[1]);
    assert_int_equal(stored(&sides[1]), 5);
    assert_int_equal(stored(&sides[0]), 10);
}

static void check_refused(CUDA_LAUNCH_PARAMS *list, unsigned count, CUresult expected)
{
    assert_int_equal(cuLaunchCooperativeKernelMultiDevice(list, count, 0), expected);
}

TEST_BODY(launch_devices_refuse_what_differs)
{
    struct side sides[DEVICES];
    CUgraph graph = NULL;
    open_two(sides);
    const CUDA_LAUNCH_PARAMS good[DEVICES] = {launch_of(&sides[0]), launch_of(&sides[1])};
    CUDA_LAUNCH_PARAMS bad[DEVICES + 1] = {good[0], good[1], good[1]};
    check_refused(NULL, 1, CUDA_ERROR_INVALID_VALUE);
    check_refused(bad, 0, CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchCooperativeKernelMultiDevice(bad, 2, 4), CUDA_ERROR_INVALID_VALUE);
    check_refused(bad + 1, 2, CUDA_ERROR_INVALID_VALUE); /* one device */
    bad[1].gridDimX = 2;
    check_refused(bad, 2, CUDA_ERROR_INVALID_VALUE);
    bad[1] = good[1];
    bad[1].hStream = NULL;
    check_refused(bad, 2, CUDA_ERROR_INVALID_HANDLE);
    bad[1].hStream = CU_STREAM_PER_THREAD;
    check_refused(bad, 2, CUDA_ERROR_INVALID_HANDLE);
    bad[1].hStream = good[0].hStream; /* the function is the other's */
    check_refused(bad, 2, CUDA_ERROR_INVALID_HANDLE);
    bad[1] = good[1];
    bad[0].gridDimX = bad[1].gridDimX = 1 << 24;
    check_refused(bad, 2, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    bad[0] = good[0];
    bad[1] = good[1];
    assert_driver(cuCtxSetCurrent(sides[1].context));
    assert_driver(cuStreamBeginCapture(good[1].hStream, CU_STREAM_CAPTURE_MODE_RELAXED));
    check_refused(bad, 2, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_int_equal(cuStreamEndCapture(good[1].hStream, &graph),
                     CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_int_equal(stored(&sides[0]), 0); /* nothing was launched */
    assert_int_equal(stored(&sides[1]), 0);
}

/* The runtime's launches name the stream alone, whose device has its own instance of the kernel. */
TEST_BODY(launch_devices_by_the_runtime)
{
    struct side sides[DEVICES];
    open_two(sides);
    cudaLibrary_t library = NULL;
    cudaKernel_t store = NULL;
    struct cudaLaunchParams list[DEVICES];
    assert_int_equal(cudaLibraryLoadData(&library, driver_kernels, NULL, NULL, 0, NULL, NULL, 0),
                     cudaSuccess);
    assert_int_equal(cudaLibraryGetKernel(&store, library, "store"), cudaSuccess);
    for (int i = 0; i < DEVICES; i++)
        list[i] = (struct cudaLaunchParams){.func = store,
                                            .gridDim = {1, 1, 1},
                                            .blockDim = {4, 1, 1},
                                            .args = sides[i].arguments,
                                            .stream = sides[i].stream};
    assert_int_equal(cudaLaunchCooperativeKernelMultiDevice(list, DEVICES, 0), cudaSuccess);
    finish(&sides[0]);
    finish(&sides[1]);
    assert_int_equal(stored(&sides[0]), 10);
    assert_int_equal(stored(&sides[1]), 11);
    list[1].stream = NULL;
    assert_int_equal(cudaLaunchCooperativeKernelMultiDevice(list, DEVICES, 0),
                     cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}
