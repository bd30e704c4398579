/* Sizes of types that only a program knows: a kernel in the program's own text stores them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/base/steady.h"
#include "cl/program/kernel.h"
#include "cl/program/kernel_info.h"
#include "cl/program/program_compile.h"
#include "cl/trace.h"

/* A type by name, with what the device said about it; 0 until then. */
struct sized_type {
    const char *name;
    cl_ulong bytes, alignment;
};

struct type_list {
    struct sized_type *types;
    size_t count;
};

static struct sized_type *find_type(const struct type_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->types[i].name, name) == 0)
            return &list->types[i];
    return NULL;
}

static ocl_status list_kernel_types(struct type_list *list, const struct ocl_kernel *kernel)
{
    struct sized_type *types =
        realloc(list->types, (list->count + kernel->argument_count + 1) * sizeof *list->types);
    if (!types)
        return OCL_E_OUT_OF_MEMORY;
    list->types = types;
    for (size_t i = 0; i < kernel->argument_count; i++) {
        const struct ocl_argument *argument = &kernel->arguments[i];
        if (argument->is_own_type && strcmp(argument->type, "?") != 0 &&
            !find_type(list, argument->type))
            list->types[list->count++] = (struct sized_type){.name = argument->type};
    }
    return OCL_OK;
}

static ocl_status list_types(struct type_list *list, struct ocl_program *program)
{
    ocl_status status = OCL_OK;
    for (size_t i = 0; status == OCL_OK && i < program->kernel_count; i++) {
        status = ocl_kernel_describe(&program->kernels[i]);
        if (status == OCL_OK)
            status = list_kernel_types(list, &program->kernels[i]);
    }
    return status;
}

/* The user's text with the sizing kernel behind it. An alignment is where C puts a member behind
 * a char: a way that every OpenCL C compiler has, unlike __alignof__, and that needs no address
 * from NULL on. */
static char *make_text(const struct ocl_program *program, const struct sized_type *types,
                       size_t count, size_t *bytes)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, bytes);
    if (!stream)
        return NULL;
    fwrite(program->text, 1, program->text_bytes, stream);
    fprintf(stream, "\n\n");
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "struct clem_member_%zu { char before; %s member; };\n", i, types[i].name);
    fprintf(stream, "__kernel void clem_type_sizes(__global ulong *clem_out)\n{\n");
    for (size_t i = 0; i < count; i++)
        fprintf(
            stream,
            "    struct clem_member_%zu clem_%zu;\n"
            "    clem_out[%zu] = sizeof(%s);\n"
            "    clem_out[%zu] = (ulong)((__private char *)&clem_%zu.member - &clem_%zu.before);\n",
            i, i, 2 * i, types[i].name, 2 * i + 1, i, i);
    fprintf(stream, "}\n");
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

static cl_int read_answers(struct ocl_context *context, cl_kernel kernel, cl_mem buffer,
                           cl_ulong *answers, size_t bytes)
{
    const size_t one = 1;
    cl_int error = clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer);
    if (error == CL_SUCCESS)
        error = ocl_steady_range(context->service, kernel, 1, NULL, &one, &one, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        error = ocl_steady_read(context->service, buffer, bytes, answers);
    return error;
}

static ocl_status run_sizing(struct ocl_context *context, cl_program program, cl_ulong *answers,
                             size_t bytes)
{
    cl_int error = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program, "clem_type_sizes", &error);
    if (!kernel)
        return error;
    cl_mem buffer = clCreateBuffer(context->cl, CL_MEM_WRITE_ONLY, bytes, NULL, &error);
    if (buffer) {
        error = read_answers(context, kernel, buffer, answers, bytes);
        clReleaseMemObject(buffer);
    }
    clReleaseKernel(kernel);
    return error;
}

/* Errors: OCL_E_BUILD when a type cannot be named at the end of the text. */
static ocl_status size_some(struct ocl_program *program, struct sized_type *types, size_t count)
{
    size_t bytes = 0;
    char *log = NULL;
    cl_program cl = NULL;
    ocl_status status = OCL_E_OUT_OF_MEMORY;
    cl_ulong *answers = calloc(2 * count, sizeof *answers);
    char *text = make_text(program, types, count, &bytes);
    if (answers && text)
        status =
            ocl_program_compile(program->context, text, bytes, false, program->options, &cl, &log);
    if (status == OCL_OK)
        status = run_sizing(program->context, cl, answers, 2 * count * sizeof *answers);
    for (size_t i = 0; status == OCL_OK && i < count; i++) {
        types[i].bytes = answers[2 * i];
        types[i].alignment = answers[2 * i + 1];
    }
    if (log)
        ocl_trace("asking for the sizes of %zu types: %s", count, log);
    if (cl)
        clReleaseProgram(cl);
    free(log);
    free(text);
    free(answers);
    return status;
}

/* All at once; one by one when that does not build, so that one bad type spoils no other. */
static ocl_status size_all(struct ocl_program *program, const struct type_list *list)
{
    ocl_status status = size_some(program, list->types, list->count);
    if (status != OCL_E_BUILD)
        return status;
    status = OCL_OK;
    for (size_t i = 0; list->count > 1 && status == OCL_OK && i < list->count; i++) {
        status = size_some(program, &list->types[i], 1);
        if (status == OCL_E_BUILD)
            status = OCL_OK;
    }
    return status;
}

static void store_sizes(const struct ocl_kernel *kernel, const struct type_list *list)
{
    for (size_t i = 0; i < kernel->argument_count; i++) {
        struct ocl_argument *argument = &kernel->arguments[i];
        if (!argument->is_own_type)
            continue;
        const struct sized_type *type = find_type(list, argument->type);
        argument->bytes = type ? (size_t)type->bytes : 0;
        argument->alignment = type ? (size_t)type->alignment : 0;
    }
}

ocl_status ocl_kernel_size_types(struct ocl_program *program)
{
    struct type_list list = {NULL, 0};
    ocl_status status = list_types(&list, program);
    if (status == OCL_OK && program->text && list.count > 0)
        status = size_all(program, &list);
    for (size_t i = 0; status == OCL_OK && i < program->kernel_count; i++)
        store_sizes(&program->kernels[i], &list);
    free(list.types);
    return status;
}
