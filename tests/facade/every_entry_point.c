/* Calls every function of the lists of entry points once, with arguments that are all zero: nothing
 * crashes, what clem offers does not say that it is not supported, and what it cannot offer does.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/test.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

enum status { supported, later, cannot };

struct entry {
    const char *group, *name;
    enum status status;
};

static const struct entry runtime_entries[] = {
#define ENTRY(group, name, status) {#group, #name, status},
#include "facade/lists/entry_points.def"
#undef ENTRY
};

static const struct entry driver_entries[] = {
#define ENTRY(group, api_name, exported_name, status) {#group, #exported_name, status},
#include "facade/lists/driver_entry_points.def"
#undef ENTRY
};

enum {
    RUNTIME_COUNT = sizeof runtime_entries / sizeof runtime_entries[0],
    DRIVER_COUNT = sizeof driver_entries / sizeof driver_entries[0]
};

/* Functions have at most twelve arguments, some of them small structures: as many zeros as that take
 * the places of any of them. What comes back is a code, a pointer or nothing. */
typedef uintptr_t any_function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                               uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                               uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static unsigned call_with_zeros(const char *name)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);
    any_function *function = NULL;
    if (symbol == NULL) {
        print_error("%s is not exported\n", name);
        fail();
    }
    memcpy(&function, &symbol, sizeof function);
    return (unsigned)function(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

/* --- what cannot be offered ------------------------------------------------------------------- */

/* The bodies read no argument, so that one process may call them all. */
TEST_BODY(every_entry_point_of_the_runtime_that_cannot_says_so)
{
    size_t wrong = 0, called = 0;
    for (size_t i = 0; i < RUNTIME_COUNT; i++) {
        if (runtime_entries[i].status == supported)
            continue;
        call_with_zeros(runtime_entries[i].name);
        called++;
        if (cudaGetLastError() != cudaErrorNotSupported) {
            print_error("%s leaves no cudaErrorNotSupported\n", runtime_entries[i].name);
            wrong++;
        }
        assert_int_equal(cudaGetLastError(), cudaSuccess);
    }
    assert_true(called > 15);
    assert_int_equal(wrong, 0);
}

TEST_BODY(every_entry_point_of_the_driver_that_cannot_says_so)
{
    size_t wrong = 0, called = 0;
    for (size_t i = 0; i < DRIVER_COUNT; i++) {
        if (driver_entries[i].status == supported)
            continue;
        called++;
        if (call_with_zeros(driver_entries[i].name) != CUDA_ERROR_NOT_SUPPORTED) {
            print_error("%s does not return CUDA_ERROR_NOT_SUPPORTED\n", driver_entries[i].name);
            wrong++;
        }
    }
    assert_true(called > 15);
    assert_int_equal(wrong, 0);
}

/* --- what is offered -------------------------------------------------------------------------- */

/* Functions whose callers are compilers, which give what they need; and one that returns a
 * structure, through an address that it is given. */
static bool is_left_out(const char *name)
{
    static const char *const names[] = {"__cudaPopCallConfiguration", "cudaCreateChannelDesc"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* What the parent learns of a child that may end anywhere. */
struct progress {
    volatile size_t next;                  /* the entry being called */
    volatile int has_virtual, has_sharing; /* of the device, as its attributes say */
    volatile unsigned codes[RUNTIME_COUNT > DRIVER_COUNT ? RUNTIME_COUNT : DRIVER_COUNT];
};

static void ask_device(struct progress *progress)
{
    int has = 0;
    (void)cudaDeviceGetAttribute(&has, cudaDevAttrIpcEventSupport, 0);
    progress->has_sharing = has;
    if (cuInit(0) == CUDA_SUCCESS &&
        cuDeviceGetAttribute(&has, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0) ==
            CUDA_SUCCESS)
        progress->has_virtual = has;
}

/* Of a group that the device's attributes tell of. */
static bool may_lack(const struct progress *progress, const char *group)
{
    static const char *const of_sharing[] = {"ipc", "driver_ipc", "pool_sharing", "external_memory",
                                             "driver_external_memory"};
    if (strcmp(group, "driver_virtual") == 0)
        return !progress->has_virtual;
    for (size_t i = 0; i < sizeof of_sharing / sizeof of_sharing[0]; i++)
        if (strcmp(group, of_sharing[i]) == 0)
            return !progress->has_sharing;
    return false;
}

static void call_runtime(struct progress *progress)
{
    ask_device(progress);
    for (; progress->next < RUNTIME_COUNT; progress->next++) {
        const struct entry *entry = &runtime_entries[progress->next];
        if (entry->status != supported || is_left_out(entry->name))
            continue;
        (void)cudaGetLastError();
        call_with_zeros(entry->name);
        progress->codes[progress->next] = (unsigned)cudaGetLastError();
    }
}

static void call_driver(struct progress *progress)
{
    ask_device(progress);
    for (; progress->next < DRIVER_COUNT; progress->next++) {
        const struct entry *entry = &driver_entries[progress->next];
        if (entry->status != supported)
            continue;
        /* Some functions take the context away. */
        CUcontext context = NULL;
        if (cuInit(0) != CUDA_SUCCESS || cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
            cuCtxSetCurrent(context) != CUDA_SUCCESS)
            _exit(2);
        progress->codes[progress->next] = call_with_zeros(entry->name);
    }
}

/* The parent makes no call of its own: only so may its children make them. A child that ends early
 * is followed by another one behind the call that ended it. */
static size_t call_in_children(void (*body)(struct progress *), const struct entry *entries,
                               size_t count, unsigned not_supported)
{
    size_t wrong = 0;
    struct progress *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(progress != MAP_FAILED);
    while (progress->next < count && wrong < 20) {
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            body(progress);
            _exit(0);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (progress->next < count) {
            print_error("%s ends the process (status 0x%x)\n", entries[progress->next].name,
                        (unsigned)status);
            wrong++;
            progress->next++;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (entries[i].status == supported && progress->codes[i] == not_supported &&
            !may_lack(progress, entries[i].group)) {
            print_error("%s is not supported after all\n", entries[i].name);
            wrong++;
        }
    }
    munmap(progress, sizeof *progress);
    return wrong;
}

TEST_BODY(every_entry_point_of_the_runtime_takes_nothing)
{
    assert_int_equal(call_in_children(call_runtime, runtime_entries, RUNTIME_COUNT,
                                      (unsigned)cudaErrorNotSupported),
                     0);
}

TEST_BODY(every_entry_point_of_the_driver_takes_nothing)
{
    assert_int_equal(call_in_children(call_driver, driver_entries, DRIVER_COUNT,
                                      (unsigned)CUDA_ERROR_NOT_SUPPORTED),
                     0);
}
