// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The result of a soak, the same load for hours: plain values, which all rooms may use.
#pragma once

#include "result/caveats.h"
#include "result/trial_log.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// A process of the server. Memory that several processes share counts for each in part.
struct ProcessMemory {
    int process = 0;
    std::string name;
    std::uint64_t octets = 0; // in memory or swapped out

    bool operator==(const ProcessMemory &) const = default;
};

// A trial of a soak: sent = answered + late + invalid + lost.
struct SoakRow {
    std::string started; // UTC, ISO 8601
    Verdict verdict = Verdict::invalid;
    std::string why;
    std::uint64_t sent = 0;
    std::uint64_t answered = 0; // right, at or before the timeout
    std::uint64_t late = 0;
    std::uint64_t invalid = 0;
    std::uint64_t lost = 0;
    std::optional<std::uint64_t> rtt_p50{}; // nanoseconds; absent: no query was answered
    std::optional<std::uint64_t> rtt_p99{};
    std::vector<ProcessMemory> processes; // of the server, behind the row; empty: none is known

    // Returns how much memory the server has; nothing where no process of the server is known.
    [[nodiscard]] std::optional<std::uint64_t> memory() const
    {
        std::uint64_t octets = 0;
        for (const ProcessMemory &one : processes)
            octets += one.octets;
        return processes.empty() ? std::nullopt : std::optional(octets);
    }
    // Returns the percentage of the queries that were not answered right and in time.
    [[nodiscard]] double loss_percent() const
    {
        return sent == 0 ? 0
                         : 100 * static_cast<double>(sent - answered) / static_cast<double>(sent);
    }
};

struct SoakResult : TrialLog {
    std::string server;
    Rate rate;
    std::string rate_from;         // what the rate is a part of; empty: it was given
    std::uint64_t rows_wanted = 0; // that are not invalid
    Nanoseconds row{};             // the time for which a row's queries are sent
    Nanoseconds timeout{};
    double accept_percent = 100;
    Caveats caveats;

    std::vector<SoakRow> rows; // in the order in which they were made, invalid ones included
    TrialsEnd end = TrialsEnd::complete;
    std::string error; // why no further row could be made, and so an interruption; empty: nothing
};

// Returns the sums of all rows that are not invalid, with the verdict fail if one row failed, and
// invalid if there is no such row.
[[nodiscard]] inline SoakRow total_of(const SoakResult &result)
{
    SoakRow total;
    total.verdict = Verdict::invalid;
    for (const SoakRow &row : result.rows) {
        if (row.verdict == Verdict::invalid)
            continue;
        if (total.verdict != Verdict::fail)
            total.verdict = row.verdict;
        total.sent += row.sent;
        total.answered += row.answered;
        total.late += row.late;
        total.invalid += row.invalid;
        total.lost += row.lost;
    }
    return total;
}

// Returns the numbers, from 1, of the rows at whose end the server had other processes than at the
// end of the row before, as after a restart.
[[nodiscard]] inline std::vector<std::uint64_t> rows_with_new_processes(const SoakResult &result)
{
    std::vector<std::uint64_t> found;
    for (std::size_t i = 1; i < result.rows.size(); i++) {
        const auto &before = result.rows[i - 1].processes;
        const auto &now = result.rows[i].processes;
        bool differs = before.size() != now.size();
        for (std::size_t j = 0; !differs && j < now.size(); j++)
            differs = before[j].process != now[j].process;
        if (differs)
            found.push_back(i + 1);
    }
    return found;
}

} // namespace dnsgauge
