/* What each command of a program calls.
 * SPDX-License-Identifier: Apache-2.0 */
#include <sched.h>
#include <time.h>

#include <cuda.h>

#include "interpreter.h"
#include "kept.h"

static void pause_us(unsigned us)
{
    const struct timespec time = {.tv_nsec = (long)us * 1000};
    nanosleep(&time, NULL);
}

cudaError_t launch(const struct calls *calls, uint8_t *target, uint8_t *first, uint8_t *second,
                   uint32_t bytes, uint32_t factor, uint32_t term, uint32_t spins,
                   cudaStream_t stream, bool is_cooperative)
{
    const dim3 block = {32, 1, 1};
    const uint32_t blocks = 1 + bytes / 16384, most = is_cooperative ? 8 : 64;
    const dim3 grid = {blocks < most ? blocks : most, 1, 1};
    void *arguments[] = {&target, &first, &second, &bytes, &factor, &term, &spins};

    return (is_cooperative ? calls->cooperate : calls->launch)((const void *)device_code.change,
                                                               grid, block, arguments, 0, stream);
}

uint8_t *address(const struct interpreter *of, const struct region *region)
{
    return of->buffer[region->buffer] + (size_t)of->program->unit * region->first;
}

uint8_t *kernel_address(const struct interpreter *of, const struct region *region)
{
    return of->on_device[region->buffer] + (size_t)of->program->unit * region->first;
}

static cudaStream_t handle_of(const struct interpreter *of, const struct command *c)
{
    return c->stream == LEGACY       ? cudaStreamLegacy
           : c->stream == PER_THREAD ? cudaStreamPerThread
                                     : of->stream[c->stream];
}

/* stream_of: as the command spells it. */
cudaStream_t stream_of(const struct interpreter *of, const struct command *c)
{
    return c->stream < FIRST_CREATED && c->spelling & SPELL_HANDLE_0 ? NULL : handle_of(of, c);
}

/* calls_of: the names that give the command's stream. */
const struct calls *calls_of(const struct command *c)
{
    if (c->stream < FIRST_CREATED && (is_synchronous(c) || c->spelling & SPELL_HANDLE_0))
        return c->stream == PER_THREAD ? &per_thread_calls : &ordinary_calls;
    return c->spelling & SPELL_PER_THREAD ? &per_thread_calls : &ordinary_calls;
}

/* transform: what the kernel does, on the host. */
static void transform(const struct interpreter *of, const struct command *c)
{
    volatile uint8_t *target = address(of, &c->target);
    const volatile uint8_t *first = address(of, &c->first);
    const volatile uint8_t *second = address(of, &c->second);
    const size_t bytes = region_bytes(of, &c->target);

    for (size_t at = 0; at < bytes; at++)
        target[at] = transformed(c, first[at], second[at], at);
}

static void wait_for_opening(const struct host_work *work)
{
    struct interpreter *of = work->of;
    const int gate = (int)(work->command - of->program->command);

    pthread_mutex_lock(&of->lock);
    while (of->opened < gate && !of->is_stopped)
        pthread_cond_wait(&of->moved, &of->lock);
    pthread_mutex_unlock(&of->lock);
}

static void open_gates(struct interpreter *of, int command)
{
    pthread_mutex_lock(&of->lock);
    of->opened = command;
    pthread_cond_broadcast(&of->moved);
    pthread_mutex_unlock(&of->lock);
}

void CUDART_CB host_function(void *data)
{
    const struct host_work *work = data;
    if (work->command->delay)
        pause_us(work->command->delay);
    if (work->command->kind == DO_GATE)
        wait_for_opening(work);
    if (work->command->kind == DO_HOST_FUNCTION || work->command->kind == DO_CALLBACK)
        transform(work->of, work->command);
}

static void CUDART_CB callback(cudaStream_t stream, cudaError_t status, void *data)
{
    const struct host_work *work = data;
    (void)stream;
    if (status)
        fail(work->of, (int)(work->command - work->of->program->command), "callback: %s",
             cudaGetErrorName(status));
    host_function(data);
}

