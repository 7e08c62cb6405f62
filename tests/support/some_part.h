// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Parts of a trial of several Testers, as tests make them up.
#pragma once

#include "engine/query_tally.h"
#include "support/counted_replies.h"
#include "trial/conclusion.h"
#include "trial/measurement.h"
#include "trial/trial_options.h"
#include "workload/schedule.h"

#include <chrono>
#include <cstdint>
#include <random>
#include <string>

namespace dnsgauge::testing
{

// 1000 queries in a second.
inline TrialPlan some_joint_plan()
{
    TrialPlan plan = usual_plan();
    give_part<ZoneNames>(plan.workload).names = parse_name_range("10.0.0.0/16");
    plan.rate = Rate{1000};
    plan.duration = std::chrono::seconds(1);
    plan.interval = std::chrono::milliseconds(500);
    fill_in(plan);
    return plan;
}

// Counts a valid reply of 76 octets as the engine does, and as the sender does in its
// intervals.
inline void count_valid(Tally &tally, IntervalBook &book, std::int64_t sent, std::uint64_t rtt)
{
    count_valid(tally.replies, rtt);
    TraitsTally &traits = tally.replies.traits;
    traits.sizes.resize(76 / TraitsTally::size_step + 1);
    traits.sizes.back()++;
    traits.octets += 76;
    traits.smallest = traits.largest = 76;
    book.settle(sent, QUERY_VALID, 0, rtt);
}

// Returns the part of a Tester with one sender, which has share `rank` of `testers`, and whose
// queries were all answered but for the last `lost` ones.
inline TesterPart some_part(std::mt19937 &random, std::uint32_t rank, std::uint32_t testers,
                            std::uint64_t lost = 0, const TrialPlan &plan = some_joint_plan())
{
    const std::uint64_t queries =
        Share{.number = rank, .of = testers}.count(queries_in(plan.rate, plan.duration));
    TesterPart part{.rank = rank,
                    .host = "host" + std::to_string(rank),
                    .machine = "boot" + std::to_string(rank),
                    .clock = {.after = ClockReading{}},
                    .measured = Measurement{}};
    Measurement &measured = *part.measured;
    measured.server = "198.18." + std::to_string(rank) + ".2";
    measured.path = {.engine = "test", .rtt_begins = "sent", .rtt_ends = "heard"};
    MissBook misses(stall_limit(plan.rate));
    IntervalBook book({.length = *plan.interval, .run = plan.duration});
    LaneTally lane{.share = rank, .queue = 0, .cpu = rank, .handed_over = queries};
    for (std::uint64_t i = 0; i < queries; i++) {
        const std::int64_t sent = due_at(plan.rate, i * testers + rank).count();
        lane.lateness.add(random() % 100'000);
        lane.last_sent = Nanoseconds(sent);
        if (i < queries - lost)
            count_valid(measured.tally, book, sent, 1000 + random() % 1'000'000);
        else {
            book.settle(sent, QUERY_OUTSTANDING, 0, 0);
            misses.settle(sent, QUERY_OUTSTANDING);
        }
    }
    lane.kicks = random() % 1000;
    lane.ran = Nanoseconds(random());
    lane.bursts = {0, queries};
    lane.stamps = {.transmitted = 3, .received = 2, .contradictory = 0};
    lane.hardware_rtts.add(random() % 100'000);
    lane.intervals = book.tallies();
    lane.misses = misses.tally();
    measured.tally.lanes.push_back(lane);
    measured.tally.replies.strays.duplicate = 1 + rank;
    measured.stall_limit = stall_limit(plan.rate);
    measured.losses.kinds = {{.name = "unsent", .why = {"{} was not sent", "{} were not sent"}}};
    measured.losses.interface = {{"rx_dropped", 1 + rank}};
    measured.cpus = {{.cpu = rank,
                      .sends = true,
                      .receives = true,
                      .elapsed = std::chrono::seconds(1),
                      .guests = {{.cpu = rank,
                                  .process = 12,
                                  .name = "someone",
                                  .side = CpuGuest::Side::other,
                                  .ran = std::chrono::milliseconds(1),
                                  .waited = {}}}}};
    measured.circumstances.started = "2026-11-23T00:00:00Z";
    measured.circumstances.version = "0.1.0";
    measured.circumstances.interface = "g" + std::to_string(rank);
    measured.circumstances.source_address = "198.18." + std::to_string(rank) + ".1";
    measured.since = std::chrono::seconds(100 + rank);
    measured.until = std::chrono::seconds(102 + 2 * rank);
    return part;
}

// Returns a trial that failed because of its Tester's stall alone.
inline TrialResult some_stalled_trial(Rate rate)
{
    std::mt19937 random(1);
    TesterPart part = some_part(random, 0, 1, 3);
    part.measured->tally.lanes[0].stalls = {{.since = std::chrono::milliseconds(900),
                                             .until = std::chrono::milliseconds(994),
                                             .longest = std::chrono::milliseconds(90),
                                             .burst = 90}};
    TrialResult trial = conclude(some_joint_plan(), {part}, 1);
    trial.rate = rate;
    return trial;
}

} // namespace dnsgauge::testing
