#!/usr/bin/env bash
# A program with Thrust and CUB, as Debian's libthrust-dev has them, is compiled and runs: program.sh CLEMCC HEADERS SOURCE SCRATCH.
# HEADERS is the folder with cub/ and thrust/. Ends with 77 where that or clang is missing.
# SPDX-License-Identifier: Apache-2.0
set -eu
clemcc=$1 headers=$2 source=$3 scratch=$4
[ -d "$headers/cub" ] && [ -d "$headers/thrust" ] || { echo "skipped: no CUB and Thrust (Debian: libthrust-dev)"; exit 77; }
message=$("$clemcc" --version 2>&1) || { echo "skipped: $message"; exit 77; }
mkdir -p "$scratch"
"$clemcc" -I "$headers" "$source" -o "$scratch/program"
"$scratch/program"
