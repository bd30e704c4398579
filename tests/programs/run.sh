#!/usr/bin/env bash
# Builds a CUDA program with clemcc, unless it is newer than all it is made of, and runs it on the device and under the
# address strategy that the environment names: run.sh CLEMCC SOURCE FOLDER [PTX]. With PTX, a text that nvcc made of the
# same source, the program's kernels are those.
# Ends with 77 and a reason where there is no clang, and where a row of needs.tsv says that the strategy handle cannot run
# the program: it must then have been refused.
# SPDX-License-Identifier: Apache-2.0
set -u
clemcc=$1 source=$2 folder=$3 ptx=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
name=$(basename "$source" .cu)
[ -z "$ptx" ] || name=$(basename "$ptx" .ptx)
program=$folder/$name

skip() {
    echo "skipped: $1"
    exit 77
}

message=$("$clemcc" --version 2>&1) || skip "$message"

# Whether the program must be built: it is not there, or something that it is made of is newer.
is_stale() {
    [ -x "$program" ] || return 0
    [ "$(find "$source" "$here/program.h" "$here/../../include" "$clemcc" ${ptx:+"$ptx"} -newer "$program" -print -quit)" ]
}

build() {
    flags=$(sed -n 's/^ \* nvcc: //p' "$source")
    if [ -n "$ptx" ]; then
        # clang stores the file as it is; the text must end with a zero.
        { cat "$ptx" && printf '\0'; } >"$program.device" || return 1
        flags="$flags -Xcompiler -Xclang,-fcuda-include-gpubinary,-Xclang,$program.device"
    fi
    # shellcheck disable=SC2086
    "$clemcc" -std=c++17 -O1 $flags -o "$program.$$" "$source" >"$program.log" 2>&1 &&
        mv "$program.$$" "$program"
}

# Forms that are not the device's own: blocks meet as work-groups only where each thread is a work-item.
case "$name ${CLEM_PTX_FORM:-}" in
    cooperative*\ gpu)
        "$(dirname "$clemcc")/clem-info" --brief 2>/dev/null | head -n 1 | grep -q "Portable Computing" ||
            skip "the device has a form of its own" ;;
esac

mkdir -p "$folder"
if is_stale && ! build; then
    cat "$program.log"
    echo "clemcc could not build $name"
    exit 1
fi
# Of the native form the trace tells what LLVM did not take of a text, which another form runs for then.
[ "${CLEM_PTX_FORM:-}" != native ] || export CLEM_TRACE=1
output=$("$program" 2>&1)
status=$?
printf '%s\n' "$output" | tail -n 40
base=${name%%.*}
if [ "${CLEM_ADDRESS:-}" = handle ] && grep -q "^$base	addresses	" "$here/needs.tsv" && [ $status -ne 0 ]; then
    [ $status -lt 128 ] || exit 1
    skip "$(sed -n "s/^$base	addresses	//p" "$here/needs.tsv"), which the strategy handle cannot have"
fi
[ $status -eq 0 ] || exit 1
printf '%s\n' "$output" | grep -A 1 "has no native form: kernel:" && { echo "LLVM does not take a text"; exit 1; }
[ "$(printf '%s\n' "$output" | grep -v "^clem: " | tail -n 1)" = ok ] || { echo "the last line is not ok"; exit 1; }
