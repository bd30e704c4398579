/* Threads that go different ways: random PTX kernels of branches, loops that threads leave one by one, early ends and
 * barriers, in which warps shuffle, vote and match among those that are there. Few registers serve for everything, over and
 * over. Statements are made first, then written as PTX and done here, for all threads of a block together.
 *
 * The mask of the lanes that are at a place is kept in a register for each depth, as the operations of warps want it.
 *
 *   -s SEED   -m MODULES   -p   print the PTX and stop   -c   calls by number, too, and of a function that calls itself
 * Exit status: 0 all equal, 1 differences, 2 it could not run.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <unistd.h>

#include "tests/differential/device.h"
#include "tests/differential/differential.h"

enum {
    VALUES = 8,        /* registers that statements write */
    READ = VALUES + 1, /* and the thread's number, which they only read */
    SLOTS = 8,         /* words of global and of local memory that are a thread's own */
    RESULTS = SLOTS + VALUES,
    CELLS = 8, /* words that all threads add to */
    BLOCKS = 2,
    MOST_THREADS = 200,
    MOST_STATEMENTS = 400,
    MOST_DEPTH = 3,
    FUNCTIONS = 2,
    UNLIKE = 77777777, /* of which values have some multiple at first */
    NONE = -1
};

enum kind {
    COMPUTE,
    PERHAPS, /* the same under a condition */
    CALL, /* a function that does such things, too; by its name, or by a number of the thread's; or one that calls itself */
    STORE,   /* one's own slot of one or several words */
    LOAD,    /* the same back */
    KEEP,    /* one's own word of shared memory */
    TAKE,    /* the same back */
    ADD,     /* to a cell of all */
    SHUFFLE, /* from where a lane is; else one's own */
    VOTE,
    MATCH,
    MEET, /* a barrier of the warp; and its mask */
    IF,
    LOOP,     /* each thread its own number of times */
    ROUNDS,   /* all threads of the block the same number of times */
    BREAK,    /* out of a LOOP whose body it stands in */
    EXCHANGE, /* shared memory, between barriers of the block */
    LEAVE     /* the kernel */
};

struct statement {
    enum kind kind;
    unsigned to, a, b, form;
    uint32_t shift, limit; /* a condition: (a >> shift & 3) < limit, or the contrary */
    bool is_contrary;
    int32_t first, other, next; /* statements */
};

struct thread {
    uint32_t values[READ], slots[SLOTS], locals[SLOTS], shared;
};

struct making {
    struct generator generator;
    FILE *out;
    struct statement statements[MOST_STATEMENTS];
    size_t count;
    unsigned labels, shape[3], threads;
    int32_t functions[FUNCTIONS];      /* their statements */
    bool has_functions, has_all_calls; /* -c */
    struct thread all[MOST_THREADS];
    uint32_t cells[CELLS];
};

static unsigned pick(struct making *m, unsigned count)
{
    return (unsigned)(generator_next(&m->generator) % count);
}

/* ---- Making ---- */

enum { COMPUTING = 20 };

/* What a list may have depends on whether all threads of the block, and not only some of a warp, are there. */
static enum kind pick_kind(struct making *m, unsigned depth, bool is_uniform, bool is_in_loop)
{
    static const enum kind plain[] = {COMPUTE, COMPUTE, COMPUTE, STORE,   STORE, LOAD,  KEEP, TAKE,
                                      ADD,     SHUFFLE, SHUFFLE, SHUFFLE, VOTE,  MATCH, MEET};
    const unsigned chance = pick(m, 22);
    if (chance < 6 && depth < MOST_DEPTH)
        return chance < 3 ? IF : chance == 5 && is_uniform ? ROUNDS : LOOP;
    if (chance == 6 && is_in_loop)
        return BREAK;
    if (chance <= 8 && is_uniform)
        return EXCHANGE;
    if (chance == 9 && depth == 0 && is_uniform)
        return LEAVE;
    if (chance == 20 || chance == 21)
        return chance == 20 && m->has_functions ? CALL : PERHAPS;
    return plain[pick(m, sizeof plain / sizeof *plain)];
}

static int32_t make_list(struct making *m, unsigned depth, bool is_uniform, bool is_in_loop)
{
    int32_t first = NONE, *last = &first;
    for (unsigned left = 2 + pick(m, depth ? 5 : 9); left > 0 && m->count < MOST_STATEMENTS;
         left--) {
        const int32_t made = (int32_t)m->count++;
        struct statement *s = &m->statements[made];
        *s = (struct statement){.kind = pick_kind(m, depth, is_uniform, is_in_loop),
                                .to = pick(m, VALUES),
                                .a = pick(m, READ),
                                .b = pick(m, READ),
                                .form = pick(m, COMPUTING),
                                .shift = pick(m, 31),
                                .limit = 1 + pick(m, 3),
                                .is_contrary = pick(m, 2),
                                .first = NONE,
                                .other = NONE,
                                .next = NONE};
        if (s->kind == IF || s->kind == LOOP || s->kind == ROUNDS)
            s->first = make_list(m, depth + 1, is_uniform && s->kind == ROUNDS, s->kind == LOOP);
        if (s->kind == IF && pick(m, 2))
            s->other = make_list(m, depth + 1, false, false);
        *last = made;
        last = &m->statements[made].next;
    }
    return first;
}

