/* Semantics of cudaMemcpyAsync: pairs, streams, and when the call returns.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "../oracle.h"

static const char *const kind_names[] = {"HostToHost", "HostToDevice", "DeviceToHost",
                                         "DeviceToDevice", "Default"};

/* The usable pairs, or those with one end that is not. */
static void copy_pairs(bool usable, int kind)
{
    size_t count = 0;
    cudaStream_t stream;
    const struct place *places = make_places(&count);
    REQUIRE(cudaStreamCreate(&stream));
    for (size_t to = 0; to < count; to++) {
        for (size_t from = 0; from < count; from++) {
            int fit = places[to].usable + places[from].usable;
            if (usable ? fit == 2 : fit == 1) {
                TRY_AS(cudaMemcpyAsync(places[to].p, places[from].p, PLACE_BYTES,
                                       (enum cudaMemcpyKind)kind, stream),
                       "%s %s <- %s", kind_names[kind], places[to].name, places[from].name);
            }
        }
    }
}

void case_memcpy_async_pairs_host_to_host(void)
{
    copy_pairs(true, cudaMemcpyHostToHost);
}

void case_memcpy_async_bad_host_to_host(void)
{
    copy_pairs(false, cudaMemcpyHostToHost);
}

void case_memcpy_async_pairs_host_to_device(void)
{
    copy_pairs(true, cudaMemcpyHostToDevice);
}

void case_memcpy_async_bad_host_to_device(void)
{
    copy_pairs(false, cudaMemcpyHostToDevice);
}

void case_memcpy_async_pairs_device_to_host(void)
{
    copy_pairs(true, cudaMemcpyDeviceToHost);
}

void case_memcpy_async_bad_device_to_host(void)
{
    copy_pairs(false, cudaMemcpyDeviceToHost);
}

void case_memcpy_async_pairs_device_to_device(void)
{
    copy_pairs(true, cudaMemcpyDeviceToDevice);
}

void case_memcpy_async_bad_device_to_device(void)
{
    copy_pairs(false, cudaMemcpyDeviceToDevice);
}

void case_memcpy_async_pairs_default(void)
{
    copy_pairs(true, cudaMemcpyDefault);
}

void case_memcpy_async_bad_default(void)
{
    copy_pairs(false, cudaMemcpyDefault);
}

void case_memcpy_async_arguments(void)
{
    char *d = device_block(4096);
    char h[64] = {0};
    cudaStream_t stream;
    REQUIRE(cudaStreamCreate(&stream));
    TRY(cudaMemcpyAsync(d, h, 64, cudaMemcpyHostToDevice, NULL));
    TRY(cudaMemcpyAsync(d, h, 64, cudaMemcpyHostToDevice, cudaStreamLegacy));
    TRY(cudaMemcpyAsync(d, h, 64, cudaMemcpyHostToDevice, cudaStreamPerThread));
    TRY(cudaMemcpyAsync(d, h, 64, (enum cudaMemcpyKind)9, stream));
    TRY(cudaMemcpyAsync(d, h, 0, (enum cudaMemcpyKind)9, stream));
    TRY(cudaMemcpyAsync(NULL, NULL, 0, (enum cudaMemcpyKind)9, stream));
    TRY(cudaMemcpyAsync(NULL, NULL, 64, (enum cudaMemcpyKind)9, stream));
    TRY(cudaMemcpyAsync(NULL, NULL, 0, cudaMemcpyDefault, stream));
    TRY(cudaMemcpyAsync(NULL, NULL, 64, cudaMemcpyDefault, stream));
    TRY(cudaMemcpyAsync(d, NULL, 64, cudaMemcpyHostToDevice, stream));
    TRY(cudaMemcpyPeerAsync(d, -1, d + 64, 0, 64, stream));
    TRY(cudaMemcpyPeerAsync(d, 0, d + 64, 0, 64, stream));
    TRY(cudaMemcpyAsync(d, h, 64, cudaMemcpyHostToDevice, (cudaStream_t)(uintptr_t)3));
    TRY(cudaMemcpyAsync(d, h, 0, cudaMemcpyHostToDevice, (cudaStream_t)(uintptr_t)3));
    TRY(cudaMemcpyAsync(d, h, 64, (enum cudaMemcpyKind)9, (cudaStream_t)(uintptr_t)3));
}

