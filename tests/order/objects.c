/* A program's streams, events and buffers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "interpreter.h"
#include "kept.h"

static bool make_registered(struct interpreter *of, int command, unsigned i, size_t bytes)
{
    void *memory = NULL;
    const size_t page = 4096;

    if (posix_memalign(&memory, page, (bytes + page - 1) / page * page)) {
        fail(of, command, "no memory");
        return false;
    }
    of->buffer[i] = memory;
    return CALL(of, command,
                cudaHostRegister(memory, bytes, cudaHostRegisterMapped | cudaHostRegisterPortable));
}

static bool make_array(struct interpreter *of, int command, unsigned i)
{
    const size_t unit = of->program->unit;
    const size_t units = of->program->buffer[i].units;
    const struct cudaChannelFormatDesc bytes = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};

    if (of->program->buffer[i].memory == MEMORY_CUBE)
        return CALL(
            of, command,
            cudaMalloc3DArray(&of->array[i], &bytes, (struct cudaExtent){unit, 1, units}, 0));
    return CALL(of, command, cudaMallocArray(&of->array[i], &bytes, unit, units, 0));
}

static bool allocate(struct interpreter *of, int command, unsigned i)
{
    const size_t bytes = (size_t)of->program->unit * of->program->buffer[i].units;
    void **const memory = (void **)&of->buffer[i];
    size_t found = 0;

    switch ((enum memory)of->program->buffer[i].memory) {
    case MEMORY_PAGEABLE:
        *memory = malloc(bytes);
        return *memory;
    case MEMORY_PINNED:
        return CALL(of, command, cudaMallocHost(memory, bytes));
    case MEMORY_MAPPED:
        return CALL(of, command,
                    cudaHostAlloc(memory, bytes, cudaHostAllocMapped | cudaHostAllocPortable));
    case MEMORY_REGISTERED:
        return make_registered(of, command, i, bytes);
    case MEMORY_MANAGED:
        return CALL(of, command, cudaMallocManaged(memory, bytes, cudaMemAttachGlobal));
    case MEMORY_DEVICE:
        return CALL(of, command, cudaMalloc(memory, bytes));
    case MEMORY_SYMBOL:
        if (has_symbol_copies(of->program))
            return CALL(of, command, cudaGetSymbolAddress(memory, order_store));
        return CALL(of, command, cudaLibraryGetGlobal(memory, &found, device_code.module, "store"));
    case MEMORY_ARRAY:
    case MEMORY_CUBE:
        return make_array(of, command, i);
    case MEMORY_POOL:
    case MEMORY_KINDS:
        break;
    }
    return true;
}

bool allocate_buffer(struct interpreter *of, int command, unsigned i)
{
    const enum memory memory = (enum memory)of->program->buffer[i].memory;

    of->buffer[i] = kept_memory(of->program, i);
    if (!of->buffer[i] && !allocate(of, command, i))
        return false;
    of->on_device[i] = of->buffer[i];
    return (memory != MEMORY_MAPPED && memory != MEMORY_REGISTERED) ||
           CALL(of, command,
                cudaHostGetDevicePointer((void **)&of->on_device[i], of->buffer[i], 0));
}

/* initialise: puts the bytes there. */
static bool initialise(struct interpreter *of, unsigned i, const uint8_t *initial, size_t bytes)
{
    const enum memory memory = (enum memory)of->program->buffer[i].memory;
    const size_t unit = of->program->unit;
    const size_t units = of->program->buffer[i].units;

    if (memory == MEMORY_ARRAY)
        return CALL(of, -1,
                    cudaMemcpy2DToArray(of->array[i], 0, 0, initial, unit, unit, units,
                                        cudaMemcpyHostToDevice));
    if (memory == MEMORY_CUBE) {
        const struct cudaMemcpy3DParms parameters = {
            .srcPtr = {(void *)(uintptr_t)initial, unit, unit, 1},
            .dstArray = of->array[i],
            .extent = {unit, 1, units},
            .kind = cudaMemcpyHostToDevice,
        };
        return CALL(of, -1, cudaMemcpy3D(&parameters));
    }
    if (!is_host_accessible(memory))
        return CALL(of, -1, cudaMemcpy(of->buffer[i], initial, bytes, cudaMemcpyHostToDevice));
    memcpy(of->buffer[i], initial, bytes);
    return true;
}

static bool make_buffer(struct interpreter *of, unsigned i)
{
    const size_t bytes = (size_t)of->program->unit * of->program->buffer[i].units;

    if (of->program->buffer[i].memory == MEMORY_POOL || of->program->buffer[i].is_late)
        return true;
    uint8_t *initial = malloc(bytes);
    if (!initial) {
        fail(of, -1, "no memory");
        return false;
    }
    for (size_t at = 0; at < bytes; at++)
        initial[at] = initial_byte(i, at);
    const bool is_made = CALL(of, -1, cudaSetDevice(of->program->buffer[i].device)) &&
                         allocate_buffer(of, -1, i) && initialise(of, i, initial, bytes);
    free(initial);
    return is_made;
}

