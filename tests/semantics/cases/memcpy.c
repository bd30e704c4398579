/* Semantics of cudaMemcpy between every pair of memory kinds.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../oracle.h"

static const char *const kind_names[] = {"HostToHost", "HostToDevice", "DeviceToHost",
                                         "DeviceToDevice", "Default"};

static void put_byte(const struct place *place, unsigned char byte)
{
    if (place->host) {
        memset(place->p, byte, PLACE_BYTES);
    } else {
        REQUIRE(cudaMemset(place->p, byte, PLACE_BYTES));
        REQUIRE(cudaDeviceSynchronize());
    }
}

static int get_byte(const struct place *place)
{
    unsigned char byte = 0;
    if (place->host) {
        return ((const unsigned char *)place->p)[PLACE_BYTES - 1];
    }
    REQUIRE(cudaMemcpy(&byte, place->p + PLACE_BYTES - 1, 1, cudaMemcpyDeviceToHost));
    return byte;
}

static void copy_pair(const struct place *to, const struct place *from, int kind,
                      const char *kind_name)
{
    bool checked = to->usable && from->usable && to->p != from->p;
    if (checked) {
        put_byte(to, 1);
        put_byte(from, 2);
    }
    TRY_AS(cudaMemcpy(to->p, from->p, PLACE_BYTES, (enum cudaMemcpyKind)kind), "%s %s <- %s",
           kind_name, to->name, from->name);
    if (checked && strncmp(to->name, from->name, 6) != 0) {
        VALUE(get_byte(to), "%s %s <- %s: byte", kind_name, to->name, from->name);
    }
}

/* Which pairs a case takes: both ends fit for use, or the one end or the other not. */
enum pairs { PAIRS_USABLE, PAIRS_BAD_TO, PAIRS_BAD_FROM };

static bool takes(enum pairs pairs, const struct place *to, const struct place *from)
{
    switch (pairs) {
    case PAIRS_USABLE:
        return to->usable && from->usable;
    case PAIRS_BAD_TO:
        return !to->usable && (from->usable || (!to->p && !from->p));
    case PAIRS_BAD_FROM:
        return to->usable && !from->usable;
    }
    return false;
}

static void copy_pairs(enum pairs pairs, int kind)
{
    size_t count = 0;
    const struct place *places = make_places(&count);
    for (size_t to = 0; to < count; to++) {
        for (size_t from = 0; from < count; from++) {
            if (takes(pairs, &places[to], &places[from])) {
                copy_pair(&places[to], &places[from], kind, kind_names[kind]);
            }
        }
    }
}

void case_memcpy_pairs_host_to_host(void)
{
    copy_pairs(PAIRS_USABLE, cudaMemcpyHostToHost);
}

void case_memcpy_bad_to_host_to_host(void)
{
    copy_pairs(PAIRS_BAD_TO, cudaMemcpyHostToHost);
}

void case_memcpy_bad_from_host_to_host(void)
{
    copy_pairs(PAIRS_BAD_FROM, cudaMemcpyHostToHost);
}

void case_memcpy_pairs_host_to_device(void)
{
    copy_pairs(PAIRS_USABLE, cudaMemcpyHostToDevice);
}

void case_memcpy_bad_to_host_to_device(void)
{
    copy_pairs(PAIRS_BAD_TO, cudaMemcpyHostToDevice);
}

void case_memcpy_bad_from_host_to_device(void)
{
    copy_pairs(PAIRS_BAD_FROM, cudaMemcpyHostToDevice);
}

void case_memcpy_pairs_device_to_host(void)
{
    copy_pairs(PAIRS_USABLE, cudaMemcpyDeviceToHost);
}

void case_memcpy_bad_to_device_to_host(void)
{
    copy_pairs(PAIRS_BAD_TO, cudaMemcpyDeviceToHost);
}

void case_memcpy_bad_from_device_to_host(void)
{
    copy_pairs(PAIRS_BAD_FROM, cudaMemcpyDeviceToHost);
}

