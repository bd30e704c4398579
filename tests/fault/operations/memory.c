/* Operations of the runtime API: memory of every kind, copies and fills.
 * SPDX-License-Identifier: Apache-2.0 */
#include "operation.h"

enum { BYTES = 1 << 16, SIDE = 48, CHUNKS = 12 << 20 };

static char host[2 * BYTES];

int operation_allocate(void)
{
    void *small = NULL, *large = NULL, *pitched = NULL;
    struct cudaPitchedPtr volume = {0};
    struct cudaPointerAttributes attributes;
    size_t pitch = 0, free_bytes = 0, total = 0;
    int error = 0;
    TRY(cudaMalloc, &small, 1000);
    TRY(cudaMalloc, &large, (size_t)8 << 20);
    TRY(cudaMallocPitch, &pitched, &pitch, 300, 100);
    TRY(cudaMalloc3D, &volume, (struct cudaExtent){300, 10, 10});
    TRY(cudaMemGetInfo, &free_bytes, &total);
    TRY(cudaPointerGetAttributes, &attributes, small);
    CHECK(pitch >= 300 && volume.pitch >= 300 && total > 0);
    CHECK(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == small);
    END(cudaFree, volume.ptr);
    END(cudaFree, pitched);
    END(cudaFree, large);
    END(cudaFree, small);
    return error;
}

int operation_pinned(void)
{
    void *memory = NULL, *mapped = NULL, *address = NULL;
    unsigned flags = 0;
    int error = 0;
    TRY(cudaMallocHost, &memory, BYTES);
    TRY(cudaHostAlloc, &mapped, BYTES, cudaHostAllocMapped);
    TRY(cudaHostGetDevicePointer, &address, mapped, 0);
    TRY(cudaHostGetFlags, &flags, mapped);
    CHECK((flags & cudaHostAllocMapped) != 0);
    if (error == 0)
        memset(memory, 1, BYTES);
    TRY(cudaMemcpy, address, memory, BYTES, cudaMemcpyDefault);
    CHECK(((char *)mapped)[BYTES - 1] == 1);
    END(cudaFreeHost, mapped);
    END(cudaFreeHost, memory);
    if (error != 0)
        return error;
    error = CALL(cudaHostRegister, host, sizeof host, cudaHostRegisterMapped);
    if (error == 0)
        END(cudaHostUnregister, host);
    return error;
}

/* Through every form of a copy: what the first wrote the last one reads. */
static int copy_along(char *a, cudaStream_t stream)
{
    int error = 0;
    void *to[] = {a + BYTES / 2};
    const void *from[] = {a};
    size_t sizes[] = {BYTES / 2}, first = 0;
    struct cudaMemcpyAttributes how = {.srcAccessOrder = cudaMemcpySrcAccessOrderStream};
    memset(host, 7, sizeof host);
    TRY(cudaMemcpy, a, host, BYTES, cudaMemcpyHostToDevice);
    TRY(cudaMemcpyAsync, a + BYTES, a, BYTES, cudaMemcpyDeviceToDevice, NULL);
    TRY(cudaMemcpyAsync, a, a + BYTES, 1000, cudaMemcpyDeviceToDevice, stream);
    TRY(cudaMemcpyPeer, a + 1000, 0, a + BYTES, 0, 1000);
    TRY(cudaMemcpyPeerAsync, a + 2000, 0, a + BYTES, 0, 1000, NULL);
    TRY(cudaMemcpyBatchAsync, to, from, sizes, 1, &how, &first, 1, stream);
    memset(host, 0, sizeof host);
    TRY(cudaMemcpyAsync, host, a + BYTES, BYTES, cudaMemcpyDeviceToHost, stream);
    TRY(cudaStreamSynchronize, stream);
    TRY(cudaMemcpy, host + BYTES, a, BYTES, cudaMemcpyDefault);
    CHECK(host[0] == 7 && host[BYTES - 1] == 7 && host[BYTES] == 7 && host[2 * BYTES - 1] == 7);
    return error;
}

int operation_copy(void)
{
    void *memory = NULL;
    cudaStream_t stream = NULL;
    int error = 0;
    TRY(cudaMalloc, &memory, 2 * BYTES);
    TRY(cudaStreamCreate, &stream);
    if (error == 0)
        error = copy_along(memory, stream);
    if (stream != NULL)
        END(cudaStreamDestroy, stream);
    END(cudaFree, memory);
    return error;
}

