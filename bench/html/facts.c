/* What is known about each device and run, and what to be careful about.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "bench/html/html.h"

static void size_text(char out[VARIABLE_BYTES], double bytes)
{
    if (bytes <= 0)
        snprintf(out, VARIABLE_BYTES, "not known");
    else if (bytes >= 1 << 30)
        snprintf(out, VARIABLE_BYTES, "%.1f GiB", bytes / (1 << 30));
    else if (bytes >= 1 << 20)
        snprintf(out, VARIABLE_BYTES, "%.3g MiB", bytes / (1 << 20));
    else
        snprintf(out, VARIABLE_BYTES, "%.0f KiB", bytes / 1024);
}

static void clock_text(char out[VARIABLE_BYTES], int khz)
{
    if (khz > 0)
        snprintf(out, VARIABLE_BYTES, "%d MHz", khz / 1000);
    else
        snprintf(out, VARIABLE_BYTES, "not known");
}

static void peak_text(char out[VARIABLE_BYTES], const struct side *side)
{
    char numbers[3][24];
    const double peaks[] = {side->peak_read, side->peak_write, side->peak_copy};
    for (int i = 0; i < 3; i++)
        html_number(numbers[i], peaks[i]);
    if (peaks[0] + peaks[1] + peaks[2] <= 0)
        snprintf(out, VARIABLE_BYTES, "not measured");
    else
        snprintf(out, VARIABLE_BYTES, "read %s, write %s, copy %s GB/s", numbers[0], numbers[1],
                 numbers[2]);
}

enum fact {
    FACT_RUNTIME,
    FACT_CLASS,
    FACT_DRIVER,
    FACT_PLATFORM,
    FACT_STRATEGY,
    FACT_UNITS,
    FACT_CLOCKS,
    FACT_BUS,
    FACT_MEMORY,
    FACT_CACHE,
    FACT_ECC,
    FACT_PEAK,
    FACT_HOST,
    FACT_LOAD,
    FACT_DATE,
    FACT_COMMAND,
    FACTS
};

static void run_text(char out[VARIABLE_BYTES], const struct saved *run, enum fact fact)
{
    if (fact == FACT_HOST)
        snprintf(out, VARIABLE_BYTES, "%.0f cores, %.1f GiB", run->host_cores,
                 run->host_memory_bytes / (1 << 30));
    else if (fact == FACT_LOAD)
        snprintf(out, VARIABLE_BYTES, "%.2f before, %.2f after", run->load_before, run->load_after);
    else if (fact == FACT_DATE)
        snprintf(out, VARIABLE_BYTES, "%.30s, mode %.10s", run->date, run->mode);
    else
        snprintf(out, VARIABLE_BYTES, "%.20s, clem-bench %.20s", run->runtime, run->version);
}

static void clocks_text(char out[VARIABLE_BYTES], const struct saved_device *device)
{
    char core[VARIABLE_BYTES], memory[VARIABLE_BYTES];
    clock_text(core, device->clock_khz);
    clock_text(memory, device->memory_clock_khz);
    snprintf(out, VARIABLE_BYTES, "cores %.40s, memory %.40s", core, memory);
}

/* The facts that are text of the file already. */
static const char *own_text(const struct side *side, enum fact fact)
{
    const struct saved_device *device = side->device;
    switch (fact) {
    case FACT_CLASS:
        return device->is_cpu ? "CPU" : "GPU";
    case FACT_DRIVER:
        return device->driver;
    case FACT_PLATFORM:
        return device->opencl[0] ? device->opencl : "–";
    case FACT_ECC:
        return device->ecc ? "on" : "off, or not known";
    case FACT_COMMAND:
        return side->run->command[0] ? side->run->command : "–";
    default:
        return NULL;
    }
}

static void fact_text(char out[VARIABLE_BYTES], const struct side *side, enum fact fact)
{
    const struct saved_device *device = side->device;
    switch (fact) {
    case FACT_UNITS:
        snprintf(out, VARIABLE_BYTES, "%d", device->compute_units);
        break;
    case FACT_CLOCKS:
        clocks_text(out, device);
        break;
    case FACT_BUS:
        snprintf(out, VARIABLE_BYTES, device->memory_bus_bits ? "%d bits" : "not known",
                 device->memory_bus_bits);
        break;
    case FACT_MEMORY:
        size_text(out, device->memory_bytes);
        break;
    case FACT_CACHE:
        size_text(out, device->cache_bytes);
        break;
    case FACT_PEAK:
        peak_text(out, side);
        break;
    default:
        run_text(out, side->run, fact);
        break;
    }
}

