/* Semantics of conditional nodes of graphs, of how they are made.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "../oracle.h"
#include "graphs.h"

static struct cudaGraphNodeParams conditional(cudaGraphConditionalHandle handle,
                                              enum cudaGraphConditionalNodeType type, unsigned size)
{
    struct cudaGraphNodeParams params;
    memset(&params, 0, sizeof params);
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    return params;
}

void case_conditional_create(void)
{
    cudaGraph_t graph = new_graph();
    cudaGraph_t other = new_graph();
    cudaGraphConditionalHandle handle = 0;
    cudaGraphConditionalHandle foreign = 0;
    cudaGraphNode_t node = NULL;
    struct cudaGraphNodeParams params;
    CALL(cudaGraphConditionalHandleCreate(NULL, graph, 0, 0));
    CALL(cudaGraphConditionalHandleCreate(&handle, NULL, 0, 0));
    CALL(cudaGraphConditionalHandleCreate(&handle, graph, 0, 2));
    CALL(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    REQUIRE(cudaGraphConditionalHandleCreate(&foreign, other, 1, cudaGraphCondAssignDefault));
    params = conditional(foreign, cudaGraphCondTypeIf, 1);
    CALL_AS(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), "handle of another graph");
    params = conditional(0, cudaGraphCondTypeIf, 1);
    CALL_AS(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), "handle 0");
    params = conditional(handle, (enum cudaGraphConditionalNodeType)9, 1);
    CALL_AS(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), "type 9");
    params = conditional(handle, cudaGraphCondTypeIf, 0);
    CALL_AS(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), "if of 0");
    params = conditional(handle, cudaGraphCondTypeIf, 3);
    CALL_AS(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), "if of 3");
    params = conditional(handle, cudaGraphCondTypeWhile, 2);
    CALL_AS(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), "while of 2");
    params = conditional(handle, cudaGraphCondTypeSwitch, 0);
    CALL_AS(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), "switch of 0");
    params = conditional(handle, cudaGraphCondTypeIf, 1);
    CALL_AS(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), "if");
    VALUE(params.conditional.phGraph_out != NULL, "has a body");
    params = conditional(handle, cudaGraphCondTypeIf, 1);
    CALL_AS(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), "the handle again");
    enum cudaGraphNodeType type;
    CALL(cudaGraphNodeGetType(node, &type));
    VALUE(type, "type");
    cudaGraph_t clone = NULL;
    CALL(cudaGraphClone(&clone, graph));
}

static void record_body(const char *name, enum cudaGraphConditionalNodeType type, unsigned size,
                        unsigned start)
{
    cudaGraph_t graph = new_graph();
    int *p = device_block(4096);
    cudaGraphConditionalHandle handle = 0;
    cudaGraphNode_t node = NULL;
    REQUIRE(cudaGraphConditionalHandleCreate(&handle, graph, start, cudaGraphCondAssignDefault));
    struct cudaGraphNodeParams params = conditional(handle, type, size);
    CALL_AS(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &params), "%s, %u: add", name, start);
    if (params.conditional.phGraph_out == NULL)
        return;
    for (unsigned i = 0; i < size; i++)
        add_store(params.conditional.phGraph_out[i], NULL, p, (int)(10 + i));
    record_launch(name, graph);
    VALUE(read_int(p), "%s, %u: stored", name, start);
}

void case_conditional_run(void)
{
    record_body("if", cudaGraphCondTypeIf, 1, 0);
    record_body("if", cudaGraphCondTypeIf, 1, 1);
    record_body("if", cudaGraphCondTypeIf, 1, 2);
    record_body("else", cudaGraphCondTypeIf, 2, 0);
    record_body("else", cudaGraphCondTypeIf, 2, 1);
    record_body("switch", cudaGraphCondTypeSwitch, 3, 0);
    record_body("switch", cudaGraphCondTypeSwitch, 3, 2);
    record_body("switch", cudaGraphCondTypeSwitch, 3, 3);
    record_body("while", cudaGraphCondTypeWhile, 1, 0);
}
