# The variants of kernels/access/ that clem-bench-native has: native_variants(FILE DEFINE "VALUE;VALUE" ...),
# all choices of values. Files without defines need no line. Values are identifiers or numbers.
# SPDX-License-Identifier: Apache-2.0
native_variants(sweep "WORD" "uchar;ushort;uint;uint2;uint4" "UNROLL" "1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16")
native_variants(offset WORD "uchar;ushort;uint;uint2;uint4" UNROLL "1;2;4")
native_variants(permute ORDER "0;1;2")
native_variants(same WORD "uint;uint2;uint4")
native_variants(pieces PIECES "1;2;4" APART "1;3")
native_variants(record PART "uchar;ushort;uint;ulong" ALIGN "1;2;4")
native_variants(stream "REAL" "float;double")
native_variants(local WORD "uint;uint2;uint4")
native_variants(transpose ROWS "2;4;8;16;32")
native_variants(morton DIMS "2;3" LAYOUT "0;1;2" WALK "0;1;2;3;4")
native_variants(texture BITS "8;16;32" CHANNELS "1;2;4")
native_variants(policy PATH "0;1;2;3;4;5;6;7;8" HINT "0")
native_variants(policy PATH "0" HINT "2;3;4;5")
native_variants(constant SPACE "0;1;2;3")
native_variants(spill WORDS "0;4;8;16;32;64;128;256")
