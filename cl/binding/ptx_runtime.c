/* The memory that kernels from PTX share with the host: making it, and reading what they left
 * there.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/binding/ptx_runtime.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "cl/base/crash.h"
#include "cl/base/steady.h"
#include "cl/check.h"
#include "cl/memory.h"
#include "cl/queue/queue_private.h"
#include "cl/state/failure.h"
#include "cl/thread.h"
#include "cl/trace.h"
#include "cl/transfer.h"
#include "cl/whole.h"
#include "kernels/ptx/library/runtime.h"

/* Where reading is a copy from the device, only every so many launches are worth one. */
enum { LAUNCHES_PER_READING = 16 };

/* The kernels' memory begins behind the allocation's first bytes, so that no user's free finds it. */
enum { LEAD_BYTES = 4096, RING_LEAST = 4096 };

struct ocl_runtime {
    struct ocl_context *context;
    struct ocl_queue *queue; /* of its own: what it copies waits for nobody's work */
    uint64_t allocation, heap_allocation;
    uint32_t ring_bytes;
    pthread_mutex_t lock; /* a leaf: the next four */
    pthread_cond_t changed;
    bool is_making, has_heap;   /* a thread makes the heap, without the lock */
    bool is_reading;            /* a thread reads and prints, without the lock */
    uint64_t seen;              /* launches whose records were all printed */
    _Atomic uint64_t launches;  /* that may write here */
    _Atomic uint64_t launching; /* of them, those that are not in their queues yet */
    uint32_t printed;           /* what of `written` was printed; whoever is reading */
};

/* The newest, for handlers of signals. */
static _Atomic(struct ocl_runtime *) newest;

/* --- Moving bytes ----------------------------------------------------------------------------- */

static ocl_status copy(const struct ocl_runtime *runtime, uint64_t target, uint64_t source,
                       size_t bytes)
{
    const struct ocl_copy linear = ocl_copy_linear(target, source, bytes);
    return ocl_transfer_copy(runtime->queue, &linear, OCL_WAIT_ALL);
}

static ocl_status write_device(const struct ocl_runtime *runtime, uint64_t address,
                               const void *source, size_t bytes)
{
    return copy(runtime, address, (uint64_t)(uintptr_t)source, bytes);
}

static ocl_status read_device(const struct ocl_runtime *runtime, uint64_t address, void *target,
                              size_t bytes)
{
    if (!runtime->context->capability.device_is_host_memory)
        return copy(runtime, (uint64_t)(uintptr_t)target, address, bytes);
    memcpy(target, (const void *)(uintptr_t)address, bytes);
    return OCL_OK;
}

static ocl_status fill(const struct ocl_runtime *runtime, uint64_t address, uint32_t value,
                       size_t words)
{
    const size_t bytes = words * sizeof value;
    const struct ocl_fill linear = {.address = address,
                                    .pitch = bytes,
                                    .slice_bytes = bytes,
                                    .count = words,
                                    .height = 1,
                                    .depth = 1,
                                    .element_bytes = sizeof value,
                                    .value = value};
    return ocl_transfer_fill(runtime->queue, &linear, OCL_WAIT_ALL);
}

/* --- Making ----------------------------------------------------------------------------------- */

static uint32_t ring_size(size_t wanted)
{
    uint32_t bytes = RING_LEAST;
    while (bytes < wanted && bytes < (uint32_t)1 << 30)
        bytes *= 2;
    return bytes;
}

static void leave_heap(struct ocl_context *context)
{
    if (atomic_load(&context->is_lost) || ocl_context_failure(context) != OCL_OK)
        ocl_check_heap_lose(context);
    else
        ocl_check_heap_leave(context);
}

static void destroy(struct ocl_runtime *runtime)
{
    struct ocl_runtime *own = runtime;
    atomic_compare_exchange_strong(&newest, &own, NULL);
    if (runtime->has_heap)
        leave_heap(runtime->context);
    ocl_memory_discard(runtime->heap_allocation);
    ocl_memory_discard(runtime->allocation);
    if (runtime->queue)
        ocl_queue_destroy(runtime->queue);
    pthread_mutex_destroy(&runtime->lock);
    pthread_cond_destroy(&runtime->changed);
    free(runtime);
}

