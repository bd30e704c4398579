// Calls every C++ overload of the runtime API once; it only has to compile.
// SPDX-License-Identifier: Apache-2.0
#include "cuda.h"
#include "cuda_profiler_api.h"
#include "cuda_runtime.h"

struct object {
    int value;
};

static int symbol[16];

void kernel(int *data, float factor, long count);
void allocate(cudaStream_t stream, cudaMemPool_t pool);
void move(cudaStream_t stream, cudaMemLocation place);
void copy_symbols(cudaStream_t stream);
void launch(cudaStream_t stream, cudaKernel_t loaded, cudaLibrary_t library);
void occupy(cudaKernel_t loaded);
void graphs(cudaGraph_t graph, cudaGraphNode_t node, cudaGraphExec_t runnable);
void references(cudaArray_t array, cudaMipmappedArray_t mipmapped);
void older_forms(cudaStream_t stream, const void *managed);
void older_graphs(cudaGraph_t graph, cudaGraphNode_t node, cudaGraphExec_t runnable);
void older_captures(cudaStream_t stream, cudaGraphNode_t node);

void allocate(cudaStream_t stream, cudaMemPool_t pool)
{
    int *numbers = nullptr;
    const float *constants = nullptr;
    void *untyped = nullptr;
    size_t pitch = 0;
    cudaMalloc(&numbers, 4);
    cudaMalloc(&constants, 4);
    cudaMalloc(&untyped, 4);
    cudaMallocPitch(&numbers, &pitch, 4, 4);
    cudaMallocHost(&numbers, 4);
    cudaMallocHost(&numbers, 4, cudaHostAllocMapped);
    cudaMallocHost(&untyped, 4);
    cudaMallocHost(&untyped, 4, cudaHostAllocMapped);
    cudaHostAlloc(&numbers, 4, cudaHostAllocDefault);
    cudaHostGetDevicePointer(&numbers, untyped, 0);
    cudaMallocManaged(&numbers, 4);
    cudaMallocManaged(&untyped, 4);
    cudaMallocManaged(&numbers, 4, cudaMemAttachHost);
    cudaStreamAttachMemAsync(stream, numbers);
    cudaStreamAttachMemAsync(stream, untyped, 4, cudaMemAttachGlobal);
    cudaMallocAsync(&numbers, 4, stream);
    cudaMallocAsync(&untyped, 4, stream);
    cudaMallocAsync(&numbers, 4, pool, stream);
    cudaMallocAsync(&untyped, 4, pool, stream);
    cudaMallocFromPoolAsync(&numbers, 4, pool, stream);
}

void move(cudaStream_t stream, cudaMemLocation place)
{
    int *to = nullptr;
    const int *from = symbol;
    size_t bytes = 4;
    size_t first = 0;
    cudaMemcpyAttributes attributes = {};
    cudaEvent_t event = nullptr;
    cudaEventCreate(&event);
    cudaEventCreate(&event, cudaEventDisableTiming);
    cudaEventRecord(event);
    cudaStreamWaitEvent(stream, event);
    cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault);
    cudaMemsetAsync(to, 0, bytes);
    cudaMemcpyBatchAsync(&to, &from, &bytes, 1, &attributes, &first, 1, stream);
    cudaMemcpyBatchAsync(&to, &from, &bytes, 1, attributes, stream);
    cudaMemPrefetchBatchAsync(&to, &bytes, 1, &place, &first, 1, 0, stream);
    cudaMemPrefetchBatchAsync(&to, &bytes, 1, place, 0, stream);
    cudaMemDiscardAndPrefetchBatchAsync(&to, &bytes, 1, &place, &first, 1, 0, stream);
    cudaMemDiscardAndPrefetchBatchAsync(&to, &bytes, 1, place, 0, stream);
}

void copy_symbols(cudaStream_t stream)
{
    void *address = nullptr;
    size_t bytes = 0;
    cudaGetSymbolAddress(&address, symbol);
    cudaGetSymbolSize(&bytes, symbol);
    cudaMemcpyToSymbol(symbol, address, 4);
    cudaMemcpyToSymbol(symbol, address, 4, 8, cudaMemcpyDefault);
    cudaMemcpyToSymbolAsync(symbol, address, 4);
    cudaMemcpyToSymbolAsync(symbol, address, 4, 0, cudaMemcpyHostToDevice, stream);
    cudaMemcpyFromSymbol(address, symbol, 4);
    cudaMemcpyFromSymbolAsync(address, symbol, 4, 0, cudaMemcpyDeviceToHost, stream);
}

