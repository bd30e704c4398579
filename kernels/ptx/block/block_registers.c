/* The registers of threads: where they are between regions, and how a thread gets and leaves its own. The names that
 * they have in the text: enum ptx_keep.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/block/block.h"
#include "kernels/ptx/emit/checked.h"

#include <string.h>

/* Where a register is between regions, on the way being written. */
enum home {
    HOME_NONE,       /* it lives within regions, or is a variable that all threads only read */
    HOME_DEFINITION, /* nowhere: its definition is computed again */
    HOME_SHARED,     /* u_ */
    HOME_OFFSET,     /* its definition is computed again, and u_ added */
    HOME_ARRAY,      /* a_ */
    HOME_EITHER,     /* as HOME_SHARED while threads are in step, then as HOME_ARRAY */
    HOME_EITHER_OFFSET
};

static enum home home_of(const struct ptx_block_writer *writer, size_t index)
{
    const enum ptx_way way = writer->way;
    switch (writer->facts->keeps[index]) {
    case PTX_KEEP_RECOMPUTED:
        return HOME_DEFINITION;
    case PTX_KEEP_UNIFORM:
        return way == PTX_WAY_STRAIGHT ? HOME_SHARED
               : way == PTX_WAY_EITHER ? HOME_EITHER
                                       : HOME_ARRAY;
    case PTX_KEEP_OFFSET:
        return way == PTX_WAY_STRAIGHT ? HOME_OFFSET
               : way == PTX_WAY_EITHER ? HOME_EITHER_OFFSET
                                       : HOME_ARRAY;
    case PTX_KEEP_ARRAY:
        return HOME_ARRAY;
    default:
        return HOME_NONE;
    }
}

/* ---- Arrays of one element for each thread ---- */

static const char *array_element(struct ptx_emitter *e, uint32_t index)
{
    return ptx_format(e, "a_%s[clem_index]", ptx_current_body(e)->names[index]);
}

const char *ptx_block_array(struct ptx_emitter *e, const struct ptx_operand *operand)
{
    const struct ptx_block_writer *writer = e->block_writer;
    if (operand->kind != PTX_OPERAND_REGISTER || operand->part != 0 ||
        e->function->registers[operand->index].width > 1 ||
        home_of(writer, (size_t)operand->index) != HOME_ARRAY)
        return NULL;
    return ptx_format(e, "a_%s", ptx_current_body(e)->names[operand->index]);
}

bool ptx_block_is_constant(const struct ptx_emitter *e, const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_INTEGER ||
           (operand->kind == PTX_OPERAND_REGISTER && operand->part == 0 &&
            e->block_writer->facts->keeps[operand->index] == PTX_KEEP_CONSTANT);
}

/* Whether it is in one on any way. */
static bool has_array(const struct ptx_block_writer *writer, size_t index)
{
    return writer->facts->keeps[index] == PTX_KEEP_ARRAY ||
           (ptx_keep_is_shared(writer->facts->keeps[index]) && !writer->facts->is_straight);
}

static size_t element_bytes(const struct ptx_emitter *e, uint32_t index)
{
    const size_t bytes = ptx_type_bytes(ptx_register_type(e, index));
    return e->function->registers[index].width > 1 ? bytes * e->function->registers[index].width
                                                   : bytes;
}

/* The C type of a register as one word. */
static const char *plain_type(struct ptx_emitter *e, uint32_t index)
{
    const char *type = ptx_register_c_type(e, index);
    return strchr(type, '*') ? "clem_pointer" : type;
}

/* Of the numbers of ways out of a region, the largest being for threads that end. */
static size_t way_bytes(const struct ptx_regions *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->all[i].target_count >= UINT8_MAX)
            return 2;
    return 1;
}

/* From the largest elements to the smallest, so that all are aligned for any number of threads. */
void ptx_block_declare_arrays(struct ptx_emitter *e)
{
    const struct ptx_block_writer *writer = e->block_writer;
    size_t offset = 0;
    for (size_t bytes = 32; bytes > 0; bytes /= 2) {
        for (uint32_t i = 0; i < e->function->register_count; i++) {
            if (!has_array(writer, i) || element_bytes(e, i) != bytes)
                continue;
            ptx_line(e, "CLEM_ARRAY(%s, a_%s, %zuu)", plain_type(e, i),
                     ptx_current_body(e)->names[i], offset);
            offset += bytes;
        }
        if (bytes == 16) { /* here, aligned as the largest types of .local variables may be */
            const size_t local = ptx_local_stride(e);
            ptx_line(e,
                     "CLEM_SCRATCH uchar *const clem_locals = clem_scratch + %zuu * clem_threads;",
                     offset);
            offset += local;
        }
        if (bytes == way_bytes(writer->regions) && !writer->facts->is_straight &&
            !writer->facts->starts_alone) {
            ptx_line(e,
                     "CLEM_SCRATCH %s *const clem_ways = (CLEM_SCRATCH %s *)(clem_scratch + %zuu * "
                     "clem_threads);",
                     bytes > 1 ? "ushort" : "uchar", bytes > 1 ? "ushort" : "uchar", offset);
            offset += bytes;
        }
        if (bytes == 4 && !writer->facts->is_straight) {
            ptx_line(
                e,
                "CLEM_SCRATCH uint *const clem_state = (CLEM_SCRATCH uint *)(clem_scratch + %zuu * "
                "clem_threads);",
                offset);
            ptx_line(e, "CLEM_SCRATCH uint *const clem_wait = clem_state + clem_threads;");
            offset += 8;
        }
    }
    e->plan->scratch_bytes = offset ? offset : 1;
}

