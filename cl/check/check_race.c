/* Races of kernels that are checked: what they do is told to race/, and what that finds is reported.
 * SPDX-License-Identifier: Apache-2.0 */
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cl/base/deadline.h"
#include "cl/base/host_memory.h"
#include "cl/check/check_log.h"
#include "cl/check/check_race.h"
#include "cl/check/touches.h"
#include "cl/whole.h"

enum { MOST_FOUND = 8, SEEN = 4096 };

/* One for the process: blocks of all launches run one at a time as far as it knows. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ocl_race *race;
static _Atomic uint32_t open_launches; /* changes under the lock */
static uint64_t sole_times;            /* how often a launch became the sole one */
static bool is_full;                   /* it was said */
static struct found {
    struct ocl_race_report reports[MOST_FOUND];
    unsigned count;
} * found;                          /* of the access at hand */
static _Atomic uint64_t seen[SEEN]; /* what was reported */

static struct {
    _Atomic uint64_t sole; /* a launch's address, or 0 */
    uint64_t look, change;
} gate; /* as kernels have it: struct clem_race_gate */
_Static_assert(sizeof gate == sizeof(struct clem_race_gate), "kernels have the same");

/* What is said of launches that others are not in order with, by their number. */
enum { LAUNCHES = 1024 };
static struct told {
    uint32_t race;
    char kernel[128];
    uint32_t grid[3], threads[3];
    struct ocl_stack stack;
} launches[LAUNCHES];

/* ---- What is found ---- */

static uint64_t key_of(const struct ocl_check_launch *launch, uint64_t number)
{
    const uint64_t mixed = number * 0xff51afd7ed558ccdu; /* names and lines are near each other */
    return (((mixed ^ mixed >> 32) + (uint64_t)(uintptr_t)launch->kernel) * 0x9e3779b97f4a7c15u) |
           1;
}

/* Where a key is, or may be noted; NULL: nowhere. */
static _Atomic uint64_t *place_of(uint64_t key)
{
    for (size_t i = 0; i < SEEN; i++) {
        _Atomic uint64_t *place = &seen[(key / 2 + i) % SEEN];
        const uint64_t there = atomic_load_explicit(place, memory_order_relaxed);
        if (there == key || there == 0)
            return place;
    }
    return NULL;
}

/* Without the lock what is just being noted may be missed. */
static bool was_seen(const struct ocl_check_launch *launch, uint64_t number)
{
    const uint64_t key = key_of(launch, number);
    _Atomic uint64_t *place = place_of(key);
    return place && atomic_load_explicit(place, memory_order_relaxed) == key;
}

/* Needs the lock. What is beyond what can be noted is first each time. */
static bool is_first(const struct ocl_check_launch *launch, uint64_t number)
{
    const uint64_t key = key_of(launch, number);
    _Atomic uint64_t *place = place_of(key);
    if (!place)
        return true;
    return atomic_exchange(place, key) != key;
}

bool ocl_check_is_first(const struct ocl_check_launch *launch, uint64_t number)
{
    pthread_mutex_lock(&lock);
    const bool found_first = is_first(launch, number);
    pthread_mutex_unlock(&lock);
    return found_first;
}

static uint64_t number_of(const struct ocl_race_report *r)
{
    return (r->now.site * 31 + r->before.site) * 31 + r->kind;
}

static void note(void *user, const struct ocl_race_report *report)
{
    (void)user;
    if (found && found->count < MOST_FOUND)
        found->reports[found->count++] = *report;
}

/* ocl_check_log_noter */
static void note_log(const struct clem_check_still *log)
{
    ocl_race_note_reads(race, log);
}

/* Launches that run beside each other take turns: each is the sole one for so long, if it has blocks to run, or until it has ended. */
enum { TURN_NS = 100000 };
static uint64_t turn_end; /* as ocl_now() has it */
static pthread_cond_t turn;
static pthread_once_t turn_is_made = PTHREAD_ONCE_INIT;

static void make_turn(void)
{
    ocl_condition_init(&turn);
}

/* Needs the lock. A launch comes here before it is open. */
static struct ocl_race *race_of_process(void)
{
    (void)pthread_once(&turn_is_made, make_turn);
    if (!race)
        race = ocl_race_new((size_t)(ocl_host_memory_available() / 2), note, NULL);
    gate.look = race ? (uint64_t)(uintptr_t)ocl_race_look(race) : 0;
    gate.change = ocl_touches_change_place();
    ocl_check_log_note_by(note_log);
    return race;
}

