/* Copies between the texels of an array and an image.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/image/image_private.h"
#include "cl/memory/address.h"
#include "cl/memory/allocation.h"
#include "cl/queue/command.h"

/* One copy on its way to the driver. */
struct copy {
    struct ocl_image *image;
    struct ocl_command command;
    bool is_store;
    struct ocl_place texels;   /* of the first layer */
    size_t pitch, slice_bytes; /* of the array */
    size_t rows[3];            /* bytes, rows, slices: what is copied */
    size_t region[3];          /* the same as images count: texels, rows or layers, slices */
    cl_event *event;
};

static size_t at_least_one(size_t size)
{
    return size > 0 ? size : 1;
}

static void describe(struct copy *copy)
{
    const struct ocl_image_key *key = &copy->image->key;
    struct ocl_array *array = copy->image->array;
    struct ocl_array_level level;
    ocl_array_level(array, key->level, &level);
    const bool is_layered = array->shape.layers > 0;
    const size_t slices = is_layered ? key->layers : level.slices;
    copy->pitch = level.pitch;
    copy->slice_bytes = level.slice_bytes;
    copy->rows[0] = level.width * ocl_texel_bytes(&array->shape.texel);
    copy->rows[1] = at_least_one(level.height);
    copy->rows[2] = slices;
    copy->region[0] = level.width;
    copy->region[1] = key->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? slices : copy->rows[1];
    copy->region[2] = key->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : slices;
}

/* Images are copied from and to rows without gaps. */
static bool is_packed(const struct copy *copy)
{
    const bool has_packed_rows =
        copy->pitch == copy->rows[0] || (copy->rows[1] == 1 && copy->slice_bytes == copy->rows[0]);
    return has_packed_rows || (copy->rows[1] == 1 && copy->rows[2] == 1);
}

/* NVIDIA's driver (580) copies between buffers and all images but arrays of rows. */
static ocl_status copy_status(const struct copy *copy, cl_int error)
{
    const bool is_rows = copy->image->key.type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    return error == CL_INVALID_VALUE && is_rows ? OCL_E_NOT_SUPPORTED : error;
}

static ocl_status between(struct copy *copy, cl_mem buffer, size_t offset, cl_event *event)
{
    const cl_int error = copy->is_store
                             ? ocl_enqueue_store_image(&copy->command, copy->image->cl,
                                                       copy->region, buffer, offset, event)
                             : ocl_enqueue_load_image(&copy->command, copy->image->cl, copy->region,
                                                      buffer, offset, event);
    return copy_status(copy, error);
}

/* Between the array's rows and rows without gaps. */
static cl_int pack(struct copy *copy, cl_mem packed, cl_event *event)
{
    const struct ocl_rows array = {{copy->texels.offset, 0, 0}, copy->pitch, copy->slice_bytes};
    const struct ocl_rows rows = {{0}, copy->rows[0], copy->rows[0] * copy->rows[1]};
    cl_mem texels = copy->texels.buffer;

    return copy->is_store ? ocl_enqueue_copy_rows(&copy->command, packed, &rows, texels, &array,
                                                  copy->rows, event)
                          : ocl_enqueue_copy_rows(&copy->command, texels, &array, packed, &rows,
                                                  copy->rows, event);
}