void case_memcpy_pairs_device_to_device(void)
{
    copy_pairs(PAIRS_USABLE, cudaMemcpyDeviceToDevice);
}

void case_memcpy_bad_to_device_to_device(void)
{
    copy_pairs(PAIRS_BAD_TO, cudaMemcpyDeviceToDevice);
}

void case_memcpy_bad_from_device_to_device(void)
{
    copy_pairs(PAIRS_BAD_FROM, cudaMemcpyDeviceToDevice);
}

void case_memcpy_pairs_default(void)
{
    copy_pairs(PAIRS_USABLE, cudaMemcpyDefault);
}

void case_memcpy_bad_to_default(void)
{
    copy_pairs(PAIRS_BAD_TO, cudaMemcpyDefault);
}

void case_memcpy_bad_from_default(void)
{
    copy_pairs(PAIRS_BAD_FROM, cudaMemcpyDefault);
}

void case_memcpy_bad_kind(void)
{
    static const int kinds[] = {5, -1, 6, 100, INT_MAX, INT_MIN};
    char *device = device_block(4096);
    char host[64] = {0};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        enum cudaMemcpyKind kind = (enum cudaMemcpyKind)kinds[i];
        TRY_AS(cudaMemcpy(device, host, 64, kind), "kind %d", kinds[i]);
        TRY_AS(cudaMemcpy(device, host, 0, kind), "kind %d, 0 bytes", kinds[i]);
        TRY_AS(cudaMemcpy(NULL, host, 64, kind), "kind %d, to NULL", kinds[i]);
        TRY_AS(cudaMemcpy(device, NULL, 64, kind), "kind %d, from NULL", kinds[i]);
        TRY_AS(cudaMemcpy(NULL, NULL, 64, kind), "kind %d, both NULL", kinds[i]);
        TRY_AS(cudaMemcpy(NULL, NULL, 0, kind), "kind %d, both NULL, 0 bytes", kinds[i]);
        TRY_AS(cudaMemcpy(device, host, SIZE_MAX, kind), "kind %d, SIZE_MAX bytes", kinds[i]);
    }
}

void case_memcpy_zero_bytes(void)
{
    size_t count = 0;
    const struct place *places = make_places(&count);
    for (int kind = 0; kind <= 4; kind++) {
        for (size_t i = 0; i < count; i++) {
            TRY_AS(cudaMemcpy(places[i].p, places[(i + 1) % count].p, 0, (enum cudaMemcpyKind)kind),
                   "%s 0 bytes %s <- %s", kind_names[kind], places[i].name,
                   places[(i + 1) % count].name);
        }
        TRY_AS(cudaMemcpy(NULL, NULL, 0, (enum cudaMemcpyKind)kind), "%s 0 bytes, both NULL",
               kind_names[kind]);
    }
}

void case_memcpy_sizes(void)
{
    char *device = device_block(64 * KIB);
    char *other = device_block(64 * KIB);
    char *pinned = pinned_block(64 * KIB);
    char *host = calloc(1, 64 * KIB);
    static const size_t sizes[] = {1,       64 * KIB,  64 * KIB + 1, 2 * MIB + 1,
                                   1 * GIB, HUGE_SIZE, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        TRY_AS(cudaMemcpy(device, other, sizes[i], cudaMemcpyDeviceToDevice),
               "device <- device %zx", sizes[i]);
        TRY_AS(cudaMemcpy(device, other, sizes[i], cudaMemcpyDefault),
               "Default device <- device %zx", sizes[i]);
        TRY_AS(cudaMemcpy(device, pinned, sizes[i], cudaMemcpyHostToDevice), "device <- pinned %zx",
               sizes[i]);
        TRY_AS(cudaMemcpy(pinned, device, sizes[i], cudaMemcpyDeviceToHost), "pinned <- device %zx",
               sizes[i]);
    }
    static const size_t host_sizes[] = {1, 64 * KIB, 64 * KIB + 1, HUGE_SIZE, SIZE_MAX};
    for (size_t i = 0; i < sizeof host_sizes / sizeof host_sizes[0]; i++) {
        TRY_AS(cudaMemcpy(device, host, host_sizes[i], cudaMemcpyHostToDevice),
               "device <- pageable %zx", host_sizes[i]);
    }
    free(host);
}

