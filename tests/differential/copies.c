/* Structures that are copied element by element, as compilers write it: random PTX kernels of loads and stores at constant
 * places of parameters, local and global memory and of what calls pass and return, in many orders, with other accesses
 * between that must be seen in theirs. Each instruction is done here too when it is written; all of the memory is compared.
 *
 *   -s SEED   -m MODULES   -c COPIES in each   -p   print the PTX and stop
 * Exit status: 0 all equal, 1 differences, 2 it could not run.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/differential/device.h"
#include "tests/differential/writing.h"

enum { THREADS = 3, BYTES = 3072, MOST_ELEMENTS = 320, CALLEES = 3, PASSED = 400 };

/* Where a copy is from or to. The last is what a call passes, and what it returns. */
enum object { PARAMETER, LOCAL, GLOBAL, CALL };

struct memory {
    unsigned char bytes[GLOBAL + 1][BYTES];
    uint64_t sum;
};

struct element {
    size_t from, to;
    unsigned bytes, number; /* of its register */
};

struct making {
    struct writing w;
    struct memory threads[THREADS];
    uint64_t values[MOST_ELEMENTS][THREADS];
    unsigned registers, labels;
    bool is_opaque; /* some accesses are by addresses of which nothing is known */
};

/* ---- One instruction, written and done ---- */

static const char *register_class(unsigned bytes)
{
    return bytes == 8 ? "d" : bytes == 4 ? "r" : "h";
}

/* "local.u32 name" and "[%base+4]" of an access, by one of the names that the place has. */
struct place {
    char space[8], address[40];
};

static struct place place_of(struct making *m, enum object object, size_t at)
{
    /* Those that lead there in steps, then those of which nothing is known. */
    static const struct {
        size_t known, all;
        struct {
            const char *space, *base;
            int minus;
        } names[6];
    } objects[] = {
        {2, 2, {{".param", "s", 0}, {".param", "%dp", 0}}},
        {5,
         6,
         {{".local", "L", 0},
          {".local", "%dl", 0},
          {".local", "%dm", 1024},
          {"", "%ds", 0},
          {"", "%dt", 4},
          {".local", "%dx", 0}}},
        {1, 4, {{".global", "%dg", 0}, {"", "%dh", 0}, {".global", "%di", 8}, {"", "%dy", 0}}},
    };
    const size_t all = m->is_opaque ? objects[object].all : objects[object].known;
    const size_t name = pick(&m->w, 3) ? pick(&m->w, objects[object].known) : pick(&m->w, all);
    struct place place;
    snprintf(place.space, sizeof place.space, "%s", objects[object].names[name].space);
    snprintf(place.address, sizeof place.address, "[%s+%d]", objects[object].names[name].base,
             (int)at - objects[object].names[name].minus);
    return place;
}

static void do_load(struct making *m, enum object object, size_t at, unsigned bytes, uint64_t *to)
{
    for (int t = 0; t < THREADS; t++) {
        to[t] = 0;
        memcpy(&to[t], &m->threads[t].bytes[object][at], bytes);
    }
}

static void do_store(struct making *m, enum object object, size_t at, unsigned bytes,
                     const uint64_t *from)
{
    for (int t = 0; t < THREADS; t++)
        memcpy(&m->threads[t].bytes[object][at], &from[t], bytes);
}

static void add_to_sum(struct making *m, unsigned bytes, const char *name, const uint64_t *values)
{
    const unsigned bits = bytes == 1 ? 16 : 8 * bytes;
    if (bytes == 8)
        say(&m->w, "mov.b64 %%dv, %s;\n", name);
    else
        say(&m->w, "cvt.u64.u%u %%dv, %s;\n", bits, name);
    say(&m->w, "mad.lo.u64 %%sum, %%sum, 31, %%dv;\n");
    for (int t = 0; t < THREADS; t++)
        m->threads[t].sum = m->threads[t].sum * 31 + values[t];
}

static void load_element(struct making *m, enum object object, struct element *e)
{
    const struct place place = place_of(m, object, e->from);
    e->number = m->registers++;
    say(&m->w, "ld%s.u%u %%%s%u, %s;\n", place.space, 8 * e->bytes, register_class(e->bytes),
        e->number, place.address);
}

static void store_element(struct making *m, enum object object, const struct element *e)
{
    const struct place place = place_of(m, object, e->to);
    say(&m->w, "st%s.u%u %s, %%%s%u;\n", place.space, 8 * e->bytes, place.address,
        register_class(e->bytes), e->number);
}

