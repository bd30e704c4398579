/* Tests of facade/driver/driver_graph.c and facade/driver/driver_graph_node.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/driver_support.h"

enum { WORDS = 16 };

static CUDA_KERNEL_NODE_PARAMS store_of(void **arguments, unsigned threads)
{
    return (CUDA_KERNEL_NODE_PARAMS){
        .func = driver_function("store"),
        .gridDimX = 1,
        .gridDimY = 1,
        .gridDimZ = 1,
        .blockDimX = threads,
        .blockDimY = 1,
        .blockDimZ = 1,
        .kernelParams = arguments,
    };
}

static CUDA_MEMCPY3D copy_back(void *target, CUdeviceptr source, size_t bytes)
{
    return (CUDA_MEMCPY3D){
        .srcMemoryType = CU_MEMORYTYPE_DEVICE,
        .srcDevice = source,
        .dstMemoryType = CU_MEMORYTYPE_HOST,
        .dstHost = target,
        .WidthInBytes = bytes,
        .Height = 1,
        .Depth = 1,
    };
}

static void launch(CUgraphExec exec)
{
    assert_driver(cuGraphLaunch(exec, NULL));
    assert_driver(cuStreamSynchronize(NULL));
}

/* A fill of all words, a kernel that stores to some, a copy to the host. */
struct chain {
    CUcontext context;
    CUdeviceptr memory;
    int value, read[WORDS];
    void *arguments[2];
    CUgraph graph;
    CUgraphNode nodes[3];
};

static void make_chain(struct chain *c)
{
    c->context = driver_use_primary();
    c->memory = driver_allocate(sizeof c->read);
    c->value = 7;
    c->arguments[0] = &c->memory;
    c->arguments[1] = &c->value;
    const CUDA_MEMSET_NODE_PARAMS fill = {c->memory, 0, 3, 4, WORDS, 1};
    const CUDA_KERNEL_NODE_PARAMS kernel = store_of(c->arguments, 4);
    const CUDA_MEMCPY3D copy = copy_back(c->read, c->memory, sizeof c->read);
    CUgraphNode *n = c->nodes;
    assert_driver(cuGraphCreate(&c->graph, 0));
    assert_driver(cuGraphAddMemsetNode(&n[0], c->graph, NULL, 0, &fill, c->context));
    assert_driver(cuGraphAddKernelNode(&n[1], c->graph, &n[0], 1, &kernel));
    assert_driver(cuGraphAddMemcpyNode(&n[2], c->graph, &n[1], 1, &copy, c->context));
}

static void end_chain(const struct chain *c)
{
    assert_driver(cuGraphDestroy(c->graph));
    assert_driver(cuMemFree(c->memory));
}

TEST_BODY(driver_graph_runs_and_changes)
{
    struct chain c = {0};
    CUgraphExec exec = NULL;
    CUgraphExecUpdateResultInfo info;
    make_chain(&c);
    assert_driver(cuGraphInstantiate(&exec, c.graph, 0));
    launch(exec);
    assert_int_equal(c.read[0], 7);
    assert_int_equal(c.read[3], 7);
    assert_int_equal(c.read[4], 3);
    c.value = 8;
    const CUDA_KERNEL_NODE_PARAMS kernel = store_of(c.arguments, 2);
    assert_driver(cuGraphExecKernelNodeSetParams(exec, c.nodes[1], &kernel));
    launch(exec);
    assert_int_equal(c.read[1], 8);
    assert_int_equal(c.read[2], 3);
    assert_driver(cuGraphNodeSetEnabled(exec, c.nodes[1], 0));
    launch(exec);
    assert_int_equal(c.read[0], 3);
    assert_driver(cuGraphNodeSetEnabled(exec, c.nodes[1], 1));
    assert_driver(cuGraphExecUpdate(exec, c.graph, &info));
    launch(exec);
    assert_int_equal(c.read[3], 7);
    assert_driver(cuGraphExecDestroy(exec));
    end_chain(&c);
}

