/* Tests of facade/driver/driver_memory_copy.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/driver_support.h"

enum { BYTES = 100000 };

static unsigned char *random_bytes(uint32_t seed)
{
    unsigned char *bytes = malloc(BYTES);
    assert_non_null(bytes);
    fill_with(bytes, BYTES, seed);
    return bytes;
}

static void assert_device_holds(CUdeviceptr address, const unsigned char *bytes)
{
    unsigned char *seen = calloc(1, BYTES);
    assert_non_null(seen);
    assert_driver(cuMemcpyDtoH(seen, address, BYTES));
    assert_memory_equal(seen, bytes, BYTES);
    free(seen);
}

TEST_BODY(driver_memory_copy_linear_forms)
{
    driver_use_primary();
    unsigned char *bytes = random_bytes(1), *seen = calloc(1, BYTES);
    CUdeviceptr a = driver_allocate(BYTES), b = driver_allocate(BYTES);
    assert_driver(cuMemcpyHtoD(a, bytes, BYTES));
    assert_driver(cuMemcpyDtoD(b, a, BYTES));
    assert_device_holds(b, bytes);
    fill_with(bytes, BYTES, 2);
    assert_driver(cuMemcpy(a, (uintptr_t)bytes, BYTES));
    assert_driver(cuMemcpy((uintptr_t)seen, a, BYTES));
    assert_memory_equal(seen, bytes, BYTES);
    free(bytes);
    free(seen);
}

TEST_BODY(driver_memory_copy_async_forms)
{
    CUstream stream = NULL;
    void *pinned = NULL;
    driver_use_primary();
    assert_driver(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    assert_driver(cuMemAllocHost(&pinned, BYTES));
    unsigned char *bytes = random_bytes(3);
    CUdeviceptr a = driver_allocate(BYTES), b = driver_allocate(BYTES);
    assert_driver(cuMemcpyHtoDAsync(a, bytes, BYTES, stream));
    assert_driver(cuMemcpyDtoDAsync(b, a, BYTES, stream));
    assert_driver(cuMemsetD8Async(a, 0, BYTES, stream));
    assert_driver(cuMemcpyAsync(a, b, BYTES, stream));
    assert_driver(cuMemcpyDtoHAsync(pinned, a, BYTES, stream));
    assert_driver(cuStreamSynchronize(stream));
    assert_memory_equal(pinned, bytes, BYTES);
    assert_driver(cuStreamDestroy(stream));
    assert_driver(cuMemFreeHost(pinned));
    free(bytes);
}

TEST_BODY(driver_memory_copy_refuses_wrong_ends)
{
    int value = 0;
    driver_use_primary();
    CUdeviceptr a = driver_allocate(64);
    assert_int_equal(cuMemcpyHtoD((uintptr_t)&value, &value, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoD(a, (uintptr_t)&value, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoH(&value, a + 62, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoDAsync(a, a, 4, (CUstream)&value), CUDA_ERROR_INVALID_HANDLE);
    assert_driver(cuMemcpyDtoH(NULL, 0, 0));
    CUcontext dead = NULL;
    assert_driver(cuCtxCreate(&dead, NULL, 0, 0));
    assert_driver(cuCtxDestroy(dead));
    assert_int_equal(cuMemcpyPeer(a, dead, a + 32, dead, 4), CUDA_ERROR_INVALID_CONTEXT);
}

/* A rectangle out of the middle of one block into the middle of another, against a loop. */
TEST_BODY(driver_memory_copy_2d_offsets)
{
    enum { SOURCE_PITCH = 120, TARGET_PITCH = 90, WIDTH = 37, HEIGHT = 50 };
    driver_use_primary();
    unsigned char *source = random_bytes(4), *model = random_bytes(5);
    CUdeviceptr target = driver_allocate(BYTES);
    assert_driver(cuMemcpyHtoD(target, model, BYTES));
    CUDA_MEMCPY2D copy = {
        .srcXInBytes = 11,
        .srcY = 3,
        .srcMemoryType = CU_MEMORYTYPE_HOST,
        .srcHost = source,
        .srcPitch = SOURCE_PITCH,
        .dstXInBytes = 7,
        .dstY = 5,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
        .dstDevice = target,
        .dstPitch = TARGET_PITCH,
        .WidthInBytes = WIDTH,
        .Height = HEIGHT,
    };
    assert_driver(cuMemcpy2D(&copy));
    for (size_t y = 0; y < HEIGHT; y++)
        memcpy(model + (5 + y) * TARGET_PITCH + 7, source + (3 + y) * SOURCE_PITCH + 11, WIDTH);
    assert_device_holds(target, model);
    copy.dstXInBytes = 60;
    assert_int_equal(cuMemcpy2DUnaligned(&copy), CUDA_ERROR_INVALID_VALUE);
    copy.dstXInBytes = 0;
    assert_driver(cuMemcpy2DUnaligned(&copy));
    free(source);
    free(model);
}

