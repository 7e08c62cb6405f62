// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the trials that a strategy names, one after another. Records each in a journal before the
// next one begins. A run that resumes the journal repeats no recorded trial.
#pragma once

#include "record/journal.h"
#include "result/series_result.h"
#include "units/pace.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// A trial to make. Both numbers count from 1.
struct SearchTurn {
    unsigned repetition = 1;
    unsigned trial = 1;
    Rate rate;
    std::optional<Nanoseconds> duration{}; // a missing value means the duration of all trials
    std::optional<Pace> pace{}; // of a window, which `rate` does not limit; missing as above
};

// Trials to come.
struct TrialsLeft {
    std::uint64_t count = 0;
    std::optional<Nanoseconds> time{}; // the sum of their durations, if these differ
    bool is_guess = false;             // more may follow, depending on what trials find
};

// The place of the next trial among all trials.
struct SearchPlace {
    SearchTurn turn;
    // Trials that began before this one, as far as the journal tells; a trial that a crash cut
    // short included.
    std::uint64_t begun = 0;
    TrialsLeft left{};    // this one included
    unsigned retries = 0; // invalid trials in a row right before this one
    // The servers that the previous trial asked, each once. Empty if this is the first trial, or if
    // a server is unknown.
    std::vector<std::string> last_asked{};
};

// Makes a trial. Returns nothing if it was interrupted before the trial began. May throw
// SetupError.
using TrialRunner = std::function<std::optional<TrialResult>(const SearchPlace &)>;

// Says which trials a series makes. A strategy makes no trial and reads no file.
class Strategy
{
public:
    virtual ~Strategy() = default;

    // Returns the next trial; nothing at the end of the series.
    [[nodiscard]] virtual std::optional<SearchTurn> next() const = 0;
    // Takes the result of the trial that next() named. An invalid trial says nothing about the
    // server. It may say that the Tester cannot offer the rate.
    virtual void feed(const TrialSummary &trial) = 0;
    [[nodiscard]] virtual TrialsLeft left() const = 0;

    // Returns whether the trials so far are kept as a result if an error prevents the next one.
    [[nodiscard]] virtual bool survives_errors() const { return false; }
    // Reads more of the trial from its record, `whole`, into the summary. Called before feed().
    virtual void read(TrialSummary & /*trial*/, const Journal::Json & /*whole*/) {}
    // Takes a record of the journal that is no trial, and returns whether the strategy knows that
    // kind. read() and take() may throw nlohmann's exceptions and std::invalid_argument.
    virtual bool take(const std::string & /*kind*/, const Journal::Json & /*record*/)
    {
        return false;
    }
    // Called after the last trial of the journal was fed. May refuse the journal.
    virtual void begin(const Journal & /*journal*/) {}
    // Returns a record of what has changed since the journal began; nothing if nothing changed.
    // Called once by a run that resumes the journal.
    virtual std::optional<Journal::Json> resumed() { return std::nullopt; }
    // Returns how the series ended, if next() has no more trials.
    [[nodiscard]] virtual TrialsEnd end() const { return TrialsEnd::complete; }
};

// Makes the series from where the journal ends. Returns all trials, invalid ones included, in the
// order in which they were made. The result lacks what the request says: see describe(). `name` is
// what messages call the series, such as "search". Throws SetupError with the line if a record of
// the journal does not belong to this series. Throws what `run` and the journal throw, unless the
// strategy survives errors.
[[nodiscard]] SeriesResult run_series(Strategy &strategy, Journal &journal, const TrialRunner &run,
                                      const std::string &name, unsigned invalid_retries);

// Returns what the journal tells of the series. Makes no trial.
[[nodiscard]] SeriesResult recall_series(Strategy &strategy, Journal &journal,
                                         const std::string &name, unsigned invalid_retries);

} // namespace dnsgauge
