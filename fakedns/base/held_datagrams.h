// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Datagrams that wait in memory until they are due, and are then sent. The memory of a datagram
// that was sent holds a later one: it grows to what waited at a time at most.
#pragma once

#include "base/event_loop.h"

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace dnsgauge
{

class HeldDatagrams
{
public:
    // At most `most` datagrams wait at a time. Throws SetupError.
    HeldDatagrams(EventLoop &loop, std::size_t most, Punctuality punctuality);

    // Sends a copy of `message` by the socket `fd` at `due_ns` (ktime_ns()), to where `header`
    // came from and from where it was sent to. Counts the datagram as unsent if too many wait. The
    // socket must not be closed before.
    void hold(int fd, std::span<const std::uint8_t> message, const msghdr &header,
              std::uint64_t due_ns);

    // Sends `message` at once, in the same way.
    void send_now(int fd, std::span<const std::uint8_t> message, const msghdr &header);

    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
    [[nodiscard]] std::uint64_t unsent() const { return unsent_; }

private:
    // A datagram with its target and its source.
    struct Datagram {
        int fd = -1;
        std::vector<std::uint8_t> message;
        std::vector<std::uint8_t> name;
        std::vector<std::uint8_t> control;
    };
    using Place = std::uint32_t; // in datagrams_

    [[nodiscard]] Place copy(int fd, std::span<const std::uint8_t> message, const msghdr &header);
    void send(Place place);
    void send_due();
    void arm();

    std::size_t most_;
    Punctuality punctuality_;
    DueTimer timer_;
    std::deque<Datagram> datagrams_;
    std::vector<Place> free_;
    DueQueue<Place> waiting_;
    std::uint64_t unsent_ = 0;
};

} // namespace dnsgauge
