/* Tests of bench/html/: escaping, and pages made from two small files that have every section.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "bench/html/html.h"

static void assert_text(const char *text, const char *expected)
{
    char *written = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&written, &bytes);
    assert_non_null(file);
    html_text(file, text);
    fclose(file);
    assert_string_equal(written, expected);
    free(written);
}

TEST_BODY(html_text_is_escaped)
{
    assert_text("", "");
    assert_text("plain 1/2 text", "plain 1/2 text");
    assert_text("<script>alert('x') & \"y\"</script>",
                "&lt;script&gt;alert(&#39;x&#39;) &amp; &quot;y&quot;&lt;/script&gt;");
    assert_text("é – 字", "é – 字");
    assert_text("a\x01z\x7f", "a\xEF\xBF\xBDz\xEF\xBF\xBD");
}

TEST_BODY(html_text_replaces_what_is_no_utf_8)
{
    assert_text("\xff", "\xEF\xBF\xBD");
    assert_text("\xc3", "\xEF\xBF\xBD");
    assert_text("\xe2\x80<", "\xEF\xBF\xBD\xEF\xBF\xBD&lt;");
    assert_text("\xc0\xaf", "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_BODY(html_numbers_have_three_digits)
{
    char text[24];
    html_number(text, 1234.5);
    assert_string_equal(text, "1234"); /* to even */
    html_number(text, 56.78);
    assert_string_equal(text, "56.8");
    html_number(text, 9.999);
    assert_string_equal(text, "10.0");
    html_number(text, 0.1234);
    assert_string_equal(text, "0.123");
    html_number(text, 0);
    assert_string_equal(text, "0");
}

static void assert_parameter(const char *name, const char *word, double number,
                             const char *expected)
{
    char text[VARIABLE_BYTES];
    struct task_parameter parameter = {name, word, number};
    html_parameter(text, &parameter);
    assert_string_equal(text, expected);
}

TEST_BODY(html_parameters_are_for_people)
{
    assert_parameter("size", NULL, 65536, "64 KiB");
    assert_parameter("set", NULL, 65536, "64 MiB"); /* counted in KiB */
    assert_parameter("stride", NULL, 65536, "65536");
    assert_parameter("bytes", NULL, 0, "0");
    assert_parameter("order", "shuffled", 2, "shuffled");
}

/* One cell: of a row, over this, in this form. */
struct cell {
    const char *row, *variable, *form, *parameters;
    double value;
};

static const struct cell cells[] = {
    {"peak.read", "64 MiB", "", "\"size\":67108864", 50},
    {"peak.copy", "64 MiB", "", "\"size\":67108864", 60},
    {"stride.read", "stride=1 form=idiom", "idiom", "\"stride\":1", 30},
    {"stride.read", "stride=1 form=best", "best", "\"stride\":1", 40},
    {"stride.read", "stride=8 form=idiom", "idiom", "\"stride\":8", 10},
    {"stride.read", "stride=8 form=best", "best", "\"stride\":8", 20},
    {"stride.read", "stride=32 form=idiom", "idiom", "\"stride\":32", 2.5},
    {"stride.read", "stride=32 form=best", "best", "\"stride\":32", 5},
    {"transfer.pinned.h2d", "4 KiB", "", "\"size\":4096", 1},
    {"transfer.pinned.h2d", "1 MiB", "", "\"size\":1048576", 5},
    {"transfer.pinned.h2d", "16 MiB", "", "\"size\":16777216", 10},
    {"sweep.write", "operand=1 unroll=1 form=idiom", "idiom", "\"operand\":1,\"unroll\":1", 1},
    {"sweep.write", "operand=1 unroll=4 form=idiom", "idiom", "\"operand\":1,\"unroll\":4", 2},
    {"sweep.write", "operand=4 unroll=1 form=idiom", "idiom", "\"operand\":4,\"unroll\":1", 4},
    {"sweep.write", "operand=4 unroll=4 form=idiom", "idiom", "\"operand\":4,\"unroll\":4", 8},
    {"sweep.write", "operand=16 unroll=1 form=idiom", "idiom", "\"operand\":16,\"unroll\":1", 9},
    {"sweep.write", "operand=16 unroll=4 form=idiom", "idiom", "\"operand\":16,\"unroll\":4", 7},
    {"transpose.variant", "variant=row form=idiom", "idiom", "\"variant\":\"row\"", 5},
    {"transpose.variant", "variant=padded form=idiom", "idiom", "\"variant\":\"padded\"", 40},
    {"texture.r32f.point.row", "64 MiB", "", "\"size\":67108864", 6},
    {"transfer.d2d", "64 MiB", "", "\"size\":67108864", 66},
    {"touch.read", "64 MiB", "", "\"size\":67108864", 70},
};

