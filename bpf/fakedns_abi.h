/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What fakedns.bpf.c and the daemon that loads it share. */
#ifndef DNSGAUGE_FAKEDNS_ABI_H
#define DNSGAUGE_FAKEDNS_ABI_H

#include "wire/answer.h"
#include "wire/log_histogram.h"
#include "wire/token_bucket.h"

/* Read-only data of the program, set before it is loaded. */
struct fakedns_config {
    struct answer_zones zones;
    __u32 time_every;       /* one answer in `time_every` is timed; with 0 no answer */
    __u64 rate_interval_ns; /* between answers to one client's network; 0 for no limit */
    __u16 port;             /* UDP port that is answered, host order */
};

#define FAKEDNS_NETWORKS 65536 /* with a bucket in the map; the least recently used go first */

/* Per CPU: the time that answered packets spent in the program. */
struct fakedns_times {
    __u64 began_ns; /* when the present packet came in; 0 if it is not timed */
    __u32 skipped;  /* answers since the last timed one */
    __u64 sum_ns;
    __u64 count[LOG_HISTOGRAM_BUCKETS];
};

/* Counters: each kind of answer (enum answer_kind), and packets that went up the stack. */
enum fakedns_counter {
    FAKEDNS_PASSED = ANSWER_KINDS, /* anything but a UDP datagram to the port in one plain packet */
    FAKEDNS_PASSED_FRAGMENT,       /* a fragment: only the stack knows its datagram */
    FAKEDNS_PASSED_NO_ROOM,        /* the driver has no room for a longer answer */
    FAKEDNS_LIMITED,               /* dropped: its network has had all its answers of this second */
    FAKEDNS_COUNTERS
};

/* Counters by the type asked for. A message that is no query, or cannot be read, counts as
 * other. */
enum fakedns_type { FAKEDNS_TYPE_A, FAKEDNS_TYPE_AAAA, FAKEDNS_TYPE_OTHER, FAKEDNS_TYPES };

/* Counters by receive queue: each CPU has a value for each queue. The last value also counts all
 * further queues. */
#define FAKEDNS_QUEUES 64

struct fakedns_counters {
    __u64 value[FAKEDNS_TYPES][FAKEDNS_COUNTERS];
};

/* Returns the counter of the answer `kind` to a query for `type`. */
WIRE_FN __u32 fakedns_type_of(enum answer_kind kind, __u16 type)
{
    if (!answer_has_question(kind))
        return FAKEDNS_TYPE_OTHER;
    if (type == DNS_TYPE_AAAA)
        return FAKEDNS_TYPE_AAAA;
    return type == DNS_TYPE_A ? FAKEDNS_TYPE_A : FAKEDNS_TYPE_OTHER;
}

WIRE_ASSERT(sizeof(struct answer_zone) == 120, "layout differs between kernel and user space");
WIRE_ASSERT(sizeof(struct fakedns_config) == 984, "layout differs between kernel and user space");

#endif
