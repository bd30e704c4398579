/* The driver API's fills with elements of 8, 16 and 32 bits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include "facade/memory/memory.h"

static CUresult fill(const struct ocl_fill *wanted, CUstream stream, bool is_async)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_memory_set(wanted, stream, is_async))
                                  : result;
}

static CUresult set_row(CUdeviceptr address, uint32_t value, uint32_t element_bytes, size_t count,
                        CUstream stream, bool is_async)
{
    const struct ocl_fill row = {
        .address = address,
        .count = count,
        .height = 1,
        .depth = 1,
        .element_bytes = element_bytes,
        .value = value,
    };
    return fill(&row, stream, is_async);
}

/* The pitch of a single row does not matter. */
static bool rows_overlap(const struct ocl_fill *rows)
{
    size_t row_bytes = 0;
    if (rows->count == 0 || rows->height <= 1)
        return false;
    return __builtin_mul_overflow(rows->count, rows->element_bytes, &row_bytes) ||
           rows->pitch < row_bytes;
}

static CUresult set_rows(CUdeviceptr address, size_t pitch, uint32_t value, uint32_t element_bytes,
                         size_t count, size_t height, CUstream stream, bool is_async)
{
    const struct ocl_fill rows = {
        .address = address,
        .pitch = pitch,
        .count = count,
        .height = height,
        .depth = 1,
        .element_bytes = element_bytes,
        .value = value,
    };
    return rows_overlap(&rows) ? CUDA_ERROR_INVALID_VALUE : fill(&rows, stream, is_async);
}

/* --- entry points ----------------------------------------------------------------------------- */

CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N)
{
    return set_row(dstDevice, uc, 1, N, NULL, false);
}

CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N)
{
    return set_row(dstDevice, us, 2, N, NULL, false);
}

CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N)
{
    return set_row(dstDevice, ui, 4, N, NULL, false);
}

CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream)
{
    return set_row(dstDevice, uc, 1, N, hStream, true);
}

CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream)
{
    return set_row(dstDevice, us, 2, N, hStream, true);
}

CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream)
{
    return set_row(dstDevice, ui, 4, N, hStream, true);
}

CUresult cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                         size_t Height)
{
    return set_rows(dstDevice, dstPitch, uc, 1, Width, Height, NULL, false);
}

CUresult cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                          size_t Height)
{
    return set_rows(dstDevice, dstPitch, us, 2, Width, Height, NULL, false);
}

CUresult cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                          size_t Height)
{
    return set_rows(dstDevice, dstPitch, ui, 4, Width, Height, NULL, false);
}

CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                           size_t Height, CUstream hStream)
{
    return set_rows(dstDevice, dstPitch, uc, 1, Width, Height, hStream, true);
}

CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                            size_t Height, CUstream hStream)
{
    return set_rows(dstDevice, dstPitch, us, 2, Width, Height, hStream, true);
}

CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                            size_t Height, CUstream hStream)
{
    return set_rows(dstDevice, dstPitch, ui, 4, Width, Height, hStream, true);
}