/* ---- What stands between ---- */

/* Near to one end of a copy that is going on, or anywhere. */
static void disturb(struct making *m, enum object to, const struct element *e,
                    const uint64_t *value)
{
    const enum object object = pick(&m->w, 3) ? to : pick(&m->w, 2) ? LOCAL : GLOBAL;
    const size_t near = pick(&m->w, 2) ? e->from : e->to,
                 at = pick(&m->w, 4) ? near / 4 * 4 : pick(&m->w, 600) * 4;
    const struct place place = place_of(m, object, at);
    const uint32_t word = (uint32_t)generator_next(&m->w.generator);
    const bool is_done = pick(&m->w, 3) > 0;
    uint64_t words[THREADS] = {word, word, word};
    switch (pick(&m->w, 10)) {
    case 0:
    case 1:
    case 2:
        say(&m->w, "st%s.u32 %s, %u;\n", place.space, place.address, word);
        do_store(m, object, at, 4, words);
        break;
    case 3:
    case 4:
        say(&m->w, "ld%s.u32 %%rv, %s;\n", place.space, place.address);
        do_load(m, object, at, 4, words);
        add_to_sum(m, 4, "%rv", words);
        break;
    case 5:
        say(&m->w, "ld.volatile%s.u32 %%rv, %s;\n", place.space, place.address);
        do_load(m, object, at, 4, words);
        add_to_sum(m, 4, "%rv", words);
        break;
    case 6:
        say(&m->w, "@%%pf bra N%u;\nN%u:\n", m->labels, m->labels);
        m->labels++;
        break;
    case 7:
        say(&m->w, "@%s st%s.u32 %s, %u;\n", is_done ? "%pt" : "%pf", place.space, place.address,
            word);
        if (is_done)
            do_store(m, object, at, 4, words);
        break;
    case 8:
        say(&m->w, "div.u32 %%rv, %%rv, 3;\n");
        break;
    default: {
        char name[24];
        snprintf(name, sizeof name, "%%%s%u", register_class(e->bytes), e->number);
        add_to_sum(m, e->bytes, name, value);
    }
    }
}

/* ---- Copies ---- */

/* Members of some sizes, again and again, each where its size divides the place. */
static size_t choose_elements(struct making *m, struct element *elements, size_t most, size_t room)
{
    const size_t parts = pick(&m->w, 2) ? 1 : 1 + pick(&m->w, 5),
                 count = most / 4 + pick(&m->w, most * 3 / 4);
    unsigned sizes[8];
    size_t at = 0, gap = pick(&m->w, 3) ? 0 : 1 + pick(&m->w, 9);
    for (size_t i = 0; i < parts; i++)
        sizes[i] = 1u << pick(&m->w, 4);
    for (size_t i = 0; i < count; i++) {
        const unsigned bytes = pick(&m->w, 200) ? sizes[i % parts] : 1u << pick(&m->w, 4);
        if (i % parts == 0)
            at += gap;
        at = (at + bytes - 1) / bytes * bytes;
        if (at + bytes > room)
            return i;
        elements[i] = (struct element){.from = at, .to = at, .bytes = bytes};
        at += bytes;
    }
    return count;
}

static void mix(struct making *m, size_t *order, size_t count)
{
    const size_t kind = pick(&m->w, 5);
    for (size_t i = 0; i < count; i++)
        order[i] = kind == 1 ? count - 1 - i : i;
    for (size_t i = count; kind == 2 && i > 1; i--) {
        const size_t j = pick(&m->w, i), held = order[i - 1];
        order[i - 1] = order[j];
        order[j] = held;
    }
}

/* Loads and stores of the same elements, so many at a time, with something between now and then. */
static void copy(struct making *m, enum object from, enum object to)
{
    struct element elements[MOST_ELEMENTS];
    size_t loads[MOST_ELEMENTS], stores[MOST_ELEMENTS];
    const size_t room = 1024, count = choose_elements(m, elements, MOST_ELEMENTS, room);
    const size_t start = pick(&m->w, 120) * 16,
                 end = pick(&m->w, 4) ? pick(&m->w, 120) * 16 : start + pick(&m->w, 9) * 8;
    const size_t piece = pick(&m->w, 3) ? count : 1 + pick(&m->w, count),
                 often = pick(&m->w, 2) ? 0 : 30 + pick(&m->w, 400);
    for (size_t i = 0; i < count; i++) {
        elements[i].from += start;
        elements[i].to += end;
    }
    for (size_t first = 0; first < count; first += piece) {
        const size_t all = first + piece < count ? piece : count - first;
        mix(m, loads, all);
        mix(m, stores, all);
        for (size_t i = 0; i < all; i++) {
            struct element *e = &elements[first + loads[i]];
            load_element(m, from, e);
            do_load(m, from, e->from, e->bytes, m->values[first + loads[i]]);
            if (often && pick(&m->w, often) == 0)
                disturb(m, to, e, m->values[first + loads[i]]);
        }
        for (size_t i = 0; i < all; i++) {
            const struct element *e = &elements[first + stores[i]];
            store_element(m, to, e);
            do_store(m, to, e->to, e->bytes, m->values[first + stores[i]]);
            if (often && pick(&m->w, often) == 0)
                disturb(m, to, e, m->values[first + stores[i]]);
        }
    }
}

