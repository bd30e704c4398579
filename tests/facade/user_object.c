/* Tests of facade/graph/user_object.c: references, and when destructors run.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "tests/facade/graph_support.h"

#include <cuda.h>

/* How often a destructor has run, and what a call of CUDA's told it. */
struct counted {
    _Atomic int ended;
    _Atomic int told;
};

static void end_counted(void *data)
{
    struct counted *counted = data;
    atomic_store(&counted->told, (int)cudaDeviceSynchronize());
    atomic_fetch_add(&counted->ended, 1);
}

static cudaUserObject_t new_object(struct counted *counted, unsigned count)
{
    cudaUserObject_t object = NULL;
    assert_success(
        cudaUserObjectCreate(&object, counted, end_counted, count, cudaUserObjectNoDestructorSync));
    return object;
}

/* It comes, and only once. */
static void assert_ends(struct counted *counted)
{
    for (int i = 0; i < 5000 && atomic_load(&counted->ended) == 0; i++)
        pause_briefly();
    pause_briefly();
    assert_int_equal(atomic_load(&counted->ended), 1);
    assert_int_equal(atomic_load(&counted->told), cudaErrorNotPermitted);
}

static void assert_lives(struct counted *counted)
{
    for (int i = 0; i < 5; i++)
        pause_briefly();
    assert_int_equal(atomic_load(&counted->ended), 0);
}

TEST_BODY(user_object_ends_with_its_last_reference)
{
    struct counted counted = {0};
    const cudaUserObject_t object = new_object(&counted, 2);
    assert_success(cudaUserObjectRetain(object, 3));
    assert_success(cudaUserObjectRelease(object, 4));
    assert_fails(cudaErrorInvalidValue, cudaUserObjectRelease(object, 2));
    assert_lives(&counted);
    assert_success(cudaUserObjectRelease(object, 1));
    assert_ends(&counted);
    assert_fails(cudaErrorInvalidValue, cudaUserObjectRelease(object, 1));
    assert_fails(cudaErrorInvalidValue, cudaUserObjectRetain(object, 1));
}

TEST_BODY(user_object_is_kept_by_graphs_and_their_copies)
{
    struct counted counted = {0};
    const cudaUserObject_t object = new_object(&counted, 1);
    const cudaGraph_t graph = new_graph(), parent = new_graph();
    cudaGraph_t clone = NULL;
    cudaGraphNode_t node = NULL;
    assert_success(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    assert_success(cudaGraphRetainUserObject(graph, object, 2, 0));
    assert_success(cudaGraphClone(&clone, graph));
    assert_success(cudaGraphAddChildGraphNode(&node, parent, NULL, 0, graph));
    const cudaGraphExec_t exec = instantiate(parent);
    assert_success(cudaGraphReleaseUserObject(graph, object, 9));
    assert_fails(cudaErrorInvalidValue, cudaGraphReleaseUserObject(graph, object, 1));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaGraphDestroy(clone));
    assert_success(cudaGraphDestroy(parent));
    assert_lives(&counted);
    assert_success(cudaGraphExecDestroy(exec));
    assert_ends(&counted);
}

/* What a graph uses is there as long as it runs. */
TEST_BODY(user_object_outlives_what_was_launched)
{
    struct counted counted = {0};
    struct gate gate = GATE_INITIALIZER;
    int *p = device_ints(1);
    const cudaStream_t stream = new_stream();
    const cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = NULL;
    assert_success(add_append(&node, graph, NULL, 0, p, 1));
    assert_success(
        cudaGraphRetainUserObject(graph, new_object(&counted, 1), 1, cudaGraphUserObjectMove));
    const cudaGraphExec_t exec = instantiate(graph);
    assert_success(cudaGraphDestroy(graph));
    gate_hold(&gate, stream);
    assert_success(cudaGraphLaunch(exec, stream));
    assert_success(cudaGraphExecDestroy(exec));
    assert_lives(&counted);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(stream));
    assert_ends(&counted);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

TEST_BODY(user_object_is_exchanged_by_an_update)
{
    struct counted old = {0}, new = {0};
    int *p = device_ints(1);
    cudaGraph_t graphs[2] = {new_graph(), new_graph()};
    struct counted *all[2] = {&old, &new};
    cudaGraphNode_t node = NULL;
    for (int i = 0; i < 2; i++) {
        assert_success(add_append(&node, graphs[i], NULL, 0, p, i + 1));
        assert_success(cudaGraphRetainUserObject(graphs[i], new_object(all[i], 1), 1,
                                                 cudaGraphUserObjectMove));
    }
    const cudaGraphExec_t exec = instantiate(graphs[0]);
    assert_int_equal(result_of(exec, p), 1);
    assert_success(cudaGraphDestroy(graphs[0]));
    assert_lives(&old);
    assert_success(cudaGraphExecUpdate(exec, graphs[1], NULL));
    assert_ends(&old);
    assert_success(cudaGraphDestroy(graphs[1]));
    assert_int_equal(result_of(exec, p), 2);
    assert_lives(&new);
    assert_success(cudaGraphExecDestroy(exec));
    assert_ends(&new);
    assert_success(cudaFree(p));
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void end_under_lock(void *data)
{
    pthread_mutex_lock(&held);
    pthread_mutex_unlock(&held);
    end_counted(data);
}

static void end_with_thread(void *data)
{
    end_counted(data);
    pthread_exit(NULL);
}

/* Whoever gives the last reference back need not fear what the destructor waits for, nor what it does to its thread. */
TEST_BODY(user_object_ends_on_a_thread_of_its_own)
{
    struct counted locked = {0}, lost = {0}, behind = {0};
    cudaUserObject_t object = NULL;
    pthread_mutex_lock(&held);
    assert_success(cudaUserObjectCreate(&object, &locked, end_under_lock, 1, 1));
    assert_success(cudaUserObjectRelease(object, 1));
    assert_success(cudaUserObjectCreate(&object, &lost, end_with_thread, 1, 1));
    assert_success(cudaUserObjectRelease(object, 1));
    assert_success(cudaUserObjectRelease(new_object(&behind, 1), 1));
    assert_lives(&locked);
    pthread_mutex_unlock(&held);
    assert_ends(&locked);
    assert_ends(&lost);
    assert_ends(&behind);
}

TEST_BODY(user_object_by_the_driver_api)
{
    struct counted counted = {0};
    CUuserObject object = NULL;
    CUgraph graph = NULL;
    assert_int_equal(cuInit(0), CUDA_SUCCESS);
    assert_int_equal(cuUserObjectCreate(&object, &counted, end_counted, 1, 0),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(
        cuUserObjectCreate(&object, &counted, end_counted, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
        CUDA_SUCCESS);
    assert_int_equal(cuUserObjectRetain(object, 1), CUDA_SUCCESS);
    assert_int_equal(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
    assert_int_equal(cuGraphRetainUserObject(graph, object, 1, 5), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE),
                     CUDA_SUCCESS);
    assert_int_equal(cuGraphReleaseUserObject(graph, object, 1), CUDA_SUCCESS);
    assert_lives(&counted);
    assert_int_equal(cuUserObjectRelease(object, 1), CUDA_SUCCESS);
    assert_ends(&counted);
    assert_success(cudaGraphDestroy((cudaGraph_t)graph));
}
