/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The clock at the other end of the Tester's link. It notes when each query arrives, by the number
 * of the query's name, and drops the query. All other packets pass. The clock has nothing in common
 * with the Tester's sender but the names.
 */
#include "program.h"

#include "arrival_clock_abi.h"
#include "wire/dns.h"
#include "wire/packet.h"
#include "wire/test_name.h"

const volatile struct arrival_clock_config config = {};

/* The arrival of each query, CLOCK_MONOTONIC; 0 if it has not arrived. User space maps this. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u64);
} arrivals SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct arrival_totals);
} totals SEC(".maps");

/* Returns where the query's time is stored; NULL if the query asks for none of the names. */
static __always_inline __u64 *find_arrival(struct wire_cursor message, __u32 first)
{
    __u32 number;

    if (!wire_has(&message, DNS_HEADER_SIZE + 1 + TEST_NAME_LABEL))
        return NULL;
    message.pos += DNS_HEADER_SIZE;
    if (message.pos[0] != TEST_NAME_LABEL || !test_name_read(message.pos + 1, &number))
        return NULL;
    number -= first;
    return bpf_map_lookup_elem(&arrivals, &number);
}

SEC("xdp")
int arrival_clock(struct xdp_md *ctx)
{
    const __u64 now = bpf_ktime_get_ns();
    const struct arrival_clock_config *cfg = OPAQUE_ADDRESS(config);
    struct wire_cursor message = frame_cursor(ctx);
    struct packet packet = {};
    struct arrival_totals *mine;
    const __u32 key = 0;
    __u64 *arrival;

    if (packet_read(&message, &packet) != PACKET_UDP || packet.target_port != cfg->port)
        return XDP_PASS;
    mine = bpf_map_lookup_elem(&totals, &key);
    if (!mine)
        return XDP_PASS;
    arrival = find_arrival(message, cfg->first);
    if (!arrival) {
        mine->strange++;
        return XDP_PASS;
    }
    mine->arrived++;
    if (__sync_val_compare_and_swap(arrival, 0, now))
        mine->repeated++;
    return XDP_DROP;
}

char _license[] SEC("license") = "Dual BSD/GPL";
