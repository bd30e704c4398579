/* Checks of allocation: pitches, volumes, how much there is, and what kinds of memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda.h>
#include <stdlib.h>
#include <string.h>

#include "bench/checks/checks.h"

/* Rows of a pitched allocation begin alike and are at least as long as asked for, whatever the size
 * of elements that the driver API is told. */
static bool fits_pitch(struct attempt *attempt, size_t width, size_t height, int alignment)
{
    void *memory = NULL;
    size_t pitch = 0;
    if (!cuda_ok(attempt, cudaMallocPitch(&memory, &pitch, width, height), "cudaMallocPitch"))
        return false;
    char *last = (char *)memory + (height - 1) * pitch + width - 1, byte = 0x3C, back = 0;
    bool fine =
        check_that(attempt, pitch >= width, "a pitch is shorter than its row") &&
        check_that(attempt, pitch % (size_t)alignment == 0,
                   "a pitch is no multiple of the alignment that textures need") &&
        check_that(attempt, (uintptr_t)memory % (size_t)alignment == 0,
                   "the first row is not aligned") &&
        cuda_ok(attempt, cudaMemcpy(last, &byte, 1, cudaMemcpyHostToDevice), "cudaMemcpy") &&
        cuda_ok(attempt, cudaMemcpy(&back, last, 1, cudaMemcpyDeviceToHost), "cudaMemcpy") &&
        check_that(attempt, back == byte, "the last byte of the last row was lost");
    cudaFree(memory);
    return fine;
}

typedef CUresult pitch_function(CUdeviceptr *memory, size_t *pitch, size_t width, size_t height,
                                unsigned element);
typedef CUresult free_function(CUdeviceptr memory);

static bool takes_elements(struct attempt *attempt)
{
    check_function *take = NULL, *give = NULL;
    if (!check_driver(attempt, "cuMemAllocPitch", &take) ||
        !check_driver(attempt, "cuMemFree", &give))
        return false;
    for (unsigned element = 4; element <= 16; element *= 2) {
        CUdeviceptr memory = 0;
        size_t pitch = 0;
        if (((pitch_function *)take)(&memory, &pitch, 352, 16, element) != CUDA_SUCCESS)
            return check_that(attempt, false, "cuMemAllocPitch failed");
        ((free_function *)give)(memory);
        /* 16 elements are what threads read together: each row begins where such a piece may. */
        if (pitch < 352 || pitch % (16 * element) != 0)
            return check_that(attempt, false, "cuMemAllocPitch: rows do not begin with a piece");
    }
    CUdeviceptr none = 0;
    size_t pitch = 0;
    return check_that(
        attempt, ((pitch_function *)take)(&none, &pitch, 352, 16, 5) == CUDA_ERROR_INVALID_VALUE,
        "cuMemAllocPitch takes elements of 5 bytes");
}

bool check_pitch(struct attempt *attempt)
{
    static const size_t widths[] = {1, 100, 352, 1000, 4095, 4096};
    int alignment = 0;
    size_t pitch = 0;
    void *memory = NULL;
    bool fine = cuda_ok(attempt,
                        cudaDeviceGetAttribute(&alignment, cudaDevAttrTexturePitchAlignment,
                                               attempt->device->index),
                        "cudaDeviceGetAttribute");
    for (size_t i = 0; fine && i < sizeof widths / sizeof *widths; i++)
        fine = fits_pitch(attempt, widths[i], 37, alignment);
    fine = fine && takes_elements(attempt) &&
           cuda_ok(attempt, cudaMallocPitch(&memory, &pitch, 352, 2), "cudaMallocPitch");
    if (fine)
        check_note(attempt, "rows of 352 bytes lie %zu apart", pitch);
    cudaFree(memory);
    return fine;
}

enum { WIDTH = 100, HEIGHT = 7, DEPTH = 5 };

/* Fills an inner box and copies it out: rows and slices must be where pointer, pitch and ysize say. */
static bool use_volume(struct attempt *attempt, struct cudaPitchedPtr volume)
{
    unsigned char dense[DEPTH][HEIGHT][WIDTH];
    const struct cudaExtent all = {WIDTH, HEIGHT, DEPTH}, box = {30, 3, 2};
    struct cudaPitchedPtr inner = volume;
    inner.ptr = (char *)volume.ptr + (2 * volume.ysize + 1) * volume.pitch + 40;
    const struct cudaMemcpy3DParms copy = {
        .srcPtr = volume,
        .dstPtr = {dense, WIDTH, WIDTH, HEIGHT},
        .extent = all,
        .kind = cudaMemcpyDeviceToHost,
    };
    if (!cuda_ok(attempt, cudaMemset3D(volume, 1, all), "cudaMemset3D") ||
        !cuda_ok(attempt, cudaMemset3D(inner, 2, box), "cudaMemset3D") ||
        !cuda_ok(attempt, cudaMemcpy3D(&copy), "cudaMemcpy3D"))
        return false;
    for (size_t z = 0; z < DEPTH; z++)
        for (size_t y = 0; y < HEIGHT; y++)
            for (size_t x = 0; x < WIDTH; x++) {
                bool inside = x >= 40 && x < 70 && y >= 1 && y < 4 && z >= 2 && z < 4;
                if (dense[z][y][x] != (inside ? 2 : 1))
                    return attempt_wrong(attempt, (z * HEIGHT + y) * WIDTH + x);
            }
    return true;
}

