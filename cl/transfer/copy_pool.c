/* Host threads that share the copying of host memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/transfer/copy_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "cl/base/steady.h"
#include "cl/own_thread.h"
#include "cl/transfer/transfer_plan.h"

enum { MAX_THREADS = 16 };

/* Below this a copy is over before another thread has woken up (5 to 50 us). */
enum { SHARED_FROM = 256 * 1024 };

/* A part is small enough that a late thread finds work left, and large enough to be worth the
 * counter. */
enum { PART_BYTES = 128 * 1024 };

/* One copy being shared; lives on the stack of the thread that wants it. */
struct job {
    const struct ocl_copy *copy;
    bool is_streaming;
    size_t units; /* bytes of a linear copy, rows of others */
    size_t units_of_part;
    size_t parts;
    _Atomic size_t next; /* part that nobody has begun */
    unsigned helpers;    /* threads inside; pool's lock */
    struct job *following;
};

struct ocl_copy_pool {
    pthread_mutex_t lock;
    pthread_cond_t has_job;
    pthread_cond_t has_left; /* a helper left a job */
    struct job *jobs;        /* those with parts left, as far as is known */
    pthread_t threads[MAX_THREADS];
    unsigned wanted, running; /* helpers: the callers' threads are not counted */
    bool is_ending;
};

/* ---- Copying ---- */

#ifdef __SSE2__
/* Cached stores read every line of the target first; these do not. */
static void copy_streaming(unsigned char *to, const unsigned char *from, size_t bytes)
{
    const size_t head = -(uintptr_t)to & 15;
    size_t i = head;

    if (bytes < 64) {
        memcpy(to, from, bytes);
        return;
    }
    memcpy(to, from, head);
    for (; i + 64 <= bytes; i += 64) {
        const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(from + i));
        const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(from + i + 16));
        const __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(from + i + 32));
        const __m128i d = _mm_loadu_si128((const __m128i *)(const void *)(from + i + 48));
        _mm_stream_si128((__m128i *)(void *)(to + i), a);
        _mm_stream_si128((__m128i *)(void *)(to + i + 16), b);
        _mm_stream_si128((__m128i *)(void *)(to + i + 32), c);
        _mm_stream_si128((__m128i *)(void *)(to + i + 48), d);
    }
    _mm_sfence();
    memcpy(to + i, from + i, bytes - i);
}
#else
static void copy_streaming(unsigned char *to, const unsigned char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}
#endif

/* An aligned value goes in one piece, as a device's copy engine takes it: programs look at values by copies while other
 * streams write them. */
static bool copy_value(unsigned char *to, const unsigned char *from, size_t bytes)
{
    if ((bytes != 4 && bytes != 8) || ((uintptr_t)to | (uintptr_t)from) % bytes)
        return false;
    if (bytes == 8)
        __atomic_store_n((uint64_t *)(void *)to,
                         __atomic_load_n((const uint64_t *)(const void *)from, __ATOMIC_ACQUIRE),
                         __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)(void *)to,
                         __atomic_load_n((const uint32_t *)(const void *)from, __ATOMIC_ACQUIRE),
                         __ATOMIC_RELEASE);
    return true;
}

static void copy_bytes(const struct ocl_copy *copy, size_t first, size_t end, bool is_streaming)
{
    unsigned char *to = (unsigned char *)(uintptr_t)copy->target.address + first;
    const unsigned char *from = (const unsigned char *)(uintptr_t)copy->source.address + first;

    if (copy_value(to, from, end - first))
        return;
    if (is_streaming)
        copy_streaming(to, from, end - first);
    else
        memcpy(to, from, end - first);
}

static void copy_rows(const struct ocl_copy *copy, size_t first, size_t end)
{
    size_t z = first / copy->height;
    size_t y = first % copy->height;

    for (size_t row = first; row < end; row++) {
        unsigned char *to = (unsigned char *)(uintptr_t)copy->target.address +
                            z * copy->target.slice_bytes + y * copy->target.pitch;
        const unsigned char *from = (const unsigned char *)(uintptr_t)copy->source.address +
                                    z * copy->source.slice_bytes + y * copy->source.pitch;
        memcpy(to, from, copy->width);
        if (++y == copy->height) {
            y = 0;
            z++;
        }
    }
}

