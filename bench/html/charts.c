/* The page's figures: curves, bars and heat maps, as scripts for gnuplot.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/html/html.h"

#define MOST_CURVES 12
#define MOST_BARS   28

/* Middling colours: to be seen on white and on near-black alike. */
static const char *const colours[] = {"#3b82d6", "#d9772b", "#2f9e6e", "#b556a0",
                                      "#c4453c", "#8a8a2a", "#6b74c9", "#4f9fae"};
#define COLOURS (sizeof colours / sizeof colours[0])

/* A script being written; text is there after fclose. */
struct script {
    FILE *file;
    char *text;
    size_t bytes;
};

static bool script_begin(struct script *script, size_t width, size_t height)
{
    *script = (struct script){0};
    script->file = open_memstream(&script->text, &script->bytes);
    if (!script->file)
        return false;
    fprintf(script->file,
            "set terminal svg size %zu,%zu dynamic noenhanced font 'sans-serif,15'\n"
            "set encoding utf8\n"
            "set key above Left reverse samplen 1.5 font ',12'\n"
            "set grid lc rgb '#808080' lw 0.6\n"
            "set border 3 lw 0.8\n"
            "set tics nomirror\n"
            "set style fill solid 1.0\n"
            "set boxwidth 0.8\n"
            "set rmargin 4\n",
            width, height);
    return true;
}

/* Draws the script as a figure; the caption is html. */
static void script_end(struct page *page, struct script *script, const char *caption, size_t width)
{
    char *svg = NULL;
    size_t bytes = 0;
    fclose(script->file);
    FILE *drawing = open_memstream(&svg, &bytes);
    bool drawn = drawing && gnuplot_draw(drawing, script->text, script->bytes, page->charts + 1);
    if (drawing)
        fclose(drawing);
    free(script->text);
    if (drawn) {
        page->charts++;
        fprintf(page->out,
                "<figure%s><div class=\"scroll\" tabindex=\"0\"><div style=\"min-width:%zupx\">",
                width > 520 ? " class=\"wide\"" : "", width > 520 ? width * 4 / 5 : 330);
        fwrite(svg, 1, bytes, page->out);
        fprintf(page->out, "</div></div><figcaption id=\"chart%zu\">", page->charts);
        html_text(page->out, caption);
        fputs("</figcaption></figure>\n", page->out);
    }
    free(svg);
}

/* Groups whose rows mean most as a part of what the device can do at all. */
static bool is_told_in_shares(const struct page *page, const char *group, const char *unit)
{
    static const char *const groups[] = {"offset", "stride",    "permute", "same",    "segments",
                                         "struct", "soa",       "aos",     "layout",  "partition",
                                         "block",  "transpose", "gather",  "scatter", "texture",
                                         "morton", "policy",    "reduce",  "stream",  "array"};
    bool listed = false;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        listed = listed || strcmp(groups[i], group) == 0;
    for (size_t i = 0; i < page->side_count; i++)
        listed = listed && peak_for(&page->sides[i], group) > 0;
    return listed && page->side_count > 1 && strcmp(unit, "GB/s") == 0;
}

static double height_of(const struct side *side, const struct saved_result *result, bool shares)
{
    if (speed_of(result) <= 0)
        return 0;
    return shares ? 100 * share_of(side, result) : result->by[BY_CUDA].median;
}

/* --- curves --- */

struct curve {
    const struct side *side;
    const struct row_facts *row;
    const char *form; /* NULL: a result without forms, or the idiom; "best": the fastest */
    char title[96];
};

struct plot {
    struct curve curves[MOST_CURVES];
    size_t count;
    bool shares;
    double least_x, most_x, least_y, most_y;
};

static const struct saved_result *curve_result(const struct curve *curve,
                                               const struct saved_result *like)
{
    return curve->form ? side_best(curve->side, like) : side_find(curve->side, like, NULL);
}

static bool on_curve(const struct page *page, const struct row_facts *row, size_t key)
{
    return page->keys[key].reference == row->held;
}

static void extend(struct plot *plot, double x, double y)
{
    bool first = plot->most_y <= 0;
    plot->least_x = first || x < plot->least_x ? x : plot->least_x;
    plot->most_x = first || x > plot->most_x ? x : plot->most_x;
    plot->least_y = first || y < plot->least_y ? y : plot->least_y;
    plot->most_y = first || y > plot->most_y ? y : plot->most_y;
}

