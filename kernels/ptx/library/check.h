/* What a kernel that is checked tells the host: each access calls a function of the host's, which is given a struct
 * clem_check_call. Read by C and by OpenCL C, for CPUs whose kernels run in the host's process.
 *
 *   ulong clem_check(ulong launch, ulong what, ulong site, ulong address, ulong thread, ulong block,
 *                    ulong shared, ulong stack, ulong value, ulong more)
 *                    the address that the access is to be made at: what the host answers
 *   ulong clem_check_values(the same, ulong registers, ulong others, ulong base)
 *                    likewise where values that nobody wrote are followed
 *   clem_checked_malloc(), clem_checked_aligned_malloc(), clem_checked_free()   what they are called after, told of
 *   bool  CLEM_FOLLOWS(ulong launch)   whether there are such values
 *
 * C has uint and ulong from <sys/types.h>.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_LIBRARY_CHECK_H
#define CLEM_LIBRARY_CHECK_H

/* What is looked at without a call: the fast ways of check.cl. Whatever is not found right there is told, and the host decides. A
 * text that was built for other meanings of these must not run: the number is part of the text, by which programs are kept. */
#define CLEM_CHECK_VERSION 14

/* Memory that was accessed before. */
struct clem_check_memory {
    ulong base;  /* its address, a multiple of 16 */
    ulong bytes; /* that may be accessed; 0: none without a call */
    ulong
        written; /* where a byte for each is, CLEM_CHECK_WRITTEN where something was written; 0: all was */
    ulong still; /* address of a struct clem_check_still, or 0 */
};

/* Of memory that no store of a launch goes to: which of its words of 4 bytes that launch has read, and was right to. One more read
 * of those is nothing new. */
struct clem_check_still {
    ulong times; /* struct clem_check_launch's still_times then; otherwise nothing is known */
    ulong
        bytes; /* that follow, of a bit for each word; then one for each CLEM_CHECK_STILL_PART of those: what there is of it; */
    ulong
        each; /* then a bit for each byte, of words that were read in parts: how far behind the struct */
    /* Its log: reads that no row of cells has yet (CLEM_READ_WORDS), of launches that all was ordered before which came before them. */
    ulong log, log_count, log_room; /* address; words of 8 bytes */
    uint clear, alone; /* of the first of these launches, as of struct clem_race_look */
    uint latest;       /* the time of the last read */
    uint unused;
    ulong
        previous; /* address of another one, of launches that read there before; 0: there is none */
    ulong memory, next, packed; /* the host's */
};

/* A read in a log: the first word is an address, the second the word and the time of a slot, of lane 0 and without bytes, the third the
 * lanes, with the bytes of each, how they lie, and how many places of a list follow above. */
#define CLEM_READ_WORDS 3
#define CLEM_READ_LINE  0u /* side by side, the address: of lane 0, whether it is there or not */
#define CLEM_READ_PLACE 1u /* all at the address */
/* Each so far behind the address as says one of the halves of the words that follow, the lower one first: of the lanes that are there. */
#define CLEM_READ_LIST 2u
#define CLEM_READ_NEXT                                                                             \
    3u /* none: the next ones are of another launch, whose `clear` and `alone` are the first word's halves */
#define CLEM_READ_LANES(lanes, bytes, how, places)                                                 \
    ((ulong)(lanes) | (ulong)(bytes) << 32 | (ulong)(how) << 40 | (ulong)(places) << 48)
#define CLEM_READ_LANE_BYTES(word) ((word) >> 32 & 0xff)
#define CLEM_READ_HOW(word)        ((word) >> 40 & 0xff)
#define CLEM_READ_PLACES(word)     ((word) >> 48) /* of a list */
#define CLEM_READ_SIZE(word)       (CLEM_READ_WORDS + (CLEM_READ_PLACES(word) + 1) / 2)
#define CLEM_READ_MOST             (CLEM_READ_WORDS + 16)
#define CLEM_CHECK_STILL_PART      512
#define CLEM_CHECK_STILL_WORDS     1                    /* bits of words */
#define CLEM_CHECK_STILL_BYTES     2                    /* bits of bytes, besides */
#define CLEM_CHECK_WRITTEN         0x0101010101010101ul /* of 8 bytes */
#define CLEM_CHECK_PAGE_BITS       12
#define CLEM_CHECK_PAGES           256
#define CLEM_CHECK_PLACE(address)  ((address) >> CLEM_CHECK_PAGE_BITS & (CLEM_CHECK_PAGES - 1))

