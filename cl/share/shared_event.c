/* Events of several processes.
 *
 * Each has a file in memory, which all its processes map. A record takes the next number and a word for it, which says whether the
 * work before the record is complete; the driver's callback writes that in the process that recorded. Others look at the word.
 * Whether that process is still there is told by a lock on one byte of the file, which the system lets go of when it ends.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cl/base/deadline.h"
#include "cl/base/own_file.h"
#include "cl/base/steady.h"
#include "cl/queue/outer_event.h"
#include "cl/queue/queue_private.h"
#include "cl/share/offer.h"
#include "cl/state/failure.h"
#include "cl/value.h"
#include "cl/whole.h"

/* A record that finds as many before it under way waits for the oldest. */
enum { WORDS = 4096 };

/* A word: the number of the record, the process that made it, and how it stands. */
enum { STATE_BITS = 2, PROCESS_BITS = 18, MOST_PROCESSES = (1 << PROCESS_BITS) - 1 };
enum { UNDER_WAY = 1, COMPLETE = 2, FAILED = 3 };

/* How often a wait looks whether the recorder is still there. */
enum { LOOK_NS = 10000000 };

struct shared_page {
    _Atomic uint64_t recorded;     /* the last number; 0: never */
    _Atomic uint32_t processes;    /* how many have opened the event so far */
    _Atomic uint32_t news;         /* changes when a record ends */
    _Atomic uint64_t words[WORDS]; /* of number n: n % WORDS */
};

/* What a process has of a file, once: closing a second one would let go of its lock. */
struct shared_file {
    _Atomic unsigned references;
    struct shared_page *page;
    struct own_file file;
    uint32_t process;                       /* this one's number, and the byte that it has locked */
    bool is_own;                            /* made by this process */
    unsigned char secret[OCL_OFFER_RANDOM]; /* of a file that is another's */
    struct shared_file *next;               /* (lock) */
};

struct shared_event {
    struct ocl_outer_event outer;
    struct ocl_context *context;
    struct shared_file *file;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static struct shared_file *files; /* of others (lock) */
static bool is_opening;           /* (lock) */

/* ---- Words ---- */

static uint64_t word_of(uint64_t number, uint32_t process, unsigned state)
{
    return number << (PROCESS_BITS + STATE_BITS) | (uint64_t)process << STATE_BITS | state;
}

static uint64_t number_in(uint64_t word)
{
    return word >> (PROCESS_BITS + STATE_BITS);
}

static uint32_t process_in(uint64_t word)
{
    return (uint32_t)(word >> STATE_BITS) & MOST_PROCESSES;
}

static unsigned state_in(uint64_t word)
{
    return (unsigned)word & ((1 << STATE_BITS) - 1);
}

static void tell_news(struct shared_page *page)
{
    atomic_fetch_add(&page->news, 1);
    (void)syscall(SYS_futex, &page->news, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void end_record(const struct shared_file *file, uint64_t number, uint32_t process,
                       unsigned state)
{
    uint64_t word = word_of(number, process, UNDER_WAY);

    if (atomic_compare_exchange_strong(&file->page->words[number % WORDS], &word,
                                       word_of(number, process, state)))
        tell_news(file->page);
}

/* ---- Processes ---- */

static bool lock_byte(int file, uint32_t process)
{
    struct flock byte = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)process, .l_len = 1};

    return fcntl(file, F_SETLK, &byte) == 0;
}

/* Its own locks the system does not tell a process about. Who has lost the file takes all for living. */
static bool is_there(const struct shared_file *file, uint32_t process)
{
    struct flock byte = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)process, .l_len = 1};

    return process == file->process || fcntl(own_file_find(&file->file), F_GETLK, &byte) != 0 ||
           byte.l_type != F_UNLCK;
}

/* ---- How a record stands ---- */

/* OCL_OK, OCL_E_NOT_READY, or OCL_E_EXECUTION. looks: also at whether its process is there. Numbers that are gone from their word
 * were complete before. */
static ocl_status look(const struct shared_file *file, uint64_t number, bool looks)
{
    const uint64_t word = number == 0 ? 0 : atomic_load(&file->page->words[number % WORDS]);

    if (number == 0 || number_in(word) > number)
        return OCL_OK;
    if (number_in(word) < number || state_in(word) == UNDER_WAY) {
        if (!looks || number_in(word) < number || is_there(file, process_in(word)))
            return OCL_E_NOT_READY;
        /* What it may have ended before its end counts. */
        end_record(file, number, process_in(word), FAILED);
        return look(file, number, false);
    }
    return state_in(word) == COMPLETE ? OCL_OK : OCL_E_EXECUTION;
}

static void rest(struct shared_page *page, uint32_t news)
{
    const struct timespec time = {.tv_nsec = LOOK_NS};
    const int before = ocl_steady_begin();

    (void)syscall(SYS_futex, &page->news, FUTEX_WAIT, news, &time, NULL, 0);
    ocl_steady_end(before);
}

