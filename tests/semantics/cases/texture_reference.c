/* Semantics of the driver API's texture and surface references.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../oracle.h"

enum { SIDE = 16 };

static CUarray plain, bytes, surface;
static CUmipmappedArray mipmap;
static CUdeviceptr memory;
static CUtexref ref;

static CUarray make_array(CUarray_format format, unsigned channels, unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR desc = {SIDE, SIDE, 0, format, channels, flags};
    CUarray array = NULL;
    REQUIRE_DRIVER(cuArray3DCreate(&array, &desc));
    return array;
}

static void make_resources(void)
{
    CUDA_ARRAY3D_DESCRIPTOR desc = {SIDE, SIDE, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    make_driver_context();
    plain = make_array(CU_AD_FORMAT_FLOAT, 1, 0);
    bytes = make_array(CU_AD_FORMAT_UNSIGNED_INT8, 4, 0);
    surface = make_array(CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST);
    REQUIRE_DRIVER(cuMipmappedArrayCreate(&mipmap, &desc, 3));
    REQUIRE_DRIVER(cuMemAlloc(&memory, 64 * KIB));
    REQUIRE_DRIVER(cuTexRefCreate(&ref));
}

/* record: everything that a reference can be asked, as one text. */
static void record(const char *label)
{
    char text[200];
    CUaddress_mode modes[3] = {(CUaddress_mode)9, (CUaddress_mode)9, (CUaddress_mode)9};
    CUfilter_mode filter = (CUfilter_mode)9;
    CUfilter_mode levels = (CUfilter_mode)9;
    CUarray_format format = (CUarray_format)99;
    int channels = 99;
    int anisotropy = 99;
    unsigned flags = 99;
    float bias = 99;
    float low = 99;
    float high = 99;
    float border[4] = {99, 99, 99, 99};
    for (int i = 0; i < 3; i++) {
        DRIVER_AS(cuTexRefGetAddressMode(&modes[i], ref, i), "%s: address mode %d", label, i);
    }
    DRIVER_AS(cuTexRefGetFilterMode(&filter, ref), "%s: filter mode", label);
    DRIVER_AS(cuTexRefGetFormat(&format, &channels, ref), "%s: format", label);
    DRIVER_AS(cuTexRefGetMipmapFilterMode(&levels, ref), "%s: mipmap filter mode", label);
    DRIVER_AS(cuTexRefGetMipmapLevelBias(&bias, ref), "%s: bias", label);
    DRIVER_AS(cuTexRefGetMipmapLevelClamp(&low, &high, ref), "%s: clamp", label);
    DRIVER_AS(cuTexRefGetMaxAnisotropy(&anisotropy, ref), "%s: anisotropy", label);
    DRIVER_AS(cuTexRefGetBorderColor(border, ref), "%s: border", label);
    DRIVER_AS(cuTexRefGetFlags(&flags, ref), "%s: flags", label);
    snprintf(text, sizeof text, "%d %d %d, %d, 0x%x %d, %d %g %g..%g, %d, %g %g %g %g, 0x%x",
             (int)modes[0], (int)modes[1], (int)modes[2], (int)filter, (unsigned)format, channels,
             (int)levels, (double)bias, (double)low, (double)high, anisotropy, (double)border[0],
             (double)border[1], (double)border[2], (double)border[3], flags);
    TEXT(text, "%s: all", label);
}

void case_texture_reference_create(void)
{
    CUtexref made = NULL;
    DRIVER(cuTexRefCreate(&made));
    make_resources();
    DRIVER_TRY(cuTexRefCreate(NULL));
    DRIVER_TRY(cuTexRefCreate(&made));
    record("new");
    DRIVER_TRY(cuTexRefDestroy(NULL));
    DRIVER_TRY(cuTexRefDestroy(made));
    DRIVER_TRY(cuTexRefDestroy(made));
}

