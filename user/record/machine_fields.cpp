// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/machine_fields.h"

#include "options/options_json.h"

#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr auto sides = words<CpuGuest::Side>({{CpuGuest::Side::own, "own"},
                                              {CpuGuest::Side::kernel, "kernel"},
                                              {CpuGuest::Side::server, "server"},
                                              {CpuGuest::Side::other, "other"},
                                              {CpuGuest::Side::unknown, "unknown"}});

constexpr auto idle_words = words<bool>({{false, "sleep"}, {true, "poll"}});

// Returns the value of an option that belongs to a set-up.
OptionValue value_of(const Json &json)
{
    if (json.is_null())
        return {};
    if (json.is_boolean())
        return json.get<bool>();
    if (json.is_number_unsigned())
        return json.get<std::uint64_t>();
    if (json.is_number())
        return json.get<double>();
    if (json.is_array())
        return json.get<std::vector<unsigned>>();
    return json.get<std::string>();
}

// Returns the options of a set-up: its members between "sender_cpus" and "ip_version".
std::vector<std::pair<std::string, OptionValue>> options_of(const Json &setup)
{
    std::vector<std::pair<std::string, OptionValue>> options;
    bool is_option = false;
    for (const auto &[key, value] : setup.items()) {
        is_option = is_option && key != "ip_version";
        if (is_option)
            options.emplace_back(key, value_of(value));
        is_option = is_option || key == "sender_cpus";
    }
    return options;
}

// Describes the options that belong to a set-up: what `setup_key` names in the options' tables.
void describe_options(Fields &row)
{
    row.made("sender_queues", std::vector<unsigned>(),
             "the senders' transmit queues, as --sender-queues names them, or as selftest "
             "--placements found them, which a journal leaves out; empty: 0, 1 and so on");
    row.made("xdp_mode", std::string(), "the mode asked for by --xdp-mode");
    row.made("af_xdp", std::string(), "the mode asked for by --af-xdp");
    row.made("busy_poll", false, "whether --busy-poll was given");
    row.made("idle_cpus", std::string(), "the value of --idle-cpus", {.pattern = "^(poll|sleep)$"});
    row.made("timestamps", std::string(), "as asked for: --timestamps");
    row.made("source_ports", 0U, "the number of source ports of each sender");
    row.made("vlan", std::optional<unsigned>(),
             "the 802.1Q identifier of the queries; null: they have no tag",
             {.least = 1, .most = 4094});
    row.made("transport", std::string(), "how the queries travel: --transport", newer);
    row.made("connections", std::optional<unsigned>(),
             "not over UDP, the connections that each sender keeps open at once; null: each "
             "client of the captures has its own",
             newer);
    row.made("queries_per_connection", std::uint64_t{0},
             "not over UDP, the queries after which a connection is closed; 0: connections "
             "stay open",
             newer);
    row.made("pipeline", std::uint64_t{0},
             "not over UDP, the most queries without a reply on a connection; 0: no limit", newer);
    row.made("acks", std::string(), "not over UDP, when replies are acknowledged: --acks", newer);
    row.made("resumption", std::string(), "over TLS and QUIC, what handshakes are: --resumption",
             newer);
}

} // namespace

static void fields(Fields &row, CpuGuest &guest)
{
    row("process", guest.process, "the number of the process");
    row("name", guest.name, "the name of the process, as the kernel has it");
    row.word("side", guest.side, sides,
             "whose process it is. own: the Tester's; kernel: the kernel's; server: the server's; "
             "other: it has nothing to do with the trial; unknown: the Tester may not see whose "
             "it is");
    row("ran_ns", guest.ran, "nanoseconds that the process ran");
    row("waited_ns", guest.waited,
        "nanoseconds that the process was ready to run, and waited for the CPU");
}

static void fields(Fields &row, CpuAbsence &absence)
{
    row("longest_ns", absence.longest,
        "nanoseconds that they had the CPU; 0: the server never waited for them");
    row("process", absence.process,
        "the number of the process that had the CPU longest meanwhile; 0: the hypervisor had it, "
        "or there was no absence");
    row("name", absence.name, "the name of that thread, as the kernel has it");
}

static void fields(Fields &row, WallClock &clock)
{
    row("synchronised", clock.is_synchronised,
        "whether the kernel takes the clock for synchronised; null: unknown");
    row("error_ns", clock.error_most,
        "the most by which the kernel takes the clock to be wrong, nanoseconds");
    row("programs", clock.programs,
        "the programs that keep clocks right and run on the machine, such as chronyd and ptp4l");
}

static void fields(Fields &row, std::pair<std::string, QueueHandled> &named)
{
    auto &[name, queue] = named;
    row("queue", name, "the queue: rx-0, tx-3");
    std::optional<std::uint64_t> packets;
    if (queue.has_packets)
        packets = queue.packets;
    row("packets", packets,
        "packets, by the driver's own counter (ethtool -S); null: the driver does not count by "
        "queue");
    if (row.reads()) {
        queue.packets = packets.value_or(0);
        queue.has_packets = packets.has_value();
    }
    row("interrupts", queue.interrupts,
        "interrupts of the queue; an interrupt for both ways counts as the rx queue's");
}

