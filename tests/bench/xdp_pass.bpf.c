// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Passes every packet. On veth XDP_TX wakes the other end only if that end has a program.
#include <linux/bpf.h>

__attribute__((section("xdp"), used)) int xdp_pass(struct xdp_md *context)
{
    (void)context;
    return XDP_PASS;
}
