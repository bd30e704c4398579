/* Lets the OpenCL calls of one operation fail, each once: the error is a proper one, later work is right, nothing is left
 * behind, nothing hangs.
 *
 *   clem_faults MODE OPERATION   MODE: once    each call fails once, with one code
 *                                      codes   the same with every code; with one of them loops' later calls too, and
 *                                              every time the whole operation again
 *                                      shared  each call fails once, and once with all behind it, the codes in turn
 *                                      lost    each call fails, and all behind it do
 *                                      events  each command's event ends with an error
 *   clem_faults MODE OPERATION CODE   the same with this code alone
 *   clem_faults sample MODE PARTS [OPERATION...]  of all or these, a process each: one of so many calls, and of each at
 *                                     least one
 *   clem_faults start            each call fails once while the devices are found, in a process each
 *   clem_faults entries          every supported entry point is called by an operation
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define __CUDA_API_VERSION_INTERNAL /* names in the lists are symbols */
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clem.h"
#include "operation.h"
#include "tests/fault/commands.h"
#include "tests/fault/opencl.h"
#include "tests/fault/points.h"

enum { LONGEST = 5000, HANG_SECONDS = 60, LOST_CALL_MS = 2000, SKIPPED = 77 };

/* ---- The table ---- */

/* What an operation's calls may answer besides what the injected code means everywhere. */
enum {
    ANY_CODE = 0,
    BUILDS = 1, /* kernels are compiled: the error says that they cannot be */
    OPENS = 2,  /* devices are found and opened: the error says that there is none */
    TELLS =
        4, /* by the end of the next synchronisation it is known that a command ended with an error */
};

static const struct operation {
    const char *name;
    int (*function)(void);
    const char *environment; /* "NAME=VALUE", several with ';' between, or "" */
    unsigned errors;
} operations[] = {
#define OPERATION(name, environment, errors) {#name, operation_##name, environment, errors},
#include "operations.def"
#undef OPERATION
};

enum { OPERATIONS = sizeof operations / sizeof operations[0] };

static const struct operation *running;

/* ---- Lists of errors ---- */

enum { END_OF_LIST = -1 };

static bool is_in(const int *list, int error)
{
    while (*list != END_OF_LIST && *list != error)
        list++;
    return *list != END_OF_LIST;
}

/* ---- The calls ---- */

static const struct {
    const char *name, *base;
} per_thread_forms[] = {
#define PER_THREAD(type, name, base, parameters, arguments) {#name, #base},
#include "facade/lists/per_thread.def"
#undef PER_THREAD
};

static bool is_per_thread;
static bool (*note_called)(const char *name); /* NULL: nobody asks */
static struct timespec call_start;
static const char *call_name = "none", *slow_name, *failed_name; /* the first of a round */

static long milliseconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - start->tv_sec) * 1000 + (now.tv_nsec - start->tv_nsec) / 1000000;
}

/* The form of the function for a default stream per thread, if it has one and that is asked for. */
static void (*chosen_form(const char **name, void (*function)(void)))(void)
{
    for (size_t i = 0; i < sizeof per_thread_forms / sizeof per_thread_forms[0]; i++) {
        if (!is_per_thread || strcmp(per_thread_forms[i].base, *name) != 0)
            continue;
        *name = per_thread_forms[i].name;
        void *symbol = dlsym(RTLD_DEFAULT, *name);
        if (symbol == NULL)
            fault_wrong(__FILE__, __LINE__, *name);
        memcpy(&function, &symbol, sizeof function);
        break;
    }
    return function;
}

void (*fault_call_begins(const char *name, void (*function)(void)))(void)
{
    function = chosen_form(&name, function);
    if (note_called != NULL)
        note_called(name);
    call_name = name;
    clock_gettime(CLOCK_MONOTONIC, &call_start);
    return function;
}

/* What the context of the thread has answered with since the device was lost, by the first 8 contexts. */
static struct stuck {
    const void *context;
    int error;
} stuck[8];

static const int sticky[] = {cudaErrorLaunchFailure, cudaErrorIllegalAddress, END_OF_LIST};

static struct stuck *find_stuck(void)
{
    CUcontext context = NULL;
    if (cuCtxGetCurrent(&context) != CUDA_SUCCESS || context == NULL)
        return NULL;
    for (size_t i = 0; i < sizeof stuck / sizeof stuck[0]; i++) {
        if (stuck[i].context == context || stuck[i].context == NULL) {
            stuck[i].context = context;
            return &stuck[i];
        }
    }
    return NULL;
}

