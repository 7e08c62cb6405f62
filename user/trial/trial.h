// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One trial: queries at a constant rate for a time, and a judgement of every reply.
//
// The constructor does everything that can go wrong before the first packet. run() sends, waits for
// the last reply that can count, and judges. Each trial has its own program, maps and sockets.
#pragma once

#include "engine/run_progress.h"
#include "result/trial_result.h"
#include "trial/plan.h"

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace dnsgauge
{

using TrialProgress = RunProgress;

class Trial
{
public:
    // Prepares the trial. If a name is to be in the server's cache, first asks for it in another
    // trial. Throws SetupError, and then leaves nothing attached.
    explicit Trial(const TrialPlan &plan);
    ~Trial();

    // Returns the capabilities that the thread that calls run() should have: to give senders their
    // priority, and to put the card's settings back. Senders' threads keep none.
    [[nodiscard]] std::vector<unsigned> capabilities() const;

    // Runs the trial and returns its result. If `stop` is set, the trial ends early, and its
    // verdict is invalid. `progress` is called a few times a second from the calling thread.
    [[nodiscard]] TrialResult run(const std::atomic<bool> &stop,
                                  const std::function<void(const TrialProgress &)> &progress);

private:
    class Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace dnsgauge
