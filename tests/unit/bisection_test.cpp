// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/search/bisection.h"

#include <catch2/catch.hpp>

#include <map>
#include <random>
#include <vector>

using namespace dnsgauge;
using State = Bisection::State;
using Ends = Bisection::Ends;

namespace
{

struct Walk {
    State state = State::open;
    std::uint64_t found = 0;
    std::vector<std::uint64_t> tried;
    std::map<std::uint64_t, bool> last_verdict; // by rate
};

// Searches a server that keeps every rate up to `threshold`.
Walk search(const SearchRange &range, std::uint64_t threshold, Ends ends, unsigned confirm = 0)
{
    Bisection bisection(range, confirm, ends);
    Walk walk;
    while (bisection.state() == State::open) {
        const std::uint64_t rate = bisection.next().per_second;
        walk.tried.push_back(rate);
        walk.last_verdict[rate] = rate <= threshold;
        bisection.feed(rate <= threshold);
        REQUIRE(walk.tried.size() <= Bisection::most_trials(range, confirm));
    }
    walk.state = bisection.state();
    if (walk.state == State::found)
        walk.found = bisection.found().per_second;
    return walk;
}

} // namespace

TEST_CASE("the paper's range takes its sixteen steps")
{
    const SearchRange range{Rate{1}, Rate{50'000}, 1};
    const Walk walk = search(range, 13'739, Ends::last);
    CHECK(walk.found == 13'739);
    CHECK(walk.tried.size() >= 15);
    CHECK(walk.tried.size() <= 16);
    CHECK(walk.tried.front() == 25'000);
    CHECK(search({Rate{1}, Rate{3'300'000}, 1}, 1'000'000, Ends::last).tried.size() <= 22);
}

TEST_CASE("a wrong range is known after two trials, or when the search comes to its end")
{
    const SearchRange range{Rate{1'000}, Rate{2'000}, 1};
    const Walk low = search(range, 999, Ends::first);
    CHECK(low.state == State::below_range);
    CHECK(low.tried == std::vector<std::uint64_t>{1'000});
    const Walk high = search(range, 2'000, Ends::first);
    CHECK(high.state == State::above_range);
    CHECK(high.tried == std::vector<std::uint64_t>{1'000, 2'000});
    CHECK(search(range, 999, Ends::last).state == State::below_range);
    CHECK(search(range, 2'000, Ends::last).state == State::above_range);
}

TEST_CASE("an end of the range can be the result, and is tried")
{
    const SearchRange range{Rate{1'000}, Rate{2'000}, 1};
    const Ends ends = GENERATE(Ends::first, Ends::highest_first, Ends::last);
    const Walk low = search(range, 1'000, ends);
    CHECK(low.found == 1'000);
    CHECK(low.last_verdict.contains(1'000));
    const Walk high = search(range, 1'999, ends);
    CHECK(high.found == 1'999);
    CHECK(high.last_verdict.contains(2'000));
}

TEST_CASE("whatever the threshold, the result passed and a rate within the resolution failed")
{
    std::mt19937_64 random(20190312);
    const auto up_to = [&random](std::uint64_t most) {
        return std::uniform_int_distribution<std::uint64_t>(0, most)(random);
    };
    for (int i = 0; i < 20'000; i++) {
        const std::uint64_t min = 1 + up_to(1ULL << up_to(33));
        const std::uint64_t max = min + 1 + up_to(1ULL << up_to(33));
        const SearchRange range{Rate{min}, Rate{max}, 1 + up_to(1ULL << up_to(16))};
        const std::uint64_t threshold = up_to(max + (max - min) / 4);
        const auto confirm = static_cast<unsigned>(up_to(2));
        const Walk walk =
            search(range, threshold, up_to(1) != 0 ? Ends::first : Ends::last, confirm);
        CAPTURE(min, max, range.resolution, threshold, confirm);
        REQUIRE((walk.state == State::below_range) == (threshold < min));
        REQUIRE((walk.state == State::above_range) == (threshold >= max));
        if (walk.state != State::found)
            continue;
        REQUIRE(walk.last_verdict.at(walk.found));
        const auto next = walk.last_verdict.upper_bound(walk.found);
        REQUIRE(next != walk.last_verdict.end());
        REQUIRE_FALSE(next->second);
        REQUIRE(next->first - walk.found <= range.resolution);
    }
}

TEST_CASE("whatever the server does, the search ends, and its result is between a pass and a fail")
{
    std::mt19937_64 random(8219);
    for (unsigned i = 0; i < 5'000; i++) {
        const SearchRange range{Rate{100}, Rate{100'000}, 1};
        const unsigned confirm = i % 3;
        Bisection bisection(range, confirm, i % 2 == 0 ? Ends::first : Ends::last);
        std::map<std::uint64_t, bool> last;
        std::uint64_t trials = 0;
        while (bisection.state() == State::open) {
            const bool passed = random() % 3 != 0;
            last[bisection.next().per_second] = passed;
            bisection.feed(passed);
            REQUIRE(++trials <= Bisection::most_trials(range, confirm));
        }
        if (bisection.state() != State::found)
            continue;
        REQUIRE(last.at(bisection.found().per_second));
        REQUIRE_FALSE(last.at(bisection.found().per_second + 1));
    }
}

TEST_CASE("a failed rate is tried again as often as asked, and one pass is enough")
{
    const SearchRange range{Rate{1}, Rate{101}, 1};
    Bisection bisection(range, 2, Ends::last);
    for (int i = 0; i < 3; i++) {
        CHECK(bisection.next() == Rate{51});
        bisection.feed(false);
    }
    CHECK(bisection.next() == Rate{26});
    bisection.feed(false);
    CHECK(bisection.next() == Rate{26});
    bisection.feed(true);
    CHECK(bisection.next() == Rate{38});
    // The bisection counts failures anew for each rate.
    bisection.feed(false);
    bisection.feed(false);
    CHECK(bisection.next() == Rate{38});
}

TEST_CASE("what is left is what comes, give or take one")
{
    const SearchRange range{Rate{1}, Rate{50'000}, 1};
    CHECK(Bisection(range, 0, Ends::highest_first).trials_left() == 17);
    CHECK(Bisection(range, 0, Ends::highest_first).next() == range.max);
    Bisection bisection(range, 0, Ends::first);
    CHECK(bisection.trials_left() == 18);
    unsigned made = 0;
    for (; bisection.state() == State::open; made++) {
        CHECK(bisection.trials_left() >= 1);
        bisection.feed(bisection.next().per_second <= 13'739);
    }
    CHECK(bisection.trials_left() == 0);
    CHECK(made >= 17);
    CHECK(made <= 18);
}

TEST_CASE("steps that passed since the last failure are counted")
{
    Bisection bisection({Rate{1}, Rate{1'025}, 1}, 0, Ends::first);
    bisection.feed(true);  // 1
    bisection.feed(false); // 1025
    bisection.feed(false); // 513
    while (bisection.state() == State::open)
        bisection.feed(true);
    CHECK(bisection.found() == Rate{512});
    CHECK(bisection.passed_since_failure() == 9);
}

TEST_CASE("a range of one rate is one trial")
{
    const bool passes = GENERATE(true, false);
    Bisection bisection({Rate{7}, Rate{7}, 1}, 0, Bisection::Ends::last);
    CHECK(bisection.next() == Rate{7});
    CHECK(bisection.trials_left() == 1);
    bisection.feed(passes);
    CHECK(bisection.state() ==
          (passes ? Bisection::State::above_range : Bisection::State::below_range));
}

TEST_CASE("a rate that cannot be offered bounds the search, and is no result")
{
    const SearchRange range{Rate{1'000}, Rate{2'000}, 10};
    // Returns the search of a server that keeps every rate up to `keeps`, where only rates up to
    // `offers` can be offered.
    const auto walk = [&](std::uint64_t keeps, std::uint64_t offers, Ends ends) {
        Bisection bisection(range, 0, ends);
        for (unsigned steps = 0; bisection.state() == State::open; steps++) {
            REQUIRE(steps <= Bisection::most_trials(range, 0));
            REQUIRE(bisection.trials_left() >= 1);
            const std::uint64_t rate = bisection.next().per_second;
            if (rate > offers)
                bisection.feed_not_offered();
            else
                bisection.feed(rate <= keeps);
        }
        return bisection;
    };
    for (const Ends ends : {Ends::first, Ends::highest_first, Ends::last}) {
        const Bisection limited = walk(5'000, 1'300, ends);
        CHECK(limited.state() == State::not_offered);
        REQUIRE(limited.passed());
        REQUIRE(limited.not_offered());
        CHECK(*limited.passed() <= Rate{1'300});
        CHECK(*limited.not_offered() > Rate{1'300});
        CHECK(limited.not_offered()->per_second - limited.passed()->per_second <= range.resolution);
        CHECK_FALSE(limited.failed());
        // The server's limit is lower: it is the result as without the Tester's limit.
        const Bisection found = walk(1'200, 1'300, ends);
        CHECK(found.state() == State::found);
        CHECK(found.found() > Rate{1'190});
        CHECK(found.found() <= Rate{1'200});
        CHECK(walk(999, 1'300, ends).state() == State::below_range);
        // A failure above a rate that cannot be offered does not bound the result.
        CHECK(walk(5'000, 1'000, ends).state() == State::not_offered);
    }
    Bisection mixed(range, 0, Ends::last);
    mixed.feed(false); // 1,500
    mixed.feed_not_offered();
    while (mixed.state() == State::open)
        mixed.feed(true);
    CHECK(mixed.state() == State::not_offered);
    CHECK(mixed.failed() == Rate{1'500});
    CHECK(mixed.not_offered() == Rate{1'250});
}