static bool is_call_of(const char *const *parts)
{
    for (; *parts; parts++)
        if (strstr(call_name, *parts) != NULL)
            return true;
    return false;
}

/* Once a context has answered with a sticky error it answers with no other, until it is reset or gone. */
static void check_stuck(int error)
{
    static const char *const ends[] = {"Destroy", "Detach", "Reset", "Release", NULL};
    static const char *const others[] = {"Peer", "Free",
                                         NULL}; /* may tell another device's failure */
    if (is_call_of(ends)) {
        memset(stuck, 0, sizeof stuck);
        return;
    }
    struct stuck *here = find_stuck();
    if (here == NULL || error == 0 || error == cudaErrorNotReady)
        return;
    if (here->error == 0 && is_in(sticky, error) && !is_call_of(others))
        here->error = error;
    if (here->error != 0 && error != here->error)
        fault_wrong(__FILE__, __LINE__, "a sticky error has become another one");
}

/* The sticky failure that a context of a round answered with, of which settle() sees only the one that is left. */
static int seen_failure;

/* Whether the current context, or a device that is in use, keeps that failure: copies wait for the work of both their devices. */
static bool is_kept(CUcontext current, int error)
{
    int count = 0;
    bool is = (int)cuCtxSynchronize() == error;
    (void)cudaGetDeviceCount(&count);
    for (int device = 0; device < count && !is; device++) {
        unsigned flags = 0;
        int is_active = 0;
        if (cuDevicePrimaryCtxGetState(device, &flags, &is_active) != CUDA_SUCCESS || !is_active)
            continue;
        (void)cudaSetDevice(device);
        is = (int)cuCtxSynchronize() == error;
    }
    (void)cuCtxSetCurrent(current);
    return is;
}

static void note_failure(int error)
{
    CUcontext context = NULL;
    if (is_in(sticky, error) && cuCtxGetCurrent(&context) == CUDA_SUCCESS && context != NULL &&
        is_kept(context, error))
        seen_failure = error;
}

int fault_call_ends(int error)
{
    if (fault_is_lost())
        check_stuck(error);
    else
        note_failure(error);
    if (milliseconds_since(&call_start) > LOST_CALL_MS)
        slow_name = call_name;
    if (error != 0 && error != cudaErrorNotReady && failed_name == NULL)
        failed_name = call_name;
    return error;
}

/* ---- What is wrong ---- */

void fault_wrong(const char *file, int line, const char *what)
{
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: %s (last call: %s, first that failed: %s)\n", file, line,
            running->name, what, call_name, failed_name != NULL ? failed_name : "none");
    fault_print_place();
    _exit(1);
}

/* By the signal's thread, which is the first one, mostly. */
static void hung(int number)
{
    static const char text[] = "this hangs, here:\n";
    void *callers[40];
    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    backtrace_symbols_fd(callers, backtrace(callers, 40), STDERR_FILENO);
    fault_wrong(__FILE__, __LINE__, "hangs");
}

/* The driver, libclem or the C library ends the process. */
static void ended(int number)
{
    void *callers[40];
    signal(number, SIG_DFL);
    fault_print_place();
    fprintf(stderr, "%s: signal %d in %s, which was called by\n", running->name, number, call_name);
    backtrace_symbols_fd(callers, backtrace(callers, 40), STDERR_FILENO);
    raise(number);
}

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fault_wrong(__FILE__, __LINE__, #condition);                                           \
    } while (0)

/* ---- Proper errors ---- */

static const struct {
    int code;
    int errors[5];
} meanings[] = {
    {-2, {cudaErrorDevicesUnavailable, END_OF_LIST}},
    {-5, {cudaErrorMemoryAllocation, cudaErrorLaunchOutOfResources, END_OF_LIST}},
    {-6, {cudaErrorMemoryAllocation, cudaErrorLaunchOutOfResources, END_OF_LIST}},
    {-14, {cudaErrorLaunchFailure, END_OF_LIST}},
    {-36, {cudaErrorIllegalAddress, cudaErrorInvalidResourceHandle, END_OF_LIST}},
    {-9999, {cudaErrorIllegalAddress, END_OF_LIST}},
};

