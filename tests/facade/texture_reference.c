/* Tests of facade/code/texture_reference.c and facade/driver/driver_texture_reference.c: references of modules,
 * bound through the driver API.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/driver_support.h"

enum { SIDE = 8 };

static const char text[] =
    "#include \"clem_device.h\"\n"
    "kernel void read(CLEM_TEXTURE_REFERENCE2D(picture), global float *out, float x, float y) {\n"
    "    out[0] = tex2D(float, picture, x, y);\n"
    "}\n"
    "kernel void fetch(global float *out, CLEM_TEXTURE_REFERENCE1D_BUFFER(line), int i) {\n"
    "    out[0] = tex1Dfetch(float, line, i);\n"
    "}\n"
    "kernel void draw(CLEM_SURFACE_REFERENCE(canvas), float value) {\n"
    "    surf2Dwrite(float, value, canvas, 4, 1);\n"
    "}\n";

static CUmodule module;
static CUdeviceptr out;

static void start(void)
{
    driver_use_primary();
    assert_driver(cuModuleLoadData(&module, text));
    out = driver_allocate(64);
}

static void end(void)
{
    assert_driver(cuMemFree(out));
    assert_driver(cuModuleUnload(module));
}

static CUtexref texture_reference(const char *name)
{
    CUtexref reference = NULL;
    assert_driver(cuModuleGetTexRef(&reference, module, name));
    return reference;
}

static CUarray make_array(float first, unsigned flags)
{
    const CUDA_ARRAY3D_DESCRIPTOR desc = {SIDE, SIDE, 0, CU_AD_FORMAT_FLOAT, 1, flags};
    float texels[SIDE * SIDE];
    CUarray array = NULL;
    for (int i = 0; i < SIDE * SIDE; i++)
        texels[i] = first + (float)i;
    assert_driver(cuArray3DCreate(&array, &desc));
    const CUDA_MEMCPY2D copy = {
        .srcMemoryType = CU_MEMORYTYPE_HOST,
        .srcHost = texels,
        .srcPitch = SIDE * sizeof(float),
        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
        .dstArray = array,
        .WidthInBytes = SIDE * sizeof(float),
        .Height = SIDE,
    };
    assert_driver(cuMemcpy2D(&copy));
    return array;
}

static CUresult launch(const char *name, void **args)
{
    CUfunction function = NULL;
    assert_driver(cuModuleGetFunction(&function, module, name));
    return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
}

static float result(void)
{
    float value = -1;
    assert_driver(cuMemcpyDtoH(&value, out, sizeof value));
    return value;
}

static float read_picture(float x, float y)
{
    void *args[] = {&out, &x, &y};
    assert_driver(launch("read", args));
    return result();
}

static float fetch_line(int i)
{
    void *args[] = {&out, &i};
    assert_driver(launch("fetch", args));
    return result();
}

static void bind_arrays(const char *way)
{
    assert_int_equal(setenv("CLEM_TEXTURES", way, 1), 0);
    start();
    CUtexref picture = texture_reference("picture");
    CUarray first = make_array(100, 0), second = make_array(500, 0);
    assert_driver(cuTexRefSetArray(picture, first, CU_TRSA_OVERRIDE_FORMAT));
    assert_true(read_picture(1.5f, 2.5f) == 117);
    assert_driver(cuTexRefSetArray(picture, second, CU_TRSA_OVERRIDE_FORMAT));
    assert_true(read_picture(1.5f, 2.5f) == 517);
    /* What is set after binding takes effect as well. */
    assert_driver(cuTexRefSetFilterMode(picture, CU_TR_FILTER_MODE_LINEAR));
    assert_true(read_picture(2, 2.5f) == 517.5f);
    assert_driver(cuTexRefSetFlags(picture, CU_TRSF_NORMALIZED_COORDINATES));
    assert_true(read_picture(2.0f / SIDE, 2.5f / SIDE) == 517.5f);
    assert_driver(cuTexRefSetAddressMode(picture, 0, CU_TR_ADDRESS_MODE_WRAP));
    assert_driver(cuTexRefSetAddressMode(picture, 1, CU_TR_ADDRESS_MODE_WRAP));
    assert_true(read_picture(1 + 2.0f / SIDE, 2.5f / SIDE) == 517.5f);
    end();
    assert_driver(cuArrayDestroy(first));
    assert_driver(cuArrayDestroy(second));
}

TEST_BODY(texture_reference_to_arrays_by_hand)
{
    bind_arrays("hand");
}

TEST_BODY(texture_reference_to_arrays_by_image)
{
    bind_arrays("image");
}