/* call_back: a host function, by either name. */
static cudaError_t call_back(struct interpreter *of, int index, cudaStream_t stream)
{
    const struct command *c = &of->program->command[index];
    of->work[index] = (struct host_work){of, c};
    if (c->kind == DO_CALLBACK || (c->kind != DO_HOST_FUNCTION && c->spelling & SPELL_OTHER))
        return calls_of(c)->callback(stream, callback, &of->work[index], 0);
    return calls_of(c)->host_function(stream, host_function, &of->work[index]);
}

/* Values. */

/* The driver's functions for them. */
static struct {
    __typeof__(cuStreamWriteValue32) *write;
    __typeof__(cuStreamWaitValue32) *wait;
} values;

bool find_values(void)
{
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    return cudaGetDriverEntryPointByVersion("cuStreamWriteValue32", (void **)&values.write, 12000,
                                            cudaEnableDefault, &found) == cudaSuccess &&
           values.write != NULL &&
           cudaGetDriverEntryPointByVersion("cuStreamWaitValue32", (void **)&values.wait, 12000,
                                            cudaEnableDefault, &found) == cudaSuccess &&
           values.wait != NULL;
}

static CUdeviceptr word_of(const struct interpreter *of, int record)
{
    const bool is_device = of->words[1] != NULL && record % 2 == 1;
    return (CUdeviceptr)(uintptr_t)(of->words[is_device] + record);
}

static cudaError_t write_value(const struct interpreter *of, int index, cudaStream_t stream)
{
    return values.write((CUstream)stream, word_of(of, index), 1, 0) == CUDA_SUCCESS
               ? cudaSuccess
               : cudaErrorUnknown;
}

static cudaError_t wait_value(const struct interpreter *of, int index, cudaStream_t stream)
{
    return values.wait((CUstream)stream, word_of(of, of->value[index]), 1,
                       CU_STREAM_WAIT_VALUE_EQ) == CUDA_SUCCESS
               ? cudaSuccess
               : cudaErrorUnknown;
}

/* compare: the determined units. */
static void compare(struct interpreter *of, int index, const volatile uint8_t *found)
{
    const struct command *c = &of->program->command[index];
    const size_t unit = of->program->unit;
    bool is_any_known = false;

    for (size_t i = 0; i < c->first.count; i++) {
        if (!of->known[index][i])
            continue;
        is_any_known = true;
        for (size_t at = i * unit; at < (i + 1) * unit; at++)
            if (found[at] != of->expected[index][at]) {
                fail(of, index, "buffer %u, byte %zu (unit %zu) is %u instead of %u",
                     c->first.buffer, unit * c->first.first + at, c->first.first + i, found[at],
                     of->expected[index][at]);
                return;
            }
    }
    pthread_mutex_lock(&of->lock);
    of->outcome->checks += is_any_known;
    pthread_mutex_unlock(&of->lock);
}

static enum memory memory_of(const struct interpreter *of, const struct region *region)
{
    return (enum memory)of->program->buffer[region->buffer].memory;
}

static cudaError_t read_array(const struct interpreter *of, const struct command *c, uint8_t *to,
                              cudaStream_t stream)
{
    const size_t unit = of->program->unit;
    const struct region *from = &c->first;
    const struct cudaMemcpy3DParms slices = {
        .srcArray = of->array[from->buffer],
        .srcPos = {0, 0, from->first},
        .dstPtr = {to, unit, unit, 1},
        .extent = {unit, 1, from->count},
        .kind = cudaMemcpyDeviceToHost,
    };
    if (memory_of(of, from) == MEMORY_CUBE)
        return cudaMemcpy3DAsync(&slices, stream);
    return cudaMemcpy2DFromArrayAsync(to, unit, of->array[from->buffer], 0, from->first, unit,
                                      from->count, cudaMemcpyDefault, stream);
}

static void check(struct thread *thread, int index)
{
    struct interpreter *of = thread->of;
    const struct command *c = &of->program->command[index];
    const cudaStream_t stream = thread->checks[c->device];
    bool is_read;

    if (is_host_accessible(memory_of(of, &c->first))) {
        compare(of, index, address(of, &c->first));
        return;
    }
    if (is_array(memory_of(of, &c->first)))
        is_read = CALL(of, index, read_array(of, c, thread->read, stream));
    else
        is_read = CALL(of, index,
                       cudaMemcpyAsync(thread->read, address(of, &c->first),
                                       region_bytes(of, &c->first), cudaMemcpyDefault, stream));
    if (is_read && CALL(of, index, cudaStreamSynchronize(stream)))
        compare(of, index, thread->read);
}

