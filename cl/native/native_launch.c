/* Launches of native kernels: PoCL's work-items come here and run blocks of the launch.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "cl/base/deadline.h"
#include "cl/check.h"
#include "cl/check/guard.h"
#include "cl/device/driver_declarations.h"
#include "cl/device/driver_limits.h"
#include "cl/native/native.h"
#include "cl/native/native_private.h"
#include "cl/native/scratch.h"
#include "cl/program/builtin.h"
#include "cl/program/kernel.h"
#include "cl/thread.h"
#include "cl/trace.h"

struct ocl_native_launch {
    struct ocl_piece_of_chain
        piece; /* the first: what a work-item calls, or a chain that one runs */
    struct ocl_native *native;
    struct ocl_scratch_pool *scratch;
    size_t scratch_bytes;
    bool adds_later;       /* PTX_NATIVE_LATER */
    uint32_t joined;       /* each block is so many of the program's, side by side along x */
    uint64_t blocks;       /* of the launch */
    uint64_t portion;      /* of them that a work-item takes at once */
    _Atomic uint64_t next; /* the first block that nobody has taken, where there are no portions */
    _Atomic size_t left;   /* work-items that have not ended */
    const uint32_t *failure;  /* of struct ocl_native_shape */
    _Atomic uint32_t verdict; /* whoever comes first finds out whether blocks run */
    uint32_t
        tapers; /* what a work-item takes is so many'th of what is left, if that is more; 0: it is not */
    struct ocl_parts
        *portions; /* of a launch that is taken from both ends, behind the parameters; or NULL */
    struct ptx_native_launch facts;
    _Alignas(16) unsigned char parameters[];
};

/* ---- What a context has ---- */

static struct ocl_scratch_pool *make_pool(const struct ocl_context *context)
{
    const uint32_t units = context->device->facts.compute_units;
    return ocl_scratch_pool_create(units > 0 ? units : 1);
}

/* Whoever is first makes it; others that come meanwhile throw theirs away. NULL without memory. */
static struct ocl_scratch_pool *pool_of(struct ocl_context *context)
{
    struct ocl_scratch_pool *pool = atomic_load_explicit(&context->scratch, memory_order_acquire);
    if (pool)
        return pool;
    struct ocl_scratch_pool *made = make_pool(context);
    if (!made || atomic_compare_exchange_strong(&context->scratch, &pool, made))
        return made;
    ocl_scratch_pool_release(made);
    return pool;
}

void ocl_native_forget(struct ocl_context *context)
{
    ocl_scratch_pool_release(atomic_exchange(&context->scratch, NULL));
}

/* PoCL 6 ends the process over the call in this program when it compiles it for work-groups of any size. */
static void note_program(const struct ocl_device *device, const struct ocl_program *program)
{
    if (ocl_driver_pocl_major(device) < 4)
        ocl_driver_note_own(device, program->text, program->text_bytes, program->info_options,
                            program->cl);
}

ocl_status ocl_native_program(struct ocl_context *context, cl_program *program)
{
    struct ocl_program *builtin = NULL;
    ocl_status status = ocl_builtin_program(context, "native", &builtin);
    if (status == OCL_OK) {
        note_program(context->device, builtin);
        status = clRetainProgram(builtin->cl);
    }
    *program = status == OCL_OK ? builtin->cl : NULL;
    return status;
}

/* ---- A launch ---- */

static void free_launch(struct ocl_native_launch *launch)
{
    ocl_scratch_pool_let_go(launch->scratch);
    ocl_native_let_go(launch->native);
    ocl_piece_give(launch);
}