/* What a form needs is compiled before: a process that compiles works, and a spin is over when it has worked for long. */
static void get_ready(void *to, const void *from, size_t bytes, cudaStream_t stream)
{
    const int nothing = 0;
    REQUIRE(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
    REQUIRE(cudaStreamSynchronize(stream));
    REQUIRE(cudaMemcpy(to, &nothing, sizeof nothing, cudaMemcpyDefault));
}

/* Each form is started behind a long kernel on its own stream. */
static void after_spin(const char *name, void *to, const void *from, size_t bytes, int check_source)
{
    cudaStream_t stream;
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    get_ready(to, from, bytes, stream);
    REQUIRE(spin_start(stream, SPIN_MS));
    CALL_AS(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "%s: copy", name);
    VALUE(spin_is_over(), "%s: the call waited", name);
    CALL_AS(cudaStreamQuery(stream), "%s: query", name);
    if (check_source) {
        memset((void *)(uintptr_t)from, 9, bytes);
    }
    CALL_AS(cudaStreamSynchronize(stream), "%s: synchronize", name);
    VALUE(read_int(to) & 0xff, "%s: first byte", name);
    REQUIRE(cudaStreamDestroy(stream));
}

void case_memcpy_async_returns(void)
{
    size_t bytes = 4096;
    size_t large = 8 * MIB;
    char *device = device_block(large);
    char *other = device_block(large);
    char *pinned = pinned_block(large);
    char *pageable = calloc(1, large);
    char *pageable_b = calloc(1, large);
    char *pinned_b = pinned_block(large);
    spin_prepare();
    REQUIRE(cudaMemset(other, 4, large));
    memset(pageable, 1, large);
    after_spin("pageable to device, 4 KiB, source overwritten", device, pageable, bytes, 1);
    memset(pageable, 1, large);
    after_spin("pageable to device, 8 MiB, source overwritten", device, pageable, large, 1);
    memset(pageable, 1, large);
    memset(pinned, 2, large);
    after_spin("pinned to device, source overwritten", device, pinned, bytes, 1);
    memset(pinned, 2, large);
    after_spin("pinned to device", device, pinned, large, 0);
    after_spin("device to pageable, 4 KiB", pageable, other, bytes, 0);
    after_spin("device to pageable, 8 MiB", pageable, other, large, 0);
    after_spin("device to pinned", pinned_b, other, large, 0);
    after_spin("device to device", device, other, large, 0);
    after_spin("pageable to pageable", pageable_b, pageable, bytes, 0);
    after_spin("pageable to pinned", pinned_b, pageable, bytes, 0);
    after_spin("pinned to pageable", pageable_b, pinned, bytes, 0);
    after_spin("pinned to pinned", pinned_b, pinned, bytes, 0);
}

/* The blocking forms behind a long kernel on the legacy stream. */
static void blocking_after_spin(const char *name, void *to, const void *from, size_t bytes)
{
    REQUIRE(spin_start(NULL, SPIN_MS));
    CALL_AS(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "%s: copy", name);
    VALUE(spin_is_over(), "%s: the call waited", name);
    REQUIRE(cudaDeviceSynchronize());
}

void case_memcpy_async_blocking_returns(void)
{
    size_t large = 8 * MIB;
    char *device = device_block(large);
    char *other = device_block(large);
    char *pinned = pinned_block(large);
    char *pinned_b = pinned_block(large);
    char *pageable = calloc(1, large);
    char *pageable_b = calloc(1, large);
    spin_prepare();
    blocking_after_spin("pageable to device, 4 KiB", device, pageable, 4096);
    blocking_after_spin("pageable to device, 64 KiB", device, pageable, 64 * KIB);
    blocking_after_spin("pageable to device, 8 MiB", device, pageable, large);
    blocking_after_spin("pinned to device", device, pinned, 4096);
    blocking_after_spin("device to pageable", pageable, device, 4096);
    blocking_after_spin("device to pinned", pinned, device, 4096);
    blocking_after_spin("device to device", device, other, 4096);
    blocking_after_spin("pageable to pageable", pageable, pageable_b, 4096);
    blocking_after_spin("pinned to pinned", pinned, pinned_b, 4096);
    blocking_after_spin("device to device, 0 bytes", device, other, 0);
    blocking_after_spin("pageable to device, 0 bytes", device, pageable, 0);
}
