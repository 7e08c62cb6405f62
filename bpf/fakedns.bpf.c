// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * FakeDNS in the kernel: a question comes in, and its answer leaves by the same interface.
 *
 * The program answers UDP datagrams to its port that are whole in one plain packet. All other
 * packets go up the stack, where the daemon's sockets answer with the same code (wire/answer.h).
 */
#include "program.h"

#include "bounce.h"
#include "fakedns_abi.h"
#include "wire/packet.h"

/* An answer is longer than its query by one record, at most ANSWER_SOA_SIZE octets. */
#define FAKEDNS_GROWTH_MAX 63

const volatile struct fakedns_config config = {};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, FAKEDNS_QUEUES);
    __type(key, __u32);
    __type(value, struct fakedns_counters);
} counters SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct fakedns_times);
} times SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, FAKEDNS_NETWORKS);
    __type(key, __u64); /* token_bucket_network() */
    __type(value, struct token_bucket);
} buckets SEC(".maps");

static __always_inline void count(const struct xdp_md *ctx, __u32 counter, __u32 type)
{
    __u32 queue = ctx->rx_queue_index;
    struct fakedns_counters *mine;

    if (queue >= FAKEDNS_QUEUES)
        queue = FAKEDNS_QUEUES - 1;
    mine = bpf_map_lookup_elem(&counters, &queue);
    if (mine && counter < FAKEDNS_COUNTERS && type < FAKEDNS_TYPES)
        mine->value[type][counter]++;
}

static __always_inline int pass(const struct xdp_md *ctx, __u32 counter)
{
    count(ctx, counter, FAKEDNS_TYPE_OTHER);
    return XDP_PASS;
}

/* Returns whether the frame was sent to a group of hosts. Its answer would come from an address
 * that nobody asked.
 */
static __always_inline int is_to_group(struct wire_cursor frame)
{
    return !wire_has(&frame, 1) || frame.pos[0] & 1;
}

/* Takes a token of the client's network. Returns zero if the network has no token left.
 */
static __always_inline int may_answer(struct wire_cursor frame, const struct packet *packet,
                                      __u64 interval_ns)
{
    const __u64 now = bpf_ktime_get_ns();
    struct token_bucket unknown = {};
    struct token_bucket *bucket;
    __u64 network;

    frame.pos += WIRE_BOUNDED(packet->ip_offset, 31);
    if (!wire_has(&frame, PACKET_IPV6_SIZE))
        return 0;
    network = packet->is_ipv6 ? token_bucket_network(frame.pos + PACKET_IPV6_SOURCE, 1)
                              : token_bucket_network(frame.pos + PACKET_IPV4_SOURCE, 0);
    bucket = bpf_map_lookup_elem(&buckets, &network);
    if (bucket)
        return token_bucket_take(bucket, now, interval_ns);
    if (!token_bucket_take(&unknown, now, interval_ns))
        return 0;
    bpf_map_update_elem(&buckets, &network, &unknown, BPF_ANY);
    return 1;
}

/* Begins to time one answer in `every`. A map, not a register, holds the beginning: otherwise the
 * verifier would follow the code up to end_timing() twice. */
static __always_inline void begin_timing(__u32 every)
{
    const __u32 key = 0;
    struct fakedns_times *mine = bpf_map_lookup_elem(&times, &key);

    if (mine)
        mine->began_ns = mine->skipped + 1 >= every ? bpf_ktime_get_ns() : 0;
}

static __always_inline void end_timing(int action)
{
    const __u32 key = 0;
    struct fakedns_times *mine = bpf_map_lookup_elem(&times, &key);
    __u64 elapsed;
    __u32 bucket;

    if (!mine || action != XDP_TX)
        return;
    if (!mine->began_ns) {
        mine->skipped++;
        return;
    }
    mine->skipped = 0;
    elapsed = bpf_ktime_get_ns() - mine->began_ns;
    bucket = log_histogram_bucket(elapsed);
    if (bucket >= LOG_HISTOGRAM_BUCKETS)
        return;
    mine->sum_ns += elapsed;
    mine->count[bucket]++;
}

/* Makes the frame `length` octets long; its present octets stay at its start. The frame grows at
 * the front, where drivers promise room, and the octets move. After a frame there is little room or
 * none, and the kernel would clear what it adds there, which costs more than the move. */
