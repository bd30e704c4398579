/* Tests of facade/driver/driver_array.c and of the driver's copies with arrays.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/driver_support.h"

enum { WIDTH = 20, HEIGHT = 9, DEPTH = 4, ELEMENT = 4, ROW = WIDTH * ELEMENT };
enum { BYTES = ROW * HEIGHT * DEPTH };

static const CUDA_ARRAY3D_DESCRIPTOR volume = {
    .Width = WIDTH,
    .Height = HEIGHT,
    .Depth = DEPTH,
    .Format = CU_AD_FORMAT_UNSIGNED_INT8,
    .NumChannels = 4,
};

static CUarray make_volume(void)
{
    CUarray array = NULL;
    assert_driver(cuArray3DCreate(&array, &volume));
    assert_non_null(array);
    return array;
}

static CUarray make_line(void)
{
    const CUDA_ARRAY_DESCRIPTOR descriptor = {
        .Width = WIDTH, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    CUarray array = NULL;
    assert_driver(cuArrayCreate(&array, &descriptor));
    return array;
}

/* Between memory without gaps and the whole of a volume. */
static CUDA_MEMCPY3D whole(CUarray array, void *host, int is_read)
{
    CUDA_MEMCPY3D copy = {.WidthInBytes = ROW, .Height = HEIGHT, .Depth = DEPTH};
    if (is_read) {
        copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.srcArray = array;
        copy.dstMemoryType = CU_MEMORYTYPE_HOST;
        copy.dstHost = host;
        copy.dstPitch = ROW;
        copy.dstHeight = HEIGHT;
    } else {
        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = host;
        copy.srcPitch = ROW;
        copy.srcHeight = HEIGHT;
        copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.dstArray = array;
    }
    return copy;
}

static void fill_volume(CUarray array, unsigned char *model, uint32_t seed)
{
    fill_with(model, BYTES, seed);
    const CUDA_MEMCPY3D copy = whole(array, model, 0);
    assert_driver(cuMemcpy3D(&copy));
}

static void check_volume(CUarray array, const unsigned char *model)
{
    unsigned char *seen = calloc(1, BYTES);
    assert_non_null(seen);
    const CUDA_MEMCPY3D copy = whole(array, seen, 1);
    assert_driver(cuMemcpy3D(&copy));
    assert_memory_equal(seen, model, BYTES);
    free(seen);
}

static unsigned char *at(unsigned char *model, size_t x, size_t y, size_t z)
{
    return model + (z * HEIGHT + y) * ROW + x;
}

/* --- making and asking ------------------------------------------------------------------------ */

TEST_BODY(driver_array_formats)
{
    static const CUarray_format formats[] = {
        CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32,
        CU_AD_FORMAT_SIGNED_INT8,   CU_AD_FORMAT_SIGNED_INT16,   CU_AD_FORMAT_SIGNED_INT32,
        CU_AD_FORMAT_HALF,          CU_AD_FORMAT_FLOAT};
    driver_use_primary();
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        for (unsigned channels = 0; channels < 6; channels++) {
            const CUDA_ARRAY_DESCRIPTOR descriptor = {
                .Width = 5, .Height = 3, .Format = formats[i], .NumChannels = channels};
            const int is_good = channels == 1 || channels == 2 || channels == 4;
            CUDA_ARRAY_DESCRIPTOR seen = {0};
            CUarray array = NULL;
            assert_int_equal(cuArrayCreate(&array, &descriptor),
                             is_good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
            if (!is_good)
                continue;
            assert_driver(cuArrayGetDescriptor(&seen, array));
            assert_int_equal(seen.Width, 5);
            assert_int_equal(seen.Height, 3);
            assert_int_equal(seen.Format, formats[i]);
            assert_int_equal(seen.NumChannels, channels);
            assert_driver(cuArrayDestroy(array));
        }
    }
}

