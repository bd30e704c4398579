/* The forms of the kernels in kernels/peak.cl: names, index spaces, devices they are made for.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "bench/cuda_side.h"

const char *form_name(enum kernel_form form)
{
    static const char *const names[] = {"item", "interleaved", "chunked", "streaming"};
    return names[form];
}

void form_kernel_name(char name[64], enum peak_detail what, enum kernel_form form)
{
    static const char *const verbs[] = {"read", "write", "copy", "triad"};
    snprintf(name, 64, "peak_%s_%s", verbs[what], form_name(form));
}

/* A CPU walks memory best in long runs, a GPU best with neighbouring items on neighbouring words.
 */
bool form_suits(const struct device_facts *device, enum peak_detail what, enum kernel_form form)
{
    if (form == FORM_INTERLEAVED)
        return !device->is_cpu;
    if (form == FORM_ITEM)
        return what != PEAK_READ || !device->is_cpu;
    return device->is_cpu && (form != FORM_STREAMING || what != PEAK_READ);
}

static size_t largest_group(const struct device_facts *device)
{
    return device->max_threads && device->max_threads < 256 ? (size_t)device->max_threads : 256;
}

static struct geometry item_geometry(const struct device_facts *device, enum peak_detail what,
                                     size_t words)
{
    size_t items = what == PEAK_READ ? words / READ_WORDS : words;
    size_t local = largest_group(device);
    while (local > 1 && items % local)
        local /= 2;
    return (struct geometry){items / local, local, 0};
}

struct geometry form_geometry(const struct device_facts *device, enum peak_detail what,
                              enum kernel_form form, size_t words)
{
    size_t units = device->compute_units > 0 ? (size_t)device->compute_units : 1;
    if (form == FORM_ITEM)
        return item_geometry(device, what, words);
    if (form == FORM_INTERLEAVED)
        return (struct geometry){units * 16, largest_group(device), 0};
    /* Several chunks per core of a CPU, so that a core that others use does not keep all waiting. */
    size_t groups = device->is_cpu ? units * 4 : units * 16;
    size_t local = device->is_cpu ? 1 : largest_group(device);
    size_t chunk = (words + groups * local - 1) / (groups * local);
    return (struct geometry){groups, local, (chunk + 3) / 4 * 4};
}

size_t form_target_bytes(const struct device_facts *device, enum peak_detail what, size_t bytes)
{
    size_t most = bytes;
    for (int form = 0; what == PEAK_READ && form < FORMS; form++) {
        struct geometry g = form_geometry(device, what, (enum kernel_form)form, bytes / 16);
        size_t sums = g.groups * g.local * sizeof(uint32_t);
        most = sums > most ? sums : most;
    }
    return most;
}
