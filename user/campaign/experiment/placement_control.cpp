// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/placement_control.h"

#include "userland/setup_error.h"
#include "userland/shell_command.h"
#include "userland/shell_text.h"
#include "userland/standard_output.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <utility>

namespace dnsgauge
{

namespace
{

// Each command changes or reads some dozens of files.
constexpr auto limit = std::chrono::minutes(1);
// Even if the user has stopped the experiment, placed machines are put back, and machines that were
// looked at are looked at again.
const std::atomic<bool> never{false};

std::string text_of(std::vector<std::string> command, const std::vector<std::string> &more)
{
    command.insert(command.end(), more.begin(), more.end());
    return shell_text(command);
}

} // namespace

PlacementControl::PlacementControl(const Experiment &experiment, const std::atomic<bool> &stop)
    : experiment_(experiment), stop_(stop)
{
}

PlacementControl::~PlacementControl()
{
    try {
        end();
    } catch (const std::exception &error) {
        say("dnsgauge: {}\n", error.what());
    }
}

bool PlacementControl::restore(const Words &command)
{
    // Until the command has ended, end() still has something to put back.
    open_.insert(command);
    if (!run_shell_command(text_of(command, {"restore"}), limit, stop_))
        return false;
    open_.erase(command);
    return true;
}

bool PlacementControl::place(const Cell &cell)
{
    if (!experiment_.placement ||
        (is_known_ && command_ == cell.placement_command && placed_ == cell.placement))
        return !stop_;
    is_known_ = false;
    if (open_.contains(command_) && command_ != cell.placement_command && !restore(command_))
        return false;
    command_ = cell.placement_command;
    placed_ = cell.placement;
    if (!restore(command_))
        return false;
    if (!placed_.empty()) {
        open_.insert(command_);
        const Words words = cell.apply_words(experiment_.placement->interface);
        if (!run_shell_command(text_of(command_, words), limit, stop_))
            return false;
    }
    is_known_ = true;
    return !stop_;
}

void PlacementControl::take_over(const Cell &cell)
{
    if (experiment_.placement)
        open_.insert(cell.placement_command);
}

void PlacementControl::look(const Cell &cell, const std::string &file) const
{
    if (!experiment_.placement)
        return;
    // The file is whole, however this process ends.
    const std::string part = file + ".part";
    const std::string command =
        text_of(cell.placement_command,
                {"show", "--interface", experiment_.placement->interface, "--json", "/dev/stdout"});
    static_cast<void>(run_shell_command(
        fmt::format("{} >{} && mv {}", command, shell_text({part}), shell_text({part, file})),
        limit, never));
}

void PlacementControl::forget()
{
    is_known_ = false;
}

void PlacementControl::end()
{
    is_known_ = false;
    std::string failures;
    for (const Words &command : std::exchange(open_, {}))
        try {
            static_cast<void>(run_shell_command(text_of(command, {"restore"}), limit, never));
        } catch (const SetupError &error) {
            failures += (failures.empty() ? "" : "; ") + std::string(error.what());
        }
    if (!failures.empty())
        throw SetupError("the server's machine is not put back: " + failures);
}

} // namespace dnsgauge
