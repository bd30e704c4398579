/* Operations of the driver API: arrays, textures, surfaces, and references to them.
 * SPDX-License-Identifier: Apache-2.0 */
#define __CUDA_API_VERSION_INTERNAL /* names are symbols, and old versions have theirs */
#include "operation.h"

enum { SIDE = 32, BYTES = SIDE * SIDE * 4 };

static char host[2 * BYTES];

static const CUDA_ARRAY_DESCRIPTOR plane = {SIDE, SIDE, CU_AD_FORMAT_FLOAT, 1};

static int use_device(void)
{
    int error = 0;
    TRY(cuInit, 0);
    TRY(cudaFree, NULL); /* the primary context is current */
    return error;
}

/* ---- Arrays ---- */

static int copy_arrays(CUarray one, CUarray other, CUdeviceptr memory)
{
    int error = 0;
    memset(host, 3, sizeof host);
    TRY(cuMemcpyHtoA_v2, one, 0, host, 3 * SIDE);
    TRY(cuMemcpyHtoAAsync_v2, one, 0, host, BYTES / SIDE, NULL);
    TRY(cuStreamSynchronize, NULL);
    TRY(cuMemcpyAtoA_v2, other, 0, one, 0, SIDE * 4);
    TRY(cuMemcpyAtoD_v2, memory, other, 0, SIDE * 4);
    TRY(cuMemcpyDtoA_v2, other, 0, memory, SIDE * 4);
    memset(host, 0, sizeof host);
    TRY(cuMemcpyAtoH_v2, host, other, 0, SIDE * 4);
    TRY(cuMemcpyAtoHAsync_v2, host + BYTES, one, 0, SIDE * 4, NULL);
    TRY(cuStreamSynchronize, NULL);
    CHECK(host[0] == 3 && host[SIDE * 4 - 1] == 3 && host[BYTES] == 3);
    return error;
}

static int copy_by_old_names(CUarray one, CUarray other)
{
    int error = 0;
    memset(host, 5, sizeof host);
    TRY(cuMemcpyHtoA, one, 0, host, SIDE);
    TRY(cuMemcpyHtoAAsync, one, 0, host, SIDE * 4, NULL);
    TRY(cuStreamSynchronize, NULL);
    TRY(cuMemcpyAtoA, other, 0, one, 0, SIDE * 4);
    memset(host, 0, sizeof host);
    TRY(cuMemcpyAtoH, host, other, 0, SIDE * 4);
    TRY(cuMemcpyAtoHAsync, host + BYTES, one, 0, SIDE * 4, NULL);
    TRY(cuStreamSynchronize, NULL);
    CHECK(host[0] == 5 && host[SIDE * 4 - 1] == 5 && host[BYTES] == 5);
    /* Their addresses of devices have 32 bits: there is nothing to copy. */
    (void)CALL(cuMemcpyDtoA, one, 0, 0, 0);
    (void)CALL(cuMemcpyAtoD, 0, one, 0, 0);
    return error;
}

static int make_old_arrays(void)
{
    const CUDA_ARRAY_DESCRIPTOR_v1 flat = {SIDE, SIDE, CU_AD_FORMAT_FLOAT, 1};
    const CUDA_ARRAY3D_DESCRIPTOR_v1 deep = {SIDE, SIDE, 2, CU_AD_FORMAT_FLOAT, 1, 0};
    CUDA_ARRAY_DESCRIPTOR_v1 found = {0};
    CUDA_ARRAY3D_DESCRIPTOR_v1 found_deep = {0};
    CUarray one = NULL, other = NULL;
    int error = 0;
    TRY(cuArrayCreate, &one, &flat);
    TRY(cuArray3DCreate, &other, &deep);
    TRY(cuArrayGetDescriptor, &found, one);
    TRY(cuArray3DGetDescriptor, &found_deep, other);
    CHECK(found.Width == SIDE && found_deep.Depth == 2);
    if (other != NULL)
        END(cuArrayDestroy, other);
    other = NULL;
    TRY(cuArrayCreate, &other, &flat);
    if (error == 0)
        error = copy_by_old_names(one, other);
    if (other != NULL)
        END(cuArrayDestroy, other);
    if (one != NULL)
        END(cuArrayDestroy, one);
    return error;
}

