#!/usr/bin/env bash
# Files that call each other in a circle are read together or not at all: those that do are listed here, with the reason.
# Rooms (rooms.txt) do not: each calls only itself and those below it.
# cycles.sh FOLDER OBJECT...
# SPDX-License-Identifier: Apache-2.0
set -eu
folder=$1
shift
allowed="
bench pattern texture_shape: texels are filled by the pattern, which texels have another form of
cl command gate queue_entrance queue_order queue_work: a command waits for others, and such a wait is a command
cl image_facts image_test: what is known of images is found out with one
cl kernel_info kernel_size: sizes of types are told by a kernel
cl managed_fault managed_pages managed_traffic: a page that is touched moves, and moves wait for commands
cl address fixed_memory memory ordered_pool ordered_reuse twin: what is short of memory takes it from pools, which keep allocations; parts of blocks are found through those
cl ptx_ahead ptx_apart: a kernel that is needed begins with those that may be next, which are compiled as it is
cl ptx_binary ptx_kernel ptx_target: whether the driver takes PTX as it is, a kernel tells
cl queue_life queue_list: a queue that goes leaves the lists, whose walks hold queues
cl transfer_later transfer_peer transfer_rect transfer_run: a copy whose turn comes later is carried out as others are
facade error_map runtime: what an error means depends on the context, whose opening may fail
facade copy_description copy_request memory_set memory_work: a copy or fill in a stream that captures is a node, which copies or fills
facade conditional graph user_object: conditional nodes have graphs, which have nodes and hold user objects
facade event stream stream_work: events wait in streams, and streams for events; in a capture both are nodes
facade graph_block memory_pool: in a stream that captures, what a pool would do is a node, whose memory is described as pools are
facade handles thread_state: a thread remembers handles that it has found
facade launch launch_work occupancy registration: a kernel's stub is registered, and configurations of launches are kept with it; captured launches are nodes; a cooperative launch has as many blocks as fit, which is asked of functions
facade library module: a library has a module in each context
kernels/ptx lines native_special native_value: special registers and lines are operands, and made of others
"
rooms=$(sed -n "s,^$folder: *,,p" "$(dirname "$0")/rooms.txt")
nm -A -g "$@" 2>/dev/null | awk -v allowed="$allowed" -v folder="$folder" -v rooms="$rooms" '
BEGIN { count = split(rooms, name, " "); for (i = 1; i <= count; i++) rank[name[i]] = i }
{
    file = $1; sub(/:.*/, "", file); room = file
    sub(/.*\//, "", file); sub(/\.c\.o$/, "", file)
    files[file] = 1
    sub(/.*\.dir\/(\.\/)?/, "", room); sub(/\/.*/, "", room)
    height[file] = room in rank ? rank[room] : 1000
    symbol = $NF; kind = $(NF - 1)
    if (kind == "U") uses[file, symbol] = 1
    else if (kind ~ /^[TDBRVW]$/ && !(symbol in home)) home[symbol] = file
}
END {
    for (use in uses) {
        split(use, part, SUBSEP)
        if (part[2] in home && home[part[2]] != part[1]) {
            reach[part[1], home[part[2]]] = 1
            if (height[home[part[2]]] > height[part[1]]) {
                print folder ": " part[1] " calls " part[2] "() of " home[part[2]] ", which stands in a room above it"
                bad = 1
            }
        }
    }
    for (middle in files)
        for (from in files)
            if ((from, middle) in reach)
                for (to in files)
                    if ((middle, to) in reach) reach[from, to] = 1
    count = split(allowed, lines, "\n")
    for (i = 1; i <= count; i++) {
        names = lines[i]; sub(/:.*/, "", names)
        n = split(names, name, " ")
        for (a = 2; a <= n && name[1] == folder; a++) group[name[a]] = i
    }
    for (from in files) {
        total++
        in_circle = 0
        for (to in files)
            if (to != from && (from, to) in reach && (to, from) in reach) {
                in_circle = 1
                if (!(from in group) || group[from] != group[to]) {
                    if (from < to) print folder ": " from " and " to " call each other, perhaps by way of others"
                    bad = 1
                }
            }
        if ((from in group) && !in_circle) { print folder ": " from " calls nothing that calls it any more"; bad = 1 }
    }
    if (total < 50) { print "only " total + 0 " objects are looked at"; bad = 1 }
    exit bad
}'
