/* Launches of native kernels: PoCL's work-items come here and run blocks of the launch.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cl/native/native.h"
#include "cl/native/native_private.h"
#include "cl/native/scratch.h"
#include "cl/program/program_compile.h"
#include "cl/trace.h"

/* What a context has for them. */
struct ocl_native_space {
    pthread_mutex_t lock; /* a leaf: the program */
    cl_program program;
    struct ocl_scratch_pool *scratch;
};

struct ocl_native_launch {
    void (*work)(struct ocl_native_launch *launch); /* the first: the program's text says so */
    struct ocl_native *native;
    struct ocl_scratch_pool *scratch;
    size_t scratch_bytes;
    uint64_t blocks;       /* of the launch */
    uint64_t portion;      /* of them that a work-item takes at once */
    _Atomic uint64_t next; /* the first that nobody has taken */
    _Atomic size_t left;   /* work-items that have not ended */
    struct ptx_native_launch facts;
    _Alignas(16) unsigned char parameters[];
};

/* ---- PoCL's kernel ---- */

/* OpenCL C has no pointers to functions: the call is written out. It is one that changes all registers that C functions may
 * change, from a stack as they want it, and beyond what the compiler keeps below its end. */
static const char program_text[] =
    "#if defined(__x86_64__)\n"
    "#define CLEM_LOW \"rax\", \"rcx\", \"rdx\", \"rsi\", \"r8\", \"r9\", \"r10\", \"r11\", "
    "\"r12\", "
    "\"memory\", \"cc\", \\\n"
    " \"xmm0\", \"xmm1\", \"xmm2\", \"xmm3\", \"xmm4\", \"xmm5\", \"xmm6\", \"xmm7\", \"xmm8\", "
    "\"xmm9\", \"xmm10\", \"xmm11\", \\\n"
    " \"xmm12\", \"xmm13\", \"xmm14\", \"xmm15\"\n"
    "#if defined(__AVX512F__)\n"
    "#define CLEM_ALL CLEM_LOW, \"xmm16\", \"xmm17\", \"xmm18\", \"xmm19\", \"xmm20\", \"xmm21\", "
    "\"xmm22\", \"xmm23\", \\\n"
    " \"xmm24\", \"xmm25\", \"xmm26\", \"xmm27\", \"xmm28\", \"xmm29\", \"xmm30\", \"xmm31\", \\\n"
    " \"k1\", \"k2\", \"k3\", \"k4\", \"k5\", \"k6\", \"k7\"\n"
    "#else\n"
    "#define CLEM_ALL CLEM_LOW\n"
    "#endif\n"
    "__kernel void " OCL_NATIVE_KERNEL "(ulong launch)\n"
    "{\n"
    "    __asm__ volatile(\"movq %%rsp, %%r12\\n\\tsubq $256, %%rsp\\n\\tandq $-64, %%rsp\\n\\t\"\n"
    "                     \"call *(%%rdi)\\n\\tmovq %%r12, %%rsp\"\n"
    "                     : \"+D\"(launch) : : CLEM_ALL);\n"
    "}\n"
    "#elif defined(__aarch64__)\n"
    "__kernel void " OCL_NATIVE_KERNEL "(ulong launch)\n"
    "{\n"
    "    __asm__ volatile(\"mov x0, %0\\n\\tldr x16, [x0]\\n\\tblr x16\" : : \"r\"(launch)\n"
    "                     : \"x0\", \"x1\", \"x2\", \"x3\", \"x4\", \"x5\", \"x6\", \"x7\", "
    "\"x8\", "
    "\"x9\", \"x10\", \"x11\",\n"
    "                       \"x12\", \"x13\", \"x14\", \"x15\", \"x16\", \"x17\", \"x18\", "
    "\"x30\", \"memory\", \"cc\",\n"
    "                       \"v0\", \"v1\", \"v2\", \"v3\", \"v4\", \"v5\", \"v6\", \"v7\", "
    "\"v8\", \"v9\", \"v10\", \"v11\",\n"
    "                       \"v12\", \"v13\", \"v14\", \"v15\", \"v16\", \"v17\", \"v18\", "
    "\"v19\", \"v20\", \"v21\",\n"
    "                       \"v22\", \"v23\", \"v24\", \"v25\", \"v26\", \"v27\", \"v28\", "
    "\"v29\", \"v30\", \"v31\");\n"
    "}\n"
    "#else\n"
    "#error no call is written for this processor\n"
    "#endif\n";

static struct ocl_native_space *make_space(const struct ocl_context *context)
{
    const uint32_t units = context->device->facts.compute_units;
    struct ocl_native_space *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->scratch = ocl_scratch_pool_create(units > 0 ? units : 1);
    if (!made->scratch) {
        free(made);
        return NULL;
    }
    pthread_mutex_init(&made->lock, NULL);
    return made;
}

static void free_space(struct ocl_native_space *space)
{
    if (!space)
        return;
    if (space->program)
        clReleaseProgram(space->program);
    ocl_scratch_pool_destroy(space->scratch);
    pthread_mutex_destroy(&space->lock);
    free(space);
}

