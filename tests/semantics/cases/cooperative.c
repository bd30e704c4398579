/* Semantics of cooperative launches, of their arguments and limits.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "../oracle.h"

static dim3 dims(unsigned x, unsigned y, unsigned z)
{
    const dim3 d = {x, y, z};
    return d;
}

static unsigned most_blocks(enum kernel which, int threads)
{
    int per_multiprocessor = 0;
    int multiprocessors = 0;
    REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel(which),
                                                          threads, 0));
    REQUIRE(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    return (unsigned)per_multiprocessor * (unsigned)multiprocessors;
}

void case_cooperative_arguments(void)
{
    int *p = device_block(4096);
    int value = 6;
    void *arguments[] = {&p, &value};
    const void *store = kernel(KERNEL_STORE);
    int supported = -1;
    CALL(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    DEVICE_VALUE(supported, "supported");
    if (supported == 0) {
        SKIP("no cooperative launch");
        return;
    }
    CALL(cudaLaunchCooperativeKernel(NULL, dims(1, 1, 1), dims(1, 1, 1), arguments, 0, NULL));
    CALL(cudaLaunchCooperativeKernel(store, dims(0, 1, 1), dims(1, 1, 1), arguments, 0, NULL));
    CALL(cudaLaunchCooperativeKernel(store, dims(1, 1, 1), dims(0, 1, 1), arguments, 0, NULL));
    CALL(cudaLaunchCooperativeKernel(store, dims(1, 1, 1), dims(2048, 1, 1), arguments, 0, NULL));
    CALL(cudaLaunchCooperativeKernel(store, dims(1, 1, 1), dims(1, 1, 1), arguments, 1u << 30,
                                     NULL));
    CALL(cudaLaunchCooperativeKernel(store, dims(1, 1, 1), dims(1, 1, 1), NULL, 0, NULL));
    CALL(cudaLaunchCooperativeKernel(store, dims(1, 65536, 1), dims(1, 1, 1), arguments, 0, NULL));
    CALL(cudaLaunchCooperativeKernel(store, dims(0x7fffffff, 1, 1), dims(1, 1, 1), arguments, 0,
                                     NULL));
    CALL(cudaLaunchCooperativeKernel(store, dims(1, 1, 1), dims(1, 1, 1), arguments, 0, NULL));
    CALL(cudaDeviceSynchronize());
    VALUE(read_int(p), "stored");
    CALL(cudaLaunchCooperativeKernel(store, dims(1, 1, 1), dims(1, 1, 1), arguments, 0,
                                     cudaStreamLegacy));
    CALL(cudaLaunchCooperativeKernel(store, dims(1, 1, 1), dims(1, 1, 1), arguments, 0,
                                     cudaStreamPerThread));
    CALL(cudaDeviceSynchronize());
}

void case_cooperative_limit(void)
{
    int supported = -1;
    REQUIRE(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    if (supported == 0) {
        SKIP("no cooperative launch");
        return;
    }
    static const int threads[] = {1, 32, 96, 256, 1024};
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        const unsigned most = most_blocks(KERNEL_NOOP, threads[i]);
        const unsigned block = (unsigned)threads[i];
        DEVICE_VALUE(most, "%d threads: most blocks", threads[i]);
        CALL_AS(cudaLaunchCooperativeKernel(kernel(KERNEL_NOOP), dims(most, 1, 1),
                                            dims(block, 1, 1), NULL, 0, NULL),
                "%d threads: as many", threads[i]);
        CALL_AS(cudaLaunchCooperativeKernel(kernel(KERNEL_NOOP), dims(most + 1, 1, 1),
                                            dims(block, 1, 1), NULL, 0, NULL),
                "%d threads: one more", threads[i]);
        CALL_AS(cudaLaunchCooperativeKernel(kernel(KERNEL_NOOP), dims(most / 2 + 1, 2, 1),
                                            dims(block, 1, 1), NULL, 0, NULL),
                "%d threads: in two rows", threads[i]);
    }
    CALL(cudaDeviceSynchronize());
}

void case_cooperative_attribute(void)
{
    int *p = device_block(4096);
    int value = 8;
    void *arguments[] = {&p, &value};
    int supported = -1;
    REQUIRE(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    if (supported == 0) {
        SKIP("no cooperative launch");
        return;
    }
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config;
    memset(&attribute, 0, sizeof attribute);
    memset(&config, 0, sizeof config);
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    config.gridDim = dims(1, 1, 1);
    config.blockDim = dims(1, 1, 1);
    config.attrs = &attribute;
    config.numAttrs = 1;
    CALL(cudaLaunchKernelExC(&config, kernel(KERNEL_STORE), arguments));
    CALL(cudaDeviceSynchronize());
    VALUE(read_int(p), "stored");
    config.gridDim = dims(most_blocks(KERNEL_STORE, 1) + 1, 1, 1);
    CALL_AS(cudaLaunchKernelExC(&config, kernel(KERNEL_STORE), arguments), "one block too many");
    attribute.val.cooperative = 0;
    CALL_AS(cudaLaunchKernelExC(&config, kernel(KERNEL_STORE), arguments),
            "without being cooperative");
    attribute.val.cooperative = 2;
    CALL_AS(cudaLaunchKernelExC(&config, kernel(KERNEL_STORE), arguments), "cooperative is 2");
    CALL(cudaDeviceSynchronize());
}

void case_cooperative_driver(void)
{
    int *p = device_block(4096);
    int value = 8;
    void *arguments[] = {&p, &value};
    CUmodule module = NULL;
    CUfunction function = NULL;
    int supported = -1;
    REQUIRE(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    if (supported == 0) {
        SKIP("no cooperative launch");
        return;
    }
    REQUIRE_DRIVER(cuModuleLoadData(&module, kernel_source()));
    REQUIRE_DRIVER(cuModuleGetFunction(&function, module, kernel_name(KERNEL_STORE)));
    DRIVER(cuLaunchCooperativeKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, arguments));
    DRIVER(cuLaunchCooperativeKernel(function, 0, 1, 1, 1, 1, 1, 0, NULL, arguments));
    DRIVER(cuLaunchCooperativeKernel(function, 1, 1, 1, 0, 1, 1, 0, NULL, arguments));
    DRIVER(cuLaunchCooperativeKernel(function, 1, 1, 1, 2048, 1, 1, 0, NULL, arguments));
    DRIVER(cuLaunchCooperativeKernel(function, 1, 1, 1, 1, 1, 1, 1u << 30, NULL, arguments));
    DRIVER(cuLaunchCooperativeKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL));
    DRIVER(cuLaunchCooperativeKernel(function, 0x7fffffff, 1, 1, 1, 1, 1, 0, NULL, arguments));
    DRIVER(cuLaunchCooperativeKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments));
    DRIVER(cuCtxSynchronize());
    VALUE(read_int(p), "stored");
    CUlaunchAttribute attribute;
    CUlaunchConfig config;
    memset(&attribute, 0, sizeof attribute);
    memset(&config, 0, sizeof config);
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
    config.gridDimX = config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = config.blockDimY = config.blockDimZ = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    DRIVER(cuLaunchKernelEx(&config, function, arguments, NULL));
    config.gridDimX = 0x7fffffff;
    DRIVER_AS(cuLaunchKernelEx(&config, function, arguments, NULL), "far too many blocks");
    DRIVER(cuCtxSynchronize());
}

void case_cooperative_capture(void)
{
    cudaStream_t s = NULL;
    cudaGraph_t graph = NULL;
    int supported = -1;
    REQUIRE(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    if (supported == 0) {
        SKIP("no cooperative launch");
        return;
    }
    const void *noop = kernel(KERNEL_NOOP);
    REQUIRE(cudaStreamCreate(&s));
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CALL(cudaLaunchCooperativeKernel(noop, dims(1, 1, 1), dims(1, 1, 1), NULL, 0, s));
    CALL(cudaLaunchCooperativeKernel(noop, dims(0x7fffffff, 1, 1), dims(1, 1, 1), NULL, 0, s));
    CALL(cudaStreamEndCapture(s, &graph));
    VALUE(graph == NULL, "no graph");
}
