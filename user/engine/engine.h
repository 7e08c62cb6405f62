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
    // The lanes of all hosts have the `shares` of the whole schedule together. Lane i has share
    // first_share + i.
    std::uint32_t first_share = 0;
    std::uint32_t shares = 1;
    SchedulePlan schedule;     // of all hosts' lanes
    std::uint64_t queries = 0; // of the whole schedule
    Nanoseconds timeout{};
    bool wants_copies = true;                  // of replies: see engine/listening.h
    Nanoseconds stall_limit{};                 // a longer standstill is a stall
    Nanoseconds bearable = Nanoseconds::max(); // a query that is later spoils the run
    // After a stall a sender sends at most so many thousandths of the rate; 0 means no limit.
    std::uint32_t catch_up_per_mille = 0;
    IntervalPlan intervals;
    std::optional<std::string> per_query_file;
    // Without such a file this function gets what became of each query, by another thread.
    std::function<void(const QueryRecord &record)> per_query;
    QueryWitness *witness = nullptr; // of the same queries; null: nobody
};

// The rules by which an engine judges replies.
struct JudgePlan {
    judge_rule rule{};
    question_key questions{}; // the key of the hashes, if queries are no test names
    bool reads_data = false;  // some query wants the data of its answers judged
};

// How the caller of run() follows the run. The thread that called run() calls all functions.
struct RunWatch {
    const std::atomic<bool> &stop; // the run ends early if this is set
    // Is called a few times a second.
    std::function<void(const RunProgress &)> progress;
    // Is called when nothing counts any more. The path is still as in the run.
    std::function<void()> heard_all;
    // Is called when the path is as it was before the engine was made.
    std::function<void()> detached;
};

class Engine
{
public:
    virtual ~Engine() = default;

    [[nodiscard]] virtual RunPath path() const = 0;

    // Sends the queries from `start` (CLOCK_MONOTONIC) on, when they are due. Waits for the last
    // reply that can count. A spoilt run stops sending at once. Returns what was counted. Throws
    // what a sender throws. An engine runs once.
    [[nodiscard]] virtual Tally run(Nanoseconds start, const RunWatch &watch) = 0;

    // Returns what was lost on the Tester's own side in the run that yielded `tally`, during which
    // the interface's counters grew by `growth`.
    [[nodiscard]] virtual OwnLosses losses(const Tally &tally,
                                           const CounterValues &growth) const = 0;
};

} // namespace dnsgauge
