/* Tests of facade/driver/driver_context.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "tests/facade/driver_support.h"

static int is_active(void)
{
    unsigned flags = 0;
    int active = -1;
    assert_driver(cuDevicePrimaryCtxGetState(0, &flags, &active));
    return active;
}

TEST_BODY(driver_context_primary_lives_while_it_is_retained)
{
    CUcontext first = NULL, second = NULL;
    CUdeviceptr address = 0;
    assert_driver(cuInit(0));
    assert_int_equal(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
    assert_driver(cuDevicePrimaryCtxRetain(&first, 0));
    assert_driver(cuDevicePrimaryCtxRetain(&second, 0));
    assert_ptr_equal(first, second);
    assert_driver(cuCtxSetCurrent(first));
    assert_driver(cuMemAlloc(&address, 4096));
    assert_driver(cuDevicePrimaryCtxRelease(0));
    assert_int_equal(is_active(), 1);
    assert_driver(cuMemsetD8(address, 1, 4096));
    assert_driver(cuDevicePrimaryCtxRelease(0));
    assert_int_equal(is_active(), 0);
    assert_int_equal(cuMemsetD8(address, 1, 4096), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_driver(cuDevicePrimaryCtxRetain(&second, 0));
    assert_ptr_equal(first, second);
    assert_int_equal(cuMemsetD8(address, 1, 4096), CUDA_ERROR_INVALID_VALUE);
}

TEST_BODY(driver_context_runtime_holds_the_primary)
{
    CUcontext context = NULL;
    void *p = NULL;
    assert_int_equal(cudaMalloc(&p, 4096), cudaSuccess);
    assert_driver(cuDevicePrimaryCtxRetain(&context, 0));
    assert_driver(cuDevicePrimaryCtxRelease(0));
    assert_int_equal(is_active(), 1);
    assert_int_equal(cudaMemset(p, 1, 4096), cudaSuccess);
    assert_int_equal(cudaDeviceReset(), cudaSuccess);
    assert_int_equal(is_active(), 0);
    assert_int_equal(cudaMalloc(&p, 4096), cudaSuccess);
    assert_int_equal(is_active(), 1);
}

TEST_BODY(driver_context_stack_nests)
{
    CUcontext primary = driver_use_primary(), made = NULL, seen = NULL;
    CUdevice device = -1;
    assert_driver(cuCtxCreate(&made, NULL, 0, 0));
    assert_ptr_not_equal(made, primary);
    assert_driver(cuCtxGetCurrent(&seen));
    assert_ptr_equal(seen, made);
    assert_driver(cuCtxGetDevice(&device));
    assert_int_equal(device, 0);
    for (int i = 0; i < 100; i++)
        assert_driver(cuCtxPushCurrent(i % 2 == 0 ? primary : made));
    for (int i = 99; i >= 0; i--) {
        assert_driver(cuCtxPopCurrent(&seen));
        assert_ptr_equal(seen, i % 2 == 0 ? primary : made);
    }
    assert_driver(cuCtxDestroy(made));
    assert_driver(cuCtxGetCurrent(&seen));
    assert_ptr_equal(seen, primary);
}

TEST_BODY(driver_context_owns_its_memory_and_handles)
{
    CUcontext primary = driver_use_primary(), made = NULL;
    CUstream stream = NULL;
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr base = 0, own = driver_allocate(4096), foreign = 0;
    size_t bytes = 0;
    assert_driver(cuCtxCreate(&made, NULL, 0, 0));
    foreign = driver_allocate(4096);
    assert_driver(cuStreamCreate(&stream, 0));
    assert_driver(cuModuleLoadData(&module, driver_kernels));
    assert_driver(cuCtxDestroy(made));
    assert_driver(cuMemGetAddressRange(&base, &bytes, own));
    assert_int_equal(cuMemGetAddressRange(&base, &bytes, foreign), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(cuMemFree(foreign), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuModuleGetFunction(&function, module, "store"), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuCtxDestroy(made), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuCtxDestroy(primary), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_BODY(driver_context_memory_of_another_is_reached)
{
    CUcontext a = NULL, b = NULL;
    int value = 0;
    assert_driver(cuInit(0));
    assert_driver(cuCtxCreate(&a, NULL, 0, 0));
    CUdeviceptr in_a = driver_allocate(4096);
    assert_driver(cuMemsetD32(in_a, 41, 1024));
    assert_driver(cuCtxCreate(&b, NULL, 0, 0));
    CUdeviceptr in_b = driver_allocate(4096);
    assert_driver(cuMemcpyPeer(in_b, b, in_a, a, 4096));
    assert_driver(cuMemcpyDtoH(&value, in_b + 4092, 4));
    assert_int_equal(value, 41);
    assert_driver(cuMemsetD32(in_a, 42, 1));
    assert_driver(cuMemcpyDtoH(&value, in_a, 4));
    assert_int_equal(value, 42);
    assert_driver(cuMemFree(in_a));
    assert_driver(cuCtxDestroy(b));
    assert_driver(cuCtxDestroy(a));
}

TEST_BODY(driver_context_attachments_are_counted)
{
    CUcontext made = NULL, again = NULL;
    assert_driver(cuInit(0));
    assert_driver(cuCtxCreate(&made, NULL, 0, 0));
    assert_driver(cuCtxAttach(&again, 0));
    assert_ptr_equal(again, made);
    assert_driver(cuCtxDetach(made));
    assert_driver(cuCtxSynchronize());
    assert_driver(cuCtxDetach(made));
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_BODY(driver_context_keeps_its_settings)
{
    size_t value = 0;
    unsigned flags = 0;
    CUfunc_cache cache = CU_FUNC_CACHE_PREFER_NONE;
    CUcontext context = driver_use_primary();
    unsigned long long id = 0, other_id = 0;
    assert_driver(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 5000));
    assert_driver(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    assert_int_equal(value, 5008);
    assert_driver(cuCtxSetFlags(CU_CTX_SCHED_YIELD));
    assert_driver(cuCtxGetFlags(&flags));
    assert_int_equal(flags, CU_CTX_SCHED_YIELD | CU_CTX_MAP_HOST);
    assert_driver(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    assert_driver(cuCtxGetCacheConfig(&cache));
    assert_int_equal(cache, CU_FUNC_CACHE_PREFER_L1);
    assert_driver(cuCtxGetId(context, &id));
    assert_driver(cuCtxCreate(&context, NULL, 0, 0));
    assert_driver(cuCtxGetId(NULL, &other_id));
    assert_true(id != other_id);
    assert_driver(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    assert_int_equal(value, 1024);
    assert_driver(cuCtxDestroy(context));
}

struct visitor {
    CUcontext context;
    pthread_barrier_t *barrier;
    CUcontext before;
    CUresult while_alive, when_destroyed;
};

static void *visit(void *data)
{
    struct visitor *visitor = data;
    cuCtxGetCurrent(&visitor->before);
    cuCtxSetCurrent(visitor->context);
    visitor->while_alive = cuCtxSynchronize();
    pthread_barrier_wait(visitor->barrier);
    pthread_barrier_wait(visitor->barrier);
    visitor->when_destroyed = cuCtxSynchronize();
    return NULL;
}

TEST_BODY(driver_context_destroyed_under_another_thread)
{
    pthread_barrier_t barrier;
    pthread_t thread;
    struct visitor visitor = {.barrier = &barrier, .before = (CUcontext)&barrier};
    assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
    assert_driver(cuInit(0));
    assert_driver(cuCtxCreate(&visitor.context, NULL, 0, 0));
    assert_int_equal(pthread_create(&thread, NULL, visit, &visitor), 0);
    pthread_barrier_wait(&barrier);
    assert_driver(cuCtxDestroy(visitor.context));
    pthread_barrier_wait(&barrier);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_null(visitor.before);
    assert_driver(visitor.while_alive);
    assert_int_equal(visitor.when_destroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    pthread_barrier_destroy(&barrier);
}

/* A context in the place of one that was destroyed, as likely as not. */
static CUcontext replace_context(CUcontext destroyed)
{
    CUcontext made = NULL;
    assert_driver(cuCtxDestroy(destroyed));
    assert_driver(cuCtxCreate(&made, NULL, 0, 0));
    return made;
}

