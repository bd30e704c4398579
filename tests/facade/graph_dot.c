/* Tests of facade/replay/graph_dot.c: graphs as text.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <unistd.h>

#include "tests/facade/graph_support.h"

#include <cuda.h>

static char path[64];

static void name_file(void)
{
    (void)snprintf(path, sizeof path, "graph_dot_%ld.dot", (long)getpid());
}

/* Graphviz itself, where it is installed. */
static void assert_is_drawn(void)
{
    char command[128];
    if (system("command -v dot > /dev/null 2>&1") !=
        0) // NOLINT(cert-env33-c,concurrency-mt-unsafe)
        return;
    (void)snprintf(command, sizeof command, "dot -Tsvg -o /dev/null %s", path);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c,concurrency-mt-unsafe)
}

/* The text that printing wrote, which the caller frees. */
static char *printed(cudaGraph_t graph, unsigned flags)
{
    name_file();
    assert_success(cudaGraphDebugDotPrint(graph, path, flags));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 100000);
    assert_non_null(text);
    assert_true(fread(text, 1, 99999, file) > 0);
    (void)fclose(file);
    assert_is_drawn();
    (void)remove(path);
    return text;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
        count++;
    return count;
}

/* What Graphviz's grammar asks for: strings end on their line, brackets pair, statements end. */
static void assert_is_dot(const char *text)
{
    int braces = 0, brackets = 0;
    bool is_string = false;
    assert_int_equal(strncmp(text, "digraph dot {\n", 14), 0);
    for (const char *at = text; *at != 0; at++) {
        if (is_string && *at == '\\') {
            assert_true(at[1] == 'n' || at[1] == '"' || at[1] == '\\');
            at++;
        } else if (*at == '"') {
            is_string = !is_string;
        } else if (is_string) {
            assert_int_not_equal(*at, '\n');
        } else {
            braces += (*at == '{') - (*at == '}');
            brackets += (*at == '[') - (*at == ']');
            assert_true(braces >= 0 && brackets >= 0 && brackets <= 1);
            if (*at == '\n')
                assert_true(at[-1] == ';' || at[-1] == '{' || at[-1] == '}');
        }
    }
    assert_false(is_string);
    assert_int_equal(braces, 0);
    assert_int_equal(brackets, 0);
}

static void call_nothing(void *data)
{
    (void)data;
}

TEST_BODY(graph_dot_has_every_node_and_edge)
{
    int *p = device_ints(64);
    const cudaGraph_t graph = new_graph(), child = new_graph();
    cudaGraphNode_t nodes[9];
    cudaEvent_t event = NULL;
    const struct cudaMemsetParams set = {
        .dst = p, .value = 42, .elementSize = 4, .width = 16, .height = 1};
    const struct cudaHostNodeParams host = {call_nothing, NULL};
    struct cudaMemAllocNodeParams memory = {
        .poolProps = {.allocType = cudaMemAllocationTypePinned,
                      .location = {cudaMemLocationTypeDevice, 0}},
        .bytesize = 5000};
    assert_success(cudaEventCreate(&event));
    assert_success(add_append(nodes, child, NULL, 0, p, 1));
    assert_success(add_append(nodes, graph, NULL, 0, p, 1));
    assert_success(cudaGraphAddMemsetNode(nodes + 1, graph, nodes, 1, &set));
    assert_success(cudaGraphAddMemcpyNode1D(nodes + 2, graph, nodes, 1, p + 16, p, 64,
                                            cudaMemcpyDeviceToDevice));
    assert_success(cudaGraphAddHostNode(nodes + 3, graph, nodes + 1, 2, &host));
    assert_success(cudaGraphAddChildGraphNode(nodes + 4, graph, nodes + 3, 1, child));
    assert_success(cudaGraphAddEventRecordNode(nodes + 5, graph, nodes + 4, 1, event));
    assert_success(cudaGraphAddMemAllocNode(nodes + 6, graph, nodes + 5, 1, &memory));
    assert_success(cudaGraphAddMemFreeNode(nodes + 7, graph, nodes + 6, 1, memory.dptr));
    assert_success(cudaGraphAddEmptyNode(nodes + 8, graph, NULL, 0));
    char *text = printed(graph, 0);
    assert_is_dot(text);
    assert_int_equal(count_of(text, "[shape="), 10);
    assert_int_equal(count_of(text, "subgraph"), 2);
    assert_int_equal(count_of(text, "->"), 8 + 1);
    assert_non_null(strstr(text, "\"graph_0_node_0\" -> \"graph_0_node_1\";"));
    assert_non_null(strstr(text, "\"graph_0_node_4\" -> \"graph_1_node_0\" [style=\"dashed\"];"));
    assert_int_equal(count_of(text, "append"), 2);
    assert_null(strstr(text, "grid"));
    free(text);
    text = printed(graph, cudaGraphDebugDotFlagsKernelNodeParams);
    assert_int_equal(count_of(text, "grid 1 x 1 x 1"), 2);
    assert_null(strstr(text, "value 42"));
    free(text);
    text = printed(graph, cudaGraphDebugDotFlagsVerbose | cudaGraphDebugDotFlagsHandles);
    assert_is_dot(text);
    assert_non_null(strstr(text, "value 42"));
    assert_non_null(strstr(text, "5000 bytes"));
    assert_int_equal(count_of(text, "priority 0"), 2);
    assert_int_equal(count_of(text, "\\nnode 0x"), 10);
    free(text);
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaGraphDestroy(child));
    assert_success(cudaEventDestroy(event));
    assert_success(cudaFree(p));
}

TEST_BODY(graph_dot_refuses_bad_arguments)
{
    const cudaGraph_t graph = new_graph();
    name_file();
    assert_fails(cudaErrorInvalidValue, cudaGraphDebugDotPrint(NULL, path, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphDebugDotPrint(graph, NULL, 0));
    assert_fails(cudaErrorInvalidValue, cudaGraphDebugDotPrint(graph, path, 0x80000000u));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_fails(cudaErrorOperatingSystem, cudaGraphDebugDotPrint(graph, "/no/such/folder/x", 0));
    if (access("/dev/full", W_OK) == 0)
        assert_fails(cudaErrorOperatingSystem, cudaGraphDebugDotPrint(graph, "/dev/full", 0));
    char *text = printed(graph, 0);
    assert_is_dot(text);
    free(text);
    int *p = device_ints(1); /* the driver API wants a context */
    assert_success(cudaFree(p));
    assert_int_equal(cuGraphDebugDotPrint((CUgraph)graph, path, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE),
                     CUDA_SUCCESS);
    assert_int_equal(remove(path), 0);
    assert_success(cudaGraphDestroy(graph));
}
