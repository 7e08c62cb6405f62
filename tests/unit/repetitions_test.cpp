// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/search/repetitions.h"

#include <catch2/catch.hpp>

#include <functional>
#include <vector>

using namespace dnsgauge;

namespace
{

using Server = std::function<bool(const SearchTurn &)>;

TrialSummary trial(const SearchTurn &turn, bool passed)
{
    TrialSummary made;
    made.rate = turn.rate;
    made.verdict = passed ? Verdict::pass : Verdict::fail;
    made.sent = 1'000;
    made.valid = passed ? 1'000 : 999;
    return made;
}

Repetitions run(const SearchPlan &plan, const Server &passes)
{
    Repetitions repetitions(plan);
    while (const auto turn = repetitions.next())
        repetitions.feed(trial(*turn, passes(*turn)));
    return repetitions;
}

SearchPlan plan_of(unsigned repeat, unsigned confirm = 0)
{
    return {{Rate{1}, Rate{4'097}, 1}, repeat, confirm};
}

} // namespace

TEST_CASE(
    "the search is repeated as often as asked, and only the first tries the range's upper end")
{
    const Repetitions done =
        run(plan_of(5), [](const SearchTurn &turn) { return turn.rate <= Rate{1'234}; });
    REQUIRE(done.all().size() == 5);
    CHECK(done.state() == Bisection::State::found);
    for (const Repetition &repetition : done.all()) {
        CHECK(repetition.rate == Rate{1'234});
        CHECK(repetition.trials.size() == (&repetition == &done.all().front() ? 13 : 12));
        CHECK_FALSE(repetition.cap);
    }
    CHECK(done.trials_left() == 0);
}

TEST_CASE("the first trial is at the lower end of a range only if that is near the upper end")
{
    CHECK(Repetitions(plan_of(1)).next()->rate == Rate{4'097});
    CHECK(Repetitions({{Rate{64}, Rate{4'097}, 1}, 1, 0}).next()->rate == Rate{64});
    CHECK(Repetitions({{Rate{1}, Rate{8}, 1}, 1, 0}).next()->rate == Rate{1});
}

TEST_CASE("a far lower end that fails is found out, too")
{
    const Repetitions done = run(plan_of(1), [](const SearchTurn & /*any*/) { return false; });
    CHECK(done.state() == Bisection::State::below_range);
}

TEST_CASE("turns count repetitions and their trials from 1, and an invalid trial is no turn")
{
    Repetitions repetitions(plan_of(2));
    unsigned made = 0;
    while (const auto turn = repetitions.next()) {
        TrialSummary bad = trial(*turn, true);
        bad.verdict = Verdict::invalid;
        const std::uint64_t left = repetitions.trials_left();
        repetitions.feed(bad);
        const auto again = repetitions.next();
        REQUIRE(again);
        CHECK(again->rate == turn->rate);
        CHECK(again->trial == turn->trial);
        CHECK(again->repetition == turn->repetition);
        CHECK(repetitions.trials_left() == left);
        CHECK(turn->repetition == (made < 13 ? 1 : 2));
        CHECK(turn->trial == made % 13 + 1);
        repetitions.feed(trial(*turn, turn->rate <= Rate{77}));
        made++;
    }
    CHECK(made == 25);
}

TEST_CASE("one unlucky early trial caps a search, which is marked with it")
{
    const Repetitions done = run(plan_of(3), [](const SearchTurn &turn) {
        const bool unlucky = turn.repetition == 2 && turn.trial == 1;
        return turn.rate <= Rate{3'000} && !unlucky;
    });
    CHECK(done.all()[0].rate == Rate{3'000});
    CHECK_FALSE(done.all()[0].cap);
    CHECK(done.all()[1].rate == Rate{2'048});
    REQUIRE(done.all()[1].cap);
    CHECK(done.all()[1].cap->trial == 0);
    CHECK(done.all()[1].cap->passed_behind_it == 11);
    CHECK_FALSE(done.all()[2].cap);
}

TEST_CASE("five passes after a failure are no mark, six are")
{
    // 2049 passes; then trials fail, up to the one after which all pass.
    const unsigned passes = GENERATE(5U, 6U);
    const Repetitions done = run(plan_of(2), [passes](const SearchTurn &turn) {
        if (turn.repetition == 1)
            return turn.rate <= Rate{100};
        return turn.trial > 12 - passes;
    });
    CHECK(done.all()[1].trials.size() == 12);
    CHECK(done.all()[1].cap.has_value() == (passes == 6));
    if (passes == 6)
        CHECK(done.all()[1].cap->trial == 5);
}

TEST_CASE("with confirmations the unlucky trial is tried again, and no longer caps")
{
    const auto server = [](const SearchTurn &turn) {
        return turn.rate <= Rate{3'000} && (turn.repetition != 2 || turn.trial != 1);
    };
    const Repetitions done = run(plan_of(2, 1), server);
    CHECK(done.all()[1].rate == Rate{3'000});
    CHECK_FALSE(done.all()[1].cap);
    CHECK(done.all()[1].trials.size() > 13);
}

TEST_CASE("a cap that was confirmed names the trial that decided it")
{
    const Repetitions done = run(plan_of(2, 1), [](const SearchTurn &turn) {
        return turn.rate <= Rate{3'000} && (turn.repetition != 2 || turn.trial > 2);
    });
    CHECK(done.all()[1].rate == Rate{2'048});
    REQUIRE(done.all()[1].cap);
    CHECK(done.all()[1].cap->trial == 1);
}

TEST_CASE("a server that is gone, or a range that is wrong, ends it all")
{
    const Repetitions gone = run(plan_of(3), [](const SearchTurn &turn) {
        return turn.repetition == 1 && turn.rate <= Rate{9};
    });
    CHECK(gone.state() == Bisection::State::below_range);
    CHECK(gone.all().size() == 2);
    CHECK_FALSE(gone.all()[1].rate);
    const Repetitions idle = run(plan_of(3), [](const SearchTurn &) { return true; });
    CHECK(idle.state() == Bisection::State::above_range);
    CHECK(idle.all()[0].trials.size() == 1);
}

TEST_CASE("there are never more trials than planned for")
{
    const SearchPlan plan = plan_of(4, 2);
    std::uint64_t made = 0;
    const Repetitions done = run(plan, [&made](const SearchTurn &turn) {
        made++;
        return turn.rate < Rate{2} && turn.trial % 3 == 0;
    });
    CHECK(done.state() == Bisection::State::found);
    CHECK(made <= Repetitions::most_trials(plan));
}

TEST_CASE("searches that begin near the first one's result end where the others do")
{
    SearchPlan plan = plan_of(3);
    plan.near_percent = 10;
    // The limit leaves the part where the second search begins, downwards, and then upwards.
    const std::vector<std::uint64_t> limits = {1'000, 300, 4'000};
    const Repetitions done = run(plan, [&](const SearchTurn &turn) {
        return turn.rate.per_second <= limits.at(turn.repetition - 1);
    });
    REQUIRE(done.all().size() == 3);
    for (std::size_t i = 0; i < limits.size(); i++)
        CHECK(done.all()[i].rate == Rate{limits[i]});
    CHECK(done.all()[1].trials.front().rate == Rate{900});
    CHECK(done.all()[2].trials[1].rate == Rate{1'100});
    const Repetitions same =
        run(plan, [](const SearchTurn &turn) { return turn.rate <= Rate{1'000}; });
    CHECK(same.all()[1].trials.size() == 9);
    CHECK(same.all()[2].rate == Rate{1'000});
}

TEST_CASE("two trials that the Tester cannot offer lead below their rate, and bound the result")
{
    const SearchPlan plan = plan_of(3);
    Repetitions repetitions(plan);
    const auto beyond = [](const SearchTurn &turn) {
        TrialSummary made = trial(turn, true);
        made.verdict = Verdict::invalid;
        made.rate_not_offered = true;
        return made;
    };
    // Invalid trials of other reasons are made again.
    TrialSummary stalled = beyond(*repetitions.next());
    stalled.rate_not_offered = false;
    const Rate highest = repetitions.next()->rate;
    repetitions.feed(beyond(*repetitions.next()));
    repetitions.feed(stalled);
    CHECK(repetitions.next()->rate == highest);
    repetitions.feed(beyond(*repetitions.next()));
    CHECK(repetitions.next()->rate < highest);
    CHECK(repetitions.next()->trial == 1);
    while (const auto turn = repetitions.next())
        repetitions.feed(turn->rate > Rate{1'234} ? beyond(*turn) : trial(*turn, true));
    CHECK(repetitions.end() == TrialsEnd::not_offered);
    CHECK(repetitions.trials_left() == 0);
    REQUIRE(repetitions.all().size() == 1);
    const Repetition &only = repetitions.all()[0];
    CHECK_FALSE(only.rate);
    CHECK(only.at_least == Rate{1'234});
    CHECK(only.not_offered == Rate{1'235});
    CHECK_FALSE(only.failed);
}

TEST_CASE("a search without lower rates, or without retries, is not led below twice")
{
    SearchPlan plan{{Rate{5}, Rate{8}, 1}, 1, 0, 0};
    TrialSummary beyond = trial({.rate = Rate{5}}, true);
    beyond.verdict = Verdict::invalid;
    beyond.rate_not_offered = true;
    Repetitions repetitions(plan);
    for (unsigned tries = 0; tries < 3; tries++)
        repetitions.feed(beyond);
    CHECK(repetitions.next()->rate == Rate{5});
    repetitions.feed(trial(*repetitions.next(), true));
    beyond.rate = Rate{8};
    repetitions.feed(beyond);
    CHECK(repetitions.next()->rate == Rate{6});
}
