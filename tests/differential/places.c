/* Where the threads of a block access memory: random PTX kernels whose addresses are sums and products of a thread's numbers,
 * over blocks of many shapes, under guards, in branches and in loops, in global and shared memory. All that was read and
 * written is compared with what is computed here.
 *
 *   -s SEED   -m MODULES   -c ITEMS in each   -p   print the PTX and stop
 * Exit status: 0 all equal, 1 differences, 2 it could not run.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/differential/device.h"
#include "tests/differential/writing.h"

enum {
    BLOCKS = 2,
    MOST_THREADS = 256,
    MOST_ITEMS = 16,
    PLACES = 1024, /* of an item's accesses: elements in each of its regions */
    REGION = 8 * PLACES,
    UNIFORM = 13, /* a parameter */
    MOST_TURNS = 3
};

/* One that an item stores to for each block: global memory cannot tell them apart otherwise. */
struct memory {
    unsigned char in[2 * REGION], out[MOST_ITEMS][2 * REGION];
    unsigned char shared_out[BLOCKS][REGION];
};

struct thread {
    uint32_t tid[3], block;
    uint32_t index; /* of the item being made */
    uint64_t sum;
};

struct making {
    struct writing w;
    unsigned shape[3], threads, labels;
    struct thread all[BLOCKS * MOST_THREADS];
    struct memory memory;
};

