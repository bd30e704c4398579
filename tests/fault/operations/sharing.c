/* Operations with what another process has: one of this program without faults, which lives until this one ends.
 * SPDX-License-Identifier: Apache-2.0 */
#define __CUDA_API_VERSION_INTERNAL /* names are symbols, and old versions have theirs */
#include "operation.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 300000 };

/* What the other process tells. */
struct offers {
    bool can_share;
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
    struct cudaMemPoolPtrExportData data; /* of memory of a pool */
    int process, pool_file;               /* where its descriptor is */
};

enum { FLAGS = cudaEventInterprocess | cudaEventDisableTiming };

static char host[BYTES];

static bool offer_pool(struct offers *offers)
{
    const struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                                .handleTypes = cudaMemHandleTypePosixFileDescriptor,
                                                .location = {cudaMemLocationTypeDevice, 0}};
    cudaMemPool_t pool;
    void *memory;
    offers->process = (int)getpid();
    return cudaMemPoolCreate(&pool, &properties) == cudaSuccess &&
           cudaMallocFromPoolAsync(&memory, BYTES, pool, NULL) == cudaSuccess &&
           cudaMemPoolExportPointer(&offers->data, memory) == cudaSuccess &&
           cudaMemPoolExportToShareableHandle(
               &offers->pool_file, pool, cudaMemHandleTypePosixFileDescriptor, 0) == cudaSuccess;
}

/* The other process. */
int share_until_end(void)
{
    struct offers offers = {0};
    cudaEvent_t event = NULL;
    void *memory = NULL;
    char end;
    if (cudaMalloc(&memory, BYTES) != cudaSuccess || cudaMemset(memory, 7, BYTES) != cudaSuccess)
        return 1;
    offers.can_share = cudaIpcGetMemHandle(&offers.memory, memory) == cudaSuccess &&
                       cudaEventCreateWithFlags(&event, FLAGS) == cudaSuccess &&
                       cudaEventRecord(event, NULL) == cudaSuccess &&
                       cudaIpcGetEventHandle(&offers.event, event) == cudaSuccess &&
                       offer_pool(&offers);
    if (write(STDOUT_FILENO, &offers, sizeof offers) != (ssize_t)sizeof offers)
        return 1;
    return read(STDIN_FILENO, &end, 1) == 0 ? 0 : 1;
}

static void begin_other(int told, int end)
{
    if (dup2(told, STDOUT_FILENO) >= 0 && dup2(end, STDIN_FILENO) >= 0)
        execl("/proc/self/exe", "clem_faults", "share", (char *)NULL);
    _exit(1);
}

static const struct offers *find_offers(void)
{
    static struct offers offers;
    static bool is_known;
    int told[2], end[2];
    if (is_known)
        return &offers;
    if (pipe2(told, O_CLOEXEC) != 0 || pipe2(end, O_CLOEXEC) != 0)
        fault_wrong(__FILE__, __LINE__, "no pipes");
    const pid_t other = fork();
    if (other == 0)
        begin_other(told[1], end[0]);
    close(told[1]);
    close(end[0]); /* the other end closes with this process */
    if (other < 0 || read(told[0], &offers, sizeof offers) != (ssize_t)sizeof offers)
        fault_wrong(__FILE__, __LINE__, "the other process has nothing to tell");
    close(told[0]);
    if (!offers.can_share)
        exit(77);
    is_known = true;
    return &offers;
}

static int find_pool_file(void)
{
    static int file = -1;
    const struct offers *offers = find_offers();
    char path[64];
    if (file >= 0)
        return file;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", offers->process, offers->pool_file);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        fault_wrong(__FILE__, __LINE__, "the other process's descriptor cannot be opened");
    return file;
}

int operation_share_memory(void)
{
    cudaIpcMemHandle_t handle;
    CUipcMemHandle same;
    void *memory = NULL;
    (void)find_offers(); /* ends this where nothing is shared */
    int error = CALL(cudaMalloc, &memory, BYTES);
    TRY(cudaMemset, memory, 5, BYTES);
    TRY(cudaIpcGetMemHandle, &handle, memory);
    TRY(cuIpcGetMemHandle, &same, (CUdeviceptr)memory);
    memset(host, 0, sizeof host);
    TRY(cudaMemcpy, host, memory, BYTES, cudaMemcpyDeviceToHost);
    CHECK(host[0] == 5 && host[BYTES - 1] == 5 && memcmp(&handle, &same, sizeof same) == 0);
    END(cudaFree, memory);
    return error;
}

