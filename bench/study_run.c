/* Running studies: memory, poison, verification and forms, for any contender.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/study_run.h"

#include <stdlib.h>
#include <string.h>

/* Inputs without a fill begin at different places of the same random words. */
#define BETWEEN_INPUTS ((size_t)4096)
#define PIECE          ((size_t)16 << 20)

static struct {
    unsigned char *memory;
    size_t bytes;
} the_words;

static bool grow_words(size_t bytes)
{
    unsigned char *memory = realloc(the_words.memory, bytes);
    if (!memory)
        return false;
    the_words.memory = memory;
    const size_t from = the_words.bytes / PIECE, to = (bytes + PIECE - 1) / PIECE;
#pragma omp parallel for
    for (size_t i = from; i < to; i++) {
        size_t at = i * PIECE;
        pattern_fill(memory + at, bytes - at < PIECE ? bytes - at : PIECE, PATTERN_WORDS, at);
    }
    the_words.bytes = bytes;
    return true;
}

const void *study_words(size_t index, size_t bytes)
{
    size_t needed = index * BETWEEN_INPUTS + (bytes + 4095) / 4096 * 4096;
    if (needed > the_words.bytes && !grow_words(needed))
        return NULL;
    return the_words.memory + index * BETWEEN_INPUTS;
}

void study_forget_words(void)
{
    free(the_words.memory);
    the_words.memory = NULL;
    the_words.bytes = 0;
}

bool study_open(struct attempt *attempt, const struct study_side *side)
{
    struct study_run *run = attempt->state;
    if (!run)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    run->side = side;
    run->cell = task_cell(attempt->task, attempt->device);
    run->form = -1;
    return true;
}

/* Gives back the form's memory and kernel. */
static void drop_form(struct study_run *run)
{
    if (run->form < 0)
        return;
    run->side->drop(run);
    for (size_t i = 0; i < run->shot.buffer_count; i++) {
        for (size_t set = 0; set < STUDY_SETS; set++)
            run->side->give(run, set, i);
        free(run->inputs[i]);
        run->inputs[i] = NULL;
    }
    run->form = -1;
}

void study_close(struct study_run *run)
{
    if (run)
        drop_form(run);
}

static size_t sets_for(const struct study_run *run)
{
    size_t all = 0;
    for (size_t i = 0; i < run->shot.buffer_count; i++)
        all += run->shot.buffers[i].bytes;
    return !cell_is_cached(&run->cell) && all < 4 * run->cell.device->cache_bytes ? STUDY_SETS : 1;
}

/* What an input holds; NULL without memory. */
static const void *input_of(struct study_run *run, size_t index)
{
    const struct shot_buffer *buffer = &run->shot.buffers[index];
    if (!buffer->fill)
        return study_words(index, buffer->bytes);
    if (!run->inputs[index]) {
        run->inputs[index] = malloc(buffer->bytes);
        if (run->inputs[index])
            buffer->fill(&run->cell, index, run->inputs[index], buffer->bytes);
    }
    return run->inputs[index];
}

static bool write_poison(struct attempt *attempt, struct study_run *run, size_t set, size_t index)
{
    const size_t all = run->shot.buffers[index].bytes, piece = all < PIECE ? all : PIECE;
    void *poison = malloc(piece);
    bool written = poison || attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    if (poison)
        memset(poison, POISON, piece);
    for (size_t at = 0; written && at < all; at += piece)
        written = run->side->write(attempt, run, set, index, at, poison,
                                   all - at < piece ? all - at : piece);
    free(poison);
    return written;
}

/* Memory as it is before the work: what the study fills it with, or random words or poison. */
static bool write_buffer(struct attempt *attempt, struct study_run *run, size_t set, size_t index)
{
    const struct shot_buffer *buffer = &run->shot.buffers[index];
    if (buffer->role == BUFFER_OUT && !buffer->fill)
        return write_poison(attempt, run, set, index);
    const void *content = input_of(run, index);
    return content ? run->side->write(attempt, run, set, index, 0, content, buffer->bytes)
                   : attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
}

static bool write_buffers(struct attempt *attempt, struct study_run *run, enum role role)
{
    bool written = true;
    for (size_t set = 0; set < run->sets; set++)
        for (size_t i = 0; written && i < run->shot.buffer_count; i++)
            if (run->shot.buffers[i].role == role)
                written = write_buffer(attempt, run, set, i);
    return written;
}

