// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The kinds of series as commands: dnsgauge search, sweep and soak; replay has a file of its own.
#include "cli/series_command.h"

#include "host/skeleton.h"
#include "options/access.h"
#include "series/mlr/loss_search.h"
#include "series/search/search.h"
#include "series/soak/soak.h"
#include "series/sweep/sweep.h"
#include "series/windows/windows.h"
#include "userland/counted.h"
#include "userland/privileges.h"
#include "userland/words.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace dnsgauge
{

namespace
{

void say_invalid(const TrialLog &log, const std::string &less)
{
    if (log.lacks_a_tester) {
        say("dnsgauge: a trial at {} queries/s is invalid: {}; go on with --resume, with the same "
            "Testers or others\n",
            log.last_trial->rate.per_second, log.last_trial->why);
        return;
    }
    say("dnsgauge: a trial at {} queries/s is invalid: {}; nothing was learned from it: "
        "mend that, then go on with --resume, or begin anew with {}{}\n",
        log.last_trial->rate.per_second, log.last_trial->why, less,
        log.invalid_retries == 0 ? ""
                                 : fmt::format(" (it was made again {}: --invalid-retries)",
                                               counted(log.invalid_retries, "time")));
}

enum class Method { binary, mlr };

constexpr auto methods = words<Method>({{Method::binary, "binary"}, {Method::mlr, "mlr"}});

struct SearchArguments {
    LossSearchRequest request = usual_loss_search();
    Method method = Method::binary;
    SeriesFiles files;
};

struct SweepArguments {
    SweepRequest request = usual_sweep();
    std::vector<std::uint64_t> windows; // empty: the steps are rates
    SeriesFiles files;
};

struct SoakArguments {
    SoakRequest request = usual_soak();
    SeriesFiles files;
};

Options options_of(SearchArguments &given)
{
    return together(
        {{{"method", OptionGroup::rates, "METHOD",
           "Method of the search: binary, RFC 8219's search; or mlr, a Multiple Loss Ratio Search "
           "(RFC 9971), which finds a rate for each of several loss ratios",
           word(given.method, methods)}},
         search_options(given.request),
         loss_options(given.request.loss),
         journal_file_options(given.files.journal, "search"),
         output_options(given.files.output)});
}

Options options_of(SweepArguments &given)
{
    Options options = sweep_options(given.request);
    for (Option &option : options)
        if (option.name == "min-rate" || option.name == "max-rate")
            option.stand_ins = {"windows"};
    return together(
        {options, {windows_option(given.windows)}, series_file_options(given.files, "sweep")});
}

Options options_of(SoakArguments &given)
{
    return together({soak_options(given.request), series_file_options(given.files, "soak")});
}

ExitStatus run(SearchArguments &given, const std::vector<std::string> &words)
{
    if (given.method == Method::mlr) {
        complete(given.request);
        const LossSearchResult result = make_and_tell(given.request, given.files, "search", words);
        return status_of(result.end, result);
    }
    SearchRequest &search = given.request;
    complete(search, false);
    const SearchResult result = make_and_tell(search, given.files, "search", words);
    refuse_wrong_range(result);
    if (const std::string more = how_to_find_more(result, search.cover.beyond); !more.empty())
        say("dnsgauge: {}\n", more);
    return status_of(result.end, result);
}

ExitStatus run(SweepArguments &given, const std::vector<std::string> &words)
{
    if (!given.windows.empty()) {
        const SweepPlan &plan = given.request.sweep;
        WindowsRequest request{given.request, {given.windows, plan.repeat, plan.invalid_retries}};
        complete(request);
        const WindowsResult result = make_and_tell(request, given.files, "sweep", words);
        return status_of(result.end, result, "smaller --windows");
    }
    complete(given.request);
    const SweepResult result = make_and_tell(given.request, given.files, "sweep", words);
    return status_of(result.end, result);
}

ExitStatus run(SoakArguments &given, const std::vector<std::string> &words)
{
    check_files({{"--json", given.files.output.json}, {"--search", given.request.from}});
    complete(given.request);
    const SoakResult result = make_and_tell(given.request, given.files, "soak", words);
    if (!result.error.empty()) {
        say("dnsgauge: {}; the rows so far are kept: mend that, then go on with --resume\n",
            result.error);
        return ExitStatus::wrong_input;
    }
    const ExitStatus status = status_of(result.end, result, "a lower --rate");
    return status == ExitStatus::criterion_met && total_of(result).verdict == Verdict::fail
               ? ExitStatus::criterion_not_met
               : status;
}

// Completes the command with the options and the run of its arguments.
template <class Arguments>
Command with_arguments(Command command, std::shared_ptr<Testers> testers)
{
    auto given = std::make_shared<Arguments>();
    given->request.trial.testers = std::move(testers);
    command.options = options_of(*given);
    command.run = [given](const std::vector<std::string> &words) {
        prepare(given->files, given->request.trial);
        return run(*given, words);
    };
    return command;
}

Command sweep_command(std::shared_ptr<Testers> testers)
{
    return with_arguments<SweepArguments>(
        {.name = "sweep",
         .summary = "Tell how much a server answers at each of a range of rates, or of windows",
         .options = {},
         .examples = {"dnsgauge sweep --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                      "    --min-rate 50k --max-rate 1M --duration 5 --journal sweep.jsonl",
                      "dnsgauge sweep --interface eth1 --server 192.0.2.53 --queries root.txt \\",
                      "    --min-rate 1k --max-rate 1M --spacing logarithmic --repeat 5 \\",
                      "    --journal sweep.jsonl --json sweep.json --form csv",
                      "dnsgauge sweep --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                      "    --allow-repeats --windows 1,2,5,10,20,50,100,200,500 --repeat 5 \\",
                      "    --duration 2 --journal windows.jsonl --json windows.json"},
         .statuses = {{ExitStatus::criterion_met, "the sweep is complete"},
                      {ExitStatus::wrong_input, "the command or the environment is wrong"},
                      {ExitStatus::nothing_learned,
                       "a trial was invalid, or the sweep was interrupted: go on with --resume"}},
         .run = {}},
        std::move(testers));
}

Command soak_command(std::shared_ptr<Testers> testers)
{
    return with_arguments<SoakArguments>(
        {.name = "soak",
         .summary = "Tell over hours what a server loses, and how much memory it takes",
         .options = {},
         .examples = {"dnsgauge soak --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                      "    --rate 100k --hours 24 --journal soak.jsonl --json soak.json",
                      "dnsgauge soak --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                      "    --search search.json --percent 80 --journal soak.jsonl --form csv"},
         .statuses = {{ExitStatus::criterion_met, "every row passed"},
                      {ExitStatus::criterion_not_met,
                       "a row failed: it has fewer valid queries than --accept asks for"},
                      {ExitStatus::wrong_input, "the command or the environment is wrong"},
                      {ExitStatus::nothing_learned,
                       "too many rows in turn were invalid, or the soak was interrupted: go on "
                       "with --resume"}},
         .run = {}},
        std::move(testers));
}

} // namespace

Options journal_file_options(JournalFile &file, const std::string &owner)
{
    return {Option("journal", OptionGroup::files, "FILE",
                   "File in which each trial is recorded as soon as it has ended", text(file.path),
                   {.is_required = true}),
            {"resume", OptionGroup::files, "",
             "Go on with the " + owner + " that --journal records", flag(file.resume)}};
}

Options series_file_options(SeriesFiles &files, const std::string &owner)
{
    return together({journal_file_options(files.journal, owner),
                     {form_option(files.form)},
                     output_options(files.output)});
}

void prepare(const SeriesFiles &files, const TrialPlan &trial)
{
    set_libbpf_verbosity(files.output.verbose);
    check_files({{"--json", files.output.json}, {"--journal", files.journal.path}}, trial.workload);
}

void require_capabilities(const JournalFile &file, const std::string &command)
{
    if (!file.resume)
        require_trial_capabilities(command);
}

Journal open_journal(const JournalFile &file, const nlohmann::ordered_json &header)
{
    if (!file.resume)
        return Journal::create(*file.path, header);
    Journal journal = Journal::resume(*file.path, header);
    if (journal.torn() != 0)
        say("dnsgauge: note: the journal's last line was incomplete and is cut off ({}): its trial "
            "is made again\n",
            counted(journal.torn(), "octet"));
    return journal;
}

ExitStatus status_of(TrialsEnd end, const TrialLog &log, const std::string &less)
{
    switch (end) {
    case TrialsEnd::complete:
    case TrialsEnd::below_range:
    case TrialsEnd::above_range:
    case TrialsEnd::not_offered:
        return ExitStatus::criterion_met;
    case TrialsEnd::interrupted:
        say("dnsgauge: interrupted: go on with --resume\n");
        break;
    case TrialsEnd::invalid_trial:
        say_invalid(log, less);
        break;
    }
    return ExitStatus::nothing_learned;
}

Command search_command(std::shared_ptr<Testers> testers)
{
    return with_arguments<SearchArguments>(
        {.name = "search",
         .summary = "Find the highest rate that a server keeps, by binary search, or for several "
                    "loss ratios",
         .options = {},
         .examples = {"dnsgauge search --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                      "    --max-rate 200k --journal search.jsonl",
                      "dnsgauge search --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                      "    --max-rate 200k --journal search.jsonl --resume",
                      "dnsgauge search --method mlr --interface eth1 --server 192.0.2.53 \\",
                      "    --names 10.0.0.0/8 --max-rate 200k --journal mlr.jsonl"},
         .statuses = {{ExitStatus::criterion_met,
                       "the search is complete, or all rates passed that the range has or that the "
                       "Tester can offer"},
                      {ExitStatus::wrong_input,
                       "the command or the environment is wrong, or the range of rates does not "
                       "hold the rate that was looked for"},
                      {ExitStatus::nothing_learned,
                       "a trial was invalid, or the search was interrupted: go on with --resume"}},
         .run = {}},
        std::move(testers));
}

std::vector<Command> series_commands(const std::shared_ptr<Testers> &testers)
{
    return {search_command(testers), sweep_command(testers), soak_command(testers),
            replay_command(testers)};
}

} // namespace dnsgauge
