/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What fakedns.bpf.c and the daemon that loads it share. */
#ifndef DNSGAUGE_FAKEDNS_ABI_H
#define DNSGAUGE_FAKEDNS_ABI_H

#include "wire/answer.h"

/* Read-only data of the program, set before it is loaded. */
struct fakedns_config {
    struct answer_zone zone;
    __u16 port; /* UDP port that is answered, host order */
};

/* Per-CPU counters: one per kind of answer (enum answer_kind), and what went up the stack. */
enum fakedns_counter {
    FAKEDNS_PASSED = ANSWER_KINDS, /* not a UDP datagram to our port in one plain packet */
    FAKEDNS_PASSED_FRAGMENT,       /* a fragment: whose, only the stack can tell */
    FAKEDNS_PASSED_NO_ROOM,        /* the driver has no room for a longer answer */
    FAKEDNS_COUNTERS
};

struct fakedns_counters {
    __u64 value[FAKEDNS_COUNTERS];
};

WIRE_ASSERT(sizeof(struct answer_zone) == 120, "layout differs between kernel and user space");
WIRE_ASSERT(sizeof(struct fakedns_config) == 124, "layout differs between kernel and user space");

#endif
