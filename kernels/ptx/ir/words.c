/* PTX's words: tables in the order of strcmp(), and what the same word means to different opcodes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/ir/words.h"

#include <stdlib.h>
#include <string.h>

/* ---- Types ---- */

static const struct {
    const char *name;
    uint8_t bytes;
    bool is_float, is_signed;
} types[PTX_TYPES] = {
    [PTX_NONE] = {"none", 0, false, false},
    [PTX_B8] = {"b8", 1, false, false},
    [PTX_B16] = {"b16", 2, false, false},
    [PTX_B32] = {"b32", 4, false, false},
    [PTX_B64] = {"b64", 8, false, false},
    [PTX_B128] = {"b128", 16, false, false},
    [PTX_U8] = {"u8", 1, false, false},
    [PTX_U16] = {"u16", 2, false, false},
    [PTX_U32] = {"u32", 4, false, false},
    [PTX_U64] = {"u64", 8, false, false},
    [PTX_S8] = {"s8", 1, false, true},
    [PTX_S16] = {"s16", 2, false, true},
    [PTX_S32] = {"s32", 4, false, true},
    [PTX_S64] = {"s64", 8, false, true},
    [PTX_F16] = {"f16", 2, true, false},
    [PTX_F16X2] = {"f16x2", 4, true, false},
    [PTX_BF16] = {"bf16", 2, true, false},
    [PTX_BF16X2] = {"bf16x2", 4, true, false},
    [PTX_F32] = {"f32", 4, true, false},
    [PTX_F64] = {"f64", 8, true, false},
    [PTX_TF32] = {"tf32", 4, true, false},
    [PTX_E4M3X2] = {"e4m3x2", 2, true, false},
    [PTX_E5M2X2] = {"e5m2x2", 2, true, false},
    [PTX_F32X2] = {"f32x2", 8, true, false},
    [PTX_U16X2] = {"u16x2", 4, false, false},
    [PTX_S16X2] = {"s16x2", 4, false, true},
    [PTX_PRED] = {"pred", 1, false, false},
    [PTX_TEXREF] = {"texref", 8, false, false},
    [PTX_SAMPLERREF] = {"samplerref", 8, false, false},
    [PTX_SURFREF] = {"surfref", 8, false, false},
};

size_t ptx_type_bytes(enum ptx_type type)
{
    return types[type].bytes;
}

bool ptx_type_is_float(enum ptx_type type)
{
    return types[type].is_float;
}

bool ptx_type_is_signed(enum ptx_type type)
{
    return types[type].is_signed;
}

const char *ptx_type_name(enum ptx_type type)
{
    return types[type].name;
}

static bool same(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && name[length] == 0;
}

enum ptx_type ptx_type_of(const char *text, size_t length)
{
    for (int type = PTX_B8; type < PTX_TYPES; ++type)
        if (same(types[type].name, text, length))
            return (enum ptx_type)type;
    return PTX_NONE;
}

/* ---- Opcodes ---- */

static const char *const opcodes[] = {
#define OPCODE(name) #name,
#include "kernels/ptx/ir/opcodes.def"
#undef OPCODE
};

const char *ptx_opcode_name(enum ptx_opcode opcode)
{
    return opcode < PTX_OPCODES ? opcodes[opcode] : "unknown";
}

struct key {
    const char *text;
    size_t length;
};

static int compare_text(const struct key *key, const char *name)
{
    const int order = strncmp(key->text, name, key->length);
    return order ? order : -(name[key->length] != 0);
}

static int compare_opcode(const void *key, const void *row)
{
    return compare_text(key, *(const char *const *)row);
}

static unsigned opcode_of(const char *text, size_t length)
{
    const struct key key = {text, length};
    const char *const *row = bsearch(&key, opcodes, PTX_OPCODES, sizeof *opcodes, compare_opcode);
    return row ? (unsigned)(row - opcodes) : PTX_OPCODES;
}

/* ---- Special registers ---- */