/* The curve's points as lines of data; returns how many. */
static size_t curve_points(struct page *page, struct plot *plot, const struct curve *curve,
                           FILE *data)
{
    const struct row_facts *row = curve->row;
    size_t count = 0;
    for (size_t i = row->first; i < row->first + row->count; i++) {
        const struct saved_result *example = page->keys[i].example;
        double y = height_of(curve->side, curve_result(curve, example), plot->shares);
        if (!on_curve(page, row, i) || y <= 0)
            continue;
        double x = example->parameters[row->main].number;
        fprintf(data, "%.10g %.6g\n", x, y);
        extend(plot, x, y);
        count++;
    }
    return count;
}

static void plot_data(struct page *page, struct plot *plot, FILE *script)
{
    size_t kept = 0;
    for (size_t i = 0; i < plot->count; i++) {
        fprintf(script, "$d%zu << EOD\n", kept);
        size_t points = curve_points(page, plot, &plot->curves[i], script);
        fputs("EOD\n", script);
        if (points > 1)
            plot->curves[kept++] = plot->curves[i];
    }
    plot->count = kept;
}

/* Tics at the points themselves, in their own words: powers of two want no decimal ones. */
static void size_tics(struct page *page, const struct row_facts *row, FILE *script)
{
    size_t every = (row->points + 6) / 7, told = 0;
    const char *between = "";
    fputs("set logscale x 2\nset xtics (", script);
    for (size_t i = row->first; i < row->first + row->count; i++) {
        char text[VARIABLE_BYTES];
        const struct task_parameter *parameter = &page->keys[i].example->parameters[row->main];
        if (!on_curve(page, row, i) || told++ % every)
            continue;
        html_parameter(text, parameter);
        fputs(between, script);
        gnuplot_quote(script, text);
        fprintf(script, " %.10g", parameter->number);
        between = ", ";
    }
    fputs(") rotate by -30\n", script);
}

static void plot_axes(struct page *page, const struct plot *plot, const struct row_facts *row,
                      const char *unit, FILE *script)
{
    const struct saved_result *example = page->keys[row->first].example;
    fputs("set xlabel ", script);
    gnuplot_quote(script, example->parameters[row->main].name);
    fputs("\nset ylabel ", script);
    gnuplot_quote(script, plot->shares ? "percent of own peak" : unit);
    fputs("\n", script);
    if (plot->shares)
        fputs("set format y '%.0f'\n", script);
    if (plot->least_x > 0 && plot->most_x / plot->least_x >= 16) {
        size_tics(page, row, script);
        fprintf(script, "set xrange [%.10g:%.10g]\n", plot->least_x / 1.2, plot->most_x * 1.2);
    }
    if (!plot->shares && plot->least_y > 0 && plot->most_y / plot->least_y > 12)
        fputs("set logscale y\n", script);
    else
        fprintf(script, "set yrange [0:%.6g]\n", plot->most_y * 1.08);
}

static void plot_lines(const struct page *page, const struct plot *plot, bool by_row, FILE *script)
{
    for (size_t i = 0; i < plot->count; i++) {
        const struct curve *curve = &plot->curves[i];
        size_t colour = by_row ? i : (size_t)(curve->side - page->sides);
        fprintf(script,
                "%s$d%zu using 1:2 with linespoints lw 2 ps 0.7 lc rgb '%s' dt %d pt %zu title ",
                i ? ", " : "plot ", i, colours[colour % COLOURS], curve->form ? 2 : 1,
                curve->form ? 4 + 2 * (colour % 4) : 5 + 2 * (colour % 4));
        gnuplot_quote(script, curve->title);
    }
    fputs("\n", script);
}

static void draw_plot(struct page *page, struct plot *plot, const struct row_facts *row,
                      bool by_row, const char *caption)
{
    struct script script;
    if (!script_begin(&script, 500, 320 + 18 * plot->count))
        return;
    plot_data(page, plot, script.file);
    if (plot->count > 0) {
        plot_axes(page, plot, row, page->keys[row->first].example->unit, script.file);
        plot_lines(page, plot, by_row, script.file);
        script_end(page, &script, caption, 500);
        return;
    }
    fclose(script.file);
    free(script.text);
}

static void add_curve(struct plot *plot, const struct side *side, const struct row_facts *row,
                      const char *form, const char *title)
{
    if (plot->count == MOST_CURVES)
        return;
    struct curve *curve = &plot->curves[plot->count++];
    *curve = (struct curve){side, row, form, ""};
    snprintf(curve->title, sizeof curve->title, "%.95s", title);
}

