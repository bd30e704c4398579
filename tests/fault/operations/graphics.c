/* Operations with buffers and textures of OpenGL, where there is an OpenGL; elsewhere every call says that there is none.
 * SPDX-License-Identifier: Apache-2.0 */
#define __CUDA_API_VERSION_INTERNAL /* first versions, too */

#include "tests/graphics.h"

#include "operation.h"

#include <cudaGL.h>
#include <cuda_gl_interop.h>

enum { COUNT = 256, SIDE = 16 };

/* What calls without a current context of OpenGL answer is no failure. */
static int without(int error)
{
    return error == cudaErrorOperatingSystem || error == cudaErrorInvalidGraphicsContext ||
                   error == cudaErrorMapBufferObjectFailed ||
                   error == cudaErrorUnmapBufferObjectFailed ||
                   error == cudaErrorInvalidResourceHandle || error == cudaErrorNotMapped
               ? 0
               : error;
}

#define EXPECT_NONE(...)                                                                           \
    do {                                                                                           \
        if (error == 0)                                                                            \
            error = without(CALL(__VA_ARGS__));                                                    \
    } while (0)

static int runtime_without(void)
{
    cudaGraphicsResource_t resource = NULL;
    void *memory = NULL;
    int error = 0;
    EXPECT_NONE(cudaGraphicsGLRegisterBuffer, &resource, 1, 0);
    EXPECT_NONE(cudaGraphicsGLRegisterImage, &resource, 1, GLV_2D, 0);
    EXPECT_NONE(cudaGraphicsMapResources, 1, &resource, NULL);
    EXPECT_NONE(cudaGraphicsUnmapResources, 1, &resource, NULL);
    EXPECT_NONE(cudaGraphicsUnregisterResource, resource);
    EXPECT_NONE(cudaGLRegisterBufferObject, 1);
    EXPECT_NONE(cudaGLMapBufferObject, &memory, 1);
    EXPECT_NONE(cudaGLUnmapBufferObject, 1);
    EXPECT_NONE(cudaGLUnregisterBufferObject, 1);
    return error;
}

static unsigned make_buffer(const struct test_gl *gl)
{
    static const int values[COUNT] = {7};
    unsigned buffer = 0;
    gl->GenBuffers(1, &buffer);
    gl->BindBuffer(GLV_ARRAY, buffer);
    gl->BufferData(GLV_ARRAY, (intptr_t)sizeof values, values, GLV_STATIC);
    return buffer;
}

static unsigned make_texture(const struct test_gl *gl, unsigned target)
{
    unsigned texture = 0;
    gl->GenTextures(1, &texture);
    gl->BindTexture(target, texture);
    if (target == GLV_LAYERS)
        gl->TexImage3D(target, 0, GLV_RGBA8, SIDE, SIDE, 2, 0, GLV_RGBA_OF, GLV_BYTES, NULL);
    else
        gl->TexImage2D(target, 0, GLV_RGBA8, SIDE, SIDE, 0, GLV_RGBA_OF, GLV_BYTES, NULL);
    return texture;
}

static int use_buffer(unsigned buffer)
{
    cudaGraphicsResource_t resource = NULL;
    void *memory = NULL;
    size_t size = 0;
    int values[COUNT] = {0}, error = 0;
    TRY(cudaGraphicsGLRegisterBuffer, &resource, buffer, 0);
    TRY(cudaGraphicsResourceSetMapFlags, resource, 0);
    TRY(cudaGraphicsMapResources, 1, &resource, NULL);
    TRY(cudaGraphicsResourceGetMappedPointer, &memory, &size, resource);
    CHECK(size == sizeof values);
    TRY(cudaMemcpy, values, memory, sizeof values, cudaMemcpyDeviceToHost);
    CHECK(values[0] == 7 && values[1] == 0);
    TRY(cudaGraphicsUnmapResources, 1, &resource, NULL);
    if (resource != NULL)
        END(cudaGraphicsUnregisterResource, resource);
    return error;
}

static int use_image(unsigned texture, unsigned target)
{
    cudaGraphicsResource_t resource = NULL;
    cudaArray_t array = NULL;
    cudaMipmappedArray_t levels = NULL;
    int error = 0;
    TRY(cudaGraphicsGLRegisterImage, &resource, texture, target, 0);
    TRY(cudaGraphicsMapResources, 1, &resource, NULL);
    TRY(cudaGraphicsSubResourceGetMappedArray, &array, resource, 0, 0);
    TRY(cudaGraphicsResourceGetMappedMipmappedArray, &levels, resource);
    TRY(cudaGraphicsUnmapResources, 1, &resource, NULL);
    if (resource != NULL)
        END(cudaGraphicsUnregisterResource, resource);
    return error;
}

static int use_name(unsigned buffer)
{
    void *memory = NULL;
    int error = 0;
    TRY(cudaGLSetGLDevice, 0);
    TRY(cudaGLRegisterBufferObject, buffer);
    if (error != 0)
        return error;
    TRY(cudaGLSetBufferObjectMapFlags, buffer, 0);
    TRY(cudaGLMapBufferObject, &memory, buffer);
    TRY(cudaGLUnmapBufferObject, buffer);
    TRY(cudaGLMapBufferObjectAsync, &memory, buffer, NULL);
    TRY(cudaGLUnmapBufferObjectAsync, buffer, NULL);
    END(cudaGLUnregisterBufferObject, buffer);
    return error;
}

bool graphics_is_there(void)
{
    struct test_gl gl;
    const bool has_gl = test_gl_begin(&gl, false);
    if (has_gl)
        test_gl_end(&gl);
    return has_gl;
}

