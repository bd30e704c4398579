#!/usr/bin/env bash
# Runs the shell steps of the CI files here on a project, twice: run.sh PACKAGES SCRATCH. "apt-get install" is unpacking the
# packages of the folder PACKAGES into a root of their own, and a look whether the distribution has the others. Ends with 77
# where there is no clang.
# SPDX-License-Identifier: Apache-2.0
set -eu
packages=$1 scratch=$2
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$scratch"
mkdir -p "$scratch/bin"
cd "$scratch"
command -v clang >/dev/null || { echo "skipped: no clang"; exit 77; }

cat >bin/apt-get <<'END'
#!/bin/sh -eu
[ "$1" = update ] && exit
[ "$1" = install ]
shift
for name; do
    case $name in
        -*) ;;
        *.deb) dpkg-deb -x "$name" "$ROOT" ;;
        *) dpkg-query -W "$name" >/dev/null 2>&1 || apt-cache show "$name" >/dev/null || { echo "no package $name"; exit 1; } ;;
    esac
done
END
printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
chmod +x bin/*

# The steps of a file as a shell script, one line a step.
steps_of() {
    case $1 in
        github.yml)
            sed -n 's/^      \([A-Z_]*_DIR\): /export \1=/p' "$1"
            awk '/^        run: \|$/ { inside = 1; next }
                 inside && /^          / { print substr($0, 11); next }
                 { inside = 0 }' "$1" ;;
        gitlab.yml)
            sed -n 's/^    \([A-Z_]*_DIR\): /export \1=/p' "$1"
            sed -n 's/^    - //p' "$1" ;;
        Dockerfile)
            sed -n "s/^ENV /export /p; s/^RUN //p; s/^CMD //p" "$1" ;;
    esac
}

# What the services have made of the variables, and a container's volumes.
in_its_place() {
    sed "s|\${{ github.workspace }}|$1|g; s|\$CI_PROJECT_DIR|$1|g; s|=/cache/|=$1/cache/|; s| /cache| $1/cache|g; s| /results/| $1/build/|"
}

files_in() { find "$1" -type f | sort; }

library=lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
for file in github.yml gitlab.yml Dockerfile; do
    echo "== $file"
    project=$scratch/$file.project
    cp -r "$here/project" "$project"
    mkdir "$project/packages"
    cp "$packages"/*.deb "$project/packages"
    cp "$here/$file" .
    steps_of "$file" | in_its_place "$project" >"$file.sh"
    [ "$(grep -o -e 'apt-get install' -e 'cmake -S' -e 'cmake --build' -e 'ctest' -e 'export' "$file.sh" | wc -l)" = 6 ] ||
        { cat "$file.sh" && exit 1; }
    for run in first second; do
        rm -rf "$project/build"
        (cd "$project" && ROOT=$scratch/root PATH=$scratch/bin:$scratch/root/usr/bin:$PATH \
            LD_LIBRARY_PATH=$scratch/root/usr/$library bash -eu "$scratch/$file.sh") >"$file.$run.log" 2>&1 ||
            { tail -n 40 "$file.$run.log"; exit 1; }
        grep -q 'tests="3"' "$project/build/junit.xml"
        grep -q 'failures="0"' "$project/build/junit.xml"
        files_in "$project/cache" >"$file.$run"
    done
    # Both caches are filled by the first run, and the second one finds there what it needs.
    for kept in '/cache/clem/.*\.bin$' '/cache/pocl/.*\.so$'; do
        grep -q "$kept" "$file.first" || { echo "the caches have no $kept"; exit 1; }
        [ "$(grep "$kept" "$file.first")" = "$(grep "$kept" "$file.second")" ] || { diff "$file.first" "$file.second"; exit 1; }
    done
    echo "3 tests passed, $(wc -l <"$file.second") files in the caches"
done
