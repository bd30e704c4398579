/* Semaphores of other programs, and of other processes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/semaphore.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cl/base/steady.h"
#include "cl/queue/queue_private.h"
#include "cl/state/failure.h"
#include "cl/value.h"

struct ocl_semaphore {
    _Atomic unsigned references;
    enum ocl_semaphore_kind kind;
    int file;                /* of a binary one */
    _Atomic uint64_t *value; /* of a timeline */
};

/* A wait, or a signal that takes its turn; with a reference to the semaphore. */
struct semaphore_use {
    struct ocl_awaited awaited;
    struct ocl_context *context;
    struct ocl_semaphore *semaphore;
    uint64_t value;
};

/* ---- Making ---- */

/* An eventfd has no other mark than the name that the system gives it. */
static ocl_status check_counter(int file)
{
    static const char name[] = "anon_inode:[eventfd]";
    char path[40], found[sizeof name + 1];

    if (fcntl(file, F_GETFD) < 0)
        return OCL_E_NOT_FOUND;
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(path, found, sizeof found);
    return length == (ssize_t)strlen(name) && memcmp(found, name, strlen(name)) == 0
               ? OCL_OK
               : OCL_E_INVALID_VALUE;
}

/* Whoever reads what a file does not have any more ends the process: where its maker allows that, it stays as long as it is. */
static ocl_status map(struct ocl_semaphore *semaphore, int file)
{
    struct stat facts;

    (void)fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK);
    if (fstat(file, &facts) != 0)
        return OCL_E_NOT_FOUND;
    if (!S_ISREG(facts.st_mode) || facts.st_size < (off_t)sizeof *semaphore->value)
        return OCL_E_INVALID_VALUE;
    void *mapped =
        mmap(NULL, sizeof *semaphore->value, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED)
        return errno == EACCES ? OCL_E_INVALID_VALUE : CL_MAP_FAILURE;
    semaphore->value = mapped;
    (void)syscall(SYS_close, file);
    return OCL_OK;
}

static ocl_status take_file(struct ocl_semaphore *semaphore, int file)
{
    if (semaphore->kind == OCL_SEMAPHORE_TIMELINE)
        return map(semaphore, file);
    const ocl_status status = check_counter(file);
    if (status == OCL_OK)
        semaphore->file = file;
    return status;
}

ocl_status ocl_semaphore_open(int file, enum ocl_semaphore_kind kind,
                              struct ocl_semaphore **semaphore)
{
    struct ocl_semaphore *made = calloc(1, sizeof *made);

    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    atomic_init(&made->references, 1);
    made->kind = kind;
    made->file = -1;
    const ocl_status status = take_file(made, file);
    if (status == OCL_OK)
        *semaphore = made;
    else
        free(made);
    return status;
}

struct ocl_semaphore *ocl_semaphore_retain(struct ocl_semaphore *semaphore)
{
    atomic_fetch_add(&semaphore->references, 1);
    return semaphore;
}

/* close() may be where a cancelled thread ends; the system's own call is not. */
void ocl_semaphore_release(struct ocl_semaphore *semaphore)
{
    if (atomic_fetch_sub(&semaphore->references, 1) != 1)
        return;
    if (semaphore->value)
        munmap((void *)(uintptr_t)semaphore->value, sizeof *semaphore->value);
    if (semaphore->file >= 0)
        (void)syscall(SYS_close, semaphore->file);
    free(semaphore);
}

/* ---- What is asked and done ---- */

static bool is_ready(int file, short event)
{
    struct pollfd asked = {.fd = file, .events = event};
    const int before = ocl_steady_begin();
    const bool is = poll(&asked, 1, 0) == 1 && (asked.revents & event) != 0;

    ocl_steady_end(before);
    return is;
}

/* The file belongs to others, too, who may read first: this read waits for nothing. Systems older than Linux 5.8 have none such for
 * these files; there is none but that of the only one who waits, as CUDA asks for. */
static bool read_counter(int file)
{
    uint64_t counted;
    const struct iovec room = {&counted, sizeof counted};
    const int before = ocl_steady_begin();
    ssize_t got = preadv2(file, &room, 1, -1, RWF_NOWAIT);

    if (got < 0 && (errno == EOPNOTSUPP || errno == ENOSYS || errno == ESPIPE))
        got = read(file, &counted, sizeof counted);
    ocl_steady_end(before);
    return got == (ssize_t)sizeof counted;
}