static const char *what_of(const struct ocl_race_report *r)
{
    if (r->is_scope)
        return "two atomic accesses of different blocks, and a scope of one block";
    if (r->kind == OCL_RACE_WARP)
        return "race within a warp: lanes rely on going in step, without __syncwarp()";
    if (r->kind == OCL_RACE_SAME)
        return r->now.writes && r->before.writes
                   ? "two threads write the same value, with nothing to order them"
                   : "one thread writes what is there already and another reads it, with "
                     "nothing to order them";
    return r->now.writes && r->before.writes
               ? "two threads write, with nothing to order them"
               : "one thread reads what another writes, with nothing to order them";
}

static void divide(uint64_t number, const uint32_t of[3], unsigned parts[3])
{
    parts[0] = (unsigned)(number % of[0]);
    parts[1] = (unsigned)(number / of[0] % of[1]);
    parts[2] = (unsigned)(number / of[0] / of[1]);
}

/* Needs the lock. NULL: it is no longer known. */
static const struct told *launch_of(uint32_t number)
{
    const struct told *told = &launches[number % LAUNCHES];
    return number != 0 && told->race == number ? told : NULL;
}

/* Another launch's. */
static void write_launch(char *to, size_t room, const struct told *launch,
                         const struct ocl_race_party *party)
{
    unsigned block[3], thread[3];
    if (!launch) {
        (void)snprintf(to, room, "the other access is of another launch");
        return;
    }
    divide(party->block, launch->grid, block);
    divide(party->thread, launch->threads, thread);
    (void)snprintf(to, room,
                   "the other access is %s%s by block (%u,%u,%u), thread (%u,%u,%u), "
                   "PTX line %u",
                   party->is_strong ? "an atomic " : "a ", party->writes ? "write" : "read",
                   block[0], block[1], block[2], thread[0], thread[1], thread[2],
                   (unsigned)party->site);
}

/* The other thread's access; its launch, where that is another. */
static void write_about(char *to, size_t room, const struct ocl_access *a,
                        const struct ocl_race_report *r, struct told *of)
{
    const struct ocl_check_launch *launch = a->launch;
    const struct ocl_race_party *other = &r->before;
    unsigned block[3], thread[3];
    *of = (struct told){.race = 0};
    if (other->launch != launch->race) {
        pthread_mutex_lock(&lock);
        const struct told *told = launch_of(other->launch);
        write_launch(to, room, told, other);
        if (told)
            *of = *told;
        pthread_mutex_unlock(&lock);
        return;
    }
    divide(other->block, launch->grid, block);
    divide(other->thread, launch->threads, thread);
    char *source = ptx_module_source(launch->module, (uint32_t)(other->site >> 32));
    (void)snprintf(to, room, "%s%s by block (%u,%u,%u), thread (%u,%u,%u), %s%sPTX line %u",
                   other->is_strong ? "an atomic " : "a ",
                   other->writes ? "write before" : "read before", block[0], block[1], block[2],
                   thread[0], thread[1], thread[2], source ? source : "", source ? ", " : "",
                   (unsigned)other->site);
    free(source);
}

static void report(const struct ocl_access *a, const struct ocl_race_report *r)
{
    char about[512];
    struct told other;
    write_about(about, sizeof about, a, r, &other);
    struct ocl_access at = *a;
    at.kind = r->now.writes ? CLEM_CHECK_STORE : CLEM_CHECK_LOAD;
    at.space = r->is_shared ? CLEM_CHECK_SHARED : CLEM_CHECK_GLOBAL;
    at.line = (uint32_t)r->now.site;
    at.location = (uint32_t)(r->now.site >> 32);
    at.thread = r->now.thread;
    at.bytes = r->bytes;
    at.offset = r->address;
    struct ocl_finding finding = {.check = OCL_CHECK_RACE,
                                  .is_warning = r->kind != OCL_RACE_DIFFERS,
                                  .what = what_of(r),
                                  .about = about,
                                  .other = &other.stack,
                                  .other_kernel = other.race ? other.kernel : NULL};
    ocl_check_report_access(&at, &finding);
}