int operation_open_memory(void)
{
    const struct offers *offers = find_offers();
    CUipcMemHandle same;
    CUdeviceptr again = 0, old = 0;
    void *memory = NULL;
    memcpy(&same, &offers->memory, sizeof same);
    int error = CALL(cudaIpcOpenMemHandle, &memory, offers->memory, cudaIpcMemLazyEnablePeerAccess);
    TRY(cuIpcOpenMemHandle_v2, &again, same, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
    TRY(cuIpcOpenMemHandle, &old, same, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
    memset(host, 0, sizeof host);
    TRY(cudaMemcpy, host, memory, BYTES, cudaMemcpyDeviceToHost);
    CHECK(host[0] == 7 && host[BYTES - 1] == 7 && (CUdeviceptr)memory == again && again == old);
    TRY(cudaMemset, memory, 7, BYTES);
    if (memory != NULL)
        END(cudaIpcCloseMemHandle, memory);
    if (again != 0)
        END(cuIpcCloseMemHandle, again);
    if (old != 0)
        END(cuIpcCloseMemHandle, old);
    return error;
}

static int use_event(cudaEvent_t event)
{
    void *memory = NULL;
    int error = CALL(cudaMalloc, &memory, BYTES);
    TRY(cudaMemsetAsync, memory, 5, BYTES, NULL);
    TRY(cudaEventRecord, event, NULL);
    TRY(cudaStreamWaitEvent, cudaStreamPerThread, event, 0);
    TRY(cudaMemsetAsync, memory, 6, BYTES, cudaStreamPerThread);
    TRY(cudaStreamSynchronize, cudaStreamPerThread);
    TRY(cudaEventSynchronize, event);
    TRY(cudaEventQuery, event);
    END(cudaFree, memory);
    return error;
}

int operation_share_event(void)
{
    cudaIpcEventHandle_t handle;
    CUipcEventHandle same;
    cudaEvent_t event = NULL;
    (void)find_offers(); /* ends this where nothing is shared */
    int error = CALL(cudaEventCreateWithFlags, &event, FLAGS);
    TRY(cudaIpcGetEventHandle, &handle, event);
    TRY(cuIpcGetEventHandle, &same, event);
    if (error == 0)
        error = use_event(event);
    if (event != NULL)
        END(cudaEventDestroy, event);
    return error;
}

int operation_open_event(void)
{
    const struct offers *offers = find_offers();
    CUipcEventHandle same;
    cudaEvent_t event = NULL;
    CUevent again = NULL;
    memcpy(&same, &offers->event, sizeof same);
    int error = CALL(cudaIpcOpenEventHandle, &event, offers->event);
    TRY(cuIpcOpenEventHandle, &again, same);
    if (error == 0)
        error = use_event(event);
    if (event != NULL)
        END(cudaEventDestroy, event);
    if (again != NULL)
        END(cudaEventDestroy, again);
    return error;
}

static int use_pool(cudaMemPool_t pool, void *memory)
{
    struct cudaMemPoolPtrExportData data;
    CUmemPoolPtrExportData same;
    int error = CALL(cudaMemPoolExportPointer, &data, memory);
    TRY(cuMemPoolExportPointer, &same, (CUdeviceptr)memory);
    int file = -1, again = -1;
    TRY(cudaMemPoolExportToShareableHandle, &file, pool, cudaMemHandleTypePosixFileDescriptor, 0);
    TRY(cuMemPoolExportToShareableHandle, &again, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        0);
    if (file >= 0)
        close(file);
    if (again >= 0)
        close(again);
    return error;
}

int operation_share_pool(void)
{
    const struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                                .handleTypes = cudaMemHandleTypePosixFileDescriptor,
                                                .location = {cudaMemLocationTypeDevice, 0}};
    cudaMemPool_t pool = NULL;
    void *memory = NULL;
    (void)find_offers(); /* ends this where nothing is shared */
    int error = CALL(cudaMemPoolCreate, &pool, &properties);
    TRY(cudaMallocFromPoolAsync, &memory, BYTES, pool, NULL);
    if (error == 0)
        error = use_pool(pool, memory);
    if (memory != NULL)
        END(cudaFreeAsync, memory, NULL);
    if (pool != NULL)
        END(cudaMemPoolDestroy, pool);
    return error;
}

int operation_open_pool(void)
{
    const struct offers *offers = find_offers();
    CUmemPoolPtrExportData same;
    struct cudaMemPoolPtrExportData data = offers->data;
    void *const file = (void *)(intptr_t)find_pool_file();
    cudaMemPool_t pool = NULL, again = NULL;
    CUdeviceptr second = 0;
    void *memory = NULL;
    memcpy(&same, &data, sizeof same);
    int error = CALL(cudaMemPoolImportFromShareableHandle, &pool, file,
                     cudaMemHandleTypePosixFileDescriptor, 0);
    TRY(cuMemPoolImportFromShareableHandle, &again, file, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        0);
    TRY(cudaMemPoolImportPointer, &memory, pool, &data);
    TRY(cuMemPoolImportPointer, &second, again, &same);
    CHECK((CUdeviceptr)memory == second);
    TRY(cudaMemset, memory, 5, BYTES);
    if (second != 0)
        END(cudaFreeAsync, (void *)second, NULL);
    if (memory != NULL)
        END(cudaFree, memory);
    if (again != NULL)
        END(cudaMemPoolDestroy, again);
    if (pool != NULL)
        END(cudaMemPoolDestroy, pool);
    return error;
}

static int make_file(void)
{
    const int file = memfd_create("fault", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, BYTES) != 0)
        fault_wrong(__FILE__, __LINE__, "no file in memory");
    return file;
}

