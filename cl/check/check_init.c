/* The check of what was never written: loads give registers their bytes, stores take them on, and where one of them decides
 * something it is reported.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/check_init.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/check/check_shadow.h"
#include "cl/check/check_values.h"

/* ---- Reports ---- */

static void describe(const struct ocl_access *a, const struct ocl_unwritten *from, char *about,
                     size_t bytes, const struct ocl_checked_memory **memory)
{
    char *source = ptx_module_source(a->launch->module, from->location);
    const struct ocl_checked_memory *m =
        from->space == CLEM_CHECK_GLOBAL ? ocl_check_find(from->address) : NULL;
    char whose[96] = "shared memory";
    if (m)
        snprintf(whose, sizeof whose, "%s of %llu bytes at 0x%llx", m->kind,
                 (unsigned long long)m->bytes, (unsigned long long)m->base);
    snprintf(about, bytes, "read at %s%sPTX line %u from byte %llu of %s", source ? source : "",
             source ? ", " : "", (unsigned)from->line,
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

static unsigned count_names(const struct clem_check_call *call)
{
    unsigned count = 1;
    for (unsigned i = 1; i < 4; i++)
        if (name_at(call, i))
            count = i + 1;
    return count;
}

static struct ocl_unwritten origin(const struct ocl_access *a, uint64_t plus)
{
    return (struct ocl_unwritten){a->space, a->address + plus, a->offset + plus,
                                  a->line,  a->location,       false};
}

static uint8_t missing(const unsigned char *written, uint32_t bytes)
{
    unsigned bits = 0;
    for (uint32_t i = 0; i < bytes && i < 8; i++)
        bits |= written[i] == OCL_WRITTEN ? 0u : 1u << i;
    return (uint8_t)bits;
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

static void load(const struct ocl_access *a)
{
    const unsigned count = count_names(a->call);
    const size_t each = a->bytes / count;
    const unsigned char *written = ocl_check_written(a);
    for (unsigned i = 0; i < count; i++) {
        const uint8_t bits = written ? missing(written + i * each, (uint32_t)each) : 0;
        struct ocl_unwritten from =
            origin(a, i * each + (bits ? (unsigned)__builtin_ctz(bits) : 0));
        from.is_computed =
            bits && written[i * each + (unsigned)__builtin_ctz(bits)] == OCL_COMPUTED;
        if (bits || is_any_followed(a))
            ocl_check_set_value(a, name_at(a->call, i), bits, &from);
    }
}

/* What a register has goes to memory. */
static void write_register(const struct ocl_access *a, unsigned char *written, uint32_t bytes,
                           uint32_t name)
{
    struct ocl_unwritten from;
    const uint8_t bits = ocl_check_value(a, name, &from);
    for (uint32_t i = 0; bits && i < bytes && i < 8; i++)
        if (bits >> i & 1)
            written[i] = from.is_computed ? OCL_COMPUTED : OCL_UNWRITTEN;
}

static void store(const struct ocl_access *a)
{
    unsigned char *written = ocl_check_written(a);
    if (!written)
        return;
    memset(written, OCL_WRITTEN, a->bytes);
    const unsigned count = count_names(a->call);
    const size_t each = a->bytes / count;
    for (unsigned i = 0; i < count && is_any_followed(a); i++)
        write_register(a, written + i * each, (uint32_t)each, name_at(a->call, i));
}

/* From memory to memory, the rest zeros. */
static void copy(const struct ocl_access *a)
{
    struct ocl_access source = *a;
    unsigned char *written = ocl_check_written(a);
    if (!written)
        return;
    source.space = CLEM_CHECK_GLOBAL;
    source.address = source.offset = a->value;
    source.bytes = a->more < a->bytes ? (uint32_t)a->more : a->bytes;
    const unsigned char *from = source.bytes ? ocl_check_written(&source) : NULL;
    memset(written, OCL_WRITTEN, a->bytes);
    if (from)
        memcpy(written, from, source.bytes);
}

static void change(const struct ocl_access *a)
{
    unsigned char *written = ocl_check_written(a);
    if (!written)
        return;
    const uint8_t bits = missing(written, a->bytes);
    const struct ocl_unwritten from = origin(a, bits ? (unsigned)__builtin_ctz(bits) : 0);
    if (bits)
        tell(a, &from, "an atomic operation on memory that was never written");
    memset(written, OCL_WRITTEN, a->bytes);
    for (unsigned i = 0; i < 2 && is_any_followed(a); i++)
        write_register(a, written, a->bytes, name_at(a->call, i));
}

/* ---- Flow ---- */

static uint8_t all_bytes(uint32_t bytes)
{
    return (uint8_t)(bytes >= 8 ? 0xffu : (1u << bytes) - 1);
}

/* Bytes of a mask that are not 0. */
static uint8_t used_bytes(uint64_t mask)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < 8; i++)
        bits |= (mask >> (8 * i) & 0xff) != 0 ? 1u << i : 0u;
    return (uint8_t)bits;
}

/* Moved by so many bits: a byte that comes from two has what either lacks. */
static unsigned moved(unsigned bits, uint64_t by, bool is_up)
{
    const unsigned bytes = (unsigned)(by / 8 < 8 ? by / 8 : 8);
    const unsigned once = is_up ? bits << bytes : bits >> bytes;
    if (by % 8 == 0)
        return once;
    return once | (is_up ? once << 1 : once >> 1);
}

static uint8_t flow_of(const struct ocl_access *a, const uint8_t sources[4])
{
    const uint8_t all = all_bytes(a->bytes);
    const unsigned any = sources[0] | sources[1] | sources[2] | sources[3];
    const uint64_t value = a->value;
    switch (a->call->base) {
    case CLEM_CHECK_MOVE:
    case CLEM_CHECK_BITS:
        return (uint8_t)(any & all);
    case CLEM_CHECK_MASK:
        return (uint8_t)(any & used_bytes(value) & all);
    case CLEM_CHECK_LEFT:
        return (uint8_t)(moved(any, value, true) & all);
    case CLEM_CHECK_RIGHT:
        return (uint8_t)(moved(any, value, false) & all);
    case CLEM_CHECK_PACK: {
        unsigned bits = 0;
        for (unsigned i = 0; i < 4 && i * value < 8; i++)
            bits |= (unsigned)sources[i] << i * value;
        return (uint8_t)(bits & all);
    }
    case CLEM_CHECK_EXTEND: {
        const unsigned low = any & all_bytes((uint32_t)value);
        const bool is_top = value > 0 && value < 8 && low >> (value - 1) & 1;
        return (uint8_t)((low | (is_top ? ~0u << value : 0u)) & all);
    }
    default:
        return any ? all : 0;
    }
}

static void flow(const struct ocl_access *a)
{
    uint8_t sources[4];
    struct ocl_unwritten from = {0};
    for (unsigned i = 0; i < 4; i++)
        sources[i] = ocl_check_value(a, name_at(a->call, i), &from);
    uint8_t bits = flow_of(a, sources);
    if (bits && (a->flags & CLEM_CHECK_DECIDES)) {
        tell(a, &from, "where a thread goes on depends on memory that was never written");
        bits = 0;
        for (unsigned i = 0; i < 4; i++)
            ocl_check_set_value(a, name_at(a->call, i), 0, NULL);
    }
    from.is_computed |= a->call->base != CLEM_CHECK_MOVE && a->call->base != CLEM_CHECK_PACK &&
                        a->call->base != CLEM_CHECK_RIGHT;
    ocl_check_set_value(a, (uint32_t)a->offset, bits, &from);
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

void ocl_check_init(const struct ocl_access *a)
{
    if (ocl_access_is_memory(a))
        check_base(a);
    switch (a->kind) {
    case CLEM_CHECK_LOAD:
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
