// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What all workers with a UDP socket share.
#pragma once

#include "echo/worker.h"

#include <sys/socket.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dnsgauge
{

class SocketEcho : public EchoWorker
{
public:
    void stop() override;

protected:
    static constexpr std::size_t datagram_max = 65536;

    explicit SocketEcho(const EchoSeat &seat) : socket_(seat.socket), counters_(seat.counters) {}

    [[nodiscard]] int socket() const { return socket_; }
    [[nodiscard]] bool stops() const { return stops_.load(std::memory_order_relaxed); }
    void count(echo_counter counter, std::uint64_t by = 1) { counters_.value[counter] += by; }

    // Turns a datagram of `length` octets, received from `from`, into its own reply. Returns false,
    // and counts the datagram as ignored, if there is nothing to echo. `from_size` is 0 if stop()
    // was called and no datagram was received. The function then counts nothing.
    [[nodiscard]] bool turn(std::uint8_t *datagram, std::size_t length,
                            const sockaddr_storage &from, socklen_t from_size);

    // Receives at most one datagram, with these flags of recvfrom(), and sends its echo, with these
    // flags of sendto().
    void echo_one(int receive_flags, int send_flags);

private:
    int socket_;
    echo_counters &counters_;
    std::atomic<bool> stops_ = false;
    std::vector<std::uint8_t> datagram_ = std::vector<std::uint8_t>(datagram_max);
};

} // namespace dnsgauge
