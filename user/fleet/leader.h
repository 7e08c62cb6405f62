// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The Tester of rank 0, which tells the others what to do, merges their parts, and judges.
#pragma once

#include "fleet/channel.h"
#include "fleet/own_values.h"
#include "fleet/talk.h"
#include "options/option_error.h"
#include "trial/testers.h"

#include <cstdint>
#include <functional>
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

    // Returns why these Testers make no trial together, and names the Tester that differs; empty if
    // they make one.
    [[nodiscard]] std::string disagreement() const;

    // Sets the hosts' tables.
    void use(HostsFile tables) { tables_ = std::move(tables); }

    // Returns the Testers for trials with these options, which `given` sets, and the options of
    // this Tester. The Testers need this object. Throws what own_values() throws.
    [[nodiscard]] Team team(const Options &options, const std::vector<GivenOption> &given);

    // Returns where the Testers run, by rank.
    [[nodiscard]] std::vector<std::string> hosts() const;

    // Gives each Tester its own values of the options that all were given.
    void settle(OwnValues own, std::vector<GivenOption> given = {});
    // Gives each Tester its own values from the hosts' tables and `given`. Returns the options of
    // this Tester. Throws what own_values() throws.
    [[nodiscard]] std::vector<GivenOption> settle(const Options &options,
                                                  const std::vector<GivenOption> &given);

    // Calls `read` with the options of each Tester. Throws what name_errors() throws.
    void read_all(const std::function<void(const std::vector<GivenOption> &)> &read) const;

    // Calls `make`, which handles the options of that Tester. If it throws an OptionError about a
    // value of the Tester's own, throws SetupError instead, which names the Tester, and the place
    // in the hosts' file if the value is from there.
    template <class Make>
    auto name_errors(std::uint32_t rank, Make make) const
    {
        try {
            return make();
        } catch (const OptionError &error) {
            refuse_options(rank, error);
        }
    }

    void check_others(const TrialPlan &plan) override;
    [[nodiscard]] std::unique_ptr<JointTrial> begin(const TrialPlan &plan,
                                                    std::uint32_t senders) override;
    [[nodiscard]] std::vector<TesterSetup> others(const TrialPlan &plan) override;
    [[nodiscard]] std::vector<std::string> servers(const TrialPlan &plan) const override;
    [[nodiscard]] std::unique_ptr<RunningServer> serve(const TrialPlan &plan,
                                                       const std::string &faults) override;

    // Sends the other Testers home.
    void dismiss();
    // Returns whether a Tester has stopped answering: others must end it.
    [[nodiscard]] bool has_lost_one() const { return !lost_.empty(); }

private:
    class LedTrial;
    class OtherServers;
    class Settled;

    [[nodiscard]] std::string name_of(std::uint32_t rank) const;
    [[noreturn]] void refuse_options(std::uint32_t rank, const OptionError &error) const;
    [[noreturn]] void lose(std::uint32_t rank);
    void note_lost(std::uint32_t rank);
    void check(const TrialPlan &plan) const;

    // Returns the ranks of the other Testers.
    [[nodiscard]] std::vector<std::uint32_t> other_ranks() const;
    // Each message belongs to the last trial that has begun. Returns false if the Tester did not
    // take the order.
    bool tell(std::uint32_t rank, Order order, Message with, Nanoseconds deadline);
    void tell_all(Order order, const Message &with, Nanoseconds time);
    std::optional<Message> answer(std::uint32_t rank, Order order, Nanoseconds deadline);
    Message must_answer(std::uint32_t rank, Order order, Nanoseconds deadline);
    // Returns the answers of the other Testers, in their order.
    std::vector<Message> all_answer(Order order, Nanoseconds time);
    // Returns the values of trials' options that are that Tester's own.
    [[nodiscard]] std::vector<GivenOption> own_of_trials(std::uint32_t rank) const;
    // Returns the plan as that Tester makes it.
    [[nodiscard]] ToldPlan plan_for(std::uint32_t rank, const TrialPlan &plan) const;
    [[nodiscard]] std::vector<std::string> checksums(const TrialPlan &plan);

    Channel &channel_;
    std::vector<Introduction> testers_; // by rank
    HostsFile tables_;
    OwnValues own_;
    std::vector<GivenOption> given_;
    std::uint64_t trials_ = 0; // begun
    std::string lost_;         // the Tester that stopped answering; empty if none did
    std::map<std::string, std::string> checksums_; // of files that were read, by path
};

} // namespace dnsgauge
