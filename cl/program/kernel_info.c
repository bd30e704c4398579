/* Asks the driver about kernels and their parameters.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program/kernel_info.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/device/driver_limits.h"
#include "cl/own_thread.h"
#include "cl/program/kernel.h"
#include "cl/program/kernel_parts.h"
#include "cl/program/lazy.h"
#include "cl/program/program_compile.h"
#include "cl/trace.h"

struct type {
    const char *name;
    size_t bytes; /* 0: as wide as an address */
    bool has_vectors;
};

static const struct type types[] = {
    {"bool", 1, false},
    {"char", 1, true},
    {"uchar", 1, true},
    {"signed char", 1, false},
    {"unsigned char", 1, false},
    {"short", 2, true},
    {"ushort", 2, true},
    {"unsigned short", 2, false},
    {"int", 4, true},
    {"uint", 4, true},
    {"unsigned int", 4, false},
    {"unsigned", 4, false},
    {"long", 8, true},
    {"ulong", 8, true},
    {"unsigned long", 8, false},
    {"half", 2, true},
    {"float", 4, true},
    {"double", 8, true},
    {"size_t", 0, false},
    {"ptrdiff_t", 0, false},
    {"intptr_t", 0, false},
    {"uintptr_t", 0, false},
};

/* The elements that a vector type's suffix stands for; 0 when it is none. */
static size_t vector_elements(const char *suffix)
{
    static const struct {
        const char *suffix;
        size_t elements;
    } widths[] = {{"2", 2}, {"3", 4}, {"4", 4}, {"8", 8}, {"16", 16}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (strcmp(suffix, widths[i].suffix) == 0)
            return widths[i].elements;
    return 0;
}

bool ocl_kernel_info_type(const char *name, uint32_t address_bits, size_t *bytes, size_t *alignment)
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
    static const char *const names[] = {"sampler_t", "event_t",   "clk_event_t",
                                        "queue_t",   "ndrange_t", "reserve_id_t"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(type, names[i]) == 0)
            return true;
    return strncmp(type, "image", 5) == 0 && strlen(type) > 7 &&
           strcmp(type + strlen(type) - 2, "_t") == 0;
}

/* SPIR-V may come without the names of types: then the type is "?". The caller frees *type. */
static ocl_status read_type(cl_kernel kernel, cl_uint index, char **type)
{
    size_t bytes = 0;
    cl_int error = clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, 0, NULL, &bytes);
    if (error != CL_SUCCESS && error != CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
        return error;
    if (error != CL_SUCCESS || bytes <= 1) {
        *type = strdup("?");
        return *type ? OCL_OK : OCL_E_OUT_OF_MEMORY;
    }
    *type = calloc(bytes + 1, 1);
    if (!*type)
        return OCL_E_OUT_OF_MEMORY;
    return clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, bytes, *type, NULL);
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

/* What only images, pipes and qualifiers need: drivers may leave it out. */
static ocl_status ask_more(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name, void *target,
                           size_t bytes)
{
    const cl_int error = clGetKernelArgInfo(kernel, index, name, bytes, target, NULL);
    return error == CL_KERNEL_ARG_INFO_NOT_AVAILABLE ? OCL_OK : error;
}

/* Only the device header's names mean something. */
static ocl_status read_name(const struct ocl_kernel *kernel, cl_kernel cl, cl_uint index,
                            char **name)
{
    size_t bytes = 0;
    if (!kernel->program->has_device_header)
        return OCL_OK;
    cl_int error = clGetKernelArgInfo(cl, index, CL_KERNEL_ARG_NAME, 0, NULL, &bytes);
    if (error != CL_SUCCESS)
        return error;
    *name = calloc(bytes + 1, 1);
    if (!*name)
        return OCL_E_OUT_OF_MEMORY;
    error = clGetKernelArgInfo(cl, index, CL_KERNEL_ARG_NAME, bytes, *name, NULL);
    if (error != CL_SUCCESS || strncmp(*name, "clem_", 5) != 0) {
        free(*name);
        *name = NULL;
    }
    return error;
}

/* Whether a pointer to this type gets a block of symbols from the launch. */
static bool is_block_type(const char *type, enum ocl_symbol_kind *kind)
{
    static const char *const names[] = {
        [OCL_SYMBOL_CONSTANT] = "clem_constant_symbols",
        [OCL_SYMBOL_DEVICE] = "clem_device_symbols",
        [OCL_SYMBOL_MANAGED] = "clem_managed_symbols",
    };
    if (strncmp(type, "struct ", 7) == 0)
        type += 7;
    for (int i = 0; i < OCL_SYMBOL_KINDS; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(type, names[i], length) != 0 || (type[length] != '*' && type[length] != ' '))
            continue;
        *kind = (enum ocl_symbol_kind)i;
        return true;
    }
    return false;
}

