/* Which parameters of a kernel belong together to one texture or surface.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cl/program/kernel.h"

/* The names that kernels/device/clem_texture.h gives to parameters, up to the user's own. */
struct pattern {
    const char *prefixes[4]; /* in order */
    enum ocl_part parts[4];
    uint32_t count;
    bool is_surface;
};

#define MEMORY(what)    "clem_" what "_memory__"
#define IMAGE(what)     "clem_" what "_image__"
#define SAMPLER(what)   "clem_" what "_sampler__"
#define FACTS(what)     "clem_" what "_facts__"
#define REFERENCE(what) "clem_" what "_reference__"

/* Longer ones first: a reference's bundle begins as another does. */
static const struct pattern patterns[] = {
    {{IMAGE("texture"), SAMPLER("texture"), FACTS("texture"), REFERENCE("texture")},
     {OCL_PART_IMAGE, OCL_PART_SAMPLER, OCL_PART_FACTS, OCL_PART_REFERENCE},
     4,
     false},
    {{IMAGE("texture"), SAMPLER("texture"), FACTS("texture")},
     {OCL_PART_IMAGE, OCL_PART_SAMPLER, OCL_PART_FACTS},
     3,
     false},
    {{MEMORY("texture"), FACTS("texture"), REFERENCE("texture")},
     {OCL_PART_MEMORY, OCL_PART_FACTS, OCL_PART_REFERENCE},
     3,
     false},
    {{MEMORY("texture"), FACTS("texture")}, {OCL_PART_MEMORY, OCL_PART_FACTS}, 2, false},
    {{MEMORY("surface"), FACTS("surface"), REFERENCE("surface")},
     {OCL_PART_MEMORY, OCL_PART_FACTS, OCL_PART_REFERENCE},
     3,
     true},
    {{MEMORY("surface"), FACTS("surface")}, {OCL_PART_MEMORY, OCL_PART_FACTS}, 2, true},
};

/* The user's name of a parameter that begins with prefix, or NULL. */
static const char *name_behind(const struct ocl_argument *argument, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (!argument->name || strncmp(argument->name, prefix, length) != 0)
        return NULL;
    return argument->name + length;
}

static bool matches(const struct ocl_kernel *kernel, size_t first, const struct pattern *pattern)
{
    const char *name = name_behind(&kernel->arguments[first], pattern->prefixes[0]);
    for (size_t i = 1; name && i < pattern->count; i++) {
        const size_t at = first + i;
        const char *next = at < kernel->argument_count
                               ? name_behind(&kernel->arguments[at], pattern->prefixes[i])
                               : NULL;
        if (!next || strcmp(name, next) != 0)
            return false;
    }
    return name != NULL;
}

uint32_t ocl_image_type(const char *type)
{
    static const struct {
        const char *name;
        uint32_t type;
    } types[] = {
        {"image1d_t", CL_MEM_OBJECT_IMAGE1D},
        {"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER},
        {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY},
        {"image2d_t", CL_MEM_OBJECT_IMAGE2D},
        {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY},
        {"image3d_t", CL_MEM_OBJECT_IMAGE3D},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, type) == 0)
            return types[i].type;
    return 0;
}

static void add_part(struct ocl_kernel *kernel, struct ocl_bundle *bundle, enum ocl_part part)
{
    struct ocl_argument *argument = &kernel->arguments[bundle->first + bundle->count++];
    argument->kind = OCL_PARAMETER_TEXTURE;
    argument->part = part;
    argument->bundle = (uint32_t)kernel->bundle_count;
    argument->is_own_type = false;
    if (part == OCL_PART_IMAGE)
        bundle->image_type = ocl_image_type(argument->type);
    if (part == OCL_PART_REFERENCE)
        bundle->reference = strstr(argument->name, "__") + 2;
}

/* What the device header declared. */
static bool take_declared(struct ocl_kernel *kernel, size_t first, struct ocl_bundle *bundle)
{
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const struct pattern *pattern = &patterns[i];
        if (!matches(kernel, first, pattern))
            continue;
        bundle->is_surface = pattern->is_surface;
        for (uint32_t part = 0; part < pattern->count; part++)
            add_part(kernel, bundle, pattern->parts[part]);
        return true;
    }
    return false;
}

/* An image of the user's own: one that is read takes the sampler behind it along, one that is
 * written is a surface. */
static bool take_plain(struct ocl_kernel *kernel, size_t first, struct ocl_bundle *bundle)
{
    const struct ocl_argument *argument = &kernel->arguments[first];
    const bool is_read = argument->access == CL_KERNEL_ARG_ACCESS_READ_ONLY;
    if (argument->kind != OCL_PARAMETER_OPAQUE || ocl_image_type(argument->type) == 0 ||
        (!is_read && argument->access != CL_KERNEL_ARG_ACCESS_WRITE_ONLY))
        return false;
    bundle->is_plain = true;
    bundle->is_surface = !is_read;
    add_part(kernel, bundle, OCL_PART_IMAGE);
    if (is_read && first + 1 < kernel->argument_count &&
        strcmp(kernel->arguments[first + 1].type, "sampler_t") == 0)
        add_part(kernel, bundle, OCL_PART_SAMPLER);
    return true;
}

ocl_status ocl_kernel_find_bundles(struct ocl_kernel *kernel)
{
    uint32_t entry = 0;
    kernel->bundle_count = 0;
    kernel->bundles = calloc(kernel->argument_count + 1, sizeof *kernel->bundles);
    if (!kernel->bundles)
        return OCL_E_OUT_OF_MEMORY;
    for (size_t i = 0; i < kernel->argument_count;) {
        struct ocl_bundle *bundle = &kernel->bundles[kernel->bundle_count];
        *bundle = (struct ocl_bundle){.first = (uint32_t)i, .entry = entry};
        if (take_declared(kernel, i, bundle) || take_plain(kernel, i, bundle)) {
            kernel->bundle_count++;
            i += bundle->count;
            entry += !bundle->reference;
        } else {
            const enum ocl_parameter_kind kind = kernel->arguments[i++].kind;
            entry += kind != OCL_PARAMETER_LOCAL && kind != OCL_PARAMETER_HIDDEN;
        }
    }
    return OCL_OK;
}
