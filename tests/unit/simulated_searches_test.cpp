// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Compares one search for four loss ratios (--method mlr) with four classic searches, which repeat
// 20 times. Both search the same simulated servers, down to intervals of the same width. Compares
// trials, time, and how often the bounds hold the truth. Prints the table of
// user/series/mlr/README.md.
#include "series/mlr/loss_ratio_search.h"
#include "series/search/repetitions.h"
#include "support/simulated_servers.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

using namespace dnsgauge;
using testing::loss_ratios;
using testing::Random;

namespace
{

constexpr Rate least{1000};
constexpr Rate most{3'000'000};
constexpr double least_capacity = 300'000; // queries/s
constexpr double most_capacity = 330'000;
constexpr double width = 0.005; // of an interval, as a share of its lower end
constexpr double deciding = 60; // seconds of a trial that decides
constexpr double between =
    5.25; // seconds from the end of a trial to the next: --timeout and --pause
constexpr unsigned seeds = 400;

constexpr double swing = 0.002;      // share by which a drifting server's capacity goes up and down
constexpr double period = 3600;      // seconds of such an up and down
constexpr double random_loss = 1e-6; // share of queries
constexpr double stall = 0.1;        // seconds for which a server answers nothing

constexpr std::size_t nowhere = loss_ratios.size();

struct Server {
    std::string name;
    // Returns the share of queries lost at a capacity, before chance has its say.
    std::function<double(double load, double capacity)> losses;
    bool drifts = false;
    double between_stalls = 0; // seconds on average; 0: there are none
    // The place of the first loss ratio for which the bounds must hold the truth; `nowhere`: of
    // none.
    std::size_t held_from = 0;
};

const std::vector<Server> &servers()
{
    static const std::vector<Server> all = {
        {.name = "hard limit", .losses = testing::hard_limit},
        {.name = "soft knee", .losses = testing::soft_knee},
        {.name = "random loss",
         .losses =
             [](double load, double limit) {
                 return 1 - (1 - random_loss) * (1 - testing::hard_limit(load, limit));
             },
         // Whatever the rate, a trial of a minute loses a query by chance: ever more often, but
         // nowhere is there a rate that keeps the loss ratio 0 and one hardly above it that does
         // not.
         .held_from = 1},
        {.name = "drift", .losses = testing::hard_limit, .drifts = true},
        {.name = "a stall in 30 min", .losses = testing::hard_limit, .between_stalls = 1800},
        {.name = "a stall in 10 min", .losses = testing::hard_limit, .between_stalls = 600},
        // Stalls spoil a fifth of all trials of a minute: that is how far the search bears them.
        {.name = "a stall in 5 min",
         .losses = testing::hard_limit,
         .between_stalls = 300,
         .held_from = nowhere},
    };
    return all;
}

// A server in the course of a search: makes its trials, and counts them.
class Simulation
{
public:
    Simulation(const Server &server, unsigned seed) : server_(server), random_(seed) {}

    // Returns the share of queries that a trial loses.
    double trial(double load, double duration)
    {
        const double limit = capacity_now();
        lowest_ = std::min(lowest_, limit);
        highest_ = std::max(highest_, limit);
        const double sent = std::floor(load * duration);
        double share = server_.losses(load, limit);
        if (server_.between_stalls > 0) {
            std::poisson_distribution<unsigned> count(duration / server_.between_stalls);
            share = std::min(1.0, share + count(random_) * stall / duration);
        }
        trials_++;
        seconds_ += duration;
        return std::min(sent, testing::draw_lost(share * sent, random_)) / sent;
    }

    [[nodiscard]] unsigned trials() const { return trials_; }
    [[nodiscard]] double seconds() const { return seconds_; }
    [[nodiscard]] double time() const { return seconds_ + trials_ * between; }

    // Do the bounds hold a truth of the time since the search began? The truth is the rate at which
    // a trial of a minute keeps the loss ratio as often as not, if no stall comes.
    [[nodiscard]] bool is_held(double lower, double upper, double loss_ratio) const
    {
        return lower <= truth(loss_ratio, highest_) && truth(loss_ratio, lowest_) <= upper;
    }

private:
    double capacity_now()
    {
        return server_.drifts
                   ? capacity_ *
                         (1 + swing * std::sin(phase_ + 2 * std::numbers::pi * time() / period))
                   : capacity_;
    }

    [[nodiscard]] double truth(double loss_ratio, double limit) const
    {
        double low = static_cast<double>(least.per_second);
        double high = static_cast<double>(most.per_second);
        for (int i = 0; i < 60; i++) {
            const double load = (low + high) / 2;
            const double share = server_.losses(load, limit);
            const bool is_kept =
                loss_ratio == 0 ? share * load * deciding < std::numbers::ln2 : share <= loss_ratio;
            (is_kept ? low : high) = load;
        }
        return low;
    }

