/* SPDX-License-Identifier: Apache-2.0 */
#include "print.h"

#include <string.h>

#include "interpret.h"
#include "model.h"

static const char head[] =
    "#include <cuda_runtime.h>\n#include <pthread.h>\n#include <sched.h>\n#include "
    "<stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\n"
    "#define OK(call) do { cudaError_t e_ = (call); if (e_) { printf(\"line %d: %s: %s\\n\", "
    "__LINE__, #call, \\\n"
    "    cudaGetErrorName(e_)); exit(1); } } while (0)\n"
    "typedef unsigned char byte;\n"
    "static cudaKernel_t change;\n"
    "static void kernel(byte *to, byte *a, byte *b, unsigned n, unsigned factor, unsigned term, "
    "unsigned spins, cudaStream_t s)\n"
    "{\n"
    "    void *arguments[] = {&to, &a, &b, &n, &factor, &term, &spins};\n"
    "    unsigned blocks = 1 + n / 16384;\n"
    "    dim3 grid = {blocks < 64 ? blocks : 64, 1, 1}, block = {32, 1, 1};\n"
    "    OK(cudaLaunchKernel((const void *)change, grid, block, arguments, 0, s));\n"
    "}\n"
    "static void fill(byte *to, unsigned n, unsigned buffer)\n"
    "{\n"
    "    byte *from = malloc(n);\n"
    "    for (unsigned i = 0; i < n; i++)\n"
    "        from[i] = (byte)(i * 3 + (i >> 8) + buffer * 41 + 17);\n"
    "    OK(cudaMemcpy(to, from, n, cudaMemcpyDefault));\n"
    "    free(from);\n"
    "}\n"
    "/* On the host: what the kernel does. */\n"
    "struct work { byte *to, *a, *b; unsigned n, factor, term, us; };\n"
    "static void work(void *data)\n"
    "{\n"
    "    struct work *w = data;\n"
    "    if (w->us)\n"
    "        usleep(w->us);\n"
    "    for (unsigned i = 0; i < w->n; i++)\n"
    "        w->to[i] = (byte)(w->a[i] * w->factor + w->b[i] + w->term + i);\n"
    "}\n"
    "static void host_function(struct work w, cudaStream_t s)\n"
    "{\n"
    "    struct work *copy = malloc(sizeof w);\n"
    "    *copy = w;\n"
    "    OK(cudaLaunchHostFunc(s, work, copy));\n"
    "}\n"
    "static void CUDART_CB call(cudaStream_t s, cudaError_t status, void *data)\n"
    "{\n"
    "    (void)s;\n"
    "    OK(status);\n"
    "    work(data);\n"
    "}\n"
    "static void callback(struct work w, cudaStream_t s)\n"
    "{\n"
    "    struct work *copy = malloc(sizeof w);\n"
    "    *copy = w;\n"
    "    OK(cudaStreamAddCallback(s, call, copy, 0));\n"
    "}\n"
    "static volatile int is_open;\n"
    "static void gate(void *data)\n"
    "{\n"
    "    while (!is_open)\n"
    "        usleep(100);\n"
    "    (void)data;\n"
    "}\n"
    "static void fill_array(cudaArray_t to, int is_cube, unsigned width, unsigned rows, unsigned "
    "buffer)\n"
    "{\n"
    "    byte *from = malloc(width * rows);\n"
    "    for (unsigned i = 0; i < width * rows; i++)\n"
    "        from[i] = (byte)(i * 3 + (i >> 8) + buffer * 41 + 17);\n"
    "    struct cudaMemcpy3DParms box = {.srcPtr = {from, width, width, 1}, .dstArray = to,\n"
    "        .extent = {width, 1, rows}, .kind = cudaMemcpyHostToDevice};\n"
    "    if (is_cube)\n"
    "        OK(cudaMemcpy3D(&box));\n"
    "    else\n"
    "        OK(cudaMemcpy2DToArray(to, 0, 0, from, width, width, rows, cudaMemcpyHostToDevice));\n"
    "    free(from);\n"
    "}\n"
    "static void expect(const byte *found, unsigned n, unsigned sum, int line)\n"
    "{\n"
    "    struct cudaPointerAttributes attributes;\n"
    "    byte *read = malloc(n);\n"
    "    unsigned found_sum = 0;\n"
    "    OK(cudaPointerGetAttributes(&attributes, found));\n"
    "    if (attributes.type == cudaMemoryTypeDevice) {\n"
    "        cudaStream_t s;\n"
    "        OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));\n"
    "        OK(cudaMemcpyAsync(read, found, n, cudaMemcpyDefault, s));\n"
    "        OK(cudaStreamSynchronize(s));\n"
    "        found = read;\n"
    "    }\n"
    "    for (unsigned i = 0; i < n; i++)\n"
    "        found_sum = found_sum * 31 + found[i];\n"
    "    if (found_sum != sum) {\n"
    "        printf(\"line %d: other bytes than CUDA gives\\n\", line);\n"
    "        exit(1);\n"
    "    }\n"
    "}\n"
    "static void expect_array(cudaArray_t from, int is_cube, unsigned row, unsigned width,\n"
    "                         unsigned rows, unsigned sum, int line)\n"
    "{\n"
    "    byte *read = malloc(width * rows);\n"
    "    cudaStream_t s;\n"
    "    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));\n"
    "    struct cudaMemcpy3DParms box = {.srcArray = from, .srcPos = {0, 0, row},\n"
    "        .dstPtr = {read, width, width, 1}, .extent = {width, 1, rows}, .kind = "
    "cudaMemcpyDeviceToHost};\n"
    "    if (is_cube)\n"
    "        OK(cudaMemcpy3DAsync(&box, s));\n"
    "    else\n"
    "        OK(cudaMemcpy2DFromArrayAsync(read, width, from, 0, row, width, rows, "
    "cudaMemcpyDefault, s));\n"
    "    OK(cudaStreamSynchronize(s));\n"
    "    expect(read, width * rows, sum, line);\n"
    "}\n\n";

