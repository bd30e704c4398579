/* Texts that ask for far more than they are: each is refused by the name of a budget, or costs time and memory in
 * proportion to its length.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/ptx/read.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif

static const struct ptx_target targets[] = {{.is_cpu = true,
                                             .has_double = true,
                                             .has_int64_atomics = true,
                                             .max_parameter_bytes = 1024,
                                             .max_private_bytes = 65536,
                                             .force_form = -1},
                                            {.pointers = PTX_POINTERS_BUFFERS,
                                             .has_double = true,
                                             .has_int64_atomics = true,
                                             .max_parameter_bytes = 4352,
                                             .force_form = PTX_FORM_BLOCK},
                                            {.is_cpu = true,
                                             .has_double = true,
                                             .has_int64_atomics = true,
                                             .max_parameter_bytes = 1024,
                                             .max_private_bytes = 65536,
                                             .force_form = PTX_FORM_WARP}};

/* ---- Shapes ---- */

/* Writes a text of about so many bytes. */
typedef void write_shape(FILE *out, size_t bytes);

#define KERNEL                                                                                     \
    ".visible .entry k(.param .u64 a)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<99>;\n.reg .b64 "        \
    "%rd<9>;\n"

static void repeat(FILE *out, const char *unit, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += strlen(unit))
        fputs(unit, out);
}

static void fill_kernel(FILE *out, const char *unit, size_t bytes)
{
    fputs(KERNEL, out);
    repeat(out, unit, bytes);
    fputs("ret;\n}\n", out);
}

static void double_calls(FILE *out, const char *last)
{
    fprintf(out, ".func f0() { .reg .b32 %%r<3>; mov.u32 %%r1, 1; %s ret; }\n", last);
    for (int i = 0; i < 30; i++)
        fprintf(out, ".func f%d() { call f%d; call f%d; ret; }\n", i + 1, i, i);
    fputs(".entry k() { call f30; ret; }\n", out);
}

static void doubling(FILE *out, size_t bytes)
{
    (void)bytes;
    double_calls(out, "");
}

static void doubling_barriers(FILE *out, size_t bytes)
{
    (void)bytes;
    double_calls(out, "bar.sync 0;");
}

static void scopes(FILE *out, size_t bytes)
{
    fill_kernel(out, "{.reg .b32 x;mov.u32 x,1;}\n", bytes);
}

static void instructions(FILE *out, size_t bytes)
{
    fill_kernel(out, "ret;", bytes);
}

static void locations(FILE *out, size_t bytes)
{
    fill_kernel(out, ".loc 1 1 1.loc 1 2 1\n", bytes);
}

static void barriers(FILE *out, size_t bytes)
{
    fill_kernel(out, "bar.sync 0;\n", bytes);
}

static void values(FILE *out, size_t bytes)
{
    fputs(".global .b8 t[] = {", out);
    repeat(out, "1,", bytes);
    fputs("1};\n.entry k() { ret; }\n", out);
}

static void addresses(FILE *out, size_t bytes)
{
    fputs(".global .b8 x;\n.global .u64 t[] = {", out);
    repeat(out, "x,", bytes);
    fputs("x};\n.entry k() { ret; }\n", out);
}

static void vector(FILE *out, size_t bytes)
{
    fputs(KERNEL "mov.b64 %rd1, {", out);
    repeat(out, "1,", bytes);
    fputs("1};\nret;\n}\n", out);
}

static void labels(FILE *out, size_t bytes)
{
    fputs(KERNEL, out);
    for (size_t i = 0; i < bytes / 8; i++)
        fprintf(out, "L%zx:", i);
    fputs("ret;\n}\n", out);
}

static void branch_table(FILE *out, size_t bytes)
{
    const size_t count = bytes / 40;
    fputs(KERNEL "t: .branchtargets L0", out);
    for (size_t i = 1; i < count; i++)
        fprintf(out, ",L%zu", i);
    fputs(";\nbrx.idx %r1, t;\n", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "L%zu: mov.u32 %%r1, %zu; bra X;\n", i, i);
    fputs("X: ret;\n}\n", out);
}

