/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What internet.bpf.c and the daemon that loads it share. */
#ifndef DNSGAUGE_INTERNET_ABI_H
#define DNSGAUGE_INTERNET_ABI_H

#include <linux/types.h>

#define INTERNET_QUEUES_MAX 64     /* receive queues of an interface that are served */
#define INTERNET_DATAGRAM_MAX 1480 /* octets of a UDP datagram, its header included */

/* The addresses that equal `first` in all bits that are ones in `mask`. Words are in the byte order
 * of packets. */
struct internet_prefix {
    __u32 first[4];
    __u32 mask[4];
};

/* Read-only data of the program, set before it is loaded. */
struct internet_config {
    struct internet_prefix ipv4; /* of the servers; only the first word is used */
    struct internet_prefix ipv6;
    __u16 port; /* host order */
    __u16 has_ipv6;
};

#endif
