#!/usr/bin/env bash
# Packages that are no Debian's: others.sh SOURCE BUILD SCRATCH. rpm installs, verifies and takes away what cpack made in BUILD, in a
# root of its own; the archive is unpacked; out of each a program is built and run.
# SPDX-License-Identifier: Apache-2.0
set -eu
source=$1 build=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"

# use PREFIX: what lies there works.
use() {
    local library
    library=$(dirname "$(dirname "$(find "$1" -name clem.pc)")")
    export LD_LIBRARY_PATH=$library PKG_CONFIG_PATH=$library/pkgconfig
    "$1/bin/clem-info" --version
    # shellcheck disable=SC2046
    cc "$1/share/doc/clem-dev/examples/example.c" -o "$scratch/example" $(pkg-config --cflags --libs clem)
    "$scratch/example"
    rm -rf "$scratch/cmake"
    cmake -S "$source/tests/consume/package" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$1" >"$scratch/cmake.log"
    cmake --build "$scratch/cmake" >>"$scratch/cmake.log"
    "$scratch/cmake/example"
    if command -v clang >/dev/null; then
        "$1/bin/clemcc" "$1/share/doc/clem-dev/examples/example.cu" -o "$scratch/example_cu"
        "$scratch/example_cu"
    fi
    unset LD_LIBRARY_PATH PKG_CONFIG_PATH
}

command -v pkg-config >/dev/null || { echo "no pkg-config here"; exit 77; }

echo "== an archive"
rm -f "$build"/*.tar.gz
"$source/facade/package/make" TGZ "$build"
mkdir "$scratch/archive"
tar -xf "$build"/clem-*.tar.gz -C "$scratch/archive" --strip-components 1
use "$scratch/archive"

command -v rpmbuild >/dev/null || { echo "no rpmbuild here"; exit 77; }
echo "== rpm"
rm -f "$build"/*.rpm
"$source/facade/package/make" RPM "$build"
root=$scratch/root
# No package of the distribution is in this root: only those may be missed, and NVIDIA's names serve nobody.
manage() { rpm --root "$root" --dbpath /var/lib/rpm "$@"; }
for package in libclem0 clem-devel clem-tools; do
    file=$(ls "$build/$package"-[0-9]*.rpm)
    if rpm -qp --provides "$file" | grep -E '^lib(cuda|cudart|nvrtc)[.]so'; then
        echo "$package provides NVIDIA's libraries"
        exit 1
    fi
    if rpm -qpl "$file" | grep -E 'lintian|Debian'; then
        echo "$package has files of Debian's tools"
        exit 1
    fi
    rpm -qp --qf '%{DESCRIPTION}\n' "$file" | grep -qi 'clem\|CUDA'
done
manage --initdb
manage --nodeps -i "$build"/libclem0-*.rpm "$build"/clem-devel-*.rpm "$build"/clem-tools-*.rpm
manage -V --nodeps libclem0 clem-devel clem-tools
use "$root/usr"
if manage -e libclem0 2>"$scratch/refused"; then
    echo "libclem0 went though others need it"
    exit 1
fi
grep -q 'clem-devel' "$scratch/refused"
manage -e clem-tools clem-devel libclem0
left=$(find "$root/usr" ! -type d 2>/dev/null || true)
[ -z "$left" ] || { echo "left: $left"; exit 1; }
