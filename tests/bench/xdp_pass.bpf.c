// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Passes every packet. On veth the end that XDP_TX sends to is woken only if it has a program.
#include <linux/bpf.h>

__attribute__((section("xdp"), used)) int xdp_pass(struct xdp_md *context)
{
    (void)context;
    return XDP_PASS;
}