/* Functions first: a kernel whose statements were made before them would call none. Not every module has some: the warp
 * form leaves kernels that call to the block form. */
static int32_t make_kernel(struct making *m)
{
    const bool has_functions = pick(m, 3) == 0;
    for (size_t i = 0; has_functions && i < FUNCTIONS; i++)
        m->functions[i] = make_list(m, 1, false, false);
    m->has_functions = has_functions;
    return make_list(m, 0, true, false);
}

/* ---- Arithmetic ---- */

static const char *const computing[COMPUTING] = {
    "add.u32 %v{to}, %v{a}, %v{b};",
    "sub.u32 %v{to}, %v{a}, %v{b};",
    "mul.lo.u32 %v{to}, %v{a}, %v{b};",
    "xor.b32 %v{to}, %v{a}, %v{b};",
    "and.b32 %v{to}, %v{a}, %v{b};",
    "or.b32 %v{to}, %v{a}, %v{b};",
    "shl.b32 %v{to}, %v{a}, %v{b};",
    "shr.u32 %v{to}, %v{a}, 5;",
    "shr.s32 %v{to}, %v{a}, 3;",
    "min.u32 %v{to}, %v{a}, %v{b};",
    "max.s32 %v{to}, %v{a}, %v{b};",
    "popc.b32 %v{to}, %v{a};",
    "brev.b32 %v{to}, %v{a};",
    "clz.b32 %v{to}, %v{a};",
    "mul.hi.u32 %v{to}, %v{a}, %v{b};",
    "mad.lo.u32 %v{to}, %v{a}, 1664525, %v{b};",
    "bfe.u32 %v{to}, %v{a}, 7, 11;",
    "prmt.b32 %v{to}, %v{a}, %v{b}, 0x4162;",
    "shf.l.wrap.b32 %v{to}, %v{a}, %v{b}, 9;",
    "or.b32 %t0, %v{b}, 1;\nrem.u32 %v{to}, %v{a}, %t0;",
};

static uint32_t reversed(uint32_t value)
{
    uint32_t made = 0;
    for (unsigned i = 0; i < 32; i++)
        made |= (value >> i & 1u) << (31 - i);
    return made;
}

static uint32_t computed(unsigned form, uint32_t a, uint32_t b)
{
    switch (form) {
    case 0:
        return a + b;
    case 1:
        return a - b;
    case 2:
        return a * b;
    case 3:
        return a ^ b;
    case 4:
        return a & b;
    case 5:
        return a | b;
    case 6:
        return b < 32 ? a << b : 0;
    case 7:
        return a >> 5;
    case 8:
        return a >> 3 | ((a >> 31) ? 7u << 29 : 0);
    case 9:
        return a < b ? a : b;
    case 10:
        return (a ^ 0x80000000u) > (b ^ 0x80000000u) ? a : b;
    case 11:
        return (uint32_t)__builtin_popcount(a);
    case 12:
        return reversed(a);
    case 13:
        return a ? (uint32_t)__builtin_clz(a) : 32;
    case 14:
        return (uint32_t)((uint64_t)a * b >> 32);
    case 15:
        return a * 1664525u + b;
    case 16:
        return a >> 7 & 0x7ffu;
    case 17: /* bytes 2, 6, 1, 4 of b:a */
        return (a >> 16 & 255u) | (b >> 16 & 255u) << 8 | (a >> 8 & 255u) << 16 | (b & 255u) << 24;
    case 18:
        return b << 9 | a >> 23;
    default:
        return a % (b | 1u);
    }
}

/* ---- Writing ---- */

/* A line of PTX: {to}, {a} and {b} are a statement's registers, {m} and {n} the depth and the next, {f} and {g} numbers. */
static void put(struct making *m, const char *line, const struct statement *s, unsigned depth,
                unsigned f, unsigned g)
{
    for (const char *at = line; *at; at++) {
        if (*at != '{' || !strchr("tabmnfg", at[1]) || !(at[2] == '}' || at[3] == '}')) {
            fputc(*at, m->out);
            continue;
        }
        const unsigned value = at[1] == 't'   ? s->to
                               : at[1] == 'a' ? s->a
                               : at[1] == 'b' ? s->b
                               : at[1] == 'm' ? depth
                               : at[1] == 'n' ? depth + 1
                               : at[1] == 'f' ? f
                                              : g;
        fprintf(m->out, "%u", value);
        at = strchr(at, '}');
    }
    fputc('\n', m->out);
}

static void write_condition(struct making *m, const struct statement *s)
{
    put(m, "shr.u32 %t0, %v{a}, {f};\nand.b32 %t0, %t0, 3;", s, 0, s->shift, 0);
    put(m, s->is_contrary ? "setp.ge.u32 %p, %t0, {f};" : "setp.lt.u32 %p, %t0, {f};", s, 0,
        s->limit, 0);
}

