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

#if defined(__aarch64__)

/* Record by record; the last one has no magic number.
 * Source: Linux, arch/arm64/include/uapi/asm/sigcontext.h. */
static bool find_syndrome(const mcontext_t *machine, uint64_t *syndrome)
{
    size_t at = 0;
    struct _aarch64_ctx head;
    struct esr_context found;
    while (at <= sizeof machine->__reserved - sizeof head) {
        memcpy(&head, machine->__reserved + at, sizeof head);
        const size_t room = sizeof machine->__reserved - at;
        if (head.magic == 0 || head.size < sizeof head || head.size > room)
            return false;
        if (head.magic == ESR_MAGIC && head.size >= sizeof found) {
            memcpy(&found, machine->__reserved + at, sizeof found);
            *syndrome = found.esr;
            return true;
        }
        at += head.size;
    }
    return false;
}

/* Source: Arm Architecture Reference Manual for A-profile, ESR_EL1: the class of a data abort, WnR, and CM, of what cleans
 * caches, which counts as a write and needs no right to. */
static enum ocl_crash_access access_by(const ucontext_t *context)
{
    enum { CLASS_SHIFT = 26, DATA_ABORT = 0x24, WRITE = 1 << 6, CACHE = 1 << 8 };
    uint64_t syndrome = 0;
    if (!find_syndrome(&context->uc_mcontext, &syndrome))
        return OCL_CRASH_TOUCH;
    return syndrome >> CLASS_SHIFT == DATA_ABORT && (syndrome & (WRITE | CACHE)) == WRITE
               ? OCL_CRASH_WRITE
               : OCL_CRASH_READ;
}

#elif defined(__x86_64__)

/* Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3, 4.7: bit 1 of a page fault's code. */
static enum ocl_crash_access access_by(const ucontext_t *context)
{
    return (context->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? OCL_CRASH_WRITE : OCL_CRASH_READ;
}

#else

static enum ocl_crash_access access_by(const ucontext_t *context)
{
    (void)context;
    return OCL_CRASH_TOUCH;
}

#endif

enum ocl_crash_access ocl_crash_access_by(const void *context)
{
    return access_by(context);
}

static uint64_t code_of(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return context->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

uint64_t ocl_crash_code_by(const void *context)
{
    return code_of(context);
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
    crash.code = code_of(context);
    if (crash.has_address)
        crash.access = access_by(context);
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