TEST_BODY(driver_array_refuses_bad_descriptors)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor = volume;
    CUarray array = NULL;
    CUmipmappedArray mipmap = NULL;
    driver_use_primary();
    assert_int_equal(cuArray3DCreate(NULL, &volume), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuArray3DCreate(&array, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuArrayCreate(&array, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMipmappedArrayCreate(&mipmap, NULL, 1), CUDA_ERROR_INVALID_VALUE);
    descriptor.Width = 0;
    assert_int_equal(cuArray3DCreate(&array, &descriptor), CUDA_ERROR_INVALID_VALUE);
    descriptor = volume;
    descriptor.Format = (CUarray_format)7;
    assert_int_equal(cuArray3DCreate(&array, &descriptor), CUDA_ERROR_INVALID_VALUE);
    descriptor = volume;
    descriptor.Height = 0;
    assert_int_equal(cuArray3DCreate(&array, &descriptor), CUDA_ERROR_INVALID_VALUE);
    descriptor = volume;
    descriptor.Flags = CUDA_ARRAY3D_DEPTH_TEXTURE;
    assert_int_equal(cuArray3DCreate(&array, &descriptor), CUDA_ERROR_INVALID_VALUE);
    descriptor = volume;
    descriptor.Format = CU_AD_FORMAT_BC1_UNORM;
    assert_int_not_equal(cuArray3DCreate(&array, &descriptor), CUDA_SUCCESS);
    assert_null(array);
    assert_null(mipmap);
}

TEST_BODY(driver_array_describes_itself)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor = volume, seen = {0};
    driver_use_primary();
    descriptor.Flags = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST;
    CUarray array = NULL;
    assert_driver(cuArray3DCreate(&array, &descriptor));
    assert_driver(cuArray3DGetDescriptor(&seen, array));
    assert_int_equal(seen.Width, WIDTH);
    assert_int_equal(seen.Height, HEIGHT);
    assert_int_equal(seen.Depth, DEPTH);
    assert_int_equal(seen.Format, CU_AD_FORMAT_UNSIGNED_INT8);
    assert_int_equal(seen.NumChannels, 4);
    assert_int_equal(seen.Flags, descriptor.Flags);
    assert_int_equal(cuArray3DGetDescriptor(NULL, array), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuArrayDestroy(array));
    assert_int_not_equal(cuArray3DGetDescriptor(&seen, array), CUDA_SUCCESS);
    assert_int_not_equal(cuArrayGetDescriptor(&(CUDA_ARRAY_DESCRIPTOR){0}, NULL), CUDA_SUCCESS);
    assert_int_not_equal(cuArrayDestroy(array), CUDA_SUCCESS);
    assert_int_not_equal(cuArrayDestroy(NULL), CUDA_SUCCESS);
}

TEST_BODY(driver_array_levels)
{
    CUDA_ARRAY3D_DESCRIPTOR seen = {0};
    CUmipmappedArray mipmap = NULL;
    CUarray level = NULL, again = NULL;
    driver_use_primary();
    assert_driver(cuMipmappedArrayCreate(&mipmap, &volume, 3));
    assert_driver(cuMipmappedArrayGetLevel(&level, mipmap, 2));
    assert_driver(cuMipmappedArrayGetLevel(&again, mipmap, 2));
    assert_ptr_equal(level, again);
    assert_driver(cuArray3DGetDescriptor(&seen, level));
    assert_int_equal(seen.Width, WIDTH / 4);
    assert_int_equal(seen.Height, HEIGHT / 4);
    assert_int_equal(seen.Depth, DEPTH / 4);
    assert_int_equal(cuMipmappedArrayGetLevel(&level, mipmap, 3), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuArrayDestroy(again)); /* which changes nothing */
    assert_driver(cuArray3DGetDescriptor(&seen, again));
    assert_driver(cuMipmappedArrayDestroy(mipmap));
    assert_int_not_equal(cuMipmappedArrayDestroy(mipmap), CUDA_SUCCESS);
    assert_int_not_equal(cuArray3DGetDescriptor(&seen, again), CUDA_SUCCESS);
}

