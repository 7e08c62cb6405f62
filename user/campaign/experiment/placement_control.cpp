// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/placement_control.h"

#include "placement/show.h"
#include "record/json_text.h"
#include "record/machine_fields.h"
#include "record/record_file.h"
#include "system/listed.h"
#include "system/setup_error.h"
#include "system/shell_command.h"
#include "system/shell_text.h"
#include "system/standard_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <exception>
#include <filesystem>
#include <utility>

namespace dnsgauge
{

namespace
{

// Each command changes or reads a few dozen files.
constexpr auto limit = std::chrono::minutes(1);
// Used for commands that run even if the user has stopped the experiment: they put machines back,
// and look at them again.
const std::atomic<bool> never{false};

std::string text_of(std::vector<std::string> command, const std::vector<std::string> &more)
{
    command.insert(command.end(), more.begin(), more.end());
    return shell_text(command);
}

using Json = nlohmann::ordered_json;

// Calls `take` with the object of the file.
template <class Take>
auto from_file(const std::string &file, Take take)
{
    try {
        const Json json = read_json_file(file);
        if (!json.is_object() || json.value("schema", "") != "dnsgauge/placement/1")
            throw SetupError("it has another schema");
        return take(json);
    } catch (const std::exception &error) {
        throw SetupError("{} is not what dnsgauge placement show --json writes: {}", file,
                         error.what());
    }
}

std::string interrupts_of(const Json &json)
{
    return joined(json.at("interrupts"), [](const Json &interrupt) {
        return plain_text(interrupt.at("name")) + ": " + plain_text(interrupt.at("cpus"));
    });
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
    // Noted before the command runs: if it fails, end() still has something to put back.
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

std::optional<PlacementResult> read_cell_placement(const std::string &before,
                                                   const std::string &after)
{
    if (!std::filesystem::exists(before) || !std::filesystem::exists(after))
        return std::nullopt;
    const Handled at_first = from_file(
        before, [](const Json &json) { return read_fields<Handled>(json.at("handled")); });
    PlacementResult cell = from_file(after, [&at_first](const Json &json) {
        PlacementResult read;
        read.handled = grown(at_first, read_fields<Handled>(json.at("handled")));
        read.card_node = number_or_none<unsigned>(json.at("card_node"));
        read.interrupts = interrupts_of(json);
        read.places = read_list<CpuPlace>(json.at("topology"));
        return read;
    });
    cell.notes = handled_notes(cell.handled);
    return cell;
}

// Reads the record as it was before the cell's trials, because somebody may have put the machine
// back since.
std::vector<std::string> read_displacements(const std::string &before, const std::string &after)
{
    const auto record = from_file(before, [](const Json &json) {
        return json.at("record").is_null() ? std::nullopt
                                           : std::optional(record_of(json.at("record")));
    });
    if (!record)
        return {};
    return displacements(*record,
                         from_file(after, [](const Json &json) { return values_of(json); }));
}

std::vector<CpuPlace> read_places(const std::string &file)
{
    return from_file(file,
                     [](const Json &json) { return read_list<CpuPlace>(json.at("topology")); });
}

} // namespace dnsgauge
