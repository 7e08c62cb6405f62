// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What an experiment's file says: tools/experiments/README.md describes its keys.
#pragma once

#include "experiment/config.h"
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
    std::string value; // as it would stand on a command line
    Place place;
};

// By key: a long option of "dnsgauge search" without its hyphens; "address", which is its --server;
// "server", the name of one of the experiment's; "cores", the number of the DUT's CPUs.
using Settings = std::map<std::string, Setting>;

// Words of which ${name} is replaced, and run as they are, without a shell. None: no command.
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
    std::optional<double> bytes_per_name; // of memory that it takes
};

// How the DUT gets its number of CPUs (paper 000 used maxcpus= and a cold start).
enum class CpuMethod { none, cpuset, maxcpus };

struct DutDescription {
    std::vector<unsigned> cpu_list; // ${cpuset} is the first ${cores} of them
    CpuMethod cpu_method = CpuMethod::none;
    CommandTemplate power_cycle; // maxcpus: starts it anew with ${cores}, returns when it is up
    std::optional<double> memory_gib;
};

struct Axis {
    std::string key;
    std::vector<Setting> values;
    Place place;
};

// Settings of those cells that `when` fits.
struct Rule {
    std::map<std::string, std::vector<Setting>> when;
    Settings settings;
    Place place;
};

struct Layout {
    std::string caption;
    std::vector<std::string> tables;  // keys: a table for each of their values
    std::vector<std::string> columns; // keys that head the columns; none given: all that vary
    std::string rows;                 // a key, or none: then a row is a figure
    std::vector<StatisticsRow> statistics = paper_000_rows;
    bool calculated_rate = false; // paper 002's
    bool model = false;           // of a DNS64 server, likewise
    Place place{};
};

struct RunLimits {
    Nanoseconds prepare = std::chrono::hours(4);
    Nanoseconds ready = std::chrono::minutes(10);
    Nanoseconds stop = std::chrono::seconds(60);
    Nanoseconds power_cycle = std::chrono::minutes(20);
    unsigned invalid_retries = 0; // of an invalid trial, in turn
};

struct Experiment {
    std::string title;
    std::string paper; // what it reproduces, or nothing
    std::string table;
    std::string scaled_down; // in what; empty: it is not
    Settings search;
    Settings variables;
    std::vector<Axis> axes;
    std::vector<Settings> extras;
    std::vector<Rule> rules;
    std::map<std::string, ServerDefinition> servers;
    DutDescription dut;
    Layout layout;
    RunLimits limits;
};

// `options`: the long options of "dnsgauge search". Throws SetupError with file and line: an
// unknown key, a value of the wrong kind, or what is missing.
[[nodiscard]] Experiment read_experiment(const ConfigValue &config,
                                         const std::set<std::string> &options);

} // namespace dnsgauge
