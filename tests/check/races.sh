#!/usr/bin/env bash
# Runs the kernels of races.cu under CLEM_CHECK=race,sync, the right ones and their mutants: races.sh CLEMCC FOLDER [--all].
# Without --all, some of them: the rest takes minutes. Says how many mutants there are, how many were found, and by what.
# Ends with 77 where there is no clang.
# SPDX-License-Identifier: Apache-2.0
set -u
all=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/begin.sh"
program=$folder/races
some='^(reduce_tree_late|read_own_late|reduce_last_block|count_again|hand_on_by_fences|lock_of_block|wait_for_next|copy_out|turn_surface|turn_texture|named_barriers|exchange_in_warp|barrier_in_branches|shuffle_of_some|copy_ahead|meet_in_grid)	'

compile races
export CLEM_CHECK=race,sync

# A line for one: KERNEL, MUTANT, what it came to, why it is equivalent.
run() {
    local output status found=silent
    output=$("$1" "$2" "$3" 2>&1)
    status=$?
    case "$output" in
        *"clem: error "[0-9]*) found=error ;;
        *"clem: warning "[0-9]*) found=warning ;;
    esac
    [ "$status" -eq 0 ] || [ "$found" != silent ] || found="ended with $status"
    printf '%s\t%s\t%s\t%s\n' "$2" "$3" "$found" "${4:-}"
}
export -f run

# What is found is the same however many threads there are; addresses of global memory and of code differ.
found_by() {
    POCL_MAX_PTHREAD_COUNT=$1 "$program" "$2" "$3" 2>&1 | sed 's/global address 0x[0-9a-f]*//' | grep -v '^    '
}
[ "$(found_by 1 reduce_last_block 5)" = "$(found_by 4 reduce_last_block 5)" ] || {
    echo "reduce_last_block 5: other reports with other numbers of threads"
    exit 1
}

results=$("$program" --list | { [ -n "$all" ] && cat || grep -E "$some"; } | tr '\t' '\n' |
    xargs -d '\n' -P "$(nproc)" -n 3 bash -c 'run "$0" "$@"' "$program")
printf '%s\n' "$results" | sort | awk -F '\t' '
    $2 == 0 && $3 != "silent" { print $1 " is right: " $3; bad++ }
    $2 == 0 { right++; next }
    $4 != "" { equivalent++; if ($3 != "silent") { print $1 " " $2 " is equivalent: " $3; bad++ }; next }
    { mutants++; count[$3]++; if ($3 != "error" && $3 != "warning") { print $1 " " $2 ": " $3; bad++ } }
    END {
        printf "%d kernels; %d mutants: %d errors, %d warnings; %d equivalent; %d wrong answers\n", right, mutants,
            count["error"], count["warning"], equivalent, bad
        exit bad > 0 || right == 0 || mutants == 0
    }'
