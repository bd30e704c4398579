/* The check of what was never written: loads give registers their bytes, stores take them on, and where one of them decides
 * something it is reported.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/check_init.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/check/check_filled.h"
#include "cl/check/check_flow.h"
#include "cl/check/check_race.h"
#include "cl/check/check_shadow.h"
#include "cl/check/check_values.h"

/* ---- Reports ---- */

static void describe(const struct ocl_access *a, const struct ocl_unwritten *from, char *about,
                     size_t bytes, const struct ocl_checked_memory **memory)
{
    char *source = ptx_module_source(a->launch->module, from->location);
    const struct ocl_checked_memory *m =
        from->space == CLEM_CHECK_GLOBAL ? ocl_check_find(from->address) : NULL;
    char whose[96];
    snprintf(whose, sizeof whose, "%s memory",
             from->space == CLEM_CHECK_LOCAL ? "local" : "shared");
    if (m)
        snprintf(whose, sizeof whose, "%s of %llu bytes at 0x%llx", m->kind,
                 (unsigned long long)m->bytes, (unsigned long long)m->base);
    snprintf(about, bytes, "it was read at %s%sPTX line %u, from byte %llu of %s",
             source ? source : "", source ? ", " : "", (unsigned)from->line,
             (unsigned long long)(m ? from->address - m->base : from->offset), whose);
    free(source);
    *memory = m;
}

static void tell(const struct ocl_access *a, const struct ocl_unwritten *from, const char *what)
{
    char about[512];
    const struct ocl_checked_memory *memory;
    describe(a, from, about, sizeof about, &memory);
    ocl_check_report_access(
        a, &(struct ocl_finding){.check = OCL_CHECK_INIT,
                                 .what = what,
                                 .about = about,
                                 .allocation = memory ? &memory->allocated : NULL});
}

/* ---- Loads and stores ---- */

static uint32_t name_at(const struct clem_check_call *call, unsigned i)
{
    const uint64_t pair = i < 2 ? call->registers : call->others;
    return (uint32_t)(i % 2 ? pair >> 32 : pair);
}

/* CLEM_CHECK_VALUES() */
static unsigned count_of(const struct ocl_access *a)
{
    const unsigned count = (unsigned)a->call->more & 0xff;
    return count > 0 && a->bytes >= count ? count : 1;
}

static struct ocl_unwritten origin(const struct ocl_access *a, uint64_t plus)
{
    return (struct ocl_unwritten){
        a->space, a->address + plus, a->offset + plus, a->line, a->location, 8, false};
}

/* Bits of up to 8 bytes that were not written. */
static uint64_t missing(const unsigned char *written, size_t bytes)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < bytes && i < 8; i++)
        bits |= (uint64_t)ocl_unwritten_bits(written[i]) << (8 * i);
    return bits;
}

static unsigned first_byte(uint64_t bits)
{
    return bits ? (unsigned)__builtin_ctzll(bits) / 8 : 0;
}

static bool is_any_followed(const struct ocl_access *a)
{
    return atomic_load_explicit((_Atomic uint64_t *)&a->launch->head.followed,
                                memory_order_relaxed) != 0;
}

/* An address that is made of what nobody wrote. */
static void check_base(const struct ocl_access *a)
{
    struct ocl_unwritten from;
    const uint32_t base = (uint32_t)a->call->base;
    if (is_any_followed(a) && ocl_check_value(a, base, &from)) {
        tell(a, &from, "an address comes from memory that was never written");
        ocl_check_set_value(a, base, 0, NULL);
    }
}

/* What a register gets; where it is larger than what is read, zeros or the sign are above. */
static uint64_t filled(const struct ocl_access *a, uint64_t bits, size_t each)
{
    const uint64_t whole = a->call->more >> 8 & 0xff;
    const bool is_signed = a->call->more >> 16 & 1;
    const uint64_t sources[4] = {bits};
    return whole > each
               ? ocl_flow(CLEM_CHECK_EXTEND, each | (is_signed ? 256 : 0), (uint32_t)whole, sources)
               : bits;
}

