/* What CUDA's device runtime does where kernels launch kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "launches.h"

/* The structure of a .param variable. */
#define clem_launch_dim3(s) (s).v[0], (s).v[1], (s).v[2]

/* ---- Errors ---- */

static inline volatile __global uint *clem_launch_words(__global struct clem_launches *launches,
                                                        uint offset)
{
    return (volatile __global uint *)((__global uchar *)launches + offset);
}

/* The number of a thread as a word, which is neither CLEM_LAUNCH_NOBODY nor CLEM_LAUNCH_NOT_NOW: of grids of four million blocks
 * and more, two threads share one. */
static inline uint clem_launch_thread(ulong2 at)
{
    const uint thread = (uint)at.s0 + 1u;
    return thread == CLEM_LAUNCH_NOBODY || thread == CLEM_LAUNCH_NOT_NOW ? 1u : thread;
}

static inline volatile __global struct clem_launch_error *
clem_launch_place(__global struct clem_launches *launches, uint thread, uint step)
{
    volatile __global struct clem_launch_error *places =
        (volatile __global struct clem_launch_error *)clem_launch_words(launches,
                                                                        launches->errors_at);
    return places + (thread * 2654435761u / 524288u + step) % launches->errors;
}

/* Where the thread's error is, or 0: only the thread itself puts it there and takes it away. */
static inline volatile __global struct clem_launch_error *
clem_launch_find_error(__global struct clem_launches *launches, ulong2 at)
{
    const uint thread = clem_launch_thread(at);
    if (!launches || *(volatile __global uint *)&launches->failures == 0u)
        return 0;
    for (uint i = 0; i < CLEM_LAUNCH_PROBES; i++) {
        volatile __global struct clem_launch_error *place =
            clem_launch_place(launches, thread, i);
        if (place->thread == thread)
            return place;
        if (place->thread == CLEM_LAUNCH_NOBODY)
            return 0;
    }
    return 0;
}

static inline volatile __global struct clem_launch_error *
clem_launch_take_place(__global struct clem_launches *launches, ulong2 at)
{
    const uint thread = clem_launch_thread(at);
    for (uint i = 0; i < CLEM_LAUNCH_PROBES; i++) {
        volatile __global struct clem_launch_error *place =
            clem_launch_place(launches, thread, i);
        const uint owner = place->thread;
        if ((owner == CLEM_LAUNCH_NOBODY || owner == CLEM_LAUNCH_NOT_NOW) &&
            atomic_cmpxchg(&place->thread, owner, thread) == owner)
            return place;
    }
    return 0;
}

static inline uint clem_launch_fail(__global struct clem_launches *launches, ulong2 at, uint error)
{
    if (!launches || error == CLEM_LAUNCH_OK)
        return error;
    volatile __global struct clem_launch_error *place = clem_launch_find_error(launches, at);
    if (!place)
        place = clem_launch_take_place(launches, at);
    if (place)
        place->error = error;
    *(volatile __global uint *)&launches->failures = 1u;
    return error;
}

static inline uint clem_launch_peek_error(__global struct clem_launches *launches, ulong2 at)
{
    volatile __global struct clem_launch_error *place = clem_launch_find_error(launches, at);
    return place ? place->error : CLEM_LAUNCH_OK;
}

static inline uint clem_launch_last_error(__global struct clem_launches *launches, ulong2 at)
{
    volatile __global struct clem_launch_error *place = clem_launch_find_error(launches, at);
    const uint error = place ? place->error : CLEM_LAUNCH_OK;
    if (place)
        place->thread = CLEM_LAUNCH_NOT_NOW;
    return error;
}

/* The last row is of what no other row is of. */
static inline __global struct clem_launch_word *
clem_launch_word_of(__global struct clem_launches *launches, uint error)
{
    __global struct clem_launch_word *row =
        (__global struct clem_launch_word *)((__global uchar *)launches + launches->words_at);
    uint i = 0;
    while (i + 1u < launches->words && row[i].error != error)
        i++;
    return &row[i];
}

static inline ulong clem_launch_error_name(__global struct clem_launches *launches, uint error,
                                           ulong2 at)
{
    return launches ? (ulong)&clem_launch_word_of(launches, error)->name[0] : 0ul;
}

static inline ulong clem_launch_error_text(__global struct clem_launches *launches, uint error,
                                           ulong2 at)
{
    return launches ? (ulong)&clem_launch_word_of(launches, error)->text[0] : 0ul;
}

/* ---- Records ---- */

