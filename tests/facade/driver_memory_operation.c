/* Tests of facade/driver/driver_memory_operation.c, facade/memory/memory_operation.c and cl/transfer/value.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/facade/driver_support.h"

static CUstream new_stream(unsigned flags)
{
    CUstream stream = NULL;
    assert_driver(cuStreamCreate(&stream, flags));
    return stream;
}

static CUdeviceptr zeros(size_t bytes)
{
    CUdeviceptr memory = 0;
    assert_driver(cuMemAlloc(&memory, bytes));
    assert_driver(cuMemsetD8(memory, 0, bytes));
    assert_driver(
        cuStreamSynchronize(NULL)); /* the tests' streams do not wait for the legacy one */
    return memory;
}

static unsigned *pinned_word(void)
{
    unsigned *word = NULL;
    assert_driver(cuMemHostAlloc((void **)&word, 64, CU_MEMHOSTALLOC_DEVICEMAP));
    *word = 0;
    return word;
}

static CUdeviceptr device_pointer(void *host)
{
    CUdeviceptr pointer = 0;
    assert_driver(cuMemHostGetDevicePointer(&pointer, host, 0));
    return pointer;
}

static uint64_t value_at(CUdeviceptr memory, size_t bytes)
{
    uint64_t value = 0;
    CUstream aside = new_stream(CU_STREAM_NON_BLOCKING);
    assert_driver(cuMemcpyDtoHAsync(&value, memory, bytes, aside));
    assert_driver(cuStreamSynchronize(aside));
    assert_driver(cuStreamDestroy(aside));
    return value;
}

static void sleep_ms(long milliseconds)
{
    const struct timespec time = {0, milliseconds * 1000000};
    nanosleep(&time, NULL);
}

/* Each test in both kinds of memory: by[0] the device's, by[1] pinned. */
static void find_memory(CUdeviceptr by[2])
{
    driver_use_primary();
    by[0] = zeros(64);
    by[1] = device_pointer(pinned_word());
}

TEST_BODY(memory_operation_holds_a_stream_until_the_value_is_written)
{
    CUdeviceptr memory[2];
    find_memory(memory);
    for (int i = 0; i < 2; i++) {
        CUstream waiting = new_stream(CU_STREAM_NON_BLOCKING);
        CUstream other = new_stream(CU_STREAM_NON_BLOCKING);
        CUdeviceptr behind = zeros(64);
        assert_driver(cuStreamWaitValue32(waiting, memory[i], 7, CU_STREAM_WAIT_VALUE_EQ));
        assert_driver(cuMemsetD32Async(behind, 5, 4, waiting));
        sleep_ms(10);
        assert_int_equal(cuStreamQuery(waiting), CUDA_ERROR_NOT_READY);
        assert_int_equal(value_at(behind, 4), 0);
        assert_driver(cuStreamWriteValue32(other, memory[i], 7, 0));
        assert_driver(cuStreamSynchronize(waiting));
        assert_int_equal(value_at(behind, 4), 5);
        assert_driver(cuStreamDestroy(waiting));
        assert_driver(cuStreamDestroy(other));
    }
}

TEST_BODY(memory_operation_sees_what_host_and_kernels_write)
{
    unsigned *word = NULL;
    CUdeviceptr memory[2];
    find_memory(memory);
    CUstream waiting = new_stream(CU_STREAM_NON_BLOCKING);
    CUstream other = new_stream(CU_STREAM_NON_BLOCKING);
    word = pinned_word();
    assert_driver(cuStreamWaitValue32(waiting, device_pointer(word), 3, CU_STREAM_WAIT_VALUE_GEQ));
    assert_int_equal(cuStreamQuery(waiting), CUDA_ERROR_NOT_READY);
    __atomic_store_n(word, 4, __ATOMIC_RELEASE);
    assert_driver(cuStreamSynchronize(waiting));
    int value = 9;
    void *arguments[] = {&memory[0], &value};
    assert_driver(cuStreamWaitValue32(waiting, memory[0], 9, CU_STREAM_WAIT_VALUE_EQ));
    assert_driver(
        cuLaunchKernel(driver_function("store"), 1, 1, 1, 1, 1, 1, 0, other, arguments, NULL));
    assert_driver(cuStreamSynchronize(waiting));
    assert_driver(cuStreamDestroy(waiting));
    assert_driver(cuStreamDestroy(other));
}