/* Of the variable that stands for all threads: an offset from a pointer is a number. */
static const char *shared_type(struct ptx_emitter *e, uint32_t index)
{
    const bool is_offset = e->block_writer->facts->keeps[index] == PTX_KEEP_OFFSET;
    return is_offset && ptx_is_pointer_register(e, (int32_t)index) ? "ulong" : plain_type(e, index);
}

void ptx_block_declare_shared(struct ptx_emitter *e)
{
    const struct ptx_block_writer *writer = e->block_writer;
    for (uint32_t i = 0; i < e->function->register_count; i++)
        if (ptx_keep_is_shared(writer->facts->keeps[i]))
            ptx_line(e, writer->is_kept[i] ? "%s u_%s = 0, o_%s = 0;" : "%s u_%s = 0;",
                     shared_type(e, i), ptx_current_body(e)->names[i],
                     ptx_current_body(e)->names[i]);
}

/* ---- What a thread begins with ---- */

struct loading {
    struct ptx_emitter *e;
    bool *declared, *done; /* per register */
};

static const struct ptx_instruction *definition_of(const struct loading *l, uint32_t index)
{
    const struct ptx_block_facts *facts = l->e->block_writer->facts;
    return &facts->flow->function->instructions[facts->definitions[index]];
}

/* What a register is computed from, wherever that is done again. */
static void declare_chain(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct loading *l = with;
    const uint8_t keep = l->e->block_writer->facts->keeps[index];
    if ((keep != PTX_KEEP_RECOMPUTED && keep != PTX_KEEP_OFFSET) || l->declared[index])
        return;
    l->declared[index] = true;
    ptx_flow_reads(definition_of(l, index), declare_chain, l);
}

/* What all threads have in common, as a thread of the region finds it: others may have set it already. A step is done
 * for all before the region begins. */
static const char *common_value(struct ptx_emitter *e, uint32_t index)
{
    const struct ptx_block_writer *writer = e->block_writer;
    const bool is_now =
        writer->way == PTX_WAY_EITHER ? !writer->is_kept[index] : writer->is_stepping;
    return ptx_format(e, "%s_%s", is_now ? "u" : "o", ptx_current_body(e)->names[index]);
}

static void note(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    ((bool *)with)[index] = true;
}

/* Whether the step has left the register in its array just now, for this thread. */
static bool is_from_step(struct ptx_emitter *e, uint32_t index)
{
    const struct ptx_block_writer *writer = e->block_writer;
    if (writer->is_stepping || !writer->region || !writer->region->step)
        return false;
    bool *written = ptx_arena_lend(e->arena, e->function->register_count + 1, sizeof *written);
    ptx_flow_writes(writer->region->step, note, written);
    const bool is_written = written[index];
    ptx_arena_return(e->arena, written);
    return is_written;
}

static void load_either(struct ptx_emitter *e, uint32_t index)
{
    const char *name = ptx_current_body(e)->names[index];
    if (is_from_step(e, index))
        ptx_line(e, "%s = %s;", name, array_element(e, index));
    else
        ptx_line(e, "%s = clem_parted ? %s : %s;", name, array_element(e, index),
                 common_value(e, index));
}

static void load_register(void *with, uint32_t index, bool is_whole);

static void compute_again(struct loading *l, uint32_t index)
{
    ptx_flow_reads(definition_of(l, index), load_register, l);
    ptx_emit_instruction(l->e, definition_of(l, index));
}

