/* A matrix instruction of a warp as it was read, and what it is made of as text (matrix.c).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_KERNELS_PTX_PARSE_MATRIX_H
#define CLEM_KERNELS_PTX_PARSE_MATRIX_H

#include <stdbool.h>
#include <stdio.h>

enum {
    MATRIX_GROUPS = 6,
    MATRIX_REGISTERS = 8,
    MATRIX_NAME = 64,
    MATRIX_WORDS = 20,
    MATRIX_WORD = 20,
    MATRIX_TYPES = 4
};

/* What stands between braces, brackets or commas. */
struct matrix_group {
    char names[MATRIX_REGISTERS][MATRIX_NAME];
    int count;
};

enum matrix_elements {
    OF_F16,
    OF_BF16,
    OF_TF32,
    OF_E4M3,
    OF_E5M2,
    OF_BYTES,
    OF_NIBBLES,
    OF_BITS,
    OF_F64,
    OF_F32, /* sums only, as is OF_S32 */
    OF_S32
};

/* Of elements: the word that names them, their bits, and as dp4a names them (8 bits and fewer). */
struct matrix_type {
    char word[8];
    enum matrix_elements kind;
    int bits;
    const char *product;
};

struct matrix {
    char words[MATRIX_WORDS][MATRIX_WORD]; /* "mma", "sync", "aligned" */
    int word_count;
    struct matrix_group groups[MATRIX_GROUPS];
    int count;
    const struct matrix_type *types[MATRIX_TYPES]; /* those among the words, in their order */
    int type_count;
    int high, wide, depth; /* m16n8k16; 0: without */
    bool has_address;      /* that begins with a register */
    bool has_wide_address; /* of 64 bits */
};

/* ---- matrix_text.c ---- */

bool ptx_matrix_has(const struct matrix *m, const char *word);
/* Text with clem_mma_ in the place of each $, the beginning of the names of its registers and labels. */
__attribute__((format(printf, 2, 3))) void ptx_matrix_put(FILE *out, const char *format, ...);
/* "{" and the registers that all text draws on: $g and $t are the thread's number among those with the same row, and its
 * place there. The "}" is left to the caller. */
void ptx_matrix_put_registers(FILE *out);
/* How many elements of a type are in a register, and along k in those of four threads. */
int ptx_matrix_elements_of(const struct matrix_type *type);
int ptx_matrix_step_of(const struct matrix_type *type);

/* ---- matrix_product.c; false, here and below: a form that is not known ---- */

bool ptx_matrix_write_mma(const struct matrix *m, FILE *out);
bool ptx_matrix_write_wmma_product(const struct matrix *m, FILE *out);

/* ---- matrix_quad.c ---- */

/* mma of m8n8k4 of f16: four products, each of two groups of four threads. */
bool ptx_matrix_write_quads(const struct matrix *m, FILE *out);

/* ---- matrix_memory.c ---- */

/* ldmatrix, stmatrix, movmatrix */
bool ptx_matrix_write_rows(const struct matrix *m, FILE *out);
/* wmma.load and wmma.store */
bool ptx_matrix_write_tiles(const struct matrix *m, FILE *out);

#endif
