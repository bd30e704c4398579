#!/usr/bin/env bash
# What --check=leak says of each thing that a program can make: where it is left, where it is given back, where the device is reset.
# leaks.sh CLEM_RUN LEAKS
# Ends with 77 where nothing of it can be had.
# SPDX-License-Identifier: Apache-2.0
set -u
run=$1 leaks=$2 failures=0 tried=0
unset CLEM_TRACE

fail() {
    failures=$((failures + 1))
    printf '%s\n%s\n' "$1" "$output"
}
# runs CHECKS KIND [WORD]
runs() {
    output=$("$run" --check="$1" --error-exitcode=9 "$leaks" "${@:2}" 2>&1)
    status=$?
}
is_clean() {
    [ $status -eq 0 ] && [ "$output" = "clem: ERROR SUMMARY: 0 errors, 0 warnings" ]
}

while IFS=$'\t' read -r kind says goes_with_device; do
    checks=leak
    [ "$kind" != heap ] || checks=leak,memory # it is known what kernels do where they are checked
    runs $checks "$kind"
    if [ $status -eq 77 ]; then
        echo "$kind: not here"
        continue
    fi
    tried=$((tried + 1))
    [ $status -eq 9 ] || fail "$kind: ends with $status"
    printf '%s\n' "$output" | grep -qE "^clem: error 1 \(leak\): $says\$" || fail "$kind: is not said"
    printf '%s\n' "$output" | grep -qE "^        (use_[a-z]*|main)\+0x" || fail "$kind: no stack says where"
    printf '%s\n' "$output" | grep -qxF "clem: ERROR SUMMARY: 1 error, 0 warnings" || fail "$kind: there is more"
    runs $checks "$kind" back
    is_clean || fail "$kind: is given back"
    runs $checks "$kind" reset
    if [ "$goes_with_device" = 1 ]; then
        is_clean || fail "$kind: goes with its device"
    else
        printf '%s\n' "$output" | grep -qE "^clem: error 1 \(leak\): $says\$" || fail "$kind: does not go with a device"
    fi
done < <("$leaks")

[ $tried -gt 0 ] || exit 77
[ $failures -eq 0 ] && echo "$tried kinds: ok"
exit $((failures > 0))
