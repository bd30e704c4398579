/* Semantics of cudaMemcpyBatchAsync and cudaMemcpy3DBatchAsync.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "../oracle.h"

struct batch {
    void *dsts[4];
    const void *srcs[4];
    size_t sizes[4];
    size_t count;
    struct cudaMemcpyAttributes attrs[4];
    size_t starts[4];
    size_t attr_count;
};

static char *d, *e;
static char *h;
static cudaStream_t stream;

static struct batch good(void)
{
    struct batch b = {.dsts = {d, d + 64, d + 128},
                      .srcs = {e, h, e + 64},
                      .sizes = {64, 64, 64},
                      .count = 3,
                      .attr_count = 1};
    b.attrs[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    b.attrs[1].srcAccessOrder = cudaMemcpySrcAccessOrderAny;
    return b;
}

static void make_blocks(void)
{
    d = device_block(64 * KIB);
    e = device_block(64 * KIB);
    h = calloc(1, 64 * KIB);
    require(h != NULL, "calloc");
    REQUIRE(cudaStreamCreate(&stream));
}

static cudaError_t submit(struct batch *b, cudaStream_t where)
{
    return cudaMemcpyBatchAsync((void *const *)b->dsts, (const void *const *)b->srcs, b->sizes,
                                b->count, b->attrs, b->starts, b->attr_count, where);
}

#define SPOIL(...)                                                                                 \
    do {                                                                                           \
        struct batch b = good();                                                                   \
        __VA_ARGS__;                                                                               \
        TRY_AS(submit(&b, stream), "%s", #__VA_ARGS__);                                            \
    } while (0)

void case_batch_linear(void)
{
    make_blocks();
    SPOIL((void)0);
    SPOIL(b.count = 0);
    SPOIL(b.attr_count = 0);
    SPOIL(b.count = 0; b.attr_count = 0);
    SPOIL(b.attr_count = 2; b.starts[1] = 1);
    SPOIL(b.attr_count = 2; b.starts[1] = 0);
    SPOIL(b.attr_count = 2; b.starts[1] = 3);
    SPOIL(b.attr_count = 2; b.starts[1] = 100);
    SPOIL(b.attr_count = 3; b.starts[1] = 2; b.starts[2] = 1);
    SPOIL(b.attr_count = 4);
    SPOIL(b.starts[0] = 1);
    SPOIL(b.attrs[0].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid);
    SPOIL(b.attrs[0].srcAccessOrder = (enum cudaMemcpySrcAccessOrder)4);
    SPOIL(b.attrs[0].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall);
    SPOIL(b.attrs[0].srcAccessOrder = cudaMemcpySrcAccessOrderAny);
    SPOIL(b.attrs[0].flags = 1);
    SPOIL(b.attrs[0].flags = 2);
    SPOIL(b.attrs[0].flags = 0xff);
    SPOIL(b.dsts[1] = NULL);
    SPOIL(b.srcs[1] = NULL);
    SPOIL(b.sizes[1] = 0);
    SPOIL(b.sizes[0] = b.sizes[1] = b.sizes[2] = 0);
    SPOIL(b.sizes[1] = 0; b.dsts[1] = NULL);
    SPOIL(b.sizes[1] = HUGE_SIZE);
    SPOIL(b.dsts[1] = d + 32);
    SPOIL(b.dsts[0] = h; b.srcs[0] = h + 1024);
    SPOIL(b.attrs[0].srcLocHint.type = cudaMemLocationTypeDevice);
    SPOIL(b.attrs[0].srcLocHint.type = cudaMemLocationTypeDevice; b.attrs[0].srcLocHint.id = 1000);
    SPOIL(b.attrs[0].srcLocHint.type = (enum cudaMemLocationType)77);
    struct batch whole = good();
    TRY_AS(submit(&whole, NULL), "stream NULL");
    TRY_AS(submit(&whole, cudaStreamLegacy), "stream legacy");
    TRY_AS(submit(&whole, cudaStreamPerThread), "stream per thread");
    whole.count = 0;
    TRY_AS(submit(&whole, NULL), "stream NULL, 0 copies");
    whole = good();
    whole.attr_count = 0;
    TRY_AS(submit(&whole, NULL), "stream NULL, 0 attributes");
    whole = good();
    CALL(cudaMemcpyBatchAsync(NULL, NULL, NULL, 0, NULL, NULL, 0, NULL));
    CALL(cudaMemcpyBatchAsync(NULL, NULL, NULL, 0, NULL, NULL, 0, stream));
    CALL(cudaMemcpyBatchAsync(NULL, NULL, NULL, 1, NULL, NULL, 0, stream));
    CALL(cudaMemcpyBatchAsync(NULL, NULL, NULL, 1, NULL, NULL, 1, stream));
    CALL(cudaMemcpyBatchAsync(NULL, whole.srcs, whole.sizes, 3, whole.attrs, whole.starts, 1,
                              stream));
    CALL(cudaMemcpyBatchAsync(whole.dsts, NULL, whole.sizes, 3, whole.attrs, whole.starts, 1,
                              stream));
    CALL(cudaMemcpyBatchAsync(whole.dsts, whole.srcs, NULL, 3, whole.attrs, whole.starts, 1,
                              stream));
    CALL(cudaMemcpyBatchAsync(whole.dsts, whole.srcs, whole.sizes, 3, NULL, whole.starts, 1,
                              stream));
    CALL(
        cudaMemcpyBatchAsync(whole.dsts, whole.srcs, whole.sizes, 3, whole.attrs, NULL, 1, stream));
}

void case_batch_values(void)
{
    unsigned char back[256];
    make_blocks();
    REQUIRE(cudaMemset(e, 5, 64 * KIB));
    memset(h, 6, 64 * KIB);
    struct batch b = good();
    b.sizes[1] = 32;
    CALL(submit(&b, stream));
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaMemcpy(back, d, 256, cudaMemcpyDeviceToHost));
    VALUE(back[0] * 1000000 + back[64] * 10000 + back[96] * 100 + back[128],
          "bytes 0, 64, 96, 128");
    VALUE(back[192], "byte 192");
}

static struct cudaMemcpy3DBatchOp good_op(void)
{
    struct cudaMemcpy3DBatchOp op = {0};
    op.src.type = cudaMemcpyOperandTypePointer;
    op.src.op.ptr.ptr = e;
    op.src.op.ptr.rowLength = 64;
    op.src.op.ptr.layerHeight = 8;
    op.dst = op.src;
    op.dst.op.ptr.ptr = d;
    op.extent = (struct cudaExtent){32, 4, 3};
    op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    return op;
}

#define SPOIL_OP(...)                                                                              \
    do {                                                                                           \
        struct cudaMemcpy3DBatchOp op = good_op();                                                 \
        __VA_ARGS__;                                                                               \
        TRY_AS(cudaMemcpy3DBatchAsync(1, &op, 0, stream), "%s", #__VA_ARGS__);                     \
    } while (0)

void case_batch_3d(void)
{
    make_blocks();
    SPOIL_OP((void)0);
    SPOIL_OP(op.src.op.ptr.rowLength = 31);
    SPOIL_OP(op.src.op.ptr.rowLength = 0);
    SPOIL_OP(op.src.op.ptr.rowLength = 0; op.src.op.ptr.layerHeight = 0);
    SPOIL_OP(op.src.op.ptr.layerHeight = 3);
    SPOIL_OP(op.src.op.ptr.layerHeight = 0);
    SPOIL_OP(op.src.op.ptr.ptr = NULL);
    SPOIL_OP(op.dst.op.ptr.ptr = NULL);
    SPOIL_OP(op.src.type = (enum cudaMemcpy3DOperandType)0);
    SPOIL_OP(op.src.type = (enum cudaMemcpy3DOperandType)9);
    SPOIL_OP(op.extent.width = 0);
    SPOIL_OP(op.extent.height = 0);
    SPOIL_OP(op.extent.depth = 0);
    SPOIL_OP(op.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid);
    SPOIL_OP(op.flags = 0xf0);
    SPOIL_OP(op.src.op.ptr.ptr = h);
    struct cudaMemcpy3DBatchOp op = good_op();
    TRY_AS(cudaMemcpy3DBatchAsync(1, &op, 0, NULL), "stream NULL");
    TRY_AS(cudaMemcpy3DBatchAsync(1, &op, 0, cudaStreamLegacy), "stream legacy");
    TRY_AS(cudaMemcpy3DBatchAsync(1, &op, 0, cudaStreamPerThread), "stream per thread");
    TRY_AS(cudaMemcpy3DBatchAsync(1, &op, 1, stream), "flags 1");
    TRY_AS(cudaMemcpy3DBatchAsync(0, &op, 0, stream), "0 copies");
    TRY_AS(cudaMemcpy3DBatchAsync(0, NULL, 0, stream), "0 copies, NULL list");
    TRY_AS(cudaMemcpy3DBatchAsync(1, NULL, 0, stream), "1 copy, NULL list");
}
