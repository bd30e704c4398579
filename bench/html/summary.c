/* What differs between the devices and why, in plain words made from the data.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/html/html.h"

/* --- what each group of rows is about --- */

const struct group_words *group_words(const char *group)
{
    static const struct group_words all[] = {
        {"transfer", "Copies between host and device",
         "by size, from pageable, pinned and mapped host memory"},
        {"set", "Fills", "patterns of 1, 2 and 4 bytes, lines, rows and volumes"},
        {"rect", "Copies of rectangles", "by the length of their rows"},
        {"peak", "Peak bandwidth", "the best form of kernel for each question"},
        {"sweep", "The peak sweep", "by operand, unrolling, group and traversal"},
        {"stream", "Stream kernels", "copy, scale, add, triad, dot"},
        {"offset", "Offsets", "accesses that begin some words past an aligned place"},
        {"stride", "Strides",
         "every n-th word only; bytes that are fetched without use do not count"},
        {"permute", "Permutations", "another order inside each segment"},
        {"gather", "Gather", "words read at random places"},
        {"scatter", "Scatter", "words written to random places"},
        {"same", "The same word", "neighbours that access one and the same word"},
        {"segments", "Parts of lines", "writes of one, two and four segments of a line"},
        {"layout", "Structs and arrays",
         "structs whole and in parts, arrays of structs and structs of arrays"},
        {"pitch", "Pitched rows", "rows that are packed, or begin at aligned places"},
        {"partition", "Partitions", "strides that meet the same part of the memory each time"},
        {"workingset", "Working sets", "the same memory again and again: each cache is a step"},
        {"chase", "Pointer chase", "one dependent step after the other: the latency of each cache"},
        {"policy", "Cache policies", "loads and stores with hints"},
        {"constant", "Constants", "a small table in constant, global and parameter space"},
        {"spill", "Private arrays", "what does not fit into registers"},
        {"spaces", "State spaces", "a step in each of the spaces"},
        {"path", "Paths to memory", "one kernel over device, mapped and managed memory"},
        {"local", "Local memory", "bank conflicts"},
        {"reduce", "Reductions", "the sum of an array, step by step to the best form"},
        {"histogram", "Histograms", "local and global atomics"},
        {"atomic", "Atomics", "by operation and contention"},
        {"fence", "Fences", "what ordering stores costs"},
        {"morton", "Morton order", "layouts of images under several walks"},
        {"transpose", "Transposes", "a matrix by rows, columns and tiles, against copying it"},
        {"block", "Block shapes", "2D blocks over rows of odd length"},
        {"content", "Contents", "zeros and random words, in case the memory compresses"},
        {"texture", "Textures against buffers",
         "images by format, filter and walk, beside a copy of buffers"},
        {"surface", "Surfaces", "loads and stores of texels, without filtering"},
        {"zerocopy", "Zero copy against copies",
         "two arrays added in mapped host memory, or copied over and back"},
        {"matrix", "Managed memory against copies",
         "two matrices added, all of it and the kernel alone"},
        {"staging", "Staging by hand", "pageable memory sent through pinned chunks"},
        {"combined", "Write-combined memory", "copied from, and read by the host"},
        {"portable", "Portable pinned memory", "copied from as other pinned memory is"},
        {"pinned", "What pinning costs the host",
         "memory allocated, and read and written by the host"},
        {"peer", "Device to device", "copies and kernels over the link between devices"},
        {"array", "Arrays", "copies into and out of images"},
        {"managed", "Managed memory", "first touch, next touch, back and forth"},
        {"touch", "Mapped host memory", "touched once and many times, against device memory"},
        {"symbol", "Symbols", "copies to and from device variables"},
        {"alloc", "Allocation", "what allocating and freeing costs"},
        {"launch", "Launches", "what an empty kernel costs"},
        {"graph", "Graphs", "what 100 kernels cost as one graph and one by one, and making graphs"},
        {"call", "Calls", "what single calls cost"},
        {"form", "Forms of peak kernels", "each form whatever it is good for"},
        {"check", "Questions answered by yes or no", "what CUDA documents, tried"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].group, group) == 0)
            return &all[i];
    return NULL;
}

/* --- contrasts: one choice against another, on every device --- */

