// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/experiment.h"

#include "experiment/keys.h"
#include "experiment/placement_control.h"
#include "system/listed.h"
#include "system/setup_error.h"
#include "system/shell_text.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <type_traits>

namespace dnsgauge
{

namespace
{

using Kind = ConfigValue::Kind;
using Reader = std::function<void(const ConfigValue &)>;
using Readers = std::map<std::string, Reader>;

constexpr double limit_most = 7 * 86400; // seconds
constexpr unsigned cpus_most = 4096;
constexpr unsigned retries_most = 1000;

// Options that the experiment itself sets.
const std::map<std::string, std::string> reserved = {
    {"server", "give the address as \"address\"; \"server\" names one of [servers]"},
    {"journal", "each cell has a journal of its own in --directory"},
    {"json", "the results are in --directory"},
    {"resume", "give --resume to dnsgauge experiment"},
    {"invalid-retries", "it belongs into [run]"},
    {"before-trial", "use restart-each-trial of the server"},
    {"help", "it is no setting"}};

constexpr auto statistics = words<StatisticsRow>({{StatisticsRow::median, "median"},
                                                  {StatisticsRow::p1, "p1"},
                                                  {StatisticsRow::p99, "p99"},
                                                  {StatisticsRow::dispersion, "dispersion"},
                                                  {StatisticsRow::mean, "mean"},
                                                  {StatisticsRow::stddev, "stddev"},
                                                  {StatisticsRow::moe_999, "moe-99.9"},
                                                  {StatisticsRow::mad, "mad"},
                                                  {StatisticsRow::min, "min"},
                                                  {StatisticsRow::max, "max"}});

std::string alternatives(const auto &named)
{
    return joined(named, [](const auto &one) { return one.first; });
}

void expect(const ConfigValue &value, Kind kind, const char *what)
{
    if (value.kind != kind)
        refuse(value.place, "must be {}", what);
}

std::string text_of(const ConfigValue &value)
{
    expect(value, Kind::text, "a text");
    return value.text;
}

bool flag_of(const ConfigValue &value)
{
    expect(value, Kind::flag, "true or false");
    return value.text == "true";
}

double number_of(const ConfigValue &value, double least, double most)
{
    double number = 0;
    const char *end = value.text.data() + value.text.size();
    if (value.kind != Kind::number || std::from_chars(value.text.data(), end, number).ptr != end ||
        !(number >= least && number <= most))
        refuse(value.place, "must be a number from {:g} to {:g}", least, most);
    return number;
}

unsigned whole_of(const ConfigValue &value, unsigned most)
{
    const double number = number_of(value, 0, most);
    if (number != std::floor(number))
        refuse(value.place, "must be a whole number");
    return static_cast<unsigned>(number);
}

Nanoseconds seconds_of(const ConfigValue &value)
{
    return std::chrono::duration_cast<Nanoseconds>(
        std::chrono::duration<double>(number_of(value, 0.001, limit_most)));
}

// Returns what `read` makes of each item of the array. `what` is the array in messages.
template <class Read>
auto each_of(const ConfigValue &value, const char *what, Read read)
{
    expect(value, Kind::array, what);
    std::vector<std::invoke_result_t<Read, const ConfigValue &>> found;
    std::ranges::transform(value.items, std::back_inserter(found), read);
    return found;
}

std::vector<std::string> texts_of(const ConfigValue &value)
{
    return each_of(value, "an array of texts", text_of);
}

CommandTemplate command_of(const ConfigValue &value)
{
    expect(value, Kind::array,
           "a command as an array of words, which is run without a shell: [\"ip\", \"link\"]");
    return {texts_of(value), value.place};
}

// Returns whether a file of that name lies in the folder itself.
bool can_name_file(const std::string &name)
{
    return is_plain_word(name) && name.find('/') == std::string::npos &&
           name.find_first_not_of('.') != std::string::npos;
}

template <class Value, std::size_t count>
Value one_of(const Words<Value, count> &words, const ConfigValue &value)
{
    const std::optional<Value> found = words.value_of(text_of(value));
    if (!found)
        refuse(value.place, "\"{}\": must be one of {}", value.text, all_words(words));
    return *found;
}

// Reads the members of a table, and refuses a member for which there is no reader.
void read_table(const ConfigValue &table, const std::string &name, const Readers &readers)
{
    expect(table, Kind::table, "a table");
    for (const auto &[key, value] : table.members) {
        const auto reader = readers.find(key);
        if (reader == readers.end())
            refuse(value.place, "unknown key \"{}\"{}: known are {}", key,
                   name.empty() ? "" : " in " + name, alternatives(readers));
        reader->second(value);
    }
}

template <class Value, class Read>
Reader into(Value &target, Read read)
{
    return [&target, read](const ConfigValue &value) { target = read(value); };
}

class ExperimentReader
{
public:
    ExperimentReader(Experiment &experiment, const std::set<std::string> &options)
        : experiment_(experiment), options_(options)
    {
    }

