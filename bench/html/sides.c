/* The results of all files in one order, and what they mean beside each other.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/html/html.h"

/* Rows of more cells than this are charts and not tables. */
#define SWEEP_KEYS 48
#define TABLE_KEYS 160

static int order_of(const struct saved_result *a, const struct saved_result *b)
{
    int order = strcmp(a->row, b->row);
    if (order == 0)
        order = strcmp(a->point, b->point);
    return order ? order : strcmp(a->form, b->form);
}

static int order_of_pointers(const void *a, const void *b)
{
    return order_of(*(const struct saved_result *const *)a, *(const struct saved_result *const *)b);
}

static const struct saved_result *find(const struct side *side, const struct saved_result *like,
                                       const char *form)
{
    struct saved_result wanted = {.row = like->row, .form = form};
    const struct saved_result *key = &wanted;
    memcpy(wanted.point, like->point, sizeof wanted.point);
    const struct saved_result **found =
        bsearch(&key, side->results, side->count, sizeof *side->results, order_of_pointers);
    return found ? *found : NULL;
}

const struct saved_result *side_find(const struct side *side, const struct saved_result *like,
                                     const char *form)
{
    return find(side, like, form ? form : like->form[0] ? "idiom" : "");
}

double speed_of(const struct saved_result *result)
{
    return result && result->by[BY_CUDA].method && result->by[BY_CUDA].seconds > 0
               ? 1 / result->by[BY_CUDA].seconds
               : 0;
}

/* Units by which forms of one cell can be compared though they do different amounts of work. */
static double merit_of(const struct saved_result *result)
{
    double median = result ? result->by[BY_CUDA].median : 0;
    if (speed_of(result) <= 0 || median <= 0)
        return 0;
    return strcmp(result->unit, "us") == 0 || strcmp(result->unit, "ns") == 0 ? 1 / median : median;
}

const struct saved_result *side_best(const struct side *side, const struct saved_result *like)
{
    const struct saved_result *best = find(side, like, "");
    for (size_t i = 0; like->form[0] && i < side->count; i++) {
        const struct saved_result *one = side->results[i];
        if (strcmp(one->row, like->row) == 0 && strcmp(one->point, like->point) == 0 &&
            merit_of(one) > merit_of(best))
            best = one;
    }
    return merit_of(best) > 0 ? best : NULL;
}

/* Direction: what of a device's own peaks a row should be measured by. */
enum direction { READS, WRITES, COPIES };

static enum direction direction_of(const char *row)
{
    static const char *const writes[] = {"write", "scatter", "fill"};
    static const char *const reads[] = {"read", "gather", "reduce", "dot", "histogram", "touch"};
    if (strncmp(row, "set.", 4) == 0)
        return WRITES;
    for (size_t i = 0; i < sizeof writes / sizeof writes[0]; i++)
        if (strstr(row, writes[i]))
            return WRITES;
    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++)
        if (strstr(row, reads[i]))
            return READS;
    return COPIES;
}

double peak_for(const struct side *side, const char *row)
{
    const double peaks[] = {side->peak_read, side->peak_write, side->peak_copy};
    double peak = peaks[direction_of(row)];
    return peak > 0 ? peak : side->peak_copy > 0 ? side->peak_copy : side->peak_read;
}

double share_of(const struct side *side, const struct saved_result *result)
{
    double peak = result ? peak_for(side, result->row) : 0;
    if (speed_of(result) <= 0 || peak <= 0 || strcmp(result->unit, "GB/s") != 0)
        return 0;
    return result->by[BY_CUDA].median / peak;
}

static bool is_peak_row(const struct saved_result *result)
{
    return strcmp(result->unit, "GB/s") == 0 && strcmp(result->status, "suspect") != 0 &&
           (strcmp(result->row, "transfer.d2d") == 0 || strcmp(result->group, "set") == 0 ||
            strcmp(result->group, "peak") == 0 || strcmp(result->group, "sweep") == 0 ||
            strcmp(result->group, "stream") == 0 || strcmp(result->group, "form") == 0);
}

/* Small arrays show a cache and not the memory: only a row's largest count. */
static double largest_bytes(const struct side *side, const char *row)
{
    double largest = 0;
    for (size_t i = 0; i < side->count; i++)
        if (strcmp(side->results[i]->row, row) == 0 && side->results[i]->bytes > largest)
            largest = side->results[i]->bytes;
    return largest;
}

static void find_peaks(struct side *side)
{
    for (size_t i = 0; i < side->count; i++) {
        const struct saved_result *result = side->results[i];
        if (!is_peak_row(result) || result->bytes < largest_bytes(side, result->row))
            continue;
        enum direction direction = direction_of(result->row);
        double *peak = direction == READS    ? &side->peak_read
                       : direction == WRITES ? &side->peak_write
                                             : &side->peak_copy;
        if (result->by[BY_CUDA].median > *peak)
            *peak = result->by[BY_CUDA].median;
    }
}

