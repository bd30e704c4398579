/* Semantics of stream memory operations.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "../oracle.h"

static CUstream new_stream(void)
{
    CUstream stream = NULL;
    REQUIRE_DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

static void record_attribute(const char *name, CUdevice_attribute attribute)
{
    int value = -1;
    DRIVER_AS(cuDeviceGetAttribute(&value, attribute, 0), "%s", name);
    DEVICE_VALUE(value, "%s: value", name);
}

void case_memory_operation_attributes(void)
{
    make_runtime_context();
    record_attribute("64-bit", CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS);
    record_attribute("nor", CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR);
    record_attribute("flush", CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES);
}

void case_memory_operation_write(void)
{
    unsigned *p = device_block(4096);
    unsigned *pinned = pinned_block(4096);
    unsigned *managed = NULL;
    static unsigned pageable[16];
    REQUIRE(cudaMallocManaged((void **)&managed, 4096, cudaMemAttachGlobal));
    CUstream s = new_stream();
    DRIVER(cuStreamWriteValue32(s, address_of(p), 5, 0));
    DRIVER(cuStreamSynchronize(s));
    VALUE(read_int(p), "device");
    DRIVER(cuStreamWriteValue32(s, address_of(pinned), 6, 0));
    DRIVER(cuStreamWriteValue32(s, address_of(managed), 7, 0));
    DRIVER(cuStreamWriteValue32(s, address_of(pageable), 8, 0));
    DRIVER(cuStreamSynchronize(s));
    VALUE(*pinned, "pinned");
    VALUE(*managed, "managed");
    DRIVER(cuStreamWriteValue32(s, 0, 5, 0));
    DRIVER(cuStreamWriteValue32(s, address_of(p) + 1, 5, 0));
    DRIVER(cuStreamWriteValue32(s, address_of(p) + 2, 5, 0));
    DRIVER(cuStreamWriteValue32(s, address_of(p) + 4, 5, 1));
    DRIVER(cuStreamWriteValue32(s, address_of(p) + 4, 5, 2));
    DRIVER(cuStreamWriteValue32(s, address_of(p) + 4, 5, 1u << 30));
    DRIVER(cuStreamWriteValue32(NULL, address_of(p) + 8, 9, 0));
    DRIVER(cuStreamSynchronize(NULL));
    VALUE(read_int(p + 2), "by the null stream");
    DRIVER(cuStreamWriteValue64(s, address_of(p) + 16, 0x500000006, 0));
    DRIVER(cuStreamWriteValue64(s, address_of(p) + 20, 5, 0));
    DRIVER(cuStreamSynchronize(s));
    VALUE(read_int(p + 4), "low half");
    VALUE(read_int(p + 5), "high half");
    DRIVER(cuStreamWriteValue32(s, address_of(p) + 4096, 5, 0));
    DRIVER(cuStreamWriteValue32((CUstream)(uintptr_t)CU_STREAM_LEGACY, address_of(p), 5, 0));
    DRIVER(cuStreamWriteValue32((CUstream)(uintptr_t)CU_STREAM_PER_THREAD, address_of(p), 5, 0));
    DRIVER(cuCtxSynchronize());
}

void case_memory_operation_wait(void)
{
    unsigned *p = device_block(4096);
    unsigned *pinned = pinned_block(4096);
    CUstream s = new_stream();
    CUstream t = new_stream();
    *pinned = 5;
    write_int(p, 5);
    DRIVER(cuStreamWaitValue32(s, address_of(p), 5, CU_STREAM_WAIT_VALUE_EQ));
    DRIVER(cuStreamWaitValue32(s, address_of(p), 4, CU_STREAM_WAIT_VALUE_GEQ));
    DRIVER(cuStreamWaitValue32(s, address_of(p), 1, CU_STREAM_WAIT_VALUE_AND));
    DRIVER(cuStreamWaitValue32(s, address_of(p), 5, CU_STREAM_WAIT_VALUE_NOR));
    DRIVER(cuStreamWaitValue32(s, address_of(pinned), 5, CU_STREAM_WAIT_VALUE_EQ));
    DRIVER(cuStreamSynchronize(s));
    DRIVER(cuStreamWaitValue32(s, 0, 5, 0));
    DRIVER(cuStreamWaitValue32(s, address_of(p) + 2, 5, 0));
    DRIVER(cuStreamWaitValue32(s, address_of(p), 5, 4));
    DRIVER(cuStreamWaitValue32(s, address_of(p), 5, 1u << 29));
    DRIVER(cuStreamWaitValue32(s, address_of(p), 5, 1u << 30));
    DRIVER(cuStreamWaitValue64(s, address_of(p) + 4, 0, 0));
    DRIVER(cuStreamWaitValue64(s, address_of(p) + 8, 0, CU_STREAM_WAIT_VALUE_GEQ));
    DRIVER(cuStreamSynchronize(s));
    /* What greater means: the difference, taken as a signed number. */
    write_int(p, -1);
    DRIVER_AS(cuStreamWaitValue32(s, address_of(p), 0x80000000u, CU_STREAM_WAIT_VALUE_GEQ),
              "all ones is greater than the lowest");
    sleep_ms(50);
    for (int i = 0; i < 100 && cuStreamQuery(s) == CUDA_ERROR_NOT_READY; i++)
        sleep_ms(50); /* on a busy machine */
    DRIVER_AS(cuStreamQuery(s), "50 ms later");
    DRIVER_AS(cuStreamWaitValue32(s, address_of(p), 1, CU_STREAM_WAIT_VALUE_GEQ),
              "all ones is below one");
    sleep_ms(50);
    DRIVER_AS(cuStreamQuery(s), "is below one: query");
    DRIVER_AS(cuStreamWriteValue32(t, address_of(p), 1, 0), "release");
    DRIVER_AS(cuStreamSynchronize(s), "released");
    DRIVER_AS(cuStreamWaitValue32(s, address_of(p), 77, CU_STREAM_WAIT_VALUE_EQ), "wait for 77");
    DRIVER_AS(cuStreamWriteValue32(s, address_of(p) + 16, 3, 0), "write behind it");
    sleep_ms(20);
    DRIVER_AS(cuStreamQuery(s), "waits for 77");
    VALUE(read_int(p + 4), "not written yet");
    DRIVER_AS(cuStreamWriteValue32(t, address_of(p), 77, 0), "write 77");
    DRIVER_AS(cuStreamSynchronize(s), "synchronize");
    VALUE(read_int(p + 4), "written");
    *(volatile unsigned *)pinned = 0;
    DRIVER_AS(cuStreamWaitValue32(s, address_of(pinned), 8, CU_STREAM_WAIT_VALUE_EQ),
              "wait for the host");
    sleep_ms(20);
    DRIVER_AS(cuStreamQuery(s), "the host has not written");
    *(volatile unsigned *)pinned = 8;
    DRIVER_AS(cuStreamSynchronize(s), "the host has written");
}