    void read(const ConfigValue &config)
    {
        const auto member = [this](void (ExperimentReader::*part)(const ConfigValue &)) -> Reader {
            return [this, part](const ConfigValue &value) { (this->*part)(value); };
        };
        const auto settings = [this](const ConfigValue &value) {
            return settings_of(value, false);
        };
        const auto extras = [this](const ConfigValue &value) {
            return each_of(value, "an array of tables: [[extra]]",
                           [this](const ConfigValue &item) { return settings_of(item, true); });
        };
        const auto rules = [this](const ConfigValue &value) {
            return each_of(value, "an array of tables: [[rule]]",
                           [this](const ConfigValue &item) { return rule_of(item); });
        };
        // Variables come first, wherever they stand: the matrix may have one as a key.
        if (const ConfigValue *variables = config.find("variables"))
            read_variables(*variables);
        read_table(config, "",
                   {{"title", into(experiment_.title, text_of)},
                    {"reproduces", member(&ExperimentReader::read_reproduces)},
                    {"scaled-down", into(experiment_.scaled_down, text_of)},
                    {"search", into(experiment_.search, settings)},
                    {"variables", [](const ConfigValue & /*read already*/) {}},
                    {"matrix", member(&ExperimentReader::read_matrix)},
                    {"extra", into(experiment_.extras, extras)},
                    {"rule", into(experiment_.rules, rules)},
                    {"servers", member(&ExperimentReader::read_servers)},
                    {"dut", member(&ExperimentReader::read_dut)},
                    {"placement", member(&ExperimentReader::read_placement)},
                    {"table", member(&ExperimentReader::read_layout)},
                    {"run", member(&ExperimentReader::read_limits)}});
        if (experiment_.title.empty())
            refuse(config.place, "an experiment needs a title");
        if (experiment_.axes.empty())
            refuse(config.place, "an experiment needs a [matrix] of what it varies");
        expand_server_cpus();
        check_references();
    }

private:
    // `varies` is true in the matrix, where "server", "cores" and the variables are keys as well.
    void check_key(const std::string &key, const Place &place, bool varies) const
    {
        if (key == "address" ||
            (varies && (key == "server" || key == "cores" || is_server_key(key) ||
                        experiment_.variables.contains(key))))
            return;
        const auto why = reserved.find(key);
        if (why != reserved.end())
            refuse(place, "key \"{}\": {}", key, why->second);
        if (!options_.contains(key))
            refuse(place,
                   "unknown key \"{}\": it must be an option of dnsgauge search, "
                   "without its hyphens{}",
                   key,
                   varies ? ", or server, cores, server-cpus, processes, threads, a "
                            "setting of dnsgauge placement, address or one of "
                            "[variables]"
                          : ", or address");
    }

    [[nodiscard]] Setting setting_of(const std::string &key, const ConfigValue &value) const
    {
        if (value.kind == Kind::array || value.kind == Kind::table)
            refuse(value.place, "{}: must be a single value", key);
        return {value.text, value.place};
    }

    // Returns the values of a key that has one or several.
    [[nodiscard]] std::vector<Setting> values_of(const std::string &key,
                                                 const ConfigValue &value) const
    {
        if (value.kind != Kind::array)
            return {setting_of(key, value)};
        return each_of(value, "", [&](const ConfigValue &item) { return setting_of(key, item); });
    }

    [[nodiscard]] Settings settings_of(const ConfigValue &table, bool varies) const
    {
        expect(table, Kind::table, "a table");
        Settings settings;
        for (const auto &[key, value] : table.members) {
            check_key(key, value.place, varies);
            settings[key] = setting_of(key, value);
        }
        return settings;
    }

    void read_variables(const ConfigValue &table)
    {
        expect(table, Kind::table, "a table");
        for (const auto &[key, value] : table.members) {
            if (options_.contains(key) || key == "address" || key == "cores")
                refuse(value.place, "variable {}: it is a setting: put it into [search]", key);
            if (is_server_key(key))
                refuse(value.place, "variable {}: it is a setting: put it into [matrix]{}", key,
                       is_placement_key(key) ? " or [placement]" : "");
            experiment_.variables[key] = setting_of(key, value);
        }
    }

