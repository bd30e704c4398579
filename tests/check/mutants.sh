#!/usr/bin/env bash
# Runs correct kernels and their mutants (mutants.cu, paths.cu) under CLEM_CHECK=memory,init: mutants.sh CLEMCC FOLDER [--all]. Nothing
# may be reported of a kernel as it is; a mutant must be reported, but for those that `equal` lists, whose results are the
# same. Without --all, some of them: the rest takes minutes. Prints what was not as it must be, and how many were.
# Ends with 77 where there is no clang.
# SPDX-License-Identifier: Apache-2.0
set -u
all=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/begin.sh"
some='^(saxpy|gather|reduce|reduce_late|on_heap|signed_bytes|own_field|choose|swap_in_branches|own_array|copy_ahead)	'

# Mutants that compute the same, and why.
equal() {
    case "$1 $2" in
        "blur 102" | "words_split 102") echo "the last thread of a block is never that of the first element" ;;
        "blur 103") echo "the last thread of a block is never that of the last element" ;;
        "stencil 103") echo "thread 0 does not do it" ;;
        "sparse 103") echo "the last element is never read" ;;
        "largest 101") echo "thread 0 has its own in a register" ;;
    esac
}

programs="$folder/mutants $folder/paths"
for name in mutants paths; do compile $name -lineinfo; done
export CLEM_CHECK=memory,init

# A line for one: KERNEL, MUTANT, what it came to, why it computes the same.
run() {
    local output found=silent checks=$CLEM_CHECK
    case "$2" in *_late) checks=$checks,race ;; esac # which courses are taken with
    output=$(CLEM_CHECK=$checks "$1" "$2" "$3" 2>&1)
    case "$output" in
        *"clem: error "[0-9]*) found=error ;;
        *"clem: warning "[0-9]*) found=warning ;;
        *"no error"*) ;;
        *) found="ended otherwise" ;;
    esac
    printf '%s\t%s\t%s\t%s\n' "$2" "$3" "$found" "$(equal "$2" "$3")"
}
export -f run equal

results=$(for program in $programs; do
    "$program" --list | { [ -n "$all" ] && cat || grep -E "$some"; } | tr '\t' '\n' |
        xargs -d '\n' -P "$(nproc)" -n 2 bash -c 'run "$0" "$@"' "$program"
done)
printf '%s\n' "$results" | sort | awk -F '\t' '
    $2 == 0 && $3 != "silent" { print $1 " is right: " $3; bad++ }
    $2 == 0 { right++; next }
    $4 != "" { same++; if ($3 != "silent") { print $1 " " $2 " computes the same: " $3; bad++ }; next }
    { mutants++; if ($3 == "error") found++; else { print $1 " " $2 " is not found: " $3; bad++ } }
    END {
        printf "%d kernels; %d mutants, %d found; %d that compute the same; %d wrong answers\n", right, mutants, found, same, bad
        exit bad > 0 || right == 0 || mutants == 0
    }'
