/* What both ends of a connection do, and the client's.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "cl/base/steady.h"
#include "cl/share/offer.h"
#include "cl/whole.h"

/* A process that was stopped does not answer. */
enum { PATIENCE_SECONDS = 10 };

const char ocl_offer_magic[8] = {'c', 'l', 'e', 'm', 'i', 'p', 'c', '1'};

_Static_assert(sizeof(struct ocl_offer_handle) == OCL_SHARE_BYTES, "the handle is CUDA's");

unsigned ocl_offer_name(const unsigned char *server, struct sockaddr_un *name)
{
    static const char digits[] = "0123456789abcdef", prefix[] = "clem-ipc-";
    char *at = name->sun_path + 1; /* the zero before it makes the name an abstract one */

    memset(name, 0, sizeof *name);
    name->sun_family = AF_UNIX;
    memcpy(at, prefix, sizeof prefix - 1);
    at += sizeof prefix - 1;
    for (unsigned i = 0; i < OCL_OFFER_RANDOM; i++) {
        *at++ = digits[server[i] >> 4];
        *at++ = digits[server[i] & 15];
    }
    return (unsigned)(at - (char *)name);
}

bool ocl_offer_is_ours(int connection)
{
    struct ucred peer;
    socklen_t bytes = sizeof peer;

    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 &&
           bytes == sizeof peer && peer.uid == geteuid();
}

bool ocl_offer_limit(int connection, unsigned seconds)
{
    const struct timeval time = {.tv_sec = (time_t)seconds};

    return setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) == 0 &&
           setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time) == 0;
}

/* ---- Handles ---- */

static struct ocl_offer_handle parts_of(const struct ocl_share_handle *handle)
{
    struct ocl_offer_handle parts;

    memcpy(&parts, handle->bytes, sizeof parts);
    return parts;
}

bool ocl_offer_is_handle(const struct ocl_share_handle *handle, enum ocl_offer_kind kind)
{
    static const unsigned char none[OCL_OFFER_RANDOM];
    const struct ocl_offer_handle parts = parts_of(handle);

    return memcmp(parts.magic, ocl_offer_magic, sizeof parts.magic) == 0 &&
           parts.kind == (uint32_t)kind && parts.zero == 0 &&
           (kind == OCL_OFFER_POOLED || memcmp(parts.group, none, sizeof none) == 0);
}

const unsigned char *ocl_offer_secret(const struct ocl_share_handle *handle)
{
    return handle->bytes + offsetof(struct ocl_offer_handle, secret);
}

/* ---- The client ---- */

static int connect_to(const unsigned char *server)
{
    struct sockaddr_un name;
    const unsigned bytes = ocl_offer_name(server, &name);
    const int connection = whole_above_streams(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    int error;

    if (connection < 0)
        return -1;
    if (ocl_offer_limit(connection, PATIENCE_SECONDS)) {
        do
            error = connect(connection, (struct sockaddr *)&name, bytes);
        while (error != 0 && errno == EINTR);
        if (error == 0 && ocl_offer_is_ours(connection))
            return connection;
    }
    close(connection);
    return -1;
}

static bool send_request(int connection, const unsigned char *secret)
{
    struct ocl_offer_request request;
    ssize_t sent;

    memcpy(request.magic, ocl_offer_magic, sizeof request.magic);
    memcpy(request.secret, secret, sizeof request.secret);
    do
        sent = send(connection, &request, sizeof request, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof request;
}

/* The file comes with the first byte. -1: none came. */
static int file_in(struct msghdr *message)
{
    int file = -1;

    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part))
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS &&
            part->cmsg_len == CMSG_LEN(sizeof file))
            memcpy(&file, CMSG_DATA(part), sizeof file);
    return file;
}

static bool receive_answer(int connection, struct ocl_offer_answer *answer, int *file)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec part = {answer, sizeof *answer};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t got;

    do
        got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return false;
    *file = whole_above_streams(file_in(&message));
    if (got == (ssize_t)sizeof *answer && *file >= 0)
        return true;
    if (*file >= 0)
        close(*file);
    return false;
}

static bool ask(const struct ocl_offer_handle *parts, struct ocl_offer_answer *answer, int *file)
{
    const int connection = connect_to(parts->server);

    if (connection < 0)
        return false;
    const bool is_answered =
        send_request(connection, parts->secret) && receive_answer(connection, answer, file);
    close(connection);
    return is_answered;
}

ocl_status ocl_offer_ask(const struct ocl_share_handle *handle, struct ocl_offer_answer *answer,
                         int *file)
{
    const struct ocl_offer_handle parts = parts_of(handle);
    const int before = ocl_steady_begin();
    const bool is_answered = ask(&parts, answer, file);

    ocl_steady_end(before);
    return is_answered ? OCL_OK : OCL_E_NOT_FOUND;
}
