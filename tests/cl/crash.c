/* Tests of cl/base/crash.c: what the processor says of an access.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/crash.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/test.h"

static unsigned char *page;
static enum ocl_crash_access told;

static void note(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    told = ocl_crash_access_by(context);
    mprotect(page, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE);
}

/* Of one touch of a page that may not be touched. */
static enum ocl_crash_access access_of(bool writes)
{
    volatile unsigned char *const byte = page;
    assert_int_equal(mprotect(page, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE), 0);
    if (writes)
        *byte = 1;
    else
        (void)*byte;
    return told;
}

TEST_BODY(crash_access_is_told_apart_where_the_processor_tells)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO}, before;
    page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(page, MAP_FAILED);
    assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
    const enum ocl_crash_access write = access_of(true), read = access_of(false);
    sigaction(SIGSEGV, &before, NULL);
    munmap(page, (size_t)sysconf(_SC_PAGESIZE));
#if !defined __x86_64__
    if (write == OCL_CRASH_TOUCH && read == OCL_CRASH_TOUCH)
        TEST_SKIP("the system does not tell what kind of access it was");
#endif
    assert_int_equal(write, OCL_CRASH_WRITE);
    assert_int_equal(read, OCL_CRASH_READ);
}

#if defined __aarch64__

static enum ocl_crash_access access_with(uint64_t syndrome, uint32_t bytes_in_front)
{
    ucontext_t context;
    memset(&context, 0, sizeof context);
    struct _aarch64_ctx front = {FPSIMD_MAGIC, bytes_in_front};
    struct esr_context record = {{ESR_MAGIC, sizeof record}, syndrome};
    if (bytes_in_front <= sizeof context.uc_mcontext.__reserved - sizeof record)
        memcpy(context.uc_mcontext.__reserved + bytes_in_front, &record, sizeof record);
    memcpy(context.uc_mcontext.__reserved, &front, sizeof front);
    return ocl_crash_access_by(&context);
}

TEST_BODY(crash_access_is_read_from_records)
{
    const uint32_t front = sizeof(struct fpsimd_context);
    assert_int_equal(access_with(0x92000047, front), OCL_CRASH_WRITE);
    assert_int_equal(access_with(0x92000007, front), OCL_CRASH_READ);
    assert_int_equal(access_with(0x92000147, front), OCL_CRASH_READ);  /* cleans a cache */
    assert_int_equal(access_with(0x82000047, front), OCL_CRASH_READ);  /* fetches an instruction */
    assert_int_equal(access_with(0x92000047, 4080), OCL_CRASH_WRITE);  /* the last that fits */
    assert_int_equal(access_with(0x92000047, 0), OCL_CRASH_TOUCH);     /* no size: damaged */
    assert_int_equal(access_with(0x92000047, 4096), OCL_CRASH_TOUCH);  /* none behind */
    assert_int_equal(access_with(0x92000047, 70000), OCL_CRASH_TOUCH); /* beyond the end */
}

#else

TEST_BODY(crash_access_is_read_from_records)
{
    TEST_SKIP("there are records on arm64 only");
}

#endif