/* first over second: how many times slower the first is. Points are "name=value" with spaces
 * between; where both are of one row, all other parameters are the same. */
struct contrast {
    const char *title;
    const char *first, *first_point, *second, *second_point;
    const char *words;                 /* "<words>: n times slower" */
    const char *cpu_slower, *cpu_same; /* why, by class and by what was found; NULL: nothing */
    const char *gpu_slower, *gpu_same;
};

static const struct contrast contrasts[] = {
    {"Strides", "stride.read", "stride=32", "stride.read", "stride=1",
     "reading every 32nd word instead of every word",
     "a CPU fetches lines of 64 bytes, of which a wide stride uses 4, and its prefetchers give up",
     NULL, "a GPU fetches sectors of 32 bytes, of which a wide stride uses 4", NULL},
    {"Offsets", "offset.read", "offset=11 word=4", "offset.read", "offset=0 word=4",
     "beginning 11 words past an aligned place",
     "work-items that straddle lines keep the compiler from whole vector loads",
     "a core reads unaligned vectors about as fast as aligned ones",
     "each group of 32 work-items touches one segment more",
     "neighbouring groups share the segments at their ends, and the cache keeps them"},
    {"Random places", "gather", "reach=all", "gather", "reach=segment",
     "reading at random places all over instead of inside a segment",
     "each word costs a line of its own and a miss in every cache and in the page tables", NULL,
     "each word costs a sector of its own", NULL},
    {"Permutations", "permute.read", "order=shuffled", "permute.read", "order=straight",
     "shuffling the words inside each segment", "shuffled places cannot be read by whole vectors",
     NULL, NULL, "a segment is fetched once, whatever the order in it"},
    {"Structs", "layout.aos", "", "layout.soa", "",
     "arrays of structs, word by word, instead of structs of arrays",
     "words of neighbouring work-items are not neighbours, so they are gathered into vectors",
     "a core reads a line once and takes all its words from the first cache",
     "each access of a group of work-items touches four times the segments", NULL},
    {"Bank conflicts", "local.stride", "stride=32", "local.stride", "stride=1",
     "local memory at a stride of 32 words",
     "every access takes a line of its own from the first cache",
     "local memory is ordinary cached memory on a CPU: it has no banks to collide in",
     "all 32 work-items want the same bank, which serves one at a time", NULL},
    {"Constants", "constant", "place=thread space=constant", "constant",
     "place=uniform space=constant",
     "constants at each work-item's own place instead of one for all", NULL,
     "constants are ordinary cached memory on a CPU",
     "constant memory broadcasts one word at a time: different ones wait for each other", NULL},
    {"Reductions", "reduce.variant", "variant=interleaved", "reduce.variant", "variant=sequential",
     "the divergent tree instead of the sequential one",
     "more work between barriers is skipped by every second work-item",
     "a barrier costs a CPU far more than either tree's accesses: it runs a loop over all "
     "work-items",
     "half of each group of 32 idles, and strides make bank conflicts", NULL},
    {"Transposes", "transpose.variant", "variant=row", "transpose.variant", "variant=padded",
     "transposing without a tile in local memory",
     "columns touch a new line, often a new page, with every word",
     "a tile only adds copies and barriers on a CPU, whose caches do what the tile is for",
     "columns touch a segment for every word; the tile makes both sides rows", NULL},
    {"Partitions", "partition", "stride=4096", "partition", "stride=4093",
     "strides of a power of two instead of a prime",
     "powers of two meet the same few sets of the caches", NULL,
     "addresses meet the same memory controllers",
     "addresses are spread over the memory controllers by a hash"},
    {"Textures", "texture.r32f.point.row", "", "peak.copy", "",
     "reading float texels along rows instead of copying a buffer",
     "a CPU has no texture units: every texel's address and format are calculated by instructions",
     NULL, "texels of 4 bytes keep the texture units busier than the memory", NULL},
    {"Filtering", "texture.r32f.linear.row", "", "texture.r32f.point.row", "",
     "filtering between texels instead of taking the nearest",
     "four texels are read and weighed by instructions", NULL, NULL,
     "the texture units filter for nothing"},
    {"Pageable memory", "transfer.pageable.h2d", "largest", "transfer.pinned.h2d", "largest",
     "copying to the device from pageable instead of pinned memory", NULL,
     "host and device are one memory, and nothing has to be pinned",
     "the driver copies pageable memory to pinned memory first", NULL},
    {"Mapped memory", "touch.mapped.16", "largest", "touch.device.16", "largest",
     "a kernel that reads host memory 16 times instead of device memory", NULL,
     "host and device are one memory", "every touch goes over the link to the host", NULL},
    {"First touch", "managed.first", "largest", "managed.next", "largest",
     "the first use of managed memory instead of the next one",
     "pages are made, filled with zeros and then by the host", NULL,
     "pages are made and move to the device at first use", NULL},
    {"Contention", "atomic.global", "operation=add addresses=1", "atomic.global",
     "operation=add addresses=4096", "atomic additions to one word instead of thousands",
     "the line with the word travels from core to core",
     "cores take turns over a few lines either way", "all work-items wait for one unit",
     "additions to one word are combined before they reach the memory"},
    {"Contents", "content.read", "content=random", "content.read", "content=zero",
     "random words instead of zeros", "the memory or its caches compress zeros", NULL,
     "the memory or its caches compress zeros", NULL},
};

