#!/usr/bin/env bash
# Reports of a program, and into files, that are hard on them: hostile.sh CLEM_RUN HOSTILE.
# SPDX-License-Identifier: Apache-2.0
set -u
run=$1 hostile=$2 failures=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset CLEM_TRACE CLEM_CHECK CLEM_CHECK_OPTIONS

fail() {
    failures=$((failures + 1))
    echo "$1"
    [ $# -lt 2 ] || head -n 30 "${@:2}"
}
# ends STATUS COMMAND...: its stderr goes to err.txt, and its stdout to out.txt.
ends() {
    local wanted=$1 status=0
    shift
    timeout 60 "$@" >out.txt 2>err.txt || status=$?
    [ $status -eq "$wanted" ] || fail "ends with $status, not $wanted: $*" err.txt
}
has() { # FILE PATTERN
    grep -qE -- "$2" "$1" || fail "no line of $1 has: $2" "$1"
}
# A whole document, which names so many errors.
is_document() {
    command -v python3 >/dev/null || return 0
    python3 - "$@" <<'END' || fail "$1 is no document with $2 errors" "$1"
import json, sys, xml.dom.minidom
text = open(sys.argv[1], "rb").read().decode("utf-8")
if sys.argv[1].endswith(".xml"):
    found = int(xml.dom.minidom.parseString(text).documentElement.getAttribute("failures"))
else:
    found = sum(report["severity"] == "error" for report in json.loads(text)["reports"])
sys.exit(found != int(sys.argv[2]))
END
}
twice='error [0-9]+ \(guard\): a double free of 64 bytes'
summary='^clem: ERROR SUMMARY: 1 error, 0 warnings$'

# Where reports cannot be written they are on stderr, and it is said why.
for format in text json; do
    ends 9 "$run" --check --check-format=$format --check-output=/dev/full --error-exitcode=9 "$hostile"
    has err.txt 'cannot be written to /dev/full: No space left on device'
    has err.txt 'a double free of 64 bytes'
done
ends 0 env CLEM_CHECK=guard CLEM_CHECK_OPTIONS=output=/nowhere/at/all "$hostile"
has err.txt 'cannot be written to /nowhere/at/all: No such file or directory'
has err.txt "$twice"
ends 0 env CLEM_CHECK=guard CLEM_CHECK_OPTIONS=output="$folder" "$hostile"
has err.txt "$twice"
(trap '' XFSZ && ulimit -f 0 && exec timeout 60 "$run" --check --check-output=small.txt "$hostile") 2>&1 >/dev/null | cat >err.txt
has err.txt 'cannot be written to .*/small.txt: File too large'
has err.txt '^clem: ERROR SUMMARY: 0 errors' # PoCL runs nothing then
mkfifo nobody
ends 0 env CLEM_CHECK=guard CLEM_CHECK_OPTIONS=output=nobody "$hostile"
has err.txt "$twice"

# One document where what is written stays.
ends 0 "$run" --check --check-format=json --check-output=/dev/stdout "$hostile"
is_document out.txt 1
ends 0 "$run" --check --check-format=junit --check-output=/dev/stderr "$hostile"
cp err.txt stays.xml
is_document stays.xml 1

# The program's streams are files of its own: nothing comes into those.
: >data.txt
ends 0 "$run" --check "$hostile" closed data.txt
[ ! -s data.txt ] || fail "reports are in the program's file" data.txt
has err.txt "$summary"
ends 0 "$run" --check --check-output=closed.txt "$hostile" closed data.txt
[ ! -s data.txt ] || fail "reports are in the program's file" data.txt
has closed.txt "$summary"
# Files that it closes may be clem's; drivers of GPUs do not survive the loss of theirs.
if "${run%/*}/clem-info" --brief | head -n 1 | grep -q 'Portable Computing Language'; then
    ends 0 "$run" --check --check-format=json --check-output=closed.json "$hostile" closed -
    is_document closed.json 1
    ends 0 "$run" --check "$hostile" closed -
    has err.txt "$summary"
fi

# A program that goes elsewhere; a process's number in a name.
mkdir here
ends 0 env CLEM_CHECK=guard CLEM_CHECK_OPTIONS=output=here/%p.txt "$hostile" elsewhere
has "$(echo here/*.txt)" 'ERROR SUMMARY: 2 errors'
case "$(echo here/*.txt)" in here/[0-9]*.txt) ;; *) fail "no process's number: $(echo here/*)" ;; esac

