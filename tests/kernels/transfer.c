/* Tests of the transfer kernels as such: every form that the device can build, whatever the planner
 * would choose.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program/builtin.h"
#include "cl/program/kernel.h"
#include "cl/transfer/transfer_plan.h"
#include "tests/cl/arena.h"

enum { ARENA_BYTES = 100 * 1000 };

struct bench {
    struct ocl_context *context;
    struct ocl_queue *queue;
    struct arena target, source;
    uint64_t dice;
};

static struct bench open_bench(uint64_t dice)
{
    struct bench bench = {.context = open_context(), .dice = dice};

    bench.queue = ocl_queue_legacy(bench.context);
    bench.target = arena_open(bench.context, ARENA_DEVICE, ARENA_BYTES, &bench.dice);
    bench.source = arena_open(bench.context, ARENA_DEVICE, ARENA_BYTES, &bench.dice);
    return bench;
}

static void close_bench(struct bench *bench)
{
    arena_close(&bench->target);
    arena_close(&bench->source);
    ocl_context_close(bench->context);
}

static bool is_cpu(const struct bench *bench)
{
    return bench->context->device->facts.device_class == OCL_CLASS_CPU;
}

static void launch(const struct bench *bench, const char *file, const char *name, size_t groups,
                   size_t items, const void *const *arguments)
{
    const struct ocl_launch how = {
        {groups, 1, 1}, {items, 1, 1}, 0, (void *const *)arguments, false, 0, NULL, {0}};
    struct ocl_kernel *kernel;

    assert_int_equal(ocl_builtin_kernel(bench->context, file, name, &kernel), OCL_OK);
    assert_int_equal(ocl_kernel_launch(kernel, bench->queue, &how), OCL_OK);
}

/* ---- Runs ---- */

static void check_copy(struct bench *bench, const char *name, size_t bytes, size_t to, size_t from)
{
    const struct ocl_copy copy =
        linear_copy(bench->target.address + to, bench->source.address + from, bytes);
    const uint64_t size = bytes, chunk = 1024;
    const void *const arguments[] = {&copy.target.address, &copy.source.address, &size, &chunk};
    const bool is_items = strcmp(name, "copy_items") == 0;

    launch(bench, "copy", name, is_items ? (bytes + 4095) / 4096 : (bytes + chunk - 1) / chunk,
           is_items ? 256 : 1, arguments);
    model_copy(&bench->target, &bench->source, &copy);
    arena_check(&bench->target, bench->queue);
}

/* Every pair of alignments, and sizes around each boundary of the head, the words and the tail. */
static void check_copies(const char *name)
{
    struct bench bench = open_bench(1);

    for (size_t to = 0; to < 17; to++)
        for (size_t from = 0; from < 17; from += 1 + to % 3)
            check_copy(&bench, name, random_between(&bench.dice, 1, 300), to, from);
    for (size_t bytes = 1; bytes < 140; bytes++)
        check_copy(&bench, name, bytes, random_between(&bench.dice, 0, 64),
                   random_between(&bench.dice, 0, 64));
    for (size_t bytes = 4000; bytes < 90000; bytes += 7001)
        check_copy(&bench, name, bytes, random_between(&bench.dice, 0, 64),
                   random_between(&bench.dice, 0, 64));
    check_copy(&bench, name, ARENA_BYTES, 0, 0); /* to the last byte of the memory */
    close_bench(&bench);
}

static void check_fill(struct bench *bench, const char *name, size_t bytes, size_t to)
{
    const struct ocl_fill fill = {bench->target.address + to, bytes, bytes, bytes, 1, 1, 1, 0};
    const uint32_t pattern = (uint32_t)random_next(&bench->dice);
    const uint64_t size = bytes, chunk = 1024;
    const void *const arguments[] = {&fill.address, &size, &pattern, &chunk};
    const bool is_items = strcmp(name, "fill_items") == 0;

    launch(bench, "fill", name, is_items ? (bytes + 4095) / 4096 : (bytes + chunk - 1) / chunk,
           is_items ? 256 : 1, arguments);
    for (size_t i = 0; i < bytes; i++)
        bench->target.model[to + i] = (unsigned char)(pattern >> 8 * (i % 4));
    arena_check(&bench->target, bench->queue);
}