static void pending_names(FILE *out, size_t bytes)
{
    enum { DEPTH = 150 };
    fputs(KERNEL, out);
    repeat(out, "{", DEPTH);
    repeat(out, "bra X;", bytes);
    repeat(out, "}", DEPTH);
    fputs("X: ret;\n}\n", out);
}

static void digits(FILE *out, size_t bytes)
{
    fputs(KERNEL, out);
    for (size_t i = 0; i < bytes / 30; i++)
        fprintf(out, "bra a1%08zu;a1%08zu:\n", i, i);
    fputs("ret;\n}\n", out);
}

static void long_name(FILE *out, size_t bytes)
{
    fputs(KERNEL ".reg .b32 ", out);
    repeat(out, "n", bytes);
    fputs(";\nret;\n}\n", out);
}

static void loops(FILE *out, size_t bytes)
{
    fputs(KERNEL, out);
    for (size_t i = 0; i < bytes / 64; i++)
        fprintf(out, "L%zu: add.u32 %%r1,%%r1,1; setp.lt.u32 %%p1,%%r1,%%r2; @%%p1 bra L%zu;\n", i,
                i);
    fputs("ret;\n}\n", out);
}

static void nested_loops(FILE *out, size_t bytes)
{
    const size_t count = bytes / 64;
    fputs(KERNEL, out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "L%zu: add.u32 %%r1,%%r1,1;\n", i);
    for (size_t i = count; i-- > 0;)
        fprintf(out, "setp.lt.u32 %%p1,%%r1,%%r2; @%%p1 bra L%zu;\n", i);
    fputs("ret;\n}\n", out);
}

static void live_registers(FILE *out, size_t bytes)
{
    const size_t count = bytes / 70;
    fprintf(out, ".entry k()\n{\n.reg .pred %%p<2>;\n.reg .b32 %%r<%zu>;\n", count + 1);
    for (size_t i = 0; i < count; i++)
        fprintf(out,
                "L%zu: mov.u32 %%r%zu,%%tid.x; setp.lt.u32 %%p1,%%r%zu,%%r%zu; @%%p1 bra L%zu;\n",
                i, i, i, count - i, i * 7919 % count);
    fputs("ret;\n}\n", out);
}

static void shuffles(FILE *out, size_t bytes)
{
    const size_t count = bytes / 90;
    fprintf(
        out,
        ".entry k(.param .u64 a)\n{\n.reg .pred %%p<2>;\n.reg .b64 %%rd<2>;\n.reg .b32 %%r<%zu>;\n",
        count + 2);
    for (size_t i = 0; i < count; i++)
        fprintf(out,
                "shfl.sync.bfly.b32 %%r%zu|%%p1,%%r%zu,1,31,-1;\nadd.u32 %%r%zu,%%r%zu,%%r%zu;\n",
                i + 1, i, i + 1, i + 1, i);
    fprintf(out, "ld.param.u64 %%rd1,[a];\nst.global.u32 [%%rd1],%%r%zu;\nret;\n}\n", count);
}

static void straight(FILE *out, size_t bytes)
{
    const size_t count = bytes / 30;
    fprintf(out, ".entry k(.param .u64 a)\n{\n.reg .b64 %%rd<2>;\n.reg .b32 %%r<%zu>;\n",
            count + 2);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "add.u32 %%r%zu,%%r%zu,%zu;\n", i + 1, i, i);
    fprintf(out, "ld.param.u64 %%rd1,[a];\nst.global.u32 [%%rd1],%%r%zu;\nret;\n}\n", count);
}

