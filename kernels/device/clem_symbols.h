/* Variables of a module that outlive its launches: __constant__, __device__ and __managed__.
 * SPDX-License-Identifier: Apache-2.0
 *
 * OpenCL C 1.2 has no writable variables outside of functions. So a module lists them, before it
 * includes this file, and the kernels that use them say so in their last parameters:
 *
 *     #define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED)                                            \
 *         CONSTANT(float, gamma, [256])                                                          \
 *         DEVICE(int, counter, )                                                                 \
 *         MANAGED(int, progress, [2])
 *     #include "clem_symbols.h"
 *
 *     void count(CLEM_SYMBOLS_PARAMETERS) { atomic_inc(&CLEM_DEVICE(counter)); }
 *
 *     __kernel void correct(__global float *p, CLEM_SYMBOLS_PARAMETERS)
 *     {
 *         const size_t i = get_global_id(0);
 *         p[i] *= CLEM_CONSTANT(gamma)[i % 256];
 *         count(CLEM_SYMBOLS_ARGUMENTS);
 *     }
 *
 * A launch fills those parameters itself: they take no entry of its argument list. Each device has
 * variables of its own, managed ones as well.
 *
 * A row of the list is type, name and shape (nothing for a single value); the type is declared
 * before this file is included. Constants take 64 KiB at most, variables of another kind what one
 * allocation can hold. All are zero at first, but those for which a second list names a __constant
 * variable that holds the first values:
 *
 *     __constant float first_gamma[256] = {0.5f, 0.25f};
 *     #define CLEM_SYMBOL_VALUES(CONSTANT, DEVICE, MANAGED) CONSTANT(gamma, first_gamma)
 */
#if defined(CLEM_SYMBOLS) && !defined(CLEM_SYMBOLS_H)
#define CLEM_SYMBOLS_H

#define CLEM_CONSTANT(name) (clem_constants->name)
#define CLEM_DEVICE(name)   (clem_variables->name)
#define CLEM_MANAGED(name)  (clem_managed->name)

/* --- how many there are of each kind ---------------------------------------------------------- */

#define CLEM_COUNT(type, name, shape) +1
#define CLEM_COUNT_NOT(type, name, shape)
#define CLEM_CONSTANT_COUNT (0 CLEM_SYMBOLS(CLEM_COUNT, CLEM_COUNT_NOT, CLEM_COUNT_NOT))
#define CLEM_DEVICE_COUNT   (0 CLEM_SYMBOLS(CLEM_COUNT_NOT, CLEM_COUNT, CLEM_COUNT_NOT))
#define CLEM_MANAGED_COUNT  (0 CLEM_SYMBOLS(CLEM_COUNT_NOT, CLEM_COUNT_NOT, CLEM_COUNT))

/* --- the three blocks ------------------------------------------------------------------------- */

#define CLEM_MEMBER(type, name, shape) type name shape;
#define CLEM_MEMBER_NOT(type, name, shape)

/* C has no struct without members. */
struct clem_constant_symbols {
#if CLEM_CONSTANT_COUNT > 0
    CLEM_SYMBOLS(CLEM_MEMBER, CLEM_MEMBER_NOT, CLEM_MEMBER_NOT)
#else
    int clem_none;
#endif
};

struct clem_device_symbols {
#if CLEM_DEVICE_COUNT > 0
    CLEM_SYMBOLS(CLEM_MEMBER_NOT, CLEM_MEMBER, CLEM_MEMBER_NOT)
#else
    int clem_none;
#endif
};

struct clem_managed_symbols {
#if CLEM_MANAGED_COUNT > 0
    CLEM_SYMBOLS(CLEM_MEMBER_NOT, CLEM_MEMBER_NOT, CLEM_MEMBER)
#else
    int clem_none;
#endif
};

/* An array of fewer than no elements: the compiler's log names the reason. */
typedef char
    clem_constants_are_more_than_64_KiB[sizeof(struct clem_constant_symbols) <= 65536 ? 1 : -1];

/* --- parameters, for the kinds that there are ------------------------------------------------- */

#if CLEM_CONSTANT_COUNT > 0
#define CLEM_CONSTANT_PARAMETER __constant struct clem_constant_symbols *clem_constants
#define CLEM_CONSTANT_ARGUMENT  clem_constants
#else
#define CLEM_CONSTANT_PARAMETER
#define CLEM_CONSTANT_ARGUMENT
#endif

#if CLEM_DEVICE_COUNT > 0
#define CLEM_DEVICE_PARAMETER __global struct clem_device_symbols *clem_variables
#define CLEM_DEVICE_ARGUMENT  clem_variables
#else
#define CLEM_DEVICE_PARAMETER
#define CLEM_DEVICE_ARGUMENT
#endif

#if CLEM_MANAGED_COUNT > 0
#define CLEM_MANAGED_PARAMETER __global struct clem_managed_symbols *clem_managed
#define CLEM_MANAGED_ARGUMENT  clem_managed
#else
#define CLEM_MANAGED_PARAMETER
#define CLEM_MANAGED_ARGUMENT
#endif