static const unsigned shapes[][3] = {{16, 16, 1}, {8, 8, 4},  {20, 7, 1}, {16, 1, 1}, {48, 3, 1},
                                     {32, 8, 1},  {16, 2, 3}, {7, 1, 1},  {64, 1, 2}, {100, 1, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- Numbers of threads: %x is made of them ---- */

/* A small number, also a negative one. */
static int32_t small(struct making *m)
{
    static const int32_t numbers[] = {0, 1, 1, 1, 2, 3, 4, 8, 16, 20, 31, 32, 33, 48, 64, 100};
    const int32_t number = numbers[pick(&m->w, sizeof numbers / sizeof *numbers)];
    return pick(&m->w, 3) == 0 ? -number : number;
}

static void add_product(struct making *m, int axis)
{
    static const char *const names[] = {"%tx", "%ty", "%tz", "%cx", "%un"};
    const int32_t by = small(m);
    const bool is_mad = pick(&m->w, 2);
    if (is_mad)
        say(&m->w, "mad.lo.s32 %%x, %s, %d, %%x;\n", names[axis], by);
    else
        say(&m->w, "mul.lo.s32 %%y, %s, %d;\nadd.s32 %%x, %%x, %%y;\n", names[axis], by);
    for (unsigned i = 0; i < BLOCKS * m->threads; i++) {
        struct thread *t = &m->all[i];
        const uint32_t number = axis < 3 ? t->tid[axis] : axis == 3 ? t->block : UNIFORM;
        t->index += number * (uint32_t)by;
    }
}

static uint32_t changed(uint32_t kind, uint32_t x, uint32_t by)
{
    switch (kind) {
    case 0:
        return 0u - x;
    case 1:
        return x << 1;
    case 2:
        return x - by;
    case 3:
        return x ^ by;
    case 4:
        return x & by;
    case 5:
        return x + 0x7ffffff0u; /* signed numbers wrap around */
    default:
        return x >> 4;
    }
}

static void change(struct making *m)
{
    static const char *const texts[] = {
        "neg.s32 %x, %x;",  "shl.b32 %x, %x, 1;",          "sub.s32 %x, %x, ",  "xor.b32 %x, %x, ",
        "and.b32 %x, %x, ", "add.s32 %x, %x, 2147483632;", "shr.u32 %x, %x, 4;"};
    const uint32_t kind = pick(&m->w, 12);
    const uint32_t by = kind == 2   ? pick(&m->w, 64)
                        : kind == 3 ? pick(&m->w, 2) * 96 + 16
                                    : 0xffffffe0u;
    if (kind > 6)
        return;
    fputs(texts[kind], m->w.out);
    say(&m->w, kind >= 2 && kind <= 4 ? "%u;\n" : "\n", by);
    for (unsigned i = 0; i < BLOCKS * m->threads; i++)
        m->all[i].index = changed(kind, m->all[i].index, by);
}

static void make_index(struct making *m)
{
    const uint32_t start = pick(&m->w, 512);
    say(&m->w, "mov.u32 %%x, %u;\n", start);
    for (unsigned i = 0; i < BLOCKS * m->threads; i++)
        m->all[i].index = start;
    add_product(m, 0);
    for (uint32_t more = pick(&m->w, 4); more > 0; more--)
        add_product(m, (int)pick(&m->w, 5));
    change(m);
}

/* ---- Accesses at %x ---- */

struct access {
    uint32_t bytes, item;
    bool is_store, is_shared, is_signed, is_guarded, is_compared;
    uint32_t limit;    /* of is_compared: the least tid.x that does nothing */
    uint32_t skewed;   /* bytes by which places of higher tid.x lie farther */
    uint32_t constant; /* behind the address */
};

static uint32_t place_of(const struct access *a, const struct thread *t)
{
    return t->index * a->bytes + t->tid[0] * a->skewed + a->constant;
}

/* Of signed numbers half of them are below the pointer. */
static bool does(const struct access *a, const struct thread *t)
{
    const uint32_t least = a->is_signed ? PLACES / 4 : 0;
    const bool is_in = t->index + least < PLACES / 2;
    return is_in && (!a->is_compared || t->tid[0] < a->limit);
}

static uint64_t value_at(uint32_t place, uint32_t item)
{
    return (uint64_t)place * UINT64_C(0x9e3779b97f4a7c15) + item;
}

static void do_access(struct making *m, const struct access *a, struct thread *t)
{
    const uint32_t least = a->is_signed ? REGION / 2 : 0;
    uint64_t value = 0;
    if (!does(a, t))
        return;
    const uint32_t place = place_of(a, t);
    if (a->is_store) {
        unsigned char *to = a->is_shared ? m->memory.shared_out[t->block]
                                         : m->memory.out[a->item] + t->block * REGION;
        value = value_at(place, a->item);
        memcpy(to + (uint32_t)(least + place), &value, a->bytes);
        return;
    }
    memcpy(&value, m->memory.in + (uint32_t)(least + place), a->bytes);
    t->sum = t->sum * 31 + value;
}

static void say_address(struct making *m, const struct access *a)
{
    const char *base = a->is_shared ? (a->is_store ? "%so" : "%si") : (a->is_store ? "%go" : "%gi");
    const char *sign = a->is_signed ? "s32" : "u32";
    say(&m->w, "mul.wide.%s %%a, %%x, %u;\nadd.u64 %%a, %%a, %s;\n", sign, a->bytes, base);
    if (a->is_store && !a->is_shared)
        say(&m->w, "add.u64 %%a, %%a, %u;\n", a->item * 2 * REGION);
    if (a->is_signed)
        say(&m->w, "add.u64 %%a, %%a, %d;\n", REGION / 2);
    if (a->skewed)
        say(&m->w, "mul.wide.u32 %%b, %%tx, %u;\nadd.u64 %%a, %%a, %%b;\n", a->skewed);
}

static void say_access(struct making *m, const struct access *a)
{
    static const char *const classes[] = {"", "h", "h", "", "r", "", "", "", "d"};
    const char *space = a->is_shared ? "shared" : "global", *guard = a->is_guarded ? "@%p " : "";
    const unsigned bits = 8 * a->bytes, label = m->labels++;
    const char *register_class = classes[a->bytes];
    if (!a->is_guarded)
        say(&m->w, "@!%%p bra L%u;\n", label);
    say_address(m, a);
    if (a->is_store) {
        say(&m->w,
            "mul.lo.u32 %%y, %%x, %u;\nmad.lo.u32 %%y, %%tx, %u, %%y;\nadd.u32 %%y, %%y, %u;\n",
            a->bytes, a->skewed, a->constant);
        say(&m->w,
            "cvt.u64.u32 %%v, %%y;\nmul.lo.u64 %%v, %%v, -7046029254386353131;\n"
            "add.u64 %%v, %%v, %u;\ncvt.u%u.u64 %%v%s, %%v;\n",
            a->item, bits < 16 ? 16 : bits, register_class);
        say(&m->w, "%sst.%s.u%u [%%a+%u], %%v%s;\n", guard, space, bits, a->constant,
            register_class);
    } else {
        say(&m->w, "%sld.%s.u%u %%v%s, [%%a+%u];\n", guard, space, bits, register_class,
            a->constant);
        say(&m->w, "cvt.u64.u%u %%v, %%v%s;\n%smad.lo.u64 %%sum, %%sum, 31, %%v;\n",
            bits < 16 ? 16 : bits, register_class, guard);
    }
    if (!a->is_guarded)
        say(&m->w, "L%u:\n", label);
}

static void say_guard(struct making *m, const struct access *a)
{
    say(&m->w, "add.u32 %%y, %%x, %d;\nsetp.lt.u32 %%p, %%y, %d;\n", a->is_signed ? PLACES / 4 : 0,
        PLACES / 2);
    if (a->is_compared)
        say(&m->w, "setp.lt.s32 %%q, %%tx, %u;\nand.pred %%p, %%p, %%q;\n", a->limit);
}

static void make_access(struct making *m, const struct access *a)
{
    say_guard(m, a);
    say_access(m, a);
    for (unsigned i = 0; i < BLOCKS * m->threads; i++)
        do_access(m, a, &m->all[i]);
}

/* In a loop the text stands once. */
static void make_loop(struct making *m, const struct access *a)
{
    const uint32_t turns = 1 + pick(&m->w, MOST_TURNS), label = m->labels++;
    const int32_t step = small(m);
    say(&m->w, "mov.u32 %%i, 0;\nT%u:\n", label);
    say_guard(m, a);
    say_access(m, a);
    say(&m->w,
        "add.s32 %%x, %%x, %d;\nadd.u32 %%i, %%i, 1;\nsetp.lt.u32 %%q, %%i, %u;\n@%%q bra T%u;\n",
        step, turns, label);
    for (uint32_t turn = 0; turn < turns; turn++)
        for (unsigned i = 0; i < BLOCKS * m->threads; i++) {
            do_access(m, a, &m->all[i]);
            m->all[i].index += (uint32_t)step;
        }
}

static void make_item(struct making *m, uint32_t item)
{
    struct access a = {.bytes = 1u << pick(&m->w, 4),
                       .item = item,
                       .is_store = pick(&m->w, 2),
                       .is_shared = pick(&m->w, 3) == 0,
                       .is_signed = pick(&m->w, 2),
                       .is_guarded = pick(&m->w, 3) == 0,
                       .is_compared = pick(&m->w, 2),
                       .limit = pick(&m->w, 40)};
    /* What is stored to shared memory has no region for each item: bytes have one value then. */
    a.is_shared &= !a.is_store || item == 0;
    a.skewed = pick(&m->w, 3) == 0 ? a.bytes * pick(&m->w, 4) : 0;
    a.constant = a.bytes * pick(&m->w, 3);
    make_index(m);
    if (pick(&m->w, 3) == 0)
        make_loop(m, &a);
    else
        make_access(m, &a);
    if (pick(&m->w, 3) == 0)
        say(&m->w, "bar.sync 0;\n");
}

/* ---- Modules ---- */

static void write_head(struct making *m)
{
    say(&m->w,
        ".version 7.5\n.target sm_75\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sums, .param .u32 un)\n"
        "{\n.shared .align 16 .b8 S[%d];\n.reg .pred %%p, %%q;\n.reg .b16 %%vh;\n"
        ".reg .b32 %%tx, %%ty, %%tz, %%cx, %%un, %%x, %%y, %%i, %%t, %%n, %%vr;\n"
        ".reg .b64 %%a, %%b, %%v, %%vd, %%gi, %%go, %%si, %%so, %%sum, %%sums;\n",
        3 * REGION);
    say(&m->w,
        "mov.u32 %%tx, %%tid.x;\nmov.u32 %%ty, %%tid.y;\nmov.u32 %%tz, %%tid.z;\n"
        "mov.u32 %%cx, %%ctaid.x;\nld.param.u32 %%un, [un];\nmov.u64 %%sum, 0;\n"
        "ld.param.u64 %%gi, [in];\ncvta.to.global.u64 %%gi, %%gi;\n"
        "ld.param.u64 %%go, [out];\ncvta.to.global.u64 %%go, %%go;\n"
        "mul.wide.u32 %%a, %%cx, %d;\nadd.u64 %%go, %%go, %%a;\n"
        "mov.u64 %%si, S;\nadd.u64 %%so, %%si, %d;\n",
        REGION, 2 * REGION);
    say(&m->w,
        "mov.u32 %%n, %%ntid.x;\nmad.lo.u32 %%t, %%tz, %u, %%ty;\n"
        "mad.lo.u32 %%t, %%t, %%n, %%tx;\nmov.u32 %%i, %%t;\n"
        "F: cvt.u64.u32 %%a, %%i;\nadd.u64 %%b, %%gi, %%a;\nld.global.u8 %%vh, [%%b];\n"
        "add.u64 %%b, %%si, %%a;\nst.shared.u8 [%%b], %%vh;\n"
        "setp.ge.u32 %%p, %%i, %d;\n@%%p bra G;\nadd.u64 %%b, %%so, %%a;\nmov.u16 %%vh, 0;\n"
        "st.shared.u8 [%%b], %%vh;\n"
        "G: add.u32 %%i, %%i, %u;\nsetp.lt.u32 %%p, %%i, %d;\n@%%p bra F;\nbar.sync 0;\n",
        m->shape[1], REGION, m->threads, 2 * REGION);
}

/* What was stored to shared memory goes behind what was to global memory, and each thread's sum to its place. */
static void write_tail(struct making *m, uint32_t items)
{
    say(&m->w,
        "bar.sync 0;\nmov.u32 %%i, %%t;\nH: cvt.u64.u32 %%a, %%i;\nadd.u64 %%b, %%so, %%a;\n"
        "ld.shared.u8 %%vh, [%%b];\nadd.u64 %%b, %%go, %%a;\nst.global.u8 [%%b+%u], %%vh;\n"
        "add.u32 %%i, %%i, %u;\nsetp.lt.u32 %%p, %%i, %d;\n@%%p bra H;\n",
        items * 2 * REGION, m->threads, REGION);
    say(&m->w,
        "ld.param.u64 %%sums, [sums];\ncvta.to.global.u64 %%sums, %%sums;\n"
        "mad.lo.u32 %%t, %%cx, %u, %%t;\nmul.wide.u32 %%a, %%t, 8;\nadd.u64 %%a, %%a, %%sums;\n"
        "st.global.u64 [%%a], %%sum;\nret;\n}\n",
        m->threads);
}

static void number_threads(struct making *m, uint64_t seed)
{
    memcpy(m->shape, shapes[seed % SHAPES], sizeof m->shape);
    m->threads = m->shape[0] * m->shape[1] * m->shape[2];
    for (unsigned i = 0; i < BLOCKS * m->threads; i++) {
        const unsigned t = i % m->threads;
        m->all[i] = (struct thread){
            .tid = {t % m->shape[0], t / m->shape[0] % m->shape[1], t / m->shape[0] / m->shape[1]},
            .block = i / m->threads};
    }
    for (size_t i = 0; i < sizeof m->memory.in; i++)
        m->memory.in[i] = (unsigned char)generator_next(&m->w.generator);
}

static char *module_of(struct making *m, uint32_t items)
{
    char *text = NULL;
    size_t bytes = 0;
    m->w.out = open_memstream(&text, &bytes);
    if (!m->w.out)
        return NULL;
    write_head(m);
    for (uint32_t i = 0; i < items; i++)
        make_item(m, i);
    write_tail(m, items);
    fclose(m->w.out);
    return text;
}

/* ---- On the device ---- */

struct results {
    unsigned char out[MOST_ITEMS + 1][2 * REGION];
    uint64_t sums[BLOCKS * MOST_THREADS];
};

static void launch(struct making *m, const char *text, struct results *got, CUdeviceptr memory)
{
    CUmodule module;
    CUfunction function;
    CUdeviceptr out = memory + sizeof m->memory.in, sums = out + sizeof got->out;
    uint32_t uniform = UNIFORM;
    void *arguments[] = {&memory, &out, &sums, &uniform};
    check(cuMemcpyHtoD(memory, m->memory.in, sizeof m->memory.in), "cuMemcpyHtoD");
    check(cuMemsetD8(out, 0, sizeof *got), "cuMemsetD8");
    check(cuModuleLoadData(&module, text), "cuModuleLoadData");
    check(cuModuleGetFunction(&function, module, "k"), "cuModuleGetFunction");
    check(cuLaunchKernel(function, BLOCKS, 1, 1, m->shape[0], m->shape[1], m->shape[2], 0, NULL,
                         arguments, NULL),
          "cuLaunchKernel");
    check(cuCtxSynchronize(), "cuCtxSynchronize");
    check(cuMemcpyDtoH(got, out, sizeof *got), "cuMemcpyDtoH");
    check(cuModuleUnload(module), "cuModuleUnload");
}

static bool is_equal(uint64_t seed, const struct making *m, const struct results *got,
                     uint32_t items)
{
    for (unsigned i = 0; i < BLOCKS * m->threads; i++)
        if (got->sums[i] != m->all[i].sum) {
            printf("seed %" PRIu64 ", %u x %u x %u: thread %u has read %016" PRIx64
                   ", not %016" PRIx64 "\n",
                   seed, m->shape[0], m->shape[1], m->shape[2], i, got->sums[i], m->all[i].sum);
            return false;
        }
    for (uint32_t item = 0; item <= items; item++)
        for (size_t i = 0; i < 2 * (size_t)REGION; i++) {
            const unsigned char expected = item < items
                                               ? m->memory.out[item][i]
                                               : m->memory.shared_out[i / REGION][i % REGION];
            if (got->out[item][i] == expected)
                continue;
            printf("seed %" PRIu64 ", %u x %u x %u: byte %zu of item %u is %u, not %u\n", seed,
                   m->shape[0], m->shape[1], m->shape[2], i, item, got->out[item][i], expected);
            return false;
        }
    return true;
}

static bool run(uint64_t seed, uint32_t items, bool prints, CUdeviceptr memory)
{
    struct making *m = calloc(1, sizeof *m);
    struct results *got = malloc(sizeof *got);
    bool is_right = m && got;
    char *text = NULL;
    if (is_right) {
        generator_start(&m->w.generator, seed, true);
        number_threads(m, seed);
        text = module_of(m, items);
        is_right = text != NULL;
    }
    if (text && prints) {
        puts(text);
    } else if (text) {
        launch(m, text, got, memory);
        is_right = is_equal(seed, m, got, items);
    }
    free(text);
    free(got);
    free(m);
    return is_right;
}

int main(int count, char **arguments)
{
    uint64_t seed = 1, modules = SHAPES;
    uint32_t items = 5, wrong = 0;
    bool prints = false;
    for (int option; (option = getopt(count, arguments, "s:m:c:p")) != -1;) {
        if (option == 's')
            seed = strtoull(optarg, NULL, 0);
        else if (option == 'm')
            modules = strtoull(optarg, NULL, 0);
        else if (option == 'c')
            items = (uint32_t)strtoul(optarg, NULL, 0) % (MOST_ITEMS + 1);
        else if (option == 'p')
            prints = true;
        else
            return 2;
    }
    CUdeviceptr memory = 0;
    if (!prints) {
        begin_device();
        check(cuMemAlloc(&memory, 2 * REGION + sizeof(struct results)), "cuMemAlloc");
    }
    for (uint64_t i = 0; i < modules; i++)
        wrong += !run(seed + i, items, prints, memory);
    if (!prints)
        printf("%" PRIu64 " modules of %u items each, %u of them wrong\n", modules, items, wrong);
    return wrong ? 1 : 0;
}
