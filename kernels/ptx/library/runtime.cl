/* printf, assert, trap, malloc and free of kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime.h"

/* A byte of a text or an argument, wherever it is. */
static inline uchar clem_generic_u8(ulong address, __local uchar *shared, CLEM_LOCAL uchar *stack)
{
    return clem_generic_load(const, uchar, address, shared, stack);
}

/* ---- The ring ---- */

/* Bytes on their way into the ring; only counted where there is no ring yet. */
struct clem_writer {
    __global uchar *ring; /* NULL: count */
    uint at, mask, position, bytes; /* the last two: of the record */
};

static inline __global uchar *clem_ring(__global struct clem_runtime *runtime)
{
    return (__global uchar *)(runtime + 1);
}

static inline void clem_write_byte(struct clem_writer *writer, uchar byte)
{
    if (writer->ring)
        writer->ring[writer->at & writer->mask] = byte;
    writer->at++;
}

static inline void clem_write_ulong(struct clem_writer *writer, ulong value)
{
    for (uint i = 0; i < 8; i++)
        clem_write_byte(writer, (uchar)(value >> 8 * i));
}

/* A text at a generic address; NULL is written as C libraries print it. */
static inline void clem_write_text(struct clem_writer *writer, ulong text, __local uchar *shared,
                                   CLEM_LOCAL uchar *stack)
{
    uchar byte = 0;
    if (text == 0) {
        clem_write_byte(writer, '(');
        clem_write_byte(writer, 'n');
        clem_write_byte(writer, 'u');
        clem_write_byte(writer, 'l');
        clem_write_byte(writer, 'l');
        clem_write_byte(writer, ')');
        clem_write_byte(writer, 0);
        return;
    }
    do {
        byte = clem_generic_u8(text++, shared, stack);
        clem_write_byte(writer, byte);
    } while (byte != 0);
}

/* Counts a writer into a part for a round; false: see runtime.h. */
static inline bool clem_part_enter(volatile __global uint *part, uint round, uint mask)
{
    uint now = *part;
    for (;;) {
        const int ahead = (int)(round - (now & ~mask));
        if (ahead < 0 || (ahead > 0 && (now & mask) != 0))
            return false;
        const uint before = atomic_cmpxchg(part, now, round + (now & mask) + 1);
        if (before == now)
            return true;
        now = before;
    }
}

static inline void clem_parts_leave(__global struct clem_runtime *runtime, uint position,
                                    uint bytes)
{
    const uint mask = runtime->ring_bytes - 1, size = runtime->ring_bytes / CLEM_RING_PARTS;
    for (uint at = position; at - position < bytes; at = (at & ~(size - 1)) + size)
        atomic_dec((volatile __global uint *)&runtime->parts[(at & mask) / size]);
}

static inline bool clem_parts_enter(__global struct clem_runtime *runtime, uint position,
                                    uint bytes)
{
    const uint mask = runtime->ring_bytes - 1, size = runtime->ring_bytes / CLEM_RING_PARTS;
    for (uint at = position; at - position < bytes; at = (at & ~(size - 1)) + size)
        if (!clem_part_enter(&runtime->parts[(at & mask) / size], at & ~mask, mask)) {
            clem_parts_leave(runtime, position, at - position);
            return false;
        }
    return true;
}

/* Whether the ring can take a record of what the writer counted: less than a round, so that it comes
 * to no part twice. */
static inline bool clem_record_fits(__global struct clem_runtime *runtime,
                                    struct clem_writer *writer)
{
    writer->bytes = (writer->at + 4 * CLEM_RECORD_WORDS + 15) & ~15u;
    return writer->bytes <= runtime->ring_bytes - runtime->ring_bytes / CLEM_RING_PARTS;
}

/* Reserves a record that fits and points the writer behind its head; false: it is lost. */
static inline bool clem_record_begin(__global struct clem_runtime *runtime,
                                     struct clem_writer *writer, uint kind, uint count)
{
    __global uint *words = (__global uint *)clem_ring(runtime);
    const uint mask = runtime->ring_bytes - 1;
    const uint position = atomic_add((volatile __global uint *)&runtime->written, writer->bytes);
    if (!clem_parts_enter(runtime, position, writer->bytes))
        return false;
    clem_fence_global();
    words[(position & mask) / 4 + 1] = writer->bytes;
    words[(position & mask) / 4 + 2] = kind;
    words[(position & mask) / 4 + 3] = count;
    writer->ring = clem_ring(runtime);
    writer->mask = mask;
    writer->position = position;
    writer->at = position + 4 * CLEM_RECORD_WORDS;
    return true;
}

