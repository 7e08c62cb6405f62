// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/placement_json.h"

#include "record/json.h"
#include "record/json_text.h"

#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

} // namespace

Json to_json(const Handled &handled)
{
    Json queues = Json::array();
    for (const auto &[name, queue] : handled.queues)
        queues.push_back({{"queue", name},
                          {"packets", queue.has_packets ? Json(queue.packets) : Json()},
                          {"interrupts", queue.interrupts}});
    Json cpus = Json::array();
    for (const auto &[number, cpu] : handled.cpus)
        cpus.push_back({{"cpu", number},
                        {"net_rx", cpu.net_rx},
                        {"net_tx", cpu.net_tx},
                        {"processed", cpu.processed},
                        {"dropped", cpu.dropped},
                        {"squeezed", cpu.squeezed},
                        {"interrupts", cpu.interrupts}});
    return {{"queues", queues}, {"cpus", cpus}};
}

Handled handled_of(const Json &json)
{
    Handled handled;
    for (const Json &queue : json.at("queues"))
        handled.queues[plain_text(queue.at("queue"))] = {
            .packets = queue.at("packets").is_null() ? 0 : whole_number(queue.at("packets")),
            .interrupts = whole_number(queue.at("interrupts")),
            .has_packets = !queue.at("packets").is_null()};
    for (const Json &cpu : json.at("cpus"))
        handled.cpus[static_cast<unsigned>(whole_number(cpu.at("cpu")))] = {
            .net_rx = whole_number(cpu.at("net_rx")),
            .net_tx = whole_number(cpu.at("net_tx")),
            .processed = whole_number(cpu.at("processed")),
            .dropped = whole_number(cpu.at("dropped")),
            .squeezed = whole_number(cpu.at("squeezed")),
            .interrupts = whole_number(cpu.at("interrupts"))};
    return handled;
}

Json to_json(const std::vector<CpuPlace> &places)
{
    Json json = Json::array();
    for (const CpuPlace &place : places)
        json.push_back({{"cpu", place.cpu},
                        {"socket", place.socket},
                        {"core", place.core},
                        {"l2", figure_json(place.l2)},
                        {"l3", figure_json(place.l3)},
                        {"node", figure_json(place.node)}});
    return json;
}

std::vector<CpuPlace> places_of(const Json &json)
{
    std::vector<CpuPlace> places;
    for (const Json &place : json)
        places.push_back({.cpu = static_cast<unsigned>(whole_number(place.at("cpu"))),
                          .socket = static_cast<unsigned>(whole_number(place.at("socket"))),
                          .core = static_cast<unsigned>(whole_number(place.at("core"))),
                          .l2 = number_or_none(place.at("l2")),
                          .l3 = number_or_none(place.at("l3")),
                          .node = number_or_none(place.at("node"))});
    return places;
}

Json placement_json(const std::optional<PlacementResult> &placement)
{
    if (!placement)
        return {};
    return {{"card_node", figure_json(placement->card_node)},
            {"interrupts", placement->interrupts},
            {"handled", dnsgauge::to_json(placement->handled)},
            {"notes", placement->notes},
            {"topology", dnsgauge::to_json(placement->places)}};
}

std::optional<PlacementResult> placement_of(const Json &json)
{
    if (json.is_null())
        return std::nullopt;
    return PlacementResult{.handled = handled_of(json.at("handled")),
                           .notes = plain_texts(json.at("notes")),
                           .card_node = number_or_none(json.at("card_node")),
                           .interrupts = plain_text(json.at("interrupts")),
                           .places = places_of(json.at("topology"))};
}

} // namespace dnsgauge