/* What is the same for all threads may be computed again where it is needed, with all that it is computed from. */
static void uniform_chain(FILE *out, size_t bytes)
{
    const size_t count = bytes / 30;
    fprintf(out,
            ".entry k(.param .u64 a)\n{\n.reg .b64 %%rd<2>;\n.reg .b32 %%r<%zu>;\nmov.u32 "
            "%%r0,%%ntid.x;\n",
            count + 2);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "add.u32 %%r%zu,%%r%zu,%zu;\n", i + 1, i, i);
    fprintf(out, "bar.sync 0;\nld.param.u64 %%rd1,[a];\nst.global.u32 [%%rd1],%%r%zu;\nret;\n}\n",
            count);
}

static void kernels(FILE *out, size_t bytes)
{
    const size_t count = bytes / 64;
    fputs(".func c0() { ret; }\n", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, ".func c%zu() { call c%zu; ret; }\n", i + 1, i);
    for (size_t i = 0; i < count; i++)
        fprintf(out, ".entry k%zu() { call c%zu; ret; }\n", i, count);
}

static void tiny_kernels(FILE *out, size_t bytes)
{
    for (size_t i = 0; i < bytes / 20; i++)
        fprintf(out, ".entry k%zu(){ret;}\n", i);
}

static void called_functions(FILE *out, size_t bytes)
{
    for (size_t i = 0; i < bytes / 40; i++)
        fprintf(out, ".func f%zu() { ret; }\n", i);
    fputs(KERNEL, out);
    for (size_t i = 0; i < bytes / 40; i++)
        fprintf(out, "call f%zu;\n", i);
    fputs("ret;\n}\n", out);
}

static void indirect_calls(FILE *out, size_t bytes)
{
    const size_t count = bytes / 80;
    for (size_t i = 0; i < count; i++)
        fprintf(out, ".func f%zu(.param .b32 a) { ret; }\n", i);
    fputs(".global .u64 t[] = {f0", out);
    for (size_t i = 1; i < count; i++)
        fprintf(out, ",f%zu", i);
    fputs("};\n" KERNEL ".param .b32 q;\nP: .callprototype _ (.param .b32 _);\n", out);
    repeat(out, "call %rd1, (q), P;\n", bytes / 4);
    fputs("ret;\n}\n", out);
}

static void parameters(FILE *out, size_t bytes)
{
    const size_t count = bytes / 60;
    fputs(".func f(.param .b32 p", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, ",.param .b32 p%zu", i);
    fputs(") { ret; }\n" KERNEL ".param .b32 q;\n", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, ".param .b32 q%zu;\n", i);
    fputs("call f, (q", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, ",q%zu", i);
    fputs(");\nret;\n}\n", out);
}

static void call_sites(FILE *out, size_t bytes)
{
    fputs(".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<9>; ld.param.u32 %r1, [a]; "
          "st.param.b32 [r], %r1; ret; }\n",
          out);
    fill_kernel(out,
                "{.param .b32 q;.param .b32 z;st.param.b32 [q],%r1;call (z),f,(q);"
                "ld.param.b32 %r2,[z];}\n",
                bytes);
}

static void shared_variables(FILE *out, size_t bytes)
{
    const size_t count = bytes / 50;
    for (size_t i = 0; i < count; i++)
        fprintf(out, ".shared .b8 s%zu[4];\n", i);
    fputs(KERNEL, out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "ld.shared.u8 %%r1, [s%zu];\n", i);
    fputs("ret;\n}\n", out);
}

static void parentheses(FILE *out, size_t bytes)
{
    fputs(KERNEL "mov.u32 %r1, ", out);
    repeat(out, "(", bytes);
}

static void generics(FILE *out, size_t bytes)
{
    fputs(".global .u64 x = ", out);
    repeat(out, "generic(", bytes);
}

static void ternaries(FILE *out, size_t bytes)
{
    fputs(KERNEL "mov.u32 %r1, ", out);
    repeat(out, "1 ? 1 : ", bytes);
}

static void nested_lists(FILE *out, size_t bytes)
{
    fputs(KERNEL "mov.u32 %r1, ", out);
    repeat(out, "{", bytes);
}

static void nested_scopes(FILE *out, size_t bytes)
{
    fputs(KERNEL, out);
    repeat(out, "{", bytes);
}

