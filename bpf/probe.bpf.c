// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Follows the queries over UDP to a server of this machine, at tracepoints of the kernel: when they
 * reach the stack, when the server reads them, when the replies leave, and why packets are dropped.
 * Nothing touches the server.
 *
 * Tracepoints see the packets of all network namespaces. A query counts when it arrives at the
 * interface. Later stages find it in a table by the client's address, its port and the query's ID.
 */
#include "program.h"

#include <bpf/bpf_core_read.h>

#include "probe_abi.h"
#include "wire/packet.h"

/* The parts of the kernel's structures that the program reads; libbpf finds the members' places in
 * the running kernel. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct ns_common {
    unsigned int inum;
};
struct net {
    struct ns_common ns;
};
typedef struct {
    struct net *net;
} possible_net_t;
struct bpf_prog;
struct net_device {
    int ifindex;
    possible_net_t nd_net;
    struct bpf_prog *xdp_prog; /* the generic XDP program */
};
struct sk_buff_head {
    struct sk_buff *next;
    struct sk_buff *prev;
    __u32 qlen;
};
struct sk_buff {
    struct sk_buff *prev;
    struct net_device *dev;
    unsigned int len;
    unsigned int data_len;
    __u16 network_header;
    __u16 mac_header;
    unsigned char *head;
    unsigned char *data;
};
struct sock_common {
    __u16 skc_num;
    possible_net_t skc_net;
};
struct socket;
struct sock {
    struct sock_common __sk_common;
    struct sk_buff_head sk_receive_queue;
    int sk_rcvbuf;
    __u16 sk_protocol;
    struct socket *sk_socket;
};
struct udp_sock {
    struct sk_buff_head reader_queue;
};
struct inode {
    unsigned long i_ino;
};
struct socket_alloc {
    struct inode vfs_inode;
};
struct task_struct {
    int pid;
    unsigned int __state;
};
struct pt_regs {
    unsigned long r10;
    unsigned long r8;
    unsigned long dx;
    unsigned long si;
    unsigned long orig_ax;
};
struct udphdr {
    __u16 source;
};
struct in_addr {
    __u32 s_addr;
};
#pragma clang attribute pop
enum skb_drop_reason { SKB_DROP_REASON_NOT_SPECIFIED = 2, SKB_DROP_REASON_XDP = 72 };
enum special_kfunc_type { KF_bpf_rdonly_cast = 10 };

/* Makes octets readable without a call, at no cost. */
extern void *bpf_rdonly_cast(const void *octets, __u32 type) __ksym __attribute__((weak));

/* What system calls take: see recvmsg(2). */
struct user_iovec {
    const void *octets;
    __u64 length;
};
struct user_msghdr {
    const void *name;
    __u64 name_length;
    const struct user_iovec *parts;
};
struct user_mmsghdr {
    struct user_msghdr head;
    __u64 rest[5];
};

#define BATCH 64U /* messages that are read from a server's memory at once; a power of two */

/* A read from a server's memory costs much, even if it is short. */
struct batch {
    struct user_mmsghdr messages[BATCH];
    struct user_iovec parts[BATCH]; /* of the messages, if servers have them one after the other */
    const struct user_iovec *first; /* where the parts were read from; NULL if they were not read */
};

#define FAMILY_IPV4 2
#define FAMILY_IPV6 10
#define PEEK 2             /* MSG_PEEK */
#define ERRORS 0x2000      /* MSG_ERRQUEUE */
#define MESSAGES_MAX 1024U /* of a recvmmsg() */
#define NEWEST 8           /* datagrams of a queue that may be new */
#define BATCH_BITS 64U     /* of probe_thread.wanted */

const volatile struct probe_config config = {};

/* Queries count that arrive from `from_ns` on, and before `until_ns`. */
__u64 from_ns = ~0ULL;
__u64 until_ns = ~0ULL;

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, PROBE_BUCKETS);
    __type(key, __u32);
    __type(value, struct probe_bucket);
} queries SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct probe_totals);
} totals SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, PROBE_STAGES);
    __type(key, __u32);
    __type(value, struct probe_times);
} times SEC(".maps");

/* By the time until the reply left. */
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, PROBE_RANGES);
    __type(key, __u32);
    __type(value, struct probe_sums);
} sums SEC(".maps");

/* By thread ID. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, PROBE_THREADS);
    __type(key, __u32);
    __type(value, struct probe_thread);
} threads SEC(".maps");

/* By inode. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, PROBE_SOCKETS);
    __type(key, __u64);
    __type(value, struct probe_socket);
} sockets SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct batch);
} batches SEC(".maps");

/* The number of a sample's queries that no server has read. If there is none, no read needs a look.
 * Without a sample this is not counted, because all CPUs would write to one cache line. */
long unread = 0;

#define PEEKS 256U /* a power of two */

/* What a sample knows about the first datagram in a socket's queue. It fills a cache line, because
 * each socket has its own CPU. */
struct peek {
    const void *unwanted; /* the socket if that datagram is not followed */
    __u64 spare[7];
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, PEEKS);
    __type(key, __u32);
    __type(value, struct peek);
} peeks SEC(".maps");

/* Whether a server reads by recvmmsg(). If so, no message may be skipped. */
int has_batches = 0;

/* User space sets the size: a page if there is no log. */
struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, PROBE_LOG);
} records SEC(".maps");

/* The times at which a resolver's unanswered questions left, by tag. The oldest ones make room. */
struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, PROBE_QUESTIONS);
    __type(key, __u64);
    __type(value, __u64);
} questions SEC(".maps");

/* The processes that have read queries, by their numbers. */
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, PROBE_THREADS);
    __type(key, __u32);
    __type(value, __u8);
} processes SEC(".maps");

/* The packet that came last to an interface with a generic XDP program. Such a program sees a
 * packet after its arrival. */
struct arrival {
    __u64 tag;    /* of a followed query; otherwise 0 */
    __u64 counts; /* the packet is a query that counted */
};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct arrival);
} arrivals SEC(".maps");

/* When the probe's XDP program saw a query. */
struct sight {
    __u64 tag; /* 0: there is none, or the query has arrived */
    __u64 seen_ns;
};

/* By tag. A later query may take the place of an earlier one, which then has no first sight. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, PROBE_SIGHTS);
    __type(key, __u32);
    __type(value, struct sight);
} sights SEC(".maps");

/* When other servers' last answer arrived. */
__u64 helped_ns = 0;

static __always_inline int is_in_time(__u64 now)
{
    return now >= from_ns && now < until_ns;
}

/* Returns whether queries that arrive now count. From the first query that counts until end() this
 * needs no clock: reading a clock costs almost as much as a tracepoint. */
