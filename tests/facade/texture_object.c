/* Tests of facade/texture/texture.c and facade/texture/texture_object.c: what texture objects may be made of, what
 * they tell, and what kernels read from them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "tests/facade/texture_support.h"

/* --- what kernels read ------------------------------------------------------------------------ */

static void sample_array(const char *way)
{
    read_by(way);
    cudaArray_t array = make_array(SIDE, SIDE, 0, 0);
    const struct cudaResourceDesc resource = array_resource(array);
    struct cudaTextureDesc desc = clamped();
    cudaTextureObject_t point = make_texture(&resource, &desc);
    desc.filterMode = cudaFilterModeLinear;
    desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeBorder;
    cudaTextureObject_t linear = make_texture(&resource, &desc);
    desc.filterMode = cudaFilterModePoint;
    desc.normalizedCoords = 1;
    desc.addressMode[0] = cudaAddressModeWrap;
    desc.addressMode[1] = cudaAddressModeMirror;
    cudaTextureObject_t wrapped = make_texture(&resource, &desc);
    for (int i = 0; i < SIDE; i++)
        assert_true(read_x("read_2d", point, (float)i + 0.5f, 3.5f, 0) ==
                    texel_at((size_t)i, 3, 0));
    assert_true(read_x("read_2d", point, -9, 100, 0) == texel_at(0, SIDE - 1, 0));
    assert_true(fabsf(read_x("read_2d", linear, 2, 3, 0) - 42.5f) < 0.1f);
    assert_true(read_x("read_2d", linear, -2, 3, 0) == 0);
    assert_true(read_x("read_2d", wrapped, 1 + 2.5f / SIDE, -1.5f / SIDE, 0) == texel_at(2, 1, 0));
    assert_success(cudaDestroyTextureObject(point));
    assert_success(cudaDestroyTextureObject(linear));
    assert_success(cudaDestroyTextureObject(wrapped));
    assert_success(cudaFreeArray(array));
}

TEST_BODY(texture_object_of_array_by_hand)
{
    sample_array("hand");
}

TEST_BODY(texture_object_of_array_by_image)
{
    sample_array("image");
}

/* Texels written after the object was made are what the next kernel reads. */
static void rewrite_array(const char *way)
{
    read_by(way);
    cudaArray_t array = make_array(SIDE, SIDE, 0, 0);
    const struct cudaResourceDesc resource = array_resource(array);
    const struct cudaTextureDesc desc = clamped();
    cudaTextureObject_t texture = make_texture(&resource, &desc);
    for (size_t round = 0; round < 3; round++) {
        fill_array(array, round);
        assert_true(read_x("read_2d", texture, 1.5f, 2.5f, 0) == texel_at(1, 2, round));
    }
    assert_success(cudaDestroyTextureObject(texture));
    assert_success(cudaFreeArray(array));
}

TEST_BODY(texture_object_sees_later_copies_by_hand)
{
    rewrite_array("hand");
}

TEST_BODY(texture_object_sees_later_copies_by_image)
{
    rewrite_array("image");
}

TEST_BODY(texture_object_of_linear_memory)
{
    float texels[20];
    void *memory = NULL;
    for (int i = 0; i < 20; i++)
        texels[i] = (float)i + 1;
    assert_success(cudaMalloc(&memory, sizeof texels));
    assert_success(cudaMemcpy(memory, texels, sizeof texels, cudaMemcpyHostToDevice));
    struct cudaResourceDesc resource = {
        .resType = cudaResourceTypeLinear,
        .res.linear = {.devPtr = memory, .desc = float_desc, .sizeInBytes = 10 * sizeof(float) + 3},
    };
    const struct cudaTextureDesc desc = {.readMode = cudaReadModeElementType};
    cudaTextureObject_t texture = make_texture(&resource, &desc);
    assert_true(read_x("read_line", texture, 0, 0, 0) == 1);
    assert_true(read_x("read_line", texture, 9, 0, 0) == 10);
    assert_true(read_x("read_line", texture, 10, 0, 0) == 0);
    assert_true(read_x("read_line", texture, -1, 0, 0) == 0);
    assert_success(cudaMemset(memory, 0, sizeof(float)));
    assert_true(read_x("read_line", texture, 0, 0, 0) == 0);
    assert_success(cudaDestroyTextureObject(texture));
    /* A texture larger than its memory ends where the memory does. */
    resource.res.linear.sizeInBytes = 1 << 20;
    texture = make_texture(&resource, &desc);
    assert_true(read_x("read_line", texture, 19, 0, 0) == 20);
    assert_true(read_x("read_line", texture, 100000, 0, 0) == 0);
    assert_success(cudaDestroyTextureObject(texture));
    resource.res.linear.sizeInBytes = 0;
    texture = make_texture(&resource, &desc);
    assert_true(read_x("read_line", texture, 0, 0, 0) == 0);
    assert_success(cudaDestroyTextureObject(texture));
    assert_success(cudaFree(memory));
}

