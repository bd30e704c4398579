/* Semantics of driver contexts.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../oracle.h"

static void *bogus(void)
{
    return (void *)(uintptr_t)64;
}

static void state(const char *when)
{
    unsigned flags = 77;
    int active = 77;
    DRIVER_AS(cuDevicePrimaryCtxGetState(0, &flags, &active), "%s: state", when);
    VALUE(flags, "%s: flags", when);
    VALUE(active, "%s: active", when);
}

void case_driver_context_primary(void)
{
    CUcontext context = NULL;
    CUcontext again = NULL;
    CUdeviceptr p = 0;
    unsigned flags = 0;
    int active = 0;
    REQUIRE_DRIVER(cuInit(0));
    state("at the start");
    DRIVER(cuDevicePrimaryCtxGetState(-1, &flags, &active));
    DRIVER(cuDevicePrimaryCtxGetState(0, NULL, &active));
    DRIVER(cuDevicePrimaryCtxGetState(0, &flags, NULL));
    DRIVER(cuDevicePrimaryCtxGetState(0, NULL, NULL));
    DRIVER(cuDevicePrimaryCtxRelease(0));
    DRIVER(cuDevicePrimaryCtxRelease(-1));
    DRIVER(cuDevicePrimaryCtxReset(0));
    DRIVER(cuDevicePrimaryCtxReset(-1));
    DRIVER(cuDevicePrimaryCtxSetFlags(0, 0x300));
    DRIVER(cuDevicePrimaryCtxSetFlags(0, 3));
    DRIVER(cuDevicePrimaryCtxSetFlags(-1, 0x300));
    DRIVER(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
    state("flags set");
    DRIVER(cuDevicePrimaryCtxRetain(NULL, 0));
    DRIVER(cuDevicePrimaryCtxRetain(NULL, -1));
    DRIVER(cuDevicePrimaryCtxRetain(&context, -1));
    DRIVER(cuDevicePrimaryCtxRetain(&context, 0));
    state("retained");
    DRIVER(cuCtxGetCurrent(&again));
    VALUE(again == NULL, "retaining does not make current");
    DRIVER(cuDevicePrimaryCtxRetain(&again, 0));
    VALUE(context == again, "one primary context");
    DRIVER(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN));
    DRIVER(cuCtxSetCurrent(context));
    DRIVER(cuMemAlloc(&p, 16));
    DRIVER(cuDevicePrimaryCtxRelease(0));
    state("released once");
    DRIVER(cuMemFree(p));
    DRIVER(cuMemAlloc(&p, 16));
    DRIVER(cuDevicePrimaryCtxRelease(0));
    state("released twice");
    DRIVER(cuDevicePrimaryCtxRelease(0));
    DRIVER(cuMemFree(p));
    DRIVER(cuMemAlloc(&p, 16));
    DRIVER(cuCtxSynchronize());
    DRIVER(cuDevicePrimaryCtxRetain(&again, 0));
    VALUE(context == again, "same handle after it was gone");
    DRIVER(cuMemAlloc(&p, 16));
    DRIVER(cuDevicePrimaryCtxReset(0));
    state("reset");
    DRIVER(cuMemAlloc(&p, 16));
}

void case_driver_context_with_runtime(void)
{
    CUcontext context = NULL;
    CUcontext primary = NULL;
    CUdevice device = 77;
    REQUIRE_DRIVER(cuInit(0));
    make_runtime_context();
    state("after the runtime's first call");
    DRIVER(cuCtxGetCurrent(&context));
    VALUE(context != NULL, "the runtime's context is current");
    DRIVER(cuDevicePrimaryCtxRetain(&primary, 0));
    VALUE(primary == context, "it is the primary context");
    DRIVER(cuCtxGetDevice(&device));
    VALUE(device, "its device");
    DRIVER(cuDevicePrimaryCtxRelease(0));
    state("retained and released");
    CALL(cudaDeviceReset());
    state("after cudaDeviceReset");
    DRIVER(cuCtxGetCurrent(&context));
    VALUE(context != NULL, "still current");
    CALL(cudaFree(NULL));
    state("used again");
    CALL(cudaDeviceSynchronize());
}

void case_driver_context_stack(void)
{
    CUcontext primary = NULL;
    CUcontext a = NULL;
    CUcontext b = NULL;
    CUcontext seen = NULL;
    CUdevice device = 77;
    REQUIRE_DRIVER(cuInit(0));
    DRIVER(cuCtxPopCurrent(NULL));
    DRIVER(cuCtxPopCurrent(&seen));
    DRIVER(cuCtxPushCurrent(NULL));
    DRIVER(cuCtxSetCurrent(NULL));
    DRIVER(cuCtxGetCurrent(NULL));
    DRIVER(cuCtxGetCurrent(&seen));
    VALUE(seen == NULL, "nothing is current");
    DRIVER(cuCtxGetDevice(&device));
    DRIVER(cuCtxCreate(NULL, NULL, 0, 0));
    DRIVER(cuCtxCreate(&a, NULL, 0, -1));
    DRIVER(cuCtxCreate(&a, NULL, 0x300, 0));
    DRIVER(cuCtxCreate(&a, NULL, 3, 0));
    DRIVER(cuCtxCreate(NULL, NULL, 0x300, -1));
    DRIVER(cuCtxCreate(&a, NULL, 0, 0));
    DRIVER(cuCtxGetCurrent(&seen));
    VALUE(seen == a, "a created context is current");
    DRIVER(cuCtxCreate(&b, NULL, CU_CTX_SCHED_SPIN, 0));
    DRIVER(cuCtxGetCurrent(&seen));
    VALUE(seen == b, "so is the second");
    DRIVER(cuCtxPopCurrent(&seen));
    VALUE(seen == b, "popped the second");
    DRIVER(cuCtxGetCurrent(&seen));
    VALUE(seen == a, "the first is back");
    REQUIRE_DRIVER(cuDevicePrimaryCtxRetain(&primary, 0));
    DRIVER(cuCtxSetCurrent(primary));
    DRIVER(cuCtxPopCurrent(&seen));
    VALUE(seen == primary, "setting replaced the top");
    DRIVER(cuCtxGetCurrent(&seen));
    VALUE(seen == NULL, "and nothing is below");
    DRIVER(cuCtxPushCurrent(a));
    DRIVER(cuCtxPushCurrent(a));
    DRIVER(cuCtxPushCurrent(b));
    DRIVER(cuCtxSetCurrent(NULL));
    DRIVER(cuCtxGetCurrent(&seen));
    VALUE(seen == a, "setting NULL pops");
    DRIVER(cuCtxPopCurrent(NULL));
    DRIVER(cuCtxPopCurrent(NULL));
    DRIVER(cuCtxPopCurrent(NULL));
    DRIVER(cuCtxPushCurrent(a));
    DRIVER(cuCtxDestroy(a));
    DRIVER(cuCtxGetCurrent(&seen));
    VALUE(seen == NULL, "a destroyed current context is popped");
    DRIVER(cuCtxDestroy(b));
    DRIVER(cuCtxDestroy(NULL));
    DRIVER(cuCtxDestroy(primary));
    DRIVER_AS(cuCtxDestroy(a), "destroy twice");
    DRIVER_AS(cuCtxPushCurrent(a), "push destroyed");
    DRIVER_AS(cuCtxSetCurrent(a), "set destroyed");
    DRIVER_AS(cuCtxDestroy(bogus()), "destroy bogus");
    DRIVER_AS(cuCtxPushCurrent(bogus()), "push bogus");
}

void case_driver_context_queries(void)
{
    unsigned flags = 77;
    unsigned version = 77;
    unsigned long long id = 0;
    size_t value = 0;
    int least = 77;
    int greatest = 77;
    CUfunc_cache cache = (CUfunc_cache)77;
    CUcontext context = NULL;
    make_driver_context();
    REQUIRE_DRIVER(cuCtxGetCurrent(&context));
    DRIVER(cuCtxGetFlags(NULL));
    DRIVER(cuCtxGetFlags(&flags));
    VALUE(flags, "flags");
    DRIVER(cuCtxSetFlags(CU_CTX_SCHED_YIELD));
    DRIVER(cuCtxSetFlags(0x300));
    DRIVER(cuCtxGetApiVersion(context, NULL));
    DRIVER(cuCtxGetApiVersion(context, &version));
    VALUE(version, "API version");
    DRIVER(cuCtxGetApiVersion(NULL, &version));
    DRIVER(cuCtxGetApiVersion(bogus(), &version));
    DRIVER(cuCtxGetId(context, NULL));
    DRIVER(cuCtxGetId(context, &id));
    DRIVER(cuCtxGetId(NULL, &id));
    DRIVER(cuCtxGetId(NULL, NULL));
    DRIVER(cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE));
    DRIVER(cuCtxGetLimit(&value, (CUlimit)99));
    DRIVER(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    DRIVER(cuCtxSetLimit((CUlimit)99, 0));
    DRIVER(cuCtxGetCacheConfig(NULL));
    DRIVER(cuCtxGetCacheConfig(&cache));
    VALUE(cache, "cache");
    DRIVER(cuCtxSetCacheConfig((CUfunc_cache)99));
    DRIVER(cuCtxGetStreamPriorityRange(NULL, NULL));
    DRIVER(cuCtxGetStreamPriorityRange(&least, &greatest));
    DRIVER(cuCtxSynchronize());
    DRIVER(cuCtxResetPersistingL2Cache());
    DRIVER(cuCtxEnablePeerAccess(context, 0));
    DRIVER(cuCtxEnablePeerAccess(NULL, 0));
    DRIVER(cuCtxDisablePeerAccess(context));
    DRIVER(cuCtxDetach(context));
    CUcontext attached = NULL;
    DRIVER(cuCtxAttach(&attached, 0));
}

/* Memory of one context used in another. */
void case_driver_context_foreign_memory(void)
{
    CUcontext a = NULL;
    CUcontext b = NULL;
    CUdeviceptr p = 0;
    int value = 0;
    REQUIRE_DRIVER(cuInit(0));
    DRIVER(cuCtxCreate(&a, NULL, 0, 0));
    DRIVER(cuMemAlloc(&p, 4096));
    DRIVER(cuCtxCreate(&b, NULL, 0, 0));
    DRIVER(cuMemsetD32(p, 7, 1));
    DRIVER(cuMemcpyDtoH(&value, p, 4));
    VALUE(value, "value");
    CUdeviceptr base = 0;
    size_t size = 0;
    DRIVER(cuMemGetAddressRange(&base, &size, p));
    DRIVER(cuMemFree(p));
    DRIVER(cuCtxSetCurrent(a));
    DRIVER(cuMemFree(p));
}
