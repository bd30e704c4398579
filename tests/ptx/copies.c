/* Structures that are copied element by element: which loops stand for loads and stores, and what keeps them where they
 * are. What the loops do is for differential/copies.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/ptx/read.h"

/* Loads of all elements, then stores of all, with something before the stores, among them and behind. */
struct copying {
    const char *load, *from; /* "param.u8", "s" */
    const char *store, *to;
    const char *before, *among, *behind;
    unsigned elements, bytes, stride;
    unsigned jump; /* added to where the second half is loaded from */
};

static char *text_of(const struct copying *c)
{
    char *text = NULL;
    size_t bytes = 0;
    const char *class = c->bytes == 8 ? "d" : c->bytes == 4 ? "r" : "h";
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    fprintf(out,
            PTX_HEAD ".func f(.param .align 8 .b8 p[8192])\n{\nret;\n}\n"
                     ".visible .entry k(.param .align 8 .b8 s[4080], .param .u64 a)\n{\n"
                     ".local .align 8 .b8 L[8192];\n.local .align 8 .b8 M[8192];\n"
                     ".param .align 8 .b8 q[8192];\n.reg .pred %%p;\n.reg .b16 %%h<5000>;\n"
                     ".reg .b32 %%r<5000>, %%rv;\n.reg .b64 %%d<5000>, %%g, %%gg, %%l, %%ll, %%x;\n"
                     "ld.param.u64 %%x, [a];\ncvta.to.global.u64 %%g, %%x;\n"
                     "ld.global.u64 %%gg, [%%g];\nmov.u64 %%ll, L;\ncvta.local.u64 %%l, %%ll;\n"
                     "setp.eq.u64 %%p, %%gg, 0;\n");
    for (unsigned i = 0; i < c->elements; i++)
        fprintf(out, "ld.%s %%%s%u, [%s+%u];\n", c->load, class, i, c->from,
                i * c->stride + (2 * i < c->elements ? 0 : c->jump));
    fprintf(out, "%s\n", c->before ? c->before : "");
    for (unsigned i = 0; i < c->elements; i++) {
        fprintf(out, "st.%s [%s+%u], %%%s%u;\n", c->store, c->to, i * c->stride, class, i);
        if (2 * i + 2 == c->elements)
            fprintf(out, "%s\n", c->among ? c->among : "");
    }
    fprintf(out, "%s\nst.global.u32 [%%g], %%rv;\nret;\n}\n", c->behind ? c->behind : "");
    fclose(out);
    return text;
}

/* Takes the text. */
static struct ptx_kernel translated_text(char *text, enum ptx_pointers pointers, enum ptx_form form)
{
    const struct ptx_target target = {.pointers = pointers,
                                      .is_cpu = form == PTX_FORM_BLOCK,
                                      .has_double = true,
                                      .has_thread_fence = true,
                                      .max_parameter_bytes = 1024,
                                      .force_form = (int)form};
    struct ptx_module *module = read_ptx(text);
    struct ptx_kernel kernel = {0};
    struct ptx_log log = {0};
    const enum ptx_status status = ptx_translate(module, 0, &target, &kernel, &log);
    if (status != PTX_OK)
        printf("%s\n", log.text ? log.text : "(nothing said)");
    free(log.text);
    free(text);
    ptx_module_free(module);
    assert_int_equal(status, PTX_OK);
    return kernel;
}

static struct ptx_kernel translated(const struct copying *c, enum ptx_pointers pointers,
                                    enum ptx_form form)
{
    return translated_text(text_of(c), pointers, form);
}

/* How often a word stands in a text. */
static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        count++;
    return count;
}

static const char loop[] = "for (uint t";

/* That so many loops are in the text, and either so few statements of the elements as they leave or all. */
static void assert_loops(const struct copying *c, size_t loops)
{
    struct ptx_kernel kernel = translated(c, PTX_POINTERS_NUMBERS, PTX_FORM_ITEM);
    const size_t found = count_of(kernel.text, loop), statements = count_of(kernel.text, ";\n");
    if (found != loops || (loops > 0) != (statements < 2 * c->elements)) {
        char *text = text_of(c);
        printf("%s\n%s\n", text, kernel.text);
        fail_msg("%zu loops, not %zu, and %zu statements", found, loops, statements);
    }
    ptx_kernel_free(&kernel);
}