TEST_BODY(driver_graph_tells_what_nodes_do)
{
    struct chain c = {0};
    CUDA_KERNEL_NODE_PARAMS kernel;
    CUDA_MEMSET_NODE_PARAMS fill;
    CUDA_MEMCPY3D copy;
    make_chain(&c);
    assert_driver(cuGraphKernelNodeGetParams(c.nodes[1], &kernel));
    assert_ptr_equal(kernel.func, driver_function("store"));
    assert_null(kernel.kern);
    assert_ptr_equal(kernel.ctx, c.context);
    assert_int_equal(kernel.blockDimX, 4);
    assert_int_equal(*(int *)kernel.kernelParams[1], 7);
    assert_driver(cuGraphMemsetNodeGetParams(c.nodes[0], &fill));
    assert_int_equal(fill.dst, c.memory);
    assert_int_equal(fill.width, WORDS);
    assert_driver(cuGraphMemcpyNodeGetParams(c.nodes[2], &copy));
    assert_int_equal(copy.srcMemoryType, CU_MEMORYTYPE_DEVICE);
    assert_int_equal(copy.srcDevice, c.memory);
    assert_int_equal(copy.dstMemoryType, CU_MEMORYTYPE_HOST);
    assert_ptr_equal(copy.dstHost, c.read);
    assert_int_equal(copy.WidthInBytes, sizeof c.read);
    assert_driver(cuGraphMemcpyNodeSetParams(c.nodes[2], &copy));
    end_chain(&c);
}

/* A node of an array tells the place in bytes, and is the same when it is set to what it told. */
TEST_BODY(driver_graph_copies_from_arrays)
{
    const CUDA_ARRAY_DESCRIPTOR shape = {8, 4, CU_AD_FORMAT_UNSIGNED_INT32, 1};
    unsigned words[32], read[4] = {0};
    CUDA_MEMCPY3D copy = copy_back(read, 0, 2 * sizeof *read), told;
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    CUgraphNode node = NULL;
    const CUcontext context = driver_use_primary();
    for (unsigned i = 0; i < 32; i++)
        words[i] = i;
    assert_driver(cuArrayCreate(&copy.srcArray, &shape));
    const CUDA_MEMCPY2D up = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                              .srcHost = words,
                              .srcPitch = 32,
                              .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                              .dstArray = copy.srcArray,
                              .WidthInBytes = 32,
                              .Height = 4};
    assert_driver(cuMemcpy2D(&up));
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcXInBytes = 4;
    copy.srcY = 2;
    copy.Height = 2;
    assert_driver(cuGraphCreate(&graph, 0));
    assert_driver(cuGraphAddMemcpyNode(&node, graph, NULL, 0, &copy, context));
    assert_driver(cuGraphMemcpyNodeGetParams(node, &told));
    assert_int_equal(told.srcMemoryType, CU_MEMORYTYPE_ARRAY);
    assert_int_equal(told.srcXInBytes, 4);
    assert_int_equal(told.srcY, 2);
    assert_int_equal(told.WidthInBytes, 8);
    assert_driver(cuGraphMemcpyNodeSetParams(node, &told));
    assert_driver(cuGraphInstantiate(&exec, graph, 0));
    launch(exec);
    assert_int_equal(read[0], 17);
    assert_int_equal(read[1], 18);
    assert_int_equal(read[2], 25);
    assert_int_equal(read[3], 26);
    assert_driver(cuGraphExecDestroy(exec));
    assert_driver(cuGraphDestroy(graph));
    assert_driver(cuArrayDestroy(copy.srcArray));
}

