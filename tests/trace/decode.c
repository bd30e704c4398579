/* Reads a trace in Perfetto's protobuf as its published schema has it, knowing nothing of who wrote it, and prints a line for
 * each event: row, what, name, and in brackets its annotations. At the end: events, bytes, and what is wrong. Fails where a
 * packet breaks the schema, a number names nothing, a slice ends that has not begun, or time goes back in a row.
 *
 * Source: protos/perfetto/trace/ of Perfetto: trace_packet, track_event, track_descriptor, debug_annotation, interned_data,
 * clock_snapshot.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part {
    const unsigned char *at, *end;
};

struct field {
    unsigned number, type;
    uint64_t value;   /* of a varint or a fixed number */
    struct part part; /* of what has a length */
};

static void fail(const char *why)
{
    printf("wrong: %s\n", why);
    exit(1);
}

static uint64_t varint(struct part *part)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (part->at == part->end)
            fail("a number ends early");
        const unsigned char byte = *part->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    fail("a number has no end");
    return 0;
}

static bool next(struct part *part, struct field *field)
{
    if (part->at == part->end)
        return false;
    const uint64_t tag = varint(part);
    *field = (struct field){.number = (unsigned)(tag >> 3), .type = tag & 7};
    if (field->type == 0) {
        field->value = varint(part);
    } else if (field->type == 1) {
        if (part->end - part->at < 8)
            fail("a fixed number ends early");
        for (int i = 0; i < 8; i++)
            field->value |= (uint64_t)*part->at++ << (8 * i);
    } else if (field->type == 2) {
        const uint64_t length = varint(part);
        if (length > (uint64_t)(part->end - part->at))
            fail("a message ends early");
        field->part = (struct part){part->at, part->at + length};
        part->at += length;
    } else {
        fail("a type of field that is not used");
    }
    return true;
}

/* ---- What a sequence knows ---- */

enum { SEQUENCES = 4096, NAMES = 4096, KINDS = 4, DEEPEST = 600 };

struct row {
    bool is_known, has_clock;
    uint64_t track, time, last;
    struct part names[KINDS][NAMES]; /* events, categories, annotations, texts */
    unsigned depth;
};
static struct row *rows[SEQUENCES];

struct track {
    uint64_t uuid;
    bool is_counter;
    char name[256];
};
static struct track tracks[SEQUENCES];
static size_t track_count;

static struct row *row_of(uint64_t sequence)
{
    if (sequence == 0 || sequence >= SEQUENCES)
        fail("a sequence's number");
    if (rows[sequence] == NULL)
        rows[sequence] = calloc(1, sizeof *rows[sequence]);
    if (rows[sequence] == NULL)
        fail("no memory");
    return rows[sequence];
}

static const struct track *track_of(uint64_t uuid)
{
    for (size_t i = 0; i < track_count; i++)
        if (tracks[i].uuid == uuid)
            return &tracks[i];
    fail("an event of no track");
    return NULL;
}

static void keep_name(struct part message, struct part names[NAMES])
{
    uint64_t number = 0;
    struct part text = {NULL, NULL};
    for (struct field field; next(&message, &field);) {
        if (field.number == 1)
            number = field.value;
        if (field.number == 2)
            text = field.part;
    }
    if (number == 0 || number >= NAMES)
        fail("an interned number");
    names[number] = text;
}

static void keep_names(struct part message, struct row *row)
{
    for (struct field field; next(&message, &field);) {
        const int kind = field.number == 2    ? 0
                         : field.number == 1  ? 1
                         : field.number == 3  ? 2
                         : field.number == 29 ? 3
                                              : -1;
        if (kind < 0)
            fail("an interned field");
        keep_name(field.part, row->names[kind]);
    }
}

static void print_name(const struct row *row, int kind, uint64_t number)
{
    if (number >= NAMES || row->names[kind][number].at == NULL)
        fail("a number that names nothing");
    const struct part text = row->names[kind][number];
    printf("%.*s", (int)(text.end - text.at), (const char *)text.at);
}

/* ---- Descriptions ---- */

static void read_identity(struct part message, struct track *track, const char *what)
{
    uint64_t first = 0, second = 0;
    char name[128] = "";
    for (struct field field; next(&message, &field);) {
        if (field.number == 1)
            first = field.value;
        if (field.number == 2)
            second = field.value;
        if (field.number == 6 && field.type == 2)
            snprintf(name, sizeof name, " %.*s", (int)(field.part.end - field.part.at),
                     (const char *)field.part.at);
    }
    if (first == 0)
        fail("a process without a number");
    if (strcmp(what, "thread") == 0 && second == 0)
        fail("a thread without a number");
    snprintf(track->name, sizeof track->name, "%s%s", what, name);
}

static void read_track(struct part message)
{
    struct track *track = &tracks[track_count];
    bool has_parent = false, is_process = false;
    if (++track_count == SEQUENCES)
        fail("too many tracks");
    for (struct field field; next(&message, &field);) {
        if (field.number == 1)
            track->uuid = field.value;
        else if (field.number == 2)
            snprintf(track->name, sizeof track->name, "%.*s", (int)(field.part.end - field.part.at),
                     (const char *)field.part.at);
        else if (field.number == 3)
            read_identity(field.part, track, "process"), is_process = true;
        else if (field.number == 4)
            read_identity(field.part, track, "thread");
        else if (field.number == 5)
            has_parent = track_of(field.value) != NULL;
        else if (field.number == 8)
            track->is_counter = true;
        else
            fail("a track's field");
    }
    if (track->uuid == 0 || has_parent == is_process)
        fail("a track's identity");
    printf("track: %s\n", track->name);
}

