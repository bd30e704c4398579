/* The page: reading the files, and putting its parts together.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "bench/html/html.h"

enum { EXIT_DATA = 65, EXIT_NO_INPUT = 66, EXIT_OUTPUT = 74 };

#ifdef CLEM_BENCH_JSON

static const char style[] =
    ":root{color-scheme:light dark;--back:#fff;--text:#1c1e21;--soft:#5c6370;--line:#d9dce1;"
    "--head:#f3f4f6;--link:#1d5fb4;--yes:#1a7f4b;--bad:#b3261e;--maybe:#8a5a00}\n"
    "@media (prefers-color-scheme:dark){:root{--back:#15171a;--text:#e4e6ea;--soft:#a0a7b4;"
    "--line:#363b44;--head:#1f2328;--link:#7db4f5;--yes:#5fc48d;--bad:#f28b82;--maybe:#e0b050}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1rem;max-width:76rem;background:var(--back);color:var(--text);"
    "font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word}\n"
    "h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0}\n"
    "h2{font-size:1.2rem;margin:2.2rem 0 .3rem;border-top:1px solid var(--line);padding-top:1rem}\n"
    "p{margin:.4rem 0}a{color:var(--link)}code{font-size:.92em;overflow-wrap:anywhere}\n"
    ".soft,.about,figcaption,.notes,.warnings{color:var(--soft);font-size:.88rem}\n"
    "table "
    ".about{font-size:.95em}.about{font-weight:normal}.unit{color:var(--soft);font-weight:normal}\n"
    "nav{columns:9rem auto;font-size:.92rem;margin:1rem 0}nav a{display:block;padding:.1rem "
    "0;break-inside:avoid}\n"
    ".scroll{overflow-x:auto;max-width:100%;margin:.6rem 0}\n"
    "table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.22rem .55rem;border-bottom:1px solid var(--line);text-align:left;"
    "vertical-align:top}\n"
    "thead th{background:var(--head);vertical-align:bottom;font-weight:600}\n"
    "tbody th{font-weight:normal;white-space:nowrap}\n"
    "tbody th[scope=row],thead tr:first-child th:first-child{position:sticky;left:0;"
    "background:var(--back)}\n"
    "thead tr:first-child th:first-child{background:var(--head)}\n"
    "tr.row th{background:var(--head);font-weight:600;white-space:normal}\n"
    "th.side div{max-width:18rem}\n"
    "tr.row div{position:sticky;left:.55rem;max-width:min(60rem,calc(100vw - 4rem))}\n"
    "td.n{text-align:right;white-space:nowrap}th.side,td.side{border-left:2px solid var(--line)}\n"
    "td.x{color:var(--soft);min-width:12rem;max-width:24rem;overflow-wrap:anywhere}\n"
    "td.v,td.what{min-width:9rem;max-width:18rem}.facts td{min-width:9rem;max-width:22rem}\n"
    ".facts th{white-space:nowrap}.s-no{color:var(--maybe)}\n"
    ".v-yes b{color:var(--yes)}.v-differs b{color:var(--maybe)}.v-suspect b{color:var(--bad)}\n"
    ".v-none b,.v-open b{color:var(--soft)}\n"
    ".notes{padding-left:1.2rem;margin:.3rem 0}.warnings,.summary{padding-left:1.2rem}\n"
    ".summary li{margin:.45rem 0}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));"
    "gap:.5rem 1.2rem;align-items:start}\n"
    "figure{margin:.4rem "
    "0;min-width:0;max-width:36rem}figure.wide{grid-column:1/-1;max-width:60rem}\n"
    "figure svg{display:block;width:100%;height:auto}\n"
    "@media (max-width:40rem){body{padding:.7rem}table{font-size:.8rem}"
    "th,td{padding:.2rem .4rem}tbody "
    "th[scope=row]{min-width:4.6rem;max-width:7.5rem;white-space:normal}}\n"
    "summary{cursor:pointer;color:var(--link);font-size:.92rem;padding:.3rem 0}\n"
    "@media print{details::details-content{content-visibility:visible;block-size:auto}"
    ":root{--back:#fff;--text:#000;--soft:#333;--line:#999;--head:#eee;--link:#000;"
    "--yes:#000;--bad:#000;--maybe:#000}body{max-width:none;padding:0;font-size:10pt}nav{display:"
    "none}"
    ".scroll{overflow:visible}.scroll>div{min-width:0!important}"
    "table{font-size:7pt}th,td{padding:1pt 2.5pt}td.x{min-width:0}td.v,td.what,.facts "
    "td{min-width:0}"
    "tbody "
    "th,td.n{white-space:normal}tr,figure{break-inside:avoid}thead{display:table-header-group}"
    "h2,h2+p{break-after:avoid}tbody th[scope=row],tr.row div,thead tr:first-child th:first-child"
    "{position:static}.figures{grid-template-columns:1fr 1fr}}\n"
    "@page{size:A4 landscape;margin:12mm}\n";

static void head(struct page *page)
{
    fprintf(page->out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
            "<title>clem-bench: %zu device%s</title>\n<style>\n%s%s</style></head>\n<body>\n"
            "<header><h1>Memory access, side by side</h1>\n<p class=\"soft\">clem-bench %s; ",
            page->side_count, page->side_count == 1 ? "" : "s side by side", style, heat_style,
            BENCH_VERSION);
    for (size_t i = 0; i < page->side_count && page->side_count <= HEAT_DEVICES; i++) {
        fputs(i ? "; " : "", page->out);
        html_text(page->out, page->sides[i].label);
    }
    if (page->side_count > HEAT_DEVICES)
        fprintf(page->out, "%zu devices", page->side_count);
    fputs("</p>", page->out);
    if (!page->has_gnuplot && page->side_count <= HEAT_DEVICES)
        fputs("<p>There are no charts on this page: gnuplot could not be started when it was made "
              "(Debian and Ubuntu: gnuplot-nox). Everything is in the tables.</p>",
              page->out);
    fputs("</header>\n", page->out);
}

static const char *title_of(const char *group)
{
    const struct group_words *words = group_words(group);
    return words ? words->title : group;
}

/* The first row behind those of the group at `first`. */
static size_t group_end(const struct page *page, size_t first)
{
    size_t end = first;
    while (end < page->row_count && strcmp(page->rows[end].group, page->rows[first].group) == 0)
        end++;
    return end;
}

