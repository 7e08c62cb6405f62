// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the commands that make a series have in common.
#pragma once

#include "cli/command.h"
#include "cli/interruption.h"
#include "cli/result_files.h"
#include "options/option.h"
#include "record/journal.h"
#include "record/json_text.h"
#include "series/columns.h"
#include "series/progress.h"
#include "series/series_request.h"
#include "text/table.h"
#include "userland/standard_output.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct JournalFile {
    std::optional<std::string> path;
    bool resume = false;
};

// Returns --journal and --resume. `owner` is what the journal records, such as "search".
[[nodiscard]] Options journal_file_options(JournalFile &file, const std::string &owner);

// Throws SetupError if this process may make no trial. Resuming needs no capabilities, because the
// journal may have all trials. `command` is what the user called.
void require_capabilities(const JournalFile &file, const std::string &command);

// Makes or resumes the journal. Throws SetupError.
[[nodiscard]] Journal open_journal(const JournalFile &file, const nlohmann::ordered_json &header);

// Returns the exit status of a command whose trials ended so. Says in one line what ended them
// early, and how to go on. `less` is advice that makes the trials easier for the Tester.
[[nodiscard]] ExitStatus status_of(TrialsEnd end, const TrialLog &log,
                                   const std::string &less = "a lower --max-rate");

struct SeriesFiles {
    JournalFile journal;
    TableForm form = TableForm::text;
    OutputOptions output;
};

// Returns the options that name the files. `owner` is what the journal records, such as "sweep".
[[nodiscard]] Options series_file_options(SeriesFiles &files, const std::string &owner);

// Prepares the process, and throws SetupError if the result would replace a file that it needs.
void prepare(const SeriesFiles &files, const TrialPlan &trial);

// Returns the result for people: in the form of --form, if the command has that option.
template <class Result>
[[nodiscard]] std::string told(const Result &result, TableForm form)
{
    if constexpr (requires { to_text(result, form); })
        return to_text(result, form);
    else
        return to_text(result);
}

// Makes the series that the complete request asks for by make_series(). Prints the result if it has
// figures, and writes it where --json says. Returns the result. Throws SetupError. `name` is the
// subcommand.
template <class Request>
[[nodiscard]] auto make_and_tell(Request &request, const SeriesFiles &files,
                                 const std::string &name, const std::vector<std::string> &words)
{
    require_capabilities(files.journal, "dnsgauge " + name);
    require_selftest(request);
    const nlohmann::ordered_json header = journal_header(request);
    std::optional<WholeFile> json = open_file(files.output.json, "--json");
    Journal journal = open_journal(files.journal, header);
    say_notes(notes_on(request));
    auto result = make_series(request, journal, catch_interruption());
    result.command = words;
    if (result.has_figures()) {
        print_result(told(result, files.form));
        if (json)
            json->commit(json_text(dnsgauge::to_json(result, header)));
    }
    return result;
}

} // namespace dnsgauge
