// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge sweep
#include "cli/series_command.h"

#include <memory>
#include <utility>

namespace dnsgauge
{

namespace
{

struct SweepArguments {
    SweepRequest sweep = usual_sweep();
    SeriesFiles files;
};

Options options_of(SweepArguments &request)
{
    Options options = sweep_options(request.sweep);
    append(options, series_file_options(request.files, "sweep"));
    return options;
}

ExitStatus run(SweepArguments &request, const std::vector<std::string> &words)
{
    prepare(request.files, request.sweep.trial);
    complete(request.sweep);
    const SweepResult result = make_and_tell(request.sweep, request.files, "sweep", words);
    return status_of(result.end, result);
}

} // namespace

Command sweep_command(std::shared_ptr<Testers> testers)
{
    auto request = std::make_shared<SweepArguments>();
    request->sweep.trial.testers = std::move(testers);
    return {
        .name = "sweep",
        .summary = "Tell how much a server answers at each of a range of rates",
        .options = options_of(*request),
        .examples = {"dnsgauge sweep --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                     "    --min-rate 50k --max-rate 1M --duration 5 --journal sweep.jsonl",
                     "dnsgauge sweep --interface eth1 --server 192.0.2.53 --queries root.txt \\",
                     "    --min-rate 1k --max-rate 1M --spacing logarithmic --repeat 5 \\",
                     "    --journal sweep.jsonl --json sweep.json --form csv"},
        .statuses = {{ExitStatus::criterion_met, "the sweep is complete"},
                     {ExitStatus::wrong_input, "the command or the environment is wrong"},
                     {ExitStatus::nothing_learned,
                      "a trial was invalid, or the sweep was interrupted: go on with --resume"}},
        .run = [request](const std::vector<std::string> &words) { return run(*request, words); }};
}

} // namespace dnsgauge
