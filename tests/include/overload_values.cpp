// Checks what the C++ overloads compute themselves, on C functions that stand in for the library's.
// SPDX-License-Identifier: Apache-2.0
#include "cuda_runtime.h"

#include <cstdio>
#include <cstring>

static int failures;

static void check(bool holds, const char *what)
{
    if (!holds) {
        std::printf("not so: %s\n", what);
        failures++;
    }
}

#define CHECK(condition) check(condition, #condition)

// A device of 4 multiprocessors with 1536 threads each, and a function that takes 1000 a block.
static int blocks_by_threads = 1536;
static size_t shared_per_multiprocessor = 65536;
static cudaError_t attributes_error = cudaSuccess;

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attr, int)
{
    switch (attr) {
    case cudaDevAttrWarpSize:
        *value = 32;
        break;
    case cudaDevAttrMultiProcessorCount:
        *value = 4;
        break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = 1536;
        break;
    case cudaDevAttrMaxThreadsPerBlock:
        *value = 1024;
        break;
    default:
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attr, const void *)
{
    *attr = {};
    attr->maxThreadsPerBlock = 1000;
    return attributes_error;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *,
                                                                   int blockSize, size_t bytes,
                                                                   unsigned int)
{
    const int warps = (blockSize + 31) / 32;
    *numBlocks = blocks_by_threads / (warps * 32);
    if (bytes > 0 && static_cast<int>(shared_per_multiprocessor / bytes) < *numBlocks)
        *numBlocks = static_cast<int>(shared_per_multiprocessor / bytes);
    return cudaSuccess;
}

static double seen_double;
static short seen_short;
static const void *seen_function;

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *func, void **args)
{
    seen_function = func;
    std::memcpy(&seen_short, args[0], sizeof seen_short);
    std::memcpy(&seen_double, args[1], sizeof seen_double);
    return args[2] == nullptr ? cudaSuccess : cudaErrorInvalidValue;
}

static void kernel(short, double)
{
}

static bool same(cudaChannelFormatDesc a, int x, int y, int z, int w, cudaChannelFormatKind f)
{
    return a.x == x && a.y == y && a.z == z && a.w == w && a.f == f;
}

static void channels()
{
    const auto s = cudaChannelFormatKindSigned;
    const auto u = cudaChannelFormatKindUnsigned;
    const auto f = cudaChannelFormatKindFloat;
    CHECK(same(cudaCreateChannelDesc<char>(), 8, 0, 0, 0, s));
    CHECK(same(cudaCreateChannelDesc<uchar4>(), 8, 8, 8, 8, u));
    CHECK(same(cudaCreateChannelDesc<ushort2>(), 16, 16, 0, 0, u));
    CHECK(same(cudaCreateChannelDesc<int1>(), 32, 0, 0, 0, s));
    CHECK(same(cudaCreateChannelDesc<float4>(), 32, 32, 32, 32, f));
    CHECK(same(cudaCreateChannelDesc<float3>(), 0, 0, 0, 0, cudaChannelFormatKindNone));
    CHECK(same(cudaCreateChannelDesc<double>(), 0, 0, 0, 0, cudaChannelFormatKindNone));
    CHECK(same(cudaCreateChannelDesc<cudaChannelFormatKindNV12>(), 8, 8, 8, 0,
               cudaChannelFormatKindNV12));
    CHECK(same(cudaCreateChannelDesc<cudaChannelFormatKindUnsignedNormalized1010102>(), 10, 10, 10,
               2, cudaChannelFormatKindUnsignedNormalized1010102));
    CHECK(same(cudaCreateChannelDescHalf2(), 16, 16, 0, 0, f));
}

static void vectors()
{
    const dim3 whole(2, 3);
    const uint3 plain = whole;
    const dim3 back = plain;
    CHECK(whole.x == 2 && whole.y == 3 && whole.z == 1);
    CHECK(plain.x == 2 && plain.y == 3 && plain.z == 1);
    CHECK(back.x == 2 && back.y == 3 && back.z == 1);
    const double4_32a wide = make_double4_32a(1, 2, 3, 4);
    CHECK(wide.x == 1 && wide.y == 2 && wide.z == 3 && wide.w == 4);
    const cudaPitchedPtr pitched = make_cudaPitchedPtr(nullptr, 512, 100, 7);
    CHECK(pitched.pitch == 512 && pitched.xsize == 100 && pitched.ysize == 7);
    const cudaExtent extent = make_cudaExtent(1, 2, 3);
    CHECK(extent.width == 1 && extent.height == 2 && extent.depth == 3);
}

static void launches()
{
    const cudaLaunchConfig_t config = {};
    // The second argument is a float: its address must lead to a double.
    CHECK(cudaLaunchKernelEx(&config, kernel, short(-7), 0.5f) == cudaSuccess);
    CHECK(seen_function == reinterpret_cast<const void *>(kernel));
    CHECK(seen_short == -7);
    CHECK(seen_double == 0.5);
}

static void occupancy()
{
    int grid = 0;
    int block = 0;
    // 768 is the largest block whose copies fill 1536 threads.
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel) == cudaSuccess);
    CHECK(block == 768 && grid == 8);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 100) == cudaSuccess);
    CHECK(block == 96 && grid == 64);
    // 128 bytes a thread leave room for 512 threads: any block that divides 512 is as good.
    const auto shared = [](int threads) { return static_cast<size_t>(threads) * 128; };
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, kernel, shared) ==
          cudaSuccess);
    CHECK(block == 512 && grid == 4);
    CHECK(cudaOccupancyMaxPotentialBlockSize<void (*)(short, double)>(nullptr, &block, kernel) ==
          cudaErrorInvalidValue);
    attributes_error = cudaErrorInvalidDeviceFunction;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel) ==
          cudaErrorInvalidDeviceFunction);
}

