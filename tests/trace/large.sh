#!/usr/bin/env bash
# Many calls are recorded in little memory: the program needs no more for it than without a trace, clem-run what its records
# take or, with --trace-max-mb, what is kept of them; all that is kept is there, in at most 40 bytes a call.
# large.sh CLEM_RUN TRACED DECODE CALLS
# SPDX-License-Identifier: Apache-2.0
set -eu
run=$1 traced=$2 decode=$3 calls=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "$1"
    exit 1
}

# trace FILE [OPTION...]: sets program and whole, the peaks in KiB of the program, and of what was started; decodes the file.
trace() {
    local file=$1
    shift
    "$traced" peak "$run" --trace="$file" --trace-detail=api "$@" "$traced" many "$calls" >peaks
    { read -r program && read -r whole; } <peaks
    "$decode" "$file" | awk '/about this trace/ || / events, /' >facts || fail "$file breaks the schema: $(tail -n 1 facts)"
    grep -q 'records lost=0' facts || fail "records are lost: $(cat facts)"
    events=$(sed -n 's/ events, .*//p' facts)
    bytes=$(stat -c %s "$file")
    echo "$*: program $program KiB, with clem-run $whole KiB, $bytes bytes for $((events / 2)) calls"
    [ $((program - plain)) -le 8192 ] || fail "the program takes $program KiB, and $plain without a trace"
    [ $((2 * bytes)) -le $((40 * events)) ] || fail "$bytes bytes for $((events / 2)) calls"
    rm "$file"
}

plain=$("$traced" many "$calls")

# A begin and an end each, and the mark that tells about the trace.
trace all.pftrace
[ "$events" -eq $((2 * calls + 1)) ] && grep -q 'chunks overwritten=0' facts || fail "calls are missing: $(cat facts)"
[ $((whole - plain)) -le $((calls * 80 / 1024 + 8192)) ] || fail "clem-run takes $whole KiB for $calls calls"

trace latest.pftrace --trace-max-mb=8
grep -q 'chunks overwritten=[1-9]' facts || fail "nothing is overwritten: $(cat facts)"
[ $((whole - plain)) -le $((3 * 8 * 1024)) ] || fail "clem-run takes $whole KiB for 8 MiB"
