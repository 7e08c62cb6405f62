// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/selftest_result.h"
#include "selftest/selftest.h"
#include "selftest/selftest_run.h"
#include "trial/testers.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace dnsgauge;
using Catch::Contains;

namespace
{

// A Tester and a FakeDNS that keep every rate up to `limit`; above `limit` one of the two does not.
struct Tester {
    std::uint64_t limit = 0;
    bool is_too_slow = false; // the Tester is too slow: trials are invalid
    std::vector<std::uint64_t> rates{};

    std::optional<TrialResult> operator()(const SearchPlace &place)
    {
        rates.push_back(place.turn.rate.per_second);
        CHECK(place.turn.trial == rates.size());
        CHECK(place.left.count >= 1);
        TrialResult result;
        result.rate = place.turn.rate;
        result.queries.sent = 100;
        result.queries.valid = 100;
        result.verdict = Verdict::pass;
        result.why = "every query was answered right and in time";
        result.circumstances.interface = "g0";
        if (place.turn.rate.per_second > limit) {
            result.verdict = is_too_slow ? Verdict::invalid : Verdict::fail;
            result.tester_was_limit = is_too_slow;
            result.why = is_too_slow ? "sending took too long" : "3 lost";
            result.queries.valid = 97;
        }
        return result;
    }
};

SelftestPlan one_rate(std::uint64_t r)
{
    return {{Rate{r}, Rate{r}, 1}, 0, SelftestRule()};
}

SelftestPlan range(std::uint64_t min, std::uint64_t max)
{
    return {{Rate{min}, Rate{max}, 1}, 0, SelftestRule()};
}

SelftestResult described(const SelftestPlan &plan, const SelftestOutcome &outcome)
{
    SelftestResult result;
    static_cast<SelftestOutcome &>(result) = outcome;
    result.server = "198.18.0.2";
    result.min_rate = plan.range.min;
    result.max_rate = plan.range.max;
    result.delta = 0.1;
    result.timeout = std::chrono::seconds(1);
    result.duration = std::chrono::seconds(60);
    result.record = "/records/g0.json";
    return result;
}

} // namespace

TEST_CASE("a rate is asked for with one trial at more than double of it")
{
    const bool is_too_slow = GENERATE(false, true);
    Tester tester{.limit = 2200, .is_too_slow = is_too_slow};
    SelftestOutcome outcome = run_selftest(one_rate(1000), std::ref(tester));
    CHECK(tester.rates == std::vector<std::uint64_t>{2200});
    CHECK(outcome.end == TrialsEnd::above_range);
    CHECK(outcome.allowed == Rate{1000});
    CHECK_FALSE(outcome.stopped_by);
    CHECK_THAT(to_text(described(one_rate(1000), outcome)),
               Contains("passed: this Tester may be used up to 1000 queries/s") &&
                   Contains("a timeout of 1 s") && Contains("within 0.25 s") &&
                   Contains("as RFC 8219 prints it, is 2000.2") && Contains("/records/g0.json"));

    tester = {.limit = 2199, .is_too_slow = is_too_slow};
    outcome = run_selftest(one_rate(1000), std::ref(tester));
    CHECK(outcome.end == TrialsEnd::below_range);
    CHECK_FALSE(outcome.allowed);
    REQUIRE(outcome.stopped_by);
    CHECK(outcome.stopped_by->trial.verdict == Verdict::fail);
    CHECK(outcome.stopped_by->trial.why == (is_too_slow ? "sending took too long" : "3 lost"));
    CHECK_THAT(to_text(described(one_rate(1000), outcome)),
               Contains("not passed: this Tester may not be used at 1000 queries/s\n") &&
                   Contains("stopped by  2200 queries/s for r = 1000: "));
}

