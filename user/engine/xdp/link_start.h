// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes sure, before the first query is due, that an interface's queues send.
//
// Attaching an XDP program, or binding a socket in zero-copy mode, makes some drivers (igb) reset
// their link: queries of the next few hundred milliseconds would wait in the driver, or be dropped.
#pragma once

#include "machine/interface.h"
#include "xsk/tx_socket.h"
#include "xsk/umem.h"

namespace dnsgauge
{

// Sends a few frames from the interface to its own address, which no host answers. Each frame waits
// until the driver has sent the previous one. Throws SetupError if that takes more than three
// seconds. With `polls_busily` virtio_net sends nothing, and igb sends only what a timer finds
// every other second. `umem` and `socket` must be unused.
void send_first_frames(const Interface &interface, Umem &umem, TxSocket &socket, bool polls_busily);

} // namespace dnsgauge
