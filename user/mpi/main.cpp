// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge-mpi: several Testers as one, started by mpirun. The Tester of rank 0 runs a command of
// dnsgauge, whose trials all Testers make together. The other Testers print nothing.
#include "calibrate/fakedns_process.h"
#include "cli/command.h"
#include "experiment/experiment_plan.h"
#include "fleet/fleet.h"
#include "fleet/follower.h"
#include "fleet/leader.h"
#include "fleet/tester_options.h"
#include "host/skeleton.h"
#include "mpi/mpi_channel.h"
#include "options/access.h"
#include "options/command_line.h"
#include "options/program.h"
#include "series/interruption.h"
#include "series/kind.h"
#include "series/tester_setup.h"
#include "system/listed.h"
#include "system/run_program.h"
#include "system/setup_error.h"
#include "system/standard_output.h"
#include "system/version.h"

#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

namespace
{

// Returns the remarks of all commands about values that differ between Testers.
std::string remarks_on(const Options &options)
{
    std::vector<std::string> names;
    for (const std::string &name : options_of_one_tester())
        if (find_option(options, name) != nullptr)
            names.push_back("--" + name);
    return fmt::format(
        "{{rank}} in the value of {} stands for the number of a Tester, from 0; --hosts has such "
        "values by host. Rates are the rates of all Testers together; windows are each sender's "
        "own. Only the Tester of rank 0 prints, and writes files.",
        names.empty() ? "the file's interface, address, cpus and their like" : listed(names, "or"));
}

constexpr const char *hosts_option = "hosts";

// Returns the command's first example, once for a Tester on each host, and once for two on one
// host.
std::vector<std::string> joint_examples(const Command &command)
{
    static const std::regex own_value(R"((interface [a-z]+|198\.18\.)\d)");
    const bool has_cpus = find_option(command.options, "cpus") != nullptr;
    std::vector<std::string> examples;
    for (const bool is_one_host : {false, true}) {
        examples.push_back(fmt::format("mpirun {} --bind-to none dnsgauge-mpi {}{} \\",
                                       is_one_host ? "-n 2" : "--hostfile testers", command.name,
                                       is_one_host && has_cpus ? " --cpus {rank}" : ""));
        std::string line = command.examples.front();
        line.replace(0, fmt::format("dnsgauge {}", command.name).size(), "   ");
        for (std::size_t next = 1;; line = command.examples.at(next++)) {
            examples.push_back(is_one_host ? std::regex_replace(line, own_value, "$1{rank}")
                                           : line);
            if (!line.ends_with('\\'))
                break;
        }
    }
    return examples;
}

// Returns the command for several Testers. Its run() ignores --hosts, which lead() reads.
Command joint(Command command)
{
    const auto hosts = std::make_shared<std::optional<std::string>>();
    append(command.options,
           {{hosts_option, OptionGroup::tester, "FILE",
             "Read each host's own options from this TOML file, which has a table for each host",
             text(*hosts)}});
    // The option writes to *hosts, which must live as long as the command.
    command.run = [hosts, run = std::move(command.run)](const std::vector<std::string> &words) {
        return run(words);
    };
    command.summary += ", from several Testers at once";
    command.remarks = remarks_on(command.options);
    command.examples = joint_examples(command);
    return command;
}

// `join` returns the Testers of a cell of an experiment.
Program program_of(const std::shared_ptr<Testers> &testers = nullptr, const JoinTesters &join = {})
{
    std::vector<Command> commands = series_commands(testers);
    commands.insert(commands.begin(), trial_command(testers));
    commands.insert(commands.end(), {selftest_command(testers), calibrate_command(testers)});
    for (Command &command : commands)
        command = with_verbose(std::move(command));
    commands.push_back(experiment_command({.program = "dnsgauge-mpi", .join = join}));
    for (Command &command : commands)
        command = joint(std::move(command));
    return {.name = "dnsgauge-mpi",
            .summary = "Measures DNS servers at rates that sockets cannot reach, and checks every "
                       "answer.",
            .version = version_text("dnsgauge-mpi", libbpf_version_string()),
            .commands = std::move(commands)};
}

// By default mpirun binds each process to a core, and the sender would share that core with
// everything else.
void check_binding()
{
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread
    const char *bound = std::getenv("OMPI_MCA_orte_bound_at_launch");
    if (bound != nullptr && std::string(bound) == "1")
        throw SetupError("mpirun bound this Tester to some CPUs: give mpirun --bind-to none, and "
                         "dnsgauge-mpi --cpus");
}

// Returns the tables of --hosts. Prints a note for each table that belongs to no Tester.
HostsFile tables_in(const std::vector<GivenOption> &given, const std::vector<std::string> &hosts)
{
    const auto file = std::ranges::find(given, hosts_option, &GivenOption::option);
    if (file == given.end())
        return {};
    HostsFile tables = read_hosts(file->text);
    for (const HostEntry &entry : entries_without_tester(tables, hosts))
        say("dnsgauge-mpi: note: {}:{}: no Tester runs on {}\n", entry.place.file, entry.place.line,
            entry.name);
    return tables;
}

ExitStatus lead(Fleet &fleet, const std::vector<std::string> &words)
{
    check_binding();
    if (const std::string other = fleet.disagreement(); !other.empty()) {
        say("dnsgauge-mpi: invalid: {}\n", other);
        return ExitStatus::nothing_learned;
    }
    const Program alone = program_of();
    const Options &options = find_command(alone, words[1]).options;
    const std::vector<GivenOption> given = parse_words(options, {words.begin() + 2, words.end()});
    const HostsFile tables = tables_in(given, fleet.hosts());
    const auto leader_for = [&](const Options &of_command, const std::vector<GivenOption> &all) {
        return std::make_shared<Leader>(
            fleet, tester_options_by_rank(of_command, all, tables, fleet.hosts()));
    };
    const auto leader = leader_for(options, given);
    for (std::uint32_t rank = 0; rank < fleet.testers().size(); rank++)
        leader->name_errors(rank, [&] {
            read_options(find_command(program_of(), words[1]).options, leader->options_of(rank));
        });
    const auto join = [&](const Options &of_cell, const std::vector<GivenOption> &all) -> Team {
        const auto testers = leader_for(of_cell, all);
        return {testers->options_of(0), testers};
    };
    const Program program = program_of(leader, join);
    return leader->name_errors(0, [&] {
        return run_given(find_command(program, words[1]), leader->options_of(0), words);
    });
}

int run_first(MpiChannel &channel, const std::vector<std::string> &words)
{
    std::optional<Fleet> fleet;
    const int status = run_program("dnsgauge-mpi", [&] {
        // This comes first because the other Testers wait for it.
        fleet.emplace(channel, words);
        return static_cast<int>(lead(*fleet, words));
    });
    // A Tester that does not answer does not end by itself either.
    if (!fleet || !fleet->dismiss())
        channel.end_all(status);
    return status;
}

// Runs FakeDNS at the other end of this Tester's link.
std::unique_ptr<RunningServer> start_own_fakedns(const TrialPlan &plan,
                                                 const std::vector<GivenOption> &given,
                                                 const std::string &faults)
{
    return start_fakedns(plan, describe_setup(plan).sender_cpus, given, faults);
}

// The Tester of rank 0 reports what goes wrong in a trial. This Tester reports what ends serve().
int run_other(MpiChannel &channel, const std::vector<std::string> &words)
{
    return run_program("dnsgauge-mpi", [&] {
        Follower(channel, words, describe_setup, start_own_fakedns).serve(catch_interruption());
        return static_cast<int>(ExitStatus::criterion_met);
    });
}

int run(const std::vector<std::string> &words)
{
    if (words.size() < 2 || are_a_question(words))
        return run_program("dnsgauge-mpi",
                           [&] { return static_cast<int>(run_words(program_of(), words)); });
    catch_parents_sigcont();
    MpiChannel channel;
    return channel.rank() == 0 ? run_first(channel, words) : run_other(channel, words);
}

} // namespace

} // namespace dnsgauge

int main(int count, char **arguments)
{
    dnsgauge::set_libbpf_verbosity(false);
    return dnsgauge::run({arguments, arguments + count});
}
