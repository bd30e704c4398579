#!/usr/bin/env bash
# Compares clem with CUDA itself on a machine with an NVIDIA GPU and nvcc: native.sh BUILD FOLDER [PROGRAM...].
# Each program is built by nvcc twice from the same PTX: natively, and with -cudart shared for clem's libraries in BUILD.
# A table says for each whether its results are the same bit for bit, by CLEM_PTX=text and by CLEM_PTX=binary, and how many
# seconds each run took. Then speed.cu runs natively and both ways. Ends with 1 if anything differs or fails.
# Environment: CODE (sm_90), JOBS (nproc), MIB (1024: of each buffer of speed.cu), NVCC.
# Programs that clemcc built elsewhere are compared too if FOLDER/clemcc holds them: they need LD_LIBRARY_PATH only.
# SPDX-License-Identifier: Apache-2.0
set -u
build=$1 folder=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
code=${CODE:-sm_90} jobs=${JOBS:-$(nproc)} mib=${MIB:-1024}
libraries=$(cd "$build/facade" && pwd)
export LD_LIBRARY_PATH_CLEM=$libraries/clem:$libraries
mkdir -p "$folder/native" "$folder/shared" "$folder/log"
export CLEM_CACHE_DIR=${CLEM_CACHE_DIR:-$folder/cache}
mkdir -p "$CLEM_CACHE_DIR"

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    for source in "$here"/*.cu; do
        name=$(basename "$source" .cu)
        [ "$name" = texture_reference ] || names+=("$name") # nvcc 12 and later have no references
    done
fi

compile() {
    name=$1
    flags=$(sed -n 's/^ \* nvcc: //p' "$here/$name.cu")
    compute=$(sed -n 's/^ \* Compute capability: \([0-9]*\)$/\1/p' "$here/$name.cu") # of NVIDIA's headers' needs
    compute=compute_${compute:-75}
    # shellcheck disable=SC2086
    "$nvcc" -std=c++17 -O2 $flags -gencode "arch=$compute,code=$code" -cudart static \
        -o "$folder/native/$name" "$here/$name.cu" >"$folder/log/$name.native" 2>&1
    # shellcheck disable=SC2086
    "$nvcc" -std=c++17 -O2 $flags -gencode "arch=$compute,code=$compute" -cudart shared \
        -o "$folder/shared/$name" "$here/$name.cu" >"$folder/log/$name.shared" 2>&1
}
export -f compile
export here folder nvcc code
printf '%s\n' "${names[@]}" speed | sort -u | xargs -P "$jobs" -I{} bash -c 'compile {}'

# run KIND PROGRAM FILE ARGUMENTS...: its output to FILE; prints "seconds status".
run() {
    kind=$1 program=$2 file=$3
    shift 3
    path=$LD_LIBRARY_PATH_CLEM
    [ "$kind" != native ] || path=
    begin=$(date +%s.%N)
    env LD_LIBRARY_PATH="$path${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" CLEM_PTX="${kind#native}" \
        timeout 60 "$program" "$@" >"$file" 2>&1
    status=$?
    printf '%s %s' "$(awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { printf "%.2f", b - a }')" $status
}

# How a run through clem compares with the native one.
verdict() {
    if [ "$2" -ne 0 ]; then
        echo "failed($2)"
    elif cmp -s "$1" "$3"; then
        echo same
    else
        echo differs
    fi
}

failed=0
printf '%-22s %-20s %-20s %-20s %s\n' program native text binary clemcc
for name in "${names[@]}"; do
    [ "$name" != speed ] || continue
    out=$folder/log/$name
    read -r seconds status <<<"$(run native "$folder/native/$name" "$out.0" --hash)"
    row=$(printf '%-22s %-20s' "$name" "$([ "$status" -eq 0 ] && echo ran || echo "failed($status)") $seconds")
    [ "$status" -eq 0 ] || failed=1
    for kind in text binary clemcc; do
        program=$folder/shared/$name
        path=$kind
        if [ $kind = clemcc ]; then
            program=$folder/clemcc/$name path=text
            [ -x "$program" ] || continue
        fi
        read -r seconds status <<<"$(run $path "$program" "$out.$kind" --hash)"
        says=$(verdict "$out.0" "$status" "$out.$kind")
        # clang contracts and orders as it likes: its own checks and "ok" count, not the bits.
        [ "$says" = same ] || [ "$says $kind" = "differs clemcc" ] || failed=1
        row="$row $(printf '%-20s' "$says $seconds")"
    done
    echo "$row"
done
echo
for name in "${names[@]}"; do
    for kind in 0 text binary clemcc; do
        file=$folder/log/$name.$kind
        [ -f "$file" ] && [ "$(tail -n 1 "$file")" != ok ] && { echo "== $name $kind"; tail -n 5 "$file"; }
    done
done
for name in "${names[@]}"; do
    for kind in text binary; do
        diff "$folder/log/$name.0" "$folder/log/$name.$kind" >"$folder/log/$name.$kind.diff" 2>&1 ||
            { echo "== $name $kind differs"; head -n 6 "$folder/log/$name.$kind.diff"; }
    done
done

echo "== speed, $mib MiB"
for kind in native text binary; do
    program=$folder/shared/speed
    [ $kind != native ] || program=$folder/native/speed
    run $kind "$program" "$folder/log/speed.$kind" "$mib" 30 >/dev/null
done
# The unit's column is dropped; ratios are of clem to CUDA.
paste "$folder/log/speed.native" "$folder/log/speed.text" "$folder/log/speed.binary" | awk -F'\t' '
    /GB\/s/ {
        n = substr($1, 1, 14)
        a = substr($1, 15) + 0; b = substr($2, 15) + 0; c = substr($3, 15) + 0
        printf "%s native %8.1f text %8.1f (%.3f) binary %8.1f (%.3f)\n", n, a, b, b / a, c, c / a
    }'
exit $failed
