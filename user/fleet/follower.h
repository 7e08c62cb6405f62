// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A Tester that makes its parts of the trials that the Tester of rank 0 begins.
#pragma once

#include "fleet/channel.h"
#include "fleet/talk.h"
#include "options/option.h"
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

// Returns the set-up of this Tester for trials of the plan. Throws SetupError.
using SetupOf = std::function<TesterSetup(const TrialPlan &)>;

class Follower final : public Testers
{
public:
    // Says who this Tester is. `words` is the command line, `own` the options whose values differ
    // between Testers, with this Tester's values.
    Follower(Channel &channel, std::vector<std::string> words, std::vector<GivenOption> own,
             SetupOf setup_of);

    // Makes parts of trials until the Tester of rank 0 sends this one home. `stop` ends the trial
    // at hand. What goes wrong is reported to that Tester.
    void serve(const std::atomic<bool> &stop);

    // What this Tester says from now on belongs to that trial.
    void join(std::uint64_t trial) { number_ = trial; }
    [[nodiscard]] std::unique_ptr<JointTrial> begin(const TrialPlan &plan,
                                                    std::uint32_t senders) override;
    // Returns none: the Tester of rank 0 knows all.
    [[nodiscard]] std::vector<TesterSetup> others(const TrialPlan & /*plan*/) override
    {
        return {};
    }

private:
    class FollowedTrial;

    void load(TrialPlan &plan, const Message &order);
    void tell_setup(const Message &order);
    void make_part(const Message &order, const std::atomic<bool> &stop);
    [[nodiscard]] TrialPlan plan_in(const Message &order) const;
    void answer(Message message);
    [[nodiscard]] Message next_order();

    Channel &channel_;
    std::vector<std::string> words_;
    std::vector<GivenOption> own_;
    SetupOf setup_of_;
    std::uint64_t number_ = 0; // of the trial at hand
    // The last plan that had a list or captures, and the words that say what was read. The trials
    // of a search or a replay ask for the same.
    TrialPlan loaded_;
    std::vector<std::string> loaded_by_;
};

} // namespace dnsgauge
