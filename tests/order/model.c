/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

const char *const kind_names[KINDS] = {
#define COMMAND(name, is_work) #name,
    COMMANDS(COMMAND)
#undef COMMAND
};

bool is_work(const struct command *command)
{
    static const bool work[KINDS] = {
#define COMMAND(name, is_work) is_work,
        COMMANDS(COMMAND)
#undef COMMAND
    };
    return work[command->kind];
}

bool is_transform(const struct command *command)
{
    return command->kind == DO_KERNEL || command->kind == DO_HOST_FUNCTION ||
           command->kind == DO_CALLBACK || command->kind == DO_HOST_WRITE;
}

bool is_copy(const struct command *command)
{
    return command->kind >= DO_COPY_ASYNC && command->kind <= DO_COPY_SYMBOL;
}

bool is_fill(const struct command *command)
{
    return command->kind >= DO_SET_ASYNC && command->kind <= DO_SET_2D;
}

bool is_synchronous(const struct command *command)
{
    switch (command->kind) {
    case DO_COPY:
    case DO_COPY_2D:
    case DO_COPY_3D:
    case DO_COPY_ARRAY:
    case DO_COPY_SYMBOL:
    case DO_SET:
    case DO_SET_2D:
        return true;
    default:
        return false;
    }
}

bool is_batch(const struct command *command)
{
    return command->kind == DO_COPY_BATCH || command->kind == DO_COPY_BOXES;
}

bool is_symbol_copy(const struct command *command)
{
    return command->kind == DO_COPY_SYMBOL || command->kind == DO_COPY_SYMBOL_ASYNC;
}

bool has_symbol_copies(const struct program *program)
{
    for (int i = 0; i < program->commands; i++)
        if (is_symbol_copy(&program->command[i]))
            return true;
    return false;
}

bool is_stream_life(const struct command *command)
{
    return command->kind == DO_STREAM_DESTROY || command->kind == DO_STREAM_CREATE;
}

bool is_event_life(const struct command *command)
{
    return command->kind == DO_EVENT_DESTROY || command->kind == DO_EVENT_CREATE;
}

bool uses_stream(const struct command *command)
{
    return is_work(command) || is_stream_life(command) || command->kind == DO_STREAM_SYNCHRONIZE ||
           command->kind == DO_STREAM_POLL || command->kind == DO_STREAM_QUERY;
}

bool is_peer_copy(const struct program *program, const struct command *command)
{
    return (command->kind == DO_COPY_ASYNC ||
            (command->kind == DO_COPY && command->stream == LEGACY)) &&
           command->spelling & SPELL_OTHER &&
           program->buffer[command->first.buffer].memory == MEMORY_DEVICE &&
           program->buffer[command->target.buffer].memory == MEMORY_DEVICE;
}

bool allocates(const struct command *command)
{
    return command->kind == DO_MALLOC_ASYNC || command->kind == DO_MALLOC;
}

bool frees(const struct command *command)
{
    return command->kind == DO_FREE_ASYNC || command->kind == DO_FREE;
}

bool touches_memory(const struct command *command)
{
    return command->kind != DO_PREFETCH && command->kind != DO_ADVISE;
}

bool is_array(enum memory memory)
{
    return memory == MEMORY_ARRAY || memory == MEMORY_CUBE;
}

bool is_host_memory(enum memory memory)
{
    return memory < MEMORY_MANAGED;
}

bool is_host_accessible(enum memory memory)
{
    return memory <= MEMORY_MANAGED;
}

/* is_device_work: kernels, copies and fills, which keep the device busy. */
static bool is_device_work(const struct command *command)
{
    return command->kind == DO_KERNEL || is_copy(command) || is_fill(command);
}

bool may_be_node(const struct program *program, const struct command *command)
{
    switch (command->kind) {
    case DO_KERNEL:
    case DO_HOST_FUNCTION:
    case DO_PAUSE:
    case DO_COPY_ASYNC:
    case DO_COPY_2D_ASYNC:
    case DO_COPY_3D_ASYNC:
    case DO_COPY_ARRAY_ASYNC:
    case DO_COPY_SYMBOL_ASYNC:
    case DO_SET_ASYNC:
    case DO_SET_2D_ASYNC:
    case DO_MALLOC_ASYNC:
        return !is_peer_copy(program, command);
    default:
        return false;
    }
}

