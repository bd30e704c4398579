/* Operations of the driver API: memory of every kind, copies, fills, pools, managed memory.
 * SPDX-License-Identifier: Apache-2.0 */
#define __CUDA_API_VERSION_INTERNAL /* names are symbols, and old versions have theirs */
#include "operation.h"

enum { BYTES = 1 << 16, SIDE = 48 };

static char host[2 * BYTES];

static int use_device(void)
{
    int error = 0;
    TRY(cuInit, 0);
    TRY(cudaFree, NULL); /* the primary context is current */
    return error;
}

/* ---- Allocating ---- */

static int ask_pointers(CUdeviceptr memory)
{
    CUdeviceptr base = 0;
    CUmemorytype type = 0, types = 0;
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
    void *data[] = {&types};
    unsigned yes = 1;
    size_t bytes = 0, total = 0;
    int error = 0;
    TRY(cuMemGetAddressRange_v2, &base, &bytes, memory + 10);
    TRY(cuPointerGetAttribute, &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory);
    TRY(cuPointerGetAttributes, 1, attributes, data, memory);
    TRY(cuPointerSetAttribute, &yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory);
    TRY(cuMemGetInfo_v2, &bytes, &total);
    CHECK(base == memory && type == CU_MEMORYTYPE_DEVICE && types == type && total > 0);
    return error;
}

int operation_driver_allocate(void)
{
    CUdeviceptr memory = 0, pitched = 0;
    size_t pitch = 0;
    int error = use_device();
    TRY(cuMemAlloc_v2, &memory, 1000);
    TRY(cuMemAllocPitch_v2, &pitched, &pitch, 300, 100, 4);
    CHECK(pitch >= 300);
    if (error == 0)
        error = ask_pointers(memory);
    if (pitched != 0)
        END(cuMemFree_v2, pitched);
    if (memory != 0)
        END(cuMemFree_v2, memory);
    return error;
}

int operation_driver_pinned(void)
{
    void *memory = NULL, *mapped = NULL, *old = NULL;
    CUdeviceptr address = 0;
    CUdeviceptr_v1 narrow = 0;
    unsigned flags = 0;
    int error = use_device();
    TRY(cuMemAllocHost_v2, &memory, BYTES);
    TRY(cuMemAllocHost, &old, BYTES);
    TRY(cuMemHostAlloc, &mapped, BYTES, CU_MEMHOSTALLOC_DEVICEMAP);
    TRY(cuMemHostGetDevicePointer_v2, &address, mapped, 0);
    if (error == 0) /* addresses of 64 bits do not fit */
        (void)CALL(cuMemHostGetDevicePointer, &narrow, mapped, 0);
    TRY(cuMemHostGetFlags, &flags, mapped);
    CHECK((flags & CU_MEMHOSTALLOC_DEVICEMAP) != 0);
    if (mapped != NULL)
        END(cuMemFreeHost, mapped);
    if (old != NULL)
        END(cuMemFreeHost, old);
    if (memory != NULL)
        END(cuMemFreeHost, memory);
    if (error != 0)
        return error;
    error = CALL(cuMemHostRegister_v2, host, BYTES, 0);
    if (error == 0)
        END(cuMemHostUnregister, host);
    if (error == 0 && (error = CALL(cuMemHostRegister, host, BYTES, 0)) == 0)
        END(cuMemHostUnregister, host);
    return error;
}

/* ---- Copies ---- */

static int copy_now(CUdeviceptr a, CUcontext context)
{
    int error = 0;
    memset(host, 7, sizeof host);
    TRY(cuMemcpyHtoD_v2, a, host, BYTES);
    TRY(cuMemcpyDtoD_v2, a + BYTES, a, BYTES);
    TRY(cuMemcpy, a, a + BYTES, 1000);
    TRY(cuMemcpyPeer, a + 1000, context, a + BYTES, context, 1000);
    memset(host, 0, sizeof host);
    TRY(cuMemcpyDtoH_v2, host, a + BYTES, BYTES);
    CHECK(host[0] == 7 && host[BYTES - 1] == 7);
    return error;
}

