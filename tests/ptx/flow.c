/* Basic blocks, their orders, liveness and uniformity of small kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/analyse/flow.h"
#include "tests/ptx/read.h"

/* A kernel, its flow, and what they live in. */
struct seen {
    struct ptx_module *module;
    struct ptx_arena arena;
    const struct ptx_function *function;
    const struct ptx_flow *flow;
};

static void look_at(struct seen *s, const char *text)
{
    *s = (struct seen){.module = read_ptx(text)};
    if (setjmp(s->arena.out_of_memory) != 0)
        fail_msg("no memory");
    s->function = ptx_find_function(s->module, "k");
    assert_non_null(s->function);
    struct ptx_flow *flow = ptx_flow_make(&s->arena, s->function, NULL);
    ptx_flow_find_live(flow);
    s->flow = flow;
}

static void forget(struct seen *s)
{
    ptx_arena_free(&s->arena);
    ptx_module_free(s->module);
}

/* The node that begins at a label. */
static int32_t node_at(const struct seen *s, const char *label)
{
    for (size_t i = 0; i < s->function->label_count; i++)
        if (strcmp(s->function->labels[i].name, label) == 0)
            return s->flow->node_of[s->function->labels[i].instruction];
    fail_msg("no label %s", label);
    return PTX_NO_NODE;
}

static uint32_t register_named(const struct seen *s, const char *name)
{
    for (size_t i = 0; i < s->function->register_count; i++)
        if (strcmp(s->function->registers[i].name, name) == 0)
            return (uint32_t)i;
    fail_msg("no register %s", name);
    return 0;
}

#define LOOP_WITH_EARLY_EXIT                                                                       \
    "mov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\nsetp.ge.u32 %p1, %r1, %r2;\n@%p1 bra END;\n"    \
    "mov.u32 %r3, 0;\nmov.u32 %r5, 0;\n"                                                           \
    "LOOP:\nadd.u32 %r3, %r3, 1;\nadd.u32 %r5, %r5, %r1;\nsetp.lt.u32 %p2, %r3, %r2;\n"            \
    "@%p2 bra LOOP;\n"                                                                             \
    "AFTER:\nmov.u32 %r4, %r3;\nst.global.u32 [%rd1], %r4;\n"                                      \
    "END:\nret;\n"

TEST_BODY(ptx_flow_finds_blocks_and_edges)
{
    struct seen s;
    look_at(&s, PTX_BODY(LOOP_WITH_EARLY_EXIT));
    const int32_t loop = node_at(&s, "LOOP"), after = node_at(&s, "AFTER"),
                  end = node_at(&s, "END");
    assert_int_equal(s.flow->nodes[0].next_count, 1); /* threads that go to END leave */
    assert_true(s.flow->nodes[0].leaves);
    assert_int_equal(s.flow->nodes[loop].next_count, 2);
    assert_int_equal(s.flow->nodes[loop].next[0], after);
    assert_int_equal(s.flow->nodes[loop].next[1], loop);
    assert_int_equal(s.flow->nodes[loop].depth, 1);
    assert_int_equal(s.flow->nodes[after].depth, 0);
    assert_true(s.flow->nodes[end].leaves);
    assert_true(ptx_flow_only_leaves(s.flow, end));
    assert_true(s.flow->nodes[after].leaves);
    assert_int_equal(s.flow->nodes[end].previous_count, 0);
    forget(&s);
}

TEST_BODY(ptx_flow_orders_loops_before_what_follows)
{
    struct seen s;
    look_at(&s, PTX_BODY("setp.eq.u32 %p1, %r1, 0;\n"
                         "HEAD:\nadd.u32 %r1, %r1, 1;\n@%p1 bra OUT;\n"
                         "BODY:\n@!%p1 bra HEAD;\n"
                         "MORE:\nadd.u32 %r1, %r1, 2;\nbra HEAD;\n"
                         "OUT:\nst.global.u32 [%rd1], %r1;\nret;\n"
                         "NEVER:\nadd.u32 %r1, %r1, 7;\nbra OUT;\n"));
    const struct ptx_flow *f = s.flow;
    const int32_t head = node_at(&s, "HEAD"), body = node_at(&s, "BODY"),
                  more = node_at(&s, "MORE");
    const int32_t out = node_at(&s, "OUT"), never = node_at(&s, "NEVER");
    assert_int_equal(f->order[0], 0);
    assert_true(f->position[head] < f->position[body]);
    assert_true(f->position[body] < f->position[more]);
    assert_true(f->position[more] < f->position[out]);
    assert_int_equal(f->position[never], PTX_NO_NODE);
    assert_int_equal(f->dominator[out], head);
    assert_int_equal(f->dominator[more], body);
    assert_int_equal(f->dominator[0], PTX_NO_NODE);
    assert_int_equal(f->postdominator[more], head);
    assert_int_equal(f->postdominator[head], out);
    forget(&s);
}

