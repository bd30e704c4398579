/* A trace as Perfetto's protobuf. Each row of the timeline is a packet sequence of its own: it has a clock that counts from
 * packet to packet, a track that its packets need not name, and names by number, which keeps an event small.
 *
 * Numbers of fields: protos/perfetto/trace/ of Perfetto 45: trace_packet.proto, track_event/track_event.proto,
 * track_event/track_descriptor.proto, interned_data/interned_data.proto, clock_snapshot.proto.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "facade/tools/trace_write.h"

enum {
    TRACE_PACKET = 1,

    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_CLOCK = 58,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK = 60,

    FLAG_CLEARED = 1,
    FLAG_NEEDS_STATE = 2,

    SNAPSHOT_CLOCK = 1,
    SNAPSHOT_PRIMARY = 2,
    CLOCK_ID = 1,
    CLOCK_TIME = 2,
    CLOCK_IS_INCREMENTAL = 3,
    CLOCK_REAL = 1,
    CLOCK_MONOTONE = 3,
    CLOCK_BOOT = 6,
    CLOCK_OWN = 64, /* of the sequence */

    DEFAULTS_EVENT = 11,
    DEFAULTS_CLOCK = 58,
    EVENT_DEFAULTS_TRACK = 11,

    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    COUNTER_UNIT = 3,
    UNIT_BYTES = 3,

    EVENT_CATEGORY = 3,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_NUMBER = 10,
    EVENT_TRACK = 11,
    EVENT_NAME = 23,
    EVENT_COUNTER = 30,
    EVENT_FLOW = 47,
    TYPE_BEGIN = 1,
    TYPE_END = 2,
    TYPE_INSTANT = 3,
    TYPE_COUNTER = 4,

    INTERNED_CATEGORY = 1,
    INTERNED_NAME = 2,
    INTERNED_ANNOTATION = 3,
    INTERNED_TEXT = 29,
    INTERNED_NUMBER = 1,
    INTERNED_VALUE = 2,

    ANNOTATION_NAME_NUMBER = 1,
    ANNOTATION_UNSIGNED = 3,
    ANNOTATION_SIGNED = 4,
    ANNOTATION_NAME = 10,
    ANNOTATION_TEXT_NUMBER = 17
};

/* ---- Messages ---- */

enum { MESSAGE_BYTES = 3072, TITLE_BYTES = 1000 };

/* Nothing that is put into one is longer than two names and some numbers. */
struct message {
    unsigned char bytes[MESSAGE_BYTES];
    size_t length;
};

static void put_varint(struct message *message, uint64_t value)
{
    for (; value > 127; value >>= 7)
        message->bytes[message->length++] = (unsigned char)(value | 128);
    message->bytes[message->length++] = (unsigned char)value;
}

static void put_number(struct message *message, unsigned field, uint64_t value)
{
    put_varint(message, (uint64_t)field << 3);
    put_varint(message, value);
}

static void put_fixed(struct message *message, unsigned field, uint64_t value)
{
    put_varint(message, (uint64_t)field << 3 | 1);
    for (int i = 0; i < 8; i++)
        message->bytes[message->length++] = (unsigned char)(value >> (8 * i));
}

static void put_bytes(struct message *message, unsigned field, const void *bytes, size_t length)
{
    put_varint(message, (uint64_t)field << 3 | 2);
    put_varint(message, length);
    memcpy(message->bytes + message->length, bytes, length);
    message->length += length;
}

static void put_text(struct message *message, unsigned field, const char *text)
{
    const size_t length = strlen(text);
    put_bytes(message, field, text, length < TITLE_BYTES ? length : TITLE_BYTES);
}

static void put_message(struct message *message, unsigned field, const struct message *inner)
{
    put_bytes(message, field, inner->bytes, inner->length);
}

/* ---- The file ---- */

struct writer {
    const struct trace *trace;
    FILE *to;
    uint32_t sequence;
    uint64_t last; /* the sequence's time */
    /* What the sequence has numbers for: the first words of records, and launches' shapes. */
    struct known {
        uint64_t key[3];
        uint32_t number;
    } * known;
    size_t known_size, known_count;
    uint32_t categories; /* bits of those that have been named */
};

