/* Tests of facade/memory/external_semaphore.c, facade/replay/semaphore_node.c, facade/driver/driver_external_semaphore.c and
 * cl/share/semaphore.c: semaphores that the program has from elsewhere.
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/facade/graph_support.h"

#include <cuda.h>

typedef struct cudaExternalSemaphoreSignalParams Signal;
typedef struct cudaExternalSemaphoreWaitParams Wait;

/* A timeline semaphore and its value, which the test has as another program would. */
struct timeline {
    cudaExternalSemaphore_t semaphore;
    uint64_t *value;
};

static bool can_import(void)
{
    int can = 0;
    assert_success(cudaFree(NULL));
    assert_success(cudaDeviceGetAttribute(&can, cudaDevAttrTimelineSemaphoreInteropSupported, 0));
    return can != 0;
}

#define NEEDS_IMPORT()                                                                             \
    if (!can_import())                                                                             \
    TEST_SKIP("a GPU's semaphores are no files that the host reads")

static int make_file(size_t bytes)
{
    const int file = memfd_create("test", MFD_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)bytes), 0);
    return file;
}

static cudaError_t import(int file, enum cudaExternalSemaphoreHandleType type,
                          cudaExternalSemaphore_t *semaphore)
{
    const struct cudaExternalSemaphoreHandleDesc description = {.type = type,
                                                                .handle = {.fd = file}};
    return cudaImportExternalSemaphore(semaphore, &description);
}

static struct timeline new_timeline(void)
{
    struct timeline made = {NULL, NULL};
    const int file = make_file(4096);
    made.value = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_true(made.value != MAP_FAILED);
    assert_success(
        import(file, cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd, &made.semaphore));
    return made;
}

static void end_timeline(const struct timeline *timeline)
{
    assert_success(cudaDestroyExternalSemaphore(timeline->semaphore));
    munmap(timeline->value, 4096);
}

static uint64_t value_of(const struct timeline *timeline)
{
    return __atomic_load_n(timeline->value, __ATOMIC_ACQUIRE);
}

static void set_value(const struct timeline *timeline, uint64_t value)
{
    __atomic_store_n(timeline->value, value, __ATOMIC_RELEASE);
}

static cudaError_t wait_for(cudaExternalSemaphore_t semaphore, uint64_t value, cudaStream_t stream)
{
    const Wait params = {.params = {.fence = {value}}};
    return cudaWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream);
}

static cudaError_t signal_with(cudaExternalSemaphore_t semaphore, uint64_t value,
                               cudaStream_t stream)
{
    const Signal params = {.params = {.fence = {value}}};
    return cudaSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream);
}

static void sleep_ms(long milliseconds)
{
    const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void assert_waits(cudaStream_t stream)
{
    sleep_ms(10);
    assert_int_equal(cudaStreamQuery(stream), cudaErrorNotReady);
}

TEST_BODY(external_semaphore_of_a_timeline)
{
    NEEDS_IMPORT();
    const struct timeline timeline = new_timeline();
    cudaStream_t stream = new_stream(), other = new_stream();
    int *p = device_ints(1);
    set_value(&timeline, 2);
    assert_success(wait_for(timeline.semaphore, 2, stream));
    assert_success(cudaStreamSynchronize(stream)); /* a value that is there already */
    assert_success(wait_for(timeline.semaphore, 5, stream));
    assert_success(cudaMemsetAsync(p, 1, sizeof *p, stream));
    assert_success(signal_with(timeline.semaphore, 7, stream));
    set_value(&timeline, 4);
    assert_waits(stream);
    assert_int_equal(value_of(&timeline), 4);
    assert_success(signal_with(timeline.semaphore, 6, other));
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(value_of(&timeline), 7);
    assert_int_equal(read_device_int(p), 0x01010101);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaStreamDestroy(other));
    assert_success(cudaFree(p));
    end_timeline(&timeline);
}

