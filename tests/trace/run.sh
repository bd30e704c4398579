#!/usr/bin/env bash
# What clem-run --trace writes: decoded, and compared with what the program did.
# run.sh CLEM_RUN TRACED DECODE [BENCH]
# SPDX-License-Identifier: Apache-2.0
set -eu
run=$1 traced=$2 decode=$3 bench=${4-}
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
lacks() {
    if grep -Eq -- "$2" "$1"; then fail "a line has: $2" "$1"; fi
}

# One of each kind, in rows of their own, with arrows from calls to commands.
"$run" --trace=t.pftrace --summary=csv:s.csv "$traced"
"$decode" t.pftrace >t.txt || fail "the trace breaks the schema" t.txt
has t.txt '^track: process clem_traced$' '^track: thread$' '^track: ranges 1$' 'device clock error \(ns\)=[0-9]' \
    '^thread: begin cudaMalloc$' '^thread: begin cudaStreamSynchronize$' 'ended by itself=1' 'records lost=0' \
    '^thread: begin cudaLaunchKernel.* flow' '^stream.*: (begin|mark) twice\(float\*\) \(kernel\) flow .*grid 16 x 1 x 1, block 64 x 1 x 1' \
    '^stream.*: (begin|mark) twice\(float\*\) \(kernel\) .*\[mangled=_Z5twicePf\]' \
    'begin fill \(fill\)( flow [0-9a-f]+)? \[bytes=4096\]' 'begin copy pageable to device \(copy\)( flow [0-9a-f]+)? \[bytes=4096\]' 'copy device to pageable' \
    '^thread: begin cudaFree \[result=1\]$' '^device memory in use: count 4096$' '^pinned memory in use: count 4096$' \
    '^thread: begin work of a thread \(range\)$' '^ranges 1: begin from start to end \(range\)$' '^thread: mark a "mark" \(range\)$'
flow=$(sed -n 's/^stream.* twice(.* flow \([0-9a-f]*\).*/\1/p' t.txt | head -1)
has t.txt "^thread: begin cudaLaunchKernel flow $flow"
[ "$(grep -c '^track: thread$' t.txt)" -eq 2 ] || fail "not two threads" t.txt
has s.csv '^[0-9]+,kernel,"twice\(float\*\)",2,.*,"_Z5twicePf"$' '^[0-9]+,call,"cudaLaunchKernel",2,' '^[0-9]+,copy,"copy pageable to device",2,.*,8192,.*,([1-9][0-9]*\.[0-9]|0\.[1-9]),""$'
[ -z "$(ls ./*.clem-spool 2>/dev/null)" ] || fail "records are left" /dev/null

# Summaries of two processes, for programs: one array, one head of columns. As text on stderr.
"$run" --summary=json:s.json "$traced" exec
cat >s.cmake <<'EOF'
file(READ s.json text)
string(JSON processes LENGTH "${text}")
foreach(process RANGE 1 ${processes})
    math(EXPR process "${process} - 1")
    string(JSON program GET "${text}" ${process} program)
    string(JSON advices LENGTH "${text}" ${process} advice)
    string(JSON rows LENGTH "${text}" ${process} rows)
    message("process ${program}: ${advices} advices")
    foreach(row RANGE 1 ${rows})
        math(EXPR row "${row} - 1")
        set(line "")
        foreach(field table name count total_ns min_ns max_ns bytes bytes_per_s percent_of_peak)
            string(JSON value GET "${text}" ${process} rows ${row} ${field})
            string(APPEND line " ${field}=${value}")
        endforeach()
        string(JSON mangled ERROR_VARIABLE none GET "${text}" ${process} rows ${row} mangled)
        message("row${line} mangled=${mangled}")
    endforeach()
endforeach()
EOF
cmake -P s.cmake 2>j.txt || fail "the summary is no JSON" j.txt s.json
[ "$(grep -c '^process .*clem_traced: ' j.txt)" -eq 2 ] || fail "not two processes" j.txt
has j.txt 'table=kernel name=twice\(float\*\) count=2 total_ns=[1-9].* mangled=_Z5twicePf$' 'table=call name=cudaMalloc count=2 ' \
    'table=copy name=copy pageable to device count=2 .* bytes=8192 bytes_per_s=[1-9]'