static const struct {
    const char *name;
    enum ptx_special special;
} specials[] = {
    {"%aggr_smem_size", PTX_AGGR_SMEM_SIZE},
    {"%clock", PTX_CLOCK},
    {"%clock64", PTX_CLOCK64},
    {"%clock_hi", PTX_CLOCK_HI},
    {"%cluster_ctaid", PTX_CLUSTER_RANK},
    {"%cluster_ctarank", PTX_CLUSTER_RANK},
    {"%cluster_nctaid", PTX_CLUSTER_SIZE},
    {"%cluster_nctarank", PTX_CLUSTER_SIZE},
    {"%ctaid", PTX_CTAID_X},
    {"%dynamic_smem_size", PTX_DYNAMIC_SMEM_SIZE},
    {"%envreg1", PTX_ENVREG1},
    {"%envreg2", PTX_ENVREG2},
    {"%globaltimer", PTX_GLOBALTIMER},
    {"%globaltimer_hi", PTX_GLOBALTIMER_HI},
    {"%globaltimer_lo", PTX_GLOBALTIMER_LO},
    {"%gridid", PTX_GRIDID},
    {"%is_explicit_cluster", PTX_IS_EXPLICIT_CLUSTER},
    {"%laneid", PTX_LANEID},
    {"%lanemask_eq", PTX_LANEMASK_EQ},
    {"%lanemask_ge", PTX_LANEMASK_GE},
    {"%lanemask_gt", PTX_LANEMASK_GT},
    {"%lanemask_le", PTX_LANEMASK_LE},
    {"%lanemask_lt", PTX_LANEMASK_LT},
    {"%nctaid", PTX_NCTAID_X},
    {"%nsmid", PTX_NSMID},
    {"%ntid", PTX_NTID_X},
    {"%nwarpid", PTX_NWARPID},
    {"%smid", PTX_SMID},
    {"%tid", PTX_TID_X},
    {"%total_smem_size", PTX_TOTAL_SMEM_SIZE},
    {"%warpid", PTX_WARPID},
    {"WARP_SZ", PTX_WARP_SZ},
    {"%clusterid", PTX_CTAID_X}, /* behind the names that are written for these */
    {"%nclusterid", PTX_NCTAID_X},
};

static bool starts(const char *text, size_t length, const char *prefix)
{
    const size_t bytes = strlen(prefix);
    return length >= bytes && memcmp(text, prefix, bytes) == 0;
}

int ptx_special_of(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; ++i)
        if (same(specials[i].name, text, length))
            return (int)specials[i].special;
    if (starts(text, length, "%envreg"))
        return PTX_ENVREG;
    if (starts(text, length, "%pm") && length > 3 && text[3] >= '0' && text[3] <= '7')
        return PTX_PM;
    if (starts(text, length, "%reserved_smem_offset") ||
        starts(text, length, "%current_graph_exec"))
        return PTX_SPECIAL_OTHER;
    return -1;
}

unsigned ptx_special_parts(enum ptx_special special)
{
    return special <= PTX_NCTAID_Z ? 3 : 0;
}

const char *ptx_special_name(enum ptx_special special)
{
    static const char *const parts[] = {"%tid.x",   "%tid.y",    "%tid.z",    "%ntid.x",
                                        "%ntid.y",  "%ntid.z",   "%ctaid.x",  "%ctaid.y",
                                        "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z"};
    if (special < sizeof parts / sizeof *parts)
        return parts[special];
    for (size_t i = 0; i < sizeof specials / sizeof *specials; ++i)
        if (specials[i].special == special)
            return specials[i].name;
    return special == PTX_ENVREG ? "%envreg0" : special == PTX_PM ? "%pm0" : "%current_graph_exec";
}

/* ---- Modifiers ---- */

enum meaning { SPACE, ROUND, COMPARE, CACHE, ORDER, SCOPE, OPERATION, GEOMETRY, FLAG, WIDTH, HINT };

struct modifier {
    const char *name;
    enum meaning meaning;
    uint32_t value;
};

