#!/usr/bin/env bash
# Runs a program whose kernel crashes in gdb: debugger.sh CLEMCC FOLDER. The backtrace must name the kernel, with -G its line and all
# that called it, too. Ends with 77 where there is no clang, no gdb, or none that may run a program.
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/begin.sh"
failures=0

command -v gdb >/dev/null || {
    echo "skipped: there is no gdb"
    exit 77
}
gdb -nx -batch -ex run /bin/true 2>&1 | grep -q "exited normally" || {
    echo "skipped: gdb may not run programs"
    exit 77
}
[ "${CLEM_ADDRESS:-}" != handle ] || {
    echo "skipped: kernels of handle have no native form"
    exit 77
}
cat >"$folder/crash.cu" <<'END'
__global__ void put_far(int *to, int value)
{
    if (threadIdx.x < 20)
        to[(long)threadIdx.x << 40] = value;
}

int main()
{
    int *p;
    cudaMalloc(&p, 4096);
    put_far<<<1, 32>>>(p, 1);
    cudaDeviceSynchronize();
}
END

# backtrace OPTIONS: of the program that is built with them.
backtrace() {
    "$clemcc" "$@" -o "$folder/crash" "$folder/crash.cu" >"$folder/crash.log" 2>&1 || {
        cat "$folder/crash.log"
        exit 1
    }
    output=$(timeout 100 gdb -nx -batch -ex 'set debuginfod enabled off' -ex run -ex bt "$folder/crash" 2>&1)
}
has() {
    printf '%s\n' "$output" | grep -qE -- "$1" && return
    failures=$((failures + 1))
    printf 'no line has: %s\n%s\n' "$1" "$output" | tail -n 30
}

unset CLEM_CHECK
backtrace
has '^#[0-9]+ .* in put_far\(int\*, int\) \(\)'
backtrace -G
has '^#[0-9]+ .* in put_far \(\) at .*/crash\.cu:4$'
has '^#[0-9]+ .* in (start_thread|clone3?) '
[ $failures -eq 0 ] && echo ok
exit $((failures > 0))