/* Other threads may call in between, but not what the graph's own thread would wait for. */
int graph_next(const struct program *program, int x)
{
    const struct command *c = &program->command[x];
    int y = x + 1;
    while (y < program->commands && program->command[y].thread != c->thread)
        y++;
    const struct command *next = &program->command[y];
    return y < program->commands && next->graph == c->graph && next->stream == c->stream &&
                   next->device == c->device && next->after < 0
               ? y
               : -1;
}

int graph_end(const struct program *program, int x)
{
    for (int next = graph_next(program, x); next >= 0; next = graph_next(program, x))
        x = next;
    return x;
}

uint8_t initial_byte(unsigned buffer, size_t at)
{
    return (uint8_t)(at * 3 + (at >> 8) + buffer * 41 + 17);
}

/* Streams. */

static enum stream_kind kind_of(const struct program *program, const struct command *command)
{
    return command->stream == LEGACY ? STREAM_LEGACY
           : command->stream == PER_THREAD
               ? STREAM_PER_THREAD
               : (enum stream_kind)program->stream[command->stream].kind;
}

/* same_stream: legacy streams are one per device, per-thread streams one per thread and device, and a stream that was created
 * in place of another one is not that one. */
static bool same_stream(const struct model *model, int x, int y)
{
    const struct command *a = &model->program->command[x];
    const struct command *b = &model->program->command[y];

    if (a->stream != b->stream)
        return false;
    if (a->stream >= FIRST_CREATED)
        return model->born[x] == model->born[y];
    return a->device == b->device && (a->stream != PER_THREAD || a->thread == b->thread);
}

/* stream_life_before, event_life_before: the latest command that destroyed or created what command y names; -1: none. */
static int stream_life_before(const struct program *program, int y)
{
    int x = y - 1;
    while (x >= 0 && !(is_stream_life(&program->command[x]) &&
                       program->command[x].stream == program->command[y].stream))
        x--;
    return x;
}

static int event_life_before(const struct program *program, int y)
{
    int x = y - 1;
    while (x >= 0 && !(is_event_life(&program->command[x]) &&
                       program->command[x].event == program->command[y].event))
        x--;
    return x;
}

/* is_on: the region is memory of that device. */
static bool is_on(const struct program *program, const struct region *region, unsigned device)
{
    return region->count && program->buffer[region->buffer].memory == MEMORY_DEVICE &&
           program->buffer[region->buffer].device == device;
}

/* is_legacy_of: work of the device's legacy stream, or of another's that copies from or to memory of the device; of copies in
 * graphs nobody says so. */
static bool is_legacy_of(const struct program *program, const struct command *command,
                         unsigned device)
{
    if (kind_of(program, command) != STREAM_LEGACY)
        return false;
    return command->device == device ||
           (is_copy(command) && !command->graph &&
            (is_on(program, &command->target, device) || is_on(program, &command->first, device)));
}

static bool is_blocking_of(const struct program *program, const struct command *command,
                           unsigned device)
{
    const enum stream_kind kind = kind_of(program, command);
    return command->device == device && kind != STREAM_LEGACY && kind != STREAM_NON_BLOCKING;
}

/* ordered_by_legacy: both are work of one legacy stream, or one is and the other is a blocking stream's of its device. */
static bool ordered_by_legacy(const struct program *program, const struct command *earlier,
                              const struct command *later)
{
    for (unsigned device = 0; device < program->devices; device++) {
        const bool a = is_legacy_of(program, earlier, device);
        const bool b = is_legacy_of(program, later, device);
        if ((a && b) || (a && is_blocking_of(program, later, device)) ||
            (b && is_blocking_of(program, earlier, device)))
            return true;
    }
    return false;
}

/* Points. */

static void set_point(struct points *points, int command, enum point p)
{
    const unsigned bit = (unsigned)command * POINTS + p;
    points->word[bit / 64] |= (uint64_t)1 << bit % 64;
}

static bool has_point(const struct points *points, int command, enum point p)
{
    const unsigned bit = (unsigned)command * POINTS + p;
    return points->word[bit / 64] >> bit % 64 & 1;
}

/* add_edge: p of x is before q of y, and so is all that is before p of x. */
static void add_edge(struct model *model, int x, enum point p, int y, enum point q)
{
    struct points *to = &model->before[y][q];
    const struct points *from = &model->before[x][p];

    for (int i = 0; i < MODEL_WORDS; i++)
        to->word[i] |= from->word[i];
    set_point(to, x, p);
}