    void read_matrix(const ConfigValue &table)
    {
        expect(table, Kind::table, "a table");
        for (const auto &[key, value] : table.members) {
            check_key(key, value.place, true);
            Axis axis{key, values_of(key, value), value.place};
            std::set<std::string> seen;
            for (const Setting &one : axis.values)
                if (!seen.insert(one.value).second)
                    refuse(one.place, "{}: {} stands there twice", key, one.value);
            if (axis.values.empty())
                refuse(value.place, "{}: there is no value, so no cell", key);
            experiment_.axes.push_back(std::move(axis));
        }
    }

    [[nodiscard]] Rule rule_of(const ConfigValue &table) const
    {
        expect(table, Kind::table, "a table");
        Rule rule;
        rule.place = table.place;
        ConfigValue rest = table;
        std::erase_if(rest.members, [](const auto &member) { return member.key == "when"; });
        rule.settings = settings_of(rest, false);
        const ConfigValue *when = table.find("when");
        if (when == nullptr || when->kind != Kind::table || when->members.empty())
            refuse(table.place, "a rule needs when = { KEY = VALUE or [VALUES] }");
        for (const auto &[key, value] : when->members) {
            check_key(key, value.place, true);
            rule.when[key] = values_of(key, value);
        }
        return rule;
    }

    void read_servers(const ConfigValue &table)
    {
        expect(table, Kind::table, "a table");
        for (const auto &[name, value] : table.members) {
            if (!can_name_file(name))
                refuse(value.place,
                       "server \"{}\": its files get that name: use letters, "
                       "digits and . _ : , @ % + = - only",
                       name);
            ServerDefinition server;
            server.name = name;
            server.label = name;
            server.place = value.place;
            const auto bytes = [](const ConfigValue &number) { return number_of(number, 0, 1e6); };
            read_table(value, "[servers." + name + "]",
                       {{"label", into(server.label, text_of)},
                        {"needs", into(server.needs, texts_of)},
                        {"prepare", into(server.prepare, command_of)},
                        {"start", into(server.start, command_of)},
                        {"ready", into(server.ready, command_of)},
                        {"stop", into(server.stop, command_of)},
                        {"restart-each-trial", into(server.restart_each_trial, flag_of)},
                        {"bytes-per-name", into(server.bytes_per_name, bytes)}});
            experiment_.servers[name] = std::move(server);
        }
    }

    void read_dut(const ConfigValue &table)
    {
        DutDescription &dut = experiment_.dut;
        const auto cpu_list = [](const ConfigValue &value) {
            return each_of(value, "an array of CPU numbers",
                           [](const ConfigValue &item) { return whole_of(item, cpus_most); });
        };
        const auto gib = [](const ConfigValue &value) { return number_of(value, 0, 1e6); };
        read_table(table, "[dut]",
                   {{"cpu-list", into(dut.cpu_list, cpu_list)},
                    {"cpu-method",
                     into(dut.cpu_method,
                          [](const ConfigValue &value) { return one_of(cpu_methods, value); })},
                    {"power-cycle", into(dut.power_cycle, command_of)},
                    {"memory-gib", into(dut.memory_gib, gib)}});
        if (dut.cpu_method == CpuMethod::maxcpus && dut.power_cycle.words.empty())
            refuse(table.place,
                   "cpu-method maxcpus needs power-cycle, a command that starts the DUT "
                   "anew with ${cores} CPUs and returns when it is up");
    }

    void read_placement(const ConfigValue &table)
    {
        PlacementDescription placement;
        Readers readers = {{"interface", into(placement.interface, text_of)},
                           {"command", into(placement.command, command_of)},
                           {"topology", [&placement](const ConfigValue &value) {
                                const std::filesystem::path folder =
                                    std::filesystem::path(value.place.file).parent_path();
                                placement.topology = (folder / text_of(value)).string();
                            }}};
        for (const std::string &key : placement_keys())
            readers[key] = [this, &placement, key](const ConfigValue &value) {
                placement.settings[key] = setting_of(key, value);
            };
        read_table(table, "[placement]", readers);
        if (placement.interface.empty())
            refuse(table.place,
                   "[placement] needs interface, an interface of the server's machine");
        placement.place = table.place;
        experiment_.placement = std::move(placement);
    }

