# Pads the columns of a table, separated by tabs, to their widest value. column(1) is not on every machine.
# SPDX-License-Identifier: Apache-2.0
BEGIN { FS = "\t" }
{
    rows = NR
    for (i = 1; i <= NF; i++) {
        value[NR, i] = $i
        if (length($i) > width[i]) width[i] = length($i)
    }
    fields[NR] = NF
}
END {
    for (row = 1; row <= rows; row++) {
        line = ""
        for (i = 1; i < fields[row]; i++) line = line sprintf("%-*s  ", width[i], value[row, i])
        print line value[row, fields[row]]
    }
}
