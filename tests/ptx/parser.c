/* Reading PTX: instructions, operands, scopes, directives.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/ptx/read.h"

#include "kernels/ptx/ir/words.h"

/* ---- Words ---- */

TEST_BODY(ptx_words_find_every_opcode)
{
    for (unsigned opcode = 0; opcode < PTX_OPCODES; ++opcode) {
        const char *name = ptx_opcode_name((enum ptx_opcode)opcode);
        struct ptx_instruction made;
        ptx_decode_words(name, strlen(name), &made);
        assert_int_equal(made.opcode, opcode);
    }
}

TEST_BODY(ptx_words_find_every_type)
{
    for (int type = PTX_B8; type < PTX_TYPES; ++type) {
        char words[32];
        snprintf(words, sizeof words, "mov.%s", ptx_type_name((enum ptx_type)type));
        struct ptx_instruction made;
        ptx_decode_words(words, strlen(words), &made);
        assert_int_equal(made.opcode, PTX_OPCODE_mov);
        assert_int_equal(made.type_count, 1);
        assert_int_equal(made.types[0], type);
    }
}

static struct ptx_instruction decoded(const char *words)
{
    struct ptx_instruction made;
    ptx_decode_words(words, strlen(words), &made);
    return made;
}

TEST_BODY(ptx_words_say_what_they_say)
{
    struct ptx_instruction in = decoded("cvt.rni.ftz.sat.s32.f32");
    assert_int_equal(in.rounding, PTX_ROUND_RNI);
    assert_int_equal(in.flags, PTX_FTZ | PTX_SAT);
    assert_int_equal(in.types[0], PTX_S32);
    assert_int_equal(in.types[1], PTX_F32);
    in = decoded("setp.hi.and.u32");
    assert_int_equal(in.compare, PTX_CMP_HI);
    assert_int_equal(in.operation, PTX_OP_AND);
    in = decoded("mul.hi.u32");
    assert_int_equal(in.flags, PTX_HI);
    assert_int_equal(in.compare, PTX_COMPARE_NONE);
    in = decoded("ld.relaxed.gpu.global.L1::no_allocate.L2::128B.v4.u32");
    assert_int_equal(in.opcode, PTX_OPCODE_ld);
    assert_int_equal(in.order, PTX_ORDER_RELAXED);
    assert_int_equal(in.scope, PTX_SCOPE_GPU);
    assert_int_equal(in.space, PTX_SPACE_GLOBAL);
    assert_int_equal(in.width, 4);
    in = decoded("atom.shared::cta.cas.b64");
    assert_int_equal(in.space, PTX_SPACE_SHARED);
    assert_int_equal(in.operation, PTX_OP_CAS);
    in = decoded("cvta.to.const.u64");
    assert_int_equal(in.operation, PTX_OP_TO);
    assert_int_equal(in.space, PTX_SPACE_CONST);
    in = decoded("cp.async.cg.shared.global.L2::128B");
    assert_int_equal(in.opcode, PTX_OPCODE_cp);
    assert_int_equal(in.space, PTX_SPACE_SHARED);
    assert_int_equal(in.second_space, PTX_SPACE_GLOBAL);
    in = decoded("bar.red.popc.u32");
    assert_int_equal(in.operation, PTX_OP_RED);
    assert_int_equal(in.second_operation, PTX_OP_POPC);
    in = decoded("vote.sync.uni.pred");
    assert_int_equal(in.operation, PTX_OP_UNI);
    assert_int_equal(in.flags, PTX_SYNC);
    in = decoded("bra.uni");
    assert_int_equal(in.flags, PTX_UNI);
    in = decoded("shf.r.wrap.b32");
    assert_int_equal(in.operation, PTX_OP_R);
    assert_int_equal(in.flags, PTX_SHIFT_WRAP);
    in = decoded("sured.b.add.2d.u32.clamp");
    assert_int_equal(in.operation, PTX_OP_B);
    assert_int_equal(in.second_operation, PTX_OP_ADD);
    assert_int_equal(in.border, PTX_OP_CLAMP);
    assert_int_equal(in.geometry, PTX_2D);
    in = decoded("tld4.b.2d.v4.u32.f32");
    assert_int_equal(in.operation, PTX_OP_COMPONENT_B);
    assert_int_equal(decoded("mul.unheardof.f32").opcode, PTX_OPCODES);
    assert_int_equal(decoded("unheardof.f32").opcode, PTX_OPCODES);
}

/* ---- Operands ---- */

