/* The first table of the page: patterns over devices, in GB/s and as shares of each device's peak.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/first.h"
#include "bench/html/html.h"
#include "bench/selector.h"

const char heat_style[] =
    "#heat caption{text-align:left;color:var(--soft);padding:.2rem 0}"
    "#heat caption div{position:sticky;left:0;max-width:calc(100vw - 2rem)}"
    "#heat.crowd th div{white-space:normal}@media (min-width:40rem){#heat.crowd tbody "
    "th{min-width:15rem}}#heat td{min-width:6.5rem}"
    "#heat th div{max-width:14rem}.heat{background:color-mix(in srgb,var(--link) "
    "calc(var(--share)*.55),transparent)}.best{color:var(--yes);font-size:.85em}\n"
    "#heat button{all:unset;cursor:pointer;text-decoration:underline dotted}"
    "#heat button:focus-visible{outline:2px solid var(--link)}"
    "#heat.crowd thead th{min-width:5.5rem}#heat th small{display:block;color:var(--soft);"
    "max-width:16rem;white-space:normal}#filter,#vendor{font:inherit;color:inherit;"
    "background:var(--back);border:1px solid var(--line);padding:.2rem .4rem}\n"
    "#heat small{color:inherit;opacity:.85}tr.peaks td,tr.peaks th{color:var(--soft)}"
    "@media (max-width:40rem){#heat td{min-width:3.4rem}#heat tbody th{min-width:6.2rem}#heat "
    "td,#heat "
    "th{padding-left:.25rem;padding-right:.25rem}#heat td small,#heat .best{display:block}"
    "#heat thead .name{display:none}#heat thead th+th{text-align:right}}"
    ".mixed{border-left:4px solid var(--maybe);padding-left:.6rem}\n";

/* So many times the last cache tell of memory. */
#define BEYOND_CACHES 4

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

/* bytes: of the arrays; 0 takes the largest. */
static struct first_measured measured_of(const struct side *side, const struct selector *selector,
                                         double bytes)
{
    struct first_measured found = {0};
    for (size_t i = 0; i < side->count; i++) {
        const struct saved_result *result = side->results[i];
        if (strcmp(result->status, "ok") != 0 || strcmp(result->unit, "GB/s") != 0 ||
            !fits(selector, result) || (bytes > 0 && result->bytes != bytes))
            continue;
        const double rate = result->by[BY_CUDA].median;
        if (result->bytes > found.bytes || (result->bytes >= found.bytes && rate > found.rate))
            found = (struct first_measured){rate, result->bytes};
    }
    return found;
}

/* Whether all sides that have the row have it of this size, beyond their caches. */
static bool all_have(const struct page *page, const struct selector *selector, double bytes)
{
    for (size_t i = 0; i < page->side_count; i++) {
        const struct side *side = &page->sides[i];
        if (measured_of(side, selector, 0).rate > 0 &&
            (bytes < BEYOND_CACHES * side->device->cache_bytes ||
             measured_of(side, selector, bytes).rate <= 0))
            return false;
    }
    return true;
}

/* The largest size of a row that all sides have which have the row at all; 0: there is none. */
static double common_bytes(const struct page *page, const struct selector *selector)
{
    double common = 0;
    const struct side *side = page->sides;
    while (side < page->sides + page->side_count && measured_of(side, selector, 0).rate <= 0)
        side++;
    for (size_t i = 0; side < page->sides + page->side_count && i < side->count; i++) {
        const struct saved_result *result = side->results[i];
        if (fits(selector, result) && result->bytes > common &&
            all_have(page, selector, result->bytes))
            common = result->bytes;
    }
    return common;
}

/* What runs have of one size is compared at that; otherwise each at its largest. Returns whether there is such a size for
 * all rows. */
static bool choose_sizes(const struct page *page, struct selector selectors[FIRST_ROWS],
                         double bytes[FIRST_ROWS])
{
    bool alike = true;
    for (size_t i = 0; i < FIRST_ROWS; i++) {
        bool is_measured = false;
        selector_parse(first_selector(i), &selectors[i]);
        bytes[i] = common_bytes(page, &selectors[i]);
        for (size_t j = 0; j < page->side_count && bytes[i] <= 0; j++)
            is_measured = is_measured || measured_of(&page->sides[j], &selectors[i], 0).rate > 0;
        alike = alike && !is_measured;
    }
    return alike;
}

/* Returns whether what is compared is of one size. */
static bool weigh_sides(const struct page *page, struct first *firsts)
{
    struct selector selectors[FIRST_ROWS];
    double bytes[FIRST_ROWS];
    const bool alike = choose_sizes(page, selectors, bytes);
    for (size_t s = 0; s < page->side_count; s++) {
        const struct side *side = &page->sides[s];
        struct first_measured rows[FIRST_ROWS];
        for (size_t i = 0; i < FIRST_ROWS; i++)
            rows[i] = measured_of(side, &selectors[i], bytes[i]);
        first_weigh(rows, side->device->is_cpu, side->device->cache_bytes, &firsts[s]);
    }
    return alike;
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
                    firsts[i].caches < BEYOND_CACHES ? ": small" : "");
        fputs("</td>", page->out);
    }
    fputs("</tr>\n", page->out);
}