/* All that a fetch gives is made of its texel, or of several, one after the other. */
static void fetch(const struct ocl_access *a)
{
    const bool is_one_of_several = a->value == 2;
    const unsigned char *written = ocl_check_written(a);
    uint64_t bits = 0;
    unsigned first = 0;
    for (unsigned i = 0; written && i < a->bytes && !bits; i++) {
        bits = ocl_unwritten_bits(written[i]) ? ~0ull : 0;
        first = bits ? i : first;
    }
    struct ocl_unwritten from = origin(a, first);
    from.is_computed = true;
    for (unsigned i = 0; i < 4 && (bits || (is_any_followed(a) && !is_one_of_several)); i++)
        ocl_check_set_value(a, name_at(a->call, i), bits, &from);
}

static void load(const struct ocl_access *a)
{
    const unsigned count = count_of(a);
    const size_t each = a->bytes / count;
    const unsigned char *written = ocl_check_written(a);
    for (unsigned i = 0; i < count && i < 4; i++) {
        const uint64_t bits = written ? missing(written + i * each, each) : 0;
        struct ocl_unwritten from = origin(a, i * each + first_byte(bits));
        from.is_computed = bits && written[i * each + first_byte(bits)] == OCL_COMPUTED;
        from.bytes = (uint32_t)each;
        if (bits || is_any_followed(a))
            ocl_check_set_value(a, name_at(a->call, i), filled(a, bits, each), &from);
    }
}

/* What a register has goes to memory. */
static void write_register(const struct ocl_access *a, unsigned char *written, size_t bytes,
                           uint32_t name)
{
    struct ocl_unwritten from = {0};
    const uint64_t bits = ocl_check_value(a, name, &from);
    const bool is_computed = from.is_computed || bytes > from.bytes;
    if (bits == 0)
        return;
    ocl_check_unfill_begin(ocl_check_find(a->address), a->address, a->bytes);
    for (size_t i = 0; i < bytes && i < 8; i++)
        if (bits >> (8 * i) & 0xff)
            written[i] = ocl_written_but(bits >> (8 * i) & 0xff, is_computed);
    ocl_check_unfill_end();
}

static void store(const struct ocl_access *a)
{
    unsigned char *written = ocl_check_written(a);
    if (!written)
        return;
    memset(written, OCL_WRITTEN, a->bytes);
    const unsigned count = count_of(a);
    const size_t each = a->bytes / count;
    for (unsigned i = 0; i < count && i < 4 && is_any_followed(a); i++)
        write_register(a, written + i * each, each, name_at(a->call, i));
}

/* From memory to memory, the rest zeros. */
static void copy(const struct ocl_access *a)
{
    struct ocl_access source = *a;
    unsigned char *written = ocl_check_written(a);
    if (!written)
        return;
    source.space = (unsigned)a->call->registers;
    source.address = source.offset = a->value;
    if (source.space == CLEM_CHECK_SHARED)
        source.address += a->call->shared;
    source.bytes = a->more < a->bytes ? (uint32_t)a->more : a->bytes;
    const unsigned char *from = source.bytes ? ocl_check_written(&source) : NULL;
    memset(written, OCL_WRITTEN, a->bytes);
    if (!from || ocl_check_are_written(from, source.bytes))
        return;
    ocl_check_unfill_begin(ocl_check_find(a->address), a->address, a->bytes);
    memcpy(written, from, source.bytes);
    ocl_check_unfill_end();
}

static void change(const struct ocl_access *a)
{
    unsigned char *written = ocl_check_written(a);
    if (!written)
        return;
    const uint64_t bits = missing(written, a->bytes);
    const struct ocl_unwritten from = origin(a, first_byte(bits));
    if (bits)
        tell(a, &from, "an atomic operation on memory that was never written");
    memset(written, OCL_WRITTEN, a->bytes);
    for (unsigned i = 0; i < 2 && is_any_followed(a); i++)
        write_register(a, written, a->bytes, name_at(a->call, i));
}

