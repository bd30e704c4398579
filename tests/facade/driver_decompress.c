/* Tests of facade/driver/driver_decompress.c, facade/memory/decompress.c, facade/memory/packed_format.c and
 * cl/transfer/unpack.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include <lz4.h>

#include "tests/facade/driver_support.h"

enum { PLAIN = 700, ROOM = 1024, NOTHING = 0xee };

/* A raw stream of Deflate with codes of its own, which has 700 bytes: (7i + i/64) mod 13. */
static const unsigned char dynamic[] = {165, 203, 183, 17,  0,   32,  12,  0,   49,  7,   112, 130,
                                        253, 231, 101, 6,   238, 75,  21,  146, 212, 178, 246, 89,
                                        103, 223, 144, 127, 192, 30,  176, 11,  236, 9,   187, 194,
                                        94,  176, 27,  236, 13,  187, 195, 62,  164, 63};

/* "abcabcabc" with the code that the format fixes, and behind a stored block. */
static const unsigned char fixed[] = {0x4b, 0x4c, 0x4a, 0x4e, 0x04, 0x23, 0x00};
static const unsigned char stored[] = {0x00, 0x02, 0x00, 0xfd, 0xff, 'x', 'y', 0x03, 0x00};

/* The same: a literal of three bytes and a copy of six from three before. */
static const unsigned char snappy[] = {9, 2 << 2, 'a', 'b', 'c', (6 - 4) << 2 | 1, 3};

static unsigned char plain_byte(unsigned i)
{
    return (unsigned char)((7 * i + i / 64) % 13);
}

static void fill_plain(unsigned char *bytes)
{
    for (unsigned i = 0; i < PLAIN; i++)
        bytes[i] = plain_byte(i);
}

/* Packed bytes in device memory, and room behind a word for what they become. */
struct piece {
    CUdeviceptr source, target, count;
};

static struct piece make_piece(CUmemDecompressParams *params, CUmemDecompressAlgorithm algorithm,
                               const void *packed, size_t bytes)
{
    struct piece piece;
    assert_driver(cuMemAlloc(&piece.source, bytes));
    assert_driver(cuMemAlloc(&piece.count, sizeof(cuuint32_t)));
    assert_driver(cuMemAlloc(&piece.target, ROOM));
    assert_driver(cuMemcpyHtoD(piece.source, packed, bytes));
    assert_driver(cuMemsetD8(piece.target, NOTHING, ROOM));
    assert_driver(cuMemsetD8(piece.count, NOTHING, sizeof(cuuint32_t)));
    assert_driver(cuCtxSynchronize());
    *params = (CUmemDecompressParams){.srcNumBytes = bytes,
                                      .dstNumBytes = ROOM,
                                      .dstActBytes = (cuuint32_t *)(uintptr_t)piece.count,
                                      .src = (const void *)(uintptr_t)piece.source,
                                      .dst = (void *)(uintptr_t)piece.target,
                                      .algo = algorithm};
    return piece;
}

static void check_piece(const struct piece *piece, const void *plain, size_t bytes)
{
    unsigned char got[ROOM];
    cuuint32_t count = 0;
    assert_driver(cuMemcpyDtoH(&count, piece->count, sizeof count));
    assert_driver(cuMemcpyDtoH(got, piece->target, ROOM));
    assert_int_equal(count, bytes);
    if (bytes > 0)
        assert_memory_equal(got, plain, bytes);
    for (size_t i = bytes; i < ROOM; i++)
        assert_int_equal(got[i], NOTHING);
}

TEST_BODY(decompress_unpacks_every_format_in_one_batch)
{
    unsigned char plain[PLAIN];
    char packed[ROOM];
    CUmemDecompressParams params[5];
    struct piece pieces[5];
    driver_use_primary();
    fill_plain(plain);
    const int bytes = LZ4_compress_default((const char *)plain, packed, PLAIN, ROOM);
    pieces[0] = make_piece(&params[0], CU_MEM_DECOMPRESS_ALGORITHM_LZ4, packed, (size_t)bytes);
    pieces[1] = make_piece(&params[1], CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY, snappy, sizeof snappy);
    pieces[2] =
        make_piece(&params[2], CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE, dynamic, sizeof dynamic);
    pieces[3] = make_piece(&params[3], CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE, fixed, sizeof fixed);
    pieces[4] = make_piece(&params[4], CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE, stored, sizeof stored);
    params[2].dstNumBytes = 0; /* whatever it becomes */
    params[3].dstNumBytes = 9;
    assert_driver(cuMemBatchDecompressAsync(params, 5, 0, NULL, NULL));
    memset(params, 0, sizeof params); /* the call has read it */
    check_piece(&pieces[0], plain, PLAIN);
    check_piece(&pieces[1], "abcabcabc", 9);
    check_piece(&pieces[2], plain, PLAIN);
    check_piece(&pieces[3], "abcabcabc", 9);
    check_piece(&pieces[4], "xy", 2);
}

