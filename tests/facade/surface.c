/* Tests of facade/texture/surface.c: surface objects and what kernels write through them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/texture_support.h"

static const char surface_kernels[] =
    "#include \"clem_device.h\"\n"
    "kernel void twice(CLEM_SURFACE(s)) {\n"
    "    int x = (int)get_global_id(0) * 4, y = (int)get_global_id(1);\n"
    "    surf2Dwrite(float, 2.0f * surf2Dread(float, s, x, y), s, x, y);\n"
    "}\n"
    "kernel void stamp(CLEM_SURFACE(s), int layer, float value) {\n"
    "    surf2DLayeredwrite(float, value, s, (int)get_global_id(0) * 4, 1, layer);\n"
    "}\n";

static cudaSurfaceObject_t make_surface(cudaArray_t array)
{
    const struct cudaResourceDesc resource = array_resource(array);
    cudaSurfaceObject_t surface = 0;
    assert_success(cudaCreateSurfaceObject(&surface, &resource));
    assert_true(surface != 0);
    return surface;
}

static void read_array(cudaArray_t array, float *texels, size_t slices)
{
    struct cudaMemcpy3DParms copy = {
        .srcArray = array,
        .dstPtr = {texels, SIDE * sizeof(float), SIDE, SIDE},
        .extent = {SIDE, SIDE, slices},
        .kind = cudaMemcpyDeviceToHost,
    };
    assert_success(cudaMemcpy3D(&copy));
}

TEST_BODY(surface_is_read_and_written_by_one_kernel)
{
    float texels[SIDE * SIDE];
    cudaArray_t array = make_array(SIDE, SIDE, 0, cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t surface = make_surface(array);
    void *args[] = {&surface};
    cudaLibrary_t library = load_text(surface_kernels);
    /* More work-items than texels: what lies outside is dropped. */
    assert_success(cudaLaunchKernel(find_kernel(library, "twice"), (dim3){2, 2, 1},
                                    (dim3){SIDE, SIDE, 1}, args, 0, NULL));
    read_array(array, texels, 1);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        assert_true(texels[i] == 2 * texel_at(i % SIDE, i / SIDE, 0));
    assert_success(cudaDestroySurfaceObject(surface));
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFreeArray(array));
}

/* A texture of the array reads what a kernel wrote through a surface before. */
static void read_after_write(const char *way)
{
    read_by(way);
    cudaArray_t array = make_array(SIDE, SIDE, 0, cudaArraySurfaceLoadStore);
    const struct cudaResourceDesc resource = array_resource(array);
    const struct cudaTextureDesc desc = clamped();
    cudaTextureObject_t texture = make_texture(&resource, &desc);
    cudaSurfaceObject_t surface = make_surface(array);
    void *args[] = {&surface};
    cudaLibrary_t library = load_text(surface_kernels);
    assert_true(read_x("read_2d", texture, 1.5f, 2.5f, 0) == texel_at(1, 2, 0));
    assert_success(cudaLaunchKernel(find_kernel(library, "twice"), (dim3){1, 1, 1},
                                    (dim3){SIDE, SIDE, 1}, args, 0, NULL));
    assert_true(read_x("read_2d", texture, 1.5f, 2.5f, 0) == 2 * texel_at(1, 2, 0));
    assert_success(cudaDestroySurfaceObject(surface));
    assert_success(cudaDestroyTextureObject(texture));
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFreeArray(array));
}

TEST_BODY(surface_writes_are_seen_by_textures_by_hand)
{
    read_after_write("hand");
}

TEST_BODY(surface_writes_are_seen_by_textures_by_image)
{
    read_after_write("image");
}