static void chained_calls(FILE *out, size_t bytes)
{
    fputs(".func c0() { bar.sync 0; ret; }\n", out);
    for (size_t i = 0; i < bytes / 32; i++)
        fprintf(out, ".func c%zu() { call c%zu; ret; }\n", i + 1, i);
    fprintf(out, ".entry k() { call c%zu; ret; }\n", bytes / 32);
}

static void large_array(FILE *out, size_t bytes)
{
    (void)bytes;
    fputs(".shared .b8 s[1099511627776];\n.entry k() { .local .b8 l[1099511627776]; ret; }\n", out);
}

enum { SHORT = 200 << 10, LONG = 600 << 10, LONGEST = 1 << 20 };

static const struct shape {
    const char *name;
    write_shape *write;
    size_t bytes;
    enum ptx_status parsed, translated[2]; /* translated: for each target, the first entry */
    const char *words;                     /* that the log has then */
} shapes[] = {
#define ALL_OK            PTX_OK, {PTX_OK, PTX_OK}, NULL
#define TOO_LARGE(name)   PTX_OK, {PTX_E_TOO_LARGE, PTX_E_TOO_LARGE}, "its budget of \"" name "\""
#define UNREADABLE(words) PTX_E_SYNTAX, {PTX_OK, PTX_OK}, words
    {"doubling", doubling, 0, TOO_LARGE("inlined instructions")},
    {"doubling with barriers", doubling_barriers, 0, TOO_LARGE("inlined instructions")},
    {"indirect calls", indirect_calls, SHORT, TOO_LARGE("inlined instructions")},
    {"scopes", scopes, LONG, ALL_OK},
    {"instructions", instructions, SHORT, ALL_OK},
    {"locations", locations, LONG, ALL_OK},
    {"barriers", barriers, SHORT, TOO_LARGE("memory of a module")},
    {"values", values, LONG, ALL_OK},
    {"addresses", addresses, LONGEST, PTX_E_TOO_LARGE, {PTX_OK, PTX_OK}, "memory of a module"},
    {"a vector",
     vector,
     LONG,
     PTX_OK,
     {PTX_E_UNSUPPORTED, PTX_E_UNSUPPORTED},
     "a vector of this size"},
    {"labels", labels, LONG, ALL_OK},
    {"a branch table", branch_table, LONGEST, TOO_LARGE("steps of analysis")},
    {"pending names", pending_names, SHORT, ALL_OK},
    {"digits", digits, SHORT, ALL_OK},
    {"a long name", long_name, LONG, ALL_OK},
    {"loops", loops, LONG, ALL_OK},
    {"nested loops", nested_loops, LONGEST, TOO_LARGE("steps of analysis")},
    {"live registers",
     live_registers,
     LONGEST,
     PTX_OK,
     {PTX_OK, PTX_E_TOO_LARGE},
     "memory of a module"},
    {"shuffles", shuffles, SHORT, ALL_OK},
    {"more shuffles", shuffles, LONG, TOO_LARGE("memory of a module")},
    {"straight", straight, LONG, ALL_OK},
    {"a uniform chain", uniform_chain, LONG, ALL_OK},
    {"kernels", kernels, LONGEST, PTX_E_TOO_LARGE, {PTX_OK, PTX_OK}, "steps of analysis"},
    {"tiny kernels", tiny_kernels, LONG, PTX_E_TOO_LARGE, {PTX_OK, PTX_OK}, "kernels of a module"},
    {"called functions", called_functions, SHORT, ALL_OK},
    {"parameters", parameters, LONG, TOO_LARGE("memory of a module")},
    {"call sites", call_sites, SHORT, ALL_OK},
    {"shared variables", shared_variables, LONGEST, TOO_LARGE("steps of analysis")},
    {"parentheses", parentheses, LONG, UNREADABLE("nested too deeply")},
    {"generics", generics, LONG, UNREADABLE("nested too deeply")},
    {"ternaries", ternaries, LONG, UNREADABLE("nested too deeply")},
    {"nested lists", nested_lists, LONG, UNREADABLE("nested too deeply")},
    {"nested scopes", nested_scopes, LONG, UNREADABLE("nested too deeply")},
    {"chained calls",
     chained_calls,
     LONG,
     PTX_OK,
     {PTX_E_UNSUPPORTED, PTX_E_UNSUPPORTED},
     "nested deeper"},
    {"large arrays", large_array, 0, ALL_OK},
};

