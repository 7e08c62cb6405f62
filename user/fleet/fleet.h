// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The other Testers, as the Tester of rank 0 speaks to them: it gives all of them one task after
// the other.
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
    // What a Tester is told besides an order.
    using MessageFor = std::function<Message(std::uint32_t rank)>;

    static constexpr Nanoseconds patience = std::chrono::seconds(10);     // for what takes no time
    static constexpr Nanoseconds last_patience = std::chrono::seconds(2); // for what may be in vain
    static constexpr Nanoseconds set_up_patience = std::chrono::minutes(1); // for a link to come up

    // Waits until all Testers have said who they are. `words` is the command line. Throws
    // SetupError if a Tester says nothing.
    Fleet(Channel &channel, std::vector<std::string> words);

    // Returns why these Testers make no trial together, and names the Tester that differs; empty if
    // they make one.
    [[nodiscard]] std::string disagreement() const;
    // Returns the Testers by rank, this one too.
    [[nodiscard]] const std::vector<Introduction> &testers() const { return testers_; }
    // Returns where the Testers run, by rank.
    [[nodiscard]] std::vector<std::string> hosts() const;
    [[nodiscard]] std::string name_of(std::uint32_t rank) const;
    [[nodiscard]] Channel &channel() { return channel_; }

    // Begins a task by this order to all others. Returns their answers, ascending by rank. `time`
    // is for each answer. Throws SetupError if a Tester has stopped answering or reports an error.
    std::vector<Message> begin(Order order, Nanoseconds time, const MessageFor &with = no_more);

    // The following belong to the task at hand.

    // Returns false, and notes the Tester as lost, if it did not take the order.
    bool tell(std::uint32_t rank, Order order, Message with, Nanoseconds deadline);
    void tell_all(Order order, Nanoseconds deadline);
    // Returns the answer's value; nothing if no answer came. Throws SetupError if the Tester
    // reports an error.
    [[nodiscard]] std::optional<Message> answer(std::uint32_t rank, Order order,
                                                Nanoseconds deadline);
    // Throws SetupError, too, if no answer came.
    Message must_answer(std::uint32_t rank, Order order, Nanoseconds deadline);

    // Notes that the Tester has stopped answering: no task follows.
    void note_lost(std::uint32_t rank);
    // Does so, and throws SetupError.
    [[noreturn]] void lose(std::uint32_t rank);

    // Sends the other Testers home. Returns false if one has stopped answering: others must end it.
    [[nodiscard]] bool dismiss();

private:
    static Message no_more(std::uint32_t /*rank*/) { return {}; }

    Channel &channel_;
    std::vector<Introduction> testers_;
    std::uint64_t task_ = 0;            // the number of the task at hand
    std::optional<std::uint32_t> lost_; // the first Tester that stopped answering
};

} // namespace dnsgauge