TEST_BODY(surface_of_layers_and_of_a_level)
{
    float texels[SIDE * SIDE * 3], small = 0, value = 7;
    int layer = 2;
    cudaMipmappedArray_t mipmap = NULL;
    cudaArray_t level = NULL;
    cudaArray_t array = make_array(SIDE, SIDE, 3, cudaArrayLayered | cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t surface = make_surface(array);
    void *args[] = {&surface, &layer, &value};
    cudaLibrary_t library = load_text(surface_kernels);
    const void *stamp = find_kernel(library, "stamp");
    assert_success(launch_1d(stamp, 1, SIDE, args, 0, NULL));
    layer = 3; /* there is none */
    assert_success(launch_1d(stamp, 1, SIDE, args, 0, NULL));
    read_array(array, texels, 3);
    for (size_t i = 0; i < SIDE * SIDE * 3; i++) {
        size_t y = i / SIDE % SIDE, z = i / SIDE / SIDE;
        assert_true(texels[i] == (y == 1 && z == 2 ? 7 : texel_at(i % SIDE, y, z)));
    }
    assert_success(cudaDestroySurfaceObject(surface));
    assert_success(cudaFreeArray(array));
    assert_success(cudaMallocMipmappedArray(
        &mipmap, &float_desc, (struct cudaExtent){SIDE, SIDE, 0}, 3, cudaArraySurfaceLoadStore));
    assert_success(cudaGetMipmappedArrayLevel(&level, mipmap, 1));
    surface = make_surface(level);
    layer = 0;
    assert_success(launch_1d(stamp, 1, SIDE, args, 0, NULL));
    assert_success(cudaMemcpy2DFromArray(&small, 4, level, (SIDE / 2 - 1) * 4, 1, 4, 1,
                                         cudaMemcpyDeviceToHost));
    assert_true(small == 7);
    assert_success(cudaDestroySurfaceObject(surface));
    assert_success(cudaFreeMipmappedArray(mipmap));
    assert_success(cudaLibraryUnload(library));
}

TEST_BODY(surface_refuses_what_is_no_array)
{
    void *memory = NULL;
    cudaSurfaceObject_t surface = 77;
    cudaArray_t array = make_array(SIDE, SIDE, 0, cudaArraySurfaceLoadStore);
    struct cudaResourceDesc resource = array_resource(array);
    assert_success(cudaMalloc(&memory, 4096));
    assert_fails(cudaErrorInvalidValue, cudaCreateSurfaceObject(NULL, &resource));
    assert_fails(cudaErrorInvalidValue, cudaCreateSurfaceObject(&surface, NULL));
    resource.res.array.array = NULL;
    assert_fails(cudaErrorInvalidResourceHandle, cudaCreateSurfaceObject(&surface, &resource));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = float_desc;
    resource.res.linear.sizeInBytes = 4096;
    assert_fails(cudaErrorInvalidValue, cudaCreateSurfaceObject(&surface, &resource));
    assert_int_equal(surface, 77);
    assert_success(cudaFree(memory));
    assert_success(cudaFreeArray(array));
}

TEST_BODY(surface_tells_its_resource)
{
    struct cudaResourceDesc resource;
    cudaArray_t array = make_array(SIDE, SIDE, 0, cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t surface = make_surface(array);
    assert_success(cudaGetSurfaceObjectResourceDesc(&resource, surface));
    assert_int_equal(resource.resType, cudaResourceTypeArray);
    assert_ptr_equal(resource.res.array.array, array);
    assert_fails(cudaErrorInvalidDevice, cudaGetSurfaceObjectResourceDesc(NULL, surface));
    /* A surface is no texture. */
    assert_fails(cudaErrorInvalidValue, cudaGetTextureObjectResourceDesc(&resource, surface));
    assert_success(cudaDestroyTextureObject(surface));
    assert_success(cudaGetSurfaceObjectResourceDesc(&resource, surface));
    assert_success(cudaFreeArray(array));
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaGetSurfaceObjectResourceDesc(&resource, surface));
    assert_success(cudaDestroySurfaceObject(surface));
    assert_fails(cudaErrorInvalidValue, cudaGetSurfaceObjectResourceDesc(&resource, surface));
    assert_success(cudaDestroySurfaceObject(surface));
}

/* Kernels are not given what they cannot use. */
TEST_BODY(surface_and_texture_are_not_mistaken)
{
    cudaArray_t array = make_array(SIDE, SIDE, 0, cudaArraySurfaceLoadStore);
    const struct cudaResourceDesc resource = array_resource(array);
    const struct cudaTextureDesc desc = clamped();
    cudaTextureObject_t texture = make_texture(&resource, &desc);
    cudaLibrary_t library = load_text(surface_kernels);
    unsigned long long none = 0;
    void *args[] = {&texture};
    void *no_args[] = {&none};
    assert_fails(cudaErrorInvalidValue,
                 launch_1d(find_kernel(library, "twice"), 1, 1, args, 0, NULL));
    assert_fails(cudaErrorInvalidValue,
                 launch_1d(find_kernel(library, "twice"), 1, 1, no_args, 0, NULL));
    assert_success(cudaDestroyTextureObject(texture));
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaFreeArray(array));
}
