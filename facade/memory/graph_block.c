/* Memory of graphs: what nodes that allocate and free do, and where their memory lies.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/graph_block.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cl/fixed_memory.h"
#include "cl/range_map.h"
#include "facade/graph/capture.h"
#include "facade/memory/memory_pool.h"
#include "facade/state/handles.h"
#include "facade/state/runtime.h"

/* What a node allocates. The works of the nodes that allocate and free it share one. */
struct allocation {
    _Atomic size_t references;
    struct ocl_fixed *block; /* held */
    uint64_t address;
    size_t bytes; /* as asked for */
    struct facade_context *context;
    uint64_t context_id;
    uint64_t graph_id; /* of the graph with the node that allocates it */
    uint64_t
        spare; /* once it is freed in its graph: where the bytes begin that no later node has got yet */
    size_t spare_bytes;
    _Atomic bool is_freed;    /* by a node of its graph */
    _Atomic uint64_t planned; /* the launch that has it among what it allocates */
};

struct allocation_work {
    struct facade_work work;
    struct allocation *allocation;
    struct cudaMemAllocNodeParams params;
    struct cudaMemAccessDesc descriptions[];
};

struct free_work {
    struct facade_work work;
    struct allocation *allocation;
    bool is_own; /* its graph is the one that allocates */
};

/* A graph's blocks, newest last. */
struct facade_graph_memory {
    struct piece {
        struct ocl_fixed *block; /* held */
        uint64_t context_id, generation;
        size_t taken; /* bytes from its begin on */
    } * blocks;
    size_t count;
};

/* --- allocations by address -------------------------------------------------------------------- */

/* The last one that was made at each address. The lock, a leaf, is held around all uses of the map. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ocl_range_map *known;
static _Atomic uint64_t last_launch;

static bool make_known(struct allocation *allocation)
{
    bool is_known = false;
    pthread_mutex_lock(&lock);
    if (known != NULL || ocl_range_map_create(&known) == OCL_OK) {
        if (ocl_range_map_find(known, allocation->address) != NULL)
            ocl_range_map_erase(known, allocation->address, 1);
        is_known = ocl_range_map_insert(known, allocation->address, 1, allocation) == OCL_OK;
    }
    pthread_mutex_unlock(&lock);
    return is_known;
}

static void make_unknown(const struct allocation *allocation)
{
    pthread_mutex_lock(&lock);
    if (known != NULL && ocl_range_map_find(known, allocation->address) == allocation)
        ocl_range_map_erase(known, allocation->address, 1);
    pthread_mutex_unlock(&lock);
}

static struct allocation *find_and_hold(uint64_t address)
{
    pthread_mutex_lock(&lock);
    struct allocation *found = known != NULL ? ocl_range_map_find(known, address) : NULL;
    if (found != NULL)
        atomic_fetch_add(&found->references, 1);
    pthread_mutex_unlock(&lock);
    return found;
}

static void let_go(struct allocation *allocation)
{
    if (atomic_fetch_sub(&allocation->references, 1) != 1)
        return;
    ocl_fixed_let_go(allocation->block);
    free(allocation);
}

/* --- works ------------------------------------------------------------------------------------- */

/* What is in use there is another launch's. */
static cudaError_t error_of_begin(ocl_status status)
{
    if (status == OCL_E_ALREADY)
        return cudaErrorInvalidValue;
    return status == OCL_E_NOT_FOUND ? cudaErrorContextIsDestroyed
                                     : facade_error_from(status, FACADE_OTHER);
}

static cudaError_t run_allocation(const struct facade_work *work, struct facade_stream *stream)
{
    const struct allocation *own = ((const struct allocation_work *)work)->allocation;
    return error_of_begin(ocl_fixed_begin(own->block, stream->queue, own->address, own->bytes));
}

static cudaError_t run_free(const struct facade_work *work, struct facade_stream *stream)
{
    const struct allocation *own = ((const struct free_work *)work)->allocation;
    return facade_error_from(ocl_fixed_end(stream->queue, own->address), FACADE_OTHER);
}