"$run" --summary=csv:s.csv "$traced" exec
[ "$(grep -c '^process,table,' s.csv)" -eq 1 ] && [ "$(grep -c ',kernel,' s.csv)" -eq 2 ] || fail "not one table of two processes" s.csv
"$run" --summary "$traced" 2>s.txt
has s.txt 'clem_traced, process [0-9]+: [0-9.]+ s' '^Kernels ' '^twice\(float\*\) +2 ' '^Copies and fills .*% of peak$' '^Calls '
"$run" --summary "$traced" tiny 2>s.txt
has s.txt '^[123]\. 20000 copies of less than 64 KiB: '
"$run" --summary=json:s.json true 2>s.txt
[ "$(cat s.json)" = '[]' ] || fail "no process, and yet" s.json

# Calls alone; Chrome's form, packed; children; what a signal ended. Each process has a file, and --merge joins them.
"$run" --trace=c.json.gz --trace-detail=api "$traced" exec
[ "$(ls c.*.json.gz | wc -l)" -eq 1 ] || fail "no file of the child" /dev/null
gzip -dc c.json.gz >c.json
has c.json '^\[$' '^\]$' '"ph":"X".*"name":"cudaMalloc"' '"name":"a \\"mark\\""' '"name":"twice\(float\*\)".*"mangled":"_Z5twicePf"'
status=0
"$run" --trace=k.pftrace "$traced" kill || status=$?
[ $status -eq 137 ] || fail "killed, and clem-run says $status" /dev/null
"$decode" k.pftrace >k.txt || fail "the trace of a killed program breaks the schema" k.txt
has k.txt 'ended by itself=0' '^thread: begin cudaFreeHost$' 'twice\(float\*\) \(kernel\)'
"$run" --merge m.pftrace t.pftrace k.pftrace
"$decode" m.pftrace >m.txt || fail "joined traces break the schema" m.txt
[ "$(grep -c '^track: process clem_traced$' m.txt)" -eq 2 ] || fail "not two processes" m.txt
[ "$(grep -c ' begin ' m.txt)" -eq "$(cat t.txt k.txt | grep -c ' begin ')" ] || fail "joining lost events" m.txt
"$run" --merge m.json.gz c.json.gz c.*.json.gz
gzip -dc m.json.gz >m.json
[ "$(grep -c '"ph":"X"' m.json)" -eq "$(gzip -dc c.json.gz c.*.json.gz | grep -c '"ph":"X"')" ] || fail "joining lost events" m.json
cp t.pftrace kept.pftrace
status=0
"$run" --merge t.pftrace k.pftrace ./t.pftrace 2>/dev/null || status=$?
[ $status -eq 64 ] && cmp -s t.pftrace kept.pftrace || fail "joining takes what it reads for what it writes" /dev/null

# A program that becomes another one is one process; a name that a shell would take for a pattern; no folder.
"$run" --trace='a [b]*?\.pftrace' "$traced" become
"$decode" 'a [b]*?\.pftrace' >o.txt || fail "the trace of two programs breaks the schema" o.txt
has o.txt 'twice\(float\*\) \(kernel\)' '^thread: begin cudaProfilerStart$' 'ended by itself=0' 'ended by itself=1'
[ -z "$(ls ./*.clem-spool 2>/dev/null)" ] || fail "records are left" /dev/null
status=0
"$run" --trace=none/t.pftrace "$traced" kill 2>o.txt || status=$?
[ $status -eq 74 ] || fail "a folder that is not there: $status" o.txt
status=0
"$run" --summary=csv:none/s.csv "$traced" kill 2>o.txt || status=$?
[ $status -eq 74 ] || fail "a folder that is not there: $status" o.txt
mkdir folder.json
status=0
"$run" --trace=folder.json "$traced" kill 2>o.txt || status=$?
[ $status -eq 74 ] || fail "a folder in place of a file: $status" o.txt
long=$(printf '%0240d' 0).pftrace
"$run" --trace="$long" "$traced" profiler
"$decode" "$long" >o.txt || fail "the trace with a long name breaks the schema" o.txt
has o.txt '^thread: begin cudaProfilerStart$'

