// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Answers an Internet's queries on one interface by AF_XDP. internet.bpf.c hands the frames with
// queries to sockets. Each answer is written into its query's frame, which leaves at once or when
// it is due, without a copy. All other packets go up the stack, to the daemon's own sockets.
#pragma once

#include "base/event_loop.h"
#include "internet/world.h"
#include "internet/world_answer.h"

#include "host/skeleton.h"
#include "host/xdp_link.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct internet;

namespace dnsgauge
{

class InternetFrames
{
public:
    // Overwrites the query in the first octets of `buffer`, which came to the address `target`
    // from a client in `network` (token_bucket_network()), with its answer, as
    // answer_world_query() does.
    using Answer =
        std::function<WorldAnswer(std::span<const std::uint8_t> target, std::uint64_t network,
                                  std::span<std::uint8_t> buffer, std::size_t query_length)>;

    // The loop must outlive the object. Throws SetupError if AF_XDP is not available there.
    InternetFrames(EventLoop &loop, const std::string &interface, XdpMode mode,
                   const WorldOptions &world, std::uint16_t port, Answer answer);
    ~InternetFrames();
    InternetFrames &operator=(InternetFrames &&) = delete;

    // Returns native or generic.
    [[nodiscard]] XdpMode mode() const { return link_->mode(); }

    // Return the number of answers that wait, and of frames that found no room, in or out.
    [[nodiscard]] std::size_t waiting() const { return held_.size(); }
    [[nodiscard]] std::uint64_t unsent() const;

private:
    class Queue;
    struct Held {
        Queue *queue;
        std::uint64_t address;
        std::uint32_t length;
    };

    void send_due();
    void arm();

    Answer answer_;
    DueQueue<Held> held_;
    DueTimer timer_;
    std::uint64_t retry_at_ns_ = 0; // for frames for which the driver had no room
    Skeleton<internet> skeleton_;
    std::vector<std::unique_ptr<Queue>> queues_;
    std::optional<XdpLink> link_; // declared last, so that it is detached first
};

} // namespace dnsgauge
