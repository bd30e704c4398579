/* What a device can do for translated kernels: each ability is tried with a small kernel, and only
 * right values count.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cl/base/options.h"
#include "cl/base/steady.h"
#include "cl/check.h"
#include "cl/device/emulated.h"
#include "cl/image/image.h"
#include "cl/native/native.h"
#include "cl/program/program_compile.h"
#include "cl/ptx/ptx_binary.h"
#include "cl/ptx/ptx_facts.h"
#include "cl/ptx/ptx_kernel.h"
#include "cl/trace.h"

enum { TRIAL_ITEMS = 64, TRIAL_WORDS = 4 * TRIAL_ITEMS, WARP = 32 };

/* A kernel `trial` over one group of TRIAL_ITEMS work-items that leaves words to judge. */
struct trial {
    const char *name, *text, *options;
    bool (*is_right)(const cl_uint words[TRIAL_WORDS]);
};

/* --- NVIDIA's PTX within OpenCL C ------------------------------------------------------------- */

/* Neighbours' numbers, lane numbers and a vote: what no compiler gets right by chance. */
static const char asm_text[] =
    "kernel void trial(global uint *words)\n"
    "{\n"
    "    const uint item = (uint)get_local_id(0);\n"
    "    uint other, lane, vote;\n"
    "    asm volatile(\"shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;\"\n"
    "                 : \"=r\"(other) : \"r\"(item * 7u + 3u));\n"
    "    asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n"
    "    asm volatile(\"{ .reg .pred p; setp.eq.u32 p, %1, 5; \"\n"
    "                 \"vote.sync.ballot.b32 %0, p, 0xffffffff; }\" : "
    "\"=r\"(vote) : \"r\"(lane));\n"
    "    words[item] = other;\n"
    "    words[item + 64u] = lane;\n"
    "    words[item + 128u] = vote;\n"
    "}\n";

static bool is_asm_right(const cl_uint words[TRIAL_WORDS])
{
    for (cl_uint i = 0; i < TRIAL_ITEMS; i++)
        if (words[i] != (i ^ 1u) * 7 + 3 || words[i + TRIAL_ITEMS] != i % WARP ||
            words[i + 2 * TRIAL_ITEMS] != 1u << 5)
            return false;
    return true;
}

/* --- atomics on 64 bits ----------------------------------------------------------------------- */

static const char atomic_text[] =
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"
    "kernel void trial(global uint *words)\n"
    "{\n"
    "    volatile global ulong *sum = (volatile global ulong *)(words + 64);\n"
    "    volatile global ulong *most = (volatile global ulong *)(words + 66);\n"
    "    const ulong item = get_local_id(0);\n"
    "    words[item] = 1u;\n"
    "    atom_add(sum, item << 32 | 1ul);\n"
    "    atom_max(most, item << 33);\n"
    "}\n";

static bool is_atomic_right(const cl_uint words[TRIAL_WORDS])
{
    return words[TRIAL_ITEMS - 1] == 1 && words[64] == TRIAL_ITEMS &&
           words[65] == TRIAL_ITEMS * (TRIAL_ITEMS - 1) / 2 && words[66] == 0 &&
           words[67] == 2 * (TRIAL_ITEMS - 1);
}

/* --- vectors ---------------------------------------------------------------------------------- */

/* As clang has them. */
static const char vector_text[] =
    "typedef uint lanes __attribute__((ext_vector_type(32)));\n"
    "typedef ulong wide __attribute__((ext_vector_type(32)));\n"
    "kernel void trial(global uint *words)\n"
    "{\n"
    "    const uint item = (uint)get_local_id(0);\n"
    "    const lanes x = (lanes)(item) * 3u;\n"
    "    const wide y = __builtin_convertvector(x, wide) << 33;\n"
    "    const lanes z = __builtin_convertvector(y >> 32, lanes);\n"
    "    words[item] = __builtin_reduce_or(x < z ? z : x) + __builtin_reduce_min(x) + 1u;\n"
    "}\n";

