/* Launching kernels, and what can be asked about them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cl/device.h"
#include "cl/trace.h"
#include "facade/code/launch.h"
#include "facade/code/launch_work.h"
#include "facade/code/occupancy.h"
#include "facade/code/registration.h"
#include "facade/device/device.h"
#include "facade/graph/capture.h"
#include "facade/state/capability.h"
#include "facade/state/environment.h"
#include "facade/state/limits.h"
#include "facade/state/runtime.h"
#include "facade/state/thread_state.h"
#include "facade/stream/stream.h"

/* Libraries, modules and contexts end with handles, so what a name led to in a context holds until one is freed. */
static struct facade_known_function *known_function(const void *name)
{
    return &facade_thread()->functions[((uintptr_t)name >> 4) % FACADE_KNOWN_FUNCTIONS];
}

/* NULL: it is gone, and what comes in its place is half made. */
static struct facade_context *context_of(const struct facade_function *function)
{
    const struct facade_module *const module = function->module;
    return module != NULL ? module->context : NULL;
}

static cudaError_t find_function(const void *func, struct facade_function **function)
{
    const struct facade_kernel *kernel = facade_handle_find(FACADE_KERNEL, func);
    if (kernel != NULL)
        return facade_kernel_here(kernel, function);
    *function = facade_handle_find(FACADE_FUNCTION, func);
    if (*function != NULL) {
        struct facade_context *const context = context_of(*function);
        return context != NULL ? facade_context_check(context) : cudaErrorContextIsDestroyed;
    }
    if (func == NULL)
        return cudaErrorInvalidDeviceFunction;
    const cudaError_t error = facade_registered_function(func, function);
    return error == cudaErrorInvalidDeviceFunction ? cudaErrorInvalidResourceHandle : error;
}

/* Modules are made on the way, which another thread's reset of the device would end. owner: the function's context, NULL where
 * that is going. */
static cudaError_t find_or_make(const void *func, struct facade_function **function,
                                struct facade_context **owner)
{
    struct facade_context *context = NULL;
    if (facade_current(&context) != cudaSuccess)
        return find_function(func, function);
    if (!facade_context_enter(context, FACADE_CONTEXT, context))
        return cudaErrorContextIsDestroyed;
    const cudaError_t error = find_function(func, function);
    if (error == cudaSuccess)
        *owner = context_of(*function);
    facade_context_leave(context);
    return error;
}

cudaError_t facade_function_find(const void *func, struct facade_function **function)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    const uint64_t freed = facade_handles_freed();
    struct facade_known_function *known = known_function(func);
    if (func != NULL && known->name == func && known->freed == freed) {
        error = facade_current(&context);
        *function = known->function;
        if (error != cudaSuccess || known->context == context)
            return error;
    }
    context = NULL;
    error = find_or_make(func, function, &context);
    if (error == cudaSuccess && context != NULL && facade_thread_may_keep(facade_thread()))
        *known = (struct facade_known_function){func, context, *function, freed};
    return error;
}

static bool is_empty(dim3 size)
{
    return size.x == 0 || size.y == 0 || size.z == 0;
}

/* Whether a grid or a block has more than the device takes, or nothing. Empty grids are how many programs do
 * nothing: only who listens hears of them. */
static bool is_outside(const struct facade_function *function, const char *what, dim3 size,
                       const unsigned limits[3])
{
    if (is_empty(size))
        ocl_log(true, "kernel %s is not launched: a %s of %u x %u x %u is empty",
                ocl_kernel_name(function->kernel), what, size.x, size.y, size.z);
    else if (size.x > limits[0] || size.y > limits[1] || size.z > limits[2])
        ocl_kernel_complain(function->kernel,
                            "a %s of %u x %u x %u, and the device takes %u x %u x %u at most", what,
                            size.x, size.y, size.z, limits[0], limits[1], limits[2]);
    else
        return false;
    return true;
}

