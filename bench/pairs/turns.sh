# What the commands of bench/pairs/ share: programs that take turns. Sourced. Needs the folders `here` (of the sources), `made` (of the
# programs) and `work` (of what is temporary), and `clemcc`.
# SPDX-License-Identifier: Apache-2.0

# make_program SIDE SOURCE: builds it unless it is newer than all it is made of.
make_program() {
    local program=$made/$(basename "$2" .cu).$1
    if [ ! -x "$program" ] || [ "$(find "$2" "$here/pair.h" "$clemcc" -newer "$program" -print -quit)" ]; then
        case $1 in
            cuda) "$clemcc" -std=c++17 -O3 -o "$program" "$2" ;;
            *) "$1" -std=c++17 -O3 -march=native -fopenmp -x c++ -o "$program" "$2" ;;
        esac
    fi
}

# Programs that take turns: begin SIDE PROGRAM SIZE; turn SIDE TIMES -> microseconds; finish SIDE -> sum.
declare -A to from process
begin() {
    mkfifo "$work/$1.in" "$work/$1.out"
    "$made/$2" "$3" <"$work/$1.in" >"$work/$1.out" 2>"$work/$1.err" &
    process[$1]=$!
    exec {to[$1]}>"$work/$1.in" {from[$1]}<"$work/$1.out"
    rm "$work/$1.in" "$work/$1.out"
}
hear() {
    local line
    read -r line <&"${from[$1]}" || { echo "?"; return; }
    echo "$line"
}
turn() {
    echo "$2" >&"${to[$1]}" && hear "$1"
}
finish() {
    echo 0 >&"${to[$1]}" || true
    exec {to[$1]}>&-
    hear "$1"
    exec {from[$1]}<&-
}
median() {
    sort -g "$1" | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}