static ocl_status fill_in(struct ocl_runtime *runtime)
{
    struct ocl_context *context = runtime->context;
    runtime->ring_bytes = ring_size(atomic_load(&context->print_bytes));
    const size_t bytes = sizeof(struct clem_runtime) + runtime->ring_bytes;
    ocl_status status = ocl_queue_create(context, OCL_QUEUE_APART, 0, &runtime->queue);
    if (status == OCL_OK)
        status = ocl_memory_allocate(context, LEAD_BYTES + bytes, 0, &runtime->allocation);
    if (status == OCL_OK)
        ocl_check_filled(runtime->allocation);
    if (status == OCL_OK)
        status = fill(runtime, runtime->allocation + LEAD_BYTES, 0, bytes / sizeof(uint32_t));
    if (status == OCL_OK)
        status = write_device(runtime, runtime->allocation + LEAD_BYTES, &runtime->ring_bytes,
                              sizeof runtime->ring_bytes);
    return status;
}

/* Whoever is first makes it; others that come meanwhile make one too, and take theirs apart. */
static ocl_status find(struct ocl_context *context, struct ocl_runtime **runtime)
{
    *runtime = atomic_load_explicit(&context->runtime, memory_order_acquire);
    if (*runtime)
        return OCL_OK;
    struct ocl_runtime *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    made->context = context;
    const ocl_status status = fill_in(made);
    if (status == OCL_OK && atomic_compare_exchange_strong(&context->runtime, runtime, made)) {
        *runtime = made;
        atomic_store(&newest, made);
        return OCL_OK;
    }
    destroy(made);
    return status;
}

/* --- The heap --------------------------------------------------------------------------------- */

static uint32_t round_up(uint64_t bytes)
{
    return (uint32_t)((bytes + OCL_MEMORY_ALIGNMENT - 1) / OCL_MEMORY_ALIGNMENT *
                      OCL_MEMORY_ALIGNMENT);
}

static struct clem_heap plan_heap(size_t bytes)
{
    struct clem_heap heap = {.pages = (uint32_t)((bytes + CLEM_HEAP_PAGE - 1) / CLEM_HEAP_PAGE)};
    const uint64_t word = sizeof(uint32_t);
    heap.used_at = round_up(sizeof heap);
    heap.kinds_at = round_up(heap.used_at + word * ((heap.pages + 31) / 32));
    heap.counts_at = round_up(heap.kinds_at + word * heap.pages);
    heap.slots_at = round_up(heap.counts_at + word * heap.pages);
    heap.first_at = round_up(heap.slots_at + word * CLEM_HEAP_SLOTS * heap.pages);
    return heap;
}

/* Pages that the last word of bits has too many are taken for good. */
static ocl_status write_heap(const struct ocl_runtime *runtime, uint64_t address,
                             const struct clem_heap *heap)
{
    const uint32_t rest = heap->pages % 32;
    const uint32_t taken = ~(((uint32_t)1 << rest) - 1);
    ocl_status status = fill(runtime, address, 0, heap->first_at / sizeof(uint32_t));
    if (status == OCL_OK)
        status = fill(runtime, address + heap->counts_at, CLEM_HEAP_CLOSED, heap->pages);
    if (status == OCL_OK && rest > 0)
        status = write_device(runtime, address + heap->used_at + heap->pages / 32 * sizeof taken,
                              &taken, sizeof taken);
    if (status == OCL_OK)
        status = write_device(runtime, address, heap, sizeof *heap);
    return status;
}

static ocl_status announce_heap(const struct ocl_runtime *runtime, uint64_t address)
{
    return write_device(runtime,
                        runtime->allocation + LEAD_BYTES + offsetof(struct clem_runtime, heap),
                        &address, sizeof address);
}

static ocl_status make_heap(struct ocl_runtime *runtime)
{
    struct ocl_context *context = runtime->context;
    const struct clem_heap heap = plan_heap(atomic_load(&context->heap_bytes));
    const size_t bytes = heap.first_at + (size_t)heap.pages * CLEM_HEAP_PAGE;
    uint64_t allocation = 0;
    ocl_status status = ocl_memory_allocate(context, LEAD_BYTES + bytes, 0, &allocation);
    if (status != OCL_OK)
        return status;
    ocl_check_filled(allocation);
    if (heap.pages > 0)
        status = write_heap(runtime, allocation + LEAD_BYTES, &heap);
    if (status == OCL_OK && heap.pages > 0)
        status = announce_heap(runtime, allocation + LEAD_BYTES);
    if (status == OCL_OK)
        runtime->heap_allocation = allocation;
    else
        ocl_memory_discard(allocation);
    return status;
}

