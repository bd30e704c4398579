/* Tests of cl/check/stack.c and cl/check/symbol_file.c: where the host was.
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cl/check/stack.h"
#include "cl/check/symbol_file.h"
#include "tests/test.h"

__attribute__((noinline)) static uint32_t take_here(void)
{
    const uint32_t taken = ocl_stack_take();
    assert_int_not_equal(taken, 0);
    return taken;
}

/* Two calls of take_here() from one frame, and that from two: only what lies further out tells them apart. */
__attribute__((noinline)) static uint32_t take_through(bool is_second)
{
    uint32_t taken = 0;
    if (is_second)
        taken = take_here();
    else
        taken = take_here() | taken;
    return taken;
}

__attribute__((noinline)) static uint32_t take_below(unsigned depth)
{
    const uint32_t taken = depth > 0 ? take_below(depth - 1) : take_here();
    volatile unsigned left = depth; /* so that the call above is none that a jump can be */
    (void)left;
    return taken;
}

static bool is_here(const char *name, const void *unused)
{
    (void)unused;
    return strcmp(name, "take_here") == 0;
}

TEST_BODY(stack_of_one_place_has_one_number)
{
    uint32_t taken[3];
    for (volatile int i = 0; i < 3; i++)
        taken[i] = take_here();
    assert_int_equal(taken[0], taken[1]);
    assert_int_equal(taken[0], taken[2]);
    assert_int_not_equal(taken[0], take_here());
    assert_int_equal(ocl_stack_keep(ocl_stack_of(taken[0])), taken[0]);
    assert_int_equal(ocl_stack_keep(NULL), 0);
    assert_null(ocl_stack_of(0));
}

TEST_BODY(stack_of_other_callers_at_one_place_is_another)
{
    uint32_t first[4] = {0};
    for (volatile int turn = 0; turn < 3; turn++) {
        const uint32_t taken[4] = {take_through(false), take_through(true), take_through(false),
                                   take_through(true)};
        for (int i = 0; i < 4; i++) {
            first[i] = turn == 0 ? taken[i] : first[i];
            assert_int_equal(taken[i], first[i]);
            for (int k = 0; k < i; k++)
                assert_int_not_equal(taken[i], taken[k]);
        }
    }
}

TEST_BODY(stack_of_any_depth_is_found_again)
{
    uint32_t taken[40];
    for (volatile int turn = 0; turn < 2; turn++)
        for (unsigned depth = 0; depth < 40; depth++) {
            const uint32_t now = take_below(depth);
            taken[depth] = turn == 0 ? now : taken[depth];
            assert_int_equal(now, taken[depth]);
            assert_true(ocl_stack_of(now)->depth <= OCL_STACK_DEPTH);
        }
    assert_int_not_equal(taken[0], taken[1]);
}

TEST_BODY(stack_names_functions_that_nobody_exports)
{
    assert_true(ocl_stack_visit(take_here(), is_here, NULL));
    assert_false(ocl_stack_visit(0, is_here, NULL));
}

/* The program's own file, cut off, with bytes of its header all ones. */
static void look_into(const unsigned char *bytes, size_t size)
{
    char path[] = "/tmp/clem-symbols-XXXXXX", name[16];
    uintptr_t offset;
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), size);
    close(file);
    for (uintptr_t at = 0; at < 1 << 20; at += 77777)
        (void)ocl_symbol_find(path, at, name, sizeof name, &offset);
    unlink(path);
}

TEST_BODY(symbol_file_trusts_no_file)
{
    static unsigned char bytes[1 << 16];
    char name[16];
    uintptr_t offset;
    const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0);
    const ssize_t size = read(file, bytes, sizeof bytes);
    close(file);
    assert_true(size > 4096);
    for (size_t cut = 0; cut < 200; cut += 9)
        look_into(bytes, cut);
    for (size_t at = 4; at < 64; at++) {
        const unsigned char before = bytes[at];
        bytes[at] = 0xff;
        look_into(bytes, (size_t)size);
        bytes[at] = before;
    }
    assert_false(ocl_symbol_find("/nowhere", 1, name, sizeof name, &offset));
}