static __always_inline int counts_now(void)
{
    const int is_endless = until_ns == ~0ULL;

    if (from_ns == 0 && is_endless)
        return 1;
    if (!is_in_time(bpf_ktime_get_ns()))
        return 0;
    if (is_endless)
        from_ns = 0;
    return 1;
}

static __always_inline struct probe_totals *my_totals(void)
{
    const __u32 key = 0;

    return bpf_map_lookup_elem(&totals, &key);
}

static __always_inline void count(enum probe_counter counter)
{
    struct probe_totals *mine = my_totals();

    if (mine)
        mine->count[counter]++;
}

static __always_inline __u64 mix(__u64 hash, __u64 value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
    return hash ^ hash >> 32;
}

/* Returns the number that stands for a client with this IPv6 address. */
static __always_inline __u64 ipv6_client(__u64 first, __u64 second)
{
    return mix(first, second);
}

/* Returns the tag of a query, which stands for the client's address and port and the query's ID.
 * Its last 16 bits are the ID. It is never 0. */
static __always_inline __u64 tag_of(__u64 client, __u16 port, __u16 id)
{
    return (mix(client, port) | 1) << 16 | id;
}

static __always_inline int is_sample(void)
{
    const struct probe_config *cfg = OPAQUE_ADDRESS(config);

    return cfg->share < PROBE_ALL;
}

static __always_inline void add_unread(long change)
{
    if (is_sample())
        __sync_fetch_and_add(&unread, change);
}

static __always_inline int has_unread(void)
{
    return unread > 0 || !is_sample();
}

static __always_inline int is_followed(__u16 id)
{
    const struct probe_config *cfg = OPAQUE_ADDRESS(config);

    return probe_follows(cfg->share, id);
}

enum datagram_kind {
    OTHER,
    QUERY, /* to the server's port */
    REPLY, /* from there */
};

struct datagram {
    __u64 tag;
    enum datagram_kind kind;
    int is_followed;   /* otherwise it has neither tag nor client_port */
    __u16 client_port; /* the resolver's port if the resolver is the client */
};

/* The start of an IP packet. */
struct start {
    const unsigned char *ip;
    __u8 copy[PACKET_IPV6_SIZE + PACKET_UDP_SIZE + 2]; /* where the kernel has no casts */
};

#define HAS_CASTS bpf_core_enum_value_exists(enum special_kfunc_type, KF_bpf_rdonly_cast)

/* Returns octets of the kernel's memory as a structure to read from. */
#define CAST(structure, octets)                                                                    \
    ((const struct structure *)bpf_rdonly_cast(octets,                                             \
                                               (__u32)bpf_core_type_id_kernel(struct structure)))

/* Returns where the packet's IP header is. */
static __always_inline const unsigned char *ip_of(const struct sk_buff *skb)
{
    return skb->head + skb->network_header;
}

/* Returns whether the packet may have a query of a sample. The packet may be anything: its first
 * octet, and the place where a query has its ID, decide. This spares most packets the rest. */
static __always_inline int may_be_followed(const struct sk_buff *skb)
{
    const unsigned char *ip;
    __u32 udp;

    if (!HAS_CASTS || !is_sample())
        return 1;
    ip = ip_of(skb);
    udp = WIRE_BE16(CAST(udphdr, ip)->source) >> 12 == 6 ? PACKET_IPV6_SIZE : PACKET_IPV4_SIZE;
    return is_followed(WIRE_BE16(CAST(udphdr, ip + udp + PACKET_UDP_SIZE)->source));
}

/* Returns two octets of the packet, in the packet's order. */
static __always_inline __u16 raw16_of(const struct start *start, __u32 offset)
{
    return HAS_CASTS ? CAST(udphdr, start->ip + offset)->source : wire_raw16(start->copy + offset);
}

static __always_inline __u32 raw32_of(const struct start *start, __u32 offset)
{
    return HAS_CASTS ? CAST(in_addr, start->ip + offset)->s_addr : wire_raw32(start->copy + offset);
}

static __always_inline __u64 raw64_of(const struct start *start, __u32 offset)
{
    return raw32_of(start, offset) | (__u64)raw32_of(start, offset + 4) << 32;
}

/* Reads the IP packet at `ip`. Reads beyond a short packet, but not beyond its buffer, which has a
 * trailer. */
static __always_inline struct datagram datagram_at(const unsigned char *ip)
{
    const struct probe_config *cfg = OPAQUE_ADDRESS(config);
    struct start start;
    struct datagram datagram = {};
    __u32 udp = PACKET_IPV4_SIZE;
    __u16 begin, source, target, id;
    __u32 ports;

    start.ip = ip;
    if (!HAS_CASTS && bpf_probe_read_kernel(start.copy, sizeof(start.copy), ip) != 0)
        return datagram;
    begin = WIRE_BE16(raw16_of(&start, 0));
    if (begin >> 12 == 6) {
        udp = PACKET_IPV6_SIZE;
        if (WIRE_BE16(raw16_of(&start, PACKET_IPV6_NEXT)) >> 8 != PACKET_PROTOCOL_UDP)
            return datagram;
    } else if (begin >> 8 != 0x45 ||
               (WIRE_BE16(raw16_of(&start, PACKET_IPV4_TTL)) & 0xff) != PACKET_PROTOCOL_UDP ||
               WIRE_BE16(raw16_of(&start, PACKET_IPV4_FRAGMENT)) & 0x1fff) {
        return datagram;
    }
    ports = WIRE_BE32(raw32_of(&start, udp));
    source = ports >> 16;
    target = (__u16)ports;
    if (target == cfg->port)
        datagram.kind = QUERY;
    else if (source == cfg->port)
        datagram.kind = REPLY;
    else
        return datagram;
    id = WIRE_BE16(raw16_of(&start, udp + PACKET_UDP_SIZE));
    datagram.is_followed = is_followed(id);
    if (datagram.is_followed) {
        const int is_query = datagram.kind == QUERY;
        __u64 client;

        if (udp == PACKET_IPV6_SIZE) {
            const __u32 address = is_query ? PACKET_IPV6_SOURCE : PACKET_IPV6_TARGET;

            client = ipv6_client(raw64_of(&start, address), raw64_of(&start, address + 8));
        } else {
            client = raw32_of(&start, is_query ? PACKET_IPV4_SOURCE : PACKET_IPV4_TARGET);
        }
        datagram.client_port = is_query ? source : target;
        datagram.tag = tag_of(client, datagram.client_port, id);
    }
    return datagram;
}