/* One array through both APIs. */
TEST_BODY(driver_array_is_the_runtimes)
{
    struct cudaChannelFormatDesc desc = {0};
    struct cudaExtent extent = {0, 0, 0};
    driver_use_primary();
    CUarray array = make_volume();
    assert_int_equal(cudaArrayGetInfo(&desc, &extent, NULL, (cudaArray_t)array), cudaSuccess);
    assert_int_equal(desc.x, 8);
    assert_int_equal(desc.w, 8);
    assert_int_equal(desc.f, cudaChannelFormatKindUnsigned);
    assert_int_equal(extent.depth, DEPTH);
    assert_int_equal(cudaFreeArray((cudaArray_t)array), cudaSuccess);
    assert_int_not_equal(cuArrayDestroy(array), CUDA_SUCCESS);
}

TEST_BODY(driver_array_goes_with_its_context)
{
    CUcontext context = NULL;
    CUDA_ARRAY3D_DESCRIPTOR seen;
    CUmipmappedArray mipmap = NULL;
    driver_use_primary();
    assert_driver(cuCtxCreate(&context, NULL, 0, 0));
    CUarray array = make_volume();
    assert_driver(cuMipmappedArrayCreate(&mipmap, &volume, 2));
    assert_driver(cuCtxDestroy(context));
    driver_use_primary();
    assert_int_not_equal(cuArray3DGetDescriptor(&seen, array), CUDA_SUCCESS);
    assert_int_not_equal(cuMipmappedArrayDestroy(mipmap), CUDA_SUCCESS);
}

/* --- linear copies ---------------------------------------------------------------------------- */

TEST_BODY(driver_array_linear_forms)
{
    unsigned char bytes[ROW], seen[ROW], model[ROW];
    driver_use_primary();
    CUarray a = make_line(), b = make_line();
    CUdeviceptr d = driver_allocate(ROW);
    fill_with(bytes, ROW, 1);
    assert_driver(cuMemcpyHtoA(a, 0, bytes, ROW));
    assert_driver(cuMemcpyHtoA(a, 8, bytes, 20));
    memcpy(model, bytes, ROW);
    memcpy(model + 8, bytes, 20);
    assert_driver(cuMemcpyAtoH(seen, a, 0, ROW));
    assert_memory_equal(seen, model, ROW);
    assert_driver(cuMemcpyAtoA(b, 0, a, 4, ROW - 4));
    assert_driver(cuMemcpyAtoA(b, ROW - 4, a, 0, 4));
    assert_driver(cuMemcpyAtoD(d, b, 0, ROW));
    assert_driver(cuMemcpyDtoH(seen, d, ROW));
    assert_memory_equal(seen, model + 4, ROW - 4);
    assert_memory_equal(seen + ROW - 4, model, 4);
    assert_driver(cuMemcpyDtoA(a, 4, d, ROW - 4));
    assert_driver(cuMemcpyAtoH(seen, a, 4, ROW - 4));
    assert_memory_equal(seen, model + 4, ROW - 4);
    assert_driver(cuArrayDestroy(a));
    assert_driver(cuArrayDestroy(b));
}

