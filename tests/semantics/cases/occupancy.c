/* Semantics of occupancy.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../oracle.h"

void case_occupancy_blocks(void)
{
    static int not_a_kernel;
    int blocks = 77;
    const void *f = kernel(KERNEL_ADD);
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, NULL, 0, 0));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, f, 128, 0));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, NULL, 128, 0));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &not_a_kernel, 128, 0));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 0, 0));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, -1, 0));
    VALUE(blocks, "untouched");
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 2000, 0));
    VALUE(blocks, "blocks of 2000");
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 128, 0));
    VALUE(blocks > 0, "blocks of 128");
    DEVICE_VALUE(blocks, "blocks of 128: number");
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 1024, 0));
    DEVICE_VALUE(blocks, "blocks of 1024: number");
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 128, 40 * KIB));
    DEVICE_VALUE(blocks, "40 KiB shared: number");
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 128, GIB));
    VALUE(blocks, "1 GiB shared");
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, f, 128, 0, 0));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, f, 128, 0, 1));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, f, 128, 0, 2));
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(NULL, NULL, -1, 0, 99));
}

void case_occupancy_shared(void)
{
    size_t bytes = 77;
    const void *f = kernel(KERNEL_ADD);
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(NULL, NULL, 0, 0));
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(NULL, f, 1, 128));
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, NULL, 1, 128));
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 0, 128));
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 1, 0));
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, f, -1, 128));
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 1, 2000));
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 100000, 128));
    CALL(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 1, 128));
    VALUE(bytes > 0, "some");
    DEVICE_VALUE((long long)bytes, "bytes");
}

void case_occupancy_clusters(void)
{
    int n = 77;
    cudaLaunchConfig_t c = {0};
    c.gridDim = (dim3){1, 1, 1};
    c.blockDim = (dim3){128, 1, 1};
    CALL(cudaOccupancyMaxPotentialClusterSize(NULL, NULL, NULL));
    CALL(cudaOccupancyMaxPotentialClusterSize(&n, kernel(KERNEL_ADD), NULL));
    CALL(cudaOccupancyMaxPotentialClusterSize(&n, kernel(KERNEL_ADD), &c));
    DEVICE_VALUE(n, "cluster size");
    CALL(cudaOccupancyMaxActiveClusters(NULL, NULL, NULL));
    CALL(cudaOccupancyMaxActiveClusters(&n, kernel(KERNEL_ADD), &c));
    DEVICE_VALUE(n, "clusters");
}