/* A wait takes the signal, and one only. */
TEST_BODY(external_semaphore_that_is_binary)
{
    NEEDS_IMPORT();
    const int file = eventfd(0, EFD_CLOEXEC), kept = dup(file);
    cudaExternalSemaphore_t semaphore = NULL;
    cudaStream_t stream = new_stream(), other = new_stream();
    uint64_t count = 0;
    assert_success(import(file, cudaExternalSemaphoreHandleTypeOpaqueFd, &semaphore));
    assert_success(wait_for(semaphore, 0, stream));
    assert_waits(stream);
    assert_success(signal_with(semaphore, 0, other));
    assert_success(cudaStreamSynchronize(stream));
    assert_success(wait_for(semaphore, 0, stream));
    assert_waits(stream);
    assert_int_equal(eventfd_write(kept, 1), 0); /* as another program does it */
    assert_success(cudaStreamSynchronize(stream));
    assert_success(signal_with(semaphore, 0, stream));
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(eventfd_read(kept, &count), 0);
    assert_int_equal(count, 1);
    assert_success(cudaDestroyExternalSemaphore(semaphore));
    assert_int_equal(fcntl(file, F_GETFD), -1);
    assert_fails(cudaErrorInvalidResourceHandle, cudaDestroyExternalSemaphore(semaphore));
    assert_fails(cudaErrorInvalidResourceHandle, signal_with(semaphore, 0, stream));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaStreamDestroy(other));
    close(kept);
}

/* Several at once: a wait is for all of them. */
TEST_BODY(external_semaphore_lists)
{
    NEEDS_IMPORT();
    const struct timeline timelines[2] = {new_timeline(), new_timeline()};
    const cudaExternalSemaphore_t semaphores[2] = {timelines[0].semaphore, timelines[1].semaphore};
    const Wait waits[2] = {{.params = {.fence = {1}}}, {.params = {.fence = {2}}}};
    const Signal signals[2] = {{.params = {.fence = {10}}}, {.params = {.fence = {11}}}};
    Wait wrong = waits[0];
    cudaStream_t stream = new_stream();
    assert_success(cudaWaitExternalSemaphoresAsync(semaphores, waits, 2, stream));
    assert_success(cudaSignalExternalSemaphoresAsync(semaphores, signals, 2, stream));
    set_value(&timelines[1], 2);
    assert_waits(stream);
    set_value(&timelines[0], 1);
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(value_of(&timelines[0]), 10);
    assert_int_equal(value_of(&timelines[1]), 11);
    assert_fails(cudaErrorInvalidValue, cudaWaitExternalSemaphoresAsync(NULL, waits, 2, stream));
    assert_fails(cudaErrorInvalidValue,
                 cudaSignalExternalSemaphoresAsync(semaphores, NULL, 2, stream));
    wrong.flags = cudaExternalSemaphoreWaitSkipNvSciBufMemSync;
    assert_fails(cudaErrorInvalidValue,
                 cudaWaitExternalSemaphoresAsync(semaphores, &wrong, 1, stream));
    assert_success(cudaStreamDestroy(stream));
    end_timeline(&timelines[0]);
    end_timeline(&timelines[1]);
}

TEST_BODY(external_semaphore_has_driver_functions)
{
    NEEDS_IMPORT();
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description = {
        .type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
        .handle = {.fd = eventfd(1, EFD_CLOEXEC)}};
    const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = {.params = {.fence = {0}}};
    const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = {.params = {.fence = {0}}};
    CUexternalSemaphore semaphore = NULL;
    assert_int_equal(cuImportExternalSemaphore(NULL, &description), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuImportExternalSemaphore(&semaphore, &description), CUDA_SUCCESS);
    assert_int_equal(cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, NULL), CUDA_SUCCESS);
    assert_int_equal(cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, NULL), CUDA_SUCCESS);
    assert_int_equal(cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, NULL), CUDA_SUCCESS);
    assert_int_equal(cuStreamSynchronize(NULL), CUDA_SUCCESS);
    assert_int_equal(cuSignalExternalSemaphoresAsync(&semaphore, &signal, 0, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuDestroyExternalSemaphore(semaphore), CUDA_SUCCESS);
    assert_int_equal(cuDestroyExternalSemaphore(semaphore), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, NULL),
                     CUDA_ERROR_INVALID_HANDLE);
}

TEST_BODY(external_semaphore_of_wrong_descriptions_is_refused)
{
    NEEDS_IMPORT();
    const int small = make_file(4), file = make_file(8), counter = eventfd(0, EFD_CLOEXEC);
    struct cudaExternalSemaphoreHandleDesc description = {
        .type = cudaExternalSemaphoreHandleTypeOpaqueFd, .handle = {.fd = counter}, .flags = 1};
    cudaExternalSemaphore_t semaphore = NULL;
    assert_fails(cudaErrorInvalidValue, cudaImportExternalSemaphore(NULL, &description));
    assert_fails(cudaErrorInvalidValue, cudaImportExternalSemaphore(&semaphore, NULL));
    assert_fails(cudaErrorInvalidValue, cudaImportExternalSemaphore(&semaphore, &description));
    for (int type = 0; type < 12; type++) {
        const bool is_known = type >= 1 && type <= 10;
        if (type != cudaExternalSemaphoreHandleTypeOpaqueFd &&
            type != cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd)
            assert_fails(is_known ? cudaErrorNotSupported : cudaErrorInvalidValue,
                         import(counter, (enum cudaExternalSemaphoreHandleType)type, &semaphore));
    }
    assert_fails(cudaErrorOperatingSystem,
                 import(-1, cudaExternalSemaphoreHandleTypeOpaqueFd, &semaphore));
    assert_fails(cudaErrorOperatingSystem,
                 import(-1, cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd, &semaphore));
    assert_fails(cudaErrorInvalidValue,
                 import(file, cudaExternalSemaphoreHandleTypeOpaqueFd, &semaphore));
    assert_fails(cudaErrorInvalidValue,
                 import(small, cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd, &semaphore));
    assert_fails(cudaErrorInvalidValue,
                 import(counter, cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd, &semaphore));
    assert_int_equal(close(small), 0); /* all still the program's */
    assert_int_equal(close(file), 0);
    assert_int_equal(close(counter), 0);
}