int operation_external_memory(void)
{
    const struct cudaExternalMemoryHandleDesc description = {
        .type = cudaExternalMemoryHandleTypeOpaqueFd, .handle = {.fd = make_file()}, .size = BYTES};
    const struct cudaExternalMemoryBufferDesc whole = {.size = BYTES};
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC same;
    const CUDA_EXTERNAL_MEMORY_BUFFER_DESC part = {.offset = 4096, .size = 4096};
    const struct cudaExternalMemoryMipmappedArrayDesc levels = {
        .formatDesc = {8, 0, 0, 0, cudaChannelFormatKindUnsigned},
        .extent = {16, 16, 0},
        .numLevels = 2};
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC same_levels = {
        .arrayDesc = {16, 16, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0}, .numLevels = 2};
    cudaMipmappedArray_t array = NULL;
    CUmipmappedArray same_array = NULL;
    cudaExternalMemory_t external = NULL;
    CUexternalMemory again = NULL;
    CUdeviceptr second = 0;
    void *memory = NULL;
    memcpy(&same, &description, sizeof same);
    same.handle.fd = make_file();
    (void)find_offers(); /* ends this where nothing is shared */
    int error = CALL(cudaImportExternalMemory, &external, &description);
    TRY(cuImportExternalMemory, &again, &same);
    TRY(cudaExternalMemoryGetMappedBuffer, &memory, external, &whole);
    TRY(cuExternalMemoryGetMappedBuffer, &second, again, &part);
    TRY(cudaMemset, memory, 5, BYTES);
    TRY(cudaExternalMemoryGetMappedMipmappedArray, &array, external, &levels);
    TRY(cuExternalMemoryGetMappedMipmappedArray, &same_array, again, &same_levels);
    if (same_array != NULL)
        END(cuMipmappedArrayDestroy, same_array);
    if (array != NULL)
        END(cudaFreeMipmappedArray, array);
    if (second != 0)
        END(cudaFree, (void *)second);
    if (memory != NULL)
        END(cudaFree, memory);
    if (again != NULL)
        END(cuDestroyExternalMemory, again);
    else
        close(same.handle.fd);
    if (external != NULL)
        END(cudaDestroyExternalMemory, external);
    else
        close(description.handle.fd);
    return error;
}