/* Copies and fills. */

static bool is_on_host(const struct interpreter *of, const struct region *region)
{
    return is_host_memory(memory_of(of, region));
}

/* direction: named where both sides are the host's or a device's. */
static enum cudaMemcpyKind direction(const struct interpreter *of, const struct command *c)
{
    static const enum cudaMemcpyKind kinds[2][2] = {
        {cudaMemcpyDeviceToDevice, cudaMemcpyDeviceToHost},
        {cudaMemcpyHostToDevice, cudaMemcpyHostToHost},
    };
    if (!(c->spelling & SPELL_KIND) || memory_of(of, &c->first) == MEMORY_MANAGED ||
        memory_of(of, &c->target) == MEMORY_MANAGED)
        return cudaMemcpyDefault;
    return kinds[is_on_host(of, &c->first)][is_on_host(of, &c->target)];
}

/* copy: as a line; between devices perhaps by their names, which know no per-thread stream but by its handle. */
static cudaError_t copy(const struct interpreter *of, const struct command *c, cudaStream_t stream)
{
    uint8_t *to = address(of, &c->target);
    const uint8_t *from = address(of, &c->first);
    const size_t bytes = region_bytes(of, &c->target);
    const int to_device = of->program->buffer[c->target.buffer].device;
    const int from_device = of->program->buffer[c->first.buffer].device;
    const bool is_peer = is_peer_copy(of->program, c);

    if (c->kind == DO_COPY && is_peer)
        return cudaMemcpyPeer(to, to_device, from, from_device, bytes);
    if (c->kind == DO_COPY)
        return calls_of(c)->copy(to, from, bytes, direction(of, c));
    if (is_peer)
        return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, handle_of(of, c));
    return calls_of(c)->copy_async(to, from, bytes, direction(of, c), stream);
}

/* copy_through: by way of memory that the graph has for that. */
static cudaError_t copy_through(const struct interpreter *of, const struct command *c,
                                cudaStream_t stream)
{
    const size_t bytes = region_bytes(of, &c->target);
    void *scratch = NULL;
    cudaError_t error = cudaMallocAsync(&scratch, bytes, stream);

    if (!error)
        error = cudaMemcpyAsync(scratch, address(of, &c->first), bytes, cudaMemcpyDefault, stream);
    if (!error)
        error = cudaMemcpyAsync(address(of, &c->target), scratch, bytes, cudaMemcpyDefault, stream);
    return error ? error : cudaFreeAsync(scratch, stream);
}

/* copy_rectangle: rows of a unit. */
static cudaError_t copy_rectangle(const struct interpreter *of, const struct command *c,
                                  cudaStream_t stream)
{
    const size_t unit = of->program->unit;
    uint8_t *to = address(of, &c->target);
    const uint8_t *from = address(of, &c->first);

    if (c->kind == DO_COPY_2D)
        return calls_of(c)->copy_2d(to, unit * c->target.step, from, unit * c->first.step, unit,
                                    c->target.count, direction(of, c));
    return calls_of(c)->copy_2d_async(to, unit * c->target.step, from, unit * c->first.step, unit,
                                      c->target.count, direction(of, c), stream);
}

/* box_extent: rows of two-dimensional arrays, slices of others; memory alone has perhaps two rows in each. */
static struct cudaExtent box_extent(const struct interpreter *of, const struct command *c)
{
    const size_t unit = of->program->unit;
    const size_t count = c->target.count;
    const enum memory from = memory_of(of, &c->first);
    const enum memory to = memory_of(of, &c->target);

    if (from == MEMORY_ARRAY || to == MEMORY_ARRAY)
        return (struct cudaExtent){unit, count, 1};
    if (c->spelling & SPELL_OTHER && count % 2 == 0 && !is_array(from) && !is_array(to))
        return (struct cudaExtent){unit, 2, count / 2};
    return (struct cudaExtent){unit, 1, count};
}

