/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What probe.bpf.c and user space share: configuration, counters, and the stages of queries. */
#ifndef DNSGAUGE_PROBE_ABI_H
#define DNSGAUGE_PROBE_ABI_H

#include "wire/bytes.h"
#include "wire/log_histogram.h"
#include "wire/packet.h"

#define PROBE_BUCKETS (1U << 16) /* of the table of open queries, one for each ID */
#define PROBE_WAYS 4             /* queries in a bucket */
#define PROBE_ALL 65536U         /* the share of all queries */
#define PROBE_REASONS 256        /* reasons for drops; the last one counts all beyond */
#define PROBE_THREADS 1024U
#define PROBE_SOCKETS 1024U
#define PROBE_LOG (1U << 24) /* octets of a log's ring */
#define PROBE_QUESTIONS 65536U
#define PROBE_XDP_PLACES 4U
#define PROBE_SIGHTS (1U << 16) /* between interface and stack; a power of two */
#define PROBE_UNTOLD (~0U)      /* no time */
#define PROBE_RANGE 8U          /* buckets of a histogram that are one range: 16 ranges an octave */
#define PROBE_RANGES (LOG_HISTOGRAM_BUCKETS / PROBE_RANGE)

/* The stages of a query that the server answered, in their order; then other times. */
enum probe_stage {
    PROBE_STACK,  /* from the stack's first sight to the socket's queue, or a part of PROBE_QUEUE */
    PROBE_QUEUE,  /* from the socket's queue to the server's read, without the wake-up */
    PROBE_WAKEUP, /* the time between them in which the reading thread was ready and had no CPU */
    PROBE_SERVER, /* from the read to the reply's arrival at the interface's queue */
    PROBE_LEAVE,  /* from the interface's queue to the driver, or a part of PROBE_SERVER */
    PROBE_ALONE,  /* PROBE_SERVER of a query during which no answer came from other servers */
    PROBE_OTHERS, /* from a question to another server until its answer's arrival */
    PROBE_WIRE,   /* from an XDP program's first sight to the stack's, for queries that arrived */
    PROBE_STAGES,
};

enum probe_counter {
    PROBE_ARRIVED,     /* queries that the stack saw, or an XDP program dropped before */
    PROBE_FOLLOWED,    /* queries of PROBE_ARRIVED that the share chose */
    PROBE_REPEATED,    /* followed queries that came again before they were read */
    PROBE_FORGOTTEN,   /* followed queries that lost their place before they were read */
    PROBE_READ,        /* followed queries that a server read */
    PROBE_LEFT,        /* followed queries whose reply reached the driver */
    PROBE_UNSEEN,      /* queries of PROBE_LEFT that no system call was seen to receive */
    PROBE_TOO_LATE,    /* of PROBE_LEFT, queries whose reply left after probe_config.patience_ns */
    PROBE_UNREADABLE,  /* packets whose headers are not in the linear part of their buffer */
    PROBE_TAKEN,       /* packets that an XDP program gave to AF_XDP sockets */
    PROBE_REFUSED,     /* packets for which those sockets had no room */
    PROBE_XDP_SENT,    /* packets that XDP programs sent through the interface */
    PROBE_XDP_DROPPED, /* packets that XDP programs sent and that were dropped on the way out */
    PROBE_UNLOGGED,    /* queries for which the log had no room */
    PROBE_SIGHTED,     /* queries that the probe's XDP program saw */
    PROBE_ASKED,       /* followed questions of the server's processes to other servers */
    PROBE_COUNTERS,
};

/* Addresses of the kernel's code. */
struct probe_range {
    __u64 from;
    __u64 until;
};

struct probe_config {
    /* Functions that drop packets where an XDP program says so, and name no reason. */
    struct probe_range xdp_places[PROBE_XDP_PLACES];
    /* The log has each query whose reply took at least this long to leave. With 0 it also has
     * queries whose reply did not leave. With ~0ULL there is no log. */
    __u64 log_least_ns;
    __u64 patience_ns;       /* a reply that takes longer is useless to the client */
    __u32 interface;         /* its number, in its namespace */
    __u32 network_namespace; /* its number */
    __u32 share;             /* the number of IDs, of PROBE_ALL, that are followed */
    __u32 recvfrom;          /* the system calls' numbers */
    __u32 recvmsg;
    __u32 recvmmsg;
    __u16 port; /* the server's */
    /* Whether these optional programs run. A sample and some kernels do without them. */
    __u8 sees_queueing; /* probe_reply */
    __u8 sees_cpus;     /* probe_waking and probe_switch */
    __u8 sees_wire;     /* probe_sight */
};

