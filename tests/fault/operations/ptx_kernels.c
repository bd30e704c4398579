/* Operations on kernels in PTX that use what such kernels share with the host: printf and malloc, conditions
 * of graphs, launches.
 * SPDX-License-Identifier: Apache-2.0 */
#include "operation.h"

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"

static int load_kernel(const char *text, const char *name, cudaLibrary_t *library,
                       cudaKernel_t *kernel)
{
    int error = 0;
    TRY(cudaLibraryLoadData, library, text, NULL, NULL, 0, NULL, NULL, 0);
    TRY(cudaLibraryGetKernel, kernel, *library, name);
    return error;
}

static const char printing[] =
    HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
         ".global .align 1 .b8 $format[9] = {112, 114, 105, 110, 116, 101, 100, 10, 0};\n"
         ".visible .entry say(.param .u64 p)\n"
         "{\n"
         "  .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
         "  ld.param.u64 %rd6, [p];\n"
         "  mov.u64 %rd4, 0;\n"
         "  mov.u64 %rd2, $format;\n"
         "  cvta.global.u64 %rd5, %rd2;\n"
         "  { .param .b64 param0; st.param.b64 [param0+0], %rd5;\n"
         "    .param .b64 param1; st.param.b64 [param1+0], %rd4;\n"
         "    .param .b32 retval0;\n"
         "    call.uni (retval0), vprintf, (param0, param1);\n"
         "    ld.param.b32 %r5, [retval0+0]; }\n"
         "  cvta.to.global.u64 %rd7, %rd6;\n"
         "  mov.u32 %r6, 7;\n"
         "  st.global.u32 [%rd7], %r6;\n"
         "  ret;\n"
         "}\n";

int operation_ptx_printf(void)
{
    cudaLibrary_t library = NULL;
    cudaKernel_t kernel = NULL;
    void *memory = NULL, *args[] = {&memory};
    int value = 0, error = load_kernel(printing, "say", &library, &kernel);
    TRY(cudaMalloc, &memory, 64);
    TRY(cudaLaunchKernel, (const void *)kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL);
    TRY(cudaStreamSynchronize, NULL);
    TRY(cudaMemcpy, &value, memory, sizeof value, cudaMemcpyDeviceToHost);
    CHECK(value == 7);
    END(cudaFree, memory);
    if (library != NULL)
        END(cudaLibraryUnload, library);
    return error;
}

static const char taking[] =
    HEAD ".extern .func (.param .b64 r) malloc (.param .b64 a);\n"
         ".extern .func free (.param .b64 a);\n"
         ".visible .entry take(.param .u64 out)\n{\n"
         "  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
         "  ld.param.u64 %d1, [out];\n  cvta.to.global.u64 %d1, %d1;\n"
         "  mov.u32 %r5, 0;\n  mov.u64 %d3, 48;\n"
         "  { .param .b64 p0; st.param.b64 [p0], %d3; .param .b64 got;\n"
         "    call.uni (got), malloc, (p0); ld.param.b64 %d4, [got]; }\n"
         "  setp.eq.u64 %p1, %d4, 0;\n  @%p1 bra NONE;\n"
         "  mov.u32 %r4, 9;\n"
         "  st.u32 [%d4+44], %r4;\n  ld.volatile.u32 %r5, [%d4+44];\n"
         "  { .param .b64 p0; st.param.b64 [p0], %d4; call.uni free, (p0); }\n"
         "NONE:\n  st.global.u32 [%d1], %r5;\n  ret;\n}\n";

int operation_ptx_heap(void)
{
    cudaLibrary_t library = NULL;
    cudaKernel_t kernel = NULL;
    void *memory = NULL, *args[] = {&memory};
    int value = 0, error = load_kernel(taking, "take", &library, &kernel);
    TRY(cudaMalloc, &memory, 64);
    if (error == 0)
        error = CALL(cudaLaunchKernel, (const void *)kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args,
                     0, NULL);
    TRY(cudaMemcpy, &value, memory, sizeof value, cudaMemcpyDeviceToHost);
    CHECK(value == 9);
    END(cudaFree, memory);
    if (library != NULL)
        END(cudaLibraryUnload, library);
    return error;
}

/* out[0] rounds are done; three of them. */
static const char counting[] =
    HEAD ".extern .func cudaGraphSetConditional(.param .b64 h, .param .b32 v);\n"
         ".visible .entry count(.param .u64 out, .param .u64 h)\n{\n"
         "  .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
         "  ld.param.u64 %d1, [out];\n  cvta.to.global.u64 %d1, %d1;\n"
         "  ld.param.u64 %d2, [h];\n"
         "  ld.global.u32 %r1, [%d1];\n  add.u32 %r1, %r1, 1;\n  st.global.u32 [%d1], %r1;\n"
         "  setp.lt.u32 %p1, %r1, 3;\n  selp.u32 %r2, 1, 0, %p1;\n"
         "  { .param .b64 p0; st.param.b64 [p0], %d2; .param .b32 p1; st.param.b32 [p1], %r2;\n"
         "    call.uni cudaGraphSetConditional, (p0, p1); }\n"
         "  ret;\n}\n";