/* Memory of every kind that may wait for the context's work when it goes, which nobody frees. */
static void keep_memory(void)
{
    const struct cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    const struct cudaExtent extent = {16, 16, 0};
    cudaArray_t array = NULL;
    cudaMipmappedArray_t levels = NULL;
    void *p = NULL;
    assert_success(cudaMallocArray(&array, &format, 16, 16, 0));
    assert_success(cudaMallocMipmappedArray(&levels, &format, extent, 3, 0));
    assert_success(cudaMalloc(&p, 64));
    assert_success(cudaMallocHost(&p, 64));
    assert_success(cudaMallocManaged(&p, 64, cudaMemAttachGlobal));
}

/* What a stream waits for goes on when the semaphore is destroyed, and ends with the device's state. */
TEST_BODY(external_semaphore_is_destroyed_while_a_stream_waits)
{
    NEEDS_IMPORT();
    const struct timeline timeline = new_timeline();
    cudaStream_t stream = new_stream();
    assert_success(wait_for(timeline.semaphore, 1, stream));
    assert_success(cudaDestroyExternalSemaphore(timeline.semaphore));
    assert_waits(stream);
    set_value(&timeline, 1);
    assert_success(cudaStreamSynchronize(stream));
    munmap(timeline.value, 4096);
    const struct timeline never = new_timeline();
    assert_success(wait_for(never.semaphore, 1, stream));
    keep_memory();
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaDeviceReset());
    assert_int_equal(value_of(&never), 0);
    end_timeline(&never);
}

/* The other one answers what a stream of this one signals, and is gone when the stream goes on; it calls nothing of CUDA. */
TEST_BODY(external_semaphore_of_another_process)
{
    int status = -1;
    const int files[2] = {make_file(4096), make_file(4096)};
    cudaExternalSemaphore_t semaphores[2] = {NULL, NULL};
    uint64_t *values[2];
    for (int i = 0; i < 2; i++) {
        values[i] = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, files[i], 0);
        assert_true(values[i] != MAP_FAILED);
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        while (__atomic_load_n(values[0], __ATOMIC_ACQUIRE) < 3)
            sleep_ms(1);
        __atomic_store_n(values[1], 4, __ATOMIC_RELEASE);
        _exit(0);
    }
    if (!can_import())
        __atomic_store_n(values[0], 3, __ATOMIC_RELEASE);
    for (int i = 0; i < 2 && can_import(); i++)
        assert_success(
            import(files[i], cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd, &semaphores[i]));
    if (can_import()) {
        assert_success(signal_with(semaphores[0], 3, NULL));
        assert_success(wait_for(semaphores[1], 4, NULL));
        assert_success(cudaStreamSynchronize(NULL));
    }
    assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    assert_int_equal(*values[1], 4);
}

/* The process ends though nobody signals. */
TEST_BODY(external_semaphore_ends_with_the_process)
{
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        if (can_import()) {
            const struct timeline timeline = new_timeline();
            if (wait_for(timeline.semaphore, 1, NULL) != cudaSuccess ||
                cudaStreamQuery(NULL) != cudaErrorNotReady)
                _exit(1);
        }
        exit(0);
    }
    assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
}

/* ---- in graphs ---- */

static cudaGraphNode_t add_wait(cudaGraph_t graph, const struct timeline *timeline, uint64_t value)
{
    cudaExternalSemaphore_t semaphore = timeline->semaphore;
    const Wait wait = {.params = {.fence = {value}}};
    const struct cudaExternalSemaphoreWaitNodeParams params = {&semaphore, &wait, 1};
    cudaGraphNode_t node = NULL;
    assert_success(cudaGraphAddExternalSemaphoresWaitNode(&node, graph, NULL, 0, &params));
    return node;
}

