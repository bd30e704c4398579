/* Textures and surfaces: fetches become those of the device header (kernels/device/clem_texture.h,
 * clem_surface.h). A handle that traces to one parameter of the kernel, or to a reference of the
 * module, is a bundle of kernel parameters there; any other is looked up in the table of all objects.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "kernels/ptx/emit/access.h"
#include "kernels/ptx/emit/checked.h"
#include "kernels/ptx/emit/texture.h"

/* ---- Which object ---- */

struct object {
    const char *name;   /* of the bundle in the text; of the local variables where is_row */
    const char *handle; /* a number: a row of the table */
    bool is_row;
};

/* The only instruction that writes a register, or NULL. */
static const struct ptx_instruction *only_definition(const struct ptx_function *function,
                                                     int32_t index)
{
    const struct ptx_instruction *found = NULL;
    for (size_t i = 0; i < function->instruction_count; ++i) {
        const struct ptx_instruction *in = &function->instructions[i];
        const unsigned written = in->opcode == PTX_OPCODE_call ? 1 : ptx_destination_count(in);
        for (unsigned k = 0; k < written && k < in->operand_count; ++k) {
            const struct ptx_operand *operand = &in->operands[k];
            const bool is_list = operand->kind == PTX_OPERAND_VECTOR;
            bool writes = operand->kind == PTX_OPERAND_REGISTER && operand->index == index;
            for (uint32_t n = 0; is_list && n < operand->count; ++n)
                writes |= operand->list[n].kind == PTX_OPERAND_REGISTER &&
                          operand->list[n].index == index;
            if (writes && found)
                return NULL;
            if (writes)
                found = in;
        }
    }
    return found;
}

/* The whole 8-byte parameter of the entry that an ld.param reads: its position, or -1. */
static int parameter_of(const struct ptx_emitter *e, const struct ptx_instruction *load)
{
    const struct ptx_function *entry = e->plan->original;
    const struct ptx_operand *from = &load->operands[1];
    if (load->space != PTX_SPACE_PARAM || load->width != 1 || from->kind != PTX_OPERAND_ADDRESS ||
        from->index >= 0 || from->bits != 0)
        return -1;
    for (size_t i = 0; i < entry->parameter_count; ++i)
        if (entry->parameters[i] == from->variable && from->variable->bytes == 8)
            return (int)i;
    return -1;
}

struct trace {
    int parameter; /* -1: none */
    const struct ptx_variable *reference;
};

/* Follows moves of a handle back to where it comes from. */
static struct trace trace_handle(const struct ptx_emitter *e, const struct ptx_operand *handle)
{
    struct trace traced = {.parameter = -1};
    for (unsigned steps = 0; steps < 64; ++steps) {
        if (handle->kind == PTX_OPERAND_VARIABLE) {
            traced.reference = handle->variable;
            return traced;
        }
        if (handle->kind != PTX_OPERAND_REGISTER || handle->part != 0)
            return traced;
        const struct ptx_instruction *in = only_definition(e->function, handle->index);
        if (!in || in->operand_count < 2 || in->guard >= 0)
            return traced;
        if (in->opcode == PTX_OPCODE_ld) {
            traced.parameter = parameter_of(e, in);
            return traced;
        }
        if (in->opcode != PTX_OPCODE_mov && in->opcode != PTX_OPCODE_cvta)
            return traced;
        handle = &in->operands[1];
    }
    return traced;
}

static bool is_in_entry(const struct ptx_emitter *e)
{
    return e->function == e->plan->entry;
}

static struct ptx_texture_argument *
find_bundle(const struct ptx_plan *plan, const struct ptx_argument *wanted, const char *macro)
{
    const size_t length = strlen(macro);
    struct ptx_texture_argument *bundle = plan->textures;
    for (; bundle; bundle = bundle->next) {
        const bool same_object =
            wanted->name ? bundle->argument.name == wanted->name
                         : !bundle->argument.name && bundle->argument.index == wanted->index;
        if (same_object && strncmp(bundle->declaration, macro, length) == 0 &&
            bundle->declaration[length] == '(')
            break;
    }
    return bundle;
}

/* The bundle's name in the text, which stands in parentheses behind the macro. */
static const char *bundle_name(struct ptx_emitter *e, const struct ptx_texture_argument *bundle)
{
    const char *open = strchr(bundle->declaration, '(') + 1;
    return ptx_format(e, "%.*s", (int)strcspn(open, ")"), open);
}