void case_texture_reference_set(void)
{
    float border[4] = {0.25f, 0.5f, 2.0f, -1.0f};
    make_resources();
    for (int mode = -1; mode <= 4; mode++) {
        DRIVER_TRY_AS(cuTexRefSetAddressMode(ref, 0, (CUaddress_mode)mode), "address mode %d",
                      mode);
    }
    DRIVER_TRY(cuTexRefSetAddressMode(ref, 1, CU_TR_ADDRESS_MODE_MIRROR));
    DRIVER_TRY(cuTexRefSetAddressMode(ref, 2, CU_TR_ADDRESS_MODE_BORDER));
    DRIVER_TRY(cuTexRefSetAddressMode(ref, 3, CU_TR_ADDRESS_MODE_CLAMP));
    DRIVER_TRY(cuTexRefSetAddressMode(ref, -1, CU_TR_ADDRESS_MODE_CLAMP));
    DRIVER_TRY(cuTexRefSetAddressMode(NULL, 0, CU_TR_ADDRESS_MODE_CLAMP));
    DRIVER_TRY(cuTexRefSetFilterMode(ref, CU_TR_FILTER_MODE_LINEAR));
    DRIVER_TRY(cuTexRefSetFilterMode(ref, (CUfilter_mode)2));
    DRIVER_TRY(cuTexRefSetFilterMode(NULL, CU_TR_FILTER_MODE_LINEAR));
    DRIVER_TRY(cuTexRefSetMipmapFilterMode(ref, CU_TR_FILTER_MODE_LINEAR));
    DRIVER_TRY(cuTexRefSetMipmapFilterMode(ref, (CUfilter_mode)2));
    DRIVER_TRY(cuTexRefSetMipmapFilterMode(NULL, CU_TR_FILTER_MODE_LINEAR));
    DRIVER_TRY(cuTexRefSetMipmapLevelBias(ref, 1.5f));
    DRIVER_TRY(cuTexRefSetMipmapLevelBias(ref, 1000.0f));
    DRIVER_TRY(cuTexRefSetMipmapLevelBias(NULL, 1.5f));
    DRIVER_TRY(cuTexRefSetMipmapLevelClamp(ref, 0.5f, 2.5f));
    DRIVER_TRY(cuTexRefSetMipmapLevelClamp(ref, 2.5f, 0.5f));
    DRIVER_TRY(cuTexRefSetMipmapLevelClamp(NULL, 0.5f, 2.5f));
    DRIVER_TRY(cuTexRefSetMaxAnisotropy(ref, 8));
    DRIVER_TRY(cuTexRefSetMaxAnisotropy(ref, 17));
    DRIVER_TRY(cuTexRefSetMaxAnisotropy(ref, 0));
    DRIVER_TRY(cuTexRefSetMaxAnisotropy(NULL, 8));
    DRIVER_TRY(cuTexRefSetBorderColor(ref, border));
    DRIVER_TRY(cuTexRefSetBorderColor(ref, NULL));
    DRIVER_TRY(cuTexRefSetBorderColor(NULL, border));
    DRIVER_TRY(cuTexRefSetFlags(ref, CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB));
    DRIVER_TRY(cuTexRefSetFlags(ref, 0x04));
    DRIVER_TRY(cuTexRefSetFlags(ref, 0x100));
    DRIVER_TRY(cuTexRefSetFlags(NULL, 0));
    record("set");
    DRIVER_TRY(cuTexRefSetFlags(ref, CU_TRSF_READ_AS_INTEGER));
    DRIVER_TRY(cuTexRefSetFormat(ref, CU_AD_FORMAT_UNSIGNED_INT16, 2));
    record("integers");
    DRIVER_TRY(cuTexRefSetFormat(ref, CU_AD_FORMAT_FLOAT, 3));
    DRIVER_TRY(cuTexRefSetFormat(ref, CU_AD_FORMAT_FLOAT, 0));
    DRIVER_TRY(cuTexRefSetFormat(ref, CU_AD_FORMAT_FLOAT, 5));
    DRIVER_TRY(cuTexRefSetFormat(ref, (CUarray_format)0, 1));
    DRIVER_TRY(cuTexRefSetFormat(ref, (CUarray_format)99, 1));
    DRIVER_TRY(cuTexRefSetFormat(NULL, CU_AD_FORMAT_FLOAT, 1));
    DRIVER_TRY(cuTexRefSetFormat(ref, CU_AD_FORMAT_FLOAT, 4));
    record("floats");
}