/* ---- Who may ---- */

/* Most accesses are of one launch that runs alone, one block at a time: `sole` has what the lock is for without taking it. Whoever
 * else needs it takes the lock, lets the sole launch see that in the middle of no access, and goes on alone. */
static uint64_t name_of(const struct ocl_check_launch *launch)
{
    return (uint64_t)(uintptr_t)launch;
}

static void take_lock(const struct ocl_check_launch *launch)
{
    pthread_mutex_lock(&lock);
    const uint64_t other = atomic_load(&gate.sole);
    if (other == 0 || other == name_of(launch))
        return;
    atomic_store(&gate.sole, 0);
    (void)syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    while (__atomic_load_n(&((const struct ocl_check_launch *)(uintptr_t)other)->head.is_busy,
                           __ATOMIC_SEQ_CST))
        sched_yield();
}

/* Needs the lock. */
static void begin_turn(struct ocl_check_launch *launch, uint64_t times)
{
    if (open_launches > 1)
        turn_end = ocl_now() + TURN_NS;
    ocl_check_still_begin(launch, times);
    atomic_store(&gate.sole, name_of(launch));
}

/* Takes the lock when the launch that is the sole one has had its turn. */
static void take_lock_in_turn(const struct ocl_check_launch *launch)
{
    bool is_over = false;
    pthread_mutex_lock(&lock);
    while (!is_over && open_launches > 1 && atomic_load(&gate.sole) != 0 &&
           atomic_load(&gate.sole) != name_of(launch))
        is_over = !ocl_condition_wait_until(&turn, &lock, turn_end);
    pthread_mutex_unlock(&lock);
    take_lock(launch);
}

/* Needs the lock. While others are open, no memory is still. */
static void choose_sole(struct ocl_check_launch *launch, unsigned kind)
{
    const bool is_sole = atomic_load(&gate.sole) == name_of(launch),
               is_none = atomic_load(&gate.sole) == 0;
    if (kind == CLEM_CHECK_END && launch->ended == launch->block_count) {
        if (is_sole)
            atomic_store(&gate.sole, 0);
        (void)pthread_cond_broadcast(&turn);
    } else if (is_none && kind == CLEM_CHECK_BEGIN && open_launches == 1 &&
               ocl_check_can_stop_threads()) {
        begin_turn(launch, ++sole_times);
    } else if (is_none && open_launches > 1 && ocl_check_can_stop_threads()) {
        begin_turn(launch, 0);
    }
}

/* Whether the launch may go on without the lock: until leave(). Stores are seen in this order by whoever stopped all threads. */
static inline void leave(struct ocl_check_launch *launch)
{
    __atomic_store_n(&launch->head.is_busy, 0, __ATOMIC_RELEASE);
}

static inline bool enter(struct ocl_check_launch *launch)
{
    __atomic_store_n(&launch->head.is_busy, 1, __ATOMIC_RELAXED);
    atomic_signal_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&gate.sole, memory_order_relaxed) == name_of(launch))
        return true;
    leave(launch);
    return false;
}

/* ---- Copies, fills and allocations ---- */

/* PTX has volatile accesses as relaxed ones of the system's scope, and CUDA's guide hands values on by them and fences. In
 * shared memory they are how lanes of a warp once relied on going in step, which is no more. */
static bool is_strong(const struct ocl_access *a)
{
    if (a->order == CLEM_CHECK_ORDER_VOLATILE)
        return a->space == CLEM_CHECK_GLOBAL || a->kind == CLEM_CHECK_ATOMIC;
    return a->kind == CLEM_CHECK_ATOMIC || a->order != CLEM_CHECK_ORDER_NONE;
}

/* Whether the host is meant to see it, or to be seen by it. Source: check_talk.c */
static bool is_open(const struct ocl_access *a)
{
    return is_strong(a) || (a->launch->is_fenced && a->kind != CLEM_CHECK_LOAD);
}

const char *ocl_check_host_sentence(bool host_writes, bool kernel_writes)
{
    if (!host_writes)
        return "the host reads memory that a kernel writes, and has not waited for that";
    return kernel_writes ? "the host writes to memory that a kernel writes, too, and has not "
                           "waited for that"
                         : "the host writes to memory that a kernel reads, and has not waited "
                           "for that";
}

