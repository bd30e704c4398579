/* Findings as reports.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cl/check.h"
#include "cl/check/report.h"
#include "cl/check/stack.h"

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0;
    for (; text && *text; text++)
        hash = hash * 31 + (unsigned char)*text;
    return hash;
}

/* Sentences have addresses in them: what a kernel does at one line is one finding, whatever it does it to. */
static uint64_t key_of(const struct ocl_finding *finding, uint32_t stack)
{
    const bool has_line = finding->kernel && finding->ptx_line != 0;
    const uint64_t numbers[] = {hash_text(finding->kernel),
                                finding->ptx_line,
                                hash_text(finding->space),
                                finding->is_warning,
                                has_line ? 0 : hash_text(finding->what),
                                has_line ? 0 : stack};
    return ocl_report_key(numbers, sizeof numbers / sizeof *numbers);
}

static void add_part(struct ocl_report *report, const char *label, const char *text, uint32_t stack,
                     bool joins)
{
    int at = 0;
    if (!text && stack == 0)
        return;
    while (at < OCL_REPORT_PARTS && report->parts[at].label)
        at++;
    if (at < OCL_REPORT_PARTS)
        report->parts[at] = (struct ocl_report_part){.label = label,
                                                     .text = text,
                                                     .stack = stack,
                                                     .joins = joins,
                                                     .is_long = strcmp(label, "note") == 0,
                                                     .has_names = strstr(label, "kernel") != NULL};
}

struct words {
    char what[512], block[64], thread[64], line[32];
};

static void write_words(const struct ocl_finding *f, struct words *words)
{
    if (f->space)
        snprintf(words->what, sizeof words->what, "%s (%s address 0x%llx)", f->what, f->space,
                 (unsigned long long)f->address);
    else
        snprintf(words->what, sizeof words->what, "%s", f->what);
    snprintf(words->block, sizeof words->block, "(%u,%u,%u)", (unsigned)f->block[0],
             (unsigned)f->block[1], (unsigned)f->block[2]);
    snprintf(words->thread, sizeof words->thread, "(%u,%u,%u)", (unsigned)f->thread[0],
             (unsigned)f->thread[1], (unsigned)f->thread[2]);
    snprintf(words->line, sizeof words->line, "%u", (unsigned)f->ptx_line);
}

void ocl_check_report(const struct ocl_finding *finding)
{
    struct words words;
    const uint32_t launch = ocl_stack_keep(finding->launch), host = ocl_stack_keep(finding->host);
    struct ocl_report report = {.kind = finding->check,
                                .is_warning = finding->is_warning,
                                .key = key_of(finding, launch ? launch : host),
                                .what = words.what};
    write_words(finding, &words);
    add_part(&report, "kernel", finding->kernel, 0, false);
    add_part(&report, "block", finding->has_thread ? words.block : NULL, 0, true);
    add_part(&report, "thread", finding->has_thread ? words.thread : NULL, 0, true);
    add_part(&report, "PTX line", finding->ptx_line ? words.line : NULL, 0, false);
    add_part(&report, "source", finding->source, 0, finding->ptx_line != 0);
    add_part(&report, "note", finding->about, 0, false);
    add_part(&report, "the other's kernel", finding->other_kernel, 0, false);
    add_part(&report, "touched by the host at", NULL, host, false);
    add_part(&report, finding->kernel ? "launched at" : "called at", NULL, launch, false);
    add_part(&report, finding->other_kernel ? "the other launched at" : "the other called at", NULL,
             ocl_stack_keep(finding->other), false);
    add_part(&report, "allocated at", NULL, ocl_stack_keep(finding->allocation), false);
    add_part(&report, "freed at", NULL, ocl_stack_keep(finding->freed), false);
    ocl_report_add(&report);
}