#define CLEM_RACE_REPORTED 256
#define CLEM_CHECK_STORED  8
#define CLEM_CHECK_STILL   64
#define CLEM_CHECK_TOUCHED 8

/* The start of what the host has for a launch; its address is the kernel's argument. */
struct clem_check_launch {
    ulong function; /* ulong function(const struct clem_check_call *) */
    ulong
        followed; /* registers that have values which nobody wrote; while there are any, the next have nothing */
    ulong
        memory; /* CLEM_CHECK_PAGES addresses of struct clem_check_memory, by CLEM_CHECK_PLACE() */
    ulong
        access; /* ulong access(launch, what, site, address, thread, block): a plain load or store that is right as far as memory
                     * and init go; 0: it has to be told of by the other function */
    ulong shared_bytes,
        local_bytes; /* bytes of a block's shared and a thread's local memory that may be accessed */
    ulong gate;      /* address of a struct clem_race_gate; 0: each access is told */
    ulong is_busy;   /* an access is at hand, if the launch is the sole one */
    ulong put_off;   /* address of a uint; while it is not 0, each access is told */
    /* What of global memory is told each time, as long as the gate's `change` is this. */
    ulong touched_change, touched_low, touched_high;
    ulong reported_count; /* grows with the next */
    ulong reported
        [CLEM_RACE_REPORTED]; /* races of global memory: CLEM_RACE_PAIR() at CLEM_RACE_PAIR_PLACE(), or 0 */
    /* Memory that is still, while the launch is the sole one. The host's functions: of the memory that has an address, that of a
     * struct clem_check_memory, or 0; whether such a one may be still from now on (its address, still_times); whether its log has room
     * for one more read; and all logs' reads go where others are. */
    ulong find, keep, room, settle;
    /* The host's, or 0: bool meets(launch, block, uint live): all that the block's threads meet at a barrier is done; bool
     * warp_meets(launch, block, uint warp): likewise that all of a warp of 32 lanes do. false: that is told by the other function. */
    ulong meets, warp_meets;
    ulong none;                       /* address of a struct clem_check_memory that has nothing */
    ulong still_times;                /* changes whenever the launch becomes the sole one */
    ulong stored_times, stored_count; /* since then the next are known, */
    ulong stored[CLEM_CHECK_STORED];  /* the memory that it writes; more than that: all */
    ulong still
        [CLEM_CHECK_STILL]; /* of accesses, by their numbers: the memory that each read last; it has `still` */
    /* Where between touched_low and touched_high it is, each from .. up to ..; 0 and 0 behind the last. */
    ulong touched[CLEM_CHECK_TOUCHED][2];
    ulong course; /* among those of the process's launches, once a block has begun (host/phase.h) */
};

/* ---- Races that kernels look for themselves (cl/race/) ---- */

/* Of each 4 bytes, CLEM_RACE_SLOTS accesses: the time in the lower half, this in the upper. The first is none older than the others,
 * so that there are none where it is old; it lies apart from the others, which are seldom looked at, and says what they are. */
