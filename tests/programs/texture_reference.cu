/* Texture and surface references, which toolkits had until 12: bind, sample, unbind. Only for clemcc.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

texture<float4, cudaTextureType1D, cudaReadModeElementType> positions;
texture<float, cudaTextureType2D, cudaReadModeElementType> picture;
texture<unsigned char, cudaTextureType2D, cudaReadModeNormalizedFloat> greys;
surface<void, cudaSurfaceType2D> canvas;

__global__ void fetch(float4 *out)
{
    out[threadIdx.x] = tex1Dfetch(positions, 127 - (int)threadIdx.x);
}

__global__ void shift(float *out, int width, float dx, float dy)
{
    const int x = threadIdx.x, y = blockIdx.x;
    out[y * width + x] = tex2D(picture, x + 0.5f + dx, y + 0.5f + dy);
}

__global__ void grey(float *out, int width)
{
    out[blockIdx.x * width + threadIdx.x] = tex2D(greys, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}

__global__ void paint(int width)
{
    surf2Dwrite((float)(threadIdx.x * blockIdx.x), canvas, threadIdx.x * 4, blockIdx.x);
}

static void linear(void)
{
    std::vector<float4> values(128);
    for (int i = 0; i < 128; i++)
        values[i] = make_float4((float)i, (float)-i, 0.5f, (float)(i * i));
    device_array<float4> memory(values), out(128);
    size_t offset = 1;
    CUDA(cudaBindTexture(&offset, positions, memory.data, 128 * sizeof(float4)));
    EXPECT(offset == 0);
    fetch<<<1, 128>>>(out.data);
    LAUNCHED();
    const std::vector<float4> got = out.host();
    for (int i = 0; i < 128; i++)
        EXPECT(got[i].x == 127 - i && got[i].y == i - 127 && got[i].w == (127 - i) * (127 - i));
    CUDA(cudaUnbindTexture(positions));
}

static void plane(void)
{
    const int width = 64, height = 32;
    const std::vector<float> texels = random_floats(width * height, 0, 1);
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CUDA(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, texels.data(), width * 4, width * 4, height,
                             cudaMemcpyHostToDevice));
    picture.addressMode[0] = picture.addressMode[1] = cudaAddressModeClamp;
    picture.filterMode = cudaFilterModePoint;
    CUDA(cudaBindTextureToArray(picture, array));
    device_array<float> out(width * height);
    shift<<<height, width>>>(out.data, width, 3, -1);
    LAUNCHED();
    std::vector<float> got = out.host();
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            EXPECT(got[y * width + x] ==
                   texels[(y > 0 ? y - 1 : 0) * width + (x + 3 < width ? x + 3 : width - 1)]);
    CUDA(cudaUnbindTexture(picture));
    CUDA(cudaBindSurfaceToArray(canvas, array));
    paint<<<height, width>>>(width);
    LAUNCHED();
    CUDA(cudaMemcpy2DFromArray(got.data(), width * 4, array, 0, 0, width * 4, height,
                               cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++)
        EXPECT(got[i] == (float)((i % width) * (i / width)));
    CUDA(cudaFreeArray(array));
}

static void normalised(void)
{
    const int width = 256, height = 4;
    std::vector<unsigned char> texels(width * height);
    for (int i = 0; i < width * height; i++)
        texels[i] = (unsigned char)(i * 7);
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
    CUDA(cudaMallocArray(&array, &format, width, height));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, texels.data(), width, width, height,
                             cudaMemcpyHostToDevice));
    CUDA(cudaBindTextureToArray(greys, array, format));
    device_array<float> out(width * height);
    grey<<<height, width>>>(out.data, width);
    LAUNCHED();
    const std::vector<float> got = out.host();
    for (int i = 0; i < width * height; i++)
        EXPECT(got[i] == texels[i] / 255.0f);
    CUDA(cudaFreeArray(array));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    linear();
    plane();
    normalised();
    return program_end();
}