/* What each callee takes its parameter in, and gives it back in, with one byte changed. */
static const unsigned callee_bytes[CALLEES] = {1, 4, 8};

static void copy_by_call(struct making *m, enum object from, enum object to)
{
    const size_t callee = pick(&m->w, CALLEES), start = pick(&m->w, 150) * 16,
                 end = pick(&m->w, 150) * 16;
    const size_t changed = pick(&m->w, PASSED);
    const unsigned bytes = callee_bytes[callee];
    const unsigned before = m->registers, after = before + PASSED / bytes;
    uint64_t values[THREADS], marks[THREADS];
    memset(marks, 0x5a, sizeof marks);
    for (size_t i = 0; i < PASSED / bytes; i++) {
        struct element e = {.from = start + i * bytes, .bytes = bytes};
        load_element(m, from, &e);
    }
    say(&m->w,
        "{\n.param .align 8 .b8 given[%d];\n.param .b32 where;\n"
        ".param .align 8 .b8 got[%d];\n",
        PASSED, PASSED);
    for (size_t i = 0; i < PASSED / bytes; i++)
        say(&m->w, "st.param.b%u [given+%zu], %%%s%zu;\n", 8 * bytes, i * bytes,
            register_class(bytes), before + i);
    say(&m->w, "st.param.b32 [where], %zu;\ncall (got), f%u, (given, where);\n", changed, bytes);
    for (size_t i = 0; i < PASSED / bytes; i++)
        say(&m->w, "ld.param.b%u %%%s%zu, [got+%zu];\n", 8 * bytes, register_class(bytes),
            after + i, i * bytes);
    say(&m->w, "}\n");
    unsigned char held[THREADS][PASSED];
    for (int t = 0; t < THREADS; t++)
        memcpy(held[t], &m->threads[t].bytes[from][start], PASSED);
    for (size_t i = 0; i < PASSED / bytes; i++) {
        const struct element e = {
            .to = end + i * bytes, .bytes = bytes, .number = after + (unsigned)i};
        store_element(m, to, &e);
        for (int t = 0; t < THREADS; t++)
            memcpy(&values[t], &held[t][i * bytes], bytes);
        do_store(m, to, e.to, bytes, values);
    }
    do_store(m, to, end + changed, 1, marks);
    m->registers = after + PASSED / bytes;
}

/* ---- Modules ---- */

static void write_callee(struct making *m, unsigned bytes, bool has_barrier)
{
    const char *class = register_class(bytes);
    say(&m->w,
        ".func (.param .align 8 .b8 r[%d]) f%u(.param .align 8 .b8 p[%d], .param .b32 w)\n{\n"
        ".local .align 8 .b8 F[%d];\n.reg .b16 %%h<900>;\n.reg .b32 %%r<900>;\n"
        ".reg .b64 %%d<900>;\nmov.u64 %%d800, F;\ncvta.local.u64 %%d801, %%d800;\n"
        "ld.param.u32 %%r800, [w];\n",
        PASSED, bytes, PASSED, PASSED);
    for (unsigned i = PASSED / bytes; i-- > 0;)
        say(&m->w, "ld.param.b%u %%%s%u, [p+%u];\n", 8 * bytes, class, i, i * bytes);
    for (unsigned i = 0; i < PASSED / bytes; i++)
        say(&m->w, "st.local.b%u [%%d800+%u], %%%s%u;\n", 8 * bytes, i * bytes, class, i);
    say(&m->w,
        "%scvt.u64.u32 %%d802, %%r800;\nadd.s64 %%d803, %%d800, %%d802;\nmov.u16 %%h800, 90;\n"
        "st.local.u8 [%%d803], %%h800;\n",
        has_barrier ? "bar.sync 0;\n" : "");
    for (unsigned i = 0; i < PASSED / bytes; i++)
        say(&m->w, "ld.b%u %%%s%u, [%%d801+%u];\n", 8 * bytes, class, 400 + i, i * bytes);
    for (unsigned i = 0; i < PASSED / bytes; i++)
        say(&m->w, "st.param.b%u [r+%u], %%%s%u;\n", 8 * bytes, i * bytes, class, 400 + i);
    say(&m->w, "ret;\n}\n");
}