static const char *touch_sentence(bool writes, const struct ocl_touch *touch)
{
    if (touch->is_host)
        return ocl_check_host_sentence(touch->writes, writes);
    if (touch->allocates)
        return "a kernel accesses memory that another stream allocates, with nothing to "
               "order it behind that";
    if (!writes)
        return "a kernel reads what other work in another stream writes, with nothing to "
               "order them";
    return touch->writes ? "a kernel and other work in another stream both write, with "
                           "nothing to order them"
                         : "a kernel writes what other work in another stream reads, with "
                           "nothing to order them";
}

static void report_touch(const struct ocl_access *a, const struct ocl_touch *touch)
{
    char about[128];
    (void)snprintf(about, sizeof about, "the other is a %s%s", touch->what,
                   touch->allocates ? ""
                   : touch->writes  ? ", which writes there"
                                    : ", which reads there");
    struct ocl_finding finding = {.check = OCL_CHECK_RACE,
                                  .what = touch_sentence(a->kind != CLEM_CHECK_LOAD, touch),
                                  .about = touch->is_host ? NULL : about,
                                  .host = touch->is_host ? &touch->stack : NULL,
                                  .other = touch->is_host ? NULL : &touch->stack};
    ocl_check_report_access(a, &finding);
}

/* Needs the lock. Those to look at were others when the number was another. */
static void bound_touches(struct ocl_check_launch *launch, uint64_t change)
{
    struct clem_check_launch *head = &launch->head;
    _Static_assert(OCL_TOUCHED_RANGES == CLEM_CHECK_TOUCHED, "one is copied to the other");
    uint64_t ranges[OCL_TOUCHED_RANGES][2];
    if (head->touched_change == change)
        return;
    ocl_touches_bound(&launch->time, ranges);
    head->touched_low = ranges[0][1] ? ranges[0][0] : UINT64_MAX;
    head->touched_high = 0;
    for (size_t i = 0; i < OCL_TOUCHED_RANGES; i++) {
        head->touched[i][0] = ranges[i][0];
        head->touched[i][1] = ranges[i][1];
        head->touched_high = ranges[i][1] ? ranges[i][1] : head->touched_high;
    }
    head->touched_change = change;
}

/* Whether some are there, as far as the launch knows. */
static bool is_among_touched(const struct ocl_check_launch *launch, uint64_t low, uint64_t end)
{
    const struct clem_check_launch *head = &launch->head;
    bool is_among = false;
    if (low >= head->touched_high || end <= head->touched_low)
        return false;
    for (size_t i = 0; i < CLEM_CHECK_TOUCHED && !is_among; i++)
        is_among = low < head->touched[i][1] && end > head->touched[i][0];
    return is_among;
}

static bool meets_touch(const struct ocl_access *a, struct ocl_touch *met)
{
    struct ocl_check_launch *launch = a->launch;
    bound_touches(launch, ocl_touches_change());
    return is_among_touched(launch, a->address, a->address + a->bytes) &&
           ocl_touches_find(&launch->time, a->address, a->bytes, a->kind != CLEM_CHECK_LOAD,
                            is_open(a), met);
}

/* Needs the lock. What the host told a thread while it read is not known to be heard yet: it was told of before it was made. */
static bool find_touch(const struct ocl_access *a, struct ocl_touch *met)
{
    struct ocl_check_launch *launch = a->launch;
    if (a->space != CLEM_CHECK_GLOBAL || ocl_touches_change() == 0 || !meets_touch(a, met))
        return false;
    if (launch->hears) {
        ocl_stream_heard(&launch->time);
        launch->head.touched_change = 0;
        if (!meets_touch(a, met))
            return false;
    }
    return is_first(launch, ((uint64_t)a->line * 31 + (uint64_t)(uintptr_t)met->stack.at[2]) * 31);
}

static struct ocl_race_order order_of(const struct ocl_stream_time *time)
{
    return (struct ocl_race_order){.line = time->line,
                                   .position = time->position,
                                   .known = time->known,
                                   .forgets = ocl_streams_are_known()};
}

static bool is_log_before(const struct clem_check_still *log, const void *order)
{
    return order && ocl_race_is_log_before(race, log, order);
}

