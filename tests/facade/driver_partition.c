/* Tests of facade/driver/driver_partition.c, facade/device/partition.c and facade/stream/green.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/driver_support.h"

/* --- parts of a device ------------------------------------------------------------------------ */

static CUdevResource whole(void)
{
    CUdevResource all;
    assert_driver(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    return all;
}

TEST_BODY(partition_begins_with_all_multiprocessors)
{
    CUdevResource all;
    int units = 0;
    assert_int_equal(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM),
                     CUDA_ERROR_NOT_INITIALIZED);
    driver_use_primary();
    assert_driver(cuDeviceGetAttribute(&units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    all = whole();
    assert_int_equal(all.type, CU_DEV_RESOURCE_TYPE_SM);
    assert_int_equal(all.sm.smCount, units);
    assert_int_equal(all.sm.smCoscheduledAlignment, units % 2 == 0 ? 2 : 1);
    assert_int_equal(all.sm.minSmPartitionSize, all.sm.smCoscheduledAlignment);
    assert_int_equal(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_INVALID),
                     CUDA_ERROR_INVALID_RESOURCE_TYPE);
    assert_int_equal(cuDeviceGetDevResource(0, NULL, CU_DEV_RESOURCE_TYPE_SM),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuDeviceGetDevResource(999, &all, CU_DEV_RESOURCE_TYPE_SM),
                     CUDA_ERROR_INVALID_DEVICE);
}

TEST_BODY(partition_splits_into_aligned_groups)
{
    enum { MOST = 1024 };
    static CUdevResource groups[MOST];
    CUdevResource rest, all;
    unsigned count = 0, made = MOST;
    driver_use_primary();
    all = whole();
    const unsigned least = all.sm.minSmPartitionSize;
    assert_driver(cuDevSmResourceSplitByCount(NULL, &count, &all, NULL, 0, 0));
    assert_int_equal(count, all.sm.smCount / least);
    if (count > MOST)
        TEST_SKIP("so many multiprocessors");
    assert_driver(cuDevSmResourceSplitByCount(groups, &made, &all, &rest, 0, 1));
    assert_int_equal(made, count);
    for (unsigned i = 0; i < made; i++)
        assert_int_equal(groups[i].sm.smCount, least);
    assert_int_equal(rest.type, CU_DEV_RESOURCE_TYPE_INVALID); /* nothing is left */
    made = 1;
    assert_driver(cuDevSmResourceSplitByCount(groups, &made, &all, &rest, 0, all.sm.smCount));
    assert_int_equal(made, 1);
    assert_int_equal(groups[0].sm.smCount, all.sm.smCount);
    made = 0;
    assert_driver(cuDevSmResourceSplitByCount(groups, &made, &all, &rest, 0, 0));
    assert_int_equal(rest.sm.smCount, all.sm.smCount);
    if (count > 1) {
        made = 1;
        assert_driver(cuDevSmResourceSplitByCount(groups, &made, &all, &rest, 0, least));
        assert_int_equal(rest.sm.smCount, all.sm.smCount - least);
    }
}

TEST_BODY(partition_refuses_what_is_none)
{
    CUdevResource part[2], all, other;
    CUdevResourceDesc desc = NULL, same = NULL;
    unsigned count = 1;
    driver_use_primary();
    all = whole();
    memset(&other, 0, sizeof other);
#define SPLIT(...) cuDevSmResourceSplitByCount(__VA_ARGS__)
    assert_int_equal(SPLIT(part, NULL, &all, NULL, 0, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(SPLIT(part, &count, NULL, NULL, 0, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(SPLIT(part, &count, &all, NULL, 4, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(SPLIT(part, &count, &other, NULL, 0, 0), CUDA_ERROR_INVALID_RESOURCE_TYPE);
    other.type = CU_DEV_RESOURCE_TYPE_SM; /* nobody gave it */
    assert_int_equal(SPLIT(part, &count, &other, NULL, 0, 0),
                     CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    assert_int_equal(SPLIT(part, &count, &all, NULL, 0, all.sm.smCount + 1),
                     CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    assert_driver(SPLIT(part, &count, &all, NULL, 3, 0));
    assert_int_equal(SPLIT(part + 1, &count, part, NULL, 0, 0),
                     CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
#define DESCRIBE(...) cuDevResourceGenerateDesc(__VA_ARGS__)
    assert_int_equal(DESCRIBE(NULL, part, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(DESCRIBE(&desc, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(DESCRIBE(&desc, part, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(DESCRIBE(&desc, &other, 1), CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    other.type = CU_DEV_RESOURCE_TYPE_INVALID;
    assert_int_equal(DESCRIBE(&desc, &other, 1), CUDA_ERROR_INVALID_RESOURCE_TYPE);
    part[1] = part[0];
    assert_int_equal(DESCRIBE(&desc, part, 2), CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    part[1] = all;
    assert_int_equal(DESCRIBE(&desc, part, 2), CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    assert_driver(DESCRIBE(&desc, part, 1));
    assert_driver(DESCRIBE(&same, part, 1));
    assert_ptr_equal(desc, same);
}

TEST_BODY(partition_describes_several_groups_of_a_split)
{
    CUdevResource part[2], all, told;
    CUdevResourceDesc desc = NULL;
    CUgreenCtx green = NULL;
    unsigned count = 2;
    driver_use_primary();
    all = whole();
    if (all.sm.smCount < 2 * all.sm.minSmPartitionSize)
        TEST_SKIP("too few multiprocessors for two parts");
    assert_driver(cuDevSmResourceSplitByCount(part, &count, &all, NULL, 0, 0));
    assert_driver(cuDevResourceGenerateDesc(&desc, part, 2));
    assert_driver(cuGreenCtxCreate(&green, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    assert_driver(cuGreenCtxGetDevResource(green, &told, CU_DEV_RESOURCE_TYPE_SM));
    assert_int_equal(told.sm.smCount, part[0].sm.smCount + part[1].sm.smCount);
    assert_driver(cuDevSmResourceSplitByCount(NULL, &count, &told, NULL, 0, 0));
    assert_int_equal(count, 2);
    assert_driver(cuGreenCtxDestroy(green));
}

/* --- green contexts --------------------------------------------------------------------------- */

static CUdevResourceDesc describe_part(void)
{
    CUdevResource all = whole(), part;
    CUdevResourceDesc desc = NULL;
    unsigned count = 1;
    assert_driver(cuDevSmResourceSplitByCount(&part, &count, &all, NULL, 0, 0));
    assert_driver(cuDevResourceGenerateDesc(&desc, &part, 1));
    return desc;
}

static CUgreenCtx new_green(void)
{
    CUgreenCtx green = NULL;
    assert_driver(cuGreenCtxCreate(&green, describe_part(), 0, CU_GREEN_CTX_DEFAULT_STREAM));
    return green;
}

static CUcontext context_of(CUgreenCtx green)
{
    CUcontext context = NULL;
    assert_driver(cuCtxFromGreenCtx(&context, green));
    return context;
}

static CUstream stream_of(CUgreenCtx green)
{
    CUstream stream = NULL;
    assert_driver(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    return stream;
}

static CUdeviceptr zeros(void)
{
    CUdeviceptr memory = 0;
    assert_driver(cuMemAlloc(&memory, 64));
    assert_driver(cuMemsetD8(memory, 0, 64));
    assert_driver(cuStreamSynchronize(NULL));
    return memory;
}

static void hold(CUstream stream, CUdeviceptr word)
{
    assert_driver(cuStreamWaitValue32(stream, word, 1, CU_STREAM_WAIT_VALUE_EQ));
}

static void release(CUdeviceptr word)
{
    CUstream aside = NULL;
    assert_driver(cuStreamCreate(&aside, CU_STREAM_NON_BLOCKING));
    assert_driver(cuStreamWriteValue32(aside, word, 1, 0));
    assert_driver(cuStreamDestroy(aside));
}

TEST_BODY(partition_green_contexts_hold_the_primary_one)
{
    CUdevResource all, told;
    CUgreenCtx green = NULL, other = NULL;
    unsigned long long id = 0, other_id = 0, primary_id = 0;
    unsigned flags = 0;
    int is_active = 7;
    assert_driver(cuInit(0));
    CUdevResourceDesc desc = describe_part();
    assert_int_equal(cuGreenCtxCreate(NULL, desc, 0, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGreenCtxCreate(&green, NULL, 0, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGreenCtxCreate(&green, desc, 0, 2), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGreenCtxCreate(&green, desc, 999, 1), CUDA_ERROR_INVALID_DEVICE);
    green = new_green();
    other = new_green();
    assert_driver(cuGreenCtxGetId(green, &id));
    assert_driver(cuGreenCtxGetId(other, &other_id));
    assert_true(id != other_id);
    assert_driver(cuCtxGetId(context_of(green), &primary_id));
    assert_int_equal(primary_id, id);
    all = whole();
    assert_driver(cuCtxGetDevResource(context_of(green), &told, CU_DEV_RESOURCE_TYPE_SM));
    assert_int_equal(told.sm.smCount, all.sm.minSmPartitionSize);
    assert_int_equal(cuCtxGetDevResource((CUcontext)green, &told, CU_DEV_RESOURCE_TYPE_SM),
                     CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuGreenCtxGetDevResource(green, &told, CU_DEV_RESOURCE_TYPE_INVALID),
                     CUDA_ERROR_INVALID_RESOURCE_TYPE);
    assert_int_equal(cuCtxDestroy(context_of(green)), CUDA_ERROR_INVALID_CONTEXT);
    assert_driver(cuDevicePrimaryCtxGetState(0, &flags, &is_active));
    assert_int_equal(is_active, 1);
    assert_driver(cuGreenCtxDestroy(green));
    assert_int_equal(cuGreenCtxDestroy(green), CUDA_ERROR_INVALID_CONTEXT);
    assert_driver(cuGreenCtxDestroy(other));
    assert_driver(cuDevicePrimaryCtxGetState(0, &flags, &is_active));
    assert_int_equal(is_active, 0);
}

static void check_stream(CUstream stream, CUgreenCtx green, CUcontext primary)
{
    CUcontext context = NULL;
    CUgreenCtx found = NULL;
    assert_driver(cuStreamGetGreenCtx(stream, &found));
    assert_ptr_equal(found, green);
    assert_driver(cuStreamGetCtx(stream, &context));
    assert_ptr_equal(context, green != NULL ? context_of(green) : primary);
    assert_driver(cuStreamGetCtx_v2(stream, &context, &found));
    assert_ptr_equal(context, primary);
    assert_ptr_equal(found, green);
}

TEST_BODY(partition_streams_are_those_of_what_is_current)
{
    CUcontext primary = driver_use_primary(), current = NULL;
    CUgreenCtx green = new_green();
    CUstream streams[3] = {NULL};
    assert_driver(cuStreamCreate(&streams[0], 0));
    streams[1] = stream_of(green);
    assert_driver(cuCtxPushCurrent(context_of(green)));
    assert_driver(cuStreamCreate(&streams[2], CU_STREAM_DEFAULT));
    check_stream(NULL, green, primary);
    check_stream(CU_STREAM_PER_THREAD, green, primary);
    assert_driver(cuCtxGetCurrent(&current));
    assert_ptr_equal(current, context_of(green));
    assert_driver(cuCtxPopCurrent(&current));
    assert_ptr_equal(current, context_of(green));
    check_stream(NULL, NULL, primary);
    check_stream(CU_STREAM_PER_THREAD, NULL, primary);
    check_stream(streams[0], NULL, primary);
    check_stream(streams[1], green, primary);
    check_stream(streams[2], green, primary);
    assert_int_equal(cuGreenCtxStreamCreate(&streams[0], green, 0, 0), CUDA_ERROR_INVALID_VALUE);
    for (int i = 0; i < 3; i++)
        assert_driver(cuStreamDestroy(streams[i]));
    assert_driver(cuGreenCtxDestroy(green));
}

/* Memory and kernels are the primary context's. */
TEST_BODY(partition_streams_work_on_what_the_primary_context_has)
{
    driver_use_primary();
    CUgreenCtx green = new_green();
    CUstream stream = stream_of(green);
    CUfunction store = driver_function("store");
    CUdeviceptr memory = zeros();
    int value = 5;
    void *arguments[] = {&memory, &value};
    assert_driver(cuLaunchKernel(store, 4, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
    assert_driver(cuStreamSynchronize(stream));
    assert_int_equal(word_at(memory + 12), 5);
    assert_driver(cuCtxSetCurrent(context_of(green)));
    value = 6;
    assert_driver(cuLaunchKernel(store, 4, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    assert_driver(cuCtxSynchronize());
    assert_int_equal(word_at(memory + 12), 6);
    assert_driver(cuStreamDestroy(stream));
    assert_driver(cuMemFree(memory));
    assert_driver(cuGreenCtxDestroy(green));
}

TEST_BODY(partition_event_is_behind_all_streams_of_its_green_context)
{
    driver_use_primary();
    CUgreenCtx green = new_green(), other = new_green();
    CUstream held = stream_of(green), free_one = stream_of(green), others = stream_of(other);
    CUdeviceptr word = zeros();
    CUevent event = NULL;
    assert_driver(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    hold(held, word);
    assert_driver(cuGreenCtxRecordEvent(other, event));
    assert_driver(cuEventSynchronize(event)); /* held is not its stream */
    assert_driver(cuCtxSynchronize_v2(context_of(other)));
    assert_driver(cuGreenCtxRecordEvent(green, event));
    assert_int_equal(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    assert_driver(cuStreamSynchronize(free_one));
    assert_driver(cuStreamSynchronize(others));
    assert_int_equal(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    release(word);
    assert_driver(cuEventSynchronize(event));
    assert_driver(cuStreamQuery(held));
    assert_driver(cuEventDestroy(event));
    assert_driver(cuGreenCtxDestroy(green));
    assert_driver(cuGreenCtxDestroy(other));
}

/* Streams that are there, one that is made later, and the default stream wait; others do not. */
TEST_BODY(partition_waits_in_all_streams_of_a_green_context)
{
    driver_use_primary();
    CUgreenCtx green = new_green(), other = new_green();
    CUstream source = stream_of(other), streams[3] = {stream_of(green)};
    CUdeviceptr word = zeros(), marks[3] = {zeros(), zeros(), zeros()};
    CUevent event = NULL;
    assert_driver(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    hold(source, word);
    assert_driver(cuEventRecord(event, source));
    assert_driver(cuGreenCtxWaitEvent(green, event));
    streams[1] = stream_of(green);
    assert_driver(cuMemsetD32Async(marks[0], 3, 1, streams[0]));
    assert_driver(cuMemsetD32Async(marks[1], 3, 1, streams[1]));
    assert_driver(cuStreamSynchronize(NULL)); /* the primary context's stream is free so far */
    assert_driver(cuCtxPushCurrent(context_of(green)));
    assert_driver(cuMemsetD32Async(marks[2], 3, 1, NULL));
    assert_driver(cuCtxPopCurrent(NULL));
    for (int i = 0; i < 3; i++)
        assert_int_equal(word_at(marks[i]), 0);
    release(word);
    assert_driver(cuCtxSynchronize());
    for (int i = 0; i < 3; i++)
        assert_int_equal(word_at(marks[i]), 3);
    assert_driver(cuEventDestroy(event));
    assert_driver(cuGreenCtxDestroy(green));
    assert_driver(cuGreenCtxDestroy(other));
}

TEST_BODY(partition_streams_outlive_their_green_context_for_nothing)
{
    driver_use_primary();
    CUgreenCtx green = new_green();
    CUstream stream = stream_of(green), capturing = stream_of(green);
    CUcontext context = context_of(green);
    CUdeviceptr memory = zeros();
    assert_driver(cuMemsetD32Async(memory, 9, 1, stream));
    assert_driver(cuStreamBeginCapture(capturing, CU_STREAM_CAPTURE_MODE_RELAXED));
    assert_driver(cuCtxPushCurrent(context));
    assert_driver(cuGreenCtxDestroy(green));
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_driver(cuCtxPopCurrent(&context));
    assert_int_equal(cuMemsetD32Async(memory, 1, 1, stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_int_equal(cuStreamSynchronize(stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_driver(cuStreamDestroy(stream));
    assert_driver(cuStreamDestroy(capturing));
    assert_driver(cuCtxSynchronize());
    assert_int_equal(word_at(memory), 9); /* what it had been given was done */
}

TEST_BODY(partition_events_spoil_captures_of_their_green_context)
{
    driver_use_primary();
    CUgreenCtx green = new_green(), other = new_green();
    CUstream stream = stream_of(green);
    CUevent event = NULL;
    CUgraph graph = NULL;
    assert_driver(cuEventCreate(&event, 0));
    assert_driver(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    assert_driver(cuGreenCtxRecordEvent(other, event));
    assert_int_equal(cuGreenCtxRecordEvent(green, event), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_int_equal(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_driver(cuGreenCtxRecordEvent(green, event));
    assert_driver(cuGreenCtxDestroy(other));
    assert_driver(cuStreamDestroy(stream));
    assert_driver(cuGreenCtxDestroy(green));
}

TEST_BODY(partition_ends_with_the_primary_context)
{
    unsigned long long id = 0;
    driver_use_primary();
    CUgreenCtx green = new_green();
    CUcontext context = context_of(green);
    CUstream stream = stream_of(green);
    assert_driver(cuCtxSetCurrent(context));
    assert_driver(cuDevicePrimaryCtxReset(0));
    assert_int_equal(cuGreenCtxGetId(green, &id), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuGreenCtxDestroy(green), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_int_equal(cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
    driver_use_primary();
    assert_driver(cuGreenCtxDestroy(new_green()));
}