#if CLEM_CONSTANT_COUNT > 0 && CLEM_DEVICE_COUNT + CLEM_MANAGED_COUNT > 0
#define CLEM_CONSTANT_COMMA ,
#else
#define CLEM_CONSTANT_COMMA
#endif

#if CLEM_DEVICE_COUNT > 0 && CLEM_MANAGED_COUNT > 0
#define CLEM_DEVICE_COMMA ,
#else
#define CLEM_DEVICE_COMMA
#endif

/* clang-format off */
#define CLEM_SYMBOLS_PARAMETERS                                                                    \
    CLEM_CONSTANT_PARAMETER CLEM_CONSTANT_COMMA                                                    \
    CLEM_DEVICE_PARAMETER CLEM_DEVICE_COMMA                                                        \
    CLEM_MANAGED_PARAMETER
#define CLEM_SYMBOLS_ARGUMENTS                                                                     \
    CLEM_CONSTANT_ARGUMENT CLEM_CONSTANT_COMMA                                                     \
    CLEM_DEVICE_ARGUMENT CLEM_DEVICE_COMMA                                                         \
    CLEM_MANAGED_ARGUMENT
/* clang-format on */

/* --- what the library asks about them --------------------------------------------------------- */

/* table begins with CLEM_TABLE_HEAD words: how many symbols, bytes of all names, bytes of the three
 * blocks, and 1 where the second list is not empty. A row is kind, offset in the block, bytes, and
 * where the name begins in names. Rows and names beyond row_room and name_room are left out. */
enum { CLEM_TABLE_HEAD = 6, CLEM_TABLE_ROW = 4 };

void clem_tell_symbol(__global ulong *table, __global char *names, uint row_room, uint name_room,
                      ulong kind, ulong offset, ulong bytes, __constant char *name, uint name_bytes)
{
    const ulong index = table[0], begin = table[1];
    table[0] = index + 1;
    table[1] = begin + name_bytes;
    if (index >= row_room || begin + name_bytes > name_room)
        return;
    __global ulong *row = table + CLEM_TABLE_HEAD + index * CLEM_TABLE_ROW;
    row[0] = kind;
    row[1] = offset;
    row[2] = bytes;
    row[3] = begin;
    for (uint i = 0; i < name_bytes; i++)
        names[begin + i] = name[i];
}

void clem_copy_value(__global char *target, __constant char *source, ulong bytes)
{
    for (ulong i = 0; i < bytes; i++)
        target[i] = source[i];
}

/* The offset of a member by its place in a block that is never read. The name comes as text from
 * the row itself: some compilers have macros of the names of OpenCL C's functions, and one macro
 * further it would be replaced. */
#define CLEM_TELL(kind, block, name, text)                                                         \
    clem_tell_symbol(table, names, row_room, name_room, kind,                                      \
                     (ulong)((__global char *)&(block)->name - (__global char *)(block)),          \
                     sizeof((block)->name), text, sizeof(text));
#define CLEM_TELL_CONSTANT(type, name, shape) CLEM_TELL(0, constants, name, #name)
#define CLEM_TELL_DEVICE(type, name, shape)   CLEM_TELL(1, variables, name, #name)
#define CLEM_TELL_MANAGED(type, name, shape)  CLEM_TELL(2, managed, name, #name)

/* The shorter of the two: a value of another size is no error, as in C. */
#define CLEM_VALUE(block, name, value)                                                             \
    clem_copy_value((__global char *)&(block)->name, (__constant char *)&value,                    \
                    sizeof((block)->name) < sizeof(value) ? sizeof((block)->name)                  \
                                                          : sizeof(value));
#define CLEM_VALUE_CONSTANT(name, value) CLEM_VALUE(constants, name, value)
#define CLEM_VALUE_DEVICE(name, value)   CLEM_VALUE(variables, name, value)
#define CLEM_VALUE_MANAGED(name, value)  CLEM_VALUE(managed, name, value)

/* Tells names and places; writes the first values into the blocks where wants_values is not 0. */
__kernel void clem_symbol_table(__global ulong *table, __global char *names, uint row_room,
                                uint name_room, uint wants_values,
                                __global struct clem_constant_symbols *constants,
                                __global struct clem_device_symbols *variables,
                                __global struct clem_managed_symbols *managed)
{
    table[0] = table[1] = table[5] = 0;
    table[2] = CLEM_CONSTANT_COUNT > 0 ? sizeof(*constants) : 0;
    table[3] = CLEM_DEVICE_COUNT > 0 ? sizeof(*variables) : 0;
    table[4] = CLEM_MANAGED_COUNT > 0 ? sizeof(*managed) : 0;
    CLEM_SYMBOLS(CLEM_TELL_CONSTANT, CLEM_TELL_DEVICE, CLEM_TELL_MANAGED)
    if (!wants_values) {
#ifdef CLEM_SYMBOL_VALUES
        table[5] = 1;
#endif
        return;
    }
#ifdef CLEM_SYMBOL_VALUES
    CLEM_SYMBOL_VALUES(CLEM_VALUE_CONSTANT, CLEM_VALUE_DEVICE, CLEM_VALUE_MANAGED)
#endif
}

#endif