static bool has_value(const struct saved_result *result, const char *token, size_t length)
{
    for (size_t i = 0; i < result->parameter_count; i++) {
        const struct task_parameter *parameter = &result->parameters[i];
        char text[VARIABLE_BYTES];
        if (parameter->word)
            snprintf(text, sizeof text, "%s=%s", parameter->name, parameter->word);
        else
            snprintf(text, sizeof text, "%s=%.10g", parameter->name, parameter->number);
        if (strlen(text) == length && memcmp(text, token, length) == 0)
            return true;
    }
    return false;
}

static bool names_parameter(const char *point, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = point; (at = strstr(at, name)) != NULL; at += length)
        if ((at == point || at[-1] == ' ') && at[length] == '=')
            return true;
    return false;
}

static bool fits(const struct saved_result *result, const char *point)
{
    if (result->form[0] && strcmp(result->form, "idiom") != 0)
        return false;
    if (strcmp(point, "largest") == 0)
        return true;
    for (const char *at = point; *at;) {
        size_t length = strcspn(at, " ");
        if (!has_value(result, at, length))
            return false;
        at += length + (at[length] == ' ');
    }
    return true;
}

/* Whether two results of a row agree in what the contrast does not name. */
static bool is_pair(const struct contrast *contrast, const struct saved_result *a,
                    const struct saved_result *b)
{
    if (strcmp(a->row, b->row) != 0)
        return strcmp(contrast->first_point, "largest") != 0 || a->bytes == b->bytes;
    for (size_t i = 0; i < a->parameter_count && i < b->parameter_count; i++) {
        const struct task_parameter *p = &a->parameters[i], *q = &b->parameters[i];
        bool same = p->word ? q->word && strcmp(p->word, q->word) == 0 : p->number == q->number;
        if (!same && !names_parameter(contrast->first_point, p->name))
            return false;
    }
    return true;
}

static const struct saved_result *find(const struct side *side, const struct contrast *contrast,
                                       const struct saved_result *beside)
{
    const char *row = beside ? contrast->second : contrast->first;
    const char *point = beside ? contrast->second_point : contrast->first_point;
    const struct saved_result *found = NULL;
    for (size_t i = 0; i < side->count; i++) {
        const struct saved_result *result = side->results[i];
        if (strcmp(result->row, row) != 0 || speed_of(result) <= 0 || !fits(result, point) ||
            (beside && !is_pair(contrast, beside, result)))
            continue;
        if (!found || result->bytes > found->bytes)
            found = result;
    }
    return found;
}

/* How many times slower the first is for the same useful work; 0: not measured. */
static double contrast_on(const struct contrast *contrast, const struct side *side)
{
    const struct saved_result *first = find(side, contrast, NULL);
    const struct saved_result *second = first ? find(side, contrast, first) : NULL;
    if (!second || strcmp(first->unit, second->unit) != 0)
        return 0;
    double ratio = second->by[BY_CUDA].median / first->by[BY_CUDA].median;
    bool is_time = strcmp(first->unit, "us") == 0 || strcmp(first->unit, "ns") == 0;
    return is_time ? 1 / ratio : ratio;
}