/* The variable, as compilers register it. */
static const char registration[] =
    "static char store[1];\n"
    "extern void **__cudaRegisterFatBinary(void *);\n"
    "extern void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);\n"
    "extern void __cudaRegisterFatBinaryEnd(void **);\n"
    "static void register_store(void)\n"
    "{\n"
    "    static struct { unsigned magic, version; const void *code, *parts; } wrapper = "
    "{0x466243b1, "
    "1, ptx, 0};\n"
    "    void **handle = __cudaRegisterFatBinary(&wrapper);\n"
    "    __cudaRegisterVar(handle, store, (char *)\"store\", \"store\", 0, 262144, 0, 0);\n"
    "    __cudaRegisterFatBinaryEnd(handle);\n"
    "}\n\n";

static void print_address(FILE *file, const struct program *program, const struct region *region)
{
    fprintf(file, "b%u", region->buffer);
    if (region->first)
        fprintf(file, " + %u", region->first * program->unit);
}

static unsigned bytes_of(const struct program *program, const struct region *region)
{
    return region->count * program->unit;
}

static bool is_zero(const struct command *c)
{
    return c->stream < FIRST_CREATED && c->spelling & SPELL_HANDLE_0;
}

/* suffix_of: of the names that give the command's stream. */
static const char *suffix_of(const struct command *c)
{
    if (is_synchronous(c))
        return c->stream == PER_THREAD ? "_ptds" : "";
    return is_zero(c) ? (c->stream == PER_THREAD ? "_ptsz" : "")
                      : (c->spelling & SPELL_PER_THREAD ? "_ptsz" : "");
}

enum { CAPTURED = UINT8_MAX /* the stream that makes a graph of what it gets */ };

/* print_handle: a stream as functions of this text's own take it. */
static void print_handle(FILE *file, const struct command *c)
{
    if (c->stream == CAPTURED)
        fprintf(file, "captured");
    else if (c->stream == LEGACY)
        fprintf(file, "cudaStreamLegacy");
    else if (c->stream == PER_THREAD)
        fprintf(file, "cudaStreamPerThread");
    else
        fprintf(file, "s%u", c->stream);
}

static void print_stream(FILE *file, const struct command *c)
{
    if (is_zero(c))
        fprintf(file, "0");
    else
        print_handle(file, c);
}

static void print_operands(FILE *file, const struct program *program, const struct command *c)
{
    print_address(file, program, &c->target);
    fprintf(file, ", ");
    print_address(file, program, &c->first);
    fprintf(file, ", ");
    print_address(file, program, &c->second);
    fprintf(file, ", %u, %u, %u", bytes_of(program, &c->target), c->factor, c->term);
}

static bool is_on_host(const struct program *program, const struct region *region)
{
    return is_host_memory((enum memory)program->buffer[region->buffer].memory);
}

static bool is_of(const struct program *program, const struct region *region, enum memory memory)
{
    return program->buffer[region->buffer].memory == memory;
}

static const char *direction(const struct program *program, const struct command *c)
{
    static const char *const names[2][2] = {{"cudaMemcpyDeviceToDevice", "cudaMemcpyDeviceToHost"},
                                            {"cudaMemcpyHostToDevice", "cudaMemcpyHostToHost"}};
    if (!(c->spelling & SPELL_KIND) || is_of(program, &c->first, MEMORY_MANAGED) ||
        is_of(program, &c->target, MEMORY_MANAGED))
        return "cudaMemcpyDefault";
    return names[is_on_host(program, &c->first)][is_on_host(program, &c->target)];
}

/* begin_call: the name for the kinds without and with a stream. */
static void begin_call(FILE *file, const struct command *c, const char *name)
{
    fprintf(file, "OK(%s%s%s(", name, is_synchronous(c) ? "" : "Async", suffix_of(c));
}

static void end_call(FILE *file, const struct command *c)
{
    if (!is_synchronous(c)) {
        fprintf(file, ", ");
        print_stream(file, c);
    }
    fprintf(file, "));");
}

