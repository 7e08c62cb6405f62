// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/json.h"
#include "text/comparison.h"
#include "text/trial_text.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace dnsgauge;
using Catch::Contains;

namespace
{

// A trial in which every query but `lost` was answered, the median RTT being `p50`.
TrialResult trial(Verdict verdict, std::uint64_t lost, std::uint64_t p50)
{
    TrialResult result;
    result.verdict = verdict;
    result.why = verdict == Verdict::pass ? "all was right" : "something was not";
    result.queries = {.sent = 1000, .valid = 1000 - lost, .late = 0, .lost = lost, .invalid = {}};
    result.rtt = {.count = 1000 - lost,
                  .min = p50 - 1,
                  .p50 = p50,
                  .p90 = p50 + 1,
                  .p99 = p50 + 2,
                  .p99_9 = p50 + 3,
                  .max = p50 + 4};
    return result;
}

RepeatedTrials repeated(std::vector<TrialResult> trials, std::uint64_t repeat = 0)
{
    const std::uint64_t made = trials.size();
    return sum_up({.repeat = repeat == 0 ? made : repeat,
                   .pause = std::chrono::seconds(5),
                   .trials = std::move(trials),
                   .why = {},
                   .caveats = {}});
}

const TrialResult passed = trial(Verdict::pass, 0, 2000);
const TrialResult failed = trial(Verdict::fail, 10, 3000);
const TrialResult invalid = trial(Verdict::invalid, 900, 900'000);

} // namespace

TEST_CASE("trials pass together if all pass, and fail if one fails")
{
    CHECK(repeated({passed, passed}).verdict == Verdict::pass);
    CHECK(repeated({passed, passed}).why == "2 of 2 trials pass");
    CHECK(repeated({passed}).why == "1 of 1 trial passes");
    const RepeatedTrials some = repeated({passed, failed, passed});
    CHECK(some.verdict == Verdict::fail);
    CHECK(some.why == "2 of 3 trials pass, 1 fails; trial 2: something was not");
}

TEST_CASE("nothing was learned if one trial is invalid or missing, whatever the others are")
{
    const RepeatedTrials with_invalid = repeated({failed, passed, invalid});
    CHECK(with_invalid.verdict == Verdict::invalid);
    CHECK(with_invalid.why ==
          "1 of 3 trials passes, 1 fails, 1 is invalid; trial 3: something was not");
    const RepeatedTrials cut_short = repeated({passed, passed}, 5);
    CHECK(cut_short.verdict == Verdict::invalid);
    CHECK(cut_short.why == "interrupted after 2 of 5 trials: 2 of 5 trials pass");
    CHECK(cut_short.trials.size() == 2);
}

TEST_CASE("an error that ends the trials early leaves those that were made, and is told")
{
    RepeatedTrials made{
        .repeat = 5, .pause = {}, .trials = {passed, failed}, .why = {}, .caveats = {}};
    made.error = "no interface \"g0\"";
    made = sum_up(std::move(made));
    CHECK(made.verdict == Verdict::invalid);
    CHECK(made.why == "ended by an error after 2 of 5 trials: 1 of 5 trials passes, 1 fails; "
                      "trial 3: no interface \"g0\"");
    const auto json = to_json(made);
    CHECK(json.at("error") == "no interface \"g0\"");
    CHECK(json.at("trials").size() == 2);
    CHECK_THAT(to_text(made), Contains("trial 2") && Contains("trial 3: no interface"));
    CHECK(to_json(repeated({passed})).at("error").is_null());
}

TEST_CASE("the spread is of the trials that are not invalid")
{
    const auto spread =
        to_json(repeated({passed, invalid, failed, passed, trial(Verdict::pass, 0, 5000)}))
            .at("spread");
    CHECK(spread.at("trials") == 4);
    CHECK(spread.at("answered_percent").dump() == R"({"min":99.0,"median":100.0,"max":100.0})");
    CHECK(spread.at("rtt_ns").at("p50").dump() == R"({"min":2000.0,"median":2500.0,"max":5000.0})");
    CHECK(spread.at("rtt_ns").at("max").at("max") == 5004);
    const auto none = to_json(repeated({invalid})).at("spread");
    CHECK(none.at("trials") == 0);
    CHECK(none.at("rtt_ns").at("p99").at("median").is_null());
}

TEST_CASE("a trial without RTTs has no part in their spread, but in the answered share's spread")
{
    TrialResult dead = trial(Verdict::fail, 1000, 10);
    dead.rtt = {};
    const auto spread = to_json(repeated({dead, failed})).at("spread");
    CHECK(spread.at("answered_percent").at("min") == 0);
    CHECK(spread.at("rtt_ns").at("p50").at("min") == 3000);
    CHECK_THAT(to_text(repeated({dead})), !Contains("0 ns"));
}

TEST_CASE("the text has a line for each trial, their spread, the verdict and every doubt")
{
    TrialResult doubtful = passed;
    doubtful.caveats.doubts = {"others had CPU 1"};
    doubtful.caveats.deviations = {"trials of 1 s, not 60 s"};
    const std::string text = to_text(repeated({passed, doubtful, invalid}));
    CHECK_THAT(text, Contains("trial 1") && Contains("trial 2") && Contains("trial 3"));
    CHECK_THAT(text, Contains("median") && Contains("2.0 us") && !Contains("2500"));
    CHECK_THAT(text, Contains("of 2 trials that are not invalid"));
    CHECK_THAT(text, Contains("verdict     invalid: 2 of 3 trials pass, 1 is invalid"));
    CHECK_THAT(text, Contains("trial 2: others had CPU 1"));
    CHECK_THAT(to_text(repeated({doubtful, passed})), Contains("not compliant with RFC 8219"));
}

TEST_CASE("repeated trials stand side by side, and not beside a single trial")
{
    const auto before = to_json(repeated({passed, trial(Verdict::pass, 0, 4000)}));
    const auto after = to_json(repeated({failed, passed}));
    const std::string text = compare({{"before", &before}, {"after", &after}});
    CHECK_THAT(text, Contains("3.0 us (2.0 us to 4.0 us)") || Contains("(2.0 us to 4.0"));
    CHECK_THAT(text, Contains("99.5 (99 to 100)") && Contains("2 of 2"));
    const auto one = to_json(passed);
    CHECK_THROWS_WITH(compare({{"one", &one}, {"after", &after}}),
                      Contains("of a trial") && Contains("of repeated trials"));
}
