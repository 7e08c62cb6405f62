// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the steps of a first search, one after the other. Each step is a command that a user could
// give.
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

// Functions that make the commands of two steps. A command gives what it finds to the printer.
struct StepCommands {
    Command (*selftest)(std::shared_ptr<Testers> testers, Printer print);
    Command (*calibrate)(std::shared_ptr<Testers> testers, Printer print);
};

// Makes the steps, until one finds something to mend. Returns the exit status. Throws SetupError.
[[nodiscard]] ExitStatus run_quickstart(QuickstartRequest &request, const StepCommands &commands,
                                        const std::vector<std::string> &words);

} // namespace dnsgauge
