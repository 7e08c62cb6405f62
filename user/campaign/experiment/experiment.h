// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The content of an experiment's file. tools/experiments/README.md describes its keys.
#pragma once

#include "system/toml_file.h"
#include "system/words.h"
#include "text/statistics_table.h"
#include "units/rate.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dnsgauge
{

struct Setting {
    std::string value; // in the form of a command line
    Place place;
};

// Settings by key. A key is one of these:
//
// - a long option of "dnsgauge search" without its hyphens;
// - "address", the search's --server;
// - "server", the name of one of the experiment's servers;
// - "cores", the number of the DUT's CPUs;
// - a key of the server's placement (keys.h).
using Settings = std::map<std::string, Setting>;

// The words of a command, which runs without a shell. ${name} is replaced in them. Without words
// there is no command.
struct CommandTemplate {
    std::vector<std::string> words;
    Place place;
};

struct ServerDefinition {
    std::string name;
    Place place;
    std::string label; // heads its columns
    std::vector<std::string> needs;
    CommandTemplate prepare;
    CommandTemplate start;
    CommandTemplate ready;
    CommandTemplate stop;
    bool restart_each_trial = false;
    std::optional<double> bytes_per_name; // the memory that the server takes for a name
};

// The way in which the DUT gets its number of CPUs (paper 000 used maxcpus= and a cold start).
enum class CpuMethod { none, cpuset, maxcpus };

inline constexpr auto cpu_methods = words<CpuMethod>(
    {{CpuMethod::none, "none"}, {CpuMethod::cpuset, "cpuset"}, {CpuMethod::maxcpus, "maxcpus"}});

struct DutDescription {
    std::vector<unsigned> cpu_list; // ${cpuset} has the first ${cores} of them
    CpuMethod cpu_method = CpuMethod::none;
    CommandTemplate power_cycle; // starts the DUT with ${cores}, and returns when the DUT is up
    std::optional<double> memory_gib;
};

// The placement of packets on the server's machine.
struct PlacementDescription {
    std::string interface;
    CommandTemplate command; // "dnsgauge placement" there, without its action; by default ${bin}'s
    Settings settings;       // for all cells that do not say otherwise
    // A file that "dnsgauge placement show --json" wrote; empty if there is none.
    std::string topology;
    Place place;
};

struct Axis {
    std::string key;
    std::vector<Setting> values;
    Place place;
};

// Settings for those cells that match `when`.
struct Rule {
    std::map<std::string, std::vector<Setting>> when;
    Settings settings;
    Place place;
};

struct Layout {
    std::string caption;
    std::vector<std::string> tables;  // keys; each of their values has a table
    std::vector<std::string> columns; // keys that head the columns; by default all keys that vary
    std::string rows;                 // a key; empty if each row is a figure
    std::vector<StatisticsRow> statistics = paper_000_rows;
    bool calculated_rate = false; // paper 002's sustainable rate
    bool model = false;           // paper 002's model of a DNS64 server
    Place place{};
};

struct RunLimits {
    Nanoseconds prepare = std::chrono::hours(4);
    Nanoseconds ready = std::chrono::minutes(10);
    Nanoseconds stop = std::chrono::seconds(60);
    Nanoseconds power_cycle = std::chrono::minutes(20);
    unsigned invalid_retries = 0; // how often in a row an invalid trial is made again
};

struct Experiment {
    std::string title;
    std::string paper; // the publication that it reproduces, or empty
    std::string table;
    std::string scaled_down; // what the experiment makes smaller, or empty
    Settings search;
    Settings variables;
    std::vector<Axis> axes;
    std::vector<Settings> extras;
    std::vector<Rule> rules;
    std::map<std::string, ServerDefinition> servers;
    DutDescription dut;
    std::optional<PlacementDescription> placement;
    Layout layout;
    RunLimits limits;
};

// Returns the experiment. `options` are the long options of "dnsgauge search". Throws SetupError
// with file and line if a key is unknown or missing, or if a value is of the wrong kind.
[[nodiscard]] Experiment read_experiment(const ConfigValue &config,
                                         const std::set<std::string> &options);

} // namespace dnsgauge
