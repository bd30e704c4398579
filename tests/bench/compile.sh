#!/usr/bin/env bash
# bench/compile/run: its list names kernels that are there, small ones are compiled and measured, a limit is kept, and two
# results are compared; a program over CUB compiles.
#   compile.sh BUILD FOLDER
# SPDX-License-Identifier: Apache-2.0
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$1 folder=$2
# Of native kernels there is no text to count, and in a process of its own the compiler is not seen.
export CLEM_BUILD=$build CLEM_PTX_FORM=opencl CLEM_COMPILE=here
message=$("$build/facade/tools/clemcc" --version 2>&1) || { echo "skipped: $message"; exit 77; }
loader=$(ldd "$build/bench/compile/clem-bench-bare" | awk '/libOpenCL/ { print $3 }')
grep -q OPENCL_LAYERS "$loader" || { echo "skipped: $loader loads no layers, by which kernels are measured"; exit 77; }
rm -rf "$folder"
mkdir -p "$folder"

fail() {
    echo "$1"
    [ ! -f "$folder/said" ] || cat "$folder/said"
    exit 1
}
measure() { "$top/bench/compile/run" --no-special "$@" >"$folder/said" 2>&1 || fail "bench/compile/run $*: status $?"; }
# field FILE ROW COLUMN: by the names of row and column.
field() {
    awk -F'\t' -v row="$2" -v column="$3" '
        $1 == "name" { for (i = 1; i <= NF; i++) at[$i] = i }
        $1 == row { print $at[column] }' "$1"
}

while IFS=$'\t' read -r name kind source kernel _; do
    [[ $name = "#"* ]] && continue
    [ -f "$top/$source" ] || fail "$name: $source is not there"
    case $kernel in
        - | _Z*) ;; # a program; names of C++, which the source has in other words
        *) grep -q "extern \"C\" __global__ void $kernel(" "$top/$source" || fail "$name: $source has no $kernel" ;;
    esac
    case $kind in kernel | large | program) ;; *) fail "$name: $kind is no kind" ;; esac
done <"$top/bench/compile/list.tsv"
[ "$(cut -f2 "$top/bench/compile/list.tsv" | grep -cx kernel)" -eq 41 ] || fail "the list has other than 41 kernels"

# The programs' common header goes with the headers here.
headers=${CLEM_THRUST:-/usr/include}
if [ -f "$headers/cub/cub.cuh" ]; then
    "$build/facade/tools/clemcc" -std=c++17 -I "$headers" -I "$top/tests/cub" -c -o "$folder/reduce.o" \
        "$top/bench/compile/recipes/cub_reduce.cu" >"$folder/said" 2>&1 || fail "cub_reduce.cu: status $?"
fi

measure --only '^(vector_add|reduce_tree)$' -o "$folder/both.tsv"
for row in vector_add reduce_tree; do
    [ "$(field "$folder/both.tsv" $row status)" = ok ] || fail "$row was not measured"
    for column in ptx_bytes ptx_instructions text_bytes variants front_s back_s own_s total_s; do
        awk -v x="$(field "$folder/both.tsv" $row $column)" 'BEGIN { exit !(x > 0) }' || fail "$row: no $column"
    done
done
[ "$(field "$folder/both.tsv" vector_add form)" = item ] || fail "vector_add has threads that neither meet nor wait"
[ "$(field "$folder/both.tsv" reduce_tree form)" = block ] || fail "reduce_tree has threads that meet"

measure --only '^vector_add$' --limit 1 -o "$folder/limited.tsv" --compare "$folder/both.tsv"
case $(field "$folder/limited.tsv" vector_add status) in "> 1 "* | ok) ;; *) fail "the limit of a second was not kept" ;; esac
grep -q '^1 kernels: total' "$folder/said" || fail "nothing was compared"