TEST_BODY(ptx_reads_every_form_of_operand)
{
    struct ptx_module *m =
        read_ptx(PTX_BODY(".reg .v4 .f32 %v;\n.shared .b8 s[64];\n"
                          "ld.global.f32 %f1, [%rd1+-4];\n"
                          "ld.global.v2.u32 {%r1, _}, [4096];\n"
                          "ld.shared.u32 %r1, [s+8];\n"
                          "setp.lt.and.s32 %p1|%p2, %r1, -5, !%p3;\n"
                          "mov.f32 %f1, %v.z;\n"
                          "mov.u32 %r1, %ntid.y;\n"
                          "mov.f32 %f1, 0f40490FDB;\n"
                          "mov.u64 %rd1, s+4;\n"
                          "tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1,%r2}];\n"
                          "mov.f64 %fd1, -1.5;\n"
                          "mov.u32 %r1, %tid.w;\n"
                          "@!%p1 mov.u32 %r1, WARP_SZ;"));
    const struct ptx_operand *at = instruction_at(m, 0)->operands;
    assert_int_equal(at[1].kind, PTX_OPERAND_ADDRESS);
    assert_true(at[1].index >= 0 && at[1].bits == -4);
    at = instruction_at(m, 1)->operands;
    assert_int_equal(at[0].kind, PTX_OPERAND_VECTOR);
    assert_int_equal(at[0].count, 2);
    assert_int_equal(at[0].list[1].kind, PTX_OPERAND_SINK);
    assert_true(at[1].kind == PTX_OPERAND_ADDRESS && at[1].index == -1 && at[1].bits == 4096);
    at = instruction_at(m, 2)->operands;
    assert_string_equal(at[1].variable->name, "s");
    assert_int_equal(at[1].bits, 8);
    at = instruction_at(m, 3)->operands;
    assert_true(instruction_at(m, 3)->has_second_destination);
    assert_int_equal(instruction_at(m, 3)->operand_count, 5);
    assert_int_equal(at[3].bits, -5);
    assert_true(at[4].is_negated);
    assert_int_equal(instruction_at(m, 4)->operands[1].part, 3);
    assert_int_equal(instruction_at(m, 5)->operands[1].index, PTX_NTID_Y);
    assert_int_equal(instruction_at(m, 6)->operands[1].bits, 0x40490fdb);
    at = instruction_at(m, 7)->operands;
    assert_true(at[1].kind == PTX_OPERAND_VARIABLE && at[1].bits == 4);
    at = instruction_at(m, 8)->operands;
    assert_true(at[1].kind == PTX_OPERAND_TEXTURE && at[1].count == 2 && at[1].list[1].count == 2);
    assert_true(instruction_at(m, 9)->operands[1].is_double);
    assert_int_equal(instruction_at(m, 9)->operands[1].bits, (int64_t)0xbff8000000000000);
    assert_int_equal(instruction_at(m, 10)->operands[1].kind, PTX_OPERAND_INTEGER);
    assert_true(instruction_at(m, 11)->guard >= 0 && instruction_at(m, 11)->guard_negated);
    assert_int_equal(instruction_at(m, 11)->operands[1].index, PTX_WARP_SZ);
    ptx_module_free(m);
}

TEST_BODY(ptx_reads_parts_of_video_operands)
{
    struct ptx_module *m =
        read_ptx(PTX_BODY("vadd.s32.u32.s32 %r1, %r2.b3, %r3.h1;\n"
                          "vadd4.u32.u32.u32.sat %r1.b210, %r2.b7610, %r3, %r4;"));
    const struct ptx_operand *at = instruction_at(m, 0)->operands;
    assert_int_equal(at[1].part, PTX_PART_BYTES + 1);
    assert_int_equal(at[1].count, 3);
    assert_int_equal(at[2].part, PTX_PART_HALVES + 1);
    at = instruction_at(m, 1)->operands;
    assert_int_equal(at[0].part, PTX_PART_BYTES + 3);
    assert_int_equal(at[0].count, 0x210);
    assert_int_equal(at[1].count, 0x7610);
    ptx_module_free(m);
}

static int64_t constant_of(const char *expression)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s%s;\n}\n", PTX_HEAD,
             ".visible .entry k()\n{\n.reg .b64 %rd1;\nmov.u64 %rd1, ", expression);
    struct ptx_module *m = read_ptx(text);
    const int64_t bits = instruction_at(m, 0)->operands[1].bits;
    ptx_module_free(m);
    return bits;
}