/* Threads that end do not part from the others: what follows still post-dominates. */
TEST_BODY(ptx_flow_does_not_count_ends_as_ways_on)
{
    struct seen s;
    look_at(&s, PTX_BODY(LOOP_WITH_EARLY_EXIT));
    assert_int_equal(s.flow->postdominator[0], s.flow->nodes[0].next[0]);
    assert_int_equal(s.flow->postdominator[node_at(&s, "LOOP")], node_at(&s, "AFTER"));
    forget(&s);
}

TEST_BODY(ptx_flow_knows_what_lives)
{
    struct seen s;
    look_at(&s, PTX_BODY(LOOP_WITH_EARLY_EXIT));
    const struct ptx_flow *f = s.flow;
    const int32_t loop = node_at(&s, "LOOP"), after = node_at(&s, "AFTER");
    assert_true(ptx_flow_is_live(f, loop, register_named(&s, "%r3")));
    assert_true(ptx_flow_is_live(f, loop, register_named(&s, "%r2")));
    assert_true(ptx_flow_is_live(f, after, register_named(&s, "%r3")));
    assert_false(ptx_flow_is_live(f, after, register_named(&s, "%r2")));
    assert_false(ptx_flow_is_live(f, loop, register_named(&s, "%r4")));
    assert_false(ptx_flow_is_live(f, 0, register_named(&s, "%r3")));
    assert_true(ptx_flow_is_live(f, 0, register_named(&s, "%rd1")));
    forget(&s);
}

TEST_BODY(ptx_flow_guarded_writes_leave_the_old_value_alive)
{
    struct seen s;
    look_at(&s, PTX_BODY("bra NEXT;\nNEXT:\n@%p1 mov.u32 %r1, 5;\nmov.u32 %r2, 6;\n"
                         "st.global.v2.u32 [%rd1], {%r1, %r2};\nret;\n"));
    assert_true(ptx_flow_is_live(s.flow, node_at(&s, "NEXT"), register_named(&s, "%r1")));
    assert_false(ptx_flow_is_live(s.flow, node_at(&s, "NEXT"), register_named(&s, "%r2")));
    forget(&s);
}

TEST_BODY(ptx_flow_knows_what_all_threads_share)
{
    struct seen s;
    look_at(&s, PTX_BODY(LOOP_WITH_EARLY_EXIT));
    const struct ptx_uniformity u = ptx_flow_uniformity(&s.arena, s.flow);
    assert_true(u.registers[register_named(&s, "%r2")]);
    assert_true(u.registers[register_named(&s, "%r3")]);
    assert_true(u.registers[register_named(&s, "%p2")]);
    assert_false(u.registers[register_named(&s, "%r1")]);
    assert_false(u.registers[register_named(&s, "%r5")]);
    assert_true(u.branches[node_at(&s, "LOOP")]);
    forget(&s);
}

/* Threads leave this loop at different turns: its counter differs after it, and within it between
 * threads that are in different turns. */
TEST_BODY(ptx_flow_loops_that_threads_leave_apart_share_nothing)
{
    struct seen s;
    look_at(&s,
            PTX_BODY("mov.u32 %r1, %tid.x;\nmov.u32 %r3, 0;\nmov.u32 %r6, %ctaid.x;\n"
                     "LOOP:\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, %r1;\n@%p2 bra LOOP;\n"
                     "AFTER:\nadd.u32 %r4, %r6, 1;\n"
                     "setp.eq.u32 %p1, %r1, 3;\n@%p1 bra ONE;\nTWO:\nmov.u32 %r5, 1;\nbra BOTH;\n"
                     "ONE:\nmov.u32 %r5, 2;\nBOTH:\nmov.u32 %r7, %r6;\n"
                     "st.global.v2.u32 [%rd1], {%r3, %r5};\nret;\n"));
    const struct ptx_uniformity u = ptx_flow_uniformity(&s.arena, s.flow);
    assert_false(u.registers[register_named(&s, "%r3")]);
    assert_true(u.registers[register_named(&s, "%r4")]);
    assert_false(u.registers[register_named(&s, "%r5")]);
    assert_true(u.registers[register_named(&s, "%r7")]);
    assert_true(u.is_divergent[node_at(&s, "LOOP")]);
    assert_true(u.is_divergent[node_at(&s, "TWO")]);
    assert_false(u.is_divergent[node_at(&s, "AFTER")]);
    assert_false(u.is_divergent[node_at(&s, "BOTH")]);
    forget(&s);
}

