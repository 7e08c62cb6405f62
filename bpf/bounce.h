/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* How an answer leaves through the interface that its query came from. Only *.bpf.c include
 * this. */
#ifndef DNSGAUGE_BOUNCE_H
#define DNSGAUGE_BOUNCE_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

/* Set before loading (host/bounce.h). Nonzero: the driver needs a redirect. Zero: XDP_TX sends. */
const volatile __u8 bounce_redirects = 0;

/* Returns `action`, or a redirect to the same interface if the driver needs that for XDP_TX. */
static __always_inline int bounce(const struct xdp_md *ctx, int action)
{
    if (bounce_redirects && action == XDP_TX)
        return (int)bpf_redirect(ctx->ingress_ifindex, 0);
    return action;
}

#endif
