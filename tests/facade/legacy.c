/* Tests of facade/names/legacy.c and facade/code/legacy_texture.c: what programs of before CUDA 13 call.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/texture_support.h"

#include <crt/host_runtime_abi.h>

/* --- other names ------------------------------------------------------------------------------ */

TEST_BODY(legacy_thread_names)
{
    size_t limit = 0;
    enum cudaFuncCache config = cudaFuncCachePreferNone;
    int *p = device_ints(1);
    assert_success(cudaMemset(p, 1, 4));
    assert_success(cudaThreadSynchronize());
    assert_success(cudaThreadSetLimit(cudaLimitStackSize, 2048));
    assert_success(cudaThreadGetLimit(&limit, cudaLimitStackSize));
    assert_int_equal(limit, 2048);
    assert_fails(cudaErrorInvalidValue, cudaThreadGetLimit(&limit, (enum cudaLimit)99));
    assert_success(cudaThreadSetCacheConfig(cudaFuncCachePreferL1));
    assert_success(cudaThreadGetCacheConfig(&config));
    assert_int_equal(config, cudaFuncCachePreferL1);
    assert_success(cudaThreadExit());
    assert_fails(cudaErrorInvalidValue, cudaMemset(p, 1, 4));
}

TEST_BODY(legacy_suffixed_names)
{
    struct cudaDeviceProp properties, again;
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusInvalidated;
    double value = 1.5;
    void *managed = NULL;
    const struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    memset(&properties, 0, sizeof properties);
    memset(&again, 0, sizeof again);
    assert_success(cudaGetDeviceProperties(&properties, 0));
    assert_success(cudaGetDeviceProperties_v2(&again, 0));
    assert_memory_equal(&properties, &again, sizeof again);
    assert_success(cudaStreamGetCaptureInfo_v2(NULL, &status, NULL, NULL, NULL, NULL));
    assert_int_equal(status, cudaStreamCaptureStatusNone);
    assert_success(cudaSetDoubleForDevice(&value));
    assert_success(cudaSetDoubleForHost(&value));
    assert_true(value == 1.5);
    assert_fails(cudaErrorInvalidValue, cudaSetDoubleForHost(NULL));
    if (cudaMallocManaged(&managed, 4096, cudaMemAttachGlobal) == cudaSuccess) {
        assert_success(cudaMemAdvise_v2(managed, 4096, cudaMemAdviseSetReadMostly, here));
        assert_success(cudaMemPrefetchAsync_v2(managed, 4096, here, 0, NULL));
        assert_success(cudaDeviceSynchronize());
        assert_success(cudaFree(managed));
    }
    cudaGetLastError();
    assert_fails(cudaErrorInvalidValue, cudaLaunchCooperativeKernelMultiDevice(NULL, 0, 0));
    assert_fails(cudaErrorInvalidValue, cudaSignalExternalSemaphoresAsync_v2(NULL, NULL, 0, NULL));
    assert_fails(cudaErrorInvalidValue, cudaWaitExternalSemaphoresAsync_v2(NULL, NULL, 0, NULL));
}

/* Members that structures had before version 13. */
TEST_BODY(legacy_members)
{
    static const struct {
        enum cudaDeviceAttr attribute;
        size_t offset;
    } rows[] = {
        {cudaDevAttrClockRate, offsetof(struct cudaDeviceProp, clockRate)},
        {cudaDevAttrGpuOverlap, offsetof(struct cudaDeviceProp, deviceOverlap)},
        {cudaDevAttrKernelExecTimeout, offsetof(struct cudaDeviceProp, kernelExecTimeoutEnabled)},
        {cudaDevAttrComputeMode, offsetof(struct cudaDeviceProp, computeMode)},
        {cudaDevAttrMaxTexture1DLinearWidth, offsetof(struct cudaDeviceProp, maxTexture1DLinear)},
        {cudaDevAttrMemoryClockRate, offsetof(struct cudaDeviceProp, memoryClockRate)},
        {cudaDevAttrSingleToDoublePrecisionPerfRatio,
         offsetof(struct cudaDeviceProp, singleToDoublePrecisionPerfRatio)},
    };
    struct cudaDeviceProp properties;
    struct cudaPointerAttributes attributes;
    void *device = NULL, *managed = NULL;
    assert_success(cudaGetDeviceProperties(&properties, 0));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int expected = -1, got = 0;
        memcpy(&got, (char *)&properties + rows[i].offset, sizeof got);
        assert_success(cudaDeviceGetAttribute(&expected, rows[i].attribute, 0));
        assert_int_equal(got, expected);
    }
    assert_true(properties.clockRate > 0);
    assert_int_equal(properties.cooperativeMultiDeviceLaunch, properties.cooperativeLaunch);
    assert_success(cudaMalloc(&device, 4096));
    assert_success(cudaPointerGetAttributes(&attributes, device));
    assert_int_equal(attributes.memoryType, cudaMemoryTypeDevice);
    assert_int_equal(attributes.isManaged, 0);
    if (cudaMallocManaged(&managed, 4096, cudaMemAttachGlobal) == cudaSuccess) {
        assert_success(cudaPointerGetAttributes(&attributes, managed));
        assert_int_equal(attributes.isManaged, 1);
        assert_success(cudaFree(managed));
    }
    cudaGetLastError();
    assert_success(cudaFree(device));
}