/* In local memory the bytes of a thread are at first those of its global memory. */
static void write_head(struct making *m, bool has_barrier)
{
    say(&m->w, ".version 7.5\n.target sm_75\n.address_size 64\n");
    for (size_t i = 0; i < CALLEES; i++)
        write_callee(m, callee_bytes[i], has_barrier);
    say(&m->w,
        ".visible .entry k(.param .align 8 .b8 s[%d], .param .u64 g, .param .u64 o,\n"
        "    .param .u64 zero)\n{\n.local .align 16 .b8 L[%d];\n.reg .pred %%pt, %%pf, %%p;\n"
        ".reg .b16 %%hv;\n.reg .b32 %%rv, %%ti, %%i;\n.reg .b64 %%sum, %%dv, %%dz, %%dp, %%dl, "
        "%%dm, "
        "%%ds, %%dt, %%du, %%dx, %%dg, %%dh, %%di, %%dy, %%do;\n.reg .b16 %%h<20000>;\n"
        ".reg .b32 %%r<20000>;\n.reg .b64 %%d<20000>;\n",
        BYTES, BYTES);
    say(&m->w,
        "mov.u32 %%ti, %%tid.x;\nld.param.u64 %%dz, [zero];\nmov.u64 %%sum, 0;\nmov.u32 %%rv, 0;\n"
        "setp.eq.u64 %%pt, %%dz, 0;\nnot.pred %%pf, %%pt;\nmov.b64 %%dp, s;\n"
        "mov.u64 %%dl, L;\nadd.u64 %%dm, %%dl, 1024;\ncvta.local.u64 %%ds, %%dl;\n"
        "or.b64 %%dt, %%ds, 4;\nadd.u64 %%dx, %%dl, %%dz;\n"
        "ld.param.u64 %%dh, [g];\nmul.wide.u32 %%dv, %%ti, %d;\nadd.u64 %%dh, %%dh, %%dv;\n"
        "cvta.to.global.u64 %%dg, %%dh;\nadd.u64 %%di, %%dg, 8;\nadd.u64 %%dy, %%dh, %%dz;\n"
        "ld.param.u64 %%do, [o];\nmul.wide.u32 %%dv, %%ti, %d;\nadd.u64 %%do, %%do, %%dv;\n"
        "cvta.to.global.u64 %%do, %%do;\nmov.u32 %%i, 0;\n"
        "B: cvt.u64.u32 %%dv, %%i;\nadd.u64 %%du, %%dg, %%dv;\nld.global.u8 %%hv, [%%du];\n"
        "add.u64 %%du, %%dl, %%dv;\nst.local.u8 [%%du], %%hv;\nadd.u32 %%i, %%i, 1;\n"
        "setp.lt.u32 %%p, %%i, %d;\n@%%p bra B;\n",
        BYTES, BYTES + 8, BYTES);
}

static void write_tail(struct making *m)
{
    say(&m->w,
        "mov.u32 %%i, 0;\n"
        "E: cvt.u64.u32 %%dv, %%i;\nadd.u64 %%du, %%dl, %%dv;\nld.local.u8 %%hv, [%%du];\n"
        "add.u64 %%du, %%do, %%dv;\nst.global.u8 [%%du+8], %%hv;\nadd.u32 %%i, %%i, 1;\n"
        "setp.lt.u32 %%p, %%i, %d;\n@%%p bra E;\nst.global.u64 [%%do], %%sum;\nret;\n}\n",
        BYTES);
}

static void fill(struct making *m)
{
    for (int t = 0; t < THREADS; t++)
        for (size_t i = 0; i < BYTES; i++) {
            m->threads[t].bytes[GLOBAL][i] = m->threads[t].bytes[LOCAL][i] =
                (unsigned char)generator_next(&m->w.generator);
            m->threads[t].bytes[PARAMETER][i] = t ? m->threads[0].bytes[PARAMETER][i]
                                                  : (unsigned char)generator_next(&m->w.generator);
        }
}

