/* Reports of the checks: one block each on stderr or in a file, the same one folded, a summary at the end. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_REPORT_H
#define OCL_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line of a report, or a stack with its heading. Words of a label are joined by _ where it is a name in JSON. */
struct ocl_report_part {
    const char *label;
    const char *text; /* NULL: none */
    uint32_t stack;   /* stack.h; 0: none */
    bool joins;       /* it stands in the line of the one before */
    bool is_long;     /* a colon stands between */
    bool has_names;   /* text is names of kernels, with ", " between */
};

enum { OCL_REPORT_PARTS = 12 };

struct ocl_report {
    unsigned kind;    /* one bit of enum ocl_check */
    bool is_warning;  /* it does not change the exit status */
    uint64_t key;     /* reports of one kind with the same key are one */
    const char *what; /* a sentence without its point */
    struct ocl_report_part parts[OCL_REPORT_PARTS]; /* as far as the first without a label */
};

/* Checks begin: opens what reports go to. A document is there from now on, however the process ends. Needs: wishes are read. */
void ocl_report_begin(void);

/* Shows a report, unless it was shown before or the user's file suppresses it. Texts are copied.
 * Threads: any. Locks: a leaf, while the block is written. */
void ocl_report_add(const struct ocl_report *report);

/* The same from a handler of signals, of what ends the process: it is written with the summary, and no lock is taken. Its
 * texts must stay. */
void ocl_report_add_last(const struct ocl_report *report);

/* At the end of the process: counts, the summary, the file. Returns the exit status for a program that ends with the given
 * one. */
int ocl_report_end(int status);

/* How many errors there were, suppressed ones left out. */
uint64_t ocl_report_errors(void);

/* A key of numbers. */
uint64_t ocl_report_key(const uint64_t *numbers, size_t count);

#endif