TEST_BODY(texture_reference_to_linear_memory)
{
    float texels[256];
    size_t offset = 99;
    CUdeviceptr got = 0;
    start();
    CUtexref line = texture_reference("line");
    CUdeviceptr memory = driver_allocate(sizeof texels);
    for (int i = 0; i < 256; i++)
        texels[i] = (float)i + 1;
    assert_driver(cuMemcpyHtoD(memory, texels, sizeof texels));
    assert_driver(cuTexRefSetAddress(&offset, line, memory, 64));
    assert_int_equal(offset, 0);
    assert_true(fetch_line(15) == 16);
    assert_true(fetch_line(16) == 0);
    /* From an address inside: the offset is the kernel's to add. */
    assert_driver(cuTexRefSetAddress(&offset, line, memory + 516, 64));
    assert_int_equal(offset, 4);
    assert_driver(cuTexRefGetAddress(&got, line));
    assert_true(got == memory + 512);
    assert_true(fetch_line(1) == 130);
    assert_int_equal(cuTexRefSetAddress(NULL, line, memory + 4, 64), CUDA_ERROR_INVALID_VALUE);
    /* Bits as other numbers. */
    assert_driver(cuTexRefSetFormat(line, CU_AD_FORMAT_UNSIGNED_INT8, 1));
    assert_driver(cuTexRefSetAddress(&offset, line, memory, 64));
    assert_true(fetch_line(3) > 0.2f && fetch_line(3) < 0.3f); /* 0x3f of 0xff */
    assert_driver(cuMemFree(memory));
    end();
}

TEST_BODY(texture_reference_to_pitched_memory)
{
    float texels[SIDE * SIDE];
    start();
    CUtexref picture = texture_reference("picture");
    CUdeviceptr memory = driver_allocate(sizeof texels);
    const CUDA_ARRAY_DESCRIPTOR desc = {5, SIDE, CU_AD_FORMAT_FLOAT, 1};
    for (int i = 0; i < SIDE * SIDE; i++)
        texels[i] = (float)i;
    assert_driver(cuMemcpyHtoD(memory, texels, sizeof texels));
    assert_driver(cuTexRefSetAddress2D(picture, &desc, memory, SIDE * sizeof(float)));
    assert_true(read_picture(1.5f, 2.5f) == 17);
    assert_true(read_picture(100, 2.5f) == 20);
    assert_int_equal(cuTexRefSetAddress2D(picture, &desc, memory, 33), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuTexRefSetAddress2D(picture, &desc, memory + 4, 32),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuTexRefSetAddress2D(picture, NULL, memory, 32), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuMemFree(memory));
    end();
}

