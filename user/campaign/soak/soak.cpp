// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "soak/soak.h"

#include "record/json.h"
#include "record/json_text.h"
#include "record/soak_json.h"
#include "userland/setup_error.h"

#include <utility>

namespace dnsgauge
{

namespace
{

using Json = Journal::Json;

// Reads what a soak keeps of a trial, in the journal's form.
SoakRow read_row(const SearchTrial &trial, const Json &whole)
{
    SoakRow row;
    row.started = plain_text(whole.at("circumstances").at("started"));
    row.verdict = trial.verdict;
    row.why = trial.why;
    row.sent = trial.sent;
    row.answered = trial.valid;
    const UnansweredQueries unanswered = read_unanswered(trial, whole);
    row.late = unanswered.late;
    row.invalid = unanswered.invalid;
    row.lost = unanswered.lost;
    row.rtt_p50 = read_figure(whole.at("rtt_ns").at("p50"));
    row.rtt_p99 = read_figure(whole.at("rtt_ns").at("p99"));
    return row;
}

} // namespace

SoakResult run_soak(const SoakPlan &plan, Journal &journal, const TrialRunner &run,
                    const ReadMemory &memory)
{
    SoakResult result;
    std::uint64_t made = 0;               // without invalid rows
    std::vector<ProcessMemory> processes; // behind the row that is fed next
    const auto next = [&]() -> std::optional<SearchTurn> {
        if (made == plan.rows)
            return std::nullopt;
        return SearchTurn{1, static_cast<unsigned>(result.rows.size() + 1), plan.rate};
    };
    const auto feed = [&](const SearchTrial &trial, const Json &whole) {
        result.rows.push_back(read_row(trial, whole));
        result.rows.back().processes = std::exchange(processes, {});
        made += trial.verdict != Verdict::invalid;
    };
    JournalledTrials trials(
        journal, {.next = next, .feed = feed, .left = [&] { return TrialsLeft{plan.rows - made}; }},
        "soak", plan.invalid_retries);
    trials.replay([&](const std::string &kind, const Json &record) {
        if (kind != "memory")
            return false;
        processes = read_processes(record.at("processes"));
        return true;
    });
    // The memory is in the journal before its row: a crash in between leaves a record that the next
    // one replaces.
    const TrialRunner run_row = [&](const SearchPlace &place) {
        std::optional<TrialResult> trial = run(place);
        if (trial) {
            processes = memory();
            journal.append({{"record", "memory"}, {"processes", processes_json(processes)}});
        }
        return trial;
    };
    try {
        result.end = trials.run(run_row);
    } catch (const SetupError &error) {
        // The server's host may have gone: what becomes of a server in hours is what a soak tells.
        if (result.rows.empty())
            throw;
        result.end = TrialsEnd::interrupted;
        result.error = error.what();
    }
    static_cast<TrialLog &>(result) = trials.log();
    result.rate = plan.rate;
    result.rows_wanted = plan.rows;
    return result;
}

} // namespace dnsgauge