/* box_memory: the region as a box of that extent. */
static struct cudaPitchedPtr box_memory(const struct interpreter *of, const struct region *region,
                                        const struct cudaExtent *extent)
{
    const size_t unit = of->program->unit;
    void *memory = address(of, region);

    if (extent->height == 1 && extent->depth > 1)
        return (struct cudaPitchedPtr){memory, unit, unit, region->step};
    return (struct cudaPitchedPtr){memory, unit * region->step, unit, extent->height};
}

static struct cudaPos box_position(const struct interpreter *of, const struct region *region)
{
    if (memory_of(of, region) == MEMORY_ARRAY)
        return (struct cudaPos){0, region->first, 0};
    return (struct cudaPos){0, 0, region->first};
}

static cudaError_t copy_box(const struct interpreter *of, const struct command *c,
                            cudaStream_t stream)
{
    struct cudaMemcpy3DParms box = {.extent = box_extent(of, c), .kind = direction(of, c)};

    if (is_array(memory_of(of, &c->first))) {
        box.srcArray = of->array[c->first.buffer];
        box.srcPos = box_position(of, &c->first);
    } else {
        box.srcPtr = box_memory(of, &c->first, &box.extent);
    }
    if (is_array(memory_of(of, &c->target))) {
        box.dstArray = of->array[c->target.buffer];
        box.dstPos = box_position(of, &c->target);
    } else {
        box.dstPtr = box_memory(of, &c->target, &box.extent);
    }
    return c->kind == DO_COPY_3D || c->kind == DO_COPY_ARRAY
               ? calls_of(c)->copy_3d(&box)
               : calls_of(c)->copy_3d_async(&box, stream);
}

/* copy_array: to or from one, or between two, for which there is no call with a stream but that of boxes. */
static cudaError_t copy_array(const struct interpreter *of, const struct command *c,
                              cudaStream_t stream)
{
    const struct calls *calls = calls_of(c);
    const size_t unit = of->program->unit;
    const size_t rows = c->target.count;
    const cudaArray_t to = of->array[c->target.buffer];
    const cudaArray_t from = of->array[c->first.buffer];
    const enum cudaMemcpyKind kind = direction(of, c);

    if (to && from && c->kind == DO_COPY_ARRAY)
        return calls->array_to_array(to, 0, c->target.first, from, 0, c->first.first, unit, rows,
                                     cudaMemcpyDeviceToDevice);
    if (to && from)
        return copy_box(of, c, stream);
    if (c->kind == DO_COPY_ARRAY)
        return to ? calls->to_array(to, 0, c->target.first, address(of, &c->first), unit, unit,
                                    rows, kind)
                  : calls->from_array(address(of, &c->target), unit, from, 0, c->first.first, unit,
                                      rows, kind);
    return to ? calls->to_array_async(to, 0, c->target.first, address(of, &c->first), unit, unit,
                                      rows, kind, stream)
              : calls->from_array_async(address(of, &c->target), unit, from, 0, c->first.first,
                                        unit, rows, kind, stream);
}

/* copy_symbol: to or from the variable by its name. */
static cudaError_t copy_symbol(const struct interpreter *of, const struct command *c,
                               cudaStream_t stream)
{
    const struct calls *calls = calls_of(c);
    const bool is_target = memory_of(of, &c->target) == MEMORY_SYMBOL;
    const size_t bytes = region_bytes(of, &c->target);
    const size_t offset =
        (size_t)of->program->unit * (is_target ? c->target.first : c->first.first);
    void *to = address(of, &c->target);
    const void *from = address(of, &c->first);
    const enum cudaMemcpyKind kind = direction(of, c);

    if (c->kind == DO_COPY_SYMBOL)
        return is_target ? calls->to_symbol(order_store, from, bytes, offset, kind)
                         : calls->from_symbol(to, order_store, bytes, offset, kind);
    return is_target ? calls->to_symbol_async(order_store, from, bytes, offset, kind, stream)
                     : calls->from_symbol_async(to, order_store, bytes, offset, kind, stream);
}

/* source_order: of batches. */
static enum cudaMemcpySrcAccessOrder source_order(const struct command *c)
{
    return c->spelling & SPELL_ANY     ? cudaMemcpySrcAccessOrderAny
           : c->spelling & SPELL_EARLY ? cudaMemcpySrcAccessOrderDuringApiCall
                                       : cudaMemcpySrcAccessOrderStream;
}

