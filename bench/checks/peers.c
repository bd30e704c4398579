/* Check of access between devices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/checks/checks.h"

enum { WORDS = 4096 };

/* Whichever device is current, a copy between two others' memories arrives whole. */
static bool copy_between(struct attempt *attempt, int here, int there)
{
    static uint32_t words[WORDS];
    void *mine = NULL, *theirs = NULL;
    pattern_fill(words, sizeof words, PATTERN_WORDS, 0);
    bool fine = cuda_ok(attempt, cudaMalloc(&mine, sizeof words), "cudaMalloc") &&
                cuda_ok(attempt, cudaMemcpy(mine, words, sizeof words, cudaMemcpyHostToDevice),
                        "cudaMemcpy") &&
                cuda_ok(attempt, cudaSetDevice(there), "cudaSetDevice") &&
                cuda_ok(attempt, cudaMalloc(&theirs, sizeof words), "cudaMalloc") &&
                cuda_ok(attempt, cudaMemset(theirs, POISON, sizeof words), "cudaMemset") &&
                cuda_ok(attempt, cudaMemcpyPeer(theirs, there, mine, here, sizeof words),
                        "cudaMemcpyPeer") &&
                check_words_at(attempt, theirs, words, WORDS);
    cudaFree(theirs);
    cudaSetDevice(here);
    cudaFree(mine);
    return fine;
}

/* A device is no peer of its own, and others than there are cannot be asked about. */
static bool refuses_others(struct attempt *attempt, int here)
{
    int can = 1;
    return cuda_ok(attempt, cudaDeviceCanAccessPeer(&can, here, here), "cudaDeviceCanAccessPeer") &&
           check_that(attempt, can == 0, "a device is told to be its own peer") &&
           check_error(attempt, cudaDeviceCanAccessPeer(&can, here, 1000), cudaErrorInvalidDevice,
                       "cudaDeviceCanAccessPeer of no device") &&
           check_error(attempt, cudaDeviceEnablePeerAccess(here, 0), cudaErrorPeerAccessUnsupported,
                       "cudaDeviceEnablePeerAccess of the device itself");
}

bool check_peers(struct attempt *attempt)
{
    int count = 0, reached = 0, can = 0;
    const int here = attempt->device->index;
    if (!cuda_ok(attempt, cudaGetDeviceCount(&count), "cudaGetDeviceCount") ||
        !refuses_others(attempt, here))
        return false;
    if (count < 2)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "there is one device only");
    for (int there = 0; there < count; there++) {
        if (there == here)
            continue;
        if (!cuda_ok(attempt, cudaDeviceCanAccessPeer(&can, here, there),
                     "cudaDeviceCanAccessPeer") ||
            !copy_between(attempt, here, there))
            return false;
        reached += can;
    }
    check_note(attempt, "kernels reach the memory of %d of %d other devices, copies that of all",
               reached, count - 1);
    return true;
}