static void times_text(FILE *out, double factor)
{
    char number[24];
    if (factor >= 1.1) {
        html_number(number, factor);
        fprintf(out, "%s&#215; slower", number);
    } else if (factor <= 1 / 1.1) {
        html_number(number, 1 / factor);
        fprintf(out, "%s&#215; faster", number);
    } else {
        fputs("the same", out);
    }
}

#define SLOWER 1.25

static const char *reason_on(const struct contrast *contrast, const struct side *side,
                             double factor)
{
    if (side->device->is_cpu)
        return factor >= SLOWER ? contrast->cpu_slower : contrast->cpu_same;
    return factor >= SLOWER ? contrast->gpu_slower : contrast->gpu_same;
}

/* Each reason once, with the devices it is for. */
static void reasons(struct page *page, const struct contrast *contrast, const double *factors)
{
    const char *told[4] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < page->side_count; i++) {
        const char *reason =
            factors[i] > 0 ? reason_on(contrast, &page->sides[i], factors[i]) : NULL;
        bool is_new = reason != NULL;
        for (size_t j = 0; j < count; j++)
            is_new = is_new && told[j] != reason;
        if (!is_new || count == 4)
            continue;
        told[count++] = reason;
        fputs(" On ", page->out);
        for (size_t j = i; j < page->side_count; j++) {
            if (factors[j] <= 0 || reason_on(contrast, &page->sides[j], factors[j]) != reason)
                continue;
            fputs(j > i ? " and " : "", page->out);
            html_text(page->out, page->sides[j].letter);
        }
        fputs(": ", page->out);
        html_text(page->out, reason);
        fputc('.', page->out);
    }
}

static void tell_contrast(struct page *page, const struct contrast *contrast)
{
    double *factors = calloc(page->side_count + 1, sizeof *factors);
    bool any = false;
    for (size_t i = 0; factors && i < page->side_count; i++) {
        factors[i] = contrast_on(contrast, &page->sides[i]);
        any = any || factors[i] > 0;
    }
    if (any) {
        fprintf(page->out, "<li><b>%s</b>: %s: ", contrast->title, contrast->words);
        const char *between = "";
        for (size_t i = 0; i < page->side_count; i++) {
            if (factors[i] <= 0)
                continue;
            fprintf(page->out, "%s%s ", between, page->sides[i].letter);
            times_text(page->out, factors[i]);
            between = ", ";
        }
        fputc('.', page->out);
        reasons(page, contrast, factors);
        fputs("</li>\n", page->out);
    }
    free(factors);
}

/* --- each device by itself --- */

struct idiom {
    double *ratios; /* of every cell that has another form: the idiom's speed over the best */
    size_t count;
    double least;
    const struct saved_result *worst, *best; /* where it is least, and what is best there */
};

static bool measure_idiom(const struct page *page, const struct side *side, struct idiom *idiom)
{
    *idiom = (struct idiom){.ratios = calloc(page->key_count + 1, sizeof(double)), .least = 2};
    for (size_t i = 0; idiom->ratios && i < page->key_count; i++) {
        const struct saved_result *one = side_find(side, page->keys[i].example, NULL);
        const struct saved_result *best = side_best(side, page->keys[i].example);
        if (!one || !best || speed_of(one) <= 0 || strcmp(one->unit, "GB/s") != 0 ||
            strcmp(one->form, "idiom") != 0 || !side_find(side, one, "best"))
            continue;
        double ratio = one->by[BY_CUDA].median / best->by[BY_CUDA].median;
        idiom->ratios[idiom->count++] = ratio;
        if (ratio < idiom->least) {
            idiom->least = ratio;
            idiom->worst = one;
            idiom->best = best;
        }
    }
    return idiom->count > 0;
}

