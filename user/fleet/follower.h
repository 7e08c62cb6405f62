// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A Tester that makes its parts of the trials that the Tester of rank 0 begins.
#pragma once

#include "fleet/channel.h"
#include "fleet/talk.h"
#include "options/option.h"
#include "trial/testers.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dnsgauge
{

class Follower final : public Testers
{
public:
    // Says who this Tester is. `words` is the command line, `own` the options whose values differ
    // between Testers, with this Tester's values.
    Follower(Channel &channel, std::vector<std::string> words, std::vector<GivenOption> own);

    // Makes parts of trials until the Tester of rank 0 sends this one home. `stop` ends the trial
    // at hand. What goes wrong is reported to that Tester.
    void serve(const std::atomic<bool> &stop);

    // What this Tester says from now on belongs to that trial.
    void join(std::uint64_t trial) { number_ = trial; }
    [[nodiscard]] std::unique_ptr<JointTrial> begin(const TrialPlan &plan,
                                                    std::uint32_t senders) override;

private:
    class FollowedTrial;

    void make_part(const Message &order, const std::atomic<bool> &stop);
    void answer(Message message);
    [[nodiscard]] Message next_order();

    Channel &channel_;
    std::vector<std::string> words_;
    std::vector<GivenOption> own_;
    std::uint64_t number_ = 0; // of the trial at hand
};

} // namespace dnsgauge
