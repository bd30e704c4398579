#!/usr/bin/env bash
# Builds a project that looks for CUDA's toolkit with the one of an installed clem: toolkit.sh SOURCE BUILD SCRATCH.
# SPDX-License-Identifier: Apache-2.0
set -eu
source=$1 build=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
prefix=$scratch/moved
cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/install.log"
mv "$scratch/prefix" "$prefix"
toolkit=$(find "$prefix" -name toolkit)
libraries=$(dirname "$toolkit")
unset LD_LIBRARY_PATH

# No link leads out of the tree or nowhere.
find "$toolkit" -type l | while read -r link; do
    case $(realpath -e "$link") in
    "$prefix"/*) ;;
    *) echo "$link: leads to $(readlink "$link")"; exit 1 ;;
    esac
done

build_project() { # build_project FOLDER options...: configures and builds, and says what went wrong
    local folder=$1
    shift
    { cmake -S "$source/tests/consume/toolkit" -B "$folder" "$@" && cmake --build "$folder" --parallel 2; } \
        >"$folder.log" 2>&1 || { tail -n 60 "$folder.log" && exit 1; }
}
echo "== CUDAToolkit_ROOT"
build_project "$scratch/found" -DCUDAToolkit_ROOT="$toolkit"
"$scratch/found/runtime_cudart"
"$scratch/found/driver"
LD_LIBRARY_PATH=$toolkit/lib64 "$scratch/found/driver"
LD_LIBRARY_PATH=$libraries "$scratch/found/driver"
# What no folder of libraries is known for, as a program linked with the static runtime is.
for name in runtime_cudart_static by_names; do
    "$prefix/bin/clem-run" "$scratch/found/$name"
    readelf -d "$scratch/found/$name" | grep -q 'NEEDED.*\[libcudart.so.13\]'
done
readelf -d "$scratch/found/driver" | grep -q 'NEEDED.*\[libcuda.so.1\]'

echo "== without clang"
CLEM_CLANG=/nonexistent "$toolkit/bin/nvcc" --version | grep -q "release 13.0, V13.0.0"
CLEM_CLANG=/nonexistent "$toolkit/bin/nvcc" -v __cmake_determine_cuda 2>&1 | grep -qF "TOP=$toolkit"

echo "== nvcc"
if "$toolkit/bin/nvcc" --version >"$scratch/nvcc.log" 2>&1; then
    build_project "$scratch/language" -DCMAKE_CUDA_COMPILER="$toolkit/bin/nvcc"
    "$scratch/language/kernels"
    grep -q "^CUDA_CUDART:.*=$toolkit/lib64/libcudart.so" "$scratch/language/CMakeCache.txt"
else
    sed 's/^/skipped: /' "$scratch/nvcc.log"
fi
