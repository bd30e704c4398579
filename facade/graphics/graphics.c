/* Resources of OpenGL: registering, mapping, and what they are mapped as.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/graphics/graphics.h"

#include <stdlib.h>

#include "cl/check_made.h"
#include "facade/graph/capture.h"
#include "facade/graphics/gl.h"
#include "facade/memory/copy_request.h"
#include "facade/memory/memory.h"
#include "facade/memory/memory_array.h"
#include "facade/state/handles.h"
#include "facade/stream/stream.h"

enum { READ_ONLY = cudaGraphicsRegisterFlagsReadOnly };
enum { WRITE_DISCARD = cudaGraphicsRegisterFlagsWriteDiscard };

/* A layer of one level as an array of its own, made when it is first asked for. */
struct layer {
    cudaArray_t array;
    bool is_used; /* since the resource was mapped */
};

enum state { UNMAPPED, BUSY, MAPPED };

/* cudaGraphicsResource_t and CUgraphicsResource. */
struct facade_graphics {
    struct facade_context *context;
    gl_name name;
    unsigned flags, map_flags; /* as registered; of the next time */
    bool is_buffer, is_old;
    bool was_read;     /* the first time brings what is there, whatever the flags say */
    _Atomic int state; /* who is BUSY with it is one thread alone */
    size_t bytes;
    unsigned char *host; /* so many, on their way */
    void *memory;        /* a buffer's */
    struct gl_image image;
    cudaMipmappedArray_t levels; /* an image's */
    struct layer *layers; /* of an image that has layers: those of level 0, then those of level 1 */
    struct facade_graphics *next, *previous;
};

static bool has_layers(const struct facade_graphics *resource)
{
    return resource->image.target == GL_OF_TEXTURE_CUBE_MAP ||
           resource->image.target == GL_OF_TEXTURE_2D_ARRAY;
}

static struct layer *layer_at(const struct facade_graphics *resource, unsigned layer,
                              unsigned level)
{
    return &resource->layers[level * resource->image.depth + layer];
}

static bool is_read(const struct facade_graphics *resource)
{
    const unsigned flags = resource->flags | resource->map_flags;
    return !resource->was_read || !(flags & WRITE_DISCARD) || has_layers(resource);
}

static bool is_written(const struct facade_graphics *resource)
{
    return !((resource->flags | resource->map_flags) & READ_ONLY);
}

/* --- What a context has of them --- */

static void end(struct facade_graphics *resource)
{
    free(resource->host);
    free(resource->layers);
    facade_handle_free(resource);
}

/* Memory and arrays go with the context. */
static void forget(struct facade_context *context)
{
    pthread_mutex_lock(&context->lock);
    struct facade_graphics *resource = context->graphics;
    context->graphics = NULL;
    pthread_mutex_unlock(&context->lock);
    while (resource != NULL) {
        struct facade_graphics *next = resource->next;
        end(resource);
        resource = next;
    }
}

static void link_resource(struct facade_graphics *resource)
{
    struct facade_context *context = resource->context;
    pthread_mutex_lock(&context->lock);
    resource->next = context->graphics;
    if (resource->next != NULL)
        resource->next->previous = resource;
    context->graphics = resource;
    atomic_store(&context->forget[FACADE_PART_GRAPHICS], forget);
    pthread_mutex_unlock(&context->lock);
}

static void unlink_resource(struct facade_graphics *resource)
{
    struct facade_context *context = resource->context;
    pthread_mutex_lock(&context->lock);
    if (resource->previous != NULL)
        resource->previous->next = resource->next;
    else if (context->graphics == resource)
        context->graphics = resource->next;
    if (resource->next != NULL)
        resource->next->previous = resource->previous;
    pthread_mutex_unlock(&context->lock);
}

cudaGraphicsResource_t facade_graphics_find_old(unsigned name)
{
    struct facade_context *context = NULL;
    struct facade_graphics *found = NULL;
    if (facade_current(&context) != cudaSuccess)
        return NULL;
    pthread_mutex_lock(&context->lock);
    for (struct facade_graphics *each = context->graphics; each != NULL; each = each->next)
        if (each->is_old && each->name == name)
            found = each;
    pthread_mutex_unlock(&context->lock);
    return (cudaGraphicsResource_t)found;
}