# What cannot be written in the end stays where --merge finds it. (PoCL wants a linker.)
mkdir tools
ln -s "$(command -v ld)" tools/ld
status=0
PATH=$PWD/tools "$run" --trace=g.json.gz "$traced" profiler 2>o.txt || status=$?
[ $status -eq 74 ] || fail "without gzip: $status" o.txt
has o.txt '^clem-run: gzip: ' '^clem-run: the records of process [0-9]+ stay in .*/g\.json\.gz\..*\.clem-spool, which clem-run --merge reads$'
"$run" --merge g.json ./g.json.gz.*.clem-spool
has g.json '"name":"cudaProfilerStart"'
rm ./*.clem-spool
printf '#!/bin/sh\nexit 1\n' >tools/gzip
chmod +x tools/gzip
status=0
PATH=$PWD/tools "$run" --trace=g.json.gz "$traced" many 20000 >/dev/null 2>o.txt || status=$?
[ $status -eq 74 ] || fail "a gzip that ends: $status" o.txt
has o.txt '^clem-run: g\.json\.gz: not all of it could be written$' '^clem-run: the records of process [0-9]+ stay in '
rm ./*.clem-spool

# Bounds: what the program says, and room. Names are kept, and so are the latest calls.
"$run" --trace=p.pftrace --trace-start-after=profiler "$traced" profiler
"$decode" p.pftrace >p.txt || fail "the trace breaks the schema" p.txt
has p.txt '^thread: begin cudaSetDevice$'
lacks p.txt 'begin cudaGetDevice'
"$run" --trace=r.pftrace --trace-max-mb=1 "$traced" many
"$decode" r.pftrace >r.txt || fail "the trace breaks the schema" r.txt
has r.txt 'begin cudaGetDevice$' 'chunks overwritten=[1-9]' 'records lost=0' 'ended by itself=1'
events=$(sed -n 's/ events, .*//p' r.txt)
bytes=$(sed -n 's/.* events, \(.*\) bytes/\1/p' r.txt)
[ $((bytes / events)) -le 20 ] || fail "$bytes bytes for $events begins and ends" /dev/null

"$run" --trace=n.pftrace --trace-max-mb=1 "$traced" names
"$decode" n.pftrace >n.txt || fail "the trace breaks the schema" n.txt
has n.txt 'begin cudaGetDevice$' 'begin \? \(range\)' 'records lost=[1-9]'

# Deep ranges: the outermost ends last.
"$run" --trace=d.pftrace "$traced" deep
"$decode" d.pftrace >d.txt || fail "the trace breaks the schema" d.txt
awk '/^thread: begin cudaGetDevice/ { exit depth < 1 } /^thread: begin/ { depth++ } /^thread: end/ { depth-- }' d.txt ||
    fail "the call is in no range" d.txt

# Where no file may be as large as records are, nothing is ended by a signal: neither the program nor clem-run.
status=0
(ulimit -f 8; "$run" --trace=l.pftrace "$traced" profiler) >l.txt 2>&1 || status=$?
[ $status -lt 128 ] || fail "without room for a trace clem-run says $status" l.txt
(ulimit -f 200; "$run" --trace=l.pftrace "$traced" profiler) 2>l.txt || true
has l.txt '^clem-run: [0-9]+ records of process [0-9]+ were lost: there was no room for them$'

# Lines of calls, and values that clem-run does not take.
CLEM_TRACE=calls "$traced" profiler 2>lines.txt
has lines.txt '^clem: \[[0-9]+\] cudaSetDevice\(device=0\) = cudaSuccess, '
for wrong in --trace=x.txt --summary=pdf --trace-detail=all --trace-max-mb=much --trace-max-mb=1.2.3 --trace-start-after=. \
    --trace-start-after=1000000 --merge; do
    status=0
    "$run" $wrong "$traced" 2>/dev/null || status=$?
    [ $status -eq 64 ] || fail "clem-run takes $wrong" /dev/null
done

# The measurement of what it costs runs: its figures are for people.
if [ -n "$bench" ]; then
    "$bench" 3000 >b.txt
    has b.txt '^none +[0-9.]+ +[0-9.]+ +[0-9.]+$' '^--trace-detail=api +[0-9.]+' '^--trace +[0-9.]+ +[0-9.]+'
fi