/* A wait looks no sooner than its turn has come. */
TEST_BODY(memory_operation_keeps_the_order_of_its_stream)
{
    CUdeviceptr memory[2];
    find_memory(memory);
    CUstream first = new_stream(CU_STREAM_NON_BLOCKING);
    CUstream second = new_stream(CU_STREAM_NON_BLOCKING);
    const CUdeviceptr gate = zeros(64);
    assert_driver(cuStreamWriteValue32(first, memory[0], 1, 0));
    assert_driver(cuStreamSynchronize(first));
    assert_driver(cuStreamWaitValue32(first, gate, 1, CU_STREAM_WAIT_VALUE_EQ));
    assert_driver(cuStreamWriteValue32(first, memory[0], 0, 0));
    assert_driver(cuStreamWaitValue32(first, memory[0], 1, CU_STREAM_WAIT_VALUE_EQ));
    assert_driver(cuStreamWriteValue32(second, gate, 1, 0));
    for (int i = 0; i < 2000 && value_at(memory[0], 4) != 0; i++)
        sleep_ms(1);
    assert_int_equal(value_at(memory[0], 4), 0);
    sleep_ms(10);
    assert_int_equal(cuStreamQuery(first), CUDA_ERROR_NOT_READY);
    assert_driver(cuStreamWriteValue32(second, memory[0], 1, 0));
    assert_driver(cuStreamSynchronize(first));
    assert_driver(cuStreamDestroy(first));
    assert_driver(cuStreamDestroy(second));
}

/* Whether a wait for value at memory is over within a moment, or within a longer one where it should be. */
static bool passes_within(long milliseconds, CUdeviceptr memory, unsigned bytes, uint64_t value,
                          unsigned flags)
{
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    CUresult result = CUDA_ERROR_NOT_READY;
    assert_driver(bytes == 8 ? cuStreamWaitValue64(stream, memory, value, flags)
                             : cuStreamWaitValue32(stream, memory, (cuuint32_t)value, flags));
    for (long i = 0; i < milliseconds && result == CUDA_ERROR_NOT_READY; i++) {
        result = cuStreamQuery(stream);
        sleep_ms(1);
    }
    assert_driver(cuStreamDestroy(stream));
    return result == CUDA_SUCCESS;
}

TEST_BODY(memory_operation_compares_as_cuda_does)
{
    CUdeviceptr memory[2];
    find_memory(memory);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    const CUdeviceptr at = memory[0];
    assert_driver(cuStreamWriteValue64(stream, at, 0xfffffffffffffff5, 0));
    assert_driver(cuStreamSynchronize(stream));
    assert_true(value_at(at, 8) == 0xfffffffffffffff5);
    assert_true(passes_within(2000, at, 4, 0x80000000, CU_STREAM_WAIT_VALUE_GEQ));
    assert_false(passes_within(4, at, 4, 1, CU_STREAM_WAIT_VALUE_GEQ));
    assert_true(passes_within(2000, at, 4, 0xfffffff5, CU_STREAM_WAIT_VALUE_EQ));
    assert_false(passes_within(4, at, 4, 10, CU_STREAM_WAIT_VALUE_AND));
    assert_true(passes_within(2000, at, 4, 12, CU_STREAM_WAIT_VALUE_AND));
    assert_true(passes_within(2000, at, 4, 2, CU_STREAM_WAIT_VALUE_NOR));
    assert_false(passes_within(4, at, 4, 10, CU_STREAM_WAIT_VALUE_NOR));
    assert_true(passes_within(2000, at, 8, 0xfffffffffffffff4, CU_STREAM_WAIT_VALUE_GEQ));
    assert_false(passes_within(4, at, 8, 5, CU_STREAM_WAIT_VALUE_GEQ));
    assert_false(passes_within(4, at, 8, 0xfffffff5, CU_STREAM_WAIT_VALUE_EQ));
    assert_driver(cuStreamDestroy(stream));
    assert_driver(cuDevicePrimaryCtxReset(0)); /* ends those that wait still */
}

