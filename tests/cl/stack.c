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