bool happens_before(const struct model *model, int x, enum point p, int y, enum point q)
{
    return has_point(&model->before[y][q], x, p);
}

/* called_before: the call of x returned before that of y. */
static bool called_before(const struct model *model, int x, int y)
{
    return happens_before(model, x, RETURN, y, CALL);
}

/* latest_record: of the event of command y; -1: none, -2: records and this call have no order. */
static int latest_record(const struct model *model, int y)
{
    const struct command *command = model->program->command;
    for (int x = y - 1; x >= 0; x--)
        if ((command[x].kind == DO_RECORD || is_event_life(&command[x])) &&
            command[x].event == command[y].event)
            return !called_before(model, x, y) ? -2 : command[x].kind == DO_RECORD ? x : -1;
    return -1;
}

bool uses_event(const struct command *command)
{
    return command->kind == DO_RECORD || command->kind == DO_WAIT ||
           command->kind == DO_EVENT_SYNCHRONIZE || command->kind == DO_EVENT_POLL ||
           is_event_life(command);
}

/* is_event_free: every earlier use of the event that y records, destroys or creates is ordered to y, so what it finds is. */
static bool is_event_free(const struct model *model, int y)
{
    const struct command *command = model->program->command;
    for (int x = 0; x < y; x++)
        if (uses_event(&command[x]) && command[x].event == command[y].event &&
            !called_before(model, x, y))
            return false;
    return true;
}

static enum memory memory_of(const struct program *program, const struct region *region)
{
    return (enum memory)program->buffer[region->buffer].memory;
}

/* reads_before_return: cudaMemcpy from pageable to device memory. */
static bool reads_before_return(const struct program *program, const struct command *command)
{
    return is_copy(command) && is_synchronous(command) &&
           memory_of(program, &command->first) == MEMORY_PAGEABLE &&
           !is_host_memory(memory_of(program, &command->target));
}

/* ends_before_return: the call promises that its work is done. */
static bool ends_before_return(const struct program *program, const struct command *command)
{
    if (!is_synchronous(command))
        return !is_work(command);
    if (is_fill(command))
        return is_host_accessible(memory_of(program, &command->target));
    return is_host_memory(memory_of(program, &command->target)) ||
           (is_host_memory(memory_of(program, &command->first)) &&
            !reads_before_return(program, command));
}

/* reads_at_call: cudaMemcpyAsync from pageable to device memory, whose source may be read when it is called; batches, if they
 * say so. */
static bool reads_at_call(const struct program *program, const struct command *command)
{
    if (is_batch(command))
        return command->spelling & (SPELL_EARLY | SPELL_ANY) ||
               (!program->is_documented && is_host_accessible(memory_of(program, &command->first)));
    return is_copy(command) && !is_synchronous(command) &&
           memory_of(program, &command->first) == MEMORY_PAGEABLE &&
           !is_host_memory(memory_of(program, &command->target));
}

enum { LATE_BYTES = 32 * 1024 };

/* is_small_upload: a copy from host to device memory that CUDA may make of what it has read at once (H200, driver 580). Managed
 * memory that is advised to be there counts as page-locked memory. */
static bool is_small_upload(const struct program *program, const struct command *command)
{
    const enum memory from = memory_of(program, &command->first);

    return !program->is_documented && is_copy(command) && is_host_accessible(from) &&
           !is_host_memory(memory_of(program, &command->target)) &&
           (from == MEMORY_PAGEABLE || program->unit * command->first.count < LATE_BYTES);
}

/* reads_before_legacy: a copy whose source CUDA reads as soon as the copy's own stream is there. */
static bool reads_before_legacy(const struct program *program, const struct command *command)
{
    return is_small_upload(program, command) && !is_synchronous(command) &&
           memory_of(program, &command->first) != MEMORY_PAGEABLE;
}

/* passes_by_legacy: a copy for which CUDA does not wait for the legacy stream at all. */
static bool passes_by_legacy(const struct program *program, const struct command *command)
{
    return is_small_upload(program, command) && is_synchronous(command) &&
           command->stream == PER_THREAD;
}

/* first_point: after which the command reads or writes. cudaFree waits for those that it ends the use of. */
static enum point first_point(const struct program *program, const struct command *command,
                              bool writes)
{
    if (command->kind == DO_FREE)
        return RETURN;
    if (!is_work(command) || (!writes && reads_at_call(program, command)))
        return CALL;
    return writes ? START : READ;
}