static const struct {
    unsigned kind;
    int errors[8];
} additions[] = {
    {BUILDS,
     {cudaErrorInvalidKernelImage, cudaErrorNotSupported, cudaErrorNoKernelImageForDevice,
      cudaErrorSymbolNotFound, cudaErrorInvalidPtx, END_OF_LIST}},
    {OPENS,
     {cudaErrorNoDevice, cudaErrorInitializationError, cudaErrorDevicesUnavailable,
      cudaErrorNotSupported, cudaErrorInvalidDevice, END_OF_LIST}},
};

static bool is_proper(int code, unsigned kinds, int error)
{
    bool proper = error == cudaSuccess;
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
        proper = proper || (meanings[i].code == code && is_in(meanings[i].errors, error));
    for (size_t i = 0; i < sizeof additions / sizeof additions[0]; i++)
        proper = proper || ((kinds & additions[i].kind) != 0 && is_in(additions[i].errors, error));
    return proper;
}

static void check_error(int code, int error)
{
    char text[80];
    if (strcmp(fault_name(), "clSVMAlloc") == 0) /* which tells no code */
        code = -6;
    if (is_proper(code, running->errors, error))
        return;
    snprintf(text, sizeof text, "%s is no proper error", cudaGetErrorName((cudaError_t)error));
    fault_wrong(__FILE__, __LINE__, text);
}

/* ---- One operation ---- */

/* The device was lost: nobody can tell what it still runs when its memory is given back. */
static bool was_lost;

static void open_device(void)
{
    REQUIRE(cudaFree(NULL) == cudaSuccess);
}

static void reset_device(void)
{
    alarm(HANG_SECONDS);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    REQUIRE(was_lost || !fault_freed_in_use());
    REQUIRE(fault_command_outside() == NULL);
    fault_print_live();
    REQUIRE(fault_live_objects() == 0);
    (void)cudaGetLastError();
}

static bool has_handles(void)
{
    clemDeviceInfo info;
    return clemGetDeviceInfo(&info, 0) == cudaSuccess &&
           strcmp(clemAddressName(info.address), "handle") == 0;
}

/* Without a fault. */
static void run_well(void)
{
    alarm(HANG_SECONDS);
    failed_name = NULL;
    int error = running->function();
    if (error == cudaErrorNotSupported && has_handles()) {
        puts("skipped: kernels cannot follow pointers in memory under this strategy");
        exit(SKIPPED);
    }
    if (error != 0)
        fprintf(stderr, "%s\n", cudaGetErrorName((cudaError_t)error));
    REQUIRE(error == 0);
}

/* A device that is lost stays so, whatever is asked of it, until it is reset: the calls answer with an error, and from the
 * first sticky one on all with that. */
static void expect_lost(void)
{
    void *memory = NULL;
    cudaEvent_t event = NULL;
    int value = 0, last = 0;
    slow_name = NULL;
    int error = CALL(cudaMalloc, &memory, 1 << 20);
    error = fault_first(error, CALL(cudaEventCreate, &event));
    error = fault_first(error, CALL(cudaMemset, memory, 0, 1 << 20));
    error = fault_first(error, CALL(cudaMemcpy, &value, memory, 4, cudaMemcpyDeviceToHost));
    if (event != NULL)
        error = fault_first(error, CALL(cudaEventRecord, event, NULL));
    error = fault_first(error, CALL(cudaFree, memory));
    const int failure = last = CALL(cudaDeviceSynchronize);
    REQUIRE(error != 0);
    if (is_in(sticky, error))
        REQUIRE(failure == error);
    if (failure != 0) {
        REQUIRE(CALL(cudaMalloc, &memory, 16) == failure);
        REQUIRE(CALL(cudaMemset, memory, 0, 4) == failure);
        REQUIRE(CALL(cudaStreamQuery, NULL) == failure);
        REQUIRE(CALL(cudaFree, NULL) == failure);
        last = CALL(cudaDeviceSynchronize);
    }
    REQUIRE(last == failure);
    if (event != NULL)
        (void)CALL(cudaEventDestroy, event);
    REQUIRE(slow_name == NULL);
}

/* Returns whether a fault was met; *error is what the operation came to. */
static bool run_round(enum fault_mode mode, int code, unsigned repeats, int *error)
{
    alarm(HANG_SECONDS);
    slow_name = failed_name = NULL;
    seen_failure = 0;
    memset(stuck, 0, sizeof stuck);
    fault_begin(mode, code, repeats);
    *error = running->function();
    if (mode == FAULT_LOST && fault_was_met()) {
        was_lost = true;
        REQUIRE(slow_name == NULL);
        expect_lost();
    }
    const bool was_met = fault_end();
    if (!was_met)
        REQUIRE(*error == 0);
    REQUIRE(was_lost || !fault_freed_in_use());
    REQUIRE(fault_command_outside() == NULL);
    (void)cudaGetLastError();
    return was_met;
}