TEST_BODY(ptx_copies_of_thousands_of_elements_are_few_words)
{
    static const struct {
        const char *type;
        unsigned bytes;
    } types[] = {{"u8", 1}, {"s16", 2}, {"f32", 4}, {"b64", 8}};
    static const char *const ways[][4] = {{"param", "s", "local", "L"},
                                          {"param", "s", "param", "q"},
                                          {"local", "L", "param", "q"},
                                          {"local", "L", "global", "%g"},
                                          {"global", "%g", "local", "L"}};
    for (size_t i = 0; i < 4 * 5 * 4; i++) {
        const char *const *way = ways[i / 4 % 5];
        char load[16], store[16];
        const unsigned bytes = types[i % 4].bytes;
        snprintf(load, sizeof load, "%s.%s", way[0], types[i % 4].type);
        snprintf(store, sizeof store, "%s.%s", way[2], types[i % 4].type);
        const struct copying c = {load,
                                  way[1],
                                  store,
                                  way[3],
                                  .behind = "call f, (q);",
                                  .elements = 4000 / bytes,
                                  .bytes = bytes,
                                  .stride = bytes};
        struct ptx_kernel kernel =
            translated(&c, i / 20 % 2 ? PTX_POINTERS_BUFFERS : PTX_POINTERS_NUMBERS,
                       i / 40 ? PTX_FORM_BLOCK : PTX_FORM_ITEM);
        /* Written one by one they are 20,000 bytes for the least of these. */
        if (kernel.text_bytes > 12000 || !strstr(kernel.text, loop))
            fail_msg("%zu bytes: %.4000s", kernel.text_bytes, kernel.text);
        ptx_kernel_free(&kernel);
    }
}

TEST_BODY(ptx_copies_pass_what_they_do_not_meet)
{
    struct copying c = {"param.u8", "s", "local.u8", "L", .elements = 100, .bytes = 1, .stride = 1};
    assert_loops(&c, 1);
    c.before = "st.local.u32 [M], 1;\nst.local.u32 [L+100], 1;\nst.global.u32 [%g+8], 2;\n"
               "ld.global.u32 %rv, [%g];\ndiv.s32 %rv, %rv, 3;\nst.u32 [%gg], 3;";
    c.among = "ld.local.u32 %rv, [M];\nst.local.u32 [M], %rv;";
    assert_loops(&c, 1);
    c.before = c.among = NULL;
    c.from = "s+3";
    c.to = "L+5";
    c.stride = 4; /* with gaps */
    assert_loops(&c, 1);
    c = (struct copying){"local.u32",    "M",        "local.u32", "L",
                         .elements = 64, .bytes = 4, .stride = 4};
    assert_loops(&c, 1);
    c.from = "L+256"; /* right behind */
    assert_loops(&c, 1);
    c.load = "u32"; /* generic, and known to be local */
    c.from = "%l+256";
    assert_loops(&c, 1);
}

TEST_BODY(ptx_copies_of_values_that_are_used_keep_their_loads)
{
    const struct copying c = {
        "param.u32",    "s",        "local.u32", "L", NULL, "mov.u32 %rv, %r3;",
        .elements = 64, .bytes = 4, .stride = 4};
    struct ptx_kernel kernel = translated(&c, PTX_POINTERS_NUMBERS, PTX_FORM_ITEM);
    assert_int_equal(count_of(kernel.text, loop), 1);
    assert_non_null(strstr(kernel.text, "r3 = *"));
    assert_null(strstr(kernel.text, "r4 = *"));
    ptx_kernel_free(&kernel);
}