void free_buffer(struct interpreter *of, int command, unsigned i)
{
    uint8_t *memory = of->buffer[i];
    const cudaArray_t array = of->array[i];

    of->array[i] = NULL;
    of->buffer[i] = of->on_device[i] = NULL;
    if (array)
        CALL(of, command, cudaFreeArray(array));
    if (!memory || kept_has(memory))
        return;
    switch ((enum memory)of->program->buffer[i].memory) {
    case MEMORY_REGISTERED:
        CALL(of, command, cudaHostUnregister(memory));
        free(memory);
        break;
    case MEMORY_PAGEABLE:
        free(memory);
        break;
    case MEMORY_PINNED:
    case MEMORY_MAPPED:
        CALL(of, command, cudaFreeHost(memory));
        break;
    case MEMORY_MANAGED:
    case MEMORY_DEVICE:
    case MEMORY_POOL:
        CALL(of, command, cudaFree(memory));
        break;
    case MEMORY_SYMBOL:
    case MEMORY_ARRAY:
    case MEMORY_CUBE:
    case MEMORY_KINDS:
        break;
    }
}

bool create_stream(struct interpreter *of, int command, unsigned i)
{
    const struct program *program = of->program;
    const unsigned flags =
        program->stream[i].kind == STREAM_BLOCKING ? cudaStreamDefault : cudaStreamNonBlocking;
    const int priority = program->stream[i].priority;

    if (command >= 0)
        return CALL(of, command, cudaStreamCreateWithPriority(&of->stream[i], flags, priority));
    return CALL(of, command,
                kept_stream(program, program->stream[i].device, flags, priority, &of->stream[i]));
}

bool create_event(struct interpreter *of, int command, unsigned i)
{
    const struct program *program = of->program;
    const unsigned flags = program->event[i].is_timed ? cudaEventDefault : cudaEventDisableTiming;

    if (command >= 0)
        return CALL(of, command, cudaEventCreateWithFlags(&of->event[i], flags));
    return CALL(of, command, kept_event(program, program->event[i].device, flags, &of->event[i]));
}

/* make_words: what records write, if there are such. */
static bool make_words(struct interpreter *of)
{
    const struct program *program = of->program;
    const size_t bytes = MOST_COMMANDS * sizeof(uint32_t);
    bool is_used = false;

    for (int i = 0; i < program->commands; i++)
        is_used |=
            program->command[i].kind == DO_RECORD && program->command[i].spelling & SPELL_VALUE;
    if (!is_used)
        return true;
    if (!CALL(of, -1,
              cudaHostAlloc((void **)&of->words[0], bytes,
                            cudaHostAllocMapped | cudaHostAllocPortable)))
        return false;
    memset(of->words[0], 0, bytes);
    return program->devices > 1 || (CALL(of, -1, cudaMalloc((void **)&of->words[1], bytes)) &&
                                    CALL(of, -1, cudaMemset(of->words[1], 0, bytes)));
}

bool make_objects(struct interpreter *of)
{
    const struct program *program = of->program;
    bool is_made = true;

    for (unsigned i = FIRST_CREATED; i < program->streams && is_made; i++)
        is_made = create_stream(of, -1, i);
    for (unsigned i = 0; i < program->events && is_made; i++)
        is_made = create_event(of, -1, i);
    for (unsigned i = 0; i < program->buffers && is_made; i++)
        is_made = make_buffer(of, i);
    is_made = is_made && make_words(of);
    for (int i = program->devices - 1; i >= 0 && is_made; i--)
        is_made = CALL(of, -1, cudaSetDevice(i)) && CALL(of, -1, cudaDeviceSynchronize());
    return is_made;
}

void free_objects(struct interpreter *of)
{
    const struct program *program = of->program;

    for (unsigned i = 0; i < program->buffers; i++)
        free_buffer(of, -1, i);
    for (unsigned i = 0; i < program->events; i++)
        if (of->event[i] && !kept_give(of->event[i]))
            cudaEventDestroy(of->event[i]);
    for (unsigned i = FIRST_CREATED; i < program->streams; i++)
        if (of->stream[i] && !kept_give(of->stream[i]))
            CALL(of, -1, cudaStreamDestroy(of->stream[i]));
    if (of->words[0])
        CALL(of, -1, cudaFreeHost(of->words[0]));
    if (of->words[1])
        CALL(of, -1, cudaFree(of->words[1]));
    for (int i = 0; i < program->commands; i++)
        free(of->expected[i]);
    kept_end();
}
