# How a results file's text and IR grow with the PTX: bytes of text (4 KB less, which every kernel has) for each of PTX, LLVM's
# instructions for each of PTX, and the kernels that stand more than three times above the line fitted to all,
# in which kernels weigh alike however long they are.
# SPDX-License-Identifier: Apache-2.0
function take(what, x, y) {
    n[what]++
    names[what, n[what]] = $1 (NF > 1 && $4 != "-" ? " (" $4 ")" : "")
    xs[what, n[what]] = x
    ys[what, n[what]] = y
    ratios[what, n[what]] = y / x
}
function sort_ratios(what,    i, j, held) {
    for (i = 2; i <= n[what]; i++) {
        held = ratios[what, i]
        for (j = i - 1; j > 0 && ratios[what, j] > held; j--) ratios[what, j + 1] = ratios[what, j]
        ratios[what, j + 1] = held
    }
}
function rank(what, part,    at) {
    at = int(n[what] * part + 0.999999)
    return ratios[what, at < 1 ? 1 : at]
}
function show(what, bar,    i, w, all, within, sx, sy, sxx, sxy, slope, start, fitted) {
    if (n[what] < 3) return
    for (i = 1; i <= n[what]; i++) {
        within += ratios[what, i] <= bar
        w = 1 / xs[what, i] ^ 2
        all += w
        sx += w * xs[what, i]; sy += w * ys[what, i]
        sxx += w * xs[what, i] ^ 2; sxy += w * xs[what, i] * ys[what, i]
    }
    slope = all * sxx - sx * sx
    if (slope == 0) return
    slope = (all * sxy - sx * sy) / slope
    start = (sy - slope * sx) / all
    sort_ratios(what)
    printf "%-44s median %6.1f  p90 %6.1f  max %6.1f  <= %d: %d of %d  line %.0f + %.1f x\n", what, rank(what, 0.5), \
        rank(what, 0.9), ratios[what, n[what]], bar, within, n[what], start, slope
    for (i = 1; i <= n[what]; i++) {
        fitted = start + slope * xs[what, i]
        if (fitted > 0 && ys[what, i] > 3 * fitted) printf "    %s: %d for %d\n", names[what, i], ys[what, i], xs[what, i]
    }
}
BEGIN { FS = "\t" }
/^#/ || $1 == "name" || ($2 != "kernel" && $2 != "part") { next }
$5 > 0 && $7 > 0 { take("bytes of text beyond 4 KB, a byte of PTX", $5, $7 > 4096 ? $7 - 4096 : 0) }
$6 > 0 && $8 > 0 { take("instructions of LLVM, one of PTX", $6, $8) }
END {
    show("bytes of text beyond 4 KB, a byte of PTX", 6)
    show("instructions of LLVM, one of PTX", 12)
}