static __always_inline int resize_frame(struct xdp_md *ctx, __u32 length)
{
    const __u32 before = frame_length(ctx);
    const int growth = (int)(length - before);

    if (growth > 0 && growth <= FAKEDNS_GROWTH_MAX && before <= PACKET_MOVE_MAX &&
        !bpf_xdp_adjust_head(ctx, -growth))
        return packet_move_to_start(frame_anew(ctx),
                                    WIRE_BOUNDED((__u32)growth, FAKEDNS_GROWTH_MAX), before);
    return !bpf_xdp_adjust_tail(ctx, growth);
}

/* What is known about a query once its answer is decided. */
struct exchange {
    struct packet packet;
    struct dns_query query;
    struct answer answer;
};

/*
 * Turns the frame with the query into the frame with the answer. This is a global function, so the
 * verifier checks it once, and not once for each way to decide an answer. The verifier knows
 * nothing about a global function's arguments, so the function checks their bounds again.
 */
__noinline int send_answer(struct xdp_md *ctx, struct exchange *exchange)
{
    const struct fakedns_config *cfg = OPAQUE_ADDRESS(config);
    struct wire_cursor frame;
    struct wire_cursor message;
    struct packet packet;
    struct dns_query query;
    enum answer_kind kind;
    __u32 payload_offset;
    __u32 size;

    if (!exchange)
        return XDP_ABORTED;
    packet = exchange->packet;
    packet.is_ipv6 = (__u8)WIRE_BOUNDED(packet.is_ipv6, 1);
    packet.ip_offset = WIRE_BOUNDED(packet.ip_offset, 31);
    payload_offset = PACKET_UDP_SIZE + WIRE_BOUNDED(packet.udp_offset, 63);
    query = exchange->query;
    query.name_length = (__u16)WIRE_BOUNDED(query.name_length, DNS_NAME_MAX);
    kind = exchange->answer.kind;

    size = WIRE_BOUNDED(answer_size(kind, &query), 511);
    if (!resize_frame(ctx, payload_offset + size))
        return pass(ctx, FAKEDNS_PASSED_NO_ROOM);
    count(ctx, kind, fakedns_type_of(kind, query.type));
    frame = frame_cursor(ctx);
    message = frame;
    message.pos += payload_offset;
    if (!answer_write(message, kind, &query, &exchange->answer, &cfg->zones) ||
        !packet_turn_around(frame_anew(ctx), &packet, size))
        return XDP_ABORTED;
    return XDP_TX;
}

/* The life of a query. */
static __always_inline int answer_frame(struct xdp_md *ctx)
{
    const struct fakedns_config *cfg = OPAQUE_ADDRESS(config);
    struct wire_cursor frame = frame_cursor(ctx);
    struct wire_cursor message = frame;
    struct exchange exchange = {};
    struct packet *packet = &exchange.packet;
    struct answer *answer = &exchange.answer;
    enum packet_kind kind;
    int padding;

    if (is_to_group(frame))
        return pass(ctx, FAKEDNS_PASSED);
    kind = packet_read(&message, packet);
    if (kind == PACKET_FRAGMENT)
        return pass(ctx, FAKEDNS_PASSED_FRAGMENT);
    if (kind != PACKET_UDP || packet->target_port != cfg->port || !packet->source_port)
        return pass(ctx, FAKEDNS_PASSED);

    padding = packet_padding(packet, frame_length(ctx));
    if (padding) {
        if (padding < 0 || bpf_xdp_adjust_tail(ctx, -padding))
            return pass(ctx, FAKEDNS_PASSED);
        message = frame_cursor(ctx);
        message.pos += PACKET_UDP_SIZE + WIRE_BOUNDED(packet->udp_offset, 63);
    }
    if (cfg->rate_interval_ns && !may_answer(frame_cursor(ctx), packet, cfg->rate_interval_ns)) {
        count(ctx, FAKEDNS_LIMITED, FAKEDNS_TYPE_OTHER);
        return XDP_DROP;
    }

    answer->kind = answer_plan(message, &cfg->zones, &exchange.query, answer);
    if (answer->kind == ANSWER_IGNORED) {
        count(ctx, ANSWER_IGNORED, FAKEDNS_TYPE_OTHER);
        return XDP_DROP;
    }
    return send_answer(ctx, &exchange);
}

static __always_inline int answer_timed(struct xdp_md *ctx)
{
    const struct fakedns_config *cfg = OPAQUE_ADDRESS(config);
    int action;

    if (cfg->time_every)
        begin_timing(cfg->time_every);
    action = answer_frame(ctx);
    if (cfg->time_every)
        end_timing(action);
    return action;
}

SEC("xdp")
int fakedns(struct xdp_md *ctx)
{
    return bounce(ctx, answer_timed(ctx));
}

char _license[] SEC("license") = "Dual BSD/GPL";