/* Waits for a record; a context that was abandoned completes none any more. */
static ocl_status await(const struct shared_file *file, uint64_t number,
                        struct ocl_context *context)
{
    ocl_status status = look(file, number, false);

    while (status == OCL_E_NOT_READY) {
        const uint32_t news = atomic_load(&file->page->news);
        status = look(file, number, true);
        if (status == OCL_E_NOT_READY && atomic_load(&context->is_abandoned))
            return ocl_context_fail(context, OCL_E_EXECUTION);
        if (status == OCL_E_NOT_READY)
            rest(file->page, news);
    }
    return status;
}

/* ---- Files ---- */

static void unmap(struct shared_file *file)
{
    if (file->page)
        munmap(file->page, sizeof *file->page);
    own_file_close(&file->file);
    free(file);
}

static bool is_of(const struct ocl_offer *offer, const void *file)
{
    return offer->object == file;
}

/* Lock held. */
static void unlist(const struct shared_file *file)
{
    struct shared_file **link = &files;

    while (*link && *link != file)
        link = &(*link)->next;
    if (*link)
        *link = file->next;
}

/* The lock is held while another's file is closed, so that nobody opens it once more in between. */
static void release(struct shared_file *file)
{
    const bool is_own = file->is_own;

    if (!is_own)
        pthread_mutex_lock(&lock);
    if (atomic_fetch_sub(&file->references, 1) == 1) {
        if (is_own)
            ocl_offer_drop(is_of, file);
        else
            unlist(file);
        unmap(file);
    }
    if (!is_own)
        pthread_mutex_unlock(&lock);
}

static bool retain(struct shared_file *file)
{
    unsigned references = atomic_load(&file->references);

    while (references > 0 &&
           !atomic_compare_exchange_weak(&file->references, &references, references + 1))
        continue;
    return references > 0;
}