/* Needs the lock. order: as of ocl_race_find(). */
static bool find_in_rows(const struct ocl_race_order *order, const struct ocl_check_rows *rows,
                         const struct ocl_check_shape *shape, bool writes,
                         struct ocl_race_report *met)
{
    if (race && writes)
        ocl_check_logs_settle(is_log_before, order);
    for (size_t z = 0; race && z < shape->depth; z++)
        for (size_t y = 0; y < shape->height; y++)
            if (ocl_race_find(race, order, rows->address + z * rows->slice_bytes + y * rows->pitch,
                              shape->width, writes, met))
                return true;
    return false;
}

/* Then nothing of them is looked at, and the sole launch goes on. */
static bool are_all_before(const struct ocl_race_order *order)
{
    pthread_mutex_lock(&lock);
    const bool are = !race || ocl_race_are_all_before(race, order);
    pthread_mutex_unlock(&lock);
    return are;
}

bool ocl_check_race_wrote(const struct ocl_check_rows *rows, const struct ocl_check_shape *shape)
{
    struct ocl_race_report met;
    take_lock(NULL);
    const bool is_found = find_in_rows(NULL, rows, shape, false, &met);
    pthread_mutex_unlock(&lock);
    return is_found;
}

bool ocl_check_race_rows(const struct ocl_stream_time *time, const struct ocl_check_rows *rows,
                         const struct ocl_check_shape *shape, bool writes,
                         const struct ocl_race_other *other)
{
    const struct ocl_race_order order = order_of(time);
    struct ocl_race_report met;
    if (are_all_before(&order))
        return false;
    take_lock(NULL);
    const bool is_found = find_in_rows(&order, rows, shape, writes, &met);
    if (is_found) {
        const struct told *told = launch_of(met.before.launch);
        write_launch(other->about, other->room, told, &met.before);
        (void)snprintf(other->kernel, other->room, "%s", told ? told->kernel : "");
        *other->stack = told ? told->stack : (struct ocl_stack){.depth = 0};
        *other->address = met.address;
        *other->writes = met.before.writes;
        if (other->is_open)
            *other->is_open = met.before.is_strong;
    }
    pthread_mutex_unlock(&lock);
    return is_found;
}

void ocl_check_race_forget(uint64_t address, uint64_t bytes)
{
    if (!ocl_check_wants(OCL_CHECK_RACE))
        return;
    ocl_touches_forget(address, bytes);
    take_lock(NULL);
    ocl_check_logs_forget(address, bytes);
    if (race)
        ocl_race_forget(race, address, bytes);
    pthread_mutex_unlock(&lock);
}

/* ---- Accesses ---- */

static bool is_one_of(unsigned order, unsigned one, unsigned other)
{
    return order == one || order == other || order == CLEM_CHECK_ORDER_SC;
}

/* Whether the bytes that a store writes are there already. Needs: they may be read. */
static bool is_same(const struct ocl_access *a)
{
    return a->kind == CLEM_CHECK_STORE && a->flags & CLEM_CHECK_VALUE && a->bytes <= 8 &&
           memcmp((const void *)(uintptr_t)a->address, &a->value, a->bytes) == 0;
}

/* How many come to the barrier of the launch's grid that lies there. Source: struct clem_rota of kernels/ptx/library/turns.h. */
static uint32_t parties_of(const struct ocl_access *a)
{
    enum { ROTA = 1, BARRIER = 28 };
    const struct ocl_check_launch *const launch = a->launch;
    return a->space == CLEM_CHECK_GLOBAL && launch->takes_turns && launch->is_cooperative &&
                   a->address == atomic_load(&launch->own[ROTA].base) + BARRIER
               ? (uint32_t)launch->block_count
               : 0;
}

