// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The path over an interface's link. Makes sure that all queues send before the first query is due.
//
// Attaching an XDP program, or binding a socket in zero-copy mode, makes some drivers (igb) reset
// their link: queries of the next few hundred milliseconds would wait in the driver, or be dropped.
#pragma once

#include "machine/interface.h"
#include "result/trial_result.h"
#include "xsk/tx_socket.h"
#include "xsk/umem.h"

namespace dnsgauge
{

// Sends a few frames, which no host answers, from the interface to its own address, one after the
// other. Throws SetupError if the driver takes more than three seconds: with `polls_busily`
// virtio_net sends nothing, and igb sends only every other second. `umem` and `socket` must be
// unused.
void send_first_frames(const Interface &interface, Umem &umem, TxSocket &socket, bool polls_busily);

// No RTT over a veth pair is shorter: a query enters the kernel by a system call and crosses two
// programs. The shortest RTTs of trials are near 2 us.
inline constexpr Nanoseconds veth_rtt_least{300};

// Returns the path over the interface. The least RTT is the time that the shortest frames take on
// the link, both ways. It is veth_rtt_least for a veth pair, and 0 if the link's speed is unknown.
[[nodiscard]] RunPath path_over(const Interface &interface);

} // namespace dnsgauge