static bool has_seeds(const struct page *page)
{
    for (size_t i = 0; i < page->run_count; i++)
        if (page->runs[i].seed_count)
            return true;
    return false;
}

static void contents(struct page *page)
{
    fputs("<nav aria-label=\"contents\"><a href=\"#summary\">Summary</a><a "
          "href=\"#devices\">Devices</a>",
          page->out);
    for (size_t r = 0; r < page->row_count; r = group_end(page, r)) {
        fputs("<a href=\"#g-", page->out);
        html_text(page->out, page->rows[r].group);
        fputs("\">", page->out);
        html_text(page->out, title_of(page->rows[r].group));
        fputs("</a>", page->out);
    }
    if (has_seeds(page))
        fputs("<a href=\"#seeds\">The promised rows</a>", page->out);
    fputs("</nav>\n", page->out);
}

/* Long tables are folded where there are charts above them. */
#define LONG_TABLE 40

static void group_tables(struct page *page, size_t first, size_t count)
{
    size_t lines = 0;
    for (size_t r = first; r < first + count; r++)
        lines += page->rows[r].is_sweep ? 0 : page->rows[r].count;
    bool folded = page->has_gnuplot && lines > LONG_TABLE;
    if (folded)
        fprintf(page->out, "<details><summary>Table of %zu lines</summary>\n", lines);
    table_group(page, first, count);
    if (folded)
        fputs("</details>\n", page->out);
}

static void group_section(struct page *page, size_t first, size_t count)
{
    const char *group = page->rows[first].group;
    const struct group_words *words = group_words(group);
    fputs("<section id=\"g-", page->out);
    html_text(page->out, group);
    fputs("\"><h2>", page->out);
    html_text(page->out, title_of(group));
    fputs("</h2>", page->out);
    if (words)
        fprintf(page->out, "<p class=\"soft\">%s</p>\n", words->words);
    chart_group(page, first, count);
    group_tables(page, first, count);
    fputs("</section>\n", page->out);
}