static void check_fills(const char *name)
{
    struct bench bench = open_bench(2);

    for (size_t bytes = 1; bytes < 200; bytes++)
        check_fill(&bench, name, bytes, random_between(&bench.dice, 0, 80));
    for (size_t bytes = 4000; bytes < 90000; bytes += 7001)
        check_fill(&bench, name, bytes, random_between(&bench.dice, 0, 80));
    check_fill(&bench, name, ARENA_BYTES, 0);
    close_bench(&bench);
}

static void skip_unless_cpu(void)
{
    struct ocl_context *context = open_context();
    const bool is_one = context->device->facts.device_class == OCL_CLASS_CPU;

    ocl_context_close(context);
    if (!is_one)
        TEST_SKIP("kernels for CPUs are not built for this device");
}

TEST_BODY(kernels_copy_items)
{
    check_copies("copy_items");
}
TEST_BODY(kernels_fill_items)
{
    check_fills("fill_items");
}

TEST_BODY(kernels_copy_chunks)
{
    skip_unless_cpu();
    check_copies("copy_chunks");
    check_copies("copy_chunks_streaming");
}

TEST_BODY(kernels_fill_chunks)
{
    skip_unless_cpu();
    check_fills("fill_chunks");
    check_fills("fill_chunks_streaming");
}

/* ---- Rectangles ---- */

static struct ocl_copy random_rect(struct bench *bench, size_t width, unsigned element)
{
    struct ocl_copy copy = {.width = width,
                            .height = random_between(&bench->dice, 1, 40),
                            .depth = random_between(&bench->dice, 1, 3)};
    struct ocl_copy_end *const ends[] = {&copy.source, &copy.target};
    const uint64_t bases[] = {bench->source.address, bench->target.address};

    for (int i = 0; i < 2; i++) {
        ends[i]->address = bases[i] + random_between(&bench->dice, 0, 20) * element;
        ends[i]->pitch = (width + element - 1) / element * element +
                         random_between(&bench->dice, 0, 3) * element;
        ends[i]->slice_bytes =
            ends[i]->pitch * copy.height + random_between(&bench->dice, 0, 2) * element;
    }
    return copy;
}

/* element 0: the kernel of words. */
static void check_grid(struct bench *bench, const char *name, const struct ocl_copy *copy,
                       unsigned element, const uint32_t *pattern)
{
    const uint64_t rows = copy->height * copy->depth;
    const size_t items = ocl_plan_grid_items(copy->width, rows, element);
    const struct ocl_copy_end *to = &copy->target, *from = &copy->source;
    const void *const copying[] = {&to->address,   &to->pitch,    &to->slice_bytes,
                                   &from->address, &from->pitch,  &from->slice_bytes,
                                   &copy->width,   &copy->height, &rows};
    const void *const filling[] = {&to->address,  &to->pitch, &to->slice_bytes, &copy->width,
                                   &copy->height, &rows,      pattern};

    launch(bench, pattern ? "fill_rect" : "copy_rect", name,
           (items + OCL_GROUP_ITEMS - 1) / OCL_GROUP_ITEMS, OCL_GROUP_ITEMS,
           pattern ? filling : copying);
}

static void check_rows(struct bench *bench, const char *name, const struct ocl_copy *copy,
                       const uint32_t *pattern)
{
    const uint64_t rows = copy->height * copy->depth, take = 7;
    const struct ocl_copy_end *to = &copy->target, *from = &copy->source;
    const void *const copying[] = {
        &to->address,       &to->pitch,   &to->slice_bytes, &from->address, &from->pitch,
        &from->slice_bytes, &copy->width, &copy->height,    &rows,          &take};
    const void *const filling[] = {&to->address, &to->pitch,    &to->slice_bytes,
                                   &copy->width, &copy->height, &rows,
                                   &take,        pattern};

    launch(bench, pattern ? "fill_rect" : "copy_rect", name, (size_t)((rows + take - 1) / take), 1,
           pattern ? filling : copying);
}

static void check_result(struct bench *bench, const struct ocl_copy *copy, const uint32_t *pattern)
{
    struct arena stripes = bench->source;
    unsigned char *patterned = NULL;

    if (pattern) { /* a fill is a copy of rows that hold the pattern */
        patterned = malloc(copy->width);
        assert_non_null(patterned);
        for (size_t i = 0; i < copy->width; i++)
            patterned[i] = (unsigned char)(*pattern >> 8 * (i % 4));
        stripes.model = patterned;
    }
    struct ocl_copy as_model = *copy;
    if (pattern)
        as_model.source = (struct ocl_copy_end){stripes.address, 0, 0};
    model_copy(&bench->target, &stripes, &as_model);
    arena_check(&bench->target, bench->queue);
    free(patterned);
}