/* What the curve's other parameters are. */
static void held_text(const struct page *page, const struct row_facts *row, char *out, size_t room)
{
    const struct saved_result *example = page->keys[row->held].example;
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < example->parameter_count && used < room; i++) {
        char value[VARIABLE_BYTES];
        if ((int)i == row->main)
            continue;
        html_parameter(value, &example->parameters[i]);
        used += (size_t)snprintf(out + used, room - used, "%s%s %s", used ? ", " : ", at ",
                                 example->parameters[i].name, value);
    }
}

/* A study's row: a colour for each side, whole lines for the idiom, broken ones for the best form. */
static void row_curves(struct page *page, const struct row_facts *row)
{
    struct plot plot = {0};
    char caption[256], held[128], title[96];
    plot.shares = is_told_in_shares(page, row->group, page->keys[row->first].example->unit);
    for (size_t i = 0; i < page->side_count; i++) {
        const struct side *side = &page->sides[i];
        snprintf(title, sizeof title, "%.60s: idiom", side->label);
        add_curve(&plot, side, row, NULL, title);
        snprintf(title, sizeof title, "%.60s: best form", side->label);
        if (side_find(side, page->keys[row->held].example, "best"))
            add_curve(&plot, side, row, "best", title);
    }
    held_text(page, row, held, sizeof held);
    snprintf(caption, sizeof caption, "%.60s%s", row->row, held);
    draw_plot(page, &plot, row, false, caption);
}

static bool makes_curves(const struct page *page, const struct row_facts *row)
{
    return row->main >= 0 && row->is_number && row->points >= 3 &&
           page->keys[row->first].example->unit[0];
}

/* A row without forms, over a number: a curve for each side, on axes that they share. */
static void sides_curves(struct page *page, const struct row_facts *row)
{
    struct plot plot = {0};
    char caption[256], held[128];
    for (size_t i = 0; i < page->side_count; i++)
        add_curve(&plot, &page->sides[i], row, NULL, page->sides[i].label);
    held_text(page, row, held, sizeof held);
    snprintf(caption, sizeof caption, "%.60s%s", row->row, held);
    draw_plot(page, &plot, row, false, caption);
}

/* A side's rows without forms that vary over a number: one chart, a curve for each row. */
static void side_curves(struct page *page, const struct side *side, const struct row_facts *rows,
                        size_t count)
{
    struct plot plot = {0};
    char caption[256];
    const struct row_facts *axes = NULL;
    for (size_t r = 0; r < count; r++) {
        const struct row_facts *row = &rows[r];
        if (row->is_study || !makes_curves(page, row) ||
            (axes && strcmp(page->keys[axes->first].example->unit,
                            page->keys[row->first].example->unit) != 0))
            continue;
        axes = axes && axes->points >= row->points ? axes : row;
        add_curve(&plot, side, row, NULL, row->row);
    }
    if (!axes)
        return;
    snprintf(caption, sizeof caption, "%.40s on %.120s", axes->group, side->label);
    draw_plot(page, &plot, axes, true, caption);
}

/* --- bars --- */

struct bar {
    const struct row_facts *row;
    const struct saved_result *example;
};

struct bars {
    struct bar all[MOST_BARS];
    size_t count;
    bool shares;
};

/* "variant row", "copy stride 4": words stand for themselves. */
static void bar_label(const struct bar *bar, FILE *script)
{
    char label[2 * VARIABLE_BYTES];
    const struct saved_result *example = bar->example;
    const char *rest = strchr(bar->row->row, '.');
    size_t used = 0;
    if (!example->form[0] || bar->row->count == 1)
        used = (size_t)snprintf(label, sizeof label, "%.60s", bar->row->row);
    else
        used = (size_t)snprintf(label, sizeof label, "%.40s", rest ? rest + 1 : bar->row->row);
    for (size_t i = 0; bar->row->count > 1 && i < example->parameter_count && used < 200; i++) {
        char value[VARIABLE_BYTES];
        const struct task_parameter *parameter = &example->parameters[i];
        html_parameter(value, parameter);
        used += (size_t)snprintf(label + used, sizeof label - used, " %.20s%s%.30s",
                                 parameter->word ? "" : parameter->name, parameter->word ? "" : " ",
                                 value);
    }
    gnuplot_quote(script, label);
}