int operation_graphics(void)
{
    struct test_gl gl;
    unsigned count = 0;
    int device = 1, error = 0;
    if (!test_gl_begin(&gl, false))
        return runtime_without();
    TRY(cudaGLGetDevices, &count, &device, 1, cudaGLDeviceListAll);
    CHECK(count == 1 && device == 0);
    if (error == 0)
        error = use_buffer(make_buffer(&gl));
    if (error == 0)
        error = use_image(make_texture(&gl, GLV_2D), GLV_2D);
    if (error == 0)
        error = use_image(make_texture(&gl, GLV_LAYERS), GLV_LAYERS);
    if (error == 0)
        error = use_name(make_buffer(&gl));
    test_gl_end(&gl);
    return error;
}

/* --- The driver API --- */

static int driver_without(void)
{
    CUgraphicsResource resource = NULL;
    CUdeviceptr memory = 0;
    size_t size = 0;
    int error = 0;
    EXPECT_NONE(cuGraphicsGLRegisterBuffer, &resource, 1, 0);
    EXPECT_NONE(cuGraphicsMapResources, 1, &resource, NULL);
    EXPECT_NONE(cuGraphicsUnmapResources, 1, &resource, NULL);
    EXPECT_NONE(cuGLMapBufferObject_v2, &memory, &size, 1);
    return error;
}

static int use_driver_buffer(unsigned buffer)
{
    CUgraphicsResource resource = NULL;
    CUdeviceptr memory = 0;
    CUdeviceptr_v1 narrow = 0;
    unsigned few = 0;
    size_t size = 0;
    int error = 0;
    TRY(cuGraphicsGLRegisterBuffer, &resource, buffer, 0);
    TRY(cuGraphicsResourceSetMapFlags, resource, 0);
    TRY(cuGraphicsResourceSetMapFlags_v2, resource, 0);
    TRY(cuGraphicsMapResources, 1, &resource, NULL);
    TRY(cuGraphicsResourceGetMappedPointer_v2, &memory, &size, resource);
    CHECK(size == COUNT * sizeof(int));
    if (error == 0) /* an address that 32 bits do not hold is refused */
        (void)CALL(cuGraphicsResourceGetMappedPointer, &narrow, &few, resource);
    TRY(cuGraphicsUnmapResources, 1, &resource, NULL);
    if (resource != NULL)
        END(cuGraphicsUnregisterResource, resource);
    return error;
}

static int use_driver_image(unsigned texture)
{
    CUgraphicsResource resource = NULL;
    CUarray array = NULL;
    CUmipmappedArray levels = NULL;
    int error = 0;
    TRY(cuGraphicsGLRegisterImage, &resource, texture, GLV_2D, 0);
    TRY(cuGraphicsMapResources, 1, &resource, NULL);
    TRY(cuGraphicsSubResourceGetMappedArray, &array, resource, 0, 0);
    TRY(cuGraphicsResourceGetMappedMipmappedArray, &levels, resource);
    TRY(cuGraphicsUnmapResources, 1, &resource, NULL);
    if (resource != NULL)
        END(cuGraphicsUnregisterResource, resource);
    return error;
}

static int use_driver_name(unsigned buffer)
{
    CUdeviceptr memory = 0;
    CUdeviceptr_v1 narrow = 0;
    unsigned few = 0;
    size_t size = 0;
    int error = 0;
    TRY(cuGLInit);
    TRY(cuGLRegisterBufferObject, buffer);
    if (error != 0)
        return error;
    TRY(cuGLSetBufferObjectMapFlags, buffer, 0);
    TRY(cuGLMapBufferObject_v2, &memory, &size, buffer);
    TRY(cuGLUnmapBufferObject, buffer);
    TRY(cuGLMapBufferObjectAsync_v2, &memory, &size, buffer, NULL);
    TRY(cuGLUnmapBufferObjectAsync, buffer, NULL);
    if (error == 0 && CALL(cuGLMapBufferObject, &narrow, &few, buffer) == CUDA_SUCCESS)
        TRY(cuGLUnmapBufferObject, buffer);
    if (error == 0 && CALL(cuGLMapBufferObjectAsync, &narrow, &few, buffer, NULL) == CUDA_SUCCESS)
        TRY(cuGLUnmapBufferObject, buffer);
    END(cuGLUnregisterBufferObject, buffer);
    return error;
}

int operation_driver_graphics(void)
{
    struct test_gl gl;
    CUcontext context = NULL, other = NULL;
    CUdevice device = 1;
    unsigned count = 0;
    int error = 0;
    const bool has_gl = test_gl_begin(&gl, false);
    TRY(cuInit, 0);
    TRY(cuGLCtxCreate, &other, 0, 0);
    if (other != NULL)
        END(cuCtxDestroy_v2, other);
    TRY(cuGLCtxCreate_v2, &context, 0, 0);
    if (error == 0 && !has_gl)
        error = driver_without();
    if (has_gl) {
        TRY(cuGLGetDevices, &count, &device, 1, CU_GL_DEVICE_LIST_ALL);
        TRY(cuGLGetDevices_v2, &count, &device, 1, CU_GL_DEVICE_LIST_ALL);
        CHECK(count == 1);
    }
    if (error == 0 && has_gl)
        error = use_driver_buffer(make_buffer(&gl));
    if (error == 0 && has_gl)
        error = use_driver_image(make_texture(&gl, GLV_2D));
    if (error == 0 && has_gl)
        error = use_driver_name(make_buffer(&gl));
    if (context != NULL)
        END(cuCtxDestroy_v2, context);
    if (has_gl)
        test_gl_end(&gl);
    return error;
}
