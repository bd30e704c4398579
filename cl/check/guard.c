/* Memory between pages that nobody may touch.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/guard.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cl/check.h"
#include "cl/check/report.h"
#include "cl/check/stack.h"
#include "cl/check/wishes.h"
#include "cl/trace.h"

/* Between two allocations, so that rows that are too long and indexes that are a little off do not come to the next. */
static const size_t GAP = (size_t)64 << 10;

/* Addresses are reserved so many at a time. All that is not in use of an area is one mapping, or few. */
static const size_t AREA = (size_t)64 << 30, SMALLEST_AREA = (size_t)64 << 20;
enum { MOST_AREAS = 512, PATTERN = 0xe7 };

/* Records stand in the order of their addresses. */
struct area {
    uintptr_t base, end;
    uintptr_t next; /* what nobody has had */
    struct ocl_guarded *records;
    _Atomic size_t count;
};
static struct area areas[MOST_AREAS];
static _Atomic size_t area_count;

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* a leaf: areas, and the list of live ones */
static struct ocl_guarded **live;
static size_t live_count, live_room;

bool ocl_guard_is_on(void)
{
    return ocl_check_wants(OCL_CHECK_GUARD);
}

static size_t page_bytes(void)
{
    static _Atomic size_t bytes;
    size_t known = atomic_load_explicit(&bytes, memory_order_relaxed);
    if (known == 0) {
        known = (size_t)sysconf(_SC_PAGESIZE);
        atomic_store_explicit(&bytes, known, memory_order_relaxed);
    }
    return known;
}

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* ---- Addresses ---- */

static void *reserve(size_t bytes)
{
    void *const range =
        mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return range == MAP_FAILED ? NULL : range;
}

/* As many as there can be: each has a page and a gap at least. */
static bool make_records(struct area *area)
{
    const size_t most = (area->end - area->base) / (page_bytes() + GAP) + 1;
    void *const records = mmap(NULL, most * sizeof *area->records, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    area->records = records == MAP_FAILED ? NULL : records;
    return area->records != NULL;
}

/* lock is held. A limit on addresses (ulimit -v) leaves smaller areas. */
static struct area *add_area(size_t least)
{
    const size_t index = atomic_load(&area_count);
    if (index == MOST_AREAS)
        return NULL;
    struct area *const area = &areas[index];
    void *range = NULL;
    size_t bytes = AREA > least ? AREA : round_up(least, page_bytes());
    while (!(range = reserve(bytes)) && bytes / 2 >= least && bytes / 2 >= SMALLEST_AREA)
        bytes /= 2;
    if (!range)
        return NULL;
    area->base = (uintptr_t)range;
    area->end = area->base + bytes;
    area->next = area->base + GAP;
    if (!make_records(area)) {
        munmap(range, bytes);
        return NULL;
    }
    atomic_store_explicit(&area_count, index + 1, memory_order_release);
    return area;
}

static size_t needed(size_t room)
{
    return room + 2 * GAP;
}

/* lock is held. */
static struct area *find_area(size_t room)
{
    const size_t count = atomic_load(&area_count);
    struct area *const last = count > 0 ? &areas[count - 1] : NULL;
    if (last && last->end - last->next >= room + GAP)
        return last;
    return add_area(needed(room));
}

/* How many allocations may be there at once: each takes two mappings, and a quarter of what the process may have is left to
 * all others, which fail without. */
static size_t most_live(void)
{
    enum { USUAL = 65530, MAPPINGS = 2 };
    static _Atomic size_t known;
    size_t most = atomic_load_explicit(&known, memory_order_relaxed);
    if (most > 0)
        return most;
    unsigned long limit = 0;
    FILE *const file = fopen("/proc/sys/vm/max_map_count", "re");
    if (!file || fscanf(file, "%lu", &limit) != 1)
        limit = USUAL;
    if (file)
        fclose(file);
    most = (size_t)(limit - limit / 4) / MAPPINGS + 1;
    atomic_store_explicit(&known, most, memory_order_relaxed);
    return most;
}

static void complain_once(const char *why)
{
    static atomic_flag is_told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&is_told))
        ocl_notice("check: %s; allocations from here on are not guarded", why);
}

