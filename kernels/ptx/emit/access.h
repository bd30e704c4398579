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
    /* No instruction's but the translation's: what counts a stack, copies of parameters, the barrier of a loop around the
     * kernel, functions that call by number. Written anywhere, also where no statement may come before. */
    bool is_own;

    /* Memory: an enum ptx_space, GENERIC where it is known only when the kernel runs; */
    uint8_t space;
    bool is_volatile, is_read_only;
    /* an ADDRESS; or an address that is a number, by the name of a ulong; or, of .local, a pointer; */
    const struct ptx_operand *address;
    const char *number;
    /* what is there: an enum ptx_type, and how many (0: one). In C it is called c_type where that is given. */
    uint8_t type, width;
    const char *c_type;
    const char *index;    /* an expression: so many of them behind the address; NULL: none */
    const char *value;    /* STORE, ATOMIC, COPY: what it is given */
    const char *function; /* ATOMIC, and SURFACE and COPY where that is one: who does it */
    const struct ptx_operand
        *from; /* COPY: an ADDRESS in from_space (GENERIC: .global), of which it reads `bytes` */
    uint8_t from_space;
    unsigned bytes;

    /* Of a kernel that is checked: the names of ulongs that have the address to be used, and for COPY that in from_space. */
    const char *checked, *checked_from;

    const char *object; /* TEXTURE, SURFACE: its name in the text */
    /* All others: the expression or statement that does it; or who writes it, where it is more than one. */
    const char *text;
    void (*write)(struct ptx_emitter *e, const struct ptx_instruction *in);
};

/* Everything of the kind is written by this, in every form, and by nothing else: what is to be done at each access is added
 * here, as statements before it (ptx_line(); not where it is_own).
 * Shape:  returns an expression or statement of C, "" where access->write wrote it.
 * Needs:  statements may stand here, within braces, and the caller's next line has what is returned, once.
 * Marks:  where the target says so, comments stand around it, which open with {, then its kind, space, bytes, line of PTX, and
 *         number of its file and line there; and others, which open with [, around what it is given. */
const char *ptx_access(struct ptx_emitter *e, const struct ptx_access *access);

/* Whether an access of that type at an offset of a parameter is to all of it, a variable of C, whose type then is
 * ptx_parameter_type()'s. */
bool ptx_is_whole_parameter(const struct ptx_variable *v, enum ptx_type type, int64_t offset);

/* One whose text is known; and one of the translation's own. */
static inline const char *ptx_access_text(struct ptx_emitter *e, enum ptx_access_kind kind,
                                          const char *text)
{
    return ptx_access(e, &(struct ptx_access){.kind = (uint8_t)kind, .text = text});
}
static inline const char *ptx_own_access_text(struct ptx_emitter *e, enum ptx_access_kind kind,
                                              const char *text)
{
    return ptx_access(e, &(struct ptx_access){.kind = (uint8_t)kind, .is_own = true, .text = text});
}

#endif
