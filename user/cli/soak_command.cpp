// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge soak
#include "cli/series_command.h"

#include <memory>
#include <utility>

namespace dnsgauge
{

namespace
{

struct SoakArguments {
    SoakRequest soak = usual_soak();
    SeriesFiles files;
};

Options options_of(SoakArguments &request)
{
    Options options = soak_options(request.soak);
    append(options, series_file_options(request.files, "soak"));
    return options;
}

ExitStatus status_of(const SoakResult &result)
{
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

ExitStatus run(SoakArguments &request, const std::vector<std::string> &words)
{
    prepare(request.files, request.soak.trial);
    check_files({{"--json", request.files.output.json}, {"--search", request.soak.from}});
    complete(request.soak);
    return status_of(make_and_tell(request.soak, request.files, "soak", words));
}

} // namespace

Command soak_command(std::shared_ptr<Testers> testers)
{
    auto request = std::make_shared<SoakArguments>();
    request->soak.trial.testers = std::move(testers);
    return {
        .name = "soak",
        .summary = "Tell over hours what a server loses, and how much memory it takes",
        .options = options_of(*request),
        .examples = {"dnsgauge soak --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                     "    --rate 100k --hours 24 --journal soak.jsonl --json soak.json",
                     "dnsgauge soak --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                     "    --search search.json --percent 80 --journal soak.jsonl --form csv"},
        .statuses =
            {{ExitStatus::criterion_met, "every row passed"},
             {ExitStatus::criterion_not_met,
              "in some row fewer queries were answered right and in time than --accept asks "
              "for"},
             {ExitStatus::wrong_input, "the command or the environment is wrong"},
             {ExitStatus::nothing_learned,
              "too many rows in turn were invalid, or the soak was interrupted: go on with "
              "--resume"}},
        .run = [request](const std::vector<std::string> &words) { return run(*request, words); }};
}

} // namespace dnsgauge