TEST_BODY(ptx_computes_constant_expressions)
{
    assert_int_equal(constant_of("1 + 2 * 3"), 7);
    assert_int_equal(constant_of("(1 + 2) * 3"), 9);
    assert_int_equal(constant_of("-7 / 2"), -3);
    assert_int_equal(constant_of("-7 % 4"), -3);
    assert_int_equal(constant_of("-1 >> 4"), -1);
    assert_int_equal(constant_of("(.u64)-1 >> 60"), 15);
    assert_int_equal(constant_of("0xFFFFFFFFFFFFFFFF > 0"), 1);
    assert_int_equal(constant_of("(.s64)0xFFFFFFFFFFFFFFFF > 0"), 0);
    assert_int_equal(constant_of("1 << 4 | 3 & 6 ^ 1"), 19);
    assert_int_equal(constant_of("!0 + ~0"), 0);
    assert_int_equal(constant_of("2 > 1 ? 10 : 20"), 10);
    assert_int_equal(constant_of("1 == 2 || 3 != 3 && 1"), 0);
    assert_int_equal(constant_of("10 - 3 - 2"), 5);
    assert_int_equal(constant_of("(-9223372036854775807 - 1) / -1"), INT64_MIN);
    assert_int_equal(constant_of("1 << 64"), 0);
}

/* ---- Scopes ---- */

TEST_BODY(ptx_registers_of_inner_scopes_are_their_own)
{
    struct ptx_module *m = read_ptx(PTX_BODY("mov.u32 %r1, 1;\n"
                                             "{ .reg .b64 %r1; mov.u64 %r1, 2; mov.u32 %r2, 3; }\n"
                                             "{ .reg .f32 %r<4>; mov.f32 %r1, 0f00000000; }\n"
                                             "mov.u32 %r1, 4;"));
    const struct ptx_function *k = m->functions[0];
    const int32_t outer = instruction_at(m, 0)->operands[0].index;
    const int32_t inner = instruction_at(m, 1)->operands[0].index;
    const int32_t range = instruction_at(m, 3)->operands[0].index;
    assert_int_not_equal(outer, inner);
    assert_int_not_equal(inner, range);
    assert_int_equal(k->registers[inner].type, PTX_B64);
    assert_int_equal(k->registers[range].type, PTX_F32);
    assert_int_equal(instruction_at(m, 4)->operands[0].index, outer);
    assert_int_equal(k->registers[instruction_at(m, 2)->operands[0].index].type, PTX_B32);
    for (size_t i = 0; i < k->register_count; ++i)
        for (size_t j = 0; j < i; ++j)
            assert_string_not_equal(k->registers[i].name, k->registers[j].name);
    ptx_module_free(m);
}

TEST_BODY(ptx_labels_belong_to_their_scope)
{
    struct ptx_module *m = read_ptx(PTX_BODY("L: bra L;\n{ bra L; L: bra L; }\n"
                                             "{ bra end; L: bra L; }\nend: ret;"));
    const struct ptx_function *k = m->functions[0];
    static const uint32_t places[] = {0, 2, 2, 5, 4}; /* where each bra goes */
    assert_int_equal(k->label_count, 4);
    for (size_t i = 0; i < 5; ++i) {
        const struct ptx_operand *to = &instruction_at(m, i)->operands[0];
        assert_int_equal(to->kind, PTX_OPERAND_LABEL);
        assert_int_equal(k->labels[to->index].instruction, places[i]);
    }
    ptx_module_free(m);
}

TEST_BODY(ptx_ranges_stop_where_they_end)
{
    struct ptx_module *m = read_ptx(PTX_BODY("mov.u32 %r15, 0;"));
    ptx_module_free(m);
    assert_refused(PTX_BODY("mov.u32 %r16, 0;"), "'%r16' is not declared");
    assert_refused(PTX_BODY("mov.u32 %r01, 0;"), "'%r01' is not declared");
}

TEST_BODY(ptx_ranges_of_variables_are_variables)
{
    struct ptx_module *m = read_ptx(
        PTX_HEAD ".shared .align 8 .b32 %s<3>;\n.visible .entry k()\n{\n.reg .b64 %rd<4>;\n"
                 "{ .param .u64 %P<2>, %Q; st.param.u64 [%P0], %rd1; st.param.u64 [%P1], %rd2; }\n"
                 "st.shared.u32 [%s2], 0;\n}\n");
    const struct ptx_variable *first = instruction_at(m, 0)->operands[0].variable;
    const struct ptx_variable *second = instruction_at(m, 1)->operands[0].variable;
    const struct ptx_variable *shared = instruction_at(m, 2)->operands[0].variable;
    assert_string_equal(first->name, "%P0");
    assert_string_equal(second->name, "%P1");
    assert_int_equal(second->bytes, 8);
    assert_string_equal(shared->name, "%s2");
    assert_int_equal(shared->alignment, 8);
    ptx_module_free(m);
    assert_refused(PTX_BODY(".param .u64 %P<2>;\nst.param.u64 [%P2], %rd1;"),
                   "'%P2' is not declared");
    assert_refused(PTX_BODY(".local .u64 %P<2000000>;"), "too many variables");
    assert_refused(PTX_BODY(".local .u64 %P<2>[3];"), "';' expected, near '['");
    assert_refused(PTX_BODY(".local .u64 %P1;\n.local .u64 %P<2>;"), "'%P1' is declared twice");
}

