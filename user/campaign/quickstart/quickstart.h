// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The steps of a first search, in their order. A step is the command that a user would give.
#pragma once

#include "calibrate/fakedns_process.h"
#include "options/program.h"
#include "series/result_files.h"
#include "series/search/search.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dnsgauge
{

struct QuickstartRequest {
    SearchRequest search;
    FakednsWish fakedns;
    std::uint16_t fakedns_port = 5300;
    bool uncalibrated = false;
    bool resume = false;
    std::string directory = "quickstart";

    QuickstartRequest();
};

[[nodiscard]] Options options_of(QuickstartRequest &request);

// Make the commands of two steps. The printer takes what a step finds.
struct StepCommands {
    Command (*selftest)(std::shared_ptr<Testers> testers, Printer print);
    Command (*calibrate)(std::shared_ptr<Testers> testers, Printer print);
};

// Makes the steps, until one finds something to mend. Returns the exit status. Throws SetupError.
[[nodiscard]] ExitStatus run_quickstart(QuickstartRequest &request, const StepCommands &commands,
                                        const std::vector<std::string> &words);

} // namespace dnsgauge