/* reads_during_call: its source may be changed when it has returned. */
static bool reads_during_call(const struct program *program, const struct command *command)
{
    return reads_before_return(program, command) ||
           (is_batch(command) && command->spelling & SPELL_EARLY &&
            !(command->spelling & SPELL_ANY));
}

/* access_of: when command y reads or writes the region. */
static struct access access_of(const struct program *program, int y, const struct region *region,
                               bool writes)
{
    const struct command *command = &program->command[y];
    const bool is_host = !is_work(command);

    return (struct access){
        .region = *region,
        .writes = writes,
        .start = (uint8_t)first_point(program, command, writes),
        .end = is_host || (!writes && reads_during_call(program, command)) ? RETURN : END,
    };
}

static void add_access(struct model *model, int y, const struct region *region, bool writes)
{
    if (region->count && touches_memory(&model->program->command[y]))
        model->access[y][model->accesses[y]++] = access_of(model->program, y, region, writes);
}

/* is_host_copy: between host memory alone. */
static bool is_host_copy(const struct program *program, const struct command *command)
{
    return is_copy(command) && is_host_memory(memory_of(program, &command->first)) &&
           is_host_memory(memory_of(program, &command->target));
}

/* meets_legacy: the command takes part in the order between the legacy stream and blocking ones. */
static bool meets_legacy(const struct model *model, int y)
{
    const struct program *program = model->program;
    const struct command *command = &program->command[y];
    switch (command->kind) {
    case DO_WAIT:
        return command->stream == LEGACY && latest_record(model, y) >= 0;
    case DO_ATTACH:
    case DO_PREFETCH:
        return command->stream == LEGACY && program->is_managed_work;
    case DO_MALLOC_ASYNC:
        return false;
    case DO_FREE_ASYNC:
    case DO_RECORD:
        return command->stream == LEGACY || program->is_documented;
    default:
        return program->is_documented ||
               !(is_host_copy(program, command) || passes_by_legacy(program, command));
    }
}

/* is_ordered_by_legacy: x waits for y because one of both is the legacy stream's. */
static bool is_ordered_by_legacy(const struct model *model, int x, int y)
{
    const struct command *command = model->program->command;
    return ordered_by_legacy(model->program, &command[x], &command[y]) && meets_legacy(model, x) &&
           meets_legacy(model, y);
}

/* add_work: a stream's command follows those of its stream and of the legacy stream's order. */
static void add_work(struct model *model, int y)
{
    const struct program *program = model->program;
    const struct command *command = program->command;

    for (int x = 0; x < y; x++) {
        if (!is_work(&command[x]) || !called_before(model, x, y))
            continue;
        if (same_stream(model, x, y))
            add_edge(model, x, END, y, READ);
        else if (is_ordered_by_legacy(model, x, y))
            add_edge(model, x, END, y, reads_before_legacy(program, &command[y]) ? START : READ);
    }
    if (command[y].kind == DO_WAIT) {
        const int record = latest_record(model, y);
        if (record >= 0) {
            add_edge(model, record, END, y, READ);
            model->cross_waits += !same_stream(model, record, y);
        }
    }
}

/* names: the command's i-th region, of three. */
static const struct region *names(const struct command *command, int i)
{
    return i == 0 ? &command->target : i == 1 ? &command->first : &command->second;
}

static bool names_buffer(const struct command *command, unsigned buffer)
{
    for (int i = 0; i < MOST_ACCESSES; i++)
        if (names(command, i)->count && names(command, i)->buffer == buffer)
            return true;
    return false;
}

/* add_uses: cudaFree returns after the end of what the device does with its memory. */
static void add_uses(struct model *model, int y)
{
    const struct command *command = model->program->command;
    const struct region *freed = &command[y].target;

    for (int x = 0; x < y; x++)
        if (called_before(model, x, y) && names_buffer(&command[x], freed->buffer) &&
            memory_of(model->program, freed) == MEMORY_DEVICE && is_device_work(&command[x]) &&
            command[x].device == command[y].device)
            add_edge(model, x, END, y, RETURN);
}

