/* Tests of facade/memory/array.c and the part of facade/memory/memory_array.c that makes, describes and frees.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/memory_support.h"
#include "tests/facade/runtime_support.h"

static const struct cudaChannelFormatDesc float_desc = {32, 0, 0, 0, cudaChannelFormatKindFloat};
static const struct cudaChannelFormatDesc byte4_desc = {8, 8, 8, 8, cudaChannelFormatKindUnsigned};

static cudaArray_t make_array(size_t width, size_t height, size_t depth, unsigned flags)
{
    const struct cudaExtent extent = {width, height, depth};
    cudaArray_t array = NULL;
    assert_success(cudaMalloc3DArray(&array, &float_desc, extent, flags));
    assert_non_null(array);
    return array;
}

static void assert_same_desc(struct cudaChannelFormatDesc seen, struct cudaChannelFormatDesc wanted)
{
    assert_int_equal(seen.x, wanted.x);
    assert_int_equal(seen.y, wanted.y);
    assert_int_equal(seen.z, wanted.z);
    assert_int_equal(seen.w, wanted.w);
    assert_int_equal(seen.f, wanted.f);
}

static void assert_info(cudaArray_t array, struct cudaExtent wanted, unsigned wanted_flags)
{
    struct cudaExtent extent = {9, 9, 9};
    unsigned flags = 99;
    assert_success(cudaArrayGetInfo(NULL, &extent, &flags, array));
    assert_int_equal(extent.width, wanted.width);
    assert_int_equal(extent.height, wanted.height);
    assert_int_equal(extent.depth, wanted.depth);
    assert_int_equal(flags, wanted_flags);
}

/* --- formats ---------------------------------------------------------------------------------- */

static void check_format(struct cudaChannelFormatDesc desc)
{
    struct cudaChannelFormatDesc seen = {0}, again = {0};
    cudaArray_t array = NULL;
    assert_success(cudaMallocArray(&array, &desc, 5, 3, 0));
    assert_success(cudaArrayGetInfo(&seen, NULL, NULL, array));
    assert_success(cudaGetChannelDesc(&again, array));
    assert_same_desc(seen, desc);
    assert_same_desc(again, desc);
    assert_success(cudaFreeArray(array));
}

TEST_BODY(memory_array_formats)
{
    static const enum cudaChannelFormatKind kinds[] = {
        cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat};
    for (int kind = 0; kind < 3; kind++) {
        for (int bits = kinds[kind] == cudaChannelFormatKindFloat ? 16 : 8; bits <= 32; bits *= 2) {
            check_format(cudaCreateChannelDesc(bits, 0, 0, 0, kinds[kind]));
            check_format(cudaCreateChannelDesc(bits, bits, 0, 0, kinds[kind]));
            check_format(cudaCreateChannelDesc(bits, bits, bits, bits, kinds[kind]));
        }
    }
    check_format(cudaCreateChannelDesc(8, 8, 0, 0, cudaChannelFormatKindUnsignedNormalized8X2));
    check_format(cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindSignedNormalized16X1));
}

TEST_BODY(memory_array_refuses_bad_formats)
{
    static const struct cudaChannelFormatDesc bad[] = {
        {8, 8, 8, 0, cudaChannelFormatKindUnsigned},
        {0, 0, 0, 0, cudaChannelFormatKindUnsigned},
        {0, 8, 0, 0, cudaChannelFormatKindUnsigned},
        {8, 0, 8, 0, cudaChannelFormatKindUnsigned},
        {8, 16, 0, 0, cudaChannelFormatKindUnsigned},
        {-8, 0, 0, 0, cudaChannelFormatKindSigned},
        {12, 0, 0, 0, cudaChannelFormatKindSigned},
        {64, 0, 0, 0, cudaChannelFormatKindSigned},
        {8, 0, 0, 0, cudaChannelFormatKindFloat},
        {32, 0, 0, 0, cudaChannelFormatKindNone},
        {8, 8, 0, 0, cudaChannelFormatKindUnsignedNormalized8X1},
    };
    cudaArray_t array = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cudaError_t error = cudaMallocArray(&array, &bad[i], 4, 4, 0);
        assert_true(error == cudaErrorInvalidChannelDescriptor || error == cudaErrorInvalidValue);
        assert_int_equal(cudaGetLastError(), error);
        assert_null(array);
    }
}

