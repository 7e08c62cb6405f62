// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The journal of a search or a sweep, as its command takes it.
#pragma once

#include "cli/command.h"
#include "options/option.h"
#include "record/journal.h"
#include "result/trial_log.h"

#include <optional>
#include <string>

namespace dnsgauge
{

struct JournalFile {
    std::optional<std::string> path;
    bool resume = false;
};

// Returns --journal and --resume; `owner` is what the journal belongs to, such as "search".
[[nodiscard]] Options journal_file_options(JournalFile &file, const std::string &owner);

// Throws SetupError if this process may make no trial. A resumed journal may have all its trials.
// `command` is what the user called.
void require_capabilities(const JournalFile &file, const std::string &command);

// Makes or resumes the journal. Throws SetupError.
[[nodiscard]] Journal open_journal(const JournalFile &file, const nlohmann::ordered_json &header);

// Say in one line what ended the trials early, and how to go on. `less` is what makes the trials
// easier for the Tester.
void say_interrupted();
void say_invalid(const TrialLog &log, const std::string &less = "a lower --max-rate");

// Returns the exit status of a command whose trials ended so. Says what ended them early.
[[nodiscard]] ExitStatus status_of(TrialsEnd end, const TrialLog &log,
                                   const std::string &less = "a lower --max-rate");

} // namespace dnsgauge
