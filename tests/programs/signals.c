/* A program that tests/facade/host_signal.c starts: it uses SIGSEGV for itself beside managed memory, and ends by it, or
 * works as the virtual machine of a language does, or counts what its touches allocate, or has threads whose masks nobody
 * tells.
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cuda_runtime.h>

static const char *const text = "__kernel void k(__global int *p, int v) "
                                "{ size_t i = get_global_id(0); p[i] = (int)i + v; }\n";

enum { COUNT = 6 * 1024 * 1024 / 4 };
static int *managed;
static cudaKernel_t kernel;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: not true: %s\n", __LINE__, #condition);                      \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void write_by_kernel(int v)
{
    void *args[] = {&managed, &v};
    CHECK(cudaLaunchKernel((const void *)kernel, (dim3){COUNT / 64, 1, 1}, (dim3){64, 1, 1}, args,
                           0, NULL) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

static void begin(void)
{
    cudaLibrary_t library = NULL;
    if (cudaMallocManaged((void **)&managed, COUNT * sizeof *managed, cudaMemAttachGlobal) !=
        cudaSuccess)
        _exit(77);
    CHECK(cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0) == cudaSuccess);
    CHECK(cudaLibraryGetKernel(&kernel, library, "k") == cudaSuccess);
    write_by_kernel(1);
    CHECK(managed[COUNT / 2] == COUNT / 2 + 1);
}

static void fault_at(uintptr_t address)
{
    volatile int *volatile place = (volatile int *)address;
    *place = 1;
}

/* --- endings ---------------------------------------------------------------------------------- */

static void fault_again(int number)
{
    (void)number;
    fault_at(128);
}

static void return_at_once(int number)
{
    (void)number;
}

static void install(void (*handler)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
}

static void end_by(const char *mode)
{
    sigset_t all;
    sigfillset(&all);
    install(SIG_DFL, 0);
    if (strcmp(mode, "protected") == 0) {
        void *const place = (void *)(uintptr_t)0x200000000000;
        CHECK(mmap(place, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
                   0) == place);
        fault_at((uintptr_t)place);
    }
    if (strcmp(mode, "ignored") == 0)
        install(SIG_IGN, 0);
    if (strcmp(mode, "blocked") == 0) {
        install(return_at_once, 0);
        CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
        CHECK(managed[7] == 8);
    }
    if (strcmp(mode, "once") == 0)
        install(return_at_once, (int)SA_RESETHAND);
    if (strcmp(mode, "nested") == 0)
        install(fault_again, 0);
    if (strcmp(mode, "killed") == 0)
        kill(getpid(), SIGSEGV);
    if (strcmp(mode, "raised") == 0)
        raise(SIGSEGV);
    fault_at(64);
}

/* --- a virtual machine ------------------------------------------------------------------------ */

enum { THREADS = 4, ROUNDS = 200, SAFEPOINTS = 50 };

static volatile char *polling_page;
static _Atomic int stopped, may_go, null_checks, running;
static size_t page_bytes;

#if defined(__x86_64__) || defined(__aarch64__)
/* Reads *p; a fault in that one instruction gives -1. The handler goes on behind it. */
int clem_test_read(const int *p);
extern const char clem_test_read_begin[], clem_test_read_failed[];
__asm__(".text\n"
        ".globl clem_test_read, clem_test_read_begin, clem_test_read_failed\n"
        "clem_test_read:\n"
        "clem_test_read_begin:\n"
#if defined(__x86_64__)
        "    movl (%rdi), %eax\n"
        "    ret\n"
        "clem_test_read_failed:\n"
        "    movl $-1, %eax\n"
#else
        "    ldr w0, [x0]\n"
        "    ret\n"
        "clem_test_read_failed:\n"
        "    mov w0, #-1\n"
#endif
        "    ret\n");

#if defined(__x86_64__)
#define PLACE(user) ((user)->uc_mcontext.gregs[REG_RIP])
#else
#define PLACE(user) ((user)->uc_mcontext.pc)
#endif

static void handle(int number, siginfo_t *info, void *context)
{
    ucontext_t *user = context;
    const uintptr_t at = (uintptr_t)PLACE(user);
    const uintptr_t address = (uintptr_t)info->si_addr;
    (void)number;
    if (address - (uintptr_t)polling_page < page_bytes) { /* a safepoint: wait here */
        stopped++;
        while (!may_go)
            usleep(100);
        stopped--;
    } else if (at == (uintptr_t)clem_test_read_begin && address < 4096) { /* a null check */
        null_checks++;
        PLACE(user) = (__typeof__(PLACE(user)))(uintptr_t)clem_test_read_failed;
    } else {
        static const char text_of_end[] = "a fault that is nobody's\n";
        (void)!write(2, text_of_end, sizeof text_of_end - 1);
        _exit(3);
    }
}

static void *run_code(void *data)
{
    const size_t first = (size_t)(uintptr_t)data;
    sigset_t most;
    sigfillset(&most);
    sigdelset(&most, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &most, NULL); /* but for what it needs itself: */
    sigemptyset(&most);
    sigaddset(&most, SIGSEGV);
    pthread_sigmask(SIG_UNBLOCK, &most, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        const size_t index = (first + (size_t)i * 4099) % COUNT;
        (void)*polling_page;
        CHECK(clem_test_read(&managed[index]) == (int)index + 1);
        CHECK(clem_test_read((const int *)(uintptr_t)(i % 7 * 8)) == -1);
        usleep(200);
    }
    running--;
    return NULL;
}

