// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/follower.h"

#include "fleet/measurement_json.h"
#include "fleet/talk.h"
#include "input/input_file.h"
#include "record/machine_fields.h"
#include "system/setup_error.h"

#include <algorithm>
#include <exception>
#include <set>
#include <stdexcept>
#include <utility>

namespace dnsgauge
{

namespace
{

using namespace std::chrono_literals;

constexpr std::uint32_t leader_rank = 0;
constexpr Nanoseconds tester_patience = 60s; // for sending a message

// Throws SetupError if a list or a capture differs from the file on the first Tester's host.
void check_file(const QueryFile &file, const std::string &checksum_of_first)
{
    if (const std::string mine = file_checksum(file.option, file.path); mine != checksum_of_first)
        throw SetupError("{} {} is another file here (CRC-64 {}) than where the Tester "
                         "of rank 0 runs ({}): copy one to all hosts",
                         file.option, file.path, mine, checksum_of_first);
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
        shares_ = unpacked<Shares>(await(Order::share));
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
        return unpacked<Nanoseconds>(await(Order::start));
    }

    [[nodiscard]] bool is_stopped() override
    {
        while (follower_.channel_.has_message(leader_rank))
            take_order();
        return taken_.contains(Order::stop);
    }

    [[nodiscard]] std::vector<TesterPart> exchange(Measurement mine) override
    {
        take_until(Order::pings);
        show_clock();
        take_until(Order::part);
        follower_.answer(Order::part, measurement_json(mine));
        std::vector<TesterPart> parts(1);
        parts.front().measured = std::move(mine);
        return parts;
    }

private:
    // Returns the value of the next order, which must be `what`. Throws CalledOff if another order
    // comes.
    Message await(Order what)
    {
        Told told = follower_.next_order();
        if (told.order != what)
            throw CalledOff("another order came");
        return std::move(told.with);
    }

    // Takes an order that may come during or after the trial. Throws CalledOff for any other order.
    void take_order()
    {
        const Order order = follower_.next_order().order;
        if (order != Order::stop && order != Order::pings && order != Order::part)
            throw CalledOff("another order came");
        taken_.insert(order);
    }

    void take_until(Order what)
    {
        while (!taken_.contains(what))
            take_order();
    }

    void show_clock()
    {
        follower_.clock_.begin_reading();
        follower_.answer(Order::pings, {});
    }

    Follower &follower_;
    Shares shares_;
    std::set<Order> taken_; // orders that came since the start
};

Follower::Follower(Channel &channel, std::vector<std::string> words, SetupOf setup_of,
                   ServerOf server_of)
    : channel_(channel), clock_(channel, leader_rank), setup_of_(std::move(setup_of)),
      server_of_(std::move(server_of))
{
    const Message introduction = introduction_json(introduce(std::move(words)));
    if (!say_to(channel_, leader_rank, introduction, after(tester_patience)))
        throw std::runtime_error("the Tester of rank 0 does not listen");
}

void Follower::serve(const std::atomic<bool> &stop)
{
    for (Told told = next_order(); told.order != Order::leave; told = next_order()) {
        join(told.task);
        try {
            carry_out(told, stop);
        } catch (const CalledOff &) {
            // The order needs no answer.
        } catch (const std::exception &error) {
            say({.order = told.order, .task = task_, .error = error.what()});
        }
    }
}

void Follower::carry_out(const Told &told, const std::atomic<bool> &stop)
{
    switch (told.order) {
    case Order::describe:
        return answer(told.order, written(setup_of_(plan_of(unpacked<ToldPlan>(told.with)))));
    case Order::prepare:
        return make_part(unpacked<ToldPlan>(told.with), stop);
    case Order::serve:
        start_server(unpacked<ToldPlan>(told.with));
        [[fallthrough]];
    case Order::check:
        if (server_)
            server_->check_alive();
        return answer(told.order, {});
    case Order::rest:
        server_.reset();
        return answer(told.order, {});
    case Order::leave:
    case Order::share:
    case Order::pings:
    case Order::start:
    case Order::stop:
    case Order::part:
    case Order::off:
        return; // it belongs to a trial that this Tester has left
    }
}

// Reads the plan's list or captures, unless the previous trial had the same. Relies on the files
// staying as they are, as every campaign does.
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

void Follower::start_server(const ToldPlan &told)
{
    server_ = server_of_(plan_of(told), told.given, told.faults);
}

void Follower::make_part(const ToldPlan &told, const std::atomic<bool> &stop)
{
    TrialPlan plan = plan_of(told);
    load(plan, told);
    // This Tester's own self-tests choose the CPU of its sender.
    if (plan.cpus.empty())
        static_cast<void>(setup_of_(plan));
    plan.testers = std::shared_ptr<Testers>(std::shared_ptr<Testers>(), this); // not owned
    Trial trial(plan);
    static_cast<void>(trial.run(stop, [](const TrialProgress & /*none*/) {}));
}

std::unique_ptr<JointTrial> Follower::begin(const TrialPlan & /*plan*/, std::uint32_t senders)
{
    return std::make_unique<FollowedTrial>(*this, senders);
}

void Follower::answer(Order order, Message value)
{
    say({.order = order, .task = task_, .value = std::move(value)});
}

void Follower::say(const Answered &answered)
{
    if (!say_to(channel_, leader_rank, packed(answered), after(tester_patience)))
        throw CalledOff("the Tester of rank 0 does not listen");
}

// Waits without limit: pauses between trials may have any length.
Told Follower::next_order()
{
    for (;;)
        if (const std::optional<std::string> text = clock_.receive(after(tester_patience)))
            return unpacked<Told>(Message::parse(*text));
}

} // namespace dnsgauge