/* ---- Patterns ---- */

static uintptr_t end_of(const struct ocl_guarded *guarded)
{
    return guarded->start + guarded->bytes;
}

static void fill(const struct ocl_guarded *guarded)
{
    const uintptr_t end = end_of(guarded);
    memset((void *)guarded->first, PATTERN, guarded->start - guarded->first);
    memset((void *)end, PATTERN, guarded->first + guarded->room - end);
}

/* The first and last byte that is not the pattern's; false: all are. */
static bool find_damage(uintptr_t from, uintptr_t to, uintptr_t *first, uintptr_t *last)
{
    while (from < to && *(const unsigned char *)from == PATTERN)
        from++;
    while (to > from && *(const unsigned char *)(to - 1) == PATTERN)
        to--;
    *first = from;
    *last = to - 1;
    return from < to;
}

struct damage {
    const struct ocl_guarded *guarded;
    uintptr_t first, last;
    bool is_behind; /* the end, not before the begin */
};

/* How many there are of the two. They are mended, so that they are told once. */
static size_t look_at(const struct ocl_guarded *guarded, struct damage damages[2])
{
    const uintptr_t end = end_of(guarded);
    size_t count = 0;
    struct damage *now = &damages[0];
    if (find_damage(end, guarded->first + guarded->room, &now->first, &now->last)) {
        now->guarded = guarded;
        now->is_behind = true;
        now = &damages[++count];
    }
    if (find_damage(guarded->first, guarded->start, &now->first, &now->last)) {
        now->guarded = guarded;
        now->is_behind = false;
        count++;
    }
    if (count > 0)
        fill(guarded);
    return count;
}

/* ---- Kernels that may have done it ---- */

enum { SUSPECTS = 8, NAME_BYTES = 96 };
static struct {
    pthread_mutex_t lock; /* a leaf */
    char names[SUSPECTS][NAME_BYTES];
    uint32_t stacks[SUSPECTS];
    size_t count;  /* different ones, the latest of which are kept */
    size_t latest; /* the last one launched */
} suspects = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic uint64_t launches;   /* so far */
static _Atomic uint64_t looked_for; /* of those, whose damage has been looked for */

/* suspects.lock is held. SUSPECTS: it is none of those that are kept. */
static size_t find_suspect(const char *kernel)
{
    const size_t kept = suspects.count < SUSPECTS ? suspects.count : SUSPECTS;
    for (size_t i = 0; i < kept; i++)
        if (strncmp(suspects.names[i], kernel, NAME_BYTES - 1) == 0)
            return i;
    return SUSPECTS;
}

void ocl_guard_note_launch(const char *kernel)
{
    const uint32_t stack = ocl_stack_take();
    atomic_fetch_add(&launches, 1);
    pthread_mutex_lock(&suspects.lock);
    size_t at = find_suspect(kernel);
    if (at == SUSPECTS) {
        at = suspects.count++ % SUSPECTS;
        snprintf(suspects.names[at], NAME_BYTES, "%s", kernel);
    }
    suspects.stacks[at] = stack;
    suspects.latest = at;
    pthread_mutex_unlock(&suspects.lock);
}

/* A guess: nobody is kept from writing meanwhile. */
uint32_t ocl_guard_last_launch(const char *kernel)
{
    for (size_t i = 0; i < SUSPECTS; i++)
        if (strncmp(suspects.names[i], kernel, NAME_BYTES - 1) == 0)
            return suspects.stacks[i];
    return 0;
}

/* Returns the stack of the last launch; 0: there was none. */
static uint32_t name_suspects(char *text, size_t bytes)
{
    size_t length = 0;
    pthread_mutex_lock(&suspects.lock);
    const size_t count = suspects.count, shown = count < SUSPECTS ? count : SUSPECTS;
    text[0] = '\0';
    for (size_t i = 0; i < shown && length < bytes; i++) {
        const int written = snprintf(text + length, bytes - length, "%s%s", i > 0 ? ", " : "",
                                     suspects.names[(count - 1 - i) % SUSPECTS]);
        length += written > 0 ? (size_t)written : 0;
    }
    if (count > SUSPECTS && length < bytes)
        snprintf(text + length, bytes - length, ", and others");
    const uint32_t stack = count > 0 ? suspects.stacks[suspects.latest] : 0;
    pthread_mutex_unlock(&suspects.lock);
    return stack;
}