static bool are_vectors_right(const cl_uint words[TRIAL_WORDS])
{
    for (cl_uint i = 0; i < TRIAL_ITEMS; i++)
        if (words[i] != i * 9 + 1)
            return false;
    return true;
}

/* --- fences ----------------------------------------------------------------------------------- */

/* Values alone cannot show that a fence orders, only that it is one to the compiler and does no harm. */
static const char fence_text[] = "kernel void trial(global uint *words)\n"
                                 "{\n"
                                 "    const uint item = (uint)get_local_id(0);\n"
                                 "    words[item] = item * 5u + 1u;\n"
                                 "    __atomic_thread_fence(5);\n"
                                 "    words[item + 64u] = words[item] + 2u;\n"
                                 "    __atomic_thread_fence(4);\n"
                                 "    words[item + 128u] = words[item + 64u] + 3u;\n"
                                 "    __atomic_signal_fence(5);\n"
                                 "    words[item + 192u] = words[item + 128u] + 4u;\n"
                                 "}\n";

static bool is_fence_right(const cl_uint words[TRIAL_WORDS])
{
    for (cl_uint i = 0; i < TRIAL_ITEMS; i++)
        if (words[i] != i * 5 + 1 || words[i + TRIAL_ITEMS] != i * 5 + 3 ||
            words[i + 2 * TRIAL_ITEMS] != i * 5 + 6 || words[i + 3 * TRIAL_ITEMS] != i * 5 + 10)
            return false;
    return true;
}

/* --- division and square roots ---------------------------------------------------------------- */

/* The operands are those of is_division_right(); some quotients are denormal. */
static const char division_text[] =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "kernel void trial(global uint *words)\n"
    "{\n"
    "    const uint item = (uint)get_local_id(0);\n"
    "    const float a = as_float(0x3f800000u + item * 123457u);\n"
    "    const float b = as_float(0x40000000u + item * 98765u);\n"
    "    const float small = as_float(0x00800000u + item * 77777u);\n"
    "    words[item] = as_uint(a / b);\n"
    "    words[item + 64u] = as_uint(sqrt(a));\n"
    "    words[item + 128u] = as_uint(small / b);\n"
    "    words[item + 192u] = as_uint(b / a);\n"
    "}\n";

