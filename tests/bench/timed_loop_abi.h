/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What timed_loop.h and program_cost.cpp share. */
#ifndef DNSGAUGE_TIMED_LOOP_ABI_H
#define DNSGAUGE_TIMED_LOOP_ABI_H

#include "reply_clock_abi.h"

#define COST_FRAME_MAX 256
#define COST_SLOT_BITS 16 /* a transaction ID for each slot, and one port */
#define COST_SLOTS (1 << COST_SLOT_BITS)

/* Read-only data of the loop. */
struct cost_setup {
    __u64 sum_without_id; /* of the reply's UDP datagram with a transaction ID of zero */
    __u32 frame_length;   /* before each turn */
    __u32 udp_offset;     /* of the UDP header in the frame */
    __u32 action;         /* the action that each turn must end with */
};

struct cost_result {
    __u32 wanted; /* turns to be made; set before each run */
    __u32 expected;
    __u64 turns; /* made */
    __u64 ns;    /* taken, by CLOCK_MONOTONIC */
};

#endif
