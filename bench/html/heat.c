/* The first table of the page: patterns over devices, in GB/s and as shares of each device's peak.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/first.h"
#include "bench/html/html.h"
#include "bench/selector.h"

const char heat_style[] =
    "#heat caption{text-align:left;color:var(--soft);padding:.2rem 0}#heat td{min-width:6.5rem}"
    "#heat th div{max-width:14rem}.heat{background:color-mix(in srgb,var(--link) "
    "calc(var(--share)*.55),transparent)}.best{color:var(--yes);font-size:.85em}\n"
    "#heat button{all:unset;cursor:pointer;text-decoration:underline dotted}"
    "#heat button:focus-visible{outline:2px solid var(--link)}"
    "#heat.crowd thead th{min-width:5.5rem}#heat th small{display:block;color:var(--soft);"
    "max-width:16rem;white-space:normal}#filter{font:inherit;color:inherit;"
    "background:var(--back);border:1px solid var(--line);padding:.2rem .4rem}\n"
    "#heat small{color:inherit;opacity:.85}tr.peaks td,tr.peaks th{color:var(--soft)}"
    "@media (max-width:40rem){#heat td{min-width:4.9rem}#heat tbody th{min-width:7.4rem}}"
    ".mixed{border-left:4px solid var(--maybe);padding-left:.6rem}\n";

static bool fits(const struct selector *selector, const struct saved_result *result)
{
    if (strcmp(selector->row, result->row) != 0)
        return false;
    for (size_t i = 0; i < selector->count; i++) {
        const struct condition *condition = &selector->conditions[i];
        bool holds =
            strcmp(condition->name, "form") == 0 && strcmp(condition->value, result->form) == 0;
        for (size_t j = 0; j < result->parameter_count && !holds; j++) {
            const struct task_parameter *parameter = &result->parameters[j];
            holds = strcmp(condition->name, parameter->name) == 0 &&
                    (parameter->word ? strcmp(condition->value, parameter->word) == 0
                                     : strtod(condition->value, NULL) == parameter->number);
        }
        if (!holds)
            return false;
    }
    return true;
}

static struct first_measured measured_of(const struct side *side, size_t row)
{
    struct selector selector;
    struct first_measured found = {0};
    selector_parse(first_selector(row), &selector);
    for (size_t i = 0; i < side->count; i++) {
        const struct saved_result *result = side->results[i];
        if (strcmp(result->status, "ok") != 0 || strcmp(result->unit, "GB/s") != 0 ||
            !fits(&selector, result))
            continue;
        const double rate = result->by[BY_CUDA].median;
        if (result->bytes > found.bytes || (result->bytes >= found.bytes && rate > found.rate))
            found = (struct first_measured){rate, result->bytes};
    }
    return found;
}

static void weigh_side(const struct side *side, struct first *first)
{
    struct first_measured rows[FIRST_ROWS];
    for (size_t i = 0; i < FIRST_ROWS; i++)
        rows[i] = measured_of(side, i);
    first_weigh(rows, side->device->is_cpu, side->device->cache_bytes, first);
}

/* How deep a colour lies behind a cell. */
static void open_cell(FILE *out, double share)
{
    fprintf(out, "<td class=\"n heat\" style=\"--share:%.0f%%\">", 100 * share);
}

static void rate_cell(struct page *page, double rate, double share, bool is_best)
{
    char number[24];
    if (rate <= 0) {
        fputs("<td class=\"n\">&#8211;</td>", page->out);
        return;
    }
    html_number(number, rate);
    open_cell(page->out, share);
    fprintf(page->out, is_best ? "<b>%s</b>" : "%s", number);
    if (is_best)
        fputs("<span class=\"best\"> best</span>", page->out);
    if (share > 0)
        fprintf(page->out, " <small>%.0f&#160;%%</small>", 100 * share);
    fputs("</td>", page->out);
}

/* The fastest of several; page->side_count where there is none to be compared. */
static size_t best_of(const struct page *page, const struct first *firsts, size_t pattern)
{
    size_t best = page->side_count, measured = 0;
    for (size_t i = 0; i < page->side_count; i++) {
        const double rate = firsts[i].patterns[pattern].rate;
        measured += rate > 0;
        if (rate > 0 && (best == page->side_count || rate > firsts[best].patterns[pattern].rate))
            best = i;
    }
    return measured > 1 ? best : page->side_count;
}

