// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What a packet's unavoidable steps cost: each program takes one of them TURNS times.
 * helpers_cost.py compiles and times the programs. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define TURNS 64
#define SLOTS 65536

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u64[TURNS]);
} counters SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, SLOTS);
    __uint(map_flags, BPF_F_MMAPABLE);
    __type(key, __u32);
    __type(value, __u64[2]);
} slots SEC(".maps");

static __always_inline __u64 *slot_of(__u32 turn)
{
    const __u32 index = (turn * 2654435761U) % SLOTS;

    return bpf_map_lookup_elem(&slots, &index);
}

static __always_inline __u64 nothing(struct xdp_md *ctx, __u32 turn)
{
    return turn;
}

static __always_inline __u64 clock_read(struct xdp_md *ctx, __u32 turn)
{
    return bpf_ktime_get_ns();
}

static __always_inline __u64 counter_raised(struct xdp_md *ctx, __u32 turn)
{
    const __u32 key = 0;
    __u64 *mine = bpf_map_lookup_elem(&counters, &key);

    return mine ? mine[turn % TURNS]++ : 0;
}

static __always_inline __u64 slot_read(struct xdp_md *ctx, __u32 turn)
{
    volatile __u64 *slot = slot_of(turn);

    return slot ? *slot : 0;
}

static __always_inline __u64 slot_claimed(struct xdp_md *ctx, __u32 turn)
{
    __u64 *slot = slot_of(turn);

    return slot ? __sync_val_compare_and_swap(slot, 0, 0) : 0;
}

/* Two steps: the packet has its size again. */
static __always_inline __u64 tail_moved_twice(struct xdp_md *ctx, __u32 turn)
{
    return (__u64)bpf_xdp_adjust_tail(ctx, 28) + (__u64)bpf_xdp_adjust_tail(ctx, -28);
}

#define TIMED(step)                                                                                \
    SEC("xdp") int time_##step(struct xdp_md *ctx)                                                 \
    {                                                                                              \
        __u64 sum = 0;                                                                             \
                                                                                                   \
        for (__u32 turn = 0; turn < TURNS; turn++) {                                               \
            sum += step(ctx, turn);                                                                \
            asm volatile("" : "+r"(sum)::"memory");                                                \
        }                                                                                          \
        return sum == 1 ? XDP_PASS : XDP_DROP;                                                     \
    }

TIMED(nothing)
TIMED(clock_read)
TIMED(counter_raised)
TIMED(slot_read)
TIMED(slot_claimed)
TIMED(tail_moved_twice)

char LICENSE[] SEC("license") = "Dual BSD/GPL";