    // Puts the lists of CPUs into the matrix that words such as "pairs" stand for.
    void expand_server_cpus()
    {
        std::vector<unsigned> cpus = experiment_.dut.cpu_list;
        std::vector<CpuPlace> places;
        if (experiment_.placement && !experiment_.placement->topology.empty()) {
            try {
                places = read_places(experiment_.placement->topology);
            } catch (const SetupError &error) {
                refuse(experiment_.placement->place, error.what());
            }
        }
        if (cpus.empty())
            for (const CpuPlace &place : places)
                cpus.push_back(place.cpu);
        for (Axis &axis : experiment_.axes) {
            if (axis.key != server_cpus_key)
                continue;
            std::vector<Setting> values;
            std::set<std::string> seen;
            for (const Setting &value : axis.values) {
                try {
                    for (std::string &list : server_cpu_lists(value.value, cpus, places))
                        if (seen.insert(list).second)
                            values.push_back({std::move(list), value.place});
                } catch (const SetupError &error) {
                    refuse(value.place, error.what());
                }
            }
            axis.values = std::move(values);
        }
    }

    void read_layout(const ConfigValue &table)
    {
        Layout &layout = experiment_.layout;
        const auto keys = [this](const ConfigValue &value) {
            std::vector<std::string> words = texts_of(value);
            for (const std::string &key : words)
                check_key(key, value.place, true);
            return words;
        };
        const auto rows = [this](const ConfigValue &value) {
            check_key(text_of(value), value.place, true);
            return value.text;
        };
        const auto figures = [](const ConfigValue &value) {
            auto found = each_of(value, "an array of texts",
                                 [](const ConfigValue &item) { return one_of(statistics, item); });
            if (found.empty())
                refuse(value.place, "statistics: name at least one");
            return found;
        };
        read_table(table, "[table]",
                   {{"caption", into(layout.caption, text_of)},
                    {"tables", into(layout.tables, keys)},
                    {"columns", into(layout.columns, keys)},
                    {"rows", into(layout.rows, rows)},
                    {"statistics", into(layout.statistics, figures)},
                    {"calculated-rate", into(layout.calculated_rate, flag_of)},
                    {"model", into(layout.model, flag_of)}});
        layout.place = table.place;
        if (layout.rows.empty())
            return;
        if (layout.columns.size() != 1)
            refuse(table.place, "with rows a table needs one key in columns");
        if (layout.calculated_rate)
            refuse(table.place, "calculated-rate has no place in a table with rows: leave one out");
    }

    void read_limits(const ConfigValue &table)
    {
        RunLimits &limits = experiment_.limits;
        read_table(table, "[run]",
                   {{"prepare-timeout", into(limits.prepare, seconds_of)},
                    {"ready-timeout", into(limits.ready, seconds_of)},
                    {"stop-timeout", into(limits.stop, seconds_of)},
                    {"power-cycle-timeout", into(limits.power_cycle, seconds_of)},
                    {"invalid-retries", into(limits.invalid_retries, [](const ConfigValue &value) {
                         return whole_of(value, retries_most);
                     })}});
    }

    void read_reproduces(const ConfigValue &table)
    {
        const auto number = [](const ConfigValue &value) {
            return std::to_string(whole_of(value, 1000));
        };
        read_table(table, "reproduces",
                   {{"paper", into(experiment_.paper, text_of)},
                    {"table", into(experiment_.table, number)}});
    }

    void check_references() const
    {
        const auto check = [this](const std::string &name, const Place &place) {
            const auto found = experiment_.servers.find(name);
            if (found == experiment_.servers.end())
                refuse(place, "there is no server \"{}\": there are {}", name,
                       alternatives(experiment_.servers));
        };
        for (const auto &[name, server] : experiment_.servers) {
            if (server.start.words.empty() &&
                (!server.stop.words.empty() || server.restart_each_trial))
                refuse(server.place, "server {}: its other commands need a start", name);
            for (const std::string &other : server.needs) {
                check(other, server.place);
                if (!experiment_.servers.at(other).needs.empty())
                    refuse(server.place, "server {} needs {}, which must need no server", name,
                           other);
            }
        }
        for (const Axis &axis : experiment_.axes)
            if (axis.key == "server")
                for (const Setting &value : axis.values)
                    check(value.value, value.place);
        for (const Settings &extra : experiment_.extras)
            if (const auto server = extra.find("server"); server != extra.end())
                check(server->second.value, server->second.place);
    }

    Experiment &experiment_;
    const std::set<std::string> &options_;
};

} // namespace

Experiment read_experiment(const ConfigValue &config, const std::set<std::string> &options)
{
    Experiment experiment;
    ExperimentReader(experiment, options).read(config);
    return experiment;
}

} // namespace dnsgauge