static ocl_status describe_argument(const struct ocl_kernel *kernel, cl_kernel cl, cl_uint index,
                                    struct ocl_argument *argument)
{
    const uint32_t address_bits = kernel->program->context->device->facts.address_bits;
    cl_kernel_arg_address_qualifier space = 0;
    cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
    cl_kernel_arg_type_qualifier qualifiers = 0;
    ocl_status status =
        clGetKernelArgInfo(cl, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL);
    if (status == OCL_OK)
        status = ask_more(cl, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, &access, sizeof access);
    if (status == OCL_OK)
        status = ask_more(cl, index, CL_KERNEL_ARG_TYPE_QUALIFIER, &qualifiers, sizeof qualifiers);
    if (status == OCL_OK)
        status = read_type(cl, index, &argument->type);
    if (status == OCL_OK)
        status = read_name(kernel, cl, index, &argument->name);
    if (status != OCL_OK) {
        free(argument->type);
        argument->type = NULL;
        return status;
    }
    argument->access = access;
    argument->kind = find_kind(space, access, qualifiers, argument->type);
    if (argument->kind == OCL_PARAMETER_POINTER && kernel->program->has_symbol_table &&
        is_block_type(argument->type, &argument->block))
        argument->kind = OCL_PARAMETER_HIDDEN;
    argument->is_constant = space == CL_KERNEL_ARG_ADDRESS_CONSTANT;
    argument->is_const = argument->is_constant || (qualifiers & CL_KERNEL_ARG_TYPE_CONST) != 0;
    argument->is_own_type =
        argument->kind == OCL_PARAMETER_VALUE &&
        !ocl_kernel_info_type(argument->type, address_bits, &argument->bytes, &argument->alignment);
    return OCL_OK;
}

static ocl_status count_parameters(const struct ocl_kernel *kernel, cl_uint *count)
{
    cl_int error = CL_SUCCESS;
    cl_kernel cl = clCreateKernel(kernel->program->cl, kernel->name, &error);
    if (!cl)
        return error;
    error = clGetKernelInfo(cl, CL_KERNEL_NUM_ARGS, sizeof *count, count, NULL);
    clReleaseKernel(cl);
    return error;
}

/* Gives a parameter to each kernel that has none, because such kernels are what cannot be built
 * with argument info. */
static ocl_status write_description(const struct ocl_program *program, FILE *stream)
{
    ocl_status status = OCL_OK;
    for (size_t i = 0; status == OCL_OK && i < program->kernel_count; i++) {
        cl_uint count = 0;
        const char *name = program->kernels[i].name;
        status = count_parameters(&program->kernels[i], &count);
        if (status == OCL_OK && count == 0)
            fprintf(stream, "#define %s(clem_none) %s(__global int *clem_unused)\n", name, name);
    }
    fprintf(stream, "#line 1\n%s", program->text);
    return status;
}

static ocl_status build_description(void *described)
{
    struct ocl_program *program = described;
    char *text = NULL, *log = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return OCL_E_OUT_OF_MEMORY;
    ocl_status status = write_description(program, stream);
    if (fclose(stream) != 0)
        status = OCL_E_OUT_OF_MEMORY;
    if (status == OCL_OK)
        status = ocl_program_compile(program->context, text, bytes, false, program->info_options,
                                     &program->description, &log);
    if (log)
        ocl_trace("asking for the parameters of kernels: %s", log);
    free(log);
    free(text);
    return status == OCL_E_BUILD ? OCL_OK : status;
}

/* The build that can be asked about parameters; NULL where there is none. */
static ocl_status find_description(struct ocl_program *program, cl_program *description)
{
    ocl_status status = OCL_OK;
    *description = program->cl;
    if (program->has_info)
        return OCL_OK;
    if (program->text)
        status = ocl_lazy_find(program, &program->described, build_description, program);
    *description = program->description;
    return status;
}

/* Goes on where an earlier attempt failed. */
static ocl_status describe_arguments(struct ocl_kernel *kernel, cl_program description,
                                     cl_uint count)
{
    cl_int error = CL_SUCCESS;
    cl_kernel cl = clCreateKernel(description, kernel->name, &error);
    if (!cl)
        return error;
    while (error == CL_SUCCESS && kernel->argument_count < count) {
        const cl_uint index = (cl_uint)kernel->argument_count;
        error = describe_argument(kernel, cl, index, &kernel->arguments[index]);
        kernel->argument_count += error == CL_SUCCESS;
    }
    clReleaseKernel(cl);
    return error;
}

