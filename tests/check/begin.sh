# Sourced by the scripts of this folder, whose $1 and $2 are CLEMCC and FOLDER, with here, where they are: ends with 77 where there is no clang.
# SPDX-License-Identifier: Apache-2.0
clemcc=$1 folder=${folder:-$2}
message=$("$clemcc" --version 2>&1) || {
    echo "skipped: $message"
    exit 77
}
mkdir -p "$folder"
unset CLEM_TRACE

# compile NAME [options]: NAME.cu beside this, to $folder/NAME.
compile() {
    local name=$1
    shift
    "$clemcc" -std=c++17 -O1 "$@" -o "$folder/$name" "$here/$name.cu" >"$folder/$name.log" 2>&1 || {
        cat "$folder/$name.log"
        exit 1
    }
}
