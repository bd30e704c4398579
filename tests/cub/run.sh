#!/usr/bin/env bash
# Kernels of CUB and Thrust, as Debian's libthrust-dev has them, are translated: run.sh CLEMCC TRANSLATE HEADERS SOURCE KERNELS
# SCRATCH. HEADERS is the folder with cub/ and thrust/. Ends with 77 where that or clang is missing.
# SPDX-License-Identifier: Apache-2.0
set -eu
clemcc=$1 translate=$2 headers=$3 source=$4 kernels=$5 scratch=$6
[ -d "$headers/cub" ] && [ -d "$headers/thrust" ] || { echo "skipped: no CUB and Thrust (Debian: libthrust-dev)"; exit 77; }
message=$("$clemcc" --version 2>&1) || { echo "skipped: $message"; exit 77; }
mkdir -p "$scratch"
text=$scratch/$(basename "$source" .cu).ptx
"$clemcc" --ptx -I "$headers" "$source" -o "$text"
"$translate" "$text" "$kernels"