/* The mark comes behind everything else, so that a record that has one is whole. */
static inline void clem_record_end(__global struct clem_runtime *runtime,
                                   const struct clem_writer *writer)
{
    volatile __global uint *words = (volatile __global uint *)clem_ring(runtime);
    clem_fence_global();
    atomic_xchg(&words[(writer->position & writer->mask) / 4],
                CLEM_RECORD_MARK + writer->position);
    clem_fence_global();
    clem_parts_leave(runtime, writer->position, writer->bytes);
}

/* ---- printf ---- */

static inline ulong clem_argument(ulong *arguments, uint bytes, __local uchar *shared,
                                  CLEM_LOCAL uchar *stack)
{
    ulong value = 0;
    *arguments = (*arguments + bytes - 1) & ~(ulong)(bytes - 1);
    for (uint i = 0; i < bytes; i++)
        value |= (ulong)clem_generic_u8(*arguments + i, shared, stack) << 8 * i;
    *arguments += bytes;
    return value;
}

/* Whether a byte belongs to a conversion's flags, width and precision. */
static inline bool clem_is_flag(uchar byte)
{
    return (byte >= '0' && byte <= '9') || byte == ' ' || byte == '#' || byte == '+' ||
           byte == '-' || byte == '.' || byte == '\'';
}

/* Copies the arguments that a format names, integers of 4 bytes as 8; returns how many. */
static inline int clem_write_arguments(struct clem_writer *writer, ulong format, ulong arguments,
                                       __local uchar *shared, CLEM_LOCAL uchar *stack)
{
    int count = 0;
    for (uchar byte = clem_generic_u8(format, shared, stack); byte != 0;
         byte = clem_generic_u8(++format, shared, stack)) {
        if (byte != '%')
            continue;
        uint bytes = 4;
        for (byte = clem_generic_u8(++format, shared, stack);;
             byte = clem_generic_u8(++format, shared, stack)) {
            if (byte == '*') {
                clem_write_ulong(writer, clem_argument(&arguments, 4, shared, stack));
                count++;
            } else if (byte == 'l' || byte == 'j' || byte == 'z' || byte == 't' || byte == 'q' ||
                       byte == 'L') {
                bytes = 8;
            } else if (byte != 'h' && !clem_is_flag(byte)) {
                break;
            }
        }
        if (byte == 0)
            break;
        if (byte == '%')
            continue;
        if (byte == 's') {
            clem_write_text(writer, clem_argument(&arguments, 8, shared, stack), shared, stack);
        } else {
            const bool is_wide = byte == 'p' || byte == 'n' || (byte >= 'e' && byte <= 'g') ||
                                 (byte >= 'E' && byte <= 'G') || byte == 'a' || byte == 'A';
            clem_write_ulong(writer, clem_argument(&arguments, is_wide ? 8 : bytes, shared, stack));
        }
        count++;
    }
    return count;
}

/* Twice the same way: first the size is found, then the record is written. */
static inline int clem_vprintf(__global struct clem_runtime *runtime, ulong format, ulong arguments,
                               __local uchar *shared, CLEM_LOCAL uchar *stack)
{
    struct clem_writer writer = {0, 0, 0, 0, 0};
    if (format == 0)
        return -1;
    clem_write_text(&writer, format, shared, stack);
    const int count = clem_write_arguments(&writer, format, arguments, shared, stack);
    if (!clem_record_fits(runtime, &writer))
        return -2;
    if (!clem_record_begin(runtime, &writer, CLEM_RECORD_PRINT, (uint)count))
        return count;
    clem_write_text(&writer, format, shared, stack);
    clem_write_arguments(&writer, format, arguments, shared, stack);
    clem_record_end(runtime, &writer);
    return count;
}

/* ---- assert and trap ---- */