/* Of one to four words, at a place that is a multiple of them. */
static void write_access(struct making *m, const struct statement *s)
{
    static const char *const lines[2][2][4] = {
        {{"st.global.u32 [%o], %v{a};", "st.global.v2.u32 [%o], {%v{a}, %v{b}};",
          "st.global.v4.u32 [%o], {%v{a}, %v{b}, %v0, %v1};", "st.global.u32 [%o], %v{b};"},
         {"st.local.u32 [%o], %v{a};", "st.local.v2.u32 [%o], {%v{a}, %v{b}};",
          "st.local.v4.u32 [%o], {%v{a}, %v{b}, %v0, %v1};", "st.local.u32 [%o], %v{b};"}},
        {{"ld.global.u32 %v{to}, [%o];", "ld.global.v2.u32 {%v{to}, %t1}, [%o];",
          "ld.global.v4.u32 {%t1, %t2, %v{to}, %t3}, [%o];", "ld.global.u32 %v{to}, [%o];"},
         {"ld.local.u32 %v{to}, [%o];", "ld.local.v2.u32 {%v{to}, %t1}, [%o];",
          "ld.local.v4.u32 {%t1, %t2, %v{to}, %t3}, [%o];", "ld.local.u32 %v{to}, [%o];"}}};
    const unsigned form = s->form % 4, is_local = s->form / 4 % 2;
    const unsigned words = form == 1 ? 2 : form == 2 ? 4 : 1;
    put(m, "and.b32 %t0, %v{a}, {f};\nmul.wide.u32 %o, %t0, 4;", s, 0, SLOTS - words, 0);
    fprintf(m->out, "add.u64 %%o, %%o, %%%s;\n", is_local ? "loc" : "own");
    put(m, lines[s->kind == LOAD][is_local][form], s, 0, 0, 0);
}

static void write_shuffle(struct making *m, const struct statement *s, unsigned depth)
{
    static const char *const sources[] = {"add.u32 %t0, %lane, {f};", "sub.u32 %t0, %lane, {f};",
                                          "xor.b32 %t0, %lane, {f};", "and.b32 %t0, %v{b}, 31;"};
    static const char *const lines[] = {
        "shfl.sync.down.b32 %t1, %v{a}, {f}, 31, %m{m};",
        "shfl.sync.up.b32 %t1, %v{a}, {f}, 0, %m{m};",
        "shfl.sync.bfly.b32 %t1, %v{a}, {f}, 31, %m{m};",
        "selp.b32 %t0, %t0, %lane, %p;\nshfl.sync.idx.b32 %t1, %v{a}, %t0, 31, %m{m};"};
    const unsigned form = s->form % 4;
    put(m, sources[form], s, depth, s->shift, 0);
    put(m, "shr.u32 %t2, %m{m}, %t0;\nand.b32 %t2, %t2, 1;\nsetp.ne.u32 %p, %t2, 0;", s, depth, 0,
        0);
    put(m, lines[form], s, depth, s->shift, 0);
    put(m, form == 3 ? "mov.u32 %v{to}, %t1;" : "selp.b32 %v{to}, %t1, %v{a}, %p;", s, depth, 0, 0);
}

static void write_vote(struct making *m, const struct statement *s, unsigned depth)
{
    static const char *const lines[] = {
        "vote.sync.ballot.b32 %v{to}, %p, %m{m};",
        "vote.sync.any.pred %q, %p, %m{m};\nselp.b32 %v{to}, 77, %v{b}, %q;",
        "vote.sync.all.pred %q, %p, %m{m};\nselp.b32 %v{to}, %v{b}, 99, %q;",
        "vote.sync.uni.pred %q, %p, %m{m};\n@%q add.u32 %v{to}, %v{b}, 1;"};
    write_condition(m, s);
    put(m, lines[s->form % 4], s, depth, 0, 0);
}

static void write_list(struct making *m, int32_t list, unsigned depth, unsigned end);

static void write_if(struct making *m, const struct statement *s, unsigned depth)
{
    const unsigned no = m->labels++, end = m->labels++;
    write_condition(m, s);
    put(m, "vote.sync.ballot.b32 %m{n}, %p, %m{m};\n@!%p bra L{f};", s, depth, no, 0);
    write_list(m, s->first, depth + 1, 0);
    if (s->other == NONE) {
        put(m, "L{f}:", s, depth, no, 0);
        return;
    }
    put(m, "bra L{f};\nL{g}:\nnot.b32 %t0, %m{n};\nand.b32 %m{n}, %t0, %m{m};", s, depth, end, no);
    write_list(m, s->other, depth + 1, 0);
    put(m, "L{f}:", s, depth, end, 0);
}

static void write_loop(struct making *m, const struct statement *s, unsigned depth)
{
    const unsigned again = m->labels++, end = m->labels++;
    put(m, s->kind == LOOP ? "and.b32 %n{n}, %v{a}, 3;" : "mov.u32 %n{n}, {f};", s, depth, s->limit,
        0);
    put(m, "mov.u32 %i{n}, 0;\nmov.u32 %m{n}, %m{m};\nL{f}:\nsetp.lt.u32 %p, %i{n}, %n{n};", s,
        depth, again, 0);
    put(m, "vote.sync.ballot.b32 %m{n}, %p, %m{n};\n@!%p bra L{f};", s, depth, end, 0);
    write_list(m, s->first, depth + 1, end);
    put(m, "add.u32 %i{n}, %i{n}, 1;\nbra L{f};\nL{g}:", s, depth, again, end);
}

enum way_of_call { BY_NAME, BY_NAME_TOO, BY_NUMBER, TO_ITSELF, WAYS_OF_CALL };

