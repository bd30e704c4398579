# Instructions and bytes of a function and of all that it mentions, each counted once: of PTX (-v kind=ptx; bytes without
# comments, .loc and blank lines) or of LLVM's text (-v kind=ll).
#   awk -v kind=ptx -v root=NAME -f reach.awk FILE    prints INSTRUCTIONS BYTES, or nothing where NAME is not defined
# SPDX-License-Identifier: Apache-2.0
function add(text,    parts, count, i) {
    if (!(name in seen_body)) { seen_body[name] = 1; instructions[name] = bytes[name] = 0; mentions[name] = "" }
    bytes[name] += length(text) + 1
    count = split(text, parts, /[^A-Za-z0-9_.$]+/)
    for (i = 1; i <= count; i++)
        if (parts[i] ~ /^[A-Za-z_$.]/ && !((name, parts[i]) in mentioned)) {
            mentioned[name, parts[i]] = 1
            mentions[name] = mentions[name] " " parts[i]
        }
}
kind == "ptx" {
    sub(/\/\/.*/, ""); sub(/[ \t]+$/, ""); sub(/^[ \t]+/, "")
    if ($0 == "" || $0 ~ /^\.loc/) next
    if (!is_inside && $0 ~ /^(\.(visible|weak|extern|common)[ \t]+)*\.(entry|func)/) {
        header = $0
        sub(/^(\.(visible|weak|extern|common)[ \t]+)*\.(entry|func)[ \t]*/, "", header)
        sub(/^\([^)]*\)[ \t]*/, "", header)
        match(header, /^[A-Za-z0-9_$%]+/)
        name = substr(header, 1, RLENGTH)
        is_header = 1
    }
    if (is_header && /;/ && !/\{/) { is_header = 0; next } # a declaration
    if (is_header && /^\{/) { is_header = 0; is_inside = 1; depth = 0; statement = "" }
    if (is_header) { header_bytes[name] += length($0) + 1; next }
    if (!is_inside) next
    add($0)
    line = $0
    depth += gsub(/\{/, " ", line) - gsub(/\}/, " ", line)
    sub(/^[A-Za-z0-9_$]+:/, "", line)
    statement = statement " " line
    while (match(statement, /;/)) {
        one = substr(statement, 1, RSTART - 1)
        statement = substr(statement, RSTART + 1)
        sub(/^[ \t]+/, "", one)
        if (one != "" && one !~ /^\./) instructions[name]++
    }
    if (depth <= 0) is_inside = 0
}
kind == "ll" {
    if (/^define /) { name = $0; sub(/^[^@]*@"?/, "", name); sub(/"?\(.*/, "", name); is_inside = 1; next }
    if (/^}/) is_inside = 0
    if (!is_inside) next
    if (/^  [^ \]]/) instructions_of_line = 1; else instructions_of_line = 0
    if (instructions_of_line) { add($0); instructions[name]++ }
}
END {
    if (!(root in seen_body)) exit
    queue[1] = root; is_reached[root] = 1; last = 1
    for (first = 1; first <= last; first++) {
        at = queue[first]
        total += instructions[at]; total_bytes += bytes[at] + header_bytes[at]
        count = split(mentions[at], parts, " ")
        for (i = 1; i <= count; i++)
            if ((parts[i] in seen_body) && !(parts[i] in is_reached)) { is_reached[parts[i]] = 1; queue[++last] = parts[i] }
    }
    print total "\t" total_bytes
}
