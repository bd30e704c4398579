/* Loads of memory that is still (host/still.h), of kernels that are checked: the text sees itself whether all that the lanes read was
 * read before by the launch.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <sys/types.h>

#include "kernels/ptx/emit/checked.h"
#include "kernels/ptx/library/check.h"
#include "kernels/ptx/native/memory/memory.h"

enum { HALF = PTX_NATIVE_LANES / 2, MOST_WORDS = 56 };

#define OF_HEAD(member)   offsetof(struct clem_check_launch, member)
#define OF_GATE(member)   offsetof(struct clem_race_gate, member)
#define OF_MEMORY(member) offsetof(struct clem_check_memory, member)

/* The memory that the access was in last, while it is still. */
struct memory {
    const char *base, *bytes, *still; /* i64 */
};

static const char *both(struct ptx_native *n, const char *a, const char *b)
{
    return a && b ? ptx_native_emit(n, "and i1 %s, %s", a, b) : a ? a : b;
}

/* Source: ptx_still_is_apart() of host/still.h. */
static const char *is_untouched(struct ptx_native *n, const char *head, const char *gate,
                                const struct memory *m)
{
    const char *change =
        ptx_native_changing_word(n, ptx_native_word_at(n, gate, OF_GATE(change)), 0);
    const char *is_none = ptx_native_emit(n, "icmp eq i64 %s, 0", change);
    const char *is_known = ptx_native_emit(n, "icmp eq i64 %s, %s", change,
                                           ptx_native_word_at(n, head, OF_HEAD(touched_change)));
    const char *is_above = ptx_native_emit(n, "icmp uge i64 %s, %s", m->base,
                                           ptx_native_word_at(n, head, OF_HEAD(touched_high)));
    const char *end = ptx_native_emit(n, "add i64 %s, %s", m->base, m->bytes);
    end = ptx_native_emit(n, "add i64 %s, 16", end);
    const char *is_below = ptx_native_emit(n, "icmp ule i64 %s, %s", end,
                                           ptx_native_word_at(n, head, OF_HEAD(touched_low)));
    const char *is_apart = ptx_native_emit(n, "or i1 %s, %s", is_above, is_below);
    return ptx_native_emit(n, "or i1 %s, %s", is_none, both(n, is_known, is_apart));
}

/* Whether some is still. Source: ptx_still_of() of host/still.h. */
static const char *find_memory(struct ptx_native *n, uint64_t number, struct memory *m)
{
    const char *head = ptx_native_of_launch(n, offsetof(struct ptx_native_launch, checked), "i64");
    const char *gate = ptx_native_word_at(n, head, OF_HEAD(gate)),
               *own = ptx_native_word_at(n, head, OF_HEAD(still) + number * sizeof(ulong));
    m->base = ptx_native_word_at(n, own, OF_MEMORY(base));
    m->bytes = ptx_native_word_at(n, own, OF_MEMORY(bytes));
    m->still = ptx_native_word_at(n, own, OF_MEMORY(still));
    const char *is_sole = ptx_native_emit(n, "icmp eq i64 %s, %s", head,
                                          ptx_native_changing_word(n, gate, OF_GATE(sole)));
    const char *is_plain = ptx_native_emit(n, "icmp eq i64 %s, 0",
                                           ptx_native_changing_word(n, head, OF_HEAD(followed)));
    const char *is_still = ptx_native_emit(n, "icmp ne i64 %s, 0", m->still);
    return both(n, both(n, is_sole, is_plain), both(n, is_still, is_untouched(n, head, gate, m)));
}

/* How far behind the memory's start an address is, and whether so many bytes from there on are in it. */
static const char *offset_of(struct ptx_native *n, const struct memory *m, const char *address,
                             uint64_t reach, uint32_t bytes, const char **is_within)
{
    const char *at = ptx_native_emit(n, "sub i64 %s, %s", address, m->base);
    const char *most = ptx_native_emit(n, "sub i64 %s, %llu", m->bytes, (unsigned long long)reach);
    const char *is_in = ptx_native_emit(n, "icmp ule i64 %s, %s", at, most);
    const char *is_large =
        ptx_native_emit(n, "icmp uge i64 %s, %llu", m->bytes, (unsigned long long)reach);
    *is_within = both(n, *is_within, both(n, is_in, is_large));
    if (bytes > 1) {
        const char *rest = ptx_native_emit(n, "and i64 %s, %u", at, bytes - 1);
        *is_within = both(n, *is_within, ptx_native_emit(n, "icmp eq i64 %s, 0", rest));
    }
    return at;
}