TEST_BODY(ptx_copies_stay_where_order_matters)
{
    static const char *const disturbances[] = {
        "bar.sync 0;",
        "call f, (q);",
        "E:",
        "@%p st.local.u8 [M], %h0;",
        "ld.volatile.global.u32 %rv, [%g];",
        "st.volatile.global.u32 [%g], %rv;",
        "atom.global.add.u32 %rv, [%g], 1;",
        "membar.gl;",
        "st.u32 [%gg], 7;",
        "mov.u32 %rv, %clock;",
    };
    struct copying c = {"local.u32",     "L",        "global.u32", "%g",
                        .elements = 100, .bytes = 4, .stride = 4};
    for (size_t i = 0; i < sizeof disturbances / sizeof *disturbances; i++) {
        c.before = disturbances[i];
        assert_loops(&c, 0);
    }
    c.before = "st.local.u32 [L+20], 7;"; /* into one of what was loaded */
    struct ptx_kernel kernel = translated(&c, PTX_POINTERS_NUMBERS, PTX_FORM_ITEM);
    assert_non_null(strstr(kernel.text, " < 94u; "));
    assert_non_null(strstr(kernel.text, "r5 = *"));
    assert_null(strstr(kernel.text, "r6 = *"));
    ptx_kernel_free(&kernel);
    c.before = NULL;
    c.among = "ld.u32 %rv, [%gg];"; /* of what was stored before, perhaps: 50 elements are no run */
    assert_loops(&c, 0);
    c.among = "st.local.u32 [L+20], 7;"; /* into one of what was copied */
    assert_loops(&c, 0);
    c.among = "st.global.u32 [%g+20], 7;";
    assert_loops(&c, 0);
    c.among = NULL;
    c.elements = 200;
    c.jump = 8; /* halves from different distances */
    assert_loops(&c, 2);
    c.elements = 100;
    c.jump = 0;
    c.store = "u32"; /* to anywhere, local memory too */
    c.to = "%gg";
    assert_loops(&c, 0);
    c = (struct copying){"global.u32",    "%g",       "global.u32", "%gg",
                         .elements = 100, .bytes = 4, .stride = 4};
    assert_loops(&c, 0);
    c = (struct copying){"local.u32",     "L",        "local.u32", "L+4",
                         .elements = 100, .bytes = 4, .stride = 4};
    assert_loops(&c, 0);
    c = (struct copying){"param.u32",     "s",        "local.u32", "L",
                         .elements = 100, .bytes = 4, .stride = 2};
    assert_loops(&c, 0); /* each writes half of the one before */
    c = (struct copying){"param.u32",    "s",        "local.u32", "L",
                         .elements = 63, .bytes = 4, .stride = 4};
    assert_loops(&c, 0); /* too few */
}

/* More stores between than are kept in mind: that which writes what was loaded is forgotten, its time is not. */
TEST_BODY(ptx_copies_do_not_pass_stores_that_are_forgotten)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    fprintf(out, PTX_HEAD ".visible .entry k(.param .align 8 .b8 s[64], .param .u64 a)\n{\n"
                          ".local .align 8 .b8 L[4000];\n.local .align 8 .b8 M[4000];\n"
                          ".reg .b32 %%r<100>, %%rv;\n.reg .b64 %%g;\nld.param.u64 %%g, [a];\n"
                          "ld.local.u32 %%r0, [L];\nst.local.u32 [L], 7;\n");
    for (unsigned i = 0; i < 31; i++)
        fprintf(out, "st.local.u32 [M+%u], %u;\n", 8 * i, i);
    fprintf(out, "ld.param.u32 %%rv, [s];\nst.local.u32 [M+2000], %%rv;\n"
                 "st.global.u32 [%%g], %%r0;\n");
    for (unsigned i = 1; i < 100; i++)
        fprintf(out, "ld.local.u32 %%r%u, [L+%u];\n", i, 4 * i);
    for (unsigned i = 1; i < 100; i++)
        fprintf(out, "st.global.u32 [%%g+%u], %%r%u;\n", 4 * i, i);
    fprintf(out, "ret;\n}\n");
    fclose(out);
    struct ptx_kernel kernel = translated_text(text, PTX_POINTERS_NUMBERS, PTX_FORM_ITEM);
    assert_int_equal(count_of(kernel.text, loop), 1);
    assert_non_null(strstr(kernel.text, " < 99u; "));
    assert_non_null(strstr(kernel.text, "r0 = *"));
    ptx_kernel_free(&kernel);
}