/* add_waiting: what the return of a synchronising call follows. */
static void add_waiting(struct model *model, int y)
{
    const struct command *command = model->program->command;
    switch (command[y].kind) {
    case DO_EVENT_SYNCHRONIZE:
    case DO_EVENT_POLL: {
        const int record = latest_record(model, y);
        if (record >= 0)
            add_edge(model, record, END, y, RETURN);
        break;
    }
    case DO_STREAM_SYNCHRONIZE:
    case DO_STREAM_POLL:
        for (int x = 0; x < y; x++)
            if (is_work(&command[x]) && called_before(model, x, y) && same_stream(model, x, y))
                add_edge(model, x, END, y, RETURN);
        break;
    case DO_DEVICE_SYNCHRONIZE:
        for (int x = 0; x < y; x++)
            if (is_work(&command[x]) && called_before(model, x, y) &&
                command[x].device == command[y].device)
                add_edge(model, x, END, y, RETURN);
        break;
    case DO_FREE:
        add_uses(model, y);
        break;
    default:
        break;
    }
}

/* is_alive: what the command names is allocated before it and not freed again; what it allocates is not. */
static bool is_alive(const struct model *model, int y)
{
    const struct program *program = model->program;
    for (unsigned buffer = 0; buffer < program->buffers; buffer++) {
        if ((program->buffer[buffer].memory != MEMORY_POOL && !program->buffer[buffer].is_late) ||
            !names_buffer(&program->command[y], buffer))
            continue;
        int x = y - 1;
        while (x >= 0 && !((allocates(&program->command[x]) || frees(&program->command[x])) &&
                           program->command[x].target.buffer == buffer))
            x--;
        const bool is_allocated = x >= 0 && allocates(&program->command[x]);
        if (is_allocated == allocates(&program->command[y]))
            return false;
    }
    return true;
}

/* attachment_at: the command that attached the buffer last before command y; -1: none, so it is everyone's. */
static int attachment_at(const struct program *program, unsigned buffer, int y)
{
    int x = y - 1;
    while (x >= 0 &&
           !((program->command[x].kind == DO_ATTACH || program->command[x].kind == DO_MALLOC) &&
             program->command[x].target.buffer == buffer))
        x--;
    return x >= 0 && (program->command[x].kind == DO_MALLOC ||
                      program->command[x].term == ATTACH_GLOBAL)
               ? -1
               : x;
}

/* exists: the stream and the event that command y names do; what it creates does not. No memory is attached to a stream that it
 * destroys. */
static bool exists(const struct program *program, int y)
{
    const struct command *command = &program->command[y];
    int x = uses_stream(command) ? stream_life_before(program, y) : -1;

    if (uses_stream(command) && (x >= 0 && program->command[x].kind == DO_STREAM_DESTROY) !=
                                    (command->kind == DO_STREAM_CREATE))
        return false;
    x = uses_event(command) ? event_life_before(program, y) : -1;
    if (uses_event(command) && (x >= 0 && program->command[x].kind == DO_EVENT_DESTROY) !=
                                   (command->kind == DO_EVENT_CREATE))
        return false;
    for (unsigned buffer = 0; buffer < program->buffers && command->kind == DO_STREAM_DESTROY;
         buffer++) {
        x = attachment_at(program, buffer, y);
        if (x >= 0 && program->command[x].term == ATTACH_SINGLE &&
            program->command[x].stream == command->stream)
            return false;
    }
    return true;
}

/* is_attached: a device may touch what the command names. */
static bool is_attached(const struct model *model, int y)
{
    const struct program *program = model->program;
    const struct command *command = program->command;
    for (int i = 0; i < MOST_ACCESSES && !program->is_concurrent && is_device_work(&command[y]);
         i++) {
        const struct region *region = names(&command[y], i);
        if (!region->count || memory_of(program, region) != MEMORY_MANAGED)
            continue;
        const int x = attachment_at(program, region->buffer, y);
        if (x >= 0 && (command[x].term == ATTACH_HOST || !same_stream(model, x, y)))
            return false;
    }
    return true;
}

void model_begin(struct model *model, const struct program *program)
{
    model->program = program;
    model->commands = 0;
    model->is_gated = false;
    model->cross_waits = 0;
}

bool is_asynchronous(const struct program *program, const struct command *command)
{
    const enum memory from = memory_of(program, &command->first);
    const enum memory to = memory_of(program, &command->target);

    switch (command->kind) {
    case DO_STREAM_QUERY:
    case DO_STREAM_DESTROY:
    case DO_EVENT_DESTROY:
    case DO_OPEN:
        return true;
    case DO_HOST_WRITE:
        return is_host_memory(to) && is_host_memory(from) &&
               is_host_memory(memory_of(program, &command->second));
    case DO_COPY_ASYNC:
    case DO_COPY_2D_ASYNC:
    case DO_COPY_3D_ASYNC:
    case DO_COPY_ARRAY_ASYNC:
    case DO_COPY_SYMBOL_ASYNC:
    case DO_COPY_BATCH:
    case DO_COPY_BOXES:
        return !reads_during_call(program, command) && from != MEMORY_PAGEABLE &&
               to != MEMORY_PAGEABLE && !(is_host_memory(from) && is_host_memory(to)) &&
               (program->is_documented || (from != MEMORY_MANAGED && to != MEMORY_MANAGED));
    case DO_ATTACH:
    case DO_PREFETCH:
        return false;
    default:
        return is_work(command) && !is_synchronous(command);
    }
}