static float float_of(cl_uint bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool has_bits(cl_uint bits, float value)
{
    cl_uint own;
    memcpy(&own, &value, sizeof own);
    return own == bits;
}

/* Whether the nearest float to a root is meant: squares of 25 bits are exact in double. */
static bool is_root(cl_uint bits, float square)
{
    const double low = ((double)float_of(bits - 1) + (double)float_of(bits)) / 2;
    const double high = ((double)float_of(bits) + (double)float_of(bits + 1)) / 2;
    return low * low < (double)square && (double)square < high * high;
}

/* The host divides as IEEE 754 says. */
static bool is_division_right(const cl_uint words[TRIAL_WORDS])
{
    for (cl_uint i = 0; i < TRIAL_ITEMS; i++) {
        const float a = float_of(0x3f800000u + i * 123457u), b = float_of(0x40000000u + i * 98765u);
        const float small = float_of(0x00800000u + i * 77777u);
        if (!has_bits(words[i], a / b) || !is_root(words[i + TRIAL_ITEMS], a) ||
            !has_bits(words[i + 2 * TRIAL_ITEMS], small / b) ||
            !has_bits(words[i + 3 * TRIAL_ITEMS], b / a))
            return false;
    }
    return true;
}

/* --- indices ---------------------------------------------------------------------------------- */

/* What compilers that make vectors of loops were seen to get wrong (kernels/ptx/analyse/hidden.c), in one work-item, with
 * a number of turns that they do not know: strided indices that wrap around, others that do, and
 * indices by a function for elements of 16 bits. */
static const char index_text[] =
    "kernel void trial(global uint *words)\n"
    "{\n"
    "    const uint count = words[0] + 64u;\n"
    "    const global uint *const table = words + 128u;\n"
    "    global ushort *const halves = (global ushort *)(words + 192u);\n"
    "    if (get_local_id(0) != 0)\n"
    "        return;\n"
    "    #pragma clang loop vectorize(assume_safety)\n"
    "    for (uint i = 0; i < count; i++)\n"
    "        words[i] = table[i * 3u & 63u];\n"
    "    #pragma clang loop vectorize(assume_safety)\n"
    "    for (uint i = 0; i < count; i++)\n"
    "        words[i + 64u] = table[i % 16u];\n"
    "    #pragma clang loop vectorize(assume_safety)\n"
    "    for (uint i = 0; i < count - 8u; i++)\n"
    "        halves[i + 64u] = halves[max(i, 23u)];\n"
    "}\n";

/* table[i] and halves[i]. */
static cl_uint tabled(cl_uint i)
{
    return i * 7 + 3;
}

enum { HALVES_AT = 3 * TRIAL_ITEMS }; /* two to a word */

static void fill_tables(cl_uint words[TRIAL_WORDS])
{
    cl_ushort halves[TRIAL_ITEMS];
    for (cl_uint i = 0; i < TRIAL_ITEMS; i++) {
        words[i + 2 * TRIAL_ITEMS] = tabled(i);
        halves[i] = (cl_ushort)tabled(i);
    }
    memcpy(&words[HALVES_AT], halves, sizeof halves);
}

static bool keeps_strided_wraps(const cl_uint words[TRIAL_WORDS])
{
    for (cl_uint i = 0; i < TRIAL_ITEMS; i++)
        if (words[i] != tabled(i * 3 % 64))
            return false;
    return true;
}

static bool keeps_other_wraps(const cl_uint words[TRIAL_WORDS])
{
    for (cl_uint i = 0; i < TRIAL_ITEMS; i++)
        if (words[i + TRIAL_ITEMS] != tabled(i % 16))
            return false;
    return true;
}

static bool keeps_turns(const cl_uint words[TRIAL_WORDS])
{
    cl_ushort halves[TRIAL_ITEMS];
    memcpy(halves, &words[HALVES_AT + TRIAL_ITEMS / 2], sizeof halves);
    for (cl_uint i = 0; i < TRIAL_ITEMS - 8; i++)
        if (halves[i] != tabled(i > 23 ? i : 23))
            return false;
    return true;
}

/* --- trying ----------------------------------------------------------------------------------- */

static cl_int run(const struct ocl_context *context, cl_kernel kernel, cl_mem buffer,
                  cl_uint words[TRIAL_WORDS])
{
    const size_t items = TRIAL_ITEMS;
    cl_int error = clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer);
    if (error == CL_SUCCESS)
        error = ocl_steady_range(context->service, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        error = ocl_steady_read(context->service, buffer, TRIAL_WORDS * sizeof *words, words);
    return error;
}

static ocl_status run_trial(const struct ocl_context *context, cl_program program,
                            cl_uint words[TRIAL_WORDS])
{
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program, "trial", &error);
    if (!kernel)
        return error;
    cl_mem buffer = clCreateBuffer(context->cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   TRIAL_WORDS * sizeof *words, words, &error);
    if (buffer) {
        error = run(context, kernel, buffer, words);
        clReleaseMemObject(buffer);
    }
    clReleaseKernel(kernel);
    return error;
}

/* Leaves in words what the kernel makes of them. Errors: OCL_E_BUILD where the device's compiler refuses it, the
 * driver's. */
static ocl_status try_out(struct ocl_context *context, const struct trial *trial,
                          cl_uint words[TRIAL_WORDS])
{
    cl_program program = NULL;
    char *log = NULL;
    ocl_status status = ocl_program_compile_kept(context, trial->text, strlen(trial->text),
                                                 trial->options, &program, &log);
    if (status == OCL_OK)
        status = run_trial(context, program, words);
    if (program)
        clReleaseProgram(program);
    free(log);
    return status;
}