static void print_copy(FILE *file, const struct program *program, const struct command *c)
{
    if (is_peer_copy(program, c)) {
        fprintf(file, "OK(cudaMemcpyPeer%s(", c->kind == DO_COPY ? "" : "Async");
        print_address(file, program, &c->target);
        fprintf(file, ", %u, ", program->buffer[c->target.buffer].device);
        print_address(file, program, &c->first);
        fprintf(file, ", %u, %u%s", program->buffer[c->first.buffer].device,
                bytes_of(program, &c->target), c->kind == DO_COPY ? "" : ", ");
        if (c->kind == DO_COPY_ASYNC)
            print_handle(file, c);
        fprintf(file, "));");
        return;
    }
    begin_call(file, c, "cudaMemcpy");
    print_address(file, program, &c->target);
    fprintf(file, ", ");
    print_address(file, program, &c->first);
    fprintf(file, ", %u, %s", bytes_of(program, &c->target), direction(program, c));
    end_call(file, c);
}

static void print_rectangle(FILE *file, const struct program *program, const struct command *c)
{
    const unsigned unit = program->unit;
    begin_call(file, c, "cudaMemcpy2D");
    print_address(file, program, &c->target);
    fprintf(file, ", %u, ", unit * c->target.step);
    print_address(file, program, &c->first);
    fprintf(file, ", %u, %u, %u, %s", unit * c->first.step, unit, c->target.count,
            direction(program, c));
    end_call(file, c);
}

static void print_box_memory(FILE *file, const struct program *program, const struct region *region,
                             unsigned height, unsigned depth)
{
    const bool is_slices = height == 1 && depth > 1;
    fprintf(file, "{");
    print_address(file, program, region);
    fprintf(file, ", %u, %u, %u}", program->unit * (is_slices ? 1 : region->step), program->unit,
            is_slices ? region->step : height);
}

static void print_box_side(FILE *file, const struct program *program, const struct region *region,
                           const char *side, unsigned height, unsigned depth)
{
    const enum memory memory = (enum memory)program->buffer[region->buffer].memory;
    if (!is_array(memory)) {
        fprintf(file, ".%sPtr = ", side);
        print_box_memory(file, program, region, height, depth);
        return;
    }
    fprintf(file, ".%sArray = b%u, .%sPos = {0, %u, %u}", side, region->buffer, side,
            memory == MEMORY_ARRAY ? region->first : 0, memory == MEMORY_ARRAY ? 0 : region->first);
}

static void print_box(FILE *file, const struct program *program, const struct command *c)
{
    const bool has_array = is_array((enum memory)program->buffer[c->first.buffer].memory) ||
                           is_array((enum memory)program->buffer[c->target.buffer].memory);
    const bool is_rows =
        is_of(program, &c->first, MEMORY_ARRAY) || is_of(program, &c->target, MEMORY_ARRAY);
    const unsigned count = c->target.count;
    const unsigned height = is_rows                                                     ? count
                            : c->spelling & SPELL_OTHER && !has_array && count % 2 == 0 ? 2
                                                                                        : 1;

    begin_call(file, c, "cudaMemcpy3D");
    fprintf(file, "&(struct cudaMemcpy3DParms){");
    print_box_side(file, program, &c->first, "src", height, count / height);
    fprintf(file, ", ");
    print_box_side(file, program, &c->target, "dst", height, count / height);
    fprintf(file, ", .extent = {%u, %u, %u}, .kind = %s}", program->unit, height, count / height,
            direction(program, c));
    end_call(file, c);
}

static void print_array_copy(FILE *file, const struct program *program, const struct command *c)
{
    const unsigned unit = program->unit;
    const bool is_target = is_of(program, &c->target, MEMORY_ARRAY);
    const bool is_source = is_of(program, &c->first, MEMORY_ARRAY);

    if (is_target && is_source && !is_synchronous(c)) {
        print_box(file, program, c);
        return;
    }
    if (is_target && is_source) {
        fprintf(file,
                "OK(cudaMemcpy2DArrayToArray%s(b%u, 0, %u, b%u, 0, %u, %u, %u, "
                "cudaMemcpyDeviceToDevice));",
                suffix_of(c), c->target.buffer, c->target.first, c->first.buffer, c->first.first,
                unit, c->target.count);
        return;
    }
    if (is_target) {
        begin_call(file, c, "cudaMemcpy2DToArray");
        fprintf(file, "b%u, 0, %u, ", c->target.buffer, c->target.first);
        print_address(file, program, &c->first);
        fprintf(file, ", %u", unit);
    } else {
        begin_call(file, c, "cudaMemcpy2DFromArray");
        print_address(file, program, &c->target);
        fprintf(file, ", %u, b%u, 0, %u", unit, c->first.buffer, c->first.first);
    }
    fprintf(file, ", %u, %u, %s", unit, c->target.count, direction(program, c));
    end_call(file, c);
}