static int copy_batches(CUdeviceptr a, CUstream stream)
{
    CUdeviceptr to[] = {a + BYTES}, from[] = {a};
    size_t sizes[] = {BYTES}, first = 0, failed = 0;
    CUmemcpyAttributes how = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    CUDA_MEMCPY3D_BATCH_OP batch = {.extent = {32, SIDE, 2}};
    int error = 0;
    batch.src.type = batch.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    batch.src.op.ptr.ptr = a + BYTES;
    batch.dst.op.ptr.ptr = a;
    batch.src.op.ptr.rowLength = batch.dst.op.ptr.rowLength = 64;
    batch.src.op.ptr.layerHeight = batch.dst.op.ptr.layerHeight = SIDE;
    batch.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    TRY(cuMemcpyBatchAsync_v2, to, from, sizes, 1, &how, &first, 1, stream);
    TRY(cuMemcpyBatchAsync, to, from, sizes, 1, &how, &first, 1, &failed, stream);
    TRY(cuMemcpy3DBatchAsync_v2, 1, &batch, 0, stream);
    TRY(cuMemcpy3DBatchAsync, 1, &batch, &failed, 0, stream);
    return error;
}

static int copy_later(CUdeviceptr a, CUcontext context, CUstream stream)
{
    int error = 0;
    memset(host, 8, sizeof host);
    TRY(cuMemcpyHtoDAsync_v2, a, host, BYTES, stream);
    TRY(cuMemcpyDtoDAsync_v2, a + BYTES, a, BYTES, stream);
    TRY(cuMemcpyAsync, a, a + BYTES, 1000, stream);
    TRY(cuMemcpyPeerAsync, a + 1000, context, a + BYTES, context, 1000, stream);
    if (error == 0)
        error = copy_batches(a, stream);
    TRY(cuStreamSynchronize, stream);
    memset(host, 0, sizeof host);
    TRY(cuMemcpyDtoHAsync_v2, host, a + BYTES, BYTES, stream);
    TRY(cuStreamSynchronize, stream);
    CHECK(host[0] == 8 && host[BYTES - 1] == 8);
    return error;
}

static CUDA_MEMCPY2D plane(CUdeviceptr to, CUdeviceptr from)
{
    return (CUDA_MEMCPY2D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = from,
                           .srcPitch = 512,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = to,
                           .dstPitch = 400,
                           .WidthInBytes = 300,
                           .Height = 100};
}

static int copy_rectangles(CUdeviceptr a, CUcontext context, CUstream stream)
{
    const CUDA_MEMCPY2D flat = plane(a + BYTES, a);
    CUDA_MEMCPY3D deep = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = host,
                          .srcPitch = 64,
                          .srcHeight = SIDE,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = a,
                          .dstPitch = 64,
                          .dstHeight = SIDE,
                          .WidthInBytes = 32,
                          .Height = SIDE,
                          .Depth = 2};
    CUDA_MEMCPY3D_PEER peer = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                               .srcDevice = a,
                               .srcContext = context,
                               .srcPitch = 64,
                               .srcHeight = SIDE,
                               .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                               .dstDevice = a + BYTES,
                               .dstContext = context,
                               .dstPitch = 64,
                               .dstHeight = SIDE,
                               .WidthInBytes = 32,
                               .Height = SIDE,
                               .Depth = 2};
    int error = 0;
    memset(host, 9, sizeof host);
    TRY(cuMemcpy2D_v2, &flat);
    TRY(cuMemcpy2DUnaligned_v2, &flat);
    TRY(cuMemcpy2DAsync_v2, &flat, stream);
    TRY(cuMemcpy3D_v2, &deep);
    TRY(cuMemcpy3DAsync_v2, &deep, stream);
    TRY(cuStreamSynchronize, stream);
    TRY(cuMemcpy3DPeer, &peer);
    TRY(cuMemcpy3DPeerAsync, &peer, stream);
    TRY(cuStreamSynchronize, stream);
    memset(host, 0, sizeof host);
    TRY(cuMemcpyDtoH_v2, host, a + BYTES, 64 * SIDE * 2);
    CHECK(host[0] == 9 && host[31] == 9 && host[64 * (2 * SIDE - 1)] == 9);
    return error;
}

