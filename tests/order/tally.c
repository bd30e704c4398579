/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

#include <stdio.h>

#include "model.h"

/* uses_buffer: what the command names; a check reads. */
static bool uses_buffer(const struct command *c, unsigned buffer)
{
    return (c->target.count && c->target.buffer == buffer) ||
           (c->first.count && c->first.buffer == buffer) ||
           (c->second.count && c->second.buffer == buffer);
}

/* is_met: both use a buffer, or an event, or a stream that one of them destroys or creates. */
static bool is_met(const struct program *program, const struct command *x, const struct command *y)
{
    for (unsigned buffer = 0; buffer < program->buffers; buffer++)
        if (uses_buffer(x, buffer) && uses_buffer(y, buffer))
            return true;
    if (uses_event(x) && uses_event(y) && x->event == y->event)
        return true;
    return (is_stream_life(x) || is_stream_life(y)) && uses_stream(x) && uses_stream(y) &&
           x->stream == y->stream;
}

static void count_pairs(long pairs[KINDS][KINDS], const struct program *program)
{
    for (int y = 1; y < program->commands; y++)
        for (int x = 0; x < y; x++)
            pairs[program->command[x].kind][program->command[y].kind] +=
                is_met(program, &program->command[x], &program->command[y]);
}

void tally_program(struct tally *tally, const struct program *program,
                   const struct outcome *outcome)
{
    static struct model model;
    bool is_used[MOST_STREAMS] = {false};
    int used = 0;

    model_build(&model, program);
    for (int i = 0; i < program->commands; i++)
        if (is_work(&program->command[i]) && !is_used[program->command[i].stream]) {
            is_used[program->command[i].stream] = true;
            used++;
        }
    tally->programs++;
    tally->commands += program->commands;
    tally->checks += outcome->checks;
    for (int i = 0; i < 3; i++)
        tally->us[i] += outcome->us[i];
    tally->counted +=
        program->commands >= 40 && used >= 3 && model.cross_waits > 0 && outcome->checks > 0;
    count_pairs(tally->pairs, program);
}

void tally_add(struct tally *tally, const struct tally *more)
{
    tally->programs += more->programs;
    tally->counted += more->counted;
    tally->commands += more->commands;
    tally->checks += more->checks;
    tally->findings += more->findings;
    for (int i = 0; i < 3; i++)
        tally->us[i] += more->us[i];
    for (int x = 0; x < KINDS; x++)
        for (int y = 0; y < KINDS; y++)
            tally->pairs[x][y] += more->pairs[x][y];
}

static bool names_memory(const struct tally *tally, int kind)
{
    for (int i = 0; i < KINDS; i++)
        if (tally->pairs[kind][i] || tally->pairs[i][kind])
            return true;
    return false;
}

void tally_table(const struct tally *tally)
{
    printf("%-18s", "");
    for (int column = 0; column < KINDS; column++)
        if (names_memory(tally, column))
            printf(" %16s", kind_names[column]);
    for (int row = 0; row < KINDS; row++) {
        if (!names_memory(tally, row))
            continue;
        printf("\n%-18s", kind_names[row]);
        for (int column = 0; column < KINDS; column++)
            if (names_memory(tally, column))
                printf(" %16ld", tally->pairs[row][column]);
    }
    printf("\n");
}

/* is_possible: programs have such commands. */
static bool is_possible(enum kind kind, const struct features *features, const struct facts *facts)
{
    const struct command command = {.kind = (uint8_t)kind};
    bool is_any = !touches_memory(&command) || kind < DO_PAUSE || is_copy(&command) ||
                  is_fill(&command) || kind == DO_ATTACH || allocates(&command) || frees(&command);

    for (int i = 0; i < MEMORY_KINDS && is_any; i++)
        if (may_name(kind, (enum memory)i, features, facts->is_concurrent, facts->is_pageable))
            return true;
    return !is_any && (!(is_stream_life(&command) || is_event_life(&command)) || features->lives);
}

/* may_meet_otherwise: on an event, or on a stream that one of both destroys or creates. */
static bool may_meet_otherwise(enum kind x, enum kind y)
{
    const struct command a = {.kind = (uint8_t)x}, b = {.kind = (uint8_t)y};

    return (uses_event(&a) && uses_event(&b)) ||
           ((is_stream_life(&a) || is_stream_life(&b)) && uses_stream(&a) && uses_stream(&b) &&
            !is_synchronous(&a) && !is_synchronous(&b));
}

static bool may_meet(enum kind x, enum kind y, const struct features *features,
                     const struct facts *facts)
{
    if (!is_possible(x, features, facts) || !is_possible(y, features, facts))
        return false;
    if (may_meet_otherwise(x, y))
        return true;
    for (int i = 0; i < MEMORY_KINDS; i++) {
        const enum memory memory = (enum memory)i;
        if (may_name(x, memory, features, facts->is_concurrent, facts->is_pageable) &&
            may_name(y, memory, features, facts->is_concurrent, facts->is_pageable))
            return true;
    }
    return false;
}

void tally_rare(const struct tally *tally, const struct features *features,
                const struct facts *facts)
{
    int pairs = 0;
    int rare = 0;

    for (int x = 0; x < KINDS; x++)
        for (int y = 0; y < KINDS; y++) {
            if (!may_meet((enum kind)x, (enum kind)y, features, facts))
                continue;
            pairs++;
            if (tally->pairs[x][y] >= ENOUGH_PAIRS)
                continue;
            rare++;
            printf("rare: %s before %s: %ld\n", kind_names[x], kind_names[y], tally->pairs[x][y]);
        }
    printf("%d pairs of kinds may meet on one buffer, %d of them did fewer than %d times\n", pairs,
           rare, ENOUGH_PAIRS);
}