/* One thread makes the heap, the others wait for it, nobody holds the lock meanwhile. */
static ocl_status find_heap(struct ocl_runtime *runtime)
{
    pthread_mutex_lock(&runtime->lock);
    while (runtime->is_making)
        ocl_steady_wait(&runtime->changed, &runtime->lock);
    const bool has_heap = runtime->has_heap;
    runtime->is_making = !has_heap;
    pthread_mutex_unlock(&runtime->lock);
    if (has_heap)
        return OCL_OK;
    const int before = ocl_steady_begin();
    const ocl_status status = make_heap(runtime);
    ocl_steady_end(before);
    pthread_mutex_lock(&runtime->lock);
    runtime->is_making = false;
    runtime->has_heap = status == OCL_OK;
    pthread_cond_broadcast(&runtime->changed);
    pthread_mutex_unlock(&runtime->lock);
    return status;
}

ocl_status ocl_runtime_begin(struct ocl_context *context, bool needs_heap)
{
    struct ocl_runtime *runtime;
    ocl_status status = find(context, &runtime);
    if (status == OCL_OK && needs_heap)
        status = find_heap(runtime);
    if (status == OCL_OK) {
        atomic_fetch_add(&runtime->launching, 1);
        atomic_fetch_add(&runtime->launches, 1);
    }
    return status;
}

void ocl_runtime_end(struct ocl_context *context)
{
    atomic_fetch_sub(&atomic_load(&context->runtime)->launching, 1);
}

uint64_t ocl_runtime_address(const struct ocl_context *context)
{
    return atomic_load(&context->runtime)->allocation + LEAD_BYTES;
}

const uint32_t *ocl_runtime_failure(const struct ocl_context *context)
{
    const struct ocl_runtime *runtime = atomic_load(&context->runtime);
    if (!runtime || !context->capability.device_is_host_memory)
        return NULL;
    return &((const struct clem_runtime *)(uintptr_t)(runtime->allocation + LEAD_BYTES))->failure;
}

void ocl_runtime_destroy(struct ocl_context *context)
{
    struct ocl_runtime *runtime = atomic_exchange(&context->runtime, NULL);
    if (runtime)
        destroy(runtime);
}

ocl_status ocl_context_limit(struct ocl_context *context, enum ocl_limit limit, size_t bytes)
{
    struct ocl_runtime *runtime = atomic_load(&context->runtime);
    bool is_used = runtime != NULL;
    if (runtime && limit == OCL_LIMIT_HEAP_BYTES) {
        pthread_mutex_lock(&runtime->lock);
        is_used = runtime->has_heap || runtime->is_making;
        pthread_mutex_unlock(&runtime->lock);
    }
    if (is_used)
        return OCL_E_ALREADY;
    atomic_store(limit == OCL_LIMIT_HEAP_BYTES ? &context->heap_bytes : &context->print_bytes,
                 bytes);
    return OCL_OK;
}

/* --- Records ---------------------------------------------------------------------------------- */

struct record {
    uint32_t mark, bytes, kind, count;
};

_Static_assert(sizeof(struct record) == sizeof(uint32_t) * CLEM_RECORD_WORDS,
               "as kernels write it");

struct assertion {
    uint64_t numbers[7];  /* the line, the block, the thread */
    const char *texts[3]; /* what failed, the file, the function */
};

static bool read_assertion(const unsigned char *at, const unsigned char *end,
                           struct assertion *assertion)
{
    if ((size_t)(end - at) < sizeof assertion->numbers)
        return false;
    memcpy(assertion->numbers, at, sizeof assertion->numbers);
    at += sizeof assertion->numbers;
    for (int i = 0; i < 3; i++) {
        const size_t left = (size_t)(end - at), length = strnlen((const char *)at, left);
        if (length == left)
            return false;
        assertion->texts[i] = (const char *)at;
        at += length + 1;
    }
    return true;
}

/* In CUDA's words. */
static void print_assertion(const unsigned char *at, const unsigned char *end)
{
    struct assertion a;
    if (read_assertion(at, end, &a))
        whole_say("%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                  a.texts[1], (unsigned)a.numbers[0], a.texts[2], (unsigned)a.numbers[1],
                  (unsigned)a.numbers[2], (unsigned)a.numbers[3], (unsigned)a.numbers[4],
                  (unsigned)a.numbers[5], (unsigned)a.numbers[6], a.texts[0]);
}