static __always_inline struct datagram datagram_in(const struct sk_buff *skb)
{
    return datagram_at(ip_of(skb));
}

/* Returns the bucket of all queries with this tag's ID. */
static __always_inline struct probe_bucket *bucket_of(__u64 tag)
{
    const __u32 key = (__u32)tag & (PROBE_BUCKETS - 1);

    return bpf_map_lookup_elem(&queries, &key);
}

/* Returns the place of a query in its bucket; negative if it has none. The verifier checks this
 * function separately, so it does not follow each place through the rest of the programs. */
__attribute__((noinline)) int way_of(__u64 tag)
{
    struct probe_bucket *bucket = bucket_of(tag);

    if (bucket)
        for (int i = 0; i < PROBE_WAYS; i++)
            if (bucket->slot[i].tag == tag)
                return i;
    return -1;
}

static __always_inline struct probe_slot *slot_at(__u64 tag, int way)
{
    struct probe_bucket *bucket = way < 0 ? NULL : bucket_of(tag);

    return bucket ? &bucket->slot[(__u32)way & (PROBE_WAYS - 1)] : NULL;
}

static __always_inline struct probe_slot *find(__u64 tag)
{
    return slot_at(tag, way_of(tag));
}

/* Returns the place of the earliest query with this ID that no server has read; negative if there
 * is none. */
__attribute__((noinline)) int unread_way_of(__u16 id)
{
    struct probe_bucket *bucket = bucket_of(id);
    __u64 first_ns = ~0ULL;
    int way = -1;

    if (bucket)
        for (int i = 0; i < PROBE_WAYS; i++) {
            const struct probe_slot *slot = &bucket->slot[i];

            if (slot->tag && !slot->read_ns && slot->arrived_ns < first_ns) {
                first_ns = slot->arrived_ns;
                way = i;
            }
        }
    return way;
}

/* Returns the place for a new query: its own place if the client repeats an open query, otherwise a
 * free place, otherwise the place of the oldest query. */
static __always_inline struct probe_slot *place_for(__u64 tag)
{
    struct probe_bucket *bucket = bucket_of(tag);
    struct probe_slot *place;

    if (!bucket)
        return NULL;
    place = &bucket->slot[0];
    for (int i = 0; i < PROBE_WAYS; i++) {
        struct probe_slot *slot = &bucket->slot[i];

        if (slot->tag == tag) {
            if (!slot->read_ns)
                count(PROBE_REPEATED);
            return slot;
        }
        if (place->tag && (!slot->tag || slot->arrived_ns < place->arrived_ns))
            place = slot;
    }
    if (place->tag && !place->read_ns)
        count(PROBE_FORGOTTEN);
    return place;
}

/* Returns the slot of the query that the datagram belongs to, if it is of this kind. */
static __always_inline struct probe_slot *slot_of(const struct datagram *datagram,
                                                  enum datagram_kind kind)
{
    return datagram->kind == kind && datagram->is_followed ? find(datagram->tag) : NULL;
}

/* Returns the time since the query's arrival, at least 1. */
/* Returns the time as a slot has it: 0 would mean that it was not seen. */
static __always_inline __u32 short_time(__u64 time)
{
    return time == 0 ? 1 : time > ~0U ? ~0U : (__u32)time;
}

static __always_inline __u32 since_arrival(const struct probe_slot *slot, __u64 now)
{
    return short_time(now - slot->arrived_ns);
}

static __always_inline int is_in_namespace(const struct net_device *device)
{
    const struct probe_config *cfg = OPAQUE_ADDRESS(config);

    return device->nd_net.net->ns.inum == cfg->network_namespace;
}

static __always_inline void add_time(__u32 stage, __u64 duration)
{
    struct probe_times *mine = bpf_map_lookup_elem(&times, &stage);
    const __u32 bucket = log_histogram_bucket(duration);

    if (!mine || bucket >= LOG_HISTOGRAM_BUCKETS)
        return;
    mine->count[bucket]++;
    mine->sum_ns += duration;
    if (duration > mine->max_ns)
        mine->max_ns = duration;
}

/* Adds a query to those whose replies took about the same time to leave. The verifier checks this
 * function separately. */
__attribute__((noinline)) int add_stages(__u32 stack_ns, __u32 queue_ns, __u32 wakeup_ns,
                                         __u32 server_ns, __u32 leave_ns)
{
    const __u64 left_ns = (__u64)stack_ns + queue_ns + wakeup_ns + server_ns + leave_ns;
    const __u32 key = log_histogram_bucket(left_ns) / PROBE_RANGE;
    struct probe_sums *alike = bpf_map_lookup_elem(&sums, &key);

    if (!alike)
        return 0;
    alike->queries++;
    alike->sum_ns[PROBE_STACK] += stack_ns;
    alike->sum_ns[PROBE_QUEUE] += queue_ns;
    alike->sum_ns[PROBE_WAKEUP] += wakeup_ns;
    alike->sum_ns[PROBE_SERVER] += server_ns;
    alike->sum_ns[PROBE_LEAVE] += leave_ns;
    return 0;
}

/* Takes a question that leaves for another server. Only the server's processes count. */
static __always_inline void take_question(const struct datagram *datagram)
{
    const __u32 process = bpf_get_current_pid_tgid() >> 32;
    const __u64 now = bpf_ktime_get_ns();

    if (!datagram->is_followed || !is_in_time(now) || !bpf_map_lookup_elem(&processes, &process))
        return;
    count(PROBE_ASKED);
    bpf_map_update_elem(&questions, &datagram->tag, &now, BPF_ANY);
}

/* Takes another server's answer to any question. */
static __always_inline void take_answer(const struct datagram *datagram)
{
    const __u64 now = bpf_ktime_get_ns();
    const __u64 *asked;

    helped_ns = now;
    asked = datagram->is_followed ? bpf_map_lookup_elem(&questions, &datagram->tag) : NULL;
    if (!asked)
        return;
    add_time(PROBE_OTHERS, now - *asked);
    bpf_map_delete_elem(&questions, &datagram->tag);
}

/* Logs the query in the slot. The packet at `ip` is its reply, which took `left_ns` to leave, or
 * the query itself if it was dropped. Without a packet the query has lost its place. */
