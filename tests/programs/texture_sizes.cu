/* Textures and surfaces as large as the device says that they may be, in each direction.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

static int attribute(cudaDeviceAttr which)
{
    int value = 0;
    CUDA(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

/* What texel (x, y, z) holds. No cast alone: clang 19 compares numbers that become bytes by all of their bits. */
__host__ __device__ static unsigned char texel(int x, int y, int z)
{
    return (unsigned char)((unsigned)(x * 7 + x / 256 + y * 3 + y / 256 + z * 31) % 251);
}

__global__ void write(cudaSurfaceObject_t surface, int3 size, int dimensions)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size.x * size.y * size.z)
        return;
    const int x = i % size.x, y = i / size.x % size.y, z = i / size.x / size.y;
    if (dimensions == 1)
        surf1Dwrite(texel(x, y, z), surface, x);
    else if (dimensions == 2)
        surf2Dwrite(texel(x, y, z), surface, x, y);
    else
        surf3Dwrite(texel(x, y, z), surface, x, y, z);
}

__global__ void count(cudaTextureObject_t texture, int3 size, int dimensions, int *wrong)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size.x * size.y * size.z)
        return;
    const int x = i % size.x, y = i / size.x % size.y, z = i / size.x / size.y;
    unsigned char found;
    if (dimensions == 1)
        found = tex1D<unsigned char>(texture, x + 0.5f);
    else if (dimensions == 2)
        found = tex2D<unsigned char>(texture, x + 0.5f, y + 0.5f);
    else
        found = tex3D<unsigned char>(texture, x + 0.5f, y + 0.5f, z + 0.5f);
    if (found != texel(x, y, z))
        atomicAdd(wrong, 1);
}

/* An array of that size, which kernels write and then sample. */
static void check(const char *what, int dimensions, int width, int height, int depth, int *wrong)
{
    const int3 size = make_int3(width, height > 0 ? height : 1, depth > 0 ? depth : 1);
    const int blocks = (size.x * size.y * size.z + 255) / 256;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    int count_of_wrong = -1;
    resource.resType = cudaResourceTypeArray;
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
    CUDA(cudaMalloc3DArray(&resource.res.array.array, &format,
                           make_cudaExtent(width, height, depth), cudaArraySurfaceLoadStore));
    CUDA(cudaCreateSurfaceObject(&surface, &resource));
    CUDA(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    CUDA(cudaMemset(wrong, 0, sizeof(int)));
    write<<<blocks, 256>>>(surface, size, dimensions);
    count<<<blocks, 256>>>(texture, size, dimensions, wrong);
    CUDA(cudaMemcpy(&count_of_wrong, wrong, sizeof(int), cudaMemcpyDeviceToHost));
    if (!EXPECT(count_of_wrong == 0))
        printf("%s: %d texels\n", what, count_of_wrong);
    CUDA(cudaDestroyTextureObject(texture));
    CUDA(cudaDestroySurfaceObject(surface));
    CUDA(cudaFreeArray(resource.res.array.array));
}

int main(int argc, char **argv)
{
    int *wrong;
    program_begin(argc, argv);
    CUDA(cudaMalloc(&wrong, sizeof(int)));
    check("a row", 1, attribute(cudaDevAttrMaxSurface1DWidth), 0, 0, wrong);
    check("a wide plane", 2, attribute(cudaDevAttrMaxSurface2DWidth), 3, 0, wrong);
    check("a high plane", 2, 3, attribute(cudaDevAttrMaxSurface2DHeight), 0, wrong);
    check("a wide volume", 3, attribute(cudaDevAttrMaxSurface3DWidth), 2, 2, wrong);
    check("a high volume", 3, 2, attribute(cudaDevAttrMaxSurface3DHeight), 2, wrong);
    check("a deep volume", 3, 2, 2, attribute(cudaDevAttrMaxSurface3DDepth), wrong);
    CUDA(cudaFree(wrong));
    return program_end();
}