static const struct modifier modifiers[] = {
    {"1d", GEOMETRY, PTX_1D},
    {"2d", GEOMETRY, PTX_2D},
    {"2dms", GEOMETRY, PTX_2DMS},
    {"3d", GEOMETRY, PTX_3D},
    {"L1", OPERATION, PTX_OP_L1},
    {"L2", OPERATION, PTX_OP_L2},
    {"NaN", FLAG, PTX_NAN_FLAG},
    {"a1d", GEOMETRY, PTX_A1D},
    {"a2d", GEOMETRY, PTX_A2D},
    {"a2dms", GEOMETRY, PTX_A2DMS},
    {"abs", FLAG, PTX_XORSIGN_ABS},
    {"acq_rel", ORDER, PTX_ORDER_ACQ_REL},
    {"acquire", ORDER, PTX_ORDER_ACQUIRE},
    {"acube", GEOMETRY, PTX_ACUBE},
    {"add", OPERATION, PTX_OP_ADD},
    {"addr_mode_0", OPERATION, PTX_OP_ADDR_MODE_0},
    {"addr_mode_1", OPERATION, PTX_OP_ADDR_MODE_1},
    {"addr_mode_2", OPERATION, PTX_OP_ADDR_MODE_2},
    {"alias", OPERATION, PTX_OP_OTHER},
    {"aligned", FLAG, PTX_ALIGNED},
    {"all", OPERATION, PTX_OP_ALL},
    {"and", OPERATION, PTX_OP_AND},
    {"any", OPERATION, PTX_OP_ANY},
    {"approx", FLAG, PTX_APPROX},
    {"array_size", OPERATION, PTX_OP_ARRAY_SIZE},
    {"arrive", OPERATION, PTX_OP_ARRIVE},
    {"async", HINT, 0},
    {"b4e", OPERATION, PTX_OP_B4E},
    {"ballot", OPERATION, PTX_OP_BALLOT},
    {"base", FLAG, PTX_BASE},
    {"bfly", OPERATION, PTX_OP_BFLY},
    {"bulk", OPERATION, PTX_OP_OTHER},
    {"ca", CACHE, PTX_CACHE_CA},
    {"cas", OPERATION, PTX_OP_CAS},
    {"cc", FLAG, PTX_CC},
    {"cg", CACHE, PTX_CACHE_CG},
    {"channel_data_type", OPERATION, PTX_OP_CHANNEL_DATA_TYPE},
    {"channel_order", OPERATION, PTX_OP_CHANNEL_ORDER},
    {"clamp", OPERATION, PTX_OP_CLAMP},
    {"cluster", SCOPE, PTX_SCOPE_CLUSTER},
    {"commit_group", OPERATION, PTX_OP_COMMIT_GROUP},
    {"const", SPACE, PTX_SPACE_CONST},
    {"cs", CACHE, PTX_CACHE_CS},
    {"cta", SCOPE, PTX_SCOPE_CTA},
    {"cube", GEOMETRY, PTX_CUBE},
    {"cv", CACHE, PTX_CACHE_CV},
    {"dec", OPERATION, PTX_OP_DEC},
    {"depth", OPERATION, PTX_OP_DEPTH},
    {"down", OPERATION, PTX_OP_DOWN},
    {"ecl", OPERATION, PTX_OP_ECL},
    {"ecr", OPERATION, PTX_OP_ECR},
    {"eq", COMPARE, PTX_EQ},
    {"equ", COMPARE, PTX_EQU},
    {"exch", OPERATION, PTX_OP_EXCH},
    {"exit", OPERATION, PTX_OP_EXIT},
    {"f4e", OPERATION, PTX_OP_F4E},
    {"filter_mode", OPERATION, PTX_OP_FILTER_MODE},
    {"finite", OPERATION, PTX_OP_FINITE},
    {"ftz", FLAG, PTX_FTZ},
    {"full", FLAG, PTX_FULL},
    {"ge", COMPARE, PTX_GE},
    {"geu", COMPARE, PTX_GEU},
    {"gl", SCOPE, PTX_SCOPE_GPU},
    {"global", SPACE, PTX_SPACE_GLOBAL},
    {"gpu", SCOPE, PTX_SCOPE_GPU},
    {"grad", FLAG, PTX_GRAD},
    {"gt", COMPARE, PTX_GT},
    {"gtu", COMPARE, PTX_GTU},
    {"height", OPERATION, PTX_OP_HEIGHT},
    {"hi", FLAG, PTX_HI},
    {"hs", COMPARE, PTX_CMP_HS},
    {"idx", OPERATION, PTX_OP_IDX},
    {"inc", OPERATION, PTX_OP_INC},
    {"infinite", OPERATION, PTX_OP_INFINITE},
    {"launch_dependents", OPERATION, PTX_OP_LAUNCH_DEPENDENTS},
    {"le", COMPARE, PTX_LE},
    {"leu", COMPARE, PTX_LEU},
    {"level", FLAG, PTX_LEVEL},
    {"lo", FLAG, PTX_LO},
    {"local", SPACE, PTX_SPACE_LOCAL},
    {"ls", COMPARE, PTX_CMP_LS},
    {"lt", COMPARE, PTX_LT},
    {"ltu", COMPARE, PTX_LTU},
    {"lu", CACHE, PTX_CACHE_LU},
    {"max", OPERATION, PTX_OP_MAX},
    {"mbarrier_init", OPERATION, PTX_OP_OTHER},
    {"min", OPERATION, PTX_OP_MIN},
    {"mmio", ORDER, PTX_ORDER_MMIO},
    {"nan", COMPARE, PTX_NAN},
    {"nc", FLAG, PTX_NC},
    {"ne", COMPARE, PTX_NE},
    {"neu", COMPARE, PTX_NEU},
    {"noftz", FLAG, PTX_NOFTZ},
    {"noinc", FLAG, PTX_NOINC},
    {"normal", OPERATION, PTX_OP_NORMAL},
    {"normalized_coords", OPERATION, PTX_OP_NORMALIZED_COORDS},
    {"notanumber", OPERATION, PTX_OP_NOTANUMBER},
    {"num", COMPARE, PTX_NUM},
    {"num_mipmap_levels", OPERATION, PTX_OP_NUM_MIPMAP_LEVELS},
    {"num_samples", OPERATION, PTX_OP_NUM_SAMPLES},
    {"number", OPERATION, PTX_OP_NUMBER},
    {"oob", FLAG, PTX_OOB},
    {"or", OPERATION, PTX_OP_OR},
    {"param", SPACE, PTX_SPACE_PARAM},
    {"param::entry", SPACE, PTX_SPACE_PARAM},
    {"param::func", SPACE, PTX_SPACE_PARAM},
    {"po", OPERATION, PTX_OP_PO},
    {"popc", OPERATION, PTX_OP_POPC},
    {"proxy", OPERATION, PTX_OP_OTHER},
    {"rc16", OPERATION, PTX_OP_RC16},
    {"rc8", OPERATION, PTX_OP_RC8},
    {"red", OPERATION, PTX_OP_RED},
    {"relaxed", ORDER, PTX_ORDER_RELAXED},
    {"release", ORDER, PTX_ORDER_RELEASE},
    {"relu", FLAG, PTX_RELU},
    {"rm", ROUND, PTX_ROUND_RM},
    {"rmi", ROUND, PTX_ROUND_RMI},
    {"rn", ROUND, PTX_ROUND_RN},
    {"rna", ROUND, PTX_ROUND_RNA},
    {"rni", ROUND, PTX_ROUND_RNI},
    {"rp", ROUND, PTX_ROUND_RP},
    {"rpi", ROUND, PTX_ROUND_RPI},
    {"rz", ROUND, PTX_ROUND_RZ},
    {"rzi", ROUND, PTX_ROUND_RZI},
    {"sat", FLAG, PTX_SAT},
    {"satfinite", FLAG, PTX_SATFINITE},
    {"sc", ORDER, PTX_ORDER_SC},
    {"shared", SPACE, PTX_SPACE_SHARED},
    {"shared::cluster", SPACE, PTX_SPACE_SHARED},
    {"shared::cta", SPACE, PTX_SPACE_SHARED},
    {"shiftamt", OPERATION, PTX_OP_SHIFTAMT},
    {"shr15", OPERATION, PTX_OP_SHR15},
    {"shr7", OPERATION, PTX_OP_SHR7},
    {"subnormal", OPERATION, PTX_OP_SUBNORMAL},
    {"sync", FLAG, PTX_SYNC},
    {"sys", SCOPE, PTX_SCOPE_SYS},
    {"tensor", OPERATION, PTX_OP_OTHER},
    {"to", OPERATION, PTX_OP_TO},
    {"trap", OPERATION, PTX_OP_TRAP},
    {"uni", FLAG, PTX_UNI},
    {"unified", FLAG, PTX_UNIFIED},
    {"up", OPERATION, PTX_OP_UP},
    {"v2", WIDTH, 2},
    {"v4", WIDTH, 4},
    {"v8", WIDTH, 8},
    {"volatile", ORDER, PTX_ORDER_VOLATILE},
    {"wait", OPERATION, PTX_OP_WAIT},
    {"wait_all", OPERATION, PTX_OP_WAIT_ALL},
    {"wait_group", OPERATION, PTX_OP_WAIT_GROUP},
    {"warp", OPERATION, PTX_OP_WARP},
    {"wb", CACHE, PTX_CACHE_WB},
    {"weak", ORDER, PTX_ORDER_NONE},
    {"wide", FLAG, PTX_WIDE},
    {"width", OPERATION, PTX_OP_WIDTH},
    {"wrap", OPERATION, PTX_OP_WRAP},
    {"wt", CACHE, PTX_CACHE_WT},
    {"xor", OPERATION, PTX_OP_XOR},
    {"xorsign", FLAG, PTX_XORSIGN_ABS},
    {"zero", OPERATION, PTX_OP_ZERO},
};