static void put_packet(struct writer *writer, struct message *packet)
{
    struct message head = {.length = 0};
    put_number(packet, PACKET_SEQUENCE, writer->sequence);
    put_varint(&head, TRACE_PACKET << 3 | 2);
    put_varint(&head, packet->length);
    fwrite(head.bytes, 1, head.length, writer->to);
    fwrite(packet->bytes, 1, packet->length, writer->to);
}

/* Rows of several processes lie in one trace. */
static uint64_t uuid_of(const struct trace *trace, uint64_t row)
{
    return (trace->head.process << 24 ^ trace->head.monotonic << 40) + row + 1;
}

static void put_clock(struct message *snapshot, unsigned clock, uint64_t time, bool is_incremental)
{
    struct message message = {.length = 0};
    put_number(&message, CLOCK_ID, clock);
    put_number(&message, CLOCK_TIME, time);
    if (is_incremental)
        put_number(&message, CLOCK_IS_INCREMENTAL, 1);
    put_message(snapshot, SNAPSHOT_CLOCK, &message);
}

static void put_process(struct writer *writer)
{
    const struct ocl_spool_header *head = &writer->trace->head;
    struct message packet = {.length = 0}, track = {.length = 0}, process = {.length = 0};
    const char *slash = strrchr(head->program, '/');
    put_number(&process, PROCESS_PID, head->process);
    put_text(&process, PROCESS_NAME, slash != NULL ? slash + 1 : head->program);
    put_number(&track, TRACK_UUID, uuid_of(writer->trace, 0));
    put_message(&track, TRACK_PROCESS, &process);
    put_message(&packet, PACKET_TRACK, &track);
    put_packet(writer, &packet);

    struct message clocks = {.length = 0}, snapshot = {.length = 0};
    put_clock(&snapshot, CLOCK_REAL, head->realtime, false);
    put_clock(&snapshot, CLOCK_MONOTONE, head->monotonic, false);
    put_clock(&snapshot, CLOCK_BOOT, head->boottime, false);
    put_number(&snapshot, SNAPSHOT_PRIMARY, CLOCK_MONOTONE);
    put_message(&clocks, PACKET_CLOCK_SNAPSHOT, &snapshot);
    put_packet(writer, &clocks);
}

static void put_fact(struct message *event, const char *name, uint64_t value)
{
    struct message annotation = {.length = 0};
    put_text(&annotation, ANNOTATION_NAME, name);
    put_number(&annotation, ANNOTATION_UNSIGNED, value);
    put_message(event, EVENT_ANNOTATION, &annotation);
}

/* What there is to know of the trace itself, at its begin. */
static void put_facts(struct writer *writer)
{
    const struct trace *trace = writer->trace;
    const uint64_t commands =
        atomic_load(&((struct ocl_spool_header *)(void *)trace->file)->commands);
    struct message packet = {.length = 0}, event = {.length = 0};
    put_number(&event, EVENT_TYPE, TYPE_INSTANT);
    put_number(&event, EVENT_TRACK, uuid_of(trace, 0));
    put_text(&event, EVENT_NAME, "about this trace");
    put_fact(&event, "device clock error (ns)", trace_clock_error(trace));
    put_fact(&event, "records lost",
             atomic_load(&((struct ocl_spool_header *)(void *)trace->file)->lost));
    put_fact(&event, "chunks overwritten",
             atomic_load(&((struct ocl_spool_header *)(void *)trace->file)->overwritten));
    if (commands > 0)
        put_fact(&event, "cost of timing a command (ns)",
                 atomic_load(&((struct ocl_spool_header *)(void *)trace->file)->command_cost) /
                     commands);
    put_fact(&event, "ended by itself", trace->head.end != 0);
    put_number(&packet, PACKET_TIMESTAMP, trace->head.monotonic);
    put_number(&packet, PACKET_CLOCK, CLOCK_MONOTONE);
    put_message(&packet, PACKET_EVENT, &event);
    put_packet(writer, &packet);
}

/* ---- A row ---- */