static int make_loop(cudaGraph_t graph, cudaKernel_t kernel, void *memory)
{
    cudaGraphConditionalHandle handle = 0;
    CUgraphConditionalHandle second = 0;
    cudaGraphNode_t node = NULL, inner = NULL;
    void *args[] = {&memory, &handle};
    const struct cudaKernelNodeParams params = {(void *)kernel, {1, 1, 1}, {1, 1, 1}, 0,
                                                args,           NULL};
    struct cudaGraphNodeParams loop = {.type = cudaGraphNodeTypeConditional};
    int error = 0;
    TRY(cudaGraphConditionalHandleCreate, &handle, graph, 1, cudaGraphCondAssignDefault);
    TRY(cuGraphConditionalHandleCreate, &second, graph, NULL, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
    loop.conditional.handle = second;
    loop.conditional.type = cudaGraphCondTypeIf;
    loop.conditional.size = 2;
    TRY(cudaGraphAddNode, &node, graph, NULL, NULL, 0, &loop);
    loop.conditional.handle = handle;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    TRY(cudaGraphAddNode, &node, graph, &node, NULL, 1, &loop);
    if (error == 0)
        TRY(cudaGraphAddKernelNode, &inner, loop.conditional.phGraph_out[0], NULL, 0, &params);
    return error;
}

int operation_ptx_conditions(void)
{
    cudaLibrary_t library = NULL;
    cudaKernel_t kernel = NULL;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    void *memory = NULL;
    int value = 0, error = load_kernel(counting, "count", &library, &kernel);
    TRY(cudaMalloc, &memory, 64);
    TRY(cudaMemset, memory, 0, 64);
    TRY(cudaGraphCreate, &graph, 0);
    if (error == 0)
        error = make_loop(graph, kernel, memory);
    TRY(cudaGraphInstantiate, &exec, graph, 0);
    TRY(cudaGraphLaunch, exec, NULL);
    TRY(cudaStreamSynchronize, NULL);
    TRY(cudaMemcpy, &value, memory, sizeof value, cudaMemcpyDeviceToHost);
    CHECK(value == 3);
    if (exec != NULL)
        END(cudaGraphExecDestroy, exec);
    if (graph != NULL)
        END(cudaGraphDestroy, graph);
    END(cudaFree, memory);
    if (library != NULL)
        END(cudaLibraryUnload, library);
    return error;
}

/* Each of a grid's threads adds one, and launches the next grid as long as there is a depth. */
static const char launching[] = HEAD
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f,\n"
    "  .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
    ".visible .entry descend(.param .u64 out, .param .u32 depth)\n{\n"
    "  .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %d<8>;\n"
    "  ld.param.u64 %d1, [out];\n  ld.param.u32 %r1, [depth];\n"
    "  red.global.add.u32 [%d1], 1;\n"
    "  setp.eq.u32 %p1, %r1, 0;\n  @%p1 bra DONE;\n  mov.u64 %d2, descend;\n"
    "  { .param .b64 f; st.param.b64 [f], %d2;\n"
    "    .param .align 4 .b8 g[12]; st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 "
    "[g+8], 1;\n"
    "    .param .align 4 .b8 b[12]; st.param.b32 [b], 2; st.param.b32 [b+4], 1; st.param.b32 "
    "[b+8], 1;\n"
    "    .param .b32 s; st.param.b32 [s], 0; .param .b64 r;\n"
    "    call (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s); ld.param.b64 %d3, [r]; }\n"
    "  setp.eq.u64 %p2, %d3, 0;\n  @%p2 bra DONE;\n  add.u32 %r2, %r1, -1;\n"
    "  st.global.u64 [%d3], %d1;\n  st.global.u32 [%d3+8], %r2;\n"
    "  { .param .b64 p; st.param.b64 [p], %d3; .param .b64 s; st.param.b64 [s], 0; .param .b32 r;\n"
    "    call (r), __cudaCDP2LaunchDeviceV2, (p, s); }\n"
    "DONE:\n  ret;\n}\n";

int operation_ptx_launches(void)
{
    cudaLibrary_t library = NULL;
    cudaKernel_t kernel = NULL;
    void *memory = NULL;
    unsigned depth = 2, value = 0;
    void *args[] = {&memory, &depth};
    int error = load_kernel(launching, "descend", &library, &kernel);
    TRY(cudaMalloc, &memory, 64);
    TRY(cudaMemset, memory, 0, 64);
    TRY(cudaLaunchKernel, (const void *)kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0, NULL);
    TRY(cudaStreamSynchronize, NULL);
    TRY(cudaMemcpy, &value, memory, sizeof value, cudaMemcpyDeviceToHost);
    CHECK(value == 1 + 2 + 4);
    END(cudaFree, memory);
    if (library != NULL)
        END(cudaLibraryUnload, library);
    return error;
}