void launch(cudaStream_t stream, cudaKernel_t loaded, cudaLibrary_t library)
{
    int *data = nullptr;
    void *args[] = {&data};
    const void *untyped = loaded;
    const char *name = nullptr;
    void (*function)() = nullptr;
    size_t bytes = 0;
    cudaLaunchConfig_t config = {};
    cudaFuncAttributes attributes = {};
    cudaLaunchKernel(kernel, 1, 2, args);
    cudaLaunchKernel(kernel, dim3(1, 2), dim3(3, 4, 5), args, 0, stream);
    cudaLaunchKernel(loaded, 1, 1, args, 0, stream);
    cudaLaunchKernel(untyped, 1, 1, args, 0, stream);
    cudaLaunchCooperativeKernel(kernel, 1, 1, args);
    cudaLaunchKernelEx(&config, kernel, data, 1.0f, 2L);
    cudaLaunchKernelEx(&config, loaded, data, 1.0f);
    cudaFuncGetAttributes(&attributes, kernel);
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
    cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1);
    cudaFuncSetSharedMemConfig(kernel, cudaSharedMemBankSizeEightByte);
    cudaFuncGetName(&name, kernel);
    cudaGetKernel(&loaded, kernel);
    cudaLibraryGetGlobal(&data, &bytes, library, "name");
    cudaLibraryGetManaged(&data, &bytes, library, "name");
    cudaLibraryGetUnifiedFunction(&function, library, "name");
    cudaProfilerStart();
    cudaProfilerStop();
}

void occupy(cudaKernel_t loaded)
{
    int grid = 0;
    int block = 0;
    size_t bytes = 0;
    cudaLaunchConfig_t config = {};
    const auto shared = [](int threads) { return threads * 4; };
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&grid, kernel, 64, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&grid, loaded, 64, 0, 0);
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel);
    cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, loaded, 16, 256, 0);
    cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, kernel, shared);
    cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(&grid, &block, kernel, shared, 128, 0);
    cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 1, 32);
    cudaOccupancyMaxPotentialClusterSize(&grid, kernel, &config);
    cudaOccupancyMaxActiveClusters(&grid, kernel, &config);
}

void graphs(cudaGraph_t graph, cudaGraphNode_t node, cudaGraphExec_t runnable)
{
    int *data = nullptr;
    cudaUserObject_t owner = nullptr;
    cudaGraphInstantiate(&runnable, graph);
    cudaGraphInstantiate(&runnable, graph, &node, nullptr, 0);
    cudaGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, symbol, data, 4, 0,
                                   cudaMemcpyHostToDevice);
    cudaGraphAddMemcpyNodeFromSymbol(&node, graph, nullptr, 0, data, symbol, 4, 0,
                                     cudaMemcpyDeviceToHost);
    cudaGraphMemcpyNodeSetParamsToSymbol(node, symbol, data, 4, 0, cudaMemcpyHostToDevice);
    cudaGraphMemcpyNodeSetParamsFromSymbol(node, data, symbol, 4, 0, cudaMemcpyDeviceToHost);
    cudaGraphExecMemcpyNodeSetParamsToSymbol(runnable, node, symbol, data, 4, 0,
                                             cudaMemcpyHostToDevice);
    cudaGraphExecMemcpyNodeSetParamsFromSymbol(runnable, node, data, symbol, 4, 0,
                                               cudaMemcpyDeviceToHost);
    cudaUserObjectCreate(&owner, new object, 1, cudaUserObjectNoDestructorSync);
    cudaUserObjectCreate(&owner, new object, 1, 1u);
}

static texture<float, cudaTextureType2D> picture;
static texture<uchar4, 1, cudaReadModeNormalizedFloat> line(1, cudaFilterModeLinear);
static surface<void, cudaSurfaceType2D> canvas;

