/* Device memory that another process has as well.
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cl/base/deadline.h"
#include "cl/base/options.h"
#include "cl/memory/address.h"
#include "cl/memory/allocation.h"
#include "cl/queue/queue_private.h"
#include "cl/share/offer.h"
#include "cl/state/contexts.h"
#include "cl/state/stillness.h"
#include "cl/whole.h"

bool ocl_share_is_possible(const struct ocl_context *context)
{
    return context->capability.shares_memory;
}

bool ocl_share_is_expected(int device)
{
    const char *address = ocl_options_get()->address;

    return ocl_device_facts(device)->device_class == OCL_CLASS_CPU &&
           !(address && strcmp(address, ocl_address_name(OCL_ADDRESS_HANDLE)) == 0);
}

/* ---- Putting a file in place of pages ---- */

/* How often the device is looked for at rest, for how long in the first look, twice as long in each one behind it, and at most. */
enum { LOOKS = 200, FIRST_LOOK_NS = 1000000, LONG_LOOK_NS = 100000000, PAUSE_NS = 20000 };

static void finish(struct ocl_context *context)
{
    (void)ocl_queues_finish(context);
}

/* A context that has failed does nothing more. */
static bool is_busy(struct ocl_context *context)
{
    return ocl_queues_query(context) == OCL_E_NOT_READY;
}

static bool comes_to_rest(uint64_t within)
{
    const uint64_t end = ocl_now() + within;

    while (ocl_contexts_find(is_busy)) {
        if (ocl_now() >= end)
            return false;
        whole_pause(PAUSE_NS);
    }
    return true;
}

/* Work that is on its way may wait for what another thread gives the device, which is held off: so it is waited for without, and
 * only what others got in between is waited for, not for long, within the stillness. */
static bool begin_stillness(void)
{
    uint64_t within = FIRST_LOOK_NS;

    for (unsigned i = 0; i < LOOKS; i++) {
        ocl_contexts_visit(finish);
        ocl_stillness_begin();
        if (comes_to_rest(within))
            return true;
        ocl_stillness_end();
        within = 2 * within < LONG_LOOK_NS ? 2 * within : LONG_LOOK_NS;
    }
    return false;
}

static ocl_status export(struct ocl_block *block)
{
    if (atomic_load(&block->exported))
        return OCL_OK;
    if (!begin_stillness())
        return OCL_E_NOT_READY;
    const ocl_status status = ocl_block_export(block);
    ocl_stillness_end();
    return status;
}

/* ---- Pools ---- */

static const char pool_magic[8] = {'c', 'l', 'e', 'm', 'p', 'o', 'o', 'l'};

struct pool_parts {
    unsigned char server[OCL_OFFER_RANDOM], group[OCL_OFFER_RANDOM];
};
_Static_assert(sizeof(struct pool_parts) == OCL_SHARE_POOL_BYTES, "the parts of a pool's name");

static struct pool_parts pool_parts(const struct ocl_share_pool *pool)
{
    struct pool_parts parts;

    memcpy(&parts, pool->bytes, sizeof parts);
    return parts;
}

ocl_status ocl_share_name_pool(struct ocl_share_pool *pool)
{
    struct pool_parts parts;
    const ocl_status status = ocl_offer_begin(parts.server);

    if (status != OCL_OK)
        return status;
    if (!ocl_offer_draw(parts.group))
        return OCL_E_NOT_SUPPORTED;
    memcpy(pool->bytes, &parts, sizeof parts);
    return OCL_OK;
}