static enum way_of_call way_of(const struct making *m, const struct statement *s)
{
    return m->has_all_calls ? (enum way_of_call)(s->form / FUNCTIONS % WAYS_OF_CALL) : BY_NAME;
}

/* By number: those of whom a condition holds call the second function, the others the first. */
static void write_call(struct making *m, const struct statement *s, unsigned depth)
{
    const bool is_by_number = way_of(m, s) == BY_NUMBER;
    put(m, "mov.b32 %t1, %m{m};", s, depth, 0, 0);
    if (is_by_number) {
        write_condition(m, s);
        put(m,
            "vote.sync.ballot.b32 %t1, %p, %m{m};\nnot.b32 %t2, %t1;\nand.b32 %t2, %t2, %m{m};\n"
            "selp.b32 %t1, %t1, %t2, %p;\nselp.b64 %o, 8, 0, %p;\nmov.u64 %in, table;\n"
            "add.u64 %in, %in, %o;\nld.global.u64 %in, [%in];",
            s, depth, 0, 0);
    }
    put(m,
        "{\n.param .b32 x, y, z, w;\n.param .b64 o, l, c;\nst.param.b32 [x], %v{a};\n"
        "st.param.b32 [y], %v{b};\nst.param.b32 [z], %t1;\nst.param.b64 [o], %own;\n"
        "st.param.b64 [l], %loc;\nst.param.b64 [c], %cells;",
        s, depth, 0, 0);
    put(m,
        is_by_number                ? "call (w), %in, (x, y, z, o, l, c), shape{f};"
        : way_of(m, s) == TO_ITSELF ? "call (w), itself, (x, y, z);"
                                    : "call (w), f{g}, (x, y, z, o, l, c);",
        s, depth, m->labels, s->form % FUNCTIONS);
    if (is_by_number)
        put(m,
            "shape{f}: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _,\n"
            "    .param .b32 _, .param .b64 _, .param .b64 _, .param .b64 _);",
            s, depth, m->labels++, 0);
    put(m, "ld.param.b32 %v{to}, [w];\n}", s, depth, 0, 0);
}

static void write_statement(struct making *m, const struct statement *s, unsigned depth,
                            unsigned end)
{
    switch (s->kind) {
    case COMPUTE:
        put(m, computing[s->form], s, depth, 0, 0);
        break;
    case PERHAPS:
        write_condition(m, s);
        put(m, "@%p xor.b32 %v{to}, %v{a}, %v{b};", s, depth, 0, 0);
        break;
    case CALL:
        write_call(m, s, depth);
        break;
    case STORE:
    case LOAD:
        write_access(m, s);
        break;
    case KEEP:
        put(m, "st.shared.u32 [%s], %v{a};", s, depth, 0, 0);
        break;
    case TAKE:
        put(m, "ld.shared.u32 %v{to}, [%s];", s, depth, 0, 0);
        break;
    case ADD:
        put(m, "and.b32 %t0, %v{a}, {f};\nmul.wide.u32 %o, %t0, 4;\nadd.u64 %o, %o, %cells;", s,
            depth, CELLS - 1, 0);
        put(m,
            s->form % 2 ? "red.global.add.u32 [%o], %v{b};"
                        : "atom.global.add.u32 %t0, [%o], %v{b};",
            s, depth, 0, 0);
        break;
    case SHUFFLE:
        write_shuffle(m, s, depth);
        break;
    case VOTE:
        write_vote(m, s, depth);
        break;
    case MATCH:
        put(m, "and.b32 %t0, %v{a}, 3;\nmatch.any.sync.b32 %v{to}, %t0, %m{m};", s, depth, 0, 0);
        break;
    case MEET:
        put(m, "bar.warp.sync %m{m};\nxor.b32 %v{to}, %v{a}, %m{m};", s, depth, 0, 0);
        break;
    case IF:
        write_if(m, s, depth);
        break;
    case LOOP:
    case ROUNDS:
        write_loop(m, s, depth);
        break;
    case BREAK:
        write_condition(m, s);
        put(m, "vote.sync.ballot.b32 %m{m}, !%p, %m{m};\n@%p bra L{f};", s, depth, end, 0);
        break;
    case EXCHANGE:
        put(m,
            "st.shared.u32 [%s], %v{a};\nbar.sync 0;\nadd.u32 %t0, %v{b}, %v8;\nrem.u32 %t0, "
            "%t0, {f};\n"
            "mov.u32 %t1, shared;\nmad.lo.u32 %t0, %t0, 4, %t1;\nld.shared.u32 %v{to}, [%t0];\n"
            "bar.sync 0;",
            s, depth, m->threads, 0);
        break;
    case LEAVE:
        write_condition(m, s);
        put(m, "vote.sync.ballot.b32 %m{m}, !%p, %m{m};\n@%p exit;", s, depth, 0, 0);
        break;
    }
}

static void write_list(struct making *m, int32_t list, unsigned depth, unsigned end)
{
    for (; list != NONE; list = m->statements[list].next)
        write_statement(m, &m->statements[list], depth, end);
}

