// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What Testers say to each other: JSON objects. The Tester of rank 0 leads: it gives the others
// orders ("do"), and they answer. An answer names its order ("to"), and has a value. Each message
// has the number of its trial ("trial"), so that an answer that came too late is not taken for one
// of the next trial.
//
// A trial has the orders prepare, share, pings, start, pings and part. In place of each answer
// there may be an error, in words. Pings and their answers are no JSON, and may come late, too: a
// ping is answered at any time, and hear() drops an answer to one.
#pragma once

#include "fleet/channel.h"
#include "options/option.h"
#include "trial/testers.h"
#include "userland/words.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

using Message = nlohmann::ordered_json;

enum class Order {
    describe, // the plan's words and the Tester's own values; answer: the Tester's set-up
    prepare,  // the same, and the files' checksums; answer: the number of senders
    share,    // the first share and all; answer: circumstances and the clients' prefix
    pings,    // the answer has no value; read_clock() follows
    start,    // the moment; no answer, and no order but stop while the trial runs
    stop,     // no answer
    part,     // answer: what was measured
    serve,    // as describe, all options and faults; answer: FakeDNS runs at the link's other end
    check,    // answer: FakeDNS still runs
    rest,     // answer: FakeDNS has ended
    off,      // the trial is called off; no answer
    leave     // no trial comes any more; no answer
};

inline constexpr auto orders = words<Order>({{Order::describe, "describe"},
                                             {Order::prepare, "prepare"},
                                             {Order::share, "share"},
                                             {Order::pings, "pings"},
                                             {Order::start, "start"},
                                             {Order::stop, "stop"},
                                             {Order::part, "part"},
                                             {Order::serve, "serve"},
                                             {Order::check, "check"},
                                             {Order::rest, "rest"},
                                             {Order::off, "off"},
                                             {Order::leave, "leave"}});

// Returns the moment when that time has passed, by CLOCK_MONOTONIC.
[[nodiscard]] Nanoseconds after(Nanoseconds time);

// Returns false if the Tester did not take the message until `deadline`.
[[nodiscard]] bool say_to(Channel &channel, std::uint32_t to, const Message &message,
                          Nanoseconds deadline);

// Returns the next message that is no answer to a ping; nothing if none comes until `deadline`.
[[nodiscard]] std::optional<Message> hear(Channel &channel, std::uint32_t from,
                                          Nanoseconds deadline);

// An order, and what it says besides.
struct Told {
    Order order{};
    std::uint64_t trial = 0;
    Message with;
};

[[nodiscard]] Message told_json(Told told);
// Throws std::runtime_error for a word that is no order, and nlohmann::json::exception.
[[nodiscard]] Told read_told(Message message);

struct Answered {
    std::optional<Order> to; // missing beside an error
    std::uint64_t trial = 0;
    Message value;
    std::string error;
};

[[nodiscard]] Message answered_json(const Answered &answered);
[[nodiscard]] Answered read_answered(const Message &message);

// The plan of a trial, as one Tester makes it. Orders that need no more leave the last three out.
struct ToldPlan {
    std::vector<std::string> words; // see plan_of()
    std::vector<GivenOption> own;
    std::vector<std::string> files_crc64; // of the files of queries
    std::vector<GivenOption> given;       // all options of the command
    std::string faults;                   // of FakeDNS
};

[[nodiscard]] Message plan_json(const ToldPlan &plan);
// Throws nlohmann::json::exception.
[[nodiscard]] ToldPlan read_plan(const Message &message);

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