static void pattern_row(struct page *page, const struct first *firsts, size_t pattern)
{
    const size_t best = best_of(page, firsts, pattern);
    fputs("<tr><th scope=\"row\">", page->out);
    html_text(page->out, firsts[0].patterns[pattern].words);
    fputs("</th>", page->out);
    for (size_t i = 0; i < page->side_count; i++) {
        const struct first_pattern *cell = &firsts[i].patterns[pattern];
        rate_cell(page, cell->rate, cell->share, i == best);
    }
    fputs("</tr>\n", page->out);
}

static void peak_row(struct page *page, const struct first *firsts, enum traffic traffic,
                     const char *words)
{
    fprintf(page->out, "<tr class=\"peaks\"><th scope=\"row\">%s</th>", words);
    for (size_t i = 0; i < page->side_count; i++) {
        char number[24] = "&#8211;";
        if (firsts[i].peaks[traffic] > 0)
            html_number(number, firsts[i].peaks[traffic]);
        fprintf(page->out, "<td class=\"n\">%s</td>", number);
    }
    fputs("</tr>\n", page->out);
}

/* Of which arrays a device's numbers are. */
static void size_row(struct page *page, const struct first *firsts)
{
    fputs("<tr class=\"peaks\"><th scope=\"row\">arrays</th>", page->out);
    for (size_t i = 0; i < page->side_count; i++) {
        char size[24];
        text_size(size, (size_t)firsts[i].bytes);
        fprintf(page->out, "<td class=\"n\">%s", firsts[i].bytes > 0 ? size : "&#8211;");
        if (firsts[i].caches > 0)
            fprintf(page->out, " <small>%.1f caches%s</small>", firsts[i].caches,
                    firsts[i].caches < 4 ? ": small" : "");
        fputs("</td>", page->out);
    }
    fputs("</tr>\n", page->out);
}

static void table(struct page *page, const struct first *firsts)
{
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Patterns over "
          "devices\"><table id=\"heat\"><caption>GB/s, and the share of the peak that the "
          "device&#8217;s memory has for reads, writes or copies</caption>\n<thead><tr><th "
          "scope=\"col\">pattern</th>",
          page->out);
    for (size_t i = 0; i < page->side_count; i++) {
        fputs("<th scope=\"col\"><div>", page->out);
        html_text(page->out, page->sides[i].label);
        fputs("</div></th>", page->out);
    }
    fputs("</tr></thead>\n<tbody>\n", page->out);
    for (size_t i = 0; i < FIRST_PATTERNS; i++)
        pattern_row(page, firsts, i);
    fputs("</tbody><tbody>\n", page->out);
    peak_row(page, firsts, TRAFFIC_READ, "peak, read");
    peak_row(page, firsts, TRAFFIC_WRITE, "peak, written");
    peak_row(page, firsts, TRAFFIC_COPY, "peak, copied");
    peak_row(page, firsts, TRAFFIC_LINK, "peak, link to the host");
    size_row(page, firsts);
    fputs("</tbody></table></div>\n", page->out);
}

static void slowest(struct page *page, const struct first *firsts)
{
    fputs("<p>Slowest, by share of the peak:</p>\n<ul class=\"summary\">\n", page->out);
    for (size_t i = 0; i < page->side_count; i++) {
        const struct first *first = &firsts[i];
        if (first->worst_count == 0)
            continue;
        fputs("<li><b>", page->out);
        html_text(page->out, page->sides[i].label);
        fputs("</b>: ", page->out);
        for (size_t j = 0; j < first->worst_count; j++) {
            const struct first_pattern *pattern = &first->patterns[first->worst[j]];
            fputs(j ? "; " : "", page->out);
            html_text(page->out, pattern->words);
            fprintf(page->out, " (%.0f&#160;%%: ", 100 * pattern->share);
            html_text(page->out, pattern->why);
            fputs(")", page->out);
        }
        fputs(".</li>\n", page->out);
    }
    fputs("</ul>\n", page->out);
}

/* --- many devices: a line for each --- */

/* Words to filter by: all that names the device and its driver. */
static void device_row(struct page *page, const struct side *side, const struct first *first,
                       const bool *is_best)
{
    fputs("<tr><th scope=\"row\"><div>", page->out);
    html_text(page->out, side->device->name);
    fputs("</div><small>", page->out);
    html_text(page->out, side->device->opencl[0] ? side->device->opencl : side->run->runtime);
    fputs(", ", page->out);
    html_text(page->out, side->run->date);
    fputs("</small></th>", page->out);
    for (size_t i = 0; i < FIRST_PATTERNS; i++)
        rate_cell(page, first->patterns[i].rate, first->patterns[i].share, is_best[i]);
    for (int i = 0; i < TRAFFICS; i++)
        rate_cell(page, first->peaks[i], 0, false);
    fputs("</tr>\n", page->out);
}