void case_memory_operation_batch(void)
{
    unsigned *p = device_block(4096);
    CUstream s = new_stream();
    CUstreamBatchMemOpParams operations[4];
    memset(operations, 0, sizeof operations);
    operations[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operations[0].writeValue.address = address_of(p);
    operations[0].writeValue.value = 3;
    operations[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    operations[1].waitValue.address = address_of(p);
    operations[1].waitValue.value = 3;
    operations[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    operations[2].operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    operations[2].writeValue.address = address_of(p) + 8;
    operations[2].writeValue.value64 = 0x700000008;
    DRIVER(cuStreamBatchMemOp(s, 3, operations, 0));
    DRIVER(cuStreamSynchronize(s));
    VALUE(read_int(p), "first");
    VALUE(read_int(p + 2), "low half");
    VALUE(read_int(p + 3), "high half");
    DRIVER(cuStreamBatchMemOp(s, 0, operations, 0));
    DRIVER(cuStreamBatchMemOp(s, 0, NULL, 0));
    DRIVER(cuStreamBatchMemOp(s, 1, NULL, 0));
    DRIVER(cuStreamBatchMemOp(s, 1, operations, 1));
    DRIVER(cuStreamBatchMemOp(s, 257, operations, 0));
    operations[1].operation = (CUstreamBatchMemOpType)99;
    operations[0].writeValue.value = 4;
    DRIVER_AS(cuStreamBatchMemOp(s, 2, operations, 0), "the second is none");
    DRIVER(cuStreamSynchronize(s));
    VALUE(read_int(p), "the first of a refused batch");
    operations[0].writeValue.address = 0;
    DRIVER_AS(cuStreamBatchMemOp(s, 1, operations, 0), "address 0");
    memset(operations, 0, sizeof operations);
    operations[0].operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
    DRIVER_AS(cuStreamBatchMemOp(s, 1, operations, 0), "flush");
    operations[0].operation = CU_STREAM_MEM_OP_BARRIER;
    operations[0].memoryBarrier.flags = CU_STREAM_MEMORY_BARRIER_TYPE_SYS;
    DRIVER_AS(cuStreamBatchMemOp(s, 1, operations, 0), "barrier");
    operations[0].memoryBarrier.flags = 9;
    DRIVER_AS(cuStreamBatchMemOp(s, 1, operations, 0), "barrier with flags 9");
    DRIVER(cuStreamSynchronize(s));
}

void case_memory_operation_capture(void)
{
    unsigned *p = device_block(4096);
    CUstream s = new_stream();
    CUgraph graph = NULL;
    size_t count = 77;
    REQUIRE_DRIVER(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    DRIVER(cuStreamWriteValue32(s, address_of(p), 5, 0));
    DRIVER(cuStreamWaitValue32(s, address_of(p), 5, CU_STREAM_WAIT_VALUE_EQ));
    DRIVER(cuStreamEndCapture(s, &graph));
    CALL(cudaGraphGetNodes((cudaGraph_t)graph, NULL, &count));
    VALUE((long long)count, "nodes");
    VALUE(read_int(p), "not written");
}
