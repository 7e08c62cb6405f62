// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The other Testers, for the Tester of rank 0. It gives all of them one task after the other.
#pragma once

#include "fleet/channel.h"
#include "fleet/talk.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

class Fleet
{
public:
    // The value that comes with an order to this Tester.
    using MessageFor = std::function<Message(std::uint32_t rank)>;

    static constexpr Nanoseconds patience =
        std::chrono::seconds(10); // for answers that take no time
    static constexpr Nanoseconds last_patience =
        std::chrono::seconds(2); // for answers that may never come
    static constexpr Nanoseconds set_up_patience =
        std::chrono::minutes(1); // for setting up, as a link may have to come up

    // Waits until all Testers have said who they are. `words` is the command line. Throws
    // SetupError if a Tester says nothing.
    Fleet(Channel &channel, std::vector<std::string> words);

    // Returns why these Testers cannot make trials together, and names the Tester that differs;
    // empty if they can.
    [[nodiscard]] std::string disagreement() const;
    // Returns the Testers by rank, this one too.
    [[nodiscard]] const std::vector<Introduction> &testers() const { return testers_; }
    // Returns where the Testers run, by rank.
    [[nodiscard]] std::vector<std::string> hosts() const;
    [[nodiscard]] std::string name_of(std::uint32_t rank) const;
    [[nodiscard]] Channel &channel() { return channel_; }

    // Begins a task with this order to all other Testers. Returns their answers, ascending by rank.
    // Waits up to `time` for each answer. Throws SetupError if a Tester has stopped answering or
    // reports an error.
    std::vector<Message> begin(Order order, Nanoseconds time, const MessageFor &with = no_more);

    // The functions below belong to the current task.

    // Sends an order. Returns false, and notes the Tester as lost, if it did not take the order.
    bool tell(std::uint32_t rank, Order order, Message with, Nanoseconds deadline);
    void tell_all(Order order, Nanoseconds deadline);
    // Returns the answer's value; nothing if no answer came. Throws SetupError if the Tester
    // reports an error.
    [[nodiscard]] std::optional<Message> answer(std::uint32_t rank, Order order,
                                                Nanoseconds deadline);
    // Like answer(), but throws SetupError also if no answer came.
    Message must_answer(std::uint32_t rank, Order order, Nanoseconds deadline);

    // Notes that the Tester has stopped answering. No task can follow.
    void note_lost(std::uint32_t rank);
    // Calls note_lost(), and throws SetupError.
    [[noreturn]] void lose(std::uint32_t rank);

    // Tells the other Testers to end. Returns false if one has stopped answering: somebody must
    // kill it.
    [[nodiscard]] bool dismiss();

private:
    static Message no_more(std::uint32_t /*rank*/) { return {}; }

    Channel &channel_;
    std::vector<Introduction> testers_;
    std::uint64_t task_ = 0;            // the number of the current task
    std::optional<std::uint32_t> lost_; // the first Tester that stopped answering
};

} // namespace dnsgauge
