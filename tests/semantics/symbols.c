/* The texts of the test program that has variables.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "symbols.h"

#include <stdint.h>
#include <string.h>

#include "oracle.h"

#ifdef ORACLE_NATIVE

static const char text[] =
    ".version 7.5\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".visible .global .align 4 .u32 counter = 7;\n"
    ".visible .const .align 4 .b8 table[256];\n"
    ".visible .const .align 4 .u32 squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};\n"
    ".visible .global .align 8 .b8 zeroed[256];\n"
    ".visible .global .attribute(.managed) .align 4 .u32 progress = 5;\n"
    ".visible .entry read_symbols(.param .u64 out) {\n"
    "  .reg .b64 %rd<3>; .reg .b32 %r<8>;\n"
    "  ld.param.u64 %rd1, [out];\n"
    "  cvta.to.global.u64 %rd2, %rd1;\n"
    "  ld.global.u32 %r1, [counter];\n"
    "  ld.const.u32 %r2, [table+12];\n"
    "  ld.const.u32 %r3, [squares+20];\n"
    "  ld.global.u32 %r4, [zeroed+248];\n"
    "  ld.global.u32 %r5, [progress];\n"
    "  st.global.u32 [%rd2], %r1;\n"
    "  st.global.u32 [%rd2+4], %r2;\n"
    "  st.global.u32 [%rd2+8], %r3;\n"
    "  st.global.u32 [%rd2+12], %r4;\n"
    "  st.global.u32 [%rd2+16], %r5;\n"
    "  add.u32 %r6, %r1, 1;\n"
    "  st.global.u32 [counter], %r6;\n"
    "  add.u32 %r7, %r5, 10;\n"
    "  st.global.u32 [progress], %r7;\n"
    "  ret;\n"
    "}\n";

#else

static const char text[] =
    "__constant int first_counter = 7;\n"
    "__constant int first_squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};\n"
    "__constant int first_progress = 5;\n"
    "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) \\\n"
    "    DEVICE(int, counter, ) \\\n"
    "    CONSTANT(int, table, [64]) \\\n"
    "    CONSTANT(int, squares, [8]) \\\n"
    "    DEVICE(long, zeroed, [32]) \\\n"
    "    MANAGED(int, progress, )\n"
    "#define CLEM_SYMBOL_VALUES(CONSTANT, DEVICE, MANAGED) \\\n"
    "    DEVICE(counter, first_counter) \\\n"
    "    CONSTANT(squares, first_squares) \\\n"
    "    MANAGED(progress, first_progress)\n"
    "#include \"clem_symbols.h\"\n"
    "__kernel void read_symbols(__global int *out, CLEM_SYMBOLS_PARAMETERS) {\n"
    "    out[0] = CLEM_DEVICE(counter)++;\n"
    "    out[1] = CLEM_CONSTANT(table)[3];\n"
    "    out[2] = CLEM_CONSTANT(squares)[5];\n"
    "    out[3] = (int)CLEM_DEVICE(zeroed)[31];\n"
    "    out[4] = CLEM_MANAGED(progress);\n"
    "    CLEM_MANAGED(progress) += 10;\n"
    "}\n";

#endif

/* What a compiler hands over: the magic number, a version, and the code. */
struct wrapper {
    uint32_t magic, version;
    const void *code;
    void *unused;
};

#ifdef ORACLE_NATIVE

/* A fat binary with one member, the text. Sizes are padded to 8 bytes. */
struct fat_binary {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
    struct {
        uint16_t kind, version; /* 1: PTX */
        uint32_t header_bytes;
        uint64_t bytes;
        uint32_t compressed_bytes, options_offset;
        uint16_t minor, major;
        uint32_t architecture, name_offset, name_bytes;
        uint64_t flags, zero, decompressed_bytes;
        uint64_t options[2];
    } member;
    char text[(sizeof text + 7) / 8 * 8];
};

static const void *code(void)
{
    static struct fat_binary binary;
    binary.magic = 0xba55ed50;
    binary.version = 1;
    binary.header_bytes = 16;
    binary.bytes = sizeof binary - 16;
    binary.member.kind = 1;
    binary.member.version = 0x101;
    binary.member.header_bytes = sizeof binary.member;
    binary.member.bytes = sizeof binary.text;
    binary.member.options_offset = 64;
    binary.member.minor = 5;
    binary.member.major = 7;
    binary.member.architecture = 75;
    binary.member.flags = 0x11;
    binary.member.options[0] = 72;
    memcpy(binary.text, text, sizeof text);
    return &binary;
}

#else

static const void *code(void)
{
    return text;
}

#endif

const char *symbol_source(void)
{
    return text;
}

void *symbol_fat_binary(void)
{
    static struct wrapper wrapper;
    wrapper = (struct wrapper){0x466243b1, 1, code(), NULL};
    return &wrapper;
}