/* After those that it is computed from. */
static void load_register(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct loading *l = with;
    struct ptx_emitter *e = l->e;
    const char *name = ptx_current_body(e)->names[index];
    if (l->done[index])
        return;
    l->done[index] = true;
    switch (home_of(e->block_writer, index)) {
    case HOME_NONE:
        break;
    case HOME_DEFINITION:
        compute_again(l, index);
        break;
    case HOME_SHARED:
        ptx_line(e, "%s = %s;", name, common_value(e, index));
        break;
    case HOME_OFFSET:
        compute_again(l, index);
        ptx_line(e, "const %s s_%s = %s;", plain_type(e, index), name, name);
        ptx_line(e, "%s += %s;", name, common_value(e, index));
        break;
    case HOME_ARRAY:
        ptx_line(e, "%s = %s;", name, array_element(e, index));
        break;
    case HOME_EITHER:
        load_either(e, index);
        break;
    case HOME_EITHER_OFFSET:
        compute_again(l, index);
        ptx_line(e, "const %s s_%s = %s;", plain_type(e, index), name, name);
        ptx_line(e, "%s += %s;", name, common_value(e, index));
        ptx_line(e, "if (clem_parted)");
        ptx_line(e, "    %s = %s;", name, array_element(e, index));
        break;
    }
}

static void declare_loaded(struct loading *l, const bool *loads, const bool *declared)
{
    const size_t count = l->e->function->register_count;
    const uint8_t *keeps = l->e->block_writer->facts->keeps;
    for (size_t i = 0; i < count; i++)
        if (loads[i])
            declare_chain(l, (uint32_t)i, true);
    for (size_t i = 0; i < count; i++)
        l->declared[i] =
            keeps[i] != PTX_KEEP_CONSTANT && (l->declared[i] || loads[i] || declared[i]);
    ptx_declare_registers(l->e, l->declared);
}

void ptx_block_load(struct ptx_emitter *e, const bool *loads, const bool *declared)
{
    const size_t count = e->function->register_count;
    const uint8_t *keeps = e->block_writer->facts->keeps;
    const bool *is_set = e->block_writer->is_set;
    struct loading l = {.e = e};
    l.declared = ptx_arena_lend(e->arena, count + 1, sizeof *l.declared);
    l.done = ptx_arena_lend(e->arena, count + 1, sizeof *l.done);
    declare_loaded(&l, loads, declared);
    for (size_t i = 0; i < count; i++) {
        if (loads[i])
            load_register(&l, (uint32_t)i, true);
        else if (declared[i] && keeps[i] != PTX_KEEP_CONSTANT && keeps[i] != PTX_KEEP_NOT &&
                 !(is_set && is_set[i]))
            ptx_line(e, "%s = 0;", ptx_current_body(e)->names[i]);
    }
    ptx_arena_return(e->arena, l.done);
    ptx_arena_return(e->arena, l.declared);
}

void ptx_block_load_common(struct ptx_emitter *e, const bool *loads, const bool *declared)
{
    struct ptx_block_writer *writer = e->block_writer;
    const enum ptx_way way = writer->way;
    writer->way = PTX_WAY_STRAIGHT;
    writer->is_stepping = true;
    ptx_block_load(e, loads, declared);
    writer->way = way;
    writer->is_stepping = false;
}

void ptx_block_keep_shared(struct ptx_emitter *e)
{
    const struct ptx_block_writer *writer = e->block_writer;
    for (uint32_t i = 0; i < e->function->register_count; i++)
        if (writer->is_kept[i])
            ptx_line(e, "o_%s = u_%s;", ptx_current_body(e)->names[i],
                     ptx_current_body(e)->names[i]);
}

void ptx_block_take_shared(struct ptx_emitter *e, const bool *loads)
{
    for (uint32_t i = 0; i < e->function->register_count; i++) {
        const char *name = ptx_current_body(e)->names[i];
        if (loads[i] && ptx_keep_is_shared(e->block_writer->facts->keeps[i]))
            ptx_line(e, "const %s o_%s = u_%s;", shared_type(e, i), name, name);
    }
}

/* ---- What a thread leaves ---- */

/* What a thread's value says of what all threads have in common. */
static const char *common_part(struct ptx_emitter *e, uint32_t index, const char *value)
{
    return e->block_writer->facts->keeps[index] == PTX_KEEP_OFFSET
               ? ptx_format(e, "(%s)(%s - s_%s)", shared_type(e, index), value,
                            ptx_current_body(e)->names[index])
               : value;
}

/* A thread that ends need not have come by where the register was set; all others have, or all that go on together
 * have. Those that part leave their own as well. */
static void store_shared(struct ptx_emitter *e, uint32_t index)
{
    const struct ptx_block_writer *writer = e->block_writer;
    const char *name = ptx_current_body(e)->names[index];
    const char *goes_on = ptx_block_goes_on(e);
    const char *condition =
        goes_on && writer->region->late[index] ? ptx_format(e, "if (%s) ", goes_on) : "";
    ptx_line(e, "%su_%s = %s;", condition, name, common_part(e, index, name));
    if (writer->way == PTX_WAY_EITHER ||
        (!writer->is_stepping && writer->region->split[index] && has_array(writer, index)))
        ptx_line(e, "%s = %s;", array_element(e, index), name);
}