/* --- launches in steps ------------------------------------------------------------------------ */

static const char launch_text[] =
    "kernel void mixed(global long *out, char a, short b, int c, long d) {\n"
    "    long i = (long)get_global_id(0);\n"
    "    out[i] = i + a + b + c + d;\n"
    "}\n";

TEST_BODY(legacy_launch_in_steps)
{
    struct arguments {
        void *out;
        char a;
        short b;
        int c;
        long long d;
    } arguments = {NULL, 1, 20, 300, 4000};
    long long got[4] = {0};
    cudaLibrary_t library = load_text(launch_text);
    const void *kernel = find_kernel(library, "mixed");
    assert_success(cudaMalloc(&arguments.out, sizeof got));
    assert_success(cudaConfigureCall((dim3){2, 1, 1}, (dim3){2, 1, 1}, 0, NULL));
    assert_success(cudaSetupArgument(&arguments.d, 8, offsetof(struct arguments, d)));
    assert_success(cudaSetupArgument(&arguments.out, 8, 0));
    assert_success(cudaSetupArgument(&arguments.a, 1, offsetof(struct arguments, a)));
    assert_success(cudaSetupArgument(&arguments.b, 2, offsetof(struct arguments, b)));
    assert_success(cudaSetupArgument(&arguments.c, 4, offsetof(struct arguments, c)));
    assert_success(cudaLaunch(kernel));
    assert_success(cudaMemcpy(got, arguments.out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++)
        assert_int_equal(got[i], 4321 + i);
    /* Nothing is left of it. */
    assert_fails(cudaErrorMissingConfiguration, cudaLaunch(kernel));
    assert_success(cudaConfigureCall((dim3){1, 1, 1}, (dim3){1, 1, 1}, 0, NULL));
    assert_success(cudaSetupArgument(&arguments.out, 8, 0));
    assert_fails(cudaErrorInvalidValue, cudaLaunch(kernel));
    assert_success(cudaFree(arguments.out));
    assert_success(cudaLibraryUnload(library));
}

TEST_BODY(legacy_launch_refuses_bad_steps)
{
    char byte = 0;
    assert_fails(cudaErrorMissingConfiguration, cudaLaunch(&byte));
    assert_success(cudaConfigureCall((dim3){1, 1, 1}, (dim3){1, 1, 1}, 0, NULL));
    const dim3 one = {1, 1, 1};
    const cudaError_t expected = cudaLaunchKernel(&byte, one, one, NULL, 0, NULL);
    assert_int_not_equal(expected, cudaSuccess);
    assert_int_equal(cudaGetLastError(), expected);
    assert_fails(expected, cudaLaunch(&byte));
    assert_fails(cudaErrorInvalidValue, cudaSetupArgument(NULL, 1, 0));
    assert_fails(cudaErrorInvalidValue, cudaSetupArgument(&byte, 1, 4096));
    assert_fails(cudaErrorInvalidValue, cudaSetupArgument(&byte, SIZE_MAX, 1));
    assert_success(cudaSetupArgument(&byte, 1, 4095));
}

/* --- references ------------------------------------------------------------------------------- */

struct fat_binary_wrapper {
    uint32_t magic, version;
    const void *code;
    void *unused;
};

static const char reference_text[] =
    "#include \"clem_device.h\"\n"
    "kernel void read(global float *out, CLEM_TEXTURE_REFERENCE2D(picture), float x, float y) {\n"
    "    out[0] = tex2D(float, picture, x, y);\n"
    "}\n"
    "kernel void fetch(global float *out, CLEM_TEXTURE_REFERENCE1D_BUFFER(line), int i) {\n"
    "    out[0] = tex1Dfetch(float, line, i);\n"
    "}\n"
    "kernel void draw(CLEM_SURFACE_REFERENCE(canvas), float value) {\n"
    "    surf2Dwrite(float, value, canvas, 4, 2);\n"
    "}\n";

/* What a compiler of the time makes of `texture<float, 2> picture` and so on. */
static struct textureReference picture, line;
static struct surfaceReference canvas;
static const char read_stub = 1, fetch_stub = 2, draw_stub = 3;
static struct fat_binary_wrapper wrapper = {0x466243b1, 1, reference_text, NULL};
static float *out;

static void clear(struct textureReference *reference)
{
    memset(reference, 0, sizeof *reference);
    for (int i = 0; i < 3; i++)
        reference->addressMode[i] = cudaAddressModeClamp;
    reference->channelDesc = float_desc;
}

static void register_kernel(void **handle, const char *stub, const char *name)
{
    __cudaRegisterFunction(handle, stub, (char *)(uintptr_t)name, name, -1, NULL, NULL, NULL, NULL,
                           NULL);
}

static void **register_all(void)
{
    void **handle = __cudaRegisterFatBinary(&wrapper);
    register_kernel(handle, &read_stub, "read");
    register_kernel(handle, &fetch_stub, "fetch");
    register_kernel(handle, &draw_stub, "draw");
    clear(&picture);
    clear(&line);
    __cudaRegisterTexture(handle, &picture, NULL, "picture", 2, 0, 0);
    __cudaRegisterTexture(handle, &line, NULL, "line", 1, 0, 0);
    __cudaRegisterSurface(handle, &canvas, NULL, "canvas", 2, 0);
    __cudaRegisterFatBinaryEnd(handle);
    assert_success(cudaMalloc((void **)&out, 64));
    return handle;
}

static float result(void)
{
    float value = -1;
    assert_success(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static float read_picture(float x, float y)
{
    void *args[] = {&out, &x, &y};
    assert_success(launch_1d(&read_stub, 1, 1, args, 0, NULL));
    return result();
}

static float fetch_line(int i)
{
    void *args[] = {&out, &i};
    assert_success(launch_1d(&fetch_stub, 1, 1, args, 0, NULL));
    return result();
}

static void bind_to_array(const char *way)
{
    read_by(way);
    void **handle = register_all();
    cudaArray_t array = make_array(SIDE, SIDE, 0, cudaArraySurfaceLoadStore);
    float value = 5;
    void *args[] = {&value};
    assert_success(cudaBindTextureToArray(&picture, array, &float_desc));
    assert_true(read_picture(1.5f, 2.5f) == texel_at(1, 2, 0));
    /* Members count at the next binding. */
    picture.filterMode = cudaFilterModeLinear;
    picture.normalized = 1;
    assert_true(read_picture(1.5f, 2.5f) == texel_at(1, 2, 0));
    assert_success(cudaBindTextureToArray(&picture, array, &float_desc));
    assert_true(read_picture(2.0f / SIDE, 2.5f / SIDE) == texel_at(1, 2, 0) + 0.5f);
    assert_success(cudaBindSurfaceToArray(&canvas, array, &float_desc));
    assert_success(launch_1d(&draw_stub, 1, 1, args, 0, NULL));
    assert_true(read_picture(1.5f / SIDE, 2.5f / SIDE) == 5);
    assert_success(cudaUnbindTexture(&picture));
    assert_success(cudaFreeArray(array));
    __cudaUnregisterFatBinary(handle);
    assert_fails(cudaErrorInvalidTexture, cudaUnbindTexture(&picture));
    assert_success(cudaFree(out));
}

TEST_BODY(legacy_references_to_arrays_by_hand)
{
    bind_to_array("hand");
}

TEST_BODY(legacy_references_to_arrays_by_image)
{
    bind_to_array("image");
}

TEST_BODY(legacy_references_to_linear_memory)
{
    float texels[256];
    char *memory = NULL;
    size_t offset = 99;
    void **handle = register_all();
    for (int i = 0; i < 256; i++)
        texels[i] = (float)i + 1;
    assert_success(cudaMalloc((void **)&memory, sizeof texels));
    assert_success(cudaMemcpy(memory, texels, sizeof texels, cudaMemcpyHostToDevice));
    assert_fails(cudaErrorInvalidTextureBinding, cudaGetTextureAlignmentOffset(&offset, &line));
    assert_success(cudaBindTexture(NULL, &line, memory, &float_desc, 64));
    assert_true(fetch_line(15) == 16);
    assert_true(fetch_line(16) == 0);
    /* The default size takes all that there is. */
    assert_success(cudaBindTexture(&offset, &line, memory + 520, &float_desc, UINT_MAX));
    assert_int_equal(offset, 8);
    offset = 99;
    assert_success(cudaGetTextureAlignmentOffset(&offset, &line));
    assert_int_equal(offset, 8);
    assert_true(fetch_line(2) == 131);
    assert_true(fetch_line(127) == 256);
    assert_true(fetch_line(128) == 0);
    assert_fails(cudaErrorInvalidValue, cudaBindTexture(NULL, &line, memory + 4, &float_desc, 64));
    assert_fails(cudaErrorInvalidValue, cudaBindTexture(NULL, &line, NULL, &float_desc, 64));
    assert_fails(cudaErrorInvalidTexture, cudaBindTexture(NULL, NULL, memory, &float_desc, 64));
    assert_success(cudaFree(memory));
    assert_success(cudaFree(out));
    __cudaUnregisterFatBinary(handle);
}

TEST_BODY(legacy_references_to_pitched_memory_and_levels)
{
    float texels[SIDE * 16];
    void *memory = NULL;
    size_t offset = 99;
    cudaMipmappedArray_t mipmap = NULL;
    cudaArray_t level = NULL;
    void **handle = register_all();
    for (int i = 0; i < SIDE * 16; i++)
        texels[i] = (float)i;
    assert_success(cudaMalloc(&memory, sizeof texels));
    assert_success(cudaMemcpy(memory, texels, sizeof texels, cudaMemcpyHostToDevice));
    assert_success(cudaBindTexture2D(&offset, &picture, memory, &float_desc, 10, SIDE, 64));
    assert_int_equal(offset, 0);
    assert_true(read_picture(3.5f, 2.5f) == 35);
    assert_true(read_picture(99, 2.5f) == 41);
    assert_fails(cudaErrorInvalidValue,
                 cudaBindTexture2D(&offset, &picture, memory, &float_desc, 10, SIDE, 60));
    assert_success(
        cudaMallocMipmappedArray(&mipmap, &float_desc, (struct cudaExtent){SIDE, SIDE, 0}, 2, 0));
    assert_success(cudaGetMipmappedArrayLevel(&level, mipmap, 0));
    fill_array(level, 0);
    picture.normalized = 1;
    assert_success(cudaBindTextureToMipmappedArray(&picture, mipmap, &float_desc));
    assert_true(read_picture(1.5f / SIDE, 2.5f / SIDE) == texel_at(1, 2, 0));
    assert_success(cudaUnbindTexture(&picture));
    assert_success(cudaFreeMipmappedArray(mipmap));
    assert_success(cudaFree(memory));
    assert_success(cudaFree(out));
    __cudaUnregisterFatBinary(handle);
}

TEST_BODY(legacy_references_refuse_what_does_not_fit)
{
    struct textureReference stranger;
    struct surfaceReference strange_surface = {float_desc};
    void **handle = register_all();
    cudaArray_t array = make_array(SIDE, SIDE, 0, 0);
    clear(&stranger);
    assert_fails(cudaErrorInvalidTexture, cudaBindTextureToArray(NULL, array, &float_desc));
    assert_fails(cudaErrorInvalidTexture, cudaBindTextureToArray(&stranger, array, &float_desc));
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaBindTextureToArray(&picture, NULL, &float_desc));
    assert_fails(cudaErrorInvalidValue, cudaBindTextureToArray(&picture, array, NULL));
    assert_fails(cudaErrorInvalidValue, cudaBindTextureToArray(&picture, array, &word_desc));
    assert_fails(cudaErrorInvalidValue, cudaBindSurfaceToArray(&canvas, array, &float_desc));
    assert_fails(cudaErrorInvalidSurface,
                 cudaBindSurfaceToArray(&strange_surface, array, &float_desc));
    assert_fails(cudaErrorInvalidTexture, cudaUnbindTexture(NULL));
    assert_success(cudaFreeArray(array));
    assert_success(cudaFree(out));
    __cudaUnregisterFatBinary(handle);
}

TEST_BODY(legacy_references_by_name)
{
    const struct textureReference *found = NULL;
    const struct surfaceReference *surface = NULL;
    void **handle = register_all();
    assert_success(cudaGetTextureReference(&found, &picture));
    assert_ptr_equal(found, &picture);
    assert_success(cudaGetSurfaceReference(&surface, &canvas));
    assert_ptr_equal(surface, &canvas);
    __cudaUnregisterFatBinary(handle);
    /* Code that was loaded and not registered. */
    cudaLibrary_t library = load_text(reference_text);
    const void *kernel = find_kernel(library, "read");
    cudaArray_t array = make_array(SIDE, SIDE, 0, 0);
    float x = 1.5f, y = 2.5f;
    void *args[] = {&out, &x, &y};
    assert_fails(cudaErrorInvalidTexture, cudaGetTextureReference(&found, "nobody"));
    assert_fails(cudaErrorInvalidTexture, cudaGetTextureReference(&found, "canvas"));
    assert_fails(cudaErrorInvalidTexture, cudaGetTextureReference(&found, NULL));
    assert_fails(cudaErrorInvalidValue, cudaGetTextureReference(NULL, "picture"));
    assert_success(cudaGetTextureReference(&found, "picture"));
    assert_success(cudaGetSurfaceReference(&surface, "canvas"));
    assert_success(cudaBindTextureToArray(found, array, &float_desc));
    assert_success(launch_1d(kernel, 1, 1, args, 0, NULL));
    assert_true(result() == texel_at(1, 2, 0));
    assert_success(cudaFreeArray(array));
    assert_success(cudaLibraryUnload(library));
    assert_fails(cudaErrorInvalidTexture, cudaUnbindTexture(found));
    assert_success(cudaFree(out));
}

/* After a reset the code is loaded again, and what was bound is not. */
TEST_BODY(legacy_references_survive_a_reset)
{
    void **handle = register_all();
    float x = 1.5f, y = 2.5f;
    cudaArray_t array = make_array(SIDE, SIDE, 0, 0);
    assert_success(cudaBindTextureToArray(&picture, array, &float_desc));
    assert_true(read_picture(x, y) == texel_at(1, 2, 0));
    assert_success(cudaDeviceReset());
    assert_success(cudaMalloc((void **)&out, 64));
    void *args[] = {&out, &x, &y};
    assert_fails(cudaErrorInvalidValue, launch_1d(&read_stub, 1, 1, args, 0, NULL));
    array = make_array(SIDE, SIDE, 0, 0);
    assert_success(cudaBindTextureToArray(&picture, array, &float_desc));
    assert_true(read_picture(x, y) == texel_at(1, 2, 0));
    assert_success(cudaFreeArray(array));
    assert_success(cudaFree(out));
    __cudaUnregisterFatBinary(handle);
}

/* --- texture objects of CUDA 11 --------------------------------------------------------------- */

TEST_BODY(legacy_texture_objects)
{
    cudaArray_t array = make_array(SIDE, SIDE, 0, 0);
    const struct cudaResourceDesc resource = array_resource(array);
    struct cudaTextureDesc_v2 desc = {.addressMode = {cudaAddressModeClamp, cudaAddressModeMirror},
                                      .maxAnisotropy = 3};
    struct cudaTextureDesc_v2 got;
    cudaTextureObject_t texture = 0;
    assert_success(cudaCreateTextureObject_v2(&texture, &resource, &desc, NULL));
    assert_true(read_x("read_2d", texture, 1.5f, 2.5f, 0) == texel_at(1, 2, 0));
    assert_success(cudaGetTextureObjectTextureDesc_v2(&got, texture));
    assert_memory_equal(&got, &desc, sizeof desc);
    assert_fails(cudaErrorInvalidResourceHandle,
                 cudaCreateTextureObject_v2(&texture, &resource, NULL, NULL));
    assert_success(cudaDestroyTextureObject(texture));
    assert_success(cudaFreeArray(array));
}
