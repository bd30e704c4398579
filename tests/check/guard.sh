#!/usr/bin/env bash
# What clem-run --check says of a program that does wrong on purpose, and that it says nothing of one that does not.
# guard.sh CLEM_RUN WRONG
# SPDX-License-Identifier: Apache-2.0
set -eu
run=$1 wrong=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "$1"
    shift
    head -200 "$@"
    exit 1
}
# has FILE PATTERN...: each is in some line.
has() {
    in=$1
    shift
    for pattern; do
        grep -Eq -- "$pattern" "$in" || fail "no line has: $pattern" "$in"
    done
}
# ends STATUS FILE COMMAND...: what the command writes to stderr is in the file.
ends() {
    expected=$1 into=$2 status=0
    shift 2
    "$@" >out.txt 2>"$into" || status=$?
    if [ $status -eq 77 ]; then
        echo "skipped: no kernels of this device can be guarded"
        exit 77
    fi
    [ $status -eq "$expected" ] || fail "not $expected, but $status: $*" "$into"
}

# Nothing is said of what is right but the summary, and the program's words and status stay.
ends 0 clean.txt "$run" --check=guard,leak --error-exitcode=9 "$wrong"
[ "$(cat clean.txt)" = "clem: ERROR SUMMARY: 0 errors, 0 warnings" ] || fail "it is not clean" clean.txt
has out.txt "^the program's own words$"
ends 3 clean.txt "$run" --check --error-exitcode=9 "$wrong" fail double
ends 0 clean.txt env CLEM_CHECK=leak "$wrong"
has clean.txt '^clem: ERROR SUMMARY: 0 errors'

# Of OpenCL C it is not known what kernels write: all may be read.
ends 0 clean.txt "$run" --check=memory,init,leak --error-exitcode=9 "$wrong"
[ "$(cat clean.txt)" = "clem: ERROR SUMMARY: 0 errors, 0 warnings" ] || fail "OpenCL C is not clean" clean.txt

# What does not end the process: each has a block of its own, with stacks that name the program's functions.
ends 9 wrong.txt "$run" --check=guard,leak --error-exitcode=9 "$wrong" double kind kind-host inner stranger copy fill overlap host \
    behind before pinned repeat ordered flight leak
has wrong.txt 'a double free of 64 bytes of device memory at 0x' 'a free of device memory at 0x[0-9a-f]+, which is pinned host memory' \
    'a free of pinned host memory at 0x[0-9a-f]+, which is device memory' 'which is 16 bytes into 1000 bytes of device memory' \
    'a free of device memory at 0x[0-9a-f]+, where no call has allocated any' \
    'a copy of 1004 bytes at 0x[0-9a-f]+ goes 4 bytes past the end of 1000 bytes of device memory' \
    'a fill of 1000 bytes at 0x[0-9a-f]+ goes 8 bytes past the end of 1000 bytes of device memory' \
    'a copy of 500 bytes from 0x[0-9a-f]+ to 0x[0-9a-f]+, which have 492 bytes in common' \
    'argument 0 is 0x[0-9a-f]+, which is memory of the host' \
    '\(guard\): 1 byte was written just past the end of the 1000 bytes' \
    '\(guard\): 3 bytes were written 5 bytes in front of the 1000 bytes' '\(guard\): 5 bytes were written 3 bytes past the end of the 1000' \
    'kernels since the last look: put_two' 'came 8 times$' '\(leak\): 48 bytes of device memory' \
    'a free of 1000 bytes of device memory at 0x[0-9a-f]+ in one stream, while another uses them' 'came 3 times$' '\(leak\): 80 bytes of pinned host memory' '\(leak\): the stream 0x' '\(leak\): the event 0x' \
    '\(leak\): the graph 0x' '^        allocate_wrongly\+0x[0-9a-f]+ in clem_wrong$' '^        main\+0x' \
    '^    (allocated|freed|called|made) at:$' '^clem: ERROR SUMMARY: [0-9]+ errors, 0 warnings$'
