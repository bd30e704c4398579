#!/usr/bin/env bash
# Runs CUDA programs (tests/programs) under CLEM_CHECK=all: programs.sh CLEMCC FOLDER [--all | NAME...]. Each must end well, as it does without
# checks, and the errors that are reported must be those of programs.tsv. Without --all, some of them: the rest takes an hour of a core.
# What a line " * checked: WORDS" of a program has is how it is compiled (-D...) and called then: smaller.
# Ends with 77 where there is no clang.
# Environment: LIMIT (600), the seconds that a program may take.
# SPDX-License-Identifier: Apache-2.0
set -u
folder=$2/programs all=${3:-} named=${*:3}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/begin.sh"
some="between_blocks cooperative_held same_place segments state_spaces struct_arguments"
[ -z "$named" ] || some=$named
failures=0

export CLEM_CHECK=all

# The errors of an output, one a line: check, kernel or sentence.
errors_of() {
    awk '
        function tell() { if (kind != "") print kind "\t" what; kind = "" }
        /^clem: (error|warning) [0-9]+ \(/ {
            tell()
            if ($2 == "error") {
                kind = what = $0
                sub(/^clem: error [0-9]+ \(/, "", kind)
                sub(/\).*/, "", kind)
                sub(/^clem: error [0-9]+ \([a-z]*\): /, "", what)
                gsub(/0x[0-9a-f]+/, "ADDRESS", what)
                gsub(/[0-9]+/, "N", what)
            }
            next
        }
        /^    kernel / && kind != "" {
            what = $0
            sub(/^    kernel (void )?/, "", what)
            sub(/\(.*/, "", what)
            tell()
        }
        END { tell() }' | sort -u
}

# rows_of PROGRAM 0: what must be reported; 1: what may be, whose check ends in "?".
rows_of() {
    grep -v '^#' "$here/programs.tsv" | awk -F '\t' -v name="$1" -v may="$2" '
        $1 == name && ($2 ~ /\?$/) == may { sub(/\?$/, "", $2); print $2 "\t" $3 }' | sort -u
}

check() {
    local name=$1 program=$folder/$1 source=$here/../programs/$1.cu flags word output status found wanted
    local -a arguments=()
    flags=$(sed -n 's/^ \* nvcc: //p' "$source")
    for word in $(sed -n 's/^ \* checked: //p' "$source"); do
        case $word in
            -*) flags="$flags $word" ;;
            *) arguments+=("$word") ;;
        esac
    done
    # shellcheck disable=SC2086
    "$clemcc" -std=c++17 -O1 -lineinfo $flags -o "$program" "$source" >"$program.log" 2>&1 || {
        cat "$program.log"
        return 1
    }
    output=$(timeout "${LIMIT:-600}" "$program" ${arguments[@]+"${arguments[@]}"} 2>&1)
    status=$?
    found=$(printf '%s\n' "$output" | errors_of)
    wanted=$(rows_of "$name" 0)
    found=$(printf '%s\n' "$found" | grep -vxF -f <(rows_of "$name" 1))
    [ $status -eq 0 ] || echo "$name: ends with $status"
    printf '%s\n' "$output" | grep -qxF ok || echo "$name: does not say ok"
    [ "$found" = "$wanted" ] && [ $status -eq 0 ] && return 0
    diff <(printf '%s\n' "$wanted" | grep .) <(printf '%s\n' "$found" | grep .) | sed -n "s/^</$name: not reported:/p; s/^>/$name: reported:/p"
    return 1
}

count=0
for source in "$here"/../programs/*.cu; do
    name=$(basename "$source" .cu)
    [ "$all" = --all ] || [[ " $some " = *" $name "* ]] || continue
    count=$((count + 1))
    check "$name" || failures=$((failures + 1))
done
echo "$count programs, $failures not as they must be"
exit $((failures > 0 || count == 0))
