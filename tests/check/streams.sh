#!/usr/bin/env bash
# Runs the cases of streams.cu under CLEM_CHECK=race: streams.sh CLEMCC FOLDER. What a report of each must have the program says
# itself; nothing may be reported of the others. Ends with 77 where there is no clang.
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/begin.sh"
program=$folder/streams
failures=0

compile streams
export CLEM_CHECK=race

fail() {
    failures=$((failures + 1))
    printf '%s: %s\n' "$1" "$2"
    printf '%s\n' "$output" | head -n 20
}

output=$("$program" --right 2>&1 | grep -vxF "clem: ERROR SUMMARY: 0 errors, 0 warnings")
[ "$output" = "no error" ] || fail "what is in order" "is reported"
while IFS=$'\t' read -r name words; do
    output=$("$program" "$name" 2>&1)
    printf '%s\n' "$output" | grep -qxF "no error" || fail "$name" "it does not end well"
    while IFS= read -r word; do
        printf '%s\n' "$output" | grep -qF -- "$word" || fail "$name" "no report has: $word"
    done < <(printf '%s\n' "$words" | tr ';' '\n' | sed 's/^ *//')
done < <("$program" --list)
[ $failures -eq 0 ] && echo ok
exit $((failures > 0))
