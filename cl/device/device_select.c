/* Orders, deduplicates and filters the devices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/device_select.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cl/base/options.h"
#include "cl/trace.h"
#include "cl/whole.h"

/* Moves devices[from] to `to` <= from; those between go up by one. */
static void move_down(struct ocl_device *devices, int from, int to)
{
    if (from == to)
        return;
    struct ocl_device moved = devices[from];
    memmove(&devices[to + 1], &devices[to], (size_t)(from - to) * sizeof *devices);
    devices[to] = moved;
}

int ocl_device_select_order(struct ocl_device *devices, int count)
{
    for (int i = 1; i < count; i++) {
        int at = i;
        while (at > 0 && devices[at - 1].facts.device_class > devices[i].facts.device_class)
            at--;
        move_down(devices, i, at);
    }
    return count;
}

static bool is_same_gpu(const struct ocl_device_facts *a, const struct ocl_device_facts *b)
{
    if (a->device_class != OCL_CLASS_GPU || b->device_class != OCL_CLASS_GPU)
        return false;
    if (a->has_uuid && b->has_uuid && memcmp(a->uuid, b->uuid, sizeof a->uuid) == 0)
        return true;
    return a->has_pci && b->has_pci && a->pci_domain == b->pci_domain && a->pci_bus == b->pci_bus &&
           a->pci_device == b->pci_device && a->pci_function == b->pci_function;
}

static bool is_makers_platform(const struct ocl_device_facts *facts)
{
    return facts->vendor[0] && strcasecmp(facts->vendor, facts->platform_vendor) == 0;
}

static int strategy_count(const struct ocl_device_facts *facts)
{
    return facts->has_bda + facts->has_usm + facts->has_svm_coarse + facts->has_svm_fine;
}

static bool is_better(const struct ocl_device_facts *a, const struct ocl_device_facts *b)
{
    if (is_makers_platform(a) != is_makers_platform(b))
        return is_makers_platform(a);
    return strategy_count(a) > strategy_count(b);
}

/* One platform shows one GPU once, or it is two GPUs with one UUID (a driver's fault), so entries
 * of one platform are never merged. */
static int find_twin(const struct ocl_device *devices, int count, const struct ocl_device *of)
{
    for (int i = 0; i < count; i++)
        if (devices[i].platform != of->platform && is_same_gpu(&devices[i].facts, &of->facts))
            return i;
    return -1;
}

int ocl_device_select_unique(struct ocl_device *devices, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        int twin = find_twin(devices, kept, &devices[i]);
        if (twin < 0) {
            devices[kept++] = devices[i];
            continue;
        }
        bool is_replaced = is_better(&devices[i].facts, &devices[twin].facts);
        ocl_trace("%s is seen through \"%s\" and \"%s\"; the %s is used", devices[i].facts.name,
                  devices[twin].facts.platform_name, devices[i].facts.platform_name,
                  is_replaced ? "second" : "first");
        if (is_replaced)
            devices[twin] = devices[i];
    }
    return kept;
}

/* The next entry of a comma list without the blanks around it; NULL at the end. */
static const char *next_entry(const char **list, char *entry, size_t bytes)
{
    if (!*list)
        return NULL;
    const char *begin = *list + strspn(*list, " \t");
    const char *end = begin + strcspn(begin, ",");
    *list = *end ? end + 1 : NULL;
    while (end > begin && isspace((unsigned char)end[-1]))
        end--;
    snprintf(entry, bytes, "%.*s", (int)(end - begin), begin);
    return entry;
}

/* The number an entry consists of, or -1. */
static int entry_index(const char *entry)
{
    if (!*entry || strspn(entry, "0123456789") != strlen(entry) || strlen(entry) > 6)
        return -1;
    return atoi(entry);
}

static bool contains(const char *text, const char *part)
{
    return strcasestr(text, part) != NULL;
}

static bool is_blank(const char *choice)
{
    return !choice || choice[strspn(choice, " \t,")] == '\0';
}

static int count_cpus(const struct ocl_device *devices, int count)
{
    int cpus = 0;
    for (int i = 0; i < count; i++)
        cpus += devices[i].facts.device_class == OCL_CLASS_CPU;
    return cpus;
}

/* A program that goes through all devices takes each for a GPU. Kernels are checked on CPUs alone: who wants that gets them,
 * where there are any. */