/* ---- Measuring ---- */

struct cost {
    double seconds; /* of CPU */
    size_t memory;  /* most bytes at once, beyond those of the process before */
};

static char *shape_text(write_shape *write, size_t bytes, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    assert_non_null(out);
    fputs(PTX_HEAD, out);
    write(out, bytes);
    fclose(out);
    return text;
}

static bool has_words(const struct ptx_log *log, const char *words)
{
    const bool has = !words || (log->text && strstr(log->text, words));
    if (!has)
        printf("'%s' does not say '%s'\n", log->text ? log->text : "", words);
    return has;
}

static bool is_as_expected(const struct shape *shape, const char *text, size_t length)
{
    struct ptx_module *module = NULL;
    struct ptx_log log = {0};
    const enum ptx_status status = ptx_module_parse(text, length, &module, &log);
    bool is_right = status == shape->parsed && (status == PTX_OK || has_words(&log, shape->words));
    for (size_t i = 0; module && i < 2; i++) {
        struct ptx_kernel kernel = {0};
        struct ptx_log why = {0};
        const enum ptx_status outcome = ptx_translate(module, 0, &targets[i], &kernel, &why);
        is_right &=
            outcome == shape->translated[i] && (outcome == PTX_OK || has_words(&why, shape->words));
        if (outcome != shape->translated[i])
            printf("target %zu: status %d, not %d: %s\n", i, outcome, shape->translated[i],
                   why.text ? why.text : "");
        ptx_kernel_free(&kernel);
        free(why.text);
    }
    ptx_module_free(module);
    free(log.text);
    return is_right;
}

/* In a process of its own, whose memory is its own. */
static struct cost measure(const struct shape *shape, const char *text, size_t length)
{
    struct rusage before, after;
    int status = -1;
    fflush(stdout);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        getrusage(RUSAGE_SELF, &before);
        const struct rlimit stack = {512 << 10, 512 << 10};
        if (!IS_SANITIZED)
            setrlimit(RLIMIT_STACK, &stack);
        const bool is_right = is_as_expected(shape, text, length);
        fflush(stdout);
        _exit(!is_right);
    }
    getrusage(RUSAGE_SELF, &before);
    assert_int_equal(wait4(child, &status, 0, &after), child);
    if (status != 0)
        fail_msg("%s: status %d", shape->name, status);
    return (struct cost){(double)(after.ru_utime.tv_sec + after.ru_stime.tv_sec) +
                             (double)(after.ru_utime.tv_usec + after.ru_stime.tv_usec) * 1e-6,
                         (size_t)after.ru_maxrss << 10};
}

static bool is_refused(const struct shape *shape)
{
    return shape->parsed != PTX_OK ||
           (shape->translated[0] != PTX_OK && shape->translated[1] != PTX_OK);
}

/* Of CPU. What is taken is translated twice. */
static double most_seconds(const struct shape *shape)
{
    if (IS_SANITIZED)
        return 60;
    return is_refused(shape) ? 2 : 4;
}

/* Memory: of the whole process that reads the text and translates a kernel of it twice. */
TEST_BODY(ptx_budgets_bound_every_shape)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shape *shape = &shapes[i];
        size_t length = 0;
        char *text = shape_text(shape->write, shape->bytes, &length);
        const struct cost cost = measure(shape, text, length);
        printf("%-24s %8zu bytes %6.2f s %7.1f MB\n", shape->name, length, cost.seconds,
               (double)cost.memory / 1e6);
        if (cost.seconds > most_seconds(shape))
            fail_msg("%s: %.2f s", shape->name, cost.seconds);
        if (!IS_SANITIZED && cost.memory > ((size_t)64 << 20) + 40 * length)
            fail_msg("%s: %zu bytes", shape->name, cost.memory);
        free(text);
    }
}