#define CLEM_RACE_SLOTS    4
#define CLEM_RACE_THREAD   0x3ffu
#define CLEM_RACE_BYTES_AT 10
#define CLEM_RACE_BYTES    (0xfu << CLEM_RACE_BYTES_AT)
#define CLEM_RACE_WRITES   (1u << 14)
#define CLEM_RACE_STRONG   (1u << 15)
#define CLEM_RACE_NARROW   (1u << 16)
#define CLEM_RACE_SAME     (1u << 17) /* of global memory: it was there before */
#define CLEM_RACE_STATE_AT 18
#define CLEM_RACE_SITE_AT  20
/* Of the first, what the others are. */
#define CLEM_RACE_STATE (3u << CLEM_RACE_STATE_AT)
#define CLEM_RACE_ANY   (0u << CLEM_RACE_STATE_AT)
#define CLEM_RACE_ALONE (1u << CLEM_RACE_STATE_AT) /* there are none */
/* It reads, plainly, and so does another that is as new; if its block reads the same bytes then, that is a race with none. */
#define CLEM_RACE_MORE (2u << CLEM_RACE_STATE_AT)
/* Besides: all that there may be do so, of whatever warps. SAME means nothing of what reads. */
#define CLEM_RACE_FULL CLEM_RACE_SAME
/* It reads, plainly; they are of the same bytes, and its launch is ordered behind them. */
#define CLEM_RACE_BEHIND (3u << CLEM_RACE_STATE_AT)

/* Where this is the time of the first slot of 32 cells, at a multiple of so many, there is something else in place of them (rows.h):
 * the host knows. */
#define CLEM_RACE_ROW       0xfffffffful
#define CLEM_RACE_ROW_CELLS 32

/* Two accesses that race, of other threads: what a report says of them but where and when. Words: as of slots, with the
 * numbers of their sites, of which none may be 0; kind: enum ocl_race_kind (cl/race/race.h). */
#define CLEM_RACE_PAIR(now, before, kind)                                                          \
    ((ulong)((now) >> CLEM_RACE_SITE_AT) << 32 | (ulong)((before) >> CLEM_RACE_SITE_AT) << 4 |     \
     (kind) | 8u)
#define CLEM_RACE_PAIR_PLACE(pair) (((pair) >> 32) * 31 + ((pair) >> 4)) % CLEM_RACE_REPORTED

/* They lie in pages: the first ones of all cells, then the others, cell by cell. */
#define CLEM_RACE_PAGE_BITS  12 /* of memory's bytes */
#define CLEM_RACE_PAGE_BYTES (1ul << CLEM_RACE_PAGE_BITS)
#define CLEM_RACE_PAGES      1024
#define CLEM_RACE_SITES      256

struct clem_race_page {
    ulong number; /* of the first address */
    ulong cells;  /* 0: there are none yet */
};

struct clem_race_site {
    ulong site;
    ulong bits; /* of a slot's word */
};

/* What is known of the block that runs. Times: what was done until then is ordered before what the block does now. */
struct clem_race_look {
    ulong block;                      /* its number; all ones: none */
    ulong shared_pages, shared_count; /* of its shared memory: addresses of cells, or 0 */
    uint time;
    uint old;     /* of global memory: what was done until then concerns nobody any more */
    uint clear;   /* likewise this block's launch */
    uint barrier; /* since which its threads have not met; likewise, of what the block did */
    uint begin;   /* since which it runs */
    uint turn;    /* since which no other did */
    uint relaxed; /* 1: no thread had a fence, nothing was released, and nothing is in doubt */
    uint alone; /* since which only blocks of its launch have run, one after the other has ended */
    uint is_clear; /* 1: all that came before that is ordered before its launch */
    uint unused;
    /* Found last, by the lowest bits of the number and of the site. */
    struct clem_race_page pages[CLEM_RACE_PAGES];
    struct clem_race_site sites[CLEM_RACE_SITES];
};

/* Whoever looks says so before and after, and looks only while the launch is the sole one. */
struct clem_race_gate {
    ulong sole; /* address of a struct clem_check_launch, or 0 */
    ulong look; /* of a struct clem_race_look */
    ulong
        change; /* of a ulong, struct clem_check_launch's touched_change; 0 there: nothing is touched */
};