/* passes_gates: the command may stand where it does between a gate and its opening. */
static bool passes_gates(const struct model *model, const struct command *command)
{
    if (command->kind == DO_GATE)
        return !model->is_gated && model->program->threads == 1;
    return model->is_gated ? is_asynchronous(model->program, command) : command->kind != DO_OPEN;
}

/* is_batch_kept: the legacy stream takes no batches. Copies between host memory pass CUDA's own batches to host memory that
 * stand before them in their stream; those to managed memory wait for nothing where that is advised or attached to the host, and
 * read what was written after the call, whatever they are told (H200, driver 580). */
static bool is_batch_kept(const struct program *program, const struct command *command)
{
    return command->stream != LEGACY &&
           (program->is_documented || !is_host_accessible(memory_of(program, &command->target)));
}

bool model_add(struct model *model)
{
    const int y = model->commands;
    const struct command *command = model->program->command;

    memset(model->before[y], 0, sizeof model->before[y]);
    model->accesses[y] = 0;
    model->born[y] = (int16_t)stream_life_before(model->program, y);
    for (int x = y - 1; x >= 0; x--)
        if (command[x].thread == command[y].thread) {
            add_edge(model, x, RETURN, y, CALL);
            break;
        }
    if (command[y].after >= 0)
        add_edge(model, command[y].after, RETURN, y, CALL);
    if (uses_event(&command[y]) && (latest_record(model, y) == -2 ||
                                    ((command[y].kind == DO_RECORD || is_event_life(&command[y])) &&
                                     !is_event_free(model, y))))
        return false;
    if (is_batch(&command[y]) && !is_batch_kept(model->program, &command[y]))
        return false;
    if (!exists(model->program, y) || !is_alive(model, y) || !is_attached(model, y) ||
        !passes_gates(model, &command[y]))
        return false;
    if (command[y].kind == DO_GATE || command[y].kind == DO_OPEN)
        model->is_gated = command[y].kind == DO_GATE;
    model->is_strict[y] = allocates(&command[y]) || frees(&command[y]) ||
                          (command[y].kind == DO_ATTACH && !model->program->is_concurrent);
    add_edge(model, y, CALL, y, READ);
    if (is_work(&command[y]))
        add_work(model, y);
    add_edge(model, y, READ, y, START);
    add_edge(model, y, START, y, END);
    add_edge(model, y, CALL, y, RETURN);
    if (ends_before_return(model->program, &command[y]))
        add_edge(model, y, END, y, RETURN);
    if (reads_before_return(model->program, &command[y]))
        add_edge(model, y, START, y, RETURN);
    add_waiting(model, y);
    add_access(model, y, &command[y].first, false);
    add_access(model, y, &command[y].second, false);
    add_access(model, y, &command[y].target, true);
    model->commands++;
    return true;
}

bool model_build(struct model *model, const struct program *program)
{
    model_begin(model, program);
    while (model->commands < program->commands)
        if (!model_add(model) || model_forbidden(model, model->commands - 1) >= 0)
            return false;
    return !model->is_gated;
}

/* Accesses. */

static bool covers(const struct region *region, unsigned buffer, unsigned unit)
{
    return region->buffer == buffer && unit >= region->first &&
           (unit - region->first) % region->step == 0 &&
           (unit - region->first) / region->step < region->count;
}

static bool overlap(const struct region *a, const struct region *b)
{
    for (unsigned i = 0; a->buffer == b->buffer && i < a->count; i++)
        if (covers(b, a->buffer, a->first + i * a->step))
            return true;
    return false;
}

/* is_before: access a of command x is over before access b of command y begins. */
static bool is_before(const struct model *model, int x, const struct access *a, int y,
                      const struct access *b)
{
    return x < y && happens_before(model, x, (enum point)a->end, y, (enum point)b->start);
}