static void access_by(struct ocl_race_block *block, const struct ocl_access *a, uint32_t thread)
{
    const bool is_narrow = a->scope == CLEM_CHECK_SCOPE_CTA;
    const bool is_mbarrier = a->flags & CLEM_CHECK_MBARRIER; /* its upper half says it is over */
    const struct ocl_race_access access = {
        .address = is_mbarrier ? a->offset & ~(uint64_t)7 : a->offset,
        .site = (uint64_t)a->location << 32 | a->line,
        .bytes = is_mbarrier ? 8 : a->bytes,
        .is_shared = a->space == CLEM_CHECK_SHARED,
        .reads = a->kind != CLEM_CHECK_STORE,
        .writes = a->kind != CLEM_CHECK_LOAD,
        .is_strong = is_strong(a),
        .is_volatile = a->order == CLEM_CHECK_ORDER_VOLATILE,
        .is_narrow = is_narrow,
        .acquires = a->kind != CLEM_CHECK_STORE &&
                    is_one_of(a->order, CLEM_CHECK_ORDER_ACQUIRE, CLEM_CHECK_ORDER_ACQ_REL),
        .releases = a->kind != CLEM_CHECK_LOAD &&
                    is_one_of(a->order, CLEM_CHECK_ORDER_RELEASE, CLEM_CHECK_ORDER_ACQ_REL),
        .is_same = is_same(a),
        .parties = parties_of(a),
    };
    ocl_race_access(race, block, thread, &access);
}

/* What is done for all threads at once: by the first and the last one. */
static void tell_access(struct ocl_race_block *block, const struct ocl_access *a)
{
    if (a->space != CLEM_CHECK_GLOBAL && a->space != CLEM_CHECK_SHARED)
        return;
    if (a->thread != CLEM_CHECK_ALL) {
        access_by(block, a, a->thread);
        return;
    }
    const uint32_t last = ocl_check_threads(a->launch) - 1;
    access_by(block, a, 0);
    if (last > 0)
        access_by(block, a, last);
}

/* ---- Blocks ---- */

static void begin_launch(struct ocl_check_launch *launch)
{
    struct ocl_race_order order = order_of(&launch->time);
    order.told = launch->told;
    order.is_tail = launch->is_tail;
    launch->race = ocl_race_launch_begin(race, &order);
    const enum ocl_race_past past = ocl_race_past_of(race, launch->race);
    if (past == OCL_RACE_OLD)
        ocl_check_logs_discard();
    else if (past == OCL_RACE_BESIDE)
        ocl_check_logs_settle(NULL, NULL);
    struct told *told = &launches[launch->race % LAUNCHES];
    told->race = launch->race;
    told->stack = launch->stack;
    (void)snprintf(told->kernel, sizeof told->kernel, "%s", launch->kernel);
    memcpy(told->grid, launch->grid, sizeof told->grid);
    memcpy(told->threads, launch->threads, sizeof told->threads);
}

static void begin_block(const struct ocl_access *a)
{
    if (a->launch->race == 0) {
        begin_launch(a->launch);
        open_launches++;
    }
    (void)ocl_race_block_begin(race, a->launch->race, a->block, ocl_check_threads(a->launch));
}

static void end_block(struct ocl_race_block *block, const struct ocl_access *a)
{
    ocl_race_block_end(race, block);
    if (++a->launch->ended == a->launch->block_count) {
        ocl_race_launch_end(race, a->launch->race);
        open_launches--;
    }
}

static void tell(struct ocl_race_block *block, const struct ocl_access *a)
{
    switch (a->kind) {
    case CLEM_CHECK_LOAD:
    case CLEM_CHECK_STORE:
    case CLEM_CHECK_ATOMIC:
        tell_access(block, a);
        break;
    case CLEM_CHECK_FENCE:
        if (a->thread != CLEM_CHECK_ALL)
            ocl_race_fence(race, block, a->thread, a->scope == CLEM_CHECK_SCOPE_CTA);
        break;
    case CLEM_CHECK_BEGIN:
        begin_block(a);
        break;
    case CLEM_CHECK_MALLOC: /* what others did there before they freed it */
        if (a->address != 0) {
            ocl_check_logs_forget(a->address, a->value);
            ocl_race_forget(race, a->address, a->value);
        }
        break;
    case CLEM_CHECK_END:
        end_block(block, a);
        break;
    default:
        ocl_check_meet(race, block, a);
    }
}

uint64_t ocl_check_race_launches(const struct ocl_access *a)
{
    take_lock(a->launch);
    const uint64_t told =
        race ? ocl_race_launches(race, ocl_race_block_find(race, a->launch->race, a->block),
                                 a->thread)
             : 0;
    pthread_mutex_unlock(&lock);
    return told;
}

