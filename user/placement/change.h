// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A change of a machine's setting that can be put back.
#pragma once

#include "system/words.h"

#include <optional>
#include <string>

namespace dnsgauge
{

// The kind of thing that is changed, and that `Change::where` names.
enum class Knob {
    file,         // a file of /proc or /sys, by its path
    channels,     // an interface's numbers of queues
    hash_key,     // the key of its receive hash
    hash_fields4, // the parts of UDP packets over IPv4 that its receive hash takes
    hash_fields6, // the parts of UDP packets over IPv6
    process,      // whether a process runs or is stopped, by "ID START" as in /proc/ID/stat
    thread,       // the CPUs of a kernel's thread, by the thread's name
};

// The words in records.
inline constexpr auto knobs = words<Knob>({{Knob::file, "file"},
                                           {Knob::channels, "channels"},
                                           {Knob::hash_key, "hash-key"},
                                           {Knob::hash_fields4, "hash-fields-udp4"},
                                           {Knob::hash_fields6, "hash-fields-udp6"},
                                           {Knob::process, "process"},
                                           {Knob::thread, "thread"}});

struct Change {
    std::string setting; // the setting that asks for the change: "irq-cpus"
    Knob knob = Knob::file;
    std::string where;
    std::string before;
    std::string after;
    bool operator==(const Change &) const = default;
};

// What a change belongs to. This decides from where it can be put back.
enum class Scope {
    machine,           // interrupts, processes, threads: seen from every network namespace
    network_namespace, // its sysctls
    interface,
};

// Returns what a change of this place belongs to in a placement of `interface`. Returns nothing if
// no setting ever makes such a change: a record of it must not be obeyed.
[[nodiscard]] std::optional<Scope> scope_of(Knob knob, const std::string &where,
                                            const std::string &interface);

} // namespace dnsgauge
