// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// "fakedns echo", which is a program of its own: its options, its command, and the server.
#pragma once

#include "host/xdp_link.h"
#include "options/program.h"
#include "system/words.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// How datagrams are received and sent.
enum class EchoModel {
    blocking,
    nonblocking, // asks for datagrams again and again
    poll,
    select,
    epoll,
    libevent,
    recvmmsg, // with sendmmsg
    io_uring,
    af_packet, // rings of frames
    af_xdp,
    xdp, // in the kernel
};

inline constexpr auto echo_models = words<EchoModel>({{EchoModel::blocking, "blocking"},
                                                      {EchoModel::nonblocking, "nonblocking"},
                                                      {EchoModel::poll, "poll"},
                                                      {EchoModel::select, "select"},
                                                      {EchoModel::epoll, "epoll"},
                                                      {EchoModel::libevent, "libevent"},
                                                      {EchoModel::recvmmsg, "recvmmsg"},
                                                      {EchoModel::io_uring, "io_uring"},
                                                      {EchoModel::af_packet, "af_packet"},
                                                      {EchoModel::af_xdp, "af_xdp"},
                                                      {EchoModel::xdp, "xdp"}});

struct EchoOptions {
    std::string interface;
    EchoModel model = EchoModel::recvmmsg;
    std::uint16_t port = 53;
    unsigned forks = 1;         // processes
    unsigned threads = 1;       // of each process; a worker is a thread
    std::vector<unsigned> cpus; // the workers get them in turn; if empty, workers run anywhere
    bool own_sockets = false;   // each worker has a socket; otherwise all workers share one
    XdpMode xdp_mode = XdpMode::automatic; // of af_xdp and xdp
    bool verbose = false;                  // shows libbpf's messages

    [[nodiscard]] unsigned workers() const { return forks * threads; }
    // Returns the CPU of worker `number`; nothing if the worker may run anywhere.
    [[nodiscard]] std::optional<unsigned> cpu(unsigned number) const
    {
        return cpus.empty() ? std::nullopt : std::optional(cpus[number % cpus.size()]);
    }
};

// Returns the command. `run` gets the options, which do not exclude each other.
[[nodiscard]] Command echo_command(const std::function<void(const EchoOptions &options)> &run);

// Echoes until SIGTERM or SIGINT, then prints to stdout what each worker has echoed. Throws
// SetupError before the line that says that the echo is ready, or at the end if a process of the
// echo has ended by itself.
void serve_echo(const EchoOptions &options);

} // namespace dnsgauge