static void crowd_head(struct page *page, const struct first *first)
{
    static const char *const peaks[TRAFFICS] = {"peak, read", "peak, written", "peak, copied",
                                                "peak, link to the host"};
    fputs("<thead><tr><th scope=\"col\">device</th>", page->out);
    for (size_t i = 0; i < FIRST_PATTERNS; i++) {
        fputs("<th scope=\"col\">", page->out);
        html_text(page->out, first->patterns[i].words);
        fputs("</th>", page->out);
    }
    for (int i = 0; i < TRAFFICS; i++)
        fprintf(page->out, "<th scope=\"col\">%s</th>", peaks[i]);
    fputs("</tr></thead>\n<tbody>\n", page->out);
}

/* Lines by what is typed, and in the order of a column; without scripts the table is whole, in the order of the files. */
static const char script[] =
    "<script>(()=>{const t=document.getElementById('heat'),b=t.tBodies[0],"
    "f=document.getElementById('filter'),n=r=>r.cells;"
    "f.closest('p').hidden=false;f.oninput=()=>{const w=f.value.toLowerCase().split(/\\s+/);"
    "for(const r of b.rows)r.hidden=!w.every(x=>n(r)[0].textContent.toLowerCase().includes(x))};"
    "[...t.tHead.rows[0].cells].forEach((h,i)=>{const k=document.createElement('button');"
    "k.type='button';k.append(...h.childNodes);h.append(k);k.onclick=()=>{"
    "const v=r=>i?-(parseFloat(n(r)[i].textContent)||0):n(r)[0].textContent;"
    "[...b.rows].sort((x,y)=>v(x)<v(y)?-1:v(x)>v(y)?1:0).forEach(r=>b.append(r));"
    "for(const c of t.tHead.rows[0].cells)c.removeAttribute('aria-sort');"
    "h.setAttribute('aria-sort',i?'descending':'ascending')}})})()</script>\n";

static void crowd(struct page *page, const struct first *firsts)
{
    size_t best[FIRST_PATTERNS];
    for (size_t i = 0; i < FIRST_PATTERNS; i++)
        best[i] = best_of(page, firsts, i);
    fputs("<p hidden><label>Devices with these words: <input id=\"filter\" type=\"search\" "
          "placeholder=\"vendor, name, driver\"></label></p>\n<div class=\"scroll\" "
          "tabindex=\"0\" role=\"region\" aria-label=\"Devices over patterns\"><table "
          "id=\"heat\" class=\"crowd\"><caption>GB/s, and the share of the peak of the "
          "device&#8217;s memory, or "
          "of a GPU&#8217;s link to the host</caption>\n",
          page->out);
    crowd_head(page, &firsts[0]);
    for (size_t d = 0; d < page->side_count; d++) {
        bool is_best[FIRST_PATTERNS];
        for (size_t i = 0; i < FIRST_PATTERNS; i++)
            is_best[i] = best[i] == d;
        device_row(page, &page->sides[d], &firsts[d], is_best);
    }
    fputs("</tbody></table></div>\n", page->out);
    fputs(script, page->out);
}

/* What is compared must have been measured alike. */
static void mixture(struct page *page)
{
    for (size_t i = 1; i < page->side_count; i++)
        if (strcmp(page->sides[i].run->mode, page->sides[0].run->mode) != 0) {
            fputs("<p class=\"mixed\"><b>These runs were made in different modes</b>, with "
                  "arrays of other sizes and samples of other lengths: compare with care.</p>\n",
                  page->out);
            return;
        }
}

static bool has_any(const struct page *page, const struct first *firsts)
{
    for (size_t i = 0; i < page->side_count; i++)
        if (firsts[i].worst_count > 0)
            return true;
    return false;
}

void heat_map(struct page *page)
{
    struct first *firsts = calloc(page->side_count + 1, sizeof *firsts);
    for (size_t i = 0; firsts && i < page->side_count; i++)
        weigh_side(&page->sides[i], &firsts[i]);
    if (firsts && has_any(page, firsts)) {
        fputs("<section id=\"first\"><h2>What each pattern gets</h2>\n", page->out);
        mixture(page);
        if (page->side_count > HEAT_DEVICES) {
            crowd(page, firsts);
        } else {
            table(page, firsts);
            slowest(page, firsts);
        }
        fputs("</section>\n", page->out);
    }
    free(firsts);
}
