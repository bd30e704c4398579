/* A function of the host holds a stream until the host has made every kind of first launch, has asked about kernels, and has
 * made and ended what launches use: none of it may wait for the stream, however much of it is found out or built for the first
 * time. A call that waits never comes back, and the test ends by its time.
 * nvcc: -rdc=true -lcudadevrt
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cooperative_groups.h>
#include <cuda_device_runtime_api.h>
#include <semaphore.h>

namespace cg = cooperative_groups;

/* clang has no statement for it in device code. */
#ifndef clem_launch
#define clem_launch(kernel, grid, block, shared, stream, ...)                                      \
    ((kernel)<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__), cudaPeekAtLastError())
#endif

enum { COUNT = 32 };

__device__ int variable = 5;
__constant__ int constant[2] = {3, 4};

__global__ void add_variables(int *out)
{
    out[threadIdx.x] += variable + constant[threadIdx.x % 2];
}

__global__ void add_one(int *out)
{
    out[threadIdx.x] += 1;
}

__global__ void launch_child(int *out)
{
    clem_launch(add_one, 1, COUNT, 0, 0, out);
}

__global__ void add_from_heap(int *out)
{
    int *own = (int *)malloc(sizeof *own);
    if (own == nullptr)
        return;
    *own = out[threadIdx.x] + 1;
    out[threadIdx.x] = *own;
    free(own);
}

__global__ void say(int *out)
{
    printf("%d\n", out[0]);
}

__global__ void add_fetched(int *out, cudaTextureObject_t texture)
{
    out[threadIdx.x] += tex1Dfetch<int>(texture, (int)threadIdx.x);
}

__global__ void add_texels(int *out, cudaTextureObject_t texture)
{
    out[threadIdx.x] += (int)tex2D<float>(texture, (float)threadIdx.x, 0);
}

__global__ void write_texels(cudaSurfaceObject_t surface)
{
    surf2Dwrite(2.0f, surface, (int)(threadIdx.x * sizeof(float)), 0);
}

/* Each block adds what all others had. */
__global__ void add_together(int *out, int *sums)
{
    const cg::grid_group grid = cg::this_grid();
    if (threadIdx.x == 0)
        sums[blockIdx.x] = 1;
    grid.sync();
    if (blockIdx.x == 0)
        for (unsigned i = 0; i < gridDim.x; i++)
            out[threadIdx.x] += sums[i];
}

static void wait_for_host(void *semaphore)
{
    while (sem_wait((sem_t *)semaphore) != 0)
        ;
}

static cudaTextureObject_t texture_over(int *ones)
{
    cudaTextureObject_t texture = 0;
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = ones;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = COUNT * sizeof *ones;
    CUDA(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

static cudaResourceDesc array_of_texels(void)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    CUDA(cudaMallocArray(&resource.res.array.array, &format, COUNT, 2,
                         cudaArraySurfaceLoadStore));
    return resource;
}

/* 3 + 2 for each of two textures of the same place in clem's table: what the first held is still to be read. */
static int launch_textures(int *out, int *ones, cudaArray_t *array, cudaStream_t stream)
{
    for (int i = 0; i < 3; i++) {
        const cudaTextureObject_t texture = texture_over(ones);
        add_fetched<<<1, COUNT, 0, stream>>>(out, texture);
        CUDA(cudaGetLastError());
        CUDA(cudaDestroyTextureObject(texture));
    }
    const cudaResourceDesc resource = array_of_texels();
    const cudaTextureDesc how = {};
    cudaSurfaceObject_t surface = 0;
    cudaTextureObject_t texture = 0;
    CUDA(cudaCreateSurfaceObject(&surface, &resource));
    CUDA(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    write_texels<<<1, COUNT, 0, stream>>>(surface);
    add_texels<<<1, COUNT, 0, stream>>>(out, texture);
    CUDA(cudaGetLastError());
    CUDA(cudaDestroySurfaceObject(surface));
    CUDA(cudaDestroyTextureObject(texture));
    *array = resource.res.array.array;
    return 3 + 2;
}

static void ask(void)
{
    cudaFuncAttributes attributes;
    size_t free_bytes, total_bytes;
    void *address = nullptr;
    int blocks = 0, cooperates = 0;
    CUDA(cudaDeviceGetAttribute(&cooperates, cudaDevAttrCooperativeLaunch, 0));
    CUDA(cudaFuncGetAttributes(&attributes, add_together));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_together, COUNT, 0));
    CUDA(cudaGetSymbolAddress(&address, constant));
    CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
    EXPECT(cooperates == 1 && blocks > 0 && address != nullptr);
}