/* An executable graph goes on with the memory that it has. */
static enum cudaGraphExecUpdateResult allocation_may_become(const struct facade_work *work,
                                                            const struct facade_work *with)
{
    return ((const struct allocation_work *)work)->allocation ==
                   ((const struct allocation_work *)with)->allocation
               ? cudaGraphExecUpdateSuccess
               : cudaGraphExecUpdateErrorNotSupported;
}

static enum cudaGraphExecUpdateResult free_may_become(const struct facade_work *work,
                                                      const struct facade_work *with)
{
    return ((const struct free_work *)work)->allocation ==
                   ((const struct free_work *)with)->allocation
               ? cudaGraphExecUpdateSuccess
               : cudaGraphExecUpdateErrorNotSupported;
}

static void end_allocation(struct facade_work *work)
{
    struct allocation *own = ((struct allocation_work *)work)->allocation;
    make_unknown(own);
    let_go(own);
}

static void end_free(struct facade_work *work)
{
    struct free_work *made = (struct free_work *)work;
    if (made->is_own)
        atomic_store(&made->allocation->is_freed, false);
    let_go(made->allocation);
}

static const struct facade_work_kind allocation_kind = {cudaGraphNodeTypeMemAlloc, run_allocation,
                                                        allocation_may_become, end_allocation};
static const struct facade_work_kind free_kind = {cudaGraphNodeTypeMemFree, run_free,
                                                  free_may_become, end_free};

struct cudaMemAllocNodeParams facade_work_allocation(const struct facade_work *work)
{
    return ((const struct allocation_work *)work)->params;
}

void *facade_work_freed(const struct facade_work *work)
{
    return (void *)(uintptr_t)((const struct free_work *)work)->allocation->address;
}

/* --- where memory lies ------------------------------------------------------------------------- */

enum { LEAST_BLOCK_BYTES = 2 << 20, MOST_DOUBLED_BYTES = 32 << 20 };

/* How many of the nodes before one are looked at for memory that they free. */
enum { LONGEST_LOOK = 64 };

static size_t rounded(size_t bytes, size_t unit)
{
    return bytes > SIZE_MAX - unit ? bytes : (bytes + unit - 1) / unit * unit;
}

/* Nodes that were found before some node of their graph, nearest first. */
struct look {
    const struct facade_graph *graph;
    struct facade_node *nodes[LONGEST_LOOK];
    size_t count;
};

static void add_to_look(struct look *look, struct facade_node *node)
{
    size_t i = 0;
    while (i < look->count && look->nodes[i] != node)
        i++;
    if (i == look->count && i < LONGEST_LOOK && node->graph == look->graph)
        look->nodes[look->count++] = node;
}

static void look_back(struct look *look, const cudaGraphNode_t *before, size_t count)
{
    struct facade_node *node = NULL;
    for (size_t i = 0; i < count; i++) {
        if (facade_node_find(before[i], &node) == cudaSuccess)
            add_to_look(look, node);
    }
    for (size_t i = 0; i < look->count; i++) {
        node = look->nodes[i];
        for (size_t k = 0; k < node->before.count; k++)
            add_to_look(look, node->before.nodes[k]);
    }
}

/* The smallest one that is large enough, and that a node before frees. */
static struct allocation *find_spare(const struct look *look, const struct facade_context *context,
                                     size_t bytes)
{
    struct allocation *best = NULL;
    for (size_t i = 0; i < look->count; i++) {
        const struct facade_work *work = look->nodes[i]->work;
        if (look->nodes[i]->type != cudaGraphNodeTypeMemFree || work->context != context)
            continue;
        struct allocation *freed = ((const struct free_work *)work)->allocation;
        if (freed->graph_id == look->graph->id && freed->spare_bytes >= bytes &&
            (best == NULL || freed->spare_bytes < best->spare_bytes))
            best = freed;
    }
    return best;
}

static void end_memory(struct facade_graph_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++)
        ocl_fixed_let_go(memory->blocks[i].block);
    free(memory->blocks);
    free(memory);
}