TEST_BODY(texture_object_of_normalized_bytes)
{
    const unsigned char texels[4] = {0, 51, 255, 128};
    void *memory = NULL;
    assert_success(cudaMalloc(&memory, sizeof texels));
    assert_success(cudaMemcpy(memory, texels, sizeof texels, cudaMemcpyHostToDevice));
    const struct cudaResourceDesc resource = {
        .resType = cudaResourceTypeLinear,
        .res.linear = {.devPtr = memory, .desc = byte_desc, .sizeInBytes = sizeof texels},
    };
    const struct cudaTextureDesc desc = {.readMode = cudaReadModeNormalizedFloat};
    cudaTextureObject_t texture = make_texture(&resource, &desc);
    for (int i = 0; i < 4; i++)
        assert_true(fabsf(read_x("read_line", texture, (float)i, 0, 0) - (float)texels[i] / 255) <
                    1e-6f);
    assert_success(cudaDestroyTextureObject(texture));
    assert_success(cudaFree(memory));
}

static void sample_pitched(const char *way)
{
    void *memory = NULL;
    size_t pitch = 0;
    float texels[5 * 3];
    read_by(way);
    for (int i = 0; i < 15; i++)
        texels[i] = texel_at((size_t)i % 5, (size_t)i / 5, 0);
    assert_success(cudaMallocPitch(&memory, &pitch, 5 * sizeof(float), 3));
    assert_success(cudaMemcpy2D(memory, pitch, texels, 5 * sizeof(float), 5 * sizeof(float), 3,
                                cudaMemcpyHostToDevice));
    const struct cudaResourceDesc resource = {
        .resType = cudaResourceTypePitch2D,
        .res.pitch2D = {memory, float_desc, 5, 3, pitch},
    };
    const struct cudaTextureDesc desc = clamped();
    cudaTextureObject_t texture = make_texture(&resource, &desc);
    assert_true(read_x("read_2d", texture, 4.5f, 2.5f, 0) == texel_at(4, 2, 0));
    assert_true(read_x("read_2d", texture, 99, 1.5f, 0) == texel_at(4, 1, 0));
    texels[0] = -7;
    assert_success(cudaMemcpy(memory, texels, sizeof(float), cudaMemcpyHostToDevice));
    assert_true(read_x("read_2d", texture, 0.5f, 0.5f, 0) == -7);
    assert_success(cudaDestroyTextureObject(texture));
    assert_success(cudaFree(memory));
}

TEST_BODY(texture_object_of_pitched_memory_by_hand)
{
    sample_pitched("hand");
}

TEST_BODY(texture_object_of_pitched_memory_by_image)
{
    sample_pitched("image");
}