void case_texture_reference_get(void)
{
    CUaddress_mode mode;
    CUfilter_mode filter;
    CUarray_format format;
    int channels;
    float value = 0;
    unsigned flags;
    make_resources();
    DRIVER_TRY(cuTexRefGetAddressMode(NULL, ref, 0));
    DRIVER_TRY(cuTexRefGetAddressMode(&mode, NULL, 0));
    DRIVER_TRY(cuTexRefGetAddressMode(&mode, ref, 3));
    DRIVER_TRY(cuTexRefGetAddressMode(&mode, ref, -1));
    DRIVER_TRY(cuTexRefGetFilterMode(NULL, ref));
    DRIVER_TRY(cuTexRefGetFilterMode(&filter, NULL));
    DRIVER_TRY(cuTexRefGetFormat(NULL, &channels, ref));
    DRIVER_TRY(cuTexRefGetFormat(&format, NULL, ref));
    DRIVER_TRY(cuTexRefGetFormat(NULL, NULL, ref));
    DRIVER_TRY(cuTexRefGetFormat(&format, &channels, NULL));
    DRIVER_TRY(cuTexRefGetMipmapFilterMode(NULL, ref));
    DRIVER_TRY(cuTexRefGetMipmapLevelBias(NULL, ref));
    DRIVER_TRY(cuTexRefGetMipmapLevelBias(&value, NULL));
    DRIVER_TRY(cuTexRefGetMipmapLevelClamp(NULL, &value, ref));
    DRIVER_TRY(cuTexRefGetMipmapLevelClamp(&value, NULL, ref));
    DRIVER_TRY(cuTexRefGetMaxAnisotropy(NULL, ref));
    DRIVER_TRY(cuTexRefGetBorderColor(NULL, ref));
    DRIVER_TRY(cuTexRefGetFlags(NULL, ref));
    DRIVER_TRY(cuTexRefGetFlags(&flags, NULL));
    DRIVER_TRY(cuTexRefGetFlags(&flags, (CUtexref)(uintptr_t)16));
}

void case_texture_reference_array(void)
{
    CUarray got = NULL;
    CUmipmappedArray got_mipmap = NULL;
    CUdeviceptr address = 0;
    make_resources();
    DRIVER_TRY(cuTexRefGetArray(&got, ref));
    DRIVER_TRY(cuTexRefGetMipmappedArray(&got_mipmap, ref));
    DRIVER_TRY(cuTexRefGetAddress(&address, ref));
    DRIVER_TRY(cuTexRefSetArray(ref, bytes, CU_TRSA_OVERRIDE_FORMAT));
    record("bytes, override");
    DRIVER_TRY(cuTexRefGetArray(&got, ref));
    VALUE(got == bytes, "the array is the one set");
    DRIVER_TRY(cuTexRefGetMipmappedArray(&got_mipmap, ref));
    DRIVER_TRY(cuTexRefGetAddress(&address, ref));
    DRIVER_TRY(cuTexRefGetArray(NULL, ref));
    DRIVER_TRY(cuTexRefGetArray(&got, NULL));
    DRIVER_TRY(cuTexRefSetArray(ref, plain, 0));
    record("floats, no override");
    DRIVER_TRY(cuTexRefSetArray(ref, plain, 2));
    DRIVER_TRY(cuTexRefSetArray(ref, plain, 3));
    DRIVER_TRY(cuTexRefSetArray(ref, NULL, CU_TRSA_OVERRIDE_FORMAT));
    DRIVER_TRY(cuTexRefGetArray(&got, ref));
    DRIVER_TRY(cuTexRefSetArray(NULL, plain, CU_TRSA_OVERRIDE_FORMAT));
    DRIVER_TRY(cuTexRefSetMipmappedArray(ref, mipmap, CU_TRSA_OVERRIDE_FORMAT));
    record("mipmap");
    DRIVER_TRY(cuTexRefGetMipmappedArray(&got_mipmap, ref));
    VALUE(got_mipmap == mipmap, "the mipmapped array is the one set");
    DRIVER_TRY(cuTexRefGetArray(&got, ref));
    DRIVER_TRY(cuTexRefSetMipmappedArray(ref, mipmap, 0));
    DRIVER_TRY(cuTexRefSetMipmappedArray(ref, NULL, CU_TRSA_OVERRIDE_FORMAT));
    DRIVER_TRY(cuTexRefSetMipmappedArray(NULL, mipmap, CU_TRSA_OVERRIDE_FORMAT));
    DRIVER_TRY(cuTexRefGetMipmappedArray(NULL, ref));
}

