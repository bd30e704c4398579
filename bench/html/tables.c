/* The page's tables: devices, one for each group of rows, the promised rows, the two runtimes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/html/html.h"

/* How many cells of a sweep are told. */
#define SWEEP_BEST 5

static void cell(FILE *out, const char *class, const char *text)
{
    fprintf(out, "<td%s%s%s>", class[0] ? " class=\"" : "", class, class[0] ? "\"" : "");
    html_text(out, text);
    fputs("</td>", out);
}

static void number_cell(FILE *out, double number, const char *suffix)
{
    char text[24];
    if (number > 0) {
        html_number(text, number);
        fprintf(out, "<td class=\"n\">%s%s</td>", text, suffix);
    } else {
        fputs("<td class=\"n\">&#8211;</td>", out);
    }
}

/* Nothing of memory is faster than the fastest that was measured of it. */
static void percent_cell(FILE *out, double share)
{
    if (share > 1)
        fputs("<td class=\"n\">caches</td>", out);
    else
        number_cell(out, 100 * share, "&#8239;%");
}

/* What stands where a value would: the status when it is not "ok". */
static void value_cell(FILE *out, const struct saved_result *result)
{
    char text[24];
    const char *status = result ? result->status : "";
    if (speed_of(result) <= 0) {
        fprintf(out, "<td class=\"n s-%s\">", status[0] && strcmp(status, "ok") != 0 ? "no" : "ok");
        html_text(out, !result ? "–" : strcmp(status, "ok") == 0 ? "holds" : status);
        fputs("</td>", out);
        return;
    }
    html_number(text, result->by[BY_CUDA].median);
    bool doubtful = strcmp(status, "ok") != 0;
    fprintf(out, "<td class=\"n%s\">%s%s</td>", doubtful ? " s-no" : "", text,
            doubtful ? " !" : "");
}

static void table_begin(FILE *out, const char *label)
{
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
    html_text(out, label);
    fputs("\"><table>\n", out);
}

static void table_end(FILE *out)
{
    fputs("</table></div>\n", out);
}

/* The first line of a head: the sides, each over its columns. */
static void head_of_sides(struct page *page, const char *first, size_t columns)
{
    fprintf(page->out, "<thead><tr><th scope=\"col\" rowspan=\"2\">%s</th>", first);
    for (size_t i = 0; i < page->side_count; i++) {
        fprintf(page->out, "<th scope=\"colgroup\" class=\"side\" colspan=\"%zu\"><div>", columns);
        html_text(page->out, page->sides[i].label);
        fputs("</div></th>", page->out);
    }
}

static void head_of_columns(struct page *page, const char *const *names, size_t columns)
{
    fputs("</tr><tr>", page->out);
    for (size_t i = 0; i < page->side_count; i++)
        for (size_t j = 0; j < columns; j++)
            fprintf(page->out, "<th scope=\"col\"%s>%s</th>", j ? "" : " class=\"side\"", names[j]);
    fputs("</tr></thead>\n", page->out);
}

static bool has_extras(const struct page *page, const struct row_facts *rows, size_t count)
{
    for (size_t r = 0; r < count; r++)
        for (size_t i = 0; i < rows[r].count; i++)
            if (page->keys[rows[r].first + i].example->extra_count)
                return true;
    return false;
}

static void extras_cell(FILE *out, const struct saved_result *example)
{
    char number[24];
    fputs("<td class=\"x\">", out);
    for (size_t i = 0; i < example->extra_count; i++) {
        double value = example->extras[i].value;
        if (value == floor(value) && fabs(value) < 1e6)
            snprintf(number, sizeof number, "%.0f", value);
        else
            html_number(number, value);
        fputs(i ? ", " : "", out);
        html_text(out, example->extras[i].name);
        fprintf(out, " %s", number);
    }
    fputs("</td>", out);
}

