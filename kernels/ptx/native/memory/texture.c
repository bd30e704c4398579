/* Textures and surfaces in the native form: calls of functions of the host, for all lanes at once (fetch.h).
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "kernels/device/clem_texture_facts.h"
#include "kernels/ptx/emit/texture.h"
#include "kernels/ptx/host/fetch.h"
#include "kernels/ptx/host/runtime.h"
#include "kernels/ptx/native/native_flow.h"

enum { ROW_MASK = 0xfffff }; /* the part of a handle that is the row of the table */

#define LIST_TYPE "[16 x <32 x i32>]"
_Static_assert(PTX_FETCH_ROWS == 16, "as LIST_TYPE says");

/* ---- What a call is given ---- */

bool ptx_native_is_picture(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_tex:
    case PTX_OPCODE_tld4:
    case PTX_OPCODE_txq:
    case PTX_OPCODE_suq:
    case PTX_OPCODE_suld:
    case PTX_OPCODE_sust:
    case PTX_OPCODE_sured:
        return true;
    default:
        return false;
    }
}

void ptx_native_declare_pictures(struct ptx_native *n)
{
    const struct ptx_function *function = n->flow->function;
    bool is_any = false;
    for (size_t i = 0; i < function->instruction_count; i++)
        is_any |= ptx_native_is_picture(&function->instructions[i]);
    if (is_any)
        ptx_native_do(n, "%%picture = alloca " LIST_TYPE ", align 256");
}

/* Numbers have 32 bits there, or 64, which are two rows. */
static uint8_t bits_there(unsigned bits)
{
    return bits > 32 ? 64 : 32;
}

static const char *row_type(const struct ptx_native *n, unsigned bits)
{
    return ptx_format(n->e, "<32 x i%u>", bits_there(bits));
}

/* A row's pointer, with its type before it. */
static const char *row(struct ptx_native *n, unsigned index, unsigned bits)
{
    const char *row = ptx_native_emit(n, "getelementptr " LIST_TYPE ", %s %%picture, i32 0, i32 %u",
                                      ptx_native_pointer_type(n, LIST_TYPE), index);
    const char *type = ptx_native_pointer_type(n, row_type(n, bits));
    if (bits_there(bits) > 32)
        row = ptx_native_emit(n, "bitcast %s %s to %s", ptx_native_pointer_type(n, "<32 x i32>"),
                              row, type);
    return ptx_format(n->e, "%s %s", type, row);
}

static void give(struct ptx_native *n, unsigned index, struct ptx_native_value value)
{
    const unsigned bits = value.bits;
    value = ptx_native_vector(n, ptx_native_resize(n, value, bits_there(bits), false));
    ptx_native_do(n, "store %s %s, %s", row_type(n, bits), value.text, row(n, index, bits));
}

static void give_operand(struct ptx_native *n, unsigned index, const struct ptx_operand *operand,
                         enum ptx_type type)
{
    n->is_vector = true;
    give(n, index, ptx_native_read(n, operand, type));
}

static struct ptx_native_value taken(struct ptx_native *n, unsigned index, unsigned bits)
{
    const char *text = ptx_native_emit(n, "load %s, %s", row_type(n, bits), row(n, index, bits));
    return ptx_native_resize(n, (struct ptx_native_value){text, bits_there(bits), true}, bits,
                             false);
}

static void call(struct ptx_native *n, const struct ptx_instruction *in, const char *name,
                 union ptx_fetch what, const char *object)
{
    ptx_native_declare(n, "declare void @clem_native_%s(i32, i32, i64, i64)", name);
    const char *list =
        ptx_native_emit(n, "ptrtoint %s %%picture to i64", ptx_native_pointer_type(n, LIST_TYPE));
    ptx_native_do(n, "call void @clem_native_%s(i32 %u, i32 %s, i64 %s, i64 %s)", name, what.word,
                  ptx_native_guarded(n, in), object, list);
}

static unsigned number_of(const struct ptx_native *n, const struct ptx_texture_argument *bundle)
{
    unsigned number = 0;
    for (const struct ptx_texture_argument *x = n->e->plan->textures; x != bundle; x = x->next)
        number++;
    return number;
}

/* The object that all lanes have, a number; or "0", where each has its own in the list. A bundle's facts came with the launch;
 * others are in the table. */
