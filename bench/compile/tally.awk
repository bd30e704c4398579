# What the meter's lines come to (meter.c, cold.c); -v threads=X,Y,Z is the block that was launched, or "-".
#   translated NAME TEXT-BYTES FRONT-SECONDS BACK-SECONDS FORM   for each kernel of PTX; BACK "-": it did not get so far
#   own SECONDS      programs that are clem's own        clem SECONDS   after the device was open, but for all builds
#   stuck WHERE      in which part the process was when it ended
# SPDX-License-Identifier: Apache-2.0
BEGIN { FS = OFS = "\t"; stuck = "open" }
$1 == "source" || $1 == "binary" { id[$2] = ++programs; text[programs] = $3; stuck = "front" }
$1 == "build" { front[id[$2]] += $3; metered += $3; stuck = "clem" }
$1 == "kernel" {
    program = id[$2]
    if (is_named[program, $3]++) next
    if ($3 !~ /^kernel_/) { is_own[program] = 1; next }
    stuck = "back"
    if (!($3 in place)) { name[++kernels] = $3; place[$3] = kernels; back[kernels] = form[kernels] = "-" }
    at = place[$3]
    if (!is_counted[program]++) { bytes[at] += text[program]; seconds[at] += front[program] }
}
$1 == "launch" {
    metered += $5
    if ($3 in place) { at = place[$3]; back[at] += $5; form[at] = $4 == "1,1,1" && threads != 1 ? "block" : "item" }
    else own += $5
    stuck = "clem"
}
$1 == "opened" { opened = $2; metered = 0 }
$1 == "ran" { clem = $2 - opened - metered; stuck = "end" }
END {
    for (i = 1; i <= kernels; i++)
        print "translated", name[i], bytes[i] + 0, seconds[i] + 0, back[i], form[i]
    for (i = 1; i <= programs; i++)
        if (is_own[i]) own += front[i]
    print "own", own + 0
    print "clem", clem == "" ? "-" : sprintf("%.3f", clem)
    for (i = 1; i <= kernels; i++) # one whose first launch has not ended
        if (stuck == "clem" && back[i] == "-") stuck = "back"
    print "stuck", stuck
}
