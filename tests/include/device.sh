#!/usr/bin/env bash
# The device headers with each clang there is: device.sh CLEMCC SOURCE-FOLDER SCRATCH. Their functions must become PTX, and
# what that PTX calls must be what the translator's library has.
# SPDX-License-Identifier: Apache-2.0
set -eu
clemcc=$1 source=$2 scratch=$3
library=$source/kernels/ptx/library
mkdir -p "$scratch"
tried=0
for version in 14 15 16 17 18 19 20 21; do
    command -v "clang-$version" >/dev/null || continue
    for options in "" "-use_fast_math" "-std=c++11"; do
        # shellcheck disable=SC2086
        CLEM_CLANG=clang-$version "$clemcc" --ptx $options "$source/tests/include/device.cu" -o "$scratch/device.ptx" || {
            echo "clang-$version $options"
            exit 1
        }
        for name in $(sed -n 's/^\.extern \.func *\((.*)\)\? *\([A-Za-z_0-9]*\).*/\2/p' "$scratch/device.ptx"); do
            case $name in
            vprintf | malloc | free | __assertfail) ;;
            __clem_*)
                grep -qE "^[a-z].*\\b${name#__}\\(" "$library"/*.cl || {
                    echo "clang-$version: $name is not in the library"
                    exit 1
                } ;;
            *)
                echo "clang-$version: PTX calls $name"
                exit 1 ;;
            esac
        done
        if [ -z "$options" ]; then
            calls=$(grep -c '^\.extern \.func' "$scratch/device.ptx")
            [ "$calls" -gt 100 ] || { echo "only $calls functions called"; exit 1; }
        fi
    done
    tried=$((tried + 1))
done
[ $tried -gt 0 ] || { echo "no clang-N here"; exit 77; }