static void fact_cell(struct page *page, const struct side *side, enum fact fact)
{
    char text[VARIABLE_BYTES];
    const char *own = own_text(side, fact);
    fputs(fact == FACT_COMMAND ? "<td class=\"x\">" : "<td>", page->out);
    if (fact == FACT_STRATEGY && side->device->strategy[0]) {
        html_text(page->out, side->device->strategy);
        fputs(" <span class=\"about\">", page->out);
        html_text(page->out, side->device->strategy_reason);
        fputs("</span>", page->out);
    } else if (fact == FACT_STRATEGY) {
        fputs("&#8211;", page->out);
    } else {
        if (!own)
            fact_text(text, side, fact);
        html_text(page->out, own ? own : text);
    }
    fputs("</td>", page->out);
}

/* Arrays that the last cache can hold show the cache. */
static bool arrays_are_small(const struct side *side, double *bytes)
{
    *bytes = 0;
    for (size_t i = 0; i < side->count; i++)
        if (strcmp(side->results[i]->group, "peak") == 0 && side->results[i]->bytes > *bytes)
            *bytes = side->results[i]->bytes;
    return *bytes > 0 && side->device->cache_bytes > 0 && *bytes < 4 * side->device->cache_bytes;
}

static size_t with_status(const struct side *side, const char *status)
{
    size_t count = 0;
    for (size_t i = 0; i < side->count; i++)
        count += strcmp(side->results[i]->status, status) == 0;
    return count;
}

static size_t noisy(const struct side *side)
{
    size_t count = 0;
    for (size_t i = 0; i < side->count; i++)
        count += side->results[i]->by[BY_CUDA].cov > 0.1;
    return count;
}

static void warning(struct page *page, const struct side *side, const char *words)
{
    fputs("<li><b>", page->out);
    html_text(page->out, side->letter);
    fputs("</b>: ", page->out);
    html_text(page->out, words);
    fputs("</li>\n", page->out);
}

static void warn_of_sizes(struct page *page, const struct side *side)
{
    double bytes;
    char words[256], size[VARIABLE_BYTES], cache[VARIABLE_BYTES];
    if (!arrays_are_small(side, &bytes))
        return;
    size_text(size, bytes);
    size_text(cache, side->device->cache_bytes);
    snprintf(
        words, sizeof words,
        "the largest arrays (%.40s) are smaller than 4 times the last cache (%.40s): peaks are "
        "partly those of the cache",
        size, cache);
    warning(page, side, words);
}

static void warnings_of(struct page *page, const struct side *side)
{
    char words[256];
    double load = side->run->load_before;
    warn_of_sizes(page, side);
    if (side->run->host_cores > 0 && load > side->run->host_cores / 4) {
        snprintf(words, sizeof words, "the host was busy before the run: load %.2f on %.0f cores",
                 load, side->run->host_cores);
        warning(page, side, words);
    }
    if (noisy(side) * 5 > side->count) {
        snprintf(words, sizeof words, "%zu of %zu results spread by more than 10 %%", noisy(side),
                 side->count);
        warning(page, side, words);
    }
    if (with_status(side, "suspect") || with_status(side, "error")) {
        snprintf(words, sizeof words,
                 "%zu results are suspect and %zu failed: marked with ! and "
                 "told under their tables",
                 with_status(side, "suspect"), with_status(side, "error"));
        warning(page, side, words);
    }
    if (side->run->format < 2)
        warning(page, side,
                "the file is of an earlier version and lacks much of what is shown here");
}

void table_devices(struct page *page)
{
    static const char *const names[FACTS] = {
        "runtime",       "class",          "driver", "platform",     "address strategy",
        "compute units", "clocks",         "bus",    "memory",       "last cache",
        "ECC",           "measured peaks", "host",   "load average", "date",
        "command"};
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"devices\"><table "
          "class=\"facts\"><thead><tr><th scope=\"col\"></th>",
          page->out);
    for (size_t i = 0; i < page->side_count; i++) {
        fputs("<th scope=\"col\">", page->out);
        html_text(page->out, page->sides[i].label);
        fputs("</th>", page->out);
    }
    fputs("</tr></thead><tbody>\n", page->out);
    for (int fact = 0; fact < FACTS; fact++) {
        fprintf(page->out, "<tr><th scope=\"row\">%s</th>", names[fact]);
        for (size_t i = 0; i < page->side_count; i++)
            fact_cell(page, &page->sides[i], (enum fact)fact);
        fputs("</tr>\n", page->out);
    }
    fputs("</tbody></table></div>\n<ul class=\"warnings\">\n", page->out);
    for (size_t i = 0; i < page->side_count; i++)
        warnings_of(page, &page->sides[i]);
    fputs(
        "<li>GB is 10<sup>9</sup> bytes, of which only the useful ones count; values are medians. "
        "&#8220;Of peak&#8221; is against the best that the same device reached in its peak, "
        "sweep and stream rows in the same direction.</li></ul>\n",
        page->out);
}