void case_texture_reference_address(void)
{
    size_t offset = 99;
    CUdeviceptr address = 0;
    CUDA_ARRAY_DESCRIPTOR desc = {16, 16, CU_AD_FORMAT_FLOAT, 1};
    make_resources();
    DRIVER_TRY(cuTexRefSetAddress(&offset, ref, memory, 4096));
    VALUE(offset, "offset of an aligned address");
    DRIVER_TRY(cuTexRefSetAddress(&offset, ref, memory + 4, 4096));
    VALUE(offset, "offset of memory + 4");
    DRIVER_TRY(cuTexRefGetAddress(&address, ref));
    VALUE((long long)(address - memory), "address of memory + 4");
    DRIVER_TRY(cuTexRefSetAddress(&offset, ref, memory + 512, 4096));
    VALUE(offset, "offset of memory + 512");
    DRIVER_TRY(cuTexRefGetAddress(&address, ref));
    VALUE((long long)(address - memory), "address of memory + 512");
    DRIVER_TRY(cuTexRefSetAddress(&offset, ref, memory + 700, 4096));
    VALUE(offset, "offset of memory + 700");
    DRIVER_TRY(cuTexRefGetAddress(&address, ref));
    VALUE((long long)(address - memory), "address of memory + 700");
    DRIVER_TRY(cuTexRefSetAddress(NULL, ref, memory, 4096));
    DRIVER_TRY(cuTexRefSetAddress(NULL, ref, memory + 4, 4096));
    DRIVER_TRY(cuTexRefSetAddress(&offset, ref, memory, 0));
    DRIVER_TRY(cuTexRefSetAddress(&offset, ref, memory, 1 << 20));
    DRIVER_TRY(cuTexRefSetAddress(&offset, ref, 0, 0));
    DRIVER_TRY(cuTexRefSetAddress(&offset, ref, 0, 4096));
    DRIVER_TRY(cuTexRefSetAddress(&offset, NULL, memory, 4096));
    DRIVER_TRY(cuTexRefGetAddress(NULL, ref));
    DRIVER_TRY(cuTexRefGetAddress(&address, NULL));
    DRIVER_TRY(cuTexRefSetAddress2D(ref, &desc, memory, 512));
    record("pitched");
    DRIVER_TRY(cuTexRefGetAddress(&address, ref));
    VALUE((long long)(address - memory), "address of pitched memory");
    DRIVER_TRY(cuTexRefSetAddress2D(ref, &desc, memory + 4, 512));
    DRIVER_TRY(cuTexRefSetAddress2D(ref, &desc, memory + 512, 512));
    DRIVER_TRY(cuTexRefSetAddress2D(ref, &desc, memory, 60));
    DRIVER_TRY(cuTexRefSetAddress2D(ref, &desc, memory, 68));
    DRIVER_TRY(cuTexRefSetAddress2D(ref, &desc, memory, 0));
    DRIVER_TRY(cuTexRefSetAddress2D(ref, &desc, 0, 512));
    DRIVER_TRY(cuTexRefSetAddress2D(ref, NULL, memory, 512));
    DRIVER_TRY(cuTexRefSetAddress2D(NULL, &desc, memory, 512));
    desc.Width = 0;
    DRIVER_TRY_AS(cuTexRefSetAddress2D(ref, &desc, memory, 512), "pitched, width 0");
    desc.Width = 16;
    desc.Height = 0;
    DRIVER_TRY_AS(cuTexRefSetAddress2D(ref, &desc, memory, 512), "pitched, height 0");
    desc.Height = 16;
    desc.NumChannels = 3;
    DRIVER_TRY_AS(cuTexRefSetAddress2D(ref, &desc, memory, 512), "pitched, 3 channels");
}