/* copy_batch: a copy for each unit. */
static cudaError_t copy_batch(const struct interpreter *of, const struct command *c,
                              cudaStream_t stream)
{
    const size_t unit = of->program->unit;
    struct cudaMemcpyAttributes attributes = {.srcAccessOrder = source_order(c)};
    void *to[MOST_UNITS];
    const void *from[MOST_UNITS];
    size_t sizes[MOST_UNITS], first = 0;

    for (size_t i = 0; i < c->target.count; i++) {
        to[i] = address(of, &c->target) + i * c->target.step * unit;
        from[i] = address(of, &c->first) + i * c->first.step * unit;
        sizes[i] = unit;
    }
    return calls_of(c)->copy_batch(to, from, sizes, c->target.count, &attributes, &first, 1,
                                   stream);
}

/* operand: the i-th unit of a region. */
static struct cudaMemcpy3DOperand operand(const struct interpreter *of, const struct region *region,
                                          size_t i)
{
    const enum memory memory = memory_of(of, region);
    const size_t at = region->first + i * region->step;
    struct cudaMemcpy3DOperand made = {.type = is_array(memory) ? cudaMemcpyOperandTypeArray
                                                                : cudaMemcpyOperandTypePointer};

    if (!is_array(memory)) {
        made.op.ptr.ptr = of->buffer[region->buffer] + at * of->program->unit;
        return made;
    }
    made.op.array.array = of->array[region->buffer];
    made.op.array.offset.y = memory == MEMORY_ARRAY ? at : 0;
    made.op.array.offset.z = memory == MEMORY_ARRAY ? 0 : at;
    return made;
}

/* copy_boxes: one for each unit. */
static cudaError_t copy_boxes(const struct interpreter *of, const struct command *c,
                              cudaStream_t stream)
{
    struct cudaMemcpy3DBatchOp boxes[MOST_UNITS];

    for (size_t i = 0; i < c->target.count; i++)
        boxes[i] = (struct cudaMemcpy3DBatchOp){
            .src = operand(of, &c->first, i),
            .dst = operand(of, &c->target, i),
            .extent = {of->program->unit, 1, 1},
            .srcAccessOrder = source_order(c),
        };
    return calls_of(c)->copy_boxes(c->target.count, boxes, 0, stream);
}

/* fill_rectangle: a unit is a row, or a slice. */
static cudaError_t fill_rectangle(const struct interpreter *of, const struct command *c,
                                  cudaStream_t stream)
{
    const struct calls *calls = calls_of(c);
    const size_t unit = of->program->unit;
    const struct cudaExtent slices = {unit, 1, c->target.count};
    const struct cudaExtent rows = {unit, c->target.count, 1};

    if (c->spelling & SPELL_OTHER) {
        const struct cudaPitchedPtr box = box_memory(of, &c->target, &slices);
        return c->kind == DO_SET_2D ? calls->set_3d(box, c->term, slices)
                                    : calls->set_3d_async(box, c->term, slices, stream);
    }
    const struct cudaPitchedPtr rectangle = box_memory(of, &c->target, &rows);
    return c->kind == DO_SET_2D
               ? calls->set_2d(rectangle.ptr, rectangle.pitch, c->term, unit, rows.height)
               : calls->set_2d_async(rectangle.ptr, rectangle.pitch, c->term, unit, rows.height,
                                     stream);
}

/* Managed memory and pools. */

static cudaError_t prefetch(const struct interpreter *of, const struct command *c,
                            cudaStream_t stream)
{
    const struct cudaMemLocation location = {
        .type = c->term & 1 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
        .id = c->term & 1 ? 0 : c->device,
    };
    return calls_of(c)->prefetch(address(of, &c->first), region_bytes(of, &c->first), location, 0,
                                 stream);
}

static cudaError_t advise(const struct interpreter *of, const struct command *c)
{
    static const enum cudaMemoryAdvise advices[] = {
        cudaMemAdviseSetReadMostly,          cudaMemAdviseUnsetReadMostly,
        cudaMemAdviseSetPreferredLocation,   cudaMemAdviseSetAccessedBy,
        cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseUnsetAccessedBy,
    };
    const struct cudaMemLocation location = {
        .type = c->factor & 2 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
        .id = c->factor & 2 ? 0 : c->device,
    };
    return cudaMemAdvise(address(of, &c->first), region_bytes(of, &c->first),
                         advices[c->term % (sizeof advices / sizeof advices[0])], location);
}

