/* Asks the driver about kernels and their parameters.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/kernel_info.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/kernel.h"

struct type {
    const char *name;
    size_t bytes; /* 0: as wide as an address */
    bool has_vectors;
};

static const struct type types[] = {
    { "bool", 1, false },
    { "char", 1, true },           { "uchar", 1, true },
    { "signed char", 1, false },   { "unsigned char", 1, false },
    { "short", 2, true },          { "ushort", 2, true },
    { "unsigned short", 2, false },
    { "int", 4, true },            { "uint", 4, true },
    { "unsigned int", 4, false },  { "unsigned", 4, false },
    { "long", 8, true },           { "ulong", 8, true },
    { "unsigned long", 8, false },
    { "half", 2, true },           { "float", 4, true },
    { "double", 8, true },
    { "size_t", 0, false },        { "ptrdiff_t", 0, false },
    { "intptr_t", 0, false },      { "uintptr_t", 0, false },
};

/* The elements that a vector type's suffix stands for; 0 when it is none. */
static size_t vector_elements(const char *suffix)
{
    static const struct {
        const char *suffix;
        size_t elements;
    } widths[] = { { "2", 2 }, { "3", 4 }, { "4", 4 }, { "8", 8 }, { "16", 16 } };
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (strcmp(suffix, widths[i].suffix) == 0)
            return widths[i].elements;
    return 0;
}

bool ocl_kernel_info_type(const char *name, uint32_t address_bits, size_t *bytes,
                          size_t *alignment)
{
    const size_t length = strcspn(name, "0123456789");
    const size_t elements = name[length] ? vector_elements(name + length) : 1;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i].name) != length || strncmp(types[i].name, name, length) != 0)
            continue;
        if (elements == 0 || (elements > 1 && !types[i].has_vectors))
            return false;
        *bytes = elements * (types[i].bytes ? types[i].bytes : address_bits / 8);
        *alignment = *bytes;
        return true;
    }
    return false;
}

static bool is_opaque_type(const char *type)
{
    static const char *const names[] = { "sampler_t",    "event_t", "clk_event_t",
                                         "queue_t",      "ndrange_t", "reserve_id_t" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(type, names[i]) == 0)
            return true;
    return strncmp(type, "image", 5) == 0 && strlen(type) > 7 &&
           strcmp(type + strlen(type) - 2, "_t") == 0;
}

/* The name of a parameter's type, or "?". NULL only without memory. */
static char *read_type(cl_kernel kernel, cl_uint index)
{
    size_t bytes = 0;
    cl_int error = clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, 0, NULL, &bytes);
    if (error != CL_SUCCESS || bytes <= 1)
        return strdup("?");
    char *type = calloc(bytes + 1, 1);
    if (type)
        clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, bytes, type, NULL);
    return type;
}

static enum ocl_parameter_kind find_kind(cl_uint space, cl_uint access, cl_bitfield qualifiers,
                                         const char *type)
{
    if (access != CL_KERNEL_ARG_ACCESS_NONE || (qualifiers & CL_KERNEL_ARG_TYPE_PIPE) ||
        is_opaque_type(type))
        return OCL_PARAMETER_OPAQUE;
    if (space == CL_KERNEL_ARG_ADDRESS_LOCAL)
        return OCL_PARAMETER_LOCAL;
    return space == CL_KERNEL_ARG_ADDRESS_PRIVATE ? OCL_PARAMETER_VALUE : OCL_PARAMETER_POINTER;
}