/* A record with room for so many bytes of parameters, or 0. */
static inline __global struct clem_launch_record *
clem_launch_reserve(__global struct clem_launches *launches, ulong parameters)
{
    const ulong size = sizeof(struct clem_launch_record) + parameters;
    const ulong bytes = (size + CLEM_LAUNCH_ALIGNMENT - 1u) & ~(ulong)(CLEM_LAUNCH_ALIGNMENT - 1u);
    volatile __global uint *reserved = &launches->reserved;
    if (bytes > launches->largest || *reserved >= launches->most ||
        atomic_inc(reserved) >= launches->most)
        return 0;
    const uint start = atomic_add((volatile __global uint *)&launches->used, (uint)bytes);
    __global struct clem_launch_record *record =
        (__global struct clem_launch_record *)((__global uchar *)launches + launches->records_at +
                                               start);
    record->bytes = (uint)bytes;
    record->order = 0u;
    return record;
}

static inline bool clem_launch_has_shape(uint3 grid, uint3 block)
{
    return grid.x != 0u && grid.y != 0u && grid.z != 0u && grid.y <= 65535u && grid.z <= 65535u &&
           grid.x <= 0x7fffffffu && block.x != 0u && block.y != 0u && block.z != 0u &&
           block.x <= CLEM_LAUNCH_THREADS && block.y <= CLEM_LAUNCH_THREADS && block.z <= 64u &&
           block.x * block.y * block.z <= CLEM_LAUNCH_THREADS;
}

static inline uint clem_launch_bytes(__global struct clem_launches *launches, ulong function)
{
    return function >= launches->functions
               ? 0u
               : clem_launch_words(launches, launches->functions_at)[function];
}

static inline uint clem_launch_refusal(__global struct clem_launches *launches, ulong function,
                                       uint3 grid, uint3 block, uint shared)
{
    if (clem_launch_bytes(launches, function) == 0u)
        return CLEM_LAUNCH_FUNCTION;
    if (!clem_launch_has_shape(grid, block))
        return CLEM_LAUNCH_CONFIGURATION;
    return shared > CLEM_LAUNCH_SHARED ? CLEM_LAUNCH_CONFIGURATION : CLEM_LAUNCH_OK;
}

static inline void clem_launch_describe(__global struct clem_launch_record *record, uint function,
                                        uint3 grid, uint3 block, uint shared)
{
    record->function = function;
    record->grid[0] = grid.x;
    record->grid[1] = grid.y;
    record->grid[2] = grid.z;
    record->block[0] = block.x;
    record->block[1] = block.y;
    record->block[2] = block.z;
    record->shared = shared;
}

static inline ulong clem_launch_room(__global struct clem_launches *launches, ulong function,
                                     uint grid_x, uint grid_y, uint grid_z, uint block_x,
                                     uint block_y, uint block_z, uint shared, ulong2 at)
{
    const uint3 grid = (uint3)(grid_x, grid_y, grid_z), block = (uint3)(block_x, block_y, block_z);
    if (!launches)
        return 0ul;
    const uint error = clem_launch_refusal(launches, function, grid, block, shared);
    __global struct clem_launch_record *record =
        error == CLEM_LAUNCH_OK
            ? clem_launch_reserve(launches, clem_launch_bytes(launches, function) - 1u)
            : 0;
    if (!record) {
        clem_launch_fail(launches, at, error != CLEM_LAUNCH_OK ? error : CLEM_LAUNCH_PENDING);
        return 0ul;
    }
    clem_launch_describe(record, (uint)function, grid, block, shared);
    return (ulong)(record + 1);
}

static inline uint clem_launch_stream_error(__global struct clem_launches *launches, ulong stream)
{
    const ulong made = *(volatile __global uint *)&launches->handles;
    if (stream <= CLEM_LAUNCH_FORGET ||
        (stream >= CLEM_LAUNCH_MADE && stream - CLEM_LAUNCH_MADE < made))
        return CLEM_LAUNCH_OK;
    return CLEM_LAUNCH_HANDLE;
}

/* From now on the record is a launch. What follows in its stream at the end of the grid is as deep as the grid. */
static inline uint clem_launch_put(__global struct clem_launches *launches,
                                   __global struct clem_launch_record *record, ulong stream,
                                   ulong2 at)
{
    uint error = clem_launch_stream_error(launches, stream) == CLEM_LAUNCH_OK ? CLEM_LAUNCH_OK
                                                                              : CLEM_LAUNCH_VALUE;
    if (error == CLEM_LAUNCH_OK && launches->depth >= CLEM_LAUNCH_DEEPEST &&
        stream != CLEM_LAUNCH_TAIL)
        error = CLEM_LAUNCH_DEPTH;
    if (error != CLEM_LAUNCH_OK)
        return clem_launch_fail(launches, at, error);
    record->stream = stream;
    record->block_number = at.s1;
    clem_fence_global();
    record->order = atomic_inc((volatile __global uint *)&launches->begun) + 1u;
    return CLEM_LAUNCH_OK;
}