static void sample_levels(const char *way)
{
    cudaMipmappedArray_t mipmap = NULL;
    read_by(way);
    assert_success(
        cudaMallocMipmappedArray(&mipmap, &float_desc, (struct cudaExtent){SIDE, SIDE, 0}, 3, 0));
    for (unsigned level = 0; level < 3; level++) {
        cudaArray_t array = NULL;
        assert_success(cudaGetMipmappedArrayLevel(&array, mipmap, level));
        fill_array(array, level);
    }
    const struct cudaResourceDesc resource = {
        .resType = cudaResourceTypeMipmappedArray,
        .res.mipmap.mipmap = mipmap,
    };
    struct cudaTextureDesc desc = clamped();
    desc.normalizedCoords = 1;
    desc.maxMipmapLevelClamp = 9;
    cudaTextureObject_t texture = make_texture(&resource, &desc);
    assert_true(read_x("read_level", texture, 0.99f, 0, 0) == texel_at(SIDE - 1, 0, 0));
    assert_true(read_x("read_level", texture, 0.99f, 0, 1) == texel_at(SIDE / 2 - 1, 0, 1));
    assert_true(read_x("read_level", texture, 0.99f, 0, 7) == texel_at(SIDE / 4 - 1, 0, 2));
    assert_success(cudaDestroyTextureObject(texture));
    /* A view of the levels from 1 on. */
    const struct cudaResourceViewDesc view = {
        .format = cudaResViewFormatFloat1,
        .width = SIDE,
        .height = SIDE,
        .firstMipmapLevel = 1,
        .lastMipmapLevel = 2,
    };
    assert_success(cudaCreateTextureObject(&texture, &resource, &desc, &view));
    assert_true(read_x("read_level", texture, 0.99f, 0, 0) == texel_at(SIDE / 2 - 1, 0, 1));
    assert_success(cudaDestroyTextureObject(texture));
    assert_success(cudaFreeMipmappedArray(mipmap));
}

TEST_BODY(texture_object_of_levels_by_hand)
{
    sample_levels("hand");
}

TEST_BODY(texture_object_of_levels_by_image)
{
    sample_levels("image");
}

static void sample_layers(const char *way)
{
    read_by(way);
    cudaArray_t array = make_array(SIDE, SIDE, 4, cudaArrayLayered);
    const struct cudaResourceDesc resource = array_resource(array);
    const struct cudaTextureDesc desc = clamped();
    cudaTextureObject_t texture = make_texture(&resource, &desc);
    assert_true(read_x("read_layer", texture, 1.5f, 2.5f, 3) == texel_at(1, 2, 3));
    assert_true(read_x("read_layer", texture, 1.5f, 2.5f, 9) == texel_at(1, 2, 3));
    assert_success(cudaDestroyTextureObject(texture));
    const struct cudaResourceViewDesc view = {
        .format = cudaResViewFormatFloat1,
        .width = SIDE,
        .height = SIDE,
        .depth = 4,
        .firstLayer = 1,
        .lastLayer = 2,
    };
    assert_success(cudaCreateTextureObject(&texture, &resource, &desc, &view));
    assert_true(read_x("read_layer", texture, 1.5f, 2.5f, 0) == texel_at(1, 2, 1));
    assert_true(read_x("read_layer", texture, 1.5f, 2.5f, 9) == texel_at(1, 2, 2));
    assert_success(cudaDestroyTextureObject(texture));
    assert_success(cudaFreeArray(array));
}

TEST_BODY(texture_object_of_layers_by_hand)
{
    sample_layers("hand");
}

TEST_BODY(texture_object_of_layers_by_image)
{
    sample_layers("image");
}

TEST_BODY(texture_object_views_bits_as_another_format)
{
    cudaArray_t array = make_array(SIDE, SIDE, 0, 0);
    const struct cudaResourceDesc resource = array_resource(array);
    const struct cudaTextureDesc desc = clamped();
    const struct cudaResourceViewDesc view = {
        .format = cudaResViewFormatUnsignedInt1,
        .width = SIDE,
        .height = SIDE,
    };
    cudaTextureObject_t texture = 0;
    assert_success(cudaCreateTextureObject(&texture, &resource, &desc, &view));
    /* The kernel gives the bits back as a float. */
    assert_true(read_x("read_words", texture, 1.5f, 2.5f, 0) == texel_at(1, 2, 0));
    assert_success(cudaDestroyTextureObject(texture));
    assert_success(cudaFreeArray(array));
}

/* The object holds the texels: CUDA leaves open what a kernel reads then, but nothing may break. */
TEST_BODY(texture_object_outlives_its_array)
{
    struct cudaResourceDesc resource = array_resource(make_array(SIDE, SIDE, 0, 0));
    const struct cudaTextureDesc desc = clamped();
    cudaTextureObject_t texture = make_texture(&resource, &desc);
    assert_success(cudaFreeArray(resource.res.array.array));
    assert_true(read_x("read_2d", texture, 1.5f, 2.5f, 0) == texel_at(1, 2, 0));
    assert_fails(cudaErrorInvalidValue, cudaGetTextureObjectResourceDesc(&resource, texture));
    assert_success(cudaDestroyTextureObject(texture));
}