/* Text of drivers and everybody else may have anything in it. */
static void write_cell(FILE *file, const struct cell *cell)
{
    fprintf(file,
            "{\"device\":0,\"row\":\"%s\",\"about\":\"a <b>\",\"variable\":\"%s\","
            "\"form\":\"%s\",\"parameters\":{%s},\"bytes\":67108864,",
            cell->row, cell->variable, cell->form, cell->parameters);
    fprintf(file,
            "\"counts\":\"each & every\",\"unit\":\"GB/s\",\"status\":\"ok\",\"reason\":\"\","
            "\"cuda\":{\"method\":\"chun<ked\",\"median\":%g,\"seconds_median\":%g,\"cov\":0.2},"
            "\"raw\":null,\"host\":null,\"speed_over_raw\":0.99,\"extras\":{\"segments<\":2}},\n",
            cell->value, 1e-3 / cell->value);
}

static void write_run(FILE *file, const char *runtime, const char *is_cpu)
{
    fprintf(file,
            "{\"format\":2,\"runtime\":\"%s\",\"version\":\"0.1.0\",\"date\":\"2026-01-01\","
            "\"mode\":\"normal\",\"command\":\"clem-bench --json '<x>'\",\"load_before\":9,"
            "\"host_cores\":2,",
            runtime);
    fprintf(file,
            "\"devices\":[{\"index\":0,\"name\":\"Dev <i>ice</i> & \\\"co\\\"\",\"driver\":\"1\","
            "\"opencl\":\"P\",\"strategy\":\"raw\",\"strategy_reason\":\"'<'\",\"is_cpu\":%s,"
            "\"memory_bytes\":1e10,\"cache_bytes\":536870912}],\"results\":[\n",
            is_cpu);
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
        write_cell(file, &cells[i]);
    fputs("{\"device\":0,\"row\":\"check.x\",\"variable\":\"\",\"form\":\"\",\"unit\":\"\","
          "\"status\":\"unsupported\",\"reason\":\"no <thing>\",\"cuda\":null}],\n",
          file);
    fputs("\"seeds\":[{\"device\":0,\"id\":\"S0-01\",\"what\":\"<what>\",\"verdict\":\"differs\","
          "\"measured\":true,\"words\":\"1 < 2\",\"covered_by\":\"peak\"}]}\n",
          file);
}

/* Owns: the caller frees it. */
static char *run_text(const char *runtime, const char *is_cpu)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    assert_non_null(file);
    write_run(file, runtime, is_cpu);
    fclose(file);
    return text;
}