static void print_record(const struct record *record, const unsigned char *at,
                         const unsigned char *end)
{
    const size_t left = (size_t)(end - at), length = strnlen((const char *)at, left);
    if (record->kind == CLEM_RECORD_ASSERT)
        print_assertion(at, end);
    else if (record->kind == CLEM_RECORD_PRINT && length < left)
        ocl_print_format(stdout, (const char *)at, at + length + 1, end);
}

/* Positions from runtime->printed on, as the host has them. */
struct window {
    const unsigned char
        *bytes;            /* two rings of them where records were lost, the second as the first */
    uint32_t first, count; /* the position that bytes begin with */
    uint32_t printed, written; /* records from the one up to the other count */
    uint32_t safe;             /* what begins before may have been overwritten meanwhile */
};

/* The record whose head is at bytes + at; false: none is, or it is older than what was printed. Where
 * records were lost, it may be of any round since. */
static bool find_record(const struct ocl_runtime *runtime, const struct window *window, uint32_t at,
                        struct record *record, uint32_t *position)
{
    memcpy(record, window->bytes + at, sizeof *record);
    *position = record->mark - CLEM_RECORD_MARK;
    const uint32_t age = *position - window->printed;
    return ((*position - (window->first + at)) & (runtime->ring_bytes - 1)) == 0 &&
           age < window->written - window->printed && age >= window->safe - window->printed &&
           record->bytes >= sizeof *record && record->bytes % 16 == 0 &&
           record->bytes <= window->written - *position && record->bytes <= runtime->ring_bytes;
}

static void print_at(const struct window *window, uint32_t at, const struct record *record)
{
    const unsigned char *bytes = window->bytes + at;
    print_record(record, bytes + sizeof *record, bytes + record->bytes);
}

/* Prints up to a record that is not whole yet, or beyond where nobody writes any more. */
static void print_in_turn(struct ocl_runtime *runtime, const struct window *window, bool is_quiet)
{
    uint32_t at = 0;
    while (window->count - at >= sizeof(struct record)) {
        struct record record;
        uint32_t position;
        runtime->printed = window->printed + at;
        const bool is_whole =
            find_record(runtime, window, at, &record, &position) && position == runtime->printed;
        if (!is_whole && !is_quiet)
            return;
        if (is_whole)
            print_at(window, at, &record);
        at += is_whole ? record.bytes : 16;
    }
    runtime->printed = window->printed + at;
}

/* Where a record was left of an earlier round. */
struct left {
    uint32_t age, at;
};

static int compare_ages(const void *a, const void *b)
{
    const struct left *one = a, *other = b;
    return (one->age > other->age) - (one->age < other->age);
}

/* Whether a younger record begins in one at bytes + at, which is then no more. */
static bool is_overwritten(const struct ocl_runtime *runtime, const struct window *window,
                           uint32_t at, const struct record *record, uint32_t position)
{
    for (uint32_t step = 16; step < record->bytes; step += 16) {
        struct record other;
        uint32_t place;
        if (find_record(runtime, window, at + step, &other, &place) &&
            place - window->printed > position - window->printed)
            return true;
    }
    return false;
}

/* Fills in what is left in the ring, where left is not NULL; returns how much. */
static size_t find_left(const struct ocl_runtime *runtime, const struct window *window,
                        struct left *left)
{
    size_t count = 0;
    for (uint32_t at = 0; at < runtime->ring_bytes; at += 16) {
        struct record record;
        uint32_t position;
        if (!find_record(runtime, window, at, &record, &position) ||
            is_overwritten(runtime, window, at, &record, position))
            continue;
        if (left)
            left[count] = (struct left){position - window->printed, at};
        count++;
    }
    return count;
}

/* The ring came round: what is left in it, the oldest first. */
static void print_left(struct ocl_runtime *runtime, const struct window *window)
{
    struct left *left = calloc(find_left(runtime, window, NULL) + 1, sizeof *left);
    const size_t count = left ? find_left(runtime, window, left) : 0;
    if (count > 0)
        qsort(left, count, sizeof *left, compare_ages);
    for (size_t i = 0; i < count; i++) {
        struct record record;
        memcpy(&record, window->bytes + left[i].at, sizeof record);
        print_at(window, left[i].at, &record);
    }
    free(left);
    runtime->printed = window->written;
}