TEST_BODY(texture_object_may_go_while_work_waits)
{
    struct gate gate = GATE_INITIALIZER;
    cudaArray_t array = make_array(SIDE, SIDE, 0, 0);
    const struct cudaResourceDesc resource = array_resource(array);
    const struct cudaTextureDesc desc = clamped();
    const struct point at = {1.5f, 2.5f, 0, 0};
    struct point out = {0, 0, 0, 0};
    void *out_block = NULL, *at_block = NULL;
    cudaStream_t stream = NULL;
    cudaTextureObject_t texture = make_texture(&resource, &desc);
    void *args[] = {&texture, &out_block, &at_block};
    const void *kernel = texture_kernel("read_2d");
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    assert_success(cudaMalloc(&out_block, sizeof out));
    assert_success(cudaMalloc(&at_block, sizeof at));
    assert_success(cudaMemcpy(at_block, &at, sizeof at, cudaMemcpyHostToDevice));
    gate_hold(&gate, stream);
    assert_success(launch_1d(kernel, 1, 1, args, 0, stream));
    assert_success(cudaDestroyTextureObject(texture));
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(stream));
    assert_success(cudaMemcpy(&out, out_block, sizeof out, cudaMemcpyDeviceToHost));
    assert_true(out.x == texel_at(1, 2, 0));
    /* The number is no object any more. */
    assert_fails(cudaErrorInvalidValue, launch_1d(kernel, 1, 1, args, 0, stream));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(out_block));
    assert_success(cudaFree(at_block));
    assert_success(cudaFreeArray(array));
}

/* --- descriptions ----------------------------------------------------------------------------- */

TEST_BODY(texture_object_refuses_missing_things)
{
    cudaArray_t array = make_array(SIDE, SIDE, 0, 0);
    struct cudaResourceDesc resource = array_resource(array);
    struct cudaTextureDesc desc = clamped();
    cudaTextureObject_t texture = 77;
    assert_fails(cudaErrorInvalidValue, cudaCreateTextureObject(NULL, &resource, &desc, NULL));
    assert_fails(cudaErrorInvalidValue, cudaCreateTextureObject(&texture, NULL, &desc, NULL));
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaCreateTextureObject(&texture, &resource, NULL, NULL));
    resource.res.array.array = NULL;
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaCreateTextureObject(&texture, &resource, &desc, NULL));
    resource.res.array.array = array;
    resource.resType = (enum cudaResourceType)4;
    assert_fails(cudaErrorInvalidValue, cudaCreateTextureObject(&texture, &resource, &desc, NULL));
    resource.resType = cudaResourceTypeLinear;
    memset(&resource.res, 0, sizeof resource.res);
    resource.res.linear.desc = float_desc;
    assert_fails(cudaErrorInvalidValue, cudaCreateTextureObject(&texture, &resource, &desc, NULL));
    resource.res.linear.desc.x = 7;
    assert_fails(cudaErrorInvalidChannelDescriptor,
                 cudaCreateTextureObject(&texture, &resource, &desc, NULL));
    assert_int_equal(texture, 77);
    assert_success(cudaFreeArray(array));
}