static cudaError_t find(cudaGraphicsResource_t handle, struct facade_graphics **found)
{
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    *found = facade_handle_find(FACADE_GRAPHICS, handle);
    return *found != NULL ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/* --- Registering --- */

static void free_memory(struct facade_graphics *resource)
{
    for (size_t i = 0;
         resource->layers != NULL && i < resource->image.levels * resource->image.depth; i++)
        if (resource->layers[i].array != NULL)
            (void)facade_array_free(resource->layers[i].array);
    if (resource->levels != NULL)
        (void)facade_mipmapped_array_free(resource->levels);
    (void)facade_memory_free(resource->memory);
}

static cudaError_t make_buffer(const struct gl *gl, struct facade_graphics *resource)
{
    if (!gl_buffer_bytes(gl, resource->name, &resource->bytes) || resource->bytes == 0)
        return cudaErrorInvalidValue;
    return facade_memory_allocate(&resource->memory, resource->bytes);
}

static struct cudaChannelFormatDesc describe(const struct gl_format *format)
{
    const int bits = format->bits, channels = format->channels;
    return (struct cudaChannelFormatDesc){
        .x = bits,
        .y = channels > 1 ? bits : 0,
        .z = channels > 2 ? bits : 0,
        .w = channels > 2 ? bits : 0,
        .f = format->kind == 'f'   ? cudaChannelFormatKindFloat
             : format->kind == 's' ? cudaChannelFormatKindSigned
                                   : cudaChannelFormatKindUnsigned,
    };
}

/* The flags of arrays that flags of registering ask for. */
static unsigned array_flags(const struct facade_graphics *resource)
{
    return (resource->flags & cudaGraphicsRegisterFlagsSurfaceLoadStore ? CUDA_ARRAY3D_SURFACE_LDST
                                                                        : 0u) |
           (resource->flags & cudaGraphicsRegisterFlagsTextureGather ? CUDA_ARRAY3D_TEXTURE_GATHER
                                                                     : 0u);
}

static unsigned shape_flags(const struct facade_graphics *resource)
{
    if (resource->image.target == GL_OF_TEXTURE_CUBE_MAP)
        return CUDA_ARRAY3D_CUBEMAP;
    return resource->image.target == GL_OF_TEXTURE_2D_ARRAY ? CUDA_ARRAY3D_LAYERED : 0;
}

static cudaError_t make_image(const struct gl *gl, struct facade_graphics *resource, gl_enum target)
{
    struct gl_image *image = &resource->image;
    struct facade_array_format format;
    if (!gl_image_describe(gl, resource->name, target, image))
        return cudaErrorInvalidValue;
    resource->bytes = gl_image_level_start(image, image->levels);
    if (has_layers(resource)) {
        resource->layers = calloc(image->levels * image->depth, sizeof *resource->layers);
        if (resource->layers == NULL)
            return cudaErrorMemoryAllocation;
    }
    const struct cudaChannelFormatDesc desc = describe(image->format);
    const bool is_flat = image->target != GL_OF_TEXTURE_3D && !has_layers(resource);
    const struct cudaExtent extent = {image->width, image->height, is_flat ? 0 : image->depth};
    const cudaError_t error = facade_array_format_from_desc(&format, &desc);
    return error == cudaSuccess
               ? facade_mipmapped_array_create(&resource->levels, &format, extent, image->levels,
                                               array_flags(resource) | shape_flags(resource), NULL)
               : error;
}

static bool has_flags(unsigned flags, bool is_buffer)
{
    const unsigned all = READ_ONLY | WRITE_DISCARD;
    const unsigned images =
        cudaGraphicsRegisterFlagsSurfaceLoadStore | cudaGraphicsRegisterFlagsTextureGather;
    return (flags & ~(is_buffer ? all : all | images)) == 0;
}

static cudaError_t fill_in(const struct gl *gl, struct facade_graphics *resource, gl_enum target)
{
    cudaError_t error =
        resource->is_buffer ? make_buffer(gl, resource) : make_image(gl, resource, target);
    if (error == cudaSuccess) {
        resource->host = malloc(resource->bytes);
        error = resource->host != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    return error;
}

cudaError_t facade_graphics_register(cudaGraphicsResource_t *resource, unsigned name,
                                     unsigned target, unsigned flags, bool is_old)
{
    struct facade_context *context = NULL;
    struct gl gl;
    if (resource == NULL || !has_flags(flags, target == 0))
        return cudaErrorInvalidValue;
    cudaError_t error = facade_current(&context);
    if (error == cudaSuccess)
        error = facade_capture_check_call();
    if (error == cudaSuccess && !gl_find(&gl))
        error = cudaErrorOperatingSystem;
    if (error != cudaSuccess)
        return error;
    struct facade_graphics *made = facade_handle_new(FACADE_GRAPHICS, sizeof *made);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    made->context = context;
    made->name = name;
    made->flags = flags;
    made->is_buffer = target == 0;
    made->is_old = is_old;
    error = fill_in(&gl, made, target);
    if (error != cudaSuccess) {
        free_memory(made);
        end(made);
        return error;
    }
    link_resource(made);
    ocl_made_note("graphics resource", made, context);
    *resource = (cudaGraphicsResource_t)made;
    return cudaSuccess;
}

cudaError_t facade_graphics_unregister(cudaGraphicsResource_t handle)
{
    struct facade_graphics *resource = NULL;
    cudaError_t error = find(handle, &resource);
    if (error == cudaSuccess)
        error = facade_capture_check_call();
    if (error == cudaSuccess && atomic_exchange(&resource->state, BUSY) == BUSY)
        error = cudaErrorUnknown;
    if (error != cudaSuccess)
        return error;
    unlink_resource(resource);
    free_memory(resource);
    end(resource);
    return cudaSuccess;
}

cudaError_t facade_graphics_set_map_flags(cudaGraphicsResource_t handle, unsigned flags)
{
    struct facade_graphics *resource = NULL;
    const cudaError_t error = find(handle, &resource);
    if (error != cudaSuccess)
        return error;
    if (flags > cudaGraphicsMapFlagsWriteDiscard)
        return cudaErrorInvalidValue;
    if (atomic_load(&resource->state) != UNMAPPED)
        return cudaErrorAlreadyMapped;
    resource->map_flags = flags;
    return cudaSuccess;
}

/* --- Moving texels --- */

/* One level, or one layer of it, between the host and an array. */
static cudaError_t copy_array(struct facade_graphics *resource, cudaArray_t handle, unsigned level,
                              size_t offset, size_t slices, bool is_upload, cudaStream_t stream)
{
    const struct gl_extent extent = gl_image_extent(&resource->image, level);
    const size_t row =
        extent.width * resource->image.format->channels * resource->image.format->bits / 8;
    struct facade_copy_request request = {.source = FACADE_CLAIM_ANY};
    const struct facade_copy_end host = {
        .base = (uintptr_t)resource->host + gl_image_level_start(&resource->image, level) + offset};
    struct facade_copy_end array = {.array = NULL};
    cudaError_t error = facade_array_find(handle, &array.array);
    if (error == cudaSuccess)
        error = facade_copy_claim_arrays(
            &request, is_upload ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, !is_upload,
            is_upload);
    if (error == cudaSuccess)
        error = facade_copy_volume(&request, is_upload ? &host : &array, is_upload ? &array : &host,
                                   (struct cudaExtent){row, extent.height, slices});
    return error == cudaSuccess ? facade_copy_submit(&request, stream, is_upload) : error;
}

static cudaError_t copy_level(struct facade_graphics *resource, unsigned level, bool is_upload,
                              cudaStream_t stream)
{
    cudaArray_t array = NULL;
    const size_t slices = gl_image_extent(&resource->image, level).depth;
    const cudaError_t error = facade_mipmapped_array_level(&array, resource->levels, level);
    return error == cudaSuccess ? copy_array(resource, array, level, 0, slices, is_upload, stream)
                                : error;
}

static cudaError_t copy_layer(struct facade_graphics *resource, unsigned layer, unsigned level,
                              bool is_upload, cudaStream_t stream)
{
    const size_t bytes = gl_image_level_bytes(&resource->image, level) / resource->image.depth;
    return copy_array(resource, layer_at(resource, layer, level)->array, level, layer * bytes, 1,
                      is_upload, stream);
}

static cudaError_t copy_image(struct facade_graphics *resource, bool is_upload, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (unsigned i = 0; error == cudaSuccess && i < resource->image.levels; i++)
        error = copy_level(resource, i, is_upload, stream);
    return error;
}

/* Layers that were asked for by themselves take the place of what the whole image has. */
static cudaError_t copy_used_layers(struct facade_graphics *resource, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (unsigned level = 0; level < resource->image.levels; level++)
        for (unsigned i = 0; error == cudaSuccess && i < resource->image.depth; i++)
            if (layer_at(resource, i, level)->is_used)
                error = copy_layer(resource, i, level, false, stream);
    return error;
}

static cudaError_t upload(struct facade_graphics *resource, cudaStream_t stream)
{
    if (!resource->is_buffer)
        return copy_image(resource, true, stream);
    const struct facade_copy_request request =
        facade_copy_linear(resource->memory, resource->host, resource->bytes);
    return facade_copy_submit(&request, stream, true);
}

static cudaError_t download(struct facade_graphics *resource, cudaStream_t stream)
{
    if (resource->is_buffer) {
        const struct facade_copy_request request =
            facade_copy_linear(resource->host, resource->memory, resource->bytes);
        return facade_copy_submit(&request, stream, false);
    }
    const cudaError_t error = copy_image(resource, false, stream);
    return error == cudaSuccess && resource->layers != NULL ? copy_used_layers(resource, stream)
                                                            : error;
}

/* --- Mapping --- */

static void forget_layers(const struct facade_graphics *resource)
{
    for (size_t i = 0;
         resource->layers != NULL && i < resource->image.levels * resource->image.depth; i++)
        resource->layers[i].is_used = false;
}

static bool read_gl(const struct gl *gl, const struct facade_graphics *resource)
{
    return resource->is_buffer ? gl_buffer_read(gl, resource->name, resource->host, resource->bytes)
                               : gl_image_read(gl, &resource->image, resource->host);
}

static bool write_gl(const struct gl *gl, const struct facade_graphics *resource)
{
    return resource->is_buffer
               ? gl_buffer_write(gl, resource->name, resource->host, resource->bytes)
               : gl_image_write(gl, &resource->image, resource->host);
}

/* glBufferData() gives a buffer that is registered another size. */
static cudaError_t follow_size(const struct gl *gl, struct facade_graphics *resource)
{
    size_t bytes = 0;
    void *memory = NULL;
    if (!resource->is_buffer)
        return cudaSuccess;
    if (!gl_buffer_bytes(gl, resource->name, &bytes) || bytes == 0)
        return cudaErrorMapBufferObjectFailed;
    if (bytes == resource->bytes)
        return cudaSuccess;
    const cudaError_t error = facade_memory_allocate(&memory, bytes);
    unsigned char *host = error == cudaSuccess ? realloc(resource->host, bytes) : NULL;
    if (host == NULL) {
        (void)facade_memory_free(memory);
        return cudaErrorMemoryAllocation;
    }
    (void)facade_memory_free(resource->memory);
    resource->memory = memory;
    resource->host = host;
    resource->bytes = bytes;
    resource->was_read = false;
    return cudaSuccess;
}

static cudaError_t map_one(const struct gl *gl, struct facade_graphics *resource,
                           cudaStream_t stream)
{
    cudaError_t error = follow_size(gl, resource);
    if (error != cudaSuccess)
        return error;
    forget_layers(resource);
    if (!is_read(resource))
        return cudaSuccess;
    if (!read_gl(gl, resource))
        return cudaErrorMapBufferObjectFailed;
    error = upload(resource, stream);
    resource->was_read = error == cudaSuccess;
    return error;
}

static cudaError_t unmap_one(const struct gl *gl, struct facade_graphics *resource,
                             cudaStream_t stream)
{
    if (!is_written(resource))
        return cudaSuccess;
    const cudaError_t error = download(resource, stream);
    if (error != cudaSuccess)
        return error;
    return write_gl(gl, resource) ? cudaSuccess : cudaErrorUnmapBufferObjectFailed;
}

/* Gives all of them another state, or none. */
static cudaError_t change_all(unsigned count, const cudaGraphicsResource_t *handles, int from,
                              int to, cudaError_t otherwise)
{
    cudaError_t error = cudaSuccess;
    unsigned changed = 0;
    while (error == cudaSuccess && changed < count) {
        struct facade_graphics *resource = NULL;
        int expected = from;
        error = find(handles[changed], &resource);
        if (error == cudaSuccess &&
            !atomic_compare_exchange_strong(&resource->state, &expected, to))
            error = otherwise;
        changed += error == cudaSuccess;
    }
    while (error != cudaSuccess && changed-- > 0)
        atomic_store(&((struct facade_graphics *)handles[changed])->state, from);
    return error;
}

static void leave_all(unsigned count, const cudaGraphicsResource_t *handles, int state)
{
    for (unsigned i = 0; i < count; i++)
        atomic_store(&((struct facade_graphics *)handles[i])->state, state);
}

/* What mapping and unmapping ask first. */
static cudaError_t prepare(unsigned count, const cudaGraphicsResource_t *handles,
                           cudaStream_t stream)
{
    struct facade_stream *found = NULL;
    if (count > 0 && handles == NULL)
        return cudaErrorInvalidValue;
    return facade_stream_find_to_wait(stream, &found);
}

cudaError_t facade_graphics_map(unsigned count, const cudaGraphicsResource_t *resources,
                                cudaStream_t stream)
{
    struct gl gl;
    cudaError_t error = prepare(count, resources, stream);
    if (error == cudaSuccess)
        error = change_all(count, resources, UNMAPPED, BUSY, cudaErrorAlreadyMapped);
    if (error != cudaSuccess || count == 0)
        return error;
    if (!gl_find(&gl))
        error = cudaErrorInvalidGraphicsContext;
    for (unsigned i = 0; error == cudaSuccess && i < count; i++)
        error = map_one(&gl, (struct facade_graphics *)resources[i], stream);
    leave_all(count, resources, error == cudaSuccess ? MAPPED : UNMAPPED);
    return error;
}

cudaError_t facade_graphics_unmap(unsigned count, const cudaGraphicsResource_t *resources,
                                  cudaStream_t stream)
{
    struct gl gl;
    cudaError_t error = prepare(count, resources, stream);
    if (error == cudaSuccess)
        error = change_all(count, resources, MAPPED, BUSY, cudaErrorNotMapped);
    if (error != cudaSuccess || count == 0)
        return error;
    if (!gl_find(&gl)) {
        leave_all(count, resources, MAPPED);
        return cudaErrorInvalidGraphicsContext;
    }
    for (unsigned i = 0; i < count; i++) {
        const cudaError_t its = unmap_one(&gl, (struct facade_graphics *)resources[i], stream);
        error = error == cudaSuccess ? its : error;
    }
    leave_all(count, resources, UNMAPPED);
    return error;
}

/* --- What they are mapped as --- */

static cudaError_t find_mapped(cudaGraphicsResource_t handle, bool is_buffer,
                               struct facade_graphics **found)
{
    const cudaError_t error = find(handle, found);
    if (error != cudaSuccess)
        return error;
    if ((*found)->is_buffer != is_buffer)
        return is_buffer ? cudaErrorNotMappedAsPointer : cudaErrorNotMappedAsArray;
    return atomic_load(&(*found)->state) == MAPPED ? cudaSuccess : cudaErrorNotMapped;
}

cudaError_t facade_graphics_pointer(void **pointer, size_t *bytes, cudaGraphicsResource_t handle)
{
    struct facade_graphics *resource = NULL;
    if (pointer == NULL)
        return cudaErrorInvalidValue;
    const cudaError_t error = find_mapped(handle, true, &resource);
    if (error != cudaSuccess)
        return error;
    *pointer = resource->memory;
    if (bytes != NULL)
        *bytes = resource->bytes;
    return cudaSuccess;
}

/* Makes the array of a layer, and brings what the host has of it. */
static cudaError_t use_layer(struct facade_graphics *resource, unsigned layer, unsigned level)
{
    struct layer *wanted = layer_at(resource, layer, level);
    const struct cudaChannelFormatDesc desc = describe(resource->image.format);
    const struct gl_extent size = gl_image_extent(&resource->image, level);
    struct facade_array_format format;
    cudaError_t error = facade_array_format_from_desc(&format, &desc);
    if (error == cudaSuccess && wanted->array == NULL)
        error = facade_array_create(&wanted->array, &format,
                                    (struct cudaExtent){size.width, size.height, 0},
                                    array_flags(resource));
    if (error == cudaSuccess)
        error = copy_layer(resource, layer, level, true, NULL);
    wanted->is_used = error == cudaSuccess;
    return error;
}

cudaError_t facade_graphics_array(cudaArray_t *array, cudaGraphicsResource_t handle, unsigned layer,
                                  unsigned level)
{
    struct facade_graphics *resource = NULL;
    if (array == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = find_mapped(handle, false, &resource);
    if (error != cudaSuccess)
        return error;
    if (level >= resource->image.levels ||
        layer >= (has_layers(resource) ? resource->image.depth : 1))
        return cudaErrorInvalidValue;
    if (!has_layers(resource))
        return facade_mipmapped_array_level(array, resource->levels, level);
    if (!layer_at(resource, layer, level)->is_used)
        error = use_layer(resource, layer, level);
    if (error == cudaSuccess)
        *array = layer_at(resource, layer, level)->array;
    return error;
}

cudaError_t facade_graphics_mipmapped(cudaMipmappedArray_t *array, cudaGraphicsResource_t handle)
{
    struct facade_graphics *resource = NULL;
    if (array == NULL)
        return cudaErrorInvalidValue;
    const cudaError_t error = find_mapped(handle, false, &resource);
    if (error == cudaSuccess)
        *array = resource->levels;
    return error;
}

cudaError_t facade_graphics_devices(unsigned *found, int *devices, unsigned room, int list)
{
    struct gl gl;
    int count = 0;
    cudaError_t error = facade_devices(&count);
    if (error != cudaSuccess)
        return error;
    if (found == NULL || (devices == NULL && room > 0) || list < 1 || list > 3)
        return cudaErrorInvalidValue;
    if (!gl_find(&gl))
        return cudaErrorInvalidGraphicsContext;
    *found = 1;
    if (room > 0)
        devices[0] = facade_thread_device();
    return cudaSuccess;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource)
{
    return facade_result(facade_graphics_unregister(resource));
}

cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource, unsigned int flags)
{
    return facade_result(facade_graphics_set_map_flags(resource, flags));
}

cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource_t *resources,
                                     cudaStream_t stream)
{
    return facade_result(count < 0 ? cudaErrorInvalidValue
                                   : facade_graphics_map((unsigned)count, resources, stream));
}

cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t *resources,
                                       cudaStream_t stream)
{
    return facade_result(count < 0 ? cudaErrorInvalidValue
                                   : facade_graphics_unmap((unsigned)count, resources, stream));
}

cudaError_t cudaGraphicsResourceGetMappedPointer(void **devPtr, size_t *size,
                                                 cudaGraphicsResource_t resource)
{
    return facade_result(facade_graphics_pointer(devPtr, size, resource));
}

cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t *array,
                                                  cudaGraphicsResource_t resource,
                                                  unsigned int arrayIndex, unsigned int mipLevel)
{
    return facade_result(facade_graphics_array(array, resource, arrayIndex, mipLevel));
}

cudaError_t cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                                                        cudaGraphicsResource_t resource)
{
    return facade_result(facade_graphics_mipmapped(mipmappedArray, resource));
}