static bool has_bars(const struct bars *bars, const struct side *side)
{
    for (size_t i = 0; i < bars->count; i++)
        if (height_of(side, side_best(side, bars->all[i].example), bars->shares) > 0)
            return true;
    return false;
}

/* Lines "y value best" for one side; the first bar is at the top. */
static void bar_data(const struct page *page, const struct bars *bars, const struct side *side,
                     FILE *script)
{
    size_t sides = page->side_count, number = (size_t)(side - page->sides);
    fprintf(script, "$d%zu << EOD\n", number);
    for (size_t i = 0; i < bars->count; i++) {
        const struct bar *bar = &bars->all[i];
        double y = (double)(bars->count - i) +
                   0.8 * (((double)(sides - 1) / 2 - (double)number) / (double)sides);
        double idiom = height_of(side, side_find(side, bar->example, NULL), bars->shares);
        double best = height_of(side, side_best(side, bar->example), bars->shares);
        fprintf(script, "%.4f %.6g %.6g\n", y, idiom, best > idiom ? best : 0);
    }
    fputs("EOD\n", script);
}

static void bar_tics(const struct bars *bars, FILE *script)
{
    fputs("set ytics (", script);
    for (size_t i = 0; i < bars->count; i++) {
        fputs(i ? ", " : "", script);
        bar_label(&bars->all[i], script);
        fprintf(script, " %zu", bars->count - i);
    }
    fputs(") font ',13'\n", script);
}

static void bar_lines(const struct page *page, const struct bars *bars, FILE *script)
{
    double half = 0.36 / (double)page->side_count;
    const char *between = "plot ";
    for (size_t i = 0; i < page->side_count; i++) {
        const char *colour = colours[i % COLOURS];
        if (!has_bars(bars, &page->sides[i]))
            continue;
        fprintf(script,
                "%s$d%zu using (0):1:(0):3:($1-%.3f):($1+%.3f) with boxxyerror fs empty lc rgb "
                "'%s' notitle, $d%zu using (0):1:(0):2:($1-%.3f):($1+%.3f) with boxxyerror fs "
                "solid noborder lc rgb '%s' title ",
                between, i, half, half, colour, i, half, half, colour);
        gnuplot_quote(script, page->sides[i].label);
        between = ", ";
    }
    fputs("\n", script);
}

static void draw_bars(struct page *page, const struct bars *bars)
{
    struct script script;
    char caption[256];
    const char *unit = bars->all[bars->count - 1].example->unit;
    size_t height = 90 + 18 * page->side_count + bars->count * (10 + 12 * page->side_count);
    if (!script_begin(&script, 510, height))
        return;
    for (size_t i = 0; i < page->side_count; i++)
        bar_data(page, bars, &page->sides[i], script.file);
    bar_tics(bars, script.file);
    fprintf(script.file,
            "set key maxcols 1\nset yrange [0.4:%zu.6]\nset xrange [0:*]\nunset grid\nset grid x "
            "lc rgb "
            "'#808080' lw 0.6\nset xlabel ",
            bars->count);
    gnuplot_quote(script.file, bars->shares ? "percent of own peak" : unit);
    fputc('\n', script.file);
    bar_lines(page, bars, script.file);
    snprintf(caption, sizeof caption, "%.60s. Filled: CUDA's idiom; outline: the best form.",
             bars->all[bars->count - 1].row->group);
    script_end(page, &script, caption, 510);
}

/* Cells of one unit only: they share an axis. */
static void add_bars(struct page *page, struct bars *bars, const struct row_facts *row)
{
    for (size_t i = row->first; i < row->first + row->count && bars->count < MOST_BARS; i++) {
        const struct saved_result *example = page->keys[i].example;
        if (bars->count && strcmp(bars->all[0].example->unit, example->unit) != 0)
            return;
        bars->all[bars->count++] = (struct bar){row, example};
    }
}

static bool makes_bars(const struct page *page, const struct row_facts *row)
{
    return page->keys[row->first].example->unit[0] && !row->is_sweep && !makes_curves(page, row) &&
           (row->is_study || strcmp(row->group, "texture") == 0 ||
            strcmp(row->group, "surface") == 0);
}

/* What images are measured against. */
static const struct row_facts *buffer_row(const struct page *page)
{
    for (size_t i = 0; i < page->row_count; i++)
        if (strcmp(page->rows[i].row, "peak.copy") == 0)
            return &page->rows[i];
    return NULL;
}