TEST_BODY(driver_memory_copy_3d_offsets)
{
    enum { PITCH = 64, ROWS = 20, WIDTH = 30, HEIGHT = 9, DEPTH = 6 };
    driver_use_primary();
    unsigned char *source = random_bytes(6), *model = random_bytes(7);
    CUdeviceptr from = driver_allocate(BYTES), to = driver_allocate(BYTES);
    assert_driver(cuMemcpyHtoD(from, source, BYTES));
    assert_driver(cuMemcpyHtoD(to, model, BYTES));
    const CUDA_MEMCPY3D copy = {
        .srcXInBytes = 1,
        .srcY = 2,
        .srcZ = 3,
        .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
        .srcDevice = from,
        .srcPitch = PITCH,
        .srcHeight = ROWS,
        .dstXInBytes = 4,
        .dstY = 5,
        .dstZ = 6,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
        .dstDevice = to,
        .dstPitch = PITCH,
        .dstHeight = ROWS,
        .WidthInBytes = WIDTH,
        .Height = HEIGHT,
        .Depth = DEPTH,
    };
    assert_driver(cuMemcpy3D(&copy));
    for (size_t z = 0; z < DEPTH; z++) {
        for (size_t y = 0; y < HEIGHT; y++)
            memcpy(model + ((6 + z) * ROWS + 5 + y) * PITCH + 4,
                   source + ((3 + z) * ROWS + 2 + y) * PITCH + 1, WIDTH);
    }
    assert_device_holds(to, model);
    free(source);
    free(model);
}

TEST_BODY(driver_memory_copy_batch_copies_each)
{
    CUstream stream = NULL;
    driver_use_primary();
    unsigned char *bytes = random_bytes(8);
    CUdeviceptr a = driver_allocate(BYTES), b = driver_allocate(BYTES);
    CUdeviceptr targets[] = {b, b + 50000}, sources[] = {a, a + 50000};
    size_t sizes[] = {50000, BYTES - 50000}, start = 0;
    CUmemcpyAttributes attributes = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    assert_driver(cuStreamCreate(&stream, 0));
    assert_driver(cuMemcpyHtoD(a, bytes, BYTES));
    assert_driver(cuMemcpyBatchAsync(targets, sources, sizes, 2, &attributes, &start, 1, stream));
    assert_driver(cuStreamSynchronize(stream));
    assert_device_holds(b, bytes);
    assert_int_equal(cuMemcpyBatchAsync(targets, sources, sizes, 2, &attributes, &start, 1, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    CUDA_MEMCPY3D_BATCH_OP operation = {
        .src = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER, .op.ptr.ptr = a},
        .dst = {.type = CU_MEMCPY_OPERAND_TYPE_POINTER, .op.ptr.ptr = b},
        .extent = {100, 10, 2},
        .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
    };
    assert_driver(cuMemsetD8(b, 0, BYTES));
    assert_driver(cuMemcpy3DBatchAsync(1, &operation, 0, stream));
    assert_driver(cuStreamSynchronize(stream));
    memset(bytes + 2000, 0, BYTES - 2000);
    assert_device_holds(b, bytes);
    free(bytes);
}
