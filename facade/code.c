/* Code as programs hand it over: what it is, files of it, and where its compiler's log goes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/trace.h"

enum { SPIRV_MAGIC = 0x07230203, ELF_MAGIC = 0x464c457f };
static const uint32_t fatbin_magic = 0xba55ed50u;
static const uint32_t fatbin_wrapper_magic = 0x466243b1u;

/* --- what it is ------------------------------------------------------------------------------- */

static uint32_t first_word(const void *code)
{
    uint32_t word = 0;
    /* Text shorter than a word ends within it; byte by byte, nothing behind its end is read. */
    for (unsigned i = 0; i < 4; i++) {
        unsigned char byte = ((const unsigned char *)code)[i];
        word |= (uint32_t)byte << (8 * i);
        if (byte == 0)
            break;
    }
    return word;
}

/* SPIR-V has no length of its own: in memory it must end with a zero word, as text ends with a zero
 * byte. */
static size_t spirv_bytes(const uint32_t *words)
{
    size_t count = 5;
    while (words[count] >> 16 != 0)
        count += words[count] >> 16;
    return count * sizeof *words;
}

static bool looks_like_ptx(const char *text, size_t bytes)
{
    static const char directive[] = ".version";
    const char *place = memmem(text, bytes, directive, sizeof directive - 1);
    return place != NULL && memmem(place, bytes - (size_t)(place - text), ".target", 7) != NULL &&
           memmem(text, bytes, "__kernel", 8) == NULL;
}

size_t facade_code_bytes(const void *code)
{
    return first_word(code) == SPIRV_MAGIC ? spirv_bytes(code) : strlen(code);
}

cudaError_t facade_code_check(const void *code, size_t bytes)
{
    uint32_t word = first_word(code);
    if (bytes == 0)
        return cudaErrorInvalidKernelImage;
    if (word == SPIRV_MAGIC)
        return cudaSuccess;
    if (word == ELF_MAGIC || word == fatbin_magic || word == fatbin_wrapper_magic) {
        ocl_log(true, "the code is a binary for NVIDIA GPUs; clem takes OpenCL C text or SPIR-V");
        return cudaErrorNoKernelImageForDevice;
    }
    if (looks_like_ptx(code, bytes)) {
        ocl_log(true, "the code is PTX; clem takes OpenCL C text or SPIR-V");
        return cudaErrorInvalidPtx;
    }
    return cudaSuccess;
}

cudaError_t facade_code_read_file(const char *path, char **text, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return path[0] != '\0' ? cudaErrorFileNotFound : cudaErrorInvalidValue;
    cudaError_t error = cudaErrorFileNotFound;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    *text = NULL;
    if (size < 0 || fseek(file, 0, SEEK_SET) != 0)
        goto done;
    error = cudaErrorMemoryAllocation;
    *text = calloc((size_t)size + sizeof(uint32_t), 1);
    if (*text == NULL)
        goto done;
    *bytes = fread(*text, 1, (size_t)size, file);
    error = *bytes == (size_t)size ? cudaSuccess : cudaErrorFileNotFound;
    if (size == 0)
        error = cudaErrorInvalidKernelImage;
done:
    fclose(file);
    if (error != cudaSuccess) {
        free(*text);
        *text = NULL;
    }
    return error;
}

/* --- the caller's log buffers ----------------------------------------------------------------- */

static void *jit_value(const struct facade_jit *jit, int option)
{
    for (unsigned i = 0; i < jit->count; i++) {
        if (jit->options[i] == option)
            return jit->values[i];
    }
    return NULL;
}

void facade_jit_give_log(const struct facade_jit *jit, int buffer_option, int size_option,
                         const char *log)
{
    char *buffer = jit_value(jit, buffer_option);
    size_t capacity = (size_t)(uintptr_t)jit_value(jit, size_option);
    if (buffer == NULL || capacity == 0)
        return;
    size_t length = strlen(log) < capacity - 1 ? strlen(log) : capacity - 1;
    memcpy(buffer, log, length);
    buffer[length] = '\0';
    for (unsigned i = 0; i < jit->count; i++) {
        if (jit->options[i] == size_option)
            ((void **)(uintptr_t)jit->values)[i] = (void *)(uintptr_t)length;
    }
}

bool facade_jit_is_valid(const struct facade_jit *jit)
{
    if (jit->count > 0 && (jit->options == NULL || jit->values == NULL))
        return false;
    for (unsigned i = 0; i < jit->count; i++) {
        if (jit->options[i] < 0 || jit->options[i] >= CU_JIT_NUM_OPTIONS)
            return false;
    }
    return true;
}

bool facade_jit_wants_log(const struct facade_jit *jit)
{
    return jit_value(jit, CU_JIT_INFO_LOG_BUFFER) != NULL ||
           jit_value(jit, CU_JIT_ERROR_LOG_BUFFER) != NULL;
}
