/* What is told of a module: its kernels, variables, first values.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/ptx/read.h"

TEST_BODY(ptx_parameters_lie_as_in_a_struct)
{
    struct ptx_module *m = read_ptx(
        PTX_HEAD
        ".visible .entry k(.param .u8 a, .param .u64 b, .param .align 4 .b8 c[6], .param .u16 d,\n"
        ".param .align 16 .b8 e[20])\n{ ret; }\n");
    const struct ptx_entry *entry = ptx_module_entry(m, 0);
    static const struct ptx_parameter wanted[] = {
        {0, 1, 1}, {8, 8, 8}, {16, 6, 4}, {22, 2, 2}, {32, 20, 16}};
    assert_string_equal(entry->name, "k");
    assert_int_equal(entry->parameter_count, 5);
    assert_int_equal(entry->parameter_bytes, 52);
    for (size_t i = 0; i < 5; ++i) {
        assert_int_equal(entry->parameters[i].offset, wanted[i].offset);
        assert_int_equal(entry->parameters[i].bytes, wanted[i].bytes);
        assert_int_equal(entry->parameters[i].alignment, wanted[i].alignment);
    }
    ptx_module_free(m);
}

static void assert_values(const char *declaration, const void *values, size_t bytes)
{
    char text[2048];
    snprintf(text, sizeof text, PTX_HEAD ".visible %s;\n", declaration);
    struct ptx_module *m = read_ptx(text);
    assert_int_equal(ptx_module_symbol_count(m), 1);
    const struct ptx_symbol *symbol = ptx_module_symbol(m, 0);
    assert_int_equal(symbol->bytes, bytes);
    assert_memory_equal(ptx_module_block_values(m, symbol->block) + symbol->offset, values, bytes);
    ptx_module_free(m);
}

TEST_BODY(ptx_first_values_of_every_form)
{
    static const int32_t numbers[] = {1, -2, 0x10, 0};
    assert_values(".global .s32 x[4] = {1, -2, 0x10}", numbers, sizeof numbers);
    assert_values(".global .s32 x[] = {1, 0-2, 8 + 8, 0}", numbers, sizeof numbers);
    static const int32_t nested[2][2][2] = {{{1, 2}, {3, 0}}, {{4, 0}, {0, 0}}};
    assert_values(".global .s32 x[2][2][2] = {{{1, 2}, {3}}, {{4}}}", nested, sizeof nested);
    assert_values(".global .s32 x[][2][2] = {{{1, 2}, {3}}, {{4}}}", nested, sizeof nested);
    static const float floats[] = {1.0f, -0.5f, 3.0f, 0.1f};
    assert_values(".const .f32 x[4] = {0f3F800000, -0f3F000000, 3, 0.1}", floats, sizeof floats);
    static const double doubles[] = {1.0, 0.5};
    assert_values(".const .f64 x[2] = {0d3FF0000000000000, 0f3F000000}", doubles, sizeof doubles);
    assert_values(".const .v4 .f32 x = {0f3F800000, -0f3F000000, 3, 0.1}", floats, sizeof floats);
    assert_values(".global .v2 .s32 x[4] = {{1, 2}, {3, 0}, {4}}", nested, sizeof nested);
    static const char text[8] = "a\n\"b";
    assert_values(".global .b8 x[8] = {\"a\\n\\\"b\"}", text, sizeof text);
    assert_values(".global .b8 x[8] = \"a\\n\\\"b\"", text, sizeof text);
    static const int64_t wide = INT64_MIN;
    assert_values(".global .u64 x = 1 << 63", &wide, sizeof wide);
    static const uint8_t byte = 0xfe;
    assert_values(".global .u8 x = -2", &byte, sizeof byte);
    static const uint8_t none[16];
    assert_values(".global .align 16 .b8 x[16]", none, sizeof none);
}

TEST_BODY(ptx_blocks_hold_each_kind_of_variable)
{
    struct ptx_module *m = read_ptx(
        PTX_HEAD ".global .u8 a;\n.visible .global .align 8 .u32 b = 7;\n.const .u16 c = 9;\n"
                 ".visible .global .attribute(.managed) .u32 d = 11;\n.global .texref t;\n"
                 ".global .surfref s;\n.weak .const .u64 e;\n.shared .u32 f;\n"
                 ".visible .entry k() { .global .u32 inner = 13; ret; }\n");
    static const struct {
        const char *name;
        enum ptx_block block;
        size_t offset, bytes;
        bool is_visible;
    } rows[] = {{"a", PTX_BLOCK_DEVICE, 0, 1, false},
                {"b", PTX_BLOCK_DEVICE, 8, 4, true},
                {"c", PTX_BLOCK_CONSTANT, 0, 2, false},
                {"d", PTX_BLOCK_MANAGED, 0, 4, true},
                {"e", PTX_BLOCK_CONSTANT, 8, 8, true}};
    assert_int_equal(ptx_module_symbol_count(m), 5);
    for (size_t i = 0; i < 5; ++i) {
        const struct ptx_symbol *symbol = ptx_module_symbol(m, i);
        assert_string_equal(symbol->name, rows[i].name);
        assert_int_equal(symbol->block, rows[i].block);
        assert_int_equal(symbol->offset, rows[i].offset);
        assert_int_equal(symbol->bytes, rows[i].bytes);
        assert_int_equal(symbol->is_visible, rows[i].is_visible);
    }
    assert_int_equal(ptx_module_block_bytes(m, PTX_BLOCK_DEVICE), 16);
    assert_int_equal(ptx_module_block_bytes(m, PTX_BLOCK_CONSTANT), 16);
    assert_int_equal(ptx_module_block_values(m, PTX_BLOCK_DEVICE)[8], 7);
    assert_int_equal(ptx_module_block_values(m, PTX_BLOCK_DEVICE)[12], 13);
    assert_int_equal(ptx_module_block_values(m, PTX_BLOCK_MANAGED)[0], 11);
    assert_int_equal(ptx_module_reference_count(m), 2);
    assert_string_equal(ptx_module_reference(m, 0)->name, "t");
    assert_false(ptx_module_reference(m, 0)->is_surface);
    assert_true(ptx_module_reference(m, 1)->is_surface);
    ptx_module_free(m);
}

TEST_BODY(ptx_addresses_become_relocations)
{
    struct ptx_module *m = read_ptx(
        PTX_HEAD ".func f() { ret; }\n.global .u32 x[8];\n.const .u64 y = 1;\n"
                 ".global .u64 p[6] = {x, x+8, generic(y), generic(x+4)+8, generic(y)-1, f};\n"
                 ".global .align 8 .b8 q[4] = {0xFF(x), 0xFF00(x), 0xFF0000(generic(x)+1), 5};\n"
                 ".global .u32 low = x;\n");
    static const struct {
        size_t offset, bytes, first;
        bool is_function;
        enum ptx_block target;
        uint64_t addend;
    } rows[] = {{32, 8, 0, false, PTX_BLOCK_DEVICE, 0},
                {40, 8, 0, false, PTX_BLOCK_DEVICE, 8},
                {48, 8, 0, false, PTX_BLOCK_CONSTANT, 0},
                {56, 8, 0, false, PTX_BLOCK_DEVICE, 12},
                {64, 8, 0, false, PTX_BLOCK_CONSTANT, UINT64_MAX},
                {72, 8, 0, true, PTX_BLOCK_CONSTANT, 1},
                {80, 1, 0, false, PTX_BLOCK_DEVICE, 0},
                {81, 1, 1, false, PTX_BLOCK_DEVICE, 0},
                {82, 1, 2, false, PTX_BLOCK_DEVICE, 1},
                {84, 4, 0, false, PTX_BLOCK_DEVICE, 0}};
    assert_int_equal(ptx_module_relocation_count(m), sizeof rows / sizeof *rows);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const struct ptx_relocation *made = ptx_module_relocation(m, i);
        assert_int_equal(made->block, PTX_BLOCK_DEVICE);
        assert_int_equal(made->offset, rows[i].offset);
        assert_int_equal(made->bytes, rows[i].bytes);
        assert_int_equal(made->first, rows[i].first);
        assert_int_equal(made->is_function, rows[i].is_function);
        assert_int_equal(made->target, rows[i].target);
        assert_int_equal(made->addend, rows[i].addend);
    }
    assert_int_equal(ptx_module_block_values(m, PTX_BLOCK_DEVICE)[83], 5);
    ptx_module_free(m);
}

TEST_BODY(ptx_entries_know_what_they_reach)
{
    struct ptx_module *m = read_ptx(
        PTX_HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                 ".extern .func (.param .b64 r) malloc(.param .b64 a);\n"
                 ".extern .func __assertfail(.param .b64 a);\n"
                 ".shared .align 8 .b8 both[10];\n.extern .shared .align 16 .b8 dynamic[];\n"
                 ".func deep() { .shared .u32 own; call (_), vprintf, (0, 0); ret; }\n"
                 ".func middle() { call deep; ret; }\n"
                 ".func by_number() { call (_), malloc, (0); ret; }\n"
                 ".visible .entry a() { .local .align 16 .b8 l[20]; .reg .u32 %r; call middle;\n"
                 "ld.shared.u32 %r, [both]; call deep; ld.shared.u32 %r, [dynamic]; ret; }\n"
                 ".visible .entry b() { call __assertfail, (0); ret; }\n"
                 ".visible .entry c() { .reg .u64 %f; mov.u64 %f, by_number; call %f, (); ret; }\n"
                 ".visible .entry d() { ret; }\n");
    assert_int_equal(ptx_module_entry_count(m), 4);
    const struct ptx_entry *a = ptx_module_entry(m, 0), *b = ptx_module_entry(m, 1);
    const struct ptx_entry *c = ptx_module_entry(m, 2), *d = ptx_module_entry(m, 3);
    assert_true(a->uses_printf && !a->uses_malloc && !a->uses_assert);
    assert_true(!b->uses_printf && !b->uses_malloc && b->uses_assert);
    assert_true(!c->uses_printf && c->uses_malloc && !c->uses_assert);
    assert_true(!d->uses_printf && !d->uses_malloc && !d->uses_assert);
    assert_true(a->shared_bytes >= 14 && a->shared_bytes <= 16);
    assert_int_equal(a->shared_alignment, 16);
    assert_int_equal(a->local_bytes, 20);
    assert_int_equal(d->shared_bytes, 0);
    ptx_module_free(m);
}

TEST_BODY(ptx_finds_by_name)
{
    struct ptx_module *m =
        read_ptx(PTX_HEAD ".global .u32 b, a, c;\n.func g() { }\n.func f() { }\n");
    assert_string_equal(ptx_find_variable(m, "a")->name, "a");
    assert_string_equal(ptx_find_variable(m, "c")->name, "c");
    assert_null(ptx_find_variable(m, "f"));
    assert_string_equal(ptx_find_function(m, "f")->name, "f");
    assert_null(ptx_find_function(m, "a"));
    ptx_module_free(m);
    m = read_ptx(PTX_HEAD);
    assert_null(ptx_find_function(m, "f"));
    assert_null(ptx_find_variable(m, "a"));
    ptx_module_free(m);
}

/* Only the bytes that are stored count: a number may be zero in those. */
TEST_BODY(ptx_layout_stores_low_bytes)
{
    struct ptx_module *module = read_ptx(
        PTX_HEAD ".global .b8 x[80] = {256, 512, 63, 0, 255};\n.global .b8 y[9] = {0, 256};\n");
    char *printed = print_ptx(module);
    assert_non_null(strstr(printed, "x[80] = {0, 0, 63U, 0U, 255U};"));
    assert_non_null(strstr(printed, "y[9];"));
    free(printed);
    ptx_module_free(module);
}