struct clem_check_call {
    ulong launch; /* address of a struct clem_check_launch */
    ulong what;   /* CLEM_CHECK_WHAT(): the kind of access, and of what */
    ulong site;   /* line of PTX, with the location's number (ptx_module_place()) above */
    ulong
        address; /* of memory: generic, or an offset in shared memory; an address of the host's of .local */
    ulong thread; /* its number in its block; CLEM_CHECK_ALL: all of them */
    ulong block;  /* its number in the grid */
    ulong shared; /* where the block's shared memory is; 0: it is not accessed */
    ulong stack;  /* likewise the thread's local memory */
    ulong value;  /* stored, where it has up to 8 bytes */
    ulong more;   /* see the kinds */
    /* Names of up to four registers, two in each: LOAD: what is loaded goes to; STORE, ATOMIC, FLOW: values come from. Of those
     * three, with a name, `more` has CLEM_CHECK_VALUES(). */
    ulong registers, others;
    ulong
        base; /* the register that the address comes from; FLOW: that the value goes to, with CLEM_CHECK_MIX and the like above */
};

/* What is followed: a register's name is its number in its function, with that function's number from 1 on above
 * CLEM_CHECK_REGISTER_BITS; 0 is none. */
#define CLEM_CHECK_REGISTER_BITS 20

/* How many values an access has, side by side; of a load: bytes of each register, and whether a sign fills it up. */
#define CLEM_CHECK_VALUES(count, bytes, is_signed) ((count) | (bytes) << 8 | (is_signed) << 16)

/* How a register's value comes from others', of CLEM_CHECK_FLOW: which of their bytes it has. */
#define CLEM_CHECK_MIX   0u /* all from all */
#define CLEM_CHECK_MOVE  1u /* as they are, or cut */
#define CLEM_CHECK_BITS  2u /* bit by bit */
#define CLEM_CHECK_MASK  3u /* and with `value` */
#define CLEM_CHECK_LEFT  4u /* moved up by `value` bits */
#define CLEM_CHECK_RIGHT 5u /* moved down by `value` bits */
#define CLEM_CHECK_PACK  6u /* side by side, of `value` bytes each */
#define CLEM_CHECK_EXTEND                                                                          \
    7u /* the lowest `value` & 0xff bytes, with their sign above where 256 is in it */
#define CLEM_CHECK_SIGNED 8u /* moved down by `value` bits, with the sign above */
/* bfe: `value` & 0xff is the first bit, the next byte how many there are, 1 << 16 stands for the sign above. bfi: likewise, of the
 * first source into the second. */
#define CLEM_CHECK_EXTRACT 9u
#define CLEM_CHECK_INSERT  10u
#define CLEM_CHECK_PERMUTE 11u /* bytes of two, by prmt's selector `value` */
#define CLEM_CHECK_FUNNEL  12u /* the second above the first, moved down by `value` bits */
#define CLEM_CHECK_JOIN    13u /* or */
#define CLEM_CHECK_CHOOSE  14u /* the first, as the second says */
#define CLEM_CHECK_BOTH    15u /* where either alone would decide */

/* How far behind a byte of local memory lies what stands for it, where init is checked and a thread has so many. */
#define CLEM_CHECK_LOCAL_SHADOW(bytes) (((bytes) + 15) / 16 * 16)

#define CLEM_CHECK_ALL 0xfffffffful

#define CLEM_CHECK_LOAD   0u
#define CLEM_CHECK_STORE  1u
#define CLEM_CHECK_ATOMIC 2u
#define CLEM_CHECK_FENCE  3u
/* TEXTURE: a fetch from linear memory, address: of the element; value: how many there are. SURFACE: an access that must not be
 * beyond, address: -1 where it is; value: x in bytes, with y above; more: 1 for a store. */
#define CLEM_CHECK_TEXTURE 4u
#define CLEM_CHECK_SURFACE 5u
/* ALL: threads in step have come, value: how many; else one arrives at barrier `address`. */
#define CLEM_CHECK_BARRIER 6u
/* thread: a lane; address: lanes that live; value: those that are here; more: its mask. */
#define CLEM_CHECK_WARP   7u
#define CLEM_CHECK_BEGIN  8u  /* of a block */
#define CLEM_CHECK_END    9u  /* of a block */
#define CLEM_CHECK_MALLOC 10u /* address: what was given, 0 for none; value: bytes */
#define CLEM_CHECK_FREE   11u /* the answer is what is to be freed, or 0 */
#define CLEM_CHECK_GROUP                                                                           \
    12u /* copies are a group, address: 0; those but of the last `value` groups are complete: 1; all are: 2; more: 1 bulk copies, 2 what they read */
