/* Tests of facade/graph/graph.c: graphs, their nodes and edges, clones.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/graph_support.h"

static cudaGraphNode_t empty_node(cudaGraph_t graph, const cudaGraphNode_t *before, size_t count)
{
    cudaGraphNode_t node = NULL;
    assert_success(cudaGraphAddEmptyNode(&node, graph, before, count));
    return node;
}

TEST_BODY(graph_refuses_bad_arguments)
{
    cudaGraph_t graph = (cudaGraph_t)(uintptr_t)77, clone = NULL;
    cudaGraphNode_t node = NULL;
    enum cudaGraphNodeType type;
    size_t count = 0;
    assert_fails(cudaErrorInvalidValue, cudaGraphCreate(NULL, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphCreate(&graph, 1));
    assert_ptr_equal(graph, (void *)(uintptr_t)77);
    assert_fails(cudaErrorInvalidValue, cudaGraphDestroy(NULL));
    assert_fails(cudaErrorInvalidValue, cudaGraphDestroy(graph));
    assert_fails(cudaErrorInvalidValue, cudaGraphClone(&clone, graph));
    assert_fails(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, graph, NULL, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphGetNodes(graph, NULL, &count));
    graph = new_graph();
    assert_fails(cudaErrorInvalidValue, cudaGraphClone(NULL, graph));
    assert_fails(cudaErrorInvalidValue, cudaGraphAddEmptyNode(NULL, graph, NULL, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, graph, NULL, 1));
    assert_fails(cudaErrorInvalidValue, cudaGraphGetNodes(graph, NULL, NULL));
    assert_fails(cudaErrorInvalidValue, cudaGraphNodeGetType(NULL, &type));
    node = empty_node(graph, NULL, 0);
    assert_fails(cudaErrorInvalidValue, cudaGraphNodeGetType(node, NULL));
    const cudaGraphNode_t twice[] = {node, node};
    assert_fails(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, graph, twice, 2));
    assert_success(cudaGraphDestroy(graph));
    assert_fails(cudaErrorInvalidValue, cudaGraphDestroy(graph));
    assert_fails(cudaErrorInvalidValue, cudaGraphNodeGetType(twice[0], &type));
}

TEST_BODY(graph_depends_on_its_own_nodes_only)
{
    const cudaGraph_t graph = new_graph(), other = new_graph();
    const cudaGraphNode_t own = empty_node(graph, NULL, 0), foreign = empty_node(other, NULL, 0);
    cudaGraphNode_t node = NULL;
    assert_fails(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, graph, &foreign, 1));
    assert_fails(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &own, &foreign, NULL, 1));
    assert_fails(cudaErrorInvalidValue, cudaGraphAddDependencies(other, &own, &own, NULL, 1));
    assert_success(cudaGraphDestroy(other));
    assert_success(cudaGraphDestroy(graph));
}

TEST_BODY(graph_lists_nodes_and_edges)
{
    const cudaGraph_t graph = new_graph();
    const cudaGraphNode_t a = empty_node(graph, NULL, 0), b = empty_node(graph, NULL, 0);
    const cudaGraphNode_t both[] = {a, b}, c = empty_node(graph, both, 2);
    cudaGraphNode_t nodes[4] = {c, c, c, c}, to[4] = {a, a, a, a};
    cudaGraphEdgeData edges[4];
    enum cudaGraphNodeType type = cudaGraphNodeTypeKernel;
    size_t count = 0;
    memset(edges, 77, sizeof edges);
    assert_success(cudaGraphNodeGetType(a, &type));
    assert_int_equal(type, cudaGraphNodeTypeEmpty);
    assert_success(cudaGraphGetNodes(graph, NULL, &count));
    assert_int_equal(count, 3);
    count = 4;
    assert_success(cudaGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 3);
    assert_true(nodes[0] == a && nodes[1] == b && nodes[2] == c && nodes[3] == NULL);
    count = 1;
    assert_success(cudaGraphGetRootNodes(graph, nodes + 2, &count));
    assert_true(count == 1 && nodes[2] == a && nodes[3] == NULL);
    assert_success(cudaGraphGetRootNodes(graph, NULL, &count));
    assert_int_equal(count, 2);
    count = 4;
    assert_success(cudaGraphGetEdges(graph, nodes, to, edges, &count));
    assert_true(count == 2 && nodes[0] == a && to[0] == c && nodes[1] == b && to[1] == c);
    assert_true(nodes[2] == NULL && to[3] == NULL && edges[1].type == 0 && edges[1].from_port == 0);
    assert_fails(cudaErrorInvalidValue, cudaGraphGetEdges(graph, nodes, NULL, NULL, &count));
    count = 4;
    assert_success(cudaGraphNodeGetDependencies(c, nodes, edges, &count));
    assert_true(count == 2 && nodes[0] == a && nodes[1] == b);
    assert_success(cudaGraphNodeGetDependentNodes(a, NULL, NULL, &count));
    assert_int_equal(count, 1);
    assert_success(cudaGraphNodeGetDependentNodes(c, NULL, NULL, &count));
    assert_int_equal(count, 0);
    assert_success(cudaGraphDestroy(graph));
}

TEST_BODY(graph_adds_and_removes_edges_all_or_none)
{
    const cudaGraph_t graph = new_graph();
    const cudaGraphNode_t n[] = {empty_node(graph, NULL, 0), empty_node(graph, NULL, 0),
                                 empty_node(graph, NULL, 0)};
    const cudaGraphNode_t from[] = {n[0], n[1], n[0]}, to[] = {n[1], n[2], n[1]};
    cudaGraphEdgeData special[2] = {{0}, {0}};
    size_t count = 0;
    assert_fails(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, NULL, to, NULL, 1));
    assert_fails(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, from, to, NULL, 3));
    assert_success(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    assert_int_equal(count, 0);
    special[1].reserved[4] = 1;
    assert_fails(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, from, to, special, 2));
    special[1] = (cudaGraphEdgeData){.type = cudaGraphDependencyTypeProgrammatic, .from_port = 1};
    assert_fails(cudaErrorNotSupported, cudaGraphAddDependencies(graph, from, to, special, 2));
    special[1] = (cudaGraphEdgeData){0};
    assert_success(cudaGraphAddDependencies(graph, from, to, special, 2));
    assert_fails(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, from, to, NULL, 1));
    assert_success(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    assert_int_equal(count, 2);
    assert_fails(cudaErrorInvalidValue, cudaGraphRemoveDependencies(graph, to, from, NULL, 1));
    assert_success(cudaGraphRemoveDependencies(graph, from, to, NULL, 2));
    assert_success(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    assert_int_equal(count, 0);
    assert_success(cudaGraphAddDependencies(graph, from, to, NULL, 2));
    assert_success(cudaGraphDestroyNode(n[1]));
    assert_fails(cudaErrorInvalidValue, cudaGraphDestroyNode(n[1]));
    assert_success(cudaGraphNodeGetDependentNodes(n[0], NULL, NULL, &count));
    assert_int_equal(count, 0);
    assert_success(cudaGraphGetNodes(graph, NULL, &count));
    assert_int_equal(count, 2);
    assert_success(cudaGraphDestroy(graph));
}

TEST_BODY(graph_clone_is_apart_and_knows_its_origin)
{
    const cudaGraph_t graph = new_graph();
    int *p = device_ints(1);
    cudaGraphNode_t a = NULL, b = NULL, found = NULL, inner = NULL;
    cudaGraph_t clone = NULL, second = NULL;
    size_t count = 0;
    assert_success(add_append(&a, graph, NULL, 0, p, 1));
    assert_success(add_append(&b, graph, &a, 1, p, 2));
    assert_success(cudaGraphClone(&clone, graph));
    assert_fails(cudaErrorInvalidValue, cudaGraphNodeFindInClone(NULL, b, clone));
    assert_fails(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&found, b, graph));
    assert_success(cudaGraphNodeFindInClone(&found, b, clone));
    assert_true(found != b);
    assert_success(cudaGraphClone(&second, clone));
    assert_fails(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&inner, b, second));
    assert_success(cudaGraphNodeFindInClone(&inner, found, second));
    assert_success(cudaGraphDestroyNode(b));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaGraphGetEdges(clone, NULL, NULL, NULL, &count));
    assert_int_equal(count, 1);
    const cudaGraphExec_t exec = instantiate(clone);
    assert_success(cudaGraphDestroy(clone));
    assert_success(cudaGraphDestroy(second));
    assert_int_equal(result_of(exec, p), 12);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaFree(p));
}

/* Many edges, so that lists grow, and a chain that is longer than any stack would like. */
TEST_BODY(graph_may_be_large)
{
    enum { COUNT = 3000 };
    const cudaGraph_t graph = new_graph();
    static cudaGraphNode_t nodes[COUNT];
    size_t count = 0;
    for (int i = 0; i < COUNT; i++)
        nodes[i] = empty_node(graph, i > 0 ? nodes + i - 1 : NULL, i > 0);
    for (int i = 2; i < COUNT; i++)
        assert_success(cudaGraphAddDependencies(graph, nodes, nodes + i, NULL, 1));
    assert_success(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    assert_int_equal(count, COUNT - 1 + COUNT - 2);
    const cudaGraphExec_t exec = instantiate(graph);
    assert_success(cudaGraphLaunch(exec, NULL));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
}
