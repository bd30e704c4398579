/* Memory that the program has from elsewhere.
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/facade/memory_support.h"

#include <cuda.h>

enum { BYTES = 300000, OFFSET = 70000 };

static int make_file(size_t bytes)
{
    const int file = memfd_create("test", MFD_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)bytes), 0);
    return file;
}

static struct cudaExternalMemoryHandleDesc describe(int file, size_t bytes)
{
    return (struct cudaExternalMemoryHandleDesc){
        .type = cudaExternalMemoryHandleTypeOpaqueFd, .handle = {.fd = file}, .size = bytes};
}

static bool can_import(void)
{
    int types = 0;
    assert_success(cudaFree(NULL));
    assert_success(cudaDeviceGetAttribute(&types, cudaDevAttrIpcEventSupport, 0));
    return types != 0;
}

#define NEEDS_IMPORT()                                                                             \
    if (!can_import())                                                                             \
    TEST_SKIP("the device's memory is not the host's, or kernels have no addresses")

TEST_BODY(external_memory_is_the_files)
{
    NEEDS_IMPORT();
    const int file = make_file(BYTES), kept = dup(file);
    const struct cudaExternalMemoryHandleDesc description = describe(file, BYTES);
    const struct cudaExternalMemoryBufferDesc whole = {.size = BYTES},
                                              part = {.offset = OFFSET, .size = BYTES - OFFSET};
    cudaExternalMemory_t external = NULL;
    unsigned char *memory = NULL, *rest = NULL, byte = 5;
    struct cudaPointerAttributes attributes;
    size_t bytes = 0;
    assert_true(pwrite(kept, &byte, 1, OFFSET) == 1);
    assert_success(cudaImportExternalMemory(&external, &description));
    assert_success(cudaExternalMemoryGetMappedBuffer((void **)&memory, external, &whole));
    assert_success(cudaExternalMemoryGetMappedBuffer((void **)&rest, external, &part));
    assert_success(cudaDestroyExternalMemory(external));
    assert_fails(cudaErrorInvalidResourceHandle, cudaDestroyExternalMemory(external));
    assert_int_equal(fcntl(file, F_GETFD), -1);
    assert_success(cudaPointerGetAttributes(&attributes, rest + 1));
    assert_int_equal(attributes.type, cudaMemoryTypeDevice);
    assert_int_equal(cuMemGetAddressRange(NULL, &bytes, (CUdeviceptr)rest + 1), CUDA_SUCCESS);
    assert_int_equal(bytes, BYTES - OFFSET);
    byte = 0;
    assert_success(cudaMemcpy(&byte, rest, 1, cudaMemcpyDeviceToHost));
    assert_int_equal(byte, 5);
    assert_success(cudaMemset(memory, 7, BYTES));
    assert_success(cudaMemset(rest, 8, 1));
    assert_success(cudaDeviceSynchronize());
    assert_true(pread(kept, &byte, 1, OFFSET) == 1 && byte == 8);
    assert_true(pread(kept, &byte, 1, BYTES - 1) == 1 && byte == 7);
    assert_fails(cudaErrorInvalidValue, cudaIpcCloseMemHandle(memory));
    assert_success(cudaFree(memory));
    assert_fails(cudaErrorInvalidValue, cudaFree(memory));
    assert_success(cudaFreeAsync(rest, NULL));
    close(kept);
}

TEST_BODY(external_memory_has_driver_functions)
{
    NEEDS_IMPORT();
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC description = {
        .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .size = BYTES};
    const CUDA_EXTERNAL_MEMORY_BUFFER_DESC whole = {.size = BYTES};
    CUexternalMemory external = NULL;
    CUdeviceptr memory = 0;
    description.handle.fd = make_file(BYTES);
    assert_int_equal(cuImportExternalMemory(NULL, &description), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuImportExternalMemory(&external, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuImportExternalMemory(&external, &description), CUDA_SUCCESS);
    assert_int_equal(cuExternalMemoryGetMappedBuffer(NULL, external, &whole),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuExternalMemoryGetMappedBuffer(&memory, external, &whole), CUDA_SUCCESS);
    assert_int_equal(cuMemsetD8(memory, 3, BYTES), CUDA_SUCCESS);
    assert_int_equal(cuMemFree(memory), CUDA_SUCCESS);
    assert_int_equal(cuDestroyExternalMemory(external), CUDA_SUCCESS);
    assert_int_equal(cuDestroyExternalMemory(external), CUDA_ERROR_INVALID_HANDLE);
}

enum { LEVELS = 3, WIDTH = 40, HEIGHT = 9, PITCH = 256 };

/* What another program of the file sees: level behind level, in rows of a pitch. */
TEST_BODY(external_memory_has_arrays)
{
    NEEDS_IMPORT();
    const int file = make_file(BYTES), kept = dup(file);
    const struct cudaExternalMemoryHandleDesc description = describe(file, BYTES);
    struct cudaExternalMemoryMipmappedArrayDesc wanted = {
        .offset = OFFSET - OFFSET % PITCH,
        .formatDesc = {32, 0, 0, 0, cudaChannelFormatKindUnsigned},
        .extent = {WIDTH, HEIGHT, 0},
        .numLevels = LEVELS,
    };
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC same = {
        .offset = wanted.offset,
        .arrayDesc = {.Width = WIDTH,
                      .Height = HEIGHT,
                      .Format = CU_AD_FORMAT_UNSIGNED_INT32,
                      .NumChannels = 1},
        .numLevels = LEVELS,
    };
    cudaExternalMemory_t external = NULL;
    cudaMipmappedArray_t array = NULL, broken = NULL;
    CUmipmappedArray again = NULL;
    cudaArray_t level = NULL;
    CUarray other = NULL;
    unsigned row[WIDTH], found = 0;
    for (unsigned i = 0; i < WIDTH; i++)
        row[i] = i + 1;
    assert_success(cudaImportExternalMemory(&external, &description));
    assert_success(cudaExternalMemoryGetMappedMipmappedArray(&array, external, &wanted));
    assert_int_equal(
        cuExternalMemoryGetMappedMipmappedArray(&again, (CUexternalMemory)external, &same),
        CUDA_SUCCESS);
    wanted.offset++;
    assert_fails(cudaErrorInvalidValue,
                 cudaExternalMemoryGetMappedMipmappedArray(&broken, external, &wanted));
    wanted.offset = BYTES - BYTES % PITCH;
    assert_fails(cudaErrorInvalidValue,
                 cudaExternalMemoryGetMappedMipmappedArray(&broken, external, &wanted));
    wanted.offset = BYTES;
    assert_fails(cudaErrorInvalidValue,
                 cudaExternalMemoryGetMappedMipmappedArray(&broken, external, &wanted));
    assert_fails(cudaErrorInvalidValue,
                 cudaExternalMemoryGetMappedMipmappedArray(NULL, external, &wanted));
    assert_success(cudaDestroyExternalMemory(external));
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaExternalMemoryGetMappedMipmappedArray(&broken, external, &wanted));
    assert_success(cudaGetMipmappedArrayLevel(&level, array, 1));
    assert_success(cudaMemcpy2DToArray(level, 0, 2, row, sizeof row, WIDTH / 2 * sizeof row[0], 1,
                                       cudaMemcpyHostToDevice));
    const off_t at = (off_t)OFFSET - OFFSET % PITCH + (off_t)(HEIGHT + 2) * PITCH;
    assert_true(pread(kept, &found, sizeof found, at + 3 * 4) == sizeof found);
    assert_int_equal(found, 4);
    found = 77;
    assert_true(pwrite(kept, &found, sizeof found, at) == sizeof found);
    assert_int_equal(cuMipmappedArrayGetLevel(&other, again, 1), CUDA_SUCCESS);
    assert_success(cudaMemcpy2DFromArray(row, sizeof row, (cudaArray_t)other, 0, 2,
                                         2 * sizeof row[0], 1, cudaMemcpyDeviceToHost));
    assert_int_equal(row[0], 77);
    assert_int_equal(row[1], 2);
    assert_success(cudaFreeMipmappedArray(array));
    assert_int_equal(cuMipmappedArrayDestroy(again), CUDA_SUCCESS);
    close(kept);
}