/* Maps a file, which is taken over, and makes this process one of its. */
static ocl_status map(int descriptor, bool is_own, struct shared_file **made)
{
    struct shared_file *file = calloc(1, sizeof *file);

    if (!file) {
        close(descriptor);
        return OCL_E_OUT_OF_MEMORY;
    }
    file->file = own_file_note(descriptor);
    file->is_own = is_own;
    atomic_store(&file->references, 1);
    void *page = mmap(NULL, sizeof *file->page, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (page != MAP_FAILED) {
        file->page = page;
        file->process = atomic_fetch_add(&file->page->processes, 1) + 1;
        if (file->process <= MOST_PROCESSES && lock_byte(descriptor, file->process)) {
            *made = file;
            return OCL_OK;
        }
    }
    unmap(file);
    return OCL_E_OUT_OF_MEMORY;
}

static ocl_status make_file(struct shared_file **made)
{
    const int file =
        whole_above_streams(memfd_create("clem-event", MFD_CLOEXEC | MFD_ALLOW_SEALING));

    if (file < 0)
        return errno == ENOSYS || errno == EPERM ? OCL_E_NOT_SUPPORTED : OCL_E_OUT_OF_MEMORY;
    if (ftruncate(file, sizeof(struct shared_page)) == 0 &&
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return map(file, true, made);
    close(file);
    return OCL_E_OUT_OF_MEMORY;
}

/* ---- What is done with an event ---- */

static struct shared_event *event_of(struct ocl_outer_event *outer)
{
    return (struct shared_event *)outer; /* its first member */
}

/* A record on its way. */
struct record {
    struct shared_file *file;
    uint64_t number;
};

static void CL_CALLBACK note_end(cl_event event, cl_int status, void *data)
{
    struct record *record = data;

    (void)event;
    end_record(record->file, record->number, record->file->process,
               status == CL_COMPLETE ? COMPLETE : FAILED);
    release(record->file);
    free(record);
}

static void raise_recorded(struct shared_page *page, uint64_t number)
{
    uint64_t last = atomic_load(&page->recorded);

    while (last < number && !atomic_compare_exchange_weak(&page->recorded, &last, number))
        continue;
}

/* The next number, whose word says that it is under way, or done. Whoever finds a word that was taken raises the number for its
 * taker, who may have ended in between. */
static ocl_status take_number(const struct shared_event *event, unsigned state, uint64_t *number)
{
    const struct shared_file *file = event->file;

    for (;;) {
        const uint64_t next = atomic_load(&file->page->recorded) + 1;
        uint64_t word = atomic_load(&file->page->words[next % WORDS]);
        if (number_in(word) >= next) {
            raise_recorded(file->page, number_in(word));
            continue;
        }
        if (state_in(word) == UNDER_WAY) {
            const ocl_status status = await(file, number_in(word), event->context);
            if (status != OCL_OK && status != OCL_E_EXECUTION)
                return status;
            continue;
        }
        if (!atomic_compare_exchange_strong(&file->page->words[next % WORDS], &word,
                                            word_of(next, file->process, state)))
            continue;
        raise_recorded(file->page, next);
        *number = next;
        return OCL_OK;
    }
}

/* Behind the mark; where the driver does not say when that is complete, this waits for it. */
static ocl_status record_behind(struct shared_event *event, cl_event mark)
{
    struct record *record = malloc(sizeof *record);

    if (!record)
        return OCL_E_OUT_OF_MEMORY;
    ocl_status status = take_number(event, UNDER_WAY, &record->number);
    if (status != OCL_OK) {
        free(record);
        return status;
    }
    record->file = event->file;
    (void)retain(event->file);
    if (clSetEventCallback(mark, CL_COMPLETE, note_end, record) == CL_SUCCESS)
        return OCL_OK;
    status = ocl_queue_wait_for_event(event->context, mark);
    note_end(mark, status == OCL_OK ? CL_COMPLETE : -1, record);
    return status;
}

static bool has_nothing(const struct ocl_queue *queue)
{
    return atomic_load(&queue->finished) >= atomic_load(&queue->submitted);
}

static ocl_status record(struct ocl_outer_event *outer, struct ocl_queue *queue)
{
    struct shared_event *event = event_of(outer);
    uint64_t position;
    cl_event mark;
    ocl_status status = ocl_queue_order(queue);

    if (status != OCL_OK)
        return status;
    if (has_nothing(queue)) {
        status = take_number(event, COMPLETE, &position);
        if (status == OCL_OK)
            tell_news(event->file->page);
        return status;
    }
    status = ocl_queue_mark(queue, &mark, &position);
    if (status != OCL_OK)
        return status;
    status = record_behind(event, mark);
    clReleaseEvent(mark);
    return status;
}

/* The failure of this context, or else what the record came to. */
static ocl_status conclude(struct ocl_context *context, ocl_status status)
{
    const ocl_status failure = ocl_context_failure(context);

    return failure != OCL_OK ? failure : status;
}

static ocl_status query(struct ocl_outer_event *outer)
{
    const struct shared_event *event = event_of(outer);
    const ocl_status status = look(event->file, atomic_load(&event->file->page->recorded), true);

    return status == OCL_E_NOT_READY ? status : conclude(event->context, status);
}

static ocl_status wait(struct ocl_outer_event *outer)
{
    const struct shared_event *event = event_of(outer);

    return conclude(event->context,
                    await(event->file, atomic_load(&event->file->page->recorded), event->context));
}

/* ---- Queues that wait ---- */

struct queue_wait {
    struct ocl_awaited awaited;
    struct shared_file *file;
    struct ocl_context *context; /* of the queue, which the wait keeps open */
    uint64_t number, next_look;
    ocl_status status;
};

static bool is_over(struct ocl_awaited *awaited)
{
    struct queue_wait *wait = (struct queue_wait *)awaited;
    const uint64_t now = ocl_now();
    const bool looks = now >= wait->next_look;

    if (looks)
        wait->next_look = now + LOOK_NS;
    wait->status = look(wait->file, wait->number, looks);
    return wait->status != OCL_E_NOT_READY;
}

/* What waited for work that failed goes on with wrong data. */
static void end_wait(struct ocl_awaited *awaited)
{
    struct queue_wait *wait = (struct queue_wait *)awaited;

    if (wait->status == OCL_E_EXECUTION)
        (void)ocl_context_fail(wait->context, wait->status);
    release(wait->file);
    free(wait);
}

static ocl_status hold_queue(const struct shared_event *event, uint64_t number,
                             struct ocl_queue *queue)
{
    struct queue_wait *made = calloc(1, sizeof *made);

    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->awaited = (struct ocl_awaited){is_over, end_wait};
    made->file = event->file;
    made->context = queue->context;
    made->number = number;
    made->status = OCL_E_NOT_READY;
    (void)retain(event->file);
    const ocl_status status = ocl_queue_await(queue, &made->awaited);
    if (status != OCL_OK) {
        release(made->file);
        free(made);
    }
    return status;
}

/* As for an event of this process: a wait is work of the legacy queue's even for what is complete. */
static ocl_status wait_in_queue(struct ocl_outer_event *outer, struct ocl_queue *queue)
{
    const struct shared_event *event = event_of(outer);
    const uint64_t number = atomic_load(&event->file->page->recorded);
    const ocl_status stands = look(event->file, number, true);
    const ocl_status failure = ocl_context_failure(queue->context);

    if (failure != OCL_OK)
        return failure;
    if (stands == OCL_OK)
        return queue->kind == OCL_QUEUE_LEGACY ? ocl_queue_order(queue) : OCL_OK;
    if (stands == OCL_E_NOT_READY)
        return hold_queue(event, number, queue);
    return ocl_context_fail(queue->context, stands);
}

static void destroy(struct ocl_outer_event *outer)
{
    release(event_of(outer)->file);
    free(outer);
}

static const struct ocl_outer_ways ways = {record, query, wait, wait_in_queue, destroy};

/* ---- Making, offering and opening ---- */

/* Takes over the reference to the file. */
static ocl_status make_event(struct ocl_context *context, struct shared_file *file,
                             struct ocl_event **event)
{
    struct shared_event *made = calloc(1, sizeof *made);

    if (!made) {
        release(file);
        return OCL_E_OUT_OF_MEMORY;
    }
    made->outer.ways = &ways;
    atomic_store(&made->outer.references, 1);
    made->context = context;
    made->file = file;
    const ocl_status status = ocl_event_create_outer(context, &made->outer, event);
    if (status != OCL_OK)
        ocl_outer_event_release(&made->outer);
    return status;
}

ocl_status ocl_share_create_event(struct ocl_context *context, struct ocl_event **event)
{
    struct shared_file *file;

    if (!ocl_share_is_possible(context))
        return OCL_E_NOT_SUPPORTED;
    const ocl_status status = make_file(&file);
    return status == OCL_OK ? make_event(context, file, event) : status;
}

static bool give(const struct ocl_offer *offer, struct ocl_offer_answer *answer, int *file,
                 void **hold)
{
    struct shared_file *given = offer->object;

    if (!retain(given))
        return false;
    *answer = (struct ocl_offer_answer){0, sizeof *given->page};
    *file = own_file_find(&given->file);
    *hold = given;
    return true;
}

static void let_go(void *file)
{
    release(file);
}

static bool is_same(const struct ocl_offer *made, const struct ocl_offer *old)
{
    return old->object == made->object;
}

static ocl_status offer(struct shared_file *file, struct ocl_share_handle *handle)
{
    struct ocl_offer *made = calloc(1, sizeof *made);

    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->kind = OCL_OFFER_EVENT;
    made->give = give;
    made->let_go = let_go;
    made->object = file;
    return ocl_offer_make(made, is_same, handle);
}

ocl_status ocl_share_event(struct ocl_event *event, struct ocl_share_handle *handle)
{
    struct ocl_outer_event *outer = ocl_event_hold_outer(event);
    ocl_status status = OCL_E_NOT_FOUND;

    if (outer && event_of(outer)->file->is_own)
        status = offer(event_of(outer)->file, handle);
    ocl_outer_event_release(outer);
    return status;
}

/* Lock held. With a reference, or NULL. */
static struct shared_file *find(const unsigned char *secret)
{
    struct shared_file *file = files;

    while (file && (memcmp(file->secret, secret, sizeof file->secret) != 0 || !retain(file)))
        file = file->next;
    return file;
}

static ocl_status ask(const struct ocl_share_handle *handle, struct shared_file **made)
{
    struct ocl_offer_answer answer;
    struct stat facts;
    int file;
    const ocl_status status = ocl_offer_ask(handle, &answer, &file);

    if (status != OCL_OK)
        return status;
    if (fstat(file, &facts) != 0 || facts.st_size < (off_t)sizeof(struct shared_page)) {
        close(file);
        return OCL_E_NOT_FOUND;
    }
    const ocl_status mapped = map(file, false, made);
    if (mapped == OCL_OK)
        memcpy((*made)->secret, ocl_offer_secret(handle), sizeof(*made)->secret);
    return mapped;
}

/* One at a time, so that none is opened twice. */
static ocl_status open_file(const struct ocl_share_handle *handle, struct shared_file **file)
{
    ocl_status status = OCL_OK;

    pthread_mutex_lock(&lock);
    while (is_opening)
        ocl_steady_wait(&opened, &lock);
    *file = find(ocl_offer_secret(handle));
    if (!*file) {
        is_opening = true;
        pthread_mutex_unlock(&lock);
        status = ask(handle, file);
        pthread_mutex_lock(&lock);
        is_opening = false;
        if (status == OCL_OK) {
            (*file)->next = files;
            files = *file;
        }
        pthread_cond_broadcast(&opened);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

ocl_status ocl_share_open_event(struct ocl_context *context, const struct ocl_share_handle *handle,
                                struct ocl_event **event)
{
    struct shared_file *file;

    if (!ocl_share_is_possible(context))
        return OCL_E_NOT_SUPPORTED;
    if (!ocl_offer_is_handle(handle, OCL_OFFER_EVENT))
        return OCL_E_NOT_FOUND;
    if (ocl_offer_is_own(handle))
        return OCL_E_ALREADY;
    const ocl_status status = open_file(handle, &file);
    return status == OCL_OK ? make_event(context, file, event) : status;
}
