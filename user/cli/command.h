// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A subcommand: its options, its texts in --help, and what it does.
#pragma once

#include "cli/exit_status.h"
#include "experiment/experiment_plan.h"
#include "options/option.h"
#include "userland/standard_output.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dnsgauge
{

class Testers;

struct ExitMeaning {
    ExitStatus status;
    std::string meaning;
};

struct Command {
    std::string name;
    std::string summary;
    Options options; // rows that refer to values which `run` owns
    std::string remarks{};
    std::vector<std::string> examples;
    std::vector<ExitMeaning> statuses;
    // Runs the subcommand, after the options have been read. `words` is the whole command line,
    // which results record.
    std::function<ExitStatus(const std::vector<std::string> &words)> run;
};

// Prints a result's text.
using Printer = std::function<void(const std::string &text)>;

// `testers` make the trials together; null: this Tester makes them alone.
[[nodiscard]] Command trial_command(std::shared_ptr<Testers> testers = nullptr);
[[nodiscard]] Command search_command(std::shared_ptr<Testers> testers = nullptr);
[[nodiscard]] Command sweep_command(std::shared_ptr<Testers> testers = nullptr);
[[nodiscard]] Command soak_command(std::shared_ptr<Testers> testers = nullptr);
[[nodiscard]] Command selftest_command(std::shared_ptr<Testers> testers = nullptr,
                                       Printer print = print_result);
[[nodiscard]] Command replay_command(std::shared_ptr<Testers> testers = nullptr);
[[nodiscard]] Command calibrate_command(std::shared_ptr<Testers> testers = nullptr,
                                        Printer print = print_result);
[[nodiscard]] Command experiment_command(Experimenter experimenter = {});
[[nodiscard]] Command compare_command();
[[nodiscard]] Command doctor_command();
[[nodiscard]] Command placement_command();
[[nodiscard]] Command quickstart_command();

} // namespace dnsgauge