static bool try_take(const struct ocl_semaphore *semaphore, uint64_t value)
{
    if (semaphore->kind == OCL_SEMAPHORE_TIMELINE)
        return atomic_load_explicit(semaphore->value, memory_order_acquire) >= value;
    return is_ready(semaphore->file, POLLIN) && read_counter(semaphore->file);
}

/* A counter that is full is signaled already. */
static void put(const struct ocl_semaphore *semaphore, uint64_t value)
{
    const uint64_t one = 1;

    if (semaphore->kind == OCL_SEMAPHORE_TIMELINE)
        atomic_store_explicit(semaphore->value, value, memory_order_release);
    else if (is_ready(semaphore->file, POLLOUT))
        (void)syscall(SYS_write, semaphore->file, &one, sizeof one);
}

/* ---- In queues ---- */

static struct semaphore_use *make_use(const struct ocl_queue *queue,
                                      struct ocl_semaphore *semaphore, uint64_t value)
{
    struct semaphore_use *made = malloc(sizeof *made);

    if (made)
        *made = (struct semaphore_use){.context = queue->context,
                                       .semaphore = ocl_semaphore_retain(semaphore),
                                       .value = value};
    return made;
}

static void end_use(struct semaphore_use *use)
{
    ocl_semaphore_release(use->semaphore);
    free(use);
}

static void signal_in_turn(void *data, cl_int status)
{
    struct semaphore_use *use = data;

    if (status < 0)
        (void)ocl_context_fail(use->context, status);
    else
        put(use->semaphore, use->value);
    ocl_values_tell(use->context);
    end_use(use);
}

static ocl_status enqueue_signal(struct ocl_queue *queue, struct semaphore_use *use)
{
    cl_event before;
    ocl_status status = ocl_gate_source(queue, &before);

    if (status != OCL_OK)
        return status;
    status =
        ocl_gate_hold(queue, queue->context, before, queue->context->bridge, signal_in_turn, use);
    clReleaseEvent(before);
    return status;
}

ocl_status ocl_semaphore_signal(struct ocl_queue *queue, struct ocl_semaphore *semaphore,
                                uint64_t value)
{
    const ocl_status failure = ocl_context_failure(queue->context);

    if (failure != OCL_OK)
        return failure;
    if (ocl_queue_is_idle(queue)) {
        put(semaphore, value);
        ocl_values_tell(queue->context);
        return OCL_OK;
    }
    struct semaphore_use *use = make_use(queue, semaphore, value);
    if (!use)
        return OCL_E_OUT_OF_MEMORY;
    const ocl_status status = enqueue_signal(queue, use);
    if (status != OCL_OK)
        end_use(use);
    return status;
}

static struct semaphore_use *use_of(struct ocl_awaited *awaited)
{
    return (struct semaphore_use *)(void *)((char *)awaited -
                                            offsetof(struct semaphore_use, awaited));
}

static bool is_over(struct ocl_awaited *awaited)
{
    const struct semaphore_use *use = use_of(awaited);

    return try_take(use->semaphore, use->value);
}

static void end_wait(struct ocl_awaited *awaited)
{
    end_use(use_of(awaited));
}

ocl_status ocl_semaphore_wait(struct ocl_queue *queue, struct ocl_semaphore *semaphore,
                              uint64_t value)
{
    const ocl_status failure = ocl_context_failure(queue->context);

    if (failure != OCL_OK)
        return failure;
    const struct ocl_stream stream = ocl_queue_stream(queue);
    ocl_stream_doubt(&stream);
    if (ocl_queue_is_idle(queue) && try_take(semaphore, value))
        return OCL_OK;
    struct semaphore_use *use = make_use(queue, semaphore, value);
    if (!use)
        return OCL_E_OUT_OF_MEMORY;
    use->awaited = (struct ocl_awaited){is_over, end_wait};
    const ocl_status status = ocl_queue_await(queue, &use->awaited);
    if (status != OCL_OK)
        end_use(use);
    return status;
}
