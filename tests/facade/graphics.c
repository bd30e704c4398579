/* Tests of facade/graphics/ and the driver's functions for it: buffers and textures of OpenGL.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/graphics.h"

#include "tests/facade/runtime_support.h"

#include <cudaGL.h>
#include <cuda_gl_interop.h>

enum { COUNT = 1000 };
static const size_t bytes = COUNT * sizeof(int);

static struct test_gl gl;

/* Leaves the test where there is no OpenGL to be had. */
#define BEGIN_GRAPHICS()                                                                           \
    do {                                                                                           \
        if (!test_gl_begin(&gl, false))                                                            \
            TEST_SKIP("no OpenGL: libegl1 and libgl1-mesa-dri have one");                          \
    } while (0)

static void end_graphics(void)
{
    assert_int_equal(gl.GetError(), 0);
    test_gl_end(&gl);
}

static void number(int *values, int first)
{
    for (int i = 0; i < COUNT; i++)
        values[i] = first + i;
}

static unsigned make_buffer(int first)
{
    int values[COUNT];
    unsigned buffer = 0;
    number(values, first);
    gl.GenBuffers(1, &buffer);
    gl.BindBuffer(GLV_ARRAY, buffer);
    gl.BufferData(GLV_ARRAY, (intptr_t)bytes, values, GLV_STATIC);
    gl.BindBuffer(GLV_ARRAY, 0);
    return buffer;
}

static void check_numbers(const int *values, int first)
{
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(values[i], first + i);
}

static void check_buffer(unsigned buffer, int first)
{
    int values[COUNT];
    gl.BindBuffer(GLV_ARRAY, buffer);
    gl.GetBufferSubData(GLV_ARRAY, 0, (intptr_t)bytes, values);
    gl.BindBuffer(GLV_ARRAY, 0);
    check_numbers(values, first);
}

static void write_buffer(unsigned buffer, int first)
{
    int values[COUNT];
    number(values, first);
    gl.BindBuffer(GLV_ARRAY, buffer);
    gl.BufferSubData(GLV_ARRAY, 0, (intptr_t)bytes, values);
    gl.BindBuffer(GLV_ARRAY, 0);
}

static void check_memory(const void *memory, int first, cudaStream_t stream)
{
    int values[COUNT];
    assert_success(cudaMemcpyAsync(values, memory, bytes, cudaMemcpyDeviceToHost, stream));
    assert_success(cudaStreamSynchronize(stream));
    check_numbers(values, first);
}

static void write_memory(void *memory, int first, cudaStream_t stream)
{
    int values[COUNT];
    number(values, first);
    assert_success(cudaMemcpyAsync(memory, values, bytes, cudaMemcpyHostToDevice, stream));
}

static void *map(cudaGraphicsResource_t resource, cudaStream_t stream)
{
    cudaGraphicsResource_t list[] = {resource};
    void *memory = NULL;
    size_t size = 0;
    assert_success(cudaGraphicsMapResources(1, list, stream));
    assert_success(cudaGraphicsResourceGetMappedPointer(&memory, &size, resource));
    assert_int_equal(size, bytes);
    return memory;
}

static void unmap(cudaGraphicsResource_t resource, cudaStream_t stream)
{
    assert_success(cudaGraphicsUnmapResources(1, &resource, stream));
}

TEST_BODY(graphics_buffer_goes_to_and_fro)
{
    BEGIN_GRAPHICS();
    const unsigned buffer = make_buffer(5), other = make_buffer(0);
    cudaGraphicsResource_t resource = NULL;
    cudaStream_t stream = NULL;
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_success(cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsNone));
    gl.BindBuffer(GLV_ARRAY, other);
    for (int round = 0; round < 3; round++) {
        void *memory = map(resource, stream);
        check_memory(memory, 5 + 2 * round, stream);
        write_memory(memory, 6 + 2 * round, stream);
        unmap(resource, stream);
        int bound = 0;
        gl.GetIntegerv(GLV_ARRAY_BOUND, &bound);
        assert_int_equal(bound, other);
        check_buffer(buffer, 6 + 2 * round);
        write_buffer(buffer, 7 + 2 * round);
        gl.BindBuffer(GLV_ARRAY, other);
    }
    check_buffer(other, 0);
    assert_success(cudaGraphicsUnregisterResource(resource));
    assert_success(cudaStreamDestroy(stream));
    end_graphics();
}

