/* Operations of the runtime API: arrays, textures, surfaces, and references to them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "operation.h"

enum { SIDE = 48, PICTURE = 8 };

static const struct cudaChannelFormatDesc texel = {32, 0, 0, 0, cudaChannelFormatKindFloat};
static char host[4 * SIDE * SIDE * sizeof(float)];

/* ---- Arrays ---- */

static int copy_planes(cudaArray_t one, cudaArray_t other)
{
    const size_t row = SIDE * sizeof(float), bytes = SIDE * row;
    int error = 0;
    memset(host, 3, sizeof host);
    TRY(cudaMemcpy2DToArrayAsync, one, 0, 0, host, row, row, SIDE, cudaMemcpyHostToDevice, NULL);
    TRY(cudaStreamSynchronize, NULL);
    TRY(cudaMemcpy2DToArray, one, 0, 0, host, row, row, SIDE / 2, cudaMemcpyHostToDevice);
    TRY(cudaMemcpy2DArrayToArray, other, 0, 0, one, 0, 0, row, SIDE, cudaMemcpyDeviceToDevice);
    memset(host, 0, sizeof host);
    TRY(cudaMemcpy2DFromArray, host, row, other, 0, 0, row, SIDE, cudaMemcpyDeviceToHost);
    TRY(cudaMemcpy2DFromArrayAsync, host + bytes, row, one, 0, 0, row, SIDE, cudaMemcpyDeviceToHost,
        NULL);
    TRY(cudaStreamSynchronize, NULL);
    CHECK(host[0] == 3 && host[2 * bytes - 1] == 3 && host[2 * bytes] == 0);
    return error;
}

/* Ranges that begin within a row and end within another. */
static int copy_ranges(cudaArray_t one, cudaArray_t other)
{
    const size_t bytes = 5 * SIDE * sizeof(float);
    int error = 0;
    memset(host, 4, sizeof host);
    TRY(cudaMemcpyToArray, one, 8, 1, host, bytes, cudaMemcpyHostToDevice);
    TRY(cudaMemcpyToArrayAsync, one, 8, 10, host, bytes, cudaMemcpyHostToDevice, NULL);
    TRY(cudaStreamSynchronize, NULL);
    TRY(cudaMemcpyArrayToArray, other, 8, 1, one, 8, 10, bytes, cudaMemcpyDeviceToDevice);
    memset(host, 0, sizeof host);
    TRY(cudaMemcpyFromArray, host, other, 8, 1, bytes, cudaMemcpyDeviceToHost);
    TRY(cudaMemcpyFromArrayAsync, host + bytes, one, 8, 1, bytes, cudaMemcpyDeviceToHost, NULL);
    TRY(cudaStreamSynchronize, NULL);
    CHECK(host[0] == 4 && host[2 * bytes - 1] == 4 && host[2 * bytes] == 0);
    return error;
}

int operation_arrays(void)
{
    const struct cudaExtent extent = {2 * SIDE, 2 * SIDE, 0};
    struct cudaChannelFormatDesc desc;
    struct cudaExtent found;
    unsigned flags = 0;
    struct cudaArrayMemoryRequirements needs;
    struct cudaArraySparseProperties sparse;
    cudaArray_t array = NULL, level = NULL, plane = NULL;
    cudaMipmappedArray_t mipmap = NULL;
    int error = 0;
    TRY(cudaMallocArray, &array, &texel, SIDE, SIDE, 0);
    TRY(cudaMallocMipmappedArray, &mipmap, &texel, extent, 2, 0);
    TRY(cudaGetMipmappedArrayLevel, &level, mipmap, 1);
    TRY(cudaArrayGetInfo, &desc, &found, &flags, array);
    TRY(cudaGetChannelDesc, &desc, array);
    CHECK(found.width == SIDE && desc.x == 32);
    CHECK(CALL(cudaArrayGetPlane, &plane, array, 0) != 0);
    CHECK(CALL(cudaArrayGetMemoryRequirements, &needs, array, 0) != 0);
    CHECK(CALL(cudaMipmappedArrayGetMemoryRequirements, &needs, mipmap, 0) != 0);
    CHECK(CALL(cudaArrayGetSparseProperties, &sparse, array) != 0);
    CHECK(CALL(cudaMipmappedArrayGetSparseProperties, &sparse, mipmap) != 0);
    if (error == 0)
        error = copy_planes(array, level);
    if (error == 0)
        error = copy_ranges(array, level);
    END(cudaFreeArray, array);
    END(cudaFreeMipmappedArray, mipmap);
    return error;
}

int operation_array_volumes(void)
{
    cudaArray_t array = NULL;
    struct cudaMemcpy3DParms p = {.kind = cudaMemcpyHostToDevice, .extent = {16, 16, 5}};
    int error = 0;
    TRY(cudaMalloc3DArray, &array, &texel, (struct cudaExtent){16, 16, 8}, cudaArrayLayered);
    memset(host, 9, sizeof host);
    p.srcPtr = (struct cudaPitchedPtr){host, 64, 16, 16};
    p.dstArray = array;
    p.dstPos.z = 2;
    TRY(cudaMemcpy3D, &p);
    END(cudaFreeArray, array);
    return error;
}