/* Doubles what the graph has, so that what it allocates lies in few blocks; no more than is needed where memory is short. */
static ocl_status make_block(const struct facade_graph_memory *memory,
                             const struct facade_context *context, size_t bytes,
                             struct ocl_fixed **block)
{
    size_t wanted = LEAST_BLOCK_BYTES;
    if (memory->count > 0)
        wanted = 2 * ocl_fixed_bytes(memory->blocks[memory->count - 1].block);
    if (wanted > MOST_DOUBLED_BYTES)
        wanted = MOST_DOUBLED_BYTES;
    struct ocl_context *cl = atomic_load_explicit(&context->cl, memory_order_acquire);
    ocl_status status = ocl_fixed_create(cl, wanted > bytes ? wanted : bytes, block);
    if (status == OCL_E_OUT_OF_MEMORY && wanted > bytes)
        status = ocl_fixed_create(cl, bytes, block);
    return status;
}

static cudaError_t add_block(struct facade_graph_memory *memory, struct facade_context *context,
                             size_t bytes)
{
    struct piece *blocks = realloc(memory->blocks, (memory->count + 1) * sizeof *blocks);
    if (blocks == NULL)
        return cudaErrorMemoryAllocation;
    memory->blocks = blocks;
    struct piece *made = &blocks[memory->count];
    *made = (struct piece){NULL, context->id, atomic_load(&context->generation), 0};
    const ocl_status status = make_block(memory, context, bytes, &made->block);
    if (status != OCL_OK)
        return facade_error_from(status, FACADE_OTHER);
    memory->count++;
    return cudaSuccess;
}

static struct piece *find_room(const struct facade_graph_memory *memory,
                               struct facade_context *context, size_t bytes)
{
    const uint64_t generation = atomic_load(&context->generation);
    for (size_t i = memory->count; i > 0; i--) {
        struct piece *piece = &memory->blocks[i - 1];
        if (piece->context_id == context->id && piece->generation == generation &&
            ocl_fixed_bytes(piece->block) - piece->taken >=
                rounded(bytes, ocl_fixed_unit(piece->block)))
            return piece;
    }
    return NULL;
}

/* Bytes that no node has got yet. */
static cudaError_t place_anew(struct facade_graph *graph, struct facade_context *context,
                              struct allocation *made)
{
    if (graph->memory == NULL) {
        graph->memory = calloc(1, sizeof *graph->memory);
        graph->end_memory = end_memory;
    }
    if (graph->memory == NULL)
        return cudaErrorMemoryAllocation;
    struct piece *piece = find_room(graph->memory, context, made->bytes);
    if (piece == NULL) {
        const cudaError_t error = add_block(graph->memory, context, rounded(made->bytes, 4096));
        if (error != cudaSuccess)
            return error;
        piece = &graph->memory->blocks[graph->memory->count - 1];
    }
    made->block = piece->block;
    made->address = ocl_fixed_address(piece->block) + piece->taken;
    made->spare_bytes = rounded(made->bytes, ocl_fixed_unit(piece->block));
    piece->taken += made->spare_bytes;
    return cudaSuccess;
}

static void place_in_spare(struct allocation *freed, struct allocation *made)
{
    made->block = freed->block;
    made->address = freed->spare;
    made->spare_bytes = rounded(made->bytes, ocl_fixed_unit(freed->block));
    freed->spare += made->spare_bytes;
    freed->spare_bytes -= made->spare_bytes;
}

static cudaError_t place(struct facade_graph *graph, const cudaGraphNode_t *before, size_t count,
                         struct facade_context *context, struct allocation *made)
{
    struct look look = {.graph = graph};
    cudaError_t error = cudaSuccess;
    look_back(&look, before, count);
    struct allocation *freed = find_spare(&look, context, made->bytes);
    if (freed != NULL)
        place_in_spare(freed, made);
    else
        error = place_anew(graph, context, made);
    made->spare = made->address;
    return error;
}

/* --- making works ------------------------------------------------------------------------------ */

static struct allocation *new_allocation(const struct facade_graph *graph,
                                         struct facade_context *context, size_t bytes)
{
    struct allocation *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    atomic_init(&made->references, 1);
    made->bytes = bytes;
    made->graph_id = graph->id;
    made->context = context;
    made->context_id = context->id;
    return made;
}