static void fields(Fields &row, std::pair<unsigned, CpuHandled> &numbered)
{
    auto &[number, cpu] = numbered;
    row("cpu", number, "the CPU");
    row("net_rx", cpu.net_rx, "softirqs for received packets (/proc/softirqs)");
    row("net_tx", cpu.net_tx, "softirqs for packets to send");
    row("processed", cpu.processed, "packets that the CPU received (/proc/net/softnet_stat)");
    row("dropped", cpu.dropped, "packets dropped because the CPU's queue was full");
    row("squeezed", cpu.squeezed, "times that packets were left when the time to receive was over");
    row("interrupts", cpu.interrupts, "interrupts of the interface's queues");
}

static void stamp_rows(Fields &row, Circumstances &with)
{
    row("receive", with.receive_stamps, "whose clock stamped the replies: none or hardware",
        {.pattern = "^(none|hardware)$"});
    row("transmit", with.transmit_stamps,
        "whose clock stamped the queries: none, hardware or software",
        {.pattern = "^(none|hardware|software)$"});
    row("contradictory", with.contradictory_stamps, "queries whose stamps cannot be true");
}

void fields(Fields &row, CpuUse &use)
{
    row("cpu", use.cpu, "the number of the CPU");
    row("sends", use.sends, "whether a sender ran on the CPU");
    row("receives", use.receives, "whether replies were received on the CPU");
    row("elapsed_ns", use.elapsed,
        "nanoseconds from the trial's beginning to its end, in which all times below fall");
    row("sender_waited_ns", use.sender_waited,
        "nanoseconds that the sender was ready to send while the CPU did something else "
        "(schedstat's run delay)",
        newer);
    row("server_ran_ns", use.server_ran,
        "nanoseconds that the server's threads ran: the threads in a network namespace that is "
        "neither the Tester's nor the machine's, and the NAPI threads",
        newer);
    row("server_waited_ns", use.server_waited,
        "nanoseconds that the server's threads waited for the CPU", newer);
    row.object("absence", use.absence,
               "the longest time in which others or the hypervisor had the CPU while a thread of "
               "the server waited for it; null: not recorded, or the server did not run here",
               newer);
    row("others_ns", use.others,
        "nanoseconds that threads ran which have nothing to do with the trial", newer);
    row("unseen_ns", use.unseen,
        "nanoseconds that threads ran which had ended before anybody could see whose they were, "
        "counted in the kernel's ticks",
        newer);
    row("steal_ns", use.steal, "nanoseconds that the hypervisor gave the CPU to somebody else",
        newer);
    row("softirq_ns", use.softirq, "nanoseconds that the CPU dealt with packets", newer);
    row.list("guests", use.guests,
             "the processes that took or wanted at least a hundredth of the time, the largest "
             "first",
             newer);
    if (row.reads())
        for (CpuGuest &guest : use.guests)
            guest.cpu = use.cpu;
}

void fields(Fields &row, Circumstances &with)
{
    const bool has_modes = !with.modes.empty();
    row.shared("circumstances", "the conditions of a trial, with the modes that were in use; what "
                                "belongs to AF_XDP is missing over another transport");
    row("started", with.started, "when the trial began: UTC, ISO 8601", utc_moment);
    row("version", with.version, "the version of dnsgauge");
    row("command", with.command, "the command line");
    row("kernel", with.kernel, "name and version of the kernel");
    row("cpu_model", with.cpu_model, "the model of the CPU, as the kernel names it");
    row("cpus", with.cpus, "the number of the machine's CPUs");
    row("sender_cpus", with.sender_cpus, "the CPUs that sent");
    row("sender_cpus_why", with.sender_cpus_why,
        "why the sender has this CPU, and its transmit queue if that is not the usual one: a "
        "self-test found them best or was made with them, or the CPU was idle; empty: --cpus "
        "names the CPUs",
        newer);
    row("sender_nice", with.sender_nice,
        "the worst of the senders' nice values; -20, which takes CAP_SYS_NICE: the kernel prefers "
        "the senders to other threads",
        {.presence = Presence::newer, .least = -20, .most = 19});
    row("interface", with.interface, "the interface that sent");
    row("driver", with.driver, "the driver of the interface");
    row("mtu", with.mtu, "the MTU of the interface, octets");
    row("link_mbps", with.link_mbps, "the link's rate, megabits per second; null: not known",
        {.is_null = with.link_mbps == 0, .least = 1});
    row.only_if(has_modes);
    row("queues", with.queues, "the number of transmit queues that were used, each by one sender");
    for (const EngineMode &mode : engine_modes) {
        const auto used = with.modes.find(mode.name);
        std::string value = used == with.modes.end() ? "" : used->second;
        row(mode.name, value, mode.meaning, mode.is_newer ? newer : FieldForm{});
        if (row.reads() && !value.empty())
            with.modes[mode.name] = value;
    }
    row("busy_poll", with.busy_poll, "whether the senders polled the driver themselves", newer);
    row.always();
    row.word("idle_cpus", with.idle_cpus_poll, idle_words,
             "poll: the kernel agreed to let no CPU sleep; sleep: CPUs could sleep", newer);
    row.only_if(has_modes);
    row("kick_budget", with.kick_budget,
        "the number of packets that the kernel sends at most for one system call; null: no limit",
        {.presence = Presence::newer, .is_null = with.kick_budget == 0, .least = 1});
    row.group<stamp_rows>("timestamps", with, "what stamped the packets", newer);
    row.always();
    row("source_address", with.source_address, "the source address of the queries");
    row.only_if(has_modes);
    row("next_hop_mac", with.next_hop_mac, "the MAC address that the queries went to");
    row("source_ports", with.source_ports, "the number of source ports of each sender");
    row("first_source_port", with.first_source_port, "the first source port");
    row.always();
    row("link_wait_ns", with.link_wait,
        "how long the trial waited, before its first query was due, until the link was up and "
        "each queue had sent a frame; a missing value means a veth pair, which needs no time",
        sometimes);
    row("server_absences", with.server_absences,
        "whether absences of the server's CPUs on this machine were recorded: recorded, or why "
        "they were not; a missing value means that the server is on another machine, or that the "
        "version did not look",
        sometimes);
    row.object("wall_clock", with.wall_clock,
               "the machine's wall clock when the trial began, by the kernel's own account; "
               "trials go by the monotonic clock; a missing value means that the version did not "
               "look",
               sometimes);
}