static void read_defaults(struct part message, struct row *row)
{
    for (struct field field; next(&message, &field);) {
        if (field.number == 11)
            for (struct field inner; next(&field.part, &inner);)
                row->track = inner.value;
        else if (field.number != 58 || field.value != 64)
            fail("a default");
    }
}

static void read_clocks(struct part message, struct row *row)
{
    for (struct field field; next(&message, &field);) {
        uint64_t clock = 0, time = 0, is_incremental = 0;
        if (field.number != 1)
            continue;
        for (struct field inner; next(&field.part, &inner);) {
            clock = inner.number == 1 ? inner.value : clock;
            time = inner.number == 2 ? inner.value : time;
            is_incremental = inner.number == 3 ? inner.value : is_incremental;
        }
        if (clock == 64 && is_incremental)
            row->time = time, row->has_clock = true;
    }
}

/* ---- Events ---- */

static void print_annotation(const struct row *row, struct part message)
{
    for (struct field field; next(&message, &field);) {
        switch (field.number) {
        case 1:
            print_name(row, 2, field.value);
            break;
        case 3:
            printf("=%llu", (unsigned long long)field.value);
            break;
        case 10:
            printf("%.*s", (int)(field.part.end - field.part.at), (const char *)field.part.at);
            break;
        case 17:
            printf("=");
            print_name(row, 3, field.value);
            break;
        default:
            fail("an annotation's field");
        }
    }
}

static void read_event(struct part message, struct row *row, uint64_t time)
{
    static const char *const types[] = {"?", "begin", "end", "mark", "count"};
    uint64_t type = 0, track = row->track;
    const struct part whole = message;
    for (struct field field; next(&message, &field);) {
        type = field.number == 9 ? field.value : type;
        track = field.number == 11 ? field.value : track;
    }
    if (type == 0 || type > 4)
        fail("an event's type");
    if (track_of(track)->is_counter != (type == 4))
        fail("a counter's event, or another track's");
    if (time < row->last)
        fail("time goes back");
    row->last = time;
    if (type == 2 && row->depth-- == 0)
        fail("an end without a begin");
    row->depth += type == 1;
    printf("%s: %s ", track_of(track)->name, types[type]);
    message = whole;
    for (struct field field; next(&message, &field);) {
        if (field.number == 10)
            print_name(row, 0, field.value);
        else if (field.number == 23)
            printf("%.*s", (int)(field.part.end - field.part.at), (const char *)field.part.at);
        else if (field.number == 3)
            printf(" ("), print_name(row, 1, field.value), printf(")");
        else if (field.number == 4)
            printf(" ["), print_annotation(row, field.part), printf("]");
        else if (field.number == 30)
            printf("%llu", (unsigned long long)field.value);
        else if (field.number == 47)
            printf(" flow %llx", (unsigned long long)field.value);
        else if (field.number != 9 && field.number != 11)
            fail("an event's field");
    }
    printf("\n");
}

static uint64_t events;

static void read_packet(struct part message)
{
    uint64_t sequence = 0, time = 0, clock = 0, flags = 0;
    const struct part whole = message;
    struct field field;
    while (next(&message, &field)) {
        sequence = field.number == 10 ? field.value : sequence;
        time = field.number == 8 ? field.value : time;
        clock = field.number == 58 ? field.value : clock;
        flags = field.number == 13 ? field.value : flags;
    }
    struct row *row = row_of(sequence);
    if (flags & 1)
        row->is_known = true;
    if ((flags & 2) && !row->is_known)
        fail("a packet needs what was not told");
    message = whole;
    while (next(&message, &field))
        if (field.number == 12)
            keep_names(field.part, row);
    if (clock == 0 && row->has_clock)
        row->time += time, time = row->time;
    message = whole;
    while (next(&message, &field)) {
        if (field.number == 60)
            read_track(field.part);
        else if (field.number == 59)
            read_defaults(field.part, row);
        else if (field.number == 6)
            read_clocks(field.part, row);
        else if (field.number == 11)
            read_event(field.part, row, time), events++;
        else if (field.number != 8 && field.number != 10 && field.number != 12 &&
                 field.number != 13 && field.number != 58)
            fail("a packet's field");
    }
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        fail("no file");
    const size_t bytes = (size_t)ftell(file);
    unsigned char *all = malloc(bytes + 1);
    rewind(file);
    if (all == NULL || fread(all, 1, bytes, file) != bytes)
        fail("it cannot be read");
    struct part trace = {all, all + bytes};
    for (struct field field; next(&trace, &field);) {
        if (field.number != 1 || field.type != 2)
            fail("no packet");
        read_packet(field.part);
    }
    for (size_t i = 0; i < SEQUENCES; i++)
        if (rows[i] != NULL && rows[i]->depth != 0)
            fail("a begin without an end");
    printf("%llu events, %zu bytes\n", (unsigned long long)events, bytes);
    for (size_t i = 0; i < SEQUENCES; i++)
        free(rows[i]);
    free(all);
    fclose(file);
    return 0;
}
