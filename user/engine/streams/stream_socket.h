// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The system calls of a client's TCP and UDP sockets, which never wait.
#pragma once

#include "dns/socket_address.h"
#include "result/connections.h"
#include "system/unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace dnsgauge
{

// What a connection is to be.
struct SocketPlan {
    SocketAddress server;
    SocketAddress source; // port 0
    std::string interface {
    };                        // that packets leave by; empty means that routes decide
    bool takes_stamps = true; // the kernel's of what it receives
    Acks acks = Acks::quick;
};

// Returns a socket that, while it lives, makes the kernel stamp what TCP sockets receive; none if
// the kernel has no stamps. The kernel begins to stamp a while after the first socket wants stamps.
[[nodiscard]] UniqueFd stamping_socket();

// Makes a socket that sends at once what it is given, and begins to connect it. Returns an error
// number; 0 if all is well. `is_open` says whether the connection is open by now.
[[nodiscard]] int begin_connection(const SocketPlan &plan, UniqueFd &made, bool &is_open);

// Makes a UDP socket that is connected to the server. Returns an error number; 0 if all is well.
[[nodiscard]] int begin_datagrams(const SocketPlan &plan, UniqueFd &made);

// Returns the error by which the socket's connection failed; 0 if it did not.
[[nodiscard]] int error_of(const UniqueFd &socket);

struct Received {
    std::size_t octets = 0;
    int error = 0; // 0 and no octets: the server sends no more
    // CLOCK_REALTIME: when the kernel received the last segment of these octets.
    std::optional<std::int64_t> stamp_ns{};
};

// Takes octets out of the socket.
[[nodiscard]] Received receive(const UniqueFd &socket, std::span<std::uint8_t> room);

// Acknowledges at once what was received. Otherwise a server that sends nothing before its last
// octets are acknowledged would wait for the kernel's delayed acknowledgement.
void acknowledge(const UniqueFd &socket);

// What TCP knows about a connection at its end.
struct StreamState {
    std::uint64_t segments = 0; // sent, with those that were sent again
    std::uint64_t retransmissions = 0;
    std::uint64_t unsent = 0; // octets that the kernel holds and never sent
    // Sending waited longer for room in the socket's own buffer than for the server to read.
    bool lacked_buffer = false;
    std::int64_t since_ack_ns =
        0; // since the server last acknowledged anything, in whole milliseconds
};

[[nodiscard]] StreamState state_of(const UniqueFd &socket);

// Closes the connection without leaving its port in use: the server gets a reset.
void abandon(UniqueFd &socket);

} // namespace dnsgauge