static ocl_status read_head(const struct ocl_runtime *runtime, struct clem_runtime *head)
{
    return read_device(runtime, runtime->allocation + LEAD_BYTES, head, sizeof *head);
}

static ocl_status read_ring(const struct ocl_runtime *runtime, uint32_t from, unsigned char *bytes,
                            uint32_t count)
{
    const uint64_t ring = runtime->allocation + LEAD_BYTES + sizeof(struct clem_runtime);
    const uint32_t at = from & (runtime->ring_bytes - 1);
    const uint32_t first = count < runtime->ring_bytes - at ? count : runtime->ring_bytes - at;
    ocl_status status = read_device(runtime, ring + at, bytes, first);
    if (status == OCL_OK && count > first)
        status = read_device(runtime, ring, bytes + first, count - first);
    return status;
}

/* What was reserved while the ring was read may have been written over what was read. */
static ocl_status find_safe(const struct ocl_runtime *runtime, struct window *window)
{
    struct clem_runtime head;
    const ocl_status status = read_head(runtime, &head);
    window->safe = runtime->printed;
    if (status == OCL_OK && head.written - runtime->printed > runtime->ring_bytes)
        window->safe = head.written - runtime->ring_bytes;
    return status;
}

/* quiet_at: of how many launches so far none runs any more; 0: some do. */
static void print_new(struct ocl_runtime *runtime, uint32_t written, uint64_t quiet_at)
{
    const uint32_t ring = runtime->ring_bytes;
    const bool is_lost = written - runtime->printed > ring;
    struct window window = {.first = is_lost ? written - ring : runtime->printed,
                            .count = is_lost ? ring : written - runtime->printed,
                            .printed = runtime->printed,
                            .written = written,
                            .safe = runtime->printed};
    unsigned char *bytes = malloc((size_t)(is_lost ? 2 : 1) * window.count);
    window.bytes = bytes;
    if (bytes && read_ring(runtime, window.first, bytes, window.count) == OCL_OK) {
        const bool is_quiet = quiet_at && atomic_load(&runtime->launches) == quiet_at;
        if (!is_quiet && find_safe(runtime, &window) != OCL_OK) {
            free(bytes);
            return;
        }
        if (is_lost) {
            memcpy(bytes + ring, bytes, ring);
            print_left(runtime, &window);
        } else {
            print_in_turn(runtime, &window, is_quiet);
        }
    }
    free(bytes);
}

static void keep_failure(struct ocl_context *context, uint32_t failure)
{
    if (failure == CLEM_FAILURE_ASSERT)
        (void)ocl_context_fail(context, OCL_E_ASSERT);
    else if (failure == CLEM_FAILURE_TRAP)
        (void)ocl_context_fail(context, OCL_E_TRAP);
    else if (failure == CLEM_FAILURE_GATHER &&
             ocl_context_fail(context, OCL_E_GATHER) == OCL_E_GATHER)
        ocl_log(true,
                "%s: the blocks of a cooperative launch did not come to be at work at once; none "
                "of it was done",
                context->device->facts.name);
}

static void read_all(struct ocl_runtime *runtime, uint64_t quiet_at)
{
    struct clem_runtime head;
    if (read_head(runtime, &head) != OCL_OK)
        return;
    if (head.written != runtime->printed)
        print_new(runtime, head.written, quiet_at);
    keep_failure(runtime->context, head.failure);
}

/* Whether this thread is to read; it waits for another that does. */
static bool begin_reading(struct ocl_runtime *runtime)
{
    pthread_mutex_lock(&runtime->lock);
    while (runtime->is_reading)
        ocl_steady_wait(&runtime->changed, &runtime->lock);
    const bool is_mine = runtime->seen != atomic_load(&runtime->launches);
    runtime->is_reading = is_mine;
    pthread_mutex_unlock(&runtime->lock);
    return is_mine;
}

/* Kernels that still run may print more: then the next wait reads again. */
static void end_reading(struct ocl_runtime *runtime, uint64_t seen, bool is_all)
{
    pthread_mutex_lock(&runtime->lock);
    runtime->is_reading = false;
    if (is_all)
        runtime->seen = seen;
    pthread_cond_broadcast(&runtime->changed);
    pthread_mutex_unlock(&runtime->lock);
}