/* All that was measured: for as many devices as a page is wide. */
static void details(struct page *page)
{
    contents(page);
    fputs("<section id=\"summary\"><h2>What differs, and why</h2>\n", page->out);
    summary(page);
    fputs("</section>\n<section id=\"devices\"><h2>Devices</h2>\n", page->out);
    table_devices(page);
    fputs("</section>\n", page->out);
    table_runtimes(page);
    for (size_t r = 0; r < page->row_count; r = group_end(page, r))
        group_section(page, r, group_end(page, r) - r);
    if (has_seeds(page)) {
        fputs("<section id=\"seeds\"><h2>The promised rows</h2><p class=\"soft\">What each "
              "device&#8217;s "
              "results say of them; expectations are by class of device.</p>\n",
              page->out);
        table_seeds(page);
        fputs("</section>\n", page->out);
    }
}

static void body(struct page *page)
{
    fputs("<main>", page->out);
    heat_map(page);
    if (page->side_count <= HEAT_DEVICES)
        details(page);
    fputs("</main>\n</body></html>\n", page->out);
}

static bool write_page(struct page *page, const char *output)
{
    page->out = fopen(output, "w");
    if (!page->out) {
        perror(output);
        return false;
    }
    page->has_gnuplot = gnuplot_exists();
    if (!page->has_gnuplot)
        fprintf(stderr,
                "gnuplot cannot be started: %s will have no charts (Debian and Ubuntu: "
                "gnuplot-nox)\n",
                output);
    head(page);
    body(page);
    bool written = !ferror(page->out);
    if (fclose(page->out) != 0 || !written) {
        perror(output);
        return false;
    }
    return true;
}

/* Paths of the runs to show. */
struct list {
    char **paths;
    size_t count;
};

static bool list_add(struct list *list, const char *folder, const char *name)
{
    char **paths = realloc(list->paths, (list->count + 1) * sizeof *paths);
    char *path = NULL;
    if (paths)
        list->paths = paths;
    if (!paths || asprintf(&path, folder[0] ? "%s/%s" : "%s%s", folder, name) < 0)
        return false;
    list->paths[list->count++] = path;
    return true;
}

static int is_json(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

/* A folder is all its .json files, in the order of their names. False without memory; what cannot be read is left for whoever
 * opens it. */
static bool list_take(struct list *list, const char *path)
{
    struct dirent **entries;
    const int count = scandir(path, &entries, is_json, alphasort);
    bool added = count >= 0 || list_add(list, "", path);
    for (int i = 0; i < count; i++) {
        added = added && list_add(list, path, entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return added;
}

static void list_free(struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
}

static int read_runs(struct page *page, const struct list *list)
{
    page->runs = calloc(list->count + 1, sizeof *page->runs);
    if (!page->runs)
        return EXIT_OUTPUT;
    for (size_t i = 0; i < list->count; i++) {
        enum saved_status status = saved_read(list->paths[i], &page->runs[page->run_count++]);
        if (status != SAVED_OK)
            return status == SAVED_MISSING ? EXIT_NO_INPUT : EXIT_DATA;
    }
    return 0;
}

static int make_page(struct page *page, const char *output, const struct list *list)
{
    int status = read_runs(page, list);
    if (status == 0 && !sides_make(page)) {
        fprintf(stderr, "%s: no memory\n", output);
        return EXIT_OUTPUT;
    }
    if (status == 0 && page->side_count == 0) {
        fprintf(stderr, "%s: no device in these files\n", output);
        return EXIT_DATA;
    }
    return status == 0 && !write_page(page, output) ? EXIT_OUTPUT : status;
}

int html_report(const char *output, char **files, size_t count)
{
    struct page page = {0};
    struct list list = {0};
    bool listed = true;
    for (size_t i = 0; listed && i < count; i++)
        listed = list_take(&list, files[i]);
    const int status = listed ? make_page(&page, output, &list) : EXIT_OUTPUT;
    sides_free(&page);
    for (size_t i = 0; page.runs && i < page.run_count; i++)
        saved_free(&page.runs[i]);
    free(page.runs);
    list_free(&list);
    return status;
}

#else

int html_report(const char *output, char **files, size_t count)
{
    (void)output;
    (void)files;
    (void)count;
    report_json_exists();
    return 64;
}

#endif
