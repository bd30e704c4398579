#!/usr/bin/env bash
# A full run is killed after a few cells; started again, it must go on there and end whole.
#   tests/bench/resume.sh CLEM_BENCH FOLDER
# SPDX-License-Identifier: Apache-2.0
set -eu
bench=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
arguments="--full --filter call.query,call.record,call.copy,launch.empty --json run.json -o run.txt"
lines() { if [ -f run.json.part ]; then wc -l <run.json.part; else echo 0; fi; }

# shellcheck disable=SC2086
"$bench" $arguments 2>first.log &
child=$!
for _ in $(seq 600); do
    if [ "$(lines)" -ge 3 ] || ! kill -0 $child 2>/dev/null; then break; fi
    sleep 0.05
done
kill -9 $child 2>/dev/null || true
wait $child 2>/dev/null || true
before=$(lines)
[ ! -f run.json ] || { echo "the run ended before it was killed"; exit 1; }
[ "$before" -ge 3 ] || { echo "only $before cells were kept"; cat first.log; exit 1; }
# As if the last line had been torn.
printf '{"row":"call.qu' >>run.json.part

# shellcheck disable=SC2086
"$bench" $arguments 2>second.log
total() { awk '{ sum += $1 } END { print sum + 0 }'; } # of all devices
cells=$(sed -n 's/.*: \([0-9]*\) cells, .*/\1/p' second.log | total)
kept=$(sed -n 's/.* cells, \([0-9]*\) of them measured before.*/\1/p' second.log | total)
[ "$kept" -eq "$before" ] || { echo "$before cells were kept, $kept used"; cat second.log; exit 1; }
[ "$cells" -gt "$kept" ]
[ "$(grep -c '"row":' run.json)" -eq "$cells" ] || { echo "results are missing"; exit 1; }
[ ! -e run.json.part ] || { echo "run.json.part is left"; exit 1; }
grep -q "launch.empty_sync" run.txt
echo "$kept of $cells cells were not measured again"