static void write_file(char path[64], const char *text)
{
    strcpy(path, "/tmp/clem_html_XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
}

/* The page of two files, or what there is of it. Owns: the caller frees it. */
static char *make_page(const char *first, const char *second, int expected)
{
    char a[64], b[64], page[64], *files[] = {a, b};
    if (!report_json_exists())
        TEST_SKIP("built without libcjson");
    write_file(a, first);
    write_file(b, second);
    write_file(page, "");
    assert_int_equal(html_report(page, files, 2), expected);
    char *text = saved_text(page);
    unlink(a);
    unlink(b);
    unlink(page);
    assert_non_null(text);
    return text;
}

static char *good_page(void)
{
    char *first = run_text("clem", "true"), *second = run_text("native", "false");
    char *page = make_page(first, second, 0);
    free(first);
    free(second);
    return page;
}

/* Elements that have no end. */
static bool is_void(const char *name)
{
    static const char *const names[] = {"meta", "br", "!DOCTYPE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static const char *tag_name(const char *at, char name[24])
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '!')
        length++;
    assert_true(length > 0 && length < 24);
    memcpy(name, at, length);
    name[length] = '\0';
    return at + length;
}

/* The ">" of a tag: one inside quotes is none. */
static const char *tag_end(const char *at)
{
    char quote = 0;
    for (; *at && (quote || *at != '>'); at++) {
        assert_true(quote || *at != '<');
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
    }
    assert_int_equal(*at, '>');
    return at;
}

static void assert_balanced(const char *page)
{
    char open[64][24];
    size_t depth = 0;
    for (const char *at = page; (at = strchr(at, '<')) != NULL;) {
        char name[24];
        bool ends = at[1] == '/';
        const char *rest = tag_name(at + 1 + ends, name);
        const char *end = tag_end(rest);
        if (ends) {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (end[-1] != '/' && !is_void(name)) {
            assert_true(depth < 64);
            memcpy(open[depth++], name, sizeof name);
        }
        at = end;
    }
    assert_int_equal(depth, 0);
}

TEST_BODY(html_page_is_well_formed)
{
    char *page = good_page();
    assert_balanced(page);
    assert_null(strstr(page, "<i>"));
    assert_null(strstr(page, "<b>ice"));
    assert_null(strstr(page, "<what>"));
    assert_null(strstr(page, "<thing>"));
    assert_null(strstr(page, "<script"));
    free(page);
}

/* Of all names: two elements of one name are confused. */
static void assert_names_differ(const char *page)
{
    for (const char *at = page; (at = strstr(at, " id=")) != NULL; at++) {
        char wanted[64];
        size_t length = strcspn(at + 5, "\"'");
        assert_true(length < sizeof wanted - 8);
        snprintf(wanted, sizeof wanted, "%.*s", (int)(length + 6), at);
        assert_null(strstr(at + 1, wanted));
    }
}

TEST_BODY(html_page_has_every_section)
{
    static const char *const parts[] = {"id=\"summary\"",
                                        "id=\"devices\"",
                                        "id=\"seeds\"",
                                        "id=\"g-peak\"",
                                        "id=\"g-stride\"",
                                        "id=\"g-sweep\"",
                                        "id=\"g-texture\"",
                                        "id=\"g-transpose\"",
                                        "id=\"g-transfer\"",
                                        "id=\"g-check\"",
                                        "Dev &lt;i&gt;ice&lt;/i&gt; &amp; &quot;co&quot;",
                                        "no &lt;thing&gt;",
                                        "1 &lt; 2",
                                        "segments&lt; 2",
                                        "v-differs",
                                        "own runtime",
                                        "prefers-color-scheme",
                                        "@media print",
                                        "reading every 32nd word instead of every word",
                                        "the host was busy"};
    char *page = good_page();
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!strstr(page, parts[i]))
            fail_msg("the page lacks %s", parts[i]);
    assert_names_differ(page);
    free(page);
}

/* 30 of 50 GB/s, and 12 times slower at a stride of 32. */
TEST_BODY(html_page_tells_shares_and_penalties)
{
    char *page = good_page();
    assert_non_null(strstr(page, ">30.0</td><td class=\"n\">60.0&#8239;%</td>"));
    assert_non_null(strstr(page, "<td class=\"n\">12.0&#215;</td>"));
    assert_non_null(strstr(page, ">80.0&#8239;%</td><td>chun&lt;ked</td>"));
    free(page);
}

/* Each 8th word: 10 of 50 GB/s, and equally fast elsewhere; arrays of an eighth of the cache are no measure of memory. */
/* The fastest of memory is its peak, whatever row has it; what is faster comes out of caches. */
TEST_BODY(html_page_has_no_share_above_the_peak)
{
    char *page = good_page();
    assert_non_null(strstr(page, ">66.0</td><td class=\"n\">100&#8239;%</td>"));
    assert_non_null(strstr(page, ">60.0</td><td class=\"n\">90.9&#8239;%</td>"));
    assert_non_null(strstr(page, ">70.0</td><td class=\"n\">caches</td>"));
    free(page);
}

TEST_BODY(html_page_begins_with_patterns_and_peaks)
{
    char *page = good_page();
    const char *map = strstr(page, "id=\"first\"");
    assert_non_null(map);
    assert_true(map < strstr(page, "<nav"));
    assert_non_null(strstr(map,
                           "<tr><th scope=\"row\">every 8th word read</th><td class=\"n heat\" "
                           "style=\"--share:20%\"><b>10.0</b><span class=\"best\"> best</span> "
                           "<small>20&#160;%</small></td><td class=\"n heat\" "
                           "style=\"--share:20%\">10.0 <small>20&#160;%</small></td></tr>"));
    assert_non_null(strstr(map, "words read at random</th><td class=\"n\">&#8211;</td>"));
    assert_non_null(strstr(map, "peak, copied</th><td class=\"n\">66.0</td>"));
    assert_non_null(strstr(map, "64 MiB <small>0.1 caches: small</small>"));
    assert_non_null(strstr(map, "every 8th word read (20&#160;%: 8 of the 64 bytes"));
    assert_null(strstr(page, "in different modes"));
    assert_non_null(strstr(map, "Each device at the largest size of its own run."));
    free(page);
}

TEST_BODY(html_page_says_that_modes_are_mixed)
{
    char *first = run_text("clem", "true"), *second = run_text("native", "false");
    memcpy(strstr(second, "\"normal\""), "\"quick\" ", strlen("\"normal\""));
    char *page = make_page(first, second, 0);
    assert_non_null(strstr(page, "These runs were made in different modes"));
    free(first);
    free(second);
    free(page);
}

/* More devices than a page is wide, from a folder: a line for each, and nothing else. */
/* Writes text over the first place of another that is at least as long; blanks mean nothing in JSON. */
static void write_over(char *text, const char *old, const char *new)
{
    char *at = strstr(text, old);
    assert_non_null(at);
    memset(at, ' ', strlen(old));
    memcpy(at, new, strlen(new));
}

TEST_BODY(html_many_devices_are_lines)
{
    enum { FILES = 30 };
    char folder[] = "/tmp/clem_html_XXXXXX", path[96], page[96], *files[] = {folder};
    char *run = run_text("clem", "true");
    if (!report_json_exists())
        TEST_SKIP("built without libcjson");
    write_over(run, "\"cache_bytes\":536870912",
               "\"cache_bytes\":4096"); /* what tells of memory then */
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/%02d.json", folder, i);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(run, file);
        fclose(file);
    }
    snprintf(page, sizeof page, "%s/page.html", folder);
    assert_int_equal(html_report(page, files, 1), 0);
    char *text = saved_text(page);
    assert_non_null(text);
    assert_non_null(strstr(text, "<title>clem-bench: 30 devices side by side</title>"));
    assert_non_null(strstr(text, "id=\"filter\""));
    assert_null(strstr(text, "id=\"devices\""));
    size_t lines = 0;
    for (const char *at = text; (at = strstr(at, "<tr data-vendor=\"")) != NULL; at++)
        lines++;
    assert_int_equal(lines, FILES);
    assert_non_null(strstr(text, "<select id=\"vendor\">"));
    assert_non_null(strstr(text, "Each pattern at the largest size that all runs have."));
    unlink(page);
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/%02d.json", folder, i);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
    free(text);
    free(run);
}

