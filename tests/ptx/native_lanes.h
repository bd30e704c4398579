/* Operations of the native form on their own: PTX of a few instructions as an IR function over 32 lanes or one number, and
 * LLVM, where there is one, to run it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PTX_NATIVE_LANES_H
#define TESTS_PTX_NATIVE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version of the LLVM that was found, or 0: none. */
unsigned lanes_llvm(void);

/* IR of many functions; lanes_add() adds one named f0, f1, ...: of the addresses of the registers %a, %b and %c, which it
 * reads, and %d, which it sets; each has as many elements in a row as there are lanes. Returns its number. */
struct lanes_text;
struct lanes_text *lanes_begin(void);
size_t lanes_add(struct lanes_text *text, const char *registers, const char *instructions,
                 const char *classes, bool is_vector);
/* Likewise a call of the math library: __clem_NAME of %a ..., into %d. */
size_t lanes_add_math(struct lanes_text *text, const char *name, const char *classes,
                      bool is_vector);
/* The IR written so far. */
const char *lanes_ir(const struct lanes_text *text);

typedef void lanes_function(uint64_t a, uint64_t b, uint64_t c, uint64_t d);
/* Compiles all of them; then what they are called by. */
void lanes_compile(struct lanes_text *text);
lanes_function *lanes_find(const struct lanes_text *text, size_t number);
void lanes_end(struct lanes_text *text);

#endif
