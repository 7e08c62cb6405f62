// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge-mpi: several Testers as one, started by mpirun. The one of rank 0 is dnsgauge, whose
// trials all Testers make together; the others make their parts and print nothing.
#include "cli/command_line.h"
#include "cli/interruption.h"
#include "cli/program.h"
#include "common/run_program.h"
#include "common/setup_error.h"
#include "common/standard_output.h"
#include "fleet/follower.h"
#include "fleet/leader.h"
#include "fleet/rank_words.h"
#include "mpi/mpi_channel.h"
#include "search/tester_setup.h"

#include <cstdlib>
#include <memory>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr const char *remarks =
    "{rank} in the value of --interface, --server, --server-mac, --source, --vlan, --clients, "
    "--cpus, --sender-queues, --first-source-port or --per-query stands for the number of a "
    "Tester, from 0. Rates are those of all Testers together. Only the Tester of rank 0 prints, "
    "and writes files.";

// Returns the command of several Testers.
Command joint(Command command, std::vector<std::string> examples)
{
    command.summary += ", from several Testers at once";
    command.remarks = remarks;
    command.examples = std::move(examples);
    return command;
}

Program program_of(const std::shared_ptr<Testers> &testers)
{
    const std::string two = "mpirun -n 2 --bind-to none dnsgauge-mpi ";
    const std::string all = "mpirun --hostfile testers --bind-to none dnsgauge-mpi ";
    return {
        .name = "dnsgauge-mpi",
        .commands = {
            joint(
                trial_command(testers),
                {two + "trial \\", "    --interface eth{rank} --cpus {rank} --server 192.0.2.53 \\",
                 "    --names 10.0.0.0/8 --rate 200k --duration 60",
                 all + "trial --interface eth1 \\",
                 "    --server 2001:db8::53 --names 10.0.0.0/8 --rate 2M --json result.json",
                 two + "trial \\", "    --interface eth{rank} --cpus {rank} --server 192.0.2.53 \\",
                 "    --capture day.pcap --clients 10.{rank}.0.0/16 --timeout 2"}),
            joint(search_command(testers),
                  {all + "search \\",
                   "    --interface eth1 --cpus 2,3 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                   "    --max-rate 20M --journal search.jsonl", two + "search \\",
                   "    --interface eth{rank} --cpus {rank} --server 192.0.2.53 \\",
                   "    --names 10.0.0.0/8 --max-rate 400k --journal search.jsonl --resume"}),
            joint(sweep_command(testers),
                  {all + "sweep \\",
                   "    --interface eth1 --cpus 2,3 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                   "    --min-rate 1M --max-rate 20M --journal sweep.jsonl", two + "sweep \\",
                   "    --interface eth{rank} --cpus {rank} --server 192.0.2.53 \\",
                   "    --queries root.txt --min-rate 1k --max-rate 400k --journal sweep.jsonl"}),
            joint(soak_command(testers),
                  {all + "soak \\",
                   "    --interface eth1 --cpus 2,3 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                   "    --rate 10M --hours 24 --journal soak.jsonl", two + "soak \\",
                   "    --interface eth{rank} --cpus {rank} --server 192.0.2.53 \\",
                   "    --names 10.0.0.0/8 --search s.json --percent 80 --journal soak.jsonl"}),
            joint(replay_command(testers),
                  {two + "replay --interface eth{rank} --cpus {rank} \\",
                   "    --server 192.0.2.53 --capture day.pcap --clients 10.{rank}.0.0/16 \\",
                   "    --before-trial 'ssh root@dut systemctl restart named' \\",
                   "    --journal bind.jsonl --json bind.json", all + "replay --interface eth1 \\",
                   "    --server 192.0.2.53 --capture day.pcap --find-load-factor 40 \\",
                   "    --before-trial 'ssh root@dut systemctl restart named' \\",
                   "    --journal bind.jsonl"}),
            joint(selftest_command(testers),
                  {all + "selftest \\",
                   "    --interface eth1 --cpus 2,3 --server 192.0.2.53 --max-rate 20M \\",
                   "    --resolution 100k", two + "selftest \\",
                   "    --interface eth{rank} --cpus {rank} --server 192.0.2.53 --rate 200k"})}};
}

// Returns the options in the words. Throws SetupError.
std::vector<GivenOption> given_in(const std::vector<std::string> &words)
{
    const Program program = program_of(nullptr);
    return parse_words(find_command(program, words[1]).options, {words.begin() + 2, words.end()});
}

// mpirun binds each process to a core, unless somebody forbids it: sender and everything else would
// share one CPU.
void check_binding()
{
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread
    const char *bound = std::getenv("OMPI_MCA_orte_bound_at_launch");
    if (bound != nullptr && std::string(bound) == "1")
        throw SetupError("mpirun bound this Tester to some CPUs: give mpirun --bind-to none, and "
                         "dnsgauge-mpi --cpus");
}

// Returns the words with the values of the Tester of rank 0.
std::vector<std::string> words_of_first(const std::vector<std::string> &words)
{
    std::vector<std::string> mine;
    for (const std::string &word : words)
        mine.push_back(for_rank(word, 0));
    return mine;
}

// Makes `leader` as soon as possible, so that the others need not wait for it in vain.
ExitStatus lead(MpiChannel &channel, const std::vector<std::string> &words,
                std::shared_ptr<Leader> &leader)
{
    leader = std::make_shared<Leader>(channel, words);
    check_binding();
    if (const std::string other = leader->disagreement(); !other.empty()) {
        say("dnsgauge-mpi: invalid: {}\n", other);
        return ExitStatus::nothing_learned;
    }
    for (const GivenOption &one : options_by_rank(given_in(words)))
        leader->differ_in(one.option);
    return run_words(program_of(leader), words_of_first(words), words);
}

int run_first(MpiChannel &channel, const std::vector<std::string> &words)
{
    std::shared_ptr<Leader> leader;
    const int status =
        run_program("dnsgauge-mpi", [&] { return static_cast<int>(lead(channel, words, leader)); });
    if (leader)
        leader->dismiss();
    // Whoever does not answer does not end by itself, either.
    if (!leader || leader->has_lost_one())
        channel.end_all(status);
    return status;
}

// Whatever goes wrong here, the Tester of rank 0 says it.
int run_other(MpiChannel &channel, const std::vector<std::string> &words)
{
    return run_program("dnsgauge-mpi", [&] {
        std::vector<GivenOption> own;
        try {
            own = options_by_rank(given_in(words));
        } catch (const SetupError &) {
            own.clear();
        }
        for (GivenOption &one : own)
            one.text = for_rank(std::move(one.text), channel.rank());
        Follower(channel, words, std::move(own), describe_setup).serve(catch_interruption());
        return static_cast<int>(ExitStatus::criterion_met);
    });
}

int run(const std::vector<std::string> &words)
{
    if (words.size() < 2 || are_a_question(words))
        return run_program("dnsgauge-mpi", [&] {
            return static_cast<int>(run_words(program_of(nullptr), words, words));
        });
    MpiChannel channel;
    return channel.rank() == 0 ? run_first(channel, words) : run_other(channel, words);
}

} // namespace

} // namespace dnsgauge

int main(int count, char **arguments)
{
    return dnsgauge::run({arguments, arguments + count});
}
