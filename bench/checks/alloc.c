/* Rows that tell what allocation costs where a plain repetition cannot: in kernels, and beside one.
 * SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "bench/checks/checks.h"

static double microseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

enum { MOST_ITEMS = 64 * 512 };

/* Microseconds for malloc and free of one item; every item must get its memory. */
static bool time_heap(struct attempt *attempt, cudaLibrary_t library, uint32_t *fine, dim3 groups,
                      dim3 local, uint32_t bytes, double *time)
{
    static uint32_t ones[MOST_ITEMS];
    void *arguments[] = {&fine, &bytes};
    for (size_t i = 0; i < MOST_ITEMS; i++)
        ones[i] = 1;
    double start = 0;
    for (int run = 0; run < 2; run++) { /* the first one brings the heap up */
        start = microseconds();
        if (!check_launch(attempt, library, "heap_time", groups, local, arguments) ||
            !check_wait(attempt))
            return false;
    }
    *time = (microseconds() - start) / (groups.x * local.x);
    return check_words_at(attempt, fine, ones, groups.x * local.x);
}

/* The sources' table, with less memory: 8 MB of heap is what CUDA has unless told otherwise. */
bool check_heap_speed(struct attempt *attempt)
{
    cudaLibrary_t library = NULL;
    uint32_t *fine = NULL;
    double large = 0, small[2] = {0, 0};
    bool done =
        check_load_heap(attempt, &library) &&
        cuda_ok(attempt, cudaMalloc((void **)&fine, MOST_ITEMS * sizeof *fine), "cudaMalloc") &&
        time_heap(attempt, library, fine, (dim3){4, 1, 1}, (dim3){64, 1, 1}, 12 << 10, &large) &&
        time_heap(attempt, library, fine, (dim3){64, 1, 1}, (dim3){32, 1, 1}, 64, &small[0]) &&
        time_heap(attempt, library, fine, (dim3){64, 1, 1}, (dim3){512, 1, 1}, 64, &small[1]);
    check_unload(library);
    cudaFree(fine);
    if (done)
        check_note(attempt,
                   "malloc and free of 12 KiB: %.3f us; of 64 bytes in groups of 32: %.3f, of 512: "
                   "%.3f",
                   large, small[0], small[1]);
    return done;
}

enum { BUSY_US = 20000, BYTES = 1 << 20 };

struct busy {
    cudaLibrary_t library;
    uint32_t *state;
    void *arguments[2];
    uint32_t rounds;
};

static bool spin(struct attempt *attempt, struct busy *busy)
{
    return check_launch(attempt, busy->library, "check_spin", (dim3){1, 1, 1}, (dim3){1, 1, 1},
                        busy->arguments);
}

/* Finds how many rounds keep the device busy for about BUSY_US. */
static bool calibrate(struct attempt *attempt, struct busy *busy)
{
    double time = 0;
    for (busy->rounds = 1 << 16; time < BUSY_US && busy->rounds < 1u << 30; busy->rounds *= 2) {
        double start = microseconds();
        if (!spin(attempt, busy) || !check_wait(attempt))
            return false;
        time = microseconds() - start;
    }
    return true;
}

static bool time_alloc(struct attempt *attempt, double *taken, double *given)
{
    void *memory = NULL;
    const double start = microseconds();
    if (!cuda_ok(attempt, cudaMalloc(&memory, BYTES), "cudaMalloc"))
        return false;
    const double middle = microseconds();
    bool freed = cuda_ok(attempt, cudaFree(memory), "cudaFree");
    *taken = middle - start;
    *given = microseconds() - middle;
    return freed;
}

/* Holds whatever it costs: the note says whether the calls wait. */
bool check_alloc_busy(struct attempt *attempt)
{
    struct busy busy = {NULL, NULL, {&busy.state, &busy.rounds}, 0};
    double alone[2], beside[2];
    bool done =
        check_load(attempt, "check", &busy.library) &&
        cuda_ok(attempt, cudaMalloc((void **)&busy.state, sizeof *busy.state), "cudaMalloc") &&
        cuda_ok(attempt, cudaMemset(busy.state, 1, sizeof *busy.state), "cudaMemset") &&
        calibrate(attempt, &busy) && time_alloc(attempt, &alone[0], &alone[1]) &&
        spin(attempt, &busy) && time_alloc(attempt, &beside[0], &beside[1]) && check_wait(attempt);
    check_unload(busy.library);
    cudaFree(busy.state);
    if (done)
        check_note(
            attempt,
            "1 MiB: cudaMalloc %.1f us, cudaFree %.1f; beside a kernel of %d us or more: %.1f "
            "and %.1f",
            alone[0], alone[1], BUSY_US, beside[0], beside[1]);
    return done;
}
