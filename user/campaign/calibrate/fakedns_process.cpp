// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "calibrate/fakedns_process.h"

#include "dns/pref64_text.h"
#include "engine/cpu_share.h"
#include "machine/interface.h"
#include "options/access.h"
#include "options/option_error.h"
#include "system/setup_error.h"
#include "trial/plan.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <filesystem>
#include <utility>

namespace dnsgauge
{

namespace
{

using Clock = std::chrono::steady_clock;

constexpr auto ready_patience = std::chrono::seconds(30); // a verifier may be slow
constexpr int exec_failed = 127;

std::vector<std::string> words_of(const FakednsPlan &plan, const std::string &faults)
{
    std::vector<std::string> words = {
        plan.program,     "--interface", plan.interface,
        "--zone",         plan.zone,     "--aaaa-prefix",
        plan.aaaa_prefix, "--port",      std::to_string(plan.plain_port)};
    if (plan.transport != Transport::udp)
        words.insert(words.end(),
                     {"--xdp-mode", "off", "--tcp-connections", std::to_string(plan.connections)});
    if (plan.transport == Transport::dot || plan.transport == Transport::doh ||
        plan.transport == Transport::doq)
        words.insert(words.end(),
                     {"--tls-self-signed", "--tls-port", std::to_string(plan.tls_port)});
    if (plan.transport == Transport::doh)
        words.insert(words.end(), {"--https-port", std::to_string(plan.port)});
    if (plan.transport == Transport::doq)
        words.insert(words.end(), {"--quic-port", std::to_string(plan.port)});
    if (faults.empty())
        return words;
    words.insert(words.end(), {"--fault", faults});
    if (plan.fault_cpu)
        words.insert(words.end(), {"--fault-cpu", std::to_string(*plan.fault_cpu)});
    return words;
}

// Makes system calls only, because it runs in the copy of a process that may have threads.
int become(char *const *arguments, int output)
{
    // Ctrl-C must not reach fakedns: this process ends it.
    setpgid(0, 0);
    // A late fakedns would make the Tester's figures look wrong.
    static_cast<void>(prefer_this_thread());
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    syscall(SYS_close_range, STDERR_FILENO + 1, UINT_MAX, 0);
    execv(arguments[0], arguments);
    return exec_failed;
}

std::string last_line(std::string text)
{
    while (text.ends_with('\n'))
        text.pop_back();
    return text.substr(text.rfind('\n') + 1);
}

std::string program_beside_us()
{
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fakedns").string();
}

// Returns how many connections FakeDNS must bear at once. A connection stays open until all its
// queries are answered, beside the connection that follows it.
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

FakednsProcess::FakednsProcess(const FakednsPlan &plan, const std::string &faults)
try : program_(plan.program) {
    start(plan, faults);
    wait_until_ready();
    const NetworkNamespaceVisit visit = visit_to(plan.netns);
    static_cast<void>(find_interface(plan.interface)); // has a carrier again
} catch (const SetupError &error) {
    throw FakednsError("FakeDNS cannot run at the link's other end, on {}{}: {}", plan.interface,
                       plan.netns.empty() ? "" : " in " + plan.netns, error.what());
}

void FakednsProcess::start(const FakednsPlan &plan, const std::string &faults)
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        throw SetupError("cannot run {}: {}", program_, std::strerror(errno));
    output_ = UniqueFd(ends[0]);
    const UniqueFd its_end(ends[1]);
    std::vector<std::string> words = words_of(plan, faults);
    std::vector<char *> arguments;
    for (std::string &word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const NetworkNamespaceVisit visit = visit_to(plan.netns);
    const CpusKeptFree kept_free(plan.kept_free);
    process_.emplace([&] { return become(arguments.data(), its_end.get()); });
}

void FakednsProcess::wait_until_ready()
{
    const auto deadline = Clock::now() + ready_patience;
    std::string said;
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        pollfd event{output_.get(), POLLIN, 0};
        std::array<char, 512> buffer{};
        if (left.count() <= 0 || poll(&event, 1, static_cast<int>(left.count())) == 0)
            throw SetupError("{} is not ready within {} s", program_,
                             std::chrono::seconds(ready_patience).count());
        const ssize_t size = read(output_.get(), buffer.data(), buffer.size());
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            throw SetupError("{} does not run: {}", program_,
                             said.empty() ? "name a program with --fakedns" : last_line(said));
        said.append(buffer.data(), static_cast<std::size_t>(size));
        if (said.find("fakedns: ready ") != std::string::npos)
            return;
    }
}

void FakednsProcess::check_alive() const
{
    if (!process_->is_running())
        throw SetupError(program_ + " ended while it was needed");
}

NetworkNamespaceVisit visit_to(const std::string &netns)
{
    try {
        return NetworkNamespaceVisit(netns.empty() ? "" : "/run/netns/" + netns);
    } catch (const SetupError &error) {
        throw SetupError(
            "--fakedns-netns {}: {}: give a name that \"ip netns list\" shows, as root", netns,
            error.what());
    }
}

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