/* Reading waits for copies of its own, which lead here again. */
void ocl_runtime_after_wait(struct ocl_context *context)
{
    struct ocl_runtime *runtime = atomic_load_explicit(&context->runtime, memory_order_acquire);
    if (!runtime || ocl_thread()->is_printing || ocl_context_failure(context) != OCL_OK ||
        !begin_reading(runtime))
        return;
    const uint64_t launches = atomic_load(&runtime->launches);
    /* In this order: what begins later changes launches, what began is seen in one of the other two. */
    const bool is_all = atomic_load(&runtime->launching) == 0 && ocl_queues_are_idle(context);
    const int before = ocl_steady_begin();
    ocl_thread()->is_printing = true;
    read_all(runtime, is_all ? launches : 0);
    ocl_thread()->is_printing = false;
    ocl_steady_end(before);
    end_reading(runtime, launches, is_all);
}

void ocl_runtime_before_launch(struct ocl_context *context)
{
    const struct ocl_runtime *runtime =
        atomic_load_explicit(&context->runtime, memory_order_acquire);
    if (runtime && (context->capability.device_is_host_memory ||
                    atomic_load(&runtime->launches) % LAUNCHES_PER_READING == 0))
        ocl_runtime_after_wait(context);
}

/* --- When a kernel ends the process ----------------------------------------------------------- */

static void write_numbers(struct ocl_crash_line *line, const char *word, const uint64_t *numbers)
{
    ocl_crash_write(line, word);
    for (int d = 0; d < 3; d++) {
        ocl_crash_write(line, d == 0 ? "[" : ",");
        ocl_crash_write_count(line, numbers[d]);
    }
    ocl_crash_write(line, "]");
}

/* As print_assertion() does, where nothing can be allocated. */
static void tell_assertion(const struct assertion *a)
{
    struct ocl_crash_line line = {0};
    ocl_crash_write(&line, a->texts[1]);
    ocl_crash_write(&line, ":");
    ocl_crash_write_count(&line, a->numbers[0]);
    ocl_crash_write(&line, ": ");
    ocl_crash_write(&line, a->texts[2]);
    write_numbers(&line, ": block: ", &a->numbers[1]);
    write_numbers(&line, ", thread: ", &a->numbers[4]);
    ocl_crash_write(&line, " Assertion `");
    ocl_crash_write(&line, a->texts[0]);
    ocl_crash_write(&line, "` failed.\n");
    (void)whole_write(STDERR_FILENO, line.text, line.length);
}

/* The first record of an assertion that nobody has printed, and that does not lie across the ring's end. */
static void tell_first_assertion(const struct ocl_runtime *runtime, const struct clem_runtime *head)
{
    const unsigned char *const ring = (const unsigned char *)(head + 1);
    const uint32_t count = head->written - runtime->printed;
    for (uint32_t i = 0; count <= runtime->ring_bytes && i < count; i += 16) {
        const uint32_t at = (runtime->printed + i) & (runtime->ring_bytes - 1);
        struct record record;
        struct assertion a;
        memcpy(&record, ring + at, sizeof record);
        if (record.mark - CLEM_RECORD_MARK != runtime->printed + i ||
            record.kind != CLEM_RECORD_ASSERT || record.bytes < sizeof record ||
            record.bytes > runtime->ring_bytes - at ||
            !read_assertion(ring + at + sizeof record, ring + at + record.bytes, &a))
            continue;
        tell_assertion(&a);
        return;
    }
}

/* A kernel that makes an access which ends the process may do so because one before it has failed, which the host would have been
 * told of at its next wait. */
static bool witness(const struct ocl_crash *crash, struct ocl_crash_line *line)
{
    const struct ocl_runtime *const runtime = atomic_load(&newest);
    (void)crash, (void)line;
    if (!runtime || !runtime->context->capability.device_is_host_memory)
        return false;
    const struct clem_runtime *const head =
        (const struct clem_runtime *)(uintptr_t)(runtime->allocation + LEAD_BYTES);
    if (head->failure == CLEM_FAILURE_ASSERT)
        tell_first_assertion(runtime, head);
    return false;
}

void ocl_runtime_crash_watch(void)
{
    ocl_crash_watch(witness);
}