/* Registers; and what a thread knows of itself. */
static void write_self(struct making *m)
{
    fprintf(m->out,
            ".reg .pred %%p, %%q;\n.reg .b64 %%o, %%own, %%loc, %%cells, %%in;\n"
            ".reg .b32 %%v<%d>, %%t<4>, %%m<%d>, %%n<%d>, %%i<%d>, %%lane, %%s;\n",
            READ, MOST_DEPTH + 2, MOST_DEPTH + 2, MOST_DEPTH + 2);
    fputs("mov.u32 %t0, %tid.z;\nmov.u32 %t1, %tid.y;\nmov.u32 %t2, %ntid.y;\n"
          "mad.lo.u32 %t0, %t0, %t2, %t1;\nmov.u32 %t1, %tid.x;\nmov.u32 %t2, %ntid.x;\n"
          "mad.lo.u32 %v8, %t0, %t2, %t1;\nmov.u32 %lane, %laneid;\n"
          "mov.u32 %s, shared;\nmad.lo.u32 %s, %v8, 4, %s;\n",
          m->out);
}

static void write_function(struct making *m, unsigned number)
{
    fprintf(
        m->out,
        ".func (.param .b32 w) f%u(.param .b32 x, .param .b32 y, .param .b32 z, .param .b64 o,\n"
        "    .param .b64 l, .param .b64 c)\n{\n",
        number);
    write_self(m);
    fputs("ld.param.b32 %v0, [x];\nld.param.b32 %v1, [y];\nld.param.b32 %m1, [z];\n"
          "ld.param.b64 %own, [o];\nld.param.b64 %loc, [l];\nld.param.b64 %cells, [c];\n",
          m->out);
    for (unsigned i = 2; i < VALUES; i++)
        fprintf(m->out, "mov.u32 %%v%u, %u;\n", i, i * UNLIKE);
    write_list(m, m->functions[number], 1, 0);
    fputs("st.param.b32 [w], %v0;\nret;\n}\n", m->out);
}

/* Lanes call it again as often as x says, and those of one call meet behind it. */
static void write_itself(struct making *m)
{
    fputs(".func (.param .b32 w) itself(.param .b32 x, .param .b32 y, .param .b32 z)\n{\n"
          ".reg .pred %p, %q;\n.reg .b32 %x, %y, %z, %n, %t;\n"
          "ld.param.b32 %x, [x];\nld.param.b32 %y, [y];\nld.param.b32 %z, [z];\n"
          "and.b32 %t, %x, 3;\nsetp.ne.u32 %p, %t, 0;\nvote.sync.ballot.b32 %n, %p, %z;\n"
          "@!%p bra END;\n"
          "{\n.param .b32 a, b, c, r;\nsub.u32 %t, %x, 1;\nst.param.b32 [a], %t;\n"
          "add.u32 %t, %y, %n;\nst.param.b32 [b], %t;\nst.param.b32 [c], %n;\n"
          "call (r), itself, (a, b, c);\nld.param.b32 %y, [r];\n}\n"
          "END:\nand.b32 %t, %y, 1;\nsetp.ne.u32 %q, %t, 0;\nvote.sync.ballot.b32 %t, %q, %z;\n"
          "mad.lo.u32 %y, %y, 3, %x;\nxor.b32 %y, %y, %t;\nst.param.b32 [w], %y;\nret;\n}\n",
          m->out);
}

static void write_kernel(struct making *m, int32_t list)
{
    fprintf(m->out,
            ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 cells)\n{\n"
            ".local .align 16 .b8 kept[%d];\n",
            SLOTS * 4);
    write_self(m);
    /* The mask of a warp's threads at first: the last may be short. */
    fprintf(m->out,
            "sub.u32 %%t0, %%v8, %%lane;\nsub.u32 %%t0, %u, %%t0;\nmov.u32 %%m0, 1;\n"
            "shl.b32 %%m0, %%m0, %%t0;\nsub.u32 %%m0, %%m0, 1;\nmov.u32 %%t0, 0;\n"
            "st.shared.u32 [%%s], %%t0;\nbar.sync 0;\n",
            m->threads);
    fprintf(m->out,
            "mov.u32 %%t0, %%ctaid.x;\nmad.lo.u32 %%t0, %%t0, %u, %%v8;\n"
            "ld.param.u64 %%own, [out];\nmul.wide.u32 %%o, %%t0, %d;\nadd.u64 %%own, %%own, %%o;\n"
            "ld.param.u64 %%in, [in];\nmul.wide.u32 %%o, %%t0, %d;\nadd.u64 %%in, %%in, %%o;\n"
            "ld.param.u64 %%cells, [cells];\nmov.u64 %%loc, kept;\n",
            m->threads, RESULTS * 4, VALUES * 4);
    for (int i = 0; i < SLOTS; i++)
        fprintf(m->out, "st.local.u32 [%%loc+%d], 0;\n", 4 * i);
    for (int i = 0; i < VALUES; i++)
        fprintf(m->out, "ld.global.u32 %%v%d, [%%in+%d];\n", i, 4 * i);
    write_list(m, list, 0, 0);
    for (int i = 0; i < VALUES; i++)
        fprintf(m->out, "st.global.u32 [%%own+%d], %%v%d;\n", 4 * (SLOTS + i), i);
    fputs("ret;\n}\n", m->out);
}

