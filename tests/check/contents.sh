#!/usr/bin/env bash
# Runs the cases of contents.cu under CLEM_CHECK=memory,init, and with races besides: contents.sh CLEMCC FOLDER. Of those whose names
# begin with "wrong" bytes that nobody wrote must be reported, of the others nothing. Ends with 77 where there is no clang.
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/begin.sh"
program=$folder/contents
failures=0

compile contents

for name in $("$program" --list); do for CLEM_CHECK in memory,init memory,init,race; do
    export CLEM_CHECK
    output=$("$program" "$name" 2>&1) || output="$output (it failed)"
    case "$name" in
        wrong*) printf '%s\n' "$output" | grep -qE "error 1 \(init\): .*never written" ;;
        *) [ "$(printf '%s\n' "$output" | grep -vx "clem: ERROR SUMMARY: 0 errors, 0 warnings")" = ran ] ;;
    esac || {
        failures=$((failures + 1))
        printf '%s, %s:\n%s\n' "$name" "$CLEM_CHECK" "$output" | head -n 20
    }
done; done
[ $failures -eq 0 ] && echo ok
exit $((failures > 0))