/* Of those that are, no two blocks of a launch tell at the same time. */
static bool is_told(unsigned kind)
{
    switch (kind) {
    case CLEM_CHECK_OWN:
    case CLEM_CHECK_FREE:
    case CLEM_CHECK_FLOWS:
    case CLEM_CHECK_SHADOW:
        return false;
    default:
        return true;
    }
}

/* ---- All ---- */

/* What was found, once each; the lock may be taken. */
static void report_all(const struct ocl_access *a, struct found *here)
{
    unsigned count = 0;
    pthread_mutex_lock(&lock);
    const bool is_told_full = ocl_race_is_full(race) && !is_full;
    is_full |= is_told_full;
    for (unsigned i = 0; i < here->count; i++)
        if (is_first(a->launch, number_of(&here->reports[i])))
            here->reports[count++] = here->reports[i];
    pthread_mutex_unlock(&lock);
    if (is_told_full)
        whole_say("clem: races are no longer looked for in all memory: what is kept of it would be "
                  "more than half of the host's\n");
    for (unsigned i = 0; i < count; i++)
        report(a, &here->reports[i]);
}

/* Whether copies and fills have to be looked at: where none was looked at before, or the address is among them. */
static bool may_be_touched(const struct ocl_check_launch *launch, uint64_t address, uint64_t bytes)
{
    const uint64_t change = ocl_touches_change();
    return change != 0 && (launch->head.touched_change != change ||
                           is_among_touched(launch, address, address + bytes));
}

/* Whether it can be told without the lock, and then enters. */
static bool can_enter(const struct ocl_access *a)
{
    if (a->kind == CLEM_CHECK_BEGIN || a->kind == CLEM_CHECK_END)
        return false;
    if (ocl_access_is_memory(a) && a->space == CLEM_CHECK_GLOBAL &&
        may_be_touched(a->launch, a->address, a->bytes))
        return false;
    return enter(a->launch);
}

static void tell_found(const struct ocl_access *a, struct found *here)
{
    found = here;
    tell(ocl_race_block_find(race, a->launch->race, a->block), a);
    found = NULL;
}

/* Of the sole launch. */
static void check_alone(const struct ocl_access *a)
{
    struct found here;
    here.count = 0;
    tell_found(a, &here);
    const bool is_full_now = ocl_race_is_full(race);
    leave(a->launch);
    if (here.count > 0 || is_full_now)
        report_all(a, &here);
}

void ocl_check_race(const struct ocl_access *a)
{
    struct found here; /* no more of it is written than there are */
    here.count = 0;
    bool is_all = true, is_touched = false;
    struct ocl_touch touch;
    if (!is_told(a->kind))
        return;
    if (can_enter(a)) {
        check_alone(a);
        return;
    }
    take_lock_in_turn(a->launch);
    if (race_of_process()) {
        tell_found(a, &here);
        is_touched = ocl_access_is_memory(a) && find_touch(a, &touch);
        choose_sole(a->launch, a->kind);
        is_all = here.count == 0 && (is_full || !ocl_race_is_full(race));
    }
    pthread_mutex_unlock(&lock);
    if (!is_all)
        report_all(a, &here);
    if (is_touched)
        report_touch(a, &touch);
}

/* It need not be told again. */
static void note_reported(struct clem_check_launch *head, uint64_t pair)
{
    ulong *const place = &head->reported[CLEM_RACE_PAIR_PLACE(pair)];
    if (pair == 0 || *place == pair)
        return;
    *place = pair;
    head->reported_count++;
}

/* What was reported of kernels; others make room. */
enum { KERNELS = 64 };
static struct kernel_reported {
    const char *kernel;
    ulong pairs[CLEM_RACE_REPORTED];
} kernels_reported[KERNELS];

static struct kernel_reported *reported_of(const struct ocl_check_launch *launch)
{
    return &kernels_reported[key_of(launch, 0) >> 32 & (KERNELS - 1)];
}

void ocl_check_race_begin(struct ocl_check_launch *launch)
{
    const struct kernel_reported *const its = reported_of(launch);
    pthread_mutex_lock(&lock);
    if (its->kernel == launch->kernel)
        memcpy(launch->head.reported, its->pairs, sizeof its->pairs);
    pthread_mutex_unlock(&lock);
}

