#!/usr/bin/env bash
# What dpkg does with clem's packages, in a root of its own: dpkg.sh PACKAGES SCRATCH. They are installed beside packages that
# have every name of NVIDIA's, upgraded, taken away and purged.
# SPDX-License-Identifier: Apache-2.0
set -eu
packages=$1 scratch=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
rm -rf "$scratch"
root=$scratch/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
mkdir "$scratch/bin" "$scratch/newer"
printf '#!/bin/sh\necho "$DPKG_MAINTSCRIPT_PACKAGE" >>%s/ldconfig\n' "$scratch" >"$scratch/bin/ldconfig"
chmod +x "$scratch/bin/ldconfig"

# The distribution's packages that clem's want are not in this root: only they may be missed. Scripts of packages are run
# here, with a program of this test in place of ldconfig.
manage() {
    PATH=$scratch/bin:$PATH dpkg --root="$root" --log=/dev/null --force-not-root --force-bad-path --force-depends \
        --force-script-chrootless "$@" >"$scratch/dpkg.log" 2>&1 ||
        { cat "$scratch/dpkg.log" && exit 1; }
}
# make_package NAME: from stdin, the files that it has; each says whose it is.
make_package() {
    local folder=$scratch/made/$1 file
    mkdir -p "$folder/DEBIAN"
    printf '%s\n' "Package: $1" "Version: 13.0-1" "Architecture: all" "Maintainer: nobody <nobody@localhost>" \
        "Description: the paths of $1" >"$folder/DEBIAN/control"
    while read -r file; do
        mkdir -p "$(dirname "$folder$file")"
        echo "$1" >"$folder$file"
    done
    dpkg-deb --root-owner-group -b "$folder" "$scratch/$1.deb" >/dev/null
}
version_of() { dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${Version} ${db:Status-Status}\n' "$1" 2>/dev/null; }

# Debian's packages, NVIDIA's own, and all headers of clem in the places where they would be NVIDIA's.
headers=$(cd "$source/include" && find . -type f | sed 's/^\.//')
for version in 11.0 12 13; do
    for name in libcudart libnvrtc; do echo "/usr/lib/$triplet/$name.so.$version"; done | make_package "libcudart$version"
done
printf "/usr/lib/$triplet/%s\n" libcuda.so.1 libcuda.so.580.65.06 libnvidia-ml.so.1 | make_package libcuda1
{
    printf '/usr/include/%s\n' cuda.h cuda_runtime.h cuda_runtime_api.h nvrtc.h
    printf "/usr/lib/$triplet/%s\n" libcuda.so libcudart.so libcudart_static.a libcudadevrt.a libnvrtc.so stubs/libcuda.so
    # shellcheck disable=SC2086
    printf '/usr/include%s\n' $headers
} | sort -u | make_package nvidia-cuda-dev
printf '/usr/bin/%s\n' nvcc nvprof cuda-gdb nvdisasm ptxas | make_package nvidia-cuda-toolkit
{
    printf '/usr/local/cuda-13.0/lib64/%s\n' libcudart.so libcudart.so.13 libnvrtc.so.13 stubs/libcuda.so
    # shellcheck disable=SC2086
    printf '/usr/local/cuda-13.0/include%s\n' $headers
} | make_package cuda-toolkit-13-0
theirs="libcudart11.0 libcudart12 libcudart13 libcuda1 nvidia-cuda-dev nvidia-cuda-toolkit cuda-toolkit-13-0"
ours="libclem0 clem-dev clem-tools"

check_theirs() { # all files of theirs are there, and as they were
    local name
    for name in $theirs; do
        (cd "$scratch/made/$name" && find . -type f ! -path './DEBIAN/*') | while read -r file; do
            [ "$(cat "$root/$file")" = "$name" ] || { echo "$file of $name has gone or changed" && exit 1; }
        done
    done
}

echo "== beside NVIDIA's, installed before and after"
# shellcheck disable=SC2046,SC2086
manage -i $(printf "$scratch/%s.deb " libcudart11.0 libcudart12 libcuda1 nvidia-cuda-dev)
# shellcheck disable=SC2046,SC2086
manage -i $(printf "$packages/%s_*.deb " $ours)
# shellcheck disable=SC2046,SC2086
manage -i $(printf "$scratch/%s.deb " libcudart13 nvidia-cuda-toolkit cuda-toolkit-13-0)
check_theirs
grep -q libclem0 "$scratch/ldconfig"
"$root/usr/bin/clem-info" --version

echo "== upgraded"
for name in $ours; do
    dpkg-deb -R "$packages/$name"_*.deb "$scratch/newer/$name"
    sed -i 's/^Version: .*/Version: 99.0-1/; s/(= [^)]*)/(= 99.0-1)/' "$scratch/newer/$name/DEBIAN/control"
    dpkg-deb --root-owner-group -b "$scratch/newer/$name" "$scratch/$name.deb" >/dev/null
done
# A file that the newer one no longer has.
rm "$scratch/newer/clem-dev/usr/share/doc/clem-dev/examples/opencl.c"
dpkg-deb --root-owner-group -b "$scratch/newer/clem-dev" "$scratch/clem-dev.deb" >/dev/null
# shellcheck disable=SC2046,SC2086
manage -i $(printf "$scratch/%s.deb " $ours)
for name in $ours; do
    [ "$(version_of "$name")" = "99.0-1 installed" ] || { echo "$name: $(version_of "$name")" && exit 1; }
done
[ ! -e "$root/usr/share/doc/clem-dev/examples/opencl.c" ]
"$root/usr/bin/clem-info" --version
check_theirs

echo "== removed and purged"
# shellcheck disable=SC2086
manage --remove $ours
# shellcheck disable=SC2086
manage --purge $ours
(cd "$scratch/made" && find . -type f ! -path '*/DEBIAN/*' | sed 's|^\./[^/]*||' | sort) >"$scratch/theirs"
left=$(cd "$root" && find . ! -type d ! -path './var/lib/dpkg/*' | sed 's/^\.//' | sort | comm -23 - "$scratch/theirs")
[ -z "$left" ] || { echo "left: $left" && exit 1; }
check_theirs
