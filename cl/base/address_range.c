/* Reserves host addresses with inaccessible mappings.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/address_range.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cl/base/steady.h"
#include "cl/range_map.h"

/* No 64-bit Linux gives a process memory above this unless it asks for a place there.
 * Source: the kernel's Documentation/arch/x86/x86_64/5level-paging and arm64/memory. */
enum { HOST_ADDRESS_BITS = 48 };

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

ocl_status ocl_address_range_reserve(size_t bytes, void **range, size_t *range_bytes)
{
    size_t page = page_bytes();
    if (bytes > SIZE_MAX - 2 * page)
        return OCL_E_OUT_OF_MEMORY;
    size_t whole = (bytes + page - 1) / page * page + page;
    void *made = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED)
        return OCL_E_OUT_OF_MEMORY;
    *range = made;
    *range_bytes = whole;
    return OCL_OK;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* What lies in /dev and is memory all the same: /dev/zero is also the name of what processes share without a file. */
static bool is_device_file(const char *path)
{
    static const char *const memory[] = {"/dev/shm/", "/dev/zero", "/dev/hugepages/",
                                         "/dev/mqueue/"};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        if (begins_with(path, memory[i]))
            return false;
    return begins_with(path, "/dev/");
}

/* Whether a line of /proc/self/maps describes memory that a program could hold data in. */
static bool is_memory(const char *access, const char *path)
{
    bool is_accessible = access[0] == 'r' || access[1] == 'w';
    return is_accessible && !is_device_file(path);
}

struct mapping {
    uint64_t begin, end;
    bool is_memory;
};

static bool read_mapping(FILE *maps, struct mapping *mapping)
{
    char line[4352]; /* PATH_MAX and the columns before it */
    char access[8];
    unsigned long begin, end;
    while (fgets(line, sizeof line, maps)) {
        int path_at = 0;
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %n", &begin, &end, access, &path_at) < 3)
            continue;
        *mapping = (struct mapping){begin, end, is_memory(access, line + path_at)};
        return true;
    }
    return false;
}

/* Reads the process's own list of mappings: is all that overlaps [first, last) somebody's
 * reservation and not memory? Then [*low, *high) is that reservation with its neighbours of the
 * same sort. When the list cannot be read, the answer is the cautious one. */
static bool find_reservation(uint64_t first, uint64_t last, uint64_t *low, uint64_t *high)
{
    struct mapping mapping;
    bool is_found = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return false;
    *low = *high = 0;
    while (read_mapping(maps, &mapping)) {
        bool overlaps = mapping.begin < last && mapping.end > first;
        if (mapping.is_memory && overlaps) {
            is_found = false;
            break;
        }
        if (mapping.begin >= last && (mapping.is_memory || mapping.begin != *high))
            break;
        if (mapping.is_memory)
            continue;
        if (mapping.begin != *high)
            *low = mapping.begin;
        *high = mapping.end;
        is_found |= overlaps;
    }
    fclose(maps);
    return is_found;
}

static bool is_reservation(uint64_t first, uint64_t last, uint64_t *low, uint64_t *high)
{
    const int before = ocl_steady_begin();
    const bool is_found = find_reservation(first, last, low, high);
    ocl_steady_end(before);
    return is_found;
}

/* All claims of the process, since two devices may use the same numbers, and those whose pages are reserved. */
static struct ocl_range_map *claims, *reserved;
static pthread_once_t claims_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t claims_lock = PTHREAD_MUTEX_INITIALIZER; /* pages come and go with claims */

static void create_claims(void)
{
    if (ocl_range_map_create(&claims) != OCL_OK || ocl_range_map_create(&reserved) != OCL_OK)
        claims = NULL;
}

struct pages {
    uint64_t first, end;
};

/* The pages of a claim but for those, at its edges, that neighbours have reserved. Claims lock held. */
static struct pages own_pages(const struct ocl_range_claim *claim)
{
    const uint64_t page = page_bytes();
    const uint64_t first = claim->address / page * page;
    const uint64_t end = (claim->address + claim->bytes + page - 1) / page * page;
    struct pages own = {first, end};
    if (!ocl_range_map_is_free(reserved, own.first, page))
        own.first += page;
    if (own.first < own.end && !ocl_range_map_is_free(reserved, own.end - page, page))
        own.end -= page;
    return own;
}