static void group_bars(struct page *page, const struct row_facts *rows, size_t count)
{
    struct bars bars = {0};
    const struct row_facts *buffer = buffer_row(page);
    if (!rows->is_study && buffer)
        bars.all[bars.count++] =
            (struct bar){buffer, page->keys[buffer->first + buffer->count - 1].example};
    for (size_t r = 0; r < count; r++)
        if (makes_bars(page, &rows[r]))
            add_bars(page, &bars, &rows[r]);
    if (bars.count < 2)
        return;
    bars.shares = is_told_in_shares(page, rows->group, bars.all[0].example->unit);
    draw_bars(page, &bars);
}

/* --- heat maps --- */

#define HEAT_VALUES 64

/* The values of one parameter, in the order in which they come. */
struct values {
    struct task_parameter all[HEAT_VALUES];
    size_t count;
};

/* A side of the map: its parameters, of which the first changes slowest. */
struct heat_axis {
    size_t parameters[STUDY_PARAMETERS], count;
};

struct heat {
    const struct row_facts *row;
    struct values values[STUDY_PARAMETERS];
    struct heat_axis down, across;
};

static size_t value_number(const struct values *values, const struct task_parameter *parameter)
{
    for (size_t i = 0; i < values->count; i++) {
        const struct task_parameter *one = &values->all[i];
        if (parameter->word ? one->word && strcmp(one->word, parameter->word) == 0
                            : !one->word && one->number == parameter->number)
            return i;
    }
    return values->count;
}

static void collect_values(const struct page *page, struct heat *heat)
{
    for (size_t i = heat->row->first; i < heat->row->first + heat->row->count; i++) {
        const struct saved_result *example = page->keys[i].example;
        for (size_t p = 0; p < example->parameter_count; p++) {
            struct values *values = &heat->values[p];
            size_t number = value_number(values, &example->parameters[p]);
            if (number == values->count && number < HEAT_VALUES)
                values->all[values->count++] = example->parameters[p];
        }
    }
}

/* The first half of the parameters goes down; across, words come before numbers, so that each word
 * has a block of columns. */
static void settle_axes(struct heat *heat, const struct saved_result *example)
{
    size_t split = (example->parameter_count + 1) / 2;
    for (size_t p = 0; p < split; p++)
        heat->down.parameters[heat->down.count++] = p;
    for (int words = 1; words >= 0; words--)
        for (size_t p = split; p < example->parameter_count; p++)
            if ((example->parameters[p].word != NULL) == words)
                heat->across.parameters[heat->across.count++] = p;
}

static size_t axis_length(const struct heat *heat, const struct heat_axis *axis)
{
    size_t length = 1;
    for (size_t i = 0; i < axis->count; i++)
        length *= heat->values[axis->parameters[i]].count;
    return length;
}

static size_t axis_place(const struct heat *heat, const struct heat_axis *axis,
                         const struct saved_result *result)
{
    size_t place = 0;
    for (size_t i = 0; i < axis->count; i++) {
        size_t p = axis->parameters[i];
        place =
            place * heat->values[p].count + value_number(&heat->values[p], &result->parameters[p]);
    }
    return place;
}

/* The choice at a place of the axis, in words. */
static void place_text(const struct heat *heat, const struct heat_axis *axis, size_t place,
                       char out[256])
{
    size_t used = 0, rest = axis_length(heat, axis);
    out[0] = '\0';
    for (size_t i = 0; i < axis->count && used < 256; i++) {
        const struct values *values = &heat->values[axis->parameters[i]];
        char value[VARIABLE_BYTES];
        rest /= values->count;
        html_parameter(value, &values->all[place / rest % values->count]);
        used += (size_t)snprintf(out + used, 256 - used, "%s%.11s", i ? " " : "", value);
    }
}

static void heat_tics(const struct heat *heat, const struct heat_axis *axis, const char *name,
                      FILE *script)
{
    char label[256];
    fprintf(script, "set %stics (", name);
    for (size_t i = 0; i < axis_length(heat, axis); i++) {
        place_text(heat, axis, i, label);
        fputs(i ? ", " : "", script);
        gnuplot_quote(script, label);
        fprintf(script, " %zu", i);
    }
    fprintf(script, ") font ',11' scale 0%s\n", name[0] == 'x' ? " rotate by -60" : "");
}