static const char *give_object(struct ptx_native *n, const struct ptx_operand *handle,
                               const struct ptx_texture_argument *bundle)
{
    const size_t bytes = sizeof(struct clem_texture);
    if (bundle) {
        const char *first =
            ptx_native_of_launch(n, offsetof(struct ptx_native_launch, pictures), "i64");
        return ptx_native_emit(n, "add i64 %s, %zu", first, number_of(n, bundle) * bytes);
    }
    const char *table = ptx_native_of_launch(n, offsetof(struct ptx_native_launch, table), "i64");
    n->is_vector = ptx_native_varies(n, handle);
    struct ptx_native_value object = ptx_native_read(n, handle, PTX_U64);
    object = ptx_native_both(n, "and", object,
                             ptx_native_number(n, 64, ptx_format(n->e, "%d", ROW_MASK)));
    object =
        ptx_native_both(n, "mul", object, ptx_native_number(n, 64, ptx_format(n->e, "%zu", bytes)));
    object = ptx_native_both(n, "add", object, ptx_native_number(n, 64, table));
    if (!object.is_vector)
        return object.text;
    give(n, PTX_FETCH_OBJECT, object);
    return "0";
}

/* Whole numbers become floats where a texture is not of linear memory. `least` axes are given, zeros where there are fewer. */
static void give_place(struct ptx_native *n, const struct ptx_texture_shape *shape,
                       const struct ptx_operand *at, enum ptx_type type, bool becomes_float,
                       unsigned least)
{
    const struct ptx_operand *each = at->kind == PTX_OPERAND_VECTOR ? at->list : at;
    const unsigned count = shape->coordinates - shape->has_layer;
    if (shape->has_layer)
        give_operand(n, PTX_FETCH_LAYER, each++, PTX_S32);
    for (unsigned i = 0; i < (count > least ? count : least); i++) {
        struct ptx_native_value value = ptx_native_number(n, 32, "0");
        n->is_vector = true;
        if (i < count)
            value = ptx_native_read(n, &each[i], type);
        if (i < count && becomes_float) {
            const char *real =
                ptx_native_emit(n, "sitofp <32 x i32> %s to <32 x float>", value.text);
            value.text = ptx_native_emit(n, "bitcast <32 x float> %s to <32 x i32>", real);
        }
        give(n, PTX_FETCH_X + i, value);
    }
}

/* Results, from a row on. */
static void take(struct ptx_native *n, const struct ptx_instruction *in, unsigned first,
                 unsigned channels)
{
    const struct ptx_operand *to = &in->operands[0];
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const bool is_list = to->kind == PTX_OPERAND_VECTOR;
    const unsigned bits = ptx_native_bits(type);
    for (unsigned i = 0; i < (is_list ? to->count : 1) && i < channels; i++)
        ptx_native_set(n, in, is_list ? &to->list[i] : to, type,
                       taken(n, first + i * bits_there(bits) / 32, bits));
    if (in->has_second_destination)
        ptx_native_set(n, in, &in->operands[1], PTX_PRED, ptx_native_number(n, 1, "true"));
}

/* ---- Textures ---- */

/* The same function of the device header as the other forms call, which of several that give the same but for the last bit. */
static enum ptx_fetch_way way_of(const struct ptx_instruction *in, unsigned axes, bool is_shortcut,
                                 unsigned channels)
{
    static const uint8_t flat[2][3][2] = {
        {{PTX_FETCH_1D_float, PTX_FETCH_1D_float4},
         {PTX_FETCH_1D_int, PTX_FETCH_1D_int4},
         {PTX_FETCH_1D_uint, PTX_FETCH_1D_uint4}},
        {{PTX_FETCH_2D_float, PTX_FETCH_2D_float4},
         {PTX_FETCH_2D_int, PTX_FETCH_2D_int4},
         {PTX_FETCH_2D_uint, PTX_FETCH_2D_uint4}},
    };
    const int type = in->types[0] == PTX_F32 ? 0 : in->types[0] == PTX_S32 ? 1 : 2;
    if (is_shortcut && axes <= 2)
        return (enum ptx_fetch_way)flat[axes - 1][type][channels == 4];
    return (enum ptx_fetch_way)(PTX_FETCH_SAMPLE_1 + axes - 1);
}

/* The level, or how the place moves in both directions. */
static enum ptx_fetch_level give_level(struct ptx_native *n, const struct ptx_instruction *in,
                                       unsigned axes)
{
    const struct ptx_operand *more = &in->operands[2 + in->has_second_destination];
    if (in->flags & PTX_LEVEL)
        give_operand(n, PTX_FETCH_LEVEL, more, PTX_F32);
    else if (in->flags & PTX_BASE)
        give(n, PTX_FETCH_LEVEL, ptx_native_number(n, 32, "0"));
    for (unsigned i = 0; in->flags & PTX_GRAD && i < 6; i++) {
        const struct ptx_operand *step = &more[i / 3];
        const bool is_list = step->kind == PTX_OPERAND_VECTOR;
        if (i % 3 < axes && i % 3 < (is_list ? step->count : 1))
            give_operand(n, PTX_FETCH_STEPS + i, is_list ? &step->list[i % 3] : step, PTX_F32);
        else
            give(n, PTX_FETCH_STEPS + i, ptx_native_number(n, 32, "0"));
    }
    return in->flags & PTX_GRAD                 ? PTX_FETCH_BY_STEPS
           : in->flags & (PTX_LEVEL | PTX_BASE) ? PTX_FETCH_AT_LEVEL
                                                : PTX_FETCH_FINEST;
}