int operation_driver_copy(void)
{
    CUdeviceptr memory = 0;
    CUcontext context = NULL;
    CUstream stream = NULL;
    int error = use_device();
    TRY(cuCtxGetCurrent, &context);
    TRY(cuMemAlloc_v2, &memory, 2 * BYTES);
    TRY(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
    if (error == 0)
        error = copy_now(memory, context);
    if (error == 0)
        error = copy_later(memory, context, stream);
    if (error == 0)
        error = copy_rectangles(memory, context, stream);
    if (stream != NULL)
        END(cuStreamDestroy_v2, stream);
    if (memory != 0)
        END(cuMemFree_v2, memory);
    return error;
}

/* ---- Fills ---- */

static int set_later(CUdeviceptr a)
{
    int error = 0;
    TRY(cuMemsetD8Async, a, 4, 1000, NULL);
    TRY(cuMemsetD16Async, a + 1000, 0x0404, 500, NULL);
    TRY(cuMemsetD32Async, a + 2000, 0x04040404, 250, NULL);
    TRY(cuMemsetD2D8Async, a + 4096, 512, 5, 299, 10, NULL);
    TRY(cuMemsetD2D16Async, a + 4096, 512, 0x0505, 100, 10, NULL);
    TRY(cuMemsetD2D32Async, a + 4096, 512, 0x05050505, 50, 10, NULL);
    TRY(cuStreamSynchronize, NULL);
    return error;
}

int operation_driver_set(void)
{
    CUdeviceptr a = 0;
    int error = use_device();
    TRY(cuMemAlloc_v2, &a, BYTES);
    TRY(cuMemsetD8_v2, a, 1, BYTES);
    TRY(cuMemsetD16_v2, a, 0x0202, BYTES / 2);
    TRY(cuMemsetD32_v2, a, 0x03030303, BYTES / 4);
    TRY(cuMemsetD2D8_v2, a, 512, 1, 300, 100);
    TRY(cuMemsetD2D16_v2, a, 512, 0x0101, 150, 100);
    TRY(cuMemsetD2D32_v2, a, 512, 0x01010101, 75, 100);
    if (error == 0)
        error = set_later(a);
    TRY(cuMemcpyDtoH_v2, host, a, BYTES);
    CHECK(host[0] == 4 && host[2999] == 4 && host[4096 + 298] == 5 && host[BYTES - 1] == 3);
    CHECK(host[512 * 99 + 299] == 1 && host[512 * 99 + 300] == 3);
    if (a != 0)
        END(cuMemFree_v2, a);
    return error;
}

/* ---- Stream memory operations ---- */

static int operate_on_values(CUdeviceptr a, CUstream stream, CUstream other)
{
    CUstreamBatchMemOpParams batch[1];
    int error = 0;
    memset(batch, 0, sizeof batch);
    batch[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    batch[0].writeValue.address = a + 16;
    batch[0].writeValue.value = 4;
    TRY(cuStreamWaitValue32_v2, stream, a, 1, CU_STREAM_WAIT_VALUE_EQ);
    TRY(cuStreamWaitValue64_v2, stream, a + 8, 2, CU_STREAM_WAIT_VALUE_EQ);
    TRY(cuStreamBatchMemOp_v2, stream, 1, batch, 0);
    TRY(cuStreamWriteValue64_v2, other, a + 8, 2, 0);
    TRY(cuStreamWriteValue32_v2, other, a, 1, 0);
    TRY(cuStreamSynchronize, other);
    /* By their names before CUDA 11.7. */
    TRY(cuStreamWaitValue32, stream, a + 32, 1, CU_STREAM_WAIT_VALUE_EQ);
    TRY(cuStreamWaitValue64, stream, a + 40, 2, CU_STREAM_WAIT_VALUE_EQ);
    TRY(cuStreamBatchMemOp, stream, 1, batch, 0);
    TRY(cuStreamWriteValue64, other, a + 40, 2, 0);
    TRY(cuStreamWriteValue32, other, a + 32, 1, 0);
    if (error == 0)
        TRY(cuStreamSynchronize, stream);
    return error;
}

static int operate_in_graph(CUdeviceptr a, CUstream stream)
{
    CUstreamBatchMemOpParams batch[2];
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {NULL, 2, batch, 0}, told;
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    CUgraphNode node = NULL;
    int error = 0;
    memset(batch, 0, sizeof batch);
    batch[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    batch[0].writeValue.address = a + 24;
    batch[0].writeValue.value = 5;
    batch[1] = batch[0];
    batch[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    batch[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    TRY(cuGraphCreate, &graph, 0);
    TRY(cuGraphAddBatchMemOpNode, &node, graph, NULL, 0, &params);
    TRY(cuGraphBatchMemOpNodeSetParams, node, &params);
    TRY(cuGraphBatchMemOpNodeGetParams, node, &told);
    TRY(cuGraphInstantiateWithFlags, &exec, graph, 0);
    TRY(cuGraphExecBatchMemOpNodeSetParams, exec, node, &params);
    TRY(cuGraphLaunch, exec, stream);
    if (error == 0)
        TRY(cuStreamSynchronize, stream);
    if (exec != NULL)
        END(cuGraphExecDestroy, exec);
    if (graph != NULL)
        END(cuGraphDestroy, graph);
    return error;
}

/* What could not be written may leave a wait, which ends with the context. */
int operation_driver_values(void)
{
    static uint32_t found[16];
    CUdeviceptr a = 0;
    CUstream stream = NULL, other = NULL;
    int error = use_device();
    TRY(cuMemAlloc_v2, &a, sizeof found);
    TRY(cuMemsetD32_v2, a, 0, sizeof found / sizeof *found);
    TRY(cuStreamSynchronize, NULL);
    TRY(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
    TRY(cuStreamCreate, &other, CU_STREAM_NON_BLOCKING);
    if (error == 0)
        error = operate_on_values(a, stream, other);
    if (error == 0)
        error = operate_in_graph(a, stream);
    TRY(cuMemcpyDtoH_v2, found, a, sizeof found);
    CHECK(found[0] == 1 && found[2] == 2 && found[4] == 4 && found[6] == 5);
    if (error != 0)
        (void)CALL(cuDevicePrimaryCtxReset_v2, 0);
    else {
        END(cuStreamDestroy_v2, other);
        END(cuStreamDestroy_v2, stream);
        END(cuMemFree_v2, a);
    }
    return error;
}

int operation_driver_decompress(void)
{
    /* Snappy: a literal of three bytes, and six from three before. */
    static const unsigned char packed[] = {9, 2 << 2, 'a', 'b', 'c', (6 - 4) << 2 | 1, 3};
    CUmemDecompressParams params = {.srcNumBytes = sizeof packed,
                                    .algo = CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY};
    CUdeviceptr a = 0;
    CUstream stream = NULL;
    int error = use_device();
    TRY(cuMemAlloc_v2, &a, 128);
    TRY(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
    TRY(cuMemcpyHtoDAsync_v2, a, packed, sizeof packed, stream);
    params.src = (const void *)(uintptr_t)a;
    params.dstActBytes = (cuuint32_t *)(uintptr_t)(a + 32);
    params.dst = (void *)(uintptr_t)(a + 64);
    TRY(cuMemBatchDecompressAsync, &params, 1, 0, NULL, stream);
    TRY(cuMemcpyDtoHAsync_v2, host, a + 64, 9, stream);
    TRY(cuStreamSynchronize, stream);
    CHECK(memcmp(host, "abcabcabc", 9) == 0);
    if (stream != NULL)
        END(cuStreamDestroy_v2, stream);
    if (a != 0)
        END(cuMemFree_v2, a);
    return error;
}

/* ---- Stream-ordered memory ---- */

static int ask_pool(CUmemoryPool pool)
{
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CUmemAccessDesc access = {here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    cuuint64_t threshold = 1 << 20;
    CUmemoryPool own = NULL, current = NULL;
    int error = 0;
    TRY(cuMemPoolSetAttribute, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
    TRY(cuMemPoolGetAttribute, pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
    TRY(cuMemPoolSetAccess, pool, &access, 1);
    TRY(cuMemPoolGetAccess, &flags, pool, &here);
    TRY(cuMemPoolTrimTo, pool, 0);
    TRY(cuDeviceGetDefaultMemPool, &own, 0);
    TRY(cuDeviceSetMemPool, 0, pool);
    TRY(cuDeviceGetMemPool, &current, 0);
    CHECK(current == pool && flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    if (own != NULL)
        END(cuDeviceSetMemPool, 0, own);
    TRY(cuMemGetDefaultMemPool, &own, &here, CU_MEM_ALLOCATION_TYPE_PINNED);
    TRY(cuMemSetMemPool, &here, CU_MEM_ALLOCATION_TYPE_PINNED, own);
    TRY(cuMemGetMemPool, &current, &here, CU_MEM_ALLOCATION_TYPE_PINNED);
    CHECK(current == own);
    return error;
}

static int use_pool(CUmemoryPool pool)
{
    CUdeviceptr memory = 0, again = 0;
    int error = ask_pool(pool);
    TRY(cuMemAllocFromPoolAsync, &memory, BYTES, pool, NULL);
    TRY(cuMemsetD8Async, memory, 1, BYTES, NULL);
    if (memory != 0)
        END(cuMemFreeAsync, memory, NULL);
    TRY(cuMemAllocAsync, &again, BYTES, NULL);
    if (again != 0)
        END(cuMemFreeAsync, again, NULL);
    TRY(cuStreamSynchronize, NULL);
    return error;
}

int operation_driver_ordered_memory(void)
{
    const CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                       .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemoryPool pool = NULL;
    int error = use_device();
    TRY(cuMemPoolCreate, &pool, &properties);
    if (error == 0)
        error = use_pool(pool);
    if (pool != NULL)
        END(cuMemPoolDestroy, pool);
    return error;
}

/* ---- Managed memory ---- */

static int ask_range(CUdeviceptr memory, size_t bytes)
{
    int preferred = 0, last = 0;
    void *data[] = {&last};
    size_t sizes[] = {sizeof last};
    CUmem_range_attribute which[] = {CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION};
    int error = 0;
    TRY(cuMemRangeGetAttribute, &preferred, sizeof preferred,
        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory, bytes);
    TRY(cuMemRangeGetAttributes, data, sizes, which, 1, memory, bytes);
    CHECK(preferred == 0);
    return error;
}

static int move_managed(CUdeviceptr memory, size_t bytes)
{
    CUdeviceptr ranges[] = {memory};
    size_t sizes[] = {bytes}, first = 0;
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    int error = 0;
    TRY(cuMemPrefetchBatchAsync, ranges, sizes, 1, &here, &first, 1, 0, CU_STREAM_PER_THREAD);
    TRY(cuMemDiscardBatchAsync, ranges, sizes, 1, 0, CU_STREAM_PER_THREAD);
    TRY(cuMemDiscardAndPrefetchBatchAsync, ranges, sizes, 1, &here, &first, 1, 0,
        CU_STREAM_PER_THREAD);
    TRY(cuStreamSynchronize, CU_STREAM_PER_THREAD);
    TRY(cuMemsetD8_v2, memory, 6, bytes);
    TRY(cuStreamAttachMemAsync, NULL, memory, 0, CU_MEM_ATTACH_GLOBAL);
    TRY(cuMemPrefetchAsync_v2, memory, bytes, here, 0, NULL);
    TRY(cuMemPrefetchAsync, memory, bytes, 0, NULL);
    TRY(cuMemAdvise_v2, memory, bytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, here);
    TRY(cuMemAdvise, memory, bytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 0);
    memset(host, 0, sizeof host);
    TRY(cuMemcpyDtoH_v2, host, memory, BYTES);
    CHECK(host[0] == 6 && host[BYTES - 1] == 6);
    return error == 0 ? ask_range(memory, bytes) : error;
}

int operation_driver_managed(void)
{
    CUdeviceptr memory = 0;
    int error = use_device();
    TRY(cuMemAllocManaged, &memory, (size_t)6 << 20, CU_MEM_ATTACH_GLOBAL);
    if (error == 0)
        error = move_managed(memory, (size_t)6 << 20);
    if (memory != 0)
        END(cuMemFree_v2, memory);
    return error;
}

/* ---- The first versions, with addresses of 32 bits ---- */

static int ask_narrow(void)
{
    CUdeviceptr_v1 narrow = 0, base = 0;
    unsigned bytes = 0, pitch = 0, total = 0;
    int error = 0;
    TRY(cuDeviceTotalMem, &bytes, 0);
    TRY(cuMemGetInfo, &bytes, &total);
    CHECK(total > 0);
    /* What is allocated does not fit, and is freed again. */
    if (error == 0 && CALL(cuMemAlloc, &narrow, 1000) == 0)
        END(cuMemFree, narrow);
    if (error == 0 && CALL(cuMemAllocPitch, &narrow, &pitch, 300, 10, 4) == 0)
        END(cuMemFree, narrow);
    (void)CALL(cuMemGetAddressRange, &base, &bytes, 16);
    END(cuMemFree, 0);
    return error;
}

/* No byte is asked for: there are no addresses to be had for more. */
static int copy_narrow(void)
{
    const CUDA_MEMCPY2D_v1 flat = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                   .srcHost = host,
                                   .dstMemoryType = CU_MEMORYTYPE_HOST,
                                   .dstHost = host + BYTES,
                                   .srcPitch = 64,
                                   .dstPitch = 64,
                                   .WidthInBytes = 10,
                                   .Height = 2};
    const CUDA_MEMCPY3D_v1 deep = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                   .srcHost = host,
                                   .dstMemoryType = CU_MEMORYTYPE_HOST,
                                   .dstHost = host + BYTES,
                                   .srcPitch = 64,
                                   .dstPitch = 64,
                                   .srcHeight = 2,
                                   .dstHeight = 2,
                                   .WidthInBytes = 10,
                                   .Height = 2,
                                   .Depth = 2};
    int error = 0;
    (void)CALL(cuMemcpyHtoD, 0, host, 0);
    (void)CALL(cuMemcpyDtoH, host, 0, 0);
    (void)CALL(cuMemcpyDtoD, 0, 0, 0);
    (void)CALL(cuMemcpyHtoDAsync, 0, host, 0, NULL);
    (void)CALL(cuMemcpyDtoHAsync, host, 0, 0, NULL);
    (void)CALL(cuMemcpyDtoDAsync, 0, 0, 0, NULL);
    TRY(cuMemcpy2D, &flat);
    TRY(cuMemcpy2DUnaligned, &flat);
    TRY(cuMemcpy2DAsync, &flat, NULL);
    TRY(cuMemcpy3D, &deep);
    TRY(cuMemcpy3DAsync, &deep, NULL);
    return error;
}

static void set_narrow(void)
{
    (void)CALL(cuMemsetD8, 0, 1, 0);
    (void)CALL(cuMemsetD16, 0, 1, 0);
    (void)CALL(cuMemsetD32, 0, 1, 0);
    (void)CALL(cuMemsetD2D8, 0, 64, 1, 0, 0);
    (void)CALL(cuMemsetD2D16, 0, 64, 1, 0, 0);
    (void)CALL(cuMemsetD2D32, 0, 64, 1, 0, 0);
}

int operation_driver_narrow(void)
{
    int error = use_device();
    if (error == 0)
        error = ask_narrow();
    if (error == 0)
        error = copy_narrow();
    set_narrow();
    return error;
}