/* Ten times the text costs about ten times as much. */
TEST_BODY(ptx_budgets_grow_with_the_text)
{
    write_shape *const writers[] = {straight, scopes, loops, values};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        const struct shape shape = {"a long text", writers[i], 0, ALL_OK};
        double seconds[2];
        for (int k = 0; k < 2; k++) {
            size_t length = 0;
            char *text = shape_text(writers[i], k ? 2500000 : 250000, &length);
            seconds[k] = measure(&shape, text, length).seconds;
            free(text);
        }
        printf("%.2f s, %.2f s\n", seconds[0], seconds[1]);
        assert_true(seconds[1] < 25 * seconds[0] + 0.5);
    }
}

/* More than the largest kernels of block-wide libraries have. */
TEST_BODY(ptx_budgets_leave_room)
{
    const struct shape many = {"300 shuffles", shuffles, 27000, ALL_OK};
    const struct shape barred = {"4000 barriers", barriers, 48000, ALL_OK};
    size_t length = 0;
    char *text = shape_text(many.write, many.bytes, &length);
    assert_true(is_as_expected(&many, text, length));
    free(text);
    text = shape_text(barred.write, barred.bytes, &length);
    assert_true(is_as_expected(&barred, text, length));
    free(text);
}

/* Things of one name in many scopes are told apart, and a name that is taken is passed over. */
TEST_BODY(ptx_budgets_names_stay_apart)
{
    struct ptx_module *module =
        read_ptx(PTX_HEAD ".entry k() { .reg .b32 x, x__2; {.reg .b32 x;} {.reg .b32 x;} "
                          "{.reg .b32 x__2;} ret; }\n.entry l() { {.reg .b32 x;} {.reg .b32 x;} }");
    static const char *const names[] = {"x", "x__2", "x__1", "x__3", "x__2__1"};
    const struct ptx_function *k = ptx_find_function(module, "k");
    const struct ptx_function *l = ptx_find_function(module, "l");
    assert_int_equal(k->register_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(k->registers[i].name, names[i]);
    assert_string_equal(l->registers[1].name, "x__1");
    ptx_module_free(module);
}

/* Texts that are linked: names by the hundred thousand, and empty statements. */
TEST_BODY(ptx_budgets_of_links)
{
    enum { NAMES = 60000 };
    char *texts[2] = {NULL}, *merged = NULL;
    size_t bytes = 0;
    for (int i = 0; i < 2; i++) {
        FILE *out = open_memstream(&texts[i], &bytes);
        assert_non_null(out);
        fputs(PTX_HEAD, out);
        for (int k = 0; k < NAMES; k++)
            fprintf(out, ".global .u32 v%d;\n", k);
        fprintf(out, ".visible .entry k%d() { .reg .b64 %%rd<2>; mov.u64 %%rd1, v7; ret; }\n", i);
        repeat(out, ";", 1 << 20);
        fclose(out);
    }
    struct rusage before, after;
    struct ptx_log log = {0};
    getrusage(RUSAGE_SELF, &before);
    assert_int_equal(ptx_merge((const char *const *)texts, (const char *const[]){"a", "b"}, 2,
                               &merged, &bytes, &log),
                     PTX_OK);
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_utime.tv_sec - before.ru_utime.tv_sec < (IS_SANITIZED ? 30 : 2));
    assert_non_null(strstr(merged, "mov.u64 %rd1, v7__1"));
    struct ptx_module *module = read_ptx(merged);
    assert_int_equal(module->variable_count, 2 * NAMES);
    ptx_module_free(module);
    free(merged);
    free(log.text);
    free(texts[0]);
    free(texts[1]);
}