static ocl_status find_parameters(struct ocl_kernel *kernel)
{
    cl_uint count = 0;
    cl_program description = NULL;
    ocl_status status = count_parameters(kernel, &count);
    if (status == OCL_OK && !kernel->arguments) {
        kernel->arguments = calloc(count + 1, sizeof *kernel->arguments);
        status = kernel->arguments ? OCL_OK : OCL_E_OUT_OF_MEMORY;
    }
    if (status != OCL_OK || count == 0)
        return status;
    status = find_description(kernel->program, &description);
    if (status == OCL_OK)
        status = description ? describe_arguments(kernel, description, count)
                             : CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    return status == OCL_OK ? ocl_kernel_find_bundles(kernel) : status;
}

static ocl_status describe(void *unknown)
{
    struct ocl_kernel *kernel = unknown;
    const ocl_status status = find_parameters(kernel);
    kernel->has_no_description = status == CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    return kernel->has_no_description ? OCL_OK : status;
}

ocl_status ocl_kernel_describe(struct ocl_kernel *kernel)
{
    return ocl_lazy_find(kernel->program, &kernel->description, describe, kernel);
}

static bool has_own_types(const struct ocl_kernel *kernel)
{
    for (size_t i = 0; i < kernel->argument_count; i++)
        if (kernel->arguments[i].is_own_type)
            return true;
    return false;
}

static ocl_status size_types(void *program)
{
    return ocl_kernel_size_types(program);
}

void ocl_kernel_refuse(struct ocl_kernel *kernel, ocl_status status, const char *format, ...)
{
    va_list list;
    if (kernel->facts.status != OCL_OK)
        return;
    va_start(list, format);
    if (vasprintf(&kernel->reason, format, list) < 0)
        kernel->reason = NULL;
    va_end(list);
    kernel->facts.status = status;
    kernel->facts.reason = kernel->reason ? kernel->reason : "";
}

static void check_argument(struct ocl_kernel *kernel, size_t index)
{
    const struct ocl_argument *argument = &kernel->arguments[index];
    if (argument->kind == OCL_PARAMETER_OPAQUE)
        ocl_kernel_refuse(kernel, OCL_E_NOT_SUPPORTED,
                          "parameter %zu is of type %s, which an argument list cannot carry", index,
                          argument->type);
    if (argument->kind == OCL_PARAMETER_VALUE && argument->bytes == 0)
        ocl_kernel_refuse(
            kernel, OCL_E_NOT_SUPPORTED,
            "the size of parameter %zu, of type %s, is not known; it must be declared at file "
            "scope of OpenCL C text",
            index, argument->type);
    if (argument->kind == OCL_PARAMETER_LOCAL && kernel->facts.local_count > 1)
        ocl_kernel_refuse(kernel, OCL_E_NOT_SUPPORTED,
                          "it has %zu __local pointers, and a launch has local memory for one",
                          kernel->facts.local_count);
}

/* What a parameter takes from void **args: of a bundle, one entry for all. */
static enum ocl_parameter_kind entry_kind(const struct ocl_kernel *kernel, size_t index)
{
    const struct ocl_argument *argument = &kernel->arguments[index];
    if (argument->kind != OCL_PARAMETER_TEXTURE)
        return argument->kind;
    const struct ocl_bundle *bundle = &kernel->bundles[argument->bundle];
    return index == bundle->first && !bundle->reference ? OCL_PARAMETER_TEXTURE
                                                        : OCL_PARAMETER_HIDDEN;
}

/* Where an entry stands in a struct that has `end` bytes before it; moves end behind it. */
static size_t place_entry(size_t bytes, size_t alignment, size_t *end)
{
    const size_t step = alignment ? alignment : 1;
    const size_t offset = (*end + step - 1) / step * step;
    *end = offset + bytes;
    return offset;
}

/* What stands in for an entry where void **args has none for the parameter itself. */
static uint32_t find_entry(const struct ocl_argument *argument, uint32_t next)
{
    if (argument->kind == OCL_PARAMETER_HIDDEN)
        return OCL_ENTRY_SYMBOLS + argument->block;
    return argument->kind == OCL_PARAMETER_TEXTURE ? OCL_ENTRY_BUNDLES + argument->bundle : next;
}

static ocl_status list_parameters(struct ocl_kernel *kernel)
{
    struct ocl_kernel_facts *facts = &kernel->facts;
    kernel->parameters = calloc(kernel->argument_count + 1, sizeof *kernel->parameters);
    if (!kernel->parameters)
        return OCL_E_OUT_OF_MEMORY;
    facts->parameter_count = kernel->argument_count;
    for (size_t i = 0; i < kernel->argument_count; i++) {
        struct ocl_argument *argument = &kernel->arguments[i];
        struct ocl_parameter *parameter = &kernel->parameters[i];
        const enum ocl_parameter_kind kind = entry_kind(kernel, i);
        const bool is_pointer = kind == OCL_PARAMETER_POINTER || kind == OCL_PARAMETER_TEXTURE;
        const bool is_local = kind == OCL_PARAMETER_LOCAL;
        const bool has_entry = !is_local && kind != OCL_PARAMETER_HIDDEN;
        parameter->kind = kind;
        parameter->bytes = is_pointer ? sizeof(uint64_t) : has_entry ? argument->bytes : 0;
        parameter->offset = place_entry(parameter->bytes,
                                        is_pointer  ? sizeof(uint64_t)
                                        : has_entry ? argument->alignment
                                                    : 1,
                                        &facts->argument_bytes);
        argument->entry = find_entry(argument, (uint32_t)facts->entry_count);
        facts->local_count += is_local;
        facts->entry_count += has_entry;
        if (argument->kind == OCL_PARAMETER_HIDDEN)
            kernel->symbol_kinds |= 1u << argument->block;
        check_argument(kernel, i);
    }
    return OCL_OK;
}