static inline uint clem_launch_begin(__global struct clem_launches *launches, ulong parameters,
                                     ulong stream, ulong2 at)
{
    if (!launches)
        return CLEM_LAUNCH_OK;
    if (parameters == 0ul)
        return clem_launch_fail(launches, at, CLEM_LAUNCH_VALUE);
    return clem_launch_put(launches, (__global struct clem_launch_record *)parameters - 1, stream,
                           at);
}

/* By the older pair of calls, of which the first knows how many bytes there are and the second all the rest. */
static inline ulong clem_launch_room_of(__global struct clem_launches *launches, ulong alignment,
                                        ulong bytes, ulong2 at)
{
    if (!launches)
        return 0ul;
    __global struct clem_launch_record *record =
        alignment <= CLEM_LAUNCH_ALIGNMENT ? clem_launch_reserve(launches, bytes) : 0;
    if (record)
        return (ulong)(record + 1);
    clem_launch_fail(launches, at,
                     alignment <= CLEM_LAUNCH_ALIGNMENT ? CLEM_LAUNCH_PENDING : CLEM_LAUNCH_VALUE);
    return 0ul;
}

static inline uint clem_launch_begin_of(__global struct clem_launches *launches, ulong function,
                                        ulong parameters, uint grid_x, uint grid_y, uint grid_z,
                                        uint block_x, uint block_y, uint block_z, uint shared,
                                        ulong stream, ulong2 at)
{
    const uint3 grid = (uint3)(grid_x, grid_y, grid_z), block = (uint3)(block_x, block_y, block_z);
    if (!launches)
        return CLEM_LAUNCH_OK;
    uint error = clem_launch_refusal(launches, function, grid, block, shared);
    if (error == CLEM_LAUNCH_OK && parameters == 0ul)
        parameters = clem_launch_room_of(launches, 1ul, 0ul, at);
    __global struct clem_launch_record *record =
        (__global struct clem_launch_record *)parameters - 1;
    if (error == CLEM_LAUNCH_OK && parameters == 0ul)
        error = CLEM_LAUNCH_PENDING;
    else if (error == CLEM_LAUNCH_OK &&
             record->bytes - sizeof *record < clem_launch_bytes(launches, function) - 1u)
        error = CLEM_LAUNCH_VALUE;
    if (error != CLEM_LAUNCH_OK)
        return clem_launch_fail(launches, at, error);
    clem_launch_describe(record, (uint)function, grid, block, shared);
    return clem_launch_put(launches, record, stream, at);
}

/* ---- Copies and fills ---- */

/* Memory of the block or the thread is no more when the copy is made. */
static inline bool clem_launch_stays(ulong address)
{
    return !clem_is_shared(address) && !clem_is_local(address);
}

static inline uint clem_launch_move(__global struct clem_launches *launches, uint what, ulong target,
                                    ulong second, ulong bytes, ulong stream, ulong2 at)
{
    if (!launches || bytes == 0ul)
        return CLEM_LAUNCH_OK;
    if (!clem_launch_stays(target) || (what == CLEM_LAUNCH_COPY && !clem_launch_stays(second)))
        return clem_launch_fail(launches, at, CLEM_LAUNCH_VALUE);
    __global struct clem_launch_record *record =
        clem_launch_reserve(launches, 3ul * sizeof(ulong));
    if (!record)
        return clem_launch_fail(launches, at, CLEM_LAUNCH_PENDING);
    __global ulong *parameters = (__global ulong *)(record + 1);
    parameters[0] = target;
    parameters[1] = second;
    parameters[2] = bytes;
    clem_launch_describe(record, what, (uint3)(0u), (uint3)(0u), 0u);
    return clem_launch_put(launches, record, stream, at);
}

static inline uint clem_launch_copy(__global struct clem_launches *launches, ulong target,
                                    ulong source, ulong bytes, uint kind, ulong stream, ulong2 at)
{
    return clem_launch_move(launches, CLEM_LAUNCH_COPY, target, source, bytes, stream, at);
}