/* Both kinds, behind work and before it, and as nodes. */
static int use_semaphores(const cudaExternalSemaphore_t *semaphores, cudaStream_t stream,
                          cudaGraph_t *graph)
{
    const struct cudaExternalSemaphoreSignalParams signals[2] = {{.flags = 0}, {.flags = 0}};
    const struct cudaExternalSemaphoreWaitParams waits[2] = {{.flags = 0}, {.flags = 0}};
    int error = CALL(cudaSignalExternalSemaphoresAsync, semaphores, signals, 2, stream);
    TRY(cudaWaitExternalSemaphoresAsync, semaphores, waits, 2, stream);
    TRY(cudaSignalExternalSemaphoresAsync_v2, semaphores, signals, 2, stream);
    TRY(cudaWaitExternalSemaphoresAsync_v2, semaphores, waits, 2, stream);
    TRY(cudaStreamBeginCapture, stream, cudaStreamCaptureModeRelaxed);
    TRY(cudaSignalExternalSemaphoresAsync, semaphores, signals, 2, stream);
    TRY(cudaWaitExternalSemaphoresAsync, semaphores, waits, 2, stream);
    TRY(cudaStreamEndCapture, stream, graph);
    return error;
}

static int set_nodes(const cudaExternalSemaphore_t *semaphores, cudaGraph_t graph,
                     cudaGraphExec_t *exec)
{
    const struct cudaExternalSemaphoreSignalParams signal = {.flags = 0};
    const struct cudaExternalSemaphoreWaitParams wait = {.flags = 0};
    cudaExternalSemaphore_t one = semaphores[0];
    struct cudaExternalSemaphoreSignalNodeParams signals = {&one, &signal, 1};
    struct cudaExternalSemaphoreWaitNodeParams waits = {&one, &wait, 1};
    cudaGraphNode_t nodes[2] = {NULL, NULL};
    int error = CALL(cudaGraphAddExternalSemaphoresSignalNode, nodes, graph, NULL, 0, &signals);
    TRY(cudaGraphAddExternalSemaphoresWaitNode, nodes + 1, graph, nodes, 1, &waits);
    TRY(cudaGraphExternalSemaphoresSignalNodeGetParams, nodes[0], &signals);
    TRY(cudaGraphExternalSemaphoresWaitNodeGetParams, nodes[1], &waits);
    signals = (struct cudaExternalSemaphoreSignalNodeParams){&one, &signal, 1};
    waits = (struct cudaExternalSemaphoreWaitNodeParams){&one, &wait, 1};
    TRY(cudaGraphExternalSemaphoresSignalNodeSetParams, nodes[0], &signals);
    TRY(cudaGraphExternalSemaphoresWaitNodeSetParams, nodes[1], &waits);
    TRY(cudaGraphInstantiate, exec, graph, 0);
    TRY(cudaGraphExecExternalSemaphoresSignalNodeSetParams, *exec, nodes[0], &signals);
    TRY(cudaGraphExecExternalSemaphoresWaitNodeSetParams, *exec, nodes[1], &waits);
    return error;
}

int operation_external_semaphores(void)
{
    const struct cudaExternalSemaphoreHandleDesc
        binary = {.type = cudaExternalSemaphoreHandleTypeOpaqueFd,
                  .handle = {.fd = eventfd(0, EFD_CLOEXEC)}},
        timeline = {.type = cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd,
                    .handle = {.fd = make_file()}};
    cudaExternalSemaphore_t semaphores[2] = {NULL, NULL};
    cudaStream_t stream = NULL;
    cudaGraph_t captured = NULL, graph = NULL;
    cudaGraphExec_t execs[2] = {NULL, NULL};
    void *memory = NULL;
    (void)find_offers(); /* ends this where nothing is shared */
    int error = CALL(cudaImportExternalSemaphore, &semaphores[0], &binary);
    TRY(cudaImportExternalSemaphore, &semaphores[1], &timeline);
    TRY(cudaMalloc, &memory, BYTES);
    TRY(cudaStreamCreate, &stream);
    TRY(cudaMemsetAsync, memory, 1, BYTES, stream);
    if (error == 0)
        error = use_semaphores(semaphores, stream, &captured);
    TRY(cudaGraphInstantiate, &execs[0], captured, 0);
    TRY(cudaGraphLaunch, execs[0], stream);
    TRY(cudaGraphCreate, &graph, 0);
    if (error == 0)
        error = set_nodes(semaphores, graph, &execs[1]);
    TRY(cudaGraphLaunch, execs[1], stream);
    TRY(cudaStreamSynchronize, stream);
    for (int i = 0; i < 2; i++)
        if (execs[i] != NULL)
            END(cudaGraphExecDestroy, execs[i]);
    if (graph != NULL)
        END(cudaGraphDestroy, graph);
    if (captured != NULL)
        END(cudaGraphDestroy, captured);
    if (stream != NULL)
        END(cudaStreamDestroy, stream);
    if (memory != NULL)
        END(cudaFree, memory);
    if (semaphores[1] != NULL)
        END(cudaDestroyExternalSemaphore, semaphores[1]);
    else
        close(timeline.handle.fd);
    if (semaphores[0] != NULL)
        END(cudaDestroyExternalSemaphore, semaphores[0]);
    else
        close(binary.handle.fd);
    return error;
}

