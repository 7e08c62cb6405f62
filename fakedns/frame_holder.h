// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// AF_XDP sockets that receive finished frames with the time when they are to be sent (fault_held of
// fault_abi.h in front of each), and a thread that sends them then, as often as that says. A frame
// stays where it was received until its sending is complete.
//
// The sockets copy, even where the driver need not: it would otherwise receive everything into the
// memory in which frames wait.
#pragma once

#include "base/stop_event.h"
#include "fakedns/due_queue.h"
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
    // A socket for each receive queue of `interface`. With a CPU the thread has that one, and waits
    // busily; else it sleeps where nothing is due soon. Throws SetupError where AF_XDP is not to be
    // had.
    FrameHolder(const std::string &interface, std::optional<unsigned> cpu);
    ~FrameHolder();
    FrameHolder(const FrameHolder &) = delete;
    FrameHolder &operator=(const FrameHolder &) = delete;

    // The sockets, by receive queue.
    [[nodiscard]] std::vector<int> sockets() const;

    // Frames that wait for their time, and frames that did not find room to.
    [[nodiscard]] std::uint64_t waiting() const { return waiting_; }
    [[nodiscard]] std::uint64_t unsent() const;

private:
    struct Held {
        std::uint32_t queue;
        std::uint32_t length;
        std::uint64_t address;
        std::uint64_t copies;
    };

    void run();
    void pin(unsigned cpu);
    void take();
    void send_due();
    void sleep_until_needed();

    std::vector<std::unique_ptr<ReturnSocket>> queues_;
    StopEvent stop_;
    bool is_busy_;
    DueQueue<Held> held_; // the thread's
    std::atomic<std::uint64_t> waiting_ = 0;
    std::thread thread_;
};

} // namespace dnsgauge
