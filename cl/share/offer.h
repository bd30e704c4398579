/* How processes of one user hand files to each other. Private to cl/share/.
 *
 * Who has something to offer listens at a socket with an abstract name, which is in no folder and goes with the process. A client
 * names what it wants by 128 random bits, and gets a file and some numbers. Each side looks at the kernel's word for whose process
 * the other is: another user's gets nothing, and is believed nothing.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_OFFER_H
#define OCL_OFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "cl/share.h"

enum { OCL_OFFER_RANDOM = 16 };

enum ocl_offer_kind { OCL_OFFER_MEMORY = 1, OCL_OFFER_EVENT = 2, OCL_OFFER_POOLED = 3 };

/* What comes with the file. */
struct ocl_offer_answer {
    uint64_t offset, bytes; /* of what is meant, in the file */
};

struct ocl_offer {
    unsigned char secret[OCL_OFFER_RANDOM];
    enum ocl_offer_kind kind;
    /* Writes what there is, whose file stays the offer's own, or -1: nobody gets it. false: it is gone. hold: for let_go(). Called under a lock: calls nothing
     * that waits. */
    bool (*give)(const struct ocl_offer *offer, struct ocl_offer_answer *answer, int *file,
                 void **hold);
    void (*let_go)(void *hold);
    unsigned char group[OCL_OFFER_RANDOM]; /* of OCL_OFFER_POOLED: which pool; zeros otherwise */
    uint64_t address, id;                  /* the offer's own */
    void *object;
    struct ocl_offer *next;
};

/* Finds the offer for which is_it() is true, or takes over made, of malloc(), whose secret this draws, and listens from then on; made
 * is freed otherwise. Writes the handle of the one or the other.
 * Locks: a leaf, also while is_it() runs. Errors: OCL_E_NOT_SUPPORTED when the system has no such sockets; OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_offer_make(struct ocl_offer *made,
                          bool (*is_it)(const struct ocl_offer *made, const struct ocl_offer *old),
                          struct ocl_share_handle *handle);

/* Listens, if that has not begun, and tells where. Errors: as above. */
ocl_status ocl_offer_begin(unsigned char name[OCL_OFFER_RANDOM]);

/* false: the system has no random bits to give. */
bool ocl_offer_draw(unsigned char number[OCL_OFFER_RANDOM]);

/* Frees the offers for which is_it(offer, argument) is true. Locks: the same. */
void ocl_offer_drop(bool (*is_it)(const struct ocl_offer *offer, const void *argument),
                    const void *argument);

/* Whether the handle is well-formed and of this kind; whether this process made it. */
bool ocl_offer_is_handle(const struct ocl_share_handle *handle, enum ocl_offer_kind kind);
bool ocl_offer_is_own(const struct ocl_share_handle *handle);
const unsigned char *ocl_offer_secret(const struct ocl_share_handle *handle);

/* Asks the process of the handle. *file is the caller's. Errors: OCL_E_NOT_FOUND. */
ocl_status ocl_offer_ask(const struct ocl_share_handle *handle, struct ocl_offer_answer *answer,
                         int *file);

/* What both sides of a connection share. Names are for the handle's field server. */
struct ocl_offer_handle {
    char magic[8];
    uint32_t kind, zero;
    unsigned char server[OCL_OFFER_RANDOM], secret[OCL_OFFER_RANDOM];
    unsigned char group[OCL_OFFER_RANDOM];
};
struct ocl_offer_request {
    char magic[8];
    unsigned char secret[OCL_OFFER_RANDOM];
};
extern const char ocl_offer_magic[8];

struct sockaddr_un;
/* Returns its size. */
unsigned ocl_offer_name(const unsigned char *server, struct sockaddr_un *name);
/* Whether the other end is a process of this user. */
bool ocl_offer_is_ours(int connection);
/* How long reads and writes may take. */
bool ocl_offer_limit(int connection, unsigned seconds);

#endif
