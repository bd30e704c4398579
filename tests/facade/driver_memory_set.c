/* Tests of facade/driver/driver_memory_set.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/driver_support.h"

enum { BYTES = 8192 };

static void assert_holds(CUdeviceptr address, const unsigned char *model)
{
    unsigned char seen[BYTES];
    assert_driver(cuMemcpyDtoH(seen, address, BYTES));
    assert_memory_equal(seen, model, BYTES);
}

static void put(unsigned char *model, uint32_t value, size_t element_bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy(model + i * element_bytes, &value, element_bytes);
}

TEST_BODY(driver_memory_set_every_width)
{
    unsigned char model[BYTES];
    driver_use_primary();
    CUdeviceptr address = driver_allocate(BYTES);
    assert_driver(cuMemsetD8(address, 0xee, BYTES));
    memset(model, 0xee, BYTES);
    assert_driver(cuMemsetD8(address + 3, 0x11, 1001));
    put(model + 3, 0x11, 1, 1001);
    assert_driver(cuMemsetD16(address + 2002, 0x2233, 777));
    put(model + 2002, 0x2233, 2, 777);
    assert_driver(cuMemsetD32(address + 4004, 0x44556677, 501));
    put(model + 4004, 0x44556677, 4, 501);
    assert_holds(address, model);
    assert_driver(cuMemsetD16Async(address, 0x0102, 5, NULL));
    put(model, 0x0102, 2, 5);
    assert_driver(cuMemsetD32Async(address + 16, 0x01020304, 5, NULL));
    put(model + 16, 0x01020304, 4, 5);
    assert_holds(address, model);
}

TEST_BODY(driver_memory_set_rows_leave_padding_alone)
{
    static const struct {
        size_t element_bytes, count, height;
    } shapes[] = {{1, 33, 7}, {2, 17, 6}, {4, 9, 5}};
    unsigned char model[BYTES];
    driver_use_primary();
    CUdeviceptr address = driver_allocate(BYTES);
    assert_driver(cuMemsetD8(address, 0xee, BYTES));
    memset(model, 0xee, BYTES);
    assert_driver(cuMemsetD2D8(address, 100, 0x5a, shapes[0].count, shapes[0].height));
    assert_driver(cuMemsetD2D16(address + 2000, 100, 0x5a6b, shapes[1].count, shapes[1].height));
    assert_driver(
        cuMemsetD2D32(address + 4000, 100, 0x5a6b7c8d, shapes[2].count, shapes[2].height));
    for (size_t i = 0; i < 3; i++) {
        static const uint32_t values[] = {0x5a, 0x5a6b, 0x5a6b7c8d};
        for (size_t y = 0; y < shapes[i].height; y++)
            put(model + 2000 * i + 100 * y, values[i], shapes[i].element_bytes, shapes[i].count);
    }
    assert_holds(address, model);
}

TEST_BODY(driver_memory_set_refuses_what_does_not_fit)
{
    driver_use_primary();
    CUdeviceptr address = driver_allocate(BYTES);
    assert_int_equal(cuMemsetD16(address + 1, 0, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemsetD32(address + 2, 0, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemsetD2D32(address, 66, 0, 4, 2), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemsetD2D8(address, 9, 0, 10, 2), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemsetD8(address, 0, BYTES + 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemsetD32(address, 0, SIZE_MAX / 4 + 2), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemsetD2D8(address, 64, 0, 10, SIZE_MAX), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemsetD8(0, 0, 1), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuMemsetD32(1, 0, 0));
    assert_driver(cuMemsetD2D8(address, 0, 0, 10, 1));
}