static cudaError_t attach(const struct interpreter *of, const struct command *c,
                          cudaStream_t stream)
{
    static const unsigned flags[] = {[ATTACH_GLOBAL] = cudaMemAttachGlobal,
                                     [ATTACH_HOST] = cudaMemAttachHost,
                                     [ATTACH_SINGLE] = cudaMemAttachSingle};
    return calls_of(c)->attach(stream, address(of, &c->target), 0, flags[c->term]);
}

static cudaError_t allocate_in_order(struct interpreter *of, const struct command *c,
                                     cudaStream_t stream)
{
    void *memory = NULL;
    const cudaError_t error =
        calls_of(c)->malloc_async(&memory, region_bytes(of, &c->target), stream);
    of->buffer[c->target.buffer] = of->on_device[c->target.buffer] = memory;
    return error;
}

static cudaError_t free_in_order(struct interpreter *of, const struct command *c,
                                 cudaStream_t stream)
{
    const cudaError_t error = calls_of(c)->free_async(of->buffer[c->target.buffer], stream);
    of->buffer[c->target.buffer] = NULL;
    return error;
}

/* take_breath: now and then who polls lets others have the runtime's locks. */
static void take_breath(unsigned *rounds)
{
    if (++*rounds % 64 == 0)
        pause_us(20);
    else
        sched_yield();
}

static cudaError_t poll_stream(const struct interpreter *of, const struct calls *calls,
                               cudaStream_t stream)
{
    cudaError_t error;
    unsigned rounds = 0;
    while ((error = calls->query(stream)) == cudaErrorNotReady && !of->outcome->is_wrong)
        take_breath(&rounds);
    return error;
}

static cudaError_t poll_event(const struct interpreter *of, cudaEvent_t event)
{
    cudaError_t error;
    unsigned rounds = 0;
    while ((error = cudaEventQuery(event)) == cudaErrorNotReady && !of->outcome->is_wrong)
        take_breath(&rounds);
    return error;
}

static void query(struct interpreter *of, int index)
{
    const struct command *c = &of->program->command[index];
    const cudaError_t error = calls_of(c)->query(stream_of(of, c));
    if (error != cudaSuccess && error != cudaErrorNotReady)
        fail(of, index, "cudaStreamQuery: %s", cudaGetErrorName(error));
    else if (error ? of->must_be_done[index] : of->must_be_pending[index])
        fail(of, index, "cudaStreamQuery: %s though its work is known%s to be done",
             cudaGetErrorName(error), error ? "" : " not");
}

static cudaError_t destroy_stream(struct interpreter *of, const struct command *c)
{
    const cudaStream_t stream = of->stream[c->stream];
    of->stream[c->stream] = NULL;
    kept_forget(stream);
    return cudaStreamDestroy(stream);
}

static cudaError_t destroy_event(struct interpreter *of, const struct command *c)
{
    const cudaEvent_t event = of->event[c->event];
    of->event[c->event] = NULL;
    kept_forget(event);
    return cudaEventDestroy(event);
}

