/* What clem's map of live allocations costs, by number of ranges and of threads.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prints CSV when standard output is no terminal. Each figure is the median of 11 samples. Lookups
 * take ranges in a random order, so that a large map does not stay in the caches. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "bench/series.h"
#include "cl/range_map.h"

#define SAMPLES     11
#define LOOKUPS     200000
#define UPDATES     20000
#define SPACING     512
#define RANGE_BYTES 256
#define BASE        UINT64_C(0x7f0000000000)
#define MAX_READERS 8

struct object {
    uint64_t base;
};

struct registry {
    struct ocl_range_map *map;
    struct object *objects;
    size_t count;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void registry_close(struct registry *registry)
{
    for (size_t i = 0; registry->map && i < registry->count; i++)
        ocl_range_map_erase(registry->map, registry->objects[i].base, RANGE_BYTES);
    ocl_range_map_destroy(registry->map);
    free(registry->objects);
}

static bool registry_open(struct registry *registry, size_t count)
{
    *registry = (struct registry){0};
    registry->objects = malloc((count + 1) * sizeof *registry->objects);
    if (!registry->objects || ocl_range_map_create(&registry->map) != OCL_OK)
        return false;
    for (; registry->count < count; registry->count++) {
        struct object *object = &registry->objects[registry->count];
        object->base = BASE + registry->count * SPACING;
        if (ocl_range_map_insert(registry->map, object->base, RANGE_BYTES, object) != OCL_OK)
            return false;
    }
    return true;
}

/* Nanoseconds for one lookup; negative when an answer was wrong. */
static double time_lookups(const struct registry *registry, uint64_t seed)
{
    size_t wrong = 0;
    double start = now();
    for (size_t i = 0; i < LOOKUPS; i++) {
        uint64_t random = next_random(&seed);
        const struct object *object = &registry->objects[(random >> 8) % registry->count];
        uint64_t address =
            BASE + (uint64_t)(object - registry->objects) * SPACING + (random & (RANGE_BYTES - 1));
        wrong += ocl_range_map_find(registry->map, address) != object;
    }
    double seconds = now() - start;
    return wrong ? -1 : seconds / LOOKUPS * 1e9;
}

/* The loop without the map: what of time_lookups is not the lookup. */
static double time_nothing(const struct registry *registry, uint64_t seed)
{
    volatile uint64_t sink = 0;
    double start = now();
    for (size_t i = 0; i < LOOKUPS; i++) {
        uint64_t random = next_random(&seed);
        const struct object *object = &registry->objects[(random >> 8) % registry->count];
        sink =
            BASE + (uint64_t)(object - registry->objects) * SPACING + (random & (RANGE_BYTES - 1));
    }
    (void)sink;
    return (now() - start) / LOOKUPS * 1e9;
}

struct reader {
    const struct registry *registry;
    pthread_barrier_t *start;
    uint64_t seed;
    double nanoseconds;
};

static void *read_along(void *argument)
{
    struct reader *reader = argument;
    pthread_barrier_wait(reader->start);
    reader->nanoseconds = time_lookups(reader->registry, reader->seed);
    return NULL;
}

/* The slowest reader's nanoseconds for a lookup; negative when one was wrong or no thread could be
 * had. */
static double time_readers(const struct registry *registry, size_t count)
{
    pthread_t threads[MAX_READERS];
    struct reader readers[MAX_READERS];
    pthread_barrier_t start;
    double slowest = 0;
    pthread_barrier_init(&start, NULL, (unsigned)count);
    for (size_t i = 0; i < count; i++) {
        readers[i] = (struct reader){registry, &start, i + 88172645463325252u, 0};
        if (pthread_create(&threads[i], NULL, read_along, &readers[i]) != 0)
            abort(); /* the barrier would never open */
    }
    for (size_t i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        if (readers[i].nanoseconds < 0)
            slowest = -1;
        else if (slowest >= 0 && readers[i].nanoseconds > slowest)
            slowest = readers[i].nanoseconds;
    }
    pthread_barrier_destroy(&start);
    return slowest;
}

/* Nanoseconds for one erase and one insert together, of live ranges in random order. */
static double time_updates(struct registry *registry, uint64_t seed)
{
    double start = now();
    for (size_t i = 0; i < UPDATES; i++) {
        struct object *object = &registry->objects[(next_random(&seed) >> 8) % registry->count];
        ocl_range_map_erase(registry->map, object->base, RANGE_BYTES);
        if (ocl_range_map_insert(registry->map, object->base, RANGE_BYTES, object) != OCL_OK)
            return -1;
    }
    return (now() - start) / UPDATES * 1e9;
}

static void print_line(const char *what, size_t live, size_t threads, const struct series *samples)
{
    struct series_summary summary = series_summarize(samples);
    if (isatty(STDOUT_FILENO))
        printf("%-22s %9zu live  %zu threads  %9.1f ns  (best %.1f, spread %.1f%%)\n", what, live,
               threads, summary.median, summary.best, 100 * summary.cov);
    else
        printf("%s,%zu,%zu,%.2f,%.2f,%.4f\n", what, live, threads, summary.median, summary.best,
               summary.cov);
}

/* kind 0: lookups, 1: updates, otherwise: that many readers. False when an answer was wrong. */
static bool measure(const char *what, struct registry *registry, size_t kind)
{
    struct series samples = {0};
    bool fine = true;
    for (uint64_t i = 0; fine && i < SAMPLES; i++) {
        double value = kind == 0   ? time_lookups(registry, i + 88172645463325252u)
                       : kind == 1 ? time_updates(registry, i + 88172645463325252u)
                                   : time_readers(registry, kind);
        fine = value >= 0 && series_add(&samples, value);
    }
    if (fine)
        print_line(what, registry->count, kind > 1 ? kind : 1, &samples);
    series_free(&samples);
    return fine;
}

static bool measure_size(size_t count)
{
    struct registry registry;
    struct series nothing = {0};
    bool fine = registry_open(&registry, count);
    for (uint64_t i = 0; fine && i < SAMPLES; i++)
        fine = series_add(&nothing, time_nothing(&registry, i + 88172645463325252u));
    if (fine)
        print_line("registry.loop_alone", count, 1, &nothing);
    fine = fine && measure("registry.find", &registry, 0) &&
           measure("registry.erase_insert", &registry, 1);
    for (size_t readers = 2; fine && readers <= MAX_READERS; readers *= 2)
        fine = measure("registry.find", &registry, readers);
    series_free(&nothing);
    registry_close(&registry);
    return fine;
}

int main(void)
{
    static const size_t sizes[] = {1, 1000, 1000000};
    if (!isatty(STDOUT_FILENO))
        printf("row,live,threads,ns_median,ns_best,cov\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (!measure_size(sizes[i])) {
            fprintf(stderr, "clem-bench-registry: a wrong answer, or no memory\n");
            return 1;
        }
    }
    return 0;
}