/* One object may be several bundles: a fetch and a query ask for different ones. */
static struct ptx_texture_argument *add_bundle(struct ptx_emitter *e,
                                               const struct ptx_argument *wanted, const char *macro)
{
    struct ptx_plan *plan = e->plan;
    struct ptx_texture_argument *made = ptx_arena_take(e->arena, sizeof *made), **last;
    unsigned count = 0;
    for (last = &plan->textures; *last; last = &(*last)->next)
        ++count;
    made->argument = *wanted;
    made->declaration = ptx_format(e, "%s(t%u)", macro, count);
    *last = made;
    return made;
}

/* The type of image that the header's macro declares; "" where it always goes by memory. */
static const char *image_type(const char *geometry)
{
    static const struct {
        const char *geometry, *type;
    } rows[] = {{"1D", "image1d_t"},
                {"2D", "image2d_t"},
                {"3D", "image3d_t"},
                {"1D_LAYERED", "image1d_array_t"},
                {"2D_LAYERED", "image2d_array_t"},
                {"CUBE", "image2d_array_t"},
                {"CUBE_LAYERED", "image2d_array_t"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        if (strcmp(rows[i].geometry, geometry) == 0)
            return rows[i].type;
    return "";
}

bool ptx_find_bundle(struct ptx_emitter *e, const struct ptx_operand *handle, const char *kind,
                     const char *geometry, struct ptx_texture_argument **bundle)
{
    const struct trace traced = trace_handle(e, handle);
    *bundle = NULL;
    if (traced.reference && !is_in_entry(e)) {
        ptx_refuse(e, "references are fetched from in kernels only, not in functions");
        return false;
    }
    if (!is_in_entry(e) || (traced.parameter < 0 && !traced.reference)) {
        ptx_need(e, PTX_NEED_TABLE);
        return true;
    }
    struct ptx_argument wanted = {.kind = PTX_ARGUMENT_TEXTURE,
                                  .index = traced.reference ? 0 : (size_t)traced.parameter,
                                  .bytes = traced.reference ? 3 : 2,
                                  .is_surface = *kind == 'S',
                                  .name = traced.reference ? traced.reference->name : NULL};
    snprintf(wanted.type, sizeof wanted.type, "%s", image_type(geometry));
    const char *macro =
        ptx_format(e, "CLEM_%s%s%s", kind, traced.reference ? "_REFERENCE" : "", geometry);
    *bundle = find_bundle(e->plan, &wanted, macro);
    if (!*bundle)
        *bundle = add_bundle(e, &wanted, macro);
    return true;
}

static bool find_object(struct ptx_emitter *e, const struct ptx_operand *handle, const char *kind,
                        const char *geometry, struct object *object)
{
    struct ptx_texture_argument *bundle;
    ptx_need(e, PTX_NEED_DEVICE_HEADER);
    *object = (struct object){0};
    if (!ptx_find_bundle(e, handle, kind, geometry, &bundle))
        return false;
    object->is_row = !bundle;
    object->handle = bundle ? NULL : ptx_value(e, handle, PTX_U64);
    object->name = bundle ? bundle_name(e, bundle) : ptx_temporary(e);
    return true;
}

/* What the header's macros look for, from a row of the table. */
static void declare_row(struct ptx_emitter *e, const struct object *object, bool is_surface)
{
    if (!object->is_row)
        return;
    const char *what = is_surface ? "surface" : "texture", *name = object->name;
    ptx_line(e, "__global const struct clem_texture *clem_row__%s = &CLEM_TABLE_ROW(%s);", name,
             object->handle);
    ptx_line(e, "__global %suchar *clem_%s_memory__%s = CLEM_ROW_MEMORY(clem_row__%s);",
             is_surface ? "" : "const ", what, name, name);
    ptx_line(e, "struct clem_%s clem_%s_facts__%s = clem_table_%s(clem_row__%s);", what, what, name,
             what, name);
}

/* ---- Coordinates ---- */

static const struct ptx_texture_shape shapes[] = {
    [PTX_1D] = {"1D", "1D", "1D", 1, 1, false},
    [PTX_2D] = {"2D", "2D", "2D", 2, 2, false},
    [PTX_3D] = {"3D", "3D", "3D", 3, 3, false},
    [PTX_A1D] = {"1DLayered", "1D_LAYERED", "1DLayered", 1, 2, true},
    [PTX_A2D] = {"2DLayered", "2D_LAYERED", "2DLayered", 2, 3, true},
    [PTX_CUBE] = {"Cubemap", "CUBE", NULL, 4, 3, false},
    [PTX_ACUBE] = {"CubemapLayered", "CUBE_LAYERED", NULL, 4, 4, true},
};

struct place {
    const struct ptx_texture_shape *shape;
    const char *x, *y, *z; /* "0.0f" or "0" where the geometry has none */
    const char *layer;     /* NULL: no layers */
};

const struct ptx_texture_shape *ptx_texture_shape(struct ptx_emitter *e,
                                                  const struct ptx_instruction *in,
                                                  const struct ptx_operand *brackets)
{
    if (in->geometry == PTX_GEOMETRY_NONE || in->geometry >= sizeof shapes / sizeof *shapes) {
        ptx_refuse(e, "multisampled textures have no translation");
        return NULL;
    }
    const struct ptx_texture_shape *shape = &shapes[in->geometry];
    if (brackets->kind != PTX_OPERAND_TEXTURE || brackets->count != 2) {
        ptx_refuse(e, "separate samplers have no translation");
        return NULL;
    }
    const struct ptx_operand *at = &brackets->list[1];
    if ((at->kind == PTX_OPERAND_VECTOR ? at->count : 1) < shape->coordinates) {
        ptx_refuse(e, "too few coordinates");
        return NULL;
    }
    return shape;
}

static bool read_place(struct ptx_emitter *e, const struct ptx_instruction *in,
                       const struct ptx_operand *brackets, enum ptx_type type, struct place *place)
{
    const struct ptx_texture_shape *shape = ptx_texture_shape(e, in, brackets);
    if (!shape)
        return false;
    const struct ptx_operand *at = &brackets->list[1];
    const bool is_list = at->kind == PTX_OPERAND_VECTOR;
    const struct ptx_operand *each = is_list ? at->list : at;
    const char *none = ptx_type_is_float(type) ? "0.0f" : "0";
    *place = (struct place){.shape = shape, .x = none, .y = none, .z = none};
    if (shape->has_layer)
        place->layer = ptx_value(e, each++, PTX_S32);
    const char **const axes[] = {&place->x, &place->y, &place->z};
    const unsigned count = shape->coordinates - shape->has_layer;
    for (unsigned i = 0; i < sizeof axes / sizeof *axes && i < count; ++i) {
        const char *value = ptx_value(e, &each[i], type);
        *axes[i] = type == PTX_S32 && in->opcode == PTX_OPCODE_tex
                       ? ptx_format(e, "(float)(%s)", value)
                       : value;
    }
    return true;
}

/* "x, y", with the layer behind for the functions of layers. */
static const char *coordinates(struct ptx_emitter *e, const struct place *place)
{
    const unsigned count = place->shape->coordinates - place->shape->has_layer;
    const char *list = count == 1   ? place->x
                       : count == 2 ? ptx_format(e, "%s, %s", place->x, place->y)
                                    : ptx_format(e, "%s, %s, %s", place->x, place->y, place->z);
    return place->layer ? ptx_format(e, "%s, %s", list, place->layer) : list;
}

/* A fetch, or an access to a surface, by a call of the device header. */
static const char *access_to(struct ptx_emitter *e, enum ptx_access_kind kind,
                             const struct object *object, const char *text)
{
    return ptx_access(e, &(struct ptx_access){.kind = (uint8_t)kind,
                                              .space = PTX_SPACE_TEX,
                                              .type = e->instruction->types[0],
                                              .object = object->name,
                                              .text = text});
}

/* ---- Results ---- */

static bool reads(const struct ptx_operand *operand, int32_t index)
{
    if (operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_ADDRESS)
        return operand->index == index;
    for (uint32_t i = 0; operand->list && i < operand->count; ++i)
        if (reads(&operand->list[i], index))
            return true;
    return false;
}

/* Whether any instruction but this one names the register. */
static bool is_used(const struct ptx_emitter *e, const struct ptx_instruction *by,
                    const struct ptx_operand *operand)
{
    if (operand->kind != PTX_OPERAND_REGISTER)
        return false;
    for (size_t i = 0; i < e->function->instruction_count; ++i) {
        const struct ptx_instruction *in = &e->function->instructions[i];
        for (uint32_t k = 0; in != by && k < in->operand_count; ++k)
            if (reads(&in->operands[k], operand->index))
                return true;
    }
    return false;
}

/* Fetches of one channel have shortcuts in the device header. */
unsigned ptx_wanted_channels(const struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0];
    if (to->kind != PTX_OPERAND_VECTOR)
        return 1;
    for (uint32_t i = 1; i < to->count; ++i)
        if (is_used(e, in, &to->list[i]))
            return 4;
    return 1;
}

static void set_results(struct ptx_emitter *e, const struct ptx_instruction *in, const char *value,
                        enum ptx_type type, unsigned channels)
{
    const struct ptx_operand *to = &in->operands[0];
    const bool is_list = to->kind == PTX_OPERAND_VECTOR;
    const unsigned count = is_list ? to->count : 1;
    for (unsigned i = 0; i < count && i < channels; ++i)
        ptx_set(e, is_list ? &to->list[i] : to, type,
                channels == 1 ? value : ptx_format(e, "%s.%c", value, "xyzw"[i]));
    if (in->has_second_destination)
        ptx_set(e, &in->operands[1], PTX_PRED, "1");
}

/* ---- Fetches ---- */

/* What a fetch from a row of the table is: the header's functions below its macros, which go by image
 * where the program does. */
static const char *row_fetch(struct ptx_emitter *e, const struct object *object,
                             const struct place *place, const char *type, const char *lod)
{
    const struct ptx_texture_shape *shape = place->shape;
    const char *facts = ptx_format(e, "&clem_texture_facts__%s", object->name);
    const char *layers = ptx_format(e, "clem_texture_facts__%s.layers", object->name);
    const char *at =
        shape->axes == 4 ? ptx_format(e, "clem_at_face(%s, %s, %s, %s, %s)", layers, place->x,
                                      place->y, place->z, place->layer ? place->layer : "0")
        : place->layer   ? ptx_format(e, "clem_at(%s, %s, %s, clem_layer(%s, %s))", place->x,
                                      place->y, place->z, place->layer, layers)
                         : ptx_format(e, "clem_at(%s, %s, %s, 0)", place->x, place->y, place->z);
    return ptx_format(e, "CLEM_AS(%s, clem_sample_%u(clem_texture_memory__%s, %s, %s, %s))", type,
                      shape->axes, object->name, facts, at, lod ? lod : "-INFINITY");
}

/* {a, b, c} of tex.grad as float, float2 or float4. */
static const char *gradient(struct ptx_emitter *e, const struct ptx_operand *operand, unsigned axes)
{
    const bool is_list = operand->kind == PTX_OPERAND_VECTOR;
    const char *part[3] = {"0.0f", "0.0f", "0.0f"};
    for (unsigned i = 0; i < axes && i < 3 && i < (is_list ? operand->count : 1); ++i)
        part[i] = ptx_value(e, is_list ? &operand->list[i] : operand, PTX_F32);
    return axes == 1   ? part[0]
           : axes == 2 ? ptx_format(e, "(float2)(%s, %s)", part[0], part[1])
                       : ptx_format(e, "(float4)(%s, %s, %s, 0.0f)", part[0], part[1], part[2]);
}

static const char *gradient_lod(struct ptx_emitter *e, const struct object *object,
                                const struct place *place, const struct ptx_operand *steps)
{
    const unsigned axes = place->shape->axes;
    if (axes == 4)
        return ptx_format(e, "clem_cube_lod(&clem_texture_facts__%s, (float3)(%s, %s, %s), %s, %s)",
                          object->name, place->x, place->y, place->z, gradient(e, &steps[0], axes),
                          gradient(e, &steps[1], axes));
    return ptx_format(e, "CLEM_LOD_OF%u(&clem_texture_facts__%s, %s, %s)", axes, object->name,
                      gradient(e, &steps[0], axes), gradient(e, &steps[1], axes));
}

static const char *fetch(struct ptx_emitter *e, const struct ptx_instruction *in,
                         const struct object *object, const struct place *place, const char *type)
{
    const struct ptx_operand *more = &in->operands[2 + in->has_second_destination];
    const char *lod = in->flags & PTX_LEVEL  ? ptx_value(e, more, PTX_F32)
                      : in->flags & PTX_BASE ? "0.0f"
                                             : NULL;
    if (object->is_row) {
        if (in->flags & PTX_GRAD)
            lod = gradient_lod(e, object, place, more);
        return row_fetch(e, object, place, type, lod);
    }
    const char *at = coordinates(e, place), *function = place->shape->function;
    if (in->flags & PTX_GRAD)
        return ptx_format(e, "tex%sGrad(%s, %s, %s, %s, %s)", function, type, object->name, at,
                          gradient(e, &more[0], place->shape->axes),
                          gradient(e, &more[1], place->shape->axes));
    return lod ? ptx_format(e, "tex%sLod(%s, %s, %s, %s)", function, type, object->name, at, lod)
               : ptx_format(e, "tex%s(%s, %s, %s)", function, type, object->name, at);
}

/* The type that all four channels come as; NULL and refused for those that textures do not have. */
static const char *result_type(struct ptx_emitter *e, enum ptx_type type, unsigned channels)
{
    const char *one = type == PTX_F32                      ? "float"
                      : type == PTX_S32                    ? "int"
                      : type == PTX_U32 || type == PTX_B32 ? "uint"
                                                           : NULL;
    if (!one)
        ptx_refuse(e, "fetches yield .f32, .u32 or .s32 only");
    return one ? ptx_format(e, "%s%s", one, channels == 1 ? "" : "4") : NULL;
}

/* More operands are offsets and reference depths. */
bool ptx_check_fetch(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const uint32_t wanted = 2u + in->has_second_destination + (in->flags & PTX_LEVEL ? 1u : 0u) +
                            (in->flags & PTX_GRAD ? 2u : 0u);
    if (in->operand_count != wanted || in->type_count != 2)
        ptx_refuse(e, "offsets and comparisons of depth have no translation");
    else
        return true;
    return false;
}

/* Linear memory reads as 0 beyond its end; within it, a texel is read. */
static void check_texel(struct ptx_emitter *e, const struct ptx_instruction *in,
                        const struct object *object, const char *index)
{
    const char *name = object->name;
    const struct ptx_told told = {.kind = CLEM_CHECK_TEXTURE,
                                  .checks = PTX_CHECK_MEMORY,
                                  .address = ptx_format(e, "(ulong)(uint)(%s)", index),
                                  .value =
                                      ptx_format(e, "(ulong)clem_texture_facts__%s.width", name)};
    ptx_check_told(e, &told);
    if (!(e->target->checks & (PTX_CHECK_INIT | PTX_CHECK_RACE)))
        return;
    const char *bytes = ptx_temporary(e);
    ptx_line(e,
             "const uint %s = clem_texture_facts__%s.channels * "
             "clem_channel_bytes(clem_texture_facts__%s.format);",
             bytes, name, name);
    ptx_line(e, "if ((uint)(%s) < clem_texture_facts__%s.width)", index, name);
    ptx_check_told(e, &(struct ptx_told){.kind = CLEM_CHECK_LOAD,
                                         .checks = PTX_CHECK_INIT | PTX_CHECK_RACE,
                                         .size = bytes,
                                         .address = ptx_format(e,
                                                               "(ulong)(clem_texture_memory__%s + "
                                                               "clem_texture_facts__%s.offset) + "
                                                               "(ulong)(uint)(%s) * %s",
                                                               name, name, index, bytes),
                                         .value = "1ul",
                                         .registers = &in->operands[0],
                                         .is_known = true});
}

static void emit_tex(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct object object;
    struct place place;
    if (!ptx_check_fetch(e, in))
        return;
    const struct ptx_operand *brackets = &in->operands[1 + in->has_second_destination];
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const bool is_integer = in->types[1] == PTX_S32;
    const bool is_linear_memory = is_integer && in->geometry == PTX_1D;
    const unsigned channels = ptx_wanted_channels(e, in);
    const char *c_type = result_type(e, type, channels);
    if (!c_type || !read_place(e, in, brackets, is_integer ? PTX_S32 : PTX_F32, &place) ||
        !find_object(e, &brackets->list[0], "TEXTURE",
                     is_linear_memory ? "1D_BUFFER" : place.shape->kind, &object))
        return;
    const char *value = ptx_temporary(e), *text;
    ptx_line(e, "{");
    declare_row(e, &object, false);
    if (is_linear_memory) {
        const struct ptx_operand *at = &brackets->list[1];
        const char *index = ptx_value(e, at->kind == PTX_OPERAND_VECTOR ? at->list : at, PTX_S32);
        text = ptx_format(e, "tex1Dfetch(%s, %s, %s)", c_type, object.name, index);
        check_texel(e, in, &object, index);
    } else
        text = fetch(e, in, &object, &place, c_type);
    ptx_line(e, "%s %s = %s;", c_type, value, access_to(e, PTX_ACCESS_TEXTURE, &object, text));
    set_results(e, in, value, type, channels);
    ptx_line(e, "}");
}

static void emit_gather(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct object object;
    struct place place;
    if (!ptx_check_fetch(e, in))
        return;
    const struct ptx_operand *brackets = &in->operands[1 + in->has_second_destination];
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const char *c_type = result_type(e, type, 4);
    if (!c_type || !read_place(e, in, brackets, PTX_F32, &place))
        return;
    if (in->geometry != PTX_2D) {
        ptx_refuse(e, "only two-dimensional textures are gathered from");
        return;
    }
    if (!find_object(e, &brackets->list[0], "TEXTURE", place.shape->kind, &object))
        return;
    const char *value = ptx_temporary(e);
    const int component = in->operation - PTX_OP_COMPONENT_R;
    ptx_line(e, "{");
    declare_row(e, &object, false);
    const char *text =
        object.is_row ? ptx_format(e,
                                   "CLEM_AS(%s, clem_gather(clem_texture_memory__%s, "
                                   "&clem_texture_facts__%s, %s, %s, %d))",
                                   c_type, object.name, object.name, place.x, place.y, component)
                      : ptx_format(e, "tex2Dgather(%s, %s, %s, %s, %d)", c_type, object.name,
                                   place.x, place.y, component);
    ptx_line(e, "%s %s = %s;", c_type, value, access_to(e, PTX_ACCESS_TEXTURE, &object, text));
    set_results(e, in, value, type, 4);
    ptx_line(e, "}");
}

/* ---- Queries ---- */

struct ptx_operand ptx_query_handle(const struct ptx_instruction *in)
{
    struct ptx_operand handle = in->operands[1];
    handle.kind = handle.index >= 0 ? PTX_OPERAND_REGISTER : PTX_OPERAND_VARIABLE;
    return handle;
}

const char *ptx_query_field(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    static const struct {
        uint8_t operation;
        const char *texture, *surface;
    } rows[] = {{PTX_OP_WIDTH, "width", NULL},
                {PTX_OP_HEIGHT, "height", "height"},
                {PTX_OP_DEPTH, "depth", "depth"},
                {PTX_OP_ARRAY_SIZE, "layers", "depth"},
                {PTX_OP_NUM_MIPMAP_LEVELS, "levels", NULL}};
    const bool is_surface = in->opcode == PTX_OPCODE_suq;
    const char *field = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        if (rows[i].operation == in->operation)
            field = is_surface ? rows[i].surface : rows[i].texture;
    if (field && in->operand_count == 2 && !(in->flags & PTX_LEVEL))
        return field;
    ptx_refuse(e, "this is not known of textures and surfaces");
    return NULL;
}

static void emit_query(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const bool is_surface = in->opcode == PTX_OPCODE_suq;
    const char *field = ptx_query_field(e, in);
    if (!field)
        return;
    const struct ptx_operand handle = ptx_query_handle(in);
    struct object object;
    if (!find_object(e, &handle, is_surface ? "SURFACE" : "TEXTURE", is_surface ? "" : "1D_BUFFER",
                     &object))
        return;
    ptx_line(e, "{");
    declare_row(e, &object, is_surface);
    const char *value = ptx_format(e, "clem_%s_facts__%s.%s", is_surface ? "surface" : "texture",
                                   object.name, field);
    if (!is_surface && in->operation == PTX_OP_ARRAY_SIZE) /* of cubes, not of faces */
        value = ptx_format(e, "(%s / (clem_texture_facts__%s.flags & CLEM_TEXTURE_CUBE ? 6u : 1u))",
                           value, object.name);
    ptx_set(e, &in->operands[0], PTX_U32, value);
    ptx_line(e, "}");
}

/* ---- Surfaces ---- */

bool ptx_check_surface(struct ptx_emitter *e, const struct ptx_instruction *in, unsigned channels)
{
    const size_t bytes = ptx_type_bytes((enum ptx_type)in->types[0]);
    if (bytes <= 8 && bytes * channels <= 16 && in->operation == PTX_OP_B)
        return true;
    ptx_refuse(e, "surfaces are read and written as bits (.b8 to .b64) only");
    return false;
}

/* The type of one element: .v2.b32 is uint2. */
static const char *surface_type(struct ptx_emitter *e, const struct ptx_instruction *in,
                                unsigned channels)
{
    static const char *const names[] = {[1] = "uchar", [2] = "ushort", [4] = "uint", [8] = "ulong"};
    const size_t bytes = ptx_type_bytes((enum ptx_type)in->types[0]);
    if (!ptx_check_surface(e, in, channels))
        return NULL;
    return channels == 1 ? names[bytes] : ptx_format(e, "%s%u", names[bytes], channels);
}

static const char *border_mode(const struct ptx_instruction *in)
{
    return in->border == PTX_OP_CLAMP  ? "cudaBoundaryModeClamp"
           : in->border == PTX_OP_ZERO ? "cudaBoundaryModeZero"
                                       : "cudaBoundaryModeTrap";
}

/* Reads what all three have in common; false: refused. */
static bool open_surface(struct ptx_emitter *e, const struct ptx_instruction *in,
                         const struct ptx_operand *brackets, struct object *object,
                         struct place *place)
{
    if (!read_place(e, in, brackets, PTX_S32, place))
        return false;
    if (!place->shape->surface) {
        ptx_refuse(e, "surfaces have no cubes in PTX");
        return false;
    }
    return find_object(e, &brackets->list[0], "SURFACE", "", object);
}

/* The bytes of an access within a surface. */
static void follow_surface(struct ptx_emitter *e, const struct ptx_instruction *in,
                           const struct object *object, const struct place *place,
                           unsigned channels)
{
    const unsigned checks = PTX_CHECK_INIT | PTX_CHECK_RACE;
    const bool is_load = in->opcode == PTX_OPCODE_suld;
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const unsigned bytes = (unsigned)ptx_type_bytes(type) * channels;
    if (!(e->target->checks & checks))
        return;
    const char *at = ptx_temporary(e);
    ptx_line(
        e, "const long %s = clem_surface_offset(&clem_surface_facts__%s, %s, %s, %s, %d, %u, %s);",
        at, object->name, place->x, place->y, place->layer ? place->layer : place->z,
        place->layer ? 1 : 0, bytes, border_mode(in));
    ptx_line(e, "if (%s >= 0)", at);
    ptx_check_told(
        e, &(struct ptx_told){
               .kind = is_load ? CLEM_CHECK_LOAD : CLEM_CHECK_STORE,
               .checks = checks,
               .bytes = bytes,
               .address = ptx_format(e, "(ulong)(clem_surface_memory__%s + %s)", object->name, at),
               .registers = &in->operands[is_load ? 0 : 1],
               .is_signed = ptx_type_is_signed(type),
               .is_known = true});
}

/* An access that must not go beyond a surface, as those to trap. */
static void check_surface(struct ptx_emitter *e, const struct ptx_instruction *in,
                          const struct object *object, const struct place *place, unsigned channels)
{
    const unsigned bytes = (unsigned)ptx_type_bytes((enum ptx_type)in->types[0]) * channels;
    if (in->border == PTX_OP_CLAMP || in->border == PTX_OP_ZERO || !e->target->checks)
        return;
    const struct ptx_told told = {
        .kind = CLEM_CHECK_SURFACE,
        .checks = PTX_CHECK_MEMORY,
        .bytes = bytes,
        .address = ptx_format(
            e, "(ulong)clem_surface_offset(&clem_surface_facts__%s, %s, %s, %s, %d, %u, %s)",
            object->name, place->x, place->y, place->layer ? place->layer : place->z,
            place->layer ? 1 : 0, bytes, border_mode(in)),
        .value = ptx_format(e, "((ulong)(uint)(%s) << 32 | (uint)(%s))", place->y, place->x),
        .more = in->opcode == PTX_OPCODE_suld ? NULL : "1ul"};
    ptx_check_told(e, &told);
}

/* Which surface a row is, only the kernel knows: whoever launches it is told that it writes some. */
static void note_row_write(struct ptx_emitter *e, const struct object *object)
{
    if (object->is_row)
        ptx_need(e, PTX_NEED_TABLE_WRITES);
}

static void emit_load(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct object object;
    struct place place;
    const struct ptx_operand *to = &in->operands[0];
    const unsigned channels = to->kind == PTX_OPERAND_VECTOR ? to->count : 1;
    const char *type = surface_type(e, in, channels);
    if (!type || !open_surface(e, in, &in->operands[1], &object, &place))
        return;
    const char *value = ptx_temporary(e);
    ptx_line(e, "{");
    declare_row(e, &object, true);
    check_surface(e, in, &object, &place, channels);
    follow_surface(e, in, &object, &place, channels);
    const char *text = ptx_format(e, "surf%sreadMode(%s, %s, %s, %s)", place.shape->surface, type,
                                  object.name, coordinates(e, &place), border_mode(in));
    ptx_line(e, "%s %s = %s;", type, value, access_to(e, PTX_ACCESS_SURFACE, &object, text));
    set_results(e, in, value, (enum ptx_type)in->types[0], channels);
    ptx_line(e, "}");
}

static void emit_store(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct object object;
    struct place place;
    const struct ptx_operand *from = &in->operands[1];
    const bool is_list = from->kind == PTX_OPERAND_VECTOR;
    const unsigned channels = is_list ? from->count : 1;
    const char *type = surface_type(e, in, channels);
    if (!type || !open_surface(e, in, &in->operands[0], &object, &place))
        return;
    const enum ptx_type one = (enum ptx_type)in->types[0];
    const char *value = ptx_value(e, is_list ? &from->list[0] : from, one);
    for (unsigned i = 1; i < channels; ++i)
        value = ptx_format(e, "%s, %s", value, ptx_value(e, &from->list[i], one));
    ptx_line(e, "{");
    declare_row(e, &object, true);
    const char *name = ptx_temporary(e);
    note_row_write(e, &object);
    check_surface(e, in, &object, &place, channels);
    follow_surface(e, in, &object, &place, channels);
    ptx_line(e, "%s %s = (%s)(%s);", type, name, type, value);
    const char *text = ptx_format(e, "surf%swriteMode(%s, %s, %s, %s, %s)", place.shape->surface,
                                  type, name, object.name, coordinates(e, &place), border_mode(in));
    ptx_line(e, "%s;", access_to(e, PTX_ACCESS_SURFACE, &object, text));
    ptx_line(e, "}");
}

static const char *reduction_of(const struct ptx_instruction *in)
{
    static const struct {
        uint8_t operation;
        const char *function;
    } rows[] = {{PTX_OP_ADD, "atomic_add"},
                {PTX_OP_MIN, "atomic_min"},
                {PTX_OP_MAX, "atomic_max"},
                {PTX_OP_AND, "atomic_and"},
                {PTX_OP_OR, "atomic_or"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        if (rows[i].operation == in->second_operation)
            return rows[i].function;
    return NULL;
}

bool ptx_check_surface_reduction(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (reduction_of(in) && in->operation == PTX_OP_B &&
        ptx_type_bytes((enum ptx_type)in->types[0]) == 4)
        return true;
    ptx_refuse(e, "reductions on surfaces are of 32 bits at bytes (.b) only");
    return false;
}

static void emit_reduce(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const char *function = reduction_of(in);
    struct object object;
    struct place place;
    if (!ptx_check_surface_reduction(e, in) ||
        !open_surface(e, in, &in->operands[0], &object, &place))
        return;
    const char *c_type = type == PTX_S32 ? "int" : "uint", *at = ptx_temporary(e);
    note_row_write(e, &object);
    ptx_line(e, "{");
    declare_row(e, &object, true);
    ptx_line(e,
             "const long %s = clem_surface_offset(&clem_surface_facts__%s, %s, %s, %s, %d, 4, %s);",
             at, object.name, place.x, place.y, place.layer ? place.layer : place.z,
             place.layer ? 1 : 0, border_mode(in));
    const enum ptx_type value_type = type == PTX_S32 ? PTX_S32 : PTX_U32;
    const struct ptx_access access = {.kind = PTX_ACCESS_SURFACE,
                                      .space = PTX_SPACE_TEX,
                                      .is_volatile = true,
                                      .type = (uint8_t)type,
                                      .c_type = c_type,
                                      .object = object.name,
                                      .index = at,
                                      .function = function,
                                      .value = ptx_value(e, &in->operands[1], value_type)};
    const char *text = ptx_access(e, &access);
    ptx_line(e, "if (%s >= 0)", at);
    ptx_line(e, "    %s;", text);
    ptx_line(e, "}");
}

bool ptx_emit_texture(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    static const struct {
        enum ptx_opcode opcode;
        uint32_t operands; /* at least */
        void (*emit)(struct ptx_emitter *e, const struct ptx_instruction *in);
    } rows[] = {{PTX_OPCODE_tex, 2, emit_tex},     {PTX_OPCODE_tld4, 2, emit_gather},
                {PTX_OPCODE_txq, 2, emit_query},   {PTX_OPCODE_suq, 2, emit_query},
                {PTX_OPCODE_suld, 2, emit_load},   {PTX_OPCODE_sust, 2, emit_store},
                {PTX_OPCODE_sured, 2, emit_reduce}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        if (rows[i].opcode != in->opcode)
            continue;
        if (in->operand_count < rows[i].operands || in->type_count == 0)
            ptx_refuse(e, "operands are missing");
        else
            rows[i].emit(e, in);
        return true;
    }
    return false;
}