/* ---- Functions and calls ---- */

TEST_BODY(ptx_reads_calls_of_every_form)
{
    struct ptx_module *m = read_ptx(
        PTX_HEAD ".func (.reg .u32 %x) reg(.reg .u32 %y) { mov.u32 %x, %y; ret; }\n"
                 ".visible .entry k()\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"
                 "ts: .calltargets reg;\n"
                 "{ .param .b32 p; .param .b32 q;\nst.param.b32 [p], 1;\n"
                 "call.uni (q), later, (p);\n}\n"
                 "call quiet;\ncall (%r1), reg, (%r2);\n"
                 "{ .param .b64 p;\nproto: .callprototype (.param .b32 _) _ (.param .b64 _) ;\n"
                 ".param .b32 q;\ncall (q), %rd1, (p), proto;\n}\n"
                 "call (%r1), %rd2, (%r2), ts;\nmov.u64 %rd3, later;\n}\n"
                 ".func quiet() { ret; }\n"
                 ".visible .func (.param .b32 r) later(.param .b32 a) { ret; }\n");
    const struct ptx_function *k = ptx_find_function(m, "k"),
                              *later = ptx_find_function(m, "later");
    const struct ptx_instruction *in = k->instructions;
    assert_int_equal(in[1].operand_count, 3);
    assert_int_equal(in[1].operands[0].count, 1);
    assert_ptr_equal(in[1].operands[1].function, later);
    assert_string_equal(in[1].operands[2].list[0].variable->name, "p");
    assert_int_equal(in[2].operands[0].count, 0);
    assert_string_equal(in[2].operands[1].function->name, "quiet");
    assert_int_equal(in[3].operands[0].list[0].kind, PTX_OPERAND_REGISTER);
    assert_int_equal(in[4].operands[1].kind, PTX_OPERAND_REGISTER);
    assert_int_equal(in[4].operands[3].kind, PTX_OPERAND_TARGETS);
    const struct ptx_targets *proto = &k->targets[in[4].operands[3].index];
    assert_int_equal(proto->prototype->result_count, 1);
    assert_int_equal(proto->prototype->parameters[0]->bytes, 8);
    assert_ptr_equal(k->targets[in[5].operands[3].index].functions[0], ptx_find_function(m, "reg"));
    assert_ptr_equal(in[6].operands[1].function, later);
    const struct ptx_function *reg = ptx_find_function(m, "reg");
    assert_int_equal(reg->parameters[0]->space, PTX_SPACE_REG);
    assert_int_equal(reg->instructions[0].operands[1].index, (int)reg->parameters[0]->number);
    ptx_module_free(m);
}

TEST_BODY(ptx_definitions_complete_declarations)
{
    struct ptx_module *m =
        read_ptx(PTX_HEAD ".extern .func (.param .b32 r) f(.param .b64 a);\n"
                          ".visible .entry k() { .reg .b64 %rd1; mov.u64 %rd1, f; ret; }\n"
                          ".weak .func (.param .b32 r) f(.param .b64 b) { ret; }\n"
                          ".weak .func (.param .b32 r) f(.param .b64 c) { ret; ret; }\n"
                          ".extern .global .u32 x;\n.visible .global .u32 x = 5;\n");
    assert_int_equal(m->function_count, 2);
    const struct ptx_function *f = ptx_find_function(m, "f");
    assert_true(f->has_body);
    assert_int_equal(f->number, 1);
    assert_int_equal(f->instruction_count, 1);
    assert_string_equal(f->parameters[0]->name, "b");
    assert_ptr_equal(ptx_find_function(m, "k")->instructions[0].operands[1].function, f);
    assert_int_equal(m->variable_count, 1);
    assert_int_equal(ptx_module_symbol_count(m), 1);
    ptx_module_free(m);
}

TEST_BODY(ptx_reads_directives_of_functions)
{
    struct ptx_module *m = read_ptx(
        PTX_HEAD
        ".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .align 8 .b8 s[24])\n"
        ".maxntid 128, 2\n.minnctapersm 4\n.maxnreg 32\n.explicitcluster\n"
        ".reqnctapercluster 2, 1, 1\n.pragma \"nounroll\";\n{\nret;\n}\n"
        ".visible .entry q .reqntid 64 { ret; }\n"
        ".func stop() .noreturn { trap; }\n");
    const struct ptx_function *k = ptx_find_function(m, "k");
    assert_int_equal(k->max_threads[0], 128);
    assert_int_equal(k->max_threads[1], 2);
    assert_int_equal(k->max_threads[2], 1);
    assert_int_equal(k->min_blocks, 4);
    assert_int_equal(k->cluster[0], 2);
    assert_int_equal(k->cluster[2], 1);
    assert_true(k->is_explicit_cluster);
    assert_int_equal(k->parameters[1]->bytes, 24);
    assert_int_equal(k->parameters[1]->alignment, 8);
    assert_int_equal(ptx_find_function(m, "q")->required_threads[0], 64);
    assert_true(ptx_find_function(m, "stop")->is_noreturn);
    ptx_module_free(m);
}

