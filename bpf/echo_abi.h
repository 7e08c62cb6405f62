/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What echo.bpf.c and the daemon that loads it share. */
#ifndef DNSGAUGE_ECHO_ABI_H
#define DNSGAUGE_ECHO_ABI_H

#include <linux/types.h>

#define ECHO_QUEUES_MAX 64 /* receive queues of an interface that AF_XDP sockets serve */

/* Counters of each CPU, and of each worker. */
enum echo_counter {
    ECHO_SENT,    /* echoed */
    ECHO_IGNORED, /* too short for flags, itself a reply, or from port 0 */
    ECHO_UNSENT,  /* a reply that the kernel did not take */
    ECHO_COUNTERS
};

struct echo_counters {
    __u64 value[ECHO_COUNTERS];
};

#endif