TEST_BODY(texture_object_refuses_bad_sampling)
{
    cudaArray_t words = NULL, array = make_array(SIDE, SIDE, 0, 0);
    assert_success(cudaMallocArray(&words, &word_desc, SIDE, SIDE, 0));
    struct cudaResourceDesc resource = array_resource(words);
    struct cudaTextureDesc desc = clamped();
    cudaTextureObject_t texture = 0;
    desc.filterMode = cudaFilterModeLinear;
    assert_fails(cudaErrorInvalidFilterSetting,
                 cudaCreateTextureObject(&texture, &resource, &desc, NULL));
    desc.filterMode = cudaFilterModePoint;
    desc.readMode = cudaReadModeNormalizedFloat;
    assert_fails(cudaErrorInvalidNormSetting,
                 cudaCreateTextureObject(&texture, &resource, &desc, NULL));
    resource.res.array.array = array;
    assert_fails(cudaErrorInvalidNormSetting,
                 cudaCreateTextureObject(&texture, &resource, &desc, NULL));
    desc = clamped();
    desc.seamlessCubemap = 1;
    assert_fails(cudaErrorInvalidValue, cudaCreateTextureObject(&texture, &resource, &desc, NULL));
    desc = clamped();
    desc.addressMode[1] = (enum cudaTextureAddressMode)4;
    assert_fails(cudaErrorInvalidValue, cudaCreateTextureObject(&texture, &resource, &desc, NULL));
    desc = clamped();
    desc.addressMode[2] = (enum cudaTextureAddressMode)4; /* there is no third dimension */
    cudaTextureObject_t made = make_texture(&resource, &desc);
    assert_success(cudaDestroyTextureObject(made));
    assert_int_equal(texture, 0);
    assert_success(cudaFreeArray(words));
    assert_success(cudaFreeArray(array));
}

TEST_BODY(texture_object_refuses_bad_memory)
{
    char *memory = NULL, inside[64];
    assert_success(cudaMalloc((void **)&memory, 4096));
    struct cudaResourceDesc resource = {
        .resType = cudaResourceTypePitch2D,
        .res.pitch2D = {memory, float_desc, 8, 8, 64},
    };
    const struct cudaTextureDesc desc = clamped();
    cudaTextureObject_t texture = 0;
    void *const addresses[] = {NULL, memory + 4, memory + 256, inside, memory + 4096 * 64};
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        resource.res.pitch2D.devPtr = addresses[i];
        assert_fails(cudaErrorInvalidValue,
                     cudaCreateTextureObject(&texture, &resource, &desc, NULL));
    }
    resource.res.pitch2D.devPtr = memory + 512;
    resource.res.pitch2D.pitchInBytes = 68;
    assert_fails(cudaErrorInvalidValue, cudaCreateTextureObject(&texture, &resource, &desc, NULL));
    resource.res.pitch2D.pitchInBytes = 64;
    resource.res.pitch2D.height = SIZE_MAX;
    assert_fails(cudaErrorInvalidValue, cudaCreateTextureObject(&texture, &resource, &desc, NULL));
    resource.res.pitch2D.height = 4096; /* more than there is: the rest is not there */
    texture = make_texture(&resource, &desc);
    read_x("read_2d", texture, 7.5f, 4000.5f, 0);
    assert_success(cudaDestroyTextureObject(texture));
    assert_success(cudaFree(memory));
}

TEST_BODY(texture_object_refuses_bad_views)
{
    cudaArray_t array = make_array(SIDE, SIDE, 0, 0);
    const struct cudaResourceDesc resource = array_resource(array);
    const struct cudaTextureDesc desc = clamped();
    const struct cudaResourceViewDesc good = {
        .format = cudaResViewFormatHalf2,
        .width = SIDE,
        .height = SIDE,
    };
    cudaTextureObject_t texture = 0;
    struct cudaResourceViewDesc bad[8];
    for (int i = 0; i < 8; i++)
        bad[i] = good;
    bad[0].format = cudaResViewFormatNone;
    bad[1].format = cudaResViewFormatFloat2;
    bad[2].format = (enum cudaResourceViewFormat)99;
    bad[3].width = SIDE - 1;
    bad[4].depth = 1;
    bad[5].lastMipmapLevel = 1;
    bad[6].lastLayer = 1;
    bad[7].format = cudaResViewFormatUnsignedBlockCompressed1;
    for (int i = 0; i < 8; i++)
        assert_fails(cudaErrorInvalidValue,
                     cudaCreateTextureObject(&texture, &resource, &desc, &bad[i]));
    assert_success(cudaCreateTextureObject(&texture, &resource, &desc, &good));
    struct cudaResourceViewDesc got;
    assert_success(cudaGetTextureObjectResourceViewDesc(&got, texture));
    assert_int_equal(got.format, cudaResViewFormatHalf2);
    assert_int_equal(got.width, SIDE);
    assert_success(cudaDestroyTextureObject(texture));
    assert_success(cudaFreeArray(array));
}

