/* Cooperative launches whose blocks gather, as on GPUs: what is measured of a kernel, and that they are alone.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cl/context.h"
#include "cl/program/translation.h"
#include "tests/cl/launch.h"

/* Words: the first is set by slow(), look() counts in the second if it is, and keep() keeps the second in the third. */
enum { WORD_SLOW, WORD_SEEN, WORD_KEPT, WORDS };

static const char text[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry slow(.param .u64 p, .param .u32 turns)\n{\n"
    ".reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d;\n"
    "ld.param.u64 %d, [p];\nld.param.u32 %r1, [turns];\nmov.u32 %r2, 1;\n"
    "L: ld.volatile.global.u32 %r3, [%d];\nmad.lo.u32 %r2, %r2, 1664525, %r3;\nsub.u32 %r1, %r1, "
    "1;\n"
    "setp.ne.u32 %p, %r1, 0;\n@%p bra L;\nor.b32 %r2, %r2, 1;\nst.global.u32 [%d], %r2;\nret;\n}\n"
    ".visible .entry look(.param .u64 p)\n{\n"
    ".reg .pred %p; .reg .b32 %r<3>; .reg .b64 %d;\n"
    "ld.param.u64 %d, [p];\nld.volatile.global.u32 %r1, [%d];\nsetp.ne.u32 %p, %r1, 0;\n"
    "@%p atom.global.add.u32 %r2, [%d+4], 1;\nret;\n}\n"
    ".visible .entry keep(.param .u64 p)\n{\n"
    ".reg .b32 %r; .reg .b64 %d;\n"
    "ld.param.u64 %d, [p];\nld.volatile.global.u32 %r, [%d+4];\nst.global.u32 [%d+8], "
    "%r;\nret;\n}\n"
    ".visible .entry meets(.param .u64 p)\n{\n.reg .b32 %r; .reg .b64 %d;\n"
    "ld.param.u64 %d, [p];\nmov.u32 %r, %envreg2;\nst.global.u32 [%d], %r;\nret;\n}\n";

static struct bench open_gathering(void)
{
    setenv("CLEM_PTX_FORM", "gpu", 1);
    struct bench bench = open_bench(text, NULL);
    if (ocl_context_address(bench.context) == OCL_ADDRESS_HANDLE)
        TEST_SKIP("its kernels have no addresses");
    if (!ocl_device_cooperates(0, bench.context))
        TEST_SKIP("no cooperative launch");
    return bench;
}

static size_t most_of(struct ocl_kernel *kernel, size_t items, size_t local_bytes)
{
    size_t groups = 0;
    assert_int_equal(ocl_kernel_at_once(kernel, items, local_bytes, &groups), OCL_OK);
    return groups;
}

static unsigned kept_of(const struct ocl_kernel *kernel)
{
    unsigned count = 0;
    for (const struct ocl_at_once *at = kernel->ptx->at_once; at; at = at->next)
        count++;
    return count;
}

TEST_BODY(cooperation_is_measured_once_for_each_shape)
{
    struct bench bench = open_gathering();
    struct ocl_kernel *kernel = find_kernel(&bench, "look");
    assert_true(ocl_kernel_gathers(kernel));
    assert_false(ocl_kernel_is_measured(kernel));
    assert_true(ocl_kernel_is_measured(find_kernel(&bench, "meets")));
    const size_t most = most_of(kernel, 32, 0);
    assert_true(most > 0);
    assert_true(ocl_kernel_is_measured(kernel));
    assert_int_equal(most_of(kernel, 32, 0), most);
    assert_int_equal(kept_of(kernel), 1);
    (void)most_of(kernel, 64, 0);
    (void)most_of(kernel, 64, 1024);
    (void)most_of(kernel, 64, 1024);
    assert_int_equal(kept_of(kernel), 3);
    close_bench(&bench);
}

static ocl_status launch(struct ocl_kernel *kernel, struct ocl_queue *queue, size_t groups,
                         void *const *arguments, struct ocl_gathered *gathered)
{
    const struct ocl_launch cooperative = {.groups = {groups, 1, 1},
                                           .items = {1, 1, 1},
                                           .arguments = arguments,
                                           .is_cooperative = true,
                                           .gathered = gathered};
    return ocl_kernel_launch(kernel, queue, &cooperative);
}

/* Those that come count themselves, and nothing of the kernel is done; or else all of it. */
TEST_BODY(cooperation_gives_up_before_the_kernel_begins)
{
    struct bench bench = open_gathering();
    struct ocl_kernel *kernel = find_kernel(&bench, "look");
    const size_t most = most_of(kernel, 1, 0);
    uint32_t words[WORDS] = {1};
    uint64_t address = make_device(&bench, sizeof words);
    void *arguments[] = {&address};
    struct ocl_gathered crowd = {.is_hasty = true}, all = {.is_hasty = false},
                        counted = {.counts = true};
    write_device(&bench, address, words, sizeof words);
    assert_int_equal(launch(kernel, bench.queue, 3 * most, arguments, &crowd), OCL_OK);
    assert_false(crowd.is_all);
    assert_int_equal(launch(kernel, bench.queue, 3 * most, arguments, &counted), OCL_OK);
    assert_true(!counted.is_all && counted.groups > 0 && counted.groups < 3 * most);
    read_device(&bench, words, address, sizeof words);
    assert_int_equal(words[WORD_SEEN], 0);
    assert_int_equal(launch(kernel, bench.queue, most, arguments, &all), OCL_OK);
    assert_true(all.is_all && all.groups == most);
    read_device(&bench, words, address, sizeof words);
    assert_int_equal(words[WORD_SEEN], most);
    assert_int_equal(ocl_context_failure(bench.context), OCL_OK);
    free_device(address);
    close_bench(&bench);
}

static struct ocl_queue *make_queue(struct ocl_context *context)
{
    struct ocl_queue *queue = NULL;
    assert_int_equal(ocl_queue_create(context, OCL_QUEUE_NON_BLOCKING, 0, &queue), OCL_OK);
    return queue;
}

static ocl_status launch_plain(struct ocl_kernel *kernel, struct ocl_queue *queue,
                               void *const *arguments)
{
    const struct ocl_launch plain = {
        .groups = {1, 1, 1}, .items = {1, 1, 1}, .arguments = arguments};
    return ocl_kernel_launch(kernel, queue, &plain);
}

/* It sees all that another queue got before, which sees it. */
static void assert_alone(struct bench *bench, struct ocl_context *other,
                         struct ocl_program *program)
{
    struct ocl_queue *own = make_queue(bench->context), *beside = make_queue(other);
    uint32_t words[WORDS] = {0}, turns = 30 << 20;
    uint64_t address = make_device(bench, sizeof words);
    void *arguments[] = {&address, &turns};
    write_device(bench, address, words, sizeof words);
    assert_int_equal(launch_plain(ocl_program_find_kernel(program, "slow"), beside, arguments),
                     OCL_OK);
    assert_int_equal(launch(find_kernel(bench, "look"), own, 1, arguments, NULL), OCL_OK);
    assert_int_equal(launch_plain(ocl_program_find_kernel(program, "keep"), beside, arguments),
                     OCL_OK);
    assert_int_equal(ocl_queue_finish(beside), OCL_OK);
    read_device(bench, words, address, sizeof words);
    assert_true(words[WORD_SLOW] != 0);
    assert_int_equal(words[WORD_SEEN], 1);
    assert_int_equal(words[WORD_KEPT], 1);
    free_device(address);
    ocl_queue_destroy(own);
    ocl_queue_destroy(beside);
}

TEST_BODY(cooperation_is_alone_among_queues)
{
    struct bench bench = open_gathering();
    (void)most_of(find_kernel(&bench, "look"), 1, 0); /* compiled */
    assert_alone(&bench, bench.context, bench.program);
    close_bench(&bench);
}

TEST_BODY(cooperation_is_alone_among_contexts)
{
    struct bench bench = open_gathering(), other = open_bench(text, NULL);
    if (!bench.context->capability.device_is_host_memory)
        TEST_SKIP("memory of one context is none of another");
    (void)most_of(find_kernel(&bench, "look"), 1, 0);
    assert_alone(&bench, other.context, other.program);
    close_bench(&other);
    close_bench(&bench);
}
