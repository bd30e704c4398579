/* Whether the blocks of a launch can wait for each other: CPUs let them take turns, of other devices it is tried.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cl/base/options.h"
#include "cl/base/steady.h"
#include "cl/context.h"
#include "cl/memory.h"
#include "cl/program.h"
#include "cl/program/program_cache.h"
#include "cl/queue.h"
#include "cl/queue/queue_alone.h"
#include "cl/state/failure.h"
#include "cl/state/state.h"
#include "cl/trace.h"
#include "cl/transfer.h"

enum { UNKNOWN, NO, YES };

/* Of the first devices; others are tried at each question. */
enum { DEVICES = 64 };
static _Atomic int answers[DEVICES];

/* --- the trial -------------------------------------------------------------------------------- */

enum { THREADS = 64, ROUNDS = 4, LAUNCHES = 8, TRIED_PER_UNIT = 64, COUNTS = 4 };

/* Words: errors, threads that came to the end, then what blocks tell each other. In each round a block tells a number, all
 * blocks meet, and each thread looks what the next block has told. */
enum { WORD_ERRORS, WORD_ENDED, WORD_TOLD };
static const char trial_text[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry clem_meet(.param .u64 words)\n{\n"
    ".reg .b32 %r<16>; .reg .b64 %d<8>; .reg .pred %p<6>;\n"
    "ld.param.u64 %d1, [words];\ncvta.to.global.u64 %d1, %d1;\n"
    "mov.u32 %r1, %envreg2;\nmov.u32 %r2, %envreg1;\nmov.b64 %d2, {%r1, %r2};\n"
    "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %nctaid.x;\nmov.u32 %r5, %tid.x;\n"
    "setp.ne.u32 %p1, %r5, 0;\nmov.u32 %r6, 0;\n"
    "add.u32 %r7, %r3, 1;\nsetp.eq.u32 %p2, %r7, %r4;\nselp.b32 %r7, 0, %r7, %p2;\n"
    "setp.eq.u32 %p3, %r3, 0;\nsub.u32 %r8, 0x80000001, %r4;\nselp.b32 %r8, %r8, 1, %p3;\n"
    "ROUND:\n"
    "mad.lo.u32 %r9, %r6, %r4, %r3;\nmul.wide.u32 %d3, %r9, 4;\nadd.u64 %d3, %d1, %d3;\n"
    "mad.lo.u32 %r10, %r6, 1000, %r3;\n"
    "@!%p1 st.global.u32 [%d3+8], %r10;\n"
    "bar.sync 0;\n"
    "@%p1 bra MET;\n"
    "membar.gl;\natom.global.add.u32 %r11, [%d2+4], %r8;\n"
    "WAIT:\n"
    "ld.volatile.global.u32 %r12, [%d2+4];\nxor.b32 %r12, %r12, %r11;\n"
    "setp.ge.s32 %p4, %r12, 0;\n@%p4 bra WAIT;\n"
    "membar.gl;\n"
    "MET:\n"
    "bar.sync 0;\n"
    "mad.lo.u32 %r9, %r6, %r4, %r7;\nmul.wide.u32 %d3, %r9, 4;\nadd.u64 %d3, %d1, %d3;\n"
    "ld.volatile.global.u32 %r13, [%d3+8];\nmad.lo.u32 %r10, %r6, 1000, %r7;\n"
    "setp.ne.u32 %p5, %r13, %r10;\n"
    "@%p5 atom.global.add.u32 %r14, [%d1], 1;\n"
    "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p5, %r6, 4;\n@%p5 bra ROUND;\n"
    "atom.global.add.u32 %r14, [%d1+4], 1;\nret;\n}\n";

struct trial {
    struct ocl_context *context;
    struct ocl_queue *queue;
    struct ocl_kernel *kernel;
    uint64_t words; /* WORD_TOLD + ROUNDS * most of them */
    size_t most;    /* blocks */
};

static ocl_status copy(const struct trial *trial, uint64_t target, uint64_t source, size_t bytes)
{
    const struct ocl_copy linear = ocl_copy_linear(target, source, bytes);
    return ocl_transfer_copy(trial->queue, &linear, OCL_WAIT_ALL);
}

static ocl_status launch(const struct trial *trial, size_t blocks, struct ocl_gathered *gathered)
{
    uint64_t words = trial->words;
    void *arguments[] = {&words};
    const struct ocl_launch meeting = {.groups = {blocks, 1, 1},
                                       .items = {THREADS, 1, 1},
                                       .arguments = arguments,
                                       .is_cooperative = true,
                                       .gathered = gathered};
    return ocl_kernel_launch(trial->kernel, trial->queue, &meeting);
}

/* All blocks that fit meet; when there are more than fit, none does anything. */
static ocl_status launch_all(const struct trial *trial)
{
    uint32_t words[2] = {0};
    struct ocl_gathered met = {.is_all = true}, crowd = {.is_hasty = true};
    ocl_status status = copy(trial, trial->words, (uint64_t)(uintptr_t)words, sizeof words);
    for (int i = 0; status == OCL_OK && met.is_all && i < LAUNCHES; i++)
        status = launch(trial, trial->most, &met);
    if (status == OCL_OK)
        status = launch(trial, 2 * trial->most + 1, &crowd);
    if (status == OCL_OK)
        status = copy(trial, (uint64_t)(uintptr_t)words, trial->words, sizeof words);
    if (status != OCL_OK)
        return status;
    ocl_trace("%s: %zu blocks of %d threads met: %s; twice as many %s",
              trial->context->device->facts.name, trial->most, THREADS,
              met.is_all ? "all" : "not all", crowd.is_all ? "did not wait" : "gave up");
    return met.is_all && !crowd.is_all && words[WORD_ERRORS] == 0 &&
                   words[WORD_ENDED] == (size_t)LAUNCHES * THREADS * trial->most
               ? OCL_OK
               : OCL_E_NOT_SUPPORTED;
}

/* As many as fit, of which others may keep some from coming in time; programs count on one for each compute unit. */
static ocl_status count_blocks(struct trial *trial)
{
    const size_t units = trial->context->device->facts.compute_units;
    struct ocl_gathered counted = {.counts = true};
    ocl_status status = OCL_OK;
    for (int i = 0; status == OCL_OK && trial->most < units && i < COUNTS; i++) {
        status = launch(trial, TRIED_PER_UNIT * units, &counted);
        trial->most = counted.groups;
    }
    return status == OCL_OK && trial->most < units ? OCL_E_NOT_SUPPORTED : status;
}

static ocl_status try_kernel(struct trial *trial)
{
    ocl_status status = count_blocks(trial);
    if (status == OCL_OK)
        status = ocl_memory_allocate(trial->context,
                                     (WORD_TOLD + ROUNDS * trial->most) * sizeof(uint32_t), 0,
                                     &trial->words);
    if (status == OCL_OK)
        status = launch_all(trial);
    (void)ocl_queue_finish(trial->queue);
    ocl_memory_discard(trial->words);
    return status;
}

/* OCL_E_NOT_READY: not all of it met beside other work. */
static ocl_status try_it(struct ocl_context *context)
{
    struct trial trial = {.context = context};
    struct ocl_program *program = NULL;
    char *log = NULL;
    if (!context->capability.has_addresses)
        return OCL_E_NEEDS_ADDRESS;
    ocl_status status =
        ocl_program_build(context, trial_text, sizeof trial_text - 1, NULL, &program, &log);
    free(log);
    const enum ocl_queue_kind kind =
        status == OCL_OK ? ocl_alone_kind(context) : OCL_QUEUE_NON_BLOCKING;
    if (status == OCL_OK)
        status = ocl_queue_create(context, kind, 0, &trial.queue);
    trial.kernel = status == OCL_OK ? ocl_program_find_kernel(program, "clem_meet") : NULL;
    if (trial.kernel)
        status = try_kernel(&trial);
    if (trial.queue)
        ocl_queue_destroy(trial.queue);
    ocl_program_release(program);
    return kind == OCL_QUEUE_APART && status == OCL_E_NOT_SUPPORTED ? OCL_E_NOT_READY : status;
}

/* --- the answer ------------------------------------------------------------------------------- */

static bool has_failed(const struct ocl_context *context)
{
    return ocl_context_failure(context) != OCL_OK;
}

/* Where the trial could not be made, nothing is known: whoever asks next tries again. */
static int find_answer(struct ocl_context *context)
{
    const int before = ocl_steady_begin();
    const ocl_status status = try_it(context);
    ocl_steady_end(before);
    ocl_trace("%s: cooperative launches: %s", context->device->facts.name,
              status == OCL_OK ? "yes" : ocl_status_name(status));
    if (status == OCL_OK)
        return YES;
    const bool is_no = status == OCL_E_NOT_SUPPORTED || status == OCL_E_NEEDS_ADDRESS ||
                       status == OCL_E_LAUNCH_SIZE || status == OCL_E_BUILD;
    return is_no && !has_failed(context) ? NO : UNKNOWN;
}

static int find_in_own_context(int device)
{
    struct ocl_context *context = NULL;
    if (ocl_context_open(device, &context) != OCL_OK)
        return UNKNOWN;
    const int answer = find_answer(context);
    ocl_context_close(context);
    return answer;
}

/* A device that was seen to is noted beside the programs, for the processes that come. What forced another way is not. */
static const char *notes(const struct ocl_device_facts *facts, struct ocl_cache_key *key)
{
    const struct ocl_options *options = ocl_options_get();
    *key = (struct ocl_cache_key){facts, "cooperates", trial_text, sizeof trial_text};
    return facts->device_class == OCL_CLASS_CPU || options->address || options->ptx ||
                   options->ptx_form
               ? NULL
               : ocl_program_cache_directory();
}

static bool is_noted(const struct ocl_device_facts *facts)
{
    struct ocl_cache_key key;
    const char *directory = notes(facts, &key);
    void *note = NULL;
    size_t bytes = 0;
    const bool is = directory && ocl_program_cache_load(directory, &key, &note, &bytes);
    free(note);
    return is;
}

static void keep_answer(int device, int answer)
{
    struct ocl_cache_key key;
    const char *directory = answer == YES ? notes(ocl_device_facts(device), &key) : NULL;
    if (directory)
        ocl_program_cache_store(directory, &key, "", 1);
    if (answer != UNKNOWN && device < DEVICES)
        atomic_store(&answers[device], answer);
}

bool ocl_device_cooperates(int device, struct ocl_context *open)
{
    if (!ocl_device_gathers(ocl_device_facts(device)))
        return true;
    int answer = device < DEVICES ? atomic_load(&answers[device]) : UNKNOWN;
    if (answer != UNKNOWN)
        return answer == YES;
    if (is_noted(ocl_device_facts(device))) {
        if (device < DEVICES)
            atomic_store(&answers[device], YES);
        return true;
    }
    answer = open && !has_failed(open) ? find_answer(open) : find_in_own_context(device);
    keep_answer(device, answer);
    return answer == YES;
}