void case_memcpy_overlap(void)
{
    char *device = device_block(4096);
    unsigned char host[256];
    for (int i = 0; i < 256; i++) {
        host[i] = (unsigned char)i;
    }
    REQUIRE(cudaMemcpy(device, host, 256, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(device, device, 256, cudaMemcpyDeviceToDevice));
    TRY(cudaMemcpy(device + 128, device, 128, cudaMemcpyDeviceToDevice));
    TRY(cudaMemcpy(device + 16, device, 128, cudaMemcpyDeviceToDevice));
    TRY(cudaMemcpy(device, device + 16, 128, cudaMemcpyDeviceToDevice));
    VALUE(read_int(device + 200) != 0, "bytes outside are kept");
}

void case_memcpy_interior(void)
{
    char *device = device_block(4096);
    unsigned char host[64];
    unsigned char back[64] = {0};
    memset(host, 7, sizeof host);
    CALL(cudaMemcpy(device + 13, host, 17, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(back, device, 64, cudaMemcpyDeviceToHost));
    VALUE(back[12] * 10000 + back[13] * 100 + back[29], "bytes 12, 13, 29");
    VALUE(back[30], "byte 30");
    CALL(cudaMemcpy(device + 40, device + 13, 5, cudaMemcpyDeviceToDevice));
    CALL(cudaMemcpy(back, device, 64, cudaMemcpyDeviceToHost));
    VALUE(back[39] * 10000 + back[40] * 100 + back[44], "bytes 39, 40, 44");
    VALUE(back[45], "byte 45");
}

void case_memcpy_peer(void)
{
    int devices = 0;
    REQUIRE(cudaGetDeviceCount(&devices));
    char *a = device_block(4096);
    char *b = device_block(4096);
    char host[64] = {0};
    TRY(cudaMemcpyPeer(a, 0, b, 0, 64));
    TRY(cudaMemcpyPeer(a, 0, b, 0, 0));
    TRY(cudaMemcpyPeer(NULL, 0, b, 0, 64));
    TRY(cudaMemcpyPeer(a, 0, NULL, 0, 64));
    TRY(cudaMemcpyPeer(NULL, 0, NULL, 0, 0));
    TRY(cudaMemcpyPeer(a, -1, b, 0, 64));
    TRY(cudaMemcpyPeer(a, 0, b, -1, 64));
    TRY_AS(cudaMemcpyPeer(a, devices, b, 0, 64), "dstDevice = count");
    TRY_AS(cudaMemcpyPeer(a, 0, b, devices, 64), "srcDevice = count");
    TRY_AS(cudaMemcpyPeer(NULL, devices, NULL, -1, 64), "all wrong");
    TRY_AS(cudaMemcpyPeer(NULL, devices, NULL, -1, 0), "all wrong, 0 bytes");
    TRY_AS(cudaMemcpyPeer(a, 0, host, 0, 64), "from pageable");
    TRY_AS(cudaMemcpyPeer(host, 0, a, 0, 64), "to pageable");
    TRY(cudaMemcpyPeer(a, 0, b, 0, HUGE_SIZE));
}

void case_memcpy_after_reset(void)
{
    char *device = device_block(4096);
    char *pinned = pinned_block(4096);
    char host[64] = {0};
    CALL(cudaDeviceReset());
    TRY(cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(host, device, 64, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(host, device, 64, cudaMemcpyDefault));
    TRY(cudaMemset(device, 0, 64));
    TRY_AS(cudaMemcpy(pinned, host, 64, cudaMemcpyHostToHost), "to pinned memory of before");
}
