/* Graphs as text in Graphviz's DOT language.
 *
 * Each graph is a cluster, the one that was asked for first; a node with a graph inside has a dashed edge to that graph's first
 * node. Names of nodes are made of their graph's number and their own, so that no name of the user's has to be one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/replay/graph_dot.h"

#include <stdio.h>

#include "facade/code/launch_work.h"
#include "facade/memory/external_semaphore.h"
#include "facade/memory/graph_block.h"
#include "facade/memory/memory_work.h"
#include "facade/stream/stream_work.h"

enum { KNOWN_FLAGS = 0x1ffff };

struct printing {
    FILE *file;
    unsigned flags;
    size_t graphs; /* that have a number already */
};

static bool shows(const struct printing *p, CUgraphDebugDot_flags what)
{
    return (p->flags & ((unsigned)what | (unsigned)CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE)) != 0;
}

/* --- labels ----------------------------------------------------------------------------------- */

/* In a string of DOT's, a quote and a backslash stand behind a backslash. */
static void print_quoted(const struct printing *p, const char *text)
{
    for (; *text != 0; text++) {
        if (*text == '"' || *text == '\\')
            (void)fputc('\\', p->file);
        (void)fputc(*text == '\n' ? ' ' : *text, p->file);
    }
}

static const char *name_of(enum cudaGraphNodeType type)
{
    static const char *const names[] = {
        [cudaGraphNodeTypeKernel] = "KERNEL",
        [cudaGraphNodeTypeMemcpy] = "MEMCPY",
        [cudaGraphNodeTypeMemset] = "MEMSET",
        [cudaGraphNodeTypeHost] = "HOST",
        [cudaGraphNodeTypeGraph] = "GRAPH",
        [cudaGraphNodeTypeEmpty] = "EMPTY",
        [cudaGraphNodeTypeWaitEvent] = "EVENT_WAIT",
        [cudaGraphNodeTypeEventRecord] = "EVENT_RECORD",
        [cudaGraphNodeTypeExtSemaphoreSignal] = "EXT_SEMAS_SIGNAL",
        [cudaGraphNodeTypeExtSemaphoreWait] = "EXT_SEMAS_WAIT",
        [cudaGraphNodeTypeMemAlloc] = "MEM_ALLOC",
        [cudaGraphNodeTypeMemFree] = "MEM_FREE",
        [12] = "BATCH_MEM_OP",
        [cudaGraphNodeTypeConditional] = "CONDITIONAL",
    };
    const size_t number = (size_t)type;
    return number < sizeof names / sizeof names[0] && names[number] != NULL ? names[number] : "?";
}

static void print_launch(const struct printing *p, const struct facade_work *work)
{
    const struct cudaKernelNodeParams params = facade_work_launch(work);
    const char *name = facade_work_kernel_name(work);
    (void)fputs("\\n", p->file);
    print_quoted(p, name != NULL ? name : "(unloaded)");
    if (!shows(p, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS))
        return;
    (void)fprintf(p->file, "\\ngrid %u x %u x %u\\nblock %u x %u x %u\\nshared bytes %u",
                  params.gridDim.x, params.gridDim.y, params.gridDim.z, params.blockDim.x,
                  params.blockDim.y, params.blockDim.z, params.sharedMemBytes);
}

static void print_attributes(const struct printing *p, const struct facade_work *work)
{
    cudaLaunchAttributeValue value;
    if (!shows(p, CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES))
        return;
    if (facade_work_attribute(work, cudaLaunchAttributeCooperative, &value) == cudaSuccess)
        (void)fprintf(p->file, "\\ncooperative %d", value.cooperative);
    if (facade_work_attribute(work, cudaLaunchAttributePriority, &value) == cudaSuccess)
        (void)fprintf(p->file, "\\npriority %d", value.priority);
    if (facade_work_attribute(work, cudaLaunchAttributeAccessPolicyWindow, &value) == cudaSuccess)
        (void)fprintf(p->file, "\\naccess policy window %p, %zu bytes",
                      value.accessPolicyWindow.base_ptr, value.accessPolicyWindow.num_bytes);
}

static void print_end_of_copy(const struct printing *p, const char *name, const void *array,
                              struct cudaPitchedPtr memory)
{
    if (array != NULL)
        (void)fprintf(p->file, "\\n%s array %p", name, array);
    else
        (void)fprintf(p->file, "\\n%s %p, pitch %zu", name, memory.ptr, memory.pitch);
}

static void print_copy(const struct printing *p, const struct facade_work *work)
{
    const struct cudaMemcpy3DParms params = facade_work_copy(work);
    if (!shows(p, CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS))
        return;
    print_end_of_copy(p, "from", (const void *)params.srcArray, params.srcPtr);
    print_end_of_copy(p, "to", (const void *)params.dstArray, params.dstPtr);
    (void)fprintf(p->file, "\\n%zu x %zu x %zu\\nkind %d", params.extent.width,
                  params.extent.height, params.extent.depth, (int)params.kind);
}

static void print_fill(const struct printing *p, const struct facade_work *work)
{
    const struct cudaMemsetParams params = facade_work_fill(work);
    if (!shows(p, CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS))
        return;
    (void)fprintf(p->file, "\\nto %p, pitch %zu\\nvalue %u, element size %u\\n%zu x %zu",
                  params.dst, params.pitch, params.value, params.elementSize, params.width,
                  params.height);
}

