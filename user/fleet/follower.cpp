// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/follower.h"

#include "fleet/measurement_json.h"
#include "fleet/plan_words.h"
#include "input/input_file.h"
#include "record/selftest_json.h"
#include "userland/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

namespace dnsgauge
{

namespace
{

using namespace std::chrono_literals;

constexpr std::uint32_t leader_rank = 0;
constexpr Nanoseconds tester_patience = 60s; // of a Tester with something to say

// Each Tester reads list and captures on its own host.
void check_file(const QueryFile &file, const std::string &checksum_of_first)
{
    if (const std::string mine = file_checksum(file.option, file.path); mine != checksum_of_first)
        throw SetupError(fmt::format("{} {} is another file here (CRC-64 {}) than where the Tester "
                                     "of rank 0 runs ({}): copy one to all hosts",
                                     file.option, file.path, mine, checksum_of_first));
}

// Returns the words without the rate, which changes from trial to trial.
std::vector<std::string> without_rate(std::vector<std::string> words)
{
    if (const auto rate = std::ranges::find(words, "--rate"); rate != words.end())
        words.erase(rate, rate + 2);
    return words;
}

} // namespace

class Follower::FollowedTrial final : public JointTrial
{
public:
    FollowedTrial(Follower &follower, std::uint32_t senders) : follower_(follower)
    {
        follower_.answer(Order::prepare, senders);
        shares_ = read_shares(await(Order::share).with);
    }

    [[nodiscard]] Shares shares() const override { return shares_; }

    std::vector<ReadyTester> get_ready(const Readiness &mine) override
    {
        follower_.answer(Order::share, readiness_json(mine));
        await(Order::pings);
        show_clock();
        return {};
    }

    [[nodiscard]] Nanoseconds common_start() override
    {
        return Nanoseconds(await(Order::start).with.at("at").get<std::int64_t>());
    }

    [[nodiscard]] bool is_stopped() override
    {
        while (follower_.channel_.has_message(leader_rank))
            take(follower_.next_order());
        return is_stopped_;
    }

    [[nodiscard]] std::vector<TesterPart> exchange(Measurement mine) override
    {
        while (!is_clock_wanted_)
            take(follower_.next_order());
        show_clock();
        while (!is_part_wanted_)
            take(follower_.next_order());
        follower_.answer(Order::part, measurement_json(mine));
        std::vector<TesterPart> parts(1);
        parts.front().measured = std::move(mine);
        return parts;
    }

private:
    // Returns the next order, which must be `what`. Throws CalledOff if it is another one.
    Told await(Order what)
    {
        Told told = follower_.next_order();
        if (told.order != what)
            throw CalledOff(orders.text_of(told.order));
        return told;
    }

    // Takes an order that comes while the trial runs, or after it.
    void take(const Told &told)
    {
        switch (told.order) {
        case Order::pings:
            is_clock_wanted_ = true;
            return;
        case Order::part:
            is_part_wanted_ = true;
            return;
        case Order::stop:
            is_stopped_ = true;
            return;
        case Order::describe:
        case Order::prepare:
        case Order::share:
        case Order::start:
        case Order::serve:
        case Order::check:
        case Order::rest:
        case Order::off:
        case Order::leave:
            throw CalledOff(orders.text_of(told.order));
        }
    }

    void show_clock()
    {
        follower_.clock_.begin_reading();
        follower_.answer(Order::pings, {});
    }