void references(cudaArray_t array, cudaMipmappedArray_t mipmapped)
{
    const float *data = nullptr;
    size_t offset = 0;
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    const textureReference *found = nullptr;
    const surfaceReference *found_surface = nullptr;
    cudaBindTexture(&offset, line, data);
    cudaBindTexture(&offset, line, data, 64);
    cudaBindTexture(nullptr, picture, data, desc);
    cudaBindTexture(nullptr, picture, data, desc, 64);
    cudaBindTexture(&offset, &picture, data, &desc);
    cudaBindTexture2D(&offset, picture, data, 4, 4, 32);
    cudaBindTexture2D(&offset, picture, data, desc, 4, 4, 32);
    cudaBindTexture2D(&offset, &picture, data, &desc, 4, 4, 32);
    cudaBindTextureToArray(picture, array);
    cudaBindTextureToArray(picture, array, desc);
    cudaBindTextureToArray(&picture, array, &desc);
    cudaBindTextureToMipmappedArray(picture, mipmapped);
    cudaBindTextureToMipmappedArray(picture, mipmapped, desc);
    cudaUnbindTexture(picture);
    cudaUnbindTexture(&picture);
    cudaGetTextureAlignmentOffset(&offset, line);
    cudaBindSurfaceToArray(canvas, array);
    cudaBindSurfaceToArray(canvas, array, desc);
    cudaGetTextureReference(&found, &picture);
    cudaGetSurfaceReference(&found_surface, &canvas);
}

void older_forms(cudaStream_t stream, const void *managed)
{
    const cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    cudaMemPrefetchAsync(managed, 4, 0);
    cudaMemPrefetchAsync(managed, 4, cudaCpuDeviceId, stream);
    cudaMemPrefetchAsync(managed, 4, here, 0, stream);
    cudaMemAdvise(managed, 4, cudaMemAdviseSetReadMostly, 0);
    cudaMemAdvise(managed, 4, cudaMemAdviseSetReadMostly, here);
    const CUmemLocation there = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    const CUdeviceptr address = reinterpret_cast<CUdeviceptr>(managed);
    CUcontext context;
    cuCtxCreate(&context, 0, 0);
    cuCtxCreate(&context, nullptr, 0, 0);
    cuCtxCreate_v2(&context, 0, 0);
    cuCtxCreate_v3(&context, nullptr, 0, 0, 0);
    cuMemPrefetchAsync(address, 4, 0, stream);
    cuMemPrefetchAsync(address, 4, there, 0, stream);
    cuMemAdvise(address, 4, CU_MEM_ADVISE_SET_READ_MOSTLY, 0);
    cuMemAdvise(address, 4, CU_MEM_ADVISE_SET_READ_MOSTLY, there);
    void *function = nullptr;
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    cudaGetDriverEntryPoint("cuInit", &function, 0);
    cudaStreamGetCaptureInfo(stream, &status, &id);
    cudaConfigureCall(1, 1);
    cudaSetupArgument(2.0f, 0);
    cudaSetupArgument(managed, 8, 8);
    cudaLaunch(kernel);
}

