// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/trial_series.h"

#include "system/overloaded.h"
#include "system/setup_error.h"
#include "system/shell_command.h"
#include "trial/plan.h"

#include "units/rate.h"
#include "wire/dns.h"
#include "workload/query_list.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace dnsgauge
{

namespace
{

using Clock = std::chrono::steady_clock;

constexpr auto look_interval = std::chrono::milliseconds(50);

// Asks the server for its version: no cache has it, and none keeps it.
ListWorkload version_query()
{
    constexpr const char *question = "version.bind CH TXT";
    QueryList list(question, {.wants = WANTS_ANY_RCODE});
    list.add_line(question);
    list.finish();
    ListWorkload workload;
    workload.file = question;
    workload.expect = Expect::answered;
    workload.queries = std::make_shared<const QueryList>(std::move(list));
    return workload;
}

// Returns the last name, alone: a trial hardly profits if the server then has it in its cache.
NameRange last_of(const NameRange &names)
{
    return {static_cast<std::uint32_t>(names.first + names.count - 1), 1};
}

// Returns a workload of one query: for the last name, for a list's queries, or for the server's
// version if captures are played.
Workload one_query(const Workload &workload)
{
    return std::visit(
        Overloaded{[](NamesWorkload names) -> Workload {
                       names.names = last_of(names.names);
                       names.cached = {};
                       return names;
                   },
                   [](MixWorkload mix) -> Workload {
                       mix.names = last_of(mix.names);
                       return mix;
                   },
                   [](const ListWorkload &list) -> Workload { return list; },
                   [](const CaptureWorkload & /*capture*/) -> Workload { return version_query(); },
                   [](const HandshakesWorkload &one) -> Workload { return one; }},
        workload);
}

} // namespace

Nanoseconds retry_pause(unsigned retries)
{
    constexpr unsigned doublings = 5; // 1 s to 32 s
    return retries == 0
               ? Nanoseconds{}
               : Nanoseconds(std::chrono::seconds(1) * (1U << std::min(retries - 1, doublings)));
}

TrialSeries::TrialSeries(TrialPlan plan, BetweenTrials between, const std::atomic<bool> &stop,
                         std::function<void(const TrialProgress &)> progress, TrialCheck check)
    : plan_(std::move(plan)), between_(std::move(between)), stop_(stop),
      progress_(std::move(progress)), check_(std::move(check))
{
    load_list(plan_);
}

std::optional<TrialResult> TrialSeries::run(Rate rate, std::uint64_t begun,
                                            std::optional<Nanoseconds> duration, unsigned retries,
                                            const std::optional<Pace> &pace)
{
    if (!hold_)
        hold_.emplace(plan_.interface);
    if ((!std::exchange(is_first_, false) || between_.pauses_first) &&
        !pause(between_.pause + retry_pause(retries)))
        return std::nullopt;
    if (between_.command && (!run_shell_command(*between_.command, between_.command_limit, stop_,
                                                "--before-trial-timeout") ||
                             !wait_until_ready('"' + *between_.command + '"')))
        return std::nullopt;
    check_way_back();
    TrialPlan plan = plan_;
    plan.rate = rate;
    plan.duration = duration.value_or(plan.duration);
    if (pace)
        plan.pace = pace;
    if (between_.fresh_names)
        give_part<ZoneNames>(plan.workload).names = between_.fresh_names->share(begun);
    Trial trial(plan);
    check_(trial);
    return trial.run(stop_, progress_);
}

void TrialSeries::play_from(std::uint32_t first_slice, Nanoseconds duration)
{
    auto &capture = give_part<CaptureWorkload>(plan_.workload);
    if (capture.first_slice == first_slice)
        return;
    capture.first_slice = first_slice;
    capture.queries = nullptr; // frees the queries before others are read
    plan_.duration = duration;
    load_list(plan_);
}

// Returns false if it was stopped.
bool TrialSeries::pause(Nanoseconds how_long) const
{
    const auto end = Clock::now() + how_long;
    while (!stop_ && Clock::now() < end)
        std::this_thread::sleep_for(std::min<Nanoseconds>(look_interval, end - Clock::now()));
    return !stop_;
}

bool TrialSeries::wait_until_ready(const std::string &cause,
                                   const std::function<void()> &check) const
{
    const auto deadline = Clock::now() + between_.ready_limit;
    while (!stop_) {
        check();
        const std::string why = why_not_ready();
        if (why.empty())
            return true;
        if (Clock::now() >= deadline && !stop_)
            throw SetupError(
                "the server is not ready {:g} s after {}: {}: see why it does not start, or "
                "allow it more time ({}){}",
                seconds(between_.ready_limit), cause, why, between_.ready_limit_name,
                between_.after_mending);
        std::this_thread::sleep_for(look_interval);
    }
    return false;
}

std::string TrialSeries::why_not_ready() const
{
    try {
        Trial trial(plan_of_one(plan_, one_query(plan_.workload)));
        const TrialResult result = trial.run(stop_, [](const TrialProgress & /*none*/) {});
        // A server that has loaded its zone answers with one of these, unless a list wants another
        // answer.
        const bool is_ready = result.rcodes.at(DNS_RCODE_NOERROR) +
                                  result.rcodes.at(DNS_RCODE_NXDOMAIN) + result.queries.valid !=
                              0;
        return is_ready ? std::string() : result.why;
    } catch (const SetupError &error) {
        // The server's host may not be up yet.
        return error.what();
    }
}

// Asks the server for its version from the address of a client. If no answer comes, asks from the
// Tester's own address. If the server answers there, its replies to clients do not find the way. If
// it does not, it may be slow to start, or silent to such queries. Asks once in a series.
void TrialSeries::check_way_back()
{
    const auto *capture = part_of<CaptureWorkload>(plan_.workload);
    if (capture == nullptr || !capture->clients || std::exchange(has_way_back_, true))
        return;
    const auto ask = [this](const TrialPlan &plan) {
        return Trial(plan).run(stop_, [](const TrialProgress & /*none*/) {});
    };
    const auto is_silent = [](const TrialResult &result) {
        return result.queries.sent != 0 && result.queries.lost == result.queries.sent;
    };
    const TrialPlan own = plan_of_one(plan_, version_query());
    TrialPlan plan = own;
    plan.source = capture->clients->address(1);
    if (plan.transport != Transport::udp)
        require_local_route(*capture->clients);
    if (!is_silent(ask(plan)) || stop_)
        return;
    const TrialResult answered = ask(own);
    if (is_silent(answered) || stop_)
        return;
    const std::string clients = to_string(*capture->clients);
    throw SetupError(
        "the server answers this Tester ({0}), but no query from {1} (--clients {2}): its host "
        "needs a route back (ip route add {2} via {0}), and the server must not refuse these "
        "addresses",
        answered.circumstances.source_address, to_string(*plan.source), clients);
}

} // namespace dnsgauge
