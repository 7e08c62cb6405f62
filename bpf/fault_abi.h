/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What fault.bpf.c and the daemon that loads it share. */
#ifndef DNSGAUGE_FAULT_ABI_H
#define DNSGAUGE_FAULT_ABI_H

#include "wire/fault.h"

#define FAULT_QUEUES_MAX 64 /* receive queues of an interface that are served */

/* Read-only data of the program, set before it is loaded. */
struct fault_config {
    struct fault_plan plan;
    /* If nonzero, answers that must wait go to the AF_XDP socket of their queue. If zero, the
     * queries for such answers go up the stack. */
    __u64 has_holder;
};

/* Per-CPU counters: one for each enum fault_kind, and FAULT_UNHELD, a fault that nobody asked for.
 */
enum fault_counter {
    FAULT_UNHELD = FAULTS, /* an answer that could not be held, and is lost */
    FAULT_COUNTERS
};

struct fault_counters {
    __u64 value[FAULT_COUNTERS];
};

/* The metadata in front of a frame that is held, for the owner of the AF_XDP socket. */
struct fault_held {
    __u64 due_ns; /* CLOCK_MONOTONIC */
    __u64 copies;
};

WIRE_ASSERT(sizeof(struct fault_plan) == 40 + 8 * FAULT_DELAYS * FAULT_QUANTILES,
            "layout differs between kernel and user space");
WIRE_ASSERT(sizeof(struct fault_held) == 16, "metadata is a multiple of four, at most 32");

#endif