/* On a narrow screen the letter alone, which the page explains above; a single side has none. */
static void column_head(struct page *page, const char *label)
{
    const char *name = page->side_count > 1 ? strstr(label, ": ") : NULL;
    if (!name) {
        html_text(page->out, label);
        return;
    }
    fprintf(page->out, "%.*s<span class=\"name\">", (int)(name - label), label);
    html_text(page->out, name);
    fputs("</span>", page->out);
}

static void table(struct page *page, const struct first *firsts)
{
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Patterns over "
          "devices\"><table id=\"heat\"><caption><div>GB/s, and the share of the peak that the "
          "device&#8217;s memory has for reads, writes or copies</div></caption>\n<thead><tr><th "
          "scope=\"col\">pattern</th>",
          page->out);
    for (size_t i = 0; i < page->side_count; i++) {
        fputs("<th scope=\"col\"><div>", page->out);
        column_head(page, page->sides[i].label);
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

/* Who made the device, by its name or else by its driver's. */
static const char *vendor_of(const struct side *side)
{
    static const struct {
        const char *part, *vendor;
    } makers[] = {{"NVIDIA", "NVIDIA"},   {"AMD", "AMD"},           {"gfx", "AMD"},
                  {"Radeon", "AMD"},      {"Intel", "Intel"},       {"Apple", "Apple"},
                  {"Adreno", "Qualcomm"}, {"Qualcomm", "Qualcomm"}, {"Mali", "Arm"},
                  {"Cortex", "Arm"},      {"Neoverse", "Arm"}};
    const char *const texts[] = {side->device->name, side->device->opencl, side->run->runtime};
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++)
        for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
            if (strstr(texts[t], makers[i].part))
                return makers[i].vendor;
    return "other";
}

/* Words to filter by: all that names the device and its driver. */
static void device_row(struct page *page, const struct side *side, const struct first *first,
                       const bool *is_best)
{
    char day[sizeof "2000-01-01"];
    fprintf(page->out, "<tr data-vendor=\"%s\"><th scope=\"row\"><div>", vendor_of(side));
    html_text(page->out, side->device->name);
    fputs("</div><small>", page->out);
    html_text(page->out, side->device->opencl[0] ? side->device->opencl : side->run->runtime);
    fputs(", ", page->out);
    snprintf(day, sizeof day, "%s", side->run->date);
    html_text(page->out, day);
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

/* Lines of a vendor, with what is typed, and in the order of a column; without scripts the table is whole, in the order of
 * the files. */
static const char script[] =
    "<script>(()=>{const d=document,t=d.getElementById('heat'),b=t.tBodies[0],"
    "f=d.getElementById('filter'),s=d.getElementById('vendor'),o=d.getElementById('shown'),"
    "n=r=>r.cells;"
    "f.closest('p').hidden=false;"
    "for(const v of [...new Set([...b.rows].map(r=>r.dataset.vendor))].sort())s.add(new Option(v));"
    "const show=()=>{const w=f.value.toLowerCase().split(/\\s+/);let c=0;"
    "for(const r of b.rows){r.hidden=s.value&&r.dataset.vendor!==s.value||"
    "!w.every(x=>n(r)[0].textContent.toLowerCase().includes(x));c+=!r.hidden}"
    "o.textContent=c+(c===1?' device':' devices')};f.oninput=s.onchange=show;show();"
    "[...t.tHead.rows[0].cells].forEach((h,i)=>{const k=d.createElement('button');"
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
    fputs("<p hidden><label>Vendor: <select id=\"vendor\"><option value=\"\">all</select></label> "
          "<label>Words: <input id=\"filter\" type=\"search\" "
          "placeholder=\"name, driver, date\"></label> "
          "<output id=\"shown\" class=\"soft\"></output></p>\n<div class=\"scroll\" "
          "tabindex=\"0\" role=\"region\" aria-label=\"Devices over patterns\"><table "
          "id=\"heat\" class=\"crowd\"><caption><div>GB/s, and the share of the peak of the "
          "device&#8217;s memory, or "
          "of a GPU&#8217;s link to the host</div></caption>\n",
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
static void mixture(struct page *page, bool alike)
{
    if (page->side_count > 1)
        fputs(alike ? "<p class=\"soft\">Each pattern at the largest size that all runs have.</p>\n"
                    : "<p class=\"soft\">Each device at the largest size of its own run.</p>\n",
              page->out);
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
    const bool alike = firsts && weigh_sides(page, firsts);
    if (firsts && has_any(page, firsts)) {
        fputs("<section id=\"first\"><h2>What each pattern gets</h2>\n", page->out);
        mixture(page, alike);
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