static char *module_of(struct making *m, int32_t list)
{
    char *text = NULL;
    size_t bytes = 0;
    m->out = open_memstream(&text, &bytes);
    if (!m->out)
        return NULL;
    fprintf(m->out,
            ".version 7.5\n.target sm_75\n.address_size 64\n.shared .align 4 .b8 shared[%d];\n",
            MOST_THREADS * 4);
    for (unsigned i = 0; m->has_functions && i < FUNCTIONS; i++)
        write_function(m, i);
    if (m->has_functions && m->has_all_calls) {
        write_itself(m);
        fputs(".global .align 8 .u64 table[2] = {f0, f1};\n", m->out);
    }
    write_kernel(m, list);
    fclose(m->out);
    return text;
}

/* ---- Doing ---- */

static bool holds(const struct statement *s, const struct thread *thread)
{
    return ((thread->values[s->a] >> s->shift & 3u) < s->limit) != s->is_contrary;
}

/* The lanes of a thread's warp that are active. */
static uint32_t mask_of(const struct making *m, const bool *active, unsigned thread)
{
    uint32_t mask = 0;
    for (unsigned i = thread & ~31u; i < (thread | 31u) + 1 && i < m->threads; i++)
        mask |= (uint32_t)active[i] << (i & 31u);
    return mask;
}

static uint32_t votes_of(const struct making *m, const struct statement *s, const bool *active,
                         unsigned thread)
{
    const uint32_t mask = mask_of(m, active, thread);
    uint32_t votes = 0;
    for (unsigned i = 0; i < 32; i++)
        if (mask >> i & 1u)
            votes |= (uint32_t)holds(s, &m->all[(thread & ~31u) + i]) << i;
    return votes;
}

static uint32_t voted(const struct making *m, const struct statement *s, const bool *active,
                      unsigned thread)
{
    const uint32_t votes = votes_of(m, s, active, thread), mask = mask_of(m, active, thread);
    const uint32_t *values = m->all[thread].values;
    switch (s->form % 4) {
    case 0:
        return votes;
    case 1:
        return votes ? 77 : values[s->b];
    case 2:
        return votes == mask ? values[s->b] : 99;
    default:
        return votes == mask || votes == 0 ? values[s->b] + 1 : values[s->to];
    }
}

static uint32_t shuffled(const struct making *m, const struct statement *s, const bool *active,
                         unsigned thread)
{
    const uint32_t lane = thread & 31u, *values = m->all[thread].values;
    const uint32_t from[] = {lane + s->shift, lane - s->shift, lane ^ s->shift, values[s->b] & 31u};
    const uint32_t source = from[s->form % 4];
    const bool is_there = source < 32 && (mask_of(m, active, thread) >> source & 1u);
    return is_there ? m->all[(thread & ~31u) + source].values[s->a] : values[s->a];
}

static uint32_t matched(const struct making *m, const struct statement *s, const bool *active,
                        unsigned thread)
{
    uint32_t made = 0;
    for (unsigned i = 0; i < 32; i++)
        if (mask_of(m, active, thread) >> i & 1u)
            made |= (uint32_t)(((m->all[(thread & ~31u) + i].values[s->a] ^
                                 m->all[thread].values[s->a]) &
                                3u) == 0)
                    << i;
    return made;
}

static void access_slots(const struct statement *s, struct thread *thread)
{
    const unsigned form = s->form % 4, words = form == 1 ? 2 : form == 2 ? 4 : 1;
    uint32_t *at = s->form / 4 % 2 ? thread->locals : thread->slots, *v = thread->values;
    at += v[s->a] & (SLOTS - words);
    if (s->kind == LOAD) {
        v[s->to] = at[form == 2 ? 2 : 0];
        return;
    }
    const uint32_t stored[4] = {v[form == 3 ? s->b : s->a], v[s->b], v[0], v[1]};
    memcpy(at, stored, words * sizeof *at);
}

static void do_list(struct making *m, int32_t list, bool *active);

/* Those of the caller come back, but for one. */
static void do_function(struct making *m, const struct statement *s, unsigned function,
                        const bool *active)
{
    bool inside[MOST_THREADS];
    uint32_t held[MOST_THREADS][VALUES];
    memcpy(inside, active, sizeof inside);
    for (unsigned i = 0; i < m->threads; i++) {
        uint32_t *values = m->all[i].values;
        memcpy(held[i], values, sizeof held[i]);
        const uint32_t given[] = {values[s->a], values[s->b]};
        for (unsigned j = 0; active[i] && j < VALUES; j++)
            values[j] = j < 2 ? given[j] : j * UNLIKE;
    }
    do_list(m, m->functions[function], inside);
    for (unsigned i = 0; i < m->threads; i++) {
        if (active[i])
            held[i][s->to] = m->all[i].values[0];
        memcpy(m->all[i].values, held[i], sizeof held[i]);
    }
}

/* y becomes what the function that calls itself returns. */
static void do_itself(struct making *m, const uint32_t *x, uint32_t *y, const bool *active)
{
    bool again[MOST_THREADS] = {false}, is_odd[MOST_THREADS] = {false}, is_any = false;
    uint32_t less[MOST_THREADS] = {0};
    for (unsigned i = 0; i < m->threads; i++) {
        again[i] = active[i] && (x[i] & 3u) != 0;
        less[i] = x[i] - 1;
        is_any |= again[i];
    }
    for (unsigned i = 0; i < m->threads; i++)
        y[i] += again[i] ? mask_of(m, again, i) : 0;
    if (is_any)
        do_itself(m, less, y, again);
    for (unsigned i = 0; i < m->threads; i++)
        is_odd[i] = active[i] && (y[i] & 1u) != 0;
    for (unsigned i = 0; i < m->threads; i++)
        if (active[i])
            y[i] = (y[i] * 3 + x[i]) ^ mask_of(m, is_odd, i);
}

