/* Operations of both APIs: graphs that allocate and free memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "operation.h"

enum { BYTES = 4096 };

static struct cudaMemAllocNodeParams allocation(void)
{
    return (struct cudaMemAllocNodeParams){
        .poolProps = {.allocType = cudaMemAllocationTypePinned,
                      .location = {cudaMemLocationTypeDevice, 0}},
        .bytesize = BYTES,
    };
}

/* Filled, copied to *value and freed, and a second one that stays. */
static int add_nodes(cudaGraph_t graph, int *value, void **unfreed)
{
    struct cudaMemAllocNodeParams params = allocation(), told = {0};
    struct cudaMemsetParams set = {.elementSize = 4, .width = BYTES / 4, .height = 1, .value = 5};
    cudaGraphNode_t node = NULL, fill = NULL, copy = NULL, gone = NULL;
    void *freed = NULL;
    int error = 0;
    TRY(cudaGraphAddMemAllocNode, &node, graph, NULL, 0, &params);
    set.dst = params.dptr;
    TRY(cudaGraphMemAllocNodeGetParams, node, &told);
    CHECK(told.dptr == params.dptr);
    TRY(cudaGraphAddMemsetNode, &fill, graph, &node, 1, &set);
    TRY(cudaGraphAddMemcpyNode1D, &copy, graph, &fill, 1, value, params.dptr, sizeof *value,
        cudaMemcpyDefault);
    TRY(cudaGraphAddMemFreeNode, &gone, graph, &copy, 1, params.dptr);
    TRY(cudaGraphMemFreeNodeGetParams, gone, &freed);
    CHECK(freed == params.dptr);
    TRY(cudaGraphAddMemAllocNode, &node, graph, &copy, 1, &told);
    set.dst = told.dptr;
    TRY(cudaGraphAddMemsetNode, &fill, graph, &node, 1, &set);
    if (error == 0)
        *unfreed = told.dptr;
    return error;
}

static int launch_nodes(cudaGraph_t graph, const int *value, void *unfreed)
{
    cudaGraphExec_t exec = NULL;
    int error = 0;
    TRY(cudaGraphInstantiate, &exec, graph, 0);
    for (int i = 0; error == 0 && i < 2; i++) {
        TRY(cudaGraphLaunch, exec, NULL);
        if (error != 0)
            break;
        TRY(cudaStreamSynchronize, NULL);
        CHECK(*value == 5);
        END(cudaFree, unfreed);
    }
    if (exec != NULL)
        END(cudaGraphExecDestroy, exec);
    return error;
}

static int ask_device(void)
{
    unsigned long long bytes = 0, zero = 0;
    int error = 0;
    TRY(cudaDeviceGetGraphMemAttribute, 0, cudaGraphMemAttrUsedMemHigh, &bytes);
    CHECK(bytes >= BYTES);
    TRY(cudaDeviceSetGraphMemAttribute, 0, cudaGraphMemAttrUsedMemHigh, &zero);
    TRY(cudaDeviceGraphMemTrim, 0);
    TRY(cudaDeviceGetGraphMemAttribute, 0, cudaGraphMemAttrUsedMemCurrent, &bytes);
    CHECK(bytes == 0);
    return error;
}

static int capture_nodes(cudaStream_t stream)
{
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    void *memory = NULL;
    int error = 0;
    TRY(cudaStreamBeginCapture, stream, cudaStreamCaptureModeRelaxed);
    if (error != 0)
        return error;
    TRY(cudaMallocAsync, &memory, BYTES, stream);
    TRY(cudaMemsetAsync, memory, 1, BYTES, stream);
    TRY(cudaFreeAsync, memory, stream);
    END(cudaStreamEndCapture, stream, &graph);
    TRY(cudaGraphInstantiate, &exec, graph, 0);
    TRY(cudaGraphLaunch, exec, stream);
    TRY(cudaStreamSynchronize, stream);
    if (exec != NULL)
        END(cudaGraphExecDestroy, exec);
    if (graph != NULL)
        END(cudaGraphDestroy, graph);
    return error;
}

int operation_graph_memory(void)
{
    cudaGraph_t graph = NULL;
    cudaStream_t stream = NULL;
    void *unfreed = NULL;
    int error = 0, value = 0;
    TRY(cudaGraphCreate, &graph, 0);
    if (error == 0)
        error = add_nodes(graph, &value, &unfreed);
    if (error == 0)
        error = launch_nodes(graph, &value, unfreed);
    if (error == 0)
        error = ask_device();
    TRY(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking);
    if (error == 0)
        error = capture_nodes(stream);
    if (stream != NULL)
        END(cudaStreamDestroy, stream);
    if (graph != NULL)
        END(cudaGraphDestroy, graph);
    return error;
}

/* ---- Driver API ---- */

static int use_driver_graph(CUgraph graph)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params = {.bytesize = BYTES}, told = {0};
    CUgraphNode node = NULL, gone = NULL;
    CUgraphExec exec = NULL;
    CUdeviceptr freed = 0;
    cuuint64_t bytes = 0;
    int error = 0;
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    TRY(cuGraphAddMemAllocNode, &node, graph, NULL, 0, &params);
    TRY(cuGraphMemAllocNodeGetParams, node, &told);
    TRY(cuGraphAddMemFreeNode, &gone, graph, &node, 1, params.dptr);
    TRY(cuGraphMemFreeNodeGetParams, gone, &freed);
    CHECK(told.dptr == params.dptr && freed == params.dptr);
    TRY(cuGraphInstantiateWithFlags, &exec, graph, 0);
    TRY(cuGraphLaunch, exec, NULL);
    TRY(cuStreamSynchronize, NULL);
    TRY(cuDeviceGetGraphMemAttribute, 0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &bytes);
    CHECK(bytes >= BYTES);
    bytes = 0;
    TRY(cuDeviceSetGraphMemAttribute, 0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &bytes);
    TRY(cuDeviceGraphMemTrim, 0);
    if (exec != NULL)
        END(cuGraphExecDestroy, exec);
    return error;
}

int operation_driver_graph_memory(void)
{
    CUcontext context = NULL;
    CUgraph graph = NULL;
    int error = 0;
    TRY(cuInit, 0);
    TRY(cuDevicePrimaryCtxRetain, &context, 0);
    if (context == NULL)
        return error;
    TRY(cuCtxSetCurrent, context);
    TRY(cuGraphCreate, &graph, 0);
    if (error == 0)
        error = use_driver_graph(graph);
    if (graph != NULL)
        END(cuGraphDestroy, graph);
    END(cuDevicePrimaryCtxRelease_v2, 0);
    return error;
}