/* What a word means to one opcode only. These come first. */
static const struct {
    enum ptx_opcode opcode;
    struct modifier modifier;
} special_modifiers[] = {
    {PTX_OPCODE_cvt, {"pack", OPERATION, PTX_OP_OTHER}},
    {PTX_OPCODE_cp, {"bulk", OPERATION, PTX_OP_BULK}},
    {PTX_OPCODE_cp, {"bulk_group", OPERATION, PTX_OP_BULK_GROUP}},
    {PTX_OPCODE_cp, {"mbarrier", OPERATION, PTX_OP_MBARRIER}},
    {PTX_OPCODE_cp, {"mbarrier::complete_tx::bytes", OPERATION, PTX_OP_COMPLETE_TX}},
    {PTX_OPCODE_cp, {"read", HINT, 0}},
    {PTX_OPCODE_mbarrier, {"arrive_drop", OPERATION, PTX_OP_ARRIVE_DROP}},
    {PTX_OPCODE_mbarrier, {"complete_tx", OPERATION, PTX_OP_COMPLETE_TX}},
    {PTX_OPCODE_mbarrier, {"expect_tx", OPERATION, PTX_OP_EXPECT_TX}},
    {PTX_OPCODE_mbarrier, {"init", OPERATION, PTX_OP_INIT}},
    {PTX_OPCODE_mbarrier, {"inval", OPERATION, PTX_OP_INVAL}},
    {PTX_OPCODE_mbarrier, {"noComplete", HINT, 0}},
    {PTX_OPCODE_mbarrier, {"parity", FLAG, PTX_PARITY}},
    {PTX_OPCODE_mbarrier, {"pending_count", OPERATION, PTX_OP_PENDING_COUNT}},
    {PTX_OPCODE_mbarrier, {"test_wait", OPERATION, PTX_OP_TEST_WAIT}},
    {PTX_OPCODE_mbarrier, {"try_wait", OPERATION, PTX_OP_TRY_WAIT}},
    {PTX_OPCODE_setp, {"lo", COMPARE, PTX_CMP_LO}},
    {PTX_OPCODE_setp, {"hi", COMPARE, PTX_CMP_HI}},
    {PTX_OPCODE_set, {"lo", COMPARE, PTX_CMP_LO}},
    {PTX_OPCODE_set, {"hi", COMPARE, PTX_CMP_HI}},
    {PTX_OPCODE_suld, {"b", OPERATION, PTX_OP_B}},
    {PTX_OPCODE_suld, {"p", OPERATION, PTX_OP_P}},
    {PTX_OPCODE_sust, {"b", OPERATION, PTX_OP_B}},
    {PTX_OPCODE_sust, {"p", OPERATION, PTX_OP_P}},
    {PTX_OPCODE_sured, {"b", OPERATION, PTX_OP_B}},
    {PTX_OPCODE_sured, {"p", OPERATION, PTX_OP_P}},
    {PTX_OPCODE_tld4, {"r", OPERATION, PTX_OP_COMPONENT_R}},
    {PTX_OPCODE_tld4, {"g", OPERATION, PTX_OP_COMPONENT_G}},
    {PTX_OPCODE_tld4, {"b", OPERATION, PTX_OP_COMPONENT_B}},
    {PTX_OPCODE_tld4, {"a", OPERATION, PTX_OP_COMPONENT_A}},
    {PTX_OPCODE_shf, {"l", OPERATION, PTX_OP_L}},
    {PTX_OPCODE_shf, {"r", OPERATION, PTX_OP_R}},
    {PTX_OPCODE_vote, {"uni", OPERATION, PTX_OP_UNI}},
    {PTX_OPCODE_bar, {"sync", OPERATION, PTX_OP_SYNC}},
    {PTX_OPCODE_barrier, {"sync", OPERATION, PTX_OP_SYNC}},
};