/* Blocks that follow each other; none where there are none left. */
struct stretch {
    uint64_t first, count;
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Long stretches first: blocks that read what their neighbours read are mostly one thread's, and yet nobody waits long for whoever
 * comes last. */
static struct stretch take_tapering(struct ocl_native_launch *launch)
{
    uint64_t first = atomic_load_explicit(&launch->next, memory_order_relaxed), count;
    do {
        if (first >= launch->blocks)
            return (struct stretch){first, 0};
        const uint64_t rest = launch->blocks - first, share = rest / launch->tapers;
        count = share > launch->portion ? share - share % launch->portion : launch->portion;
        count = least(rest, count);
    } while (!atomic_compare_exchange_weak_explicit(&launch->next, &first, first + count,
                                                    memory_order_relaxed, memory_order_relaxed));
    return (struct stretch){first, count};
}

static struct stretch take_next(struct ocl_native_launch *launch)
{
    if (launch->tapers > 0)
        return take_tapering(launch);
    const uint64_t first =
        atomic_fetch_add_explicit(&launch->next, launch->portion, memory_order_relaxed);
    const uint64_t rest = first < launch->blocks ? launch->blocks - first : 0;
    return (struct stretch){first, least(rest, launch->portion)};
}

static struct stretch take_portions(struct ocl_native_launch *launch, bool is_waiting)
{
    uint64_t from = 0;
    const uint64_t count = ocl_parts_take(launch->portions, is_waiting, false, &from);
    const uint64_t first = from * launch->portion;
    return (struct stretch){first,
                            count > 0 ? least(launch->blocks - first, count * launch->portion) : 0};
}

static struct stretch take(struct ocl_native_launch *launch, bool is_waiting)
{
    return launch->portions ? take_portions(launch, is_waiting) : take_next(launch);
}

/* Runs blocks, in order, from a stretch on until there are none. Returns how many. */
static uint64_t run_stretches(struct ocl_native_launch *launch, struct stretch stretch,
                              bool is_waiting, void *scratch)
{
    uint64_t done = 0;
    for (; stretch.count > 0; stretch = take(launch, is_waiting)) {
        launch->native->run(&launch->facts, stretch.first, stretch.count, scratch);
        done += stretch.count;
    }
    if (launch->adds_later)
        launch->native->run(&launch->facts, 0, 0, scratch);
    return done;
}

/* Behind a kernel that has failed none does: what it was to check or to make is not there. Once one runs all do. */
static bool runs(struct ocl_native_launch *launch)
{
    enum { UNKNOWN, RUNS, SKIPS };
    uint32_t verdict = atomic_load_explicit(&launch->verdict, memory_order_relaxed);
    if (verdict == UNKNOWN) {
        const bool has_failed = launch->failure && *(const volatile uint32_t *)launch->failure != 0;
        const uint32_t found = has_failed ? SKIPS : RUNS;
        if (atomic_compare_exchange_strong(&launch->verdict, &verdict, found))
            verdict = found;
    }
    return verdict == RUNS;
}

/* A thread may have been kept from its work meanwhile: the shorter of two times counts. What takes next to nothing in all tells
 * how long it takes to begin, which is no block's time. */
static void note_time(struct ocl_native *native, uint64_t nanoseconds, uint64_t blocks)
{
    enum { TELLING_NS = 2000, ALIKE = 8 };
    const uint64_t most = UINT32_MAX, taken = nanoseconds * 1000u / blocks + 1;
    const uint32_t now = (uint32_t)(taken < most ? taken : most);
    const uint32_t last = atomic_load_explicit(&native->last_ps, memory_order_relaxed);
    const uint32_t known = atomic_load_explicit(&native->block_ps, memory_order_relaxed);
    const uint32_t noted = last != 0 && last < now ? last : now;
    if (nanoseconds < TELLING_NS && known != 0 && now > known)
        return;
    const bool is_steady = now > known - known / ALIKE && now < known + known / ALIKE;
    if (is_steady != atomic_load_explicit(&native->is_steady, memory_order_relaxed))
        atomic_store_explicit(&native->is_steady, is_steady, memory_order_relaxed);
    if (is_steady)
        return; /* whoever stores takes the line of all this from the other threads' processors */
    if (last != now)
        atomic_store_explicit(&native->last_ps, now, memory_order_relaxed);
    if (noted != known)
        atomic_store_explicit(&native->block_ps, noted, memory_order_relaxed);
}

/* To look at the clock twice takes as long as a block of little work. */
static bool is_timed(const struct ocl_native_launch *launch, struct ocl_thread *thread)
{
    enum { ONE_OF = 8 };
    return launch->blocks > 1 &&
           (!atomic_load_explicit(&launch->native->is_steady, memory_order_relaxed) ||
            thread->shares++ % ONE_OF == 0);
}

/* Does what nobody else has begun. One of PoCL's threads, or one that waits for the queue (is_waiting). */
static bool share(struct ocl_piece_of_chain *piece, bool is_waiting)
{
    struct ocl_native_launch *launch = (struct ocl_native_launch *)piece;
    const struct stretch first = take(launch, is_waiting);
    if (first.count == 0 || !runs(launch))
        return false;
    struct ocl_scratch scratch = ocl_scratch_take(launch->scratch, launch->scratch_bytes);
    struct ocl_thread *const thread = ocl_thread();
    const void *const outer = thread->native;
    const struct ptx_native_now *const outer_now = thread->native_now;
    const uint64_t begin = is_timed(launch, thread) ? ocl_now() : 0;
    memset(scratch.memory, 0, sizeof(struct ptx_native_now));
    thread->native_now = scratch.memory;
    thread->native = launch;
    const uint64_t done = run_stretches(launch, first, is_waiting, scratch.memory);
    thread->native = outer;
    thread->native_now = outer_now;
    if (begin > 0)
        note_time(launch->native, ocl_now() - begin, done);
    ocl_scratch_give(scratch);
    return true;
}

/* A work-item, or its place in a chain. One of PoCL's threads. */
static void work(struct ocl_piece_of_chain *piece)
{
    struct ocl_native_launch *launch = (struct ocl_native_launch *)piece;
    (void)share(piece, false);
    if (atomic_fetch_sub_explicit(&launch->left, 1, memory_order_acq_rel) == 1)
        free_launch(launch);
}

/* A further work-item comes when a thread of PoCL's has woken, which takes some 20 us. Of two units the other is that of who waits,
 * mostly, and shares the blocks at once: a histogram of 220 us takes 0.8 of the time so. */
static bool is_short(const struct ocl_native *native, uint64_t blocks, uint32_t units)
{
    enum { SHORT_PS = 60000000, SHARED_PS = 300000000 };
    const uint64_t most_ps = units == 2 ? SHARED_PS : SHORT_PS;
    const uint64_t block_ps = atomic_load_explicit(&native->block_ps, memory_order_relaxed);
    return blocks <= most_ps && block_ps > 0 && block_ps * blocks <= most_ps;
}

/* Whether blocks run one at a time: one thread has them all then, since others would only wait for it. */
static bool are_in_order(void)
{
    return ocl_check_wants(OCL_CHECK_RACE | OCL_CHECK_SYNC);
}

size_t ocl_native_items(const struct ocl_context *context, const struct ocl_native *native,
                        uint64_t blocks)
{
    const uint32_t units = context->device->facts.compute_units;
    const bool is_shared = units > 0 && !are_in_order() && !is_short(native, blocks, units);
    const size_t most = is_shared ? units : 1;
    return blocks < most ? (size_t)blocks : most;
}

/* What a launch takes at least that is worth sharing: two threads have to hear of each other for it several times. */
static uint64_t shortest_ps(void)
{
    enum { TIMES = 20, LEAST_PS = 1500000, MOST_PS = 4000000, UNKNOWN_PS = 3000000 };
    const uint64_t wanted = (uint64_t)ocl_chain_hearing_ns() * 1000 * TIMES;
    if (wanted == 0)
        return UNKNOWN_PS;
    return wanted < LEAST_PS ? LEAST_PS : least(wanted, MOST_PS);
}

/* Of a launch that threads share if any wait for it: none waits long for the part that another has begun. */
static uint64_t part_of(const struct ocl_native *native, uint64_t blocks)
{
    enum { PART_PS = 2000000, PARTS = 64, LEAST_PS = 100000 };
    const uint64_t block_ps = atomic_load_explicit(&native->block_ps, memory_order_relaxed);
    const uint64_t all_ps = block_ps * blocks, part_ps = all_ps / PARTS;
    if (all_ps < shortest_ps())
        return blocks;
    return least(part_ps > LEAST_PS ? part_ps : LEAST_PS, PART_PS) / block_ps + 1;
}

/* Small enough that whoever comes last is not waited for long, and large enough that blocks of a few instructions are not
 * outweighed by taking them, and go through memory in long runs. */
static uint64_t portion_of(const struct ocl_native *native, uint64_t blocks, size_t items)
{
    enum { PORTIONS_PER_ITEM = 16, MOST = 64, MOST_OF_SHORT = 2048, LONG_PS = 100000000 };
    const uint64_t block_ps = atomic_load_explicit(&native->block_ps, memory_order_relaxed);
    const uint64_t of_short = block_ps > 0 ? least(LONG_PS / block_ps, MOST_OF_SHORT) : 0;
    if (are_in_order())
        return blocks;
    if (items == 1)
        return part_of(native, blocks);
    const uint64_t portion =
        least(blocks / (items * PORTIONS_PER_ITEM), of_short > MOST ? of_short : MOST);
    return portion < 1 ? 1 : portion;
}

/* Rows of blocks go through memory in its order (sweeps): so whole ones, or equal parts of one. */
static uint64_t in_rows(uint64_t portion, uint64_t row)
{
    if (row == 0)
        return portion;
    if (portion >= row)
        return portion - portion % row;
    const uint64_t parts = (row + portion - 1) / portion;
    return (row + parts - 1) / parts;
}

static size_t rounded(size_t bytes)
{
    const size_t alignment = _Alignof(struct ocl_parts);
    return (bytes + alignment - 1) / alignment * alignment;
}

/* Room for portions behind so many bytes of a launch: few launches have them, and what no thread writes does not have to go from one
 * processor's caches to the other's. */
static size_t with_portions(size_t bytes)
{
    return rounded(bytes) + sizeof(struct ocl_parts);
}

static void begin_portions(struct ocl_native_launch *launch, size_t bytes)
{
    launch->portions = (struct ocl_parts *)((unsigned char *)launch + rounded(bytes));
    ocl_parts_begin(launch->portions, (launch->blocks + launch->portion - 1) / launch->portion);
}

ocl_status ocl_native_begin(struct ocl_context *context, struct ocl_native *native,
                            const struct ocl_native_shape *shape, struct ocl_native_launch **launch)
{
    struct ocl_scratch_pool *pool = pool_of(context);
    const size_t bytes = sizeof **launch + shape->parameter_bytes + 1;
    struct ocl_native_launch *made = pool ? ocl_piece_take(with_portions(bytes)) : NULL;
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    memset(made, 0, bytes);
    made->piece.run = work;
    ocl_holders_take(&native->holders);
    made->native = native;
    ocl_scratch_pool_hold(pool);
    made->scratch = pool;
    made->blocks = shape->blocks;
    made->joined = shape->joined > 0 ? shape->joined : 1;
    made->portion = shape->takes_turns
                        ? 1
                        : in_rows(portion_of(native, shape->blocks, shape->items), shape->row);
    if (shape->is_vast && !shape->takes_turns)
        made->tapers = 2 * (uint32_t)shape->items;
    if (made->portion < made->blocks)
        made->piece.share = share;
    if (made->piece.share && shape->items == 1 && !shape->takes_turns)
        begin_portions(made, bytes);
    atomic_init(&made->next, 0);
    made->facts.block_count = shape->blocks;
    made->facts.is_apart = ocl_guard_is_on(); /* a crash tells which block it was */
    made->facts.begun = made->portions ? 0 : (uint64_t)(uintptr_t)&made->next;
    atomic_init(&made->left, shape->items);
    atomic_init(&made->verdict, 0);
    made->failure = shape->failure;
    made->facts.parameters = (uint64_t)(uintptr_t)made->parameters;
    *launch = made;
    return OCL_OK;
}

struct ptx_native_launch *ocl_native_facts(struct ocl_native_launch *launch)
{
    return &launch->facts;
}

struct ocl_piece_of_chain *ocl_native_piece(struct ocl_native_launch *launch)
{
    return &launch->piece;
}

ocl_status ocl_native_reserve(struct ocl_native_launch *launch)
{
    const uint64_t asked = launch->native->scratch(&launch->facts),
                   wanted = asked & ~PTX_NATIVE_LATER, head = sizeof(struct ptx_native_now),
                   bytes = wanted > head ? wanted : head;
    launch->adds_later = asked != wanted;
    if (bytes > SIZE_MAX / 2 || !ocl_scratch_reserve(launch->scratch, (size_t)bytes)) {
        ocl_log(true, "there is no room for the %llu bytes that a thread block takes",
                (unsigned long long)bytes);
        return OCL_E_OUT_OF_MEMORY;
    }
    launch->scratch_bytes = (size_t)bytes;
    return OCL_OK;
}

const char *ocl_native_name_here(void)
{
    const struct ocl_thread *const thread = ocl_thread_if_any();
    const struct ocl_native_launch *const launch = thread ? thread->native : NULL;
    return launch ? launch->native->name : NULL;
}

bool ocl_native_block_here(uint32_t block[3], uint32_t *count)
{
    const struct ocl_thread *const thread = ocl_thread_if_any();
    const struct ptx_native_now *const now = thread && thread->native ? thread->native_now : NULL;
    const uint32_t *const index =
        now ? atomic_load_explicit(&now->index, memory_order_relaxed) : NULL;
    if (!index)
        return false;
    const struct ocl_native_launch *const launch = thread->native;
    memcpy(block, index, 3 * sizeof *block);
    block[0] *= launch->joined;
    *count = *now->columns * launch->joined;
    return true;
}

void ocl_native_cancel(struct ocl_native_launch *launch)
{
    if (launch)
        free_launch(launch);
}