static int use_driver_nodes(CUexternalSemaphore semaphore, CUgraph graph, CUgraphExec *exec)
{
    const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = {.flags = 0};
    const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = {.flags = 0};
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS signals = {&semaphore, &signal, 1};
    CUDA_EXT_SEM_WAIT_NODE_PARAMS waits = {&semaphore, &wait, 1};
    CUgraphNode nodes[2] = {NULL, NULL};
    int error = CALL(cuGraphAddExternalSemaphoresSignalNode, nodes, graph, NULL, 0, &signals);
    TRY(cuGraphAddExternalSemaphoresWaitNode, nodes + 1, graph, nodes, 1, &waits);
    TRY(cuGraphExternalSemaphoresSignalNodeGetParams, nodes[0], &signals);
    TRY(cuGraphExternalSemaphoresWaitNodeGetParams, nodes[1], &waits);
    signals = (CUDA_EXT_SEM_SIGNAL_NODE_PARAMS){&semaphore, &signal, 1};
    waits = (CUDA_EXT_SEM_WAIT_NODE_PARAMS){&semaphore, &wait, 1};
    TRY(cuGraphExternalSemaphoresSignalNodeSetParams, nodes[0], &signals);
    TRY(cuGraphExternalSemaphoresWaitNodeSetParams, nodes[1], &waits);
    TRY(cuGraphInstantiateWithFlags, exec, graph, 0);
    TRY(cuGraphExecExternalSemaphoresSignalNodeSetParams, *exec, nodes[0], &signals);
    TRY(cuGraphExecExternalSemaphoresWaitNodeSetParams, *exec, nodes[1], &waits);
    return error;
}

int operation_driver_semaphores(void)
{
    const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description = {
        .type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
        .handle = {.fd = eventfd(0, EFD_CLOEXEC)}};
    const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = {.flags = 0};
    const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = {.flags = 0};
    CUexternalSemaphore semaphore = NULL;
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    CUdeviceptr memory = 0;
    (void)find_offers(); /* ends this where nothing is shared */
    int error = CALL(cudaFree, NULL);
    TRY(cuMemAlloc_v2, &memory, BYTES);
    TRY(cuImportExternalSemaphore, &semaphore, &description);
    TRY(cuMemsetD8Async, memory, 1, BYTES, NULL);
    TRY(cuSignalExternalSemaphoresAsync, &semaphore, &signal, 1, NULL);
    TRY(cuWaitExternalSemaphoresAsync, &semaphore, &wait, 1, NULL);
    TRY(cuGraphCreate, &graph, 0);
    if (error == 0)
        error = use_driver_nodes(semaphore, graph, &exec);
    TRY(cuGraphLaunch, exec, NULL);
    TRY(cuStreamSynchronize, NULL);
    if (exec != NULL)
        END(cuGraphExecDestroy, exec);
    if (graph != NULL)
        END(cuGraphDestroy, graph);
    if (memory != 0)
        END(cuMemFree_v2, memory);
    if (semaphore != NULL)
        END(cuDestroyExternalSemaphore, semaphore);
    else
        close(description.handle.fd);
    return error;
}
