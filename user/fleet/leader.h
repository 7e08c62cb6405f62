// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The Tester of rank 0, which tells the others what to do, merges their parts, and judges.
#pragma once

#include "fleet/channel.h"
#include "fleet/talk.h"
#include "trial/testers.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

class Leader final : public Testers
{
public:
    // Waits until all Testers have said who they are. `words` is the command line. Throws
    // SetupError if a Tester says nothing.
    Leader(Channel &channel, std::vector<std::string> words);

    // Returns why these Testers make no trial together, and names the one that is another; empty:
    // they do.
    [[nodiscard]] std::string disagreement() const;

    // Each Tester has another value of the option.
    void differ_in(std::string option) { by_rank_.push_back(std::move(option)); }

    [[nodiscard]] std::unique_ptr<JointTrial> begin(const TrialPlan &plan,
                                                    std::uint32_t senders) override;
    [[nodiscard]] std::vector<TesterSetup> others(const TrialPlan &plan) override;

    // Sends the other Testers home.
    void dismiss();
    // Returns whether a Tester has stopped answering: it must be ended by others.
    [[nodiscard]] bool has_lost_one() const { return !lost_.empty(); }

private:
    class LedTrial;

    [[nodiscard]] std::string name_of(std::uint32_t rank) const;
    [[noreturn]] void lose(std::uint32_t rank);
    void note_lost(std::uint32_t rank);
    void check(const TrialPlan &plan) const;

    // Each message belongs to the last trial that has begun.
    bool tell(std::uint32_t rank, const char *what, Message with, Nanoseconds deadline);
    std::optional<Message> answer(std::uint32_t rank, const char *key, Nanoseconds deadline);
    Message must_answer(std::uint32_t rank, const char *key, Nanoseconds deadline);
    [[nodiscard]] Message checksums(const TrialPlan &plan);

    Channel &channel_;
    std::vector<Introduction> testers_; // by rank
    std::vector<std::string> by_rank_;
    std::uint64_t trials_ = 0; // begun
    std::string lost_;         // the Tester that stopped answering; empty: none did
    std::map<std::string, std::string> checksums_; // of files that were read, by path
};

} // namespace dnsgauge