TEST_CASE("the search comes to the highest rate of which more than the double is kept")
{
    const std::uint64_t limit = GENERATE(22U, 23U, 24U, 1000U, 2199U, 2200U, 4321U);
    const bool is_too_slow = GENERATE(false, true);
    Tester tester{.limit = limit, .is_too_slow = is_too_slow};
    const SelftestPlan plan = range(5, 5000);
    const SelftestOutcome outcome = run_selftest(plan, std::ref(tester));
    CHECK(outcome.end == TrialsEnd::complete);
    REQUIRE(outcome.allowed);
    CHECK(plan.rule.rate_for(*outcome.allowed).per_second <= limit);
    CHECK(plan.rule.rate_for(Rate{outcome.allowed->per_second + 1}).per_second > limit);
    REQUIRE(outcome.stopped_by);
    CHECK(outcome.stopped_by->r.per_second == outcome.allowed->per_second + 1);
    CHECK(outcome.stopped_by->trial.rate == plan.rule.rate_for(outcome.stopped_by->r));
    CHECK(outcome.trials.size() == tester.rates.size());
    CHECK(outcome.circumstances.interface == "g0");
}

TEST_CASE("the first trial is not at a lowest rate that is far below the highest")
{
    Tester tester{.limit = 2200};
    CHECK(run_selftest(range(1, 5000), std::ref(tester)).allowed == Rate{1000});
    CHECK(tester.rates.front() == 11'000);
    CHECK(std::ranges::find(tester.rates, 3) == tester.rates.end());
    tester = {.limit = 2200};
    CHECK(run_selftest(range(50, 5000), std::ref(tester)).allowed == Rate{1000});
    CHECK(tester.rates.front() == 110);
}

TEST_CASE("a range that is wrong is an answer, too")
{
    Tester tester{.limit = 9};
    SelftestOutcome outcome = run_selftest(range(5, 100), std::ref(tester));
    CHECK(outcome.end == TrialsEnd::below_range);
    CHECK_FALSE(outcome.allowed);
    CHECK(outcome.stopped_by->r == Rate{5});
    CHECK_THAT(to_text(described(range(5, 100), outcome)),
               Contains("may not be used at 5 queries/s or more"));

    tester = {.limit = 220};
    outcome = run_selftest(range(5, 100), std::ref(tester));
    CHECK(outcome.end == TrialsEnd::above_range);
    CHECK(outcome.allowed == Rate{100});
    CHECK(tester.rates.size() == 2);
    CHECK_THAT(to_text(described(range(5, 100), outcome)),
               Contains("up to 100 queries/s") && Contains("the highest rate that was asked for"));
}

TEST_CASE("what was cut short decides nothing")
{
    Tester tester{.limit = 100};
    const SelftestOutcome invalid =
        run_selftest(range(5, 100), [&](const SearchPlace &place) -> std::optional<TrialResult> {
            std::optional<TrialResult> result = tester(place);
            if (tester.rates.size() == 3) {
                result->verdict = Verdict::invalid;
                result->why = "the link went down";
            }
            return result;
        });
    CHECK(invalid.end == TrialsEnd::invalid_trial);
    CHECK_FALSE(invalid.allowed);
    CHECK(invalid.stopped_by->trial.why == "the link went down");
    CHECK_THAT(to_text(described(range(5, 100), invalid)), Contains("none: a trial is invalid"));

    tester = {.limit = 100};
    const SelftestOutcome interrupted =
        run_selftest(range(5, 100), [&](const SearchPlace &place) -> std::optional<TrialResult> {
            if (tester.rates.size() == 2)
                return std::nullopt;
            return tester(place);
        });
    CHECK(interrupted.end == TrialsEnd::interrupted);
    CHECK_FALSE(interrupted.allowed);
}

TEST_CASE("a failed trial is tried again as often as asked")
{
    Tester tester{.limit = 100};
    SelftestPlan plan = one_rate(10);
    plan.confirm = 1;
    const SelftestOutcome outcome =
        run_selftest(plan, [&](const SearchPlace &place) -> std::optional<TrialResult> {
            std::optional<TrialResult> result = tester(place);
            if (tester.rates.size() == 1)
                result->verdict = Verdict::fail;
            return result;
        });
    CHECK(outcome.allowed == Rate{10});
    CHECK(outcome.trials.size() == 2);
    // The second try passed.
    CHECK_FALSE(outcome.stopped_by);
}

TEST_CASE("the JSON tells what is allowed, what stopped it, and every trial")
{
    Tester tester{.limit = 1000, .is_too_slow = true};
    const SelftestPlan plan = range(5, 5000);
    SelftestResult result = described(plan, run_selftest(plan, std::ref(tester)));
    result.caveats.deviations = {"trials of 1 s, not 60 s"};
    const nlohmann::ordered_json json = to_json(result);
    CHECK(json.at("schema") == "dnsgauge/selftest/1");
    CHECK(json.at("allowed_rate") == 454);
    CHECK(json.at("passed_rate") == 999);
    CHECK(json.at("timeout_s") == 1);
    CHECK(json.at("selftest_timeout_s") == 0.25);
    CHECK(json.at("rfc8219").at("compliant") == false);
    CHECK(json.at("rfc8219").at("printed_rate").get<double>() == Approx(908.2));
    CHECK(json.at("stopped_by").at("r") == 455);
    CHECK(json.at("stopped_by").at("rate") == 1001);
    CHECK(json.at("stopped_by").at("why") == "sending took too long");
    CHECK(json.at("trials").size() == tester.rates.size());
    CHECK(json.at("end") == "complete");
}

TEST_CASE("a self-test of several Testers has the circumstances of each")
{
    const SelftestOutcome outcome =
        run_selftest(one_rate(10), [](const SearchPlace & /*any*/) -> std::optional<TrialResult> {
            TrialResult result;
            result.verdict = Verdict::pass;
            for (const char *interface : {"g0", "g1", "g2"}) {
                TrialResult part;
                part.circumstances.interface = interface;
                result.testers.push_back({.rank = static_cast<std::uint32_t>(result.testers.size()),
                                          .host = "a",
                                          .clock = {},
                                          .trial = std::move(part)});
            }
            return result;
        });
    REQUIRE(outcome.other_circumstances.size() == 2);
    CHECK(outcome.other_circumstances[0].interface == "g1");
    SelftestResult result;
    result.delta = 0.1;
    CHECK_FALSE(to_json(result).contains("other_circumstances"));
    result.other_circumstances = outcome.other_circumstances;
    CHECK(to_json(result).at("other_circumstances").at(1).at("interface") == "g2");
}

namespace
{

// Many Testers, by the number of their senders.
class ManySenders final : public Testers
{
public:
    explicit ManySenders(std::vector<unsigned> senders) : senders_(std::move(senders)) {}
    [[nodiscard]] std::vector<TesterSetup> others(const TrialPlan & /*plan*/) override
    {
        std::vector<TesterSetup> setups;
        for (const unsigned senders : senders_) {
            setups.emplace_back();
            setups.back().sender_cpus.resize(senders);
        }
        return setups;
    }
    [[nodiscard]] std::unique_ptr<JointTrial> begin(const TrialPlan & /*plan*/,
                                                    std::uint32_t /*senders*/) override
    {
        return nullptr;
    }

private:
    std::vector<unsigned> senders_;
};

} // namespace

TEST_CASE("the probe has a name for each sender of all Testers, in places that do not overlap")
{
    TrialPlan plan;
    CHECK(names_of_probe(plan) == 16);
    const auto with = [&plan](std::vector<unsigned> senders) {
        plan.testers = std::make_shared<ManySenders>(std::move(senders));
        return names_of_probe(plan);
    };
    CHECK(with({1}) == 256);
    CHECK(with({200, 55}) == 256);
    CHECK(with({200, 56}) == 512);
    plan.cpus = {1, 2, 3};
    CHECK(with({200, 53}) == 256);
    CHECK(with({200, 54}) == 512);
}