static cudaGraphNode_t add_signal(cudaGraph_t graph, cudaGraphNode_t before,
                                  const struct timeline *timeline, uint64_t value)
{
    cudaExternalSemaphore_t semaphore = timeline->semaphore;
    const Signal signal = {.params = {.fence = {value}}};
    const struct cudaExternalSemaphoreSignalNodeParams params = {&semaphore, &signal, 1};
    cudaGraphNode_t node = NULL;
    assert_success(cudaGraphAddExternalSemaphoresSignalNode(&node, graph, &before, 1, &params));
    return node;
}

TEST_BODY(external_semaphore_nodes)
{
    NEEDS_IMPORT();
    const struct timeline timeline = new_timeline();
    cudaStream_t stream = new_stream();
    cudaGraph_t graph = new_graph(), clone = NULL;
    int *p = device_ints(1);
    cudaGraphNode_t wait = add_wait(graph, &timeline, 1), append = NULL;
    assert_success(add_append(&append, graph, &wait, 1, p, 5));
    cudaGraphNode_t signal = add_signal(graph, append, &timeline, 2);
    cudaGraphExec_t exec = instantiate(graph);
    assert_success(cudaGraphLaunch(exec, stream));
    assert_waits(stream);
    assert_int_equal(read_device_int(p), 0);
    set_value(&timeline, 1);
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(value_of(&timeline), 2);
    assert_int_equal(read_device_int(p), 5);
    assert_success(cudaMemset(p, 0, sizeof *p));
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaGraphClone(&clone, graph));
    assert_int_equal(run_and_end(clone, p), 5);

    /* Parameters of nodes, and of those that were instantiated, whose number of semaphores stays. */
    struct cudaExternalSemaphoreSignalNodeParams got;
    struct cudaExternalSemaphoreWaitNodeParams waited;
    assert_success(cudaGraphExternalSemaphoresSignalNodeGetParams(signal, &got));
    assert_int_equal(got.numExtSems, 1);
    assert_ptr_equal(got.extSemArray[0], timeline.semaphore);
    assert_int_equal(got.paramsArray[0].params.fence.value, 2);
    assert_success(cudaGraphExternalSemaphoresWaitNodeGetParams(wait, &waited));
    assert_int_equal(waited.paramsArray[0].params.fence.value, 1);
    assert_fails(cudaErrorInvalidValue,
                 cudaGraphExternalSemaphoresWaitNodeGetParams(signal, &waited));
    assert_fails(cudaErrorInvalidValue,
                 cudaGraphExternalSemaphoresSignalNodeGetParams(signal, NULL));
    cudaExternalSemaphore_t both[2] = {timeline.semaphore, timeline.semaphore};
    const Signal signals[2] = {{.params = {.fence = {8}}}, {.params = {.fence = {9}}}};
    struct cudaExternalSemaphoreSignalNodeParams params = {both, signals, 1};
    assert_success(cudaGraphExecExternalSemaphoresSignalNodeSetParams(exec, signal, &params));
    assert_success(cudaGraphLaunch(exec, stream));
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(value_of(&timeline), 8);
    params.numExtSems = 2;
    assert_fails(cudaErrorInvalidValue,
                 cudaGraphExecExternalSemaphoresSignalNodeSetParams(exec, signal, &params));
    assert_success(cudaGraphExternalSemaphoresSignalNodeSetParams(signal, &params));
    cudaGraphExecUpdateResultInfo info;
    assert_fails(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, graph, &info));
    assert_int_equal(info.result, cudaGraphExecUpdateErrorParametersChanged);
    params.numExtSems = 0;
    assert_fails(cudaErrorInvalidValue,
                 cudaGraphExternalSemaphoresSignalNodeSetParams(signal, &params));
    const Wait later = {.params = {.fence = {8}}};
    const struct cudaExternalSemaphoreWaitNodeParams other = {both, &later, 1};
    assert_success(cudaGraphExternalSemaphoresWaitNodeSetParams(wait, &other));
    assert_success(cudaGraphExecExternalSemaphoresWaitNodeSetParams(exec, wait, &other));
    assert_success(cudaGraphLaunch(exec, stream));
    assert_success(cudaStreamSynchronize(stream));

    /* A semaphore that is gone is found missing at the launch. */
    end_timeline(&timeline);
    assert_fails(cudaErrorInvalidResourceHandle, cudaGraphLaunch(exec, stream));
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

