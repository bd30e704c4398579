/* Linking: pieces of PTX are kept, and merged when all are there.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/code/code_link.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/ptx.h"

struct facade_link_piece {
    struct facade_code code;
    char *name;
};

static void free_piece(struct facade_link_piece *piece)
{
    facade_code_free(&piece->code);
    free(piece->name);
}

static cudaError_t refuse(cudaError_t error, const char *why, char **log)
{
    *log = strdup(why);
    return error;
}

static cudaError_t make_piece(struct facade_link_piece *piece, const void *data, size_t bytes,
                              const char *name, char **log)
{
    cudaError_t error = facade_code_copy(&piece->code, data, bytes);
    if (error != cudaSuccess)
        return error;
    if (piece->code.refusal != cudaSuccess)
        return refuse(piece->code.refusal, piece->code.why, log);
    if (!piece->code.is_ptx)
        return refuse(cudaErrorInvalidPtx, "what is to be linked is no PTX", log);
    piece->name = strdup(name);
    return piece->name != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* NVIDIA's library for launches from kernels, which OpenCL has no equal of: nvcc links it to all
 * separately compiled code, whether that calls it or not. What calls it finds nothing. */
static bool is_device_runtime(const struct facade_link_piece *piece)
{
    return strstr(piece->code.text, "_cuda_device_runtime_cu_") != NULL;
}

static cudaError_t keep_piece(struct facade_link *link, const struct facade_link_piece *piece)
{
    struct facade_link_piece *pieces = realloc(link->pieces, (link->count + 1) * sizeof *pieces);
    if (pieces == NULL)
        return cudaErrorMemoryAllocation;
    link->pieces = pieces;
    link->pieces[link->count++] = *piece;
    return cudaSuccess;
}

cudaError_t facade_link_add(struct facade_link *link, const void *data, size_t bytes,
                            const char *name, char **log)
{
    struct facade_link_piece piece = {.name = NULL};
    *log = NULL;
    cudaError_t error = make_piece(&piece, data, bytes, name, log);
    const bool is_left_out = error == cudaSuccess && is_device_runtime(&piece);
    if (error == cudaSuccess && !is_left_out)
        error = keep_piece(link, &piece);
    if (error != cudaSuccess || is_left_out)
        free_piece(&piece);
    return error;
}

static cudaError_t result_of(enum ptx_status status, cudaError_t refused)
{
    if (status == PTX_OK)
        return cudaSuccess;
    return status == PTX_E_OUT_OF_MEMORY ? cudaErrorMemoryAllocation : refused;
}

static cudaError_t merge(const struct facade_link *link, const char **lists, char **text,
                         char **log)
{
    size_t bytes = 0;
    struct ptx_log words = {NULL};
    for (size_t i = 0; i < link->count; i++) {
        lists[i] = link->pieces[i].code.text;
        lists[link->count + i] = link->pieces[i].name;
    }
    enum ptx_status status =
        ptx_merge(lists, lists + link->count, link->count, text, &bytes, &words);
    *log = words.text;
    return result_of(status, cudaErrorInvalidKernelImage);
}

static cudaError_t merge_all(const struct facade_link *link, char **text, char **log)
{
    if (link->count == 1) {
        *text = strdup(link->pieces[0].code.text);
        return *text != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    const char **lists = calloc(link->count * 2, sizeof *lists);
    cudaError_t error = lists != NULL ? merge(link, lists, text, log) : cudaErrorMemoryAllocation;
    free(lists);
    return error;
}

/* Only now: pieces alone may name what others define. */
static cudaError_t parse(const char *text, struct ptx_module **module, char **log)
{
    struct ptx_log words = {NULL};
    enum ptx_status status = ptx_module_parse(text, strlen(text), module, &words);
    *log = words.text;
    return result_of(status, cudaErrorInvalidPtx);
}

cudaError_t facade_link_complete(const struct facade_link *link, char **text,
                                 struct ptx_module **module, char **log)
{
    struct ptx_module *parsed = NULL;
    *text = *log = NULL;
    if (link->count == 0)
        return cudaErrorInvalidValue;
    cudaError_t error = merge_all(link, text, log);
    if (error == cudaSuccess)
        error = parse(*text, &parsed, log);
    if (error != cudaSuccess) {
        free(*text);
        *text = NULL;
    }
    if (module != NULL)
        *module = parsed;
    else
        ptx_module_free(parsed);
    return error;
}

void facade_link_clear(struct facade_link *link)
{
    for (size_t i = 0; i < link->count; i++)
        free_piece(&link->pieces[i]);
    free(link->pieces);
    link->pieces = NULL;
    link->count = 0;
}
