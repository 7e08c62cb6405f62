// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What a packet's unavoidable steps cost: each program takes one of them STEP_TURNS times. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define STEP_TURNS 64
#define SLOTS 65536

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u64[STEP_TURNS]);
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

static __always_inline __u64 counter_raised(__u32 turn)
{
    const __u32 key = 0;
    __u64 *mine = bpf_map_lookup_elem(&counters, &key);

    return mine ? mine[turn % STEP_TURNS]++ : 0;
}

static __always_inline __u64 slot_read(__u32 turn)
{
    volatile __u64 *slot = slot_of(turn);

    return slot ? *slot : 0;
}

static __always_inline __u64 slot_claimed(__u32 turn)
{
    __u64 *slot = slot_of(turn);

    return slot ? __sync_val_compare_and_swap(slot, 0, 0) : 0;
}

#define TIMED(name, step)                                                                          \
    SEC("xdp") int time_##name(struct xdp_md *ctx)                                                 \
    {                                                                                              \
        __u64 sum = 0;                                                                             \
                                                                                                   \
        (void)ctx;                                                                                 \
        for (__u32 turn = 0; turn < STEP_TURNS; turn++) {                                          \
            sum += (__u64)(step);                                                                  \
            asm volatile("" : "+r"(sum)::"memory");                                                \
        }                                                                                          \
        return sum == 1 ? XDP_PASS : XDP_DROP;                                                     \
    }

TIMED(nothing, turn)
TIMED(clock_read, bpf_ktime_get_ns())
TIMED(counter_raised, counter_raised(turn))
TIMED(slot_read, slot_read(turn))
TIMED(slot_claimed, slot_claimed(turn))
/* Two steps: the packet has its size again. */
TIMED(tail_moved_twice, bpf_xdp_adjust_tail(ctx, 28) + bpf_xdp_adjust_tail(ctx, -28))

char LICENSE[] SEC("license") = "Dual BSD/GPL";