/* What a driver does not know stays zero, except the group size, which is then the device's. */
static ocl_status ask_work_group(struct ocl_kernel *kernel)
{
    const struct ocl_device *device = kernel->program->context->device;
    struct ocl_kernel_facts *facts = &kernel->facts;
    cl_ulong local = 0, private = 0;
    cl_int error = CL_SUCCESS;
    cl_kernel cl = clCreateKernel(kernel->program->cl, kernel->text_name, &error);
    if (!cl)
        return error;
    const struct {
        cl_kernel_work_group_info name;
        size_t bytes;
        void *target;
    } questions[] = {
        {CL_KERNEL_WORK_GROUP_SIZE, sizeof(size_t), &facts->max_work_group},
        {CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local},
        {CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private, &private},
        {CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof facts->required_work_group,
         facts->required_work_group},
    };
    for (size_t i = 0; error == CL_SUCCESS && i < sizeof questions / sizeof *questions; i++) {
        error = clGetKernelWorkGroupInfo(cl, device->id, questions[i].name, questions[i].bytes,
                                         questions[i].target, NULL);
        if (error == CL_INVALID_VALUE)
            error = CL_SUCCESS;
    }
    clReleaseKernel(cl);
    if (facts->max_work_group == 0)
        facts->max_work_group = device->facts.max_work_group;
    facts->local_bytes = kernel->declared_local = (size_t)local;
    facts->most_local = device->facts.local_bytes;
    facts->private_bytes = (size_t) private;
    return error;
}

/* A kernel of the user's own text, whose name is not clem's to choose. */
static void check_name(struct ocl_kernel *kernel)
{
    const size_t most = ocl_driver_longest_name(kernel->program->context->device);
    const size_t length = strlen(kernel->name);
    if (length > most)
        ocl_kernel_refuse(
            kernel, OCL_E_NOT_SUPPORTED,
            "its name has %zu characters, and PoCL, which names files after kernels, would end "
            "the process for more than %zu",
            length, most);
}

static ocl_status find_arguments(struct ocl_kernel *kernel)
{
    ocl_status status = ocl_kernel_describe(kernel);
    check_name(kernel);
    if (status == OCL_OK && kernel->has_no_description)
        ocl_kernel_refuse(kernel, OCL_E_NOT_SUPPORTED,
                          "the driver tells nothing about its parameters");
    if (status == OCL_OK && has_own_types(kernel))
        status =
            ocl_lazy_find(kernel->program, &kernel->program->sized, size_types, kernel->program);
    return status;
}

/* From nothing, also after an earlier attempt that failed half-way. */
static ocl_status find_facts(void *unknown)
{
    struct ocl_kernel *kernel = unknown;
    free(kernel->parameters);
    kernel->parameters = NULL;
    free(kernel->reason);
    kernel->reason = NULL;
    kernel->facts = (struct ocl_kernel_facts){.name = kernel->name, .reason = ""};
    ocl_status status =
        kernel->ptx ? ocl_parts_of(kernel)->ptx_describe(kernel) : find_arguments(kernel);
    if (status == OCL_OK && !kernel->ptx)
        status = list_parameters(kernel);
    if (status == OCL_OK && kernel->program->cl)
        status = ask_work_group(kernel);
    if (status == OCL_OK && kernel->ptx)
        ocl_parts_of(kernel)->ptx_limit(kernel);
    if (status == OCL_OK)
        status = ocl_form_plan(kernel, OCL_FORM_DIRECT, &kernel->forms[OCL_FORM_DIRECT]);
    kernel->has_pointers = false;
    for (size_t i = 0; i < kernel->argument_count; i++)
        kernel->has_pointers |= ocl_argument_is_pointer(&kernel->arguments[i]);
    return status;
}

static ocl_status find_with_stack(void *unknown)
{
    return own_thread_call(find_facts, unknown, OCL_E_OUT_OF_MEMORY);
}

ocl_status ocl_kernel_ready(struct ocl_kernel *kernel)
{
    return ocl_lazy_find(kernel->program, &kernel->state, find_with_stack, kernel);
}
