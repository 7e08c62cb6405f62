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

// Sends a few frames that no host answers, from the interface to the interface's own address, one
// when the driver has sent the one before. Throws SetupError if that takes more than three seconds:
// with `polls_busily` some drivers (virtio_net) send nothing, or (igb) send only what a timer of
// theirs finds every other second. `umem` and `socket` must be unused.
void send_first_frames(const Interface &interface, Umem &umem, TxSocket &socket, bool polls_busily);

} // namespace dnsgauge