static bool can(struct ocl_context *context, const struct trial *trial)
{
    cl_uint words[TRIAL_WORDS] = {0};
    const bool is_right = try_out(context, trial, words) == OCL_OK && trial->is_right(words);
    ocl_trace("%s: %s %s", context->device->facts.name, trial->name, is_right ? "work" : "are out");
    return is_right;
}

/* A compiler for another machine may do worse than refuse PTX: only one that has an extension of
 * NVIDIA's is shown any. */
static bool has_nvidia_asm(struct ocl_context *context)
{
    static const struct trial trial = {"asm statements", asm_text, "", is_asm_right};
    return ocl_device_has_extension(&context->device->facts, "cl_nv_device_attribute_query") &&
           can(context, &trial);
}

/* Only devices that promise it are tried: values that are right by chance promise nothing. */
static bool has_exact_divide(struct ocl_context *context)
{
    static const struct trial trial = {"exact divisions and square roots", division_text,
                                       OCL_TRANSLATION_OPTIONS " " OCL_EXACT_DIVISION,
                                       is_division_right};
    cl_device_fp_config config = 0;
    (void)clGetDeviceInfo(context->device->id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config,
                          NULL);
    return (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) && (config & CL_FP_DENORM) &&
           can(context, &trial);
}

static bool has_int64_atomics(struct ocl_context *context)
{
    static const struct trial trial = {"64-bit atomics", atomic_text, OCL_TRANSLATION_OPTIONS,
                                       is_atomic_right};
    return context->device->facts.has_int64_atomics && can(context, &trial);
}

/* GPUs order by mem_fence() or their own instructions. CPUs by the C language's: PoCL's mem_fence() is
 * empty. Where those could not be tried for want of memory they are believed in: a kernel that does not
 * build says so, one that keeps no order does not. */
static bool has_thread_fence(struct ocl_context *context)
{
    static const struct trial trial = {"fences of C", fence_text, OCL_TRANSLATION_OPTIONS,
                                       is_fence_right};
    cl_uint words[TRIAL_WORDS] = {0};
    const ocl_status status = try_out(context, &trial, words);
    const bool is_right = status == OCL_OK ? trial.is_right(words) : status != OCL_E_BUILD;
    ocl_trace("%s: %s %s", context->device->facts.name, trial.name, is_right ? "work" : "are out");
    return is_right;
}

static bool has_lane_vectors(struct ocl_context *context)
{
    static const struct trial trial = {"vectors of 32 elements", vector_text,
                                       OCL_TRANSLATION_OPTIONS, are_vectors_right};
    return can(context, &trial);
}

/* Only compilers for CPUs make vectors of loops. Where it could not be tried, all are lost: words are left zero. */
static void find_lost_indices(struct ocl_context *context, struct ptx_target *target)
{
    /* Compilers are asked for vectors that they may not make: the program's user is not to hear of it. */
    static const struct trial trial = {"indices", index_text, OCL_TRANSLATION_OPTIONS, NULL};
    const struct ocl_device_facts *facts = &context->device->facts;
    cl_uint words[TRIAL_WORDS] = {0};
    fill_tables(words);
    (void)try_out(context, &trial, words);
    target->loses_all_wraps = !keeps_other_wraps(words);
    target->loses_wraps = target->loses_all_wraps || !keeps_strided_wraps(words);
    target->loses_turns = !keeps_turns(words);
    ocl_trace("%s: indices that wrap around %s, those of functions %s", facts->name,
              target->loses_wraps ? "are lost" : "are kept",
              target->loses_turns ? "are lost" : "are kept");
}

/* Code is made for the processor that it is made on. */
static bool lacks_masks(void)
{
#if defined __x86_64__
    return false;
#else
    return true;
#endif
}