/* The runtime counts an array's elements in memory too, the driver bytes. */
TEST_BODY(driver_graph_tells_places_beside_arrays_in_bytes)
{
    enum { TEXELS = 8, AT = 3, WIDTH = 4 };
    const struct cudaChannelFormatDesc texel = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
    unsigned words[TEXELS], back[TEXELS] = {0};
    struct cudaMemcpy3DParms up = {.srcPtr = {words, sizeof words, TEXELS, 1},
                                   .srcPos = {AT, 0, 0},
                                   .extent = {WIDTH, 1, 1},
                                   .kind = cudaMemcpyHostToDevice};
    struct cudaMemcpy3DParms down = {.dstPtr = {back, sizeof back, TEXELS, 1},
                                     .dstPos = {AT, 0, 0},
                                     .extent = {WIDTH, 1, 1},
                                     .kind = cudaMemcpyDeviceToHost};
    cudaGraph_t graph = NULL;
    cudaGraphNode_t nodes[2] = {NULL};
    CUgraphExec exec = NULL;
    CUDA_MEMCPY3D told;
    for (unsigned i = 0; i < TEXELS; i++)
        words[i] = i + 1;
    driver_use_primary();
    assert_int_equal(cudaMallocArray(&up.dstArray, &texel, TEXELS, 0, 0), cudaSuccess);
    down.srcArray = up.dstArray;
    assert_int_equal(cudaGraphCreate(&graph, 0), cudaSuccess);
    assert_int_equal(cudaGraphAddMemcpyNode(&nodes[0], graph, NULL, 0, &up), cudaSuccess);
    assert_int_equal(cudaGraphAddMemcpyNode(&nodes[1], graph, nodes, 1, &down), cudaSuccess);
    assert_driver(cuGraphMemcpyNodeGetParams(nodes[0], &told));
    assert_int_equal(told.srcXInBytes, AT * sizeof *words);
    assert_int_equal(told.WidthInBytes, WIDTH * sizeof *words);
    assert_driver(cuGraphMemcpyNodeSetParams(nodes[0], &told));
    assert_driver(cuGraphMemcpyNodeGetParams(nodes[1], &told));
    assert_int_equal(told.dstXInBytes, AT * sizeof *back);
    assert_driver(cuGraphMemcpyNodeSetParams(nodes[1], &told));
    assert_driver(cuGraphInstantiate(&exec, graph, 0));
    launch(exec);
    for (unsigned i = 0; i < TEXELS; i++)
        assert_int_equal(back[i], i >= AT && i < AT + WIDTH ? i + 1 : 0);
    assert_driver(cuGraphExecDestroy(exec));
    assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
    assert_int_equal(cudaFreeArray(up.dstArray), cudaSuccess);
}

/* A branch that is not taken, and one that is. */
TEST_BODY(driver_graph_with_conditional_nodes)
{
    CUcontext context = NULL, other = NULL;
    CUgraph graph = NULL;
    CUgraphNode node = NULL, inner = NULL;
    CUgraphExec exec = NULL;
    CUgraphConditionalHandle handles[2] = {0, 0};
    driver_use_primary();
    assert_driver(cuCtxGetCurrent(&context));
    const CUdeviceptr memory = driver_allocate(2 * sizeof(int));
    assert_driver(cuMemsetD32(memory, 0, 2));
    assert_driver(cuGraphCreate(&graph, 0));
    for (unsigned i = 0; i < 2; i++) {
        assert_driver(cuGraphConditionalHandleCreate(&handles[i], graph, i == 0 ? context : NULL, i,
                                                     CU_GRAPH_COND_ASSIGN_DEFAULT));
        CUgraphNodeParams params = {
            .type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
            .conditional = {handles[i], CU_GRAPH_COND_TYPE_IF, 1, NULL, i == 0 ? NULL : context}};
        assert_driver(cuGraphAddNode(&node, graph, NULL, NULL, 0, &params));
        assert_non_null(params.conditional.phGraph_out);
        const CUDA_MEMSET_NODE_PARAMS fill = {memory + 4 * i, 0, 7, 4, 1, 1};
        assert_driver(cuGraphAddMemsetNode(&inner, params.conditional.phGraph_out[0], NULL, 0,
                                           &fill, context));
    }
    assert_driver(cuGraphInstantiate(&exec, graph, 0));
    launch(exec);
    int found[2];
    assert_driver(cuMemcpyDtoH(found, memory, sizeof found));
    assert_int_equal(found[0], 0);
    assert_int_equal(found[1], 7);
    assert_int_equal(cuGraphConditionalHandleCreate(NULL, graph, context, 0, 0),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphConditionalHandleCreate(&handles[0], graph, (CUcontext)&other, 0, 0),
                     CUDA_ERROR_INVALID_CONTEXT);
    assert_driver(cuGraphConditionalHandleCreate(&handles[0], graph, context, 0, 0));
    assert_driver(cuCtxCreate(&other, NULL, 0, 0));
    CUgraphNodeParams foreign = {
        .type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
        .conditional = {handles[0], CU_GRAPH_COND_TYPE_IF, 1, NULL, other}};
    assert_int_equal(cuGraphAddNode(&node, graph, NULL, NULL, 0, &foreign),
                     CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuCtxDestroy(other));
    assert_driver(cuGraphExecDestroy(exec));
    assert_driver(cuGraphDestroy(graph));
}