#define CLEM_CHECK_OWN  13u /* memory that accesses may reach: address; value: bytes; more: number */
#define CLEM_CHECK_FLOW 14u /* of values: bytes of the register; value: see CLEM_CHECK_MASK */
/* Several of those. address: text, in which each is numbers in hex, a comma behind each: site, flags, bytes, name that the value
 * goes to, how, value, four names that it comes from. */
#define CLEM_CHECK_FLOWS 21u
/* Lanes give values to each other. thread: the first lane's; address: text as above, of bytes, the names that values go to, one by
 * one and as a whole, the name that they come from, and of what tells whose a lane takes; value: address of a uint for each lane,
 * whose value it takes, or (more, above the lanes that are here: 1 << 32) a mask of those that matter to it; 0: all threads of the
 * block matter to each. */
#define CLEM_CHECK_EXCHANGE 22u
#define CLEM_CHECK_SHADOW                                                                          \
    20u /* the answer is where shared memory at `address` has its bytes as in struct clem_check_memory, or 0 */
#define CLEM_CHECK_TRAP 15u /* a thread ends a kernel that has barriers of the grid */
/* Threads that are not in step have gone as far as they can. address: their states (block.cl), value: what they wait for, more:
 * the threads that have arrived at each barrier; shared: the site of each region's first instruction. */
#define CLEM_CHECK_ROUND 16u
/* A thread launches a kernel: the answer, not 0, stands for what it knows then, and the kernel begins with. */
#define CLEM_CHECK_LAUNCH 24u

/* Spaces; global takes in constants and all generic addresses that are neither shared nor local. */
#define CLEM_CHECK_GENERIC 0u
#define CLEM_CHECK_GLOBAL  1u
#define CLEM_CHECK_SHARED  2u
#define CLEM_CHECK_LOCAL   3u
#define CLEM_CHECK_PARAM   4u

#define CLEM_CHECK_VOLATILE 1u
#define CLEM_CHECK_COPIES                                                                          \
    2u /* STORE: from `value`, of which `more` bytes; registers: its space, in place of names */
#define CLEM_CHECK_DECIDES  4u  /* FLOW: where the thread goes on */
#define CLEM_CHECK_BULK     4u  /* with ASYNC: of a bulk copy, which has groups of its own */
#define CLEM_CHECK_MBARRIER 16u /* of a barrier in shared memory, or its upper half */
#define CLEM_CHECK_VALUE    8u  /* STORE: `value` is what is stored */
#define CLEM_CHECK_SAME     64u /* STORE: it is there already */
#define CLEM_CHECK_KNOWN                                                                           \
    128u /* LOAD, STORE: of a surface, within its bounds; of a texture where `value` is 1, whose texel is decoded, or 2: one of several */
#define CLEM_CHECK_ASYNC                                                                           \
    32u /* LOAD, STORE: of a copy that is made until the thread has waited for its group */

/* Bits: 0 kind, 8 space, 16 order, 20 scope (enum ptx_order, ptx_scope), 24 flags, 32 bytes. */
#define CLEM_CHECK_KIND(what)  ((uint)(what)&0xffu)
#define CLEM_CHECK_SPACE(what) ((uint)((what) >> 8) & 0xffu)
#define CLEM_CHECK_ORDER(what) ((uint)((what) >> 16) & 0xfu)
#define CLEM_CHECK_SCOPE(what) ((uint)((what) >> 20) & 0xfu)
#define CLEM_CHECK_FLAGS(what) ((uint)((what) >> 24) & 0xffu)
#define CLEM_CHECK_BYTES(what) ((uint)((what) >> 32))

#endif
