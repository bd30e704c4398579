/* Where kernels that are checked call: each access comes here.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cl/check/check_filled.h"
#include "cl/check/check_host.h"
#include "cl/check/check_init.h"
#include "cl/check/check_later.h"
#include "cl/check/check_launch.h"
#include "cl/check/check_shadow.h"
#include "cl/check/check_table.h"

/* ---- Launches ---- */

static uint64_t checked(const struct clem_check_call *call);

/* Of no bytes, it is not made: its memory is found, for those that will look there. */
static uint64_t access_plain(struct ocl_check_launch *launch, uint64_t what, uint64_t site,
                             uint64_t address, uint64_t thread, uint64_t block)
{
    struct ocl_checked_memory *const found =
        CLEM_CHECK_BYTES(what) == 0 ? ocl_check_find(address) : NULL;
    if (found)
        ocl_check_see_filled(found);
    return ocl_check_race_plain(launch, what, site, address, thread, block);
}

static void release(struct ocl_check_launch *launch)
{
    ptx_module_free(launch->module);
    pthread_cond_destroy(&launch->turn);
    pthread_mutex_destroy(&launch->turn_lock);
    free(launch);
}

struct ocl_check_launch *ocl_check_begin(const struct ocl_check_launch *facts,
                                         const struct ocl_check_origin *part_of)
{
    struct ocl_check_launch *launch = malloc(sizeof *launch);
    if (!launch)
        return NULL;
    *launch = *facts;
    launch->head.function = (uint64_t)(uintptr_t)checked;
    launch->head.access = (uint64_t)(uintptr_t)access_plain;
    if (ocl_check_wants(OCL_CHECK_RACE)) {
        launch->head.meets = (uint64_t)(uintptr_t)ocl_check_race_meets;
        launch->head.warp_meets = (uint64_t)(uintptr_t)ocl_check_race_warp_meets;
        launch->head.gate = ocl_check_race_gate();
    }
    ocl_check_race_begin(launch);
    launch->head.put_off = (uint64_t)(uintptr_t)&launch->put_off;
    ocl_check_still(launch);
    ocl_check_look(launch, true);
    launch->number = ocl_check_count_launch();
    (void)ptx_module_hold(launch->module);
    launch->block_count = (uint64_t)facts->grid[0] * facts->grid[1] * facts->grid[2];
    atomic_init(&launch->blocks, launch->block_count);
    pthread_mutex_init(&launch->turn_lock, NULL);
    pthread_cond_init(&launch->turn, NULL);
    if (part_of) {
        launch->stack = part_of->stack;
        launch->time = part_of->time;
    } else {
        ocl_check_stack(&launch->stack);
        ocl_stream_command(&facts->stream, &launch->time);
    }
    return launch;
}

void ocl_check_cancel(struct ocl_check_launch *launch)
{
    if (launch)
        release(launch);
}

/* ---- Accesses ---- */

static void find_place(struct ocl_access *a, const struct clem_check_call *call)
{
    const uint64_t upper = call->address >> 32;
    a->space = CLEM_CHECK_SPACE(call->what);
    a->address = a->offset = call->address;
    if (a->space == CLEM_CHECK_GENERIC)
        a->space = upper == OCL_CHECK_SHARED_WINDOW  ? CLEM_CHECK_SHARED
                   : upper == OCL_CHECK_LOCAL_WINDOW ? CLEM_CHECK_LOCAL
                                                     : CLEM_CHECK_GLOBAL;
    if (a->space == CLEM_CHECK_SHARED || a->space == CLEM_CHECK_LOCAL) {
        a->offset = (uint32_t)call->address;
        a->address = (a->space == CLEM_CHECK_SHARED ? call->shared : call->stack) + a->offset;
    }
}

static void understand(struct ocl_access *a, const struct clem_check_call *call)
{
    *a = (struct ocl_access){
        .launch = (struct ocl_check_launch *)(uintptr_t)call->launch,
        .kind = CLEM_CHECK_KIND(call->what),
        .order = CLEM_CHECK_ORDER(call->what),
        .scope = CLEM_CHECK_SCOPE(call->what),
        .flags = CLEM_CHECK_FLAGS(call->what),
        .bytes = CLEM_CHECK_BYTES(call->what),
        .thread = (uint32_t)call->thread,
        .block = call->block,
        .value = call->value,
        .more = call->more,
        .line = (uint32_t)call->site,
        .location = (uint32_t)(call->site >> 32),
        .call = call,
    };
    find_place(a, call);
}

/* Where accesses go that must not be made: they read zeros, and what they write is nobody's. */
static uint64_t elsewhere(const struct ocl_access *a)
{
    enum { MOST_BYTES = 64 * 1024 };
    static _Alignas(64) unsigned char zeros[MOST_BYTES], written[MOST_BYTES];
    return (uint64_t)(uintptr_t)(a->kind == CLEM_CHECK_LOAD ? zeros : written);
}

