/* Programs of OpenCL C built once more for work-groups of one shape.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program/program_shaped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/trace.h"

/* Both words that begin a kernel, each written by means of the other: the preprocessor replaces neither twice. */
static char *shaped_text(const struct ocl_program *program, const size_t shape[3], size_t *bytes)
{
    static const char format[] =
        "#define kernel __attribute__((reqd_work_group_size(%zu, %zu, %zu))) __kernel\n"
        "#define __kernel kernel\n#line 1\n";
    char *text = NULL;
    const int head = snprintf(NULL, 0, format, shape[0], shape[1], shape[2]);
    text = malloc((size_t)head + program->text_bytes + 1);
    if (!text)
        return NULL;
    snprintf(text, (size_t)head + 1, format, shape[0], shape[1], shape[2]);
    memcpy(text + head, program->text, program->text_bytes);
    *bytes = (size_t)head + program->text_bytes;
    text[*bytes] = '\0';
    return text;
}

/* What does not build will not build next time either: such a variant has no kernels. */
static ocl_status build(struct ocl_program *program, const size_t shape[3],
                        struct ocl_program **made)
{
    size_t bytes = 0;
    char *text = shaped_text(program, shape, &bytes);
    if (!text)
        return OCL_E_OUT_OF_MEMORY;
    ocl_status status =
        ocl_program_build(program->context, text, bytes, program->options, made, NULL);
    free(text);
    if (status == OCL_E_BUILD) {
        *made = ocl_program_empty(program->context);
        status = *made ? OCL_OK : OCL_E_OUT_OF_MEMORY;
    }
    if (status != OCL_OK)
        return status;
    (*made)->origin = ocl_program_origin(program);
    (*made)->has_device_header = program->has_device_header;
    (*made)->is_builtin = program->is_builtin;
    memcpy((*made)->shape, shape, sizeof(*made)->shape);
    return OCL_OK;
}

/* Lock held. */
static struct ocl_program *find(const struct ocl_program *program, const size_t shape[3])
{
    struct ocl_program *shaped = program->shaped;
    while (shaped && memcmp(shaped->shape, shape, sizeof shaped->shape) != 0)
        shaped = shaped->shaped;
    return shaped;
}

/* Two threads may both build one: the second's goes. */
static struct ocl_program *add(struct ocl_program *program, struct ocl_program *made)
{
    pthread_mutex_lock(&program->lock);
    struct ocl_program *first = find(program, made->shape);
    if (!first) {
        made->shaped = program->shaped;
        first = program->shaped = made;
        made = NULL;
    }
    pthread_mutex_unlock(&program->lock);
    ocl_program_release(made);
    return first;
}

static void complain(const struct ocl_kernel *kernel, const size_t shape[3], const char *why)
{
    ocl_log(true,
            "kernel %s cannot have work-groups of %zu x %zu x %zu: this device takes them of "
            "kernels alone that are compiled for that size, and %s",
            kernel->name, shape[0], shape[1], shape[2], why);
}

ocl_status ocl_program_shaped(struct ocl_kernel *kernel, const size_t shape[3],
                              struct ocl_kernel **shaped)
{
    struct ocl_program *program = kernel->program, *made = NULL;
    *shaped = NULL;
    if (!program->text) {
        complain(kernel, shape, "SPIR-V is not");
        return OCL_E_NOT_SUPPORTED;
    }
    pthread_mutex_lock(&program->lock);
    struct ocl_program *found = find(program, shape);
    pthread_mutex_unlock(&program->lock);
    const ocl_status status = found ? OCL_OK : build(program, shape, &made);
    if (status != OCL_OK)
        return status;
    if (!found)
        found = add(program, made);
    *shaped = ocl_program_find_kernel(found, kernel->name);
    if (!*shaped)
        complain(kernel, shape, "its text does not build so");
    return *shaped ? OCL_OK : OCL_E_NOT_SUPPORTED;
}