static int compare_modifier(const void *key, const void *row)
{
    return compare_text(key, ((const struct modifier *)row)->name);
}

static const struct modifier *find_modifier(unsigned opcode, const char *text, size_t length)
{
    static const struct modifier hint = {"hint", HINT, 0};
    for (size_t i = 0; i < sizeof special_modifiers / sizeof *special_modifiers; ++i)
        if (special_modifiers[i].opcode == opcode &&
            same(special_modifiers[i].modifier.name, text, length))
            return &special_modifiers[i].modifier;
    if (length > 4 && text[0] == 'L' && text[2] == ':')
        return &hint; /* L1::no_allocate, L2::128B and kin: for speed only */
    const struct key key = {text, length};
    return bsearch(&key, modifiers, sizeof modifiers / sizeof *modifiers, sizeof *modifiers,
                   compare_modifier);
}

/* Surfaces keep what happens beyond their border apart; shifts say .clamp and .wrap as flags too. */
static bool add_operation(struct ptx_instruction *in, uint32_t operation)
{
    const bool is_border =
        operation == PTX_OP_TRAP || operation == PTX_OP_CLAMP || operation == PTX_OP_ZERO;
    const bool is_surface = in->opcode == PTX_OPCODE_suld || in->opcode == PTX_OPCODE_sust ||
                            in->opcode == PTX_OPCODE_sured;
    if (is_border && is_surface) {
        in->border = (uint8_t)operation;
        return true;
    }
    in->flags |= operation == PTX_OP_CLAMP  ? (uint32_t)PTX_SHIFT_CLAMP
                 : operation == PTX_OP_WRAP ? (uint32_t)PTX_SHIFT_WRAP
                                            : 0;
    uint8_t *place = in->operation == PTX_OP_NONE ? &in->operation : &in->second_operation;
    if (*place != PTX_OP_NONE)
        return false;
    *place = (uint8_t)operation;
    return true;
}

