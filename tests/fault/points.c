/* The places where a call has met a fault, and the one that is next.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/fault/points.h"

#include <execinfo.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PLACES = 1 << 16, DEPTH = 40 };

/* A set of numbers that are not zero, each with a count; it is never full in a test of seconds. */
struct counts {
    uint64_t keys[PLACES];
    unsigned counts[PLACES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct counts done, seen; /* since fault_forget(); in this round */
static enum fault_mode mode;
static int code;
static unsigned repeats, to_skip;
static unsigned sample_part, sample_parts = 1, new_places; /* new_places: since fault_forget() */
static bool is_met;
static const char *name_met = "none";
static void *place_met[DEPTH];
static int depth_met;

void fault_begin(enum fault_mode new_mode, int new_code, unsigned new_repeats)
{
    pthread_mutex_lock(&lock);
    memset(&seen, 0, sizeof seen);
    is_met = false;
    mode = new_mode;
    code = new_code;
    repeats = new_repeats;
    pthread_mutex_unlock(&lock);
}

bool fault_end(void)
{
    pthread_mutex_lock(&lock);
    mode = FAULT_NONE;
    bool was_met = is_met;
    pthread_mutex_unlock(&lock);
    return was_met;
}

void fault_skip(unsigned places)
{
    pthread_mutex_lock(&lock);
    to_skip = places;
    pthread_mutex_unlock(&lock);
}

void fault_sample(unsigned part, unsigned parts)
{
    pthread_mutex_lock(&lock);
    sample_part = part;
    sample_parts = parts;
    pthread_mutex_unlock(&lock);
}

unsigned fault_places(void)
{
    pthread_mutex_lock(&lock);
    const unsigned places = new_places;
    pthread_mutex_unlock(&lock);
    return places;
}

bool fault_was_met(void)
{
    pthread_mutex_lock(&lock);
    const bool was_met = is_met;
    pthread_mutex_unlock(&lock);
    return was_met;
}

bool fault_is_lost(void)
{
    pthread_mutex_lock(&lock);
    const bool is_lost = mode == FAULT_LOST && is_met;
    pthread_mutex_unlock(&lock);
    return is_lost;
}

void fault_forget(void)
{
    pthread_mutex_lock(&lock);
    memset(&done, 0, sizeof done);
    new_places = 0;
    pthread_mutex_unlock(&lock);
}

const char *fault_name(void)
{
    return name_met;
}

void fault_print_place(void)
{
    fprintf(stderr, "the fault: %s, code %d, called by\n", name_met, code);
    backtrace_symbols_fd(place_met, depth_met, STDERR_FILENO);
}

static uint64_t mixed(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 0x9E3779B97F4A7C15u + (hash >> 29);
}

/* Returns how often the key was counted, this time included. Lock held. */
static unsigned count(struct counts *set, uint64_t key)
{
    uint64_t at = key % PLACES;
    while (set->keys[at] != 0 && set->keys[at] != key)
        at = (at + 1) % PLACES;
    set->keys[at] = key;
    return ++set->counts[at];
}

/* Lock held. */
static bool is_new_place(const char *name, void *const *place, int depth)
{
    uint64_t key = 1;
    for (int i = 0; i < depth; i++)
        key = mixed(key, (uintptr_t)place[i]);
    for (const char *c = name; *c != '\0'; c++)
        key = mixed(key, (unsigned char)*c);
    const unsigned round = count(&seen, key | 1);
    if (round > repeats || count(&done, mixed(key, round) | 1) > 1)
        return false;
    if (new_places++ % sample_parts != sample_part)
        return false;
    if (to_skip > 0) {
        to_skip--;
        return false;
    }
    is_met = true;
    name_met = name;
    depth_met = depth;
    memcpy(place_met, place, (size_t)depth * sizeof place[0]);
    return true;
}

static int fault_of(const char *name, bool is_event)
{
    int found = 0;
    void *place[DEPTH];
    pthread_mutex_lock(&lock);
    const bool is_asked = mode != FAULT_NONE && is_event == (mode == FAULT_EVENT);
    if (is_asked && is_met && mode == FAULT_LOST)
        found = code;
    if (is_asked && !is_met) {
        const int depth = backtrace(place, DEPTH);
        if (is_new_place(name, place, depth))
            found = code;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

int fault_of_call(const char *name)
{
    return fault_of(name, false);
}

int fault_of_event(const char *name)
{
    return fault_of(name, true);
}