[ "$(grep -c 'double free' wrong.txt)" -ge 2 ] || fail "memory of a pool is freed twice without a word" wrong.txt

# What ends it says why first, also in forms that are whole documents.
for word in far freed null; do
    status=0
    "$run" --check --check-format=json --log-file=$word.json "$wrong" $word >out.txt 2>crash.txt || status=$?
    [ $status -eq 139 ] || [ "${CLEM_ADDRESS:-}" = handle ] || fail "$word ends with $status" crash.txt $word.json
done
if [ "${CLEM_ADDRESS:-}" != handle ]; then
    has far.json '"what": "kernel put wrote to 0x[0-9a-f]+, 9000 bytes past the end of the 1000 bytes at 0x' \
        '"allocated_at_stack": \[".*main\+' '"launched_at_stack": \[' '"kernel": "put"' '^  "errors": 1,$' '^}$'
    has freed.json 'use after free: in the 1000 bytes at 0x' '"freed_at_stack": \["cudaFree' 'allocate_wrongly'
    has null.json 'a null pointer or close to one'
    # Closer to the end: the first byte too far ends it.
    status=0
    "$run" --check --guard-align=1 "$wrong" behind >out.txt 2>exact.txt || status=$?
    [ $status -eq 139 ] || fail "an exact guard ends with $status" exact.txt
    has exact.txt 'just past the end of the 1000 bytes at 0x'
    # At multiples of 16 between: what lies behind is 8 bytes of the pattern, and then a page that nobody may touch.
    ends 9 close.txt "$run" --check --guard-align=16 --error-exitcode=9 "$wrong" behind
    has close.txt '1 byte was written just past the end of the 1000 bytes'
    ends 0 close.txt "$run" --check --guard-align=256 "$wrong" behind-8
    has close.txt '1 byte was written 8 bytes past the end of the 1000 bytes'
    status=0
    "$run" --check --guard-align=16 "$wrong" behind-8 >out.txt 2>close.txt || status=$?
    [ $status -eq 139 ] || fail "8 bytes behind memory at a multiple of 16 end with $status" close.txt
    has close.txt ', 8 bytes past the end of the 1000 bytes at 0x'
    # The limit on mappings is said, once, and what comes then is not guarded.
    if [ "$(cat /proc/sys/vm/max_map_count 2>/dev/null)" = 65530 ]; then
        ends 0 many.txt "$run" --check --error-exitcode=9 "$wrong" many
        [ "$(grep -c 'there are no more mappings (sysctl vm.max_map_count); allocations from here on are not guarded' many.txt)" -eq 1 ] ||
            fail "the limit on mappings is not said once" many.txt
    fi
fi

# Suppressions by function and by sentence; a limit; JUnit.
printf '# known\nleak:allocate_wrongly\nguard:*double free*64*\nnonsense\n' >known.txt
ends 5 few.txt "$run" --check=guard,leak --suppressions=known.txt --print-limit=2 --error-exitcode=5 "$wrong" double leak
has few.txt 'line 4 is ignored' ', 4 suppressed' 'not shown'
ends 0 none.txt "$run" --check=guard --suppressions=known.txt --error-exitcode=5 "$wrong" double
ends 0 suite.txt "$run" --check=guard --check-format=junit --check-output=suite.xml "$wrong" inner
has suite.xml '^<testsuite name="clem" tests="1" failures="1" errors="0">$' '<testcase classname="clem.guard" name="a free of 0x' \
    '<failure message=' '^</testsuite>$'

# Wrong usage.
ends 64 usage.txt "$run" --check=guard,foo "$wrong"
has usage.txt '--check=guard,foo is nothing that it takes'
ends 64 usage.txt "$run" --max-reports=3 "$wrong"
ends 64 usage.txt "$run" --check --suppressions=nowhere "$wrong"
ends 0 usage.txt env CLEM_CHECK=guard,foo "$wrong" double
has usage.txt 'CLEM_CHECK=guard,foo is ignored'