/* Pageable memory goes through staging buffers in several pieces. */
int operation_copy_staged(void)
{
    static char large[CHUNKS];
    void *memory = NULL;
    cudaStream_t stream = NULL;
    int error = 0;
    memset(large, 3, sizeof large);
    TRY(cudaMalloc, &memory, CHUNKS);
    TRY(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);
    TRY(cudaMemcpy, memory, large, CHUNKS, cudaMemcpyHostToDevice);
    TRY(cudaMemcpyAsync, memory, large, CHUNKS, cudaMemcpyHostToDevice, stream);
    if (stream != NULL)
        error = fault_first(error, CALL(cudaStreamSynchronize, stream));
    memset(large, 0, sizeof large);
    TRY(cudaMemcpyAsync, large, memory, CHUNKS, cudaMemcpyDeviceToHost, stream);
    TRY(cudaStreamSynchronize, stream);
    CHECK(large[0] == 3 && large[CHUNKS / 2] == 3 && large[CHUNKS - 1] == 3);
    if (stream != NULL)
        END(cudaStreamDestroy, stream);
    END(cudaFree, memory);
    return error;
}

/* Rows and plain bytes, whose commands nobody has waited for when the call returns. */
int operation_copy_told(void)
{
    char *memory = NULL;
    int error = 0;
    TRY(cudaMalloc, (void **)&memory, 2 * BYTES);
    TRY(cudaMemcpyAsync, memory, host, BYTES, cudaMemcpyHostToDevice, NULL);
    TRY(cudaMemcpy2DAsync, memory + BYTES, 70, host, 60, 50, SIDE, cudaMemcpyHostToDevice, NULL);
    TRY(cudaStreamSynchronize, NULL);
    END(cudaFree, memory);
    return error;
}

static struct cudaMemcpy3DParms volume_copy(void *to, void *from)
{
    struct cudaMemcpy3DParms p = {.kind = cudaMemcpyDefault, .extent = {32, SIDE, 2}};
    p.dstPtr = (struct cudaPitchedPtr){to, 64, 64, SIDE};
    p.srcPtr = (struct cudaPitchedPtr){from, 64, 64, SIDE};
    return p;
}

static int copy_volumes(char *a)
{
    struct cudaMemcpy3DParms in = volume_copy(a, host), out = volume_copy(host, a);
    struct cudaMemcpy3DPeerParms peer = {.extent = {32, SIDE, 2}};
    struct cudaMemcpy3DBatchOp batch = {.extent = {32, SIDE, 2}};
    int error = 0;
    peer.srcPtr = in.dstPtr;
    peer.dstPtr = (struct cudaPitchedPtr){a + BYTES, 64, 64, SIDE};
    batch.src.type = batch.dst.type = cudaMemcpyOperandTypePointer;
    batch.src.op.ptr.ptr = a + BYTES;
    batch.dst.op.ptr.ptr = a;
    batch.src.op.ptr.rowLength = batch.dst.op.ptr.rowLength = 64;
    batch.src.op.ptr.layerHeight = batch.dst.op.ptr.layerHeight = SIDE;
    batch.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    memset(host, 9, sizeof host);
    TRY(cudaMemcpy3D, &in);
    TRY(cudaMemcpy3DPeer, &peer);
    TRY(cudaMemcpy3DPeerAsync, &peer, NULL);
    TRY(cudaMemcpy3DBatchAsync, 1, &batch, 0, cudaStreamPerThread);
    TRY(cudaStreamSynchronize, cudaStreamPerThread);
    memset(host, 0, sizeof host);
    TRY(cudaMemcpy3DAsync, &out, NULL);
    TRY(cudaStreamSynchronize, NULL);
    CHECK(host[0] == 9 && host[31] == 9 && host[32] == 0 && host[64 * (2 * SIDE - 1)] == 9);
    return error;
}

static int copy_planes(char *a)
{
    int error = 0;
    TRY(cudaMemset2D, a, 512, 5, 300, 100);
    TRY(cudaMemcpy2D, a + BYTES, 400, a, 512, 300, 100, cudaMemcpyDeviceToDevice);
    TRY(cudaMemcpy2DAsync, host, 300, a + BYTES, 400, 300, 100, cudaMemcpyDeviceToHost, NULL);
    TRY(cudaStreamSynchronize, NULL);
    CHECK(host[0] == 5 && host[29999] == 5);
    return error;
}

int operation_copy_rectangles(void)
{
    void *memory = NULL;
    int error = 0;
    TRY(cudaMalloc, &memory, 2 * BYTES);
    if (error == 0)
        error = copy_planes(memory);
    if (error == 0)
        error = copy_volumes(memory);
    END(cudaFree, memory);
    return error;
}

