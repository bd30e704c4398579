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

enum { FIRST_PLACES = 256, LONGEST_WORDS = 126 };

/* What the parent had is left where it is: another of its threads may have held the lock. */
void ocl_names_forget(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    table = NULL;
    places = count = 0;
    last = 0;
    chunk = NULL;
    at = NULL;
}

/* ---- Writing ---- */

static bool has_room(unsigned words)
{
    return chunk && (char *)(at + words) <= (char *)chunk + OCL_SPOOL_CHUNK;
}

static bool renew(void)
{
    if (chunk)
        ocl_spool_give(chunk);
    chunk = ocl_spool_take(OCL_SPOOL_NAMES);
    at = chunk ? (uint64_t *)(chunk + 1) : NULL;
    return chunk != NULL;
}

/* Longer names are cut. */
static void write_name(const char *text, uint32_t number)
{
    const size_t most = (LONGEST_WORDS - 1) * sizeof(uint64_t) - 1;
    const size_t bytes = strlen(text) < most ? strlen(text) : most;
    const unsigned words = 1 + (unsigned)(bytes / sizeof(uint64_t) + 1);

    if (!has_room(words) && !renew())
        return;
    memcpy(at + 1, text, bytes);
    at[0] = ocl_spool_first(OCL_SPOOL_NAME, words, 0, number);
    at += words;
}

void ocl_names_begin(const char *const *names, size_t names_count)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < names_count; i++)
        write_name(names[i], ++last);
    pthread_mutex_unlock(&lock);
}

void ocl_profile_keep(enum ocl_spool_kind kind, unsigned small, uint32_t name,
                      const uint64_t *words, unsigned words_count)
{
    pthread_mutex_lock(&lock);
    if (ocl_spool_page() && (has_room(words_count + 1) || renew())) {
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
    name->text = strdup(text);
    if (!name->text)
        return 0;
    name->number = ++last;
    count++;
    write_name(text, name->number);
    return name->number;
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
