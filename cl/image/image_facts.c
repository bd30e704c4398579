/* What a context knows about images: formats of the device, and samplers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cl/image/image_private.h"

static const cl_mem_object_type types[] = {
    CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE2D,       CL_MEM_OBJECT_IMAGE3D,
    CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE1D_BUFFER,
};

enum { TYPES = sizeof types / sizeof *types, MODES = 4 };

struct formats {
    cl_image_format *list;
    cl_uint count;
};

enum answer { UNKNOWN, WRONG, RIGHT };

struct ocl_image_facts {
    struct formats read[TYPES], written[TYPES];
    uint32_t base_alignment;
    _Atomic int claims[OCL_IMAGE_CLAIMS];      /* enum answer */
    _Atomic(cl_sampler) samplers[2][MODES][2]; /* by normalised, address mode, linear */
};

void ocl_image_forget(struct ocl_image_facts *facts)
{
    if (!facts)
        return;
    for (size_t i = 0; i < TYPES; i++) {
        free(facts->read[i].list);
        free(facts->written[i].list);
    }
    cl_sampler *all = (cl_sampler *)facts->samplers; /* nobody uses them any more */
    for (size_t i = 0; i < sizeof facts->samplers / sizeof *all; i++)
        if (all[i])
            clReleaseSampler(all[i]);
    free(facts);
}

/* Some drivers refuse the question for types they do not have. */
static ocl_status ask_formats(const struct ocl_context *context, cl_mem_flags flags,
                              cl_mem_object_type type, struct formats *formats)
{
    cl_uint count = 0;
    cl_int error = clGetSupportedImageFormats(context->cl, flags, type, 0, NULL, &count);
    if (error == CL_INVALID_VALUE || (error == CL_SUCCESS && count == 0))
        return OCL_OK;
    if (error != CL_SUCCESS)
        return error;
    formats->list = calloc(count, sizeof *formats->list);
    if (!formats->list)
        return OCL_E_OUT_OF_MEMORY;
    error = clGetSupportedImageFormats(context->cl, flags, type, count, formats->list, NULL);
    formats->count = error == CL_SUCCESS ? count : 0;
    return error;
}

static ocl_status ask_all(const struct ocl_context *context, struct ocl_image_facts *facts)
{
    ocl_status status = OCL_OK;
    for (size_t i = 0; status == OCL_OK && i < TYPES; i++) {
        status = ask_formats(context, CL_MEM_READ_ONLY, types[i], &facts->read[i]);
        if (status == OCL_OK)
            status = ask_formats(context, CL_MEM_WRITE_ONLY, types[i], &facts->written[i]);
    }
    return status;
}

/* Drivers that lack it leave the answer alone. */
static uint32_t ask_base_alignment(const struct ocl_device *device)
{
    cl_uint alignment = 0;
    const bool has_it = device->facts.opencl_major == 2 ||
                        ocl_device_has_extension(&device->facts, "cl_khr_image2d_from_buffer");
    if (has_it)
        (void)clGetDeviceInfo(device->id, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, sizeof alignment,
                              &alignment, NULL);
    return alignment;
}

/* Whoever is first asks; others that come meanwhile ask too, and throw their answers away. */
static ocl_status find_facts(struct ocl_context *context, struct ocl_image_facts **facts)
{
    *facts = atomic_load(&context->image_facts);
    if (*facts)
        return OCL_OK;
    struct ocl_image_facts *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    const ocl_status status = ask_all(context, made);
    made->base_alignment = ask_base_alignment(context->device);
    if (status == OCL_OK && atomic_compare_exchange_strong(&context->image_facts, facts, made)) {
        *facts = made;
        return OCL_OK;
    }
    ocl_image_forget(made);
    return status;
}

static bool holds(const struct formats *formats, const cl_image_format *format)
{
    for (cl_uint i = 0; i < formats->count; i++)
        if (formats->list[i].image_channel_order == format->image_channel_order &&
            formats->list[i].image_channel_data_type == format->image_channel_data_type)
            return true;
    return false;
}

ocl_status ocl_image_has_format(struct ocl_context *context, cl_mem_object_type type,
                                const cl_image_format *format, bool is_written)
{
    struct ocl_image_facts *facts;
    if (!context->device->facts.has_images)
        return OCL_E_NOT_SUPPORTED;
    const ocl_status status = find_facts(context, &facts);
    if (status != OCL_OK)
        return status;
    for (size_t i = 0; i < TYPES; i++)
        if (types[i] == type && holds(is_written ? &facts->written[i] : &facts->read[i], format))
            return OCL_OK;
    return OCL_E_NOT_SUPPORTED;
}

uint32_t ocl_image_base_alignment(const struct ocl_context *context)
{
    const struct ocl_image_facts *facts = atomic_load(&context->image_facts);
    return facts ? facts->base_alignment : 0;
}

bool ocl_image_is_right(struct ocl_context *context, enum ocl_image_claim claim)
{
    struct ocl_image_facts *facts;
    if (find_facts(context, &facts) != OCL_OK)
        return false;
    int answer = atomic_load(&facts->claims[claim]);
    bool is_right;
    if (answer == UNKNOWN && ocl_image_test(context, claim, &is_right) == OCL_OK) {
        answer = is_right ? RIGHT : WRONG;
        atomic_store(&facts->claims[claim], answer);
    }
    return answer == RIGHT;
}

static cl_addressing_mode driver_mode(enum ocl_address_mode mode)
{
    switch (mode) {
    case OCL_ADDRESS_MODE_WRAP:
        return CL_ADDRESS_REPEAT;
    case OCL_ADDRESS_MODE_CLAMP:
        return CL_ADDRESS_CLAMP_TO_EDGE;
    case OCL_ADDRESS_MODE_MIRROR:
        return CL_ADDRESS_MIRRORED_REPEAT;
    case OCL_ADDRESS_MODE_BORDER:
        break;
    }
    return CL_ADDRESS_CLAMP;
}

ocl_status ocl_image_facts_sampler(struct ocl_context *context, bool is_normalized,
                                   enum ocl_address_mode mode, bool is_linear, cl_sampler *sampler)
{
    struct ocl_image_facts *facts;
    cl_int error = find_facts(context, &facts);
    if (error != CL_SUCCESS)
        return error;
    _Atomic(cl_sampler) *place = &facts->samplers[is_normalized][mode][is_linear];
    *sampler = atomic_load_explicit(place, memory_order_acquire);
    if (*sampler)
        return OCL_OK;
    cl_sampler made = clCreateSampler(context->cl, is_normalized, driver_mode(mode),
                                      is_linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &error);
    if (!made)
        return error;
    if (atomic_compare_exchange_strong(place, sampler, made))
        *sampler = made;
    else
        clReleaseSampler(made); /* another thread was first */
    return OCL_OK;
}