/* Instructions are copies here (kernel.c). */
static unsigned wanted_channels(const struct ptx_native *n, const struct ptx_instruction *in)
{
    return ptx_wanted_channels(n->e,
                               &n->e->function->instructions[in - n->flow->function->instructions]);
}

static void write_fetch(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    struct ptx_texture_argument *bundle;
    const struct ptx_operand *brackets = &in->operands[1 + in->has_second_destination];
    const bool is_gather = in->opcode == PTX_OPCODE_tld4;
    const bool is_whole = !is_gather && in->types[1] == PTX_S32;
    const bool is_linear = is_whole && in->geometry == PTX_1D;
    const struct ptx_texture_shape *shape =
        ptx_check_fetch(e, in) ? ptx_texture_shape(e, in, brackets) : NULL;
    if (!shape)
        return;
    if (ptx_type_bytes((enum ptx_type)in->types[0]) != 4 || (is_gather && in->geometry != PTX_2D)) {
        ptx_refuse(e, "a fetch that the native form has not");
        return;
    }
    if (!ptx_find_bundle(e, &brackets->list[0], "TEXTURE", is_linear ? "1D_BUFFER" : shape->kind,
                         &bundle))
        return;
    union ptx_fetch what = {.texture = {.has_layer = shape->has_layer}};
    what.texture.count = (uint8_t)(is_gather ? 4 : wanted_channels(n, in));
    const char *object = give_object(n, &brackets->list[0], bundle);
    if (is_gather) {
        what.texture.way = PTX_FETCH_GATHER;
        give(n, PTX_FETCH_LEVEL,
             ptx_native_number(n, 32, ptx_format(e, "%d", in->operation - PTX_OP_COMPONENT_R)));
    } else if (is_linear) {
        what.texture.way = PTX_FETCH_LINEAR;
    } else {
        what.texture.level = (uint8_t)give_level(n, in, shape->axes);
        const bool is_shortcut =
            bundle && what.texture.level == PTX_FETCH_FINEST && !shape->has_layer;
        what.texture.way = (uint8_t)way_of(in, shape->axes, is_shortcut, what.texture.count);
    }
    give_place(
        n, shape, &brackets->list[1], is_whole ? PTX_S32 : PTX_F32, is_whole && !is_linear,
        what.texture.way >= PTX_FETCH_SAMPLE_1 && what.texture.way <= PTX_FETCH_SAMPLE_4 ? 3 : 0);
    call(n, in, "fetch", what, object);
    take(n, in, PTX_FETCH_RESULTS, what.texture.count);
}

/* ---- Queries ---- */

/* A row says of surfaces in `width` how many bytes a row has, which nobody asks for. */
static size_t place_of(const char *field)
{
    static const struct {
        const char *name;
        size_t at;
    } fields[] = {{"width", offsetof(struct clem_texture, width)},
                  {"height", offsetof(struct clem_texture, height)},
                  {"depth", offsetof(struct clem_texture, depth)},
                  {"layers", offsetof(struct clem_texture, layers)},
                  {"levels", offsetof(struct clem_texture, levels)}};
    size_t which = 0;
    while (strcmp(fields[which].name, field) != 0)
        which++;
    return fields[which].at;
}

static void write_query(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    struct ptx_texture_argument *bundle;
    const bool is_surface = in->opcode == PTX_OPCODE_suq;
    const char *field = ptx_query_field(e, in);
    const struct ptx_operand handle = ptx_query_handle(in);
    if (!field || !ptx_find_bundle(e, &handle, is_surface ? "SURFACE" : "TEXTURE",
                                   is_surface ? "" : "1D_BUFFER", &bundle))
        return;
    const union ptx_fetch what = {
        .query = {.at = (uint8_t)(place_of(field) / 4),
                  .is_of_cubes = !is_surface && in->operation == PTX_OP_ARRAY_SIZE}};
    const char *object = give_object(n, &handle, bundle);
    call(n, in, "query", what, object);
    ptx_native_set(n, in, &in->operands[0], PTX_U32, taken(n, PTX_FETCH_RESULTS, 32));
}

/* ---- Surfaces ---- */

