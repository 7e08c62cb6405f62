// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Simulated trials, for tests of what stalls cost: a schedule with stalls, and a server with a
// socket's buffer.
#pragma once

#include "engine/catch_up.h"
#include "engine/stall_book.h"
#include "trial/attribution.h"
#include "trial/verdict.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace dnsgauge::testing
{

constexpr std::uint64_t usual_buffer = usual_socket_buffer / packet_in_buffer;

// When somebody stands still, and for how long, in order.
using Stops = std::vector<std::pair<Nanoseconds, Nanoseconds>>;

struct Simulation {
    Rate rate{25'000};
    Nanoseconds duration = std::chrono::seconds(4);
    double served = 100'000;             // queries a second that the server serves
    std::uint64_t buffer = usual_buffer; // queries that wait for the server
    double loss = 0;                     // the share that the server loses at any time
    Stops tester_stops{};
    Stops server_stops{};
    Stops server_pauses{}; // likewise, and nobody notes them: they are the server's own
    double accept_percent = 100;
    unsigned hiccups = 0; // of the Tester, a second
    std::optional<double> catch_up{};
    bool is_probed = false;
};

// Returns the end of the stop in which `time` is; `time` where there is none.
inline Nanoseconds after_stops(Nanoseconds time, const Stops &stops)
{
    const auto next = std::ranges::upper_bound(stops, time, {}, &Stops::value_type::first);
    if (next == stops.begin())
        return time;
    const auto &[since, length] = *std::prev(next);
    return std::max(time, since + length);
}

// Returns the Tester's stops, and short ones at random times between them: half of these are longer
// than 60 us, and one of a hundred longer than 1 ms.
inline Stops with_hiccups(const Simulation &plan)
{
    std::mt19937 random(11);
    std::exponential_distribution<double> distance(plan.hiccups);
    std::lognormal_distribution<double> length(std::log(60e3), 1.2);
    Stops all = plan.tester_stops;
    for (double at = distance(random); plan.hiccups != 0 && at < seconds(plan.duration);
         at += distance(random))
        all.emplace_back(static_cast<std::int64_t>(at * 1e9),
                         static_cast<std::int64_t>(std::min(length(random), 6e6)));
    std::ranges::sort(all);
    Stops apart;
    for (const auto &stop : all)
        if (apart.empty() || apart.back().first + apart.back().second < stop.first)
            apart.push_back(stop);
        else
            apart.back().second =
                std::max(apart.back().second, stop.first + stop.second - apart.back().first);
    return apart;
}

using Simulated = Evidence; // and its verdict

// Sends the schedule in batches of 32, a query each 500 ns where it is behind; the server takes the
// queries from a buffer, and what finds the buffer full is lost.
inline Simulated simulate(const Simulation &plan)
{
    using namespace std::chrono_literals;
    std::mt19937 random(7);
    std::bernoulli_distribution loses(plan.loss);
    const Nanoseconds limit = stall_limit(plan.rate);
    const Stops tester_stops = with_hiccups(plan);
    StallBook book(limit);
    MissBook misses(limit);
    const std::uint64_t queries = queries_in(plan.rate, plan.duration);
    const auto service = Nanoseconds(static_cast<std::int64_t>(1e9 / plan.served));
    // When the last queries that the server took will have been served: as many as the buffer
    // holds.
    std::vector<Nanoseconds> served(std::max<std::size_t>(plan.buffer, 1));
    std::size_t oldest = 0;
    Nanoseconds free{}; // when the server has served all
    Simulated result;
    std::optional<CatchUp> pace;
    if (plan.catch_up)
        pace.emplace(static_cast<std::uint32_t>(*plan.catch_up * 1000), limit);
    Nanoseconds now{};
    for (std::uint64_t next = 0; next < queries;) {
        const Nanoseconds first_due = due_at(plan.rate, next);
        Nanoseconds due = first_due;
        now = after_stops(std::max(now, due), tester_stops);
        const Nanoseconds until =
            pace ? Nanoseconds(pace->at(now.count(), first_due.count())) : now;
        if (first_due > until) {
            now += Nanoseconds(500);
            continue;
        }
        std::uint32_t batch = 0;
        while (batch < 32 && next < queries && due <= until) {
            const bool is_full = plan.buffer == 0 || served[oldest] > now;
            if (is_full || (plan.loss != 0 && loses(random))) {
                misses.settle(now.count(), QUERY_OUTSTANDING);
                result.queries.lost++;
            } else {
                free = after_stops(after_stops(std::max(free, now), plan.server_stops),
                                   plan.server_pauses) +
                       service;
                served[oldest] = free;
                oldest = oldest + 1 == served.size() ? 0 : oldest + 1;
                result.queries.valid++;
            }
            batch++;
            due = due_at(plan.rate, ++next);
        }
        book.hand_over(first_due.count(), now.count(), batch, due.count());
        now += batch * 500ns;
    }
    book.close();
    std::vector<Stall> stalls = book.stalls();
    for (const auto &[since, length] : plan.server_stops)
        stalls.push_back(
            {.who = Stalled::server, .since = since, .until = since + length, .longest = length});
    const SchedulePlan schedule{.rate = plan.rate, .duration = plan.duration};
    result.rate = plan.rate;
    result.catch_up = plan.catch_up;
    result.duration = plan.duration;
    result.timeout = 250ms;
    result.accept_percent = plan.accept_percent;
    result.queries.sent = queries;
    result.sending.duration = plan.duration;
    result.stalls =
        attribute(stalls, misses.tally(),
                  {.limit = limit, .duration = plan.duration, .timeout = result.timeout},
                  [&](Nanoseconds at) {
                      return schedule.queries_before(std::clamp(at, 0ns, plan.duration));
                  });
    result.misses = result.queries.lost;
    if (plan.is_probed)
        result.places = LossPlaces{.at_server = result.queries.lost};
    take(result, judge(result));
    return result;
}

// Returns stops of one length, `apart` from each other, as long as the trial takes.
inline Stops stops_of(Nanoseconds length, Nanoseconds apart, Nanoseconds duration)
{
    Stops stops;
    for (Nanoseconds at = apart; at < duration && length != Nanoseconds{}; at += apart)
        stops.emplace_back(at, length);
    return stops;
}

} // namespace dnsgauge::testing