static const char with_locations[] = PTX_HEAD
    ".file 1 \"a b.cu\", 1700000000, 4096\n.visible .entry k()\n{\n"
    ".loc 1 3 4\n.reg .b32 %r<2>;\n.loc 1 5 6, function_name $L__info0, inlined_at 1 2 3\n"
    "mov.u32 %r1, 1;\n.pragma \"nounroll\";\n.loc 1 8 0 // there\n$L__tmp0:\n.loc 1 8 0\nret;\n"
    ".loc 2 1 0, function_name $L__info0+16, inlined_at 1 7 3\n}\n"
    ".visible .entry q() { membar.gl; .loc 2 9 1 ret; }\n"
    "@@DWARF .byte 1, 2, (\n.section .debug_info\n{\n.b32 12\n.b64 .debug_abbrev\n{ }\n}\n"
    ".file 2 \"c.h\"\n.section .debug_str {\n$L__info0:\n.b8 1,2\n}\n";

static void assert_name(const struct ptx_module *m, uint32_t number, const char *name)
{
    const struct ptx_file *file = ptx_find_file(m, number);
    assert_non_null(file);
    assert_int_equal(file->name_length, strlen(name));
    assert_memory_equal(file->name, name, strlen(name));
}

TEST_BODY(ptx_keeps_where_instructions_come_from)
{
    struct ptx_module *m = read_ptx(with_locations);
    assert_name(m, 1, "a b.cu");
    assert_name(m, 2, "c.h");
    assert_true(ptx_find_file(m, 1)->has_facts && !ptx_find_file(m, 2)->has_facts);
    assert_int_equal(ptx_find_file(m, 1)->bytes, 4096);
    const struct ptx_function *k = ptx_find_function(m, "k"), *q = ptx_find_function(m, "q");
    assert_int_equal(k->instruction_count, 2);
    const struct ptx_location *at = ptx_location_of(m, &k->instructions[0]);
    assert_int_equal(at->line, 5);
    assert_int_equal(at->at_line, 2);
    assert_int_equal(at->function_length, strlen("$L__info0"));
    at = ptx_location_of(m, &k->instructions[1]);
    assert_int_equal(at->line, 8);
    assert_int_equal(at->column, 0);
    assert_int_equal(at->at_file, 0);
    assert_null(ptx_location_of(m, &q->instructions[0])); /* those of k end with it */
    assert_int_equal(ptx_location_of(m, &q->instructions[1])->file, 2);
    assert_int_equal(m->location_count, 5); /* what is said twice is one */
    ptx_module_free(m);
}

TEST_BODY(ptx_prints_where_instructions_come_from)
{
    struct ptx_module *m = read_ptx(with_locations);
    char *first = print_ptx(m);
    assert_non_null(strstr(first, "    .loc 1 3 4\n    .loc 1 5 6, function_name $L__info0, "
                                  "inlined_at 1 2 3\n    mov.u32"));
    assert_non_null(strstr(first, "}\n.file 1 \"a b.cu\", 1700000000, 4096\n.file 2 \"c.h\"\n"
                                  ".section .debug_str {\n$L__info0:\n.b8 1,2\n}\n"));
    ptx_module_free(m);
    m = read_ptx(first);
    char *second = print_ptx(m);
    assert_string_equal(first, second);
    ptx_module_free(m);
    free(first);
    free(second);
}

/* Debug information makes no module unreadable that was readable without. */
TEST_BODY(ptx_passes_over_what_is_no_location)
{
    static const char *const lines[] = {".loc 1 2\n",
                                        ".loc\n",
                                        ".loc 1 2 3 4\n",
                                        ".loc 1 2 3, inlined_at 4\n",
                                        ".loc 1 0 0\n",
                                        ".file\n",
                                        ".file 1\n",
                                        ".file \"a\"\n",
                                        ".loc 99999999999999999 1 1, 5\n",
                                        ".section .debug_str { 1 : }\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 PTX_HEAD ".entry k() { .reg .b32 %%r1; %s mov.u32 %%r1, 1; ret; }\n", lines[i]);
        struct ptx_module *m = read_ptx(text);
        assert_null(ptx_location_of(m, instruction_at(m, 0)));
        assert_null(ptx_find_file(m, 1));
        ptx_module_free(m);
    }
    struct ptx_module *m =
        read_ptx(PTX_BODY(".loc 99999999999 7 3\nret;") ".file 7 \"second\"\n.file 3 \"a\"\n"
                                                        ".file 7 \"third\"\n"
                                                        ".file 4 \"/d\" \"b\", 1, 2\n");
    assert_true(ptx_location_of(m, instruction_at(m, 0))->file == UINT32_MAX);
    assert_null(ptx_find_file(m, UINT32_MAX));
    assert_name(m, 7, "second");
    assert_name(m, 3, "a");
    assert_name(m, 4, "b");
    assert_null(ptx_find_file(m, 5));
    ptx_module_free(m);
}

