/* The driver API's contexts: primary ones, created ones, the thread's stack of current ones.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check_made.h"
#include "facade/driver/driver.h"
#include "facade/graph/capture.h"

#include "facade/device/device.h"
#include "facade/state/runtime.h"
#include "facade/stream/event.h"
#include "facade/stream/green.h"
#include "facade/stream/stream.h"

/* What cuCtxCreate and cuCtxSetFlags take. Only the schedule is used by anybody, and how to wait is
 * cl/'s choice. */
enum {
    KNOWN_FLAGS = CU_CTX_SCHED_MASK | CU_CTX_MAP_HOST | CU_CTX_LMEM_RESIZE_TO_MAX |
                  CU_CTX_COREDUMP_ENABLE | CU_CTX_USER_COREDUMP_ENABLE | CU_CTX_SYNC_MEMOPS
};

/* Contexts made by today's cuCtxCreate speak this version. Source: CUDA Driver API 13.0,
 * cuCtxGetApiVersion. */
enum { API_VERSION = 3020 };

static bool flags_are_valid(unsigned flags)
{
    unsigned schedule = flags & CU_CTX_SCHED_MASK;
    return (flags & ~(unsigned)KNOWN_FLAGS) == 0 && (schedule & (schedule - 1)) == 0;
}

/* --- primary contexts ------------------------------------------------------------------------- */

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
    CUresult result = facade_driver_device(dev);
    if (result != CUDA_SUCCESS)
        return result;
    if (pctx == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct facade_context *primary = facade_primary(dev);
    result = facade_driver_error(facade_primary_retain(primary));
    if (result == CUDA_SUCCESS)
        *pctx = (CUcontext)primary;
    return result;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
    CUresult result = facade_driver_device(dev);
    return result == CUDA_SUCCESS ? facade_driver_error(facade_primary_release(facade_primary(dev)))
                                  : result;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev)
{
    return cuDevicePrimaryCtxRelease_v2(dev);
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags)
{
    CUresult result = facade_driver_device(dev);
    if (result != CUDA_SUCCESS)
        return result;
    if (!flags_are_valid(flags))
        return CUDA_ERROR_INVALID_VALUE;
    facade_primary(dev)->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags)
{
    return cuDevicePrimaryCtxSetFlags_v2(dev, flags);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
    CUresult result = facade_driver_device(dev);
    if (result != CUDA_SUCCESS)
        return result;
    if (flags == NULL || active == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct facade_context *primary = facade_primary(dev);
    *flags = primary->flags;
    *active = atomic_load(&primary->cl) != NULL;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev)
{
    CUresult result = facade_driver_device(dev);
    if (result == CUDA_SUCCESS)
        facade_context_reset(facade_primary(dev));
    return result;
}

CUresult cuDevicePrimaryCtxReset(CUdevice dev)
{
    return cuDevicePrimaryCtxReset_v2(dev);
}

/* --- created contexts ------------------------------------------------------------------------- */

static CUresult make_context(struct facade_context **made, unsigned flags, CUdevice device)
{
    *made = facade_context_new(device, false);
    if (*made == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    (*made)->flags = flags;
    (*made)->retain_count = 1;
    cudaError_t error = facade_context_open(*made);
    if (error == cudaSuccess && !facade_stack_push(*made))
        error = cudaErrorMemoryAllocation;
    if (error != cudaSuccess)
        facade_context_delete(*made);
    return facade_driver_error(error);
}

CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    struct facade_context *made = NULL;
    CUresult result = facade_driver_device(dev);
    if (result != CUDA_SUCCESS)
        return result;
    if (pctx == NULL || !flags_are_valid(flags))
        return CUDA_ERROR_INVALID_VALUE;
    result = make_context(&made, flags, dev);
    if (result != CUDA_SUCCESS)
        return result;
    ocl_made_note("context", made, NULL);
    *pctx = (CUcontext)made;
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    return cuCtxCreate_v2(pctx, flags, dev);
}

CUresult cuCtxCreate_v3(CUcontext *pctx, CUexecAffinityParam *paramsArray, int numParams,
                        unsigned int flags, CUdevice dev)
{
    if (paramsArray != NULL && numParams > 0)
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    return cuCtxCreate_v2(pctx, flags, dev);
}

CUresult cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags,
                        CUdevice dev)
{
    if (ctxCreateParams != NULL && ctxCreateParams->cigParams != NULL)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (ctxCreateParams != NULL)
        return cuCtxCreate_v3(pctx, ctxCreateParams->execAffinityParams,
                              ctxCreateParams->numExecAffinityParams, flags, dev);
    return cuCtxCreate_v2(pctx, flags, dev);
}

