/* OpenCL C over lanes: what emitters write of an instruction, compiled to the IR of the native form. So an instruction has one
 * meaning in all forms, that of emit/ and library/. Private to kernels/ptx/native/.
 *
 * That is statements `T x = e;`, `x = e;`, `x += e;` and braces, and the library's functions without loops, which are put in
 * the place of their calls; those with loops are C of the host, called for each lane (host_math.h). Both sides of conditions are
 * computed and one is chosen.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_NATIVE_LANES_H
#define KERNELS_PTX_NATIVE_LANES_H

#include "kernels/ptx/native/native.h"

/* Types of C: the unsigned one of a size is followed by the signed one. */
enum ptx_lane_type {
    LANE_UCHAR,
    LANE_CHAR,
    LANE_USHORT,
    LANE_SHORT,
    LANE_UINT,
    LANE_INT,
    LANE_ULONG,
    LANE_LONG,
    LANE_WIDE, /* ulong2, as 128 bits */
    LANE_FLOAT,
    LANE_DOUBLE,
    LANE_TYPES
};

struct ptx_lane_value {
    const char *text; /* in the IR, without type; NULL: the constant `bits` */
    uint64_t bits;    /* integers: extended to 64 bits as their type says; floats: their own */
    uint8_t type;     /* enum ptx_lane_type: what C takes it for */
    bool is_truth;    /* the text is an i1: 0 or 1, whatever the type */
};

/* A variable: those that the text declares, and those that it is given, registers. */
struct ptx_lane_variable {
    const char *name;
    size_t length; /* of the name */
    struct ptx_lane_value value;
    uint8_t type;
    bool is_truth; /* holds 0 or 1 alone */
    struct ptx_lane_variable *next;
};

struct ptx_lanes {
    struct ptx_native *n;
    const char *at;                  /* the text yet to be read */
    struct ptx_lane_variable *scope; /* those that it may name */
    unsigned muted;                  /* > 0: what is read is never computed */
    const char *what; /* the function being read, for messages; NULL: an instruction's text */
    /* Calls, and constants that are macros: ptx_lane_call(), ptx_lane_macro(). */
    struct ptx_lane_value (*call)(struct ptx_lanes *l, const char *name, size_t length,
                                  const struct ptx_lane_value *arguments, unsigned count);
    struct ptx_lane_value (*macro)(struct ptx_lanes *l, const char *name, size_t length);
};

enum { LANE_ARGUMENTS = 10 };

/* Reads statements to the end of the text. */
void ptx_lanes_run(struct ptx_lanes *l, const char *text);
/* Adds a variable without a value to the scope. */
struct ptx_lane_variable *ptx_lanes_declare(struct ptx_lanes *l, const char *name, size_t length,
                                            enum ptx_lane_type type);

/* ---- Values (lane_value.c) ---- */

unsigned ptx_lane_bits(enum ptx_lane_type type);
bool ptx_lane_is_float(enum ptx_lane_type type);
bool ptx_lane_is_signed(enum ptx_lane_type type);
/* Of a name of C, or LANE_TYPES. */
enum ptx_lane_type ptx_lane_type_of(const char *name, size_t length);
/* "i32", "float". */
const char *ptx_lane_element(enum ptx_lane_type type);
/* The same, or a vector of it. */
const char *ptx_lane_type_text(struct ptx_lanes *l, enum ptx_lane_type type);

struct ptx_lane_value ptx_lane_constant(enum ptx_lane_type type, uint64_t bits);
struct ptx_lane_value ptx_lane_of(enum ptx_lane_type type, const char *text);
/* As the IR names it, of the value's own type; as an i1. */
const char *ptx_lane_text(struct ptx_lanes *l, struct ptx_lane_value value);
const char *ptx_lane_truth(struct ptx_lanes *l, struct ptx_lane_value value);
/* C's conversions: to a type, by value, or the same bits; what two operands become. */
struct ptx_lane_value ptx_lane_convert(struct ptx_lanes *l, struct ptx_lane_value value,
                                       enum ptx_lane_type type);
struct ptx_lane_value ptx_lane_recast(struct ptx_lanes *l, struct ptx_lane_value value,
                                      enum ptx_lane_type type);
enum ptx_lane_type ptx_lane_common(enum ptx_lane_type a, enum ptx_lane_type b);
/* C's operators, "+" or "<=". A distance of a shift is below the type's bits. */
struct ptx_lane_value ptx_lane_unary(struct ptx_lanes *l, char sign, struct ptx_lane_value a);
struct ptx_lane_value ptx_lane_binary(struct ptx_lanes *l, const char *sign,
                                      struct ptx_lane_value a, struct ptx_lane_value b);
struct ptx_lane_value ptx_lane_select(struct ptx_lanes *l, struct ptx_lane_value condition,
                                      struct ptx_lane_value a, struct ptx_lane_value b);

/* ---- Functions (lane_call.c) ---- */

/* A builtin of OpenCL C, or a function of the library. */
struct ptx_lane_value ptx_lane_call(struct ptx_lanes *l, const char *name, size_t length,
                                    const struct ptx_lane_value *arguments, unsigned count);
/* A function of the library, of arguments that are the bits of its own: that of the host; put in its place. */
struct ptx_lane_value ptx_lane_call_host(struct ptx_lanes *l, const char *name,
                                         const struct ptx_lane_value *bits, unsigned count);
struct ptx_lane_value ptx_lane_call_bits(struct ptx_lanes *l, const char *name,
                                         const struct ptx_lane_value *bits, unsigned count);
/* A constant that the library defines as a macro. */
struct ptx_lane_value ptx_lane_macro(struct ptx_lanes *l, const char *name, size_t length);

/* For both: an expression from l->at on, and what a function from the brace of its body on returns; the parser's words. */
struct ptx_lane_value ptx_lanes_expression(struct ptx_lanes *l);
struct ptx_lane_value ptx_lanes_body(struct ptx_lanes *l, enum ptx_lane_type type);
size_t ptx_lanes_word(struct ptx_lanes *l, const char **word);
bool ptx_lanes_take(struct ptx_lanes *l, const char *sign);
/* Refuses what no IR is written for. */
void ptx_lanes_refuse(struct ptx_lanes *l, const char *why);

/* operation_plain.c: an instruction with one result that needs no C; false: it does, and nothing was written. */
bool ptx_native_plain(struct ptx_native *n, const struct ptx_instruction *in,
                      struct ptx_native_value *result);

/* narrow.c: likewise, an instruction on 32 bits whose numbers all fit into 16, over vectors. */
bool ptx_native_narrow(struct ptx_native *n, const struct ptx_instruction *in,
                       struct ptx_native_value *result);

/* Where nothing is computed, nothing is written. */
#define LANE_EMIT(l, ...)    ((l)->muted ? "undef" : ptx_native_emit((l)->n, __VA_ARGS__))
#define LANE_DECLARE(l, ...) ((l)->muted ? (void)0 : ptx_native_declare((l)->n, __VA_ARGS__))

#endif