static void keep_reported(const struct ocl_check_launch *launch)
{
    struct kernel_reported *const its = reported_of(launch);
    pthread_mutex_lock(&lock);
    its->kernel = launch->kernel;
    memcpy(its->pairs, launch->head.reported, sizeof its->pairs);
    pthread_mutex_unlock(&lock);
}

/* What was found at an access of ocl_check_race_plain(). */
static void report_plain(struct ocl_check_launch *launch, uint64_t what, uint64_t site,
                         uint64_t thread, uint64_t block, struct found *here)
{
    const struct ocl_access a = {.launch = launch,
                                 .kind = CLEM_CHECK_KIND(what),
                                 .thread = (uint32_t)thread,
                                 .block = block,
                                 .line = (uint32_t)site,
                                 .location = (uint32_t)(site >> 32)};
    const struct found all = *here;
    here->count = 0;
    for (unsigned i = 0; i < all.count; i++)
        if (!was_seen(launch, number_of(&all.reports[i])))
            here->reports[here->count++] = all.reports[i];
    if (here->count > 0)
        report_all(&a, here);
    for (unsigned i = 0; i < all.count; i++)
        note_reported(&launch->head, all.reports[i].pair);
    keep_reported(launch);
}

/* Whether the launch has the turn, or gets it now that another one's is over; and enters. */
static bool enter_in_turn(struct ocl_check_launch *launch)
{
    if (enter(launch))
        return true;
    if (open_launches < 2)
        return false;
    take_lock_in_turn(launch);
    choose_sole(launch, CLEM_CHECK_LOAD);
    pthread_mutex_unlock(&lock);
    return enter(launch);
}

uint64_t ocl_check_race_plain(struct ocl_check_launch *launch, uint64_t what, uint64_t site,
                              uint64_t address, uint64_t thread, uint64_t block)
{
    struct found here;
    const uint64_t window = CLEM_CHECK_SPACE(what) == CLEM_CHECK_GENERIC ? address >> 32 : 0;
    const bool is_shared =
        CLEM_CHECK_SPACE(what) == CLEM_CHECK_SHARED || window == OCL_CHECK_SHARED_WINDOW;
    if (window == OCL_CHECK_LOCAL_WINDOW)
        return 1;
    if (CLEM_CHECK_BYTES(what) == 0 && !is_shared) {
        pthread_mutex_lock(&lock);
        bound_touches(launch, ocl_touches_change());
        pthread_mutex_unlock(&lock);
    }
    if (thread >= OCL_RACE_THREADS ||
        atomic_load_explicit(&launch->put_off, memory_order_relaxed) != 0 ||
        (!is_shared && may_be_touched(launch, address, CLEM_CHECK_BYTES(what))) ||
        !enter_in_turn(launch))
        return 0;
    const struct ocl_race_access access = {
        .address = is_shared ? (uint32_t)address : address,
        .site = site,
        .bytes = CLEM_CHECK_BYTES(what),
        .is_shared = is_shared,
        .reads = CLEM_CHECK_KIND(what) == CLEM_CHECK_LOAD,
        .writes = CLEM_CHECK_KIND(what) == CLEM_CHECK_STORE,
        .is_same = CLEM_CHECK_FLAGS(what) & CLEM_CHECK_SAME,
    };
    here.count = 0;
    found = &here;
    ocl_race_access(race, ocl_race_block_find(race, launch->race, block), (uint32_t)thread,
                    &access);
    found = NULL;
    leave(launch);
    if (here.count > 0)
        report_plain(launch, what, site, thread, block, &here);
    return 1;
}

/* Mostly all threads of the block that runs are there, and nothing is to be said. */
bool ocl_check_race_meets(struct ocl_check_launch *launch, uint64_t block, uint32_t live)
{
    if (live < ocl_check_threads(launch) || !enter(launch))
        return false;
    const bool is_done = ocl_race_meets(race, launch->race, block);
    leave(launch);
    return is_done;
}

bool ocl_check_race_warp_meets(struct ocl_check_launch *launch, uint64_t block, uint32_t warp)
{
    if (!enter(launch))
        return false;
    const bool is_done = ocl_race_warp_meets(race, launch->race, block, warp);
    leave(launch);
    return is_done;
}

uint64_t ocl_check_race_gate(void)
{
    return (uint64_t)(uintptr_t)&gate;
}