TEST_BODY(graphics_flags_say_what_is_copied)
{
    BEGIN_GRAPHICS();
    const unsigned buffer = make_buffer(1);
    cudaGraphicsResource_t resource = NULL;
    assert_success(
        cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsWriteDiscard));
    void *memory = map(resource, NULL);
    check_memory(memory, 1, NULL); /* the first time */
    unmap(resource, NULL);
    write_buffer(buffer, 2);
    memory = map(resource, NULL);
    check_memory(memory, 1, NULL);
    write_memory(memory, 3, NULL);
    unmap(resource, NULL);
    check_buffer(buffer, 3);
    assert_success(cudaGraphicsUnregisterResource(resource));
    assert_success(cudaGraphicsGLRegisterBuffer(&resource, buffer, 0));
    assert_success(cudaGraphicsResourceSetMapFlags(resource, cudaGraphicsMapFlagsReadOnly));
    memory = map(resource, NULL);
    assert_fails(cudaErrorAlreadyMapped, cudaGraphicsResourceSetMapFlags(resource, 0));
    write_memory(memory, 4, NULL);
    unmap(resource, NULL);
    check_buffer(buffer, 3);
    assert_fails(cudaErrorInvalidValue, cudaGraphicsResourceSetMapFlags(resource, 3));
    assert_success(cudaGraphicsUnregisterResource(resource));
    end_graphics();
}

/* Memory of OpenGL's alone, of another size than when it was registered, and mapped by the program. */
TEST_BODY(graphics_buffers_of_every_kind)
{
    BEGIN_GRAPHICS();
    int values[2 * COUNT] = {0};
    unsigned fixed = 0;
    cudaGraphicsResource_t resource = NULL;
    void *memory = NULL;
    size_t size = 0;
    gl.GenBuffers(1, &fixed);
    gl.BindBuffer(GLV_ARRAY, fixed);
    gl.BufferStorage(GLV_ARRAY, (intptr_t)bytes, values, 0);
    assert_success(cudaGraphicsGLRegisterBuffer(&resource, fixed, 0));
    memory = map(resource, NULL);
    write_memory(memory, 9, NULL);
    unmap(resource, NULL);
    check_buffer(fixed, 9);
    assert_success(cudaGraphicsUnregisterResource(resource));

    const unsigned buffer = make_buffer(1);
    assert_success(cudaGraphicsGLRegisterBuffer(&resource, buffer, 0));
    gl.BindBuffer(GLV_ARRAY, buffer);
    gl.BufferData(GLV_ARRAY, (intptr_t)sizeof values, values, GLV_STATIC);
    assert_success(cudaGraphicsMapResources(1, &resource, NULL));
    assert_success(cudaGraphicsResourceGetMappedPointer(&memory, &size, resource));
    assert_int_equal(size, sizeof values);
    unmap(resource, NULL);
    assert_non_null(gl.MapBuffer(GLV_ARRAY, 0x88BA));
    assert_fails(cudaErrorMapBufferObjectFailed, cudaGraphicsMapResources(1, &resource, NULL));
    (void)gl.UnmapBuffer(GLV_ARRAY);
    gl.DeleteBuffers(1, &buffer);
    assert_fails(cudaErrorMapBufferObjectFailed, cudaGraphicsMapResources(1, &resource, NULL));
    assert_success(cudaGraphicsUnregisterResource(resource));
    end_graphics();
}