TEST_BODY(external_memory_of_wrong_descriptions_is_refused)
{
    NEEDS_IMPORT();
    const int file = make_file(BYTES);
    struct cudaExternalMemoryHandleDesc wrong = describe(file, BYTES);
    struct cudaExternalMemoryBufferDesc part = {.size = BYTES};
    cudaExternalMemory_t external = NULL;
    void *memory = NULL;
    assert_fails(cudaErrorInvalidValue, cudaImportExternalMemory(NULL, &wrong));
    assert_fails(cudaErrorInvalidValue, cudaImportExternalMemory(&external, NULL));
    wrong.size = BYTES + 1;
    assert_fails(cudaErrorInvalidValue, cudaImportExternalMemory(&external, &wrong));
    wrong.size = 0;
    assert_fails(cudaErrorInvalidValue, cudaImportExternalMemory(&external, &wrong));
    wrong = describe(file, BYTES);
    wrong.flags = 2;
    assert_fails(cudaErrorInvalidValue, cudaImportExternalMemory(&external, &wrong));
    wrong = describe(file, BYTES);
    wrong.type = cudaExternalMemoryHandleTypeNvSciBuf;
    assert_fails(cudaErrorNotSupported, cudaImportExternalMemory(&external, &wrong));
    wrong.type = (enum cudaExternalMemoryHandleType)0;
    assert_fails(cudaErrorInvalidValue, cudaImportExternalMemory(&external, &wrong));
    wrong = describe(-1, BYTES);
    assert_fails(cudaErrorOperatingSystem, cudaImportExternalMemory(&external, &wrong));
    assert_null(external);
    wrong = describe(file, BYTES);
    assert_success(cudaImportExternalMemory(&external, &wrong));
    assert_fails(cudaErrorInvalidValue, cudaExternalMemoryGetMappedBuffer(NULL, external, &part));
    assert_fails(cudaErrorInvalidValue, cudaExternalMemoryGetMappedBuffer(&memory, external, NULL));
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaExternalMemoryGetMappedBuffer(&memory, NULL, &part));
    part.offset = 1;
    assert_fails(cudaErrorInvalidValue,
                 cudaExternalMemoryGetMappedBuffer(&memory, external, &part));
    part.offset = UINT64_MAX;
    assert_fails(cudaErrorInvalidValue,
                 cudaExternalMemoryGetMappedBuffer(&memory, external, &part));
    part = (struct cudaExternalMemoryBufferDesc){.size = 0};
    assert_fails(cudaErrorInvalidValue,
                 cudaExternalMemoryGetMappedBuffer(&memory, external, &part));
    part = (struct cudaExternalMemoryBufferDesc){.size = 1, .flags = 1};
    assert_fails(cudaErrorInvalidValue,
                 cudaExternalMemoryGetMappedBuffer(&memory, external, &part));
    assert_null(memory);
    assert_success(cudaDestroyExternalMemory(external));
}

TEST_BODY(external_memory_is_refused_where_it_cannot_be)
{
    if (can_import())
        TEST_SKIP("memory can be imported here");
    const int file = make_file(BYTES);
    const struct cudaExternalMemoryHandleDesc description = describe(file, BYTES);
    cudaExternalMemory_t external = NULL;
    assert_fails(cudaErrorNotSupported, cudaImportExternalMemory(&external, &description));
    assert_int_equal(close(file), 0); /* still the program's */
}