static void forget_suspects(void)
{
    pthread_mutex_lock(&suspects.lock);
    suspects.count = 0;
    pthread_mutex_unlock(&suspects.lock);
}

/* ---- Reports ---- */

static void write_sentence(const struct damage *damage, char *text, size_t bytes)
{
    const struct ocl_guarded *const guarded = damage->guarded;
    const uintptr_t end = end_of(guarded);
    const uintptr_t distance =
        damage->is_behind ? damage->first - end : guarded->start - damage->last - 1;
    const size_t count = (size_t)(damage->last - damage->first + 1);
    char from[32];
    snprintf(from, sizeof from, distance > 0 ? "%zu bytes" : "just", (size_t)distance);
    snprintf(text, bytes, "%zu %s written %s %s the %zu bytes at 0x%llx", count,
             count == 1 ? "byte was" : "bytes were", from,
             damage->is_behind ? "past the end of" : "in front of", guarded->bytes,
             (unsigned long long)guarded->start);
}

static void tell(const struct damage *damage)
{
    char what[256], names[SUSPECTS * NAME_BYTES];
    const uint32_t launch = name_suspects(names, sizeof names);
    const uint64_t key[] = {damage->guarded->start, damage->is_behind};
    struct ocl_report report = {
        .kind = OCL_CHECK_GUARD, .key = ocl_report_key(key, 2), .what = what};
    int part = 0;
    write_sentence(damage, what, sizeof what);
    if (launch != 0) {
        report.parts[part++] = (struct ocl_report_part){.label = "kernels since the last look",
                                                        .text = names,
                                                        .is_long = true,
                                                        .has_names = true};
        report.parts[part++] =
            (struct ocl_report_part){.label = "latest launched at", .stack = launch};
    } else {
        report.parts[part++] =
            (struct ocl_report_part){.label = "no kernel was launched since the last look"};
    }
    if (damage->guarded->made)
        report.parts[part++] =
            (struct ocl_report_part){.label = "allocated at", .stack = damage->guarded->made};
    if (damage->guarded->freed)
        report.parts[part] =
            (struct ocl_report_part){.label = "freed at", .stack = damage->guarded->freed};
    ocl_report_add(&report);
}

/* Whether no more is left to be looked at. */
static bool check_all(void)
{
    enum { MOST = 32 };
    struct damage found[MOST + 2];
    size_t count = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < live_count && count < MOST; i++)
        count += look_at(live[i], found + count);
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < count; i++)
        tell(&found[i]);
    forget_suspects();
    return count < MOST;
}

void ocl_guard_check_all(void)
{
    if (ocl_guard_is_on())
        (void)check_all();
}

/* With thousands of allocations a look takes milliseconds. */
void ocl_guard_check_new(bool are_idle)
{
    const uint64_t now = atomic_load(&launches);
    if (ocl_guard_is_on() && now != atomic_load(&looked_for) && check_all() && are_idle)
        atomic_store(&looked_for, now);
}

/* ---- Memory ---- */

/* lock is held. */
static bool make_room_in_list(void)
{
    if (live_count < live_room)
        return true;
    const size_t room = live_room ? 2 * live_room : 256;
    struct ocl_guarded **const grown = realloc(live, room * sizeof(struct ocl_guarded *));
    if (!grown)
        return false;
    live = grown;
    live_room = room;
    return true;
}