    Follower &follower_;
    Shares shares_;
    bool is_clock_wanted_ = false;
    bool is_part_wanted_ = false;
    bool is_stopped_ = false;
};

Follower::Follower(Channel &channel, std::vector<std::string> words, SetupOf setup_of,
                   ServerOf server_of)
    : channel_(channel), clock_(channel, leader_rank), words_(std::move(words)),
      setup_of_(std::move(setup_of)), server_of_(std::move(server_of))
{
    if (!say_to(channel_, leader_rank, introduction_json(introduce(words_)),
                after(tester_patience)))
        throw std::runtime_error("the Tester of rank 0 does not listen");
}

void Follower::serve(const std::atomic<bool> &stop)
{
    for (;;) {
        const Told told = next_order();
        switch (told.order) {
        case Order::leave:
            return;
        case Order::describe:
            tell_setup(told);
            break;
        case Order::serve:
        case Order::check:
        case Order::rest:
            look_after_server(told);
            break;
        case Order::prepare:
            make_part(told, stop);
            break;
        case Order::share:
        case Order::pings:
        case Order::start:
        case Order::stop:
        case Order::part:
        case Order::off:
            break; // of a trial that this Tester has left
        }
    }
}

template <class Do>
void Follower::carry_out(const Told &told, Do what)
{
    join(told.trial);
    try {
        what();
    } catch (const CalledOff &) {
        return;
    } catch (const std::exception &error) {
        say({.to = {}, .trial = number_, .value = {}, .error = error.what()});
    }
}

void Follower::tell_setup(const Told &told)
{
    carry_out(told, [&] {
        const ToldPlan plan = read_plan(told.with);
        answer(told.order, setup_json(setup_of_(plan_of(plan.words, plan.own))));
    });
}

// Reads the plan's list or captures, unless the previous trial had the same. A campaign, of one or
// several Testers, relies on the files staying as they are.
void Follower::load(TrialPlan &plan, const ToldPlan &told)
{
    const std::vector<QueryFile> files = files_of(plan.workload);
    if (files.empty())
        return;
    std::vector<std::string> words = without_rate(told.words);
    for (const GivenOption &own : told.own)
        words.insert(words.end(), {own.option, own.text});
    if (words == loaded_by_) {
        plan.workload = loaded_;
    } else {
        loaded_ = {};
        loaded_by_.clear();
        for (std::size_t i = 0; i < files.size(); i++)
            check_file(files[i], told.files_crc64.at(i));
    }
    load_list(plan);
    loaded_ = plan.workload;
    loaded_by_ = std::move(words);
}

void Follower::look_after_server(const Told &told)
{
    carry_out(told, [&] {
        if (told.order == Order::rest)
            server_.reset();
        if (told.order == Order::serve) {
            const ToldPlan plan = read_plan(told.with);
            server_ = server_of_(plan_of(plan.words, plan.own), plan.given, plan.faults);
        }
        if (server_)
            server_->check_alive();
        answer(told.order, {});
    });
}

void Follower::make_part(const Told &told, const std::atomic<bool> &stop)
{
    carry_out(told, [&] {
        const ToldPlan asked = read_plan(told.with);
        TrialPlan plan = plan_of(asked.words, asked.own);
        load(plan, asked);
        // This Tester's self-tests choose its sender's CPU, as rank 0's self-tests choose rank 0's.
        if (plan.cpus.empty())
            static_cast<void>(setup_of_(plan));
        plan.testers = std::shared_ptr<Testers>(std::shared_ptr<Testers>(), this); // not owned
        Trial trial(plan);
        static_cast<void>(trial.run(stop, [](const TrialProgress & /*none*/) {}));
    });
}

std::unique_ptr<JointTrial> Follower::begin(const TrialPlan & /*plan*/, std::uint32_t senders)
{
    return std::make_unique<FollowedTrial>(*this, senders);
}

void Follower::answer(Order order, Message value)
{
    say({.to = order, .trial = number_, .value = std::move(value), .error = {}});
}

void Follower::say(const Answered &answered)
{
    if (!say_to(channel_, leader_rank, answered_json(answered), after(tester_patience)))
        throw CalledOff("the Tester of rank 0 does not listen");
}

// Waits without limit: there may be pauses of any length between trials.
Told Follower::next_order()
{
    for (;;)
        if (const std::optional<std::string> text = clock_.receive(after(tester_patience)))
            return read_told(Message::parse(*text));
}

} // namespace dnsgauge