/* "A" to "Z", "AA" and so on, as columns of sheets are called. */
static void name_side(char letter[4], size_t number)
{
    char reverse[4];
    size_t count = 0;
    for (number++; number > 0 && count < 3; number = (number - 1) / 26)
        reverse[count++] = (char)('A' + (number - 1) % 26);
    for (size_t i = 0; i < count; i++)
        letter[i] = reverse[count - 1 - i];
    letter[count] = '\0';
}

static bool fill_side(struct side *side, const struct saved *run, const struct saved_device *device,
                      size_t number)
{
    *side = (struct side){.run = run, .device = device};
    name_side(side->letter, number);
    snprintf(side->label, sizeof side->label, "%s: %.90s, %.20s", side->letter, device->name,
             run->runtime);
    side->results = calloc(run->result_count + 1, sizeof *side->results);
    if (!side->results)
        return false;
    for (size_t i = 0; i < run->result_count; i++)
        if (run->results[i].device == device->index)
            side->results[side->count++] = &run->results[i];
    qsort(side->results, side->count, sizeof *side->results, order_of_pointers);
    find_peaks(side);
    return true;
}

static bool make_sides(struct page *page)
{
    size_t count = 0;
    for (size_t r = 0; r < page->run_count; r++)
        count += page->runs[r].device_count;
    page->sides = calloc(count + 1, sizeof *page->sides);
    for (size_t r = 0; page->sides && r < page->run_count; r++)
        for (size_t d = 0; d < page->runs[r].device_count; d++) {
            size_t number = page->side_count++;
            if (!fill_side(&page->sides[number], &page->runs[r], &page->runs[r].devices[d], number))
                return false;
        }
    return page->sides != NULL;
}

static bool same_key(const struct saved_result *a, const struct saved_result *b)
{
    return strcmp(a->row, b->row) == 0 && strcmp(a->point, b->point) == 0;
}

/* Results of one row have the same parameters, words or numbers alike. In files of other versions, or
 * made by hand, a row may have others: those are a row of their own, since all that follows counts
 * on it. */
static bool same_row(const struct saved_result *a, const struct saved_result *b)
{
    if (strcmp(a->row, b->row) != 0 || a->parameter_count != b->parameter_count)
        return false;
    for (size_t i = 0; i < a->parameter_count; i++)
        if (strcmp(a->parameters[i].name, b->parameters[i].name) != 0 ||
            !a->parameters[i].word != !b->parameters[i].word)
            return false;
    return true;
}

/* The key's place, or key_count. from: where it probably is. */
static size_t place_of(const struct page *page, const struct saved_result *result, size_t from)
{
    for (size_t i = 0; i < page->key_count; i++) {
        size_t place = (from + i) % page->key_count;
        if (same_key(page->keys[place].example, result))
            return place;
    }
    return page->key_count;
}

/* Behind the last key of the same row, from `after` on; at the end for a new row. */
static size_t place_for(const struct page *page, const struct saved_result *result, size_t after)
{
    if (after < page->key_count && same_row(page->keys[after].example, result))
        return after + 1;
    for (size_t i = page->key_count; i-- > 0;)
        if (same_row(page->keys[i].example, result))
            return i + 1;
    return page->key_count;
}

/* What is only in later files comes behind its neighbour there. */
static void add_keys(struct page *page, const struct saved *run)
{
    size_t last = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct saved_result *result = &run->results[i];
        size_t place = page->key_count ? place_of(page, result, last) : 0;
        if (place == page->key_count) {
            place = place_for(page, result, last);
            memmove(page->keys + place + 1, page->keys + place,
                    (page->key_count - place) * sizeof *page->keys);
            page->keys[place] = (struct key){.example = result};
            page->key_count++;
        }
        last = place;
    }
}

static bool make_keys(struct page *page)
{
    size_t count = 0;
    for (size_t r = 0; r < page->run_count; r++)
        count += page->runs[r].result_count;
    page->keys = calloc(count + 1, sizeof *page->keys);
    page->rows = calloc(count + 1, sizeof *page->rows);
    for (size_t r = 0; page->keys && page->rows && r < page->run_count; r++)
        add_keys(page, &page->runs[r]);
    return page->keys && page->rows;
}

static bool same_parameter(const struct task_parameter *a, const struct task_parameter *b)
{
    if (strcmp(a->name, b->name) != 0 || !a->word != !b->word)
        return false;
    return a->word ? strcmp(a->word, b->word) == 0 : a->number == b->number;
}

static size_t values_of(const struct page *page, const struct row_facts *row, size_t parameter)
{
    size_t values = 0;
    for (size_t i = row->first; i < row->first + row->count; i++) {
        const struct saved_result *one = page->keys[i].example;
        bool is_new = parameter < one->parameter_count;
        for (size_t j = row->first; is_new && j < i; j++)
            is_new = parameter >= page->keys[j].example->parameter_count ||
                     !same_parameter(&page->keys[j].example->parameters[parameter],
                                     &one->parameters[parameter]);
        values += is_new;
    }
    return values;
}