TEST_BODY(texture_object_tells_its_descriptions)
{
    void *memory = NULL;
    assert_success(cudaMalloc(&memory, 4096));
    const struct cudaResourceDesc resource = {
        .resType = cudaResourceTypePitch2D,
        .res.pitch2D = {memory, byte_desc, 13, 7, 64},
    };
    const struct cudaTextureDesc desc = {
        .addressMode = {cudaAddressModeMirror, cudaAddressModeBorder, cudaAddressModeClamp},
        .filterMode = cudaFilterModeLinear,
        .readMode = cudaReadModeNormalizedFloat,
        .sRGB = 1,
        .borderColor = {0.5f, 1, 2, -3},
        .normalizedCoords = 1,
        .maxAnisotropy = 4,
        .mipmapFilterMode = cudaFilterModeLinear,
        .mipmapLevelBias = 0.5f,
        .minMipmapLevelClamp = 1,
        .maxMipmapLevelClamp = 2,
        .disableTrilinearOptimization = 1,
    };
    cudaTextureObject_t texture = make_texture(&resource, &desc);
    struct cudaResourceDesc got;
    struct cudaTextureDesc got_desc;
    memset(&got, 0x55, sizeof got);
    memset(&got_desc, 0x55, sizeof got_desc);
    assert_success(cudaGetTextureObjectResourceDesc(&got, texture));
    assert_int_equal(got.resType, cudaResourceTypePitch2D);
    assert_memory_equal(&got.res.pitch2D, &resource.res.pitch2D, sizeof got.res.pitch2D);
    assert_success(cudaGetTextureObjectTextureDesc(&got_desc, texture));
    assert_memory_equal(&got_desc, &desc, sizeof desc);
    assert_fails(cudaErrorInvalidValue, cudaGetTextureObjectResourceDesc(NULL, texture));
    assert_fails(cudaErrorInvalidResourceHandle, cudaGetTextureObjectTextureDesc(NULL, texture));
    assert_success(cudaDestroyTextureObject(texture));
    assert_fails(cudaErrorInvalidValue, cudaGetTextureObjectResourceDesc(&got, texture));
    assert_success(cudaDestroyTextureObject(texture));
    assert_success(cudaDestroyTextureObject(12345));
    assert_success(cudaFree(memory));
}

TEST_BODY(texture_object_goes_with_a_reset)
{
    struct cudaResourceDesc resource = array_resource(make_array(SIDE, SIDE, 0, 0));
    const struct cudaTextureDesc desc = clamped();
    cudaTextureObject_t texture = make_texture(&resource, &desc);
    assert_success(cudaDeviceReset());
    assert_fails(cudaErrorInvalidValue, cudaGetTextureObjectResourceDesc(&resource, texture));
    assert_success(cudaDestroyTextureObject(texture));
    resource = array_resource(make_array(SIDE, SIDE, 0, 0));
    cudaTextureObject_t next = make_texture(&resource, &desc);
    assert_true(next != texture);
    assert_success(cudaDestroyTextureObject(next));
    assert_success(cudaFreeArray(resource.res.array.array));
}

/* --- threads ---------------------------------------------------------------------------------- */

static cudaArray_t shared_array;

static void *make_and_destroy(void *data)
{
    const struct cudaResourceDesc resource = array_resource(shared_array);
    const struct cudaTextureDesc desc = clamped();
    cudaTextureObject_t objects[8];
    (void)data;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 8; i++)
            THREAD_SUCCESS(cudaCreateTextureObject(&objects[i], &resource, &desc, NULL));
        for (int i = 0; i < 8; i++) {
            struct cudaResourceDesc got;
            THREAD_SUCCESS(cudaGetTextureObjectResourceDesc(&got, objects[i]));
            THREAD_CHECK(got.res.array.array == shared_array);
            THREAD_SUCCESS(cudaDestroyTextureObject(objects[i]));
        }
    }
    return NULL;
}

TEST_BODY(texture_object_made_by_many_threads)
{
    shared_array = make_array(SIDE, SIDE, 0, 0);
    run_threads(4, make_and_destroy, NULL, 0);
    assert_success(cudaFreeArray(shared_array));
}