TEST_BODY(ptx_locations_survive_every_cut)
{
    for (size_t bytes = 0; bytes < sizeof with_locations; ++bytes) {
        char *copy = malloc(bytes ? bytes : 1); /* so that a sanitizer sees what is beyond */
        assert_non_null(copy);
        memcpy(copy, with_locations, bytes);
        struct ptx_log log = {0};
        struct ptx_module *m = NULL;
        ptx_module_parse(copy, bytes, &m, &log);
        ptx_module_free(m);
        free(log.text);
        free(copy);
    }
}

TEST_BODY(ptx_reads_branch_targets_that_follow)
{
    struct ptx_module *m = read_ptx(PTX_BODY("ts: .branchtargets A, B, A;\nbrx.idx %r1, ts;\n"
                                             "A: ret;\nB: ret;"));
    const struct ptx_function *k = m->functions[0];
    const struct ptx_operand *operand = &instruction_at(m, 0)->operands[1];
    assert_int_equal(operand->kind, PTX_OPERAND_TARGETS);
    assert_int_equal(k->targets[operand->index].count, 3);
    assert_string_equal(k->labels[k->targets[operand->index].labels[1]].name, "B");
    ptx_module_free(m);
}

TEST_BODY(ptx_keeps_instructions_that_it_does_not_know)
{
    struct ptx_module *m = read_ptx(PTX_BODY("frob.cta::x.b32 %r1, [%rd1]{3}, $what;\n"
                                             "add .s32\t%r1, %r2,\n 3;\nret;"));
    assert_int_equal(instruction_at(m, 0)->opcode, PTX_OPCODES);
    assert_string_equal(instruction_at(m, 0)->words, "frob.cta::x.b32");
    assert_int_equal(instruction_at(m, 1)->opcode, PTX_OPCODE_add);
    assert_string_equal(instruction_at(m, 1)->words, "add.s32");
    assert_int_equal(instruction_at(m, 1)->line, 13);
    ptx_module_free(m);
}

static void assert_prints_as_it_reads(const struct ptx_module *module)
{
    char *first = print_ptx(module);
    struct ptx_module *again = read_ptx(first);
    char *second = print_ptx(again);
    assert_string_equal(first, second);
    ptx_module_free(again);
    free(first);
    free(second);
}

TEST_BODY(ptx_prints_functions_in_the_order_of_reading)
{
    struct ptx_module *m = read_ptx(PTX_HEAD ".visible .entry k() { ret; }\n.func f() { ret; }\n"
                                             ".visible .entry l() { ret; }\n.func g() { ret; }\n");
    assert_prints_as_it_reads(m);
    ptx_module_free(m);
}

/* Compilers declare kernels that are named before their bodies. */
TEST_BODY(ptx_prints_the_kernels_that_others_name)
{
    static const char *const texts[] = {
        ".func f() { ret; }\n.entry g();\n.visible .entry k() { call g; }\n",
        ".visible .entry k() { ret; }\n.func f() { call k; ret; }\n",
        ".entry k() .maxntid 4;\n.func f() { .reg .u64 %d; mov.u64 %d, k; }\n.entry k() { ret; }\n",
        ".visible .entry k() { ret; }\n.global .u64 p[1] = {k};\n",
        ".visible .entry k() { ret; }\n.entry l() { C: .calltargets k; ret; }\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        char text[512];
        snprintf(text, sizeof text, PTX_HEAD "%s", texts[i]);
        struct ptx_module *m = read_ptx(text);
        assert_prints_as_it_reads(m);
        ptx_module_free(m);
    }
}