int operation_set(void)
{
    char *a = NULL;
    struct cudaExtent extent = {100, 10, 10};
    int error = 0;
    TRY(cudaMalloc, (void **)&a, BYTES);
    struct cudaPitchedPtr volume = {a, 128, 128, 10};
    TRY(cudaMemset, a, 1, BYTES);
    TRY(cudaMemsetAsync, a, 2, BYTES, NULL);
    TRY(cudaMemset2D, a, 512, 3, 300, 100);
    TRY(cudaMemset2DAsync, a, 512, 4, 299, 100, NULL);
    TRY(cudaMemset3D, volume, 5, extent);
    TRY(cudaMemset3DAsync, volume, 6, extent, NULL);
    TRY(cudaStreamSynchronize, NULL);
    TRY(cudaMemcpy, host, a, BYTES, cudaMemcpyDefault);
    CHECK(host[0] == 6 && host[BYTES - 1] == 2);
    CHECK(host[128 * 99 + 99] == 6 && host[512 * 99 + 299] == 3 && host[512 * 99 + 298] == 4);
    END(cudaFree, a);
    return error;
}

/* ---- Stream-ordered memory ---- */

/* The second stream gets what the first one freed: by waiting, as the pool holds no more. */
static int pass_memory_on(cudaMemPool_t pool, cudaStream_t first, cudaStream_t second)
{
    void *memory = NULL, *again = NULL;
    int error = 0;
    TRY(cudaMallocFromPoolAsync, &memory, BYTES, pool, first);
    TRY(cudaMemsetAsync, memory, 1, BYTES, first);
    if (memory != NULL)
        END(cudaFreeAsync, memory, first);
    TRY(cudaMallocFromPoolAsync, &again, BYTES, pool, second);
    TRY(cudaMemsetAsync, again, 2, BYTES, second);
    TRY(cudaMemcpyAsync, host, again, BYTES, cudaMemcpyDefault, second);
    if (again != NULL)
        END(cudaFreeAsync, again, second);
    TRY(cudaDeviceSynchronize);
    CHECK(host[0] == 2 && host[BYTES - 1] == 2);
    return error;
}

static int ask_pool(cudaMemPool_t pool)
{
    struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    struct cudaMemAccessDesc access = {here, cudaMemAccessFlagsProtReadWrite};
    enum cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
    uint64_t threshold = 1 << 20;
    cudaMemPool_t own = NULL, current = NULL;
    int error = 0;
    TRY(cudaMemPoolSetAttribute, pool, cudaMemPoolAttrReleaseThreshold, &threshold);
    TRY(cudaMemPoolGetAttribute, pool, cudaMemPoolAttrReleaseThreshold, &threshold);
    TRY(cudaMemPoolSetAccess, pool, &access, 1);
    TRY(cudaMemPoolGetAccess, &flags, pool, &here);
    TRY(cudaMemPoolTrimTo, pool, 0);
    TRY(cudaDeviceGetDefaultMemPool, &own, 0);
    TRY(cudaDeviceSetMemPool, 0, pool);
    TRY(cudaDeviceGetMemPool, &current, 0);
    CHECK(current == pool && flags == cudaMemAccessFlagsProtReadWrite);
    if (own != NULL)
        END(cudaDeviceSetMemPool, 0, own);
    TRY(cudaMemGetDefaultMemPool, &own, &here, cudaMemAllocationTypePinned);
    TRY(cudaMemSetMemPool, &here, cudaMemAllocationTypePinned, own);
    TRY(cudaMemGetMemPool, &current, &here, cudaMemAllocationTypePinned);
    CHECK(current == own);
    return error;
}

static int use_pool(cudaMemPool_t pool)
{
    cudaStream_t first = NULL, second = NULL;
    int error = ask_pool(pool);
    TRY(cudaStreamCreate, &first);
    TRY(cudaStreamCreateWithFlags, &second, cudaStreamNonBlocking);
    if (error == 0)
        error = pass_memory_on(pool, first, second);
    if (second != NULL)
        END(cudaStreamDestroy, second);
    if (first != NULL)
        END(cudaStreamDestroy, first);
    return error;
}

