/* Code as programs hand it over: what it is, files of it, and where its compiler's log goes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/code/code.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cl/pack.h"
#include "cl/trace.h"
#include "cl/whole.h"
#include "facade/code/fatbin.h"
#include "facade/state/capability.h"
#include "kernels/ptx/ptx.h"

enum { SPIRV_MAGIC = 0x07230203, ELF_MAGIC = 0x464c457f };

/* The newest version of the PTX language that is known, PTX ISA 9.x. */
static const unsigned long newest_ptx = 9;

/* --- what it is ------------------------------------------------------------------------------- */

static uint32_t first_word(const void *code, size_t bytes)
{
    uint32_t word = 0;
    /* Text shorter than a word ends within it; byte by byte, nothing behind its end is read. */
    for (unsigned i = 0; i < 4 && i < bytes; i++) {
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

static const char *behind_comment(const char *text)
{
    if (text[1] == '/')
        return text + strcspn(text, "\n");
    const char *end = strstr(text + 2, "*/");
    return end != NULL ? end + 2 : text + strlen(text);
}

/* The ".version" that PTX begins with, after blanks and comments, or NULL. */
static const char *ptx_version(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n\f\v");
        if (text[0] != '/' || (text[1] != '/' && text[1] != '*'))
            break;
        text = behind_comment(text);
    }
    return strncmp(text, ".version", 8) == 0 ? text : NULL;
}

static cudaError_t refuse(struct facade_code *code, cudaError_t error, const char *why)
{
    code->refusal = error;
    code->why = why;
    return cudaSuccess;
}

static cudaError_t refuse_machine_code(struct facade_code *code)
{
    return refuse(code, cudaErrorNoKernelImageForDevice,
                  "the code is machine code for NVIDIA GPUs only; compile it with PTX in it: "
                  "-gencode arch=compute_75,code=compute_75");
}

static cudaError_t keep(struct facade_code *code, char *text, size_t bytes)
{
    const char *version = ptx_version(text);
    code->text = text;
    code->bytes = bytes;
    code->is_ptx = version != NULL;
    if (version != NULL && strtoul(version + 8, NULL, 10) > newest_ptx)
        return refuse(code, cudaErrorUnsupportedPtxVersion,
                      "the PTX is of a newer version than 9; compile it with an older toolkit");
    return cudaSuccess;
}

/* Of a fat binary's entry for PTX. */
static cudaError_t keep_ptx(struct facade_code *code, char *text, size_t bytes)
{
    const cudaError_t error = keep(code, text, bytes);
    return code->is_ptx || error != cudaSuccess
               ? error
               : refuse(code, cudaErrorInvalidPtx,
                        "what the fat binary calls PTX is no PTX: it does not begin with .version");
}

static cudaError_t copy_fatbin(struct facade_code *code, const void *data, size_t bytes)
{
    const unsigned reported = facade_capability()->number;
    struct facade_fatbin_contents contents;
    if (!facade_fatbin_read(data, bytes, reported, &contents))
        return refuse(code, cudaErrorInvalidKernelImage, "the fat binary is damaged");
    if (contents.ptx_count == 0 && contents.machine_code_count == 0)
        return refuse(code, cudaErrorNoKernelImageForDevice, "the fat binary holds no PTX");
    if (contents.ptx_count == 0)
        return refuse_machine_code(code);
    if (contents.best.plain_bytes > FACADE_FATBIN_MOST_TEXT)
        return refuse(
            code, cudaErrorInvalidPtx,
            "the PTX in the fat binary needs more than its budget of \"text of a module\" "
            "allows: 256 MiB");
    if (contents.best.capability > reported)
        ocl_trace("a fat binary has no PTX for compute capability %u.%u or below; that for %u.%u "
                  "is taken, "
                  "and each of its kernels is tried",
                  reported / 10, reported % 10, contents.best.capability / 10,
                  contents.best.capability % 10);
    size_t text_bytes = 0;
    char *text = facade_fatbin_text(&contents.best, &text_bytes);
    if (text != NULL && contents.pack.payload != NULL)
        code->pack = ocl_pack_open(contents.pack.payload, contents.pack.payload_bytes);
    if (text != NULL)
        return keep_ptx(code, text, text_bytes);
    return text_bytes > 0 ? cudaErrorMemoryAllocation
                          : refuse(code, cudaErrorInvalidKernelImage,
                                   "the PTX in the fat binary cannot be unpacked");
}

static cudaError_t copy_plain(struct facade_code *code, const void *data, size_t bytes)
{
    char *text = calloc(bytes + sizeof(uint32_t), 1);
    if (text == NULL)
        return cudaErrorMemoryAllocation;
    memcpy(text, data, bytes);
    return keep(code, text, first_word(data, bytes) == SPIRV_MAGIC ? bytes : strlen(text));
}

static size_t own_bytes(const void *data, uint32_t word)
{
    if (word == SPIRV_MAGIC)
        return spirv_bytes(data);
    return word == FACADE_FATBIN_MAGIC ? facade_fatbin_bytes(data) : strlen(data);
}

cudaError_t facade_code_copy(struct facade_code *code, const void *data, size_t bytes)
{
    memset(code, 0, sizeof *code);
    uint32_t word = first_word(data, bytes != 0 ? bytes : sizeof word);
    if (word == FACADE_FATBIN_WRAPPER_MAGIC && bytes == 0) {
        data = ((const struct facade_fatbin_wrapper *)data)->code;
        word = data != NULL ? first_word(data, sizeof word) : 0;
    }
    if (data == NULL || word == 0)
        return refuse(code, cudaErrorInvalidKernelImage, "there is no code");
    if (word == ELF_MAGIC)
        return refuse_machine_code(code);
    if (bytes == 0)
        bytes = own_bytes(data, word);
    return word == FACADE_FATBIN_MAGIC ? copy_fatbin(code, data, bytes)
                                       : copy_plain(code, data, bytes);
}

void facade_code_free(struct facade_code *code)
{
    free(code->text);
    ptx_module_free(code->module);
    ocl_pack_release(code->pack);
    code->text = NULL;
    code->module = NULL;
    code->pack = NULL;
}

/* Without waiting for whoever may write into a pipe. NVIDIA's runtime takes a directory for a file of
 * more bytes than there is memory, and says so. */
static cudaError_t open_code(const char *path, int *file, size_t *bytes)
{
    struct stat facts = {.st_mode = 0};
    if (path[0] == '\0')
        return cudaErrorInvalidValue;
    *file = whole_open(path, O_RDONLY | O_NONBLOCK, 0);
    if (*file < 0)
        return cudaErrorFileNotFound;
    if (fstat(*file, &facts) == 0 && S_ISREG(facts.st_mode)) {
        *bytes = (size_t)facts.st_size;
        return cudaSuccess;
    }
    ocl_log(true, "%s is %s", path, S_ISDIR(facts.st_mode) ? "a directory" : "no regular file");
    close(*file);
    return S_ISDIR(facts.st_mode) ? cudaErrorMemoryAllocation : cudaErrorFileNotFound;
}

static cudaError_t read_code(int file, char *text, size_t bytes)
{
    if (whole_read(file, text, bytes) != (ssize_t)bytes)
        return cudaErrorFileNotFound;
    return bytes > 0 ? cudaSuccess : cudaErrorInvalidKernelImage;
}

cudaError_t facade_code_read_file(const char *path, char **text, size_t *bytes)
{
    int file;
    *text = NULL;
    cudaError_t error = open_code(path, &file, bytes);
    if (error != cudaSuccess)
        return error;
    *text = calloc(*bytes + sizeof(uint32_t), 1);
    error = *text != NULL ? read_code(file, *text, *bytes) : cudaErrorMemoryAllocation;
    close(file);
    if (error != cudaSuccess) {
        free(*text);
        *text = NULL;
    }
    return error;
}

/* --- what the caller's options are told ------------------------------------------------------- */

static void *jit_value(const struct facade_jit *jit, int option)
{
    for (unsigned i = 0; i < jit->count; i++) {
        if (jit->options[i] == option)
            return jit->values[i];
    }
    return NULL;
}

static void set_jit_value(const struct facade_jit *jit, int option, uintptr_t value)
{
    for (unsigned i = 0; i < jit->count; i++) {
        if (jit->options[i] == option)
            ((void **)(uintptr_t)jit->values)[i] = (void *)value;
    }
}

static void give_log(const struct facade_jit *jit, int buffer_option, int size_option,
                     const char *log)
{
    char *buffer = jit_value(jit, buffer_option);
    size_t capacity = (size_t)(uintptr_t)jit_value(jit, size_option);
    if (buffer == NULL || capacity == 0)
        return;
    size_t length = strlen(log) < capacity - 1 ? strlen(log) : capacity - 1;
    memcpy(buffer, log, length);
    buffer[length] = '\0';
    set_jit_value(jit, size_option, length);
}

void facade_jit_give_logs(const struct facade_jit *jit, bool is_error, const char *log)
{
    const char *words = log != NULL ? log : "";
    give_log(jit, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
             is_error ? words : "");
    give_log(jit, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, is_error ? "" : words);
}

uint64_t facade_jit_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void facade_jit_give_time(const struct facade_jit *jit, uint64_t nanoseconds)
{
    const float milliseconds = (float)nanoseconds / 1e6f;
    uint32_t bits;
    memcpy(&bits, &milliseconds, sizeof bits);
    set_jit_value(jit, CU_JIT_WALL_TIME, bits);
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

bool facade_jit_wants_answer(const struct facade_jit *jit)
{
    bool wants_time = false;
    for (unsigned i = 0; i < jit->count; i++)
        wants_time |= jit->options[i] == CU_JIT_WALL_TIME;
    return wants_time || facade_jit_wants_log(jit);
}