static bool has_too_many_threads(const struct facade_function *function, dim3 block, unsigned most,
                                 const char *who)
{
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (threads <= most)
        return false;
    ocl_kernel_complain(function->kernel,
                        "a block of %u x %u x %u is %llu threads, and the %s takes %u at most",
                        block.x, block.y, block.z, (unsigned long long)threads, who, most);
    return true;
}

static bool has_too_much_shared(const struct facade_function *function, size_t shared,
                                const struct facade_launch_limits *limits)
{
    const bool is_set = function->max_dynamic_shared >= 0;
    if (limits->own_shared > FACADE_SHARED_BYTES)
        ocl_kernel_complain(function->kernel,
                            "%zu bytes of static shared memory, and a block can have %d",
                            limits->own_shared, FACADE_SHARED_BYTES);
    else if (shared > limits->shared)
        ocl_kernel_complain(function->kernel,
                            "%zu bytes of dynamic shared memory beside %zu static ones, and it may "
                            "have %zu%s; cudaFuncSetAttribute can give it %zu",
                            shared, limits->own_shared, limits->shared,
                            is_set ? " (as was set for it)" : "", limits->opt_in_shared);
    else
        return false;
    return true;
}

cudaError_t facade_launch_check_shape(const struct facade_function *function, dim3 grid, dim3 block,
                                      size_t shared)
{
    struct facade_launch_limits limits;
    ocl_kernel_expect(function->kernel, (const size_t[3]){grid.x, grid.y, grid.z},
                      (const size_t[3]){block.x, block.y, block.z});
    const cudaError_t error = facade_launch_limits(function, &limits);
    if (error != cudaSuccess)
        return error;
    if (is_outside(function, "grid", grid, limits.grid) ||
        is_outside(function, "block", block, limits.block) ||
        has_too_many_threads(function, block, limits.device_threads, "device"))
        return cudaErrorInvalidConfiguration;
    if (ocl_kernel_facts(function->kernel)->status != OCL_OK)
        return cudaSuccess; /* cl/ says why it cannot be launched at all */
    return has_too_many_threads(function, block, limits.threads, "kernel") ||
                   has_too_much_shared(function, shared, &limits)
               ? cudaErrorInvalidValue
               : cudaSuccess;
}

/* On a multiprocessor. What is measured of a kernel is told of it from then on. */
static cudaError_t blocks_at_once(int *blocks, const struct facade_function *function,
                                  int block_size, size_t shared)
{
    return ocl_kernel_gathers(function->kernel)
               ? facade_occupancy_measured(blocks, function, block_size, shared)
               : facade_occupancy_blocks(blocks, function, block_size, shared,
                                         cudaOccupancyDefault);
}

cudaError_t facade_launch_check_cooperation(const struct facade_function *function, dim3 grid,
                                            dim3 block, size_t shared)
{
    const int device = function->module->context->device;
    int can = 0, processors = 0, blocks = 0;
    cudaError_t error = facade_device_attribute(&can, cudaDevAttrCooperativeLaunch, device);
    if (error == cudaSuccess && can == 0)
        error = cudaErrorNotSupported;
    if (error == cudaSuccess)
        error = facade_device_attribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = blocks_at_once(&blocks, function, (int)(block.x * block.y * block.z), shared);
    if (error != cudaSuccess)
        return error;
    const uint64_t most = (uint64_t)blocks * (uint64_t)processors,
                   plane = (uint64_t)grid.x * grid.y;
    if (plane <= most && plane * grid.z <= most)
        return cudaSuccess;
    ocl_kernel_complain(function->kernel,
                        "a cooperative launch of %u x %u x %u blocks, and %llu of them fit at once",
                        grid.x, grid.y, grid.z, (unsigned long long)most);
    return cudaErrorCooperativeLaunchTooLarge;
}