/* ---- Flow ---- */

/* A name gets bits that nobody wrote, unless the thread goes on by them: then that is said, once. */
static void give(const struct ocl_access *a, uint32_t to, uint64_t bits,
                 const struct ocl_unwritten *from)
{
    const bool decides = bits && (a->flags & CLEM_CHECK_DECIDES);
    if (decides)
        tell(a, from, "a branch depends on memory that was never written");
    for (unsigned i = 0; decides && i < 4; i++)
        ocl_check_set_value(a, name_at(a->call, i), 0, NULL);
    ocl_check_set_value(a, to, decides ? 0 : bits, from);
}

static void flow(const struct ocl_access *a)
{
    const unsigned how = (unsigned)a->call->base;
    uint64_t sources[4];
    struct ocl_unwritten from = {0};
    bool is_computed = false;
    for (unsigned i = 0; i < 4; i++) {
        sources[i] = ocl_check_value(a, name_at(a->call, i), &from);
        is_computed |= sources[i] && from.is_computed;
    }
    from.is_computed = is_computed || ocl_flow_computes(how, a->value, a->bytes, sources);
    if (how == CLEM_CHECK_EXTEND && (a->value & 0xff) < from.bytes)
        from.bytes = a->value & 0xff;
    else if (how != CLEM_CHECK_MOVE && how != CLEM_CHECK_CHOOSE && how != CLEM_CHECK_EXTEND)
        from.bytes = 8;
    give(a, (uint32_t)a->offset, ocl_flow(how, a->value, a->bytes, sources), &from);
}

static uint64_t next_number(const char **text)
{
    char *end;
    const uint64_t number = strtoull(*text, &end, 16);
    *text = *end == ',' ? end + 1 : end;
    return number;
}

/* CLEM_CHECK_FLOWS */
static void flows(const struct ocl_access *a)
{
    const char *text = (const char *)(uintptr_t)a->address;
    while (*text) {
        struct clem_check_call call = {0};
        struct ocl_access one = *a;
        const uint64_t site = next_number(&text);
        one.kind = CLEM_CHECK_FLOW;
        one.line = (uint32_t)site;
        one.location = (uint32_t)(site >> 32);
        one.flags = (unsigned)next_number(&text);
        one.bytes = (uint32_t)next_number(&text);
        one.address = one.offset = next_number(&text);
        call.base = next_number(&text);
        one.value = next_number(&text);
        call.registers = next_number(&text);
        call.registers |= next_number(&text) << 32;
        call.others = next_number(&text);
        call.others |= next_number(&text) << 32;
        one.call = &call;
        flow(&one);
    }
}

/* ---- Lanes ---- */

enum { LANES = 32 };

/* What a warp's lanes have before any of them gets something. */
struct lanes {
    uint64_t bits[LANES], chosen[LANES]; /* of what they give, and of what says whose they take */
    struct ocl_unwritten from[LANES];
};

static struct ocl_access lane_of(const struct ocl_access *a, unsigned lane)
{
    struct ocl_access of = *a;
    of.thread = a->thread + lane;
    return of;
}

static void look_at_lanes(const struct ocl_access *a, struct lanes *lanes, uint32_t given,
                          uint32_t chosen)
{
    for (unsigned i = 0; i < LANES; i++) {
        const struct ocl_access of = lane_of(a, i);
        const bool is_here = a->more >> i & 1;
        lanes->chosen[i] = is_here ? ocl_check_value(&of, chosen, &lanes->from[i]) : 0;
        lanes->bits[i] = is_here ? ocl_check_value(&of, given, &lanes->from[i]) : 0;
    }
}

