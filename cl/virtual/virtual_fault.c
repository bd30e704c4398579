/* One line for an access to reserved addresses that ends the process: a kernel's, for which CUDA has an error, and the
 * host's.
 *
 * The handler only speaks. It puts back what was there before and returns, so that the access is tried again and comes
 * to the system's own action or to the program's handler, as if this one had never been there.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cl/base/options.h"
#include "cl/virtual/virtual_private.h"

static struct sigaction before;
static bool (*is_reserved)(uint64_t address);

/* Hexadecimal digits at the end of text; what can be called in a handler prints no numbers. */
static char *write_address(char *end, uint64_t address)
{
    do {
        *--end = "0123456789abcdef"[address % 16];
        address /= 16;
    } while (address != 0);
    return end;
}

static void say(const char *text, size_t length)
{
    const int kept_errno = errno;
    const ssize_t written = write(STDERR_FILENO, text, length);
    (void)written;
    errno = kept_errno;
}

static void tell(uint64_t address)
{
    static const char first[] = "clem: an access to 0x";
    static const char last[] = ", an address of cuMemAddressReserve(): nothing is mapped there, "
                               "or cuMemSetAccess() does not allow it\n";
    char text[sizeof first + 16 + sizeof last], digits[16];
    const char *number = write_address(digits + sizeof digits, address);
    const size_t count = (size_t)(digits + sizeof digits - number);
    char *end = text;
    memcpy(end, first, sizeof first - 1);
    end += sizeof first - 1;
    memcpy(end, number, count);
    end += count;
    memcpy(end, last, sizeof last - 1);
    end += sizeof last - 1;
    say(text, (size_t)(end - text));
}

static void handle(int number, siginfo_t *info, void *context)
{
    const uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    (void)context;
    if ((info->si_code == SEGV_ACCERR || info->si_code == SEGV_MAPERR) && is_reserved(address) &&
        !ocl_options_get()->is_silent)
        tell(address);
    sigaction(number, &before, NULL);
    if (info->si_code <= 0) /* it was sent, and is not made again by returning */
        raise(number);
}

static void watch(void)
{
    struct sigaction ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = handle;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &ours, &before);
}

void ocl_virtual_watch(bool (*is_ours)(uint64_t address))
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
    pthread_mutex_lock(&lock);
    if (!is_reserved) {
        is_reserved = is_ours;
        watch();
    }
    pthread_mutex_unlock(&lock);
}
