/* The one door for what a kernel does to memory, to other threads and to its own way: loads, stores, atomic operations,
 * fences, textures, surfaces, barriers, warp operations, branches and calls. Private to kernels/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_ACCESS_H
#define KERNELS_PTX_ACCESS_H

#include "kernels/ptx/emit/emit.h"

enum ptx_access_kind {
    PTX_ACCESS_LOAD,
    PTX_ACCESS_STORE,
    PTX_ACCESS_ATOMIC,
    PTX_ACCESS_COPY, /* cp.async of which only the kernel knows how many bytes it reads */
    PTX_ACCESS_FENCE,
    PTX_ACCESS_TEXTURE,
    PTX_ACCESS_SURFACE,
    PTX_ACCESS_BARRIER,
    PTX_ACCESS_WARP,
    PTX_ACCESS_BRANCH, /* bra brx ret exit trap; what a form goes on with behind the last instruction of a node */
    PTX_ACCESS_CALL,
    PTX_ACCESS_KINDS
};

/* One of them. It is e->instruction's, whose order, scope and location are its own. */
struct ptx_access {
    uint8_t kind; /* enum ptx_access_kind */
    uint8_t
        space; /* enum ptx_space: of memory; PTX_SPACE_GENERIC: not known before the kernel runs */
    bool is_volatile, is_read_only;
    /* Of memory: an ADDRESS. Or an address as a number, the name of a ulong; in .local, which no instruction's operand names,
     * a pointer. What lies there: a type and how many of it, or c_type, as the pointer's target is called in C. */
    const struct ptx_operand *address;
    const char *number;
    uint8_t type, width; /* enum ptx_type; width 0 is 1 */
    const char *c_type;
    const char *index; /* an expression: so many elements behind; NULL: none */
    const char *function,
        *value; /* STORE, COPY, ATOMIC: what it is given; ATOMIC, SURFACE: by which function */
    const struct ptx_operand *from; /* COPY: the ADDRESS in .global that `bytes` come from */
    unsigned bytes;
    const char *object; /* TEXTURE, SURFACE: its name in the text */
    /* All others: the expression or statement of C that does it; or who writes it, as several. */
    const char *text;
    void (*write)(struct ptx_emitter *e, const struct ptx_instruction *in);
};

/* Everything of the kind is written by this, in every form, and by nothing else: what is to surround accesses is added here.
 * Returns it as an expression or statement of C, which the caller writes at once and once, in a line of its own or as what is
 * set; nothing of it is left to be written where access->write did. Marked where the target says so:
 *   an access, its kind, space, bytes, line of PTX, number of its file and line there, and within it what is none of it:
 *   / *{store global 4 12 1:5* / ... / *[* / value / *]* / ... / *}* /      (without the blanks) */
const char *ptx_access(struct ptx_emitter *e, const struct ptx_access *access);

/* Whether an access of that type at an offset of a parameter is to all of it, a variable of C, whose type then is
 * ptx_parameter_type()'s. */
bool ptx_is_whole_parameter(const struct ptx_variable *v, enum ptx_type type, int64_t offset);

/* One whose text is known. */
static inline const char *ptx_access_text(struct ptx_emitter *e, enum ptx_access_kind kind,
                                          const char *text)
{
    return ptx_access(e, &(struct ptx_access){.kind = (uint8_t)kind, .text = text});
}

#endif