static cudaMemLocation place;
static unsigned char argument[16];

cudaError_t cudaMemPrefetchAsync(const void *, size_t, cudaMemLocation location, unsigned int,
                                 cudaStream_t)
{
    place = location;
    return cudaSuccess;
}

cudaError_t cudaSetupArgument(const void *arg, size_t size, size_t offset)
{
    std::memcpy(argument + offset, arg, size);
    return cudaSuccess;
}

static void older_forms()
{
    const texture<uchar2, 2, cudaReadModeNormalizedFloat> plain;
    const texture<float> linear(1, cudaFilterModeLinear, cudaAddressModeWrap);
    const texture<float> described(0, cudaFilterModePoint, cudaAddressModeMirror,
                                   cudaCreateChannelDesc<int2>());
    const surface<void, 2> canvas;
    CHECK(plain.normalized == 0 && plain.filterMode == cudaFilterModePoint);
    CHECK(plain.addressMode[0] == cudaAddressModeClamp);
    CHECK(plain.addressMode[2] == cudaAddressModeClamp);
    CHECK(plain.channelDesc.x == 8 && plain.channelDesc.y == 8 && plain.channelDesc.z == 0);
    CHECK(plain.channelDesc.f == cudaChannelFormatKindUnsigned);
    CHECK(plain.sRGB == 0 && plain.maxAnisotropy == 0);
    CHECK(linear.normalized == 1 && linear.filterMode == cudaFilterModeLinear);
    CHECK(linear.addressMode[1] == cudaAddressModeWrap && linear.channelDesc.x == 32);
    CHECK(described.channelDesc.y == 32 && described.channelDesc.f == cudaChannelFormatKindSigned);
    CHECK(canvas.channelDesc.x == 0);
    CHECK(cudaMemPrefetchAsync(nullptr, 4, 3) == cudaSuccess);
    CHECK(place.type == cudaMemLocationTypeDevice && place.id == 3);
    CHECK(cudaMemPrefetchAsync(nullptr, 4, cudaCpuDeviceId) == cudaSuccess);
    CHECK(place.type == cudaMemLocationTypeHost);
    CHECK(cudaSetupArgument(static_cast<short>(0x1234), 2) == cudaSuccess);
    CHECK(argument[1] == 0 && argument[2] == 0x34 && argument[3] == 0x12 && argument[4] == 0);
}

static size_t edges;
static const cudaGraphEdgeData *edge_data;
static unsigned capture_flags;

cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *,
                                     const cudaGraphEdgeData *data, size_t count)
{
    edges = count;
    edge_data = data;
    return cudaSuccess;
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t, cudaGraphNode_t *,
                                                const cudaGraphEdgeData *data, size_t count,
                                                unsigned flags)
{
    edges = count;
    edge_data = data;
    capture_flags = flags;
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus *, unsigned long long *,
                                     cudaGraph_t *, const cudaGraphNode_t **,
                                     const cudaGraphEdgeData **, size_t *count)
{
    if (count)
        *count = 5;
    return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t,
                                cudaGraphExecUpdateResultInfo *info)
{
    if (!exec)
        return cudaErrorInvalidValue;
    info->result = cudaGraphExecUpdateErrorNodeTypeChanged;
    info->errorNode = reinterpret_cast<cudaGraphNode_t>(info);
    return cudaErrorGraphExecUpdateFailure;
}

static void older_graphs()
{
    static const cudaGraphEdgeData data = {};
    cudaGraphNode_t node = nullptr;
    size_t count = 0;
    cudaGraphExecUpdateResult result = cudaGraphExecUpdateSuccess;
    const cudaGraphExec_t exec = reinterpret_cast<cudaGraphExec_t>(&count);
    edge_data = &data;
    CHECK(cudaGraphAddDependencies(nullptr, &node, &node, 3) == cudaSuccess);
    CHECK(edges == 3 && edge_data == nullptr);
    CHECK(cudaGraphAddDependencies(nullptr, &node, &node, &data, 4) == cudaSuccess);
    CHECK(edges == 4 && edge_data == &data);
    CHECK(cudaStreamUpdateCaptureDependencies(nullptr, &node, 2,
                                              cudaStreamSetCaptureDependencies) == cudaSuccess);
    CHECK(edges == 2 && edge_data == nullptr && capture_flags == 1);
    const unsigned int flags = 1;
    CHECK(cudaStreamUpdateCaptureDependencies(nullptr, &node, count, flags) == cudaSuccess);
    CHECK(edges == count && edge_data == nullptr && capture_flags == 1);
    CHECK(cudaStreamUpdateCaptureDependencies(nullptr, &node, 7, 0) == cudaSuccess);
    CHECK(edges == 7 && capture_flags == 0);
    CHECK(cudaStreamUpdateCaptureDependencies(nullptr, &node, NULL, 1) == cudaSuccess);
    CHECK(edges == 1 && capture_flags == 0);
    CHECK(cudaStreamGetCaptureInfo(nullptr, nullptr, nullptr, nullptr, nullptr, &count) ==
          cudaSuccess);
    CHECK(count == 5);
    CHECK(cudaGraphExecUpdate(exec, nullptr, &node, &result) == cudaErrorGraphExecUpdateFailure);
    CHECK(node != nullptr && result == cudaGraphExecUpdateErrorNodeTypeChanged);
    CHECK(cudaGraphExecUpdate(exec, nullptr, nullptr, &result) == cudaErrorInvalidValue);
    CHECK(cudaGraphExecUpdate(exec, nullptr, &node, nullptr) == cudaErrorInvalidValue);
}

int main()
{
    older_forms();
    older_graphs();
    channels();
    vectors();
    launches();
    occupancy();
    return failures == 0 ? 0 : 1;
}
