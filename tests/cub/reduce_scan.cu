// The kernels of CUB's device-wide reduction and scan.
// SPDX-License-Identifier: Apache-2.0
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

cudaError_t reduce_and_scan(void *room, size_t &room_bytes, const int *in, int *out, int count)
{
    const cudaError_t error = cub::DeviceReduce::Sum(room, room_bytes, in, out, count);
    return error ? error : cub::DeviceScan::ExclusiveSum(room, room_bytes, in, out, count);
}
