/* The driver API's decompression.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"
#include "facade/memory/decompress.h"

CUresult cuMemBatchDecompressAsync(CUmemDecompressParams *paramsArray, size_t count,
                                   unsigned int flags, size_t *errorIndex, CUstream stream)
{
    const CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS)
        return facade_driver_error(
            facade_decompress(paramsArray, count, flags, errorIndex, stream));
    if (errorIndex != NULL)
        *errorIndex = SIZE_MAX;
    return result;
}