static bool has_byte_masks(void)
{
#if defined __x86_64__
    return __builtin_cpu_supports("avx512bw");
#else
    return false;
#endif
}

static bool has_wide_vectors(void)
{
#if defined __x86_64__
    return __builtin_cpu_supports("avx512f");
#else
    return false;
#endif
}

/* Rows that a power of two lies between share a set of the second-level cache: those of eight turns, and of eight more that are asked
 * for, are 16. Measured with 8 ways (Zen 4): loops that ask take 1.2 to 1.6 times as long as those that do not. */
static bool has_few_ways(void)
{
#ifdef _SC_LEVEL2_CACHE_ASSOC
    enum { ROWS = 16 };
    const long ways = sysconf(_SC_LEVEL2_CACHE_ASSOC);
    return ways > 0 && ways < ROWS;
#else
    return false;
#endif
}

/* What a work-item may keep to itself: CUDA's 512 KiB of local memory, but where work-items share
 * the stack of a thread of the host. */
enum { PRIVATE_BYTES = 512 * 1024, PRIVATE_BYTES_ON_CPU = 64 * 1024 };

/* All but enum ptx_fact. */
static void find_target(struct ocl_context *context, struct ptx_target *target)
{
    const struct ocl_device_facts *facts = &context->device->facts;
    const bool is_cpu = facts->device_class == OCL_CLASS_CPU;
    *target = (struct ptx_target){
        .pointers = context->capability.has_addresses ? PTX_POINTERS_NUMBERS : PTX_POINTERS_BUFFERS,
        .is_cpu = is_cpu,
        .has_double = facts->has_double || *ocl_emulated_option(context->device),
        .has_int64_atomics = true,
        .has_exact_divide = true,
        .has_thread_fence = is_cpu,
        .has_lane_vectors = is_cpu,
        .loses_wraps = is_cpu,
        .loses_all_wraps = is_cpu,
        .loses_turns = is_cpu,
        .has_nvidia_asm = has_nvidia_asm(context),
        .has_images = facts->has_images && ocl_image_is_preferred(context),
        .max_parameter_bytes = facts->max_parameter_bytes,
        .max_private_bytes = is_cpu ? PRIVATE_BYTES_ON_CPU : PRIVATE_BYTES,
        .force_form = -1,
        .llvm_major = (int)ocl_native_llvm(context),
        .lacks_masks = lacks_masks(),
        .has_byte_masks = has_byte_masks(),
        .has_wide_vectors = has_wide_vectors(),
        .has_few_ways = has_few_ways(),
    };
    if (is_cpu && context->capability.has_addresses && context->capability.device_is_host_memory)
        target->checks = ocl_check_wanted() & OCL_CHECK_KERNELS;
}

/* Machine code for no kernel or, for tests, a form for all kernels, or the choice that a GPU without inline PTX would get. */
static void force(struct ptx_target *target, const char *form)
{
    if (strcmp(form, "opencl") == 0)
        target->llvm_major = 0;
    else if (strcmp(form, "gpu") == 0)
        target->is_cpu = target->has_nvidia_asm = false;
    else if (strcmp(form, "native") == 0)
        target->force_form = target->llvm_major > 0 ? PTX_FORM_NATIVE : -1;
    else
        target->force_form = strcmp(form, "item") == 0   ? PTX_FORM_ITEM
                             : strcmp(form, "warp") == 0 ? PTX_FORM_WARP
                                                         : PTX_FORM_BLOCK;
}

static struct ocl_ptx_facts *make_facts(struct ocl_context *context)
{
    struct ocl_ptx_facts *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    pthread_mutex_init(&made->lock, NULL);
    find_target(context, &made->target);
    if (context->device->facts.device_class != OCL_CLASS_CPU)
        made->known = PTX_FACT_THREAD_FENCE | PTX_FACT_INDICES | PTX_FACT_LANE_VECTORS;
    if (ocl_options_get()->ptx_form)
        force(&made->target, ocl_options_get()->ptx_form);
    made->runs_ptx = ocl_ptx_binary_works(context);
    return made;
}

