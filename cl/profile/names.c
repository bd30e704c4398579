/* Names that records have by number: each is written once, to chunks that nothing takes the place of.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/profile/names.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cl/profile/spool.h"
#include "kernels/hash.h"

struct name {
    char *text;
    uint32_t number;
};

/* Open addressing; a table has at least twice as many places as names. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct name *table;
static size_t places, count;
static uint32_t last; /* the number given out last */
static struct ocl_spool_chunk *chunk;
static uint64_t *at;
static uint32_t chunks; /* begun so far */

/* Of the file's room in quarters, each of at most 32 MiB. Programs that name each range anew leave room for events, and for what
 * events refer to. */
enum { FIRST_PLACES = 256, LONGEST_WORDS = 126, MOST_QUARTER = 128 };
enum quarters { FOR_NAMES = 2, FOR_ALL = 3 };

/* What the parent had is left where it is: another of its threads may have held the lock. */
void ocl_names_forget(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    table = NULL;
    places = count = 0;
    last = 0;
    chunk = NULL;
    at = NULL;
    chunks = 0;
}

/* ---- Writing ---- */

static bool renew(enum quarters quarters)
{
    const uint32_t most = ocl_spool_page()->most / 4;

    if (chunks >= (uint32_t)quarters * (most < MOST_QUARTER ? most : MOST_QUARTER))
        return false;
    if (chunk)
        ocl_spool_give(chunk);
    chunk = ocl_spool_take(OCL_SPOOL_NAMES);
    at = chunk ? (uint64_t *)(chunk + 1) : NULL;
    chunks += chunk != NULL;
    return chunk != NULL;
}

static bool has_room(unsigned words, enum quarters quarters)
{
    return (chunk && (char *)(at + words) <= (char *)chunk + OCL_SPOOL_CHUNK) || renew(quarters);
}

/* Longer names are cut. */
static bool write_name(const char *text, uint32_t number)
{
    const size_t most = (LONGEST_WORDS - 1) * sizeof(uint64_t) - 1;
    const size_t bytes = strlen(text) < most ? strlen(text) : most;
    const unsigned words = 1 + (unsigned)(bytes / sizeof(uint64_t) + 1);

    if (!has_room(words, FOR_NAMES))
        return false;
    memcpy(at + 1, text, bytes);
    at[0] = ocl_spool_first(OCL_SPOOL_NAME, words, 0, number);
    at += words;
    return true;
}

void ocl_names_begin(const char *const *names, size_t names_count)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < names_count; i++)
        (void)write_name(names[i], ++last);
    pthread_mutex_unlock(&lock);
}

void ocl_profile_keep(enum ocl_spool_kind kind, unsigned small, uint32_t name,
                      const uint64_t *words, unsigned words_count)
{
    pthread_mutex_lock(&lock);
    if (ocl_spool_page() && has_room(words_count + 1, FOR_ALL)) {
        memcpy(at + 1, words, words_count * sizeof *words);
        at[0] = ocl_spool_first(kind, words_count + 1, small, name);
        at += words_count + 1;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- Finding ---- */

static struct name *find(struct name *in, size_t size, const char *text)
{
    size_t place = (size_t)fnv_add(FNV_START, text, strlen(text)) & (size - 1);

    while (in[place].text && strcmp(in[place].text, text) != 0)
        place = (place + 1) & (size - 1);
    return &in[place];
}

static bool grow(void)
{
    const size_t size = places ? 2 * places : FIRST_PLACES;
    struct name *larger = calloc(size, sizeof *larger);

    if (!larger)
        return false;
    for (size_t i = 0; i < places; i++)
        if (table[i].text)
            *find(larger, size, table[i].text) = table[i];
    free(table);
    table = larger;
    places = size;
    return true;
}

static uint32_t add(struct name *name, const char *text)
{
    char *copy = strdup(text);

    if (!copy || !write_name(text, last + 1)) {
        free(copy);
        atomic_fetch_add(&ocl_spool_page()->lost, 1);
        return 0;
    }
    *name = (struct name){copy, ++last};
    count++;
    return last;
}

uint32_t ocl_profile_name(const char *text)
{
    uint32_t number = 0;

    pthread_mutex_lock(&lock);
    if (ocl_spool_page() && (2 * (count + 1) <= places || grow())) {
        struct name *name = find(table, places, text);
        number = name->text ? name->number : add(name, text);
    }
    pthread_mutex_unlock(&lock);
    return number;
}