TEST_BODY(html_page_has_charts_where_gnuplot_is)
{
    char *page = good_page();
    size_t figures = 0;
    for (const char *at = page; (at = strstr(at, "<svg")) != NULL; at++)
        figures++;
    if (gnuplot_exists()) {
        /* Copies, strides, textures and transposes with both sides on one chart, a heat map on each. */
        assert_int_equal(figures, 6);
        assert_null(strstr(page, "There are no charts"));
    } else {
        assert_int_equal(figures, 0);
        assert_non_null(strstr(page, "There are no charts"));
    }
    free(page);
}

/* As in files of other versions, and in those that somebody edited. */
TEST_BODY(html_rows_may_have_unequal_parameters)
{
    char *first = run_text("clem", "true"), *second = run_text("native", "false");
    write_over(first, ",\"unroll\":4", "");
    write_over(first, "\"stride\":8", "");
    write_over(first, "\"size\":1048576", "\"size\":\"wide\"");
    write_over(second, "\"operand\":4", "\"other\":4");
    write_over(second, "\"variant\":\"row\"", "\"variant\":1");
    write_over(second, "\"stride\":32", "\"stride\":[]");
    char *page = make_page(first, second, 0);
    assert_balanced(page);
    assert_names_differ(page);
    assert_non_null(strstr(page, "wide"));
    free(page);
    free(first);
    free(second);
}

TEST_BODY(html_page_without_gnuplot_says_so)
{
    setenv("PATH", "/nonexistent", 1);
    char *page = good_page();
    assert_null(strstr(page, "<svg"));
    assert_non_null(strstr(page, "There are no charts"));
    assert_balanced(page);
    free(page);
}

TEST_BODY(html_report_refuses_bad_files)
{
    static const char nothing[] = "{\"format\":2,\"results\":[]}";
    static const char odd[] =
        "{\"format\":2,\"devices\":[1,\"x\",{}],\"results\":[7,{}],\"seeds\":[null]}";
    char missing[] = "/nonexistent/file.json", path[64], *none[] = {missing}, *good[] = {path};
    char *run = run_text("clem", "true");
    free(make_page(run, "{\"format\":2", 65));
    free(make_page(run, "[1,2]", 65));
    free(make_page(run, "{\"format\":99,\"results\":[]}", 65));
    free(make_page(nothing, nothing, 65));
    free(make_page(odd, nothing, 0));
    assert_int_equal(html_report("/tmp/clem_never", none, 1), 66);
    assert_int_not_equal(access("/tmp/clem_never", F_OK), 0);
    write_file(path, run);
    assert_int_equal(html_report("/nonexistent/page.html", good, 1), 74);
    unlink(path);
    free(run);
}
