/* Chunks of commands are dropped, halves first, then single commands; then what is left is made simpler. The model is asked
 * for each candidate, so one that CUDA does not define is never run.
 * SPDX-License-Identifier: Apache-2.0 */
#include "shrink.h"

#include <string.h>

#include "model.h"

enum { TIMES = 60 /* runs after which a candidate counts as right */ };

struct shrinker {
    struct program *program;
    fails *still_fails;
    void *data;
};

/* drop: the program without the commands from..to-1. Calls that waited for one of them wait for the one before it. */
static struct program drop(const struct program *program, int from, int to)
{
    struct program less = *program;

    memmove(&less.command[from], &less.command[to],
            sizeof less.command[0] * (size_t)(less.commands - to));
    less.commands -= to - from;
    for (int i = from; i < less.commands; i++) {
        int16_t *after = &less.command[i].after;
        if (*after >= to) {
            *after = (int16_t)(*after - (to - from));
        } else if (*after >= from) {
            const unsigned thread = program->command[*after].thread;
            for (*after = (int16_t)(from - 1);
                 *after >= 0 && program->command[*after].thread != thread; (*after)--)
                ;
        }
    }
    return less;
}

/* try: takes a candidate that CUDA defines and that fails. */
static bool try(struct shrinker *shrinker, const struct program *candidate)
{
    static struct model model;

    if (!model_build(&model, candidate) || !shrinker->still_fails(shrinker->data, candidate, TIMES))
        return false;
    *shrinker->program = *candidate;
    return true;
}

static bool drop_chunks(struct shrinker *shrinker)
{
    bool is_smaller = false;
    for (int size = shrinker->program->commands / 2; size > 0; size /= 2)
        for (int from = shrinker->program->commands - size; from >= 0; from -= size) {
            if (from + size > shrinker->program->commands)
                continue;
            const struct program less = drop(shrinker->program, from, from + size);
            is_smaller |= try(shrinker, &less);
        }
    return is_smaller;
}

/* simplify: one thread, short buffers, commands without delay and by their usual names. */
static void simplify(struct shrinker *shrinker)
{
    struct program simple = *shrinker->program;

    for (int i = 0; i < simple.commands; i++) {
        simple.command[i].thread = 0;
        simple.command[i].after = -1;
    }
    simple.threads = 1;
    if (shrinker->program->threads > 1)
        try(shrinker, &simple);
    for (int i = 0; i < shrinker->program->commands; i++) {
        simple = *shrinker->program;
        simple.command[i].delay = 0;
        if (shrinker->program->command[i].delay)
            try(shrinker, &simple);
        simple = *shrinker->program;
        simple.command[i].spelling = 0;
        if (shrinker->program->command[i].spelling)
            try(shrinker, &simple);
        simple = *shrinker->program;
        simple.command[i].graph = simple.command[i].how = 0;
        if (shrinker->program->command[i].graph)
            try(shrinker, &simple);
    }
    simple = *shrinker->program;
    for (simple.unit = 1; simple.unit < shrinker->program->unit; simple.unit *= 4)
        if (try(shrinker, &simple))
            break;
}

void shrink(struct program *program, fails *still_fails, void *data)
{
    struct shrinker shrinker = {program, still_fails, data};

    while (drop_chunks(&shrinker))
        ;
    simplify(&shrinker);
    while (drop_chunks(&shrinker))
        ;
}
