/* The floor of graphs in raw OpenCL: as many commands of a kernel whose arguments are set, in an in-order queue, without events.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "bench/raw_opencl.h"

struct graph {
    struct raw *raw;
    struct raw_memory memory;
    struct raw_kernel kernel;
};

static bool make_kernel(struct attempt *attempt, struct graph *graph)
{
    const cl_ulong number = 0;
    cl_int error;
    graph->kernel = (struct raw_kernel){.dimensions = 1, .global = {1}, .local = {1}};
    graph->kernel.kernel = clCreateKernel(graph->raw->program, "bench_arguments", &error);
    if (!raw_ok(attempt, error, "clCreateKernel"))
        return false;
    error = raw_set_memory(graph->raw, graph->kernel.kernel, 0, &graph->memory);
    error |= raw_set_memory(graph->raw, graph->kernel.kernel, 1, &graph->memory);
    error |= clSetKernelArg(graph->kernel.kernel, 2, sizeof number, &number);
    return raw_ok(attempt, error, "clSetKernelArg");
}

static bool open_graph(struct attempt *attempt)
{
    struct graph *graph = attempt->state = calloc(1, sizeof *graph);
    if (!graph)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    graph->raw = raw_open(attempt);
    return graph->raw && raw_take(attempt, graph->raw, &graph->memory, DEVICE, 256) &&
           make_kernel(attempt, graph);
}

static void close_graph(struct attempt *attempt)
{
    struct graph *graph = attempt->state;
    if (!graph)
        return;
    raw_kernel_close(&graph->kernel);
    raw_give(graph->raw, &graph->memory);
    free(graph);
}

static bool run_graph(struct attempt *attempt, size_t count)
{
    struct graph *graph = attempt->state;
    return raw_kernel_run(attempt, graph->raw, &graph->kernel, count * BENCH_NODES);
}

static const struct method graph_methods[] = {{"clEnqueueNDRangeKernel", NULL, run_graph},
                                              {NULL, NULL, NULL}};

const struct way raw_graph = {open_graph, NULL, NULL, close_graph, graph_methods};
