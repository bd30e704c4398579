#!/bin/sh
# clem-bench's exit status where nothing would be measured or compared, and what --compare with one file measures.
#   exits.sh CLEM-BENCH FOLDER
# SPDX-License-Identifier: Apache-2.0
set -u
bench=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1

# expect STATUS TEXT command...: the command ends so, and says so.
expect() {
    wanted=$1 text=$2
    shift 2
    "$@" >said 2>&1
    status=$?
    [ $status -eq "$wanted" ] && grep -q -e "$text" said && return
    echo "$*: exit status $status, expected $wanted and '$text'; it said:"
    cat said
    exit 1
}
rows() { grep -o '"row":[^,]*' "$1" | sort -u; }

expect 64 "'nothing'" "$bench" --quick --filter nothing
expect 64 "'nothing'" "$bench" --quick --filter call,nothing
expect 64 "no row" "$bench" --quick --filter ,
expect 64 "CLEM_DEVICE=nosuch" env CLEM_DEVICE=nosuch "$bench" --quick --filter call
expect 64 "CLEM_DEVICE=nosuch" env CLEM_DEVICE=nosuch "$bench" --list-devices
expect 64 "no device called nosuch" "$bench" --quick --filter call --device nosuch
expect 64 "unrecognized" "$bench" --unknown
expect 0 "clem-bench " "$bench" --version
expect 0 "Usage" "$bench" --help

echo '{"format":2,"mode":"quick","devices":[{"index":0,"name":"x"}],"results":[{"device":0,"row":"no.such"}]}' >other.json
expect 64 "in common" "$bench" --compare other.json
expect 64 "in common" "$bench" --compare other.json other.json
expect 74 "missing.json" "$bench" --compare missing.json

expect 0 "call" "$bench" --quick --filter =call.pointer,call.query --json first.json
"$bench" --compare first.json --json second.json >said 2>&1
status=$?
{ [ $status -eq 0 ] || [ $status -eq 3 ]; } || { cat said; exit 1; }
[ "$(rows first.json)" = "$(rows second.json)" ] || { echo "other rows:"; rows second.json; exit 1; }
sed 's/"name":[^,]*,/"name":"another device",/' first.json >elsewhere.json
expect 64 "one of those" "$bench" --compare elsewhere.json

# Rows of CUDA code say why there are none: without a compiler, and with one that ends without a word.
expect 0 "as CUDA: no clang was found" env CLEM_CLANG=/nonexistent "$bench" --quick --filter =transpose
printf '#!/bin/sh\ncase "$*" in *--version*) echo clang version 19.9.9 ;; *) exit 1 ;; esac\n' >clang
chmod +x clang
expect 0 "as CUDA: the compiler failed without a word" env "CLEM_CLANG=$PWD/clang" "$bench" --quick --filter =transpose

# A run that is stopped writes what it has.
"$bench" --full --filter call.query,call.record,call.copy,launch.empty,alloc --json stopped.json --csv stopped.csv >said 2>&1 &
child=$!
for _ in $(seq 600); do
    if [ -s stopped.json.part ] || ! kill -0 $child 2>/dev/null; then break; fi
    sleep 0.05
done
kill -TERM $child
wait $child
status=$?
[ $status -eq 143 ] || { echo "a stopped run's exit status is $status"; cat said; exit 1; }
grep -q "stopped" said || { echo "nothing says that it was stopped"; cat said; exit 1; }
"$bench" report stopped.json -o stopped.html || exit 1
[ "$(grep -c '"row":' stopped.json)" -ge 1 ] || { echo "no row was kept"; exit 1; }
[ "$(wc -l <stopped.csv)" -ge 2 ] || { echo "no line was kept"; exit 1; }
