/* From one device's memory to another's: copies, and kernels that read what is not theirs.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "bench/cuda_side.h"

struct peer {
    struct span source, target; /* the target is the other device's for copies, ours for kernels */
    struct peak_launch launch;
    int other;
    bool is_enabled;
};

static bool is_copy(const struct attempt *attempt)
{
    return attempt->task->row->detail == PEER_COPY;
}

static bool is_kernel(const struct attempt *attempt)
{
    return attempt->task->row->detail == PEER_KERNEL;
}

static int here(const struct attempt *attempt)
{
    return attempt->device->index;
}

static bool find_other(struct attempt *attempt, struct peer *peer)
{
    int count = 0, can = 0;
    if (!cuda_ok(attempt, cudaGetDeviceCount(&count), "cudaGetDeviceCount"))
        return false;
    if (count < 2)
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "there is one device only");
    peer->other = here(attempt) == 0 ? 1 : 0;
    if (is_copy(attempt))
        return true;
    if (!cuda_ok(attempt, cudaDeviceCanAccessPeer(&can, here(attempt), peer->other),
                 "cudaDeviceCanAccessPeer"))
        return false;
    if (!can)
        return attempt_fail(attempt, STATUS_UNSUPPORTED,
                            "kernels of device %d do not reach the memory of device %d",
                            here(attempt), peer->other);
    peer->is_enabled = cudaDeviceEnablePeerAccess(peer->other, 0) == cudaSuccess;
    cudaGetLastError();
    return true;
}

/* Takes memory of the other device; the current one stays. */
static bool take_there(struct attempt *attempt, struct peer *peer, struct span *span)
{
    bool taken = cuda_ok(attempt, cudaSetDevice(peer->other), "cudaSetDevice") &&
                 span_take(attempt, span, DEVICE, attempt->task->bytes);
    cudaSetDevice(here(attempt));
    return taken;
}

static bool open_peer(struct attempt *attempt)
{
    struct peer *peer = attempt->state = calloc(1, sizeof *peer);
    if (!peer)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    struct span *theirs = is_copy(attempt) ? &peer->target : &peer->source;
    struct span *ours = is_copy(attempt) ? &peer->source : &peer->target;
    if (!find_other(attempt, peer) || !take_there(attempt, peer, theirs) ||
        !span_take(attempt, ours, DEVICE, attempt->task->bytes) ||
        !span_fill(attempt, &peer->source, PATTERN_WORDS))
        return false;
    peer->launch.target = peer->target.device;
    peer->launch.first = peer->source.device;
    const enum kernel_form form = attempt->device->is_cpu ? FORM_CHUNKED : FORM_ITEM;
    return is_copy(attempt) ||
           (kernels_load(attempt, KERNELS_PEAK, &peer->launch.library) &&
            peak_prepare(attempt, &peer->launch, PEAK_COPY, form, attempt->task->bytes));
}

static bool poison_peer(struct attempt *attempt)
{
    struct peer *peer = attempt->state;
    return span_poison(attempt, &peer->target);
}

static bool verify_peer(struct attempt *attempt)
{
    struct peer *peer = attempt->state;
    return span_check(attempt, &peer->target, CONTENT_COPY);
}

static void close_peer(struct attempt *attempt)
{
    struct peer *peer = attempt->state;
    if (!peer)
        return;
    if (peer->launch.library)
        cudaLibraryUnload(peer->launch.library);
    if (peer->is_enabled)
        cudaDeviceDisablePeerAccess(peer->other);
    span_give(&peer->source);
    span_give(&peer->target);
    free(peer);
}

static bool run_copy(struct attempt *attempt, size_t count)
{
    struct peer *peer = attempt->state;
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = cudaMemcpyPeerAsync(peer->target.pointer, peer->other, peer->source.pointer,
                                    here(attempt), attempt->task->bytes, NULL);
    return cuda_ok(attempt, error, "cudaMemcpyPeerAsync") &&
           cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
}

static bool run_kernel(struct attempt *attempt, size_t count)
{
    struct peer *peer = attempt->state;
    return peak_run(attempt, &peer->launch, count);
}

static const struct method methods[] = {
    {"cudaMemcpyPeerAsync", is_copy, run_copy},
    {"kernel", is_kernel, run_kernel},
    {NULL, NULL, NULL},
};

const struct way cuda_peer = {open_peer, poison_peer, verify_peer, close_peer, methods};
