// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A Tester that makes its parts of the trials that the Tester of rank 0 begins.
#pragma once

#include "fleet/channel.h"
#include "fleet/clock_readings.h"
#include "fleet/talk.h"
#include "trial/testers.h"
#include "trial/trial.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the set-up of this Tester for trials of the plan. If the plan names no CPU, all later
// trials have this set-up's sender. Throws SetupError.
using SetupOf = std::function<TesterSetup(const TrialPlan &)>;

// Starts FakeDNS with these faults for trials of the plan, at the other end of this Tester's link,
// which the command's options describe. Throws SetupError.
using ServerOf = std::function<std::unique_ptr<RunningServer>(
    const TrialPlan &, const std::vector<GivenOption> &, const std::string &faults)>;

class Follower final : public Testers
{
public:
    // Says who this Tester is. `words` is the command line.
    Follower(Channel &channel, std::vector<std::string> words, SetupOf setup_of,
             ServerOf server_of = {});

    using Testers::serve;
    // Makes parts of trials until the Tester of rank 0 sends this one home. `stop` ends the trial
    // at hand. Reports what goes wrong to that Tester.
    void serve(const std::atomic<bool> &stop);

    // This Tester's messages belong to that trial from now on.
    void join(std::uint64_t trial) { number_ = trial; }
    [[nodiscard]] std::unique_ptr<JointTrial> begin(const TrialPlan &plan,
                                                    std::uint32_t senders) override;

private:
    class FollowedTrial;

    void load(TrialPlan &plan, const ToldPlan &told);
    void tell_setup(const Told &told);
    void look_after_server(const Told &told);
    void make_part(const Told &told, const std::atomic<bool> &stop);
    // Does what an order asks for; says in place of the answer what goes wrong. A trial that is
    // called off needs no answer.
    template <class Do>
    void carry_out(const Told &told, Do what);
    void answer(Order order, Message value);
    void say(const Answered &answered);
    [[nodiscard]] Told next_order();

    Channel &channel_;
    ShownClock clock_;
    std::vector<std::string> words_;
    SetupOf setup_of_;
    ServerOf server_of_;
    std::unique_ptr<RunningServer> server_; // while it runs
    std::uint64_t number_ = 0;              // of the trial at hand
    // The last list or captures, and the words that say what was read. The trials of a search or a
    // replay have the same.
    Workload loaded_;
    std::vector<std::string> loaded_by_;
};

} // namespace dnsgauge
