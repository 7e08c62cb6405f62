// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "placement/show.h"

#include "host/ethtool.h"
#include "machine/card.h"
#include "machine/text_files.h"
#include "record/machine_fields.h"
#include "system/counted.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

// A value that another version may have written, with kinds of values that this version does not
// know.
struct PresentValue {
    std::string setting;
    std::string knob;
    std::string where;
    std::string value;
};

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
    text += fmt::format("{} ({}){}: {} in {}\n", shown.interface,
                        shown.driver.empty() ? "driver not known" : shown.driver,
                        part_text("memory node", shown.card_node),
                        counted(shown.topology.places.size(), "CPU"),
                        counted(number_of_sockets(shown.topology), "socket"));
    for (const CpuPlace &place : shown.topology.places)
        text += fmt::format("CPU {:<3} socket {}, core {}{}{}{}\n", place.cpu, place.socket,
                            place.core, part_text("L2", place.l2), part_text("L3", place.l3),
                            part_text("node", place.node));
    for (const QueueInterrupt &interrupt : shown.interrupts)
        text += fmt::format("queue {:<2} interrupt {} ({})\n", interrupt.queue, interrupt.number,
                            interrupt.name);
    for (const Change &value : shown.present.values)
        text += fmt::format("{:<12} {}: {}\n", value.setting, value.where, value.before);
    for (const std::string &note : shown.present.notes)
        text += note + "\n";
    if (!shown.record)
        return text + "nothing is changed by dnsgauge placement\n";
    for (const Change &change : shown.record->changes)
        text +=
            fmt::format("changed      {}: {} -> {}\n", change.where, change.before, change.after);
    text += fmt::format("dnsgauge placement restore puts these back ({})\n", shown.record_file);
    return text;
}

static void fields(Fields &row, ShownInterrupt &interrupt)
{
    row("number", interrupt.number, "its number in /proc/interrupts");
    row("name", interrupt.name, "its name there");
    row("queue", interrupt.queue, "the number of the queue");
    row("cpus", interrupt.cpus, "CPUs that may handle it, as a list: 0-3,8");
    row("effective_cpus", interrupt.effective_cpus,
        "the CPUs among them that do handle it; empty: not known");
}

static void fields(Fields &row, PresentValue &value)
{
    row("setting", value.setting, "the option that sets it");
    row("knob", value.knob, "what kind of value it is, as in a record");
    row("where", value.where,
        "the file, the interface, the process (ID and time of its start) or the thread");
    row("value", value.value, "the value");
}

void fields(Fields &row, ShownPlacement &shown)
{
    row.form("placement",
             "How a machine's CPUs, queues and interrupts are placed, and what each has handled "
             "since the machine's start. dnsgauge placement show --json writes it.");
    row("interface", shown.interface, "the interface");
    row("driver", shown.driver, "its driver; empty: not known");
    row("card_node", shown.card_node, card_node_meaning);
    row.list("topology", shown.topology.places, "where each CPU on line is, as hwloc reads it");
    row.list("interrupts", shown.interrupts, "the interrupts of the card's queues, by queue");
    std::vector<PresentValue> values;
    for (const Change &value : shown.present.values)
        values.push_back({value.setting, knobs.text_of(value.knob), value.where, value.before});
    row.list("values", values, "the present value of whatever dnsgauge placement apply can set");
    row("notes", shown.present.notes, "which values are left out, and why");
    row.object("handled", shown.handled,
               "what each queue and each CPU has handled since the machine's start");
    row.object("record", shown.record, "what is changed and not put back; null: nothing");
}

std::vector<Change> values_of(const Json &json)
{
    std::vector<Change> values;
    for (const PresentValue &value : read_list<PresentValue>(json.at("values")))
        if (const auto knob = knobs.value_of(value.knob))
            values.push_back({value.setting, *knob, value.where, value.value, value.value});
    return values;
}

} // namespace dnsgauge
