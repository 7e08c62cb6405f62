// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What Testers say to each other: JSON objects. The Tester of rank 0 leads: it tells the others
// what to do ("do"), and they answer. Each message has the number of its trial ("trial"), so that a
// late answer is not taken for an answer of the next trial.
//
//   describe, with the plan's words and the Tester's own values
//                                    -> setup, of the Tester
//   prepare, with the same,
//     and the checksums of its files -> senders, their number    each side sets its trial up
//   share, with the first and all    -> ready, circumstances and the clients' prefix
//   pings                            -> here, and then read_clock()
//   start, with the moment               the trial runs; nobody says anything but "stop"
//   pings                            -> here, and then read_clock()
//   part                             -> part, what was measured
//   serve, with the same, all options and FakeDNS' faults
//                                    -> serves       each runs FakeDNS at its link's other end
//   check                            -> serves, if it still does
//   rest                             -> rests        FakeDNS has ended
//   off, leave                           the trial is called off; no trial comes any more
//
// An error, in words, may stand in place of each answer. Pings and their answers are no JSON, and
// may come late, too: a ping is answered at any time, and hear() drops answers to pings.
#pragma once

#include "fleet/channel.h"
#include "options/option.h"
#include "trial/testers.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

using Message = nlohmann::ordered_json;

// Returns the moment at which this time will have passed, by CLOCK_MONOTONIC.
[[nodiscard]] Nanoseconds after(Nanoseconds time);

// Returns false if the Tester did not take the message until `deadline`.
[[nodiscard]] bool say_to(Channel &channel, std::uint32_t to, const Message &message,
                          Nanoseconds deadline);

// Returns the next message that is no answer to a ping; nothing if none comes until `deadline`.
[[nodiscard]] std::optional<Message> hear(Channel &channel, std::uint32_t from,
                                          Nanoseconds deadline);

// Options with their texts.
[[nodiscard]] Message values_json(const std::vector<GivenOption> &values);
// Throws nlohmann::json::exception.
[[nodiscard]] std::vector<GivenOption> read_values(const Message &message);

// A Tester's identity, which it tells the others when it joins.
struct Introduction {
    std::string host;
    std::string machine;            // the same for Testers that share a kernel, and its CPUs
    std::string version;            // with the commit
    std::vector<std::string> words; // of its command line
};

// Returns who this Tester is. `words` is its command line.
[[nodiscard]] Introduction introduce(std::vector<std::string> words);
[[nodiscard]] Message introduction_json(const Introduction &introduction);
// Throws nlohmann::json::exception.
[[nodiscard]] Introduction read_introduction(const Message &message);

[[nodiscard]] Message shares_json(const Shares &shares);
[[nodiscard]] Shares read_shares(const Message &message);

[[nodiscard]] Message readiness_json(const Readiness &readiness);
// Throws nlohmann::json::exception, and SetupError if the prefix is wrong.
[[nodiscard]] Readiness read_readiness(const Message &message);

} // namespace dnsgauge