/* print_symbol_copy: the stream is behind the call's other arguments. */
static void print_symbol_copy(FILE *file, const struct program *program, const struct command *c)
{
    const bool is_target = is_of(program, &c->target, MEMORY_SYMBOL);

    begin_call(file, c, is_target ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol");
    if (is_target)
        fprintf(file, "store, ");
    print_address(file, program, is_target ? &c->first : &c->target);
    fprintf(file, ", %s%u, %u, %s", is_target ? "" : "store, ", bytes_of(program, &c->target),
            program->unit * (is_target ? c->target.first : c->first.first), direction(program, c));
    end_call(file, c);
}

static const char *source_order(const struct command *c)
{
    return c->spelling & SPELL_ANY     ? "cudaMemcpySrcAccessOrderAny"
           : c->spelling & SPELL_EARLY ? "cudaMemcpySrcAccessOrderDuringApiCall"
                                       : "cudaMemcpySrcAccessOrderStream";
}

/* print_units: the addresses of a region's units. */
static void print_units(FILE *file, const struct program *program, const struct region *region)
{
    for (unsigned i = 0; i < region->count; i++)
        fprintf(file, "%sb%u + %u", i ? ", " : "", region->buffer,
                (region->first + i * region->step) * program->unit);
}

static void print_batch(FILE *file, const struct program *program, const struct command *c)
{
    fprintf(file, "OK(cudaMemcpyBatchAsync%s((void *[]){", suffix_of(c));
    print_units(file, program, &c->target);
    fprintf(file, "}, (const void *[]){");
    print_units(file, program, &c->first);
    fprintf(file, "}, (size_t[]){");
    for (unsigned i = 0; i < c->target.count; i++)
        fprintf(file, "%s%u", i ? ", " : "", program->unit);
    fprintf(file, "}, %u, &(struct cudaMemcpyAttributes){.srcAccessOrder = %s}, (size_t[]){0}, 1, ",
            c->target.count, source_order(c));
    print_stream(file, c);
    fprintf(file, "));");
}

static void print_operand(FILE *file, const struct program *program, const struct region *region,
                          unsigned i)
{
    const enum memory memory = (enum memory)program->buffer[region->buffer].memory;
    const unsigned at = region->first + i * region->step;

    if (is_array(memory))
        fprintf(file,
                "{.type = cudaMemcpyOperandTypeArray, .op.array = {b%u, .offset = {0, %u, %u}}}",
                region->buffer, memory == MEMORY_ARRAY ? at : 0, memory == MEMORY_ARRAY ? 0 : at);
    else
        fprintf(file, "{.type = cudaMemcpyOperandTypePointer, .op.ptr.ptr = b%u + %u}",
                region->buffer, at * program->unit);
}

static void print_boxes(FILE *file, const struct program *program, const struct command *c)
{
    fprintf(file, "OK(cudaMemcpy3DBatchAsync%s(%u, (struct cudaMemcpy3DBatchOp[]){", suffix_of(c),
            c->target.count);
    for (unsigned i = 0; i < c->target.count; i++) {
        fprintf(file, "{");
        print_operand(file, program, &c->first, i);
        fprintf(file, ", ");
        print_operand(file, program, &c->target, i);
        fprintf(file, ", {%u, 1, 1}, %s, 0}, ", program->unit, source_order(c));
    }
    fprintf(file, "}, 0, ");
    print_stream(file, c);
    fprintf(file, "));");
}

static void print_fill(FILE *file, const struct program *program, const struct command *c)
{
    begin_call(file, c, "cudaMemset");
    print_address(file, program, &c->target);
    fprintf(file, ", %u, %u", c->term, bytes_of(program, &c->target));
    end_call(file, c);
}

static void print_rectangle_fill(FILE *file, const struct program *program, const struct command *c)
{
    const unsigned unit = program->unit;
    if (c->spelling & SPELL_OTHER) {
        begin_call(file, c, "cudaMemset3D");
        fprintf(file, "(struct cudaPitchedPtr)");
        print_box_memory(file, program, &c->target, 1, c->target.count);
        fprintf(file, ", %u, (struct cudaExtent){%u, 1, %u}", c->term, unit, c->target.count);
    } else {
        begin_call(file, c, "cudaMemset2D");
        print_address(file, program, &c->target);
        fprintf(file, ", %u, %u, %u, %u", unit * c->target.step, c->term, unit, c->target.count);
    }
    end_call(file, c);
}

/* print_allocation: of a buffer. */
static void print_allocation(FILE *file, const struct program *program, unsigned i)
{
    const unsigned bytes = program->unit * program->buffer[i].units;

    switch ((enum memory)program->buffer[i].memory) {
    case MEMORY_PAGEABLE:
        fprintf(file, "b%u = malloc(%u);", i, bytes);
        break;
    case MEMORY_PINNED:
        fprintf(file, "OK(cudaMallocHost((void **)&b%u, %u));", i, bytes);
        break;
    case MEMORY_MAPPED:
        fprintf(file,
                "OK(cudaHostAlloc((void **)&b%u, %u, cudaHostAllocMapped | "
                "cudaHostAllocPortable));",
                i, bytes);
        break;
    case MEMORY_REGISTERED:
        fprintf(file,
                "b%u = aligned_alloc(4096, %u);"
                "OK(cudaHostRegister(b%u, %u, cudaHostRegisterMapped | "
                "cudaHostRegisterPortable));",
                i, (bytes + 4095) / 4096 * 4096, i, bytes);
        break;
    case MEMORY_MANAGED:
        fprintf(file, "OK(cudaMallocManaged((void **)&b%u, %u, cudaMemAttachGlobal));", i, bytes);
        break;
    case MEMORY_DEVICE:
        fprintf(file, "OK(cudaMalloc((void **)&b%u, %u));", i, bytes);
        break;
    case MEMORY_SYMBOL:
        if (has_symbol_copies(program))
            fprintf(file, "OK(cudaGetSymbolAddress((void **)&b%u, store));", i);
        else
            fprintf(file, "OK(cudaLibraryGetGlobal((void **)&b%u, &size, library, \"store\"));", i);
        break;
    case MEMORY_ARRAY:
        fprintf(file,
                "OK(cudaMallocArray(&b%u, &(struct cudaChannelFormatDesc){8, 0, 0, 0, "
                "cudaChannelFormatKindUnsigned}, %u, %u, 0));",
                i, program->unit, program->buffer[i].units);
        break;
    case MEMORY_CUBE:
        fprintf(file,
                "OK(cudaMalloc3DArray(&b%u, &(struct cudaChannelFormatDesc){8, 0, 0, 0, "
                "cudaChannelFormatKindUnsigned}, (struct cudaExtent){%u, 1, %u}, 0));",
                i, program->unit, program->buffer[i].units);
        break;
    case MEMORY_POOL:
    case MEMORY_KINDS:
        break;
    }
}

static void print_stream_creation(FILE *file, const struct program *program, unsigned i)
{
    fprintf(file, "OK(cudaStreamCreateWithPriority(&s%u, %s, %d));", i,
            program->stream[i].kind == STREAM_BLOCKING ? "cudaStreamDefault"
                                                       : "cudaStreamNonBlocking",
            program->stream[i].priority);
}

static void print_event_creation(FILE *file, const struct program *program, unsigned i)
{
    fprintf(file, "OK(cudaEventCreateWithFlags(&e%u, %s));", i,
            program->event[i].is_timed ? "cudaEventDefault" : "cudaEventDisableTiming");
}

static void print_free(FILE *file, const struct program *program, unsigned i)
{
    switch ((enum memory)program->buffer[i].memory) {
    case MEMORY_PINNED:
    case MEMORY_MAPPED:
        fprintf(file, "OK(cudaFreeHost(b%u));", i);
        break;
    case MEMORY_REGISTERED:
        fprintf(file, "OK(cudaHostUnregister(b%u)); free(b%u);", i, i);
        break;
    case MEMORY_ARRAY:
    case MEMORY_CUBE:
        fprintf(file, "OK(cudaFreeArray(b%u));", i);
        break;
    default:
        fprintf(file, "OK(cudaFree(b%u));", i);
        break;
    }
}

static void print_advice(FILE *file, const struct program *program, const struct command *c)
{
    static const char *const names[] = {"SetReadMostly",          "UnsetReadMostly",
                                        "SetPreferredLocation",   "SetAccessedBy",
                                        "UnsetPreferredLocation", "UnsetAccessedBy"};
    fprintf(file, "OK(cudaMemAdvise(");
    print_address(file, program, &c->first);
    fprintf(file, ", %u, cudaMemAdvise%s, (struct cudaMemLocation){%s, %u}));",
            bytes_of(program, &c->first), names[c->term % (sizeof names / sizeof names[0])],
            c->factor & 2 ? "cudaMemLocationTypeHost" : "cudaMemLocationTypeDevice",
            c->factor & 2 ? 0 : c->device);
}

/* print_on_stream: name(s) with OK() around. */
static void print_on_stream(FILE *file, const char *name, const struct command *c)
{
    fprintf(file, "%s%s(", name, suffix_of(c));
    print_stream(file, c);
    fprintf(file, ")");
}

void print_command(FILE *file, const struct program *program, int index)
{
    const struct command *c = &program->command[index];

    switch ((enum kind)c->kind) {
    case DO_KERNEL:
        fprintf(file, "kernel(");
        print_operands(file, program, c);
        fprintf(file, ", SPINS_PER_US * %u, ", c->delay);
        print_handle(file, c);
        fprintf(file, ");%s", c->spelling & SPELL_COOPERATIVE ? " /* cooperative */" : "");
        break;
    case DO_HOST_FUNCTION:
        fprintf(file, "host_function((struct work){");
        print_operands(file, program, c);
        fprintf(file, ", %u}, ", c->delay);
        print_handle(file, c);
        fprintf(file, ");");
        break;
    case DO_CALLBACK:
        fprintf(file, "callback((struct work){");
        print_operands(file, program, c);
        fprintf(file, ", %u}, ", c->delay);
        print_handle(file, c);
        fprintf(file, ");");
        break;
    case DO_PAUSE:
        fprintf(file, "host_function((struct work){.us = %u}, ", c->delay);
        print_handle(file, c);
        fprintf(file, ");");
        break;
    case DO_GATE:
        fprintf(file, "is_open = 0; OK(cudaLaunchHostFunc(");
        print_handle(file, c);
        fprintf(file, ", gate, NULL));");
        break;
    case DO_OPEN:
        fprintf(file, "is_open = 1;");
        break;
    case DO_HOST_WRITE:
        fprintf(file, "work(&(struct work){");
        print_operands(file, program, c);
        fprintf(file, ", 0});");
        break;
    case DO_COPY_ASYNC:
    case DO_COPY:
        print_copy(file, program, c);
        break;
    case DO_COPY_2D_ASYNC:
    case DO_COPY_2D:
        print_rectangle(file, program, c);
        break;
    case DO_COPY_3D_ASYNC:
    case DO_COPY_3D:
        print_box(file, program, c);
        break;
    case DO_COPY_ARRAY_ASYNC:
    case DO_COPY_ARRAY:
        print_array_copy(file, program, c);
        break;
    case DO_SET_ASYNC:
    case DO_SET:
        print_fill(file, program, c);
        break;
    case DO_SET_2D_ASYNC:
    case DO_SET_2D:
        print_rectangle_fill(file, program, c);
        break;
    case DO_COPY_SYMBOL_ASYNC:
    case DO_COPY_SYMBOL:
        print_symbol_copy(file, program, c);
        break;
    case DO_COPY_BATCH:
        print_batch(file, program, c);
        break;
    case DO_COPY_BOXES:
        print_boxes(file, program, c);
        break;
    case DO_STREAM_DESTROY:
        fprintf(file, "OK(cudaStreamDestroy(s%u));", c->stream);
        break;
    case DO_STREAM_CREATE:
        print_stream_creation(file, program, c->stream);
        break;
    case DO_EVENT_DESTROY:
        fprintf(file, "OK(cudaEventDestroy(e%u));", c->event);
        break;
    case DO_EVENT_CREATE:
        print_event_creation(file, program, c->event);
        break;
    case DO_PREFETCH:
        fprintf(file, "OK(cudaMemPrefetchAsync%s(", suffix_of(c));
        print_address(file, program, &c->first);
        fprintf(file, ", %u, (struct cudaMemLocation){%s, %u}, 0, ", bytes_of(program, &c->first),
                c->term & 1 ? "cudaMemLocationTypeHost" : "cudaMemLocationTypeDevice",
                c->term & 1 ? 0 : c->device);
        print_stream(file, c);
        fprintf(file, "));");
        break;
    case DO_ADVISE:
        print_advice(file, program, c);
        break;
    case DO_ATTACH:
        fprintf(file, "OK(cudaStreamAttachMemAsync%s(", suffix_of(c));
        print_stream(file, c);
        fprintf(file, ", b%u, 0, %s));", c->target.buffer,
                c->term == ATTACH_GLOBAL ? "cudaMemAttachGlobal"
                : c->term == ATTACH_HOST ? "cudaMemAttachHost"
                                         : "cudaMemAttachSingle");
        break;
    case DO_MALLOC_ASYNC:
        fprintf(file, "OK(cudaMallocAsync%s((void **)&b%u, %u, ", suffix_of(c), c->target.buffer,
                bytes_of(program, &c->target));
        print_stream(file, c);
        fprintf(file, "));");
        break;
    case DO_FREE_ASYNC:
        fprintf(file, "OK(cudaFreeAsync%s(b%u, ", suffix_of(c), c->target.buffer);
        print_stream(file, c);
        fprintf(file, "));");
        break;
    case DO_MALLOC:
        print_allocation(file, program, c->target.buffer);
        break;
    case DO_FREE:
        print_free(file, program, c->target.buffer);
        break;
    case DO_RECORD:
        fprintf(file, "OK(cudaEventRecord%s%s(e%u, ", c->spelling & SPELL_OTHER ? "WithFlags" : "",
                suffix_of(c), c->event);
        print_stream(file, c);
        fprintf(file, c->spelling & SPELL_OTHER ? ", 0));" : "));");
        if (c->spelling & SPELL_VALUE)
            fprintf(file, " /* and a value, by cuStreamWriteValue32() */");
        break;
    case DO_WAIT:
        fprintf(file, "OK(cudaStreamWaitEvent%s(", suffix_of(c));
        print_stream(file, c);
        fprintf(file, ", e%u, 0));", c->event);
        if (c->spelling & SPELL_VALUE)
            fprintf(file, " /* or for the value of its record, if it has one */");
        break;
    case DO_STREAM_SYNCHRONIZE:
        fprintf(file, "OK(");
        print_on_stream(file, "cudaStreamSynchronize", c);
        fprintf(file, ");");
        break;
    case DO_STREAM_POLL:
        fprintf(file, "while (");
        print_on_stream(file, "cudaStreamQuery", c);
        fprintf(file, ") sched_yield();");
        break;
    case DO_STREAM_QUERY:
        print_on_stream(file, "cudaStreamQuery", c);
        fprintf(file, ";");
        break;
    case DO_EVENT_SYNCHRONIZE:
        fprintf(file, "OK(cudaEventSynchronize(e%u));", c->event);
        break;
    case DO_EVENT_POLL:
        fprintf(file, "while (cudaEventQuery(e%u)) sched_yield();", c->event);
        break;
    case DO_DEVICE_SYNCHRONIZE:
        fprintf(file, "OK(cudaDeviceSynchronize());");
        break;
    case DO_CHECK:
        fprintf(file, "/* reads ");
        print_address(file, program, &c->first);
        fprintf(file, ", %u bytes */", bytes_of(program, &c->first));
        break;
    case KINDS:
        break;
    }
}

/* print_check: a line for each run of determined units. */
static void print_check(FILE *file, const struct program *program, const struct command *c,
                        const struct memory_model *memory, const bool known[])
{
    for (unsigned i = 0, to; i < c->first.count; i = to) {
        const uint8_t *bytes =
            memory->bytes[c->first.buffer] + (size_t)program->unit * (c->first.first + i);
        unsigned sum = 0;

        for (to = i; to < c->first.count && known[to] == known[i]; to++)
            ;
        for (size_t at = 0; at < (size_t)(to - i) * program->unit; at++)
            sum = sum * 31 + bytes[at];
        if (known[i] && is_array((enum memory)program->buffer[c->first.buffer].memory))
            fprintf(file, "    expect_array(b%u, %u, %u, %u, %u, %uu, __LINE__);\n",
                    c->first.buffer, is_of(program, &c->first, MEMORY_CUBE), c->first.first + i,
                    program->unit, to - i, sum);
        else if (known[i])
            fprintf(file, "    expect(b%u + %u, %u, %uu, __LINE__);\n", c->first.buffer,
                    (c->first.first + i) * program->unit, (to - i) * program->unit, sum);
    }
}

static bool uses(const struct program *program, int index, bool is_buffer, unsigned which)
{
    const struct command *c = &program->command[index];
    if (is_buffer)
        return (c->target.count && c->target.buffer == which) ||
               (c->first.count && c->first.buffer == which) ||
               (c->second.count && c->second.buffer == which);
    return c->stream == which && uses_stream(c);
}

static bool is_used(const struct program *program, bool is_buffer, unsigned which)
{
    for (int i = 0; i < program->commands; i++)
        if (uses(program, i, is_buffer, which))
            return true;
    return false;
}

static bool is_event_used(const struct program *program, unsigned event)
{
    for (int i = 0; i < program->commands; i++)
        if (uses_event(&program->command[i]) && program->command[i].event == event)
            return true;
    return false;
}

/* print_buffer: its declaration, its allocation and what it holds. */
static void print_buffer(FILE *file, const struct program *program, unsigned i)
{
    const enum memory memory = (enum memory)program->buffer[i].memory;

    fprintf(file, "    %s b%u;\n", is_array(memory) ? "cudaArray_t" : "byte *", i);
    if (memory == MEMORY_POOL || program->buffer[i].is_late)
        return;
    if (program->devices > 1)
        fprintf(file, "    OK(cudaSetDevice(%u));\n", program->buffer[i].device);
    fprintf(file, "    ");
    print_allocation(file, program, i);
    if (is_array(memory))
        fprintf(file, "\n    fill_array(b%u, %u, %u, %u, %u);\n", i, memory == MEMORY_CUBE,
                program->unit, program->buffer[i].units, i);
    else
        fprintf(file, "\n    fill(b%u, %u, %u);\n", i, program->unit * program->buffer[i].units, i);
}

static void print_objects(FILE *file, const struct program *program)
{
    for (unsigned i = 0; i < program->buffers; i++)
        if (is_used(program, true, i))
            print_buffer(file, program, i);
    for (unsigned i = FIRST_CREATED; i < program->streams; i++)
        if (is_used(program, false, i)) {
            if (program->devices > 1)
                fprintf(file, "    OK(cudaSetDevice(%u));\n", program->stream[i].device);
            fprintf(file, "    cudaStream_t s%u;\n    ", i);
            print_stream_creation(file, program, i);
            fprintf(file, "\n");
        }
    for (unsigned i = 0; i < program->events; i++)
        if (is_event_used(program, i)) {
            if (program->devices > 1)
                fprintf(file, "    OK(cudaSetDevice(%u));\n", program->event[i].device);
            fprintf(file, "    cudaEvent_t e%u;\n    ", i);
            print_event_creation(file, program, i);
            fprintf(file, "\n");
        }
    fprintf(file, "    OK(cudaDeviceSynchronize());\n");
}

static void print_kernels(FILE *file)
{
    fprintf(file, "static const char ptx[] =\n    \"");
    for (const char *at = order_kernels; *at; at++)
        if (*at == '\n')
            fprintf(file, "\\n\"%s", at[1] ? "\n    \"" : "");
        else
            fputc(*at, file);
    fprintf(file, ";\n\n");
}

/* print_names: what CUDA's headers do not declare. */
static void print_names(FILE *file)
{
    static const char *const synchronous[] = {
        "cudaMemcpy",          "cudaMemcpy2D",          "cudaMemcpy3D",
        "cudaMemset",          "cudaMemset2D",          "cudaMemset3D",
        "cudaMemcpy2DToArray", "cudaMemcpy2DFromArray", "cudaMemcpy2DArrayToArray",
        "cudaMemcpyToSymbol",  "cudaMemcpyFromSymbol"};
    static const char *const others[] = {"cudaMemcpyAsync",          "cudaMemcpy2DAsync",
                                         "cudaMemcpy3DAsync",        "cudaMemsetAsync",
                                         "cudaMemset2DAsync",        "cudaMemset3DAsync",
                                         "cudaMemcpy2DToArrayAsync", "cudaMemcpy2DFromArrayAsync",
                                         "cudaMemcpyToSymbolAsync",  "cudaMemcpyFromSymbolAsync",
                                         "cudaMemcpyBatchAsync",     "cudaMemcpy3DBatchAsync",
                                         "cudaMemPrefetchAsync",     "cudaStreamAttachMemAsync",
                                         "cudaMallocAsync",          "cudaFreeAsync",
                                         "cudaEventRecord",          "cudaEventRecordWithFlags",
                                         "cudaStreamWaitEvent",      "cudaStreamSynchronize",
                                         "cudaStreamQuery"};
    for (size_t i = 0; i < sizeof synchronous / sizeof synchronous[0]; i++)
        fprintf(file, "extern __typeof__(%s) %s_ptds;\n", synchronous[i], synchronous[i]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        fprintf(file, "extern __typeof__(%s) %s_ptsz;\n", others[i], others[i]);
}

static void print_head(FILE *file, const struct program *program)
{
    fprintf(file, "/* seed %llu%s */\n", (unsigned long long)program->seed,
            program->threads > 1 ? "; thread n: what a thread of that number calls" : "");
    fprintf(file, "#ifndef SPINS_PER_US\n#define SPINS_PER_US 50\n#endif\n%s", head);
    print_names(file);
    print_kernels(file);
    if (has_symbol_copies(program))
        fputs(registration, file);
    fprintf(file,
            "int main(void)\n{\n    cudaLibrary_t library;\n    size_t size;\n    (void)size;\n"
            "    OK(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));\n"
            "    OK(cudaLibraryGetKernel(&change, library, \"change\"));\n");
    if (has_symbol_copies(program))
        fprintf(file, "    register_store();\n");
}

/* print_how: a graph is printed as a capture; how else it was made. */
static void print_how(FILE *file, unsigned how)
{
    static const char *const names[] = {"explicit", "updated", "conditional", "scratch",
                                        "again",    "child",   "loop",        "fork"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (how >> i & 1)
            fprintf(file, " %s", names[i]);
}

/* print_graph: the commands from this one on that are one. */
static void print_graph(FILE *file, const struct program *program, int index)
{
    static struct program captured;
    const struct command *c = &program->command[index];

    captured = *program;
    fprintf(file, "    {   /* graph:");
    print_how(file, c->how);
    fprintf(file,
            " */\n    cudaStream_t captured;\n    cudaGraph_t graph;\n    cudaGraphExec_t exec;\n"
            "    OK(cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking));\n"
            "    OK(cudaStreamBeginCapture(captured, cudaStreamCaptureModeRelaxed));\n");
    for (int i = index; i >= 0; i = graph_next(program, i)) {
        captured.command[i].stream = CAPTURED;
        fprintf(file, "    ");
        print_command(file, &captured, i);
        fprintf(file, "\n");
    }
    fprintf(file,
            "    OK(cudaStreamEndCapture(captured, &graph));\n"
            "    OK(cudaGraphInstantiate(&exec, graph, 0));\n    OK(cudaGraphLaunch%s(exec, ",
            suffix_of(c));
    print_stream(file, c);
    fprintf(file, "));\n    }");
}

/* is_inside: the command is of a graph that begins before it. */
static bool is_inside(const struct program *program, int index)
{
    for (int x = index - 1; x >= 0; x--)
        if (program->command[x].thread == program->command[index].thread)
            return program->command[x].graph && graph_next(program, x) == index;
    return false;
}

void print_program(FILE *file, const struct program *program, bool is_whole)
{
    static struct model model;
    struct memory_model memory;
    unsigned device = MOST_DEVICES;

    if (is_whole)
        print_head(file, program);
    print_objects(file, program);
    if (model_build(&model, program) && memory_begin(&memory, program)) {
        for (int i = 0; i < program->commands; i++) {
            bool known[MOST_UNITS];
            const struct command *c = &program->command[i];
            memory_step(&memory, &model, i, known);
            if (c->kind == DO_CHECK) {
                print_check(file, program, c, &memory, known);
                continue;
            }
            if (c->graph && is_inside(program, i))
                continue;
            if (program->devices > 1 && c->device != device)
                fprintf(file, "    OK(cudaSetDevice(%u));\n", device = c->device);
            if (c->graph) {
                print_graph(file, program, i);
            } else {
                fprintf(file, "    ");
                print_command(file, program, i);
            }
            if (program->threads > 1)
                fprintf(file, " /* thread %u */", c->thread);
            fprintf(file, "\n");
        }
        memory_end(&memory);
    }
    if (is_whole)
        fprintf(file, "    puts(\"as CUDA has it\");\n}\n");
}
