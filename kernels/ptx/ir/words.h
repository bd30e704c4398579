/* PTX's words and what they mean. Private to kernels/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_WORDS_H
#define KERNELS_PTX_WORDS_H

#include "kernels/ptx/ir/ir.h"

/* The type of ".u32", or PTX_NONE. length without the dot. */
enum ptx_type ptx_type_of(const char *text, size_t length);

/* The special register of a name without its part: "%tid", or -1. */
int ptx_special_of(const char *text, size_t length);
/* How many parts (.x .y .z .w) it has: 0 or 3. */
unsigned ptx_special_parts(enum ptx_special special);
/* As written: "%tid.x". */
const char *ptx_special_name(enum ptx_special special);

/* Understands "mad.lo.s32": fills all of the instruction but guard, line, operands and words. Where
 * a word is not known, opcode is PTX_OPCODES. */
void ptx_decode_words(const char *text, size_t length, struct ptx_instruction *instruction);

#endif
