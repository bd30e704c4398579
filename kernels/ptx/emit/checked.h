/* What an access tells the host, of a kernel that is checked. Private to kernels/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_CHECKED_H
#define KERNELS_PTX_CHECKED_H

#include <sys/types.h>

#include "kernels/ptx/emit/access.h"
#include "kernels/ptx/library/check.h"

/* Writes the statements that tell of an access before it is made, and has it made at the address that they answer.
 * Needs:  the target checks, and the access is no is_own. */
void ptx_check_access(struct ptx_emitter *e, struct ptx_access *access);

/* A statement that tells of something else: CLEM_CHECK_BEGIN and the like; values are expressions. */
void ptx_check_event(struct ptx_emitter *e, const char *kind, const char *address,
                     const char *value);

/* At the start of a block's text: declares what its accesses to shared memory are looked up in. */
void ptx_check_shadow(struct ptx_emitter *e);

/* Whether where threads meet is to be told. */
static inline bool ptx_checks_meetings(const struct ptx_emitter *e)
{
    return (e->target->checks & (PTX_CHECK_RACE | PTX_CHECK_SYNC)) != 0;
}

/* A statement that tells where threads meet: of e->instruction, values are expressions, NULL: 0. Source: library/check.h. */
struct ptx_meeting {
    const char *kind;   /* CLEM_CHECK_BARRIER, WARP or ROUND */
    const char *thread; /* NULL: all */
    const char *address, *value, *more, *sites;
};
void ptx_check_meeting(struct ptx_emitter *e, const struct ptx_meeting *meeting);

/* Before an instruction is written: statements that follow values which nobody wrote through it. Nothing where init is not
 * checked. */
void ptx_check_values(struct ptx_emitter *e, const struct ptx_instruction *in);

/* A statement that tells what the thread at hand does: kinds of library/check.h, whose arguments are expressions, NULL: 0. Nothing
 * where no check of `checks` is wanted. */
struct ptx_told {
    unsigned kind, checks, bytes;
    const char *address, *value, *more;
    const char *size;                    /* bytes, where they are no constant */
    const struct ptx_operand *registers; /* LOAD, STORE: what is loaded to, or stored; NULL: none */
    bool is_signed;                      /* of what is loaded */
    bool is_known;                       /* bounds have been looked at */
    bool is_generic;                     /* the address is of any space, not of global memory */
};
void ptx_check_told(struct ptx_emitter *e, const struct ptx_told *told);

/* The library's clem_checked_<name>() with arguments, which are open at their end, and what tells where the call is. */
const char *ptx_checked_call(struct ptx_emitter *e, const char *name, const char *arguments);

/* Behind a call that was written: what it returns. */
void ptx_check_result(struct ptx_emitter *e, const struct ptx_instruction *in);

/* Whether values that nobody wrote are followed through what threads do together; a statement, where all of their values are as
 * they were before it, that does so. lanes: names an array of what CLEM_CHECK_EXCHANGE has for each lane, NULL: all threads of the
 * block are asked. given: what they bring; chosen: what says whose they take, or NULL.
 * Needs:  with lanes, clem_base and clem_active; only where CLEM_FOLLOWS(). */
struct ptx_exchange {
    const struct ptx_operand *given, *chosen;
    const char *lanes;
};
bool ptx_check_exchanges(const struct ptx_emitter *e, const struct ptx_instruction *in);
void ptx_check_exchange(struct ptx_emitter *e, const struct ptx_instruction *in,
                        const struct ptx_exchange *exchange);

/* ---- For forms that write no C (native/) ---- */

/* An access of a warp's lanes to memory, as struct clem_check_call has it. is_seen: who does it may look whether it is right, and
 * tells it only where that does not show: looks, at memory; races, at races; otherwise it is told each time. has_value: STORE: its value
 * is told too. */
struct ptx_checked {
    uint64_t what, site, more, registers, others, base;
    bool is_seen, looks, races, has_value;
};

/* Of e->instruction, whose access has a kind, a space, a type and a width, and an address as its operand. false: nothing is to be told of
 * it. */
bool ptx_check_lanes(struct ptx_emitter *e, const struct ptx_access *access,
                     struct ptx_checked *to);

/* Whether a parameter is read at an address that a register has: only then may it be none. */
bool ptx_check_finds_parameter(const struct ptx_emitter *e, uint8_t space,
                               const struct ptx_operand *address);

/* As ptx_check_values(), of which these are the texts, literals of C; NULL: none. Which of them counts, predicates of the
 * instruction say, the operands `by`, 0: none: 1 is added to its index where the first does not hold, 2 where the second does not. */
enum { PTX_CHECK_CHOICES = 4 };
struct ptx_check_choice {
    uint32_t by[2];
    const char *texts[PTX_CHECK_CHOICES];
};
void ptx_check_flows(struct ptx_emitter *e, const struct ptx_instruction *in,
                     struct ptx_check_choice *choice);

/* As ptx_check_exchange(), of which this is the text, a literal of C. */
const char *ptx_check_exchanged(struct ptx_emitter *e, const struct ptx_instruction *in,
                                const struct ptx_operand *given, const struct ptx_operand *chosen);

/* How far apart threads' local memory is, with what stands for it. */
size_t ptx_local_stride(const struct ptx_emitter *e);

/* Within a thread: what a barrier gives it counts as written. */
void ptx_check_step(struct ptx_emitter *e, const struct ptx_instruction *in);

#endif
