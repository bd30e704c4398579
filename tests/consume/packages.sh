#!/usr/bin/env bash
# Packages as a stranger gets them: packages.sh SOURCE SCRATCH. Builds them, unpacks them into a root of their own, and
# builds and runs programs there.
# SPDX-License-Identifier: Apache-2.0
set -eu
source=$1 scratch=$2
command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || { echo "no dpkg-dev here"; exit 77; }
mkdir -p "$scratch"
packages=$scratch/packages root=$scratch/root
rm -rf "$root" "$packages"/*.deb "$packages"/*.ddeb "$scratch"/example*
"$source/facade/package/make" DEB "$packages"
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)

echo "== what lies where"
for name in libclem0 clem-dev clem-tools libclem0-dbgsym clem-tools-dbgsym; do
    ls "$packages/${name}"_*deb >/dev/null
done
for package in "$packages"/*.deb; do
    dpkg-deb -c "$package" | awk '$1 !~ /^d/ { print $6 }' >"$scratch/files"
    # Folders of clem's own, and places that carry its name: no file of another package, NVIDIA's least of all.
    if grep -vE "^./usr/(lib/$triplet/(clem/|cmake/clem/|pkgconfig/clem|libclem\.so)|include/clem/|bin/clem|share/(doc/(libclem0|clem-)|man/man1/clem|bash-completion/completions/clem|lintian/overrides/(libclem0|clem-)))" "$scratch/files"; then
        echo "$(basename "$package") has these files in places of others"
        exit 1
    fi
    dpkg-deb -x "$package" "$root"
done
field() { dpkg-deb -f "$packages/$1"_*.deb "$2"; }
field libclem0 Recommends | grep -q 'pocl-opencl-icd | opencl-icd'
field libclem0 Depends | grep -q libopencl
field clem-tools Recommends | grep -q clang
field clem-dev Depends | grep -q 'libclem0 (='
for page in clem-info clem-run clemcc clem-bench; do
    test -f "$root/usr/share/man/man1/$page.1.gz"
    "$root/usr/bin/$page" --version >/dev/null
    zcat "$root/usr/share/man/man1/$page.1.gz" | tr -d '\\' >"$scratch/page"
    for option in $("$root/usr/bin/$page" --help | grep -oE '(^|[ ,[|])--[a-z][a-z0-9-]*' | tr -d ' ,[|' | sort -u); do
        grep -q -- "$option" "$scratch/page" || { echo "the page of $page does not tell of $option" && exit 1; }
    done
    bash -c ". '$root/usr/share/bash-completion/completions/$page'; complete -p $page" | grep -q _clem_complete
done
test -f "$root/usr/share/doc/libclem0/copyright"
command -v lintian >/dev/null && { lintian --allow-root --fail-on error,warning "$packages"/*.deb || exit 1; }

echo "== programs"
library=$root/usr/lib/$triplet
export LD_LIBRARY_PATH=$library PKG_CONFIG_PATH=$library/pkgconfig
"$root/usr/bin/clem-info" --brief
examples=$root/usr/share/doc/clem-dev/examples
if command -v pkg-config >/dev/null; then
    # shellcheck disable=SC2046
    cc "$examples/example.c" -o "$scratch/example" $(pkg-config --cflags --libs clem)
    "$scratch/example"
fi
cmake -S "$source/tests/consume/package" -B "$scratch/example_cmake" -DCMAKE_PREFIX_PATH="$root/usr" >"$scratch/cmake.log"
cmake --build "$scratch/example_cmake" >>"$scratch/cmake.log"
"$scratch/example_cmake/example"
if "$root/usr/bin/clemcc" --version >/dev/null 2>&1; then
    "$root/usr/bin/clemcc" "$examples/example.cu" -o "$scratch/example_cu"
    "$scratch/example_cu"
fi

echo "== and away again"
DESTDIR=$scratch/installed cmake --install "$packages" >"$scratch/install.log"
DESTDIR=$scratch/installed cmake --build "$packages" --target uninstall >>"$scratch/install.log"
left=$(find "$scratch/installed" ! -type d)
[ -z "$left" ] || { echo "left: $left"; exit 1; }

echo "== installed by dpkg"
"$source/tests/consume/dpkg.sh" "$packages" "$scratch/dpkg"

echo "== other packages"
"$source/tests/consume/others.sh" "$source" "$packages" "$scratch/others" || [ $? -eq 77 ]

echo "== in CI"
"$source/tests/consume/ci/run.sh" "$packages" "$scratch/ci" || [ $? -eq 77 ]
