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

/* The barrier of a cooperative launch's grid, as that library has it. CUDA's headers have it in line since version 9, and
 * other compilers, such as Numba's, call it: a word behind the workspace, whose upper bit changes when all blocks have come. */
static const char grid_barrier[] =
    ".version 6.4\n.target sm_70\n.address_size 64\n"
    ".visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope) {\n"
    ".reg .pred %is_other; .reg .b32 %scope, %upper, %lower; .reg .b64 %workspace;\n"
    "ld.param.b32 %scope, [scope];\n"
    "mov.u32 %upper, %envreg1;\nmov.u32 %lower, %envreg2;\n"
    "mov.b64 %workspace, {%lower, %upper};\n"
    "setp.ne.s32 %is_other, %scope, 1;\n" /* the grid's scope; others span devices */
    "selp.b64 %workspace, 0, %workspace, %is_other;\n"
    "st.param.b64 [handle], %workspace;\nret;\n}\n"
    ".visible .func (.param .b32 status) cudaCGSynchronize(.param .b64 handle, .param .b32 flags) "
    "{\n"
    ".reg .pred %p; .reg .b32 %x, %y, %z, %add, %before, %now; .reg .b64 %workspace;\n"
    "ld.param.b64 %workspace, [handle];\n"
    "setp.eq.s64 %p, %workspace, 0;\n@%p bra WRONG;\n"
    "bar.sync 0;\n"
    "mov.u32 %x, %tid.x;\nmov.u32 %y, %tid.y;\nmov.u32 %z, %tid.z;\n"
    "add.u32 %x, %x, %y;\nadd.u32 %x, %x, %z;\n"
    "setp.ne.u32 %p, %x, 0;\n@%p bra MET;\n"
    "mov.u32 %x, %nctaid.x;\nmov.u32 %y, %nctaid.y;\nmov.u32 %z, %nctaid.z;\n"
    "mul.lo.u32 %x, %x, %y;\nmul.lo.u32 %x, %x, %z;\n"
    "sub.u32 %add, 0x80000001, %x;\n"
    "mov.u32 %x, %ctaid.x;\nmov.u32 %y, %ctaid.y;\nmov.u32 %z, %ctaid.z;\n"
    "add.u32 %x, %x, %y;\nadd.u32 %x, %x, %z;\n"
    "setp.ne.u32 %p, %x, 0;\n@%p mov.u32 %add, 1;\n"
    "atom.add.release.gpu.u32 %before, [%workspace+4], %add;\n"
    "AGAIN: ld.acquire.gpu.u32 %now, [%workspace+4];\n"
    "xor.b32 %now, %now, %before;\nsetp.ge.s32 %p, %now, 0;\n@%p bra AGAIN;\n"
    "MET: bar.sync 0;\nst.param.b32 [status], 0;\nret;\n"
    "WRONG: st.param.b32 [status], 1;\nret;\n}\n"; /* cudaErrorInvalidValue */

static bool calls_grid_barrier(const struct facade_link *link)
{
    for (size_t i = 0; i < link->count; i++)
        if (strstr(link->pieces[i].code.text, "cudaCGSynchronize") != NULL ||
            strstr(link->pieces[i].code.text, "cudaCGGetIntrinsicHandle") != NULL)
            return true;
    return false;
}

/* NVIDIA's library for launches from kernels, which nvcc links to all separately compiled code, whether that calls it or
 * not. Translations have those calls themselves, and grid_barrier stands for the rest. */
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

/* lists: for count texts and as many names. One more than the link has: the grid's barrier. */
static cudaError_t merge(const struct facade_link *link, const char **lists, size_t count,
                         char **text, char **log)
{
    size_t bytes = 0;
    struct ptx_log words = {NULL};
    for (size_t i = 0; i < count; i++) {
        const bool is_given = i < link->count;
        lists[i] = is_given ? link->pieces[i].code.text : grid_barrier;
        lists[count + i] = is_given ? link->pieces[i].name : "grid barrier";
    }
    enum ptx_status status = ptx_merge(lists, lists + count, count, text, &bytes, &words);
    *log = words.text;
    return result_of(status, cudaErrorInvalidKernelImage);
}

static cudaError_t merge_all(const struct facade_link *link, char **text, char **log)
{
    const size_t count = link->count + calls_grid_barrier(link);
    if (count == 1) {
        *text = strdup(link->pieces[0].code.text);
        return *text != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    const char **lists = calloc(count * 2, sizeof *lists);
    cudaError_t error =
        lists != NULL ? merge(link, lists, count, text, log) : cudaErrorMemoryAllocation;
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