/* A module with one texture reference, "picture", and one surface reference, "canvas". */
#ifdef ORACLE_NATIVE
static const char module_text[] = ".version 7.5\n"
                                  ".target sm_75\n"
                                  ".address_size 64\n"
                                  ".global .texref picture;\n"
                                  ".global .surfref canvas;\n"
                                  ".visible .entry look() { ret; }\n";
#else
static const char module_text[] =
    "#include \"clem_device.h\"\n"
    "kernel void look(CLEM_TEXTURE_REFERENCE2D(picture), CLEM_SURFACE_REFERENCE(canvas)) {}\n";
#endif

void case_texture_reference_modules(void)
{
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUtexref texture = NULL;
    CUtexref again = NULL;
    CUsurfref canvas = NULL;
    CUarray got = NULL;
    make_resources();
    REQUIRE_DRIVER(cuModuleLoadData(&module, module_text));
    DRIVER_TRY(cuModuleGetFunction(&function, module, "look"));
    DRIVER_TRY(cuModuleGetTexRef(&texture, module, "no such name"));
    DRIVER_TRY(cuModuleGetTexRef(&texture, module, "look"));
    DRIVER_TRY(cuModuleGetTexRef(&texture, module, ""));
    DRIVER_TRY(cuModuleGetTexRef(&texture, module, NULL));
    DRIVER_TRY(cuModuleGetTexRef(NULL, module, "picture"));
    DRIVER_TRY(cuModuleGetTexRef(&texture, NULL, "picture"));
    DRIVER_TRY(cuModuleGetSurfRef(&canvas, module, "no such name"));
    DRIVER_TRY(cuModuleGetSurfRef(&canvas, module, NULL));
    DRIVER_TRY(cuModuleGetSurfRef(NULL, module, "canvas"));
    DRIVER_TRY(cuModuleGetSurfRef(&canvas, NULL, "canvas"));
    DRIVER_TRY(cuModuleGetTexRef(&texture, module, "canvas"));
    DRIVER_TRY(cuModuleGetSurfRef(&canvas, module, "picture"));
    DRIVER_TRY(cuParamSetTexRef(function, CU_PARAM_TR_DEFAULT, ref));
    DRIVER_TRY(cuParamSetTexRef(function, 0, ref));
    DRIVER_TRY(cuParamSetTexRef(NULL, CU_PARAM_TR_DEFAULT, ref));
    DRIVER_TRY(cuParamSetTexRef(function, CU_PARAM_TR_DEFAULT, NULL));
    DRIVER_TRY(cuModuleGetTexRef(&texture, module, "picture"));
    DRIVER_TRY(cuModuleGetTexRef(&again, module, "picture"));
    VALUE(texture == again, "the same reference twice");
    ref = texture;
    record("of a module");
    DRIVER_TRY(cuTexRefSetArray(texture, plain, CU_TRSA_OVERRIDE_FORMAT));
    DRIVER_TRY(cuTexRefDestroy(texture));
    DRIVER_TRY(cuModuleGetSurfRef(&canvas, module, "canvas"));
    DRIVER_TRY(cuSurfRefGetArray(&got, canvas));
    DRIVER_TRY(cuSurfRefSetArray(canvas, plain, 0));
    DRIVER_TRY(cuSurfRefSetArray(canvas, surface, 1));
    DRIVER_TRY(cuSurfRefSetArray(canvas, surface, 0));
    DRIVER_TRY(cuSurfRefGetArray(&got, canvas));
    VALUE(got == surface, "the array is the one set");
    DRIVER_TRY(cuSurfRefSetArray(canvas, NULL, 0));
    DRIVER_TRY(cuSurfRefSetArray(NULL, surface, 0));
    DRIVER_TRY(cuSurfRefGetArray(NULL, canvas));
    DRIVER_TRY(cuSurfRefGetArray(&got, NULL));
    DRIVER_TRY(cuModuleUnload(module));
}
