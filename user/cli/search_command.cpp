// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge search
#include "cli/series_command.h"
#include "options/access.h"
#include "userland/words.h"

#include <memory>
#include <utility>

namespace dnsgauge
{

namespace
{

enum class Method { binary, mlr };

constexpr auto methods = words<Method>({{Method::binary, "binary"}, {Method::mlr, "mlr"}});

struct SearchArguments {
    LossSearchRequest search = usual_loss_search();
    Method method = Method::binary;
    SeriesFiles files;
};

Options options_of(SearchArguments &request)
{
    Options options = {
        {"method", OptionGroup::rates, "METHOD",
         "Method of the search: binary, RFC 8219's search; or mlr, a Multiple Loss Ratio Search "
         "(RFC 9971), which finds a rate for each of several loss ratios",
         word(request.method, methods)}};
    append(options, search_options(request.search));
    append(options, loss_options(request.search.loss));
    append(options, journal_file_options(request.files.journal, "search"));
    append(options, output_options(request.files.output));
    return options;
}

// Prints one line that says what ended the search early.
void print_end(const SearchResult &result, bool goes_beyond)
{
    if (result.end == SearchEnd::interrupted)
        say_interrupted();
    if (const std::string more = how_to_find_more(result, goes_beyond); !more.empty())
        say("dnsgauge: {}\n", more);
    if (result.end == SearchEnd::invalid_trial)
        say_invalid(result);
}

ExitStatus run_loss_search(SearchArguments &request, const std::vector<std::string> &words)
{
    complete(request.search);
    const LossSearchResult result = make_and_tell(request.search, request.files, "search", words);
    return status_of(result.end, result);
}

ExitStatus run_binary_search(SearchArguments &request, const std::vector<std::string> &words)
{
    SearchRequest &search = request.search;
    complete(search, false);
    const SearchResult result = make_and_tell(search, request.files, "search", words);
    refuse_wrong_range(result);
    print_end(result, search.cover.beyond);
    return result.end == SearchEnd::complete || result.end == SearchEnd::above_range
               ? ExitStatus::criterion_met
               : ExitStatus::nothing_learned;
}

ExitStatus run(SearchArguments &request, const std::vector<std::string> &words)
{
    prepare(request.files, request.search.trial);
    switch (request.method) {
    case Method::mlr:
        return run_loss_search(request, words);
    case Method::binary:
        break;
    }
    return run_binary_search(request, words);
}

} // namespace

Command search_command(std::shared_ptr<Testers> testers)
{
    auto request = std::make_shared<SearchArguments>();
    request->search.trial.testers = std::move(testers);
    return {
        .name = "search",
        .summary = "Find the highest rate that a server keeps, by binary search, or for several "
                   "loss ratios",
        .options = options_of(*request),
        .examples = {"dnsgauge search --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                     "    --max-rate 200k --journal search.jsonl",
                     "dnsgauge search --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                     "    --max-rate 200k --journal search.jsonl --resume",
                     "dnsgauge search --method mlr --interface eth1 --server 192.0.2.53 \\",
                     "    --names 10.0.0.0/8 --max-rate 200k --journal mlr.jsonl"},
        .statuses = {{ExitStatus::criterion_met, "the search is complete"},
                     {ExitStatus::wrong_input,
                      "the command or the environment is wrong, or the range of rates does not "
                      "hold the rate that was looked for"},
                     {ExitStatus::nothing_learned,
                      "a trial was invalid, or the search was interrupted: go on with --resume"}},
        .run = [request](const std::vector<std::string> &words) { return run(*request, words); }};
}

} // namespace dnsgauge
