/* Copies and fills, and which of them nothing orders.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/touches.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 512, MOST_ROWS = 1 << 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the next two */
static struct ocl_touch *touches; /* the oldest first; NULL before the first */
static size_t count;
static _Atomic uint64_t change; /* when that changed last */
static _Atomic bool trusts;     /* nothing is watched */

/* ---- Rows ---- */

/* Where rows begin, and behind the last of them. */
static uint64_t end_of(const struct ocl_touch *t)
{
    return t->rows.address + (t->shape.depth - 1) * t->rows.slice_bytes +
           (t->shape.height - 1) * t->rows.pitch + t->shape.width;
}

static bool is_linear(const struct ocl_touch *t)
{
    return (t->shape.height == 1 || t->rows.pitch == t->shape.width) &&
           (t->shape.depth == 1 || (t->rows.slice_bytes == t->shape.height * t->rows.pitch &&
                                    t->rows.pitch == t->shape.width));
}

static uint64_t row_of(const struct ocl_touch *t, size_t number)
{
    return t->rows.address + number / t->shape.height * t->rows.slice_bytes +
           number % t->shape.height * t->rows.pitch;
}

/* Whether bytes from first to end are in a row, of few rows. */
static bool has_any(const struct ocl_touch *t, uint64_t first, uint64_t end, uint64_t *address)
{
    const size_t rows = t->shape.height * t->shape.depth;
    if (end <= t->rows.address || first >= end_of(t))
        return false;
    if (is_linear(t)) {
        *address = first > t->rows.address ? first : t->rows.address;
        return true;
    }
    for (size_t i = 0; i < rows && rows <= MOST_ROWS; i++) {
        const uint64_t at = row_of(t, i);
        if (first < at + t->shape.width && end > at) {
            *address = first > at ? first : at;
            return true;
        }
    }
    return false;
}

static bool have_common(const struct ocl_touch *one, const struct ocl_touch *other,
                        uint64_t *address)
{
    const size_t rows = is_linear(one) ? 1 : one->shape.height * one->shape.depth;
    if (rows == 1)
        return has_any(other, one->rows.address, end_of(one), address);
    if (is_linear(other))
        return has_any(one, other->rows.address, end_of(other), address);
    for (size_t i = 0; i < rows && rows * other->shape.height * other->shape.depth <= MOST_ROWS;
         i++)
        if (has_any(other, row_of(one, i), row_of(one, i) + one->shape.width, address))
            return true;
    return false;
}

static bool is_in_order(const struct ocl_stream_time *one, const struct ocl_stream_time *other)
{
    return ocl_stream_is_behind(one, other) || ocl_stream_is_behind(other, one);
}

bool ocl_touches_meet(const struct ocl_touch *one, const struct ocl_touch *other, uint64_t *address)
{
    return (one->writes || other->writes) && !is_in_order(&one->time, &other->time) &&
           have_common(one, other, address);
}

/* ---- What the host writes meanwhile ---- */

/* Source: the FNV-1a hash, its parameters for 64 bits, over words of 8 bytes and the rest. */
static uint64_t sum_of(const struct ocl_touch *t)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < t->shape.height * t->shape.depth; i++) {
        const unsigned char *at = (const unsigned char *)(uintptr_t)row_of(t, i);
        for (size_t b = 0; b < t->shape.width; b++)
            sum = (sum ^ at[b]) * UINT64_C(0x100000001b3);
    }
    return sum;
}

/* ---- Which there are ---- */

/* Lock held. */
static void take_out(size_t at)
{
    count--;
    for (size_t i = at; i < count; i++)
        touches[i] = touches[i + 1];
    atomic_fetch_add(&change, 1);
}

/* What the program did is in order with all that comes when the host knows all to be complete. */
static bool is_over(const struct ocl_touch *t)
{
    return t->is_host ? ocl_streams_are_known() : ocl_stream_is_known(&t->time);
}

/* Memory stays while the lock is held: who frees it comes here first. What is over stays for launches that were there before the
 * host knew of that, which may run only now. */
bool ocl_touches_take_changed(struct ocl_touch *taken)
{
    const bool are_launches_known = ocl_streams_are_known();
    bool is_found = false;
    pthread_mutex_lock(&lock);
    for (size_t i = count; i > 0 && !is_found; i--) {
        struct ocl_touch *t = &touches[i - 1];
        if (!is_over(t))
            continue;
        is_found = t->is_watched && sum_of(t) != t->sum;
        if (is_found)
            *taken = *t;
        t->is_watched = false;
        if (are_launches_known)
            take_out(i - 1);
    }
    pthread_mutex_unlock(&lock);
    return is_found;
}

/* Lock held. What a stream writes is not the host's alone. */
static void stop_watching(uint64_t first, uint64_t end)
{
    uint64_t address;
    for (size_t i = 0; i < count; i++)
        if (touches[i].is_watched && has_any(&touches[i], first, end, &address))
            touches[i].is_watched = false;
}

