/* Tests of kernels/peak.cl: what the bandwidth kernels leave in memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program/builtin.h"
#include "tests/cl/arena.h"

/* Words of 16 bytes; the item forms of read take 16 of them per item. */
enum { WORDS = 64 * 256, BYTES = WORDS * 16, ITEMS = 64 };

struct peak {
    struct ocl_context *context;
    struct arena target, first, second;
};

/* Small whole numbers as floats, so that sums are exact. */
static void put_floats(struct arena *arena, uint64_t *dice)
{
    for (size_t i = 0; i < BYTES / sizeof(float); i++) {
        const float value = (float)random_between(dice, 0, 1000);
        memcpy(arena->model + i * sizeof value, &value, sizeof value);
    }
    assert_int_equal(
        copy_bytes(ocl_queue_legacy(arena->context), arena->address, arena->model, BYTES), OCL_OK);
}

static struct peak open_peak(void)
{
    uint64_t dice = 1;
    struct ocl_context *context = open_context();
    struct peak peak = {context, arena_open(context, ARENA_DEVICE, BYTES, &dice),
                        arena_open(context, ARENA_DEVICE, BYTES, &dice),
                        arena_open(context, ARENA_DEVICE, BYTES, &dice)};

    put_floats(&peak.first, &dice);
    put_floats(&peak.second, &dice);
    return peak;
}

static void close_peak(struct peak *peak)
{
    arena_close(&peak->target);
    arena_close(&peak->first);
    arena_close(&peak->second);
    ocl_context_close(peak->context);
}

/* A traversal: how the kernel's name ends, and its index space. */
struct traversal {
    const char *name;
    size_t groups, items;
    bool only_cpu;
};

static const struct traversal traversals[] = {{"item", WORDS / 64, 64, false},
                                              {"interleaved", ITEMS / 16, 16, false},
                                              {"chunked", ITEMS, 1, false},
                                              {"streaming", ITEMS, 1, true}};

/* Arguments beyond those that a form has are not read. */
static void run(struct peak *peak, const char *work, const struct traversal *traversal,
                size_t groups, const void *const *arguments)
{
    const struct ocl_launch how = {
        {groups, 1, 1}, {traversal->items, 1, 1}, 0, (void *const *)arguments, false, 0, NULL, {0}};
    struct ocl_kernel *kernel;
    char name[40];

    snprintf(name, sizeof name, "peak_%s_%s", work, traversal->name);
    assert_int_equal(ocl_builtin_kernel(peak->context, "peak", name, &kernel), OCL_OK);
    assert_int_equal(ocl_kernel_launch(kernel, ocl_queue_legacy(peak->context), &how), OCL_OK);
}

static bool can_run(const struct peak *peak, const struct traversal *traversal)
{
    return !traversal->only_cpu || peak->context->device->facts.device_class == OCL_CLASS_CPU;
}

static const uint64_t words = WORDS, chunk = WORDS / ITEMS;

static void spoil(struct arena *arena)
{
    memset(arena->model, 0xee, BYTES);
    assert_int_equal(
        copy_bytes(ocl_queue_legacy(arena->context), arena->address, arena->model, BYTES), OCL_OK);
}

TEST_BODY(peak_copies)
{
    struct peak peak = open_peak();
    const void *const arguments[] = {&peak.target.address, &peak.first.address, &words, &chunk};

    for (size_t i = 0; i < 4; i++) {
        if (!can_run(&peak, &traversals[i]))
            continue;
        spoil(&peak.target);
        run(&peak, "copy", &traversals[i], traversals[i].groups, arguments);
        memcpy(peak.target.model, peak.first.model, BYTES);
        arena_check(&peak.target, ocl_queue_legacy(peak.context));
    }
    close_peak(&peak);
}

TEST_BODY(peak_writes)
{
    struct peak peak = open_peak();
    const uint32_t value = 0x12345678u;
    const void *const arguments[] = {&peak.target.address, &value, &words, &chunk};

    for (size_t i = 0; i < 4; i++) {
        if (!can_run(&peak, &traversals[i]))
            continue;
        spoil(&peak.target);
        run(&peak, "write", &traversals[i], traversals[i].groups, arguments);
        for (size_t at = 0; at < BYTES; at += sizeof value)
            memcpy(peak.target.model + at, &value, sizeof value);
        arena_check(&peak.target, ocl_queue_legacy(peak.context));
    }
    close_peak(&peak);
}

TEST_BODY(peak_triads)
{
    struct peak peak = open_peak();
    const float factor = 3;
    const void *const arguments[] = {
        &peak.target.address, &peak.first.address, &peak.second.address, &factor, &words, &chunk};

    for (size_t i = 0; i < 4; i++) {
        if (!can_run(&peak, &traversals[i]))
            continue;
        spoil(&peak.target);
        run(&peak, "triad", &traversals[i], traversals[i].groups, arguments);
        for (size_t at = 0; at < BYTES; at += sizeof(float)) {
            float a, b;
            memcpy(&a, peak.first.model + at, sizeof a);
            memcpy(&b, peak.second.model + at, sizeof b);
            a += factor * b;
            memcpy(peak.target.model + at, &a, sizeof a);
        }
        arena_check(&peak.target, ocl_queue_legacy(peak.context));
    }
    close_peak(&peak);
}

static uint32_t sum_of(const unsigned char *bytes, size_t count)
{
    uint32_t sum = 0, number;

    for (size_t at = 0; at < count; at += sizeof number) {
        memcpy(&number, bytes + at, sizeof number);
        sum += number;
    }
    return sum;
}

TEST_BODY(peak_reads_everything)
{
    struct peak peak = open_peak();
    const void *const arguments[] = {&peak.first.address, &peak.target.address, &words, &chunk};

    for (size_t i = 0; i < 3; i++) {
        const size_t groups = i == 0 ? traversals[i].groups / 16 : traversals[i].groups;
        const size_t sums = groups * traversals[i].items * sizeof(uint32_t);
        unsigned char *read = malloc(sums);
        assert_non_null(read);
        spoil(&peak.target);
        run(&peak, "read", &traversals[i], groups, arguments);
        assert_int_equal(copy_bytes(ocl_queue_legacy(peak.context), address_of(read),
                                    (const void *)(uintptr_t)peak.target.address, sums),
                         OCL_OK);
        assert_int_equal(sum_of(read, sums), sum_of(peak.first.model, BYTES));
        free(read);
    }
    close_peak(&peak);
}
