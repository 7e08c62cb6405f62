// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options that say where fakedns runs for a calibration.
#pragma once

#include "calibrate/fakedns_process.h"
#include "options/option.h"
#include "trial/testers.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct FakednsWish {
    std::string interface;
    std::string netns;
    std::optional<std::string> program; // a missing value means the fakedns beside this program
    std::optional<unsigned> fault_cpu;
};

[[nodiscard]] Options fakedns_options(FakednsWish &wish);

// Returns the plan of fakedns for trials of `trial`. Throws OptionError.
[[nodiscard]] FakednsPlan plan_fakedns(const FakednsWish &wish, const TrialPlan &trial,
                                       std::vector<unsigned> sender_cpus);

// Starts fakedns at the other end of this Tester's link, for trials of `trial` from these CPUs. Of
// the command's options, `given`, only the options of fakedns_options() matter. Throws SetupError.
[[nodiscard]] std::unique_ptr<RunningServer> start_fakedns(const TrialPlan &trial,
                                                           std::vector<unsigned> sender_cpus,
                                                           const std::vector<GivenOption> &given,
                                                           const std::string &faults);

} // namespace dnsgauge