/* A lane of `among` that has bits of what it gives; LANES: none. */
static unsigned lane_among(const struct lanes *lanes, uint32_t among)
{
    unsigned i = 0;
    while (i < LANES && !((among >> i & 1) && lanes->bits[i]))
        i++;
    return i;
}

/* One lane's results: what it takes as it is, and what it computes. */
static void give_lane(const struct ocl_access *of, const struct lanes *lanes, unsigned lane,
                      const uint64_t names[2])
{
    const bool is_mask = of->more >> LANES & 1;
    const uint32_t other = ((const uint32_t *)(uintptr_t)of->value)[lane];
    const unsigned source = is_mask ? lane_among(lanes, other) : other & (LANES - 1);
    const uint64_t all = ocl_flow_bytes(of->bytes);
    struct ocl_unwritten from = source < LANES ? lanes->from[source] : lanes->from[lane];
    uint64_t bits = source < LANES ? lanes->bits[source] : 0;
    if (lanes->chosen[lane]) {
        from = lanes->from[lane];
        bits = all;
    }
    from.is_computed |= is_mask || lanes->chosen[lane];
    give(of, (uint32_t)names[0], is_mask && bits ? all : bits & all, &from);
    give(of, (uint32_t)names[1], (is_mask && bits) || lanes->chosen[lane] ? 0xff : 0, &from);
}

/* All threads of the block get what any of them has a part in. */
static void exchange_all(const struct ocl_access *a, const uint64_t names[2], uint32_t given)
{
    const uint32_t threads = ocl_check_threads(a->launch);
    struct ocl_access of = *a;
    struct ocl_unwritten from = {0};
    uint64_t any = 0;
    for (of.thread = 0; of.thread < threads && !any; of.thread++)
        any = ocl_check_value(&of, given, &from);
    from.is_computed = true;
    for (of.thread = 0; of.thread < threads; of.thread++)
        for (unsigned i = 0; i < 2; i++)
            give(&of, (uint32_t)names[i], any ? ocl_flow_bytes(i ? 1 : a->bytes) : 0, &from);
}

/* CLEM_CHECK_EXCHANGE */
static void exchange(const struct ocl_access *a)
{
    const char *text = (const char *)(uintptr_t)a->address;
    struct lanes lanes = {0};
    struct ocl_access whole = *a;
    uint64_t names[2];
    whole.flags = (unsigned)next_number(&text);
    whole.bytes = (uint32_t)next_number(&text);
    names[0] = next_number(&text);
    names[1] = next_number(&text);
    const uint32_t given = (uint32_t)next_number(&text);
    if (a->value == 0)
        exchange_all(&whole, names, given);
    else
        look_at_lanes(a, &lanes, given, (uint32_t)next_number(&text));
    for (unsigned i = 0; i < LANES; i++)
        if (a->more >> i & 1) {
            const struct ocl_access of = lane_of(&whole, i);
            give_lane(&of, &lanes, i, names);
        }
}

void ocl_check_init(const struct ocl_access *a)
{
    if (ocl_access_is_memory(a))
        check_base(a);
    switch (a->kind) {
    case CLEM_CHECK_LOAD:
        if (a->flags & CLEM_CHECK_KNOWN && a->value)
            fetch(a);
        else
            load(a);
        break;
    case CLEM_CHECK_STORE:
        if (a->flags & CLEM_CHECK_COPIES)
            copy(a);
        else
            store(a);
        break;
    case CLEM_CHECK_ATOMIC:
        change(a);
        break;
    case CLEM_CHECK_FLOWS:
        flows(a);
        break;
    case CLEM_CHECK_EXCHANGE:
        exchange(a);
        break;
    case CLEM_CHECK_BEGIN:
        ocl_check_shared_begins(a, a->address);
        break;
    case CLEM_CHECK_END:
        ocl_check_forget_values(a);
        break;
    default:
        break;
    }
}