/* Registers that are parameters have a value before any instruction writes them, and results are read after all. */
TEST_BODY(ptx_copies_leave_registers_that_callers_know)
{
    static const struct {
        const char *load, *store, *behind;
        size_t loops, loads;
    } cases[] = {{"[p+%u]", "[L+%u]", "", 1, 1}, {"[p+%u]", "[at+%u]", "mov.u64 at, L;\n", 0, 100}};
    for (size_t n = 0; n < 2; n++) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *out = open_memstream(&text, &bytes);
        assert_non_null(out);
        fprintf(out,
                PTX_HEAD ".func (.reg .b32 r0) f(.param .align 4 .b8 p[400], .reg .b64 at)\n{\n"
                         ".local .align 8 .b8 L[400];\n.reg .b32 %%r<100>;\n");
        for (unsigned i = 0; i < 100; i++) {
            fprintf(out, i ? "ld.param.u32 %%r%u, " : "ld.param.u32 r%u, ", i);
            fprintf(out, cases[n].load, 4 * i);
            fprintf(out, ";\nst.local.u32 ");
            fprintf(out, cases[n].store, 4 * i);
            fprintf(out, i ? ", %%r%u;\n" : ", r%u;\n", i);
        }
        fprintf(out,
                "%sret;\n}\n.visible .entry k(.param .u64 a)\n{\n.reg .b32 %%r;\n"
                ".reg .b64 %%g;\n.param .align 4 .b8 q[400];\nld.param.u64 %%g, [a];\n"
                "call (%%r), f, (q, %%g);\nst.global.u32 [%%g], %%r;\nret;\n}\n",
                cases[n].behind);
        fclose(out);
        struct ptx_kernel kernel = translated_text(text, PTX_POINTERS_NUMBERS, PTX_FORM_ITEM);
        if (count_of(kernel.text, loop) != cases[n].loops ||
            count_of(kernel.text, " = *(clem_u32_a *)((uchar *)&") != cases[n].loads)
            fail_msg("%s", kernel.text);
        ptx_kernel_free(&kernel);
    }
}

TEST_BODY(ptx_copies_of_structures_in_arrays_are_one_loop)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    fprintf(out, PTX_HEAD ".visible .entry k(.param .align 8 .b8 s[4000])\n{\n"
                          ".local .align 8 .b8 L[4000];\n.reg .b16 %%h<5000>;\n"
                          ".reg .b32 %%r<5000>;\n.reg .b64 %%d<5000>;\n");
    for (unsigned i = 0; i < 40; i++)
        fprintf(out,
                "ld.param.u8 %%h%u, [s+%u];\nld.param.v2.u32 {%%r%u, %%r%u}, [s+%u];\n"
                "ld.param.f64 %%d%u, [s+%u];\n",
                i, 32 * i, 2 * i, 2 * i + 1, 32 * i + 8, i, 32 * i + 16);
    for (unsigned i = 40; i-- > 0;)
        fprintf(out,
                "st.local.f64 [L+%u], %%d%u;\nst.local.v2.u32 [L+%u], {%%r%u, %%r%u};\n"
                "st.local.u8 [L+%u], %%h%u;\n",
                32 * i + 16, i, 32 * i + 8, 2 * i, 2 * i + 1, 32 * i, i);
    fprintf(out, "ret;\n}\n");
    fclose(out);
    const struct ptx_target target = {
        .has_double = true, .max_parameter_bytes = 8192, .force_form = -1};
    struct ptx_module *module = read_ptx(text);
    struct ptx_kernel kernel = {0};
    struct ptx_log log = {0};
    assert_int_equal(ptx_translate(module, 0, &target, &kernel, &log), PTX_OK);
    assert_int_equal(count_of(kernel.text, loop), 1);
    assert_non_null(strstr(kernel.text, " < 40u; "));
    assert_int_equal(count_of(kernel.text, " * 32u] = "), 1);
    assert_int_equal(count_of(kernel.text, " * 8u] = "), 2);
    assert_int_equal(count_of(kernel.text, " * 4u] = "), 1);
    ptx_kernel_free(&kernel);
    ptx_module_free(module);
    free(text);
}