void ptx_block_store(struct ptx_emitter *e, const bool *stores)
{
    for (uint32_t i = 0; i < e->function->register_count; i++) {
        const char *name = ptx_current_body(e)->names[i];
        if (!stores[i] || !name)
            continue;
        switch (home_of(e->block_writer, i)) {
        case HOME_SHARED:
        case HOME_OFFSET:
        case HOME_EITHER:
        case HOME_EITHER_OFFSET:
            store_shared(e, i);
            break;
        case HOME_ARRAY:
            ptx_line(e, "%s = %s;", array_element(e, i), name);
            break;
        default:
            break;
        }
    }
}

/* ---- From what all have in common to each thread's own, and back ---- */

/* Those that are offsets: ptx_block_load_common() must load them before what follows. */
static bool *offsets_of(struct ptx_emitter *e, const bool *wanted)
{
    const size_t count = e->function->register_count;
    bool *offsets = ptx_arena_array(e->arena, count + 1, sizeof *offsets);
    for (size_t i = 0; i < count; i++)
        offsets[i] = wanted[i] && e->block_writer->facts->keeps[i] == PTX_KEEP_OFFSET;
    return offsets;
}

/* Not in the regions whose threads stored their own where they parted. */
static const char *split_condition(struct ptx_emitter *e, uint32_t index)
{
    const struct ptx_regions *r = e->block_writer->facts->straight;
    const char *condition = "";
    for (size_t i = 0; i < r->count; i++)
        if (r->all[i].split[index] && r->all[i].written[index])
            condition =
                ptx_format(e, "%s%sclem_region != %zuu", condition, *condition ? " && " : "", i);
    return *condition ? ptx_format(e, "if (%s) ", condition) : "";
}

static bool *shared_registers(struct ptx_emitter *e)
{
    const size_t count = e->function->register_count;
    bool *shared = ptx_arena_array(e->arena, count + 1, sizeof *shared);
    for (size_t i = 0; i < count; i++)
        shared[i] = ptx_keep_is_shared(e->block_writer->facts->keeps[i]);
    return shared;
}

bool ptx_block_has_shared(const struct ptx_emitter *e)
{
    for (size_t i = 0; i < e->function->register_count; i++)
        if (ptx_keep_is_shared(e->block_writer->facts->keeps[i]))
            return true;
    return false;
}

void ptx_block_scatter(struct ptx_emitter *e)
{
    const bool *shared = shared_registers(e);
    const bool *none = ptx_arena_array(e->arena, e->function->register_count + 1, sizeof *none);
    ptx_block_load_common(e, offsets_of(e, shared), none);
    for (uint32_t i = 0; i < e->function->register_count; i++)
        if (shared[i])
            ptx_line(e, "%s%s = %s%s;", split_condition(e, i), array_element(e, i),
                     e->block_writer->facts->keeps[i] == PTX_KEEP_OFFSET ? "" : "u_",
                     ptx_current_body(e)->names[i]);
}

/* Those beyond count as mattering everywhere. */
enum { MOST_SHARED = 64 };

uint64_t ptx_block_shared_at(struct ptx_emitter *e, const struct ptx_region *region)
{
    const struct ptx_block_facts *facts = e->block_writer->facts;
    uint64_t bits = 0;
    unsigned number = 0;
    for (uint32_t i = 0; i < e->function->register_count && number < MOST_SHARED; i++)
        if (ptx_keep_is_shared(facts->keeps[i]))
            bits |= (uint64_t)ptx_flow_is_live(facts->flow, region->head, i) << number++;
    return bits;
}

void ptx_block_gather(struct ptx_emitter *e)
{
    const bool *shared = shared_registers(e);
    const bool *none = ptx_arena_array(e->arena, e->function->register_count + 1, sizeof *none);
    unsigned number = 0;
    ptx_block_load_common(e, offsets_of(e, shared), none);
    for (uint32_t i = 0; i < e->function->register_count; i++) {
        if (!shared[i])
            continue;
        const char *name = ptx_current_body(e)->names[i];
        const char *common = common_part(e, i, array_element(e, i));
        const bool is_vector = e->function->registers[i].width > 1;
        if (number < MOST_SHARED)
            ptx_line(e, "if (clem_matters >> %u & 1ul) {", number++);
        else
            ptx_line(e, "{");
        ptx_line(e, "if (clem_number == 0u)");
        ptx_line(e, "    u_%s = %s;", name, common);
        ptx_line(e, "clem_same &= %s(u_%s == %s);", is_vector ? "(uint)all" : "", name, common);
        ptx_line(e, "}");
    }
}