void run_command(struct thread *thread, int index)
{
    struct interpreter *of = thread->of;
    const struct command *c = &of->program->command[index];
    const cudaStream_t stream = thread->capture ? thread->capture : stream_of(of, c);
    const uint8_t term = (uint8_t)(c->term + thread->is_decoy);
    const cudaEvent_t event = of->event[c->event];
    const struct calls *calls = calls_of(c);

    switch ((enum kind)c->kind) {
    case DO_KERNEL:
        CALL(of, index,
             launch(calls, kernel_address(of, &c->target), kernel_address(of, &c->first),
                    kernel_address(of, &c->second), (uint32_t)region_bytes(of, &c->target),
                    c->factor, term, (uint32_t)(c->delay * device_code.spins_per_us), stream,
                    c->spelling & SPELL_COOPERATIVE));
        break;
    case DO_HOST_FUNCTION:
    case DO_CALLBACK:
    case DO_PAUSE:
    case DO_GATE:
        CALL(of, index, call_back(of, index, stream));
        break;
    case DO_COPY_ASYNC:
    case DO_COPY:
        CALL(of, index,
             thread->capture && c->how & GRAPH_SCRATCH ? copy_through(of, c, stream)
                                                       : copy(of, c, stream));
        break;
    case DO_COPY_3D_ASYNC:
    case DO_COPY_3D:
        CALL(of, index, copy_box(of, c, stream));
        break;
    case DO_COPY_2D_ASYNC:
    case DO_COPY_2D:
        CALL(of, index, copy_rectangle(of, c, stream));
        break;
    case DO_COPY_ARRAY_ASYNC:
    case DO_COPY_ARRAY:
        CALL(of, index, copy_array(of, c, stream));
        break;
    case DO_COPY_SYMBOL_ASYNC:
    case DO_COPY_SYMBOL:
        CALL(of, index, copy_symbol(of, c, stream));
        break;
    case DO_COPY_BATCH:
        CALL(of, index, copy_batch(of, c, stream));
        break;
    case DO_COPY_BOXES:
        CALL(of, index, copy_boxes(of, c, stream));
        break;
    case DO_PREFETCH:
        CALL(of, index, prefetch(of, c, stream));
        break;
    case DO_ATTACH:
        CALL(of, index, attach(of, c, stream));
        break;
    case DO_MALLOC_ASYNC:
        CALL(of, index, allocate_in_order(of, c, stream));
        break;
    case DO_FREE_ASYNC:
        CALL(of, index, free_in_order(of, c, stream));
        break;
    case DO_SET_ASYNC:
        CALL(of, index,
             calls->set_async(address(of, &c->target), term, region_bytes(of, &c->target), stream));
        break;
    case DO_SET:
        CALL(of, index, calls->set(address(of, &c->target), c->term, region_bytes(of, &c->target)));
        break;
    case DO_SET_2D_ASYNC:
    case DO_SET_2D:
        CALL(of, index, fill_rectangle(of, c, stream));
        break;
    case DO_ADVISE:
        CALL(of, index, advise(of, c));
        break;
    case DO_MALLOC:
        allocate_buffer(of, index, c->target.buffer);
        break;
    case DO_FREE:
        free_buffer(of, index, c->target.buffer);
        break;
    case DO_RECORD:
        CALL(of, index,
             c->spelling & SPELL_OTHER ? calls->record_with_flags(event, stream, 0)
                                       : calls->record(event, stream));
        if (c->spelling & SPELL_VALUE)
            CALL(of, index, write_value(of, index, handle_of(of, c)));
        break;
    case DO_WAIT:
        CALL(of, index,
             of->value[index] >= 0 ? wait_value(of, index, handle_of(of, c))
                                   : calls->wait(stream, event, 0));
        break;
    case DO_STREAM_SYNCHRONIZE:
        CALL(of, index, calls->synchronize(stream));
        break;
    case DO_STREAM_POLL:
        CALL(of, index, poll_stream(of, calls, stream));
        break;
    case DO_STREAM_QUERY:
        query(of, index);
        break;
    case DO_EVENT_SYNCHRONIZE:
        CALL(of, index, cudaEventSynchronize(event));
        break;
    case DO_EVENT_POLL:
        CALL(of, index, poll_event(of, event));
        break;
    case DO_DEVICE_SYNCHRONIZE:
        pthread_rwlock_wrlock(&of->captures);
        CALL(of, index, cudaDeviceSynchronize());
        pthread_rwlock_unlock(&of->captures);
        break;
    case DO_OPEN:
        open_gates(of, index);
        break;
    case DO_STREAM_DESTROY:
        CALL(of, index, destroy_stream(of, c));
        break;
    case DO_STREAM_CREATE:
        create_stream(of, index, c->stream);
        break;
    case DO_EVENT_DESTROY:
        CALL(of, index, destroy_event(of, c));
        break;
    case DO_EVENT_CREATE:
        create_event(of, index, c->event);
        break;
    case DO_HOST_WRITE:
        transform(of, c);
        break;
    case DO_CHECK:
        check(thread, index);
        break;
    case KINDS:
        break;
    }
}