# Children, and what the process becomes.
ends 0 "$run" --check "$hostile" forks
[ "$(grep -c 'ERROR SUMMARY' err.txt)" -eq 1 ] || fail "children have summaries" err.txt
has err.txt "$summary"
ends 0 "$run" --check --check-output=execs.txt "$hostile" execs
[ "$(grep -cE "$twice" execs.txt)" -eq 2 ] || fail "what was before exec() is lost" execs.txt
ends 0 "$run" --check --check-format=json --check-output=execs.json "$hostile" execs
for file in execs.json execs.json.*; do
    is_document "$file" 1
done
has err.txt 'another process has its reports in .*execs.json$'

# However it ends: what was reported is there.
for way in _exit:0 killed:137 abort:134; do
    ends "${way#*:}" "$run" --check "$hostile" "${way%:*}"
    has err.txt "$twice"
    for form in json:json junit:xml; do
        ends "${way#*:}" "$run" --check --check-format=${form%:*} --check-output=ends.${form#*:} "$hostile" "${way%:*}"
        is_document ends.${form#*:} 1
    done
done
for form in json:json junit:xml; do
    ends 0 "$run" --check --check-format=${form%:*} --check-output=nothing.${form#*:} "$hostile" nothing
    is_document nothing.${form#*:} 0
done
ends 3 "$run" --check "$hostile" quick
has err.txt "$summary"

# Threads that end in the middle of a report; two processes with one file.
ends 9 "$run" --check --error-exitcode=9 "$hostile" threads
has err.txt '^clem: error 1 came [0-9]+ times$'
[ "$(grep -c 'double free' err.txt)" -eq 1 ] || fail "repeats are shown" err.txt
ends 0 "$run" --check --check-output=two.txt sh -c '"$0" & "$0" & "$0"; wait' "$hostile"
[ "$(grep -cE "$summary" two.txt)" -eq 3 ] && [ "$(grep -cE "^clem: $twice" two.txt)" -eq 3 ] || fail "processes lose each other's reports" two.txt
ends 0 "$run" --check --check-format=json --check-output=two.json sh -c '"$0" & "$0"; wait' "$hostile"
for file in two.json two.json.*; do
    is_document "$file" 1
done

# Names that are no text.
odd=$(printf 'a\377"<&b')
if ln -s "$hostile" "$odd" 2>/dev/null && cp "$hostile" "./c$odd" 2>/dev/null; then
    for form in json:json junit:xml; do
        ends 0 env LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}" "$run" --check --check-format=${form%:*} --check-output=odd.${form#*:} "./c$odd"
        is_document odd.${form#*:} 1
    done
fi

# Suppressions that are none, and some that are.
for file in /dev/zero "$folder"; do
    ends 9 "$run" --check --suppressions="$file" --error-exitcode=9 "$hostile"
    has err.txt 'cannot be read: nothing is suppressed'
done
head -c 2000000 /dev/zero | tr '\0' x >long.txt
ends 9 "$run" --check --suppressions=long.txt --error-exitcode=9 "$hostile"
has err.txt 'long.txt cannot be read: nothing is suppressed'
printf 'guard\nguard:\nfoo:bar\nguard:a\0b\nguard:[\nguard:\\\n:x\nguard:free_twice[1]\n' >bad.txt
ends 9 "$run" --check --suppressions=bad.txt --error-exitcode=9 "$hostile"
for line in 1 2 3 4 7; do
    has err.txt "bad.txt, line $line is ignored"
done
[ "$(grep -c 'is ignored' err.txt)" -eq 5 ] || fail "lines are ignored that may stand" err.txt
printf '\357\273\277guard:free_twice\r\n' >dos.txt
ends 0 "$run" --check --suppressions=dos.txt --error-exitcode=9 "$hostile"
has err.txt '0 errors, 0 warnings, 1 suppressed'
ends 0 "$run" --check --suppressions=<(echo 'guard:a double free*64 bytes') --error-exitcode=9 "$hostile"

# Counts that are none.
for option in --max-reports=-1 --max-reports=x --max-reports=99999999999999999999 --error-exitcode=256 --error-exitcode= --check-format=xml; do
    ends 64 "$run" --check "$option" "$hostile"
done
ends 9 "$run" --check --max-reports=0 --error-exitcode=9 "$hostile"
[ "$(cat err.txt)" = "clem: ERROR SUMMARY: 1 error, 0 warnings, 1 of them not shown (--max-reports)" ] || fail "reports that nobody wants" err.txt

[ $failures -eq 0 ] && echo ok
exit $((failures > 0))