static inline void clem_write_assertion(struct clem_writer *writer, ulong message, ulong file,
                                        uint line, ulong function, uint8 place,
                                        __local uchar *shared, CLEM_LOCAL uchar *stack)
{
    clem_write_ulong(writer, line);
    clem_write_ulong(writer, place.s0);
    clem_write_ulong(writer, place.s1);
    clem_write_ulong(writer, place.s2);
    clem_write_ulong(writer, place.s4);
    clem_write_ulong(writer, place.s5);
    clem_write_ulong(writer, place.s6);
    clem_write_text(writer, message, shared, stack);
    clem_write_text(writer, file, shared, stack);
    clem_write_text(writer, function, shared, stack);
}

static inline void clem_fail(__global struct clem_runtime *runtime, uint failure)
{
    atomic_cmpxchg((volatile __global uint *)&runtime->failure, CLEM_FAILURE_NONE, failure);
}

/* Whether a thread has failed, which ends all that run. */
static inline bool clem_has_failed(__global struct clem_runtime *runtime)
{
    return *(volatile __global uint *)&runtime->failure != CLEM_FAILURE_NONE;
}

static inline void clem_trap(__global struct clem_runtime *runtime)
{
    clem_fail(runtime, CLEM_FAILURE_TRAP);
}

static inline void clem_assertfail(__global struct clem_runtime *runtime, ulong message, ulong file,
                                   uint line, ulong function, uint8 place, __local uchar *shared,
                                   CLEM_LOCAL uchar *stack)
{
    struct clem_writer writer = {0, 0, 0, 0, 0};
    clem_fail(runtime, CLEM_FAILURE_ASSERT);
    clem_write_assertion(&writer, message, file, line, function, place, shared, stack);
    if (!clem_record_fits(runtime, &writer) ||
        !clem_record_begin(runtime, &writer, CLEM_RECORD_ASSERT, 0))
        return;
    clem_write_assertion(&writer, message, file, line, function, place, shared, stack);
    clem_record_end(runtime, &writer);
}

/* ---- Conditions of graphs ---- */

/* Another graph's handle may be one that this one has not. */
static inline void clem_set_conditional(__global uint *conditions, ulong handle, uint value)
{
    if (conditions && handle != 0 && handle <= conditions[CLEM_CONDITIONS_COUNT])
        ((volatile __global uint *)conditions)[handle] = value;
}

/* ---- The clock ---- */

/* No OpenCL C 1.2 device tells the time: this one only grows. */
static inline ulong clem_clock(__global struct clem_runtime *runtime)
{
    const uint step = 16;
    const uint ticks = atomic_add((volatile __global uint *)&runtime->ticks, step);
    uint high = ((volatile __global struct clem_runtime *)runtime)->ticks_high;
    if (ticks > 0u - step - 1u)
        high = atomic_inc((volatile __global uint *)&runtime->ticks_high) + 1;
    return (ulong)high << 32 | ticks;
}

/* ---- The heap ---- */

/* A thread never waits for another: it takes words by atomics and goes elsewhere where one was
 * taken before it. */

static inline volatile __global uint *clem_heap_words(__global struct clem_heap *heap, uint at)
{
    return (volatile __global uint *)((__global uchar *)heap + at);
}

/* The smallest class that holds so many bytes; CLEM_HEAP_CLASSES: none does. */
static inline uint clem_heap_class(ulong bytes)
{
    return bytes <= 16     ? 0u
           : bytes <= 32   ? 1u
           : bytes <= 48   ? 2u
           : bytes <= 64   ? 3u
           : bytes <= 96   ? 4u
           : bytes <= 128  ? 5u
           : bytes <= 192  ? 6u
           : bytes <= 256  ? 7u
           : bytes <= 384  ? 8u
           : bytes <= 512  ? 9u
           : bytes <= 768  ? 10u
           : bytes <= 1024 ? 11u
           : bytes <= 1344 ? 12u
           : bytes <= 2048 ? 13u
                           : CLEM_HEAP_CLASSES;
}

static inline uint clem_heap_class_bytes(uint kind)
{
    return kind == 12      ? 1344u
           : kind == 13    ? 2048u
           : kind == 0     ? 16u
           : kind % 2 == 1 ? 32u << kind / 2
                           : 48u << (kind / 2 - 1);
}

/* Gives pages back. */
static inline void clem_pages_give(__global struct clem_heap *heap, uint page, uint count)
{
    volatile __global uint *used = clem_heap_words(heap, heap->used_at);
    clem_fence_global();
    while (count > 0) {
        const uint bit = page % 32;
        const uint here = min(32 - bit, count);
        const uint bits = here == 32 ? ~0u : ((1u << here) - 1) << bit;
        atomic_and(&used[page / 32], ~bits);
        page += here;
        count -= here;
    }
}