static bool add_space(struct ptx_instruction *in, uint32_t space)
{
    if (in->operation == PTX_OP_TO)
        in->second_space = (uint8_t)space;
    if (in->space == PTX_SPACE_GENERIC)
        in->space = (uint8_t)space;
    else if (in->second_space == PTX_SPACE_GENERIC)
        in->second_space = (uint8_t)space;
    else
        return false;
    return true;
}

static bool add_type(struct ptx_instruction *in, enum ptx_type type)
{
    if (in->type_count == sizeof in->types)
        return false;
    in->types[in->type_count++] = (uint8_t)type;
    return true;
}

static bool add_modifier(struct ptx_instruction *in, const struct modifier *modifier)
{
    uint8_t *const fields[] = {
        [ROUND] = &in->rounding, [COMPARE] = &in->compare, [CACHE] = &in->cache,
        [ORDER] = &in->order,    [SCOPE] = &in->scope,     [GEOMETRY] = &in->geometry,
        [WIDTH] = &in->width};
    switch (modifier->meaning) {
    case SPACE:
        return add_space(in, modifier->value);
    case OPERATION:
        return add_operation(in, modifier->value);
    case FLAG:
        in->flags |= modifier->value;
        return true;
    case HINT:
        return true;
    default:
        *fields[modifier->meaning] = (uint8_t)modifier->value;
        return true;
    }
}

static bool add_word(struct ptx_instruction *in, const char *text, size_t length)
{
    const struct modifier *modifier = find_modifier(in->opcode, text, length);
    if (modifier)
        return add_modifier(in, modifier);
    const enum ptx_type type = ptx_type_of(text, length);
    return type != PTX_NONE && add_type(in, type);
}

void ptx_decode_words(const char *text, size_t length, struct ptx_instruction *instruction)
{
    const char *const end = text + length;
    const char *dot = memchr(text, '.', length);
    *instruction = (struct ptx_instruction){.width = 1, .guard = -1};
    instruction->opcode = (uint16_t)opcode_of(text, dot ? (size_t)(dot - text) : length);
    while (dot && instruction->opcode != PTX_OPCODES) {
        const char *word = dot + 1;
        dot = memchr(word, '.', (size_t)(end - word));
        if (!add_word(instruction, word, (size_t)((dot ? dot : end) - word)))
            instruction->opcode = PTX_OPCODES;
    }
    if (instruction->opcode == PTX_OPCODE_mbarrier) /* which lie nowhere else */
        instruction->space = PTX_SPACE_SHARED;
}