static void tell_idiom(struct page *page, const struct side *side)
{
    struct idiom idiom;
    if (measure_idiom(page, side, &idiom)) {
        struct series series = {idiom.ratios, idiom.count, idiom.count};
        double median = series_median(&series);
        fprintf(
            page->out,
            " Where there is another way to write the same work, CUDA&#8217;s idiom of "
            "neighbouring "
            "work-items on neighbouring words reaches %.0f&#8239;%% of what the device can do (the "
            "median of %zu cells), and least in <code>",
            100 * median, idiom.count);
        html_text(page->out, idiom.worst->row);
        fputs("</code>", page->out);
        if (idiom.worst->point[0]) {
            fputs(" (", page->out);
            html_text(page->out, idiom.worst->point);
            fputs(")", page->out);
        }
        fprintf(page->out, ": %.3g&#8239;%%, where <q>", 100 * idiom.least);
        html_text(page->out, idiom.best->by[BY_CUDA].method);
        fputs("</q> is best.", page->out);
        if (side->device->is_cpu && median < 0.8)
            fputs(" Work-items of a CPU run one after the other, so what is read in a row by "
                  "neighbours "
                  "is not read in a row by anybody: long runs in each work-item suit its vectors, "
                  "lines and prefetchers.",
                  page->out);
        else if (!side->device->is_cpu && median > 0.8)
            fputs(
                " That is what such a device is built for: neighbours&#8217; accesses become one.",
                page->out);
    }
    free(idiom.ratios);
}

static void tell_peaks(struct page *page, const struct side *side)
{
    static const char *const names[] = {"reads", "writes", "copies"};
    const double peaks[] = {side->peak_read, side->peak_write, side->peak_copy};
    const char *between = " It ";
    char number[24];
    for (int i = 0; i < 3; i++) {
        if (peaks[i] <= 0)
            continue;
        html_number(number, peaks[i]);
        fprintf(page->out, "%s%s %s", between, names[i], number);
        between = ", ";
    }
    if (between[0] == ',')
        fputs(" GB/s at best.", page->out);
}

static size_t verdicts(const struct side *side, const char *verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < side->run->seed_count; i++) {
        const struct saved_seed *seed = &side->run->seeds[i];
        count += seed->device == side->device->index && seed->measured &&
                 strcmp(seed->verdict, verdict) == 0;
    }
    return count;
}

static void tell_verdicts(struct page *page, const struct side *side)
{
    if (side->run->seed_count == 0)
        return;
    fprintf(page->out,
            " Of the promised rows, %zu are as expected for such a device, %zu differ, %zu are "
            "inconclusive, %zu unsupported and %zu suspect.",
            verdicts(side, "as-expected"), verdicts(side, "differs"),
            verdicts(side, "inconclusive"), verdicts(side, "unsupported"),
            verdicts(side, "suspect"));
}

static void tell_side(struct page *page, const struct side *side)
{
    fputs("<li><b>", page->out);
    html_text(page->out, side->label);
    fprintf(page->out, "</b> is a %s.", side->device->is_cpu ? "CPU" : "GPU");
    tell_peaks(page, side);
    tell_idiom(page, side);
    tell_verdicts(page, side);
    fputs("</li>\n", page->out);
}

/* Who is how much faster, by the peaks. */
static void tell_between(struct page *page)
{
    const struct side *fast = NULL, *slow = NULL;
    char number[24];
    for (size_t i = 0; i < page->side_count; i++) {
        const struct side *side = &page->sides[i];
        if (side->peak_copy <= 0)
            continue;
        fast = !fast || side->peak_copy > fast->peak_copy ? side : fast;
        slow = !slow || side->peak_copy < slow->peak_copy ? side : slow;
    }
    if (!fast || fast == slow)
        return;
    html_number(number, fast->peak_copy / slow->peak_copy);
    fputs("<p>", page->out);
    html_text(page->out, fast->label);
    fprintf(page->out, " copies its memory %s&#215; as fast as ", number);
    html_text(page->out, slow->label);
    fputs("; what follows is about patterns, each against the same device&#8217;s own best.</p>\n",
          page->out);
}

void summary(struct page *page)
{
    tell_between(page);
    fputs("<ul class=\"summary\">\n", page->out);
    for (size_t i = 0; i < page->side_count; i++)
        tell_side(page, &page->sides[i]);
    for (size_t i = 0; i < sizeof contrasts / sizeof contrasts[0]; i++)
        tell_contrast(page, &contrasts[i]);
    fputs("</ul>\n", page->out);
}