/* The lowest bit from which on `count` bits of a word are 0, or 32. Needs: 0 < count <= 32. */
static inline uint clem_gap(uint used, uint count)
{
    uint gaps = ~used;
    uint length = 1;
    while (length < count && gaps != 0) {
        const uint step = min(length, count - length);
        gaps &= gaps >> step;
        length += step;
    }
    return gaps == 0 ? 32u : 31u - clz(gaps & (0u - gaps));
}

/* Up to 32 pages, all of one word. CLEM_HEAP_CLOSED: there are none. Each thread has a place of its
 * own to look at first, so that many at once do not meet. */
static inline uint clem_pages_take_few(__global struct clem_heap *heap, uint count)
{
    volatile __global uint *used = clem_heap_words(heap, heap->used_at);
    const uint words = (heap->pages + 31) / 32;
    const uint mask = count == 32 ? ~0u : (1u << count) - 1;
    const uint place = atomic_add((volatile __global uint *)&heap->next, count);
    const uint bits = mask << place % 32;
    uint word = place / 32 % words;
    if (place % 32 + count <= 32 && (used[word] & bits) == 0) {
        const uint old = atomic_or(&used[word], bits);
        if ((old & bits) == 0)
            return word * 32 + place % 32;
        atomic_and(&used[word], ~(bits & ~old));
    }
    for (uint i = 0; i < words; i++) {
        uint now = used[word];
        for (uint bit = clem_gap(now, count); bit < 32; bit = clem_gap(now, count)) {
            const uint old = atomic_cmpxchg(&used[word], now, now | mask << bit);
            if (old == now)
                return word * 32 + bit;
            now = old;
        }
        word = word + 1 == words ? 0 : word + 1;
    }
    return CLEM_HEAP_CLOSED;
}

/* Takes whole words, and the low bits of one more. Returns how many pages were taken before one was
 * another's. */
static inline uint clem_pages_claim(volatile __global uint *used, uint word, uint count)
{
    uint taken = 0;
    while (taken < count) {
        const uint left = count - taken;
        const uint bits = left >= 32 ? ~0u : (1u << left) - 1;
        uint now = used[word];
        while ((now & bits) == 0) {
            const uint old = atomic_cmpxchg(&used[word], now, now | bits);
            if (old == now)
                break;
            now = old;
        }
        if ((now & bits) != 0)
            return taken;
        taken += min(left, 32u);
        word++;
    }
    return taken;
}

static inline uint clem_pages_take_many(__global struct clem_heap *heap, uint count)
{
    volatile __global uint *used = clem_heap_words(heap, heap->used_at);
    const uint words = (heap->pages + 31) / 32;
    const uint needed = (count + 31) / 32;
    if (needed > words)
        return CLEM_HEAP_CLOSED;
    const uint places = words - needed + 1;
    uint word = atomic_add((volatile __global uint *)&heap->next, needed * 32) / 32 % places;
    for (uint i = 0; i < places;) {
        const uint taken = clem_pages_claim(used, word, count);
        if (taken == count)
            return word * 32;
        clem_pages_give(heap, word * 32, taken);
        const uint step = taken / 32 + 1;
        i += step;
        word = word + step >= places ? 0 : word + step;
    }
    return CLEM_HEAP_CLOSED;
}

static inline uint clem_pages_take(__global struct clem_heap *heap, uint count)
{
    return count <= 32 ? clem_pages_take_few(heap, count) : clem_pages_take_many(heap, count);
}

/* One slot less is in use; a page without any goes back. */
static inline void clem_slot_leave(__global struct clem_heap *heap, uint page)
{
    volatile __global uint *counts = clem_heap_words(heap, heap->counts_at);
    if (atomic_dec(&counts[page]) == 1 && atomic_cmpxchg(&counts[page], 0, CLEM_HEAP_CLOSED) == 0)
        clem_pages_give(heap, page, 1);
}

/* Counts the caller among the users of a page's slots; false where it is full, or of another class
 * by now. */
