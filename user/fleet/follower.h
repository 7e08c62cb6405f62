// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A Tester of any rank but 0. It makes its parts of the trials that the Tester of rank 0 begins.
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
    // Introduces this Tester to rank 0. `words` is the command line.
    Follower(Channel &channel, std::vector<std::string> words, SetupOf setup_of,
             ServerOf server_of = {});

    using Testers::serve;
    // Carries out orders until the Tester of rank 0 tells this Tester to end. Reports errors to
    // that Tester. `stop` ends the current trial.
    void serve(const std::atomic<bool> &stop);

    // From now on this Tester's messages belong to that task.
    void join(std::uint64_t task) { task_ = task; }
    [[nodiscard]] std::unique_ptr<JointTrial> begin(const TrialPlan &plan,
                                                    std::uint32_t senders) override;

private:
    class FollowedTrial;

    // Carries out an order, and answers. Throws if something goes wrong.
    void carry_out(const Told &told, const std::atomic<bool> &stop);
    void load(TrialPlan &plan, const ToldPlan &told);
    void start_server(const ToldPlan &told);
    void make_part(const ToldPlan &told, const std::atomic<bool> &stop);
    void answer(Order order, Message value);
    void say(const Answered &answered);
    [[nodiscard]] Told next_order();

    Channel &channel_;
    ShownClock clock_;
    SetupOf setup_of_;
    ServerOf server_of_;
    std::unique_ptr<RunningServer> server_; // while it runs
    std::uint64_t task_ = 0;                // the number of the task at hand
    // The last list or captures, and the words that tell what was read. All trials of a search or a
    // replay use the same.
    Workload loaded_;
    std::vector<std::string> loaded_by_;
};

} // namespace dnsgauge
