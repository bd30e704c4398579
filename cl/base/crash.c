/* One line on stderr about an access that ends the process, before it does.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/crash.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "cl/base/options.h"

enum { WITNESSES = 4 };
static _Atomic(ocl_crash_witness *) witnesses[WITNESSES];

/* ---- Lines ---- */

static void append(struct ocl_crash_line *line, const char *text, size_t length)
{
    const size_t room = sizeof line->text - line->length;
    const size_t taken = length < room ? length : room;
    memcpy(line->text + line->length, text, taken);
    line->length += taken;
}

void ocl_crash_write(struct ocl_crash_line *line, const char *text)
{
    append(line, text, strlen(text));
}

static void write_number(struct ocl_crash_line *line, uint64_t number, unsigned base)
{
    char digits[24];
    char *const end = digits + sizeof digits, *first = end;
    do {
        *--first = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    append(line, first, (size_t)(end - first));
}

void ocl_crash_write_address(struct ocl_crash_line *line, uint64_t address)
{
    ocl_crash_write(line, "0x");
    write_number(line, address, 16);
}

void ocl_crash_write_count(struct ocl_crash_line *line, uint64_t count)
{
    write_number(line, count, 10);
}

/* The end of the line is there whatever was left out. */
static void say(struct ocl_crash_line *line)
{
    const int kept_errno = errno;
    if (line->length == sizeof line->text)
        line->length--;
    append(line, "\n", 1);
    const ssize_t written = write(STDERR_FILENO, line->text, line->length);
    (void)written;
    errno = kept_errno;
}

/* ---- Accesses ---- */

/* Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3, 4.7: bit 1 of a page fault's code. */
static void read_context(const ucontext_t *context, struct ocl_crash *crash)
{
#if defined(__x86_64__)
    crash->code = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
    if (crash->has_address)
        crash->access =
            (context->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? OCL_CRASH_WRITE : OCL_CRASH_READ;
#elif defined(__aarch64__)
    crash->code = context->uc_mcontext.pc;
#else
    (void)context;
    (void)crash;
#endif
}

/* SI_KERNEL: of an address that the processor does not even look up. */
static bool is_access(const siginfo_t *info)
{
    return info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR ||
           info->si_code == SI_KERNEL;
}

/* The same access comes once more where two handlers tell of it. */
static bool was_told(const struct ocl_crash *crash)
{
    static _Atomic uint64_t told;
    const uint64_t now = crash->address ^ crash->code << 20 ^ crash->code >> 44;
    return now != 0 && atomic_exchange(&told, now) == now;
}

/* Threads of one kernel fail together. The first one speaks; the others, which would end the process meanwhile, wait until it
 * has, or some seconds. One that fails while it speaks says no more. */
static _Atomic pid_t speaker;
enum { MOST_NAPS = 2000 };

static bool may_speak(void)
{
    const struct timespec millisecond = {.tv_nsec = 1000000};
    const pid_t own = (pid_t)syscall(SYS_gettid);
    pid_t other = 0;
    if (atomic_compare_exchange_strong(&speaker, &other, own))
        return true;
    for (int i = 0; i < MOST_NAPS && other != own && atomic_load(&speaker) == other; i++)
        nanosleep(&millisecond, NULL);
    return false;
}

static void tell(const siginfo_t *info, const void *context)
{
    struct ocl_crash crash = {.address = (uint64_t)(uintptr_t)info->si_addr,
                              .has_address = info->si_code != SI_KERNEL};
    struct ocl_crash_line line = {0};
    bool is_known = false;
    read_context(context, &crash);
    ocl_crash_write(&line, "clem: ");
    for (int i = 0; i < WITNESSES && !is_known; i++) {
        ocl_crash_witness *const witness = atomic_load(&witnesses[i]);
        is_known = witness && witness(&crash, &line);
    }
    if (is_known && line.length > 0 && !was_told(&crash))
        say(&line);
}

void ocl_crash_tell(const siginfo_t *info, const void *context)
{
    if (!is_access(info) || ocl_options_get()->is_silent || !may_speak())
        return;
    tell(info, context);
    atomic_store(&speaker, 0);
}

/* ---- The handler ---- */

static struct sigaction before; /* what was there before the handler was installed */

/* Also where a handler that was installed over this one calls it as the one it found. */
static void handle(int number, siginfo_t *info, void *context)
{
    ocl_crash_tell(info, context);
    sigaction(number, &before, NULL);
    if (info->si_code <= 0) /* it was sent, and is not made again by returning */
        raise(number);
}

static void install(void)
{
    struct sigaction ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = handle;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &ours, &before);
}

void ocl_crash_watch(ocl_crash_witness *witness)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < WITNESSES && atomic_load(&witnesses[i]) && atomic_load(&witnesses[i]) != witness)
        i++;
    if (i == 0 && !atomic_load(&witnesses[0]))
        install();
    if (i < WITNESSES)
        atomic_store(&witnesses[i], witness);
    pthread_mutex_unlock(&lock);
}