/* The driver keeps the buffer until the commands are done. */
static cl_int enqueue_packed(struct copy *copy)
{
    cl_int error = CL_SUCCESS;
    const size_t bytes = copy->rows[0] * copy->rows[1] * copy->rows[2];
    cl_mem packed =
        clCreateBuffer(copy->image->context->cl, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (!packed)
        return error;
    if (copy->is_store) {
        error = between(copy, packed, 0, NULL);
        if (error == CL_SUCCESS)
            error = pack(copy, packed, copy->event);
    } else {
        error = pack(copy, packed, NULL);
        if (error == CL_SUCCESS)
            error = between(copy, packed, 0, copy->event);
    }
    clReleaseMemObject(packed);
    return error;
}

/* ---- By a kernel ---- */

enum { GROUP = 16 };

const char *ocl_image_filler_name(const struct ocl_image_key *key)
{
    if (key->format.image_channel_order == CL_sRGBA)
        return NULL; /* kernels do not write it */
    switch (key->type) {
    case CL_MEM_OBJECT_IMAGE1D:
        return "image_fill_row";
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
        return "image_fill_rows";
    case CL_MEM_OBJECT_IMAGE2D:
        return "image_fill_plane";
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        return "image_fill_planes";
    case CL_MEM_OBJECT_IMAGE3D:
        return "image_fill_volume";
    default:
        return NULL;
    }
}

static size_t whole_groups(size_t items)
{
    return (items + GROUP - 1) / GROUP * GROUP;
}

static cl_int enqueue_filler(struct copy *copy)
{
    cl_kernel filler = copy->image->filler;
    const cl_ulong offset = copy->texels.offset, pitch = copy->pitch, slice = copy->slice_bytes;
    const cl_channel_order order = copy->image->key.format.image_channel_order;
    const cl_uint channels = order == CL_R ? 1 : order == CL_RG ? 2 : 4;
    const cl_uint texel_bytes = (cl_uint)ocl_texel_bytes(&copy->image->array->shape.texel);
    const cl_int width = (cl_int)copy->region[0], height = (cl_int)copy->rows[1];
    const struct {
        size_t bytes;
        const void *value;
    } arguments[] = {
        {sizeof(cl_mem), &copy->image->cl},
        {sizeof(cl_mem), &copy->texels.buffer},
        {sizeof offset, &offset},
        {sizeof pitch, &pitch},
        {sizeof slice, &slice},
        {sizeof texel_bytes, &texel_bytes},
        {sizeof width, &width},
        {sizeof height, &height},
        {sizeof(cl_uint), &copy->image->code},
        {sizeof channels, &channels},
    };
    const size_t items[] = {whole_groups(copy->region[0]), whole_groups(copy->rows[1]),
                            copy->rows[2]};
    const size_t group[] = {GROUP, GROUP, 1};
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; error == CL_SUCCESS && i < sizeof arguments / sizeof *arguments; i++)
        error = clSetKernelArg(filler, i, arguments[i].bytes, arguments[i].value);
    if (error == CL_SUCCESS)
        error = ocl_enqueue_range(&copy->command, filler, 3, NULL, items, group, copy->event);
    return error;
}

/* ---- Either way ---- */

static cl_int enqueue_copy(struct copy *copy)
{
    if (copy->image->filler && !copy->is_store)
        return enqueue_filler(copy);
    return is_packed(copy) ? between(copy, copy->texels.buffer, copy->texels.offset, copy->event)
                           : enqueue_packed(copy);
}

static ocl_status enqueue(struct copy *copy, struct ocl_queue *queue)
{
    ocl_status status = ocl_command_begin(&copy->command, queue, OCL_COMMAND_APART);
    if (status != OCL_OK)
        return status;
    status = enqueue_copy(copy);
    ocl_command_end(&copy->command);
    return status;
}

ocl_status ocl_image_copy(struct ocl_image *image, struct ocl_queue *queue, bool is_store,
                          cl_event *event)
{
    struct copy copy = {.image = image, .is_store = is_store, .event = event};
    describe(&copy);
    const uint64_t address = image->array->levels[image->key.level].address +
                             (uint64_t)image->key.first_layer * copy.slice_bytes;
    struct ocl_allocation *allocation = ocl_address_acquire(address);
    if (!allocation)
        return OCL_E_NOT_FOUND;
    copy.texels = ocl_allocation_place(allocation, address);
    const ocl_status status = copy.texels.buffer ? enqueue(&copy, queue) : OCL_E_NOT_SUPPORTED;
    ocl_allocation_release(allocation);
    return status;
}
