#!/usr/bin/env bash
# Runs correct kernels and their mutants (mutants.cu) under CLEM_CHECK=memory,init: mutants.sh CLEMCC FOLDER [KERNEL...]. Nothing
# may be reported of a kernel as it is; a mutant must be reported, but for those that `equal` lists, whose results are the
# same. Prints what was not as it must be, and how many were.
# SPDX-License-Identifier: Apache-2.0
set -u
clemcc=$1 folder=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
program=$folder/mutants

# kernel:number of mutants that compute the same: ...
equal=""

message=$("$clemcc" --version 2>&1) || {
    echo "skipped: $message"
    exit 77
}
mkdir -p "$folder"
"$clemcc" -std=c++17 -O1 -lineinfo -o "$program" "$here/mutants.cu" >"$program.log" 2>&1 || {
    cat "$program.log"
    exit 1
}
unset CLEM_TRACE
export CLEM_CHECK=memory,init

found=0 missed=0 false_reports=0 same=0
while read -r kernel count; do
    [ $# -eq 0 ] || [[ " $* " == *" $kernel "* ]] || continue
    for ((number = 0; number <= count; number++)); do
        output=$("$program" "$kernel" "$number" 2>&1)
        if [[ " $equal " == *" $kernel:$number "* ]]; then
            same=$((same + 1))
        elif [ "$number" -eq 0 ]; then
            [ "$output" = "no error" ] || {
                false_reports=$((false_reports + 1))
                printf '%s is right:\n%s\n' "$kernel" "$output" | head -n 12
            }
        elif printf '%s\n' "$output" | grep -q 'clem: error'; then
            found=$((found + 1))
        else
            missed=$((missed + 1))
            printf '%s: mutant %s is not found: %s\n' "$kernel" "$number" "$output"
        fi
    done
done < <("$program" --list)
echo "$found mutants found, $missed missed, $same the same; $false_reports of what is right"
exit $((missed + false_reports > 0))
