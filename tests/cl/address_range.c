/* Tests of cl/base/address_range.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/address_range.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/test.h"

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* write() answers EFAULT where the process may not read. */
static bool is_readable(const void *address)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const bool is_good = write(ends[1], address, 1) == 1;
    assert_true(is_good || errno == EFAULT);
    close(ends[0]);
    close(ends[1]);
    return is_good;
}

/* msync() answers ENOMEM where nothing is mapped. (So does qemu's mincore() where something is that nobody may read.) */
static bool is_mapped(const void *address)
{
    return msync((void *)(uintptr_t)address, page_bytes(), MS_ASYNC) == 0;
}

/* A mapping far from where the system puts others, so that nothing takes its place once it is given
 * back. The address is one that programs may use under every sanitizer. */
static char *map_apart(size_t bytes, int protection)
{
    static uintptr_t next = 0x7e9000000000;
    char *range =
        mmap((void *)next, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_equal(range, (void *)next);
    next += (uintptr_t)1 << 30;
    return range;
}

TEST_BODY(address_range_reserved_is_unreachable_and_has_a_gap)
{
    void *range = NULL;
    size_t bytes = 0;
    assert_int_equal(ocl_address_range_reserve(page_bytes() + 1, &range, &bytes), OCL_OK);
    assert_int_equal(bytes, 3 * page_bytes());
    assert_int_equal((uintptr_t)range % page_bytes(), 0);
    assert_true(is_mapped(range));
    assert_false(is_readable(range));
    assert_false(is_readable((char *)range + bytes - 1));
    ocl_address_range_release(range, bytes);
    assert_false(is_mapped(range));
}

TEST_BODY(address_range_reserves_more_than_there_is_memory)
{
    void *range = NULL;
    size_t bytes = 0;
    assert_int_equal(ocl_address_range_reserve((size_t)1 << 40, &range, &bytes), OCL_OK);
    ocl_address_range_release(range, bytes);
    assert_int_equal(ocl_address_range_reserve(SIZE_MAX, &range, &bytes), OCL_E_OUT_OF_MEMORY);
    assert_int_equal(ocl_address_range_reserve((size_t)1 << 60, &range, &bytes),
                     OCL_E_OUT_OF_MEMORY);
    ocl_address_range_release(NULL, 0);
}

TEST_BODY(address_range_claims_free_pages)
{
    struct ocl_range_claim claim;
    const size_t bytes = 3 * page_bytes();
    char *range = map_apart(bytes, PROT_NONE);
    munmap(range, bytes);
    const uint64_t address = (uint64_t)(uintptr_t)range;
    assert_int_equal(ocl_address_range_claim(address, bytes, false, &claim), OCL_RANGE_CLAIMED);
    assert_true(is_mapped(range) && is_mapped(range + bytes - page_bytes()));
    assert_false(is_readable(range));
    ocl_address_range_disclaim(&claim);
    assert_false(is_mapped(range));
    assert_int_equal(claim.bytes, 0);
    ocl_address_range_disclaim(&claim);
}

TEST_BODY(address_range_leaves_memory_of_the_program_alone)
{
    struct ocl_range_claim claim;
    const size_t bytes = 4 * page_bytes();
    char *range = map_apart(bytes, PROT_NONE);
    munmap(range, bytes);
    char *inside = mmap(range + 2 * page_bytes(), page_bytes(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    assert_ptr_equal(inside, range + 2 * page_bytes());
    *inside = 7;
    assert_int_equal(ocl_address_range_claim((uintptr_t)range, bytes, false, &claim),
                     OCL_RANGE_TAKEN);
    assert_int_equal(claim.bytes, 0);
    assert_int_equal(*inside, 7);
    assert_false(is_mapped(range));
    munmap(inside, page_bytes());
}

TEST_BODY(address_range_knows_a_drivers_reservation)
{
    struct ocl_range_claim claim;
    const size_t page = page_bytes();
    char *range = map_apart(8 * page, PROT_NONE);
    const uint64_t low = (uint64_t)(uintptr_t)range;
    assert_int_equal(ocl_address_range_claim(low + page, 2 * page, false, &claim),
                     OCL_RANGE_BLOCKED);
    assert_true(claim.low <= low && claim.high >= low + 8 * page);
    ocl_address_range_disclaim(&claim);
    assert_true(is_mapped(range + page)); /* the driver's, not ours to unmap */

    /* One page of it becomes memory: then the claim that holds it is refused, and its neighbours
     * are not. */
    assert_int_equal(mprotect(range + 4 * page, page, PROT_READ), 0);
    assert_int_equal(ocl_address_range_claim(low + 3 * page, 2 * page, false, &claim),
                     OCL_RANGE_TAKEN);
    assert_int_equal(ocl_address_range_claim(low + 5 * page, page, false, &claim),
                     OCL_RANGE_BLOCKED);
    assert_int_equal(claim.low, low + 5 * page);
    ocl_address_range_disclaim(&claim);
    munmap(range, 8 * page);
}

static enum ocl_range_finding find_out(const void *range)
{
    struct ocl_range_claim claim;
    const enum ocl_range_finding finding =
        ocl_address_range_claim((uintptr_t)range, page_bytes(), false, &claim);
    ocl_address_range_disclaim(&claim);
    return finding;
}

/* A file in place of a device's, which nobody has everywhere. */
TEST_BODY(address_range_takes_a_device_file_for_the_drivers)
{
    char path[] = "/dev/clem-test-XXXXXX";
    const int file = mkstemp(path);
    if (file < 0)
        TEST_SKIP("no file can be made in /dev");
    char *range = ftruncate(file, (off_t)page_bytes()) == 0
                      ? mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                      : MAP_FAILED;
    unlink(path);
    assert_ptr_not_equal(range, MAP_FAILED);
    assert_int_equal(find_out(range), OCL_RANGE_BLOCKED);
    munmap(range, page_bytes());
    close(file);
}

/* It lies in /dev, by its name, and is no device. */
TEST_BODY(address_range_shared_memory_is_the_programs)
{
    char path[] = "/dev/shm/clem-test-XXXXXX";
    char *anonymous =
        mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(anonymous, MAP_FAILED);
    assert_int_equal(find_out(anonymous), OCL_RANGE_TAKEN);
    munmap(anonymous, page_bytes());
    const int file = mkstemp(path);
    if (file < 0)
        TEST_SKIP("no file can be made in /dev/shm");
    char *range = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    unlink(path);
    assert_ptr_not_equal(range, MAP_FAILED);
    assert_int_equal(find_out(range), OCL_RANGE_TAKEN);
    munmap(range, page_bytes());
    close(file);
}

TEST_BODY(address_range_beyond_the_host_needs_no_reservation)
{
    struct ocl_range_claim claim;
    assert_int_equal(ocl_address_range_claim((uint64_t)1 << 62, 65536, false, &claim),
                     OCL_RANGE_BEYOND);
    ocl_address_range_disclaim(&claim);
    assert_int_equal(ocl_address_range_claim(UINT64_MAX - 4095, 4096, false, &claim),
                     OCL_RANGE_BEYOND);
    ocl_address_range_disclaim(&claim);
}

TEST_BODY(address_range_gives_numbers_once)
{
    struct ocl_range_claim first, second;
    const uint64_t address = (uint64_t)1 << 61;
    assert_int_equal(ocl_address_range_claim(address, 8192, false, &first), OCL_RANGE_BEYOND);
    assert_int_equal(ocl_address_range_claim(address + 8191, 512, false, &second), OCL_RANGE_TAKEN);
    assert_int_equal(ocl_address_range_claim(address - 1, 2, true, &second), OCL_RANGE_TAKEN);
    assert_int_equal(ocl_address_range_claim(address + 8192, 512, true, &second),
                     OCL_RANGE_BLOCKED);
    ocl_address_range_disclaim(&second);
    ocl_address_range_disclaim(&first);
    assert_int_equal(ocl_address_range_claim(address + 8191, 512, false, &second),
                     OCL_RANGE_BEYOND);
    ocl_address_range_disclaim(&second);
}

/* Two blocks of one device may share a page; giving one back must not open the page while the other
 * lives. */
TEST_BODY(address_range_shared_pages_stay_reserved)
{
    struct ocl_range_claim first, second, third;
    const size_t page = page_bytes();
    char *range = map_apart(4 * page, PROT_NONE);
    munmap(range, 4 * page);
    const uint64_t low = (uint64_t)(uintptr_t)range;
    assert_int_equal(ocl_address_range_claim(low, 2 * page + 512, false, &first),
                     OCL_RANGE_CLAIMED);
    assert_int_equal(ocl_address_range_claim(low + 2 * page + 512, 2 * page - 512, false, &second),
                     OCL_RANGE_CLAIMED);
    assert_true(is_mapped(range + 3 * page)); /* all of it, not the shared page alone */
    ocl_address_range_disclaim(&first);
    assert_false(is_mapped(range));
    assert_true(is_mapped(range + 2 * page));
    ocl_address_range_disclaim(&second);
    assert_false(is_mapped(range + 2 * page));
    assert_false(is_mapped(range + 3 * page));

    /* The other way round, and a page that three share. */
    assert_int_equal(ocl_address_range_claim(low + page + 512, 512, false, &second),
                     OCL_RANGE_CLAIMED);
    assert_int_equal(ocl_address_range_claim(low, page + 512, false, &first), OCL_RANGE_CLAIMED);
    assert_int_equal(ocl_address_range_claim(low + page + 1024, 512, false, &third),
                     OCL_RANGE_CLAIMED);
    ocl_address_range_disclaim(&second);
    assert_true(is_mapped(range) && is_mapped(range + page));
    ocl_address_range_disclaim(&first);
    assert_true(!is_mapped(range) && is_mapped(range + page));
    ocl_address_range_disclaim(&third);
    assert_false(is_mapped(range + page));
}
