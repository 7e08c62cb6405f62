/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What arrival_clock.bpf.c and the calibration share: configuration, arrivals, counters. */
#ifndef DNSGAUGE_ARRIVAL_CLOCK_ABI_H
#define DNSGAUGE_ARRIVAL_CLOCK_ABI_H

#include "wire/bytes.h"

/* Read-only data of the program, set before it is loaded. */
struct arrival_clock_config {
    __u32 first; /* number of the first name asked for */
    __u32 port;  /* UDP port of the queries, host order */
};

/* Per-CPU counters. */
struct arrival_totals {
    __u64 arrived;
    __u64 repeated; /* further queries for the same names; the first time stays */
    __u64 strange;  /* other packets to the port, which pass to the stack */
};

#endif