static void print_host(const struct printing *p, const struct facade_work *work)
{
    const struct cudaHostNodeParams params = facade_work_host(work);
    if (shows(p, CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS))
        (void)fprintf(p->file, "\\nfunction %#zx\\ndata %p", (size_t)(uintptr_t)params.fn,
                      params.userData);
}

static void print_memory(const struct printing *p, const struct facade_work *work)
{
    const struct cudaMemAllocNodeParams params = facade_work_allocation(work);
    if (shows(p, CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS))
        (void)fprintf(p->file, "\\n%p, %zu bytes\\ndevice %d", params.dptr, params.bytesize,
                      params.poolProps.location.id);
}

static void print_semaphores(const struct printing *p, const struct facade_work *work)
{
    const struct facade_semaphores use = facade_work_semaphores(work);
    if (!shows(p, use.are_waits ? CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_WAIT_NODE_PARAMS
                                : CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_SIGNAL_NODE_PARAMS))
        return;
    for (unsigned i = 0; i < use.count; i++)
        (void)fprintf(p->file, "\\nsemaphore %p, value %llu", (void *)use.handles[i],
                      use.params[i].params.fence.value);
}

/* Of the kinds that flags tell more of. */
static void print_work(const struct printing *p, const struct facade_node *node)
{
    switch ((int)node->type) {
    case cudaGraphNodeTypeKernel:
        print_launch(p, node->work);
        print_attributes(p, node->work);
        break;
    case cudaGraphNodeTypeMemcpy:
        print_copy(p, node->work);
        break;
    case cudaGraphNodeTypeMemset:
        print_fill(p, node->work);
        break;
    case cudaGraphNodeTypeHost:
        print_host(p, node->work);
        break;
    case cudaGraphNodeTypeEventRecord:
    case cudaGraphNodeTypeWaitEvent:
        if (shows(p, CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS))
            (void)fprintf(p->file, "\\nevent %p", (void *)facade_work_event(node->work));
        break;
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
        print_semaphores(p, node->work);
        break;
    case cudaGraphNodeTypeMemAlloc:
        print_memory(p, node->work);
        break;
    case cudaGraphNodeTypeMemFree:
        if (shows(p, CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS))
            (void)fprintf(p->file, "\\n%p", facade_work_freed(node->work));
        break;
    default:
        break;
    }
}

/* --- graphs ----------------------------------------------------------------------------------- */

static void print_node(const struct printing *p, size_t graph, const struct facade_node *node)
{
    const bool is_kernel = node->type == cudaGraphNodeTypeKernel;
    (void)fprintf(p->file, "    \"graph_%zu_node_%zu\" [shape=\"%s\" label=\"%zu\\n%s", graph,
                  node->position, is_kernel ? "octagon" : "rectangle", node->position,
                  name_of(node->type));
    if (node->work != NULL)
        print_work(p, node);
    if ((p->flags & (unsigned)CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES) != 0)
        (void)fprintf(p->file, "\\nnode %p", (const void *)node);
    (void)fputs("\"];\n", p->file);
}

static void print_edges(const struct printing *p, size_t graph, const struct facade_node *node)
{
    for (size_t i = 0; i < node->after.count; i++)
        (void)fprintf(p->file, "    \"graph_%zu_node_%zu\" -> \"graph_%zu_node_%zu\";\n", graph,
                      node->position, graph, node->after.nodes[i]->position);
}

/* The graph's own nodes and edges, then the graphs inside. */
static void print_graph(struct printing *p, const struct facade_graph *graph)
{
    const size_t number = p->graphs++;
    size_t count = 0;
    (void)fprintf(p->file, "  subgraph \"cluster_%zu\" {\n    label=\"graph_%zu\";\n", number,
                  number);
    for (struct facade_node *node = graph->first; node != NULL; node = node->next)
        node->position = count++;
    for (const struct facade_node *node = graph->first; node != NULL; node = node->next)
        print_node(p, number, node);
    for (const struct facade_node *node = graph->first; node != NULL; node = node->next)
        print_edges(p, number, node);
    (void)fputs("  }\n", p->file);
    for (const struct facade_node *node = graph->first; node != NULL; node = node->next) {
        const struct facade_graph *inner;
        for (size_t i = 0; (inner = facade_node_inner(node, i)) != NULL; i++) {
            if (inner->first != NULL)
                (void)fprintf(
                    p->file,
                    "  \"graph_%zu_node_%zu\" -> \"graph_%zu_node_0\" [style=\"dashed\"];\n",
                    number, node->position, p->graphs);
            print_graph(p, inner);
        }
    }
}

cudaError_t facade_graph_print(cudaGraph_t handle, const char *path, unsigned flags)
{
    struct facade_graph *graph = NULL;
    cudaError_t error = facade_graph_find(handle, &graph);
    if (error != cudaSuccess || path == NULL || (flags & ~(unsigned)KNOWN_FLAGS) != 0)
        return cudaErrorInvalidValue;
    struct printing p = {fopen(path, "we"), flags, 0};
    if (p.file == NULL)
        return cudaErrorOperatingSystem;
    (void)fputs("digraph dot {\n", p.file);
    print_graph(&p, graph);
    (void)fputs("}\n", p.file);
    const bool is_whole = ferror(p.file) == 0;
    return fclose(p.file) == 0 && is_whole ? cudaSuccess : cudaErrorOperatingSystem;
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    return facade_result(facade_graph_print(graph, path, flags));
}