TEST_BODY(memory_operation_refuses_what_cuda_refuses)
{
    CUdeviceptr memory[2], managed = 0;
    unsigned pageable[4] = {0};
    CUstreamBatchMemOpParams batch[2];
    find_memory(memory);
    CUstream s = new_stream(CU_STREAM_NON_BLOCKING);
    assert_driver(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    const CUdeviceptr bad[] = {0, memory[0] + 2, memory[0] + 64, managed, (uintptr_t)pageable};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(cuStreamWriteValue32(s, bad[i], 1, 0), CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(cuStreamWaitValue32(s, bad[i], 1, 0), CUDA_ERROR_INVALID_VALUE);
    }
    assert_int_equal(cuStreamWaitValue64(s, memory[0] + 4, 1, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuStreamWriteValue64(s, memory[0] + 60, 1, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuStreamWriteValue32(s, memory[0], 1, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuStreamWaitValue32(s, memory[0], 1, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuStreamWaitValue32(s, memory[0], 1, CU_STREAM_WAIT_VALUE_FLUSH),
                     CUDA_ERROR_NOT_SUPPORTED);
    memset(batch, 0, sizeof batch);
    batch[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    batch[0].writeValue.address = memory[0];
    batch[0].writeValue.value = 4;
    batch[1].operation = (CUstreamBatchMemOpType)99;
    assert_int_equal(cuStreamBatchMemOp(s, 2, batch, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuStreamBatchMemOp(s, 1, batch, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuStreamBatchMemOp(s, 257, batch, 0), CUDA_ERROR_INVALID_VALUE);
    batch[1].operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
    assert_int_equal(cuStreamBatchMemOp(s, 2, batch, 0), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(value_at(memory[0], 4), 0);
    assert_driver(cuStreamDestroy(s));
}

TEST_BODY(memory_operation_batches_are_carried_out_in_order)
{
    CUdeviceptr memory[2];
    CUstreamBatchMemOpParams batch[4];
    find_memory(memory);
    memset(batch, 0, sizeof batch);
    batch[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    batch[0].writeValue.address = memory[0];
    batch[0].writeValue.value = 3;
    batch[1].operation = CU_STREAM_MEM_OP_BARRIER;
    batch[2].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    batch[2].waitValue.address = memory[0];
    batch[2].waitValue.value = 3;
    batch[2].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    batch[3].operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    batch[3].writeValue.address = memory[0] + 8;
    batch[3].writeValue.value64 = 0x700000008;
    assert_driver(cuStreamBatchMemOp(NULL, 0, NULL, 0));
    assert_driver(cuStreamBatchMemOp(NULL, 4, batch, 0));
    assert_driver(cuStreamSynchronize(NULL));
    assert_int_equal(value_at(memory[0], 4), 3);
    assert_true(value_at(memory[0] + 8, 8) == 0x700000008);
}

static void note(void *data)
{
    *(_Atomic int *)data = 1;
}

/* Events, host functions, the legacy stream and small copies all wait for a blocking stream that waits. */
TEST_BODY(memory_operation_holds_all_that_comes_behind)
{
    CUdeviceptr memory[2];
    CUevent event = NULL;
    _Atomic int has_run = 0;
    unsigned seen = 0;
    find_memory(memory);
    CUstream waiting = new_stream(CU_STREAM_DEFAULT), other = new_stream(CU_STREAM_NON_BLOCKING);
    unsigned *target = pinned_word();
    const CUdeviceptr copied = zeros(64);
    assert_driver(cuEventCreate(&event, CU_EVENT_DEFAULT));
    assert_driver(cuStreamWaitValue32(waiting, memory[0], 1, CU_STREAM_WAIT_VALUE_EQ));
    assert_driver(cuMemsetD32Async(copied, 6, 1, waiting));
    assert_driver(cuMemcpyDtoHAsync(target, copied, 4, waiting));
    assert_driver(cuLaunchHostFunc(waiting, note, &has_run));
    assert_driver(cuEventRecord(event, waiting));
    assert_driver(cuMemsetD32Async(copied + 4, 7, 1, NULL));
    sleep_ms(10);
    assert_int_equal(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    assert_int_equal(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    assert_int_equal(has_run, 0);
    assert_int_equal(*target, 0);
    assert_int_equal(value_at(copied + 4, 4), 0);
    assert_driver(cuStreamWriteValue32(other, memory[0], 1, 0));
    assert_driver(cuMemcpyDtoH(&seen, copied + 4, 4));
    assert_driver(cuEventSynchronize(event));
    assert_int_equal(seen, 7);
    assert_int_equal(has_run, 1);
    assert_int_equal(*target, 6);
    assert_driver(cuEventDestroy(event));
    assert_driver(cuStreamDestroy(waiting));
    assert_driver(cuStreamDestroy(other));
}

static CUstreamBatchMemOpParams write_of(CUdeviceptr memory, unsigned value)
{
    return (CUstreamBatchMemOpParams){.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32,
                                                     .address = memory,
                                                     .value = value}};
}

static CUstreamBatchMemOpParams wait_of(CUdeviceptr memory, unsigned value)
{
    return (CUstreamBatchMemOpParams){.waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32,
                                                    .address = memory,
                                                    .value = value,
                                                    .flags = CU_STREAM_WAIT_VALUE_EQ}};
}

TEST_BODY(memory_operation_is_captured_as_a_node)
{
    CUdeviceptr memory[2];
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    CUgraphNode nodes[3];
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    size_t count = 3;
    find_memory(memory);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING),
             other = new_stream(CU_STREAM_NON_BLOCKING);
    CUstreamBatchMemOpParams batch[] = {write_of(memory[0] + 4, 1), write_of(memory[0] + 8, 2)};
    assert_driver(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    assert_driver(cuStreamWaitValue32(stream, memory[0], 1, CU_STREAM_WAIT_VALUE_EQ));
    assert_driver(cuStreamBatchMemOp(stream, 2, batch, 0));
    assert_int_equal(cuStreamWriteValue32(stream, memory[0] + 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuStreamEndCapture(stream, &graph));
    assert_driver(cuGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 2);
    assert_driver(cuGraphNodeGetType(nodes[0], &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
    assert_driver(cuGraphInstantiate(&exec, graph, 0));
    assert_driver(cuGraphLaunch(exec, stream));
    sleep_ms(10);
    assert_int_equal(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    assert_int_equal(value_at(memory[0] + 8, 4), 0);
    assert_driver(cuStreamWriteValue32(other, memory[0], 1, 0));
    assert_driver(cuStreamSynchronize(stream));
    assert_int_equal(value_at(memory[0] + 4, 4), 1);
    assert_int_equal(value_at(memory[0] + 8, 4), 2);
    assert_driver(cuGraphExecDestroy(exec));
    assert_driver(cuGraphDestroy(graph));
    assert_driver(cuStreamDestroy(stream));
    assert_driver(cuStreamDestroy(other));
}

static void run_graph(CUgraphExec exec)
{
    assert_driver(cuGraphLaunch(exec, NULL));
    assert_driver(cuStreamSynchronize(NULL));
}

/* What a node was given is copied, and what an executable graph was given is its own. */
TEST_BODY(memory_operation_nodes_run_and_change)
{
    CUdeviceptr memory[2];
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    CUgraphNode node = NULL, second = NULL;
    find_memory(memory);
    CUcontext context = NULL;
    assert_driver(cuCtxGetCurrent(&context));
    CUstreamBatchMemOpParams batch[] = {write_of(memory[0], 3), wait_of(memory[0], 3)};
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {context, 2, batch, 0}, told = {0};
    assert_driver(cuGraphCreate(&graph, 0));
    assert_driver(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &params));
    CUstreamBatchMemOpParams last = write_of(memory[0] + 4, 5);
    CUgraphNodeParams general = {.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
                                 .memOp = {context, 1, &last, 0}};
    assert_driver(cuGraphAddNode(&second, graph, &node, NULL, 1, &general));
    batch[0].writeValue.value = 99;
    assert_driver(cuGraphBatchMemOpNodeGetParams(node, &told));
    assert_true(told.ctx == context && told.count == 2 && told.flags == 0);
    assert_int_equal(told.paramArray[0].writeValue.value, 3);
    assert_driver(cuGraphInstantiate(&exec, graph, 0));
    run_graph(exec);
    assert_int_equal(value_at(memory[0], 4), 3);
    assert_int_equal(value_at(memory[0] + 4, 4), 5);
    batch[0].writeValue.value = batch[1].waitValue.value = 8;
    assert_driver(cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
    run_graph(exec);
    assert_int_equal(value_at(memory[0], 4), 8);
    params.count = 1;
    assert_int_equal(cuGraphExecBatchMemOpNodeSetParams(exec, node, &params),
                     CUDA_ERROR_INVALID_VALUE);
    batch[0] = wait_of(memory[0], 8);
    params.count = 2;
    assert_int_equal(cuGraphExecBatchMemOpNodeSetParams(exec, node, &params),
                     CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuGraphBatchMemOpNodeSetParams(node, &params));
    assert_driver(cuGraphBatchMemOpNodeGetParams(node, &told));
    assert_int_equal(told.paramArray[0].operation, CU_STREAM_MEM_OP_WAIT_VALUE_32);
    CUgraphExecUpdateResultInfo info;
    assert_int_equal(cuGraphExecUpdate(exec, graph, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
    assert_ptr_equal(info.errorNode, node);
    run_graph(exec);
    assert_driver(cuGraphExecDestroy(exec));
    assert_driver(cuGraphDestroy(graph));
}

TEST_BODY(memory_operation_nodes_refuse_what_batches_refuse)
{
    CUdeviceptr memory[2];
    CUgraph graph = NULL;
    CUgraphNode node = NULL;
    find_memory(memory);
    CUstreamBatchMemOpParams batch = write_of(memory[0] + 1, 3);
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {NULL, 1, &batch, 0}, told;
    assert_driver(cuGraphCreate(&graph, 0));
    assert_int_equal(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &params),
                     CUDA_ERROR_INVALID_VALUE);
    batch = write_of(memory[0], 3);
    params.flags = 1;
    assert_int_equal(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &params),
                     CUDA_ERROR_INVALID_VALUE);
    params.flags = 0;
    params.count = 257;
    assert_int_equal(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &params),
                     CUDA_ERROR_INVALID_VALUE);
    params.count = 1;
    assert_int_equal(cuGraphAddBatchMemOpNode(NULL, graph, NULL, 0, &params),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &params));
    assert_int_equal(cuGraphBatchMemOpNodeGetParams(node, NULL), CUDA_ERROR_INVALID_VALUE);
    batch.operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
    assert_int_equal(cuGraphBatchMemOpNodeSetParams(node, &params), CUDA_ERROR_NOT_SUPPORTED);
    assert_driver(cuGraphAddEmptyNode(&node, graph, NULL, 0));
    assert_int_equal(cuGraphBatchMemOpNodeGetParams(node, &told), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuGraphDestroy(graph));
}

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Whether the process takes less than a tenth of a core, on machines as slow as they come, over so many fifths of a second
 * or fewer: a look at many values that a GPU reads is long, and seldom. */
static bool rests_within(int fifths)
{
    const double before = cpu_seconds();
    for (int i = 1; i <= fifths; i++) {
        sleep_ms(200);
        if (cpu_seconds() - before < 0.020 * i)
            return true;
    }
    return false;
}

TEST_BODY(memory_operation_releases_many_streams_in_reverse)
{
    enum { STREAMS = 1000 };
    static CUstream streams[STREAMS];
    CUdeviceptr memory[2];
    find_memory(memory);
    const CUdeviceptr gates = zeros(4 * STREAMS);
    CUstream other = new_stream(CU_STREAM_NON_BLOCKING);
    for (unsigned i = 0; i < STREAMS; i++) {
        streams[i] = new_stream(CU_STREAM_NON_BLOCKING);
        assert_driver(
            cuStreamWaitValue32(streams[i], gates + 4 * i, i + 1, CU_STREAM_WAIT_VALUE_EQ));
    }
    sleep_ms(50);
    assert_true(rests_within(20));
    for (unsigned i = STREAMS; i-- > 0;) {
        assert_driver(cuStreamWriteValue32(other, gates + 4 * i, i + 1, 0));
        assert_driver(cuStreamSynchronize(streams[i]));
        assert_true(i == 0 || cuStreamQuery(streams[0]) == CUDA_ERROR_NOT_READY);
        assert_driver(cuStreamDestroy(streams[i]));
    }
}

TEST_BODY(memory_operation_ends_with_its_stream_and_its_context)
{
    CUdeviceptr memory[2];
    find_memory(memory);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
    assert_driver(cuStreamWaitValue32(stream, memory[0], 1, CU_STREAM_WAIT_VALUE_EQ));
    assert_driver(cuStreamDestroy(stream)); /* at once; the work goes on */
    stream = new_stream(CU_STREAM_DEFAULT);
    assert_driver(cuStreamWaitValue32(stream, memory[1], 1, CU_STREAM_WAIT_VALUE_EQ));
    assert_driver(cuDevicePrimaryCtxReset(0));
}

/* A stream of one context that waits for what nobody writes into memory of another does not hold the other's end. */
TEST_BODY(memory_operation_ends_with_the_context_of_its_memory)
{
    CUcontext context = NULL;
    const CUcontext primary = driver_use_primary();
    for (int i = 0; i < 2; i++) {
        assert_driver(cuCtxCreate(&context, NULL, 0, 0));
        const CUdeviceptr memory = i == 0 ? zeros(64) : device_pointer(pinned_word());
        assert_driver(cuCtxSetCurrent(primary));
        CUstream stream = new_stream(CU_STREAM_NON_BLOCKING);
        assert_driver(cuStreamWaitValue32(stream, memory, 1, CU_STREAM_WAIT_VALUE_EQ));
        assert_driver(cuStreamWaitValue32(stream, memory, 2, CU_STREAM_WAIT_VALUE_EQ));
        sleep_ms(5);
        assert_int_equal(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
        assert_driver(cuCtxDestroy(context));
        assert_driver(cuStreamSynchronize(stream));
        assert_driver(cuStreamDestroy(stream));
    }
}

TEST_BODY(memory_operation_does_not_hold_the_end_of_the_process)
{
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        CUdeviceptr memory[2];
        find_memory(memory);
        assert_driver(cuStreamWaitValue32(NULL, memory[0], 1, CU_STREAM_WAIT_VALUE_EQ));
        alarm(60);
        exit(0);
    }
    assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
}

/* What programs find that were built before CUDA 11.7. */
static void find_old(const char *name, void **function)
{
    assert_driver(cuGetProcAddress(name, function, 11000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
    assert_non_null(*function);
}

TEST_BODY(memory_operation_has_its_old_names)
{
    CUresult (*wait)(CUstream, CUdeviceptr, cuuint32_t, unsigned) = NULL;
    CUresult (*store)(CUstream, CUdeviceptr, cuuint64_t, unsigned) = NULL;
    CUresult (*batch)(CUstream, unsigned, CUstreamBatchMemOpParams *, unsigned) = NULL;
    CUstreamBatchMemOpParams write = {.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32}};
    CUdeviceptr memory[2];
    int can = 0;
    find_memory(memory);
    find_old("cuStreamWaitValue32", (void **)&wait);
    find_old("cuStreamWriteValue64", (void **)&store);
    find_old("cuStreamBatchMemOp", (void **)&batch);
    assert_driver(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1, 0));
    assert_int_equal(can, 1);
    CUstream stream = new_stream(CU_STREAM_NON_BLOCKING),
             other = new_stream(CU_STREAM_NON_BLOCKING);
    write.writeValue.address = memory[1];
    write.writeValue.value = 7;
    assert_driver(wait(stream, memory[1], 7, CU_STREAM_WAIT_VALUE_EQ));
    assert_driver(store(stream, memory[0], 9, 0));
    assert_int_equal(value_at(memory[0], 8), 0);
    assert_driver(batch(other, 1, &write, 0));
    assert_driver(cuStreamSynchronize(stream));
    assert_int_equal(value_at(memory[0], 8), 9);
    assert_driver(cuStreamDestroy(stream));
    assert_driver(cuStreamDestroy(other));
}