TEST_BODY(graphics_refuses_what_is_wrong)
{
    BEGIN_GRAPHICS();
    const unsigned buffer = make_buffer(1);
    unsigned empty = 0;
    cudaGraphicsResource_t pair[2] = {NULL, NULL}, twice[2];
    cudaArray_t array = NULL;
    cudaMipmappedArray_t levels = NULL;
    void *memory = NULL;
    size_t size = 0;
    gl.GenBuffers(1, &empty);
    assert_fails(cudaErrorInvalidValue, cudaGraphicsGLRegisterBuffer(NULL, buffer, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphicsGLRegisterBuffer(&pair[0], buffer, 4));
    assert_fails(cudaErrorInvalidValue, cudaGraphicsGLRegisterBuffer(&pair[0], 12345, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphicsGLRegisterBuffer(&pair[0], empty, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphicsGLRegisterImage(&pair[0], buffer, GLV_2D, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphicsGLRegisterImage(&pair[0], 1, 0, 0));
    assert_success(cudaGraphicsGLRegisterBuffer(&pair[0], buffer, 0));
    assert_success(cudaGraphicsGLRegisterBuffer(&pair[1], buffer, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphicsMapResources(-1, pair, NULL));
    assert_fails(cudaErrorInvalidValue, cudaGraphicsMapResources(1, NULL, NULL));
    assert_success(cudaGraphicsMapResources(0, NULL, NULL));
    assert_fails(cudaErrorNotMapped, cudaGraphicsUnmapResources(2, pair, NULL));
    assert_fails(cudaErrorNotMapped, cudaGraphicsResourceGetMappedPointer(&memory, &size, pair[0]));
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaGraphicsMapResources(1, (cudaGraphicsResource_t *)&twice, NULL));
    twice[0] = twice[1] = pair[0];
    assert_fails(cudaErrorAlreadyMapped, cudaGraphicsMapResources(2, twice, NULL));
    assert_success(cudaGraphicsMapResources(1, &pair[1], NULL));
    /* All of them or none: the first is not mapped. */
    assert_fails(cudaErrorAlreadyMapped, cudaGraphicsMapResources(2, pair, NULL));
    assert_fails(cudaErrorNotMapped, cudaGraphicsResourceGetMappedPointer(&memory, &size, pair[0]));
    assert_fails(cudaErrorInvalidValue, cudaGraphicsResourceGetMappedPointer(NULL, &size, pair[1]));
    assert_success(cudaGraphicsResourceGetMappedPointer(&memory, NULL, pair[1]));
    assert_fails(cudaErrorNotMappedAsArray,
                 cudaGraphicsSubResourceGetMappedArray(&array, pair[1], 0, 0));
    assert_fails(cudaErrorNotMappedAsArray,
                 cudaGraphicsResourceGetMappedMipmappedArray(&levels, pair[1]));
    assert_success(cudaGraphicsUnregisterResource(pair[1])); /* mapped */
    assert_fails(cudaErrorInvalidResourceHandle, cudaGraphicsUnmapResources(1, &pair[1], NULL));
    assert_fails(cudaErrorInvalidResourceHandle, cudaGraphicsUnregisterResource(pair[1]));
    assert_fails(cudaErrorInvalidResourceHandle, cudaGraphicsUnregisterResource(NULL));
    assert_success(cudaDeviceReset());
    assert_fails(cudaErrorInvalidResourceHandle, cudaGraphicsUnregisterResource(pair[0]));
    check_buffer(buffer, 1);
    end_graphics();
}

TEST_BODY(graphics_needs_a_current_context)
{
    BEGIN_GRAPHICS();
    const unsigned buffer = make_buffer(1);
    cudaGraphicsResource_t resource = NULL, mapped = NULL;
    unsigned count = 0;
    int devices[2] = {-1, -1};
    assert_success(cudaGLGetDevices(&count, devices, 2, cudaGLDeviceListAll));
    assert_int_equal(count, 1);
    assert_int_equal(devices[0], 0);
    assert_int_equal(devices[1], -1);
    assert_fails(cudaErrorInvalidValue,
                 cudaGLGetDevices(&count, devices, 2, (enum cudaGLDeviceList)0));
    assert_fails(cudaErrorInvalidValue, cudaGLGetDevices(NULL, devices, 2, cudaGLDeviceListAll));
    assert_success(cudaGraphicsGLRegisterBuffer(&resource, buffer, 0));
    assert_success(cudaGraphicsGLRegisterBuffer(&mapped, buffer, 0));
    assert_success(cudaGraphicsMapResources(1, &mapped, NULL));
    (void)gl.make_current(gl.display, NULL, NULL, NULL);
    assert_fails(cudaErrorInvalidGraphicsContext,
                 cudaGLGetDevices(&count, devices, 2, cudaGLDeviceListAll));
    assert_fails(cudaErrorOperatingSystem, cudaGraphicsGLRegisterBuffer(&resource, buffer, 0));
    assert_fails(cudaErrorInvalidGraphicsContext, cudaGraphicsMapResources(1, &resource, NULL));
    assert_fails(cudaErrorInvalidGraphicsContext, cudaGraphicsUnmapResources(1, &mapped, NULL));
    (void)gl.make_current(gl.display, NULL, NULL, gl.context);
    assert_success(cudaGraphicsUnmapResources(1, &mapped, NULL));
    assert_success(cudaGraphicsUnregisterResource(resource));
    assert_success(cudaGraphicsUnregisterResource(mapped));
    end_graphics();
    if (test_gl_begin(&gl, true)) {
        assert_fails(cudaErrorOperatingSystem, cudaGraphicsGLRegisterBuffer(&resource, 1, 0));
        test_gl_end(&gl);
    }
}

/* --- images --- */

enum { WIDTH = 13, HEIGHT = 7 };

static size_t halved(size_t size, unsigned level)
{
    return size >> level > 0 ? size >> level : 1;
}

static unsigned char texel(unsigned image, unsigned i)
{
    return (unsigned char)(image * 31 + i * 7 + 1);
}

static void color(unsigned char *texels, unsigned image, size_t count)
{
    for (size_t i = 0; i < count; i++)
        texels[i] = texel(image, (unsigned)i);
}

static void check_colors(const unsigned char *texels, unsigned image, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(texels[i], texel(image, (unsigned)i));
}

static unsigned make_texture(unsigned target)
{
    unsigned texture = 0;
    gl.GenTextures(1, &texture);
    gl.BindTexture(target, texture);
    return texture;
}

static cudaGraphicsResource_t register_image(unsigned name, unsigned target, unsigned flags)
{
    cudaGraphicsResource_t resource = NULL;
    assert_success(cudaGraphicsGLRegisterImage(&resource, name, target, flags));
    assert_success(cudaGraphicsMapResources(1, &resource, NULL));
    return resource;
}

static void end_image(cudaGraphicsResource_t resource)
{
    assert_success(cudaGraphicsUnmapResources(1, &resource, NULL));
    assert_success(cudaGraphicsUnregisterResource(resource));
}

static cudaArray_t layer_of(cudaGraphicsResource_t resource, unsigned layer, unsigned level)
{
    cudaArray_t array = NULL;
    assert_success(cudaGraphicsSubResourceGetMappedArray(&array, resource, layer, level));
    return array;
}

/* Whatever the program has set of how bytes become texels. */
static void set_storing(bool is_set)
{
    gl.PixelStorei(GLV_UNPACK_ROW, is_set ? 40 : 0);
    gl.PixelStorei(GLV_UNPACK_ALIGN, is_set ? 8 : 4);
    gl.PixelStorei(GLV_PACK_ALIGN, is_set ? 8 : 4);
}

static void check_storing(unsigned unpacked_from)
{
    int row = 0, alignment = 0, bound = 0;
    gl.GetIntegerv(GLV_UNPACK_ROW, &row);
    gl.GetIntegerv(GLV_PACK_ALIGN, &alignment);
    gl.GetIntegerv(GLV_TO_UNPACK_BOUND, &bound);
    assert_int_equal(row, 40);
    assert_int_equal(alignment, 8);
    assert_int_equal(bound, unpacked_from);
}

TEST_BODY(graphics_texture_of_all_levels)
{
    BEGIN_GRAPHICS();
    unsigned char texels[4 * WIDTH * HEIGHT];
    const unsigned texture = make_texture(GLV_2D);
    for (unsigned level = 0; level < 4; level++) {
        const size_t width = halved(WIDTH, level);
        const size_t height = halved(HEIGHT, level);
        color(texels, level, 4 * width * height);
        gl.TexImage2D(GLV_2D, (int)level, GLV_RGBA8, (int)width, (int)height, 0, GLV_RGBA_OF,
                      GLV_BYTES, texels);
    }
    const unsigned unpacked_from = make_buffer(0), other = make_texture(GLV_2D);
    gl.BindBuffer(GLV_TO_UNPACK, unpacked_from);
    set_storing(true);
    cudaGraphicsResource_t resource = register_image(texture, GLV_2D, 0);
    for (unsigned level = 0; level < 4; level++) {
        const size_t width = halved(WIDTH, level);
        const size_t height = halved(HEIGHT, level);
        cudaArray_t array = layer_of(resource, 0, level);
        assert_success(cudaMemcpy2DFromArray(texels, 4 * width, array, 0, 0, 4 * width, height,
                                             cudaMemcpyDeviceToHost));
        check_colors(texels, level, 4 * width * height);
        color(texels, level + 50, 4 * width * height);
        assert_success(cudaMemcpy2DToArray(array, 0, 0, texels, 4 * width, 4 * width, height,
                                           cudaMemcpyHostToDevice));
    }
    cudaArray_t array = NULL;
    void *memory = NULL;
    size_t size = 0;
    assert_fails(cudaErrorInvalidValue,
                 cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 4));
    assert_fails(cudaErrorInvalidValue,
                 cudaGraphicsSubResourceGetMappedArray(&array, resource, 1, 0));
    assert_fails(cudaErrorNotMappedAsPointer,
                 cudaGraphicsResourceGetMappedPointer(&memory, &size, resource));
    end_image(resource);
    int bound = 0;
    gl.GetIntegerv(GLV_2D_BOUND, &bound);
    assert_int_equal(bound, other);
    check_storing(unpacked_from);
    set_storing(false);
    gl.BindBuffer(GLV_TO_UNPACK, 0);
    gl.BindTexture(GLV_2D, texture);
    for (unsigned level = 0; level < 4; level++) {
        const size_t width = halved(WIDTH, level);
        const size_t height = halved(HEIGHT, level);
        gl.GetTexImage(GLV_2D, (int)level, GLV_RGBA_OF, GLV_BYTES, texels);
        check_colors(texels, level + 50, 4 * width * height);
    }
    end_graphics();
}

/* A format without four channels of bytes, and one that CUDA knows nothing like. */
TEST_BODY(graphics_texture_of_floats)
{
    BEGIN_GRAPHICS();
    float texels[WIDTH * HEIGHT];
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent;
    unsigned flags = 0;
    cudaGraphicsResource_t none = NULL;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        texels[i] = (float)i / 3;
    const unsigned texture = make_texture(GLV_2D);
    gl.TexImage2D(GLV_2D, 0, GLV_R32F, WIDTH, HEIGHT, 0, GLV_RED_OF, GLV_FLOATS, texels);
    cudaGraphicsResource_t resource =
        register_image(texture, GLV_2D, cudaGraphicsRegisterFlagsSurfaceLoadStore);
    cudaArray_t array = layer_of(resource, 0, 0);
    assert_success(cudaArrayGetInfo(&desc, &extent, &flags, array));
    assert_int_equal(desc.x, 32);
    assert_int_equal(desc.y, 0);
    assert_int_equal(desc.f, cudaChannelFormatKindFloat);
    assert_int_equal(extent.width, WIDTH);
    assert_int_equal(extent.height, HEIGHT);
    assert_int_equal(extent.depth, 0);
    assert_true(flags & cudaArraySurfaceLoadStore);
    memset(texels, 0, sizeof texels);
    assert_success(cudaMemcpy2DFromArray(texels, WIDTH * 4, array, 0, 0, WIDTH * 4, HEIGHT,
                                         cudaMemcpyDeviceToHost));
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        assert_true(texels[i] == (float)i / 3);
    end_image(resource);
    const unsigned three = make_texture(GLV_2D);
    gl.TexImage2D(GLV_2D, 0, GLV_RGB8, WIDTH, HEIGHT, 0, GLV_RGBA_OF, GLV_BYTES, NULL);
    assert_fails(cudaErrorInvalidValue, cudaGraphicsGLRegisterImage(&none, three, GLV_2D, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphicsGLRegisterImage(&none, texture, 0x0DE0, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphicsGLRegisterImage(&none, texture, GLV_2D, 16));
    gl.BindTexture(GLV_2D, texture);
    resource = register_image(texture, GLV_2D, 0);
    unmap(resource, NULL);
    gl.TexImage2D(GLV_2D, 0, GLV_R32F, HEIGHT, WIDTH, 0, GLV_RED_OF, GLV_FLOATS, texels);
    assert_fails(cudaErrorMapBufferObjectFailed, cudaGraphicsMapResources(1, &resource, NULL));
    assert_success(cudaGraphicsUnregisterResource(resource));
    end_graphics();
}

enum { SIDE = 8, TEXELS = 4 * SIDE * SIDE };

static void copy_whole(cudaMipmappedArray_t levels, unsigned char *texels, size_t depth,
                       bool is_upload)
{
    cudaArray_t array = NULL;
    assert_success(cudaGetMipmappedArrayLevel(&array, levels, 0));
    struct cudaMemcpy3DParms copy = {.extent = {SIDE, SIDE, depth}};
    copy.srcArray = is_upload ? NULL : array;
    copy.dstArray = is_upload ? array : NULL;
    struct cudaPitchedPtr *host = is_upload ? &copy.srcPtr : &copy.dstPtr;
    *host = make_cudaPitchedPtr(texels, (size_t)4 * SIDE, SIDE, SIDE);
    copy.kind = is_upload ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    assert_success(cudaMemcpy3D(&copy));
}

static void read_gl(unsigned target, unsigned char *texels)
{
    for (unsigned face = 0; face < (target == GLV_CUBE ? 6 : 1); face++)
        gl.GetTexImage(target == GLV_CUBE ? GLV_FACE + face : target, 0, GLV_RGBA_OF, GLV_BYTES,
                       texels + (size_t)face * TEXELS);
}

/* Cubes, layers and volumes: as a whole, and layer by layer where there are such. */
static void check_depth(unsigned target)
{
    static unsigned char texels[6 * TEXELS];
    unsigned char one[TEXELS];
    cudaMipmappedArray_t levels = NULL;
    cudaArray_t array = NULL;
    const unsigned texture = make_texture(target);
    for (unsigned i = 0; i < 6; i++)
        color(texels + i * TEXELS, i, TEXELS);
    for (unsigned face = 0; target == GLV_CUBE && face < 6; face++)
        gl.TexImage2D(GLV_FACE + face, 0, GLV_RGBA8, SIDE, SIDE, 0, GLV_RGBA_OF, GLV_BYTES,
                      texels + (size_t)face * TEXELS);
    if (target != GLV_CUBE)
        gl.TexImage3D(target, 0, GLV_RGBA8, SIDE, SIDE, 6, 0, GLV_RGBA_OF, GLV_BYTES, texels);
    cudaGraphicsResource_t resource = register_image(texture, target, 0);
    assert_success(cudaGraphicsResourceGetMappedMipmappedArray(&levels, resource));
    memset(texels, 0, sizeof texels);
    copy_whole(levels, texels, 6, false);
    for (unsigned i = 0; i < 6; i++)
        check_colors(texels + i * TEXELS, i, TEXELS);
    for (unsigned i = 0; i < 6; i++)
        color(texels + i * TEXELS, 10 + i, TEXELS);
    copy_whole(levels, texels, 6, true);
    unmap(resource, NULL);
    read_gl(target, texels);
    for (unsigned i = 0; i < 6; i++)
        check_colors(texels + i * TEXELS, 10 + i, TEXELS);
    assert_success(cudaGraphicsMapResources(1, &resource, NULL));
    if (target == GLV_3D) {
        assert_fails(cudaErrorInvalidValue,
                     cudaGraphicsSubResourceGetMappedArray(&array, resource, 1, 0));
        end_image(resource);
        return;
    }
    array = layer_of(resource, 4, 0);
    assert_ptr_equal(layer_of(resource, 4, 0), array);
    assert_fails(cudaErrorInvalidValue,
                 cudaGraphicsSubResourceGetMappedArray(&array, resource, 6, 0));
    assert_success(
        cudaMemcpy2DFromArray(one, 4 * SIDE, array, 0, 0, 4 * SIDE, SIDE, cudaMemcpyDeviceToHost));
    check_colors(one, 14, TEXELS);
    color(one, 99, TEXELS);
    assert_success(
        cudaMemcpy2DToArray(array, 0, 0, one, 4 * SIDE, 4 * SIDE, SIDE, cudaMemcpyHostToDevice));
    end_image(resource);
    read_gl(target, texels);
    for (unsigned i = 0; i < 6; i++)
        check_colors(texels + i * TEXELS, i == 4 ? 99 : 10 + i, TEXELS);
}

TEST_BODY(graphics_textures_of_faces_layers_and_slices)
{
    BEGIN_GRAPHICS();
    check_depth(GLV_CUBE);
    check_depth(GLV_LAYERS);
    check_depth(GLV_3D);
    end_graphics();
}

TEST_BODY(graphics_renderbuffer)
{
    BEGIN_GRAPHICS();
    unsigned char texels[TEXELS];
    unsigned buffer = 0, frame = 0;
    gl.GenRenderbuffers(1, &buffer);
    gl.BindRenderbuffer(GLV_RENDER, buffer);
    gl.RenderbufferStorage(GLV_RENDER, GLV_RGBA8, SIDE, SIDE);
    gl.GenFramebuffers(1, &frame);
    gl.BindFramebuffer(GLV_FRAME, frame);
    gl.FramebufferRenderbuffer(GLV_FRAME, GLV_COLOR, GLV_RENDER, buffer);
    gl.ClearColor(1, 0, 1, 0);
    gl.Clear(0x4000);
    gl.Enable(GLV_SCISSOR);
    gl.Scissor(1, 1, 2, 2);
    cudaGraphicsResource_t resource = register_image(buffer, GLV_RENDER, 0);
    cudaArray_t array = layer_of(resource, 0, 0);
    assert_success(cudaMemcpy2DFromArray(texels, 4 * SIDE, array, 0, 0, 4 * SIDE, SIDE,
                                         cudaMemcpyDeviceToHost));
    for (int i = 0; i < TEXELS; i++)
        assert_int_equal(texels[i], i % 2 ? 0 : 255);
    color(texels, 3, TEXELS);
    assert_success(
        cudaMemcpy2DToArray(array, 0, 0, texels, 4 * SIDE, 4 * SIDE, SIDE, cudaMemcpyHostToDevice));
    end_image(resource);
    memset(texels, 0, sizeof texels);
    gl.ReadPixels(0, 0, SIDE, SIDE, GLV_RGBA_OF, GLV_BYTES, texels);
    check_colors(texels, 3, TEXELS);
    end_graphics();
}

/* --- streams, captures, other interfaces --- */

TEST_BODY(graphics_keeps_the_order_of_its_stream)
{
    BEGIN_GRAPHICS();
    static struct gate gate = GATE_INITIALIZER;
    const unsigned buffer = make_buffer(1);
    cudaGraphicsResource_t resource = NULL;
    cudaStream_t stream = NULL;
    cudaGraph_t graph = NULL;
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_success(cudaGraphicsGLRegisterBuffer(&resource, buffer, 0));
    void *memory = map(resource, stream);
    assert_success(cudaLaunchHostFunc(stream, gate_wait, &gate));
    write_memory(memory, 2, stream);
    gate_open(&gate);
    unmap(resource, stream); /* waits */
    check_buffer(buffer, 2);
    assert_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    assert_fails(cudaErrorStreamCaptureUnsupported, cudaGraphicsMapResources(1, &resource, stream));
    assert_fails(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
    memory = map(resource, stream);
    check_memory(memory, 2, stream);
    unmap(resource, stream);
    assert_success(cudaStreamDestroy(stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaGraphicsMapResources(1, &resource, stream));
    assert_success(cudaGraphicsUnregisterResource(resource));
    end_graphics();
}

TEST_BODY(graphics_buffers_by_their_names)
{
    BEGIN_GRAPHICS();
    const unsigned buffer = make_buffer(1);
    void *memory = NULL;
    assert_success(cudaGLSetGLDevice(0));
    assert_fails(cudaErrorInvalidDevice, cudaGLSetGLDevice(1000));
    assert_fails(cudaErrorMapBufferObjectFailed, cudaGLMapBufferObject(&memory, buffer));
    assert_fails(cudaErrorUnmapBufferObjectFailed, cudaGLUnmapBufferObject(buffer));
    assert_fails(cudaErrorInvalidResourceHandle, cudaGLUnregisterBufferObject(buffer));
    assert_fails(cudaErrorInvalidResourceHandle, cudaGLSetBufferObjectMapFlags(buffer, 0));
    assert_success(cudaGLRegisterBufferObject(buffer));
    assert_success(cudaGLSetBufferObjectMapFlags(buffer, cudaGLMapFlagsNone));
    assert_success(cudaGLMapBufferObject(&memory, buffer));
    check_memory(memory, 1, NULL);
    write_memory(memory, 2, NULL);
    assert_success(cudaGLUnmapBufferObject(buffer));
    check_buffer(buffer, 2);
    assert_success(cudaGLMapBufferObjectAsync(&memory, buffer, cudaStreamPerThread));
    write_memory(memory, 3, cudaStreamPerThread);
    assert_success(cudaGLUnmapBufferObjectAsync(buffer, cudaStreamPerThread));
    check_buffer(buffer, 3);
    assert_success(cudaGLUnregisterBufferObject(buffer));
    end_graphics();
}

TEST_BODY(graphics_of_the_driver_api)
{
    BEGIN_GRAPHICS();
    const unsigned buffer = make_buffer(1);
    CUgraphicsResource resource = NULL;
    CUdeviceptr memory = 0;
    size_t size = 0;
    unsigned count = 0;
    CUdevice device = -1;
    CUcontext context = NULL;
    CUarray array = NULL;
    CUmipmappedArray levels = NULL;
    assert_int_equal(cuInit(0), CUDA_SUCCESS);
    assert_int_equal(cuGraphicsGLRegisterBuffer(&resource, buffer, 0), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuGLCtxCreate(&context, 0, 0), CUDA_SUCCESS);
    assert_int_equal(cuGLInit(), CUDA_SUCCESS);
    assert_int_equal(cuGLGetDevices(&count, &device, 1, CU_GL_DEVICE_LIST_ALL), CUDA_SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(cuGraphicsGLRegisterBuffer(&resource, buffer, 0), CUDA_SUCCESS);
    assert_int_equal(cuGraphicsResourceSetMapFlags(resource, 0), CUDA_SUCCESS);
    assert_int_equal(cuGraphicsMapResources(1, &resource, NULL), CUDA_SUCCESS);
    assert_int_equal(cuGraphicsMapResources(1, &resource, NULL), CUDA_ERROR_ALREADY_MAPPED);
    assert_int_equal(cuGraphicsResourceGetMappedPointer(&memory, &size, resource), CUDA_SUCCESS);
    assert_int_equal(size, bytes);
    assert_int_equal(cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0),
                     CUDA_ERROR_NOT_MAPPED_AS_ARRAY);
    assert_int_equal(cuMemsetD32(memory, 7, COUNT), CUDA_SUCCESS);
    assert_int_equal(cuGraphicsUnmapResources(1, &resource, NULL), CUDA_SUCCESS);
    assert_int_equal(cuGraphicsUnregisterResource(resource), CUDA_SUCCESS);
    int values[COUNT];
    gl.BindBuffer(GLV_ARRAY, buffer);
    gl.GetBufferSubData(GLV_ARRAY, 0, (intptr_t)bytes, values);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(values[i], 7);

    const unsigned texture = make_texture(GLV_2D);
    gl.TexImage2D(GLV_2D, 0, GLV_RGBA16UI, WIDTH, HEIGHT, 0, GLV_RGBA_WHOLE, GLV_SHORTS, NULL);
    assert_int_equal(cuGraphicsGLRegisterImage(&resource, texture, GLV_2D, 0), CUDA_SUCCESS);
    assert_int_equal(cuGraphicsResourceGetMappedMipmappedArray(&levels, resource),
                     CUDA_ERROR_NOT_MAPPED);
    assert_int_equal(cuGraphicsMapResources(1, &resource, NULL), CUDA_SUCCESS);
    assert_int_equal(cuGraphicsResourceGetMappedMipmappedArray(&levels, resource), CUDA_SUCCESS);
    assert_int_equal(cuGraphicsUnmapResources(1, &resource, NULL), CUDA_SUCCESS);

    assert_int_equal(cuGLMapBufferObject(&memory, &size, buffer), CUDA_ERROR_MAP_FAILED);
    assert_int_equal(cuGLRegisterBufferObject(buffer), CUDA_SUCCESS);
    assert_int_equal(cuGLSetBufferObjectMapFlags(buffer, 0), CUDA_SUCCESS);
    assert_int_equal(cuGLMapBufferObject(&memory, &size, buffer), CUDA_SUCCESS);
    assert_int_equal(cuGLUnmapBufferObject(buffer), CUDA_SUCCESS);
    assert_int_equal(cuGLUnmapBufferObject(buffer), CUDA_ERROR_NOT_MAPPED);
    assert_int_equal(cuGLUnregisterBufferObject(buffer), CUDA_SUCCESS);
    assert_int_equal(cuCtxDestroy(context), CUDA_SUCCESS); /* with what is registered in it */
    end_graphics();
}