/* Emitters rely on operands being those that the opcode takes. */
TEST_BODY(ptx_gives_up_instructions_with_wrong_operands)
{
    static const char *const wrong[] = {"add.u32 %r1, %r2;",
                                        "add.u32 %r1, %r2, %r3, %r4;",
                                        "add.u32 1, %r2, %r3;",
                                        "add.u32 %r1, [%rd1], %r3;",
                                        "add.u32 %r1|%r2, %r3, %r4;",
                                        "add.u32 {%r1,%r2}, %r3, %r4;",
                                        "add %r1, %r2, %r3;",
                                        "cvt.u32 %r1, %r2;",
                                        "ld.global.v4.u32 {%r1,%r2}, [%rd1];",
                                        "ld.global.u32 %r1, %rd1;",
                                        "st.global.u32 [%rd1], {};",
                                        "bra %r1;",
                                        "bar.red.popc.u32 %r1, 0;",
                                        "cvta.to.global.u64 %rd1;",
                                        "ret %r1;",
                                        "call (5), %rd1, (%r2);",
                                        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1];",
                                        "cp.async.ca.shared.global [%rd1];",
                                        "setp.eq.u32 %p1, %r1;"};
    static const char *const right[] = {"add.u32 %r1, %r2, 5;",
                                        "bar.sync 0;",
                                        "bar.sync 1, 64;",
                                        "bar.red.popc.u32 %r1, 0, %p1;",
                                        "bar.red.and.pred %p1, 0, 32, !%p2;",
                                        "mov.b64 {%r1,%r2}, %rd1;",
                                        "mov.b64 %rd1, {%r1,%r2};",
                                        "ld.global.v2.u32 {%r1,_}, [%rd1];",
                                        "shfl.sync.up.b32 %r1|%p1, %r2, 1, 0, -1;",
                                        "cp.async.cg.shared.global [%r1], [%rd1], 16, 8;",
                                        "cp.async.wait_group 0;",
                                        "cp.async.commit_group;",
                                        "fence.acq_rel.gpu;",
                                        "match.all.sync.b32 %r1|%p1, %r2, -1;",
                                        "atom.global.cas.b32 %r1, [%rd1], %r2, %r3;",
                                        "setp.eq.and.u32 %p1|%p2, %r1, %r2, !%p3;",
                                        "lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 5, %p2;",
                                        "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1}];"};
    char text[1024];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong + sizeof right / sizeof *right; ++i) {
        const size_t rights = sizeof right / sizeof *right;
        const char *line = i < rights ? right[i] : wrong[i - rights];
        const char *parts[] = {PTX_BODY("\001"), line};
        const char *mark = strchr(parts[0], 1);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(mark - parts[0]), parts[0], line, mark + 1);
        struct ptx_module *m = read_ptx(text);
        if ((instruction_at(m, 0)->opcode != PTX_OPCODES) != (i < rights))
            fail_msg("%s", line);
        assert_prints_as_it_reads(m);
        ptx_module_free(m);
    }
}

TEST_BODY(ptx_reads_modules_put_together)
{
    struct ptx_module *m =
        read_ptx(PTX_HEAD ".extern .func f();\n.visible .entry k() { call f; }\n" PTX_HEAD
                          ".visible .func f() { ret; }\n");
    assert_true(ptx_find_function(m, "k")->instructions[0].operands[1].function->has_body);
    ptx_module_free(m);
}

TEST_BODY(ptx_aliases_are_functions)
{
    struct ptx_module *m = read_ptx(PTX_HEAD ".func f() { ret; }\n.func g();\n.alias g, f;\n"
                                             ".visible .entry k() { call g; }\n");
    const struct ptx_function *g = ptx_find_function(m, "g");
    assert_true(g->has_body);
    assert_int_equal(g->number, 2);
    assert_ptr_equal(ptx_find_function(m, "k")->instructions[0].operands[1].function, g);
    ptx_module_free(m);
}

/* ---- What is no PTX ---- */

TEST_BODY(ptx_says_line_and_token_of_errors)
{
    assert_refused(PTX_HEAD ".visible .entry k()\n{\nmov.u32 %r1, 1;\n}\n",
                   "line 6: '%r1' is not declared");
    assert_refused(PTX_BODY("add.s32 %r1, %r2, ;"), "line 12: a number expected, near ';'");
    assert_refused(PTX_BODY("bra nowhere;"), "'nowhere' is not declared");
    assert_refused(PTX_BODY("call (%r1), 5, (%r2);"), "the function to call expected, near '5'");
    assert_refused(PTX_BODY("call {%rd1}, 5, (%r2);"), "the function to call expected, near '{'");
    assert_refused(PTX_BODY("@%q1 ret;"), "'%q1' is no predicate");
    assert_refused(PTX_BODY("mov.u32 %r1, 1"), "';' expected, near '}'");
    assert_refused(PTX_BODY("mov.u64 %rd1, 1 / 0;"), "division by zero");
    assert_refused(PTX_BODY(".reg .b32 %r1;\n.reg .b32 %r1;"), "'%r1' is declared twice");
    assert_refused(PTX_BODY("ld.global.u32 %r1, [0f3F800000];"), "an address expected");
    assert_refused(PTX_BODY(".local .u32 x = 5;"), "only .global and .const");
    assert_refused(PTX_BODY("mov.u32 %r1, 0x;"), "near '0x'");
    assert_refused("int main;", "PTX begins with .version");
    assert_refused("", "near 'end of text'");
    assert_refused(PTX_HEAD ".visible .entry k() {", "'}' expected, near 'end of text'");
    assert_refused(PTX_HEAD ".global .u32 x;\n.global .u32 x;", "'x' is defined twice");
    assert_refused(PTX_HEAD ".func f() { }\n.func f() { }", "'f' is defined twice");
    assert_refused(PTX_HEAD ".global .u32 x[2] = {1, 2, 3};", "more values than places");
    assert_refused(PTX_HEAD ".global .align 3 .u32 x;", "a power of 2");
    assert_refused(PTX_HEAD ".global .frob .u32 x;", "'.frob' does not belong into a declaration");
    assert_refused(PTX_HEAD ".global .u64 x = y;", "'y', which is not declared");
    assert_refused(PTX_HEAD
                   ".extern .global .u32 x;\n.visible .entry k() { .reg .u64 %a; mov.u64 %a, x; }",
                   "external variable 'x' is defined nowhere");
}