/* In the node's place of its graph; the allocation is the caller's, and known. */
static cudaError_t allocate(struct facade_graph *graph, const cudaGraphNode_t *before, size_t count,
                            struct facade_context *context, size_t bytes,
                            struct allocation **allocation)
{
    struct allocation *made = new_allocation(graph, context, bytes);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    cudaError_t error = place(graph, before, count, context, made);
    if (error != cudaSuccess) {
        free(made);
        return error;
    }
    ocl_fixed_hold(made->block);
    if (!make_known(made)) {
        let_go(made);
        return cudaErrorMemoryAllocation;
    }
    *allocation = made;
    return cudaSuccess;
}

/* The current context, or the primary one of another device. */
static cudaError_t find_context(int device, struct facade_context **context)
{
    cudaError_t error = facade_current(context);
    if (error != cudaSuccess || (*context)->device == device)
        return error;
    *context = facade_primary(device);
    return facade_primary_hold(*context);
}

static cudaError_t check_allocation(const struct facade_graph *graph,
                                    const struct cudaMemAllocNodeParams *params)
{
    if (params == NULL || params->bytesize == 0 ||
        (params->accessDescCount > 0 && params->accessDescs == NULL))
        return cudaErrorInvalidValue;
    cudaError_t error = facade_pool_check_properties(&params->poolProps);
    for (size_t i = 0; error == cudaSuccess && i < params->accessDescCount; i++)
        error = facade_pool_check_access(params->poolProps.location.id, &params->accessDescs[i]);
    if (error == cudaSuccess && graph->owner != NULL)
        error = cudaErrorNotSupported;
    return error;
}

/* Takes the reference to the allocation. */
static void fill_in(struct allocation_work *made, struct allocation *allocation,
                    const struct cudaMemAllocNodeParams *params)
{
    made->allocation = allocation;
    made->params = *params;
    made->params.dptr = (void *)(uintptr_t)allocation->address;
    made->params.accessDescs = params->accessDescCount > 0 ? made->descriptions : NULL;
    if (params->accessDescCount > 0)
        memcpy(made->descriptions, params->accessDescs,
               params->accessDescCount * sizeof *params->accessDescs);
    made->work.context = allocation->context;
    made->work.context_id = allocation->context_id;
}

cudaError_t facade_work_of_allocation(struct facade_graph *graph, const cudaGraphNode_t *before,
                                      size_t count, const struct cudaMemAllocNodeParams *params,
                                      struct facade_work **work, void **pointer)
{
    struct facade_context *context = NULL;
    struct allocation *allocation = NULL;
    cudaError_t error = check_allocation(graph, params);
    if (error == cudaSuccess)
        error = find_context(params->poolProps.location.id, &context);
    if (error == cudaSuccess)
        error = allocate(graph, before, count, context, params->bytesize, &allocation);
    if (error != cudaSuccess)
        return error;
    struct allocation_work *made = (struct allocation_work *)facade_work_new(
        &allocation_kind, sizeof *made + params->accessDescCount * sizeof made->descriptions[0]);
    if (made == NULL) {
        make_unknown(allocation);
        let_go(allocation);
        return cudaErrorMemoryAllocation;
    }
    fill_in(made, allocation, params);
    *pointer = made->params.dptr;
    *work = &made->work;
    return cudaSuccess;
}

/* Takes the reference to the allocation. */
static cudaError_t make_free(struct allocation *allocation, bool is_own, struct facade_work **work)
{
    struct free_work *made = (struct free_work *)facade_work_new(&free_kind, sizeof *made);
    if (made == NULL) {
        let_go(allocation);
        return cudaErrorMemoryAllocation;
    }
    made->allocation = allocation;
    made->is_own = is_own;
    if (is_own)
        atomic_store(&allocation->is_freed, true);
    made->work.context = allocation->context;
    made->work.context_id = allocation->context_id;
    *work = &made->work;
    return cudaSuccess;
}