/* What no array has. */
static int ask_for_more(CUarray array, CUmipmappedArray mipmap)
{
    CUDA_ARRAY_MEMORY_REQUIREMENTS needs;
    CUDA_ARRAY_SPARSE_PROPERTIES sparse;
    CUarray part = NULL;
    int error = 0;
    CHECK(CALL(cuArrayGetPlane, &part, array, 0) != 0);
    CHECK(CALL(cuArrayGetMemoryRequirements, &needs, array, 0) != 0);
    CHECK(CALL(cuMipmappedArrayGetMemoryRequirements, &needs, mipmap, 0) != 0);
    CHECK(CALL(cuArrayGetSparseProperties, &sparse, array) != 0);
    CHECK(CALL(cuMipmappedArrayGetSparseProperties, &sparse, mipmap) != 0);
    return error;
}

int operation_driver_arrays(void)
{
    const CUDA_ARRAY3D_DESCRIPTOR deep = {SIDE, SIDE, 2, CU_AD_FORMAT_FLOAT, 1, 0};
    const CUDA_ARRAY3D_DESCRIPTOR levels = {2 * SIDE, 2 * SIDE, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUDA_ARRAY_DESCRIPTOR found = {0};
    CUDA_ARRAY3D_DESCRIPTOR found_deep = {0};
    CUarray one = NULL, volume = NULL, level = NULL;
    CUmipmappedArray mipmap = NULL;
    CUdeviceptr memory = 0;
    int error = use_device();
    TRY(cuMemAlloc_v2, &memory, BYTES);
    TRY(cuArrayCreate_v2, &one, &plane);
    TRY(cuArray3DCreate_v2, &volume, &deep);
    TRY(cuMipmappedArrayCreate, &mipmap, &levels, 2);
    TRY(cuMipmappedArrayGetLevel, &level, mipmap, 1);
    TRY(cuArrayGetDescriptor_v2, &found, one);
    TRY(cuArray3DGetDescriptor_v2, &found_deep, volume);
    CHECK(found.Width == SIDE && found_deep.Depth == 2);
    if (error == 0)
        error = ask_for_more(one, mipmap);
    if (error == 0)
        error = copy_arrays(one, level, memory);
    if (error == 0)
        error = make_old_arrays();
    if (mipmap != NULL)
        END(cuMipmappedArrayDestroy, mipmap);
    if (volume != NULL)
        END(cuArrayDestroy, volume);
    if (one != NULL)
        END(cuArrayDestroy, one);
    if (memory != 0)
        END(cuMemFree_v2, memory);
    return error;
}

/* ---- Texture and surface objects, which a PTX kernel finds in memory ---- */

static const char chooser[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                              ".visible .entry chosen(.param .u64 handle, .param .u64 out)\n{\n"
                              "    .reg .b64 %rd<8>;\n    .reg .f32 %f<8>;\n"
                              "    ld.param.u64 %rd1, [handle];\n    ld.param.u64 %rd2, [out];\n"
                              "    mov.f32 %f1, 0f3FC00000;\n    mov.f32 %f2, 0f3F000000;\n"
                              "    ld.global.u64 %rd4, [%rd1];\n"
                              "    tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%rd4, {%f1,%f2}];\n"
                              "    st.global.f32 [%rd2], %f3;\n    ret;\n}\n";

static int fetch_chosen(CUmodule module, CUdeviceptr memory, CUtexObject texture, float expected)
{
    CUfunction function = NULL;
    CUdeviceptr out = memory + 64;
    float found = 0;
    int error = 0;
    void *args[] = {&memory, &out};
    TRY(cuMemcpyHtoD_v2, memory, &texture, sizeof texture);
    TRY(cuModuleGetFunction, &function, module, "chosen");
    TRY(cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
    TRY(cuMemcpyDtoH_v2, &found, out, sizeof found);
    CHECK(found == expected);
    return error;
}

static int use_chosen(CUarray array, CUtexObject texture)
{
    float texels[SIDE];
    CUmodule module = NULL;
    CUdeviceptr memory = 0;
    int error = 0;
    for (int i = 0; i < SIDE; i++)
        texels[i] = (float)i + 10;
    TRY(cuMemcpyHtoA_v2, array, 0, texels, sizeof texels);
    TRY(cuMemAlloc_v2, &memory, 256);
    TRY(cuModuleLoadData, &module, chooser);
    if (error == 0)
        error = fetch_chosen(module, memory, texture, 11);
    if (module != NULL)
        END(cuModuleUnload, module);
    if (memory != 0)
        END(cuMemFree_v2, memory);
    return error;
}

static int use_objects(CUarray array)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUDA_TEXTURE_DESC sampling = {0}, found_sampling;
    CUDA_RESOURCE_DESC found;
    CUDA_RESOURCE_VIEW_DESC view;
    CUtexObject texture = 0;
    CUsurfObject surface = 0;
    int error = 0;
    resource.res.array.hArray = array;
    TRY(cuTexObjectCreate, &texture, &resource, &sampling, NULL);
    TRY(cuSurfObjectCreate, &surface, &resource);
    TRY(cuTexObjectGetResourceDesc, &found, texture);
    TRY(cuTexObjectGetTextureDesc, &found_sampling, texture);
    TRY(cuSurfObjectGetResourceDesc, &found, surface);
    CHECK(found.res.array.hArray == array);
    if (error == 0) /* it has no view: the answer is a refusal, without a call of the driver */
        (void)CALL(cuTexObjectGetResourceViewDesc, &view, texture);
    if (error == 0)
        error = use_chosen(array, texture);
    if (surface != 0)
        END(cuSurfObjectDestroy, surface);
    if (texture != 0)
        END(cuTexObjectDestroy, texture);
    return error;
}

int operation_texture_table(void)
{
    const CUDA_ARRAY3D_DESCRIPTOR drawn = {
        SIDE, SIDE, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
    CUarray array = NULL;
    int error = use_device();
    TRY(cuArray3DCreate_v2, &array, &drawn);
    if (error == 0)
        error = use_objects(array);
    if (array != NULL)
        END(cuArrayDestroy, array);
    return error;
}

/* ---- References ---- */

static const char reference_code[] =
    "#include \"clem_device.h\"\n"
    "kernel void read(CLEM_TEXTURE_REFERENCE2D(source), global float *out)\n"
    "{ out[0] = tex2D(float, source, 1.5f, 1.5f); }\n"
    "kernel void draw(CLEM_SURFACE_REFERENCE(canvas), float value)\n"
    "{ surf2Dwrite(float, value, canvas, 4, 1); }\n";

static int set_reference(CUtexref reference)
{
    float color[4] = {0, 0, 0, 0};
    int error = 0;
    TRY(cuTexRefSetFormat, reference, CU_AD_FORMAT_FLOAT, 1);
    TRY(cuTexRefSetAddressMode, reference, 0, CU_TR_ADDRESS_MODE_CLAMP);
    TRY(cuTexRefSetFilterMode, reference, CU_TR_FILTER_MODE_POINT);
    TRY(cuTexRefSetMipmapFilterMode, reference, CU_TR_FILTER_MODE_POINT);
    TRY(cuTexRefSetMipmapLevelBias, reference, 0);
    TRY(cuTexRefSetMipmapLevelClamp, reference, 0, 1);
    TRY(cuTexRefSetMaxAnisotropy, reference, 1);
    TRY(cuTexRefSetBorderColor, reference, color);
    TRY(cuTexRefSetFlags, reference, 0);
    return error;
}

static int ask_reference(CUtexref reference, CUarray expected)
{
    CUarray array = NULL;
    CUaddress_mode mode;
    CUfilter_mode filter;
    CUarray_format format;
    float bias = 0, low = 0, high = 0, color[4];
    unsigned flags = 0;
    int channels = 0, most = 0, error = 0;
    TRY(cuTexRefGetArray, &array, reference);
    TRY(cuTexRefGetAddressMode, &mode, reference, 0);
    TRY(cuTexRefGetFilterMode, &filter, reference);
    TRY(cuTexRefGetFormat, &format, &channels, reference);
    TRY(cuTexRefGetMipmapFilterMode, &filter, reference);
    TRY(cuTexRefGetMipmapLevelBias, &bias, reference);
    TRY(cuTexRefGetMipmapLevelClamp, &low, &high, reference);
    TRY(cuTexRefGetMaxAnisotropy, &most, reference);
    TRY(cuTexRefGetBorderColor, color, reference);
    TRY(cuTexRefGetFlags, &flags, reference);
    CHECK(array == expected && channels == 1);
    return error;
}

static int draw_and_read(CUmodule module, CUtexref reference, CUdeviceptr out)
{
    CUfunction read = NULL, draw = NULL;
    float value = 6, found = 0;
    int error = 0;
    void *draw_args[] = {&value}, *read_args[] = {&out};
    TRY(cuModuleGetFunction, &draw, module, "draw");
    TRY(cuModuleGetFunction, &read, module, "read");
    TRY(cuParamSetTexRef, read, CU_PARAM_TR_DEFAULT, reference);
    TRY(cuLaunchKernel, draw, 1, 1, 1, 1, 1, 1, 0, NULL, draw_args, NULL);
    TRY(cuLaunchKernel, read, 1, 1, 1, 1, 1, 1, 0, NULL, read_args, NULL);
    TRY(cuMemcpyDtoH_v2, &found, out, sizeof found);
    CHECK(found == value);
    return error;
}

static int use_reference(CUmodule module, CUarray array, CUdeviceptr memory)
{
    CUtexref reference = NULL;
    CUsurfref canvas = NULL;
    CUarray found = NULL;
    int error = 0;
    TRY(cuModuleGetTexRef, &reference, module, "source");
    TRY(cuModuleGetSurfRef, &canvas, module, "canvas");
    if (error == 0)
        error = set_reference(reference);
    TRY(cuTexRefSetArray, reference, array, CU_TRSA_OVERRIDE_FORMAT);
    TRY(cuSurfRefSetArray, canvas, array, 0);
    TRY(cuSurfRefGetArray, &found, canvas);
    CHECK(found == array);
    if (error == 0)
        error = ask_reference(reference, array);
    return error == 0 ? draw_and_read(module, reference, memory) : error;
}

/* References to linear memory and to levels, of which no kernel reads. */
static int bind_otherwise(CUdeviceptr memory)
{
    const CUDA_ARRAY_DESCRIPTOR rows = {8, 4, CU_AD_FORMAT_FLOAT, 1};
    const CUDA_ARRAY_DESCRIPTOR_v1 narrow_rows = {8, 4, CU_AD_FORMAT_FLOAT, 1};
    const CUDA_ARRAY3D_DESCRIPTOR levels = {SIDE, SIDE, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUtexref reference = NULL;
    CUmipmappedArray mipmap = NULL, found = NULL;
    CUdeviceptr address = 0;
    CUdeviceptr_v1 narrow = 0;
    size_t offset = 0;
    unsigned narrow_offset = 0;
    int error = 0;
    TRY(cuTexRefCreate, &reference);
    TRY(cuTexRefSetFormat, reference, CU_AD_FORMAT_FLOAT, 1);
    TRY(cuTexRefSetAddress_v2, &offset, reference, memory, 256);
    TRY(cuTexRefGetAddress_v2, &address, reference);
    CHECK(address == memory);
    TRY(cuTexRefSetAddress2D_v3, reference, &rows, memory, 512);
    TRY(cuTexRefSetAddress2D_v2, reference, &rows, memory, 512);
    TRY(cuMipmappedArrayCreate, &mipmap, &levels, 2);
    TRY(cuTexRefSetMipmappedArray, reference, mipmap, CU_TRSA_OVERRIDE_FORMAT);
    TRY(cuTexRefGetMipmappedArray, &found, reference);
    CHECK(found == mipmap);
    if (error == 0) { /* addresses of 64 bits do not fit */
        (void)CALL(cuTexRefSetAddress, &narrow_offset, reference, 0, 0);
        (void)CALL(cuTexRefSetAddress2D, reference, &narrow_rows, 0, 512);
        (void)CALL(cuTexRefGetAddress, &narrow, reference);
    }
    if (reference != NULL)
        END(cuTexRefDestroy, reference);
    if (mipmap != NULL)
        END(cuMipmappedArrayDestroy, mipmap);
    return error;
}

int operation_driver_references(void)
{
    const CUDA_ARRAY3D_DESCRIPTOR drawn = {
        SIDE, SIDE, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
    CUmodule module = NULL;
    CUarray array = NULL;
    CUdeviceptr memory = 0;
    int error = use_device();
    TRY(cuMemAlloc_v2, &memory, BYTES);
    TRY(cuArray3DCreate_v2, &array, &drawn);
    TRY(cuModuleLoadData, &module, reference_code);
    if (error == 0)
        error = use_reference(module, array, memory);
    if (error == 0)
        error = bind_otherwise(memory);
    if (module != NULL)
        END(cuModuleUnload, module);
    if (array != NULL)
        END(cuArrayDestroy, array);
    if (memory != 0)
        END(cuMemFree_v2, memory);
    return error;
}