bool check_volume(struct attempt *attempt)
{
    struct cudaPitchedPtr volume = {0};
    const struct cudaExtent extent = {WIDTH, HEIGHT, DEPTH};
    bool fine = cuda_ok(attempt, cudaMalloc3D(&volume, extent), "cudaMalloc3D") &&
                check_that(attempt, volume.xsize == WIDTH && volume.ysize == HEIGHT,
                           "cudaMalloc3D tells another shape") &&
                check_that(attempt, volume.pitch >= WIDTH, "a pitch is shorter than its row") &&
                use_volume(attempt, volume);
    cudaFree(volume.ptr);
    return fine;
}

typedef CUresult total_function(size_t *bytes, CUdevice device);

bool check_memory(struct attempt *attempt)
{
    struct cudaDeviceProp properties;
    size_t free_bytes = 0, total = 0, of_driver = 0;
    check_function *ask = NULL;
    if (!cuda_ok(attempt, cudaGetDeviceProperties(&properties, attempt->device->index),
                 "cudaGetDeviceProperties") ||
        !cuda_ok(attempt, cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo") ||
        !check_driver(attempt, "cuDeviceTotalMem", &ask))
        return false;
    if (((total_function *)ask)(&of_driver, attempt->device->index) != CUDA_SUCCESS)
        return check_that(attempt, false, "cuDeviceTotalMem failed");
    if (!check_that(attempt, properties.totalGlobalMem > 0, "there is no memory") ||
        !check_that(attempt, of_driver == properties.totalGlobalMem,
                    "runtime and driver tell different sizes") ||
        !check_that(attempt, free_bytes <= total, "more is free than there is") ||
        !check_that(attempt, total <= properties.totalGlobalMem,
                    "cudaMemGetInfo tells more than the properties"))
        return false;
    check_note(attempt, "%.1f GiB, of which %.1f are free", (double)total / (1 << 30),
               (double)free_bytes / (1 << 30));
    return true;
}

static int attribute(const struct attempt *attempt, enum cudaDeviceAttr which)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, attempt->device->index) != cudaSuccess)
        cudaGetLastError();
    return value;
}

/* Every kind of memory and cache that has a size or a switch. */
bool check_spaces(struct attempt *attempt)
{
    const int shared = attribute(attempt, cudaDevAttrMaxSharedMemoryPerBlock);
    const int constants = attribute(attempt, cudaDevAttrTotalConstantMemory);
    const int registers = attribute(attempt, cudaDevAttrMaxRegistersPerBlock);
    if (!check_that(attempt, shared > 0, "no shared memory") ||
        !check_that(attempt, constants > 0, "no constant memory"))
        return false;
    check_note(attempt,
               "L2 %zu KiB, L1 for global %d, for local %d, shared %d KiB, constants %d KiB, "
               "registers %d, textures to %d x %d, managed %d, mapped %d, unified %d, pools %d",
               attempt->device->cache_bytes >> 10,
               attribute(attempt, cudaDevAttrGlobalL1CacheSupported),
               attribute(attempt, cudaDevAttrLocalL1CacheSupported), shared >> 10, constants >> 10,
               registers, attribute(attempt, cudaDevAttrMaxTexture2DWidth),
               attribute(attempt, cudaDevAttrMaxTexture2DHeight),
               attribute(attempt, cudaDevAttrManagedMemory),
               attribute(attempt, cudaDevAttrCanMapHostMemory),
               attribute(attempt, cudaDevAttrUnifiedAddressing),
               attribute(attempt, cudaDevAttrMemoryPoolsSupported));
    return true;
}

bool check_ecc(struct attempt *attempt)
{
    int value = -1;
    if (!cuda_ok(attempt,
                 cudaDeviceGetAttribute(&value, cudaDevAttrEccEnabled, attempt->device->index),
                 "cudaDeviceGetAttribute") ||
        !check_that(attempt, (value != 0) == attempt->device->ecc,
                    "the results' head says something else"))
        return false;
    check_note(attempt, "errors in memory are %s",
               value ? "corrected" : "not known to be corrected");
    return true;
}