TEST_BODY(driver_array_async_forms)
{
    void *pinned = NULL;
    CUstream stream = NULL;
    unsigned char bytes[ROW];
    driver_use_primary();
    CUarray a = make_line();
    assert_driver(cuMemAllocHost(&pinned, ROW));
    assert_driver(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    fill_with(bytes, ROW, 2);
    assert_driver(cuMemcpyHtoAAsync(a, 0, bytes, ROW, stream));
    assert_driver(cuMemcpyAtoHAsync(pinned, a, 0, ROW, stream));
    assert_driver(cuStreamSynchronize(stream));
    assert_memory_equal(pinned, bytes, ROW);
    assert_driver(cuStreamDestroy(stream));
    assert_driver(cuMemFreeHost(pinned));
    assert_driver(cuArrayDestroy(a));
}

TEST_BODY(driver_array_linear_refusals)
{
    unsigned char bytes[ROW + 4] = {0};
    driver_use_primary();
    CUarray a = make_line();
    CUdeviceptr d = driver_allocate(ROW);
    assert_int_equal(cuMemcpyHtoA(a, 0, bytes, ROW + 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyHtoA(a, 4, bytes, ROW), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyHtoA(a, SIZE_MAX - 3, bytes, 8), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyHtoA(a, ROW - 2, bytes, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyHtoA(a, 0, NULL, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoA(a, 0, d + 8, ROW), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyAtoD((CUdeviceptr)(uintptr_t)bytes, a, 0, 4),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_not_equal(cuMemcpyHtoA(NULL, 0, bytes, 4), CUDA_SUCCESS);
    assert_driver(cuMemcpyHtoA(a, 0, bytes, 0));
    assert_driver(cuArrayDestroy(a));
}

/* --- rectangles and volumes ------------------------------------------------------------------- */

TEST_BODY(driver_array_2d_forms)
{
    driver_use_primary();
    CUarray array = make_volume();
    unsigned char *model = malloc(BYTES), bytes[500];
    fill_volume(array, model, 3);
    fill_with(bytes, sizeof bytes, 4);
    CUDA_MEMCPY2D copy = {
        .srcXInBytes = 3,
        .srcY = 1,
        .srcMemoryType = CU_MEMORYTYPE_HOST,
        .srcHost = bytes,
        .srcPitch = 70,
        .dstXInBytes = 8,
        .dstY = 2,
        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
        .dstArray = array,
        .WidthInBytes = 60,
        .Height = 5,
    };
    assert_driver(cuMemcpy2D(&copy));
    for (size_t y = 0; y < 5; y++)
        memcpy(at(model, 8, 2 + y, 0), bytes + (1 + y) * 70 + 3, 60);
    check_volume(array, model);
    copy.dstXInBytes = 24;
    assert_int_equal(cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
    copy.dstXInBytes = 21;
    assert_int_equal(cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
    copy.dstXInBytes = 0;
    copy.dstY = 5;
    assert_int_equal(cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
    copy.dstArray = NULL;
    assert_int_not_equal(cuMemcpy2D(&copy), CUDA_SUCCESS);
    check_volume(array, model);
    assert_driver(cuArrayDestroy(array));
    free(model);
}

TEST_BODY(driver_array_3d_between_arrays)
{
    driver_use_primary();
    CUarray a = make_volume(), b = make_volume();
    unsigned char *model_a = malloc(BYTES), *model_b = malloc(BYTES);
    fill_volume(a, model_a, 5);
    fill_volume(b, model_b, 6);
    CUDA_MEMCPY3D copy = {
        .srcXInBytes = 4,
        .srcY = 1,
        .srcZ = 2,
        .srcMemoryType = CU_MEMORYTYPE_ARRAY,
        .srcArray = a,
        .dstXInBytes = 12,
        .dstY = 3,
        .dstZ = 1,
        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
        .dstArray = b,
        .WidthInBytes = 40,
        .Height = 6,
        .Depth = 2,
    };
    assert_driver(cuMemcpy3D(&copy));
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 6; y++)
            memcpy(at(model_b, 12, 3 + y, 1 + z), at(model_a, 4, 1 + y, 2 + z), 40);
    check_volume(b, model_b);
    copy.srcLOD = 1;
    assert_int_equal(cuMemcpy3D(&copy), CUDA_ERROR_INVALID_VALUE);
    copy.srcLOD = 0;
    copy.dstZ = 3;
    assert_int_equal(cuMemcpy3D(&copy), CUDA_ERROR_INVALID_VALUE);
    check_volume(b, model_b);
    check_volume(a, model_a);
    assert_driver(cuArrayDestroy(a));
    assert_driver(cuArrayDestroy(b));
    free(model_a);
    free(model_b);
}