static void copy_units(const struct job *job, size_t first, size_t end)
{
    if (ocl_plan_is_linear(job->copy))
        copy_bytes(job->copy, first, end, job->is_streaming);
    else
        copy_rows(job->copy, first, end);
}

static void copy_parts(struct job *job)
{
    size_t part;

    while ((part = atomic_fetch_add(&job->next, 1)) < job->parts) {
        const size_t first = part * job->units_of_part;
        const size_t left = job->units - first;
        copy_units(job, first, first + (left < job->units_of_part ? left : job->units_of_part));
    }
}

static void cut(struct job *job)
{
    if (ocl_plan_is_linear(job->copy)) {
        job->units = job->copy->width;
        job->units_of_part = PART_BYTES;
    } else {
        job->units = job->copy->height * job->copy->depth;
        job->units_of_part = job->copy->width < PART_BYTES ? PART_BYTES / job->copy->width : 1;
    }
    job->parts = (job->units - 1) / job->units_of_part + 1;
}

/* ---- Threads ---- */

static struct job *job_with_parts(const struct ocl_copy_pool *pool)
{
    struct job *job = pool->jobs;

    while (job && atomic_load(&job->next) >= job->parts)
        job = job->following;
    return job;
}

static void *help(void *argument)
{
    struct ocl_copy_pool *pool = argument;

    pthread_mutex_lock(&pool->lock);
    while (!pool->is_ending) {
        struct job *job = job_with_parts(pool);
        if (!job) {
            ocl_steady_wait(&pool->has_job, &pool->lock);
            continue;
        }
        job->helpers++;
        pthread_mutex_unlock(&pool->lock);
        copy_parts(job);
        pthread_mutex_lock(&pool->lock);
        if (--job->helpers == 0)
            pthread_cond_broadcast(&pool->has_left);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Pool's lock held. A thread that cannot be started now is tried again at the next copy. */
static void start_threads(struct ocl_copy_pool *pool)
{
    while (pool->running < pool->wanted) {
        if (!own_thread_start(&pool->threads[pool->running], 0, help, pool))
            return;
        pool->running++;
    }
}

static void offer(struct ocl_copy_pool *pool, struct job *job)
{
    pthread_mutex_lock(&pool->lock);
    start_threads(pool);
    job->following = pool->jobs;
    pool->jobs = job;
    pthread_cond_broadcast(&pool->has_job);
    pthread_mutex_unlock(&pool->lock);
}

/* Takes the job off the list and waits for those who still copy a part of it. */
static void take_back(struct ocl_copy_pool *pool, struct job *job)
{
    struct job **link = &pool->jobs;

    pthread_mutex_lock(&pool->lock);
    while (*link != job)
        link = &(*link)->following;
    *link = job->following;
    while (job->helpers > 0)
        ocl_steady_wait(&pool->has_left, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void ocl_copy_pool_run(struct ocl_copy_pool *pool, const struct ocl_copy *copy, bool is_streaming)
{
    struct job job = {.copy = copy, .is_streaming = is_streaming};
    const bool is_shared = pool->wanted > 0 && ocl_plan_bytes(copy) >= SHARED_FROM;

    cut(&job);
    if (is_shared)
        offer(pool, &job);
    copy_parts(&job);
    if (is_shared)
        take_back(pool, &job);
}

/* ---- Life ---- */

ocl_status ocl_copy_pool_create(unsigned threads, struct ocl_copy_pool **pool)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    struct ocl_copy_pool *made = calloc(1, sizeof *made);

    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    if (online > 0 && threads > (unsigned long)online)
        threads = (unsigned)online;
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    made->wanted = threads > 0 ? threads - 1 : 0;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->has_job, NULL);
    pthread_cond_init(&made->has_left, NULL);
    *pool = made;
    return OCL_OK;
}

void ocl_copy_pool_destroy(struct ocl_copy_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->is_ending = true;
    pthread_cond_broadcast(&pool->has_job);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->running; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->has_left);
    pthread_cond_destroy(&pool->has_job);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}