/* Of markers alone nobody need know: those behind which nobody waits move nothing. */
static bool must_tell(enum fault_mode mode)
{
    return mode == FAULT_EVENT && (running->errors & TELLS) != 0 &&
           strcmp(fault_name(), "clEnqueueMarkerWithWaitList") != 0;
}

/* What a fault leaves behind: a context that works, or one whose failure stays until it is reset. */
static void settle(enum fault_mode mode, int code, int error, bool is_thorough)
{
    const int failure = (int)cudaDeviceSynchronize();
    (void)cudaGetLastError();
    REQUIRE(failure == 0 || is_in(sticky, failure));
    REQUIRE(failure == (int)cudaDeviceSynchronize());
    if (must_tell(mode))
        REQUIRE(error != 0 || failure != 0);
    /* A device that does not tell how much memory it has has none to give. */
    const bool has_no_memory = mode == FAULT_LOST && error == cudaErrorMemoryAllocation;
    /* Another context of the operation's may have failed, as what waited for its work. */
    const bool is_sticky = is_in(sticky, error) && (mode == FAULT_LOST || error == seen_failure);
    if ((failure == 0 || error != failure) && !has_no_memory && !is_sticky)
        check_error(code, error);
    /* A driver may say that all work is done, and tell of a command that failed when its event is looked at, which for some
     * is some operations later. */
    if (failure != 0 || mode == FAULT_LOST || mode == FAULT_EVENT) {
        reset_device();
        open_device();
    }
    if (is_thorough || mode == FAULT_LOST)
        run_well();
}

/* Returns how many calls met a fault. The first round of many after a reset finds everything unmade; every round gets
 * further than the one before, and the last one is right to its end. */
static int run_rounds(enum fault_mode mode, int code, unsigned repeats)
{
    int met = 0, error = 0;
    const bool is_thorough = repeats > 1;
    fault_forget();
    open_device();
    while (run_round(mode, code, repeats, &error)) {
        settle(mode, code, error, is_thorough);
        met++;
        REQUIRE(met < LONGEST);
    }
    run_well();
    reset_device();
    printf("%s: %d calls met code %d in mode %d\n", running->name, met, code, (int)mode);
    return met;
}

static const int memory_code[] = {-6};
static const int other_codes[] = {-2, -5, -14, -36, -9999};
static const int all_codes[] = {-2, -5, -6, -14, -36, -9999};
static const int lost_codes[] = {-5, -36, -9999};
static const int event_codes[] = {-5, -14, -9999};

static bool shares_codes;     /* each call fails with one of a mode's codes */
static int only_code;         /* 0: all of a mode */
static unsigned wanted_parts; /* 0: every call of the operation */
static unsigned wanted_part;  /* which of them, where there are so many */

static unsigned count_places(enum fault_mode mode, int code, unsigned repeats)
{
    int error = 0;
    fault_sample(1, 1);
    fault_forget();
    open_device();
    (void)run_round(mode, code, repeats, &error);
    reset_device();
    return fault_places();
}

/* Opening a device is hundreds of calls, from wherever it is opened: where operations do so the codes of a list share
 * the places, so that each place fails with one of them. */
static void choose_places(enum fault_mode mode, const int *codes, size_t i, size_t count,
                          unsigned repeats)
{
    unsigned part = 0, parts = 1;
    if (wanted_parts != 0) {
        const unsigned places = count_places(mode, codes[i], repeats);
        parts = places < wanted_parts ? places : wanted_parts;
        part = parts == 0 ? 0 : (wanted_part + (unsigned)i) % parts;
    } else if (shares_codes || (running->errors & OPENS) != 0) {
        part = (unsigned)i;
        parts = (unsigned)count;
    }
    fault_sample(part, parts == 0 ? 1 : parts);
}

static int run_codes(enum fault_mode mode, const int *codes, size_t count, unsigned repeats)
{
    int met = 0;
    for (size_t i = 0; i < count; i++) {
        choose_places(mode, codes, i, count, repeats);
        if (only_code == 0 || codes[i] == only_code)
            met += run_rounds(mode, codes[i], repeats);
    }
    return met;
}