static void work_as_a_machine(void)
{
    pthread_t threads[THREADS];
    struct sigaction action;
    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    polling_page =
        mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    running = THREADS;
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, run_code, (void *)(uintptr_t)(i * 100003)) == 0);
    for (int i = 0; i < SAFEPOINTS && running == THREADS; i++) {
        may_go = 0;
        CHECK(mprotect((void *)(uintptr_t)polling_page, page_bytes, PROT_NONE) == 0);
        while (stopped < running)
            usleep(100);
        write_by_kernel(1); /* the world stands still, and all pages are the device's again */
        CHECK(mprotect((void *)(uintptr_t)polling_page, page_bytes, PROT_READ) == 0);
        may_go = 1;
        while (stopped > 0)
            usleep(100);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK(null_checks == THREADS * ROUNDS);
}
#else
static void work_as_a_machine(void)
{
    _exit(77);
}
#endif

/* --- what touches allocate -------------------------------------------------------------------- */

/* A touch may come in the middle of malloc(): the thread that makes it must not allocate before it goes on. */
static _Thread_local volatile int is_touching;
static _Atomic int allocations;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void __libc_free(void *old);

void *malloc(size_t bytes)
{
    allocations += is_touching;
    return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes)
{
    allocations += is_touching;
    return __libc_calloc(count, bytes);
}
void *realloc(void *old, size_t bytes)
{
    allocations += is_touching;
    return __libc_realloc(old, bytes);
}
void free(void *old)
{
    allocations += is_touching;
    __libc_free(old);
}
#endif

static int counts_allocations(void)
{
    is_touching = 1;
    void *volatile something = malloc(8);
    free(something);
    is_touching = 0;
    return atomic_exchange(&allocations, 0) == 2;
}

/* Whether the system itself may read there, so that a touch is no fault. */
static int is_here(const int *p, int pipe_end)
{
    return syscall(SYS_write, pipe_end, p, sizeof *p) == (long)sizeof *p;
}

/* Of a page in 16, of the thread's own. */
static void *touch_and_count(void *data)
{
    const size_t first = (size_t)(uintptr_t)data;
    int ends[2];
    size_t faults = 0;
    CHECK(pipe2(ends, O_NONBLOCK) == 0);
    for (size_t i = first; i < COUNT; i += 16384) {
        const volatile int *place = &managed[i];
        faults += !is_here(&managed[i], ends[1]);
        is_touching = 1;
        const int value = *place;
        is_touching = 0;
        CHECK(value == (int)i + 1);
    }
    close(ends[0]);
    close(ends[1]);
    return (void *)(uintptr_t)faults;
}

/* By the main thread and by some that have not called the library. */
static void touch_without_allocating(void)
{
    pthread_t threads[THREADS];
    uintptr_t faults = 0;
    if (!counts_allocations())
        _exit(77);
    write_by_kernel(1);
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, touch_and_count,
                             (void *)(uintptr_t)(1024 + i * 2048)) == 0);
    faults += (uintptr_t)touch_and_count(NULL);
    for (size_t i = 0; i < THREADS; i++) {
        void *result = NULL;
        CHECK(pthread_join(threads[i], &result) == 0);
        faults += (uintptr_t)result;
    }
    if (faults == 0)
        _exit(77);
    CHECK(allocations == 0);
}

/* --- where /proc tells no masks --------------------------------------------------------------- */

static bool hides_masks;
static _Atomic bool is_blocked, is_ready;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#pragma GCC visibility push(default)
int open(const char *path, int flags, ...);
#pragma GCC visibility pop

/* As in a sandbox whose status files are shorter than Linux's. */
int open(const char *path, int flags, ...)
{
    const char *task = "/proc/self/task/";
    va_list list;
    va_start(list, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    if (hides_masks && strncmp(path, task, strlen(task)) == 0)
        path = "/dev/null";
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
#endif

static void *touch_blocked(void *unused)
{
    sigset_t mask;
    sigfillset(&mask);
    CHECK(pthread_sigmask(SIG_SETMASK, &mask, NULL) == 0);
    is_blocked = true;
    while (!is_ready)
        continue;
    for (size_t i = 5; i < COUNT; i += 99999)
        CHECK(managed[i] == (int)i + 1);
    sigemptyset(&mask);
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0 && sigismember(&mask, SIGSEGV) == 1);
    return unused;
}

static void touch_without_masks(void)
{
    pthread_t thread;
    hides_masks = true;
    CHECK(pthread_create(&thread, NULL, touch_blocked, NULL) == 0);
    while (!is_blocked)
        usleep(1000);
    begin();
    write_by_kernel(1);
    is_ready = true;
    CHECK(pthread_join(thread, NULL) == 0);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 64;
    if (strcmp(argv[1], "untold") == 0) {
        touch_without_masks();
        return 0;
    }
    begin();
    if (strcmp(argv[1], "machine") == 0)
        work_as_a_machine();
    else if (strcmp(argv[1], "allocations") == 0)
        touch_without_allocating();
    else
        end_by(argv[1]);
    return 0;
}