TEST_BODY(driver_context_in_the_place_of_another_is_not_current)
{
    pthread_barrier_t barrier;
    pthread_t thread;
    struct visitor visitor = {.barrier = &barrier};
    assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
    assert_driver(cuInit(0));
    assert_driver(cuCtxCreate(&visitor.context, NULL, 0, 0));
    assert_int_equal(pthread_create(&thread, NULL, visit, &visitor), 0);
    pthread_barrier_wait(&barrier);
    CUcontext made = replace_context(visitor.context);
    pthread_barrier_wait(&barrier);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_driver(visitor.while_alive);
    assert_int_equal(visitor.when_destroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_driver(cuCtxDestroy(made));
    pthread_barrier_destroy(&barrier);
}

/* The new stream comes to lie where the thread's own one was. */
TEST_BODY(driver_context_streams_in_the_place_of_others_are_not_the_threads_own)
{
    CUcontext context = NULL;
    CUstream stream = NULL;
    unsigned long long own = 0, others = 0;
    assert_driver(cuInit(0));
    assert_driver(cuCtxCreate(&context, NULL, 0, 0));
    for (int i = 0; i < 3; i++) {
        CUdeviceptr p = driver_allocate(64);
        assert_driver(cuMemsetD8Async(p, 1, 64, CU_STREAM_PER_THREAD));
        assert_driver(cuStreamSynchronize(CU_STREAM_PER_THREAD));
        context = replace_context(context);
        assert_driver(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
        assert_driver(cuStreamGetId(CU_STREAM_PER_THREAD, &own));
        assert_driver(cuStreamGetId(stream, &others));
        assert_true(own != others);
    }
    assert_driver(cuCtxDestroy(context));
}

static void *retain_and_release(void *unused)
{
    (void)unused;
    CUresult worst = CUDA_SUCCESS;
    for (int i = 0; i < 50 && worst == CUDA_SUCCESS; i++) {
        CUcontext context = NULL;
        CUdeviceptr address = 0;
        worst = cuDevicePrimaryCtxRetain(&context, 0);
        if (worst == CUDA_SUCCESS)
            worst = cuCtxSetCurrent(context);
        if (worst == CUDA_SUCCESS)
            worst = cuMemAlloc(&address, 256);
        if (worst == CUDA_SUCCESS)
            worst = cuMemFree(address);
        if (worst == CUDA_SUCCESS)
            worst = cuDevicePrimaryCtxRelease(0);
    }
    return (void *)(uintptr_t)worst;
}

TEST_BODY(driver_context_retained_by_many_threads)
{
    pthread_t threads[4];
    CUcontext context = NULL;
    assert_driver(cuInit(0));
    assert_driver(cuDevicePrimaryCtxRetain(&context, 0));
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, retain_and_release, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *worst = NULL;
        assert_int_equal(pthread_join(threads[i], &worst), 0);
        assert_int_equal((uintptr_t)worst, CUDA_SUCCESS);
    }
    assert_int_equal(is_active(), 1);
    assert_driver(cuDevicePrimaryCtxRelease(0));
    assert_int_equal(is_active(), 0);
}

TEST_BODY(driver_context_events_of_a_context)
{
    CUcontext primary = driver_use_primary(), other = NULL;
    CUevent event = NULL, foreign = NULL;
    CUstream stream = NULL;
    CUdeviceptr p = driver_allocate(4096);
    assert_driver(cuCtxCreate(&other, NULL, 0, 0));
    assert_driver(cuEventCreate(&foreign, CU_EVENT_DISABLE_TIMING));
    assert_driver(cuCtxSetCurrent(primary));
    assert_driver(cuEventCreate(&event, CU_EVENT_DEFAULT));
    assert_driver(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    assert_driver(cuMemsetD8Async(p, 1, 4096, stream));
    assert_driver(cuCtxRecordEvent(primary, event));
    assert_driver(cuEventSynchronize(event));
    assert_driver(cuStreamQuery(stream));
    assert_driver(cuCtxWaitEvent(primary, event));
    assert_driver(cuCtxWaitEvent(other, event));
    assert_int_equal(cuCtxRecordEvent(primary, foreign), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuCtxRecordEvent(NULL, event), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuCtxWaitEvent(NULL, event), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuCtxWaitEvent(primary, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_driver(cuStreamDestroy(stream));
    assert_driver(cuEventDestroy(event));
    assert_driver(cuCtxDestroy(other));
}

static void CUDA_CB count_up(void *counter)
{
    ++*(int *)counter;
}

/* As NVIDIA's driver has it: a handle brings its context along; the default stream is the current context's, and so is what
 * names none. */
TEST_BODY(driver_context_is_that_of_the_handle)
{
    static char code[] = "kernel void store(global int *out, int value) { *out = value; }";
    const CUcontext context = driver_use_primary();
    const CUDA_ARRAY_DESCRIPTOR shape = {4, 4, CU_AD_FORMAT_FLOAT, 1};
    const CUdeviceptr p = driver_allocate(64);
    CUcontext found = NULL;
    CUdeviceptr from_pool = 0;
    CUstream stream, other;
    CUevent event, later;
    CUmodule module;
    CUfunction function;
    CUarray array;
    CUmemoryPool pool;
    CUlinkState link;
    CUDA_ARRAY_DESCRIPTOR seen;
    CUmemorytype kind;
    int value = 5, priority, count = 0, threads;
    unsigned flags;
    unsigned long long id;
    size_t bytes;
    void *arguments[] = {(void *)&p, &value};
    assert_driver(cuStreamCreate(&stream, 0));
    assert_driver(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    assert_driver(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    assert_driver(cuEventCreate(&later, CU_EVENT_DISABLE_TIMING));
    assert_driver(cuModuleLoadData(&module, code));
    assert_driver(cuModuleGetFunction(&function, module, "store"));
    assert_driver(cuArrayCreate(&array, &shape));
    assert_driver(cuLinkCreate(0, NULL, NULL, &link));
    assert_driver(cuDeviceGetDefaultMemPool(&pool, 0));
    assert_driver(cuCtxSetCurrent(NULL));

    assert_driver(cuMemsetD32Async(p, 3, 16, stream));
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
    assert_driver(cuLaunchHostFunc(stream, count_up, &count));
    assert_driver(cuEventRecord(event, stream));
    assert_driver(cuStreamWaitEvent(other, event, 0));
    assert_driver(cuMemcpyAsync(p + 4, p, 4, other));
    assert_driver(cuEventRecord(later, other));
    assert_driver(cuEventSynchronize(later));
    assert_driver(cuEventQuery(event));
    assert_driver(cuStreamSynchronize(stream));
    assert_driver(cuStreamQuery(stream));
    assert_int_equal(count, 1);
    assert_driver(cuStreamGetCtx(stream, &found));
    assert_ptr_equal(found, context);
    assert_driver(cuStreamGetFlags(other, &flags));
    assert_driver(cuStreamGetPriority(stream, &priority));
    assert_driver(cuStreamGetId(stream, &id));
    assert_driver(cuModuleGetFunction(&function, module, "store"));
    assert_driver(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    assert_driver(cuArrayGetDescriptor(&seen, array));
    assert_driver(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    assert_driver(cuMemAllocFromPoolAsync(&from_pool, 64, pool, stream));
    assert_driver(cuMemFreeAsync(from_pool, stream));

    const struct {
        const char *what;
        CUresult result;
    } refused[] = {
        {"a copy", cuMemcpyDtoH(&value, p, 4)},
        {"an array's copy", cuMemcpyHtoA(array, 0, &value, 4)},
        {"a fill", cuMemsetD8(p, 0, 4)},
        {"a fill in the default stream", cuMemsetD8Async(p, 0, 4, NULL)},
        {"the default stream", cuStreamSynchronize(NULL)},
        {"a launch in it", cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL)},
        {"an event in it", cuEventRecord(event, NULL)},
        {"occupancy", cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 32, 0)},
        {"a range", cuMemGetAddressRange(NULL, &bytes, p)},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].result != CUDA_ERROR_INVALID_CONTEXT)
            fail_msg("%s: %d", refused[i].what, (int)refused[i].result);

    assert_driver(cuArrayDestroy(array));
    assert_driver(cuModuleUnload(module));
    assert_driver(cuLinkDestroy(link));
    assert_driver(cuEventDestroy(event));
    assert_driver(cuEventDestroy(later));
    assert_driver(cuStreamDestroy(stream));
    assert_driver(cuStreamDestroy(other));
    assert_driver(cuCtxGetCurrent(&found));
    assert_null(found);
    assert_driver(cuCtxSetCurrent(context));
    assert_driver(cuMemcpyDtoH(&value, p + 4, 4));
    assert_int_equal(value, 5);
    assert_driver(cuMemFree(p));
}
