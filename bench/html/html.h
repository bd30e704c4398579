/* The report as one page of HTML: devices and vendors side by side.
 * SPDX-License-Identifier: Apache-2.0
 *
 * page.c puts it together; sides.c orders the results of all files; heat.c, tables.c, charts.c and
 * summary.c are its parts. Every text from a file goes through html_text. */
#ifndef CLEM_BENCH_HTML_H
#define CLEM_BENCH_HTML_H

#include "bench/saved.h"

/* Writes output from the files. Returns the exit status, after a message unless it is 0: 65 for a
 * file that is no result, 66 for one that is not there, 74 when output cannot be written. */
int html_report(const char *output, char **files, size_t count);

/* One device of one file. */
struct side {
    const struct saved *run;
    const struct saved_device *device;
    char letter[4];                      /* "A", for tables */
    char label[128];                     /* "A: NVIDIA H200, clem" */
    const struct saved_result **results; /* by row, point and form */
    size_t count;
    double peak_read, peak_write, peak_copy; /* GB/s of memory; 0: not measured */
};

/* A line of a table: a row and what it varies over, whatever the form. */
struct key {
    const struct saved_result *example; /* of the first side that has it */
    size_t reference; /* the key that penalties are against: the first with the same but for what
                       * the row mainly varies over */
};

/* What a row has in all sides. */
struct row_facts {
    const char *row, *group;
    size_t first, count; /* its keys */
    bool is_study;
    int main;      /* the parameter with the most values, or -1 */
    size_t points; /* so many values it has */
    size_t held;   /* the reference of the keys that a curve is of: words of 4 bytes if it can be */
    bool is_number; /* they are numbers */
    bool is_sweep;  /* too many for a table: the best are told, the rest is a chart */
};

struct page {
    FILE *out;
    struct saved *runs;
    size_t run_count;
    struct side *sides;
    size_t side_count;
    struct key *keys;
    size_t key_count;
    struct row_facts *rows;
    size_t row_count;
    bool has_gnuplot;
    size_t charts; /* so many are on the page, for their names */
};

/* text.c */
void html_text(FILE *out, const char *text);
/* "4.27", "1204": three digits that matter. */
void html_number(char out[24], double number);
/* The value of a parameter for people: its word, "4 KiB" for sizes, or the number. */
void html_parameter(char out[VARIABLE_BYTES], const struct task_parameter *parameter);

/* sides.c. False without memory. */
bool sides_make(struct page *page);
void sides_free(struct page *page);
/* NULL when the side has none. form NULL: a result without a form or, of a study, the idiom. */
const struct saved_result *side_find(const struct side *side, const struct saved_result *like,
                                     const char *form);
/* The fastest form of a study's cell, or the only result of another row; NULL: nothing measured. */
const struct saved_result *side_best(const struct side *side, const struct saved_result *like);
/* What is greater where the device is faster: 1 / seconds for the same work. 0: not measured. */
double speed_of(const struct saved_result *result);
/* GB/s of the side's memory in the direction that the row has; 0: not measured. */
double peak_for(const struct side *side, const char *row);
/* Speed against the device's peak; 0 where that means nothing. */
double share_of(const struct side *side, const struct saved_result *result);
/* How many times slower than its reference; 0: none. */
double penalty_of(const struct page *page, const struct side *side, const struct key *key,
                  const char *form);

/* heat.c: the patterns that a run tells first, over all devices. Nothing where none was measured. Of more devices than a page
 * is wide it is the whole page: a line for each, to be filtered and sorted where scripts run. */
enum { HEAT_DEVICES = 8 };
void heat_map(struct page *page);
extern const char heat_style[]; /* CSS, beside the page's own */

/* tables.c */
void table_devices(struct page *page);                           /* facts.c */
void table_group(struct page *page, size_t first, size_t count); /* rows */
void table_seeds(struct page *page);
void table_runtimes(struct page *page);

/* charts.c: the figures of one group's rows. */
void chart_group(struct page *page, size_t first, size_t count);

/* gnuplot.c. Whether the program can be started. */
bool gnuplot_exists(void);
/* Runs a script and writes its SVG into out, with names of its own and colours that follow the
 * page's. False when gnuplot failed; then nothing is written. */
bool gnuplot_draw(FILE *out, const char *script, size_t script_bytes, size_t number);
/* Text that cannot mean anything to gnuplot, in quotes. */
void gnuplot_quote(FILE *script, const char *text);

/* summary.c: what differs and why, in plain words. */
void summary(struct page *page);
/* What a group is about. */
struct group_words {
    const char *group, *title, *words;
};
const struct group_words *group_words(const char *group);

#endif