/* lock is held. */
static struct ocl_guarded *take_from(struct area *area, size_t bytes, size_t room)
{
    const uintptr_t first = area->next;
    const size_t align = ocl_check_wishes()->align;
    if (mprotect((void *)first, room, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    area->next = first + room + GAP;
    const size_t index = atomic_load(&area->count);
    struct ocl_guarded *const made = &area->records[index];
    *made = (struct ocl_guarded){.first = first,
                                 .room = room,
                                 .start = first + room - round_up(bytes, align),
                                 .bytes = bytes,
                                 .is_live = true,
                                 .place = live_count};
    fill(made);
    live[live_count++] = made;
    atomic_store_explicit(&area->count, index + 1, memory_order_release);
    return made;
}

struct ocl_guarded *ocl_guard_take(size_t bytes)
{
    const size_t room = bytes < SIZE_MAX / 4
                            ? round_up(round_up(bytes, ocl_check_wishes()->align), page_bytes())
                            : 0;
    struct ocl_guarded *made = NULL;
    int error = 0;
    if (room == 0)
        return NULL;
    const size_t most = most_live();
    const uint32_t stack = ocl_stack_take();
    pthread_mutex_lock(&lock);
    const bool has_mappings = live_count < most;
    struct area *const area = has_mappings && make_room_in_list() ? find_area(room) : NULL;
    if (area) {
        made = take_from(area, bytes, room);
        error = errno;
    }
    pthread_mutex_unlock(&lock);
    if (!made)
        complain_once(has_mappings && !area ? "there are no more addresses (ulimit -v)"
                      : !has_mappings || error == ENOMEM
                          ? "there are no more mappings (sysctl vm.max_map_count)"
                          : "the system gives no pages");
    if (made)
        made->made = stack;
    return made;
}

/* lock is held. */
static void leave_list(struct ocl_guarded *guarded)
{
    struct ocl_guarded *const last = live[--live_count];
    live[guarded->place] = last;
    last->place = guarded->place;
}

/* Pages without access that nobody has touched: they become one mapping with those around. */
static void take_away(const struct ocl_guarded *guarded)
{
    void *const first = (void *)guarded->first;
    if (mmap(first, guarded->room, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        (void)mprotect(first, guarded->room, PROT_NONE);
}

void ocl_guard_give(struct ocl_guarded *guarded)
{
    struct damage found[2];
    if (!guarded)
        return;
    pthread_mutex_lock(&lock);
    leave_list(guarded);
    const size_t count = look_at(guarded, found);
    guarded->is_live = false;
    take_away(guarded);
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < count; i++)
        tell(&found[i]);
}

/* ---- Finding ---- */

static struct area *area_of(uintptr_t address)
{
    const size_t count = atomic_load_explicit(&area_count, memory_order_acquire);
    for (size_t i = 0; i < count; i++)
        if (address >= areas[i].base && address < areas[i].end)
            return &areas[i];
    return NULL;
}

/* How many records begin at the address or before. */
static size_t count_before(const struct area *area, uintptr_t address)
{
    size_t low = 0, high = atomic_load_explicit(&area->count, memory_order_acquire);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (area->records[middle].first <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void ocl_guard_note_freed(struct ocl_guarded *guarded)
{
    if (guarded)
        guarded->freed = ocl_stack_take();
}

static uint64_t distance_to(const struct ocl_guarded *guarded, uintptr_t address)
{
    if (address < guarded->start)
        return guarded->start - address;
    return address < end_of(guarded) ? 0 : address - end_of(guarded);
}

bool ocl_guard_find(uint64_t number, struct ocl_guard_view *view)
{
    const uintptr_t address = (uintptr_t)number;
    const struct area *const area = area_of(address);
    if (!area)
        return false;
    const size_t count = atomic_load_explicit(&area->count, memory_order_acquire);
    const size_t before = count_before(area, address);
    const struct ocl_guarded *nearest = before > 0 ? &area->records[before - 1] : NULL;
    const struct ocl_guarded *const behind = before < count ? &area->records[before] : NULL;
    if (!nearest || (behind && distance_to(behind, address) < distance_to(nearest, address)))
        nearest = behind;
    if (!nearest)
        return false;
    *view =
        (struct ocl_guard_view){.start = nearest->start,
                                .bytes = nearest->bytes,
                                .distance = distance_to(nearest, address),
                                .is_before = address >= end_of(nearest),
                                .is_inside = address >= nearest->start && address < end_of(nearest),
                                .is_freed = nearest->freed != 0 || !nearest->is_live,
                                .made = nearest->made,
                                .freed = nearest->freed};
    return true;
}
