/* Words that name results: "offset.read{offset=1,form=idiom}".
 * SPDX-License-Identifier: Apache-2.0
 *
 * A row's name, or the beginning of several ("surface.*"), and conditions on what it varies over:
 * a study's parameters by their names; "form" (idiom, best, or a form's name); for other rows "size"
 * (bytes, with K, M or G), "row" (bytes of a row) and "live". A value is a number, one of the
 * parameter's words, "min" or "max" (among the results that fit the other conditions), or "*". */
#ifndef CLEM_BENCH_SELECTOR_H
#define CLEM_BENCH_SELECTOR_H

#include "bench/report.h"

#define SELECTOR_CONDITIONS 6

struct condition {
    char name[24], value[24];
};

struct selector {
    char row[48];
    struct condition conditions[SELECTOR_CONDITIONS];
    size_t count;
};

/* False for what is no selector: no row, a brace or an "=" missing, too long, too many. */
bool selector_parse(const char *text, struct selector *selector);

/* Whether a selector names a task; "min" and "max" take any that has the parameter. */
bool selector_fits(const struct selector *selector, const struct task *task);

/* The device's results that a selector names, in the report's order; no more than room. */
size_t selector_find(const struct selector *selector, const struct device_report *device,
                     const struct result **found, size_t room);

/* What a task has for a condition's name, as a number; false when it has nothing of that name. */
bool selector_number(const struct task *task, const char *name, double *number);

/* The name of the condition whose value is "*", or NULL. */
const char *selector_axis(const struct selector *selector);

#endif
