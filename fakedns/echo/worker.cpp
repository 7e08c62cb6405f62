// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "echo/worker.h"

#include <stdexcept>

namespace dnsgauge
{

std::unique_ptr<EchoWorker> make_echo_worker(const EchoSeat &seat)
{
    switch (seat.options.model) {
    case EchoModel::blocking:
        return make_blocking_echo(seat);
    case EchoModel::nonblocking:
        return make_nonblocking_echo(seat);
    case EchoModel::poll:
        return make_poll_echo(seat);
    case EchoModel::select:
        return make_select_echo(seat);
    case EchoModel::epoll:
        return make_epoll_echo(seat);
    case EchoModel::libevent:
        return make_libevent_echo(seat);
    case EchoModel::recvmmsg:
        return make_recvmmsg_echo(seat);
    case EchoModel::io_uring:
        return make_io_uring_echo(seat);
    case EchoModel::af_packet:
        return make_af_packet_echo(seat);
    case EchoModel::af_xdp:
        return make_af_xdp_echo(seat);
    case EchoModel::xdp:
        break;
    }
    throw std::logic_error("the kernel program has no workers");
}

} // namespace dnsgauge