/* Lines "across down value text"; the most is returned. */
static double heat_data(struct page *page, const struct heat *heat, const struct side *side,
                        FILE *script)
{
    double most = 0;
    fputs("$d << EOD\n", script);
    for (size_t i = heat->row->first; i < heat->row->first + heat->row->count; i++) {
        const struct saved_result *result = side_find(side, page->keys[i].example, NULL);
        char text[24];
        if (speed_of(result) <= 0)
            continue;
        double value = result->by[BY_CUDA].median;
        html_number(text, value);
        fprintf(script, "%zu %zu %.6g %s\n", axis_place(heat, &heat->across, result),
                axis_place(heat, &heat->down, result), value, text);
        most = value > most ? value : most;
    }
    fputs("EOD\n", script);
    return most;
}

static void axis_name(const struct heat_axis *axis, const struct saved_result *example,
                      const char *name, FILE *script)
{
    char label[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < axis->count && used < sizeof label; i++)
        used += (size_t)snprintf(label + used, sizeof label - used, "%s%s", i ? ", " : "",
                                 example->parameters[axis->parameters[i]].name);
    fprintf(script, "set %slabel ", name);
    gnuplot_quote(script, label);
    fprintf(script, "%s\n", name[0] == 'x' ? " offset 0,1.2" : "");
}

static void heat_settings(const struct heat *heat, double most, FILE *script)
{
    fprintf(script,
            "unset grid\nunset key\nunset colorbox\nset border 0\n"
            "set palette defined (0 '#e9dcc0', 0.5 '#e8c35a', 1 '#5fb98c')\n"
            "set cbrange [0:%.6g]\nset xrange [-0.5:%zu.5]\nset yrange [%zu.5:-0.5]\n"
            "plot $d using 1:2:($1-0.48):($1+0.48):($2-0.47):($2+0.47):3 with boxxyerror fs solid "
            "noborder lc palette, $d using 1:2:4 with labels font ',10' tc rgb '#151515'\n",
            most, axis_length(heat, &heat->across) - 1, axis_length(heat, &heat->down) - 1);
}

static void draw_map(struct page *page, const struct heat *heat, const struct side *side)
{
    struct script script;
    char caption[256];
    const struct saved_result *example = page->keys[heat->row->first].example;
    size_t width = 150 + 34 * axis_length(heat, &heat->across);
    width = width < 400 ? 400 : width;
    if (!script_begin(&script, width, 140 + 17 * axis_length(heat, &heat->down)))
        return;
    double most = heat_data(page, heat, side, script.file);
    axis_name(&heat->down, example, "y", script.file);
    axis_name(&heat->across, example, "x", script.file);
    heat_tics(heat, &heat->across, "x", script.file);
    heat_tics(heat, &heat->down, "y", script.file);
    heat_settings(heat, most, script.file);
    snprintf(caption, sizeof caption, "%.60s on %.120s: %.8s, the greener the nearer to the best.",
             heat->row->row, side->label, example->unit);
    if (most > 0) {
        script_end(page, &script, caption, width);
        return;
    }
    fclose(script.file);
    free(script.text);
}

static void draw_heat(struct page *page, const struct row_facts *row, const struct side *side)
{
    struct heat *heat = calloc(1, sizeof *heat);
    if (!heat)
        return;
    heat->row = row;
    collect_values(page, heat);
    settle_axes(heat, page->keys[row->first].example);
    if (axis_length(heat, &heat->across) <= HEAT_VALUES &&
        axis_length(heat, &heat->down) <= HEAT_VALUES)
        draw_map(page, heat, side);
    free(heat);
}

static bool makes_heat(const struct page *page, const struct row_facts *row)
{
    return row->is_study && strcmp(row->group, "sweep") == 0 && row->count >= 6 &&
           page->keys[row->first].example->parameter_count >= 2;
}

void chart_group(struct page *page, size_t first, size_t count)
{
    const struct row_facts *rows = &page->rows[first];
    if (!page->has_gnuplot)
        return;
    fputs("<div class=\"figures\">\n", page->out);
    if (page->side_count == 1)
        side_curves(page, page->sides, rows, count);
    for (size_t r = 0; r < count; r++) {
        if (page->side_count > 1 && !rows[r].is_study && makes_curves(page, &rows[r]))
            sides_curves(page, &rows[r]);
        bool heat = makes_heat(page, &rows[r]);
        for (size_t i = 0; heat && i < page->side_count; i++)
            draw_heat(page, &rows[r], &page->sides[i]);
        if (!heat && rows[r].is_study && makes_curves(page, &rows[r]))
            row_curves(page, &rows[r]);
    }
    group_bars(page, rows, count);
    fputs("</div>\n", page->out);
}