TEST_BODY(ptx_layout_bounds_parameters)
{
    static const struct {
        const char *version, *target;
        unsigned bytes, most;
    } rows[] = {{"7.5", "sm_61", 4096, 4096},    {"7.5", "sm_61", 4097, 4096},
                {"7.5", "sm_75", 32764, 32764},  {"8.1", "sm_61", 4100, 4096},
                {"8.1", "sm_70", 32764, 32764},  {"9.0", "sm_90a", 32765, 32764},
                {"9.0", "sm_75", 4194304, 32764}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        char text[512], words[128];
        snprintf(text, sizeof text,
                 ".version %s\n.target %s\n.address_size 64\n.entry small(.param .u32 n) { ret; }\n"
                 ".entry large(.param .u32 n, .param .b8 s[%u]) { ret; }\n",
                 rows[i].version, rows[i].target, rows[i].bytes - 4);
        snprintf(words, sizeof words, "'large' has %u bytes of parameters, more than %u",
                 rows[i].bytes, rows[i].most);
        if (rows[i].bytes <= rows[i].most)
            ptx_module_free(read_ptx(text));
        else
            assert_refused(text, words);
    }
}

TEST_BODY(ptx_modules_have_several_owners)
{
    static const struct ptx_managed_place place = {"host", 64};
    struct ptx_module *m =
        read_ptx(PTX_HEAD ".visible .global .align 4 .u32 host;\n.visible .entry k()\n{ ret; }\n");
    struct ptx_module *same = ptx_module_hold(m);
    assert_ptr_equal(same, m);
    assert_int_equal(ptx_module_manage(m, &place, 1, 128), PTX_OK);
    assert_int_equal(ptx_module_manage(same, &place, 1, 128), PTX_OK);
    assert_int_equal(ptx_module_manage(same, &place, 1, 256), PTX_E_UNSUPPORTED);
    ptx_module_free(m);
    assert_int_equal(ptx_module_block_bytes(same, PTX_BLOCK_MANAGED), 128);
    assert_int_equal(ptx_module_symbol(same, 0)->offset, 64);
    ptx_module_free(same);
}
