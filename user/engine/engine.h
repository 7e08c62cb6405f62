// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The seam between a trial and what carries its queries.
//
// An engine sends one host's shares of a schedule and counts what becomes of the queries. An engine
// knows no verdict: a run yields a tally, and tallies of several hosts add up.
#pragma once

#include "engine/query_tally.h"
#include "engine/run_progress.h"
#include "engine/tally.h"
#include "units/pace.h"

#include "wire/judge_rule.h"
#include "wire/question.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct QueryRecord;
class QueryWitness;

// What an engine is asked to do.
struct RunPlan {
    std::vector<unsigned> cpus; // each has a lane
    // All hosts' lanes together have the `shares` of the whole schedule. Lane i of this host has
    // share first_share + i.
    std::uint32_t first_share = 0;
    std::uint32_t shares = 1;
    SchedulePlan schedule;     // of all hosts' lanes
    std::uint64_t queries = 0; // of the whole schedule
    Nanoseconds timeout{};
    bool wants_copies = true;                  // of replies: see engine/listening.h
    Nanoseconds stall_limit{};                 // a longer standstill is a stall
    Nanoseconds bearable = Nanoseconds::max(); // a query that is later spoils the run
    // After a stall a sender sends at most this many thousandths of the rate; 0 means no limit.
    std::uint32_t catch_up_per_mille = 0;
    IntervalPlan intervals;
    std::optional<std::string> per_query_file;
    // Without such a file, another thread calls this function with what became of each query.
    std::function<void(const QueryRecord &record)> per_query;
    QueryWitness *witness = nullptr; // of the same queries; null if there is none
};

// The rules by which an engine judges replies.
struct JudgePlan {
    judge_rule rule{};
    question_key questions{}; // the key of the hashes, if queries are no test names
    bool reads_data = false;  // some query wants the data of its answers judged
};

// By this the caller of run() follows the run. The thread that called run() calls the functions.
struct RunWatch {
    const std::atomic<bool> &stop; // the run ends early if this is set
    // Is called a few times a second.
    std::function<void(const RunProgress &)> progress;
    // Is called when no further reply counts. The path is still as in the run.
    std::function<void()> heard_all;
    // Is called when the path is again as before the engine was made.
    std::function<void()> detached;
};

class Engine
{
public:
    virtual ~Engine() = default;

    [[nodiscard]] virtual RunPath path() const = 0;

    // Sends each query when it is due, from `start` (CLOCK_MONOTONIC) on. Waits for the last reply
    // that can count. A spoilt run stops sending at once. Returns what was counted. Throws what a
    // sender throws. Callable once.
    [[nodiscard]] virtual Tally run(Nanoseconds start, const RunWatch &watch) = 0;

    // Returns what was lost on the Tester's own side in the run that yielded `tally`. The
    // interface's counters grew by `growth` meanwhile.
    [[nodiscard]] virtual OwnLosses losses(const Tally &tally,
                                           const CounterValues &growth) const = 0;
};

} // namespace dnsgauge