static void end_block(struct ocl_check_launch *launch)
{
    if (ocl_check_orders(launch))
        ocl_check_end_block(launch);
    if (atomic_fetch_sub(&launch->blocks, 1) == 1) {
        ocl_host_settle();
        release(launch);
    }
}

/* Of many bytes the first that other threads touch would hide what else is wrong. */
static void check_race(const struct ocl_access *a)
{
    enum { PIECE = 16 };
    if (!ocl_access_is_memory(a) || a->bytes <= PIECE) {
        ocl_check_race(a);
        return;
    }
    struct ocl_access piece = *a;
    for (uint32_t at = 0; at < a->bytes; at += PIECE) {
        piece.bytes = a->bytes - at < PIECE ? a->bytes - at : PIECE;
        piece.address = a->address + at;
        piece.offset = a->offset + at;
        ocl_check_race(&piece);
    }
}

/* What threads do to memory, when it is done. */
static void follow(const struct ocl_access *a)
{
    if (ocl_check_wants(OCL_CHECK_INIT))
        ocl_check_init(a);
    if (ocl_check_wants(OCL_CHECK_RACE))
        check_race(a);
}

/* Whether it is done later. */
static bool is_put_off(const struct ocl_access *a)
{
    if (a->kind == CLEM_CHECK_GROUP)
        ocl_check_group(a, follow);
    if (a->kind == CLEM_CHECK_END && atomic_load(&a->launch->groups_begun))
        ocl_check_end_groups(a, follow);
    if (ocl_access_is_memory(a) && ocl_check_wants(OCL_CHECK_RACE))
        ocl_check_early(a);
    return a->flags & CLEM_CHECK_ASYNC && ocl_access_is_memory(a) &&
           ocl_check_wants(OCL_CHECK_INIT | OCL_CHECK_RACE) && ocl_check_put_off(a);
}

/* What is checked at once, whatever it is. */
static void check_at_once(const struct ocl_access *a)
{
    if (a->kind == CLEM_CHECK_SURFACE || a->kind == CLEM_CHECK_TEXTURE)
        ocl_check_place(a);
    if (a->kind == CLEM_CHECK_TRAP)
        ocl_check_trap(a);
}

/* Of a barrier nothing else is known, and there are many. */
static uint64_t meet(const struct ocl_access *a)
{
    if (ocl_check_wants(OCL_CHECK_RACE))
        ocl_check_race(a);
    if (ocl_check_wants(OCL_CHECK_SYNC))
        ocl_check_sync(a);
    return a->address;
}

static uint64_t checked(const struct clem_check_call *call)
{
    struct ocl_access a;
    understand(&a, call);
    bool is_allowed = true;
    if (a.kind == CLEM_CHECK_BARRIER)
        return meet(&a);
    if (a.kind == CLEM_CHECK_LAUNCH)
        return ocl_check_wants(OCL_CHECK_RACE) ? ocl_check_race_launches(&a) : 0;
    if (a.kind == CLEM_CHECK_SHADOW)
        return ocl_check_shared_shadow(a.address);
    if (a.space == CLEM_CHECK_PARAM) /* which all were written, and nobody writes */
        return !ocl_check_wants(OCL_CHECK_MEMORY) || ocl_check_memory(&a) ? a.address : 0;
    if (ocl_access_is_memory(&a) && !(a.flags & CLEM_CHECK_KNOWN) &&
        ocl_check_wants(OCL_CHECK_MEMORY))
        is_allowed = ocl_check_memory(&a);
    const bool is_now = is_allowed && !is_put_off(&a);
    check_at_once(&a);
    if (is_now && ocl_check_wants(OCL_CHECK_INIT))
        ocl_check_init(&a);
    if (a.kind == CLEM_CHECK_MALLOC && ocl_check_wants(OCL_CHECK_MEMORY | OCL_CHECK_INIT))
        ocl_check_heap_taken(&a);
    if (a.kind == CLEM_CHECK_FREE && ocl_check_wants(OCL_CHECK_MEMORY) && !ocl_check_heap_freed(&a))
        return 0;
    if (a.kind == CLEM_CHECK_OWN) {
        atomic_store(&a.launch->own[a.more].bytes, a.value);
        atomic_store(&a.launch->own[a.more].base, a.address);
    }
    if (a.kind == CLEM_CHECK_BEGIN && ocl_check_orders(a.launch))
        ocl_check_begin_block(a.launch, a.block);
    if (is_now && ocl_check_wants(OCL_CHECK_RACE)) {
        ocl_check_talk(&a);
        check_race(&a);
    }
    if (ocl_check_wants(OCL_CHECK_SYNC))
        ocl_check_sync(&a);
    if (a.kind == CLEM_CHECK_END)
        end_block(a.launch);
    if (!is_allowed)
        return elsewhere(&a);
    return CLEM_CHECK_SPACE(call->what) == CLEM_CHECK_GENERIC ? call->address : a.address;
}
