// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/trial_series.h"

#include "userland/setup_error.h"
#include "userland/shell_command.h"

#include "units/rate.h"
#include "wire/dns.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace dnsgauge
{

namespace
{

using Clock = std::chrono::steady_clock;

constexpr auto look_interval = std::chrono::milliseconds(50);

// Has the plan ask the server for its version, which comes from no cache and goes into none.
void ask_for_version(TrialPlan &plan)
{
    constexpr const char *question = "version.bind CH TXT";
    QueryList list(question, {.edns_size = std::nullopt, .wants = WANTS_ANY_RCODE});
    list.add_line(question);
    list.finish();
    plan.list = std::make_shared<const QueryList>(std::move(list));
    plan.queries_file = question;
    plan.expect = Expect::answered;
    plan.replay = {};
    plan.captured = nullptr;
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
                                            std::optional<Nanoseconds> duration, unsigned retries)
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
    if (between_.fresh_names)
        plan.names = between_.fresh_names->share(begun);
    Trial trial(plan);
    check_(trial);
    return trial.run(stop_, progress_);
}

void TrialSeries::play_from(std::uint32_t first_slice, Nanoseconds duration)
{
    if (plan_.replay.first_slice == first_slice)
        return;
    plan_.replay.first_slice = first_slice;
    plan_.duration = duration;
    plan_.captured = nullptr; // before the others are read
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
            throw SetupError(fmt::format(
                "the server is not ready {:g} s after {}: {}: see why it does not start, or "
                "allow it more time ({}), then go on with --resume",
                seconds(between_.ready_limit), cause, why, between_.ready_limit_name));
        std::this_thread::sleep_for(look_interval);
    }
    return false;
}

// Sends one query: for the name that a trial would ask for last, so that having it in the cache
// helps the server hardly at all; or the first query of a list; or, where captures are played, for
// the server's version.
TrialPlan TrialSeries::plan_of_one_query() const
{
    TrialPlan plan = plan_;
    if (plan.replay.is_wanted())
        ask_for_version(plan);
    if (!plan.queries_file)
        plan.names = {static_cast<std::uint32_t>(plan_.names.first + plan_.names.count - 1), 1};
    plan.cached = {};
    plan.rate = Rate{1};
    plan.duration = std::chrono::seconds(1);
    plan.interval = {};
    plan.since = {};
    plan.testers = nullptr;
    plan.same_modes_as = {};
    return plan;
}

std::string TrialSeries::why_not_ready() const
{
    try {
        Trial trial(plan_of_one_query());
        const TrialResult result = trial.run(stop_, [](const TrialProgress & /*none*/) {});
        // A server that knows its zone gives one of these answers, unless a list wants another.
        const bool is_ready = result.rcodes.at(DNS_RCODE_NOERROR) +
                                  result.rcodes.at(DNS_RCODE_NXDOMAIN) + result.queries.valid !=
                              0;
        return is_ready ? std::string() : result.why;
    } catch (const SetupError &error) {
        // The server's host may not be up yet.
        return error.what();
    }
}

// Asks the server for its version from the address of a client, and then from the Tester's own.
// Where the server answers the Tester alone, replies to clients find no way. Does so once, and not
// where the server answers neither: it may be slow to start, or silent to such queries.
void TrialSeries::check_way_back()
{
    if (!plan_.replay.clients || std::exchange(has_way_back_, true))
        return;
    const auto ask = [this](const TrialPlan &plan) {
        return Trial(plan).run(stop_, [](const TrialProgress & /*none*/) {});
    };
    const auto is_silent = [](const TrialResult &result) {
        return result.queries.sent != 0 && result.queries.lost == result.queries.sent;
    };
    TrialPlan plan = plan_of_one_query();
    const TrialPlan own = plan;
    plan.source = plan_.replay.clients->address(1);
    if (!is_silent(ask(plan)) || stop_)
        return;
    const TrialResult answered = ask(own);
    if (is_silent(answered) || stop_)
        return;
    const std::string clients = to_string(*plan_.replay.clients);
    throw SetupError(fmt::format(
        "the server answers this Tester ({0}), but no query from {1} (--clients {2}): its host "
        "needs "
        "a route back (ip route add {2} via {0}), and the server must not refuse these addresses",
        answered.circumstances.source_address, to_string(*plan.source), clients));
}

} // namespace dnsgauge