/* Begins a sequence whose packets are about the track with this description. */
static void begin_row(struct writer *writer, const struct message *track, uint64_t uuid,
                      uint64_t start)
{
    struct message packet = {.length = 0}, event_defaults = {.length = 0};
    struct message defaults = {.length = 0}, snapshot = {.length = 0}, clocks = {.length = 0};
    writer->sequence++;
    put_number(&event_defaults, EVENT_DEFAULTS_TRACK, uuid);
    put_message(&defaults, DEFAULTS_EVENT, &event_defaults);
    put_number(&defaults, DEFAULTS_CLOCK, CLOCK_OWN);
    put_message(&packet, PACKET_TRACK, track);
    put_message(&packet, PACKET_DEFAULTS, &defaults);
    put_number(&packet, PACKET_FLAGS, FLAG_CLEARED);
    put_packet(writer, &packet);
    put_clock(&snapshot, CLOCK_OWN, start, true);
    put_clock(&snapshot, CLOCK_MONOTONE, start, false);
    put_message(&clocks, PACKET_CLOCK_SNAPSHOT, &snapshot);
    put_packet(writer, &clocks);
    writer->last = start;
    writer->categories = 0;
    writer->known_count = 0;
    if (writer->known_size > 0)
        memset(writer->known, 0, writer->known_size * sizeof *writer->known);
}

/* The place of a key, which has number 0 where it is new. NULL without memory. */
static struct known *find_known(struct known *known, size_t size, const uint64_t key[3])
{
    uint64_t hash = key[0] * UINT64_C(0x9e3779b97f4a7c15) ^ key[1] * UINT64_C(0xc2b2ae3d27d4eb4f) ^
                    key[2] * UINT64_C(0x165667b19e3779f9);
    size_t place = (size_t)(hash ^ hash >> 29) & (size - 1);
    while (known[place].number != 0 && memcmp(known[place].key, key, sizeof known[place].key) != 0)
        place = (place + 1) & (size - 1);
    return &known[place];
}

static bool grow_known(struct writer *writer)
{
    const size_t size = writer->known_size > 0 ? 2 * writer->known_size : 256;
    struct known *larger = calloc(size, sizeof *larger);
    if (larger == NULL)
        return false;
    for (size_t i = 0; i < writer->known_size; i++)
        if (writer->known[i].number != 0)
            *find_known(larger, size, writer->known[i].key) = writer->known[i];
    free(writer->known);
    writer->known = larger;
    writer->known_size = size;
    return true;
}

/* The number of a key in the sequence; *is_new: its text has to be told. 0 without memory. */
static uint32_t number_of(struct writer *writer, const uint64_t key[3], bool *is_new)
{
    if (2 * (writer->known_count + 1) > writer->known_size && !grow_known(writer))
        return 0;
    struct known *known = find_known(writer->known, writer->known_size, key);
    *is_new = known->number == 0;
    if (*is_new) {
        memcpy(known->key, key, sizeof known->key);
        known->number = (uint32_t)++writer->known_count;
    }
    return known->number;
}

static void intern(struct message *interned, unsigned field, uint32_t number, const char *text)
{
    struct message entry = {.length = 0};
    put_number(&entry, INTERNED_NUMBER, number);
    put_text(&entry, INTERNED_VALUE, text);
    put_message(interned, field, &entry);
}