/* "offset 11, word 4 B": the point for people. */
static void point_text(FILE *out, const struct saved_result *example)
{
    char value[VARIABLE_BYTES];
    if (!example->form[0]) {
        html_text(out, example->variable);
        return;
    }
    for (size_t i = 0; i < example->parameter_count; i++) {
        html_parameter(value, &example->parameters[i]);
        fputs(i ? ", " : "", out);
        html_text(out, example->parameters[i].name);
        fputc(' ', out);
        html_text(out, value);
    }
}

static void row_name(struct page *page, const struct row_facts *row)
{
    const struct saved_result *example = page->keys[row->first].example;
    fputs("<code>", page->out);
    html_text(page->out, row->row);
    fputs("</code>", page->out);
    if (example->about[0]) {
        fputs(" <span class=\"about\">", page->out);
        html_text(page->out, example->about);
        fputs("</span>", page->out);
    }
    if (example->form[0] && example->counts[0]) {
        fputs(" <span class=\"about\">(counts: ", page->out);
        html_text(page->out, example->counts);
        fputs(")</span>", page->out);
    }
    if (example->unit[0]) {
        fputs(" <span class=\"unit\">&#183; ", page->out);
        html_text(page->out, example->unit);
        fputs("</span>", page->out);
    }
}

/* The line above a row's values. The name stays in sight when the table is scrolled. */
static void row_head(struct page *page, const struct row_facts *row, size_t columns)
{
    fprintf(page->out, "<tbody><tr class=\"row\"><th scope=\"rowgroup\" colspan=\"%zu\"><div>",
            columns);
    row_name(page, row);
    fputs("</div></th></tr>\n", page->out);
}

static void study_cells(struct page *page, const struct side *side, const struct key *key)
{
    const struct saved_result *idiom = side_find(side, key->example, NULL);
    const struct saved_result *best = side_best(side, key->example);
    value_cell(page->out, idiom);
    percent_cell(page->out, share_of(side, idiom));
    number_cell(page->out, penalty_of(page, side, key, NULL), "&#215;");
    value_cell(page->out, best);
    percent_cell(page->out, share_of(side, best));
    cell(page->out, "", best ? best->by[BY_CUDA].method : "");
}

static void plain_cells(struct page *page, const struct side *side, const struct key *key)
{
    const struct saved_result *result = side_find(side, key->example, NULL);
    value_cell(page->out, result);
    percent_cell(page->out, share_of(side, result));
    number_cell(page->out, result ? result->over_raw : 0, "");
    number_cell(page->out, result ? result->over_host : 0, "");
}

/* Times are no share of a bandwidth. */
static void time_cells(struct page *page, const struct side *side, const struct key *key)
{
    const struct saved_result *result = side_find(side, key->example, NULL);
    value_cell(page->out, result);
    number_cell(page->out, result ? result->over_raw : 0, "");
    number_cell(page->out, result ? result->over_host : 0, "");
}

static void check_cells(struct page *page, const struct side *side, const struct key *key)
{
    value_cell(page->out, side_find(side, key->example, NULL));
}

struct shape {
    size_t columns;
    const char *names[6];
    void (*cells)(struct page *page, const struct side *side, const struct key *key);
};

static const struct shape *shape_of(const struct page *page, const struct row_facts *row)
{
    static const struct shape study = {
        6,
        {"CUDA&#8217;s idiom", "of peak", "penalty", "best form", "of peak", "which"},
        study_cells};
    static const struct shape plain = {
        4, {"value", "of peak", "&#247;&#8239;OpenCL", "&#247;&#8239;C"}, plain_cells};
    static const struct shape time = {
        3, {"value", "&#247;&#8239;OpenCL", "&#247;&#8239;C"}, time_cells};
    static const struct shape check = {1, {"answer"}, check_cells};
    if (row->is_study)
        return &study;
    const char *unit = page->keys[row->first].example->unit;
    if (!unit[0])
        return &check;
    return strcmp(unit, "GB/s") == 0 ? &plain : &time;
}

