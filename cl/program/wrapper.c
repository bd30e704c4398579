/* Writes and builds wrapper kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program/wrapper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/program/program_compile.h"
#include "cl/trace.h"

static const char *space_of(const struct ocl_argument *argument)
{
    if (argument->kind == OCL_PARAMETER_LOCAL)
        return "__local";
    return argument->is_constant ? "__constant" : "__global";
}

static const char *facts_type(const struct ocl_bundle *bundle)
{
    if (bundle->is_surface)
        return "clem_surface";
    return bundle->image_type ? "clem_image" : "clem_texture";
}

static void write_parameter(FILE *stream, const struct ocl_kernel *kernel,
                            const struct ocl_slot *slot)
{
    const struct ocl_argument *argument = &kernel->arguments[slot->parameter];
    const bool is_written = argument->access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
    switch (slot->kind) {
    case OCL_SLOT_VALUE:
        fprintf(stream, "%s clem_%u", argument->type, slot->parameter);
        break;
    case OCL_SLOT_LOCAL:
        fprintf(stream, "__local ulong16 *clem_%u", slot->parameter);
        break;
    case OCL_SLOT_ADDRESS:
    case OCL_SLOT_BUFFER:
        fprintf(stream, "%s char *clem_%u", space_of(argument), slot->parameter);
        break;
    case OCL_SLOT_NUMBER:
        fprintf(stream, "ulong clem_%u", slot->parameter);
        break;
    case OCL_SLOT_OFFSET:
        fprintf(stream, "ulong clem_offset_%u", slot->parameter);
        break;
    case OCL_SLOT_IMAGE:
        fprintf(stream, "%s %s clem_%u", is_written ? "__write_only" : "__read_only",
                argument->type, slot->parameter);
        break;
    case OCL_SLOT_SAMPLER:
        fprintf(stream, "sampler_t clem_%u", slot->parameter);
        break;
    case OCL_SLOT_FACTS:
        fprintf(stream, "struct %s clem_%u", facts_type(&kernel->bundles[argument->bundle]),
                slot->parameter);
        break;
    case OCL_SLOT_ZERO:
        fprintf(stream, "uint clem_%u", slot->parameter);
        break;
    case OCL_SLOT_SCRATCH:
    case OCL_SLOT_SHARED:
        fprintf(stream, "%s ulong16 *clem_%u", space_of(argument), slot->parameter);
        break;
    case OCL_SLOT_GRID:
    case OCL_SLOT_DYNAMIC:
    case OCL_SLOT_BANK:
    case OCL_SLOT_TURNS:
    case OCL_SLOT_GATHERING:
    case OCL_SLOT_NATIVE:
    case OCL_SLOT_CHECK:
        fprintf(stream, "%s clem_%u", argument->type, slot->parameter);
        break;
    }
}

/* What the user's kernel gets for its parameter; the slot is the parameter's first. */
static void write_argument(FILE *stream, const struct ocl_kernel *kernel,
                           const struct ocl_slot *slot, bool has_offset)
{
    const uint32_t parameter = slot->parameter;
    const char *space = space_of(&kernel->arguments[parameter]);
    const enum ocl_made made = kernel->arguments[parameter].made;
    const bool is_value = slot->kind == OCL_SLOT_VALUE || made == OCL_MADE_NUMBER;
    const bool is_memory = made == OCL_MADE_SCRATCH || made == OCL_MADE_SHARED;
    if (is_value || (slot->kind >= OCL_SLOT_IMAGE && !is_memory))
        fprintf(stream, "clem_%u", parameter);
    else if (has_offset)
        fprintf(stream, "(%s void *)(clem_%u + clem_offset_%u)", space, parameter, parameter);
    else
        fprintf(stream, "(%s void *)clem_%u", space, parameter);
}

static void write_wrapper(FILE *stream, const struct ocl_kernel *kernel,
                          const struct ocl_form *form, const char *name)
{
    const size_t *required = kernel->facts.required_work_group;
    fprintf(stream, "__kernel ");
    if (required[0] > 0)
        fprintf(stream, "__attribute__((reqd_work_group_size(%zu, %zu, %zu))) ", required[0],
                required[1], required[2]);
    fprintf(stream, "void %s(", name);
    for (size_t i = 0; i < form->slot_count; i++) {
        fprintf(stream, "%s", i > 0 ? ", " : "");
        write_parameter(stream, kernel, &form->slots[i]);
    }
    fprintf(stream, ")\n{\n    %s(", kernel->text_name);
    for (size_t i = 0; i < form->slot_count; i++) {
        if (form->slots[i].kind == OCL_SLOT_OFFSET)
            continue;
        const bool has_offset =
            i + 1 < form->slot_count && form->slots[i + 1].kind == OCL_SLOT_OFFSET;
        fprintf(stream, "%s", i > 0 ? ", " : "");
        write_argument(stream, kernel, &form->slots[i], has_offset);
    }
    fprintf(stream, ");\n}\n");
}

char *ocl_wrapper_text(const struct ocl_kernel *kernel, const struct ocl_form *form,
                       const char *name)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    write_wrapper(stream, kernel, form, name);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* The name in the cl_program, which the user's kernels cannot have by chance. There is one in each. */
static const char wrapper_name[] = "clem_wrapper_of_kernel";

/* The user's text may end in a comment or a backslash: a wrapper starts two lines below it. Translations are
 * kept. */
static ocl_status build_text(struct ocl_program *program, const char *wrapper, cl_program *cl,
                             char **log)
{
    char *text = NULL;
    const int bytes = asprintf(&text, "%s\n\n%s", program->text, wrapper);
    if (bytes < 0)
        return OCL_E_OUT_OF_MEMORY;
    const ocl_status status = ocl_program_origin(program)->ptx
                                  ? ocl_program_compile_kept(program->context, text, (size_t)bytes,
                                                             program->options, cl, log)
                                  : ocl_program_compile(program->context, text, (size_t)bytes,
                                                        false, program->options, cl, log);
    free(text);
    return status;
}

ocl_status ocl_wrapper_build(struct ocl_kernel *kernel, struct ocl_form *form)
{
    char *log = NULL;
    if (!kernel->program->text) {
        ocl_log(true, "kernel %s: SPIR-V cannot be given this launch's pointers on this device",
                kernel->name);
        return OCL_E_NOT_SUPPORTED;
    }
    form->name = strdup(wrapper_name);
    char *wrapper = form->name ? ocl_wrapper_text(kernel, form, form->name) : NULL;
    if (!wrapper)
        return OCL_E_OUT_OF_MEMORY;
    ocl_status status = build_text(kernel->program, wrapper, &form->program, &log);
    if (status == OCL_E_BUILD) {
        ocl_log(true, "kernel %s cannot be called through a wrapper:\n%s\n%s", kernel->name,
                wrapper, log ? log : "");
        status = OCL_E_NOT_SUPPORTED;
    }
    free(log);
    free(wrapper);
    return status;
}