ocl_status ocl_share_make_pool_file(const struct ocl_share_pool *pool, int *file)
{
    *file = whole_above_streams(memfd_create("clem-pool", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (*file < 0)
        return OCL_E_OUT_OF_MEMORY;
    if (whole_write(*file, pool_magic, sizeof pool_magic) &&
        whole_write(*file, pool->bytes, sizeof pool->bytes) &&
        fcntl(*file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0)
        return OCL_OK;
    close(*file);
    return OCL_E_OUT_OF_MEMORY;
}

ocl_status ocl_share_read_pool_file(int file, struct ocl_share_pool *pool)
{
    char text[sizeof pool_magic + sizeof pool->bytes];
    struct stat facts;

    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode) ||
        pread(file, text, sizeof text, 0) != (ssize_t)sizeof text ||
        memcmp(text, pool_magic, sizeof pool_magic) != 0)
        return OCL_E_NOT_FOUND;
    memcpy(pool->bytes, text + sizeof pool_magic, sizeof pool->bytes);
    return OCL_OK;
}

/* ---- Offering ---- */

static void let_go(void *allocation)
{
    ocl_allocation_release(allocation);
}

static bool give(const struct ocl_offer *offer, struct ocl_offer_answer *answer, int *file,
                 void **hold)
{
    struct ocl_memory_view view;
    struct ocl_allocation *allocation =
        ocl_memory_hold((const void *)(uintptr_t)offer->address, &view);

    *hold = allocation;
    if (!allocation)
        return false;
    const struct ocl_export *exported = atomic_load(&allocation->block->exported);
    if (allocation->id == offer->id && exported) {
        *answer = (struct ocl_offer_answer){allocation->offset - exported->first, view.bytes};
        *file = own_file_find(&exported->file);
        return true;
    }
    *file = -1; /* other memory is there by now: its owner is told nothing */
    return true;
}

static bool is_same(const struct ocl_offer *made, const struct ocl_offer *old)
{
    return old->kind == made->kind && old->address == made->address && old->id == made->id;
}

/* What was offered at this address before is gone. */
static bool is_older(const struct ocl_offer *offer, const void *made)
{
    const struct ocl_offer *newer = made;

    return offer->kind != OCL_OFFER_EVENT && offer->address == newer->address &&
           offer->id != newer->id;
}

static ocl_status offer(const struct ocl_allocation *allocation, const struct ocl_share_pool *pool,
                        struct ocl_share_handle *handle)
{
    struct ocl_offer *made = calloc(1, sizeof *made);

    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->kind = pool ? OCL_OFFER_POOLED : OCL_OFFER_MEMORY;
    if (pool)
        memcpy(made->group, pool_parts(pool).group, sizeof made->group);
    made->give = give;
    made->let_go = let_go;
    made->address = allocation->address;
    made->id = allocation->id;
    ocl_offer_drop(is_older, made);
    return ocl_offer_make(made, is_same, handle);
}

static ocl_status share(const struct ocl_allocation *allocation, const struct ocl_share_pool *pool,
                        struct ocl_share_handle *handle)
{
    if (allocation->kind != OCL_MEMORY_DEVICE || !allocation->piece ||
        (allocation->ordered != NULL) != (pool != NULL))
        return OCL_E_NOT_FOUND;
    if (!ocl_share_is_possible(allocation->context))
        return OCL_E_NOT_SUPPORTED;
    const ocl_status status = export(allocation->block);
    return status == OCL_OK ? offer(allocation, pool, handle) : status;
}

ocl_status ocl_share_memory(const void *pointer, const struct ocl_share_pool *pool,
                            struct ocl_share_handle *handle)
{
    struct ocl_memory_view view;
    struct ocl_allocation *allocation = ocl_memory_hold(pointer, &view);

    if (!allocation)
        return OCL_E_NOT_FOUND;
    const ocl_status status = share(allocation, pool, handle);
    if (status == OCL_OK)
        ocl_check_filled(allocation->address); /* what others write nobody follows */
    ocl_memory_let_go(allocation);
    return status;
}

/* ---- Opening ---- */

/* What is open, the newest first. A context that is closed takes its memory along: then the id is of none any more. */
struct opened {
    unsigned char secret[OCL_OFFER_RANDOM];
    const struct ocl_context *context; /* compared only */
    uint64_t address, id;              /* of the allocation */
    bool is_pooled;
    unsigned count;
    struct opened *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static struct opened *all;                               /* (lock) */

/* Lock held. */
static struct opened *find(const struct ocl_context *context, const unsigned char *secret)
{
    struct opened *at = all;

    while (at && (at->context != context || memcmp(at->secret, secret, sizeof at->secret) != 0))
        at = at->next;
    return at;
}

static bool is_live(uint64_t address, uint64_t id)
{
    struct ocl_memory_view view;

    return ocl_memory_find((const void *)(uintptr_t)address, &view) && view.id == id;
}

static void forget(uint64_t address, uint64_t id)
{
    struct opened **link = &all;

    pthread_mutex_lock(&lock);
    while (*link && ((*link)->address != address || (*link)->id != id))
        link = &(*link)->next;
    struct opened *gone = *link;
    if (gone)
        *link = gone->next;
    pthread_mutex_unlock(&lock);
    free(gone);
}

/* Counts one opening more of what is open already. */
static bool open_again(const struct ocl_context *context, const unsigned char *secret,
                       uint64_t *address)
{
    uint64_t id = 0;

    pthread_mutex_lock(&lock);
    struct opened *found = find(context, secret);
    if (found) {
        found->count++;
        *address = found->address;
        id = found->id;
    }
    pthread_mutex_unlock(&lock);
    if (!found || is_live(*address, id))
        return found != NULL;
    forget(*address, id);
    return false;
}

/* A file that is shorter than its owner says would end whoever touches the rest. */
static bool has_bytes(int file, const struct ocl_offer_answer *answer)
{
    struct stat facts;

    return fstat(file, &facts) == 0 && facts.st_size > 0 && answer->bytes > 0 &&
           answer->offset <= (uint64_t)facts.st_size &&
           answer->bytes <= (uint64_t)facts.st_size - answer->offset;
}

static ocl_status import(struct ocl_context *context, const struct ocl_share_handle *handle,
                         uint64_t *address)
{
    struct ocl_offer_answer answer;
    int file;
    ocl_status status = ocl_offer_ask(handle, &answer, &file);

    if (status != OCL_OK)
        return status;
    status = has_bytes(file, &answer)
                 ? ocl_memory_import(context, file, answer.offset, (size_t)answer.bytes, 0, address)
                 : OCL_E_NOT_FOUND;
    close(file);
    return status;
}

/* Another thread may have opened the same meanwhile: then that stays, and this goes. Takes made over. */
static void note(struct opened *made, uint64_t *address)
{
    pthread_mutex_lock(&lock);
    struct opened *found = find(made->context, made->secret);
    if (found) {
        found->count++;
        *address = found->address;
    } else {
        made->next = all;
        all = made;
    }
    pthread_mutex_unlock(&lock);
    if (!found)
        return;
    (void)ocl_memory_close((const void *)(uintptr_t)made->address);
    free(made);
}

static ocl_status open_anew(struct ocl_context *context, const struct ocl_share_handle *handle,
                            uint64_t *address)
{
    struct ocl_memory_view view;
    struct opened *made = calloc(1, sizeof *made);

    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    const ocl_status status = import(context, handle, address);
    if (status != OCL_OK || !ocl_memory_find((const void *)(uintptr_t)*address, &view)) {
        free(made);
        return status;
    }
    memcpy(made->secret, ocl_offer_secret(handle), sizeof made->secret);
    made->context = context;
    made->address = *address;
    made->id = view.id;
    made->is_pooled = ocl_offer_is_handle(handle, OCL_OFFER_POOLED);
    made->count = 1;
    note(made, address);
    return OCL_OK;
}

static ocl_status open_as(enum ocl_offer_kind kind, struct ocl_context *context,
                          const struct ocl_share_handle *handle, uint64_t *address)
{
    if (!ocl_share_is_possible(context))
        return OCL_E_NOT_SUPPORTED;
    if (!ocl_offer_is_handle(handle, kind))
        return OCL_E_NOT_FOUND;
    if (ocl_offer_is_own(handle))
        return OCL_E_ALREADY;
    if (open_again(context, ocl_offer_secret(handle), address))
        return OCL_OK;
    return open_anew(context, handle, address);
}

ocl_status ocl_share_open_memory(struct ocl_context *context, const struct ocl_share_handle *handle,
                                 uint64_t *address)
{
    return open_as(OCL_OFFER_MEMORY, context, handle, address);
}

ocl_status ocl_share_open_pooled(struct ocl_context *context, const struct ocl_share_pool *pool,
                                 const struct ocl_share_handle *handle, uint64_t *address)
{
    const struct pool_parts parts = pool_parts(pool);
    struct ocl_offer_handle given;

    memcpy(&given, handle->bytes, sizeof given);
    if (memcmp(given.server, parts.server, sizeof parts.server) != 0 ||
        memcmp(given.group, parts.group, sizeof parts.group) != 0)
        return OCL_E_INVALID_VALUE;
    return open_as(OCL_OFFER_POOLED, context, handle, address);
}

bool ocl_share_is_pooled(const void *pointer)
{
    pthread_mutex_lock(&lock);
    const struct opened *at = all;
    while (at && at->address != (uint64_t)(uintptr_t)pointer)
        at = at->next;
    const bool is_pooled = at && at->is_pooled;
    pthread_mutex_unlock(&lock);
    return is_pooled;
}

/* One opening less of what begins at pointer. */
static bool forget_opening(const void *pointer, bool *is_last)
{
    struct opened **link = &all, *gone = NULL;

    pthread_mutex_lock(&lock);
    while (*link && (*link)->address != (uint64_t)(uintptr_t)pointer)
        link = &(*link)->next;
    const bool is_known = *link != NULL;
    *is_last = is_known && --(*link)->count == 0;
    if (*is_last) {
        gone = *link;
        *link = gone->next;
    }
    pthread_mutex_unlock(&lock);
    free(gone);
    return is_known;
}

ocl_status ocl_share_close_memory(const void *pointer)
{
    bool is_last;

    if (!forget_opening(pointer, &is_last))
        return OCL_E_NOT_FOUND;
    return is_last ? ocl_memory_close(pointer) : OCL_OK;
}

ocl_status ocl_share_discard_memory(const void *pointer)
{
    bool is_last;

    if (!forget_opening(pointer, &is_last))
        return OCL_E_NOT_FOUND;
    if (is_last)
        ocl_memory_discard((uint64_t)(uintptr_t)pointer);
    return OCL_OK;
}
