#!/usr/bin/env bash
# Programs that bring machine code along: precompiled.sh CLEMCC FOLDER. It is used where all that it was made for is there, and
# on another processor, or damaged, the text is compiled. Ends with 77 where clem makes none.
# SPDX-License-Identifier: Apache-2.0
set -u
clemcc=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
failures=0
rm -rf "$folder"
mkdir -p "$folder/root/proc"
cd "$folder" || exit 1
unset CLEM_PTX_FORM CLEM_ADDRESS
export CLEM_DEVICE=Portable CLEM_TRACE=1

fail() {
    echo "$*"
    failures=$((failures + 1))
}
# run NAME WORDS...: without a cache of clem's; its answers are right, and what it says is in NAME.log.
run() {
    local name=$1
    shift
    rm -rf clem
    mkdir -p pocl clem
    POCL_CACHE_DIR=$folder/pocl CLEM_CACHE_DIR=$folder/clem "$@" >"$name.log" 2>&1 || fail "$name: ends with $?"
    grep -qx ok "$name.log" || fail "$name: $(tail -n 3 "$name.log")"
}
compiles() { grep -q "bytes of LLVM IR became" "$1.log"; }

message=$("$clemcc" --precompile -std=c++17 -O1 -o saxpy "$here/saxpy.cu" 2>&1) || { echo "skipped: $message" && exit 77; }
grep -q "machine code of 1 of 1 kernels" <<<"$message" || { echo "skipped: $message" && exit 77; }
run here ./saxpy
compiles here && fail "what the program brings along is not used"
[ -z "$(find clem -type f)" ] || fail "what the program brings along is stored"
run launched "$(dirname "$clemcc")/clem-run" ./saxpy
compiles launched && fail "under clem-run what the program brings along is not used"

# A processor that lacks an instruction, as far as the program can tell.
sed 's/^\(flags\|Features\)\([[:blank:]]*: [^ ]*\) [^ ]*/\1\2/' /proc/cpuinfo >root/proc/cpuinfo
run elsewhere env CLEM_HOST_ROOT="$folder/root" ./saxpy
compiles elsewhere || fail "code for another processor is used"

at=$(grep -obaF clempak1 saxpy | head -n 1 | cut -d: -f1)
cp saxpy damaged
printf '\252' | dd of=damaged bs=1 seek=$((at + 200)) conv=notrunc status=none
run damaged ./damaged
grep -q "compiled ahead of time is damaged" damaged.log || fail "damage is not seen"
compiles damaged || fail "damaged code is used"

"$clemcc" --precompile -fatbin "$here/saxpy.cu" -o saxpy.fatbin >fatbin.log 2>&1 || fail "-fatbin: $(cat fatbin.log)"
grep -qaF clempak1 saxpy.fatbin || fail "-fatbin brings nothing along"
"$clemcc" --precompile -dc "$here/saxpy.cu" -o saxpy.o 2>refused.log && fail "-dc: taken"
grep -q "linked when it runs" refused.log || fail "-dc: $(cat refused.log)"
[ "$failures" -eq 0 ]