TEST_BODY(ptx_survives_deep_nesting)
{
    char *text = malloc(400000);
    assert_non_null(text);
    strcpy(text, PTX_HEAD ".global .u32 x = ");
    memset(text + strlen(text), '(', 100000);
    text[sizeof PTX_HEAD - 1 + 17 + 100000] = 0;
    assert_refused(text, "nested too deeply");
    strcpy(text, PTX_HEAD ".visible .entry k() ");
    const size_t start = strlen(text);
    memset(text + start, '{', 100000);
    text[start + 100000] = 0;
    assert_refused(text, "nested too deeply");
    free(text);
}

TEST_BODY(ptx_reads_no_further_than_it_may)
{
    static const char text[] = PTX_HEAD ".visible .entry k() { ret; }\n";
    struct ptx_log log = {0};
    struct ptx_module *m = NULL;
    for (size_t bytes = 0; bytes < sizeof text; ++bytes) {
        char *copy = malloc(bytes ? bytes : 1); /* so that a sanitizer sees what is beyond */
        assert_non_null(copy);
        memcpy(copy, text, bytes);
        const enum ptx_status status = ptx_module_parse(copy, bytes, &m, &log);
        const bool is_whole = bytes + 2 >= sizeof text;
        if (is_whole)
            assert_int_equal(ptx_module_entry_count(m), 1);
        assert_true(is_whole ? status == PTX_OK : status == PTX_OK || status == PTX_E_SYNTAX);
        ptx_module_free(m);
        ptx_is_ptx(copy, bytes);
        free(copy);
    }
    free(log.text);
}

TEST_BODY(ptx_is_known_by_its_beginning)
{
    static const struct {
        const char *text;
        bool is_ptx;
    } rows[] = {{".version 8.0", true},
                {"\n// a\n/* b */ \t.version 7.0\n", true},
                {"/* .version 8.0", false},
                {"// .version 8.0", false},
                {"", false},
                {".versio", false},
                {"\x7f"
                 "ELF",
                 false},
                {"/", false},
                {"/*", false},
                {"/**/", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        assert_int_equal(ptx_is_ptx(rows[i].text, strlen(rows[i].text)), rows[i].is_ptx);
}

TEST_BODY(ptx_parser_refuses_comments_without_an_end)
{
    assert_refused(PTX_HEAD ".entry k() { ret; }\n/* ...", "line 5: a comment without an end");
    assert_refused(PTX_HEAD ".entry k() { ret; /*/ }\n", "line 4: a comment without an end");
    assert_refused("/**/ " PTX_HEAD "// fine /*\n.global .u32 /* x;\n*", "line 5: a comment");
    ptx_module_free(read_ptx(PTX_HEAD "/***/ .entry k() { ret; } // /*"));
}

TEST_BODY(ptx_parser_passes_over_unknown_operands)
{
    struct ptx_module *module = read_ptx(PTX_BODY("unheard.of {%r1, {%r2}}, what?, %r3;\nret;"));
    assert_int_equal(instruction_at(module, 0)->opcode, PTX_OPCODES);
    ptx_module_free(module);
    assert_refused(PTX_HEAD ".entry k() { unheard.of %r1 } }\n.global .u32 v;", "';' expected");
}

TEST_BODY(ptx_parser_takes_two_sizes_of_addresses)
{
    assert_refused(".version 7.5\n.target sm_75\n.address_size 16\n", "32 or 64 bits");
    assert_refused(".version 7.5\n.target sm_75\n.address_size 128\n", "32 or 64 bits");
    assert_refused(".version 7.5\n.target sm_75\n.address_size 64\n/1 .global .u32 v;\n",
                   "a directive expected");
    ptx_module_free(read_ptx(".version 7.5\n.target sm_75\n.address_size 32\n.global .u32 v;\n"));
}
