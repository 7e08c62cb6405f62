// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/cells.h"

#include "experiment/keys.h"
#include "system/counted.h"
#include "system/cpus.h"
#include "system/listed.h"
#include "system/shell_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace dnsgauge
{

namespace
{

constexpr std::size_t cells_most = 10'000; // at some minutes each

bool fits(const Rule &rule, const Settings &settings)
{
    return std::ranges::all_of(rule.when, [&settings](const auto &condition) {
        const auto &[key, values] = condition;
        const auto setting = settings.find(key);
        return setting != settings.end() &&
               std::ranges::find(values, setting->second.value, &Setting::value) != values.end();
    });
}

class Grid
{
public:
    Grid(const Experiment &experiment, std::string directory, Variables variables)
        : experiment_(experiment), directory_(std::move(directory)),
          variables_(std::move(variables)), keys_(varying_keys(experiment))
    {
    }

    [[nodiscard]] std::vector<Cell> cells()
    {
        check_size();
        combine(0, base());
        for (const Settings &extra : experiment_.extras)
            add_extra(extra);
        check_rules();
        return std::move(cells_);
    }

private:
    // Returns the default settings of cells.
    [[nodiscard]] Settings base() const
    {
        Settings settings = experiment_.search;
        if (experiment_.placement)
            settings.insert(experiment_.placement->settings.begin(),
                            experiment_.placement->settings.end());
        return settings;
    }

    void combine(std::size_t axis, Settings settings)
    {
        if (axis == experiment_.axes.size()) {
            const Place place = settings.at(experiment_.axes.back().key).place;
            add(std::move(settings), place);
            return;
        }
        for (const Setting &value : experiment_.axes[axis].values) {
            settings[experiment_.axes[axis].key] = value;
            combine(axis + 1, settings);
        }
    }

    // Adds the extra's cell. An extra must have each key that has several values in the matrix.
    void add_extra(const Settings &extra)
    {
        Settings settings = base();
        for (const Axis &axis : experiment_.axes) {
            if (!extra.contains(axis.key) && axis.values.size() > 1)
                refuse(extra.begin()->second.place,
                       "an extra must say its {}: the matrix has several", axis.key);
            settings[axis.key] = axis.values.front();
        }
        for (const auto &[key, setting] : extra)
            settings[key] = setting;
        std::erase_if(settings, [](const auto &setting) { return setting.second.value.empty(); });
        add(std::move(settings), extra.begin()->second.place);
    }

    void add(Settings settings, const Place &place)
    {
        for (const Rule &rule : experiment_.rules) {
            if (!fits(rule, settings))
                continue;
            used_.insert(&rule);
            for (const auto &[key, setting] : rule.settings) {
                if (std::find(keys_.begin(), keys_.end(), key) != keys_.end())
                    refuse(setting.place, "a rule cannot set {}, which varies", key);
                settings[key] = setting;
            }
        }
        Cell cell;
        cell.place = place;
        cell.settings = std::move(settings);
        for (const auto &[key, setting] : cell.settings)
            if (key != "server" && key != "cores" && !is_server_key(key) &&
                !experiment_.variables.contains(key))
                cell.options.insert(key);
        for (const std::string &key : keys_)
            if (const std::string value = cell.value(key); !value.empty())
                cell.name += (cell.name.empty() ? "" : "-") + value;
        std::replace_if(
            cell.name.begin(), cell.name.end(),
            [](char octet) { return octet == '/' || !is_plain_word(std::string(1, octet)); }, '_');
        if (cell.name.empty())
            cell.name = "cell";
        if (!names_.insert(cell.name).second)
            refuse(place, "two cells are alike: {}", cell.name);
        add_commands(cell);
        cells_.push_back(std::move(cell));
    }

    void add_commands(Cell &cell) const
    {
        const Variables variables = variables_of(cell);
        add_placement(cell, variables);
        if (experiment_.dut.cpu_method == CpuMethod::maxcpus && cell.settings.contains("cores"))
            cell.power_cycle = substitute(experiment_.dut.power_cycle, variables);
        const auto name = cell.settings.find("server");
        if (name == cell.settings.end())
            return;
        const ServerDefinition &server = experiment_.servers.at(name->second.value);
        for (const std::string &other : server.needs)
            cell.servers.push_back(commands(experiment_.servers.at(other), variables));
        cell.servers.push_back(commands(server, variables));
        cell.restart_each_trial = server.restart_each_trial;
    }

    void add_placement(Cell &cell, const Variables &variables) const
    {
        const std::optional<PlacementDescription> &placement = experiment_.placement;
        for (const auto &[key, setting] : cell.settings) {
            if (!is_placement_key(key) || setting.value == as_it_is)
                continue;
            if (!placement)
                refuse(setting.place,
                       "{}: the file needs a [placement] that names the "
                       "interface of the server's machine",
                       key);
            cell.placement.push_back("--" + key);
            cell.placement.push_back(setting.value);
        }
        if (!placement)
            return;
        cell.placement_command = substitute(placement->command, variables);
        if (cell.placement_command.empty())
            cell.placement_command = {variables.at("bin") + "/dnsgauge", "placement"};
    }

    [[nodiscard]] ServerCommands commands(const ServerDefinition &server,
                                          const Variables &variables) const
    {
        ServerCommands commands;
        commands.name = server.name;
        commands.directory = directory_ + "/servers/" + server.name;
        commands.log = commands.directory + ".log";
        Variables all = variables;
        all["directory"] = commands.directory;
        all["log"] = commands.log;
        commands.prepare = substitute(server.prepare, all);
        commands.start = substitute(server.start, all);
        commands.ready = substitute(server.ready, all);
        commands.stop = substitute(server.stop, all);
        return commands;
    }

    [[nodiscard]] std::string cpuset(const Cell &cell) const
    {
        const auto cores = cell.settings.find("cores");
        if (const auto cpus = cell.settings.find(server_cpus_key); cpus != cell.settings.end()) {
            if (cores != cell.settings.end())
                refuse(cores->second.place,
                       "cores: server-cpus says already which CPUs the server gets");
            return cpus->second.value;
        }
        if (cores == cell.settings.end())
            return {};
        const std::string &text = cores->second.value;
        std::size_t count = 0;
        const char *end = text.data() + text.size();
        if (std::from_chars(text.data(), end, count).ptr != end || count == 0)
            refuse(cores->second.place, "cores {}: must be a number of CPUs", text);
        const DutDescription &dut = experiment_.dut;
        if (dut.cpu_method == CpuMethod::none)
            refuse(cores->second.place, "cores: [dut] must say how the DUT gets them: cpu-method = "
                                        "\"cpuset\" or \"maxcpus\"");
        // With maxcpus the DUT has the CPUs that it was started with. Then cpu-list is optional: it
        // only tells the commands the numbers of these CPUs.
        if (dut.cpu_method == CpuMethod::maxcpus && dut.cpu_list.empty())
            return {};
        if (count > dut.cpu_list.size())
            refuse(cores->second.place, "cores {}: cpu-list of [dut] has {}", text,
                   counted(dut.cpu_list.size(), "CPU"));
        return join(std::span(dut.cpu_list).first(count), ",");
    }

    [[nodiscard]] Variables variables_of(const Cell &cell) const
    {
        Variables variables = variables_;
        for (const auto &[name, setting] : experiment_.variables)
            variables[name] = setting.value;
        for (const auto &[key, setting] : cell.settings)
            variables[key] = setting.value;
        const std::string cpus = cpuset(cell);
        if (!cpus.empty())
            variables["cpuset"] = cpus;
        // Commands that start a worker for each of ${cores} do so for each of ${server-cpus}.
        if (cell.settings.contains(server_cpus_key))
            variables["cores"] =
                fmt::format("{}", parse_cpu_list(server_cpus_key, cpus, cpu_most).size());
        return variables;
    }

    // Runs before any cell is made, because a mistyped matrix may ask for more cells than memory
    // holds.
    void check_size() const
    {
        const std::size_t extras = experiment_.extras.size();
        std::size_t product = 1;
        for (const Axis &axis : experiment_.axes) {
            product *= axis.values.size();
            if (extras + product > cells_most)
                refuse(axis.place,
                       "{}: the matrix has more than {} cells: make several "
                       "experiments of it",
                       axis.key, cells_most);
        }
    }

    // Refuses a rule that fits no cell: its value is probably mistyped.
    void check_rules() const
    {
        for (const Rule &rule : experiment_.rules)
            if (!used_.contains(&rule))
                refuse(rule.place, "this rule fits no cell");
    }

    const Experiment &experiment_;
    std::string directory_;
    Variables variables_;
    std::vector<std::string> keys_;
    std::vector<Cell> cells_;
    std::set<std::string> names_;
    std::set<const Rule *> used_;
};

const std::string &value_of(const std::string &name, const Variables &variables, const Place &place)
{
    const auto found = variables.find(name);
    if (found == variables.end())
        refuse(place, "there is no variable ${{{}}}: there are {}", name,
               joined(variables, [](const auto &one) { return one.first; }));
    if (!is_plain_word(found->second))
        refuse(place,
               "${{{}}} is \"{}\": variables of commands may have letters, "
               "digits and . _ : / , @ % + = - only",
               name, found->second);
    return found->second;
}

std::string substitute(const std::string &word, const Variables &variables, const Place &place)
{
    std::string text;
    for (std::size_t at = 0; at < word.size();) {
        const std::size_t begin = word.find("${", at);
        text += word.substr(at, begin - at);
        if (begin == std::string::npos)
            break;
        if (begin != 0 && word[begin - 1] == '$') {
            text += '{';
            at = begin + 2;
            continue;
        }
        const std::size_t end = word.find('}', begin);
        if (end == std::string::npos)
            refuse(place, "\"{}\": a ${{ without its }}", word);
        text += value_of(word.substr(begin + 2, end - begin - 2), variables, place);
        at = end + 1;
    }
    return text;
}

} // namespace

std::string Cell::value(const std::string &key) const
{
    const auto setting = settings.find(key);
    return setting == settings.end() ? std::string() : setting->second.value;
}

std::vector<std::string> Cell::apply_words(const std::string &interface) const
{
    std::vector<std::string> words = {"apply", "--interface", interface};
    words.insert(words.end(), placement.begin(), placement.end());
    return words;
}

std::vector<std::string> Cell::search_words(const std::string &journal) const
{
    std::vector<std::string> words;
    for (const std::string &key : options) {
        const std::string &text = settings.at(key).value;
        if (text == "false")
            continue;
        words.push_back("--" + (key == "address" ? std::string("server") : key));
        if (text != "true")
            words.back() += "=" + text;
    }
    words.push_back("--journal=" + journal);
    return words;
}

std::vector<std::string> varying_keys(const Experiment &experiment)
{
    std::vector<std::string> keys;
    std::map<std::string, std::set<std::string>> values;
    for (const Axis &axis : experiment.axes) {
        keys.push_back(axis.key);
        for (const Setting &value : axis.values)
            values[axis.key].insert(value.value);
    }
    for (const Settings &extra : experiment.extras)
        for (const auto &[key, setting] : extra) {
            if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
                keys.push_back(key);
                const auto usual = experiment.search.find(key);
                values[key].insert(usual == experiment.search.end() ? "" : usual->second.value);
            }
            values[key].insert(setting.value);
        }
    std::erase_if(keys, [&values](const std::string &key) { return values[key].size() < 2; });
    return keys;
}

std::vector<Cell> cells_of(const Experiment &experiment, const std::string &directory,
                           const Variables &variables)
{
    return Grid(experiment, directory, variables).cells();
}

std::vector<std::string> substitute(const CommandTemplate &command, const Variables &variables)
{
    std::vector<std::string> words;
    for (const std::string &word : command.words)
        words.push_back(substitute(word, variables, command.place));
    return words;
}

} // namespace dnsgauge
