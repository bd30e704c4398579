/* Who answers for what this process has made handles of: a thread that begins with the first one.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cl/base/own_file.h"
#include "cl/base/steady.h"
#include "cl/own_thread.h"
#include "cl/share/offer.h"
#include "cl/whole.h"

/* Clients that wait while one is answered; how long one may take, which has written what it wants before it is let in. */
enum { BACKLOG = 1024, CLIENT_SECONDS = 1, PAUSE_NS = 10000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static struct ocl_offer *offers;                         /* (lock) */
static unsigned char server[OCL_OFFER_RANDOM];           /* the name; written before is_listening */
/* (lock), but for the child of a fork, which has no other thread */
static struct own_file listener = OWN_FILE_NONE;
static bool is_listening; /* (lock) */

/* ---- Answering ---- */

static bool read_request(int client, struct ocl_offer_request *request)
{
    ssize_t got;

    do
        got = recv(client, request, sizeof *request, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *request &&
           memcmp(request->magic, ocl_offer_magic, sizeof request->magic) == 0;
}

static void send_answer(int client, const struct ocl_offer_answer *answer, int file)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {.bytes = {0}};
    struct ocl_offer_answer copy = *answer;
    struct iovec part = {&copy, sizeof copy};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(header), &file, sizeof file);
    while (sendmsg(client, &message, MSG_NOSIGNAL) < 0 && errno == EINTR)
        continue;
}

/* What the offer holds is held until the client has it. */
static void answer(int client, const unsigned char *secret)
{
    struct ocl_offer_answer given;
    void (*let_go)(void *hold) = NULL;
    void *hold = NULL;
    int file = -1;

    pthread_mutex_lock(&lock);
    for (struct ocl_offer *offer = offers; offer && !let_go; offer = offer->next)
        if (memcmp(offer->secret, secret, sizeof offer->secret) == 0 &&
            offer->give(offer, &given, &file, &hold))
            let_go = offer->let_go;
    pthread_mutex_unlock(&lock);
    if (!let_go)
        return;
    if (file >= 0) /* else there is nothing behind the offer any more */
        send_answer(client, &given, file);
    let_go(hold);
}

static void serve(int client)
{
    struct ocl_offer_request request;

    if (ocl_offer_is_ours(client) && ocl_offer_limit(client, CLIENT_SECONDS) &&
        read_request(client, &request))
        answer(client, request.secret);
    close(client);
}

/* It is detached, and the process ends without it, or it ends with the socket. Where no more files can be opened clients wait. */
static void *listen_on(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    const struct own_file socket_file = listener;
    pthread_mutex_unlock(&lock);
    while (own_file_find(&socket_file) >= 0) {
        const int client = accept4(socket_file.number, NULL, NULL, SOCK_CLOEXEC);
        if (client >= 0)
            serve(client);
        else if (errno != EINTR && errno != ECONNABORTED)
            whole_pause(PAUSE_NS);
    }
    return NULL;
}

/* ---- Listening ---- */

/* The child has no thread that answers, and keeps clients waiting for as long as it has the socket. Nothing here was made for it:
 * where its parent has called CUDA, it may not. */
static void leave_to_parent(void)
{
    own_file_close(&listener);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, leave_to_parent);
}

bool ocl_offer_draw(unsigned char number[OCL_OFFER_RANDOM])
{
    ssize_t got;

    do
        got = getrandom(number, OCL_OFFER_RANDOM, 0);
    while (got < 0 && errno == EINTR);
    return got == OCL_OFFER_RANDOM;
}

static int open_listener(void)
{
    struct sockaddr_un name;
    const int file = whole_above_streams(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));

    if (file < 0)
        return -1;
    if (ocl_offer_draw(server)) {
        const unsigned bytes = ocl_offer_name(server, &name);
        if (bind(file, (struct sockaddr *)&name, bytes) == 0 && listen(file, BACKLOG) == 0)
            return file;
    }
    close(file);
    return -1;
}

/* Lock held. */
static ocl_status begin_to_listen(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_t thread;

    if (is_listening && own_file_find(&listener) >= 0)
        return OCL_OK;
    is_listening = false;
    pthread_once(&once, watch_forks);
    const int file = open_listener();
    if (file < 0)
        return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? OCL_E_OUT_OF_MEMORY
                                                                     : OCL_E_NOT_SUPPORTED;
    listener = own_file_note(file);
    if (!own_thread_start(&thread, 0, listen_on, NULL)) {
        own_file_close(&listener);
        return OCL_E_OUT_OF_MEMORY;
    }
    pthread_detach(thread);
    is_listening = true;
    return OCL_OK;
}

ocl_status ocl_offer_begin(unsigned char name[OCL_OFFER_RANDOM])
{
    pthread_mutex_lock(&lock);
    const ocl_status status = begin_to_listen();
    memcpy(name, server, OCL_OFFER_RANDOM);
    pthread_mutex_unlock(&lock);
    return status;
}

/* ---- Offers ---- */

static void write_handle(const struct ocl_offer *offer, struct ocl_share_handle *handle)
{
    struct ocl_offer_handle parts = {.kind = (uint32_t)offer->kind};

    memcpy(parts.magic, ocl_offer_magic, sizeof parts.magic);
    memcpy(parts.server, server, sizeof parts.server);
    memcpy(parts.secret, offer->secret, sizeof parts.secret);
    memcpy(parts.group, offer->group, sizeof parts.group);
    memcpy(handle->bytes, &parts, sizeof parts);
}

/* Lock held. */
static ocl_status add(struct ocl_offer *made)
{
    const ocl_status status = begin_to_listen();

    if (status != OCL_OK)
        return status;
    if (!ocl_offer_draw(made->secret))
        return OCL_E_NOT_SUPPORTED;
    made->next = offers;
    offers = made;
    return OCL_OK;
}

ocl_status ocl_offer_make(struct ocl_offer *made,
                          bool (*is_it)(const struct ocl_offer *made, const struct ocl_offer *old),
                          struct ocl_share_handle *handle)
{
    ocl_status status = OCL_OK;

    pthread_mutex_lock(&lock);
    struct ocl_offer *found = offers;
    while (found && !is_it(made, found))
        found = found->next;
    if (!found)
        status = add(made);
    if (status == OCL_OK)
        write_handle(found ? found : made, handle);
    pthread_mutex_unlock(&lock);
    if (found || status != OCL_OK)
        free(made);
    return status;
}

void ocl_offer_drop(bool (*is_it)(const struct ocl_offer *offer, const void *argument),
                    const void *argument)
{
    struct ocl_offer **link = &offers;

    pthread_mutex_lock(&lock);
    while (*link) {
        struct ocl_offer *offer = *link;
        if (is_it(offer, argument)) {
            *link = offer->next;
            free(offer);
        } else {
            link = &offer->next;
        }
    }
    pthread_mutex_unlock(&lock);
}

bool ocl_offer_is_own(const struct ocl_share_handle *handle)
{
    struct ocl_offer_handle parts;

    memcpy(&parts, handle->bytes, sizeof parts);
    pthread_mutex_lock(&lock);
    const bool is_own = is_listening && memcmp(parts.server, server, sizeof server) == 0;
    pthread_mutex_unlock(&lock);
    return is_own;
}
