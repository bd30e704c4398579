# Medians and the like of a results file: CPU seconds that kernels cost by themselves (clem, front end, back end; of native ones
# the process without clem's own programs), by form.
# SPDX-License-Identifier: Apache-2.0
function cost(   sum) {
    if ($3 ~ /^>/) return limit_of()
    return ($4 == "native" || $4 == "both") && $14 != "-" ? $14 - $13 : $10 + $11 + $12
}
function limit_of(   words, count) { count = split($3, words, " "); return words[2] + 0 }
function take(group, value) {
    n[group]++
    for (j = n[group]; j > 1 && x[group, j - 1] > value; j--) x[group, j] = x[group, j - 1]
    x[group, j] = value
    sum[group] += value
    if ($3 ~ /^>/) ended[group]++
}
function rank(group, part,   at) {
    at = int(n[group] * part + 0.999999)
    return x[group, at < 1 ? 1 : at]
}
BEGIN { FS = "\t" }
/^#/ || $1 == "name" { next }
$2 == "kernel" { take("kernels", cost()); take("kernels, " ($4 == "-" ? "form not known" : $4), cost()) }
$2 == "part" && $3 !~ /^>/ { take("of CUB and Thrust, " $4, cost()) }
END {
    for (group in n)
        printf "%-28s %3d  median %7.2f  p90 %7.2f  max %7.2f  sum %8.2f  over the limit %d\n", group, n[group], rank(group, 0.5), \
            rank(group, 0.9), x[group, n[group]], sum[group], ended[group] | "sort"
}
