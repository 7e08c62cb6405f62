// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Trials one after another, each of which is in the journal before the next one begins. Whoever
// goes on with the journal makes no recorded trial again. Which trials these are, a sequence says:
// that of a search or of a sweep.
#pragma once

#include "record/journal.h"
#include "result/trial_log.h"

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
    std::optional<Nanoseconds> duration{}; // absent: that of every trial
};

// Where a trial that is due stands among all trials.
struct SearchPlace {
    SearchTurn turn;
    // Trials that began before, as far as can be known. A trial that a crash cut short counts.
    std::uint64_t begun = 0;
    std::uint64_t left = 0;                 // trials to come, this one included
    std::optional<Nanoseconds> time_left{}; // as TrialsLeft::time
    bool left_is_guess = false;             // as TrialsLeft::is_guess
    unsigned retries = 0;                   // invalid trials in a row that this one makes again
    // The servers that the trial before asked, each once. Empty: nobody knows, or there was none.
    std::vector<std::string> last_asked{};
};

// Makes a trial. Returns nothing if it was interrupted before the trial began. May throw
// SetupError.
using TrialRunner = std::function<std::optional<TrialResult>(const SearchPlace &)>;

// Trials to come.
struct TrialsLeft {
    std::uint64_t count = 0;
    std::optional<Nanoseconds> time{}; // their durations together, where they differ
    bool is_guess = false;             // what the trials find may ask for many more
};

// Says which trials are made. It makes none and reads no files.
struct TrialSequence {
    // Returns the next trial; nothing when there is none.
    std::function<std::optional<SearchTurn>()> next;
    // Takes the result of the trial that next() named: in brief, and whole, as the journal has it.
    // An invalid trial changes nothing.
    std::function<void(const SearchTrial &, const Journal::Json &)> feed;
    std::function<TrialsLeft()> left;
};

// The queries of a trial that got no right answer in time.
struct UnansweredQueries {
    std::uint64_t late = 0;
    std::uint64_t invalid = 0;
    std::uint64_t lost = 0;
};

// Reads them from a trial in the journal's form. Throws nlohmann's exceptions, and
// std::invalid_argument if they and the valid replies are not the queries that were sent.
[[nodiscard]] UnansweredQueries read_unanswered(const SearchTrial &trial,
                                                const Journal::Json &whole);

class JournalledTrials
{
public:
    // `name`: what makes the trials, such as "search".
    JournalledTrials(Journal &journal, TrialSequence sequence, std::string name,
                     unsigned invalid_retries);

    // Feeds the sequence with the journal's trials. `other` takes a record that is no trial, and
    // returns whether it knows that kind; it may throw std::invalid_argument. Throws SetupError
    // about the line of a record that does not belong here.
    void
    replay(const std::function<bool(const std::string &kind, const Journal::Json &record)> &other =
               [](const std::string &, const Journal::Json &) { return false; });

    // Makes the trials that the journal lacks, until the sequence ends or something ends it.
    // `resumed` runs once the journal says that somebody goes on with it. Throws what `run` and the
    // journal throw.
    [[nodiscard]] TrialsEnd run(
        const TrialRunner &run, const std::function<void()> &resumed = [] {});

    [[nodiscard]] const TrialLog &log() const { return log_; }

private:
    void replay_trial(const Journal::Json &record);
    void feed(const Journal::Json &json);

    Journal &journal_;
    TrialSequence sequence_;
    std::string name_;
    TrialLog log_;
    unsigned invalid_in_turn_ = 0;
};

} // namespace dnsgauge
