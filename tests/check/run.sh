#!/usr/bin/env bash
# Runs the cases of wrong.cu under CLEM_CHECK=memory,init and compares what is reported with what the source says:
# run.sh CLEMCC FOLDER. A line "// CASE: words; words" is one that a report of the case must name, with all the words.
# Ends with 77 where there is no clang.
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/begin.sh"
source=$here/wrong.cu program=$folder/wrong
right="at_end surface_inside surface_zero texel_inside before_async heap_right child_set child_heap child_streams shared_set sums padding by_value ordered_again limited_again graph_again joined copy_all in_parameters"
failures=0

compile wrong -lineinfo
export CLEM_CHECK=memory,init

fail() {
    failures=$((failures + 1))
    printf '%s: %s\n' "$1" "$2"
    printf '%s\n' "$output" | head -n 20
}

# The words of a case's line, one a line, without the blanks around them.
words_of() {
    sed -n "s|.*// $1: ||p" "$source" | tr ';' '\n' | sed 's/^ *//; s/ *$//'
}

for name in $(sed -n 's|.*// \([a-z_]*\): .*|\1|p' "$source"); do
    output=$("$program" "$name" 2>&1)
    line=$(grep -n "// $name: " "$source" | cut -d: -f1)
    case "$name" in
        to_host | joined_too_far | copy_* | count | destroyed | array_freed | linear_freed) ;; # the host's own stack says where; clang does not
        *) printf '%s\n' "$output" | grep -qF "wrong.cu:$line" || fail "$name" "no report names line $line" ;;
    esac
    while IFS= read -r words; do
        printf '%s\n' "$output" | grep -qF -- "$words" || fail "$name" "no report has: $words"
    done < <(words_of "$name")
done
for name in $right; do
    output=$("$program" "$name" 2>&1 | grep -vxF "clem: ERROR SUMMARY: 0 errors, 0 warnings")
    [ "$output" = "$name: no error" ] || fail "$name" "is right, but reported"
done
for name in one_warp whole_warps; do
    output=$(CLEM_CHECK=sync "$program" $name 2>&1)
    printf '%s\n' "$output" | grep -qxF "clem: ERROR SUMMARY: 0 errors, 0 warnings" || fail $name "is right, but reported"
done
output=$(CLEM_CHECK=sync "$program" half_warps 2>&1)
printf '%s\n' "$output" | grep -qF "error 1 (sync): warp operation whose mask names lanes that do not come to it" || fail half_warps "not reported"
for form in native block; do
    output=$(CLEM_CHECK=sync CLEM_PTX_FORM=$form "$program" ended_lanes 2>&1)
    printf '%s\n' "$output" | grep -qxE "clem: ERROR SUMMARY: 0 errors, [1-9][0-9]* warnings?" &&
        printf '%s\n' "$output" | grep -qF "warning 1 (sync): warp operation whose mask names lanes that have ended" ||
        fail ended_lanes "no warning, or more, in the form $form"
done
# Lanes that nobody comes to are said to be why the kernel fails, where it does.
for form in native block; do
    output=$(CLEM_CHECK=sync CLEM_PTX_FORM=$form "$program" alone_lanes 2>&1)
    printf '%s\n' "$output" | grep -qF "error 1 (sync): warp operation whose mask names lanes that do not come to it" ||
        fail alone_lanes "not reported in the form $form"
done

# Warps that store at one place, in whichever form the kernel is.
for name in one_place one_place_shared; do
    for form in native block; do
        output=$(CLEM_CHECK=race CLEM_PTX_FORM=$form "$program" $name 2>&1)
        printf '%s\n' "$output" | grep -qF "error 1 (race): two threads write, with nothing to order them" ||
            fail "$name" "not reported in the form $form"
    done
done

# Where kernels cannot be checked it is said, once, and what they wrote is written.
output=$(CLEM_ADDRESS=handle "$program" sums 2>&1)
[ "$(printf '%s\n' "$output" | grep -c 'kernels run unchecked on')" -eq 1 ] || fail handle "it does not say that nothing is checked"
printf '%s\n' "$output" | grep -qxF "clem: ERROR SUMMARY: 0 errors, 1 warning" || fail handle "there are other reports"

[ $failures -eq 0 ] && echo ok
exit $((failures > 0))
