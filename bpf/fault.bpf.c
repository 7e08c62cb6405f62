// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * FakeDNS that misbehaves by a plan: fakedns.bpf.c makes every answer, and this program then spoils
 * it.
 *
 * An answer that must wait or leave twice goes, as a finished frame, to an AF_XDP socket, whose
 * owner sends it when it is due. If there is no such socket, the query goes up the stack, where
 * sockets answer by the same rule (wire/fault.h).
 */
#include "fakedns.bpf.c"

#include "fault_abi.h"

#define FAULT_GROWTH_MAX (FAULT_PAD_MAX + 128) /* of a query into a padded answer */

const volatile struct fault_config faults = {};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct fault_counters);
} fault_counters SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_XSKMAP);
    __uint(max_entries, FAULT_QUEUES_MAX);
    __type(key, __u32);
    __type(value, __u32);
} holders SEC(".maps");

static __always_inline void count_fault(__u32 counter)
{
    const __u32 key = 0;
    struct fault_counters *mine = bpf_map_lookup_elem(&fault_counters, &key);
    /* Otherwise the compiler may check one copy of the kind, and count by another copy. */
    const __u32 known = WIRE_BOUNDED(counter, 31);

    _Static_assert(FAULT_COUNTERS <= 32, "each counter has a number that the mask keeps");
    if (mine && known < FAULT_COUNTERS)
        mine->value[known]++;
}

/* Returns whether the frame can grow to `length` octets. The caller asks while the frame still
 * holds the query, so that the stack can answer instead. */
static __always_inline int has_room(struct xdp_md *ctx, __u32 length)
{
    const int growth = (int)(length - frame_length(ctx));

    if (growth <= 0)
        return 1;
    if (growth > FAULT_GROWTH_MAX || bpf_xdp_adjust_tail(ctx, growth))
        return 0;
    return !bpf_xdp_adjust_tail(ctx, -growth);
}

/*
 * Reads what the program must know of a query before the answer overwrites it. Returns XDP_TX, or
 * XDP_PASS if the stack must answer this query. A global function, as send_answer() is.
 */
__noinline int look_at_query(struct xdp_md *ctx, struct fault *fault)
{
    const struct fault_config *cfg = OPAQUE_ADDRESS(faults);
    const struct fakedns_config *fakedns_cfg = OPAQUE_ADDRESS(config);
    struct wire_cursor message = frame_cursor(ctx);
    struct packet packet = {};

    if (!fault)
        return XDP_ABORTED;
    if (packet_read(&message, &packet) != PACKET_UDP || packet.target_port != fakedns_cfg->port)
        return XDP_TX;
    fault_look(message, &cfg->plan, fault);
    if (fault_is_held(fault->kind) && !cfg->has_holder)
        return pass(ctx, FAKEDNS_PASSED);
    if (fault_growth_max(fault->kind) &&
        !has_room(ctx, frame_length(ctx) + ANSWER_AAAA_SIZE + fault_growth_max(fault->kind)))
        return pass(ctx, FAKEDNS_PASSED_NO_ROOM);
    if (cfg->plan.pad_to &&
        !has_room(ctx, packet.udp_offset + PACKET_UDP_SIZE + WIRE_BOUNDED(cfg->plan.pad_to, 2047)))
        return pass(ctx, FAKEDNS_PASSED_NO_ROOM);
    return XDP_TX;
}

/* Hands the finished frame to user space, where the frame waits for its time. */
static __always_inline int hold(struct xdp_md *ctx, __u64 delay_ns, __u32 copies)
{
    const __u64 now = bpf_ktime_get_ns();
    struct fault_held *held;

    if (bpf_xdp_adjust_meta(ctx, -(int)sizeof(*held))) {
        count_fault(FAULT_UNHELD);
        return XDP_DROP;
    }
    held = (struct fault_held *)(long)ctx->data_meta;
    if ((void *)(held + 1) > (void *)(long)ctx->data)
        return XDP_ABORTED;
    held->due_ns = now + delay_ns;
    held->copies = copies;
    return (int)bpf_redirect_map(&holders, ctx->rx_queue_index, XDP_ABORTED);
}

/* Writes lengths and checksums for an answer of `size` octets. A global function, as send_answer()
 * is. */
__noinline int complete(struct xdp_md *ctx, __u32 size)
{
    struct wire_cursor message = frame_cursor(ctx);
    struct packet packet = {};

    return packet_read(&message, &packet) == PACKET_UDP &&
           packet_complete(frame_anew(ctx), &packet, WIRE_BOUNDED(size, 2047), 0,
                           PACKET_ANSWER_MAX);
}

/* Gives the frame the answer's changed size and bytes. Returns zero if there is no room. */
static __always_inline int spoil(struct xdp_md *ctx, __u32 payload_offset,
                                 const struct fault *fault)
{
    const int growth = (int)fault->new_size - (int)fault->size;
    struct wire_cursor message;

    if (growth > 0 && bpf_xdp_adjust_tail(ctx, growth))
        return 0;
    message = frame_cursor(ctx);
    message.pos += payload_offset;
    if (!fault_write(message, fault))
        return 0;
    if (growth < 0 && bpf_xdp_adjust_tail(ctx, growth))
        return 0;
    return complete(ctx, fault->new_size);
}

/* Makes the answer in the frame wrong, or changes its size. A global function, as send_answer() is.
 */
__noinline int misbehave(struct xdp_md *ctx, struct fault *seen)
{
    const struct fault_config *cfg = OPAQUE_ADDRESS(faults);
    struct wire_cursor message = frame_cursor(ctx);
    struct packet packet = {};
    struct fault fault;
    __u32 size;

    if (!seen || packet_read(&message, &packet) != PACKET_UDP)
        return XDP_ABORTED;
    fault = *seen;
    fault.body = (__u16)WIRE_BOUNDED(fault.body, 511);
    size = WIRE_BOUNDED(packet.udp_length - PACKET_UDP_SIZE, 511);
    fault_settle(message, size, &cfg->plan, &fault);
    count_fault(fault.kind);
    if (fault.kind == FAULT_LOSS)
        return XDP_DROP;
    if (fault_changes(&fault) && !spoil(ctx, PACKET_UDP_SIZE + packet.udp_offset, &fault))
        return XDP_ABORTED;
    if (fault_is_held(fault.kind))
        return hold(ctx, fault_delay_ns(fault.number, fault.kind, &cfg->plan),
                    fault_copies(fault.kind));
    return XDP_TX;
}

SEC("xdp")
int fakedns_faulty(struct xdp_md *ctx)
{
    struct fault fault = {};
    int action = look_at_query(ctx, &fault);

    if (action != XDP_TX)
        return action;
    action = answer_frame(ctx);
    return bounce(ctx, action == XDP_TX ? misbehave(ctx, &fault) : action);
}