/* A load, a store, or a reduction: the object, the place, and what is known of the access; NULL: refused. */
static const char *open_surface(struct ptx_native *n, const struct ptx_instruction *in,
                                const struct ptx_operand *brackets, unsigned channels,
                                union ptx_fetch *what)
{
    struct ptx_emitter *e = n->e;
    struct ptx_texture_argument *bundle;
    const struct ptx_texture_shape *shape = ptx_texture_shape(e, in, brackets);
    if (shape && !shape->surface)
        ptx_refuse(e, "surfaces have no cubes in PTX");
    if (!shape || !shape->surface ||
        !ptx_find_bundle(e, &brackets->list[0], "SURFACE", "", &bundle))
        return NULL;
    enum { ZERO, CLAMP, TRAP }; /* cudaBoundaryMode */
    *what =
        (union ptx_fetch){.surface = {.bytes = (uint8_t)ptx_type_bytes((enum ptx_type)in->types[0]),
                                      .count = (uint8_t)channels,
                                      .has_layer = shape->has_layer,
                                      .axes = (uint8_t)(shape->axes & 3u),
                                      .is_signed = ptx_type_is_signed((enum ptx_type)in->types[0]),
                                      .mode = in->border == PTX_OP_CLAMP  ? CLAMP
                                              : in->border == PTX_OP_ZERO ? ZERO
                                                                          : TRAP,
                                      .operation = in->second_operation}};
    if (!bundle && in->opcode != PTX_OPCODE_suld)
        ptx_need(e, PTX_NEED_TABLE_WRITES);
    give_place(n, shape, &brackets->list[1], PTX_S32, false, 0);
    return give_object(n, &brackets->list[0], bundle);
}

/* Of a load or a store. */
static const char *open_texels(struct ptx_native *n, const struct ptx_instruction *in,
                               const struct ptx_operand *brackets, unsigned channels,
                               union ptx_fetch *what)
{
    return ptx_check_surface(n->e, in, channels) ? open_surface(n, in, brackets, channels, what)
                                                 : NULL;
}

static void write_load(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    const struct ptx_operand *to = &in->operands[0];
    const unsigned channels = to->kind == PTX_OPERAND_VECTOR ? to->count : 1;
    union ptx_fetch what;
    const char *object = open_texels(n, in, &in->operands[1], channels, &what);
    if (!object)
        return;
    call(n, in, "load_surface", what, object);
    take(n, in, PTX_FETCH_VALUES, channels);
}

static void write_store(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    const struct ptx_operand *from = &in->operands[1];
    const bool is_list = from->kind == PTX_OPERAND_VECTOR;
    const unsigned channels = is_list ? from->count : 1;
    union ptx_fetch what;
    const char *object = open_texels(n, in, &in->operands[0], channels, &what);
    if (!object)
        return;
    const unsigned rows = bits_there(ptx_native_bits((enum ptx_type)in->types[0])) / 32;
    for (unsigned i = 0; i < channels; i++)
        give_operand(n, PTX_FETCH_VALUES + i * rows, is_list ? &from->list[i] : from,
                     (enum ptx_type)in->types[0]);
    call(n, in, "store_surface", what, object);
}

static void write_reduction(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    union ptx_fetch what;
    const char *object =
        ptx_check_surface_reduction(e, in) ? open_surface(n, in, &in->operands[0], 1, &what) : NULL;
    if (!object)
        return;
    give_operand(n, PTX_FETCH_VALUES, &in->operands[1], PTX_U32);
    call(n, in, "reduce_surface", what, object);
}

/* ---- All ---- */

bool ptx_native_picture(struct ptx_native *n, const struct ptx_instruction *in)
{
    static const struct {
        enum ptx_opcode opcode;
        uint32_t operands; /* at least */
        enum ptx_access_kind kind;
        void (*write)(struct ptx_emitter *e, const struct ptx_instruction *in);
    } rows[] = {{PTX_OPCODE_tex, 2, PTX_ACCESS_TEXTURE, write_fetch},
                {PTX_OPCODE_tld4, 2, PTX_ACCESS_TEXTURE, write_fetch},
                {PTX_OPCODE_txq, 2, PTX_ACCESS_TEXTURE, write_query},
                {PTX_OPCODE_suq, 2, PTX_ACCESS_SURFACE, write_query},
                {PTX_OPCODE_suld, 2, PTX_ACCESS_SURFACE, write_load},
                {PTX_OPCODE_sust, 2, PTX_ACCESS_SURFACE, write_store},
                {PTX_OPCODE_sured, 2, PTX_ACCESS_SURFACE, write_reduction}};
    if (ptx_moves_reference(n->e, in)) {
        ptx_native_set(n, in, &in->operands[0], PTX_U64, ptx_native_number(n, 64, "0"));
        return true;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].opcode != in->opcode)
            continue;
        if (in->operand_count < rows[i].operands || in->type_count == 0)
            ptx_refuse(n->e, "operands are missing");
        else
            ptx_access(n->e, &(struct ptx_access){.kind = (uint8_t)rows[i].kind,
                                                  .space = PTX_SPACE_TEX,
                                                  .write = rows[i].write});
        return true;
    }
    return false;
}