    const Server &server_;
    Random random_;
    double phase_ = std::uniform_real_distribution<>(0, 2 * std::numbers::pi)(random_);
    double capacity_ = std::uniform_real_distribution<>(least_capacity, most_capacity)(random_);
    double lowest_ = most_capacity; // so far
    double highest_ = 0;
    unsigned trials_ = 0;
    double seconds_ = 0;
};

// What searches of a server with all seeds have in common.
struct Outcome {
    double trials = 0; // means
    double seconds = 0;
    double time = 0;
    std::array<unsigned, loss_ratios.size()> hits{}; // seeds whose bounds hold the truth
    std::vector<double> lossless{};                  // results for the loss ratio 0

    [[nodiscard]] double held_percent(std::size_t ratio) const
    {
        return 100.0 * hits.at(ratio) / seeds;
    }
};

void add(Outcome &outcome, const Simulation &simulation)
{
    outcome.trials += static_cast<double>(simulation.trials()) / seeds;
    outcome.seconds += simulation.seconds() / seeds;
    outcome.time += simulation.time() / seeds;
}

Outcome search_once(const Server &server)
{
    Outcome outcome;
    for (unsigned seed = 0; seed < seeds; seed++) {
        Simulation simulation(server, seed);
        LossRatioSearch search(least, most, testing::goals(width));
        while (const std::optional<LossTurn> turn = search.next()) {
            if (simulation.trials() >= 500)
                FAIL(server.name << ", seed " << seed << ": the search does not end");
            const double lost = simulation.trial(static_cast<double>(turn->load.per_second),
                                                 seconds(turn->duration));
            search.feed({turn->load, turn->duration, lost});
        }
        for (std::size_t i = 0; i < loss_ratios.size(); i++) {
            const LoadBounds bounds = search.result(i).bounds;
            if (i == 0)
                outcome.lossless.push_back(
                    bounds.lower ? static_cast<double>(bounds.lower->per_second) : 0);
            outcome.hits[i] +=
                bounds.lower && bounds.upper &&
                simulation.is_held(static_cast<double>(bounds.lower->per_second),
                                   static_cast<double>(bounds.upper->per_second), loss_ratios[i]);
        }
        add(outcome, simulation);
    }
    return outcome;
}

// A classic search's bounds are its median, and the resolution above that.
Outcome search_four_times(const Server &server)
{
    const auto resolution = static_cast<std::uint64_t>(least_capacity * width);
    Outcome outcome;
    for (unsigned seed = 0; seed < seeds; seed++) {
        Simulation simulation(server, seed);
        for (std::size_t i = 0; i < loss_ratios.size(); i++) {
            Repetitions search({{least, most, resolution}, 20});
            while (const std::optional<SearchTurn> turn = search.next()) {
                TrialSummary trial;
                trial.rate = turn->rate;
                const double lost =
                    simulation.trial(static_cast<double>(turn->rate.per_second), deciding);
                trial.verdict = lost <= loss_ratios[i] ? Verdict::pass : Verdict::fail;
                search.feed(trial);
            }
            std::vector<double> found;
            for (const Repetition &one : search.all())
                found.push_back(one.rate ? static_cast<double>(one.rate->per_second) : 0);
            found.resize(20);
            std::ranges::sort(found);
            const double median = (found[9] + found[10]) / 2;
            if (i == 0)
                outcome.lossless.push_back(median);
            outcome.hits[i] += simulation.is_held(median, median + static_cast<double>(resolution),
                                                  loss_ratios[i]);
        }
        add(outcome, simulation);
    }
    return outcome;
}

void print(const std::string &name, const char *method, Outcome outcome)
{
    std::string held;
    for (std::size_t i = 0; i < loss_ratios.size(); i++)
        held += fmt::format("{:7.1f}", outcome.held_percent(i));
    std::ranges::sort(outcome.lossless);
    const auto percentile = [&](double percent) {
        return outcome.lossless.at(static_cast<std::size_t>(percent / 100 * seeds));
    };
    fmt::print("{:18} {:7} {:7.0f} {:10.0f} {:7.2f} {:>29} {:>10.0f} to {:.0f}\n", name, method,
               outcome.trials, outcome.seconds, outcome.time / 3600, held, percentile(5),
               percentile(95));
}

} // namespace

TEST_CASE("one search for four loss ratios beside four classic searches of twenty")
{
    fmt::print(
        "means of {} seeds; seeds whose bounds hold the truth, percent, by loss ratio; 5th and "
        "95th percentile of the rates found for loss ratio 0\n",
        seeds);
    fmt::print("{:26} {:>7} {:>10} {:>7}   {:>6} {:>6} {:>6} {:>6}   {}\n", "", "trials",
               "trials, s", "hours", "0", "0.01 %", "0.1 %", "1 %", "rates");
    for (const Server &server : servers()) {
        const Outcome once = search_once(server);
        const Outcome four_times = search_four_times(server);
        print(server.name, "mlr", once);
        print(server.name, "classic", four_times);
        INFO(server.name);
        CHECK(once.time <= four_times.time / 8);
        CHECK(once.seconds <= four_times.seconds / 8);
        for (std::size_t i = server.held_from; i < loss_ratios.size(); i++) {
            INFO("loss ratio " << loss_ratios[i]);
            CHECK(once.held_percent(i) >= 95);
        }
    }
}
