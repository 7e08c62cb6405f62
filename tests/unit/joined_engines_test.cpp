// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/joined_engines.h"

#include "system/setup_error.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <string>
#include <thread>

using namespace dnsgauge;
using namespace std::chrono_literals;

namespace
{

// Sends some queries in a lane, and takes its time for that.
class Pretender final : public Engine
{
public:
    Pretender(std::uint64_t queries, Nanoseconds time, bool fails = false)
        : queries_(queries), time_(time), fails_(fails)
    {
    }

    [[nodiscard]] RunPath path() const override
    {
        return {.engine = "pretence", .rtt_begins = "then", .rtt_ends = "now", .least_rtt = time_};
    }
    [[nodiscard]] Tally run(Nanoseconds /*start*/, const RunWatch &watch) override
    {
        watch.progress({.sent = queries_});
        std::this_thread::sleep_for(time_);
        if (fails_)
            throw SetupError("it fails");
        has_heard_ = true;
        watch.heard_all();
        watch.detached();
        Tally tally;
        tally.lanes.push_back({.share = 0, .handed_over = queries_});
        return tally;
    }
    [[nodiscard]] OwnLosses losses(const Tally &tally,
                                   const CounterValues & /*growth*/) const override
    {
        return {.kinds = {{.name = "lost", .count = tally.lanes.at(0).handed_over}},
                .interface = {}};
    }
    [[nodiscard]] bool has_heard() const { return has_heard_; }

private:
    std::uint64_t queries_;
    Nanoseconds time_;
    bool fails_;
    std::atomic<bool> has_heard_{false};
};

const std::atomic<bool> never{false};

} // namespace

TEST_CASE("two engines count together, and are heard when both have heard all")
{
    const auto [one_time, other_time] =
        GENERATE(std::pair(0ms, 30ms), std::pair(30ms, 0ms), std::pair(0ms, 0ms));
    Pretender one(10, one_time);
    Pretender other(200, other_time);
    JoinedEngines both(one, other);
    std::string heard;
    const Tally tally = both.run({}, {.stop = never,
                                      .progress = [](const RunProgress & /*now*/) {},
                                      .heard_all =
                                          [&] {
                                              heard += "heard";
                                              CHECK((one.has_heard() && other.has_heard()));
                                          },
                                      .detached = [&] { heard += " detached"; }});
    CHECK(heard == "heard detached");
    REQUIRE(tally.lanes.size() == 2);
    CHECK(tally.lanes[0].share == 0);
    CHECK(tally.lanes[0].handed_over == 10);
    CHECK(tally.lanes[1].share == 1);
    CHECK(tally.lanes[1].handed_over == 200);
    CHECK(both.first().lanes.size() == 1);
    const OwnLosses losses = both.losses(tally, {});
    REQUIRE(losses.kinds.size() == 1);
    CHECK(losses.kinds[0].count == 210);
    CHECK(both.path().least_rtt == std::min<Nanoseconds>(one_time, other_time));
}

TEST_CASE("an engine that fails does not keep the other one waiting")
{
    const bool first_fails = GENERATE(false, true);
    Pretender one(1, first_fails ? 20ms : 0ms, first_fails);
    Pretender other(1, first_fails ? 0ms : 20ms, !first_fails);
    JoinedEngines both(one, other);
    CHECK_THROWS_AS(both.run({}, {.stop = never,
                                  .progress = [](const RunProgress & /*now*/) {},
                                  .heard_all = [] {},
                                  .detached = [] {}}),
                    SetupError);
}