static inline bool clem_slot_enter(__global struct clem_heap *heap, uint page, uint kind)
{
    volatile __global uint *counts = clem_heap_words(heap, heap->counts_at);
    const uint old = atomic_inc(&counts[page]);
    if (old >= CLEM_HEAP_PAGE / clem_heap_class_bytes(kind)) {
        if (old >= CLEM_HEAP_CLOSED)
            atomic_dec(&counts[page]);
        else
            clem_slot_leave(heap, page);
        return false;
    }
    if (clem_heap_words(heap, heap->kinds_at)[page] == CLEM_HEAP_CLOSED + kind)
        return true;
    clem_slot_leave(heap, page);
    return false;
}

/* A free slot of a page that has one for the caller: the search ends. */
static inline ulong clem_slot_take(__global struct clem_heap *heap, uint page, uint kind, uint seed)
{
    volatile __global uint *slots = clem_heap_words(heap, heap->slots_at) + page * CLEM_HEAP_SLOTS;
    const uint bytes = clem_heap_class_bytes(kind);
    const uint count = CLEM_HEAP_PAGE / bytes;
    uint slot = seed % count;
    for (;;) {
        const uint bit = 1u << slot % 32;
        if ((slots[slot / 32] & bit) == 0 && (atomic_or(&slots[slot / 32], bit) & bit) == 0)
            break;
        slot = slot + 1 == count ? 0 : slot + 1;
    }
    return (ulong)((__global uchar *)heap + heap->first_at) + (ulong)page * CLEM_HEAP_PAGE +
           slot * bytes;
}

/* Makes a fresh page of slots, of which one is the caller's. */
static inline uint clem_slots_open(__global struct clem_heap *heap, uint kind)
{
    const uint page = clem_pages_take(heap, 1);
    if (page == CLEM_HEAP_CLOSED)
        return page;
    atomic_xchg(&clem_heap_words(heap, heap->kinds_at)[page], CLEM_HEAP_CLOSED + kind);
    clem_fence_global();
    atomic_sub(&clem_heap_words(heap, heap->counts_at)[page], CLEM_HEAP_CLOSED - 1);
    return page;
}

/* Where no page is free, a slot may be free in any page of the class. */
static inline ulong clem_slot_search(__global struct clem_heap *heap, uint kind, uint seed)
{
    volatile __global uint *kinds = clem_heap_words(heap, heap->kinds_at);
    volatile __global uint *counts = clem_heap_words(heap, heap->counts_at);
    const uint most = CLEM_HEAP_PAGE / clem_heap_class_bytes(kind);
    uint page = seed % heap->pages;
    for (uint i = 0; i < heap->pages; i++) {
        if (kinds[page] == CLEM_HEAP_CLOSED + kind && counts[page] < most &&
            clem_slot_enter(heap, page, kind))
            return clem_slot_take(heap, page, kind, seed);
        page = page + 1 == heap->pages ? 0 : page + 1;
    }
    return 0;
}

/* Threads begin at different ones of the active pages. Where a page is full, one thread opens
 * another in its place, and the others go on to the next place instead of waiting. */
static inline ulong clem_malloc_slot(__global struct clem_heap *heap, uint kind, uint seed)
{
    const uint hash = seed * 2654435761u; /* Knuth's multiplier: 2^32 over the golden ratio */
    const uint most = CLEM_HEAP_PAGE / clem_heap_class_bytes(kind);
    volatile __global uint *counts = clem_heap_words(heap, heap->counts_at);
    for (uint attempt = 0; attempt < 4 * CLEM_HEAP_ACTIVE; attempt++) {
        volatile __global uint *active =
            &heap->active[kind * CLEM_HEAP_ACTIVE + ((hash >> 16) + attempt) % CLEM_HEAP_ACTIVE];
        const uint now = *active;
        const uint page = (now & ~CLEM_HEAP_CLOSED) - 1;
        if (now != 0 && now != CLEM_HEAP_CLOSED && counts[page] < most &&
            clem_slot_enter(heap, page, kind))
            return clem_slot_take(heap, page, kind, hash);
        if ((now & CLEM_HEAP_CLOSED) != 0 ||
            atomic_cmpxchg(active, now, now | CLEM_HEAP_CLOSED) != now)
            continue;
        const uint opened = clem_slots_open(heap, kind);
        atomic_xchg(active, opened == CLEM_HEAP_CLOSED ? now : opened + 1);
        if (opened == CLEM_HEAP_CLOSED)
            break;
        return clem_slot_take(heap, opened, kind, hash);
    }
    const uint own = clem_slots_open(heap, kind);
    return own == CLEM_HEAP_CLOSED ? clem_slot_search(heap, kind, hash)
                                   : clem_slot_take(heap, own, kind, hash);
}

