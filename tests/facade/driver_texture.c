/* Tests of facade/driver/driver_texture.c: the driver API's texture and surface objects.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/driver_support.h"

enum { SIDE = 8 };

static CUarray make_array(CUarray_format format, unsigned channels, unsigned flags)
{
    const CUDA_ARRAY3D_DESCRIPTOR desc = {SIDE, SIDE, 0, format, channels, flags};
    CUarray array = NULL;
    assert_driver(cuArray3DCreate(&array, &desc));
    return array;
}

static CUDA_RESOURCE_DESC array_resource(CUarray array)
{
    return (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array};
}

TEST_BODY(driver_texture_is_read_by_kernels)
{
    static const char text[] = "#include \"clem_device.h\"\n"
                               "kernel void read(CLEM_TEXTURE2D(t), global uint4 *out) {\n"
                               "    out[get_global_id(0)] = tex2D(uint4, t, 1.5f, 0.5f);\n"
                               "}\n";
    unsigned texels[SIDE * SIDE * 4];
    driver_use_primary();
    CUarray array = make_array(CU_AD_FORMAT_UNSIGNED_INT32, 4, 0);
    for (unsigned i = 0; i < SIDE * SIDE * 4; i++)
        texels[i] = i + 1;
    const CUDA_MEMCPY2D copy = {
        .srcMemoryType = CU_MEMORYTYPE_HOST,
        .srcHost = texels,
        .srcPitch = SIDE * 16,
        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
        .dstArray = array,
        .WidthInBytes = SIDE * 16,
        .Height = SIDE,
    };
    assert_driver(cuMemcpy2D(&copy));
    const CUDA_RESOURCE_DESC resource = array_resource(array);
    const CUDA_TEXTURE_DESC desc = {.flags = CU_TRSF_READ_AS_INTEGER};
    CUtexObject texture = 0;
    assert_driver(cuTexObjectCreate(&texture, &resource, &desc, NULL));
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr out = driver_allocate(16);
    unsigned got[4] = {0};
    void *args[] = {&texture, &out};
    assert_driver(cuModuleLoadData(&module, text));
    assert_driver(cuModuleGetFunction(&function, module, "read"));
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    assert_driver(cuMemcpyDtoH(got, out, sizeof got));
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(got[i], texels[4 + i]);
    assert_driver(cuTexObjectDestroy(texture));
    assert_driver(cuMemFree(out));
    assert_driver(cuModuleUnload(module));
    assert_driver(cuArrayDestroy(array));
}

TEST_BODY(driver_texture_tells_its_descriptions)
{
    driver_use_primary();
    CUdeviceptr memory = driver_allocate(4096);
    const CUDA_RESOURCE_DESC resource = {
        .resType = CU_RESOURCE_TYPE_PITCH2D,
        .res.pitch2D = {memory, CU_AD_FORMAT_HALF, 2, 16, 8, 64},
    };
    const CUDA_TEXTURE_DESC desc = {
        .addressMode = {CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER},
        .filterMode = CU_TR_FILTER_MODE_LINEAR,
        .flags = CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB,
        .maxAnisotropy = 3,
        .borderColor = {1, 2, 3, 4},
    };
    CUtexObject texture = 0;
    CUDA_RESOURCE_DESC got;
    CUDA_TEXTURE_DESC got_desc;
    CUDA_RESOURCE_VIEW_DESC view = {.width = 99};
    assert_driver(cuTexObjectCreate(&texture, &resource, &desc, NULL));
    assert_driver(cuTexObjectGetResourceDesc(&got, texture));
    assert_memory_equal(&got.res.pitch2D, &resource.res.pitch2D, sizeof got.res.pitch2D);
    assert_driver(cuTexObjectGetTextureDesc(&got_desc, texture));
    assert_memory_equal(&got_desc, &desc, sizeof desc);
    assert_driver(cuTexObjectGetResourceViewDesc(&view, texture));
    assert_int_equal(view.width, 99);
    assert_int_equal(cuTexObjectGetResourceDesc(NULL, texture), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuTexObjectDestroy(texture));
    assert_int_equal(cuTexObjectGetTextureDesc(&got_desc, texture), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuTexObjectDestroy(texture));
    assert_driver(cuMemFree(memory));
}

TEST_BODY(driver_texture_refuses_bad_arguments)
{
    driver_use_primary();
    CUarray array = make_array(CU_AD_FORMAT_FLOAT, 1, 0);
    CUDA_RESOURCE_DESC resource = array_resource(array);
    CUDA_TEXTURE_DESC desc = {.flags = 0};
    CUtexObject texture = 0;
    const CUresult bad = CUDA_ERROR_INVALID_VALUE;
    assert_int_equal(cuTexObjectCreate(NULL, &resource, &desc, NULL), bad);
    assert_int_equal(cuTexObjectCreate(&texture, NULL, &desc, NULL), bad);
    assert_int_equal(cuTexObjectCreate(&texture, &resource, NULL, NULL), bad);
    resource.flags = 1;
    assert_int_equal(cuTexObjectCreate(&texture, &resource, &desc, NULL), bad);
    resource = array_resource(NULL);
    assert_int_equal(cuTexObjectCreate(&texture, &resource, &desc, NULL), bad);
    resource = array_resource(array);
    desc.flags = 0x80;
    assert_int_equal(cuTexObjectCreate(&texture, &resource, &desc, NULL), bad);
    desc.flags = 0;
    desc.reserved[3] = 1;
    assert_int_equal(cuTexObjectCreate(&texture, &resource, &desc, NULL), bad);
    assert_int_equal(texture, 0);
    assert_driver(cuArrayDestroy(array));
}

TEST_BODY(driver_texture_surfaces)
{
    driver_use_primary();
    CUarray array = make_array(CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST);
    CUDA_RESOURCE_DESC resource = array_resource(array);
    CUDA_RESOURCE_DESC got;
    CUsurfObject surface = 0;
    assert_int_equal(cuSurfObjectCreate(NULL, &resource), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuSurfObjectCreate(&surface, &resource));
    assert_driver(cuSurfObjectGetResourceDesc(&got, surface));
    assert_ptr_equal(got.res.array.hArray, array);
    assert_int_equal(cuTexObjectGetResourceDesc(&got, surface), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuSurfObjectDestroy(surface));
    assert_int_equal(cuSurfObjectGetResourceDesc(&got, surface), CUDA_ERROR_INVALID_VALUE);
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    assert_int_equal(cuSurfObjectCreate(&surface, &resource), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuArrayDestroy(array));
}

/* One object has one number in both APIs. */
TEST_BODY(driver_texture_is_the_runtimes)
{
    driver_use_primary();
    CUarray array = make_array(CU_AD_FORMAT_UNSIGNED_INT8, 4, 0);
    const CUDA_RESOURCE_DESC resource = array_resource(array);
    const CUDA_TEXTURE_DESC desc = {.flags = 0};
    struct cudaTextureDesc got;
    CUtexObject texture = 0;
    assert_driver(cuTexObjectCreate(&texture, &resource, &desc, NULL));
    assert_int_equal(cudaGetTextureObjectTextureDesc(&got, texture), cudaSuccess);
    assert_int_equal(got.readMode, cudaReadModeNormalizedFloat);
    assert_int_equal(cudaDestroyTextureObject(texture), cudaSuccess);
    assert_int_equal(cuTexObjectGetResourceDesc(&(CUDA_RESOURCE_DESC){0}, texture),
                     CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuArrayDestroy(array));
}

TEST_BODY(driver_texture_needs_a_context)
{
    CUtexObject texture = 0;
    const CUDA_RESOURCE_DESC resource = array_resource(NULL);
    const CUDA_TEXTURE_DESC desc = {.flags = 0};
    assert_int_equal(cuTexObjectCreate(&texture, &resource, &desc, NULL),
                     CUDA_ERROR_NOT_INITIALIZED);
    assert_driver(cuInit(0));
    assert_int_equal(cuTexObjectCreate(&texture, &resource, &desc, NULL),
                     CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuTexObjectDestroy(1), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuSurfObjectCreate(&texture, &resource), CUDA_ERROR_INVALID_CONTEXT);
}
