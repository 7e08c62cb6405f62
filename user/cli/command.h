// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The subcommands of dnsgauge.
#pragma once

#include "options/program.h"
#include "userland/standard_output.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace dnsgauge
{

struct Experimenter;
class Testers;

// Prints a result's text.
using Printer = std::function<void(const std::string &text)>;

// `testers` make the trials together. Null means that this Tester makes them alone.
[[nodiscard]] Command trial_command(std::shared_ptr<Testers> testers = nullptr);
[[nodiscard]] Command search_command(std::shared_ptr<Testers> testers = nullptr);
[[nodiscard]] Command selftest_command(std::shared_ptr<Testers> testers = nullptr,
                                       Printer print = print_result);
[[nodiscard]] Command replay_command(std::shared_ptr<Testers> testers = nullptr);
// Returns the commands of all kinds of series.
[[nodiscard]] std::vector<Command>
series_commands(const std::shared_ptr<Testers> &testers = nullptr);
[[nodiscard]] Command calibrate_command(std::shared_ptr<Testers> testers = nullptr,
                                        Printer print = print_result);
[[nodiscard]] Command experiment_command();
[[nodiscard]] Command experiment_command(const Experimenter &experimenter);
[[nodiscard]] Command compare_command();
[[nodiscard]] Command gate_command();
[[nodiscard]] Command doctor_command();
[[nodiscard]] Command placement_command();
[[nodiscard]] Command probe_command();
[[nodiscard]] Command quickstart_command();

} // namespace dnsgauge