int model_conflict(const struct model *model, int y)
{
    for (int x = y - 1; x >= 0; x--)
        for (int i = 0; i < model->accesses[x]; i++)
            for (int j = 0; j < model->accesses[y]; j++) {
                const struct access *a = &model->access[x][i];
                const struct access *b = &model->access[y][j];
                if ((a->writes || b->writes) && overlap(&a->region, &b->region) &&
                    !is_before(model, x, a, y, b))
                    return x;
            }
    return -1;
}

/* Where CUDA wants an order. */

/* uses_device: the device works for it. */
static bool uses_device(const struct program *program, const struct command *command)
{
    return is_device_work(command) ||
           (command->kind == DO_CHECK && !is_host_accessible(memory_of(program, &command->first)));
}

/* excludes: command host touches managed memory itself, so that command device must not run then. */
static bool excludes(const struct model *model, int host, int device)
{
    const struct program *program = model->program;
    const struct command *command = program->command;
    if (uses_device(program, &command[host]) || !touches_memory(&command[host]) ||
        !uses_device(program, &command[device]) || command[host].kind == DO_ATTACH ||
        allocates(&command[host]) || frees(&command[host]))
        return false;
    for (int i = 0; i < MOST_ACCESSES; i++) {
        const struct region *region = names(&command[host], i);
        if (!region->count || memory_of(program, region) != MEMORY_MANAGED)
            continue;
        const int x = attachment_at(program, region->buffer, host);
        if (x < 0 || (command[x].term == ATTACH_SINGLE && same_stream(model, x, device)))
            return true;
    }
    return false;
}

/* is_over: command x before command y begins. */
static bool is_over(const struct model *model, int x, int y)
{
    const struct command *command = model->program->command;
    return happens_before(model, x, is_work(&command[x]) ? END : RETURN, y,
                          first_point(model->program, &command[y], true));
}

static bool shares_buffer(const struct command *x, const struct command *y)
{
    for (int i = 0; i < MOST_ACCESSES; i++)
        if (names(x, i)->count && names_buffer(y, names(x, i)->buffer))
            return true;
    return false;
}

/* is_life_open: one of both destroys or creates the stream that the other names, and its call may overlap the other's. */
static bool is_life_open(const struct model *model, int x, int y)
{
    const struct command *a = &model->program->command[x];
    const struct command *b = &model->program->command[y];

    return (is_stream_life(a) || is_stream_life(b)) && uses_stream(a) && uses_stream(b) &&
           a->stream == b->stream && !called_before(model, x, y);
}

/* Lives are first: what is done about the others may name the stream. */
int model_forbidden(const struct model *model, int y)
{
    const struct program *program = model->program;
    for (int x = y - 1; x >= 0; x--)
        if (is_life_open(model, x, y))
            return x;
    for (int x = y - 1; x >= 0; x--) {
        if ((model->is_strict[x] || model->is_strict[y]) &&
            shares_buffer(&program->command[x], &program->command[y]) &&
            !(is_over(model, x, y) && called_before(model, x, y)))
            return x;
        if (!program->is_concurrent && (excludes(model, x, y) || excludes(model, y, x)) &&
            !is_over(model, x, y))
            return x;
    }
    return -1;
}

/* waits_for_stream: call x waits for all that was called before it in the stream of command y. */
static bool waits_for_stream(const struct model *model, int x, int y)
{
    const struct command *command = model->program->command;
    switch (command[x].kind) {
    case DO_STREAM_SYNCHRONIZE:
    case DO_STREAM_POLL:
        return same_stream(model, x, y);
    case DO_DEVICE_SYNCHRONIZE:
        return command[x].device == command[y].device;
    default:
        return false;
    }
}

int model_value(const struct model *model, int y)
{
    const struct command *command = model->program->command;
    const int record = command[y].kind == DO_WAIT && command[y].spelling & SPELL_VALUE
                           ? latest_record(model, y)
                           : -1;
    return record >= 0 && command[record].spelling & SPELL_VALUE ? record : -1;
}

bool model_must_be_done(const struct model *model, int y)
{
    const struct command *command = model->program->command;
    int wait = y - 1;

    while (wait >= 0 && !(waits_for_stream(model, wait, y) && called_before(model, wait, y)))
        wait--;
    /* What a copy between devices keeps busy is not written. */
    if (wait < 0 || kind_of(model->program, &command[y]) == STREAM_LEGACY ||
        model->program->devices > 1)
        return false;
    for (int x = 0; x < model->program->commands; x++)
        if (is_peer_copy(model->program, &command[x]))
            return false;
    for (int x = 0; x < model->program->commands; x++)
        if (is_work(&command[x]) && same_stream(model, x, y) &&
            !(x < wait && called_before(model, x, wait)) && !(y < x && called_before(model, y, x)))
            return false;
    return true;
}