cudaError_t facade_work_of_free(struct facade_graph *graph, void *pointer,
                                struct facade_work **work)
{
    struct allocation *found = find_and_hold((uintptr_t)pointer);
    if (found == NULL)
        return cudaErrorInvalidValue;
    const bool is_own = found->graph_id == graph->id;
    cudaError_t error = cudaSuccess;
    if (is_own && atomic_load(&found->is_freed))
        error = cudaErrorInvalidValue;
    else if (graph->owner != NULL)
        error = cudaErrorNotSupported;
    if (error == cudaSuccess)
        return make_free(found, is_own, work);
    let_go(found);
    return error;
}

/* --- capture ----------------------------------------------------------------------------------- */

static cudaError_t find_graph(struct facade_stream *stream, struct facade_capture_info *info,
                              struct facade_graph **graph)
{
    cudaError_t error = facade_capture_ask(stream, info);
    if (error != cudaSuccess)
        return error;
    if (info->status != cudaStreamCaptureStatusActive)
        return cudaErrorIllegalState;
    return facade_graph_find(info->graph, graph);
}

cudaError_t facade_capture_allocation(struct facade_stream *stream,
                                      const struct cudaMemAllocNodeParams *params, void **pointer)
{
    struct facade_capture_info info;
    struct facade_graph *graph = NULL;
    struct facade_work *work = NULL;
    void *made = NULL;
    cudaError_t error = find_graph(stream, &info, &graph);
    if (error == cudaSuccess)
        error = facade_work_of_allocation(graph, info.nodes, info.count, params, &work, &made);
    if (error == cudaSuccess)
        error = facade_capture_add(stream, cudaGraphNodeTypeMemAlloc, work, NULL);
    if (error == cudaSuccess)
        *pointer = made;
    return error;
}

cudaError_t facade_capture_free(struct facade_stream *stream, void *pointer)
{
    struct facade_capture_info info;
    struct facade_graph *graph = NULL;
    struct facade_work *work = NULL;
    cudaError_t error = find_graph(stream, &info, &graph);
    if (error == cudaSuccess)
        error = facade_work_of_free(graph, pointer, &work);
    return error == cudaSuccess ? facade_capture_add(stream, cudaGraphNodeTypeMemFree, work, NULL)
                                : error;
}

/* --- launches ---------------------------------------------------------------------------------- */

static struct allocation *allocated_by(const struct facade_node *node)
{
    return node->type == cudaGraphNodeTypeMemAlloc
               ? ((const struct allocation_work *)node->work)->allocation
               : NULL;
}

static struct allocation *freed_by(const struct facade_node *node)
{
    return node->type == cudaGraphNodeTypeMemFree
               ? ((const struct free_work *)node->work)->allocation
               : NULL;
}

static cudaError_t check_node(const struct facade_node *node, uint64_t launch, bool is_auto_free)
{
    struct allocation *made = allocated_by(node);
    const struct allocation *freed = freed_by(node);
    if (made != NULL) {
        atomic_store(&made->planned, launch);
        return is_auto_free || !ocl_fixed_is_used(made->address) ? cudaSuccess
                                                                 : cudaErrorInvalidValue;
    }
    if (freed != NULL && atomic_load(&freed->planned) != launch)
        return ocl_fixed_is_used(freed->address) ? cudaSuccess : cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t facade_graph_memory_begin(struct facade_node *const *order, size_t count,
                                      bool is_auto_free, struct facade_stream *stream)
{
    const uint64_t launch = atomic_fetch_add(&last_launch, 1) + 1;
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = check_node(order[i], launch, is_auto_free);
    for (size_t i = 0; is_auto_free && error == cudaSuccess && i < count; i++) {
        const struct allocation *made = allocated_by(order[i]);
        if (made == NULL)
            continue;
        const ocl_status status = ocl_fixed_end(stream->queue, made->address);
        if (status != OCL_E_NOT_FOUND)
            error = facade_error_from(status, FACADE_OTHER);
    }
    return error;
}

void facade_graph_memory_abandon(struct facade_node *const *order, size_t count,
                                 struct facade_stream *stream)
{
    for (size_t i = 0; i < count; i++) {
        const struct allocation *made = allocated_by(order[i]);
        if (made != NULL)
            (void)ocl_fixed_end(stream->queue, made->address);
    }
}
