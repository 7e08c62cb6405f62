// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "calibrate/fakedns_options.h"

#include "options/access.h"
#include "options/option_error.h"
#include "trial/plan.h"
#include "userland/pref64_text.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace dnsgauge
{

namespace
{

std::string program_beside_us()
{
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fakedns").string();
}

} // namespace

Options fakedns_options(FakednsWish &wish)
{
    return {
        Option("fakedns-interface", OptionGroup::fakedns, "IF",
               "Interface at the other end of the link, with the address --server. fakedns or the "
               "arrival clock runs there",
               text(wish.interface), {.is_required = true}),
        Option("fakedns-netns", OptionGroup::fakedns, "NAME",
               "Network namespace of --fakedns-interface, as \"ip netns\" names it. In the "
               "Tester's own namespace the kernel would bypass the link",
               text(wish.netns), {.is_required = true}),
        {"fakedns", OptionGroup::fakedns, "FILE",
         "Program fakedns, instead of the program beside dnsgauge", text(wish.program)},
        Option("fault-cpu", OptionGroup::fakedns, "CPU",
               "CPU on which fakedns waits busily until the answers that it holds back are due",
               whole(wish.fault_cpu, 0, 1023),
               {.only_with = {.option = "transport", .text = "udp"}})};
}

namespace
{

// Returns how many connections FakeDNS must bear at once. A connection that has carried all its
// queries stays until they are answered, beside others.
std::uint64_t connections_for(const TrialPlan &trial, std::size_t senders)
{
    constexpr std::uint64_t least = 256;
    constexpr std::uint64_t least_of_short_ones = 10'000;
    return std::max(2 * senders * shared_connections(trial),
                    trial.queries_per_connection == 0 ? least : least_of_short_ones);
}

// Returns a port at which FakeDNS also answers, beside the port that the trial asks.
std::uint16_t port_beside(const TrialPlan &trial, std::uint16_t usual)
{
    return trial.server_port == usual ? usual + 1 : usual;
}

} // namespace

FakednsPlan plan_fakedns(const FakednsWish &wish, const TrialPlan &trial,
                         std::vector<unsigned> sender_cpus)
{
    if (wish.netns.find('/') != std::string::npos)
        throw OptionError({"fakedns-netns"},
                          "--fakedns-netns {}: give a name that \"ip netns list\" shows",
                          wish.netns);
    return {.program = wish.program.value_or(program_beside_us()),
            .netns = wish.netns,
            .interface = wish.interface,
            .zone = part_of<ZoneNames>(trial.workload)->zone.text,
            .aaaa_prefix = to_string(trial.answer_prefix),
            .transport = trial.transport,
            .port = trial.server_port,
            .plain_port = is_over_tls(trial) ? port_beside(trial, TrialPlan().server_port)
                                             : trial.server_port,
            .tls_port = trial.transport == Transport::dot ? trial.server_port
                                                          : port_beside(trial, dot_port),
            .fault_cpu = wish.fault_cpu,
            .connections = connections_for(trial, sender_cpus.size()),
            .kept_free = std::move(sender_cpus)};
}

std::unique_ptr<RunningServer> start_fakedns(const TrialPlan &trial,
                                             std::vector<unsigned> sender_cpus,
                                             const std::vector<GivenOption> &given,
                                             const std::string &faults)
{
    FakednsWish wish;
    const Options options = fakedns_options(wish);
    std::vector<GivenOption> mine;
    for (const GivenOption &one : given)
        if (find_option(options, one.option) != nullptr)
            mine.push_back(one);
    read_options(options, mine);
    return std::make_unique<FakednsProcess>(plan_fakedns(wish, trial, std::move(sender_cpus)),
                                            faults);
}

} // namespace dnsgauge
