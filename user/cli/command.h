// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The subcommands of dnsgauge besides kinds of series, which series/kind.h has.
#pragma once

#include "options/program.h"
#include "series/result_files.h"
#include "system/standard_output.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

struct Experimenter;
class Testers;

// Completes the command by the options of its arguments, and by run() with these.
template <class Arguments>
[[nodiscard]] Command with_arguments(Command told, Arguments arguments = {})
{
    const auto given = std::make_shared<Arguments>(std::move(arguments));
    told.options = options_of(*given);
    told.run = [given](const std::vector<std::string> &words) { return run(*given, words); };
    return told;
}

// Adds --verbose to a command that loads programs into the kernel.
[[nodiscard]] Command with_verbose(Command command);

// `testers` make the trials together. Null means that this Tester makes them alone.
[[nodiscard]] Command trial_command(std::shared_ptr<Testers> testers = nullptr);
[[nodiscard]] Command selftest_command(std::shared_ptr<Testers> testers = nullptr,
                                       Printer print = print_result);
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