static cudaError_t capture_launch(struct facade_function *function, dim3 grid, dim3 block,
                                  void *const *args, size_t shared, struct facade_stream *stream,
                                  const struct facade_launch_attributes *attributes)
{
    struct facade_work *work = NULL;
    const struct cudaKernelNodeParams params = {
        .func = attributes->named != NULL ? (void *)(uintptr_t)attributes->named : function,
        .gridDim = grid,
        .blockDim = block,
        .sharedMemBytes = (unsigned)shared,
        .kernelParams = (void **)(uintptr_t)args,
    };
    if (stream->context != function->module->context)
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = facade_work_of_launch(&params, &work);
    if (error != cudaSuccess)
        return error;
    error = facade_work_take_attributes(work, stream, attributes);
    if (error == cudaSuccess)
        return facade_capture_add(stream, cudaGraphNodeTypeKernel, work, NULL);
    facade_work_let_go(work);
    return error;
}

/* Another thread may reset the device after the function was found: then its name stands for another. Success: the caller leaves
 * the function's context. */
static cudaError_t enter(struct facade_function **function,
                         const struct facade_launch_attributes *attributes)
{
    uint64_t freed = attributes->freed;
    for (;;) {
        struct facade_context *const context = context_of(*function);
        const bool is_there =
            context != NULL && facade_context_enter(context, FACADE_FUNCTION, *function);
        if (is_there && (attributes->named == NULL || freed == facade_handles_freed()))
            return cudaSuccess;
        if (is_there)
            facade_context_leave(context);
        if (attributes->named == NULL)
            return cudaErrorContextIsDestroyed;
        freed = facade_handles_freed();
        const cudaError_t error = facade_function_find(attributes->named, function);
        if (error != cudaSuccess)
            return error;
    }
}

/* What the context owns stays meanwhile. */
static cudaError_t launch_within(struct facade_function *function, dim3 grid, dim3 block,
                                 void *const *args, size_t shared, cudaStream_t stream_handle,
                                 const struct facade_launch_attributes *attributes,
                                 bool *is_capturing)
{
    struct facade_stream *stream = NULL;
    cudaError_t error = facade_launch_check_shape(function, grid, block, shared);
    if (error == cudaSuccess && attributes->is_cooperative)
        error = facade_launch_check_cooperation(function, grid, block, shared);
    if (error == cudaSuccess)
        error = facade_stream_find_to_capture(stream_handle, &stream, is_capturing);
    if (error != cudaSuccess)
        return error;
    return *is_capturing ? capture_launch(function, grid, block, args, shared, stream, attributes)
                         : facade_launch_in(function, grid, block, args, shared, stream,
                                            attributes->is_cooperative);
}

cudaError_t facade_launch(struct facade_function *function, dim3 grid, dim3 block,
                          void *const *args, size_t shared, cudaStream_t stream,
                          struct facade_launch_attributes attributes)
{
    bool is_capturing = false;
    cudaError_t error = enter(&function, &attributes);
    if (error != cudaSuccess)
        return error;
    struct facade_context *const context = function->module->context;
    error = launch_within(function, grid, block, args, shared, stream, &attributes, &is_capturing);
    facade_context_leave(context);
    return error == cudaSuccess && facade_environment()->launches_wait && !is_capturing
               ? facade_stream_synchronize(stream)
               : error;
}

cudaError_t facade_launch_in(struct facade_function *function, dim3 grid, dim3 block,
                             void *const *args, size_t shared, struct facade_stream *stream,
                             bool is_cooperative)
{
    if (stream->context != function->module->context)
        return cudaErrorInvalidResourceHandle;
    if (args == NULL && ocl_kernel_facts(function->kernel)->entry_count > 0) {
        ocl_kernel_complain(function->kernel, "it takes %zu arguments and was given none",
                            ocl_kernel_facts(function->kernel)->entry_count);
        return cudaErrorInvalidValue;
    }
    const struct ocl_launch launch = {
        .groups = {grid.x, grid.y, grid.z},
        .items = {block.x, block.y, block.z},
        .local_bytes = shared,
        .arguments = args,
        .is_cooperative = is_cooperative,
        .conditions = stream->conditions,
        .nesting.pending = stream->context->limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT],
        .nesting.device_number = stream->context->device,
    };
    const ocl_status status = ocl_kernel_launch(function->kernel, stream->queue, &launch);
    /* Of a kernel that needs addresses, no argument is wrong. */
    if (status == OCL_E_NEEDS_ADDRESS && ocl_kernel_facts(function->kernel)->status == status)
        return cudaErrorNotSupported;
    return facade_error_from(status, FACADE_LAUNCH);
}