/* --- shapes ----------------------------------------------------------------------------------- */

TEST_BODY(memory_array_of_every_shape)
{
    static const struct {
        struct cudaExtent extent;
        unsigned flags;
    } shapes[] = {
        {{7, 0, 0}, 0},
        {{7, 5, 0}, 0},
        {{7, 5, 3}, cudaArraySurfaceLoadStore},
        {{7, 0, 3}, cudaArrayLayered},
        {{7, 5, 3}, cudaArrayLayered | cudaArraySurfaceLoadStore},
        {{5, 5, 6}, cudaArrayCubemap},
        {{5, 5, 12}, cudaArrayCubemap | cudaArrayLayered},
        {{7, 5, 0}, cudaArrayTextureGather},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const struct cudaExtent extent = shapes[i].extent;
        cudaArray_t array = make_array(extent.width, extent.height, extent.depth, shapes[i].flags);
        assert_info(array, extent, shapes[i].flags);
        assert_success(cudaFreeArray(array));
    }
}

TEST_BODY(memory_array_refuses_bad_shapes)
{
    static const struct {
        struct cudaExtent extent;
        unsigned flags;
    } shapes[] = {
        {{0, 0, 0}, 0},
        {{0, 4, 0}, 0},
        {{4, 0, 4}, 0},
        {{4, 4, 0}, cudaArrayLayered},
        {{4, 0, 0}, cudaArrayLayered},
        {{4, 5, 6}, cudaArrayCubemap},
        {{4, 4, 5}, cudaArrayCubemap},
        {{4, 4, 12}, cudaArrayCubemap},
        {{4, 4, 8}, cudaArrayCubemap | cudaArrayLayered},
        {{4, 4, 4}, cudaArrayTextureGather},
        {{4, 4, 0}, cudaArrayColorAttachment},
        {{SIZE_MAX, 0, 0}, 0},
        {{4, SIZE_MAX, 0}, 0},
        {{4, 4, SIZE_MAX}, 0},
        {{4, 4, (size_t)1 << 32}, cudaArrayLayered},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        cudaArray_t array = NULL;
        assert_fails(cudaErrorInvalidValue,
                     cudaMalloc3DArray(&array, &byte4_desc, shapes[i].extent, shapes[i].flags));
        assert_null(array);
    }
}

TEST_BODY(memory_array_refuses_what_is_beyond_the_device)
{
    struct cudaDeviceProp p;
    cudaArray_t array = NULL;
    assert_success(cudaGetDeviceProperties(&p, 0));
    if (p.maxTexture1D == 0)
        TEST_SKIP("the device has no images, and so no limits of them");
    assert_fails(cudaErrorInvalidValue,
                 cudaMallocArray(&array, &float_desc, (size_t)p.maxTexture1D + 1, 0, 0));
    assert_fails(cudaErrorInvalidValue,
                 cudaMallocArray(&array, &float_desc, 1, (size_t)p.maxTexture2D[1] + 1, 0));
    assert_success(cudaMallocArray(&array, &float_desc, (size_t)p.maxTexture1D, 0, 0));
    assert_success(cudaFreeArray(array));
    assert_success(cudaMallocArray(&array, &float_desc, 1, (size_t)p.maxTexture2D[1], 0));
    assert_success(cudaFreeArray(array));
}

