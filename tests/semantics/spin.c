/* Streams that are kept busy until nobody has anything else to do: no case depends on how fast the machine is.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <ctype.h>
#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "oracle.h"

enum { SAMPLE_MS = 5, MOST_MS = 20000, ITERATIONS = 1000 };

static unsigned *out;

/* One at a time. */
static struct {
    double began; /* on the process's clock */
    unsigned ms;
    _Atomic bool is_over;
} spin = {.is_over = true};

static double worked_ms(void)
{
    struct timespec now;
    require(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0, "clock_gettime");
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Neither running nor about to; a thread that is gone rests, too. */
static bool thread_rests(const char *thread)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", thread);
    FILE *file = fopen(path, "r");
    if (!file) {
        return true;
    }
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    const char *name_end = strrchr(text, ')');
    return length == 0 || !name_end || strchr("RD", name_end[2]) == NULL;
}

static bool others_rest(void)
{
    DIR *threads = opendir("/proc/self/task");
    bool rest = threads != NULL;
    const struct dirent *thread;
    while (rest && (thread = readdir(threads))) {
        rest = !isdigit((unsigned char)thread->d_name[0]) ||
               atol(thread->d_name) == syscall(SYS_gettid) || thread_rests(thread->d_name);
    }
    if (threads) {
        closedir(threads);
    }
    return rest;
}

/* Until all others have rested for the time, or the process has worked for it: some wait by asking again and again. Threads
 * that wait for a core do neither. */
static void CUDART_CB hold(void *unused)
{
    (void)unused;
    unsigned rested = 0;
    const double start = now_ms();
    while (rested + (worked_ms() - spin.began) < spin.ms && now_ms() - start < MOST_MS) {
        sleep_ms(SAMPLE_MS);
        rested += others_rest() ? SAMPLE_MS : 0;
    }
    spin.is_over = true;
}

static cudaError_t launch_spin(cudaStream_t stream)
{
    unsigned iterations = ITERATIONS;
    void *args[] = {&out, &iterations};
    return launch(KERNEL_SPIN, 1, 1, args, 0, stream);
}

void spin_prepare(void)
{
    if (out) {
        return;
    }
    REQUIRE(cudaMalloc((void **)&out, 4 * KIB));
    REQUIRE(launch_store((int *)out, 0, NULL));
    spin.ms = 0;
    REQUIRE(cudaLaunchHostFunc(NULL, hold, NULL));
    REQUIRE(launch_spin(NULL));
    REQUIRE(cudaDeviceSynchronize());
}

cudaError_t spin_start(cudaStream_t stream, unsigned ms)
{
    spin_prepare();
    require(spin.is_over, "the last spin is over");
    spin.began = worked_ms();
    spin.ms = ms;
    spin.is_over = false;
    const cudaError_t error = cudaLaunchHostFunc(stream, hold, NULL);
    return error == cudaSuccess ? launch_spin(stream) : error;
}

bool spin_is_over(void)
{
    return spin.is_over;
}

void spin_forget(void)
{
    out = NULL;
}
