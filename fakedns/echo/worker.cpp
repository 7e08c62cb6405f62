// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "echo/worker.h"

#include <array>

namespace dnsgauge
{

std::unique_ptr<EchoWorker> make_echo_worker(const EchoSeat &seat)
{
    // In the order of EchoModel.
    static constexpr std::array<EchoWorkerMaker *, 10> makers{
        make_blocking_echo,  make_nonblocking_echo, make_poll_echo,     make_select_echo,
        make_epoll_echo,     make_libevent_echo,    make_recvmmsg_echo, make_io_uring_echo,
        make_af_packet_echo, make_af_xdp_echo};
    static_assert(makers.size() == static_cast<std::size_t>(EchoModel::xdp));
    return makers.at(static_cast<std::size_t>(seat.options.model))(seat);
}

} // namespace dnsgauge
