// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The kinds of series. Each kind is a command.
//
// A kind is a request, a struct from SeriesRequest, and what stands beside it:
// - `Request::kind`, the kind's name in journals and results;
// - options_of(request), its options, and complete(request), which fills in what follows from them;
// - words_of(request), the words for what is said while the trials run;
// - run_series(request, journal, run), which makes the trials that a Strategy names, and returns
//   the result;
// - fields(row, result) and to_text(result, form), the forms of the result.
//
// A kind may overload what this header and series_run.h do for all kinds.
#pragma once

#include "options/program.h"
#include "record/fields.h"
#include "record/journal.h"
#include "record/json_text.h"
#include "series/columns.h"
#include "series/interruption.h"
#include "series/result_files.h"
#include "series/series_request.h"
#include "series/series_run.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

// A command that makes series, and the schemas of its results. `testers` make the trials together;
// null means that this Tester makes them alone.
struct SeriesKind {
    Command (*command)(std::shared_ptr<Testers> testers);
    std::vector<nlohmann::ordered_json (*)(SharedSchemas &)> schemas;
};

// Returns all kinds: kinds.cpp is their table.
[[nodiscard]] const std::vector<SeriesKind> &series_kinds();
// Returns their commands.
[[nodiscard]] std::vector<Command>
series_commands(const std::shared_ptr<Testers> &testers = nullptr);

struct JournalFile {
    std::optional<std::string> path;
    bool resume = false;
};

struct SeriesFiles {
    JournalFile journal;
    TableForm form = TableForm::text;
    std::optional<std::string> json;
};

// Returns the options that name the files. `owner` is what the journal records, such as "sweep".
[[nodiscard]] Options series_file_options(SeriesFiles &files, const std::string &owner,
                                          bool has_form = true);

// Throws SetupError if the result would replace a file that the trials need.
void check_files(const SeriesFiles &files, const TrialPlan &trial,
                 const std::vector<NamedFile> &others = {});

// Throws SetupError if this process lacks capabilities for trials, unless it resumes: the journal
// may have all trials. `command` is what the user called.
void require_capabilities(const JournalFile &file, const std::string &command);

// Makes or resumes the journal. Throws SetupError.
[[nodiscard]] Journal open_journal(const JournalFile &file, const nlohmann::ordered_json &header);

// Returns the exit status of a command whose trials ended with `end`. If they ended early, says why
// and how to go on. `less` is the advice that makes the trials easier for the Tester.
[[nodiscard]] ExitStatus status_of(TrialsEnd end, const TrialLog &log, const std::string &less);
[[nodiscard]] ExitStatus status_of(const SeriesRequest &request, const SeriesResult &result);

// Returns the result as text, in the form of --form if the command has that option.
template <class Result>
[[nodiscard]] std::string told(const Result &result, TableForm form)
{
    if constexpr (requires { to_text(result, form); })
        return to_text(result, form);
    else
        return to_text(result);
}

// Makes the series that the complete request asks for by make_series(). If the result has figures,
// writes it where --json says, has `write_more` write other files, and prints the result. Returns
// the result. Throws SetupError. `name` is the subcommand.
template <class Request, class Writer>
[[nodiscard]] auto make_and_tell(Request &request, const SeriesFiles &files,
                                 const std::string &name, const std::vector<std::string> &words,
                                 const Writer &write_more)
{
    require_capabilities(files.journal, "dnsgauge " + name);
    require_selftest(request);
    const nlohmann::ordered_json header = journal_header(request);
    ResultFile json(files.json, "--json");
    Journal journal = open_journal(files.journal, header);
    say_notes(notes_on(request));
    auto result = make_series(request, journal, catch_interruption());
    result.command = words;
    const auto write = [&] {
        json.commit(json_text(dnsgauge::to_json(result, header)));
        write_more(result);
    };
    if (result.has_figures())
        write_and_print(write, told(result, files.form));
    return result;
}

// Runs the subcommand `name` after its options have been read.
template <class Request>
[[nodiscard]] ExitStatus run_command(Request &request, const SeriesFiles &files,
                                     const std::string &name, const std::vector<std::string> &words)
{
    complete(request);
    return status_of(request,
                     make_and_tell(request, files, name, words, [](const auto & /*no more*/) {}));
}

// Completes the command `told` by its options and by what it runs. `usual` has the options'
// defaults.
template <class Request>
[[nodiscard]] Command series_command(Command told, Request usual, std::shared_ptr<Testers> testers)
{
    auto asked = std::make_shared<std::pair<Request, SeriesFiles>>(std::move(usual), SeriesFiles{});
    asked->first.trial.testers = std::move(testers);
    told.options = together({options_of(asked->first),
                             series_file_options(asked->second, told.name, Request::has_form)});
    told.run = [asked, name = told.name](const std::vector<std::string> &words) {
        auto &[request, files] = *asked;
        check_files(files, request.trial);
        return run_command(request, files, name, words);
    };
    return told;
}

} // namespace dnsgauge