static void key_line(struct page *page, const struct shape *shape, const struct key *key,
                     bool extras)
{
    fputs("<tr><th scope=\"row\">", page->out);
    point_text(page->out, key->example);
    fputs("</th>", page->out);
    for (size_t i = 0; i < page->side_count; i++)
        shape->cells(page, &page->sides[i], key);
    if (extras)
        extras_cell(page->out, key->example);
    fputs("</tr>\n", page->out);
}

/* Why a value is missing or doubtful, once for each side and reason. */
static void note(struct page *page, const struct side *side, const struct saved_result *result,
                 const char *before, bool *any)
{
    if (!result || strcmp(result->status, "ok") == 0 || strcmp(result->reason, before) == 0)
        return;
    fputs(*any ? "<li>" : "<ul class=\"notes\"><li>", page->out);
    *any = true;
    html_text(page->out, side->letter);
    fputs(", <code>", page->out);
    html_text(page->out, result->row);
    fputs("</code>: ", page->out);
    html_text(page->out, result->status);
    fputs(": ", page->out);
    html_text(page->out, result->reason);
    fputs("</li>\n", page->out);
}

static void notes(struct page *page, const struct row_facts *rows, size_t count)
{
    bool any = false;
    for (size_t s = 0; s < page->side_count; s++) {
        const char *before = "";
        for (size_t r = 0; r < count; r++)
            for (size_t i = 0; i < rows[r].count; i++) {
                const struct key *key = &page->keys[rows[r].first + i];
                const struct saved_result *result = side_find(&page->sides[s], key->example, NULL);
                note(page, &page->sides[s], result, before, &any);
                before = result && result->reason[0] ? result->reason : before;
            }
    }
    if (any)
        fputs("</ul>\n", page->out);
}

/* Rows of one shape that are no sweeps. */
static void plain_table(struct page *page, const struct row_facts *rows, size_t count)
{
    const struct shape *shape = shape_of(page, rows);
    bool extras = has_extras(page, rows, count);
    size_t columns = 1 + page->side_count * shape->columns + extras;
    table_begin(page->out, rows->group);
    head_of_sides(page, rows->is_study ? "over" : "size", shape->columns);
    if (extras)
        fputs("<th scope=\"col\" rowspan=\"2\">beside it</th>", page->out);
    head_of_columns(page, shape->names, shape->columns);
    for (size_t r = 0; r < count; r++) {
        row_head(page, &rows[r], columns);
        for (size_t i = 0; i < rows[r].count; i++)
            key_line(page, shape, &page->keys[rows[r].first + i], extras);
        fputs("</tbody>\n", page->out);
    }
    table_end(page->out);
    notes(page, rows, count);
}

static int faster_first(const void *a, const void *b)
{
    double x = (*(const struct saved_result *const *)a)->by[BY_CUDA].median;
    double y = (*(const struct saved_result *const *)b)->by[BY_CUDA].median;
    return (x < y) - (x > y);
}

/* The cells of a sweep's row that this side measured, the fastest first. Owns: the caller frees. */
static const struct saved_result **fastest(const struct side *side, const char *row, size_t *count)
{
    const struct saved_result **found = calloc(side->count + 1, sizeof *found);
    *count = 0;
    for (size_t i = 0; found && i < side->count; i++)
        if (strcmp(side->results[i]->row, row) == 0 && speed_of(side->results[i]) > 0)
            found[(*count)++] = side->results[i];
    if (found)
        qsort(found, *count, sizeof *found, faster_first);
    return found;
}

