// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What Testers say to each other. The Tester of rank 0 leads: it gives the others orders, and they
// answer. Each message has the number of its task, so that a late answer is not mistaken for an
// answer of the next task.
//
// A trial is a task with the orders prepare, share, pings, start, pings and part. An error, in
// words, may come instead of any answer. Pings and their answers are not JSON. They may come late:
// a ShownClock answers a ping at any time, and hear() drops a late answer.
#pragma once

#include "fleet/channel.h"
#include "fleet/packed.h"
#include "options/option.h"
#include "trial/plan.h"
#include "trial/testers.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// The plan of a trial for one Tester. An order leaves out each of the last three members that it
// does not need.
struct ToldPlan {
    std::vector<std::string> words; // see plan_of()
    std::vector<GivenOption> own;
    std::vector<std::string> files_crc64{}; // of the files of queries
    std::vector<GivenOption> given{};       // all options of the command
    std::string faults{};                   // of FakeDNS
};

enum class Order {
    leave,    // no task follows; no answer. All versions know this order, so it stays the first
    describe, // ToldPlan; answer: the Tester's set-up
    prepare,  // ToldPlan with the files' checksums; answer: the number of senders
    share,    // Shares; answer: Readiness
    pings,    // the answer has no value; read_clock() follows
    start,    // the moment; no answer, and no order but stop while the trial runs
    stop,     // no answer
    part,     // answer: what was measured
    serve,    // ToldPlan with all options and faults; answer: FakeDNS runs at the link's other end
    check,    // answer: FakeDNS still runs
    rest,     // answer: FakeDNS has ended
    off       // the trial is called off; no answer
};

// An order and its value.
struct Told {
    Order order{};
    std::uint64_t task = 0;
    Message with{};
};

MEMBERS(Told, order, task, with);

struct Answered {
    Order order{};
    std::uint64_t task = 0;
    Message value{};
    std::string error{}; // empty if there is none
};

MEMBERS(Answered, order, task, value, error);
MEMBERS(GivenOption, option, text, place);
MEMBERS(ToldPlan, words, own, files_crc64, given, faults);
SOME_MEMBERS(scatter_key, add, factor); // all, which are arrays in C
MEMBERS(Shares, first, all, order);

[[nodiscard]] Message readiness_json(const Readiness &readiness);
// Throws nlohmann::json::exception, and SetupError if the prefix is wrong.
[[nodiscard]] Readiness read_readiness(const Message &message);

// A Tester's identity, which it tells when it joins. The Testers may have different versions.
struct Introduction {
    std::string host;
    std::string machine;            // the same for Testers that share a kernel and its CPUs
    std::string version;            // with the commit
    std::vector<std::string> words; // of its command line
};

// Returns who this Tester is. `words` is its command line.
[[nodiscard]] Introduction introduce(std::vector<std::string> words);
[[nodiscard]] Message introduction_json(const Introduction &introduction);
// Throws nlohmann::json::exception.
[[nodiscard]] Introduction read_introduction(const Message &message);

// Returns the moment, by CLOCK_MONOTONIC, at which that time will have passed.
[[nodiscard]] Nanoseconds after(Nanoseconds time);

// Sends the message. Returns false if the Tester has not taken it by `deadline`.
[[nodiscard]] bool say_to(Channel &channel, std::uint32_t to, const Message &message,
                          Nanoseconds deadline);

// Returns the next message that is no answer to a ping; nothing if none comes by `deadline`.
[[nodiscard]] std::optional<Message> hear(Channel &channel, std::uint32_t from,
                                          Nanoseconds deadline);

// Returns the words that set all options of the plan that differ from the defaults, and --rate;
// leaves out the options in `without`. If the plan has read its captures, --duration is the
// duration that the user asked for, so that another Tester finds the same queries in them.
[[nodiscard]] std::vector<std::string> words_of(const TrialPlan &plan,
                                                const std::vector<std::string> &without = {});

// Returns the plan in the words of words_of(), but with this Tester's own values, `own`. Ignores
// options that trials lack. Throws OptionError if one of the own values is wrong.
[[nodiscard]] TrialPlan plan_of(const std::vector<std::string> &words,
                                std::vector<GivenOption> own);
[[nodiscard]] TrialPlan plan_of(const ToldPlan &told);

} // namespace dnsgauge
