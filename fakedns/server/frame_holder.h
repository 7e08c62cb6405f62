// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Holds frames until they are due. AF_XDP sockets receive finished frames. In front of each frame,
// fault_held (fault_abi.h) tells when and how often to send it. A thread sends each frame at its
// time, without a copy.
//
// The sockets use copy mode, even with a driver that has zero-copy mode: in that mode the driver
// would receive all packets into the memory in which frames wait.
#pragma once

#include "base/event_loop.h"
#include "base/stop_event.h"
#include "xsk/return_socket.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace dnsgauge
{

class FrameHolder
{
public:
    // Opens a socket for each receive queue of `interface`. With a CPU the thread runs there, and
    // waits busily; otherwise it sleeps while nothing is due soon. Throws SetupError if AF_XDP is
    // not available.
    FrameHolder(const std::string &interface, std::optional<unsigned> cpu);
    FrameHolder &operator=(FrameHolder &&) = delete;

    // Returns the sockets by receive queue.
    [[nodiscard]] std::vector<int> sockets() const;

    // Return the number of waiting frames, and of frames that had no room to wait.
    [[nodiscard]] std::uint64_t waiting() const { return waiting_; }
    [[nodiscard]] std::uint64_t unsent() const;

private:
    struct Held {
        std::uint32_t queue;
        std::uint32_t length;
        std::uint64_t address;
        std::uint64_t copies;
    };

    void run(const std::stop_token &token);
    void take();
    void send_due();
    void sleep_until_needed();

    std::vector<std::unique_ptr<ReturnSocket>> queues_;
    StopEvent stop_;
    bool is_busy_;
    DueQueue<Held> held_; // the thread's
    std::atomic<std::uint64_t> waiting_ = 0;
    std::jthread thread_; // declared last: its end comes first
};

} // namespace dnsgauge