static void sweep_lines(struct page *page, const struct side *side, const struct row_facts *row)
{
    size_t count;
    const struct saved_result **found = fastest(side, row->row, &count);
    for (size_t i = 0; found && i < count; i++) {
        if (i >= SWEEP_BEST && i + 1 < count)
            continue;
        fputs("<tr><th scope=\"row\">", page->out);
        point_text(page->out, found[i]);
        fputs("</th>", page->out);
        cell(page->out, "", side->letter);
        fprintf(page->out, "<td class=\"n\">%zu of %zu</td>", i + 1, count);
        value_cell(page->out, found[i]);
        percent_cell(page->out, share_of(side, found[i]));
        cell(page->out, "", found[i]->form);
        fputs("</tr>\n", page->out);
    }
    free(found);
}

static void sweep_table(struct page *page, const struct row_facts *row)
{
    table_begin(page->out, row->row);
    fputs("<thead><tr><th scope=\"col\">cell</th><th scope=\"col\">on</th><th "
          "scope=\"col\">place</th>"
          "<th scope=\"col\">value</th><th scope=\"col\">of peak</th><th scope=\"col\">form</th>"
          "</tr></thead>\n",
          page->out);
    row_head(page, row, 6);
    for (size_t s = 0; s < page->side_count; s++)
        sweep_lines(page, &page->sides[s], row);
    fputs("</tbody>\n", page->out);
    table_end(page->out);
}

static bool same_shape(const struct page *page, const struct row_facts *a,
                       const struct row_facts *b)
{
    return !a->is_sweep && !b->is_sweep && shape_of(page, a) == shape_of(page, b);
}

void table_group(struct page *page, size_t first, size_t count)
{
    for (size_t r = first; r < first + count;) {
        size_t last = r + 1;
        if (page->rows[r].is_sweep) {
            sweep_table(page, &page->rows[r]);
        } else {
            while (last < first + count && same_shape(page, &page->rows[r], &page->rows[last]))
                last++;
            plain_table(page, &page->rows[r], last - r);
        }
        r = last;
    }
}

static const char *verdict_class(const char *verdict)
{
    static const char *const classes[][2] = {{"as-expected", "v-yes"},
                                             {"differs", "v-differs"},
                                             {"suspect", "v-suspect"},
                                             {"unsupported", "v-none"}};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (strcmp(classes[i][0], verdict) == 0)
            return classes[i][1];
    return "v-open";
}

static const struct saved_seed *find_seed(const struct side *side, const char *id)
{
    for (size_t i = 0; i < side->run->seed_count; i++)
        if (side->run->seeds[i].device == side->device->index &&
            strcmp(side->run->seeds[i].id, id) == 0)
            return &side->run->seeds[i];
    return NULL;
}

static void seed_cell(struct page *page, const struct saved_seed *seed)
{
    const char *verdict = !seed ? "–" : seed->measured ? seed->verdict : "not measured";
    fprintf(page->out, "<td class=\"v %s\"><b>",
            seed && seed->measured ? verdict_class(verdict) : "v-none");
    html_text(page->out, verdict);
    fputs("</b>", page->out);
    if (seed && seed->measured && seed->words[0]) {
        fputs("<br><span class=\"about\">", page->out);
        html_text(page->out, seed->words);
        fputs("</span>", page->out);
    }
    fputs("</td>", page->out);
}

static void seed_line(struct page *page, const struct saved_seed *seed)
{
    fputs("<tr><th scope=\"row\">", page->out);
    html_text(page->out, seed->id);
    fputs("</th><td class=\"what\">", page->out);
    html_text(page->out, seed->what);
    fputs("</td>", page->out);
    for (size_t i = 0; i < page->side_count; i++)
        seed_cell(page, find_seed(&page->sides[i], seed->id));
    fputs("<td class=\"x\">", page->out);
    html_text(page->out, seed->covered_by);
    fputs("</td></tr>\n", page->out);
}

/* Whether an earlier run, or an earlier device of this one, has told of the row already. */
static bool is_told(const struct page *page, const struct saved_seed *seed)
{
    for (size_t r = 0; r < page->run_count; r++)
        for (size_t i = 0; i < page->runs[r].seed_count; i++) {
            if (&page->runs[r].seeds[i] == seed)
                return false;
            if (strcmp(page->runs[r].seeds[i].id, seed->id) == 0)
                return true;
        }
    return false;
}

