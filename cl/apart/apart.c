/* Hands jobs to processes of clem-compile.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/apart/apart.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cl/apart/apart_wire.h"
#include "cl/base/opencl.h"
#include "cl/base/options.h"
#include "cl/base/steady.h"
#include "cl/device/driver_declarations.h"
#include "cl/device/driver_limits.h"
#include "cl/process.h"
#include "cl/sanitized.h"
#include "cl/trace.h"

/* ---- The processes ---- */

/* A forked child closes its own ends of their sockets, or the processes would outlive the parent. */
enum { MOST_COMPILERS = 64 };
static struct compiler {
    struct own_file socket; /* once has_process is set, which is atomic for that child */
    _Atomic bool has_process;
    bool is_busy, is_nice;
    uint32_t kind; /* of its jobs: LLVM is told what PoCL's is not to hear */
} compilers[MOST_COMPILERS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void close_in_child(void)
{
    for (size_t i = 0; i < MOST_COMPILERS; i++)
        if (compilers[i].has_process)
            own_file_close(&compilers[i].socket);
}

static void watch_fork(void)
{
    pthread_atfork(NULL, NULL, close_in_child);
}

/* One that is idle, or else a free place; NULL where all are taken. */
static struct compiler *take_place(uint32_t kind, bool is_nice)
{
    struct compiler *found = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < MOST_COMPILERS; i++) {
        struct compiler *c = &compilers[i];
        if (c->is_busy || (c->has_process && (c->is_nice != is_nice || c->kind != kind)))
            continue;
        if (!found || c->has_process)
            found = c;
        if (c->has_process)
            break;
    }
    if (found) {
        found->is_busy = true;
        found->is_nice = is_nice;
        found->kind = kind;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void end_compiler(struct compiler *c)
{
    if (atomic_exchange(&c->has_process, false))
        own_file_close(&c->socket);
}

/* One of a kind is kept. */
static void give_place(struct compiler *given)
{
    bool has_other = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < MOST_COMPILERS; i++)
        has_other |= !compilers[i].is_busy && compilers[i].has_process &&
                     compilers[i].is_nice == given->is_nice && compilers[i].kind == given->kind;
    if (has_other)
        end_compiler(given);
    given->is_busy = false;
    pthread_mutex_unlock(&lock);
}

/* ---- One job ---- */

static bool send_all(int file, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        const ssize_t sent = send(file, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        if (sent > 0) {
            at += sent;
            bytes -= (size_t)sent;
        }
    }
    return true;
}

static bool receive_all(int file, void *data, size_t bytes)
{
    char *at = data;
    while (bytes > 0) {
        const ssize_t got = recv(file, at, bytes, 0);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        if (got > 0) {
            at += got;
            bytes -= (size_t)got;
        }
    }
    return true;
}

/* 0: the process has gone. */
static unsigned char receive(int file)
{
    unsigned char word = 0;
    return receive_all(file, &word, 1) ? word : 0;
}

/* The driver's place for the device in what it lists. */
static bool find_place(const struct ocl_device *device, uint32_t *place)
{
    cl_uint count = 0;
    if (clGetDeviceIDs(device->platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count) != CL_SUCCESS)
        return false;
    cl_device_id *all = calloc(count + 1, sizeof(cl_device_id));
    bool is_found = false;
    if (all && clGetDeviceIDs(device->platform, CL_DEVICE_TYPE_ALL, count, all, NULL) == CL_SUCCESS)
        for (cl_uint i = 0; i < count && !is_found; i++) {
            is_found = all[i] == device->id;
            *place = i;
        }
    free(all);
    return is_found;
}

/* A job as it is sent, and what comes back. */
struct parcel {
    struct ocl_apart_head head;
    const char *name, *options, *text;
    struct ocl_apart_job *job; /* of a program: can be ended meanwhile */
    char *data;                /* of code: what came back, with a NUL behind; malloc()ed */
    uint64_t bytes;
    int signal;
};

static void measure(struct parcel *parcel)
{
    parcel->head.name_bytes = (uint32_t)strlen(parcel->name) + 1;
    parcel->head.options_bytes = (uint32_t)strlen(parcel->options) + 1;
    parcel->head.text_bytes = strlen(parcel->text) + 1;
}

static bool send_parcel(int file, const struct parcel *parcel)
{
    const struct ocl_apart_head *head = &parcel->head;
    return send_all(file, head, sizeof *head) && send_all(file, parcel->name, head->name_bytes) &&
           send_all(file, parcel->options, head->options_bytes) &&
           send_all(file, parcel->text, head->text_bytes);
}

static bool receive_data(int file, struct parcel *parcel)
{
    enum { MOST = 1 << 30 };
    if (!receive_all(file, &parcel->bytes, sizeof parcel->bytes) || parcel->bytes > MOST)
        return false;
    parcel->data = malloc(parcel->bytes + 1);
    if (!parcel->data || !receive_all(file, parcel->data, parcel->bytes))
        return false;
    parcel->data[parcel->bytes] = '\0';
    return true;
}

static void name_file(struct ocl_apart_job *job, const struct own_file *file)
{
    if (!job)
        return;
    pthread_mutex_lock(&lock);
    job->file = file;
    pthread_mutex_unlock(&lock);
}

void ocl_apart_end(const struct ocl_apart_job *job)
{
    pthread_mutex_lock(&lock);
    const int file = job->file ? own_file_find(job->file) : -1;
    if (file >= 0)
        shutdown(file, SHUT_RDWR);
    pthread_mutex_unlock(&lock);
}

static bool start_compiler(struct compiler *c)
{
    pthread_once(&fork_once, watch_fork);
    c->socket = own_file_note(ocl_apart_start());
    atomic_store(&c->has_process, c->socket.number >= 0);
    return c->has_process;
}

/* Beside the words that come from the process. */
enum {
    NOT_BEGUN = 0, /* it was gone, or there is none */
    GONE = 'g'     /* it went without a word */
};

static unsigned char run_once(struct compiler *c, struct parcel *parcel)
{
    if (!c->has_process && !start_compiler(c))
        return NOT_BEGUN;
    const int file = own_file_find(&c->socket);
    if (file < 0 || !send_parcel(file, parcel) || receive(file) != OCL_APART_BEGUN) {
        end_compiler(c);
        return NOT_BEGUN;
    }
    name_file(parcel->job, &c->socket);
    unsigned char word = receive(file);
    name_file(parcel->job, NULL);
    if (word == OCL_APART_CRASHED)
        parcel->signal = receive(file);
    else if (word != 0 && parcel->head.kind != OCL_APART_PROGRAM && !receive_data(file, parcel))
        word = 0;
    if (word == 0 || word == OCL_APART_CRASHED ||
        (word == OCL_APART_FAILED && parcel->head.kind == OCL_APART_PROGRAM))
        end_compiler(c);
    return word ? word : GONE;
}

/* An idle one may just have gone, or the program has closed its socket. */
static unsigned char run(struct parcel *parcel)
{
    struct compiler *c = take_place(parcel->head.kind, parcel->head.is_nice);
    if (!c)
        return NOT_BEGUN;
    const bool was_there = c->has_process;
    unsigned char word = run_once(c, parcel);
    if (word == NOT_BEGUN && was_there)
        word = run_once(c, parcel);
    give_place(c);
    return word;
}

bool ocl_apart_is_allowed(void)
{
    const char *chosen = ocl_options_get()->compile;
    return !OCL_IS_SANITIZED && !ocl_process_is_privileged() && !ocl_process_is_exiting() &&
           !(chosen && strcmp(chosen, "here") == 0);
}

bool ocl_apart_is_possible(const struct ocl_device *device)
{
    const char *keeps = getenv("POCL_KERNEL_CACHE");
    return ocl_apart_is_allowed() && ocl_driver_keeps_programs(device) &&
           !(keeps && strcmp(keeps, "0") == 0);
}

enum ocl_apart_outcome ocl_apart_compile(struct ocl_apart_job *job, int *signal)
{
    struct ocl_driver_source source;
    struct parcel parcel = {.head = {.kind = OCL_APART_PROGRAM, .is_nice = job->is_nice},
                            .name = job->name,
                            .job = job};
    unsigned char word = NOT_BEGUN;
    const int before = ocl_steady_begin();
    if (ocl_driver_source_make(job->device, job->text, job->bytes, job->options, &source)) {
        parcel.options = source.options;
        parcel.text = source.text;
        measure(&parcel);
        if (find_place(job->device, &parcel.head.device))
            word = run(&parcel);
        ocl_driver_source_free(&source);
    }
    *signal = parcel.signal;
    ocl_steady_end(before);
    ocl_trace("kernel %s: %s", job->name,
              word == OCL_APART_DONE      ? "compiled in another process"
              : word == OCL_APART_CRASHED ? "the compiler ended in another process"
                                          : "not compiled in another process");
    return word == OCL_APART_DONE      ? OCL_APART_IS_DONE
           : word == OCL_APART_CRASHED ? OCL_APART_HAS_ENDED
                                       : OCL_APART_IS_NOT;
}

static enum ocl_apart_outcome take_answer(unsigned char word, struct parcel *parcel,
                                          struct ocl_apart_code *code)
{
    if (word == OCL_APART_DONE && parcel->bytes > 0) {
        code->object = (struct ocl_object){(unsigned char *)parcel->data, parcel->bytes};
        return OCL_APART_IS_DONE;
    }
    if (word == OCL_APART_FAILED && parcel->bytes > 0) {
        code->why = parcel->data;
        return OCL_APART_IS_REFUSED;
    }
    free(parcel->data);
    code->signal = parcel->signal;
    return word == OCL_APART_CRASHED || word == GONE ? OCL_APART_HAS_ENDED : OCL_APART_IS_NOT;
}

/* Whether code may be slower, so that it is made sooner. A kernel that is checked is long by calls that are hardly ever made: another
 * allocator takes a tenth longer over 290 KB of it, and what it makes runs up to a fifth faster. */
static bool is_long(const char *text)
{
    enum { LONG_TEXT = 128 << 10, LONG_CHECKED = 512 << 10 };
    const size_t bytes = strlen(text);
    return bytes >= LONG_CHECKED || (bytes >= LONG_TEXT && !strstr(text, "@clem_native_check_"));
}

enum ocl_apart_outcome ocl_apart_compile_code(struct ocl_apart_code *code)
{
    struct parcel parcel = {
        .head = {.kind = is_long(code->text) ? OCL_APART_LONG_CODE : OCL_APART_CODE},
        .name = code->name,
        .options = code->library,
        .text = code->text};
    measure(&parcel);
    const int before = ocl_steady_begin();
    const unsigned char word = run(&parcel);
    ocl_steady_end(before);
    return take_answer(word, &parcel, code);
}