/* A query under way. Times since its arrival are at most 4.29 s. */
struct probe_slot {
    __u64 tag; /* of client, port and ID; 0: the slot is free */
    __u64 arrived_ns;
    __u32 queued_ns;  /* until the socket had it; 0 if not seen, as in a sample */
    __u32 read_ns;    /* until a server read it; 0 if not yet */
    __u32 replied_ns; /* until the reply reached the interface's queue; 0 without
                         probe_config.sees_queueing */
    __u32 wakeup_ns;  /* how long the wake-up took; PROBE_UNTOLD: the kernel does not tell */
    __u32 wire_ns;    /* from the first sight to the arrival; 0: there was no sight */
    __u16 dropped;    /* nonzero: the reply was dropped last, for this reason */
    __u16 port;       /* the client's */
};

struct probe_bucket {
    struct probe_slot slot[PROBE_WAYS];
};

/* Returns whether a query with this ID is followed, if `share` of PROBE_ALL IDs are. */
WIRE_FN int probe_follows(__u32 share, __u16 id)
{
    /* The factor spreads IDs in any order. */
    return (__u16)(id * 40503U) < share;
}

/* A query of the log: its reply left, or the query was dropped, or it lost its place. */
struct probe_record {
    struct probe_slot slot;
    __u64 left_ns; /* since the arrival; 0: no reply left */
    __u32 reason;  /* why the query was dropped; 0: it lost its place */
    /* The start of the reply or of the dropped query: IP and UDP headers, and the ID. After a short
     * packet the octets may be anything. All is 0 if the query lost its place, or if a generic XDP
     * program changed the packet before it dropped it. */
    __u8 head[PACKET_IPV6_SIZE + PACKET_UDP_SIZE + 2];
};

/* What a CPU counted. */
struct probe_totals {
    __u64 count[PROBE_COUNTERS];
    __u64 dropped[PROBE_REASONS];         /* followed queries, by enum skb_drop_reason */
    __u64 dropped_replies[PROBE_REASONS]; /* replies to followed queries, by the same */
};

struct probe_times {
    __u64 count[LOG_HISTOGRAM_BUCKETS];
    __u64 sum_ns;
    __u64 max_ns;
};

/* The queries whose replies took about the same time to leave, and the sums of their stages. A
 * stage that was not seen is part of another stage. */
struct probe_sums {
    __u64 queries;
    __u64 sum_ns[PROBE_LEAVE + 1];
};

/* A thread that has read queries. Times are of CLOCK_MONOTONIC. */
struct probe_thread {
    __u64 process;
    __u64 reads; /* followed queries */
    __u64 calls; /* system calls that read them */
    __u64 sock;  /* the kernel's address of the socket that it read last; 0: unknown */
    __u64 inode; /* of this socket */
    __u64 wakeups;
    __u64 migrations; /* times that it got another CPU than before */
    __u64 ran_ns;     /* until it last left a CPU */
    __u64 waited_ns;  /* ready, without a CPU */
    __u64 ready_ns;   /* when it became ready last */
    __u64 on_ns;      /* when it got its CPU; 0: it has none */
    __u64 came_ns;    /* when it got a CPU last */
    __u64 last_ns;    /* when it read last */
    __u64 cpu;
    __u64 batch;  /* messages that its recvmmsg() under way has received */
    __u64 wanted; /* a bit for each of them that may be followed; the last bit is also for all later
                     ones */
    char name[16];
};

/* A socket that was read, or that dropped queries because it was full. */
struct probe_socket {
    __u64 reads;  /* followed queries */
    __u64 reader; /* the thread that read last; 0: unknown */
    __u64 drops;
    __u64 buffer;  /* octets (SO_RCVBUF) of a full socket */
    __u64 waiting; /* datagrams in the socket when it dropped one, at most */
};

WIRE_ASSERT(sizeof(struct probe_times) <= 32768, "a per-CPU value holds at most 32 KiB");

#endif
