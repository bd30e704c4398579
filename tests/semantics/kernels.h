/* The texts of the test kernels: PTX for a native run, OpenCL C for clem.
 * SPDX-License-Identifier: Apache-2.0
 *
 * One literal per kernel: C11 promises only 4095 characters in a literal.
 */
#ifndef ORACLE_KERNELS_H
#define ORACLE_KERNELS_H

#ifdef ORACLE_NATIVE

static const char *const kernel_texts[] = {
    ".version 7.5\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".extern .shared .align 16 .b8 scratch[];\n",

    ".visible .entry noop() { ret; }\n",

    ".visible .entry store_value(.param .u64 p, .param .u32 v) {\n"
    "  .reg .b64 %rd<3>; .reg .b32 %r<2>;\n"
    "  ld.param.u64 %rd1, [p];\n"
    "  ld.param.u32 %r1, [v];\n"
    "  cvta.to.global.u64 %rd2, %rd1;\n"
    "  st.global.u32 [%rd2], %r1;\n"
    "  ret;\n"
    "}\n",

    ".visible .entry add_value(.param .u64 p, .param .u32 n, .param .u32 v) {\n"
    "  .reg .pred %q<2>; .reg .b64 %rd<5>; .reg .b32 %r<9>;\n"
    "  ld.param.u64 %rd1, [p];\n"
    "  ld.param.u32 %r1, [n];\n"
    "  ld.param.u32 %r2, [v];\n"
    "  mov.u32 %r3, %ctaid.x;\n"
    "  mov.u32 %r4, %ntid.x;\n"
    "  mov.u32 %r5, %tid.x;\n"
    "  mad.lo.s32 %r6, %r3, %r4, %r5;\n"
    "  setp.ge.s32 %q1, %r6, %r1;\n"
    "  @%q1 bra DONE;\n"
    "  cvta.to.global.u64 %rd2, %rd1;\n"
    "  mul.wide.s32 %rd3, %r6, 4;\n"
    "  add.s64 %rd4, %rd2, %rd3;\n"
    "  ld.global.u32 %r7, [%rd4];\n"
    "  add.s32 %r8, %r7, %r2;\n"
    "  st.global.u32 [%rd4], %r8;\n"
    "DONE:\n"
    "  ret;\n"
    "}\n",

    ".visible .entry spin(.param .u64 out, .param .u32 iterations) {\n"
    "  .reg .pred %q<3>; .reg .b64 %rd<3>; .reg .b32 %r<12>;\n"
    "  ld.param.u64 %rd1, [out];\n"
    "  ld.param.u32 %r1, [iterations];\n"
    "  cvta.to.global.u64 %rd2, %rd1;\n"
    "  mov.u32 %r2, 2463534242;\n"
    "  mov.u32 %r3, 0;\n"
    "NEXT:\n"
    "  setp.ge.u32 %q1, %r3, %r1;\n"
    "  @%q1 bra DONE;\n"
    "  shl.b32 %r4, %r2, 13;\n"
    "  xor.b32 %r5, %r2, %r4;\n"
    "  shr.u32 %r6, %r5, 17;\n"
    "  xor.b32 %r7, %r5, %r6;\n"
    "  shl.b32 %r8, %r7, 5;\n"
    "  xor.b32 %r2, %r7, %r8;\n"
    "  add.u32 %r3, %r3, 1;\n"
    "  bra NEXT;\n"
    "DONE:\n"
    "  st.global.u32 [%rd2], %r2;\n"
    "  ret;\n"
    "}\n",

    ".visible .entry store_pair(.param .u64 out, .param .align 8 .b8 s[24]) {\n"
    "  .reg .b64 %rd<4>; .reg .b32 %r<4>;\n"
    "  ld.param.u64 %rd1, [out];\n"
    "  cvta.to.global.u64 %rd2, %rd1;\n"
    "  ld.param.u32 %r1, [s];\n"
    "  ld.param.u64 %rd3, [s+8];\n"
    "  cvt.u32.u64 %r2, %rd3;\n"
    "  ld.param.s8 %r3, [s+16];\n"
    "  st.global.u32 [%rd2], %r1;\n"
    "  st.global.u32 [%rd2+4], %r2;\n"
    "  st.global.u32 [%rd2+8], %r3;\n"
    "  ret;\n"
    "}\n",

    ".visible .entry follow(.param .u64 cell, .param .u32 v) {\n"
    "  .reg .b64 %rd<5>; .reg .b32 %r<2>;\n"
    "  ld.param.u64 %rd1, [cell];\n"
    "  ld.param.u32 %r1, [v];\n"
    "  cvta.to.global.u64 %rd2, %rd1;\n"
    "  ld.global.u64 %rd3, [%rd2];\n"
    "  cvta.to.global.u64 %rd4, %rd3;\n"
    "  st.global.u32 [%rd4], %r1;\n"
    "  ret;\n"
    "}\n",

    ".visible .entry reverse(.param .u64 out, .param .u32 n) {\n"
    "  .reg .b64 %rd<7>; .reg .b32 %r<8>;\n"
    "  ld.param.u64 %rd1, [out];\n"
    "  ld.param.u32 %r1, [n];\n"
    "  cvta.to.global.u64 %rd2, %rd1;\n"
    "  mov.u32 %r2, %tid.x;\n"
    "  mov.u32 %r3, scratch;\n"
    "  shl.b32 %r4, %r2, 2;\n"
    "  add.u32 %r5, %r3, %r4;\n"
    "  st.shared.u32 [%r5], %r2;\n"
    "  bar.sync 0;\n"
    "  sub.u32 %r6, %r1, %r2;\n"
    "  sub.u32 %r6, %r6, 1;\n"
    "  shl.b32 %r6, %r6, 2;\n"
    "  add.u32 %r6, %r3, %r6;\n"
    "  ld.shared.u32 %r7, [%r6];\n"
    "  mul.wide.u32 %rd3, %r2, 4;\n"
    "  add.u64 %rd4, %rd2, %rd3;\n"
    "  st.global.u32 [%rd4], %r7;\n"
    "  ret;\n"
    "}\n",
};

#else

static const char *const kernel_texts[] = {
    "kernel void noop(void) {}\n",

    "kernel void store_value(global int *p, int v) { *p = v; }\n",

    "kernel void add_value(global int *p, int n, int v) {\n"
    "    int i = (int)get_global_id(0);\n"
    "    if (i < n) p[i] += v;\n"
    "}\n",

    "kernel void spin(global uint *out, uint iterations) {\n"
    "    uint x = 2463534242u;\n"
    "    for (uint i = 0; i < iterations; i++) {\n"
    "        x ^= x << 13;\n"
    "        x ^= x >> 17;\n"
    "        x ^= x << 5;\n"
    "    }\n"
    "    *out = x;\n"
    "}\n",

    "struct pair { int first; long second; char third; };\n"
    "kernel void store_pair(global int *out, struct pair s) {\n"
    "    out[0] = s.first;\n"
    "    out[1] = (int)s.second;\n"
    "    out[2] = s.third;\n"
    "}\n",

    "kernel void follow(global ulong *cell, int v) { *(global int *)cell[0] = v; }\n",

    "kernel void reverse(global int *out, local int *scratch, int n) {\n"
    "    int i = (int)get_local_id(0);\n"
    "    scratch[i] = i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[i] = scratch[n - 1 - i];\n"
    "}\n",
};

#endif

#endif
