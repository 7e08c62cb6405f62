// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The Tester of rank 0. It makes all Testers take part in its trials, and collects their parts.
#pragma once

#include "fleet/fleet.h"
#include "fleet/tester_options.h"
#include "options/option_error.h"
#include "trial/testers.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dnsgauge
{

class Leader final : public Testers
{
public:
    // `fleet` must outlive the object. `options` are the options of its Testers.
    explicit Leader(Fleet &fleet, TesterOptions options = {});

    // Returns all options of that Tester.
    [[nodiscard]] const std::vector<GivenOption> &options_of(std::uint32_t rank) const
    {
        return options_.by_rank.at(rank);
    }

    // Calls `make`, which handles the options of that Tester. If `make` throws an OptionError about
    // one of the Tester's own values, throws SetupError instead. The message names the Tester, and
    // the place in the hosts' file if the value is from there.
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

private:
    [[noreturn]] void refuse_options(std::uint32_t rank, const OptionError &error) const;
    // Returns the plan for that Tester.
    [[nodiscard]] ToldPlan plan_for(std::uint32_t rank, const TrialPlan &plan) const;
    [[nodiscard]] std::vector<std::string> checksums_of(const TrialPlan &plan);

    Fleet &fleet_;
    TesterOptions options_;
    std::map<std::string, std::string> checksums_; // checksums of files that were read, by path
};

} // namespace dnsgauge
