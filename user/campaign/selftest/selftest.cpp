// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "selftest/selftest.h"

#include "dns/pref64_text.h"
#include "system/setup_error.h"
#include "trial/testers.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <random>

namespace dnsgauge
{

namespace
{

TrialSummary judged(const TrialResult &result)
{
    TrialSummary trial{.rate = result.rate,
                       .verdict = result.verdict,
                       .sent = result.queries.sent,
                       .valid = result.queries.valid,
                       .why = result.why};
    if (result.verdict == Verdict::invalid && result.tester_was_limit)
        trial.verdict = Verdict::fail;
    return trial;
}

// Sets the highest rate that passed, and the lowest rate above it that failed.
void conclude(SelftestOutcome &outcome)
{
    for (const SelftestTrial &tried : outcome.trials)
        if (tried.trial.verdict == Verdict::pass &&
            (!outcome.allowed || tried.r > *outcome.allowed))
            outcome.allowed = tried.r;
    for (const SelftestTrial &tried : outcome.trials)
        if (tried.trial.verdict == Verdict::fail &&
            (!outcome.allowed || tried.r > *outcome.allowed) &&
            (!outcome.stopped_by || tried.r <= outcome.stopped_by->r))
            outcome.stopped_by = tried;
}

// Returns the circumstances of the Testers that sent their parts, without rank 0.
std::vector<Circumstances> others_of(const TrialResult &trial)
{
    std::vector<Circumstances> others;
    for (const TesterResult &tester : trial.testers)
        if (tester.rank != 0 && tester.trial)
            others.push_back(tester.trial->circumstances);
    return others;
}

constexpr unsigned places = 4;
constexpr std::uint64_t names_alone = 16;
constexpr std::uint64_t names_together = 256; // at least

[[noreturn]] void refuse(const TrialPlan &plan, const TrialResult &result)
{
    const auto &asked = *part_of<ZoneNames>(plan.workload);
    throw SetupError(
        "no FakeDNS at {} port {}, which a self-test needs (asked for {}: {}): run "
        "fakedns there, in place of the server, with --zone {} --aaaa-prefix {}{}{}",
        result.server, result.port, to_string(asked.names), result.why, asked.zone.text,
        to_string(plan.answer_prefix), is_over_tls(plan) ? " --tls-self-signed" : "",
        plan.transport == Transport::doh   ? fmt::format(" --https-port {}", result.port)
        : plan.transport == Transport::doq ? fmt::format(" --quic-port {}", result.port)
                                           : std::string());
}

// Returns whether each Tester has asked its server.
bool have_all_asked(const TrialResult &result)
{
    return std::ranges::all_of(result.testers, [](const TesterResult &tester) {
        return tester.trial && tester.trial->queries.sent != 0;
    });
}

} // namespace

SelftestOutcome run_selftest(const SelftestPlan &plan, const TrialRunner &run)
{
    SelftestOutcome outcome;
    Bisection bisection(plan.range, plan.confirm, Bisection::first_ends(plan.range));
    while (bisection.state() == Bisection::State::open) {
        const auto number = static_cast<unsigned>(outcome.trials.size());
        const Rate r = bisection.next();
        const std::optional<TrialResult> result =
            run({{1, number + 1, plan.rule.rate_for(r)}, number, {bisection.trials_left()}});
        if (!result) {
            outcome.end = TrialsEnd::interrupted;
            return outcome;
        }
        outcome.trials.push_back({r, judged(*result)});
        outcome.circumstances = result->circumstances;
        outcome.other_circumstances = others_of(*result);
        if (outcome.trials.back().trial.verdict == Verdict::invalid) {
            outcome.end = TrialsEnd::invalid_trial;
            outcome.stopped_by = outcome.trials.back();
            return outcome;
        }
        bisection.feed(outcome.trials.back().trial.verdict == Verdict::pass);
    }
    outcome.end = end_of(bisection.state());
    conclude(outcome);
    return outcome;
}

std::uint64_t names_of_probe(const TrialPlan &plan)
{
    if (!plan.testers)
        return names_alone;
    std::uint64_t senders = std::max<std::size_t>(plan.cpus.size(), 1);
    for (const TesterSetup &other : plan.testers->others(plan))
        senders += other.sender_cpus.size();
    // 2^32 is a multiple of this number, so no place goes beyond the last name.
    return std::max(names_together, std::bit_ceil(senders));
}

std::optional<Circumstances> recognize_fakedns(TrialPlan plan, const std::atomic<bool> &stop)
{
    const std::uint64_t names_each = names_of_probe(plan);
    // A low rate suffices: the question is who answers, not how fast.
    plan.rate = Rate{1000};
    plan.duration = std::chrono::milliseconds(names_each);
    plan.timeout = std::chrono::milliseconds(250);
    plan.tolerances.lateness = plan.tolerances.overrun_least = std::chrono::hours(1);
    std::random_device random;
    std::optional<Circumstances> found;
    for (unsigned i = 0; i < places; i++) {
        give_part<ZoneNames>(plan.workload).names = {
            static_cast<std::uint32_t>(random() / names_each * names_each), names_each};
        Trial trial(plan);
        const TrialResult result = trial.run(stop, [](const TrialProgress & /*none*/) {});
        if (stop)
            return std::nullopt;
        if (result.queries.valid + result.queries.late != names_each || !have_all_asked(result))
            refuse(plan, result);
        found = result.circumstances;
    }
    return found;
}

} // namespace dnsgauge