/* Other threads keep a destroyed context on their stacks; what they do with it fails until they
 * take it off. */
static void destroy_context(struct facade_context *context)
{
    if (facade_stack_live() == context)
        facade_stack_pop();
    facade_context_delete(context);
}

CUresult cuCtxDestroy_v2(CUcontext ctx)
{
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (ctx == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct facade_context *context = facade_handle_find(FACADE_CONTEXT, ctx);
    if (context == NULL || context->is_primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    destroy_context(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxDestroy(CUcontext ctx)
{
    return cuCtxDestroy_v2(ctx);
}

CUresult cuCtxAttach(CUcontext *pctx, unsigned int flags)
{
    struct facade_context *context = NULL;
    CUresult result = facade_driver_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (pctx == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!context->is_primary) {
        pthread_mutex_lock(&context->lock);
        context->retain_count++;
        pthread_mutex_unlock(&context->lock);
    }
    *pctx = (CUcontext)context;
    return CUDA_SUCCESS;
}

/* Primary contexts are counted by retain and release alone. */
CUresult cuCtxDetach(CUcontext ctx)
{
    struct facade_context *context = NULL;
    CUresult result = facade_driver_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (ctx != (CUcontext)context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (context->is_primary)
        return CUDA_SUCCESS;
    pthread_mutex_lock(&context->lock);
    unsigned left = --context->retain_count;
    pthread_mutex_unlock(&context->lock);
    if (left == 0)
        destroy_context(context);
    return CUDA_SUCCESS;
}

/* --- the stack of current contexts ------------------------------------------------------------ */

/* A context that was destroyed may be pushed and set, as with NVIDIA's driver: its next use
 * tells. */
CUresult cuCtxPushCurrent_v2(CUcontext ctx)
{
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (ctx == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return facade_stack_push((struct facade_context *)ctx) ? CUDA_SUCCESS
                                                           : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuCtxPushCurrent(CUcontext ctx)
{
    return cuCtxPushCurrent_v2(ctx);
}

CUresult cuCtxPopCurrent_v2(CUcontext *pctx)
{
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    const CUcontext handle = facade_stack_handle();
    if (facade_stack_pop() == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (pctx != NULL)
        *pctx = handle;
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *pctx)
{
    return cuCtxPopCurrent_v2(pctx);
}

CUresult cuCtxSetCurrent(CUcontext ctx)
{
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_stack_replace((struct facade_context *)ctx) ? CUDA_SUCCESS
                                                              : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuCtxGetCurrent(CUcontext *pctx)
{
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (pctx == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *pctx = facade_stack_handle();
    return CUDA_SUCCESS;
}

/* --- queries and settings --------------------------------------------------------------------- */

/* The context that ctx means: the current one when NULL. */
static CUresult find_context(CUcontext ctx, struct facade_context **context)
{
    if (ctx == NULL)
        return facade_driver_current(context);
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    *context = facade_context_find(ctx);
    return *context != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

/* The green context that ctx stands for: the current one when NULL; NULL: none. */
static struct facade_green *find_green(CUcontext ctx)
{
    if (ctx == NULL)
        return facade_stack_green();
    const struct facade_green_context *found = facade_handle_find(FACADE_GREEN_CONTEXT, ctx);
    return found != NULL ? found->green : NULL;
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext ctx)
{
    struct facade_context *context = NULL;
    if (device == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_context(ctx, &context);
    if (result == CUDA_SUCCESS)
        *device = context->device;
    return result;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    return cuCtxGetDevice_v2(device, NULL);
}

/* All memory is mapped under unified addressing, and the flags say so. */
CUresult cuCtxGetFlags(unsigned int *flags)
{
    struct facade_context *context = NULL;
    CUresult result = facade_driver_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (flags == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = context->flags | CU_CTX_MAP_HOST;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned int flags)
{
    struct facade_context *context = NULL;
    CUresult result = facade_driver_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!flags_are_valid(flags))
        return CUDA_ERROR_INVALID_VALUE;
    context->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext ctx, unsigned long long *ctxId)
{
    struct facade_context *context = NULL;
    if (ctxId == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_context(ctx, &context);
    if (result == CUDA_SUCCESS)
        *ctxId = find_green(ctx) != NULL ? find_green(ctx)->id : context->id;
    return result;
}

CUresult cuCtxGetApiVersion(CUcontext ctx, unsigned int *version)
{
    struct facade_context *context = NULL;
    if (version == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_context(ctx, &context);
    if (result == CUDA_SUCCESS)
        *version = API_VERSION;
    return result;
}

CUresult cuCtxSynchronize(void)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    struct facade_green *green = facade_stack_green();
    return facade_driver_error(green != NULL ? facade_green_finish(green)
                                             : facade_device_synchronize());
}

CUresult cuCtxSynchronize_v2(CUcontext ctx)
{
    struct facade_context *context = NULL;
    CUresult result = find_context(ctx, &context);
    if (result == CUDA_SUCCESS && find_green(ctx) != NULL)
        return facade_driver_error(facade_green_finish(find_green(ctx)));
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_context_check(context));
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_capture_check_context(context));
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_capture_check_call());
    return result == CUDA_SUCCESS ? facade_driver_error(facade_context_finish(context)) : result;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_limit_set((int)limit, value))
                                  : result;
}

CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    return pvalue != NULL ? facade_driver_error(facade_limit_get((int)limit, pvalue))
                          : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *pconfig)
{
    struct facade_context *context = NULL;
    CUresult result = facade_driver_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (pconfig == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *pconfig = (CUfunc_cache)context->cache_config;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    struct facade_context *context = NULL;
    CUresult result = facade_driver_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if ((int)config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL)
        return CUDA_ERROR_INVALID_VALUE;
    context->cache_config = (int)config;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *pConfig)
{
    struct facade_context *context = NULL;
    CUresult result = facade_driver_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (pConfig == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *pConfig = (CUsharedconfig)context->shared_config;
    return CUDA_SUCCESS;
}

/* Banks are four bytes wide on every device of compute capability 5 and later, so the wish changes
 * nothing. */
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    bool is_known = (int)config >= CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE &&
                    config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE;
    return is_known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (leastPriority != NULL)
        *leastPriority = FACADE_PRIORITY_LEAST;
    if (greatestPriority != NULL)
        *greatestPriority = FACADE_PRIORITY_GREATEST;
    return CUDA_SUCCESS;
}

/* No line of any cache persists, so there is nothing to reset. */
CUresult cuCtxResetPersistingL2Cache(void)
{
    return facade_driver_check();
}

CUresult cuCtxGetExecAffinity(CUexecAffinityParam *pExecAffinity, CUexecAffinityType type)
{
    struct facade_context *context = NULL;
    int units = 0;
    CUresult result = facade_driver_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (pExecAffinity == NULL || type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
        return CUDA_ERROR_INVALID_VALUE;
    const struct facade_green *green = facade_stack_green();
    facade_device_attribute(&units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, context->device);
    if (green != NULL)
        units = (int)green->multiprocessors;
    *pExecAffinity = (CUexecAffinityParam){.type = type, .param.smCount.val = (unsigned)units};
    return CUDA_SUCCESS;
}

/* --- events of a context ---------------------------------------------------------------------- */

static CUresult of_context(CUcontext handle, CUevent event,
                           cudaError_t (*function)(cudaEvent_t, struct facade_context *),
                           cudaError_t (*of_green)(struct facade_green *, cudaEvent_t))
{
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (handle != NULL && find_green(handle) != NULL)
        return facade_driver_error(of_green(find_green(handle), event));
    struct facade_context *context = facade_handle_find(FACADE_CONTEXT, handle);
    return context != NULL ? facade_driver_error(function(event, context))
                           : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxRecordEvent(CUcontext hCtx, CUevent hEvent)
{
    return of_context(hCtx, hEvent, facade_event_record_context, facade_green_record);
}

CUresult cuCtxWaitEvent(CUcontext hCtx, CUevent hEvent)
{
    return of_context(hCtx, hEvent, facade_event_wait_context, facade_green_wait);
}