/* Whether all words that so many bytes from an offset on are in were read. */
static const char *were_read(struct ptx_native *n, const struct memory *m, const char *at,
                             uint64_t reach)
{
    const char *byte = ptx_native_emit(n, "lshr i64 %s, 5", at);
    const char *bits = ptx_native_word_at(n, ptx_native_emit(n, "add i64 %s, %s", m->still, byte),
                                          sizeof(struct clem_check_still));
    const char *word = ptx_native_emit(n, "lshr i64 %s, 2", at);
    const char *own =
        ptx_native_emit(n, "lshr i64 %s, %s", bits, ptx_native_emit(n, "and i64 %s, 7", word));
    const char *more = ptx_native_emit(n, "and i64 %s, 3", at);
    more = ptx_native_emit(n, "add i64 %s, %llu", more, (unsigned long long)reach + 3);
    const char *count = ptx_native_emit(n, "lshr i64 %s, 2", more);
    const char *others = ptx_native_emit(n, "shl i64 -1, %s", count);
    const char *all = ptx_native_emit(n, "or i64 %s, %s", own, others);
    return ptx_native_emit(n, "icmp eq i64 %s, -1", all);
}

/* Likewise all bytes, as far as they were read as such. Source: ptx_still_parts() of host/still.h. */
static const char *were_bytes_read(struct ptx_native *n, const struct memory *m, const char *at,
                                   uint64_t reach)
{
    const char *each = ptx_native_word_at(n, m->still, offsetof(struct clem_check_still, each));
    const char *byte = ptx_native_emit(n, "lshr i64 %s, 3", at);
    byte = ptx_native_emit(n, "add i64 %s, %s", byte, each);
    const char *bits =
        ptx_native_word_at(n, ptx_native_emit(n, "add i64 %s, %s", m->still, byte), 0);
    const char *own =
        ptx_native_emit(n, "lshr i64 %s, %s", bits, ptx_native_emit(n, "and i64 %s, 7", at));
    const char *all = ptx_native_emit(n, "or i64 %s, %lld", own, (long long)(UINT64_MAX << reach));
    return ptx_native_emit(n, "icmp eq i64 %s, -1", all);
}

/* Places that a load is looked at in, of so many bytes each: one, or two. */
struct ranges {
    const char *first[2];
    unsigned count;
    uint64_t reach;
    bool are_bytes; /* that may be parts of words */
};

static bool find_ranges(struct ptx_native *n, const struct ptx_native_transfer *t, uint32_t bytes,
                        struct ranges *r)
{
    const struct ptx_native_place *const at = &t->at;
    *r = (struct ranges){.count = 1, .reach = bytes};
    if (!at->offset.is_vector) {
        r->first[0] = ptx_native_full_address(n, *at).text;
        return true;
    }
    const int64_t stride = at->is_line ? ptx_native_stride_of(at) : -1;
    const unsigned lanes = stride != 0 && at->term.line.is_whole ? PTX_NATIVE_LANES : HALF;
    if (stride != 0 && stride != (int64_t)bytes)
        return false;
    if (stride != 0)
        r->reach = (uint64_t)lanes * bytes;
    if ((r->reach + 3) / 4 + 1 > MOST_WORDS)
        return false;
    r->are_bytes = stride != 0 && bytes < 4 && r->reach <= MOST_WORDS;
    r->first[0] = ptx_native_line_start(n, at, 0);
    if (at->term.line.is_whole || at->term.line.is_twin)
        return true;
    r->first[1] = ptx_native_line_start(n, at, 1);
    r->count = 2;
    return true;
}

const char *ptx_native_seen_still(struct ptx_native *n, const struct ptx_native_transfer *t,
                                  uint64_t number)
{
    const uint32_t bytes = CLEM_CHECK_BYTES(t->checked->what);
    struct memory m;
    struct ranges r;
    const char *at[2];
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || !find_ranges(n, t, bytes, &r))
        return NULL;
    const char *may_be = find_memory(n, number, &m);
    if (t->at.offset.is_vector)
        may_be = both(n, may_be, ptx_native_is_straight(n, &t->at.term));
    for (unsigned i = 0; i < r.count; i++)
        at[i] = offset_of(n, &m, r.first[i], r.reach, bytes, &may_be);
    const char *look = ptx_native_name(n, "look"), *end = ptx_native_name(n, "still"),
               *before = n->flow->block;
    ptx_native_do(n, "br i1 %s, label %%%s, label %%%s, !prof !1", may_be, look, end);
    ptx_native_label(n, look);
    const char *are = NULL;
    for (unsigned i = 0; i < r.count; i++)
        are = both(n, are,
                   r.are_bytes ? were_bytes_read(n, &m, at[i], r.reach)
                               : were_read(n, &m, at[i], r.reach));
    ptx_native_jump(n, end);
    ptx_native_label(n, end);
    return ptx_native_emit(n, "phi i1 [false, %%%s], [%s, %%%s]", before, are, look);
}