static void put_event(struct writer *writer, uint64_t time, const struct message *event,
                      const struct message *interned)
{
    struct message packet = {.length = 0};
    put_number(&packet, PACKET_TIMESTAMP, time - writer->last);
    put_number(&packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
    if (interned->length > 0)
        put_message(&packet, PACKET_INTERNED, interned);
    put_message(&packet, PACKET_EVENT, event);
    writer->last = time;
    put_packet(writer, &packet);
}

/* Names of annotations, by number from 1 on. All are told with the first. */
enum annotation {
    ANNOTATE_SHAPE = 1,
    ANNOTATE_BYTES,
    ANNOTATE_RATE,
    ANNOTATE_RESULT,
    ANNOTATE_MANGLED
};
static const char *const annotations[] = {"launch", "bytes", "MB/s", "result", "mangled"};

static void annotate(struct message *event, enum annotation name, unsigned field, uint64_t value)
{
    struct message annotation = {.length = 0};
    put_number(&annotation, ANNOTATION_NAME_NUMBER, name);
    put_number(&annotation, field, value);
    put_message(event, EVENT_ANNOTATION, &annotation);
}

static void put_shape(struct writer *writer, const struct ocl_spool_command *command,
                      struct message *event, struct message *interned)
{
    char text[160];
    bool is_new = false;
    const uint32_t *grid = command->grid, *block = command->block;
    const uint64_t key[3] = {grid[0] | (uint64_t)grid[1] << 32, grid[2] | (uint64_t)block[0] << 32,
                             (block[1] | (uint64_t)block[2] << 32) ^ command->bytes << 16 ^
                                 UINT64_C(1) << 63};
    const uint32_t number = number_of(writer, key, &is_new);
    if (is_new) {
        snprintf(text, sizeof text, "grid %u x %u x %u, block %u x %u x %u, shared %llu bytes",
                 grid[0], grid[1], grid[2], block[0], block[1], block[2],
                 (unsigned long long)command->bytes);
        intern(interned, INTERNED_TEXT, number, text);
    }
    if (number != 0)
        annotate(event, ANNOTATE_SHAPE, ANNOTATION_TEXT_NUMBER, number);
}

static void put_mangled(struct writer *writer, const struct trace_slice *slice,
                        struct message *event, struct message *interned)
{
    const char *name = trace_mangled_name(writer->trace, slice);
    const uint64_t key[3] = {trace_name_number(slice->record), 1, 0}; /* of no record or shape */
    bool is_new = false;
    const uint32_t number = name != NULL ? number_of(writer, key, &is_new) : 0;
    if (is_new)
        intern(interned, INTERNED_TEXT, number, name);
    if (number != 0)
        annotate(event, ANNOTATE_MANGLED, ANNOTATION_TEXT_NUMBER, number);
}

static void put_moved(const struct trace_slice *slice, uint64_t bytes, struct message *event)
{
    annotate(event, ANNOTATE_BYTES, ANNOTATION_UNSIGNED, bytes);
    if (slice->end > slice->start)
        annotate(event, ANNOTATE_RATE, ANNOTATION_UNSIGNED,
                 (uint64_t)((double)bytes * 1e3 / (double)(slice->end - slice->start)));
}

/* What belongs to the event beside its name. */
static void put_details(struct writer *writer, const struct trace_slice *slice,
                        struct message *event, struct message *interned)
{
    const unsigned small = trace_small(slice->record);
    switch (trace_kind(slice->record)) {
    case OCL_SPOOL_CALL:
        if (trace_has_flow(writer->trace, trace_call(writer->trace, slice)))
            put_fixed(event, EVENT_FLOW, trace_call(writer->trace, slice));
        if (slice->record[3] >> 32 != 0)
            annotate(event, ANNOTATE_RESULT, ANNOTATION_UNSIGNED, slice->record[3] >> 32);
        break;
    case OCL_SPOOL_COMMAND:
        if (trace_command(slice)->call != 0 && !(small & OCL_SPOOL_HOST_TIME))
            put_fixed(event, EVENT_FLOW, trace_command(slice)->call);
        if ((small & 15) == OCL_SPOOL_KERNEL)
            put_shape(writer, trace_command(slice), event, interned);
        if ((small & 15) == OCL_SPOOL_KERNEL)
            put_mangled(writer, slice, event, interned);
        else if (trace_command(slice)->bytes > 0)
            put_moved(slice, trace_command(slice)->bytes, event);
        break;
    case OCL_SPOOL_SPAN:
        if (small == OCL_SPOOL_TO_HOST || small == OCL_SPOOL_TO_DEVICE)
            put_moved(slice, slice->record[3], event);
        break;
    default:
        break;
    }
}

static void put_category(struct writer *writer, const char *category, struct message *event,
                         struct message *interned)
{
    static const char *const all[] = {"kernel",  "copy",  "fill",      "clem",
                                      "compile", "cache", "migration", "range"};
    for (uint32_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(all[i], category) != 0)
            continue;
        if (!(writer->categories & 1u << i))
            intern(interned, INTERNED_CATEGORY, i + 1, category);
        writer->categories |= 1u << i;
        put_number(event, EVENT_CATEGORY, i + 1);
    }
}

