/* Cache policies of stores: the same writes with several hints.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/fast.h"
#include "bench/studies/policy.h"

enum { FORM_ITEMS, FORM_RUNS };

static const char *const hint_names[] = {"plain", "nontemporal", "wb", "cg", "cs", "wt"};

static bool describe_write(struct attempt *attempt, const struct cell *cell, size_t form,
                           struct shot *shot)
{
    const size_t words = cell->bytes / 16;
    const unsigned hint = cell_parameter(cell, "hint");
    if (!policy_hint_works(attempt, cell->device, hint))
        return false;
    shot->file = "policy";
    shot_define_number(shot, "PATH", POLICY_PLAIN);
    shot_define_number(shot, "HINT", hint);
    if (form == FORM_ITEMS)
        shot_items(shot, cell->device, words, 256);
    else
        shot_chunks(shot, cell->device);
    shot->kernel = form == FORM_ITEMS ? "policy_write" : "policy_write_chunked";
    shot_pass(shot, shot_out(shot, cell->bytes));
    shot_pass_u32(shot, POLICY_VALUE);
    if (form != FORM_ITEMS)
        shot_pass_u64(shot, words);
    shot->useful = (double)cell->bytes;
    return true;
}

static uint32_t expected_write(const struct cell *cell, const struct shot *shot,
                               const void *const memory[], size_t place)
{
    (void)cell, (void)shot, (void)memory;
    return (uint32_t)place ^ POLICY_VALUE;
}

static size_t check_write(const struct cell *cell, const struct shot *shot,
                          const void *const memory[], size_t runs)
{
    (void)runs;
    return check_words(cell, shot, memory[0], cell->bytes / 4, memory, expected_write);
}

FAST static void write_part(uint32_t *to, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        to[i] = (uint32_t)i ^ POLICY_VALUE;
}

/* Plain stores, also beside non-temporal ones: the difference is what they are for. */
static void host_write(const struct cell *cell, const struct shot *shot, void *const memory[])
{
    (void)shot;
    const size_t words = cell->bytes / 4, parts = 1024;
#pragma omp parallel for schedule(static)
    for (size_t part = 0; part < parts; part++)
        write_part(memory[0], words * part / parts, words * (part + 1) / parts);
}

static bool takes_write(const struct cell *cell)
{
    return cell_parameter(cell, "hint") <= POLICY_WB || policy_reads_ptx(cell->device);
}

const struct study study_policy_write = {
    .counts = "each word written once",
    .unit = UNIT_GB_S,
    .parameters = {{.name = "hint",
                    .names = hint_names,
                    .quick = POINTS(POLICY_NON_TEMPORAL),
                    .normal = POINTS(POLICY_WRITE, POLICY_NON_TEMPORAL, POLICY_WB, POLICY_WRITE_CG,
                                     POLICY_WRITE_CS, POLICY_WT)}},
    .forms = {{"items", ON_ANY}, {"chunked", ON_CPU}},
    .hosts = {{"loop" ALL, FORM_ITEMS, host_write, NULL}},
    .describe = describe_write,
    .check = check_write,
    .takes = takes_write,
};