static void free_facts(struct ocl_ptx_facts *facts)
{
    if (facts)
        pthread_mutex_destroy(&facts->lock);
    free(facts);
}

/* Whoever is first asks; others that come meanwhile ask too, and throw their answers away. */
struct ocl_ptx_facts *ocl_ptx_facts(struct ocl_context *context)
{
    struct ocl_ptx_facts *facts = atomic_load(&context->ptx_facts);
    if (facts)
        return facts;
    struct ocl_ptx_facts *made = make_facts(context);
    if (!made || atomic_compare_exchange_strong(&context->ptx_facts, &facts, made))
        return made;
    free_facts(made);
    return facts;
}

unsigned ocl_ptx_target(struct ocl_ptx_facts *facts, struct ptx_target *target)
{
    pthread_mutex_lock(&facts->lock);
    const unsigned known = facts->known;
    *target = facts->target;
    pthread_mutex_unlock(&facts->lock);
    return known;
}

static void try_facts(struct ocl_context *context, unsigned wanted, struct ptx_target *target)
{
    if (wanted & PTX_FACT_INT64_ATOMICS)
        target->has_int64_atomics = has_int64_atomics(context);
    if (wanted & PTX_FACT_EXACT_DIVIDE)
        target->has_exact_divide = has_exact_divide(context);
    if (wanted & PTX_FACT_THREAD_FENCE)
        target->has_thread_fence = has_thread_fence(context);
    if (wanted & PTX_FACT_LANE_VECTORS)
        target->has_lane_vectors = has_lane_vectors(context);
    if (wanted & PTX_FACT_INDICES)
        find_lost_indices(context, target);
}

static void take_facts(unsigned found, const struct ptx_target *from, struct ptx_target *to)
{
    if (found & PTX_FACT_INT64_ATOMICS)
        to->has_int64_atomics = from->has_int64_atomics;
    if (found & PTX_FACT_EXACT_DIVIDE)
        to->has_exact_divide = from->has_exact_divide;
    if (found & PTX_FACT_THREAD_FENCE)
        to->has_thread_fence = from->has_thread_fence;
    if (found & PTX_FACT_LANE_VECTORS)
        to->has_lane_vectors = from->has_lane_vectors;
    if (found & PTX_FACT_INDICES) {
        to->loses_wraps = from->loses_wraps;
        to->loses_all_wraps = from->loses_all_wraps;
        to->loses_turns = from->loses_turns;
    }
}

static bool are_same_facts(const struct ptx_target *a, const struct ptx_target *b)
{
    return a->has_int64_atomics == b->has_int64_atomics &&
           a->has_exact_divide == b->has_exact_divide &&
           a->has_thread_fence == b->has_thread_fence &&
           a->has_lane_vectors == b->has_lane_vectors && a->loses_wraps == b->loses_wraps &&
           a->loses_all_wraps == b->loses_all_wraps && a->loses_turns == b->loses_turns;
}

/* Threads that come at once all try: they find the same. */
bool ocl_ptx_find_out(struct ocl_context *context, struct ocl_ptx_facts *facts, unsigned wanted)
{
    struct ptx_target assumed;
    (void)ocl_ptx_target(facts, &assumed);
    struct ptx_target found = assumed;
    try_facts(context, wanted, &found);
    pthread_mutex_lock(&facts->lock);
    take_facts(wanted, &found, &facts->target);
    facts->known |= wanted;
    pthread_mutex_unlock(&facts->lock);
    return are_same_facts(&assumed, &found);
}

void ocl_ptx_forget_target(struct ocl_context *context)
{
    free_facts(atomic_exchange(&context->ptx_facts, NULL));
}