static bool widens(const char *text)
{
    struct ptx_module *module = read_ptx(text);
    const bool does = ptx_module_entry_widens(module, 0);
    ptx_module_free(module);
    return does;
}

/* What comes before the place of a thread in the grid's row, and behind it. */
#define PLACES(before, mad, behind)                                                                \
    PTX_BODY("mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n" before        \
             "\n" mad "\nmul.wide.s32 %rd2, %r4, 4;\n" behind                                      \
             "\nst.global.u32 [%rd2], %r5;\nret;\n")
#define PLACE "mad.lo.s32 %r4, %r1, %r2, %r3;"
#define DYNAMIC(accesses)                                                                          \
    PTX_HEAD ".extern .shared .align 4 .b8 s[];\n.visible .entry k(.param .u64 a)\n{\n"            \
             ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nmad.lo.s32 %r4, %ctaid.x, %ntid.x, "            \
             "%tid.x;\n" accesses "ret;\n}\n"

TEST_BODY(ptx_flow_knows_whether_blocks_may_be_wider)
{
    assert_true(widens(PLACES("", PLACE, "")));
    assert_true(widens(PLACES("", "mad.lo.u32 %r4, %r2, %r1, %r3;", "mov.u32 %r5, %tid.y;")));
    assert_true(widens(PLACES("", PLACE, "setp.eq.u32 %p1, %r4, 3;\n@%p1 bra L;\nL:")));
    assert_true(widens(PTX_BODY("mad.lo.s32 %r4, %ctaid.x, %ntid.x, %tid.x;\nret;\n")));
    static const char *const others[] = {
        PLACES("", PLACE, "add.u32 %r5, %r1, 1;"),
        PLACES("", PLACE, "add.u32 %r5, %r4, %r3;"),
        PLACES("", PLACE, "mov.u32 %r5, %ntid.x;"),
        PLACES("", PLACE, "mov.u32 %r5, %nctaid.x;"),
        PLACES("", PLACE, "mov.u32 %r5, %laneid;"),
        PLACES("", PLACE, "atom.global.add.u32 %r5, [%rd2], 1;"),
        PLACES("", PLACE, "ld.volatile.global.u32 %r5, [%rd2];"),
        PLACES("", PLACE, "bar.sync 0;"),
        PLACES("", PLACE, "max.s32 %r4, %r4, 0;\nmul.wide.s32 %rd2, %r4, 4;"),
        PLACES("", PLACE, "ld.global.u32 %r6, [%rd2];\nmul.wide.s32 %rd2, %r6, 4;"),
        PLACES("", PLACE, "shfl.sync.bfly.b32 %r5, %r4, 1, 31, -1;"),
        PLACES("", PLACE, "setp.eq.u32 %p1, %r1, 3;\n@%p1 bra L;\nL:"),
        PLACES("", PLACE, "L:\nsetp.eq.u32 %p1, %r5, 3;\n@%p1 bra L;"),
        PLACES("add.u32 %r1, %r1, 1;", PLACE, ""),
        PLACES("@%p1 mov.u32 %r2, %ntid.y;", PLACE, ""),
        PLACES("", "mad.lo.s32 %r4, %r1, 16, %r3;", ""),
        PLACES("", "mad.lo.s32 %r4, %r3, %r2, %r1;", ""),
        PLACES("", "mad.hi.s32 %r4, %r1, %r2, %r3;", ""),
        PLACES("", "mad.lo.s32 %r4, %r1, %r2, %r2;", ""),
        PTX_HEAD ".visible .entry k(.param .u64 a)\n.reqntid 16\n{\nret;\n}\n",
        PTX_HEAD
        ".visible .entry k(.param .u64 a)\n{\n.shared .u32 s;\nst.shared.u32 [s], 1;\nret;\n}\n",
        DYNAMIC("mov.u64 %rd1, s;\ncvta.shared.u64 %rd2, %rd1;\nst.u32 [%rd2], %r4;\n"),
        DYNAMIC("mov.u64 %rd1, s;\nst.u32 [%rd1], %r4;\n"),
        DYNAMIC("st.u32 [s+4], %r4;\n"),
        DYNAMIC("mov.u64 %rd1, 0;\ncvta.shared.u64 %rd2, %rd1;\nst.u32 [%rd2], %r4;\n"),
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (widens(others[i]))
            fail_msg("text %zu:\n%s", i, others[i]);
}