/* A graph that allocates, of streams that are too many for clem to follow one by one. */
static void launch_graphs(cudaStream_t held, std::vector<cudaStream_t> *streams)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaEvent_t event;
    void *memory = nullptr;
    CUDA(cudaStreamBeginCapture((*streams)[0], cudaStreamCaptureModeRelaxed));
    CUDA(cudaMallocAsync(&memory, 1024, (*streams)[0]));
    CUDA(cudaMemsetAsync(memory, 1, 1024, (*streams)[0]));
    CUDA(cudaFreeAsync(memory, (*streams)[0]));
    CUDA(cudaStreamEndCapture((*streams)[0], &graph));
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CUDA(cudaEventRecord(event, held));
    for (cudaStream_t stream : *streams) {
        CUDA(cudaStreamWaitEvent(stream, event, 0));
        CUDA(cudaGraphLaunch(executable, stream));
    }
    CUDA(cudaEventDestroy(event));
    CUDA(cudaGraphExecDestroy(executable));
    CUDA(cudaGraphDestroy(graph));
}

/* Copies and fills in the stream; those from a place to itself a little further have a value each way. */
static void copy(int *places, int *pinned, cudaStream_t stream)
{
    std::vector<int> host(COUNT, 7);
    CUDA(cudaMemcpyAsync(places, host.data(), COUNT * sizeof(int), cudaMemcpyHostToDevice, stream));
    CUDA(cudaMemcpyAsync(places + COUNT / 2, places, COUNT * sizeof(int), cudaMemcpyDeviceToDevice,
                         stream));
    CUDA(cudaMemcpyAsync(places, places + COUNT / 2, COUNT * sizeof(int), cudaMemcpyDeviceToDevice,
                         stream));
    CUDA(cudaMemcpyAsync(pinned, places, COUNT * sizeof(int), cudaMemcpyDeviceToHost, stream));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    device_array<int> out(COUNT), sums(COUNT), places(2 * COUNT),
        ones(std::vector<int>(COUNT, 1));
    std::vector<cudaStream_t> streams(20);
    cudaStream_t held;
    cudaArray_t array;
    sem_t semaphore;
    int *pinned = nullptr, blocks = 2;
    CUDA(cudaMallocHost(&pinned, COUNT * sizeof *pinned));
    CUDA(cudaStreamCreateWithFlags(&held, cudaStreamNonBlocking));
    for (cudaStream_t &stream : streams)
        CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA(cudaDeviceSynchronize());
    sem_init(&semaphore, 0, 0);

    CUDA(cudaLaunchHostFunc(held, wait_for_host, &semaphore));
    add_variables<<<1, COUNT, 0, held>>>(out.data);
    for (int i = 0; i < 2; i++)
        launch_child<<<1, 1, 0, held>>>(out.data);
    add_from_heap<<<1, COUNT, 0, held>>>(out.data);
    say<<<1, 1, 0, held>>>(out.data);
    CUDA(cudaGetLastError());
    const int of_textures = launch_textures(out.data, ones.data, &array, held);
    copy(places.data, pinned, held);
    launch_graphs(held, &streams);
    ask();
    void *given[] = {&out.data, &sums.data};
    CUDA(cudaLaunchCooperativeKernel((const void *)add_together, dim3((unsigned)blocks),
                                     dim3(COUNT), given, 0, held));
    EXPECT(cudaStreamQuery(held) == cudaErrorNotReady);
    sem_post(&semaphore);

    CUDA(cudaDeviceSynchronize());
    const std::vector<int> got = out.host();
    for (int i = 0; i < COUNT; i++) {
        EXPECT(got[i] == 5 + 3 + i % 2 + 2 + 1 + of_textures + blocks);
        EXPECT(pinned[i] == 7);
    }
    CUDA(cudaFreeArray(array));
    for (cudaStream_t stream : streams)
        CUDA(cudaStreamDestroy(stream));
    CUDA(cudaStreamDestroy(held));
    CUDA(cudaFreeHost(pinned));
    sem_destroy(&semaphore);
    return program_end();
}
