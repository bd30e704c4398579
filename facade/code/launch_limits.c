/* What a launch of a kernel may ask for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/code/launch_limits.h"
#include "cl/device.h"
#include "facade/state/capability.h"
#include "facade/state/limits.h"
#include "facade/state/runtime.h"

/* CUDA's limits for every compute capability that clem reports. A device may have less. */
static const unsigned grid_limits[3] = {2147483647u, 65535u, 65535u};
static const unsigned block_limits[3] = {1024u, 1024u, 64u};

static unsigned smaller(size_t a, unsigned b)
{
    return a < b ? (unsigned)a : b;
}

cudaError_t facade_launch_facts(const struct facade_function *function,
                                const struct ocl_kernel_facts **facts)
{
    *facts = ocl_kernel_facts(function->kernel);
    return (*facts)->is_unknown ? facade_error_from((*facts)->status, FACADE_LAUNCH) : cudaSuccess;
}

/* Dynamic bytes that a limit leaves the kernel. What OpenCL C declares __local can be no other memory, so of its
 * kernels the device's limit holds as well. */
static size_t left_of(uint64_t limit, const struct ocl_kernel_facts *kernel)
{
    const uint64_t most = kernel->most_local < limit ? kernel->most_local : limit;
    return most > kernel->local_bytes ? (size_t)most - kernel->local_bytes : 0;
}

cudaError_t facade_launch_limits(const struct facade_function *function,
                                 struct facade_launch_limits *limits)
{
    const int index = function->module->context->device;
    const struct ocl_device_facts *device = ocl_device_facts(index);
    const struct ocl_kernel_facts *kernel;
    const cudaError_t error = facade_launch_facts(function, &kernel);
    if (error != cudaSuccess)
        return error;
    for (int i = 0; i < 3; i++) {
        limits->grid[i] = grid_limits[i];
        limits->block[i] = smaller(device->max_work_item[i], block_limits[i]);
    }
    /* Not the kernel's own number, which drivers give as advice: NVIDIA's says 256 for kernels that
     * run with 1024. */
    limits->device_threads = (unsigned)ocl_device_most_threads(index);
    limits->threads = kernel->most_threads > 0
                          ? smaller(kernel->most_threads, limits->device_threads)
                          : limits->device_threads;
    limits->opt_in_shared = left_of(facade_capability()->opt_in_shared, kernel);
    limits->shared = function->max_dynamic_shared >= 0 ? (size_t)function->max_dynamic_shared
                                                       : left_of(FACADE_SHARED_BYTES, kernel);
    limits->own_shared = kernel->local_bytes;
    return cudaSuccess;
}