TEST_BODY(memory_array_refuses_bad_arguments)
{
    const struct cudaExtent extent = {4, 4, 0};
    cudaArray_t array = NULL;
    cudaMipmappedArray_t mipmap = NULL;
    assert_fails(cudaErrorInvalidValue, cudaMallocArray(NULL, &float_desc, 4, 4, 0));
    assert_fails(cudaErrorInvalidValue, cudaMallocArray(&array, NULL, 4, 4, 0));
    assert_fails(cudaErrorInvalidValue, cudaMalloc3DArray(NULL, &float_desc, extent, 0));
    assert_fails(cudaErrorInvalidValue, cudaMalloc3DArray(&array, NULL, extent, 0));
    assert_fails(cudaErrorInvalidValue, cudaMallocMipmappedArray(NULL, &float_desc, extent, 1, 0));
    assert_fails(cudaErrorInvalidValue, cudaMallocMipmappedArray(&mipmap, NULL, extent, 1, 0));
    assert_null(array);
    assert_null(mipmap);
}

/* --- mipmaps ---------------------------------------------------------------------------------- */

TEST_BODY(memory_array_levels_halve)
{
    const struct cudaExtent extent = {20, 9, 3};
    cudaMipmappedArray_t mipmap = NULL;
    cudaArray_t level = NULL, again = NULL;
    assert_success(cudaMallocMipmappedArray(&mipmap, &float_desc, extent, 99, 0));
    for (unsigned i = 0; i < 5; i++) {
        const struct cudaExtent wanted = {20u >> i, 9u >> i > 0 ? 9u >> i : 1,
                                          3u >> i > 0 ? 3u >> i : 1};
        assert_success(cudaGetMipmappedArrayLevel(&level, mipmap, i));
        assert_success(cudaGetMipmappedArrayLevel(&again, mipmap, i));
        assert_ptr_equal(level, again);
        assert_info(level, wanted, 0);
    }
    assert_fails(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&level, mipmap, 5));
    assert_fails(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(NULL, mipmap, 0));
    assert_success(cudaFreeMipmappedArray(mipmap));
}

/* Layers are not halved, and a size that is 0 stays so. */
TEST_BODY(memory_array_levels_of_layers)
{
    const struct cudaExtent extent = {8, 0, 5};
    cudaMipmappedArray_t mipmap = NULL;
    cudaArray_t level = NULL;
    assert_success(cudaMallocMipmappedArray(&mipmap, &float_desc, extent, 3, cudaArrayLayered));
    assert_success(cudaGetMipmappedArrayLevel(&level, mipmap, 2));
    assert_info(level, (struct cudaExtent){2, 0, 5}, cudaArrayLayered);
    assert_fails(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&level, mipmap, 3));
    assert_success(cudaFreeMipmappedArray(mipmap));
}

TEST_BODY(memory_array_levels_belong_to_the_mipmap)
{
    const struct cudaExtent extent = {8, 8, 0};
    cudaMipmappedArray_t mipmap = NULL;
    cudaArray_t level = NULL;
    assert_success(cudaMallocMipmappedArray(&mipmap, &byte4_desc, extent, 0, 0));
    assert_success(cudaGetMipmappedArrayLevel(&level, mipmap, 0));
    assert_success(cudaFreeArray(level));
    assert_info(level, extent, 0);
    assert_success(cudaFreeMipmappedArray(mipmap));
    assert_int_not_equal(cudaArrayGetInfo(NULL, NULL, NULL, level), cudaSuccess);
    assert_int_not_equal(cudaGetMipmappedArrayLevel(&level, mipmap, 0), cudaSuccess);
    assert_int_not_equal(cudaFreeMipmappedArray(mipmap), cudaSuccess);
}

/* --- ending ----------------------------------------------------------------------------------- */

TEST_BODY(memory_array_free)
{
    int not_an_array = 0;
    assert_success(cudaFreeArray(NULL));
    assert_success(cudaFreeMipmappedArray(NULL));
    cudaArray_t array = make_array(4, 4, 0, 0);
    assert_success(cudaFreeArray(array));
    assert_int_not_equal(cudaFreeArray(array), cudaSuccess);
    assert_int_not_equal(cudaFreeArray((cudaArray_t)&not_an_array), cudaSuccess);
    assert_int_not_equal(cudaFreeMipmappedArray((cudaMipmappedArray_t)array), cudaSuccess);
    assert_int_not_equal(cudaArrayGetInfo(NULL, NULL, NULL, NULL), cudaSuccess);
    (void)cudaGetLastError();
}

