#!/usr/bin/env bash
# Uses clem the ways a stranger does: run.sh SOURCE BUILD SCRATCH. Installs BUILD, then builds and runs the examples.
# SPDX-License-Identifier: Apache-2.0
set -eu
source=$1 build=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
prefix=$scratch/prefix
cmake --install "$build" --prefix "$prefix" >"$scratch/install.log"

echo "== find_package"
cmake -S "$source/tests/consume/package" -B "$scratch/package" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/package.log"
cmake --build "$scratch/package" >>"$scratch/package.log"
"$scratch/package/example"
"$scratch/package/example_cpp"

echo "== pkg-config"
if command -v pkg-config >/dev/null; then
    pc=$(find "$prefix" -name clem.pc)
    flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs clem)
    # shellcheck disable=SC2086
    cc "$source/tests/consume/example.c" -o "$scratch/example_pc" $flags
    LD_LIBRARY_PATH=$(dirname "$(dirname "$pc")") "$scratch/example_pc"
else
    echo "no pkg-config here"
fi

# Builds the CUDA programs in a build folder, and runs them from where they lie: run_cuda BUILD FOLDER
run_cuda() {
    cmake --build "$1" --parallel 2 --target example_cuda example_linked >>"$1.log" 2>&1 || { tail -n 40 "$1.log" && exit 1; }
    "$2/example_cuda"
    "$2/example_linked"
}

has_clang=yes
"$prefix/bin/clemcc" --version >"$scratch/clemcc.log" 2>&1 || has_clang=
echo "== add_subdirectory"
# One build for both programs, and one that spends no time on optimisations and debug symbols.
cmake -S "$source/tests/consume/subdirectory" -B "$scratch/subdirectory" -DCLEM_SOURCE="$source" ${has_clang:+-DWITH_CUDA=ON} \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG= -DCMAKE_CXX_FLAGS_DEBUG= >"$scratch/subdirectory.log"
cmake --build "$scratch/subdirectory" --parallel 2 >>"$scratch/subdirectory.log"
"$scratch/subdirectory/example"

echo "== CUDA programs"
if [ -z "$has_clang" ]; then
    sed 's/^/skipped: /' "$scratch/clemcc.log"
else
    run_cuda "$scratch/subdirectory" "$scratch/subdirectory/cuda"
    for way in "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_CUDA_COMPILER=$prefix/bin/clemcc"; do
        folder=$scratch/cuda$(printf '%s' "$way" | sed 's/=.*//; s/-D/_/')
        cmake -S "$source/tests/consume/cuda" -B "$folder" "$way" >"$folder.log" 2>&1 || { cat "$folder.log" && exit 1; }
        run_cuda "$folder" "$folder"
    done
fi

if [ -n "$has_clang" ]; then
    echo "== a project of C alone with a CUDA program"
    folder=$scratch/only_c
    { cmake -S "$source/tests/consume/only_c" -B "$folder" -DCMAKE_PREFIX_PATH="$prefix" && cmake --build "$folder" --parallel 2; } \
        >"$folder.log" 2>&1 || { tail -n 40 "$folder.log" && exit 1; }
    "$folder/flags"
fi

echo "== dlopen"
cc "$source/tests/consume/opened.c" -o "$scratch/opened" -ldl
"$scratch/opened" "$(find "$prefix" -name libclem.so)"

echo "== the names libcudart.so.13 and libcuda.so.1"
library=$(dirname "$(find "$prefix" -name libclem.so)")
cc "$source/tests/consume/example.c" -I"$prefix/include/clem" -o "$scratch/example_cudart" \
    -Wl,--no-as-needed -L"$library" -lclem "$library/clem/libcudart.so.13" "$library/clem/libcuda.so.1"
LD_LIBRARY_PATH=$library/clem:$library "$scratch/example_cudart"
readelf -V "$library/clem/libcudart.so.13" | grep -q 'Name: libcudart.so.13'
readelf -d "$library/clem/libcudart.so.13" | grep -q 'SONAME.*\[libcudart.so.13\]'
readelf -d "$library/clem/libcuda.so.1" | grep -q 'SONAME.*\[libcuda.so.1\]'
# Filters: libclem comes before the C library, over which it defines a few functions.
readelf -d "$library/clem/libcudart.so.13" | grep -q 'AUXILIARY.*\[libclem.so.0\]'
readelf -d "$library/clem/libcuda.so.1" | grep -q 'AUXILIARY.*\[libclem.so.0\]'
readelf -d "$library/libclem.so" | grep -q NODELETE

echo "== clem-info of the installed tree"
"$prefix/bin/clem-info" --brief