static inline ulong clem_malloc_pages(__global struct clem_heap *heap, ulong bytes)
{
    const uint count = (uint)((bytes + CLEM_HEAP_PAGE - 1) / CLEM_HEAP_PAGE);
    const uint page = clem_pages_take(heap, count);
    if (page == CLEM_HEAP_CLOSED)
        return 0;
    clem_heap_words(heap, heap->kinds_at)[page] = count;
    return (ulong)((__global uchar *)heap + heap->first_at) + (ulong)page * CLEM_HEAP_PAGE;
}

static inline ulong clem_malloc(__global struct clem_runtime *runtime, ulong bytes, uint seed)
{
    __global struct clem_heap *heap = (__global struct clem_heap *)runtime->heap;
    if (!heap || bytes > (ulong)heap->pages * CLEM_HEAP_PAGE)
        return 0;
    const uint kind = clem_heap_class(bytes);
    return kind < CLEM_HEAP_CLASSES ? clem_malloc_slot(heap, kind, seed)
                                    : clem_malloc_pages(heap, bytes);
}

/* Alignment is a power of two. The address lies within a slot or a run of pages, both of which are found by any address in them
 * or, of a run, in its first page: so pages before the address's own go back. */
static inline ulong clem_aligned_malloc(__global struct clem_runtime *runtime, ulong bytes,
                                        ulong alignment, uint seed)
{
    const ulong more = alignment - 1;
    const ulong made = bytes > ~more ? 0 : clem_malloc(runtime, bytes + more, seed);
    const ulong address = made ? (made + more) & ~more : 0;
    if (address - made < CLEM_HEAP_PAGE)
        return address;
    __global struct clem_heap *heap = (__global struct clem_heap *)runtime->heap;
    volatile __global uint *kinds = clem_heap_words(heap, heap->kinds_at);
    const ulong first = (ulong)((__global uchar *)heap + heap->first_at);
    const uint page = (uint)((made - first) / CLEM_HEAP_PAGE);
    const uint before = (uint)((address - made) / CLEM_HEAP_PAGE);
    kinds[page + before] = kinds[page] - before;
    clem_pages_give(heap, page, before);
    return address;
}

/* Where threads would find no slot in the page that they look at, this one is offered. */
static inline void clem_free_slot(__global struct clem_heap *heap, uint page, uint kind, uint at)
{
    volatile __global uint *slots = clem_heap_words(heap, heap->slots_at) + page * CLEM_HEAP_SLOTS;
    volatile __global uint *active =
        &heap->active[kind * CLEM_HEAP_ACTIVE + page % CLEM_HEAP_ACTIVE];
    volatile __global uint *counts = clem_heap_words(heap, heap->counts_at);
    const uint bytes = clem_heap_class_bytes(kind);
    const uint slot = at / bytes;
    const uint now = *active;
    clem_fence_global();
    atomic_and(&slots[slot / 32], ~(1u << slot % 32));
    if (now == 0 ||
        ((now & CLEM_HEAP_CLOSED) == 0 && counts[now - 1] >= CLEM_HEAP_PAGE / bytes))
        atomic_cmpxchg(active, now, page + 1);
    clem_slot_leave(heap, page);
}

/* What is in no page of the heap is left alone. */
static inline void clem_free(__global struct clem_runtime *runtime, ulong address)
{
    __global struct clem_heap *heap = (__global struct clem_heap *)runtime->heap;
    if (!heap || address == 0)
        return;
    const ulong at = address - (ulong)((__global uchar *)heap + heap->first_at);
    const ulong page = at / CLEM_HEAP_PAGE;
    if (page >= heap->pages)
        return;
    const uint kind = clem_heap_words(heap, heap->kinds_at)[page];
    if (kind < CLEM_HEAP_CLOSED)
        clem_pages_give(heap, (uint)page, kind);
    else
        clem_free_slot(heap, (uint)page, kind - CLEM_HEAP_CLOSED, (uint)(at % CLEM_HEAP_PAGE));
}