TEST_BODY(texture_reference_to_surfaces)
{
    CUsurfref canvas = NULL;
    CUarray got = NULL;
    float value = 7;
    void *args[] = {&value};
    start();
    CUtexref picture = texture_reference("picture");
    CUarray array = make_array(1, CUDA_ARRAY3D_SURFACE_LDST), plain = make_array(1, 0);
    assert_driver(cuModuleGetSurfRef(&canvas, module, "canvas"));
    assert_int_equal(cuSurfRefGetArray(&got, canvas), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(launch("draw", args), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuSurfRefSetArray(canvas, plain, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuSurfRefSetArray(canvas, array, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuSurfRefSetArray(canvas, NULL, 0), CUDA_ERROR_INVALID_HANDLE);
    assert_driver(cuSurfRefSetArray(canvas, array, 0));
    assert_driver(cuSurfRefGetArray(&got, canvas));
    assert_ptr_equal(got, array);
    assert_driver(launch("draw", args));
    assert_driver(cuTexRefSetArray(picture, array, CU_TRSA_OVERRIDE_FORMAT));
    assert_true(read_picture(1.5f, 1.5f) == 7);
    assert_true(read_picture(2.5f, 1.5f) == 11);
    end();
    assert_driver(cuArrayDestroy(array));
    assert_driver(cuArrayDestroy(plain));
}

TEST_BODY(texture_reference_names)
{
    CUtexref picture = NULL, again = NULL, none = NULL;
    CUsurfref canvas = NULL;
    start();
    assert_driver(cuModuleGetTexRef(&picture, module, "picture"));
    assert_driver(cuModuleGetTexRef(&again, module, "picture"));
    assert_ptr_equal(picture, again);
    assert_int_equal(cuModuleGetTexRef(&none, module, "canvas"), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(cuModuleGetTexRef(&none, module, "read"), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(cuModuleGetSurfRef(&canvas, module, "picture"), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(cuModuleGetTexRef(&none, module, ""), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuModuleGetTexRef(NULL, module, "picture"), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuModuleGetTexRef(&none, NULL, "picture"), CUDA_ERROR_INVALID_HANDLE);
    assert_driver(cuTexRefDestroy(picture)); /* the module's stays */
    assert_driver(cuTexRefSetMaxAnisotropy(picture, 4));
    end();
    assert_int_equal(cuTexRefSetMaxAnisotropy(picture, 4), CUDA_ERROR_INVALID_HANDLE);
}

TEST_BODY(texture_reference_settings)
{
    CUtexref reference = NULL;
    CUaddress_mode mode = (CUaddress_mode)9;
    CUfilter_mode filter = (CUfilter_mode)9;
    CUarray_format format = (CUarray_format)9;
    CUarray array = NULL;
    float border[4] = {1, 2, 3, 4}, got[4] = {0}, low = 9, high = 9;
    int channels = 9, anisotropy = 9;
    unsigned flags = 9;
    driver_use_primary();
    assert_driver(cuTexRefCreate(&reference));
    assert_driver(cuTexRefGetAddressMode(&mode, reference, 2));
    assert_int_equal(mode, CU_TR_ADDRESS_MODE_CLAMP);
    assert_driver(cuTexRefGetFormat(&format, &channels, reference));
    assert_int_equal(format, CU_AD_FORMAT_FLOAT);
    assert_int_equal(channels, 1);
    assert_int_equal(cuTexRefGetArray(&array, reference), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuTexRefSetAddressMode(reference, 2, CU_TR_ADDRESS_MODE_MIRROR));
    assert_driver(cuTexRefGetAddressMode(&mode, reference, 2));
    assert_int_equal(mode, CU_TR_ADDRESS_MODE_MIRROR);
    assert_int_equal(cuTexRefSetAddressMode(reference, 3, CU_TR_ADDRESS_MODE_WRAP),
                     CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuTexRefSetMipmapFilterMode(reference, CU_TR_FILTER_MODE_LINEAR));
    assert_driver(cuTexRefGetMipmapFilterMode(&filter, reference));
    assert_int_equal(filter, CU_TR_FILTER_MODE_LINEAR);
    assert_driver(cuTexRefSetMipmapLevelClamp(reference, 1, 2));
    assert_driver(cuTexRefGetMipmapLevelClamp(&low, &high, reference));
    assert_true(low == 1 && high == 2);
    assert_driver(cuTexRefSetMipmapLevelBias(reference, 0.5f));
    assert_driver(cuTexRefGetMipmapLevelBias(&low, reference));
    assert_true(low == 0.5f);
    assert_driver(cuTexRefSetBorderColor(reference, border));
    assert_driver(cuTexRefGetBorderColor(got, reference));
    assert_memory_equal(got, border, sizeof border);
    assert_driver(cuTexRefSetMaxAnisotropy(reference, 7));
    assert_driver(cuTexRefGetMaxAnisotropy(&anisotropy, reference));
    assert_int_equal(anisotropy, 7);
    assert_driver(cuTexRefSetFlags(reference, CU_TRSF_READ_AS_INTEGER));
    assert_driver(cuTexRefGetFlags(&flags, reference));
    assert_int_equal(flags, CU_TRSF_READ_AS_INTEGER);
    assert_int_equal(cuTexRefSetFlags(reference, 0x100), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuTexRefSetFormat(reference, CU_AD_FORMAT_FLOAT, 3), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuTexRefDestroy(reference));
    assert_int_equal(cuTexRefDestroy(reference), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuTexRefSetFlags(NULL, 0), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuTexRefCreate(NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST_BODY(texture_reference_as_a_parameter)
{
    CUtexref reference = NULL;
    CUfunction function = NULL;
    start();
    CUtexref picture = texture_reference("picture");
    assert_driver(cuTexRefCreate(&reference));
    assert_driver(cuModuleGetFunction(&function, module, "read"));
    assert_driver(cuParamSetTexRef(function, CU_PARAM_TR_DEFAULT, picture));
    assert_int_equal(cuParamSetTexRef(function, 0, picture), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuParamSetTexRef(function, CU_PARAM_TR_DEFAULT, reference),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuParamSetTexRef(NULL, CU_PARAM_TR_DEFAULT, picture),
                     CUDA_ERROR_INVALID_HANDLE);
    assert_driver(cuTexRefDestroy(reference));
    end();
}

/* A kernel does not run on what is not there. */
TEST_BODY(texture_reference_unbound)
{
    float x = 0, y = 0;
    void *args[] = {&out, &x, &y};
    start();
    assert_int_equal(launch("read", args), CUDA_ERROR_INVALID_VALUE);
    CUtexref picture = texture_reference("picture");
    CUarray array = make_array(1, 0);
    assert_driver(cuTexRefSetArray(picture, array, CU_TRSA_OVERRIDE_FORMAT));
    assert_true(read_picture(0, 0) == 1);
    assert_driver(cuTexRefSetAddress2D(
        picture, &(CUDA_ARRAY_DESCRIPTOR){8, 8, CU_AD_FORMAT_FLOAT, 1}, 0, 32));
    assert_int_equal(launch("read", args), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuArrayDestroy(array));
    end();
}

/* The context ends references that nobody destroyed. */
TEST_BODY(texture_reference_goes_with_its_context)
{
    CUcontext context = NULL;
    CUtexref reference = NULL, picture = NULL;
    CUmodule loaded = NULL;
    assert_driver(cuInit(0));
    assert_driver(cuCtxCreate(&context, NULL, 0, 0));
    assert_driver(cuModuleLoadData(&loaded, text));
    assert_driver(cuTexRefCreate(&reference));
    assert_driver(cuModuleGetTexRef(&picture, loaded, "picture"));
    assert_driver(cuCtxDestroy(context));
    driver_use_primary();
    assert_int_equal(cuTexRefSetFlags(reference, 0), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuTexRefSetFlags(picture, 0), CUDA_ERROR_INVALID_HANDLE);
}