static void find_main(const struct page *page, struct row_facts *row)
{
    const struct saved_result *example = page->keys[row->first].example;
    row->main = -1;
    for (size_t i = 0; i < example->parameter_count; i++) {
        size_t values = values_of(page, row, i);
        /* Numbers make curves. */
        bool is_number = !example->parameters[i].word;
        if (values < 2 || (row->main >= 0 && row->is_number && !is_number) ||
            (values <= row->points && row->is_number == is_number))
            continue;
        row->main = (int)i;
        row->points = values;
        row->is_number = is_number;
    }
}

static bool is_reference(const struct saved_result *candidate, const struct saved_result *of,
                         int varies)
{
    for (size_t i = 0; i < of->parameter_count; i++)
        if ((int)i != varies && (i >= candidate->parameter_count ||
                                 !same_parameter(&candidate->parameters[i], &of->parameters[i])))
            return false;
    return true;
}

static void find_references(struct page *page, const struct row_facts *row)
{
    for (size_t i = row->first; i < row->first + row->count; i++) {
        page->keys[i].reference = row->first;
        while (page->keys[i].reference < i &&
               !is_reference(page->keys[page->keys[i].reference].example, page->keys[i].example,
                             row->main))
            page->keys[i].reference++;
    }
}

/* A curve is of one choice of the other parameters. */
static void find_held(const struct page *page, struct row_facts *row)
{
    row->held = row->first;
    for (size_t i = row->first; i < row->first + row->count; i++) {
        const struct saved_result *one = page->keys[i].example;
        for (size_t p = 0; p < one->parameter_count; p++)
            if (strcmp(one->parameters[p].name, "word") == 0 && one->parameters[p].number == 4 &&
                (int)p != row->main) {
                row->held = page->keys[i].reference;
                return;
            }
    }
}

/* Points of numbers alone are told in their order, whichever file they are from. */
static int order_of_points(const void *a, const void *b)
{
    const struct saved_result *x = ((const struct key *)a)->example;
    const struct saved_result *y = ((const struct key *)b)->example;
    for (size_t i = 0; i < x->parameter_count && i < y->parameter_count; i++)
        if (x->parameters[i].number != y->parameters[i].number)
            return x->parameters[i].number < y->parameters[i].number ? -1 : 1;
    return 0;
}

static void order_points(struct page *page, const struct row_facts *row)
{
    for (size_t i = row->first; i < row->first + row->count; i++)
        for (size_t p = 0; p < page->keys[i].example->parameter_count; p++)
            if (page->keys[i].example->parameters[p].word)
                return;
    qsort(page->keys + row->first, row->count, sizeof *page->keys, order_of_points);
}

static void make_rows(struct page *page)
{
    for (size_t i = 0; i < page->key_count; i++) {
        const struct saved_result *example = page->keys[i].example;
        struct row_facts *row = page->row_count ? &page->rows[page->row_count - 1] : NULL;
        if (!row || !same_row(page->keys[row->first].example, example)) {
            row = &page->rows[page->row_count++];
            *row = (struct row_facts){.row = example->row,
                                      .group = example->group,
                                      .first = i,
                                      .is_study = example->form[0] != '\0'};
        }
        row->count++;
    }
    for (size_t i = 0; i < page->row_count; i++) {
        order_points(page, &page->rows[i]);
        find_main(page, &page->rows[i]);
        find_references(page, &page->rows[i]);
        find_held(page, &page->rows[i]);
        bool is_sweep = strcmp(page->rows[i].group, "sweep") == 0;
        page->rows[i].is_sweep = page->rows[i].count > (is_sweep ? SWEEP_KEYS : TABLE_KEYS);
    }
}

/* Rows of a group side by side, groups in the order of their first rows. */
static void gather_groups(struct page *page)
{
    for (size_t i = 1; i < page->row_count; i++) {
        struct row_facts row = page->rows[i];
        size_t to = i;
        while (to > 0 && strcmp(page->rows[to - 1].group, row.group) != 0)
            to--;
        if (to == 0)
            continue;
        memmove(page->rows + to + 1, page->rows + to, (i - to) * sizeof row);
        page->rows[to] = row;
    }
}

double penalty_of(const struct page *page, const struct side *side, const struct key *key,
                  const char *form)
{
    const struct saved_result *result = side_find(side, key->example, form);
    const struct saved_result *reference =
        side_find(side, page->keys[key->reference].example, form);
    double merit = merit_of(result);
    return merit > 0 && result != reference ? merit_of(reference) / merit : 0;
}

bool sides_make(struct page *page)
{
    if (!make_sides(page) || !make_keys(page))
        return false;
    make_rows(page);
    gather_groups(page);
    return true;
}

void sides_free(struct page *page)
{
    for (size_t i = 0; i < page->side_count; i++)
        free(page->sides[i].results);
    free(page->sides);
    free(page->keys);
    free(page->rows);
}
