/* Looks through a translation whose accesses are marked for accesses that are not. It knows what a translation may hold beside
 * them, and takes all else for one: calls are only of functions that are given no pointer, or are listed here.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/ptx/scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- Words ---- */

struct word {
    const char *at;
    size_t length;
};

static bool is(struct word word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.at, text, word.length) == 0;
}

static bool begins(struct word word, const char *text)
{
    return word.length >= strlen(text) && memcmp(word.at, text, strlen(text)) == 0;
}

/* In a list of words with blanks around each; one that ends in * stands for all that begin so. */
static bool is_among(struct word word, const char *list)
{
    for (const char *at = list + 1; *at; at += strcspn(at, " ") + 1) {
        const size_t length = strcspn(at, " ");
        const bool is_start = at[length - 1] == '*';
        if (is_start ? word.length >= length - 1 && memcmp(word.at, at, length - 1) == 0
                     : word.length == length && memcmp(word.at, at, length) == 0)
            return true;
    }
    return false;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static struct word word_at(const char *at)
{
    struct word word = {at, 0};
    while (is_letter(at[word.length]))
        word.length++;
    return word;
}

/* ---- What is allowed ---- */

static const char types[] =
    " void bool uchar* char* ushort* short* uint* int* ulong* long* float* double* size_t "
    "clem_pointer clem_u8* clem_u16* clem_u32* clem_u64* clem_s8_a clem_s16_a clem_s32_a "
    "clem_s64_a clem_s8v clem_s16v clem_s32v clem_s64v "
    "clem_f32* clem_f64* struct __global __local __constant __private CLEM_LOCAL CLEM_SCRATCH "
    "const "
    "volatile unsigned static local ";
static const char keywords[] =
    " if for while switch sizeof do else case default CLEM_THREAD CLEM_JOINED_THREAD CLEM_ARRAY ";
static const char builtins[] =
    " as_* convert_* get_local_id get_group_id get_global_id get_local_size get_num_groups "
    "get_global_size get_sub_group_local_id get_sub_group_id min max clamp abs abs_diff clz "
    "popcount "
    "rotate mul_hi mad_hi mul24 mad24 hadd rhadd add_sat sub_sat bitselect select upsample fma mad "
    "fmin fmax fabs floor ceil trunc rint round sqrt native_* half_* rsqrt exp2 log2 sin cos tanh "
    "copysign isnan isinf isfinite isnormal signbit fmod remainder ldexp pow all any ";

/* What the forms have beside the kernel's accesses: where threads are, what they wait for, their registers. */
static const char own_arrays[] =
    " a_* clem_state clem_ways clem_wait clem_live clem_arrived clem_places clem_owners clem_pc "
    "clem_masks ";
static const char lane_arrays[] = " clem_x clem_b clem_c clem_m ";
static const char own_calls[] =
    " clem_fence_compiler CLEM_TABLE_ROW CLEM_ROW_MEMORY "
    "clem_table_texture clem_table_surface clem_surface_offset clem_is_shared clem_is_local "
    "clem_generic_to_shared clem_generic_to_local clem_shared_to_generic clem_local_to_generic "
    "CLEM_SCRATCH_START clem_has_failed clem_workspace clem_clock __attribute__ aligned ";
static const char own_block_calls[] =
    " clem_run_block clem_take_turn clem_turn_of clem_end_turn clem_resumes_turn clem_leave_turn "
    "clem_keep_arrived clem_take_arrived clem_living clem_is_together clem_choose_region "
    "clem_choose_waiting "
    "clem_release_barriers clem_trap "
    "clem_begin_warps clem_number_threads clem_choose_lanes clem_settle_lanes "
    "clem_release_warps clem_part_lanes clem_send_lanes clem_wait_for clem_mask_of clem_lanes_of "
    "clem_home_* clem_one clem_of_lane clem_lowest_* clem_take_pred clem_put_pred clem_blend_* "
    "clem_as clem_to ";
/* What stands before a statement; behind some, macros that are statements, no `;` comes. */
static const char control_words[] =
    " if for while switch CLEM_THREAD CLEM_JOINED_THREAD CLEM_ARRAY ";
static const char own_places[] =
    " S_* R* N* K* clem_part clem_run clem_meet clem_choose clem_dispatch clem_send clem_send_on "
    "clem_leave clem_again clem_next_round ";

/* Kinds of marks. STRICT: none of them, or what an access is given. */
enum kind { STRICT, MEMORY, IMAGE, CALL, MEETING, FENCE, BRANCH };

static enum kind kind_of(struct word word)
{
    return is_among(word, " load store atomic copy ") ? MEMORY
           : is_among(word, " texture surface ")      ? IMAGE
           : is(word, "call")                         ? CALL
           : is_among(word, " barrier warp ")         ? MEETING
           : is(word, "fence")                        ? FENCE
           : is(word, "branch")                       ? BRANCH
                                                      : STRICT;
}

/* ---- The scan ---- */

enum { MOST_DEPTH = 256 };

/* Of what stands before a token, that decides what the token means. */
enum before { START, OPERATOR, OPERAND, CAST, TYPE };

struct scan {
    const char *text, *at;
    bool is_block;
    enum kind kinds[MOST_DEPTH];
    unsigned kind_depth;
    struct {
        bool holds_types, is_control;
    } parens[MOST_DEPTH];
    unsigned paren_depth, brace_depth;
    enum before before;
    bool is_declaration, is_case;
    struct word last; /* identifier or keyword */
    const char *why;
};

static enum kind kind(const struct scan *s)
{
    return s->kinds[s->kind_depth];
}

static const char *found(struct scan *s, const char *at, const char *why)
{
    s->why = why;
    return at;
}

/* Assembly for NVIDIA's compiler: whether one of its instructions is an access. */
static bool asm_accesses(const char *from, const char *to)
{
    static const char accesses[] = " ld ldu st atom red shfl vote match redux activemask elect bar "
                                   "barrier membar fence tex tld4 "
                                   "suld sust sured cp bra brx call ret exit trap ";
    for (bool is_in_string = false; from < to; from++) {
        is_in_string ^= *from == '"';
        const bool begins_word = is_in_string && isalpha((unsigned char)*from) &&
                                 !is_letter(from[-1]) && from[-1] != '.' && from[-1] != '%';
        if (begins_word && is_among(word_at(from), accesses))
            return true;
    }
    return false;
}

/* Whether a function of the library, as the text has it, is given no pointer and does nothing of the kind. */
static bool is_pure(const struct scan *s, struct word name)
{
    const char *end = scan_start(s->text);
    for (const char *at = s->text; (at = memchr(at, *name.at, (size_t)(end - at))); at++) {
        if (memcmp(at, name.at, name.length) != 0 || is_letter(at[-1]) || at[name.length] != '(')
            continue;
        const char *line = at;
        while (line > s->text && line[-1] != '\n')
            line--;
        if (*line == ' ' || *line == '\t' || *line == '}')
            continue; /* a use */
        if (*line == '#') {
            const char *stop = at;
            while (*stop && (*stop != '\n' || stop[-1] == '\\'))
                stop++;
            const struct word body = {at, (size_t)(stop - at)};
            for (size_t i = 0; i + 1 < body.length; i++)
                if ((body.at[i] == '*' && body.at[i + 1] == '(') || body.at[i] == '[')
                    return false;
            return !asm_accesses(at, stop);
        }
        const char *brace = strchr(at, '{'), *close = strstr(at, "\n}");
        if (!brace || !close || memchr(at, '*', strcspn(at, ")")))
            return false;
        return !asm_accesses(brace, close);
    }
    return false;
}

static bool may_call(const struct scan *s, struct word name)
{
    switch (kind(s)) {
    case MEMORY:
    case IMAGE:
    case CALL:
        return true;
    case MEETING:
        if (is_among(name, " barrier clem_native_* clem_lane_* clem_lanes_* clem_warp_* "
                           "clem_weight CLEM_BITS clem_vlane_* clem_vlanes_* clem_shift_* "
                           "clem_permute clem_match_lanes clem_first_lanes "))
            return true;
        break;
    case FENCE:
        return is_among(name, " clem_fence* clem_native_fence_* ");
    case BRANCH:
        if (is(name, "clem_trap"))
            return true;
        break;
    default:
        break;
    }
    return is_among(name, keywords) || is_among(name, types) || is_among(name, builtins) ||
           is_among(name, own_calls) || (s->is_block && is_among(name, own_block_calls)) ||
           is_pure(s, name);
}

static const char *look_at_word(struct scan *s)
{
    const struct word word = word_at(s->at);
    const char *const at = s->at;
    const char next = word.at[word.length + strspn(word.at + word.length, " ")];
    s->at += word.length;
    if (is_among(word, " asm __asm__ ")) {
        const char *end = strchr(at, ';');
        while (end && memchr(at, '"', (size_t)(end - at)) && end[1] != '\n')
            end = strchr(end + 1, ';'); /* those within are the assembly's */
        if (!end || (asm_accesses(at, end) && kind(s) == STRICT))
            return found(s, at, "assembly with accesses");
        s->at = end;
        s->before = START;
        return NULL;
    }
    if (is(word, "goto")) {
        const struct word place = word_at(at + 5);
        const bool is_dispatch = s->is_case && s->before == START && *place.at == 'W';
        if (kind(s) != BRANCH && !(kind(s) == MEETING && is(place, "clem_meet")) &&
            !is_among(place, own_places) && !is_dispatch)
            return found(s, at, "a jump");
        s->at = place.at + place.length;
        s->before = OPERAND;
        return NULL;
    }
    if (is(word, "return")) {
        if (kind(s) != BRANCH && !(s->is_block && *s->at == ';'))
            return found(s, at, "a return");
        s->before = OPERATOR;
        return NULL;
    }
    if (is_among(word, keywords)) {
        s->is_case = is(word, "case") || is(word, "default");
        s->before = START;
        s->last = word;
        return NULL;
    }
    if (next == '(' && s->brace_depth > 0 && !may_call(s, word))
        return found(s, at, "a call");
    if (is_among(word, types)) {
        s->is_declaration |= s->before == START;
        s->before = TYPE;
    } else {
        if (s->paren_depth > 0)
            s->parens[s->paren_depth].holds_types = false;
        s->before = OPERAND;
    }
    s->last = word;
    return NULL;
}

static const char *look_at_mark(struct scan *s)
{
    const char *const at = s->at;
    const char *end = strstr(at + 2, "*/");
    if (!end)
        return found(s, at, "a comment without an end");
    s->at = end + 2;
    if (at[2] == '{' || at[2] == '[') {
        if (s->kind_depth + 1 == MOST_DEPTH)
            return found(s, at, "marks too deep");
        s->kinds[++s->kind_depth] = at[2] == '{' ? kind_of(word_at(at + 3)) : STRICT;
    } else if ((at[2] == '}' || at[2] == ']') && s->kind_depth-- == 0)
        return found(s, at, "a mark too many");
    return NULL;
}

static void open_paren(struct scan *s)
{
    if (s->paren_depth + 1 < MOST_DEPTH)
        s->paren_depth++;
    s->parens[s->paren_depth].holds_types = true;
    s->parens[s->paren_depth].is_control = s->before == START && is_among(s->last, control_words);
    s->before = s->parens[s->paren_depth].is_control ? START : OPERATOR;
}

static void close_paren(struct scan *s)
{
    const bool holds_types = s->parens[s->paren_depth].holds_types && s->before != OPERATOR;
    s->before = s->parens[s->paren_depth].is_control ? START : holds_types ? CAST : OPERAND;
    s->paren_depth -= s->paren_depth > 0;
    if (s->paren_depth > 0 && !holds_types)
        s->parens[s->paren_depth].holds_types = false;
}

static const char *look_at_star(struct scan *s)
{
    const char *const at = s->at++;
    const bool is_const = strncmp(s->at, "const ", 6) == 0;
    const bool is_declared = s->before == TYPE || is_const ||
                             (s->is_declaration && s->before == OPERATOR && s->last.length > 0);
    const bool is_flag = begins(word_at(s->at), "clem_exited");
    if (is_declared) {
        s->before = TYPE;
        return NULL;
    }
    if (s->before != OPERAND && !is_flag && kind(s) != MEMORY)
        return found(s, at, "a pointer is followed");
    s->before = OPERATOR;
    return NULL;
}

static const char *look_at_bracket(struct scan *s)
{
    const char *const at = s->at++;
    const bool is_named = s->before == OPERAND && is_letter(at[-1]);
    const bool is_own =
        is_named && (is_among(s->last, own_arrays) ||
                     (kind(s) == MEETING && is_among(s->last, lane_arrays)) || s->is_declaration);
    s->before = OPERATOR;
    return is_own || kind(s) == MEMORY ? NULL : found(s, at, "an element");
}

static const char *look_at_sign(struct scan *s)
{
    const char c = *s->at;
    switch (c) {
    case '*':
        return look_at_star(s);
    case '[':
        return look_at_bracket(s);
    case '(':
        open_paren(s);
        break;
    case ')':
        close_paren(s);
        break;
    case '{':
    case '}':
        s->brace_depth += c == '{' ? 1u : 0u - (unsigned)(s->brace_depth > 0);
        s->before = START;
        s->is_declaration = s->is_case = false;
        break;
    case ';':
        s->before = START;
        s->is_declaration = s->is_case = false;
        break;
    case ':':
        s->before = s->is_case || s->paren_depth == 0 ? START : OPERATOR;
        break;
    case ']':
        s->before = OPERAND;
        break;
    case '-':
        if (s->at[1] == '>')
            return found(s, s->at, "a member through a pointer");
        s->before = OPERATOR;
        break;
    case '=':
        s->is_declaration = false;
        s->before = OPERATOR;
        break;
    default:
        s->before = OPERATOR;
        break;
    }
    s->at++;
    return NULL;
}

static const char *look_on(struct scan *s)
{
    const char c = *s->at;
    if (isspace((unsigned char)c))
        s->at++;
    else if (c == '#')
        do
            s->at += strcspn(s->at, "\n");
        while (s->at[-1] == '\\' && *s->at++);
    else if (s->at[0] == '/' && s->at[1] == '*')
        return look_at_mark(s);
    else if (isdigit((unsigned char)c)) {
        while (is_letter(*s->at) || *s->at == '.' ||
               ((*s->at == '-' || *s->at == '+') && s->at[-1] == 'e'))
            s->at++;
        if (s->paren_depth > 0)
            s->parens[s->paren_depth].holds_types = false;
        s->before = OPERAND;
    } else if (is_letter(c))
        return look_at_word(s);
    else if (c == '.') {
        s->at++;
        s->at += word_at(s->at).length;
        s->before = OPERAND;
    } else
        return look_at_sign(s);
    return NULL;
}

const char *scan_start(const char *text)
{
    const char *functions = strstr(text, "#define CLEM_CONTEXT ");
    const char *kernel = strstr(text, "__kernel CLEM_WORK_GROUP void");
    const char *block = strstr(text, "static CLEM_ALONE void clem_run_block(");
    return functions ? functions : block ? block : kernel ? kernel : text + strlen(text);
}

const char *scan_for_accesses(const char *text, const char *from, bool is_block, const char **why)
{
    struct scan s = {.text = text, .at = from, .is_block = is_block};
    const char *at = NULL;
    while (*s.at && !at)
        at = look_on(&s);
    if (!at && s.kind_depth > 0)
        at = found(&s, s.at, "a mark without an end");
    *why = s.why;
    return at;
}

char *scan_without_marks(const char *text)
{
    char *copy = malloc(strlen(text) + 1), *to = copy;
    while (copy && *text) {
        if (text[0] == '/' && text[1] == '*' && strchr("{}[]", text[2]))
            text = strstr(text, "*/") + 2;
        else
            *to++ = *text++;
    }
    if (copy)
        *to = '\0';
    return copy;
}