/* ---- Textures and surfaces ---- */

static const char texture_code[] =
    "#include \"clem_device.h\"\n"
    "__kernel void fetch(CLEM_TEXTURE2D(picture), __global float *out)\n"
    "{ int x = get_global_id(0); out[x] = tex2D(float, picture, x + 0.5f, 1.5f); }\n"
    "__kernel void paint(CLEM_SURFACE(target), float value)\n"
    "{ surf2Dwrite(float, value, target, get_global_id(0) * 4, 1); }\n";

struct picture {
    cudaLibrary_t code;
    cudaArray_t array;
    cudaTextureObject_t texture, second;
    cudaSurfaceObject_t surface;
    void *memory;
};

static int launch_one(const struct picture *picture, const char *name, void **args)
{
    cudaKernel_t kernel = NULL;
    int error = 0;
    TRY(cudaLibraryGetKernel, &kernel, picture->code, name);
    TRY(cudaLaunchKernel, (const void *)kernel, (dim3){PICTURE, 1, 1}, (dim3){1, 1, 1}, args, 0,
        NULL);
    return error;
}

static int ask_picture(const struct picture *picture)
{
    struct cudaResourceDesc resource;
    struct cudaTextureDesc sampling;
    struct cudaTextureDesc_v2 sampling2;
    struct cudaResourceViewDesc view;
    int error = 0;
    TRY(cudaGetTextureObjectResourceDesc, &resource, picture->texture);
    TRY(cudaGetTextureObjectTextureDesc, &sampling, picture->texture);
    TRY(cudaGetTextureObjectTextureDesc_v2, &sampling2, picture->texture);
    /* This one has no view: the answer is a refusal, without a call of the driver. */
    (void)CALL(cudaGetTextureObjectResourceViewDesc, &view, picture->texture);
    TRY(cudaGetSurfaceObjectResourceDesc, &resource, picture->surface);
    CHECK(resource.res.array.array == picture->array);
    return error;
}

static int make_picture(struct picture *picture)
{
    const struct cudaChannelFormatDesc format =
        NOTE(cudaCreateChannelDesc)(32, 0, 0, 0, cudaChannelFormatKindFloat);
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    struct cudaTextureDesc sampling = {
        .addressMode = {cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp}};
    struct cudaTextureDesc_v2 sampling2 = {
        .addressMode = {cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp}};
    int error = 0;
    TRY(cudaMalloc, &picture->memory, PICTURE * sizeof(float));
    TRY(cudaLibraryLoadData, &picture->code, texture_code, NULL, NULL, 0, NULL, NULL, 0);
    TRY(cudaMallocArray, &picture->array, &format, PICTURE, 3, cudaArraySurfaceLoadStore);
    resource.res.array.array = picture->array;
    TRY(cudaCreateTextureObject, &picture->texture, &resource, &sampling, NULL);
    TRY(cudaCreateTextureObject_v2, &picture->second, &resource, &sampling2, NULL);
    TRY(cudaCreateSurfaceObject, &picture->surface, &resource);
    return error;
}

static int paint_and_fetch(struct picture *picture)
{
    float texels[3 * PICTURE] = {0.0f}, found = 0.0f, value = 9.0f;
    void *paint[] = {&picture->surface, &value}, *fetch[] = {&picture->texture, &picture->memory};
    const size_t row = PICTURE * sizeof(float);
    int error = 0;
    TRY(cudaMemcpy2DToArray, picture->array, 0, 0, texels, row, row, 3, cudaMemcpyHostToDevice);
    if (error == 0)
        error = launch_one(picture, "paint", paint);
    if (error == 0)
        error = launch_one(picture, "fetch", fetch);
    TRY(cudaMemcpy, &found, (float *)picture->memory + PICTURE - 1, sizeof found,
        cudaMemcpyDeviceToHost);
    CHECK(found == value);
    return error;
}

static int textures(void)
{
    struct picture picture = {0};
    int error = make_picture(&picture);
    if (error == 0)
        error = ask_picture(&picture);
    if (error == 0)
        error = paint_and_fetch(&picture);
    if (picture.surface != 0)
        END(cudaDestroySurfaceObject, picture.surface);
    if (picture.second != 0)
        END(cudaDestroyTextureObject, picture.second);
    if (picture.texture != 0)
        END(cudaDestroyTextureObject, picture.texture);
    END(cudaFreeArray, picture.array);
    if (picture.code != NULL)
        END(cudaLibraryUnload, picture.code);
    END(cudaFree, picture.memory);
    return error;
}

int operation_textures_by_hand(void)
{
    return textures();
}

int operation_textures_by_image(void)
{
    return textures();
}
