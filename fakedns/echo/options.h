// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What an echo server is asked to be.
#pragma once

#include "host/xdp_link.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

// How datagrams are received and sent.
enum class EchoModel {
    blocking,
    nonblocking, // asks over and over
    poll,
    select,
    epoll,
    libevent,
    recvmmsg, // and sendmmsg
    io_uring,
    af_packet, // rings of frames
    af_xdp,
    xdp, // in the kernel
};

[[nodiscard]] const char *to_string(EchoModel model);
// Nothing for a word that names none.
[[nodiscard]] std::optional<EchoModel> echo_model(std::string_view word);
// All of them, separated by `separator`.
[[nodiscard]] std::string echo_model_words(std::string_view separator);

struct EchoOptions {
    std::string interface;
    EchoModel model = EchoModel::recvmmsg;
    std::uint16_t port = 53;
    unsigned forks = 1;                    // processes
    unsigned threads = 1;                  // of each process; a worker is a thread
    std::vector<unsigned> cpus;            // worker by worker, over and over; empty: anywhere
    bool own_sockets = false;              // one for each worker; otherwise all share one
    XdpMode xdp_mode = XdpMode::automatic; // of af_xdp and xdp

    [[nodiscard]] unsigned workers() const { return forks * threads; }
    // Of worker `number`; nothing: anywhere.
    [[nodiscard]] std::optional<unsigned> cpu(unsigned number) const
    {
        return cpus.empty() ? std::nullopt : std::optional(cpus[number % cpus.size()]);
    }
};

} // namespace dnsgauge
