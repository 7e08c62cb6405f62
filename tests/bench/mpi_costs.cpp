// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What Testers that mpirun started say to each other around a trial, with made-up parts and without
// a packet, and how long that takes. The Tester of rank 0 prints an object of JSON for each trial.
// usage: mpirun -n TESTERS mpi_costs TRIALS SECONDS LANES
#include "fleet/follower.h"
#include "fleet/leader.h"
#include "fleet/measurement_json.h"
#include "fleet/talk.h"
#include "mpi/mpi_channel.h"
#include "support/some_part.h"
#include "system/run_program.h"
#include "system/setup_error.h"
#include "system/standard_output.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>

using namespace dnsgauge;

namespace
{

const std::vector<std::string> command{"mpi_costs"};

Nanoseconds now()
{
    return std::chrono::steady_clock::now().time_since_epoch();
}

double milliseconds_since(Nanoseconds begin)
{
    return seconds(now() - begin) * 1e3;
}

struct Costs {
    unsigned trials = 0;
    std::chrono::seconds duration{}; // of the trial that the parts are of
    unsigned lanes = 0;              // of each Tester
};

// Returns the part of a Tester each of whose lanes sends 20,000 queries a second, in intervals of a
// second.
Measurement part_of(std::uint32_t rank, std::uint32_t testers, const Costs &costs)
{
    const std::uint32_t lanes = testers * costs.lanes;
    TrialPlan plan = testing::some_joint_plan();
    plan.rate = Rate{20'000 * lanes};
    plan.duration = costs.duration;
    plan.interval = std::chrono::seconds(1);
    std::mt19937 random(rank);
    const auto lane = [&](std::uint32_t number) {
        return *testing::some_part(random, rank * costs.lanes + number, lanes, 0, plan).measured;
    };
    Measurement part = lane(0);
    for (std::uint32_t number = 1; number < costs.lanes; number++)
        part.tally.lanes.push_back(lane(number).tally.lanes.front());
    return part;
}

// Waits for the order to prepare, as Follower::serve() does. A Tester whose part came late was told
// to stop as well.
void await_order(Channel &channel)
{
    for (;;) {
        const std::optional<Message> order = hear(channel, 0, after(std::chrono::minutes(1)));
        if (!order)
            throw SetupError("the Tester of rank 0 says nothing");
        if (unpacked<Told>(*order).order == Order::prepare)
            return;
    }
}

void follow(Channel &channel, const Costs &costs)
{
    Follower follower(channel, command, [](const TrialPlan & /*any*/) { return TesterSetup{}; });
    Measurement mine = part_of(channel.rank(), channel.size(), costs);
    for (unsigned number = 1; number <= costs.trials; number++) {
        await_order(channel);
        follower.join(number);
        const auto trial = follower.begin(testing::some_joint_plan(), 1);
        trial->get_ready({mine.circumstances, {}});
        const Nanoseconds start = trial->common_start();
        mine.until = start - now(); // tells rank 0 how early the order to start came
        std::this_thread::sleep_until(std::chrono::steady_clock::time_point(start));
        static_cast<void>(trial->exchange(mine));
    }
}

nlohmann::ordered_json one_trial(Leader &leader, const Measurement &mine, std::uint32_t testers)
{
    nlohmann::ordered_json costs = {{"testers", testers}};
    const Nanoseconds begin = now();
    const auto trial = leader.begin(testing::some_joint_plan(), 1);
    trial->get_ready({mine.circumstances, {}});
    costs["ready_ms"] = milliseconds_since(begin);
    const Nanoseconds start = trial->common_start();
    std::this_thread::sleep_until(std::chrono::steady_clock::time_point(start));
    const Nanoseconds end = now();
    const std::vector<TesterPart> parts = trial->exchange(mine);
    costs["gather_ms"] = milliseconds_since(end);
    Nanoseconds early = std::chrono::hours(1);
    Nanoseconds bound{};
    for (const TesterPart &part : parts) {
        if (part.rank == 0)
            continue;
        if (!part.measured)
            throw SetupError("a Tester sent no part");
        early = std::min(early, part.measured->until);
        bound = std::max(bound, part.clock.before.bound);
    }
    costs["start_early_ms"] = seconds(early) * 1e3;
    costs["clock_bound_us"] = seconds(bound) * 1e6;
    costs["part_octets"] = measurement_json(mine).dump().size();
    return costs;
}

void lead(Channel &channel, const Costs &costs)
{
    Fleet fleet(channel, command);
    Leader leader(fleet);
    const Measurement mine = part_of(0, channel.size(), costs);
    for (unsigned i = 0; i < costs.trials; i++)
        print_result(one_trial(leader, mine, channel.size()).dump() + "\n");
}

int run(const std::vector<std::string> &words)
{
    if (words.size() != 4)
        throw SetupError("usage: mpirun -n TESTERS mpi_costs TRIALS SECONDS LANES");
    const Costs costs{.trials = static_cast<unsigned>(std::stoul(words[1])),
                      .duration = std::chrono::seconds(std::stoul(words[2])),
                      .lanes = static_cast<unsigned>(std::stoul(words[3]))};
    MpiChannel channel;
    if (channel.rank() == 0)
        lead(channel, costs);
    else
        follow(channel, costs);
    return 0;
}

} // namespace

int main(int count, char **arguments)
{
    return run_program("mpi_costs", [=] { return run({arguments, arguments + count}); });
}