void table_seeds(struct page *page)
{
    table_begin(page->out, "the promised rows");
    fputs("<thead><tr><th scope=\"col\">row</th><th scope=\"col\">what</th>", page->out);
    for (size_t i = 0; i < page->side_count; i++) {
        fputs("<th scope=\"col\">", page->out);
        html_text(page->out, page->sides[i].label);
        fputs("</th>", page->out);
    }
    fputs("<th scope=\"col\">covered by</th></tr></thead><tbody>\n", page->out);
    for (size_t r = 0; r < page->run_count; r++)
        for (size_t i = 0; i < page->runs[r].seed_count; i++)
            if (!is_told(page, &page->runs[r].seeds[i]))
                seed_line(page, &page->runs[r].seeds[i]);
    fputs("</tbody>", page->out);
    table_end(page->out);
}

/* The side with NVIDIA's own runtime on the same device as this one of clem's, or NULL. */
static const struct side *native_of(const struct page *page, const struct side *side)
{
    for (size_t i = 0; i < page->side_count; i++)
        if (strcmp(side->run->runtime, "native") != 0 &&
            strcmp(page->sides[i].run->runtime, "native") == 0 &&
            strcmp(page->sides[i].device->name, side->device->name) == 0)
            return &page->sides[i];
    return NULL;
}

static double median_of(double *values, size_t count)
{
    struct series series = {values, count, count};
    return count ? series_median(&series) : 0;
}

/* One line of the table: the median over a row's cells of clem's speed over native's. */
static void runtime_line(struct page *page, const struct row_facts *row, const struct side *clem,
                         const struct side *native, double *ratios)
{
    size_t count = 0;
    double least = 0, most = 0;
    for (size_t i = 0; i < row->count; i++) {
        const struct saved_result *example = page->keys[row->first + i].example;
        double ours = speed_of(side_find(clem, example, NULL));
        double theirs = speed_of(side_find(native, example, NULL));
        if (ours <= 0 || theirs <= 0)
            continue;
        ratios[count] = ours / theirs;
        least = count == 0 || ratios[count] < least ? ratios[count] : least;
        most = ratios[count] > most ? ratios[count] : most;
        count++;
    }
    if (count == 0)
        return;
    fputs("<tr><th scope=\"row\"><code>", page->out);
    html_text(page->out, row->row);
    fprintf(page->out,
            "</code></th><td class=\"n\">%.3f</td><td class=\"n\">%.3f</td>"
            "<td class=\"n\">%.3f</td><td class=\"n\">%zu</td></tr>\n",
            median_of(ratios, count), least, most, count);
}

void table_runtimes(struct page *page)
{
    double *ratios = calloc(page->key_count + 1, sizeof *ratios);
    for (size_t s = 0; ratios && s < page->side_count; s++) {
        const struct side *clem = &page->sides[s], *native = native_of(page, clem);
        if (!native)
            continue;
        fputs("<section><h2>clem beside NVIDIA&#8217;s own runtime</h2><p>Speed of ", page->out);
        html_text(page->out, clem->label);
        fputs(" over ", page->out);
        html_text(page->out, native->label);
        fputs(", medians of separate runs: above 1, clem is faster.</p>", page->out);
        table_begin(page->out, "clem beside native");
        fputs("<thead><tr><th scope=\"col\">row</th><th scope=\"col\">median</th>"
              "<th scope=\"col\">least</th><th scope=\"col\">most</th>"
              "<th scope=\"col\">cells</th></tr></thead><tbody>\n",
              page->out);
        for (size_t r = 0; r < page->row_count; r++)
            runtime_line(page, &page->rows[r], clem, native, ratios);
        fputs("</tbody>", page->out);
        table_end(page->out);
        fputs("</section>\n", page->out);
    }
    free(ratios);
}