static __always_inline void log_query(const unsigned char *ip, const struct probe_slot *slot,
                                      __u64 left_ns, __u32 reason)
{
    const struct probe_config *cfg = OPAQUE_ADDRESS(config);
    struct probe_record *record;

    if (left_ns < cfg->log_least_ns)
        return;
    record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
    if (!record) {
        count(PROBE_UNLOGGED);
        return;
    }
    record->slot = *slot;
    record->left_ns = left_ns;
    record->reason = reason;
    __builtin_memset(record->head, 0, sizeof(record->head));
    if (ip)
        bpf_probe_read_kernel(record->head, sizeof(record->head), ip);
    bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

static __always_inline struct arrival *last_arrival(void)
{
    const __u32 key = 0;

    return bpf_map_lookup_elem(&arrivals, &key);
}

static __always_inline void note_arrival(const struct net_device *device, __u64 tag, int counts)
{
    struct arrival *last = device->xdp_prog ? last_arrival() : NULL;

    if (last) {
        last->tag = tag;
        last->counts = (__u64)counts;
    }
}

/* Undoes the arrival of the last packet, which a generic XDP program took. */
static __always_inline void retract_arrival(void)
{
    struct arrival *last = last_arrival();
    struct probe_totals *mine = my_totals();
    struct probe_slot *slot;

    if (!last || !mine || !last->counts)
        return;
    last->counts = 0;
    mine->count[PROBE_ARRIVED]--;
    if (!last->tag)
        return;
    mine->count[PROBE_FOLLOWED]--;
    slot = find(last->tag);
    if (!slot)
        return;
    if (!slot->read_ns)
        add_unread(-1);
    slot->tag = 0;
}

static __always_inline struct sight *sight_of(__u64 tag)
{
    const __u32 key = (__u32)mix(0, tag) & (PROBE_SIGHTS - 1);

    return bpf_map_lookup_elem(&sights, &key);
}

/* Adds the time since the query's first sight, and returns it as a slot has it. Another CPU may
 * just have the place for another query: then the tag is no longer this query's. */
static __always_inline __u32 take_wire(__u64 tag, __u64 now)
{
    volatile struct sight *sight = sight_of(tag);
    __u64 seen_ns;

    if (!sight || sight->tag != tag)
        return 0;
    seen_ns = sight->seen_ns;
    if (sight->tag != tag || seen_ns > now)
        return 0;
    sight->tag = 0;
    add_time(PROBE_WIRE, now - seen_ns);
    return short_time(now - seen_ns);
}

/* Stamps the queries, and lets all packets pass. Runs on the interface that the user names. */
SEC("xdp")
int probe_sight(const struct xdp_md *ctx)
{
    const struct datagram datagram =
        datagram_at((const unsigned char *)(long)ctx->data + PACKET_ETHERNET_SIZE);
    volatile struct sight *sight;

    if (datagram.kind != QUERY || !counts_now())
        return XDP_PASS;
    count(PROBE_SIGHTED);
    sight = datagram.is_followed ? sight_of(datagram.tag) : NULL;
    if (!sight)
        return XDP_PASS;
    sight->tag = 0;
    sight->seen_ns = bpf_ktime_get_ns();
    sight->tag = datagram.tag;
    return XDP_PASS;
}

SEC("tp_btf/netif_receive_skb")
int probe_arrival(const __u64 *ctx)
{
    const struct probe_config *cfg = OPAQUE_ADDRESS(config);
    const struct sk_buff *skb = (const struct sk_buff *)ctx[0];
    struct datagram datagram;
    struct probe_slot *slot;
    __u32 wire_ns = 0;
    __u64 now;

    if (!is_in_namespace(skb->dev))
        return 0;
    datagram = datagram_at(skb->data);
    if (datagram.kind == REPLY)
        take_answer(&datagram);
    if ((__u32)skb->dev->ifindex != cfg->interface)
        return 0;
    note_arrival(skb->dev, 0, 0);
    if (datagram.kind != QUERY || !counts_now())
        return 0;
    if (skb->len - skb->data_len < PACKET_IPV4_SIZE + PACKET_UDP_SIZE + 2) {
        count(PROBE_UNREADABLE);
        return 0;
    }
    count(PROBE_ARRIVED);
    note_arrival(skb->dev, datagram.tag, 1);
    if (!datagram.is_followed)
        return 0;
    now = bpf_ktime_get_ns();
    count(PROBE_FOLLOWED);
    if (cfg->sees_wire)
        wire_ns = take_wire(datagram.tag, now);
    slot = place_for(datagram.tag);
    if (!slot)
        return 0;
    if (slot->tag)
        log_query(NULL, slot, 0, 0);
    if (!slot->tag || slot->read_ns)
        add_unread(1);
    slot->arrived_ns = now;
    slot->queued_ns = 0;
    slot->read_ns = 0;
    slot->wakeup_ns = 0;
    slot->wire_ns = wire_ns;
    slot->replied_ns = 0;
    slot->dropped = 0;
    slot->port = datagram.client_port;
    slot->tag = datagram.tag;
    return 0;
}

static __always_inline int is_servers(const struct sock *sk)
{
    const struct probe_config *cfg = OPAQUE_ADDRESS(config);

    return sk->__sk_common.skc_num == cfg->port && sk->sk_protocol == PACKET_PROTOCOL_UDP &&
           sk->__sk_common.skc_net.net->ns.inum == cfg->network_namespace;
}

/* A socket has datagrams. The newest are last in its queue, or in its reader's queue if the reader
 * has just taken all. The kernel may queue several before it reports the first one. A reader on
 * another CPU may change the queues meanwhile. A wrong walk through them ends soon; at worst it
 * marks a query that has just arrived as queued too early. */
SEC("tp_btf/sk_data_ready")
int probe_queued(const __u64 *ctx)
{
    const struct sock *sk = (const struct sock *)ctx[0];
    const struct sk_buff_head *come = &sk->sk_receive_queue;
    const struct sk_buff_head *taken;
    const struct sk_buff *skb;
    __u64 now;

    if (!HAS_CASTS || !is_servers(sk))
        return 0;
    now = bpf_ktime_get_ns();
    taken = &CAST(udp_sock, sk)->reader_queue;
    skb = come->prev;
    for (int i = 0; i < NEWEST; i++) {
        struct datagram datagram;
        struct probe_slot *slot;

        if ((const void *)skb == come)
            skb = taken->prev;
        if (!skb || (const void *)skb == taken)
            break;
        datagram = datagram_in(skb);
        slot = slot_of(&datagram, QUERY);
        if (slot && (slot->queued_ns || slot->read_ns))
            break;
        if (slot)
            slot->queued_ns = since_arrival(slot, now);
        skb = skb->prev;
    }
    return 0;
}

/* New entries for maps. The stack has no room for them. */
static const struct probe_thread new_thread = {};
static const struct probe_socket new_socket = {};

/* Returns the thread that runs, and makes an entry for it if it has none. */
static __always_inline struct probe_thread *this_thread(void)
{
    const __u64 both = bpf_get_current_pid_tgid();
    const __u32 thread = (__u32)both;
    const __u32 process = both >> 32;
    const __u8 is_server = 1;
    struct probe_thread *known = bpf_map_lookup_elem(&threads, &thread);

    if (known)
        return known;
    bpf_map_update_elem(&processes, &process, &is_server, BPF_ANY);
    bpf_map_update_elem(&threads, &thread, &new_thread, BPF_NOEXIST);
    known = bpf_map_lookup_elem(&threads, &thread);
    if (!known)
        return NULL;
    known->process = process;
    known->cpu = bpf_get_smp_processor_id();
    known->on_ns = bpf_ktime_get_ns();
    bpf_get_current_comm(known->name, sizeof(known->name));
    return known;
}

/* A call that has read from a socket of the server. */
struct reading {
    __u64 now;
    __u64 sock; /* the kernel's address of the socket; 0: unknown */
};

static __always_inline __u64 inode_of(const struct sock *sk)
{
    const struct socket_alloc *socket = NULL;
    unsigned long inode = 0;

    if (bpf_probe_read_kernel(&socket, sizeof(socket), &sk->sk_socket) == 0)
        bpf_probe_read_kernel(&inode, sizeof(inode), &socket->vfs_inode.i_ino);
    return inode;
}

/* Counts a followed query that the thread has read from the socket, if the socket is known. */
static __always_inline void count_read(struct probe_thread *thread, __u64 sock)
{
    const __u32 reader = (__u32)bpf_get_current_pid_tgid();
    struct probe_socket *known;
    __u64 key;

    if (thread->sock != sock) {
        thread->sock = sock;
        thread->inode = inode_of((const struct sock *)sock);
    }
    key = thread->inode;
    if (!key)
        return;
    known = bpf_map_lookup_elem(&sockets, &key);
    if (!known) {
        bpf_map_update_elem(&sockets, &key, &new_socket, BPF_NOEXIST);
        known = bpf_map_lookup_elem(&sockets, &key);
        if (!known)
            return;
    }
    __sync_fetch_and_add(&known->reads, 1);
    known->reader = reader;
}

/* Notes that the thread has read the slot's query, and for how long the thread had waited for its
 * CPU. Ignores a query that was read before, and a slot that is NULL. */
static __always_inline void note_read(struct probe_slot *slot, const struct reading *reading)
{
    const struct probe_config *cfg = OPAQUE_ADDRESS(config);
    const __u64 now = reading->now;
    struct probe_thread *thread;
    __u64 queued_ns;

    if (!slot || slot->read_ns)
        return;
    queued_ns = slot->arrived_ns + slot->queued_ns;
    if (!cfg->sees_cpus)
        slot->wakeup_ns = PROBE_UNTOLD;
    thread = this_thread();
    count(PROBE_READ);
    add_unread(-1);
    slot->read_ns = since_arrival(slot, now);
    if (!thread)
        return;
    thread->reads++;
    /* One call reads all of its queries at one time. */
    thread->calls += thread->last_ns != now;
    count_read(thread, reading->sock);
    thread->last_ns = now;
    /* Without sees_cpus, came_ns stays 0. */
    if (thread->came_ns > queued_ns && thread->came_ns >= thread->ready_ns) {
        const __u64 waited =
            thread->came_ns - (thread->ready_ns > queued_ns ? thread->ready_ns : queued_ns);

        slot->wakeup_ns = waited < slot->read_ns ? (__u32)waited : slot->read_ns;
    }
}

/* Takes a followed query that a server has received, by its sender's address. */
static __always_inline void take_query(const void *name, __u16 id, const struct reading *reading)
{
    struct {
        __u16 family;
        __u16 port;
        __u32 ipv4; /* or the flow of IPv6 */
        __u8 ipv6[16];
    } from = {};
    __u64 client;

    if (bpf_probe_read_user(&from, sizeof(from), name) != 0)
        return;
    if (from.family == FAMILY_IPV4)
        client = from.ipv4;
    else if (from.family != FAMILY_IPV6)
        return;
    else if (wire_raw64(from.ipv6) == 0 && wire_raw32(from.ipv6 + 8) == WIRE_BE32(0xffff))
        client = wire_raw32(from.ipv6 + 12);
    else
        client = ipv6_client(wire_raw64(from.ipv6), wire_raw64(from.ipv6 + 8));
    note_read(find(tag_of(client, WIRE_BE16(from.port), id)), reading);
}

/* Returns whether a server has received a followed query. Sets its ID. */
static __always_inline int is_query(const void *octets, __u16 *id)
{
    if (bpf_probe_read_user(id, sizeof(*id), octets) != 0)
        return 0;
    *id = WIRE_BE16(*id);
    return is_followed(*id);
}

static __always_inline void take_datagram(const void *name, const void *octets,
                                          const struct reading *reading)
{
    __u16 id = 0;

    if (name && is_query(octets, &id))
        take_query(name, id, reading);
}

/* Takes a datagram from a socket of the server. Its sender is not known yet. */
static __always_inline void take_octets(const void *octets, const struct reading *reading)
{
    __u16 id = 0;

    if (is_query(octets, &id))
        note_read(slot_at(id, unread_way_of(id)), reading);
}

/* Reads a message's head, which tells where its octets are. */
static __always_inline int octets_of(const struct user_msghdr *message, struct user_msghdr *head,
                                     const void **octets)
{
    return bpf_probe_read_user(head, sizeof(*head), message) == 0 &&
           bpf_probe_read_user(octets, sizeof(*octets), head->parts) == 0;
}

/* Messages in a server's memory. */
struct messages {
    const struct user_mmsghdr *first;
    __u32 count;
    __u32 is_named; /* the senders' addresses are there */
    __u64 wanted;   /* see probe_thread */
    struct reading reading;
};

/* Returns the bit that stands for a message in probe_thread.wanted. */
static __always_inline __u64 batch_bit(__u64 i)
{
    return 1ULL << (i < BATCH_BITS - 1 ? i : BATCH_BITS - 1);
}

/* Reads messages from this one on. */
static __always_inline int read_batch(struct batch *batch, const struct messages *messages,
                                      __u32 from)
{
    __u32 count = messages->count - from;

    if (count > BATCH)
        count = BATCH;
    batch->first = NULL;
    if (bpf_probe_read_user(batch->messages, count * sizeof(batch->messages[0]),
                            messages->first + from) != 0)
        return 0;
    if (count > 1 && batch->messages[1].head.parts == batch->messages[0].head.parts + 1 &&
        bpf_probe_read_user(batch->parts, count * sizeof(batch->parts[0]),
                            batch->messages[0].head.parts) == 0)
        batch->first = batch->messages[0].head.parts;
    return 1;
}

static long take_one(__u32 i, struct messages *messages)
{
    const __u32 key = 0;
    const __u32 place = i & (BATCH - 1);
    struct batch *batch = bpf_map_lookup_elem(&batches, &key);
    const struct user_msghdr *head;
    const void *octets = NULL;

    if (!batch || (place == 0 && !read_batch(batch, messages, i)))
        return 1;
    if (!(messages->wanted & batch_bit(i)))
        return 0;
    head = &batch->messages[place].head;
    if (batch->first && head->parts == batch->first + place)
        octets = batch->parts[place].octets;
    else if (bpf_probe_read_user(&octets, sizeof(octets), head->parts) != 0)
        return 0;
    if (messages->is_named)
        take_datagram(head->name, octets, &messages->reading);
    else
        take_octets(octets, &messages->reading);
    return 0;
}

/* For kernels before Linux 6.3: a server has received datagrams when its system call returns. This
 * slows all system calls of the machine down. */
SEC("tp_btf/sys_exit")
int probe_received(const __u64 *ctx)
{
    const struct probe_config *cfg = OPAQUE_ADDRESS(config);
    const struct pt_regs *regs = (const struct pt_regs *)ctx[0];
    const __u64 call = regs->orig_ax;
    const long returned = (long)ctx[1];
    const void *octets = NULL;
    struct reading reading = {};

    if (returned <= 0 || !has_unread())
        return 0;
    reading.now = bpf_ktime_get_ns();
    if (call == cfg->recvmmsg && !(regs->r10 & PEEK)) {
        struct messages messages = {.first = (const struct user_mmsghdr *)regs->si,
                                    .count = (__u32)returned,
                                    .is_named = 1,
                                    .wanted = ~0ULL,
                                    .reading = reading};

        bpf_loop(messages.count, take_one, &messages, 0);
    } else if (call == cfg->recvmsg && !(regs->dx & PEEK)) {
        struct user_msghdr head = {};

        if (octets_of((const struct user_msghdr *)regs->si, &head, &octets))
            take_datagram(head.name, octets, &reading);
    } else if (call == cfg->recvfrom && !(regs->r10 & PEEK)) {
        take_datagram((const void *)regs->r8, (const void *)regs->si, &reading);
    }
    return 0;
}

/* Returns the datagram that is first in the socket's queue, NULL if there is none. */
static __always_inline const struct sk_buff *first_in(const struct sock *sk)
{
    const struct sk_buff_head *taken = &CAST(udp_sock, sk)->reader_queue;
    const struct sk_buff_head *come = &sk->sk_receive_queue;

    if ((const void *)taken->next != taken)
        return taken->next;
    return (const void *)come->next != come ? come->next : NULL;
}

/* Returns whether the datagram that was read from the socket may be a followed query. Most queries
 * are not in a sample, and a look into the socket's queue is cheaper than a read from the server's
 * memory. So each read notes whether the next datagram matters. If two threads read the same
 * socket, the note may be about another datagram. Then the probe may miss the read of a followed
 * query. */
static __always_inline int is_wanted(const struct sock *sk)
{
    const struct sk_buff *next;
    struct peek *peek;
    int wanted;
    __u32 key;

    if (!HAS_CASTS)
        return 1;
    key = CAST(in_addr, &sk->sk_socket)->s_addr * 0x9e3779b1U / (~0U / PEEKS + 1);
    peek = bpf_map_lookup_elem(&peeks, &key);
    if (!peek)
        return 1;
    wanted = peek->unwanted != sk;
    next = first_in(sk);
    peek->unwanted = next && !may_be_followed(next) ? sk : NULL;
    return wanted;
}

/* Counts a message of a recvmmsg(). With the last one, takes all. */
static __always_inline void take_batch(const struct pt_regs *regs, int returned, int wanted,
                                       __u64 sock)
{
    struct messages messages = {.first = (const struct user_mmsghdr *)regs->si};
    const __u64 room = regs->dx < MESSAGES_MAX ? regs->dx : MESSAGES_MAX;
    struct probe_thread *thread = this_thread();

    if (!thread)
        return;
    if (wanted)
        thread->wanted |= batch_bit(thread->batch);
    thread->batch += returned >= 0;
    messages.count = (__u32)thread->batch;
    if (returned >= 0 && messages.count < room)
        return;
    messages.wanted = thread->wanted;
    thread->batch = thread->wanted = 0;
    if (!messages.wanted || !has_unread())
        return;
    messages.reading.now = bpf_ktime_get_ns();
    messages.reading.sock = sock;
    bpf_loop(messages.count, take_one, &messages, 0);
}

/* A server has received a datagram. The sender's address comes later, so the first of the unread
 * queries with the datagram's ID counts as read. recvmmsg() goes on until no more datagrams have
 * come, or until it has all that it asked for. */
SEC("tp_btf/sock_recv_length")
int probe_read(const __u64 *ctx)
{
    const struct probe_config *cfg = OPAQUE_ADDRESS(config);
    const struct sock *sk = (const struct sock *)ctx[0];
    const int returned = (int)ctx[1];
    const struct pt_regs *regs;
    struct user_msghdr head = {};
    const void *octets = NULL;
    struct reading reading = {.sock = (__u64)sk};
    int wanted;
    __u64 call;

    if (ctx[2] & (PEEK | ERRORS) || !is_servers(sk))
        return 0;
    wanted = returned >= 0 && (!is_sample() || is_wanted(sk));
    if (!wanted && !has_batches)
        return 0;
    regs = (const struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
    call = regs->orig_ax;
    if (call == cfg->recvmmsg) {
        if (!has_batches)
            has_batches = 1;
        take_batch(regs, returned, wanted, (__u64)sk);
        return 0;
    }
    if (!wanted || !has_unread())
        return 0;
    reading.now = bpf_ktime_get_ns();
    if (call == cfg->recvfrom)
        take_octets((const void *)regs->si, &reading);
    else if (call == cfg->recvmsg &&
             octets_of((const struct user_msghdr *)regs->si, &head, &octets))
        take_octets(octets, &reading);
    return 0;
}

/* Not used for a sample, because each program costs time for every packet of the machine, and not
 * used if the kernel lacks the tracepoint. See probe_config.sees_queueing. */
SEC("tp_btf/net_dev_queue")
int probe_reply(const __u64 *ctx)
{
    const struct sk_buff *skb = (const struct sk_buff *)ctx[0];
    struct datagram datagram;
    struct probe_slot *slot;

    if (!is_in_namespace(skb->dev))
        return 0;
    datagram = datagram_in(skb);
    if (datagram.kind == QUERY)
        take_question(&datagram);
    slot = slot_of(&datagram, REPLY);
    if (!slot || slot->replied_ns)
        return 0;
    slot->replied_ns = since_arrival(slot, bpf_ktime_get_ns());
    return 0;
}

SEC("tp_btf/net_dev_start_xmit")
int probe_leave(const __u64 *ctx)
{
    const struct probe_config *cfg = OPAQUE_ADDRESS(config);
    struct probe_totals *mine;
    struct datagram datagram;
    struct probe_slot *slot;
    __u64 now, took;

    if (!may_be_followed((const struct sk_buff *)ctx[0]) ||
        !is_in_namespace((const struct net_device *)ctx[1]))
        return 0;
    datagram = datagram_in((const struct sk_buff *)ctx[0]);
    if (datagram.kind == QUERY && !cfg->sees_queueing)
        take_question(&datagram);
    slot = slot_of(&datagram, REPLY);
    mine = my_totals();
    if (!slot || !mine)
        return 0;
    if (!slot->replied_ns && cfg->sees_queueing)
        return 0;
    now = bpf_ktime_get_ns();
    took = now - slot->arrived_ns;
    log_query(ip_of((const struct sk_buff *)ctx[0]), slot, took, 0);
    /* Some servers send a dropped reply again. Only the sum over all CPUs is right. */
    if (slot->dropped)
        mine->dropped_replies[WIRE_BOUNDED(slot->dropped, PROBE_REASONS - 1)]--;
    count(PROBE_LEFT);
    if (took > cfg->patience_ns)
        count(PROBE_TOO_LATE);
    if (!slot->read_ns) {
        count(PROBE_UNSEEN);
        add_unread(-1);
    } else {
        const __u32 left_ns = since_arrival(slot, now);
        const __u32 replied_ns = cfg->sees_queueing ? slot->replied_ns : left_ns;
        const __u32 wakeup_ns = cfg->sees_cpus ? slot->wakeup_ns : 0;
        const __u32 waited_ns = slot->read_ns - wakeup_ns;
        /* The kernel may report the queueing after a reader has the query. */
        const __u32 queued_ns = slot->queued_ns;
        const __u32 stack_ns = queued_ns < waited_ns ? queued_ns : waited_ns;

        if (queued_ns)
            add_time(PROBE_STACK, stack_ns);
        add_time(PROBE_QUEUE, waited_ns - stack_ns);
        if (cfg->sees_cpus)
            add_time(PROBE_WAKEUP, wakeup_ns);
        add_time(PROBE_SERVER, replied_ns - slot->read_ns);
        if (helped_ns < slot->arrived_ns + slot->read_ns)
            add_time(PROBE_ALONE, replied_ns - slot->read_ns);
        if (cfg->sees_queueing)
            add_time(PROBE_LEAVE, left_ns - replied_ns);
        add_stages(stack_ns, waited_ns - stack_ns, wakeup_ns, replied_ns - slot->read_ns,
                   left_ns - replied_ns);
    }
    slot->tag = 0;
    return 0;
}

/* Returns why the kernel dropped a packet, at most PROBE_REASONS - 1. Some functions that drop
 * packets for XDP programs name no reason. */
static __always_inline __u32 reason_of(const __u64 *ctx)
{
    const struct probe_config *cfg = OPAQUE_ADDRESS(config);

    if (ctx[2] == bpf_core_enum_value(enum skb_drop_reason, SKB_DROP_REASON_NOT_SPECIFIED))
        for (__u32 i = 0; i < PROBE_XDP_PLACES; i++)
            if (ctx[1] >= cfg->xdp_places[i].from && ctx[1] < cfg->xdp_places[i].until)
                return (__u32)bpf_core_enum_value(enum skb_drop_reason, SKB_DROP_REASON_XDP);
    return ctx[2] < PROBE_REASONS ? (__u32)ctx[2] : PROBE_REASONS - 1;
}

static __always_inline int is_servers_interface(const struct net_device *device)
{
    const struct probe_config *cfg = OPAQUE_ADDRESS(config);

    return (__u32)device->ifindex == cfg->interface && is_in_namespace(device);
}

/* Takes a packet that a native XDP program dropped, before it arrived. */
static __always_inline void take_native_drop(const unsigned char *ip,
                                             const struct datagram *datagram, __u32 reason)
{
    struct probe_totals *mine = my_totals();
    struct probe_slot fresh = {.arrived_ns = bpf_ktime_get_ns()};

    if (!mine || datagram->kind != QUERY || !is_in_time(fresh.arrived_ns))
        return;
    count(PROBE_ARRIVED);
    if (!datagram->is_followed)
        return;
    count(PROBE_FOLLOWED);
    fresh.tag = datagram->tag;
    fresh.port = datagram->client_port;
    log_query(ip, &fresh, 0, reason);
    mine->dropped[WIRE_BOUNDED(reason, PROBE_REASONS - 1)]++;
}

/* Takes the query that came last, which a generic XDP program dropped. The program may have changed
 * the packet, so the log gets it only if it is still a query. */
static __always_inline void take_generic_drop(const unsigned char *ip,
                                              const struct datagram *datagram, __u32 reason)
{
    const struct arrival *last = last_arrival();
    struct probe_totals *mine = my_totals();
    struct probe_slot *slot = last && last->tag ? find(last->tag) : NULL;

    if (!mine || !slot || slot->read_ns)
        return;
    log_query(datagram->kind == QUERY ? ip : NULL, slot, 0, reason);
    add_unread(-1);
    slot->tag = 0;
    mine->dropped[WIRE_BOUNDED(reason, PROBE_REASONS - 1)]++;
}

/* In a lab the Tester's program drops all replies. */
static __always_inline void take_xdp_drop(const struct sk_buff *skb, __u32 reason)
{
    const unsigned char *ip = skb->head + skb->mac_header + PACKET_ETHERNET_SIZE;
    struct datagram datagram;

    if (!is_servers_interface(skb->dev))
        return;
    datagram = datagram_at(ip);
    if (skb->dev->xdp_prog)
        take_generic_drop(ip, &datagram, reason);
    else
        take_native_drop(ip, &datagram, reason);
}

SEC("tp_btf/kfree_skb")
int probe_drop(const __u64 *ctx)
{
    const struct sk_buff *skb = (const struct sk_buff *)ctx[0];
    const __u32 reason = reason_of(ctx);
    struct probe_totals *mine;
    struct datagram datagram;
    struct probe_slot *slot;

    if (reason == bpf_core_enum_value(enum skb_drop_reason, SKB_DROP_REASON_XDP)) {
        take_xdp_drop(skb, reason);
        return 0;
    }
    if (!may_be_followed(skb))
        return 0;
    datagram = datagram_in(skb);
    if (!datagram.is_followed)
        return 0;
    slot = find(datagram.tag);
    mine = my_totals();
    if (!slot || !mine)
        return 0;
    if (datagram.kind == QUERY && !slot->read_ns) {
        mine->dropped[WIRE_BOUNDED(reason, PROBE_REASONS - 1)]++;
        log_query(ip_of(skb), slot, 0, reason);
        add_unread(-1);
        slot->tag = 0;
    } else if (datagram.kind == REPLY && !slot->dropped) {
        mine->dropped_replies[WIRE_BOUNDED(reason, PROBE_REASONS - 1)]++;
        slot->dropped = (__u16)reason;
        slot->replied_ns = 0;
    }
    return 0;
}

SEC("tp_btf/udp_fail_queue_rcv_skb")
int probe_full_socket(const __u64 *ctx)
{
    const struct sock *sk = (const struct sock *)ctx[1];
    struct probe_socket fresh = {.drops = 1, .buffer = (__u64)sk->sk_rcvbuf};
    struct probe_socket *known;
    __u32 read = 0; /* datagrams that the server is about to read */
    __u64 key;

    if (!is_servers(sk) || !counts_now())
        return 0;
    bpf_probe_read_kernel(&read, sizeof(read), &((const struct udp_sock *)sk)->reader_queue.qlen);
    fresh.waiting = read + sk->sk_receive_queue.qlen;
    key = inode_of(sk);
    known = bpf_map_lookup_elem(&sockets, &key);
    if (known) {
        __sync_fetch_and_add(&known->drops, 1);
        known->buffer = fresh.buffer;
        if (fresh.waiting > known->waiting)
            known->waiting = fresh.waiting;
    } else {
        bpf_map_update_elem(&sockets, &key, &fresh, BPF_NOEXIST);
    }
    return 0;
}

static __always_inline struct probe_thread *thread_of(const struct task_struct *task)
{
    const __u32 thread = (__u32)task->pid;

    /* A CPU's idle task is not a thread. */
    return thread ? bpf_map_lookup_elem(&threads, &thread) : NULL;
}

SEC("tp_btf/sched_waking")
int probe_waking(const __u64 *ctx)
{
    struct probe_thread *thread = thread_of((const struct task_struct *)ctx[0]);

    if (thread && !thread->on_ns) {
        thread->ready_ns = bpf_ktime_get_ns();
        thread->wakeups++;
    }
    return 0;
}

static __always_inline void take_cpu(struct probe_thread *thread)
{
    const __u64 cpu = bpf_get_smp_processor_id();

    thread->came_ns = thread->on_ns = bpf_ktime_get_ns();
    thread->migrations += thread->cpu != cpu;
    thread->cpu = cpu;
    if (thread->ready_ns)
        thread->waited_ns += thread->on_ns - thread->ready_ns;
}

static __always_inline void leave_cpu(struct probe_thread *thread, int stays_ready)
{
    const __u64 now = bpf_ktime_get_ns();

    if (thread->on_ns)
        thread->ran_ns += now - thread->on_ns;
    thread->on_ns = 0;
    if (stays_ready)
        thread->ready_ns = now;
}

SEC("tp_btf/sched_switch")
int probe_switch(const __u64 *ctx)
{
    const struct task_struct *task = (const struct task_struct *)ctx[1];
    struct probe_thread *thread = thread_of(task);

    /* A thread that must make room for others stays ready. */
    if (thread)
        leave_cpu(thread, ctx[0] || task->__state == 0);
    thread = thread_of((const struct task_struct *)ctx[2]);
    if (thread)
        take_cpu(thread);
    return 0;
}

/* Both tracepoints of redirects have these arguments. An XDP program gives a packet to an AF_XDP
 * socket or sends it. This happens before the network stack, and the arguments do not tell what is
 * in the packet. A generic program does it after the packet's arrival. */
static __always_inline int is_generic(const __u64 *ctx)
{
    const struct net_device *device = (const struct net_device *)ctx[0];

    return ctx[1] == (__u64)device->xdp_prog;
}

static __always_inline int is_to_socket(const __u64 *ctx)
{
    return (__u32)ctx[4] == BPF_MAP_TYPE_XSKMAP;
}

/* No tracepoint tells that a generic program's packet leaves. */
static __always_inline int is_back_by_generic(const __u64 *ctx)
{
    const struct probe_config *cfg = OPAQUE_ADDRESS(config);

    return is_generic(ctx) && (__u32)ctx[4] == BPF_MAP_TYPE_UNSPEC &&
           (__u32)ctx[6] == cfg->interface;
}

SEC("tp_btf/xdp_redirect")
int probe_taken(const __u64 *ctx)
{
    if (!is_servers_interface((const struct net_device *)ctx[0]))
        return 0;
    if (is_generic(ctx))
        retract_arrival();
    if (!counts_now())
        return 0;
    if (is_to_socket(ctx))
        count(PROBE_TAKEN);
    else if (is_back_by_generic(ctx))
        count(PROBE_XDP_SENT);
    return 0;
}

/* What a generic program cannot redirect is dropped, and has a fate. */
SEC("tp_btf/xdp_redirect_err")
int probe_refused(const __u64 *ctx)
{
    if (is_to_socket(ctx) && is_servers_interface((const struct net_device *)ctx[0]) &&
        !is_generic(ctx) && counts_now())
        count(PROBE_REFUSED);
    return 0;
}

/* Counts frames that XDP programs in drivers sent through the interface. The arguments are ints. */
static __always_inline int sent_by_xdp(const struct net_device *device, __u64 sent, __u64 dropped)
{
    struct probe_totals *mine = my_totals();

    if (!mine || !is_servers_interface(device) || !counts_now())
        return 0;
    mine->count[PROBE_XDP_SENT] += (__u32)sent;
    mine->count[PROBE_XDP_DROPPED] += (__u32)dropped;
    return 0;
}

/* By a redirect. */
SEC("tp_btf/xdp_devmap_xmit")
int probe_redirected(const __u64 *ctx)
{
    return sent_by_xdp((const struct net_device *)ctx[1], ctx[2], ctx[3]);
}

/* By XDP_TX, if the driver reports it. */
SEC("tp_btf/xdp_bulk_tx")
int probe_bounced(const __u64 *ctx)
{
    return sent_by_xdp((const struct net_device *)ctx[0], ctx[1], ctx[2]);
}

char _license[] SEC("license") = "Dual BSD/GPL";