bool model_must_be_pending(const struct model *model, int y)
{
    const struct command *command = model->program->command;
    for (int x = y - 1; x >= 0 && command[x].kind != DO_OPEN; x--)
        if (command[x].kind == DO_GATE)
            return same_stream(model, x, y);
    return false;
}

/* Memory. */

bool memory_begin(struct memory_model *memory, const struct program *program)
{
    memset(memory, 0, sizeof *memory);
    for (unsigned i = 0; i < program->buffers; i++) {
        const size_t bytes = (size_t)program->unit * program->buffer[i].units;
        memory->bytes[i] = malloc(bytes);
        if (!memory->bytes[i])
            return false;
        for (size_t at = 0; at < bytes; at++)
            memory->bytes[i][at] = initial_byte(i, at);
        for (unsigned unit = 0; unit < program->buffer[i].units; unit++)
            memory->known[i][unit] = true;
    }
    return true;
}

void memory_end(struct memory_model *memory)
{
    for (unsigned i = 0; i < MOST_BUFFERS; i++)
        free(memory->bytes[i]);
}

/* is_ordered_read: the write that the read of a unit finds is always the same one. */
static bool is_ordered_read(const struct model *model, int y, const struct access *read,
                            unsigned unit)
{
    int last = -1;
    const struct access *last_write = NULL;

    for (int x = model->program->commands - 1; x >= 0; x--)
        for (int i = 0; i < model->accesses[x] && x != y; i++) {
            const struct access *write = &model->access[x][i];
            if (!write->writes || !covers(&write->region, read->region.buffer, unit))
                continue;
            if (x > y ? !is_before(model, y, read, x, write) : !is_before(model, x, write, y, read))
                return false;
            if (x < y && last_write && !is_before(model, x, write, last, last_write))
                return false;
            if (x < y && !last_write) {
                last = x;
                last_write = write;
            }
        }
    return true;
}

/* is_read_known: the bytes that the i-th unit of the region has for the command are determined. */
static bool is_read_known(const struct memory_model *memory, const struct model *model, int y,
                          const struct region *region, unsigned i)
{
    const unsigned unit = region->first + i * region->step;
    const struct access read = access_of(model->program, y, region, false);
    return memory->known[region->buffer][unit] && is_ordered_read(model, y, &read, unit);
}

static uint8_t *unit_bytes(const struct memory_model *memory, const struct program *program,
                           const struct region *region, unsigned i)
{
    return memory->bytes[region->buffer] +
           (size_t)program->unit * (region->first + i * region->step);
}

static void write_unit(const struct memory_model *memory, const struct model *model, int y,
                       unsigned i)
{
    const struct program *program = model->program;
    const struct command *command = &program->command[y];
    uint8_t *to = unit_bytes(memory, program, &command->target, i);

    if (allocates(command) || frees(command))
        return;
    if (!is_transform(command)) {
        if (command->first.count)
            memmove(to, unit_bytes(memory, program, &command->first, i), program->unit);
        else
            memset(to, command->term, program->unit);
        return;
    }
    const uint8_t *first = unit_bytes(memory, program, &command->first, i);
    const uint8_t *second = unit_bytes(memory, program, &command->second, i);
    for (size_t at = 0; at < program->unit; at++)
        to[at] = transformed(command, first[at], second[at], (size_t)i * program->unit + at);
}

void memory_step(struct memory_model *memory, const struct model *model, int y,
                 bool known[MOST_UNITS])
{
    const struct command *command = &model->program->command[y];
    const unsigned units = command->target.count ? command->target.count : command->first.count;

    for (unsigned i = 0; i < units; i++)
        known[i] = !allocates(command) && !frees(command) &&
                   (!command->first.count || is_read_known(memory, model, y, &command->first, i)) &&
                   (!command->second.count || is_read_known(memory, model, y, &command->second, i));
    for (unsigned i = 0; i < command->target.count; i++) {
        write_unit(memory, model, y, i);
        memory->known[command->target.buffer][command->target.first + i * command->target.step] =
            known[i];
    }
}