static inline uint clem_launch_fill(__global struct clem_launches *launches, ulong target,
                                    uint value, ulong bytes, ulong stream, ulong2 at)
{
    return clem_launch_move(launches, CLEM_LAUNCH_FILL, target, value & 255u, bytes, stream, at);
}

/* ---- Streams and events: launches begin in the order in which they are made ---- */

static inline uint clem_launch_make(__global struct clem_launches *launches, ulong to, bool is_right,
                                    ulong2 at, __local uchar *shared, CLEM_LOCAL uchar *stack)
{
    if (!launches)
        return CLEM_LAUNCH_OK;
    if (!is_right || to == 0ul)
        return clem_launch_fail(launches, at, CLEM_LAUNCH_VALUE);
    const ulong handle =
        CLEM_LAUNCH_MADE + atomic_inc((volatile __global uint *)&launches->handles);
    clem_generic_store(, clem_u64_a, to, shared, stack, handle);
    return CLEM_LAUNCH_OK;
}

/* 1: cudaStreamNonBlocking, which CUDA's documentation asks for, and its runtime does not. */
static inline uint clem_launch_make_stream(__global struct clem_launches *launches, ulong to,
                                           uint flags, ulong2 at, __local uchar *shared,
                                           CLEM_LOCAL uchar *stack)
{
    return clem_launch_make(launches, to, flags <= 1u, at, shared, stack);
}

/* 2: cudaEventDisableTiming, which events of kernels must be made with. */
static inline uint clem_launch_make_event(__global struct clem_launches *launches, ulong to,
                                          uint flags, ulong2 at, __local uchar *shared,
                                          CLEM_LOCAL uchar *stack)
{
    return clem_launch_make(launches, to, flags == 2u, at, shared, stack);
}

static inline uint clem_launch_check_made(__global struct clem_launches *launches, ulong handle,
                                          ulong2 at)
{
    if (!launches)
        return CLEM_LAUNCH_OK;
    return clem_launch_fail(launches, at,
                            handle < CLEM_LAUNCH_MADE
                                ? CLEM_LAUNCH_HANDLE
                                : clem_launch_stream_error(launches, handle));
}

static inline uint clem_launch_record_event(__global struct clem_launches *launches, ulong event,
                                            ulong stream, ulong2 at)
{
    const uint error = clem_launch_check_made(launches, event, at);
    if (!launches || error != CLEM_LAUNCH_OK)
        return error;
    return clem_launch_fail(launches, at, clem_launch_stream_error(launches, stream));
}

static inline uint clem_launch_wait_event(__global struct clem_launches *launches, ulong stream,
                                          ulong event, uint flags, ulong2 at)
{
    return clem_launch_record_event(launches, event, stream, at);
}

/* ---- Questions ---- */

static inline uint clem_launch_device(__global struct clem_launches *launches, ulong to, ulong2 at,
                                      __local uchar *shared, CLEM_LOCAL uchar *stack)
{
    if (!launches)
        return CLEM_LAUNCH_OK;
    if (to == 0ul)
        return clem_launch_fail(launches, at, CLEM_LAUNCH_VALUE);
    clem_generic_store(, clem_u32_a, to, shared, stack, launches->device);
    return CLEM_LAUNCH_OK;
}

/* ---- The heap ---- */

static inline uint clem_launch_give(__global struct clem_launches *launches, ulong to, ulong made,
                                    ulong2 at, __local uchar *shared, CLEM_LOCAL uchar *stack)
{
    clem_generic_store(, clem_u64_a, to, shared, stack, made);
    return clem_launch_fail(launches, at, made == 0ul ? CLEM_LAUNCH_MEMORY : CLEM_LAUNCH_OK);
}

static inline uint clem_launch_malloc(__global struct clem_launches *launches,
                                      __global struct clem_runtime *runtime, ulong to, ulong bytes,
                                      ulong2 at, __local uchar *shared, CLEM_LOCAL uchar *stack)
{
    if (!launches || !runtime)
        return CLEM_LAUNCH_OK;
    if (to == 0ul || bytes == 0ul)
        return clem_launch_fail(launches, at, CLEM_LAUNCH_VALUE);
    return clem_launch_give(launches, to, clem_malloc(runtime, bytes, (uint)at.s0), at, shared,
                            stack);
}

static inline uint clem_launch_free(__global struct clem_launches *launches,
                                    __global struct clem_runtime *runtime, ulong address, ulong2 at)
{
    if (runtime)
        clem_free(runtime, address);
    return CLEM_LAUNCH_OK;
}