static int hide_others(struct ocl_device *devices, int count, bool checks_kernels)
{
    int kept = 0;
    const int cpus = count_cpus(devices, count);
    const bool has_gpu = count > 0 && devices[0].facts.device_class == OCL_CLASS_GPU,
               shows_cpus = cpus > 0 && checks_kernels;
    if (!has_gpu && !(shows_cpus && cpus < count)) /* GPUs come first */
        return count;
    for (int i = 0; i < count; i++) {
        if ((devices[i].facts.device_class == OCL_CLASS_CPU) == shows_cpus)
            devices[kept++] = devices[i];
        else
            ocl_trace("%s (%s) is hidden, since %s: CLEM_DEVICE=all shows all",
                      devices[i].facts.name, devices[i].facts.platform_name,
                      shows_cpus ? "CPUs alone check kernels" : "there is a GPU");
    }
    return kept;
}

static bool matches_choice(const struct ocl_device *device, int index, int count, const char *entry)
{
    int wanted = entry_index(entry);
    if (wanted >= 0 && wanted < count)
        return wanted == index;
    if (strcasecmp(entry, "all") == 0)
        return true;
    return *entry &&
           (contains(device->facts.name, entry) || contains(device->facts.platform_name, entry));
}

/* Replaces the devices by picks[0..picked), indexes into them. */
static int take_picks(struct ocl_device *devices, const int *picks, int picked)
{
    struct ocl_device *old = malloc((size_t)(picked + 1) * sizeof *old);
    if (!old)
        return 0;
    for (int i = 0; i < picked; i++)
        old[i] = devices[picks[i]];
    memcpy(devices, old, (size_t)picked * sizeof *old);
    free(old);
    return picked;
}

static bool is_picked(const int *picks, int picked, int index)
{
    for (int i = 0; i < picked; i++)
        if (picks[i] == index)
            return true;
    return false;
}

int ocl_device_select_choice(struct ocl_device *devices, int count, const char *choice,
                             bool checks_kernels)
{
    if (is_blank(choice) || count == 0)
        return hide_others(devices, count, checks_kernels);
    int *picks = malloc((size_t)count * sizeof *picks);
    if (!picks)
        return 0;
    int picked = 0;
    bool is_wrong = false;
    char entry[256];
    while (next_entry(&choice, entry, sizeof entry)) {
        bool is_used = false;
        for (int i = 0; i < count; i++) {
            if (!matches_choice(&devices[i], i, count, entry))
                continue;
            is_used = true;
            if (!is_picked(picks, picked, i))
                picks[picked++] = i;
        }
        if (!is_used && *entry) {
            is_wrong = true;
            whole_say("clem: CLEM_DEVICE=%s: no device has that index or name\n", entry);
        }
    }
    if (picked > 0 || is_wrong)
        count = take_picks(devices, picks, picked);
    free(picks);
    return count;
}

/* "GPU-" and the UUID in groups of 8, 4, 4, 4 and 12 digits, as CUDA writes it. */
static void write_uuid(const uint8_t uuid[16], char text[41])
{
    size_t length = (size_t)sprintf(text, "GPU-");
    for (int i = 0; i < 16; i++)
        length += (size_t)sprintf(text + length, "%s%02x",
                                  i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

/* The one device that an entry of CUDA_VISIBLE_DEVICES names, or -1. */
static int find_visible(const struct ocl_device *devices, int count, const char *entry)
{
    int index = entry_index(entry);
    if (index >= 0)
        return index < count ? index : -1;
    if (strncasecmp(entry, "GPU-", 4) != 0)
        return -1;
    int found = -1;
    for (int i = 0; i < count; i++) {
        char text[41];
        write_uuid(devices[i].facts.uuid, text);
        if (strncasecmp(text, entry, strlen(entry)) != 0)
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

int ocl_device_select_visible(struct ocl_device *devices, int count, const char *visible)
{
    if (!visible || count == 0)
        return count;
    int *picks = malloc((size_t)count * sizeof *picks);
    if (!picks)
        return 0;
    int picked = 0;
    char entry[256];
    while (next_entry(&visible, entry, sizeof entry)) {
        int found = find_visible(devices, count, entry);
        if (found < 0)
            break;
        if (is_picked(picks, picked, found)) {
            picked = 0;
            break;
        }
        picks[picked++] = found;
    }
    count = take_picks(devices, picks, picked);
    free(picks);
    return count;
}