bool study_poison(struct attempt *attempt)
{
    struct study_run *run = attempt->state;
    if (run->form < 0)
        return true; /* done when the form's memory is taken */
    memset(run->launches, 0, sizeof run->launches);
    return write_buffers(attempt, run, BUFFER_OUT);
}

static bool take_form(struct attempt *attempt, struct study_run *run, size_t form)
{
    bool taken = true;
    drop_form(run);
    memset(&run->shot, 0, sizeof run->shot);
    if (!run->cell.study->describe(attempt, &run->cell, form, &run->shot))
        return false;
    run->form = (int)form;
    run->sets = sets_for(run);
    run->next = 0;
    for (size_t set = 0; set < run->sets; set++)
        for (size_t i = 0; taken && i < run->shot.buffer_count; i++)
            taken = run->side->take(attempt, run, set, i);
    return taken && write_buffers(attempt, run, BUFFER_IN) && study_poison(attempt) &&
           run->side->prepare(attempt, run);
}

bool study_run_form(struct attempt *attempt, size_t form, size_t count)
{
    struct study_run *run = attempt->state;
    if (run->form != (int)form && !take_form(attempt, run, form)) {
        drop_form(run);
        return false;
    }
    bool queued = true;
    for (size_t i = 0; queued && i < count; i++) {
        queued = run->side->launch(attempt, run, run->next);
        run->launches[run->next]++;
        run->next = (run->next + 1) % run->sets;
    }
    return run->side->finish(attempt, run) && queued;
}

/* Host copies of a set's buffers. The random words are asked for twice, because they may move while
 * they grow. */
static bool read_set(struct attempt *attempt, struct study_run *run, size_t set,
                     const void *memory[STUDY_BUFFERS], void *outputs[STUDY_BUFFERS])
{
    for (size_t i = 0; i < run->shot.buffer_count; i++)
        if (run->shot.buffers[i].role == BUFFER_IN && !input_of(run, i))
            return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    for (size_t i = 0; i < run->shot.buffer_count; i++) {
        if (run->shot.buffers[i].role == BUFFER_IN) {
            memory[i] = input_of(run, i);
            continue;
        }
        outputs[i] = malloc(run->shot.buffers[i].bytes);
        memory[i] = outputs[i];
        if (!outputs[i])
            return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
        if (!run->side->read(attempt, run, set, i, outputs[i]))
            return false;
    }
    return true;
}

static bool verify_set(struct attempt *attempt, struct study_run *run, size_t set)
{
    const void *memory[STUDY_BUFFERS] = {0};
    void *outputs[STUDY_BUFFERS] = {0};
    bool right = read_set(attempt, run, set, memory, outputs);
    if (right) {
        size_t wrong = run->cell.study->check(&run->cell, &run->shot, memory, run->launches[set]);
        right = wrong == PATTERN_FINE || attempt_wrong(attempt, wrong);
    }
    for (size_t i = 0; i < STUDY_BUFFERS; i++)
        free(outputs[i]);
    return right;
}

bool study_verify(struct attempt *attempt)
{
    struct study_run *run = attempt->state;
    bool right = true;
    for (size_t set = 0; right && set < run->sets; set++)
        if (run->launches[set] > 0)
            right = verify_set(attempt, run, set);
    return right;
}

static bool form_suits(const struct attempt *attempt, size_t form)
{
    const struct study *study = attempt->task->row->study;
    for (size_t i = 0; i <= form; i++)
        if (!study->forms[i].name)
            return false;
    if (attempt->task->form != FORM_BEST)
        return task_has_form(attempt->task, form);
    const unsigned here = attempt->device->is_cpu ? ON_CPU : ON_GPU;
    return form == 0 || (study->forms[form].best_on & here);
}

#define FORM(number)                                                                               \
    static bool run_##number(struct attempt *attempt, size_t count)                                \
    {                                                                                              \
        return study_run_form(attempt, number, count);                                             \
    }                                                                                              \
    static bool suits_##number(const struct attempt *attempt)                                      \
    {                                                                                              \
        return form_suits(attempt, number);                                                        \
    }
FORM(0)
FORM(1)
FORM(2)
FORM(3)
FORM(4)
FORM(5)
FORM(6)
FORM(7)

const struct method study_methods[] = {
    {"0", suits_0, run_0}, {"1", suits_1, run_1}, {"2", suits_2, run_2},
    {"3", suits_3, run_3}, {"4", suits_4, run_4}, {"5", suits_5, run_5},
    {"6", suits_6, run_6}, {"7", suits_7, run_7}, {NULL, NULL, NULL}};