static void check_items(struct bench *bench, const char *name, unsigned element, bool is_fill)
{
    static const size_t widths[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 33, 47, 64, 100, 255, 257, 700};

    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        const struct ocl_copy copy = random_rect(bench, widths[i], element ? element : 1);
        const uint32_t value = (uint32_t)random_next(&bench->dice);
        const uint32_t *pattern = is_fill ? &value : NULL;
        check_grid(bench, name, &copy, element, pattern);
        check_result(bench, &copy, pattern);
    }
}

static void check_all_items(const char *file)
{
    const bool is_fill = strcmp(file, "fill_rect") == 0;
    struct bench bench = open_bench(3);
    char name[40];

    for (unsigned element = 1; element <= 16; element *= 2) {
        snprintf(name, sizeof name, "%s_items_%u", file, element);
        check_items(&bench, name, element, is_fill);
    }
    snprintf(name, sizeof name, "%s_words", file);
    for (int round = 0; round < 10; round++)
        check_items(&bench, name, 0, is_fill);
    close_bench(&bench);
}

static void check_row_kernel(struct bench *bench, const char *name, size_t width, bool is_fill)
{
    const struct ocl_copy copy = random_rect(bench, width, 1);
    const uint32_t value = (uint32_t)random_next(&bench->dice);
    const uint32_t *pattern = is_fill ? &value : NULL;

    check_rows(bench, name, &copy, pattern);
    check_result(bench, &copy, pattern);
}

static void check_row_kernels(const char *file)
{
    const bool is_fill = strcmp(file, "fill_rect") == 0;
    struct bench bench = open_bench(4);
    char name[40];

    assert_true(is_cpu(&bench));
    for (size_t width = 64; width < 700; width += 1 + width / 9) {
        snprintf(name, sizeof name, "%s_rows", file);
        check_row_kernel(&bench, name, width, is_fill);
        snprintf(name, sizeof name, "%s_rows_streaming", file);
        check_row_kernel(&bench, name, width, is_fill);
    }
    for (unsigned element = 1; element <= 16; element *= 2) {
        snprintf(name, sizeof name, "%s_narrow_%u", file, element);
        for (size_t count = 1; count < 12; count++)
            check_row_kernel(&bench, name, count * element, is_fill);
    }
    close_bench(&bench);
}

TEST_BODY(kernels_copy_rect_items)
{
    check_all_items("copy_rect");
}
TEST_BODY(kernels_fill_rect_items)
{
    check_all_items("fill_rect");
}

TEST_BODY(kernels_copy_rect_rows)
{
    skip_unless_cpu();
    check_row_kernels("copy_rect");
}

TEST_BODY(kernels_fill_rect_rows)
{
    skip_unless_cpu();
    check_row_kernels("fill_rect");
}

/* ---- Readiness ---- */

static bool was_launched(struct ocl_context *context, const char *file, const char *name)
{
    struct ocl_kernel *kernel;

    assert_int_equal(ocl_builtin_kernel(context, file, name, &kernel), OCL_OK);
    for (int form = 0; form < OCL_FORM_COUNT; form++)
        if (atomic_load(&kernel->forms[form].spare))
            return true;
    return false;
}

/* Code that is loaded later would wait for kernels that run. */
TEST_BODY(transfer_kernels_are_ready_before_others_run)
{
    static const char *const sizes[] = {"items_1", "items_2",  "items_4",
                                        "items_8", "items_16", "words"};
    struct ocl_context *context = open_context_as_gpu();

    ocl_transfer_prepare(context);
    assert_true(was_launched(context, "copy", "copy_items"));
    assert_true(was_launched(context, "fill", "fill_items"));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "copy_rect_%s", sizes[i]);
        assert_true(was_launched(context, "copy_rect", name));
        snprintf(name, sizeof name, "fill_rect_%s", sizes[i]);
        assert_true(was_launched(context, "fill_rect", name));
    }
    assert_true(ocl_queues_are_idle(context));
    ocl_context_close(context);
}
