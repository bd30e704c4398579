/* Which translations are compiled in another process.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/ptx/ptx_apart.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/apart/apart.h"
#include "cl/device/driver_folder.h"
#include "cl/program/program_cache.h"
#include "kernels/hash.h"

/* PoCL takes about a second for 128 KiB of text, and another process half a second to begin with. Compiling smaller texts here
 * holds up others for less than four seconds; and of those below the other bound nobody would notice that they were compiled
 * ahead. */
enum { LARGE_TEXT = 512 << 10, LEAST_TEXT = 24 << 10 };

/* ---- What is in PoCL's cache already ---- */

/* PoCL does not tell: clem keeps a note for each text, by the folder that PoCL has. */
static bool make_key(const struct ocl_ptx_apart_text *text, char **code, struct ocl_cache_key *key)
{
    const int bytes = asprintf(code, "compiled %016" PRIx64 "%016" PRIx64 " %s",
                               text->mark.hashes[0], text->mark.hashes[1], ocl_driver_folder());
    if (bytes < 0)
        return false;
    *key = (struct ocl_cache_key){&text->device->facts, text->options, *code, (size_t)bytes};
    return true;
}

static bool is_noted(const struct ocl_ptx_apart_text *text, const char *directory)
{
    struct ocl_cache_key key;
    char *code = NULL;
    void *note = NULL;
    size_t bytes = 0;
    const bool is =
        make_key(text, &code, &key) && ocl_program_cache_load(directory, &key, &note, &bytes);
    free(note);
    free(code);
    return is;
}

void ocl_ptx_apart_note(const struct ocl_ptx_apart_text *text)
{
    struct ocl_cache_key key;
    char *code = NULL;
    const char *directory = ocl_program_cache_directory();
    if (directory && make_key(text, &code, &key))
        ocl_program_cache_store(directory, &key, "", 1);
    free(code);
}

/* Without notes every process would ask again for what is there. */
bool ocl_ptx_apart_wants(struct ocl_ptx_apart_text *text)
{
    static const uint64_t other_start = UINT64_C(0x9ae16a3b2f90404f);
    const char *directory = ocl_program_cache_directory();
    if (text->bytes < LEAST_TEXT || !directory || !ocl_apart_is_possible(text->device))
        return false;
    text->mark.hashes[0] = fnv_add(FNV_START, text->text, text->bytes);
    text->mark.hashes[1] = fnv_add(other_start, text->text, text->bytes);
    return !is_noted(text, directory);
}

/* ---- A launch's own ---- */

bool ocl_ptx_compile_apart(struct ocl_kernel *kernel, const struct ocl_ptx_told *told)
{
    const struct ocl_program *program = kernel->program;
    struct ocl_ptx_apart_text text = {.device = program->context->device,
                                      .text = program->text,
                                      .options = program->options,
                                      .name = kernel->text_name,
                                      .bytes = program->text_bytes};
    int signal = 0;
    if (!kernel->ptx->ends_when_empty || !program->context->capability.has_addresses ||
        !ocl_ptx_apart_wants(&text))
        return true;
    ocl_ptx_end_ahead(&text.mark);
    ocl_ptx_begin_ahead(kernel, told);
    if (text.bytes < LARGE_TEXT) {
        ocl_ptx_apart_note(&text); /* as good as done */
        return true;
    }
    struct ocl_apart_job job = {.device = text.device,
                                .text = text.text,
                                .bytes = text.bytes,
                                .options = text.options,
                                .name = text.name};
    const enum ocl_apart_outcome outcome = ocl_apart_compile(&job, &signal);
    if (outcome == OCL_APART_IS_DONE)
        ocl_ptx_apart_note(&text);
    if (outcome != OCL_APART_HAS_ENDED)
        return true;
    ocl_kernel_refuse(kernel, OCL_E_NOT_SUPPORTED,
                      "the compiler of %s ends over its translation (signal %d)",
                      text.device->facts.name, signal);
    return false;
}
