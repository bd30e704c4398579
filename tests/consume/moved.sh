#!/usr/bin/env bash
# Installs a build into a fresh prefix, moves it, and runs every program from there: moved.sh SOURCE BUILD SCRATCH.
# SPDX-License-Identifier: Apache-2.0
set -eu
source=$1 build=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/install.log"
mv "$scratch/prefix" "$scratch/moved to here"
prefix="$scratch/moved to here"
unset LD_LIBRARY_PATH

for program in "$prefix"/bin/*; do
    name=$(basename "$program")
    if readelf -d "$program" 2>/dev/null | grep -E 'R(UN)?PATH' | grep -vF '[$ORIGIN/'; then
        echo "$name looks for libraries where it was built"
        exit 1
    fi
    if ldd "$program" 2>/dev/null | grep 'not found'; then
        echo "$name does not find these libraries"
        exit 1
    fi
    if [ "$name" = clemcc ] && ! command -v clang >/dev/null && [ -z "${CLEM_CLANG:-}" ]; then
        echo "clemcc: skipped, there is no clang"
        continue
    fi
    "$program" --version | head -n 1
    "$program" --help >"$scratch/help"
    test -s "$scratch/help"
    "$program" --no-such-option-at-all >"$scratch/refused" 2>&1 && { echo "$name takes any option"; exit 1; }
done
"$prefix/bin/clem-info" --brief
"$prefix/bin/clem-run" "$prefix/bin/clem-info" --brief >"$scratch/run"
"$prefix/bin/clem-bench" --quick --filter =call.query | grep call.query

if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name clem.pc)")
    export PKG_CONFIG_PATH
    pkg-config --validate clem
    if pkg-config --exists OpenCL; then
        # What pkg-config prints is quoted for a shell: the prefix has blanks.
        eval "cc '$source/tests/consume/opencl.c' -o '$scratch/opencl' $(pkg-config --cflags --libs clem-opencl)"
        LD_LIBRARY_PATH=$(dirname "$(find "$prefix" -name libclem.so)") "$scratch/opencl"
    fi
fi