#define RUN_CODES(mode, codes, repeats)                                                            \
    run_codes(mode, codes, sizeof codes / sizeof codes[0], repeats)

static int run_mode(const char *mode)
{
    if (strcmp(mode, "once") == 0)
        return RUN_CODES(FAULT_ONCE, memory_code, 1);
    if (strcmp(mode, "codes") == 0)
        return RUN_CODES(FAULT_ONCE, memory_code, 4) + RUN_CODES(FAULT_ONCE, other_codes, 1);
    shares_codes = strcmp(mode, "shared") == 0;
    if (shares_codes)
        return RUN_CODES(FAULT_ONCE, all_codes, 1) + RUN_CODES(FAULT_LOST, lost_codes, 1);
    if (strcmp(mode, "lost") == 0)
        return RUN_CODES(FAULT_LOST, lost_codes, 1);
    if (strcmp(mode, "events") == 0)
        return RUN_CODES(FAULT_EVENT, event_codes, 2);
    fprintf(stderr, "no mode %s\n", mode);
    exit(2);
}

/* A list of "NAME=VALUE", with ';' between. */
static void use_environment(void)
{
    char text[512];
    snprintf(text, sizeof text, "%s", running->environment);
    for (char *rest = text, *item; (item = strsep(&rest, ";")) != NULL;) {
        char *value = strchr(item, '=');
        if (value == NULL)
            continue;
        *value = '\0';
        setenv(item, value + 1, 1);
    }
}

/* The layers are there to make a CPU another device. */
static void need_cpu_for_layers(void)
{
    clemDeviceInfo info;
    if (strstr(running->environment, "OPENCL_LAYERS") != NULL &&
        clemGetDeviceInfo(&info, 0) == cudaSuccess && info.deviceClass != 2) {
        puts("skipped: this is what a layer makes of a CPU");
        exit(SKIPPED);
    }
}

/* Returns how many calls met a fault. */
static int run_operation(const char *mode, const struct operation *operation)
{
    running = operation;
    use_environment();
    need_cpu_for_layers();
    run_well();
    reset_device();
    const int met = run_mode(mode);
    printf("%s, %s: %d points\n", operation->name, mode, met);
    REQUIRE(fault_unknown_extension() == NULL);
    return met;
}

static int run_named(const char *mode, const char *name)
{
    for (size_t i = 0; i < OPERATIONS; i++) {
        if (strcmp(operations[i].name, name) == 0) {
            (void)run_operation(mode, &operations[i]);
            return 0;
        }
    }
    fprintf(stderr, "no operation %s\n", name);
    return 2;
}

/* ---- Samples ---- */