TEST_BODY(decompress_takes_managed_memory)
{
    unsigned char *memory = NULL;
    CUmemDecompressParams params;
    driver_use_primary();
    const struct piece piece =
        make_piece(&params, CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY, snappy, sizeof snappy);
    assert_driver(cuMemAllocManaged((CUdeviceptr *)&memory, ROOM, CU_MEM_ATTACH_GLOBAL));
    memcpy(memory, snappy, sizeof snappy);
    params.src = memory;
    params.dstActBytes = (cuuint32_t *)(uintptr_t)(memory + 64);
    params.dst = memory + 128;
    params.dstNumBytes = 0;
    assert_driver(cuMemBatchDecompressAsync(&params, 1, 0, NULL, NULL));
    assert_driver(cuCtxSynchronize());
    assert_int_equal(*params.dstActBytes, 9);
    assert_memory_equal(memory + 128, "abcabcabc", 9);
    assert_driver(cuMemFree((CUdeviceptr)(uintptr_t)memory));
    assert_driver(cuMemFree(piece.source));
}

/* The packed bytes come by the stream itself, behind a wait; what is unpacked is copied on by it. */
TEST_BODY(decompress_keeps_the_order_of_its_stream)
{
    CUmemDecompressParams params;
    CUstream stream = NULL, other = NULL;
    CUdeviceptr word = 0, copy = 0;
    char got[9];
    driver_use_primary();
    const struct piece piece =
        make_piece(&params, CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE, fixed, sizeof fixed);
    assert_driver(cuMemAlloc(&word, 4));
    assert_driver(cuMemAlloc(&copy, 9));
    assert_driver(cuMemsetD32(word, 0, 1));
    assert_driver(cuMemcpyHtoD(piece.source, stored, sizeof fixed));
    assert_driver(cuCtxSynchronize());
    assert_driver(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    assert_driver(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    assert_driver(cuStreamWaitValue32(stream, word, 1, CU_STREAM_WAIT_VALUE_EQ));
    assert_driver(cuMemcpyHtoDAsync(piece.source, fixed, sizeof fixed, stream));
    assert_driver(cuMemBatchDecompressAsync(&params, 1, 0, NULL, stream));
    assert_driver(cuMemcpyDtoDAsync(copy, piece.target, 9, stream));
    assert_driver(cuMemsetD8Async(piece.target, NOTHING, 9, stream));
    assert_int_equal(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    assert_driver(cuStreamWriteValue32(other, word, 1, 0));
    assert_driver(cuStreamSynchronize(stream));
    assert_driver(cuMemcpyDtoH(got, copy, 9));
    assert_memory_equal(got, "abcabcabc", 9);
    assert_driver(cuMemcpyDtoH(got, piece.target, 9));
    assert_int_equal((unsigned char)got[0], NOTHING);
    assert_driver(cuStreamDestroy(stream));
    assert_driver(cuStreamDestroy(other));
}

/* The target stays as it is; the others of the batch, and what comes behind, are done. */
TEST_BODY(decompress_of_wrong_bytes_writes_no_more_than_that)
{
    static const unsigned char wrong[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const CUmemDecompressAlgorithm algorithms[] = {CU_MEM_DECOMPRESS_ALGORITHM_LZ4,
                                                          CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY,
                                                          CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE};
    CUmemDecompressParams params[6];
    struct piece pieces[6];
    driver_use_primary();
    for (int i = 0; i < 3; i++)
        pieces[i] = make_piece(&params[i], algorithms[i], wrong, sizeof wrong);
    pieces[3] =
        make_piece(&params[3], CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE, dynamic, sizeof dynamic);
    pieces[4] = make_piece(&params[4], CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY, snappy, sizeof snappy);
    pieces[5] = make_piece(&params[5], CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY, snappy, sizeof snappy);
    params[3].srcNumBytes--;   /* it ends too early */
    params[4].dstNumBytes = 8; /* no room */
    assert_driver(cuMemBatchDecompressAsync(params, 6, 0, NULL, NULL));
    for (int i = 0; i < 5; i++)
        check_piece(&pieces[i], NULL, 0);
    check_piece(&pieces[5], "abcabcabc", 9);
    assert_driver(cuCtxSynchronize());
}

static void check_refused(const CUmemDecompressParams *good, const CUmemDecompressParams *bad)
{
    CUmemDecompressParams params[2] = {*good, *bad};
    size_t index = 7;
    assert_int_equal(cuMemBatchDecompressAsync(params, 2, 0, &index, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(index, 1);
}

TEST_BODY(decompress_says_which_piece_it_refuses)
{
    CUmemDecompressParams good, bad;
    char host[16] = {0};
    void *pinned = NULL;
    size_t index = 7;
    driver_use_primary();
    const struct piece piece =
        make_piece(&good, CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY, snappy, sizeof snappy);
    assert_driver(cuMemHostAlloc(&pinned, 64, 0));
#define REFUSED(field, value)                                                                      \
    bad = good;                                                                                    \
    bad.field = (value);                                                                           \
    check_refused(&good, &bad)
    REFUSED(src, NULL);
    REFUSED(src, host);
    REFUSED(src, pinned);
    REFUSED(srcNumBytes, 0);
    REFUSED(srcNumBytes, sizeof snappy + 1);
    REFUSED(dst, NULL);
    REFUSED(dst, host);
    REFUSED(dstNumBytes, ROOM + 1);
    REFUSED(dstActBytes, NULL);
    REFUSED(dstActBytes, (cuuint32_t *)(uintptr_t)(piece.count + 1));
    REFUSED(algo, CU_MEM_DECOMPRESS_UNSUPPORTED);
    REFUSED(algo, (CUmemDecompressAlgorithm)3);
    REFUSED(algo, (CUmemDecompressAlgorithm)8);
    assert_int_equal(cuMemBatchDecompressAsync(NULL, 1, 0, &index, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(index, SIZE_MAX);
    assert_int_equal(cuMemBatchDecompressAsync(&good, 0, 0, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemBatchDecompressAsync(&good, 1, 1, &index, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemBatchDecompressAsync(&good, 1, 0, &index, (CUstream)(uintptr_t)64),
                     CUDA_ERROR_INVALID_HANDLE);
    assert_driver(cuMemsetD32(piece.count, 0, 1));
    check_piece(&piece, NULL, 0); /* nothing of all that was done */
    assert_driver(cuMemFreeHost(pinned));
}

TEST_BODY(decompress_is_no_node_of_a_graph)
{
    CUmemDecompressParams params;
    CUstream stream = NULL;
    CUgraph graph = NULL;
    driver_use_primary();
    const struct piece piece =
        make_piece(&params, CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY, snappy, sizeof snappy);
    assert_driver(cuStreamCreate(&stream, 0));
    assert_driver(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    assert_int_equal(cuMemBatchDecompressAsync(&params, 1, 0, NULL, stream),
                     CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_int_equal(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_driver(cuMemBatchDecompressAsync(&params, 1, 0, NULL, stream));
    assert_driver(cuStreamDestroy(stream));
    check_piece(&piece, "abcabcabc", 9);
}

TEST_BODY(decompress_attributes_say_what_works)
{
    int mask = 0, most = 0;
    unsigned char is_capable = 7;
    CUdeviceptr memory = 0;
    void *pinned = NULL;
    driver_use_primary();
    assert_driver(
        cuDeviceGetAttribute(&mask, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK, 0));
    assert_driver(
        cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH, 0));
    assert_int_equal(mask, CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE |
                               CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY |
                               CU_MEM_DECOMPRESS_ALGORITHM_LZ4);
    assert_true(most >= 4 << 20);
    assert_driver(cuMemAlloc(&memory, 64));
    assert_driver(cuMemHostAlloc(&pinned, 64, 0));
    assert_driver(
        cuPointerGetAttribute(&is_capable, CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE, memory));
    assert_int_equal(is_capable, 1);
    assert_driver(cuPointerGetAttribute(&is_capable, CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE,
                                        (CUdeviceptr)(uintptr_t)pinned));
    assert_int_equal(is_capable, 0);
}