static ocl_status describe_argument(const struct ocl_kernel *kernel, cl_kernel cl, cl_uint index,
                                    struct ocl_argument *argument)
{
    cl_kernel_arg_address_qualifier space = 0;
    cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
    cl_kernel_arg_type_qualifier qualifiers = 0;
    cl_int error = clGetKernelArgInfo(cl, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space,
                                      &space, NULL);
    if (error != CL_SUCCESS)
        return error;
    clGetKernelArgInfo(cl, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL);
    clGetKernelArgInfo(cl, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers, &qualifiers,
                       NULL);
    argument->type = read_type(cl, index);
    if (!argument->type)
        return OCL_E_OUT_OF_MEMORY;
    argument->kind = find_kind(space, access, qualifiers, argument->type);
    argument->is_constant = space == CL_KERNEL_ARG_ADDRESS_CONSTANT;
    argument->is_own_type =
        argument->kind == OCL_PARAMETER_VALUE &&
        !ocl_kernel_info_type(argument->type,
                              kernel->program->context->device->facts.address_bits,
                              &argument->bytes, &argument->alignment);
    return OCL_OK;
}

/* Goes on where an earlier attempt failed. */
static ocl_status describe_arguments(struct ocl_kernel *kernel, cl_kernel cl)
{
    cl_uint count = 0;
    cl_int error = clGetKernelInfo(cl, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
    if (error != CL_SUCCESS)
        return error;
    if (!kernel->arguments)
        kernel->arguments = calloc(count + 1, sizeof *kernel->arguments);
    if (!kernel->arguments)
        return OCL_E_OUT_OF_MEMORY;
    while (error == CL_SUCCESS && kernel->argument_count < count) {
        const cl_uint index = (cl_uint)kernel->argument_count;
        error = describe_argument(kernel, cl, index, &kernel->arguments[index]);
        kernel->argument_count += error == CL_SUCCESS;
    }
    return error;
}

ocl_status ocl_kernel_describe(struct ocl_kernel *kernel)
{
    cl_int error = CL_SUCCESS;
    if (ocl_lazy_is_done(&kernel->description) ||
        !ocl_lazy_begin(kernel->program, &kernel->description))
        return OCL_OK;
    cl_kernel cl = clCreateKernel(kernel->program->cl, kernel->name, &error);
    if (cl) {
        error = describe_arguments(kernel, cl);
        clReleaseKernel(cl);
    }
    kernel->has_no_description = error == CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    if (kernel->has_no_description)
        error = CL_SUCCESS;
    ocl_lazy_end(kernel->program, &kernel->description, error == CL_SUCCESS);
    return error;
}

static bool has_own_types(const struct ocl_kernel *kernel)
{
    for (size_t i = 0; i < kernel->argument_count; i++)
        if (kernel->arguments[i].is_own_type)
            return true;
    return false;
}

static ocl_status size_program(struct ocl_program *program)
{
    if (ocl_lazy_is_done(&program->sized) || !ocl_lazy_begin(program, &program->sized))
        return OCL_OK;
    const ocl_status status = ocl_kernel_size_types(program);
    ocl_lazy_end(program, &program->sized, status == OCL_OK);
    return status;
}

__attribute__((format(printf, 2, 3))) static void refuse(struct ocl_kernel *kernel,
                                                         const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(kernel->reason, sizeof kernel->reason, format, list);
    va_end(list);
    kernel->facts.status = OCL_E_NOT_SUPPORTED;
}

static void check_argument(struct ocl_kernel *kernel, size_t index)
{
    const struct ocl_argument *argument = &kernel->arguments[index];
    if (argument->kind == OCL_PARAMETER_OPAQUE)
        refuse(kernel, "parameter %zu is of type %s, which an argument list cannot carry", index,
               argument->type);
    if (argument->kind == OCL_PARAMETER_VALUE && argument->bytes == 0)
        refuse(kernel,
               "the size of parameter %zu, of type %s, is not known; it must be declared at file "
               "scope of OpenCL C text",
               index, argument->type);
    if (argument->kind == OCL_PARAMETER_LOCAL && kernel->facts.local_count > 1)
        refuse(kernel, "it has %zu __local pointers, and a launch has local memory for one",
               kernel->facts.local_count);
}

/* Where an entry stands in a struct that has `end` bytes before it; moves end behind it. */
static size_t place_entry(size_t bytes, size_t alignment, size_t *end)
{
    const size_t step = alignment ? alignment : 1;
    const size_t offset = (*end + step - 1) / step * step;
    *end = offset + bytes;
    return offset;
}

static ocl_status list_parameters(struct ocl_kernel *kernel)
{
    struct ocl_kernel_facts *facts = &kernel->facts;
    kernel->parameters = calloc(kernel->argument_count + 1, sizeof *kernel->parameters);
    if (!kernel->parameters)
        return OCL_E_OUT_OF_MEMORY;
    facts->parameter_count = kernel->argument_count;
    for (size_t i = 0; i < kernel->argument_count; i++) {
        const struct ocl_argument *argument = &kernel->arguments[i];
        struct ocl_parameter *parameter = &kernel->parameters[i];
        const bool is_pointer = argument->kind == OCL_PARAMETER_POINTER;
        const bool is_local = argument->kind == OCL_PARAMETER_LOCAL;
        parameter->kind = argument->kind;
        parameter->bytes = is_pointer ? sizeof(uint64_t) : is_local ? 0 : argument->bytes;
        parameter->offset =
            place_entry(parameter->bytes,
                        is_pointer ? sizeof(uint64_t) : is_local ? 1 : argument->alignment,
                        &facts->argument_bytes);
        facts->local_count += is_local;
        facts->entry_count += !is_local;
        check_argument(kernel, i);
    }
    return OCL_OK;
}

/* What a driver does not answer stays zero, except the group size, which is then the device's. */
static ocl_status ask_work_group(struct ocl_kernel *kernel)
{
    const struct ocl_device *device = kernel->program->context->device;
    struct ocl_kernel_facts *facts = &kernel->facts;
    cl_ulong local = 0, private = 0;
    cl_int error = CL_SUCCESS;
    cl_kernel cl = clCreateKernel(kernel->program->cl, kernel->name, &error);
    if (!cl)
        return error;
    const struct {
        cl_kernel_work_group_info name;
        size_t bytes;
        void *target;
    } questions[] = {
        { CL_KERNEL_WORK_GROUP_SIZE, sizeof(size_t), &facts->max_work_group },
        { CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(size_t),
          &facts->preferred_multiple },
        { CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local },
        { CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private, &private },
        { CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof facts->required_work_group,
          facts->required_work_group },
    };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        clGetKernelWorkGroupInfo(cl, device->id, questions[i].name, questions[i].bytes,
                                 questions[i].target, NULL);
    clReleaseKernel(cl);
    if (facts->max_work_group == 0)
        facts->max_work_group = device->facts.max_work_group;
    facts->local_bytes = (size_t)local;
    facts->private_bytes = (size_t)private;
    return OCL_OK;
}

static ocl_status find_arguments(struct ocl_kernel *kernel)
{
    ocl_status status = ocl_kernel_describe(kernel);
    if (status == OCL_OK && kernel->has_no_description)
        refuse(kernel, "the driver tells nothing about its parameters");
    if (status == OCL_OK && has_own_types(kernel))
        status = size_program(kernel->program);
    return status;
}

/* From nothing, also after an earlier attempt that failed half-way. */
static ocl_status find_facts(struct ocl_kernel *kernel)
{
    free(kernel->parameters);
    kernel->parameters = NULL;
    kernel->reason[0] = '\0';
    kernel->facts = (struct ocl_kernel_facts) { .name = kernel->name, .reason = kernel->reason };
    ocl_status status = find_arguments(kernel);
    if (status == OCL_OK)
        status = list_parameters(kernel);
    if (status == OCL_OK)
        status = ask_work_group(kernel);
    if (status == OCL_OK)
        status = ocl_form_plan(kernel, OCL_FORM_DIRECT, &kernel->forms[OCL_FORM_DIRECT]);
    return status;
}

ocl_status ocl_kernel_ready(struct ocl_kernel *kernel)
{
    if (ocl_lazy_is_done(&kernel->state) || !ocl_lazy_begin(kernel->program, &kernel->state))
        return OCL_OK;
    const ocl_status status = find_facts(kernel);
    ocl_lazy_end(kernel->program, &kernel->state, status == OCL_OK);
    return status;
}
