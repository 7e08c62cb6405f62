// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "placement/show.h"

#include "host/ethtool.h"
#include "machine/handled.h"
#include "machine/text_files.h"
#include "record/json.h"
#include "record/json_text.h"
#include "record/machine_fields.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iterator>
#include <set>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

std::string affinity(const Knobs &machine, const QueueInterrupt &interrupt, const char *file)
{
    return first_line(machine.below_root(fmt::format("/proc/irq/{}/{}", interrupt.number, file)));
}

std::string part_text(const char *name, const std::optional<unsigned> &number)
{
    return number ? fmt::format(", {} {}", name, *number) : std::string();
}

std::size_t number_of_sockets(const Topology &topology)
{
    std::set<unsigned> sockets;
    for (const CpuPlace &place : topology.places)
        sockets.insert(place.socket);
    return sockets.size();
}

} // namespace

ShownPlacement show_placement(const Knobs &machine, const std::string &record_file)
{
    machine.require_interface();
    ShownPlacement shown;
    shown.interface = machine.interface();
    const Ethtool driver(machine.interface());
    shown.driver = driver.driver();
    shown.card_node = card_node(machine.interface(), machine.root());
    shown.topology = read_topology(machine.root());
    for (QueueInterrupt &one : queue_interrupts(machine.interface(), machine.root())) {
        std::string cpus = affinity(machine, one, "smp_affinity_list");
        std::string effective = affinity(machine, one, "effective_affinity_list");
        shown.interrupts.push_back({std::move(one), std::move(cpus), std::move(effective)});
    }
    shown.present = present_placement(machine);
    shown.handled = read_handled(machine.interface(), driver.statistics(), machine.root());
    shown.record_file = record_file;
    shown.record = read_placement_record(record_file);
    return shown;
}

std::string to_text(const ShownPlacement &shown)
{
    std::string text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "{} ({}){}: {} CPUs in {} sockets\n", shown.interface,
                   shown.driver.empty() ? "driver not known" : shown.driver,
                   part_text("memory node", shown.card_node), shown.topology.places.size(),
                   number_of_sockets(shown.topology));
    for (const CpuPlace &place : shown.topology.places)
        fmt::format_to(out, "CPU {:<3} socket {}, core {}{}{}{}\n", place.cpu, place.socket,
                       place.core, part_text("L2", place.l2), part_text("L3", place.l3),
                       part_text("node", place.node));
    for (const QueueInterrupt &interrupt : shown.interrupts)
        fmt::format_to(out, "queue {:<2} interrupt {} ({})\n", interrupt.queue, interrupt.number,
                       interrupt.name);
    for (const Change &value : shown.present.values)
        fmt::format_to(out, "{:<12} {}: {}\n", value.setting, value.where, value.before);
    for (const std::string &note : shown.present.notes)
        text += note + "\n";
    if (!shown.record)
        return text + "nothing is changed by dnsgauge placement\n";
    for (const Change &change : shown.record->changes)
        fmt::format_to(out, "changed      {}: {} -> {}\n", change.where, change.before,
                       change.after);
    fmt::format_to(out, "dnsgauge placement restore puts these back ({})\n", shown.record_file);
    return text;
}

Json to_json(const ShownPlacement &shown)
{
    Json interrupts = Json::array();
    for (const ShownInterrupt &interrupt : shown.interrupts)
        interrupts.push_back({{"number", interrupt.number},
                              {"name", interrupt.name},
                              {"queue", interrupt.queue},
                              {"cpus", interrupt.cpus},
                              {"effective_cpus", interrupt.effective_cpus}});
    Json values = Json::array();
    for (const Change &value : shown.present.values)
        values.push_back({{"setting", value.setting},
                          {"knob", knobs.text_of(value.knob)},
                          {"where", value.where},
                          {"value", value.before}});
    return {{"schema", "dnsgauge/placement/1"},
            {"interface", shown.interface},
            {"driver", shown.driver},
            {"card_node", figure_json(shown.card_node)},
            {"topology", written(shown.topology.places)},
            {"interrupts", interrupts},
            {"values", values},
            {"notes", shown.present.notes},
            {"handled", written(shown.handled)},
            {"record", shown.record ? to_json(*shown.record) : Json()}};
}

std::vector<Change> values_of(const Json &json)
{
    std::vector<Change> values;
    for (const Json &value : json.at("values")) {
        const std::string text = plain_text(value.at("value"));
        if (const auto knob = knobs.value_of(plain_text(value.at("knob"))))
            values.push_back({plain_text(value.at("setting")), *knob, plain_text(value.at("where")),
                              text, text});
    }
    return values;
}

} // namespace dnsgauge