TEST_BODY(external_semaphore_nodes_of_the_driver_and_any_kind)
{
    NEEDS_IMPORT();
    const struct timeline timeline = new_timeline();
    cudaExternalSemaphore_t semaphore = timeline.semaphore;
    CUexternalSemaphore same = (CUexternalSemaphore)semaphore;
    const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = {.params = {.fence = {3}}};
    const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = {.params = {.fence = {3}}};
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS signals = {&same, &signal, 1};
    CUDA_EXT_SEM_WAIT_NODE_PARAMS waits = {&same, &wait, 1};
    CUgraphNode nodes[4] = {NULL};
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    assert_int_equal(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
    assert_int_equal(cuGraphAddExternalSemaphoresSignalNode(nodes, graph, NULL, 0, &signals),
                     CUDA_SUCCESS);
    assert_int_equal(cuGraphAddExternalSemaphoresWaitNode(nodes + 1, graph, nodes, 1, &waits),
                     CUDA_SUCCESS);
    assert_int_equal(cuGraphExternalSemaphoresSignalNodeSetParams(nodes[0], &signals),
                     CUDA_SUCCESS);
    assert_int_equal(cuGraphExternalSemaphoresWaitNodeSetParams(nodes[1], &waits), CUDA_SUCCESS);
    CUgraphNodeParams any = {.type = CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT,
                             .extSemWait = {&same, &wait, 1}};
    assert_int_equal(cuGraphAddNode_v2(nodes + 2, graph, nodes, NULL, 1, &any), CUDA_SUCCESS);
    struct cudaGraphNodeParams given = {.type = cudaGraphNodeTypeExtSemaphoreSignal};
    const Signal last = {.params = {.fence = {4}}};
    given.extSemSignal = (struct cudaExternalSemaphoreSignalNodeParamsV2){&semaphore, &last, 1};
    assert_success(cudaGraphAddNode((cudaGraphNode_t *)&nodes[3], (cudaGraph_t)graph,
                                    (cudaGraphNode_t *)&nodes[1], NULL, 2, &given));
    assert_int_equal(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
    assert_int_equal(cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, nodes[0], &signals),
                     CUDA_SUCCESS);
    assert_int_equal(cuGraphExecExternalSemaphoresWaitNodeSetParams(exec, nodes[1], &waits),
                     CUDA_SUCCESS);
    assert_int_equal(cuGraphLaunch(exec, NULL), CUDA_SUCCESS);
    assert_int_equal(cuStreamSynchronize(NULL), CUDA_SUCCESS);
    assert_int_equal(value_of(&timeline), 4);
    memset(&signals, 0, sizeof signals);
    memset(&waits, 0, sizeof waits);
    assert_int_equal(cuGraphExternalSemaphoresSignalNodeGetParams(nodes[3], &signals),
                     CUDA_SUCCESS);
    assert_int_equal(signals.paramsArray[0].params.fence.value, 4);
    assert_int_equal(cuGraphExternalSemaphoresWaitNodeGetParams(nodes[2], &waits), CUDA_SUCCESS);
    assert_ptr_equal(waits.extSemArray[0], same);
    assert_int_equal(cuGraphExecDestroy(exec), CUDA_SUCCESS);
    assert_int_equal(cuGraphDestroy(graph), CUDA_SUCCESS);
    end_timeline(&timeline);
}

TEST_BODY(external_semaphore_calls_are_captured)
{
    NEEDS_IMPORT();
    const struct timeline timeline = new_timeline();
    cudaStream_t stream = new_stream();
    cudaGraph_t graph = NULL;
    cudaGraphNode_t nodes[2];
    enum cudaGraphNodeType types[2];
    size_t count = 2;
    assert_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    assert_success(wait_for(timeline.semaphore, 1, stream));
    assert_success(signal_with(timeline.semaphore, 2, stream));
    assert_success(cudaStreamEndCapture(stream, &graph));
    assert_int_equal(value_of(&timeline), 0);
    assert_success(cudaGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 2);
    for (int i = 0; i < 2; i++)
        assert_success(cudaGraphNodeGetType(nodes[i], &types[i]));
    assert_int_equal(types[0], cudaGraphNodeTypeExtSemaphoreWait);
    assert_int_equal(types[1], cudaGraphNodeTypeExtSemaphoreSignal);
    cudaGraphExec_t exec = instantiate(graph);
    assert_success(cudaGraphLaunch(exec, stream));
    assert_waits(stream);
    set_value(&timeline, 1);
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(value_of(&timeline), 2);
    assert_success(cudaGraphExecDestroy(exec));
    assert_success(cudaGraphDestroy(graph));
    assert_success(cudaStreamDestroy(stream));
    end_timeline(&timeline);
}