static bool is_among(char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* Each operation has a process of its own, so that one that fails keeps none from being looked at. names: of the wanted
 * operations up to NULL; none means all. */
static int run_sample(const char *mode, unsigned parts, char *const *names)
{
    int *met = mmap(NULL, sizeof *met, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int right = 0, skipped = 0, wanted = 0;
    if (met == MAP_FAILED)
        return 2;
    wanted_parts = parts;
    for (wanted_part = 0; wanted_part < OPERATIONS; wanted_part++) {
        int state = 0;
        if (*names && !is_among(names, operations[wanted_part].name))
            continue;
        wanted++;
        const pid_t child = fork();
        if (child == 0) {
            *met += run_operation(mode, &operations[wanted_part]);
            exit(0);
        }
        if (child < 0 || waitpid(child, &state, 0) != child)
            return 2;
        if (state == 0)
            right++;
        else if (WIFEXITED(state) && WEXITSTATUS(state) == SKIPPED)
            skipped++;
        else
            printf("WRONG: %s (status %#x)\n", operations[wanted_part].name, (unsigned)state);
    }
    printf(
        "sample of %s: %d of %d operations right, %d skipped, %d points in those that are right\n",
        mode, right, wanted - skipped, skipped, *met);
    return wanted > 0 && right + skipped == wanted ? 0 : 1;
}

/* ---- Which entry points the operations call ---- */

static const char *const supported_entries[] = {
#define ENTRY(group, name, status) status(name)
#define supported(name)            #name,
#define later(name)
#define cannot(name)
#include "facade/lists/entry_points.def"
#undef ENTRY
#define ENTRY(group, api_name, exported_name, status) status(exported_name)
#include "facade/lists/driver_entry_points.def"
#undef ENTRY
#undef supported
#undef later
#undef cannot
};

enum { ENTRIES = sizeof supported_entries / sizeof supported_entries[0] };

/* Shared by processes: each operation has one of its own, with its environment. */
static bool *is_called;

static bool note_entry(const char *name)
{
    for (size_t i = 0; i < ENTRIES; i++) {
        if (strcmp(supported_entries[i], name) == 0)
            return is_called[i] = true;
    }
    return false;
}

static void call_entries(const struct operation *operation)
{
    running = operation;
    note_called = note_entry;
    use_environment();
    for (int form = 0; form < 2; form++) {
        is_per_thread = form == 1;
        run_well();
    }
    reset_device();
    _exit(0);
}

static bool call_entries_in_child(const struct operation *operation)
{
    int state = 0;
    const pid_t child = fork();
    if (child == 0)
        call_entries(operation);
    if (child < 0 || waitpid(child, &state, 0) != child)
        return false;
    return WIFEXITED(state) && (WEXITSTATUS(state) == 0 || WEXITSTATUS(state) == SKIPPED);
}

/* Those that no operation calls where there is no OpenGL. */
static bool needs_graphics(const char *entry)
{
    return strstr(entry, "Graphics") || strstr(entry, "GL");
}

static int check_entries(void)
{
    int missing = 0;
    const bool has_graphics = graphics_is_there();
    is_called = mmap(NULL, ENTRIES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (is_called == MAP_FAILED)
        return 2;
    for (size_t i = 0; i < OPERATIONS; i++) {
        if (!call_entries_in_child(&operations[i]))
            return 1;
    }
    for (size_t i = 0; i < ENTRIES; i++) {
        if (is_called[i] || (!has_graphics && needs_graphics(supported_entries[i])))
            continue;
        fprintf(stderr, "%s is called by no operation\n", supported_entries[i]);
        missing++;
    }
    printf("%d operations, %d of %d entry points\n", (int)OPERATIONS, (int)ENTRIES - missing,
           (int)ENTRIES);
    return missing != 0;
}

/* ---- Starting ---- */

enum { NO_FAULT_LEFT = 3 };

/* Ends the process: one that has found its devices badly keeps what it has found. */
static void start_with_fault(unsigned place)
{
    int count = 0;
    alarm(HANG_SECONDS);
    fault_skip(place);
    fault_begin(FAULT_ONCE, -6, 1);
    int error = CALL(cudaGetDeviceCount, &count);
    const bool was_met = fault_end();
    if (was_met && (error != 0 || count == 0))
        _exit(is_in((const int[]){cudaErrorNoDevice, cudaErrorMemoryAllocation, END_OF_LIST}, error)
                  ? 0
                  : 1);
    /* What is left of the devices works. */
    REQUIRE(error == 0);
    run_well();
    reset_device();
    _exit(was_met ? 0 : NO_FAULT_LEFT);
}

static int check_start(void)
{
    unsigned place = 0;
    int state = 0;
    running = &operations[0];
    for (; place < LONGEST; place++) {
        const pid_t child = fork();
        if (child == 0)
            start_with_fault(place);
        if (child < 0 || waitpid(child, &state, 0) != child || !WIFEXITED(state))
            return 1;
        if (WEXITSTATUS(state) != 0)
            break;
    }
    printf("start: %u points\n", place);
    return WEXITSTATUS(state) == NO_FAULT_LEFT ? 0 : 1;
}

int main(int argc, char **argv)
{
    signal(SIGALRM, hung);
    signal(SIGABRT, ended);
#ifndef __SANITIZE_ADDRESS__ /* whose own words are better */
    signal(SIGSEGV, ended);
    signal(SIGBUS, ended);
#endif
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 2 && strcmp(argv[1], "entries") == 0)
        return check_entries();
    if (argc == 2 && strcmp(argv[1], "start") == 0)
        return check_start();
    if (argc == 2 && strcmp(argv[1], "share") == 0)
        return share_until_end();
    if (argc >= 4 && strcmp(argv[1], "sample") == 0)
        return run_sample(argv[2], (unsigned)atoi(argv[3]), argv + 4);
    if (argc == 4)
        only_code = atoi(argv[3]);
    if (argc == 3 || argc == 4)
        return run_named(argv[1], argv[2]);
    fprintf(stderr,
            "usage: clem_faults once|codes|shared|lost|events OPERATION [CODE], sample MODE PARTS "
            "[OPERATION...], "
            "start, entries or, for tests that have two processes, share\n");
    return 2;
}