void fields(Fields &row, Handled &handled)
{
    row.shared("handled", "what each queue and each CPU has handled");
    row.list("queues", handled.queues, "by queue of the interface");
    row.list("cpus", handled.cpus, "by CPU, for all interfaces of the machine");
}

void fields(Fields &row, CpuPlace &place)
{
    row.shared("cpu_place", "where a CPU is");
    row("cpu", place.cpu, "the kernel's number of the CPU");
    row("socket", place.socket, "hwloc's logical number of its socket");
    row("core", place.core,
        "hwloc's logical number of its core, which CPUs of the same number share (SMT)");
    row("l2", place.l2, "hwloc's logical number of its L2 cache; null: not known");
    row("l3", place.l3, "hwloc's logical number of its L3 cache; null: not known");
    row("node", place.node, "the kernel's number of the memory node next to it; null: not known");
}

void fields(Fields &row, PlacementResult &placement)
{
    row.shared("placement",
               "what the queues and CPUs of the Tester's machine did during the trial, or during "
               "all trials together; null: nobody looked",
               true);
    row("card_node", placement.card_node, card_node_meaning);
    row("interrupts", placement.interrupts,
        "the CPUs of each interrupt of the interface's queues: NAME: CPUS, ...; empty: it has "
        "none, as with veth");
    row.object("handled", placement.handled, "what each queue and each CPU handled meanwhile");
    row("notes", placement.notes, "warnings, such as of queues without packets");
    row.list("topology", placement.places, "where each CPU is");
}

void fields(Fields &row, TesterSetup &setup)
{
    row.shared("setup",
               "the Tester's set-up; a Tester that differs in any of these is another Tester");
    row("version", setup.version, "the version of dnsgauge");
    row("kernel", setup.kernel, "name and version of the kernel");
    row("host", setup.host, "the machine's name");
    row("cpu_model", setup.cpu_model, "the model of the CPU, as the kernel names it");
    row("cpus", setup.cpus, "the number of the machine's CPUs");
    row("interface", setup.interface, "the interface that sends");
    row("driver", setup.driver, "the driver of the interface");
    row("mtu", setup.mtu, "the MTU of the interface, octets");
    row("link_mbps", setup.link_mbps, "the link's rate, megabits per second; null: not known",
        {.is_null = setup.link_mbps == 0, .least = 1});
    row("receive_queues", setup.receive_queues, "the number of the interface's receive queues");
    row("transmit_queues", setup.transmit_queues, "the number of the interface's transmit queues");
    row("sender_cpus", setup.sender_cpus,
        "the CPUs that send; in a journal only those that --cpus names, because the machine "
        "chooses anew when somebody goes on with the journal");
    if (row.describes())
        describe_options(row);
    else if (row.reads())
        setup.options = options_of(row.json());
    for (const auto &[key, value] : setup.options)
        row.apart(key.c_str(), json_of(value), {}, "");
    unsigned version = setup.is_ipv6 ? 6 : 4;
    row("ip_version", version, "the IP version of the queries", {.least = 4, .most = 6});
    setup.is_ipv6 = version == 6;
    row.list("other_testers", setup.others,
             "where several Testers make the trials together (dnsgauge-mpi), the set-ups of all "
             "Testers but rank 0, ascending by rank; a journal has none, because others may "
             "go on with it",
             {.presence = Presence::sometimes, .least = 1});
}

} // namespace dnsgauge