/* The PTX of a module; threads become what they are in the end. */
static char *module_of(struct making *m, size_t copies)
{
    char *text = NULL;
    size_t bytes = 0;
    const size_t kind = pick(&m->w, 3);
    m->w.out = open_memstream(&text, &bytes);
    if (!m->w.out)
        return NULL;
    write_head(m, kind == 2);
    for (size_t i = 0; i < copies; i++) {
        const enum object from = (enum object)pick(&m->w, 3), to = pick(&m->w, 3) ? LOCAL : GLOBAL;
        m->is_opaque = pick(&m->w, 6) == 0;
        if (pick(&m->w, 5) == 0)
            copy_by_call(m, from, to);
        else
            copy(m, from, to);
        if (kind == 1)
            say(&m->w, "bar.sync 0;\n");
    }
    write_tail(m);
    fclose(m->w.out);
    return text;
}

/* ---- On the device ---- */

static void launch(const char *text, unsigned char *parameter, CUdeviceptr global, CUdeviceptr out)
{
    CUmodule module;
    CUfunction function;
    uint64_t zero = 0;
    void *arguments[] = {parameter, &global, &out, &zero};
    check(cuModuleLoadData(&module, text), "cuModuleLoadData");
    check(cuModuleGetFunction(&function, module, "k"), "cuModuleGetFunction");
    check(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL),
          "cuLaunchKernel");
    check(cuCtxSynchronize(), "cuCtxSynchronize");
    check(cuModuleUnload(module), "cuModuleUnload");
}

static bool is_equal(uint64_t seed, int thread, const char *what, const unsigned char *got,
                     const unsigned char *expected, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (got[i] != expected[i]) {
            printf("seed %" PRIu64 ", thread %d: byte %zu of %s is %u, not %u\n", seed, thread, i,
                   what, got[i], expected[i]);
            return false;
        }
    return true;
}

static bool run(uint64_t seed, size_t copies, bool prints, CUdeviceptr global, CUdeviceptr out)
{
    struct making *m = calloc(1, sizeof *m);
    unsigned char got[THREADS][BYTES], ends[THREADS][8 + BYTES], parameter[BYTES];
    bool is_right = true;
    if (!m)
        return false;
    generator_start(&m->w.generator, seed, true);
    fill(m);
    for (int t = 0; t < THREADS; t++)
        memcpy(got[t], m->threads[t].bytes[GLOBAL], BYTES);
    memcpy(parameter, m->threads[0].bytes[PARAMETER], BYTES);
    char *text = module_of(m, copies);
    if (text && prints) {
        puts(text);
    } else if (text) {
        check(cuMemcpyHtoD(global, got, sizeof got), "cuMemcpyHtoD");
        launch(text, parameter, global, out);
        check(cuMemcpyDtoH(got, global, sizeof got), "cuMemcpyDtoH");
        check(cuMemcpyDtoH(ends, out, sizeof ends), "cuMemcpyDtoH");
        for (int t = 0; t < THREADS; t++) {
            const struct memory *thread = &m->threads[t];
            is_right &= is_equal(seed, t, "global memory", got[t], thread->bytes[GLOBAL], BYTES);
            is_right &= is_equal(seed, t, "local memory", ends[t] + 8, thread->bytes[LOCAL], BYTES);
            is_right &= is_equal(seed, t, "what was read", ends[t],
                                 (const unsigned char *)&thread->sum, sizeof thread->sum);
        }
    }
    free(text);
    free(m);
    return is_right;
}

int main(int count, char **arguments)
{
    uint64_t seed = 1;
    size_t modules = 6, copies = 6, wrong = 0;
    bool prints = false;
    for (int option; (option = getopt(count, arguments, "s:m:c:p")) != -1;) {
        if (option == 's')
            seed = strtoull(optarg, NULL, 0);
        else if (option == 'm')
            modules = strtoull(optarg, NULL, 0);
        else if (option == 'c')
            copies = strtoull(optarg, NULL, 0);
        else if (option == 'p')
            prints = true;
        else
            return 2;
    }
    CUdeviceptr global = 0, out = 0;
    if (!prints) {
        begin_device();
        check(cuMemAlloc(&global, THREADS * BYTES), "cuMemAlloc");
        check(cuMemAlloc(&out, THREADS * (8 + BYTES)), "cuMemAlloc");
    }
    for (size_t i = 0; i < modules; i++)
        wrong += !run(seed + i, copies, prints, global, out);
    if (!prints)
        printf("%zu modules of %zu copies each, %zu of them wrong\n", modules, copies, wrong);
    return wrong ? 1 : 0;
}