static void put_begin(struct writer *writer, const struct trace_slice *slice, uint64_t start,
                      unsigned type)
{
    struct message event = {.length = 0}, interned = {.length = 0};
    char title[TITLE_BYTES];
    bool is_new = false;
    /* Of a record's first word, what the title is made from. */
    const uint64_t key[3] = {slice->record[0] & ~UINT64_C(0xff00), 0, 0};
    const uint32_t number = number_of(writer, key, &is_new);
    if (writer->known_count == 1 && is_new)
        for (uint32_t i = 0; i < sizeof annotations / sizeof annotations[0]; i++)
            intern(&interned, INTERNED_ANNOTATION, i + 1, annotations[i]);
    if (is_new) {
        trace_title(writer->trace, slice, title, sizeof title);
        intern(&interned, INTERNED_NAME, number, title);
    }
    put_number(&event, EVENT_TYPE, type);
    put_number(&event, EVENT_NAME_NUMBER, number);
    put_category(writer, trace_category(slice), &event, &interned);
    put_details(writer, slice, &event, &interned);
    put_event(writer, start, &event, &interned);
}

static void put_end(struct writer *writer, uint64_t time)
{
    static const struct message none;
    struct message event = {.length = 0};
    put_number(&event, EVENT_TYPE, TYPE_END);
    put_event(writer, time, &event, &none);
}

enum { DEEPEST = 512 };

static bool is_instant(const struct trace_slice *slice)
{
    return (trace_kind(slice->record) == OCL_SPOOL_RANGE &&
            trace_small(slice->record) == OCL_SPOOL_MARK) ||
           (trace_kind(slice->record) == OCL_SPOOL_COMMAND && slice->start == slice->end);
}

/* Slices of a row lie within each other, and never across: one that does ends with the outer one. On a queue a command begins
 * when the one before it has ended. */
static void put_slices(struct writer *writer, const struct trace_slice *slices, size_t count)
{
    uint64_t ends[DEEPEST];
    size_t depth = 0;
    for (size_t i = 0; i < count; i++) {
        const struct trace_slice *slice = &slices[i];
        const uint64_t start = slice->start < writer->last ? writer->last : slice->start;
        while (depth > 0 && ends[depth - 1] <= start)
            put_end(writer, ends[--depth]);
        if (is_instant(slice) || depth == DEEPEST) {
            put_begin(writer, slice, start, TYPE_INSTANT);
            continue;
        }
        uint64_t end = slice->end < start ? start : slice->end;
        if (depth > 0 && end > ends[depth - 1])
            end = ends[depth - 1];
        put_begin(writer, slice, start, TYPE_BEGIN);
        ends[depth++] = end;
    }
    while (depth > 0)
        put_end(writer, ends[--depth]);
}

static void describe_row(const struct writer *writer, size_t row, struct message *track)
{
    const struct trace *trace = writer->trace;
    const struct trace_track *what = &trace->tracks[row];
    struct message thread = {.length = 0};
    char name[64];
    put_number(track, TRACK_UUID, uuid_of(trace, row + 1));
    put_number(track, TRACK_PARENT, uuid_of(trace, 0));
    switch (what->kind) {
    case TRACE_THREAD:
        put_number(&thread, THREAD_PID, trace->head.process);
        put_number(&thread, THREAD_TID, what->number);
        put_message(track, TRACK_THREAD, &thread);
        break;
    case TRACE_PLACE:
        put_text(track, TRACK_NAME, trace_name(trace, what->name));
        break;
    case TRACE_RANGES:
        snprintf(name, sizeof name, "ranges %llu", (unsigned long long)what->number + 1);
        put_text(track, TRACK_NAME, name);
    }
}

static void put_rows(struct writer *writer)
{
    const struct trace *trace = writer->trace;
    for (size_t first = 0, end; first < trace->slice_count; first = end) {
        const uint32_t row = trace->slices[first].track;
        struct message track = {.length = 0};
        for (end = first; end < trace->slice_count && trace->slices[end].track == row;)
            end++;
        describe_row(writer, row, &track);
        begin_row(writer, &track, uuid_of(trace, row + 1), trace->slices[first].start);
        put_slices(writer, trace->slices + first, end - first);
    }
}