// Each graph function that got the data of edges, by its arguments of before and of today; NULL is one of today.
void older_graphs(cudaGraph_t graph, cudaGraphNode_t node, cudaGraphExec_t runnable)
{
    cudaGraphNode_t others[2] = {node, node};
    size_t count = 1;
    cudaGraphNodeParams params = {};
    cudaGraphExecUpdateResult result;
    cudaGraphExecUpdateResultInfo info;
    cudaGraphAddDependencies(graph, &node, others, 1);
    cudaGraphAddDependencies(graph, &node, others, NULL, 1);
    cudaGraphRemoveDependencies(graph, &node, others, 1);
    cudaGraphRemoveDependencies(graph, &node, others, NULL, 1);
    cudaGraphGetEdges(graph, nullptr, nullptr, &count);
    cudaGraphGetEdges(graph, nullptr, nullptr, NULL, &count);
    cudaGraphNodeGetDependencies(node, others, &count);
    cudaGraphNodeGetDependencies(node, others, NULL, &count);
    cudaGraphNodeGetDependentNodes(node, others, &count);
    cudaGraphNodeGetDependentNodes(node, others, NULL, &count);
    cudaGraphAddNode(&node, graph, others, 1, &params);
    cudaGraphAddNode(&node, graph, others, NULL, 1, &params);
    cudaGraphExecUpdate(runnable, graph, &node, &result);
    cudaGraphExecUpdate(runnable, graph, &info);
    CUgraphNodeParams driver_params = {};
    CUgraphExecUpdateResult driver_result;
    CUgraphExecUpdateResultInfo driver_info;
    cudaGraphAddDependencies_v2(graph, &node, others, NULL, 1);
    cudaGraphRemoveDependencies_v2(graph, &node, others, NULL, 1);
    cudaGraphGetEdges_v2(graph, nullptr, nullptr, NULL, &count);
    cudaGraphNodeGetDependencies_v2(node, others, NULL, &count);
    cudaGraphNodeGetDependentNodes_v2(node, others, NULL, &count);
    cudaGraphAddNode_v2(&node, graph, others, NULL, 1, &params);
    cuGraphAddDependencies(graph, &node, others, 1);
    cuGraphAddDependencies(graph, &node, others, NULL, 1);
    cuGraphRemoveDependencies(graph, &node, others, 1);
    cuGraphRemoveDependencies(graph, &node, others, NULL, 1);
    cuGraphGetEdges(graph, nullptr, nullptr, &count);
    cuGraphGetEdges(graph, nullptr, nullptr, NULL, &count);
    cuGraphNodeGetDependencies(node, others, &count);
    cuGraphNodeGetDependencies(node, others, NULL, &count);
    cuGraphNodeGetDependentNodes(node, others, &count);
    cuGraphNodeGetDependentNodes(node, others, NULL, &count);
    cuGraphAddNode(&node, graph, others, 1, &driver_params);
    cuGraphAddNode(&node, graph, others, NULL, 1, &driver_params);
    cuGraphInstantiate(&runnable, graph, &node, NULL, 0);
    cuGraphInstantiate(&runnable, graph, 0);
    cuGraphExecUpdate(runnable, graph, &node, &driver_result);
    cuGraphExecUpdate(runnable, graph, &driver_info);
}

void older_captures(cudaStream_t stream, cudaGraphNode_t node)
{
    const cudaGraphNode_t *dependencies = nullptr;
    const cudaGraphEdgeData *data = nullptr;
    const cudaGraphEdgeData edge = {};
    size_t count = 1;
    cudaGraph_t graph = nullptr;
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &dependencies, &count);
    cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &dependencies, &data);
    cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &dependencies, NULL);
    cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &dependencies, NULL, &count);
    cudaStreamUpdateCaptureDependencies(stream, &node, 1);
    cudaStreamUpdateCaptureDependencies(stream, &node, count, cudaStreamSetCaptureDependencies);
    const unsigned int flags = 0;
    cudaStreamUpdateCaptureDependencies(stream, &node, count, flags);
    cudaStreamUpdateCaptureDependencies(stream, &node, count, 0);
    cudaStreamUpdateCaptureDependencies(stream, &node, 1, 1);
    cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1);
    cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1);
    cudaStreamUpdateCaptureDependencies(stream, &node, NULL, count, cudaStreamSetCaptureDependencies);
    CUstreamCaptureStatus driver_status;
    cuuint64_t driver_id = 0;
    const CUgraphEdgeData *driver_data = nullptr;
    cuStreamGetCaptureInfo(stream, &driver_status, &driver_id);
    cuStreamGetCaptureInfo(stream, &driver_status, &driver_id, &graph, &dependencies, &count);
    cuStreamGetCaptureInfo(stream, &driver_status, &driver_id, &graph, &dependencies, &driver_data,
                           &count);
    cuStreamGetCaptureInfo_v2(stream, &driver_status, &driver_id, &graph, &dependencies, &count);
    cudaStreamGetCaptureInfo_v3(stream, &status, &id, &graph, &dependencies, &data, &count);
    cudaStreamUpdateCaptureDependencies_v2(stream, &node, &edge, 1, flags);
    cuStreamUpdateCaptureDependencies(stream, &node, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
    cuStreamUpdateCaptureDependencies(stream, &node, NULL, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
}