/* Whoever is first makes it; others that come meanwhile throw theirs away. NULL without memory. */
static struct ocl_native_space *space_of(struct ocl_context *context)
{
    struct ocl_native_space *space = atomic_load_explicit(&context->native, memory_order_acquire);
    if (space)
        return space;
    struct ocl_native_space *made = make_space(context);
    if (!made || atomic_compare_exchange_strong(&context->native, &space, made))
        return made;
    free_space(made);
    return space;
}

void ocl_native_forget(struct ocl_context *context)
{
    free_space(atomic_exchange(&context->native, NULL));
}

static cl_program keep_program(struct ocl_native_space *space, cl_program made)
{
    pthread_mutex_lock(&space->lock);
    if (!space->program && made) {
        space->program = made;
        made = NULL;
    }
    cl_program kept = space->program;
    pthread_mutex_unlock(&space->lock);
    if (made)
        clReleaseProgram(made);
    return kept;
}

ocl_status ocl_native_program(struct ocl_context *context, cl_program *program)
{
    struct ocl_native_space *space = space_of(context);
    char *log = NULL;
    if (!space)
        return OCL_E_OUT_OF_MEMORY;
    *program = keep_program(space, NULL);
    ocl_status status = OCL_OK;
    if (!*program) {
        cl_program made = NULL;
        status = ocl_program_compile_kept(context, program_text, sizeof program_text - 1,
                                          "-cl-std=CL1.2 -w", &made, &log);
        if (status == OCL_OK)
            *program = keep_program(space, made);
        else
            ocl_trace("kernels have no native form: PoCL does not build what calls them: %s",
                      log ? log : "");
        free(log);
    }
    if (status == OCL_OK)
        status = clRetainProgram(*program);
    return status;
}

/* ---- A launch ---- */

static void free_launch(struct ocl_native_launch *launch)
{
    ocl_native_release(launch->native);
    free(launch);
}

/* A work-item: takes blocks, in order, until there are none. One of PoCL's threads. */
static void work(struct ocl_native_launch *launch)
{
    const uint64_t blocks = launch->blocks, portion = launch->portion;
    uint64_t first = atomic_fetch_add_explicit(&launch->next, portion, memory_order_relaxed);
    if (first < blocks) {
        struct ocl_scratch scratch = ocl_scratch_take(launch->scratch, launch->scratch_bytes);
        while (first < blocks) {
            const uint64_t rest = blocks - first;
            launch->native->run(&launch->facts, first, rest < portion ? rest : portion,
                                scratch.memory);
            first = atomic_fetch_add_explicit(&launch->next, portion, memory_order_relaxed);
        }
        ocl_scratch_give(launch->scratch, scratch);
    }
    if (atomic_fetch_sub_explicit(&launch->left, 1, memory_order_acq_rel) == 1)
        free_launch(launch);
}

size_t ocl_native_items(const struct ocl_context *context, uint64_t blocks)
{
    const uint32_t units = context->device->facts.compute_units;
    const size_t most = units > 0 ? units : 1;
    return blocks < most ? (size_t)blocks : most;
}

/* Small enough that whoever comes last is not waited for long, and large enough that blocks of a few instructions are not
 * outweighed by taking them. */
static uint64_t portion_of(uint64_t blocks, size_t items)
{
    enum { PORTIONS_PER_ITEM = 16, MOST = 64 };
    const uint64_t portion = blocks / (items * PORTIONS_PER_ITEM);
    return portion < 1 ? 1 : portion > MOST ? MOST : portion;
}

ocl_status ocl_native_begin(struct ocl_context *context, struct ocl_native *native,
                            const struct ocl_native_shape *shape, struct ocl_native_launch **launch)
{
    const struct ocl_native_space *space = space_of(context);
    const size_t bytes = sizeof **launch + shape->parameter_bytes + 1;
    struct ocl_native_launch *made =
        space ? aligned_alloc(_Alignof(struct ocl_native_launch),
                              (bytes + _Alignof(struct ocl_native_launch) - 1) /
                                  _Alignof(struct ocl_native_launch) *
                                  _Alignof(struct ocl_native_launch))
              : NULL;
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    memset(made, 0, bytes);
    made->work = work;
    atomic_fetch_add_explicit(&native->references, 1, memory_order_relaxed);
    made->native = native;
    made->scratch = space->scratch;
    made->blocks = shape->blocks;
    made->portion = portion_of(shape->blocks, shape->items);
    atomic_init(&made->next, 0);
    atomic_init(&made->left, shape->items);
    made->facts.parameters = (uint64_t)(uintptr_t)made->parameters;
    *launch = made;
    return OCL_OK;
}

struct ptx_native_launch *ocl_native_facts(struct ocl_native_launch *launch)
{
    return &launch->facts;
}

ocl_status ocl_native_reserve(struct ocl_native_launch *launch)
{
    const uint64_t bytes = launch->native->scratch(&launch->facts);
    if (bytes > SIZE_MAX / 2 || !ocl_scratch_reserve(launch->scratch, (size_t)bytes)) {
        ocl_log(true, "there is no room for the %llu bytes that a thread block takes",
                (unsigned long long)bytes);
        return OCL_E_OUT_OF_MEMORY;
    }
    launch->scratch_bytes = (size_t)bytes;
    return OCL_OK;
}

void ocl_native_cancel(struct ocl_native_launch *launch)
{
    if (launch)
        free_launch(launch);
}