/* Claims lock held. */
static enum ocl_range_finding reserve_pages(struct ocl_range_claim *claim)
{
    if (claim->address >> HOST_ADDRESS_BITS || claim->bytes >> HOST_ADDRESS_BITS)
        return OCL_RANGE_BEYOND;
    const struct pages own = own_pages(claim);
    const size_t bytes = own.end - own.first;
    if (bytes == 0)
        return OCL_RANGE_CLAIMED;
    void *wanted = (void *)(uintptr_t)own.first;
    void *made = mmap(wanted, bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (made == wanted)
        return OCL_RANGE_CLAIMED;
    if (made != MAP_FAILED) /* a kernel before 4.17 takes the address as a wish */
        munmap(made, bytes);
    else if (errno != EEXIST)
        return OCL_RANGE_BEYOND;
    return is_reservation(own.first, own.end, &claim->low, &claim->high) ? OCL_RANGE_BLOCKED
                                                                         : OCL_RANGE_TAKEN;
}

/* Claims lock held. */
static void give_pages(const struct ocl_range_claim *claim)
{
    const struct pages own = own_pages(claim);
    if (own.first < own.end)
        munmap((void *)(uintptr_t)own.first, own.end - own.first);
}

/* Pages that cannot be noted are given back. Claims lock held. */
static enum ocl_range_finding reserve(struct ocl_range_claim *claim)
{
    const enum ocl_range_finding finding = reserve_pages(claim);
    if (finding != OCL_RANGE_CLAIMED)
        return finding;
    claim->is_reserved =
        ocl_range_map_insert(reserved, claim->address, claim->bytes, &reserved) == OCL_OK;
    if (!claim->is_reserved)
        give_pages(claim);
    return claim->is_reserved ? OCL_RANGE_CLAIMED : OCL_RANGE_TAKEN;
}

/* Claims lock held. */
static void disclaim(struct ocl_range_claim *claim)
{
    if (claim->is_reserved) {
        ocl_range_map_erase(reserved, claim->address, claim->bytes);
        give_pages(claim);
    }
    if (claim->bytes > 0)
        ocl_range_map_erase(claims, claim->address, claim->bytes);
    *claim = (struct ocl_range_claim){0};
}

/* Claims lock held. */
static enum ocl_range_finding claim_range(struct ocl_range_claim *claim, bool is_drivers)
{
    if (!claims || ocl_range_map_insert(claims, claim->address, claim->bytes, &claims) != OCL_OK) {
        claim->bytes = 0;
        return OCL_RANGE_TAKEN;
    }
    const enum ocl_range_finding finding = is_drivers ? OCL_RANGE_BLOCKED : reserve(claim);
    if (finding == OCL_RANGE_TAKEN)
        disclaim(claim);
    return finding;
}

enum ocl_range_finding ocl_address_range_claim(uint64_t address, size_t bytes, bool is_drivers,
                                               struct ocl_range_claim *claim)
{
    *claim = (struct ocl_range_claim){.address = address, .bytes = bytes};
    pthread_once(&claims_once, create_claims);
    pthread_mutex_lock(&claims_lock);
    const enum ocl_range_finding finding = claim_range(claim, is_drivers);
    pthread_mutex_unlock(&claims_lock);
    return finding;
}

bool ocl_address_range_is_blocked(uint64_t address, size_t bytes)
{
    const uint64_t page = page_bytes();
    uint64_t low, high;
    pthread_once(&claims_once, create_claims);
    if (!claims || address >> HOST_ADDRESS_BITS || bytes >> HOST_ADDRESS_BITS)
        return false;
    const uint64_t first = address / page * page;
    const uint64_t end = (address + bytes + page - 1) / page * page;
    return ocl_range_map_is_free(reserved, first, end - first) &&
           is_reservation(first, end, &low, &high);
}

void ocl_address_range_disclaim(struct ocl_range_claim *claim)
{
    pthread_mutex_lock(&claims_lock);
    disclaim(claim);
    pthread_mutex_unlock(&claims_lock);
}

void ocl_address_range_release(void *range, size_t range_bytes)
{
    if (range)
        munmap(range, range_bytes);
}
