// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "calibrate/calibration.h"

#include "calibrate/judgement.h"
#include "selftest/selftest.h"
#include "series/trial_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace dnsgauge
{

namespace
{

using namespace std::chrono_literals;

// Replies near the timeout keep this distance from it, because FakeDNS is late at times.
constexpr Nanoseconds before_edge_least = 2ms;
constexpr int before_edge_part = 50; // of the timeout
constexpr Nanoseconds behind_edge = 2ms;
constexpr Nanoseconds pause_between = 100ms;
// RTTs are shortest while caches are warm. Caches go cold between slow queries, and faster queries
// wait for each other.
constexpr std::array brisk_rates{Rate{20'000}, Rate{50'000}};

class Calibration
{
public:
    Calibration(const CalibrationPlan &plan, const std::atomic<bool> &stop,
                const std::function<void(const std::string &)> &say)
        : plan_(plan), bench_{plan.trial, plan.fakedns, stop}, say_(say)
    {
    }

    CalibrationResult run()
    {
        result_.terms = {.timeout = plan_.trial.timeout,
                         .duration = plan_.trial.duration,
                         .attempts = plan_.attempts,
                         .limits = plan_.limits};
        find_limit();
        const Rate most = result_.allowed.value_or(plan_.limit.range.min);
        if (plan_.parts.counting)
            for (const Rate rate : rates(most, {100, 10, 1}))
                count(rate);
        if (plan_.parts.rtt) {
            find_floor(most);
            time();
        }
        if (plan_.parts.pacing)
            for (const Rate rate : rates(most, {most.per_second, 100, 10, 1}))
                pace(rate);
        return result_;
    }

private:
    // Repeats a check until it leaves no doubt, at most `attempts` times. The last check counts.
    template <class Make, class Judge>
    auto attempt(Make make, Judge judge_it)
    {
        for (unsigned turn = 1;; turn++) {
            auto check = make();
            check.attempts = turn;
            std::optional<Doubt> doubt = judge_it(check);
            if (doubt && turn < plan_.attempts)
                continue;
            if (doubt)
                result_.doubts.push_back(std::move(*doubt));
            return check;
        }
    }

    static std::set<Rate> rates(Rate most, std::initializer_list<std::uint64_t> parts)
    {
        std::set<Rate> found;
        for (const std::uint64_t part : parts)
            found.insert(Rate{std::max<std::uint64_t>(most.per_second / part, 1)});
        return found;
    }

    void find_limit()
    {
        say_("limit");
        TrialPlan plan = plan_.trial;
        plan.timeout = SelftestRule::timeout_for(plan.timeout);
        const FakednsOfAll fakedns(bench_, {});
        if (!recognize_fakedns(plan, bench_.stop))
            throw Stopped();
        TrialSeries series(plan, {.pause = pause_between}, bench_.stop,
                           [](const TrialProgress & /*none*/) {});
        SelftestOutcome outcome = run_selftest(plan_.limit, [&](const SearchPlace &place) {
            return series.run(place.turn.rate, place.begun);
        });
        if (bench_.stop || outcome.trials.empty())
            throw Stopped();
        fakedns.check_alive();
        result_.circumstances = outcome.circumstances;
        result_.allowed = outcome.allowed;
        if (outcome.allowed)
            result_.kept = plan_.limit.rule.rate_for(*outcome.allowed);
        result_.stopped_by = outcome.stopped_by;
        if (outcome.end == TrialsEnd::invalid_trial || !outcome.allowed)
            result_.doubts.push_back(
                {"all at any rate",
                 fmt::format("{} too slow even for {} queries/s: {}",
                             plan_.trial.testers ? "these Testers are" : "this Tester is",
                             outcome.stopped_by->trial.rate.per_second,
                             outcome.stopped_by->trial.why)});
    }

    void count(Rate rate)
    {
        say_(fmt::format("counting at {} queries/s", rate.per_second));
        const auto judge_it = [](const CountingCheck &check) { return judge(check); };
        result_.counting.push_back(
            attempt([&] { return check_counting(bench_, rate); },
                    [&](const CountingCheck &check) { return judge_testers(check, judge_it); }));
    }

    void find_floor(Rate most)
    {
        std::set<Rate> at{delay_rate, most};
        // FakeDNS by sockets answers no more than it did in the search for the limit.
        for (const Rate rate : brisk_rates)
            if (plan_.trial.transport == Transport::udp || rate <= result_.kept.value_or(most))
                at.insert(rate);
        for (const Rate rate : at) {
            say_(fmt::format("the smallest RTT, at {} queries/s", rate.per_second));
            result_.at_once.push_back(
                attempt([&] { return check_rtt(bench_, rate); },
                        [](const DelayCheck &check) { return judge_at_once(check); }));
        }
    }

    void time()
    {
        const Nanoseconds timeout = plan_.trial.timeout;
        const Nanoseconds before = std::max(before_edge_least, timeout / before_edge_part);
        const auto make = [&](Nanoseconds delay) {
            return [this, delay] { return check_rtt(bench_, delay_rate, delay); };
        };
        const auto judge_it = [this](const DelayCheck &check) {
            return judge_testers(
                check, [this](const DelayCheck &one) { return judge_delay(one, plan_.limits); });
        };
        std::set<Nanoseconds> delays{100us, 1ms, 10ms, timeout / 2, timeout - 4 * before};
        // Over TCP FakeDNS needs some time to notice a query. Any delay above 0 hides this time.
        if (plan_.trial.transport == Transport::udp)
            delays.insert(0ns);
        for (const Nanoseconds delay : delays) {
            say_(fmt::format("RTT with a delay of {:g} ms",
                             std::chrono::duration<double, std::milli>(delay).count()));
            result_.delays.push_back(attempt(make(delay), [&](DelayCheck &check) {
                set_bias(check, result_.delays.empty() ? check : result_.delays.front());
                return judge_it(check);
            }));
        }
        if (is_over_tls(plan_.trial) && !plan_.trial.testers) {
            say_("RTT over TCP alone");
            (plan_.trial.transport == Transport::doq ? result_.tcp_adds_instead
                                                     : result_.tcp_adds) =
                added_over(Transport::tcp, *delays.begin());
        }
        if (plan_.trial.transport == Transport::doh && !plan_.trial.testers) {
            say_("RTT over TLS alone");
            result_.tls_adds = added_over(Transport::dot, *delays.begin());
        }
        say_("the timeout's edge");
        // All Testers' replies are judged together, because one Tester's few replies may all be
        // late.
        const auto judge_edge = [](auto judge_it) {
            return [judge_it](const DelayCheck &check) {
                return judge_it(check) ? judge_testers(check, judge_it) : std::nullopt;
            };
        };
        result_.before_edge = attempt(make(timeout - before), judge_edge(judge_before_edge));
        result_.behind_edge = attempt(make(timeout + behind_edge), judge_edge(judge_behind_edge));
    }

    // Returns what the trial's transport adds to the median RTT over `transport`, with the same
    // FakeDNS.
    [[nodiscard]] std::optional<std::int64_t> added_over(Transport transport, Nanoseconds delay)
    {
        CheckBench other{plan_.trial, plan_.fakedns, bench_.stop};
        other.trial.transport = transport;
        other.trial.server_port =
            transport == Transport::dot ? plan_.fakedns.tls_port : plan_.fakedns.plain_port;
        const DelayCheck found = attempt([&] { return check_rtt(other, delay_rate, delay); },
                                         [this](DelayCheck &check) {
                                             set_bias(check, check);
                                             return judge_delay(check, plan_.limits);
                                         });
        return found.excess ? std::optional(found.excess->p50) : std::nullopt;
    }

    void pace(Rate rate)
    {
        say_(fmt::format("pacing at {} queries/s", rate.per_second));
        result_.pacing.push_back(
            attempt([&] { return check_pacing(bench_, rate); },
                    [this](const PacingCheck &check) { return judge(check, plan_.limits); }));
    }

    const CalibrationPlan &plan_;
    CheckBench bench_;
    const std::function<void(const std::string &)> &say_;
    CalibrationResult result_;
};

} // namespace

std::optional<CalibrationResult> calibrate(const CalibrationPlan &plan,
                                           const std::atomic<bool> &stop,
                                           const std::function<void(const std::string &)> &say)
{
    try {
        return Calibration(plan, stop, say).run();
    } catch (const Stopped &) {
        return std::nullopt;
    }
}

} // namespace dnsgauge