TEST_BODY(driver_graph_refuses_bad_arguments)
{
    struct chain c = {0};
    CUgraphNode node = NULL;
    CUgraphExec exec = NULL;
    const CUgraphNode none = (CUgraphNode)&c;
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
    make_chain(&c);
    const CUDA_MEMSET_NODE_PARAMS fill = {c.memory, 0, 3, 4, WORDS, 1};
    assert_int_equal(cuGraphCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphAddKernelNode(&node, c.graph, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphAddMemsetNode(&node, c.graph, &none, 1, &fill, c.context),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphAddMemsetNode(&node, c.graph, NULL, 0, &fill, (CUcontext)&c),
                     CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuGraphMemsetNodeSetParams(c.nodes[1], &fill), CUDA_ERROR_INVALID_VALUE);
    params.reserved2 = 1;
    assert_int_equal(cuGraphAddNode(&node, c.graph, NULL, NULL, 0, &params),
                     CUDA_ERROR_INVALID_VALUE);
    params = (CUgraphNodeParams){.type = (CUgraphNodeType)99};
    assert_int_equal(cuGraphAddNode(&node, c.graph, NULL, NULL, 0, &params),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphInstantiateWithParams(&exec, c.graph, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphLaunch((CUgraphExec)&c, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
    end_chain(&c);
}

/* Graphs outlive contexts, and can be ended when none is current any more. */
TEST_BODY(driver_graph_needs_no_context_to_end)
{
    CUcontext context = NULL;
    CUdeviceptr memory = 0;
    CUgraph graph = NULL, clone = NULL;
    CUgraphNode nodes[2] = {NULL}, found = NULL;
    CUgraphExec exec = NULL;
    size_t count = 0;
    const CUcontext primary = driver_use_primary();
    assert_driver(cuCtxCreate(&context, NULL, 0, 0));
    assert_driver(cuMemAlloc(&memory, 16));
    const CUDA_MEMSET_NODE_PARAMS fill = {
        .dst = memory, .value = 1, .elementSize = 4, .width = 4, .height = 1};
    assert_driver(cuGraphCreate(&graph, 0));
    assert_driver(cuGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &fill, context));
    assert_driver(cuGraphAddEmptyNode(&nodes[1], graph, nodes, 1));
    assert_driver(cuGraphInstantiate(&exec, graph, 0));
    assert_driver(cuGraphLaunch(exec, NULL));
    assert_driver(cuCtxDestroy(context));
    assert_driver(cuCtxSetCurrent(NULL));
    assert_int_equal(cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_CONTEXT);
    assert_driver(cuGraphClone(&clone, graph));
    assert_driver(cuGraphNodeFindInClone(&found, nodes[1], clone));
    assert_driver(cuGraphDestroyNode(nodes[1]));
    assert_driver(cuGraphGetNodes(graph, NULL, &count));
    assert_int_equal(count, 1);
    assert_driver(cuGraphExecDestroy(exec));
    assert_driver(cuGraphDestroy(clone));
    assert_driver(cuGraphDestroy(graph));
    assert_driver(cuCtxSetCurrent(primary));
}

static void *address_of(const char *name, int version)
{
    void *address = NULL;
    CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
    assert_driver(cuGetProcAddress(name, &address, version, 0, &found));
    return address;
}

TEST_BODY(driver_graph_functions_by_version)
{
    static const struct {
        const char *name;
        int changed;
    } functions[] = {
        {"cuGraphAddNode", 12030},
        {"cuGraphAddKernelNode", 12000},
        {"cuGraphExecUpdate", 12000},
        {"cuGraphGetEdges", 12030},
        {"cuGraphKernelNodeGetParams", 12000},
        {"cuGraphAddDependencies", 12030},
    };
    driver_use_primary();
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *before = address_of(functions[i].name, functions[i].changed - 10);
        void *since = address_of(functions[i].name, functions[i].changed);
        assert_non_null(before);
        assert_ptr_not_equal(before, since);
        assert_ptr_equal(since, address_of(functions[i].name, 13000));
    }
    assert_ptr_equal(address_of("cuGraphAddNode", 13000), (void *)(uintptr_t)cuGraphAddNode_v2);
    assert_ptr_equal(address_of("cuGraphLaunch", 11040), (void *)(uintptr_t)cuGraphLaunch);
}