static void put_counter(struct writer *writer, enum ocl_spool_memory kind)
{
    static const char *const names[] = {"device memory in use", "pinned memory in use",
                                        "managed memory in use"};
    static const struct message none;
    const struct trace *trace = writer->trace;
    const uint64_t uuid = uuid_of(trace, trace->track_count + 1 + (uint64_t)kind);
    bool has_begun = false;
    for (size_t i = 0; i < trace->count_count; i++) {
        const struct trace_slice *count = &trace->counts[i];
        struct message track = {.length = 0}, counter = {.length = 0}, event = {.length = 0};
        if (trace_small(count->record) != (unsigned)kind)
            continue;
        if (!has_begun) {
            put_number(&track, TRACK_UUID, uuid);
            put_number(&track, TRACK_PARENT, uuid_of(trace, 0));
            put_text(&track, TRACK_NAME, names[kind]);
            put_number(&counter, COUNTER_UNIT, UNIT_BYTES);
            put_message(&track, TRACK_COUNTER, &counter);
            begin_row(writer, &track, uuid, count->start);
            has_begun = true;
        }
        put_number(&event, EVENT_TYPE, TYPE_COUNTER);
        put_number(&event, EVENT_COUNTER, count->record[2]);
        put_event(writer, count->start, &event, &none);
    }
}

uint32_t trace_write_perfetto(const struct trace *trace, FILE *to, uint32_t first_sequence)
{
    struct writer writer = {.trace = trace, .to = to, .sequence = first_sequence};
    put_process(&writer);
    put_facts(&writer);
    put_rows(&writer);
    put_counter(&writer, OCL_SPOOL_DEVICE);
    put_counter(&writer, OCL_SPOOL_PINNED);
    put_counter(&writer, OCL_SPOOL_MANAGED);
    free(writer.known);
    return writer.sequence + 1;
}

/* ---- Joining ---- */

static bool get_varint(const unsigned char **at, const unsigned char *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        const unsigned char byte = *(*at)++;
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

/* The number of the sequence is a packet's last field, as put_packet() writes it; *body: what stands before it. */
static bool read_sequence(const unsigned char *packet, const unsigned char *end,
                          const unsigned char **body, uint64_t *sequence)
{
    for (const unsigned char *at = packet; at < end;) {
        const unsigned char *field = at;
        uint64_t tag, value;
        if (!get_varint(&at, end, &tag) || !get_varint(&at, end, &value))
            return false;
        if (tag >> 3 == PACKET_SEQUENCE && (tag & 7) == 0) {
            *body = field;
            *sequence = value;
            return at == end;
        }
        if ((tag & 7) == 2 && value <= (uint64_t)(end - at))
            at += value;
        else if ((tag & 7) != 0)
            return false;
    }
    return false;
}

static uint32_t append(const unsigned char *at, const unsigned char *end, FILE *to, uint32_t first)
{
    uint32_t next = first;
    while (at < end) {
        struct message head = {.length = 0}, tail = {.length = 0};
        const unsigned char *body;
        uint64_t tag, length, sequence;
        if (!get_varint(&at, end, &tag) || tag != (TRACE_PACKET << 3 | 2) ||
            !get_varint(&at, end, &length) || length > (uint64_t)(end - at) ||
            !read_sequence(at, at + length, &body, &sequence))
            return 0;
        put_number(&tail, PACKET_SEQUENCE, first + sequence);
        put_varint(&head, TRACE_PACKET << 3 | 2);
        put_varint(&head, (uint64_t)(body - at) + tail.length);
        fwrite(head.bytes, 1, head.length, to);
        fwrite(at, 1, (size_t)(body - at), to);
        fwrite(tail.bytes, 1, tail.length, to);
        if (first + sequence >= next)
            next = (uint32_t)(first + sequence + 1);
        at += length;
    }
    return next;
}

uint32_t trace_append_perfetto(const char *path, FILE *to, uint32_t first_sequence)
{
    FILE *file = fopen(path, "re");
    char *bytes = NULL;
    size_t length = 0;
    uint32_t next = 0;
    if (file == NULL)
        return 0;
    if (fseek(file, 0, SEEK_END) == 0 && ftell(file) > 0) {
        length = (size_t)ftell(file);
        rewind(file);
        bytes = malloc(length);
        if (bytes != NULL && fread(bytes, 1, length, file) == length)
            next =
                append((unsigned char *)bytes, (unsigned char *)bytes + length, to, first_sequence);
    }
    free(bytes);
    fclose(file);
    return next;
}
