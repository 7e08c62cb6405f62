// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/trial_text.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;
using Catch::Contains;

namespace
{

TrialResult failed_trial(std::uint64_t valid, std::uint64_t lost, std::uint64_t wrong_rcode,
                         std::uint64_t wrong_data)
{
    TrialResult trial;
    trial.server = "192.0.2.53";
    trial.rate = Rate{1000};
    trial.queries.sent = valid + lost + wrong_rcode + wrong_data;
    trial.queries.valid = valid;
    trial.queries.lost = lost;
    trial.queries.invalid.rcode = wrong_rcode;
    trial.queries.invalid.wrong_data = wrong_data;
    return trial;
}

} // namespace

TEST_CASE("what answers nothing may not run")
{
    CHECK_THAT(trial_advice(failed_trial(0, 1000, 0, 0)),
               Contains("nothing answers") && Contains("192.0.2.53 port 53"));
}

TEST_CASE("some losses are a server's that drops queries")
{
    CHECK_THAT(trial_advice(failed_trial(800, 200, 0, 0)),
               Contains("drops queries") && Contains("at 1000 queries/s"));
    CHECK_THAT(trial_advice(failed_trial(700, 200, 100, 0)), Contains("drops queries"));
}

TEST_CASE("late answers are a slow server's")
{
    TrialResult trial = failed_trial(800, 0, 0, 0);
    trial.queries.sent += 200;
    trial.queries.late = 200;
    CHECK_THAT(trial_advice(trial), Contains("answers late"));
}

TEST_CASE("wrong RCODEs are a lack of names")
{
    CHECK_THAT(trial_advice(failed_trial(0, 0, 1000, 0)), Contains("lacks the names"));
    CHECK_THAT(trial_advice(failed_trial(500, 1, 499, 0)), Contains("lacks the names"));
}

TEST_CASE("other wrong answers are other data")
{
    CHECK_THAT(trial_advice(failed_trial(0, 0, 0, 1000)), Contains("--answer-prefix"));
}