static size_t free_memory(void)
{
    size_t available = 0, total = 0;
    assert_success(cudaMemGetInfo(&available, &total));
    return available;
}

/* Refused arrays keep nothing either. */
TEST_BODY(memory_array_gives_its_memory_back)
{
    const struct cudaExtent extent = {300, 200, 20};
    assert_success(cudaFreeArray(make_array(300, 200, 20, 0)));
    const size_t before = free_memory();
    for (int i = 0; i < 20; i++) {
        cudaMipmappedArray_t mipmap = NULL;
        cudaArray_t level = NULL, array = make_array(300, 200, 20, 0);
        assert_true(free_memory() < before);
        assert_success(cudaMallocMipmappedArray(&mipmap, &float_desc, extent, 4, 0));
        assert_success(cudaGetMipmappedArrayLevel(&level, mipmap, 3));
        assert_success(cudaFreeArray(array));
        assert_success(cudaFreeMipmappedArray(mipmap));
    }
    assert_int_equal(free_memory(), before);
}

TEST_BODY(memory_array_goes_with_its_context)
{
    const struct cudaExtent extent = {8, 8, 0};
    cudaMipmappedArray_t mipmap = NULL;
    cudaArray_t level = NULL, array = make_array(8, 8, 0, 0);
    assert_success(cudaMallocMipmappedArray(&mipmap, &float_desc, extent, 2, 0));
    assert_success(cudaGetMipmappedArrayLevel(&level, mipmap, 1));
    assert_success(cudaDeviceReset());
    assert_int_not_equal(cudaArrayGetInfo(NULL, NULL, NULL, array), cudaSuccess);
    assert_int_not_equal(cudaArrayGetInfo(NULL, NULL, NULL, level), cudaSuccess);
    assert_int_not_equal(cudaFreeArray(array), cudaSuccess);
    assert_int_not_equal(cudaFreeMipmappedArray(mipmap), cudaSuccess);
    (void)cudaGetLastError();
    assert_success(cudaFreeArray(make_array(8, 8, 0, 0)));
}

/* --- threads ---------------------------------------------------------------------------------- */

static cudaMipmappedArray_t shared_mipmap;

struct seen_levels {
    cudaArray_t levels[8];
};

static void *ask_and_make(void *data)
{
    struct seen_levels *seen = data;
    for (unsigned i = 0; i < 8; i++)
        THREAD_SUCCESS(cudaGetMipmappedArrayLevel(&seen->levels[i], shared_mipmap, i));
    for (int i = 0; i < 50; i++) {
        cudaArray_t array = NULL;
        struct cudaExtent extent = {0, 0, 0};
        THREAD_SUCCESS(cudaMallocArray(&array, &float_desc, 10 + (size_t)i, 3, 0));
        THREAD_SUCCESS(cudaArrayGetInfo(NULL, &extent, NULL, array));
        THREAD_CHECK(extent.width == 10 + (size_t)i);
        THREAD_SUCCESS(cudaFreeArray(array));
    }
    return NULL;
}

/* Every thread sees the same levels, whoever asks first. */
TEST_BODY(memory_array_many_threads)
{
    enum { THREADS = 6 };
    static struct seen_levels seen[THREADS];
    const struct cudaExtent extent = {128, 128, 0};
    assert_success(cudaMallocMipmappedArray(&shared_mipmap, &float_desc, extent, 8, 0));
    run_threads(THREADS, ask_and_make, seen, sizeof seen[0]);
    for (int i = 1; i < THREADS; i++)
        assert_memory_equal(&seen[i], &seen[0], sizeof seen[0]);
    assert_success(cudaFreeMipmappedArray(shared_mipmap));
}