/* The attributes beyond cudaFuncAttributes are about clusters, which no OpenCL device has. */
static cudaError_t cluster_attribute(int attribute, int *value)
{
    if (attribute < CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET ||
        attribute > CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
        return cudaErrorInvalidValue;
    *value = 0;
    return cudaSuccess;
}

/* OpenCL tells none: as many as each thread of a full multiprocessor may have, which fits what occupancy says. Programs
 * divide by it. */
static int registers_of_a_thread(const struct facade_function *function)
{
    const int device = function->module->context->device;
    int all = 0, threads = 0;
    (void)facade_device_attribute(&all, (int)cudaDevAttrMaxRegistersPerMultiprocessor, device);
    (void)facade_device_attribute(&threads, (int)cudaDevAttrMaxThreadsPerMultiProcessor, device);
    return threads > 0 && all > threads ? all / threads : 1;
}

static cudaError_t function_attributes(const struct facade_function *function,
                                       struct cudaFuncAttributes *attributes)
{
    struct facade_launch_limits limits;
    const struct ocl_kernel_facts *kernel;
    cudaError_t error = facade_launch_facts(function, &kernel);
    if (error == cudaSuccess)
        error = facade_launch_limits(function, &limits);
    if (error != cudaSuccess)
        return error;
    memset(attributes, 0, sizeof *attributes);
    attributes->sharedSizeBytes = kernel->local_bytes;
    attributes->localSizeBytes = kernel->private_bytes;
    attributes->constSizeBytes = ocl_kernel_constant_bytes(function->kernel);
    attributes->maxThreadsPerBlock = (int)limits.threads;
    attributes->numRegs = registers_of_a_thread(function);
    attributes->ptxVersion = attributes->binaryVersion = (int)facade_capability()->number;
    attributes->maxDynamicSharedSizeBytes = (int)limits.shared;
    attributes->preferredShmemCarveout = function->preferred_carveout;
    return cudaSuccess;
}

cudaError_t facade_function_attribute(const struct facade_function *function, int attribute,
                                      int *value)
{
    struct cudaFuncAttributes all;
    const cudaError_t error = function_attributes(function, &all);
    if (error != cudaSuccess)
        return error;
    const int values[] = {
        [CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = all.maxThreadsPerBlock,
        [CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = (int)all.sharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = (int)all.constSizeBytes,
        [CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = (int)all.localSizeBytes,
        [CU_FUNC_ATTRIBUTE_NUM_REGS] = all.numRegs,
        [CU_FUNC_ATTRIBUTE_PTX_VERSION] = all.ptxVersion,
        [CU_FUNC_ATTRIBUTE_BINARY_VERSION] = all.binaryVersion,
        [CU_FUNC_ATTRIBUTE_CACHE_MODE_CA] = all.cacheModeCA,
        [CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = all.maxDynamicSharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = all.preferredShmemCarveout,
    };
    if (attribute < 0 || (size_t)attribute >= sizeof values / sizeof values[0])
        return cluster_attribute(attribute, value);
    *value = values[attribute];
    return cudaSuccess;
}

cudaError_t facade_function_set_attribute(struct facade_function *function, int attribute,
                                          int value)
{
    struct facade_launch_limits limits;
    cudaError_t error = cudaSuccess;
    int unused = 0;
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        error = facade_launch_limits(function, &limits);
        if (error != cudaSuccess)
            return error;
        if (value < 0 || (size_t)value > limits.opt_in_shared) {
            ocl_log(true,
                    "kernel %s cannot have %d bytes of dynamic shared memory: beside %zu static "
                    "ones %zu are the most",
                    ocl_kernel_name(function->kernel), value, limits.own_shared,
                    limits.opt_in_shared);
            return cudaErrorInvalidValue;
        }
        function->max_dynamic_shared = value;
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100)
            return cudaErrorInvalidValue;
        function->preferred_carveout = value;
        return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        return cudaErrorInvalidValue;
    default:
        return value == 0 ? cluster_attribute(attribute, &unused) : cudaErrorInvalidValue;
    }
}

cudaError_t facade_function_set_cache(struct facade_function *function, int config)
{
    if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual)
        return cudaErrorInvalidValue;
    function->cache_config = config;
    return cudaSuccess;
}

cudaError_t facade_function_parameter(const struct facade_function *function, size_t index,
                                      size_t *offset, size_t *bytes)
{
    const struct ocl_kernel_facts *kernel;
    const cudaError_t error = facade_launch_facts(function, &kernel);
    if (error != cudaSuccess)
        return error;
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        const struct ocl_parameter *parameter = ocl_kernel_parameter(function->kernel, i);
        const bool has_entry =
            parameter->kind != OCL_PARAMETER_LOCAL && parameter->kind != OCL_PARAMETER_HIDDEN;
        if (!has_entry || index-- > 0)
            continue;
        *offset = parameter->offset;
        if (bytes != NULL)
            *bytes = parameter->bytes;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t facade_packed_read(void *const *extra, struct facade_packed *packed)
{
    const size_t *size = NULL;
    for (size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            packed->bytes = extra[i + 1];
        else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            size = extra[i + 1];
        else
            return cudaErrorInvalidValue;
    }
    packed->size = size != NULL ? *size : 0;
    return cudaSuccess;
}

cudaError_t facade_packed_check(const struct facade_packed *packed, size_t count, size_t bytes)
{
    if (count > 0 && (packed->bytes == NULL || packed->size == 0))
        return cudaErrorInvalidValue;
    return packed->size > bytes ? cudaErrorLaunchOutOfResources : cudaSuccess;
}

size_t facade_function_measure(const struct facade_function *function, size_t *bytes)
{
    size_t count = 0, offset = 0, size = 0;
    *bytes = 0;
    while (facade_function_parameter(function, count, &offset, &size) == cudaSuccess) {
        *bytes = offset + size > *bytes ? offset + size : *bytes;
        count++;
    }
    return count;
}

static cudaError_t check_attribute(const struct cudaLaunchAttribute_st *attribute,
                                   bool *is_cooperative)
{
    const cudaLaunchAttributeValue *value = &attribute->val;
    switch ((int)attribute->id) {
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributeProgrammaticStreamSerialization:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributePreferredClusterDimension:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
    case cudaLaunchAttributeNvlinkUtilCentricScheduling:
        return cudaSuccess;
    case cudaLaunchAttributeCooperative:
        *is_cooperative = value->cooperative != 0;
        return cudaSuccess;
    case cudaLaunchAttributeClusterDimension:
        return value->clusterDim.x <= 1 && value->clusterDim.y <= 1 && value->clusterDim.z <= 1
                   ? cudaSuccess
                   : cudaErrorInvalidClusterSize;
    case cudaLaunchAttributeProgrammaticEvent:
        return value->programmaticEvent.event != NULL ? cudaErrorNotSupported
                                                      : cudaErrorInvalidResourceHandle;
    case cudaLaunchAttributeLaunchCompletionEvent:
        return value->launchCompletionEvent.event != NULL ? cudaErrorNotSupported
                                                          : cudaErrorInvalidResourceHandle;
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
        return cudaErrorNotSupported;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t facade_launch_read_attributes(const struct cudaLaunchAttribute_st *list, unsigned count,
                                          struct facade_launch_attributes *attributes)
{
    cudaError_t error = count == 0 || list != NULL ? cudaSuccess : cudaErrorInvalidValue;
    *attributes = (struct facade_launch_attributes){.list = list, .count = count};
    for (unsigned i = 0; error == cudaSuccess && i < count; i++)
        error = check_attribute(&list[i], &attributes->is_cooperative);
    return error;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t facade_launch_error_of(const void *func, cudaError_t error)
{
    if (error != cudaErrorInvalidConfiguration)
        return error;
    const bool is_handle = facade_handle_find(FACADE_KERNEL, func) != NULL ||
                           facade_handle_find(FACADE_FUNCTION, func) != NULL;
    return is_handle ? cudaErrorInvalidValue : error;
}

static cudaError_t launch(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                          cudaStream_t stream, struct facade_launch_attributes attributes)
{
    struct facade_function *function = NULL;
    attributes.named = func;
    attributes.freed = facade_handles_freed();
    cudaError_t error = facade_function_find(func, &function);
    if (error == cudaSuccess)
        error = facade_launch(function, grid, block, args, shared, stream, attributes);
    return facade_launch_error_of(func, error);
}

cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                             size_t sharedMem, cudaStream_t stream)
{
    return facade_result(launch(func, gridDim, blockDim, args, sharedMem, stream,
                                (struct facade_launch_attributes){0}));
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                        size_t sharedMem, cudaStream_t stream)
{
    return facade_result(launch(func, gridDim, blockDim, args, sharedMem, stream,
                                (struct facade_launch_attributes){.is_cooperative = true}));
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
    if (config == NULL)
        return facade_result(cudaErrorInvalidValue);
    struct facade_launch_attributes attributes;
    cudaError_t error = facade_launch_read_attributes(config->attrs, config->numAttrs, &attributes);
    if (error != cudaSuccess)
        return facade_result(error);
    return facade_result(launch(func, config->gridDim, config->blockDim, args,
                                config->dynamicSmemBytes, config->stream, attributes));
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
    struct facade_function *function = NULL;
    if (attr == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_function_find(func, &function);
    return facade_result(error == cudaSuccess ? function_attributes(function, attr) : error);
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    struct facade_function *function = NULL;
    if ((int)attr < 0 || attr >= cudaFuncAttributeMax)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_function_find(func, &function);
    return facade_result(
        error == cudaSuccess ? facade_function_set_attribute(function, (int)attr, value) : error);
}

cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig)
{
    struct facade_function *function = NULL;
    cudaError_t error = facade_function_find(func, &function);
    return facade_result(
        error == cudaSuccess ? facade_function_set_cache(function, (int)cacheConfig) : error);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
    struct facade_function *function = NULL;
    cudaError_t error = facade_function_find(func, &function);
    if (error == cudaSuccess && ((int)config < 0 || config > cudaSharedMemBankSizeEightByte))
        error = cudaErrorInvalidValue;
    return facade_result(error);
}

cudaError_t cudaFuncGetName(const char **name, const void *func)
{
    struct facade_function *function = NULL;
    if (name == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_function_find(func, &function);
    if (error == cudaSuccess)
        *name = ocl_kernel_name(function->kernel);
    return facade_result(error);
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset,
                                 size_t *paramSize)
{
    struct facade_function *function = NULL;
    cudaError_t error = facade_function_find(func, &function);
    if (error == cudaSuccess && paramOffset == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = facade_function_parameter(function, paramIndex, paramOffset, paramSize);
    return facade_result(error);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr,
                                            int value, int device)
{
    struct facade_function *function = NULL;
    int count = 0;
    if ((int)attr < 0 || attr >= cudaFuncAttributeMax)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_devices(&count);
    if (error == cudaSuccess && (device < 0 || device >= count))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess)
        error = facade_kernel_function(kernel, &function);
    return facade_result(
        error == cudaSuccess ? facade_function_set_attribute(function, (int)attr, value) : error);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr)
{
    struct facade_function *function = NULL;
    if (functionPtr == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_function_find(symbolPtr, &function);
    if (error == cudaSuccess)
        *functionPtr = (cudaFunction_t)function;
    return facade_result(error);
}
