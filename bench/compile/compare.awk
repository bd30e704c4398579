# Two results files, old and new: ratios of CPU seconds of processes, new by old, for each row that both have, and of all. A row over its
# limit counts as the limit, and is marked.
# SPDX-License-Identifier: Apache-2.0
function cost(   words) {
    if ($3 ~ /^>/) { split($3, words, " "); return words[2] + 0 }
    if ($2 == "part") return $10 + $11 + $12
    return $2 == "kernel" || $2 == "large" ? total() - $13 : total()
}
# Of kernels without what clem's own programs cost: of native ones the compiler is another process, which only the total knows.
function total() {
    return $14 == "-" ? $16 + 0 : $14 + 0
}
BEGIN { FS = "\t" }
/^#/ || $1 == "name" { next }
FILENAME == ARGV[1] { before[$1] = cost(); state[$1] = $3; next }
!($1 in before) { next }
{
    now = cost()
    mark = state[$1] ~ /^>/ || $3 ~ /^>/ ? " (limit)" : ""
    if (before[$1] <= 0 || now <= 0) next
    printf "%-40s %8.3f -> %8.3f  %6.3f%s\n", substr($1, 1, 40), before[$1], now, now / before[$1], mark
    if ($2 == "kernel" || $2 == "program") {
        n[$2]++; old_sum[$2] += before[$1]; new_sum[$2] += now; logs[$2] += log(now / before[$1])
        if (now / before[$1] > worst[$2]) { worst[$2] = now / before[$1]; worst_name[$2] = $1 }
    }
}
END {
    for (kind in n)
        printf "%d %ss: total %.2f -> %.2f, ratio %.3f; geometric mean %.3f; worst %.3f (%s)\n", n[kind], kind, old_sum[kind], \
            new_sum[kind], new_sum[kind] / old_sum[kind], exp(logs[kind] / n[kind]), worst[kind], worst_name[kind]
}
