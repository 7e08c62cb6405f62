// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/cell_placement.h"

#include "placement/show.h"
#include "record/json_text.h"
#include "record/machine_fields.h"
#include "record/record_file.h"
#include "userland/listed.h"
#include "userland/setup_error.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace dnsgauge
{

namespace
{

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
        read.card_node = number_or_none(json.at("card_node"));
        read.interrupts = interrupts_of(json);
        read.places = read_list<CpuPlace>(json.at("topology"));
        return read;
    });
    cell.notes = handled_notes(cell.handled);
    return cell;
}

// Reads the record as it was before the cell, because somebody may have put the machine back since.
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