/* Lock held. Nor is what one writes that may still be on its way. */
static bool may_change(const struct ocl_touch *touch)
{
    uint64_t address;
    for (size_t i = 0; i < count; i++)
        if (touches[i].writes && have_common(touch, &touches[i], &address))
            return true;
    return false;
}

bool ocl_touches_add(const struct ocl_touch *touch, struct ocl_touch *met, uint64_t *address)
{
    bool is_met = false;
    pthread_mutex_lock(&lock);
    if (!touches)
        touches = calloc(MOST, sizeof *touches);
    for (size_t i = count; i > 0 && !is_met; i--)
        if (ocl_touches_meet(touch, &touches[i - 1], address)) {
            *met = touches[i - 1];
            is_met = true;
        }
    if (touches && count == MOST)
        take_out(0);
    if (touch->writes)
        stop_watching(touch->rows.address, end_of(touch));
    if (touches) {
        touches[count] = *touch;
        touches[count].is_watched =
            touch->is_watched && !atomic_load(&trusts) && !may_change(touch);
        if (touches[count].is_watched)
            touches[count].sum = sum_of(touch);
        count++;
        atomic_fetch_add(&change, 1);
    }
    pthread_mutex_unlock(&lock);
    return is_met;
}

uint64_t ocl_touches_change(void)
{
    return atomic_load_explicit(&change, memory_order_acquire);
}

uint64_t ocl_touches_change_place(void)
{
    return (uint64_t)(uintptr_t)&change;
}

/* One more than are given, since the next comes in before two become one. */
struct ranges {
    uint64_t at[OCL_TOUCHED_RANGES + 1][2];
    size_t count;
};

static void join_with_next(struct ranges *r, size_t at)
{
    if (r->at[at + 1][1] > r->at[at][1])
        r->at[at][1] = r->at[at + 1][1];
    r->count--;
    memmove(r->at[at + 1], r->at[at + 2], (r->count - at - 1) * sizeof r->at[0]);
}

/* Where there are too many, the two become one that lie nearest. */
static void join_nearest(struct ranges *r)
{
    size_t nearest = 0;
    for (size_t i = 1; i + 1 < r->count; i++)
        if (r->at[i + 1][0] - r->at[i][1] < r->at[nearest + 1][0] - r->at[nearest][1])
            nearest = i;
    join_with_next(r, nearest);
}

static void add_range(struct ranges *r, uint64_t first, uint64_t end)
{
    size_t at = r->count;
    for (; at > 0 && r->at[at - 1][0] > first; at--)
        memcpy(r->at[at], r->at[at - 1], sizeof r->at[0]);
    r->at[at][0] = first;
    r->at[at][1] = end;
    r->count++;
    at -= at > 0;
    while (at + 1 < r->count)
        if (r->at[at + 1][0] <= r->at[at][1])
            join_with_next(r, at);
        else
            at++;
    if (r->count > OCL_TOUCHED_RANGES)
        join_nearest(r);
}

void ocl_touches_bound(const struct ocl_stream_time *time,
                       uint64_t ranges[static OCL_TOUCHED_RANGES][2])
{
    struct ranges r = {.count = 0};
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        if (touches[i].is_watched || !is_in_order(time, &touches[i].time))
            add_range(&r, touches[i].rows.address, end_of(&touches[i]));
    pthread_mutex_unlock(&lock);
    memset(r.at[r.count], 0, (OCL_TOUCHED_RANGES - r.count) * sizeof r.at[0]);
    memcpy(ranges, r.at, OCL_TOUCHED_RANGES * sizeof r.at[0]);
}

bool ocl_touches_find(const struct ocl_stream_time *time, uint64_t address, uint64_t bytes,
                      bool writes, bool is_open, struct ocl_touch *met)
{
    bool is_met = false;
    uint64_t common;
    pthread_mutex_lock(&lock);
    if (writes)
        stop_watching(address, address + bytes);
    for (size_t i = count; i > 0 && !is_met; i--) {
        const struct ocl_touch *t = &touches[i - 1];
        if ((writes || t->writes) && !(is_open && t->is_host) && !is_in_order(time, &t->time) &&
            has_any(t, address, address + bytes, &common)) {
            *met = *t;
            is_met = true;
        }
    }
    pthread_mutex_unlock(&lock);
    return is_met;
}

void ocl_touches_forget(uint64_t address, uint64_t bytes)
{
    uint64_t common;
    pthread_mutex_lock(&lock);
    for (size_t i = count; i > 0; i--)
        if (has_any(&touches[i - 1], address, address + bytes, &common))
            take_out(i - 1);
    pthread_mutex_unlock(&lock);
}

void ocl_touches_trust(void)
{
    atomic_store(&trusts, true);
}
