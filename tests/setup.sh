# Sourced by tests/run and bench/run: installs what is missing, configures and builds.
# SPDX-License-Identifier: Apache-2.0
clem_packages="gcc g++ cmake ninja-build pocl-opencl-icd ocl-icd-opencl-dev opencl-headers clinfo
    libcmocka-dev libcjson-dev libzstd-dev liblz4-dev"

# Installs the packages that dpkg does not know, with apt when that is allowed; otherwise says the one command.
clem_install() {
    command -v dpkg-query >/dev/null 2>&1 || { clem_check_tools; return; }
    missing=
    for package in $clem_packages "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        if sudo -n true 2>/dev/null; then
            as_root=sudo
        else
            echo "Missing packages. Install them with:" >&2
            echo "    sudo apt-get install$missing" >&2
            exit 1
        fi
    fi
    echo "Installing:$missing"
    export DEBIAN_FRONTEND=noninteractive
    $as_root apt-get update -qq >&2 || true
    # shellcheck disable=SC2086
    $as_root apt-get install -y -qq $missing >/dev/null || { echo "apt-get failed" >&2; exit 1; }
}

# Where there is no dpkg, at least say what is missing.
clem_check_tools() {
    for tool in cc cmake; do
        command -v $tool >/dev/null 2>&1 || { echo "$tool is missing" >&2; exit 1; }
    done
}

# clem_build FOLDER [cmake options]: configures and builds quietly, all or $clem_targets alone; the whole output is shown
# when it fails.
clem_build() {
    folder=$1
    shift
    log=$folder.log
    mkdir -p "$(dirname "$folder")"
    generator=
    if [ ! -f "$folder/CMakeCache.txt" ] && command -v ninja >/dev/null 2>&1; then generator="-G Ninja"; fi
    # shellcheck disable=SC2086
    { cmake -S "$top" -B "$folder" $generator "$@" &&
        cmake --build "$folder" --parallel "$(nproc)" ${clem_targets:+--target $clem_targets}; } >"$log" 2>&1 || {
        cat "$log" >&2
        exit 1
    }
}
