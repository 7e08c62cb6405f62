// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/replay/replay.h"

#include "input/input_file.h"
#include "options/access.h"
#include "options/option_error.h"
#include "series/tester_setup.h"
#include "trial/compliance.h"
#include "trial/trial_options.h"
#include "workload/played_queries.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>
#include <utility>

namespace dnsgauge
{

namespace
{

// Options of trials that a replay does not have, besides the options of other sources of queries. A
// replay judges no share of right answers.
const std::set<std::string> not_of_captures = {"pace", "dut", "accept", "fresh-names"};

Option &row(Options &options, const std::string &name)
{
    return *std::ranges::find(options, name, &Option::name);
}

// Returns the options of a trial that plays captures.
Options playing_options(SeriesRequest &request)
{
    Options captures = replay_options(request.trial);
    // Each run has its own first slice.
    std::erase_if(captures, [](const Option &option) { return option.name == "first-slice"; });
    Option &capture = row(captures, "capture");
    capture.is_required = true;
    Options options = series_options(request);
    std::erase_if(options, [&](const Option &option) {
        return not_of_captures.contains(option.name) || option.chooses_source ||
               !belongs_to(option, capture);
    });
    append(options, captures);
    append(options, interval_options(request.trial));
    row(options, "timeout").usual = "";
    row(options, "expect").usual = "";
    row(options, "since").usual = "half of the duration";
    row(options, "slices").help += ", others in each run";
    return options;
}

// Returns whether the captures end before the duration, by more than a gap between queries.
bool end_early(const TrialPlan &loaded, const TrialPlan &asked)
{
    const Nanoseconds gap = std::max<Nanoseconds>(std::chrono::seconds(1), asked.duration / 100);
    return loaded.duration + gap < asked.duration;
}

// Returns the average rates of runs: one rate for all runs, or a rate for each first slice.
std::vector<Rate> rates_of(const CapturedQueries &captured, bool are_rotated)
{
    if (!are_rotated)
        return {captured.mean_rate()};
    const auto slices = static_cast<std::uint32_t>(captured.slices().size());
    std::vector<Rate> rates;
    for (std::uint32_t run = 1; run <= slices; run++) {
        const std::uint32_t first = first_slice(run, slices);
        const std::optional<Rate> rate = captured.mean_rate_from(first);
        if (!rate)
            throw OptionError({"slices", "capture"},
                              "--slices {}: a run that begins with slice {} has no "
                              "query: give other captures, or fewer slices",
                              slices, first);
        rates.push_back(*rate);
    }
    return rates;
}

// Returns the middle of a run, rounded to the beginning of an interval. It follows from the
// duration asked for, not from the last query, so that it is the same at each load factor.
Nanoseconds middle(const TrialPlan &loaded, const TrialPlan &asked)
{
    const Nanoseconds half = (end_early(loaded, asked) ? loaded : asked).duration / 2;
    return half - half % *asked.interval;
}

// Returns how many senders each Tester has, by rank.
std::vector<std::uint32_t> senders_of(const TesterSetup &setup)
{
    std::vector<std::uint32_t> senders{static_cast<std::uint32_t>(setup.sender_cpus.size())};
    for (const TesterSetup &other : setup.others)
        senders.push_back(static_cast<std::uint32_t>(other.sender_cpus.size()));
    return senders;
}

// Returns the rate that a self-test must cover: the rate of the captures' busiest second. In a
// self-test the senders of several Testers share the rate evenly. In a replay they share the
// clients unevenly. So every sender is supposed to be as busy as the senders of the busiest Tester.
Rate busiest_rate(const TrialPlan &loaded)
{
    constexpr auto second = std::chrono::seconds(1);
    if (!loaded.testers)
        return PlayedQueries(std::get<CaptureWorkload>(loaded.workload).queries).peak_rate(second);
    const std::vector<std::uint32_t> senders = senders_of(describe_setup(loaded));
    const std::uint32_t all = std::accumulate(senders.begin(), senders.end(), 0U);
    Rate busiest;
    std::uint32_t first = 0;
    for (const std::uint32_t count : senders) {
        const Rate own = PlayedQueries(std::get<CaptureWorkload>(loaded.workload).queries,
                                       {.first = first, .count = count, .of = all})
                             .peak_rate(second);
        busiest.per_second =
            std::max(busiest.per_second, (own.per_second + count - 1) / count * all);
        first += count;
    }
    return busiest;
}

} // namespace

ReplayRequest::ReplayRequest()
{
    between.pause = {}; // the resolver is started anew, and needs none
    trial.duration = std::chrono::seconds(120);
    trial.timeout = std::chrono::seconds(2);
    give_part<CaptureWorkload>(trial.workload).expect = Expect::answered;
}

Options options_of(ReplayRequest &request)
{
    return together({{{"runs", OptionGroup::rates, "COUNT", "Runs, each with an empty cache",
                       whole(request.runs.runs, 1, 1000)},
                      invalid_retries_option(request.runs.invalid_retries)},
                     playing_options(request)});
}

bool plays_others(const ReplayRequest &request)
{
    const ReplayWish &wish = std::get<CaptureWorkload>(request.trial.workload);
    const std::size_t played = wish.load_factor == 0 ? wish.files.size() : wish.load_factor;
    return wish.slices > played;
}

Nanoseconds duration_of(const ReplayRequest &request)
{
    return (end_early(*request.loaded, request.trial) ? *request.loaded : request.trial).duration;
}

void complete(ReplayRequest &request)
{
    TrialPlan &trial = request.trial;
    if (trial.interval == Nanoseconds{})
        throw OptionError({"interval"}, "--interval 0: a replay counts by intervals: give more "
                                        "than 0");
    if (!trial.interval)
        trial.interval = usual_interval(trial.duration);
    complete(trial);
    if (request.runs.runs > 1 && !request.between.command)
        throw OptionError({"before-trial", "runs"},
                          "a run would find in the resolver's cache what the previous run asked "
                          "for: give --before-trial with a command that starts the resolver anew, "
                          "or --runs 1");
}

void load_captures(ReplayRequest &request)
{
    const TrialPlan &asked = request.trial;
    TrialPlan plan = asked;
    load_list(plan);
    const CaptureWorkload &capture = std::get<CaptureWorkload>(plan.workload);
    const std::size_t slices = capture.queries->slices().size();
    if (slices > capture.files.size() && end_early(plan, asked)) {
        const char *const option = capture.slices == slices ? "slices" : "load-factor";
        throw OptionError(
            {option, "duration", "capture"},
            "--{} {}: the captures are cut into slices of {:.1f} s, and --duration is "
            "{:g} s: give more or longer captures, a smaller number or a shorter "
            "duration",
            option, slices, seconds(plan.duration), seconds(asked.duration));
    }
    if (plan.since == Nanoseconds{})
        plan.since = middle(plan, asked);
    if (plan.since >= plan.duration)
        throw OptionError({"since", "capture"},
                          "--since {:g} is after the end of the captures, which last "
                          "{:.1f} s: give less",
                          seconds(plan.since), seconds(plan.duration));
    request.runs.rates = rates_of(*capture.queries, plays_others(request));
    request.loaded = std::move(plan);
}

void require_selftest(ReplayRequest &request)
{
    SeriesRequest busiest = request;
    busiest.trial = *request.loaded;
    busiest.trial.rate = busiest_rate(*request.loaded);
    require_selftest(busiest);
    request.selftest = busiest.selftest;
    request.certificate = busiest.certificate;
    request.trial.certificate = request.loaded->certificate = busiest.certificate;
}

nlohmann::ordered_json journal_header(const ReplayRequest &request)
{
    ReplayRequest values = request;
    nlohmann::ordered_json header = journal_header(request, "replay", options_of(values));
    nlohmann::ordered_json checksums = nlohmann::ordered_json::array();
    for (const std::string &file : std::get<CaptureWorkload>(request.trial.workload).files)
        checksums.push_back(file_checksum("--capture", file));
    header["captures_crc64"] = checksums;
    return header;
}

Caveats caveats_of(const ReplayRequest &request)
{
    Caveats caveats = caveats_of(request, trial_deviations(request.loaded.value_or(request.trial)));
    if (!request.between.command)
        caveats.doubts.emplace_back(
            "nothing shows that the resolver's cache was empty (no --before-trial)");
    if (request.loaded)
        for (std::string &doubt :
             std::get<CaptureWorkload>(request.loaded->workload).queries->doubts())
            caveats.doubts.push_back(std::move(doubt));
    return caveats;
}

std::vector<std::string> notes_on(const ReplayRequest &request)
{
    std::vector<std::string> notes;
    if (end_early(*request.loaded, request.trial))
        notes.push_back(fmt::format("the captures end after {:.1f} s, and so does each run",
                                    seconds(request.loaded->duration)));
    for (std::string &doubt : std::get<CaptureWorkload>(request.loaded->workload).queries->doubts())
        notes.push_back(std::move(doubt));
    return notes;
}

} // namespace dnsgauge