static void do_call(struct making *m, const struct statement *s, const bool *active)
{
    bool some[FUNCTIONS][MOST_THREADS] = {{false}};
    uint32_t x[MOST_THREADS] = {0}, y[MOST_THREADS] = {0};
    for (unsigned i = 0; i < m->threads; i++) {
        x[i] = m->all[i].values[s->a];
        y[i] = m->all[i].values[s->b];
        const unsigned called =
            way_of(m, s) == BY_NUMBER ? holds(s, &m->all[i]) : s->form % FUNCTIONS;
        some[called][i] = active[i];
    }
    for (unsigned i = 0; way_of(m, s) != TO_ITSELF && i < FUNCTIONS; i++)
        do_function(m, s, i, some[i]);
    if (way_of(m, s) != TO_ITSELF)
        return;
    do_itself(m, x, y, active);
    for (unsigned i = 0; i < m->threads; i++)
        if (active[i])
            m->all[i].values[s->to] = y[i];
}

/* What an active thread has in its register after it. */
static uint32_t result_of(struct making *m, const struct statement *s, const bool *active,
                          unsigned thread)
{
    struct thread *one = &m->all[thread];
    switch (s->kind) {
    case COMPUTE:
        return computed(s->form, one->values[s->a], one->values[s->b]);
    case PERHAPS:
        return holds(s, one) ? one->values[s->a] ^ one->values[s->b] : one->values[s->to];
    case TAKE:
        return one->shared;
    case SHUFFLE:
        return shuffled(m, s, active, thread);
    case VOTE:
        return voted(m, s, active, thread);
    case MATCH:
        return matched(m, s, active, thread);
    case MEET:
        return one->values[s->a] ^ mask_of(m, active, thread);
    case EXCHANGE:
        return m->all[(one->values[s->b] + thread) % m->threads].shared;
    default:
        return one->values[s->to];
    }
}

/* For all active threads at once: what they read of each other is as it was before. */
static void do_together(struct making *m, const struct statement *s, const bool *active)
{
    uint32_t results[MOST_THREADS] = {0};
    for (unsigned i = 0; i < m->threads; i++) {
        struct thread *thread = &m->all[i];
        if (!active[i])
            continue;
        if (s->kind == STORE || s->kind == LOAD)
            access_slots(s, thread);
        else if (s->kind == KEEP || s->kind == EXCHANGE)
            thread->shared = thread->values[s->a];
        else if (s->kind == ADD)
            m->cells[thread->values[s->a] & (CELLS - 1)] += thread->values[s->b];
    }
    for (unsigned i = 0; i < m->threads; i++)
        if (active[i])
            results[i] = result_of(m, s, active, i);
    for (unsigned i = 0; i < m->threads; i++)
        if (active[i])
            m->all[i].values[s->to] = results[i];
}

static void do_if(struct making *m, const struct statement *s, const bool *active)
{
    bool yes[MOST_THREADS] = {false}, no[MOST_THREADS] = {false};
    for (unsigned i = 0; i < m->threads; i++) {
        yes[i] = active[i] && holds(s, &m->all[i]);
        no[i] = active[i] && !yes[i];
    }
    do_list(m, s->first, yes);
    do_list(m, s->other, no);
}

static void do_loop(struct making *m, const struct statement *s, const bool *active)
{
    bool inside[MOST_THREADS] = {false};
    uint32_t times[MOST_THREADS] = {0};
    for (unsigned i = 0; i < m->threads; i++) {
        inside[i] = active[i];
        times[i] = s->kind == LOOP ? m->all[i].values[s->a] & 3u : s->limit;
    }
    for (uint32_t turn = 0; turn < 4; turn++) {
        for (unsigned i = 0; i < m->threads; i++)
            inside[i] &= turn < times[i];
        do_list(m, s->first, inside);
    }
}

static void do_list(struct making *m, int32_t list, bool *active)
{
    for (; list != NONE; list = m->statements[list].next) {
        const struct statement *s = &m->statements[list];
        if (s->kind == IF)
            do_if(m, s, active);
        else if (s->kind == LOOP || s->kind == ROUNDS)
            do_loop(m, s, active);
        else if (s->kind == CALL)
            do_call(m, s, active);
        else if (s->kind == BREAK || s->kind == LEAVE)
            for (unsigned i = 0; i < m->threads; i++)
                active[i] &= !holds(s, &m->all[i]);
        else
            do_together(m, s, active);
    }
}

static void do_block(struct making *m, int32_t list, const uint32_t *in, uint32_t *out)
{
    bool active[MOST_THREADS] = {false};
    memset(m->all, 0, sizeof m->all);
    for (unsigned i = 0; i < m->threads; i++) {
        active[i] = true;
        memcpy(m->all[i].values, &in[(size_t)i * VALUES], VALUES * sizeof *in);
        m->all[i].values[VALUES] = i;
    }
    do_list(m, list, active);
    for (unsigned i = 0; i < m->threads; i++) {
        memcpy(&out[(size_t)i * RESULTS], m->all[i].slots, sizeof m->all[i].slots);
        if (active[i])
            memcpy(&out[(size_t)i * RESULTS + SLOTS], m->all[i].values, VALUES * sizeof *out);
    }
}