int operation_ordered_memory(void)
{
    struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                          .location = {cudaMemLocationTypeDevice, 0},
                                          .maxSize = BYTES + BYTES / 2};
    cudaMemPool_t pool = NULL;
    void *memory = NULL;
    int error = 0;
    TRY(cudaMallocAsync, &memory, BYTES, NULL);
    if (memory != NULL)
        END(cudaFreeAsync, memory, NULL);
    TRY(cudaMemPoolCreate, &pool, &properties);
    if (error == 0)
        error = use_pool(pool);
    if (pool != NULL)
        END(cudaMemPoolDestroy, pool);
    return error;
}

/* ---- Managed memory ---- */

static int prefetch_batches(void *memory, size_t bytes)
{
    void *ranges[] = {memory};
    size_t sizes[] = {bytes}, first = 0;
    struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    int error = 0;
    TRY(cudaMemPrefetchBatchAsync, ranges, sizes, 1, &here, &first, 1, 0, cudaStreamPerThread);
    TRY(cudaMemDiscardBatchAsync, ranges, sizes, 1, 0, cudaStreamPerThread);
    TRY(cudaMemDiscardAndPrefetchBatchAsync, ranges, sizes, 1, &here, &first, 1, 0,
        cudaStreamPerThread);
    TRY(cudaStreamSynchronize, cudaStreamPerThread);
    return error;
}

static int ask_range(void *memory, size_t bytes)
{
    int last = 0, preferred = 0;
    void *data[] = {&last, &preferred};
    size_t sizes[] = {sizeof last, sizeof preferred};
    enum cudaMemRangeAttribute which[] = {cudaMemRangeAttributeLastPrefetchLocation,
                                          cudaMemRangeAttributePreferredLocation};
    int error = 0;
    TRY(cudaMemRangeGetAttribute, &preferred, sizeof preferred,
        cudaMemRangeAttributePreferredLocation, memory, bytes);
    TRY(cudaMemRangeGetAttributes, data, sizes, which, 2, memory, bytes);
    CHECK(preferred == 0 && last == cudaCpuDeviceId);
    return error;
}

static int move_managed(char *memory, size_t bytes)
{
    const struct cudaMemLocation places[] = {{cudaMemLocationTypeDevice, 0},
                                             {cudaMemLocationTypeHost, 0}};
    int error = prefetch_batches(memory, bytes);
    TRY(cudaMemset, memory, 6, bytes);
    TRY(cudaStreamAttachMemAsync, NULL, memory, 0, cudaMemAttachGlobal);
    for (int i = 0; i < 2; i++)
        TRY(cudaMemPrefetchAsync, memory, bytes, places[i], 0, NULL);
    TRY(cudaMemPrefetchAsync_v2, memory, bytes, places[1], 0, NULL);
    TRY(cudaMemAdvise, memory, bytes, cudaMemAdviseSetPreferredLocation, places[0]);
    TRY(cudaMemAdvise_v2, memory, bytes, cudaMemAdviseSetPreferredLocation, places[0]);
    memset(host, 0, sizeof host);
    TRY(cudaMemcpy, host, memory + bytes - BYTES, BYTES, cudaMemcpyDefault);
    CHECK(host[0] == 6 && host[BYTES - 1] == 6);
    if (error == 0)
        error = ask_range(memory, bytes);
    return error;
}

/* A fault that a touch meets is told by the next call: what was read is looked at behind that. */
static int touch_managed(volatile char *memory, size_t bytes)
{
    char first = 0, last = 0, written = 0;
    int error = 0;
    TRY(cudaMemset, (void *)memory, 9, bytes);
    TRY(cudaDeviceSynchronize);
    if (error == 0) {
        last = memory[bytes - 1];
        memory[bytes / 2] = 4;
        memory[0]++;
        first = memory[0];
    }
    TRY(cudaMemcpy, &written, (char *)memory + bytes / 2, 1, cudaMemcpyDefault);
    TRY(cudaDeviceSynchronize);
    CHECK(first == 10 && last == 9 && written == 4);
    return error;
}

static int use_managed(bool is_touched)
{
    static const size_t sizes[] = {BYTES, (size_t)6 << 20};
    int error = 0;
    for (int i = 0; i < 2 && error == 0; i++) {
        void *memory = NULL;
        TRY(cudaMallocManaged, &memory, sizes[i], cudaMemAttachGlobal);
        if (error == 0)
            error = move_managed(memory, sizes[i]);
        if (error == 0 && is_touched)
            error = touch_managed(memory, sizes[i]);
        END(cudaFree, memory);
    }
    return error;
}

int operation_managed(void)
{
    return use_managed(false);
}

int operation_managed_moving(void)
{
    return use_managed(true);
}