/* ---- On the device ---- */

enum { MOST_RESULTS = BLOCKS * MOST_THREADS * RESULTS };

struct memory {
    CUdeviceptr in, out, cells;
};

static void launch(const struct making *m, const char *text, const struct memory *memory)
{
    CUmodule module;
    CUfunction function;
    void *arguments[] = {(void *)&memory->in, (void *)&memory->out, (void *)&memory->cells};
    check(cuModuleLoadData(&module, text), "cuModuleLoadData");
    check(cuModuleGetFunction(&function, module, "k"), "cuModuleGetFunction");
    check(cuLaunchKernel(function, BLOCKS, 1, 1, m->shape[0], m->shape[1], m->shape[2], 0, NULL,
                         arguments, NULL),
          "cuLaunchKernel");
    check(cuCtxSynchronize(), "cuCtxSynchronize");
    check(cuModuleUnload(module), "cuModuleUnload");
}

static bool is_equal(uint64_t seed, const char *what, const uint32_t *got, const uint32_t *expected,
                     size_t words, size_t words_a_thread)
{
    for (size_t i = 0; i < words; i++)
        if (got[i] != expected[i]) {
            printf("seed %" PRIu64 ": %s %zu: word %zu is %#x, not %#x\n", seed, what,
                   i / words_a_thread, i % words_a_thread, got[i], expected[i]);
            return false;
        }
    return true;
}

static bool compare(struct making *m, uint64_t seed, int32_t list, const char *text,
                    const struct memory *memory)
{
    static uint32_t in[BLOCKS * MOST_THREADS * VALUES], expected[MOST_RESULTS], got[MOST_RESULTS];
    uint32_t cells[CELLS];
    memset(expected, 0, sizeof expected);
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        in[i] = (uint32_t)generator_next(&m->generator);
    for (size_t i = 0; i < BLOCKS; i++)
        do_block(m, list, &in[i * m->threads * VALUES], &expected[i * m->threads * RESULTS]);
    check(cuMemcpyHtoD(memory->in, in, sizeof in), "cuMemcpyHtoD");
    check(cuMemsetD32(memory->out, 0, MOST_RESULTS), "cuMemsetD32");
    check(cuMemsetD32(memory->cells, 0, CELLS), "cuMemsetD32");
    launch(m, text, memory);
    check(cuMemcpyDtoH(got, memory->out, sizeof got), "cuMemcpyDtoH");
    check(cuMemcpyDtoH(cells, memory->cells, sizeof cells), "cuMemcpyDtoH");
    const bool is_right = is_equal(seed, "thread", got, expected, MOST_RESULTS, RESULTS);
    return is_equal(seed, "cells", cells, m->cells, CELLS, CELLS) && is_right;
}

static bool run(uint64_t seed, bool prints, bool has_all_calls, const struct memory *memory)
{
    static const unsigned shapes[][3] = {{32, 1, 1}, {64, 1, 1}, {128, 1, 1}, {45, 1, 1},
                                         {7, 5, 3},  {1, 1, 1},  {16, 12, 1}, {33, 2, 3},
                                         {20, 1, 1}, {8, 8, 2}};
    struct making *m = calloc(1, sizeof *m);
    bool is_right = false;
    if (!m)
        return false;
    generator_start(&m->generator, seed, true);
    m->has_all_calls = has_all_calls;
    memcpy(m->shape, shapes[pick(m, sizeof shapes / sizeof *shapes)], sizeof m->shape);
    m->threads = m->shape[0] * m->shape[1] * m->shape[2];
    const int32_t list = make_kernel(m);
    char *text = module_of(m, list);
    if (text && prints)
        is_right = puts(text) >= 0;
    else if (text)
        is_right = compare(m, seed, list, text, memory);
    free(text);
    free(m);
    return is_right;
}

int main(int count, char **arguments)
{
    struct memory memory = {0};
    uint64_t seed = 1;
    size_t modules = 20, wrong = 0;
    bool prints = false, has_all_calls = false;
    for (int option; (option = getopt(count, arguments, "s:m:pc")) != -1;) {
        if (option == 's')
            seed = strtoull(optarg, NULL, 0);
        else if (option == 'm')
            modules = strtoull(optarg, NULL, 0);
        else if (option == 'p')
            prints = true;
        else if (option == 'c')
            has_all_calls = true;
        else
            return 2;
    }
    if (!prints) {
        begin_device();
        check(cuMemAlloc(&memory.in, (size_t)BLOCKS * MOST_THREADS * VALUES * 4), "cuMemAlloc");
        check(cuMemAlloc(&memory.out, (size_t)MOST_RESULTS * 4), "cuMemAlloc");
        check(cuMemAlloc(&memory.cells, (size_t)CELLS * 4), "cuMemAlloc");
    }
    for (size_t i = 0; i < modules; i++)
        wrong += !run(seed + i, prints, has_all_calls, &memory);
    if (!prints)
        printf("%zu modules, %zu of them wrong\n", modules, wrong);
    return wrong ? 1 : 0;
}
