// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/trial_options.h"

#include "cli/dut.h"
#include "common/decimal_option.h"
#include "common/pref64_text.h"
#include "common/setup_error.h"
#include "common/standard_output.h"
#include "trial/compliance.h"
#include "units/quantity_text.h"

#include "wire/dns.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <map>

namespace dnsgauge
{

namespace
{

constexpr double timeout_most = 60; // an RTT has 36 bits of nanoseconds

const std::map<std::string, std::uint16_t> qtypes{{"A", DNS_TYPE_A}, {"AAAA", DNS_TYPE_AAAA}};
const std::map<std::string, XdpMode> xdp_modes{
    {"auto", XdpMode::automatic}, {"native", XdpMode::native}, {"generic", XdpMode::generic}};
const std::map<std::string, CopyMode> copy_modes{
    {"auto", CopyMode::automatic}, {"copy", CopyMode::copy}, {"zero-copy", CopyMode::zero_copy}};
const std::map<std::string, IdleCpus> idle_cpus_modes{{"poll", IdleCpus::poll},
                                                      {"sleep", IdleCpus::sleep}};
const std::map<std::string, StampMode> stamp_modes{{"auto", StampMode::automatic},
                                                   {"off", StampMode::off},
                                                   {"on", StampMode::on},
                                                   {"any", StampMode::any}};

// FakeDNS' AAAA records and synthesized ones must be told apart, by a prefix that may hold any
// address.
const std::map<Dut, std::string> answer_prefixes{{Dut::authoritative, "2001:db8::/96"},
                                                 {Dut::dns64, "2001:db8:64::/96"}};

void add_what_is_asked(CLI::App &app, TrialOptions &options)
{
    app.add_option("--names", options.names,
                   "Names to ask for: an IPv4 prefix, 10.0.0.0/8 is 010-000-000-000 to "
                   "010-255-255-255")
        ->required()
        ->type_name("CIDR");
    app.add_option("--qtype", options.qtype, "Type to ask for: A or AAAA")
        ->check(CLI::IsMember(qtypes))
        ->type_name("TYPE")
        ->capture_default_str();
    app.add_option("--answer", options.answer,
                   "'any': a record of the type is enough, whatever its data")
        ->check(CLI::IsMember({"any"}));
    app.add_option("--accept", options.accept,
                   "Percent of the queries that must be answered right in time; less than 100 is "
                   "not compliant with RFC 8219")
        ->check(CLI::Range(0.0, 100.0))
        ->capture_default_str();
    app.add_flag("--allow-repeats", options.allow_repeats,
                 "Begin again when all names have been asked for");
    app.add_flag("--recursion-desired", options.recursion_desired, "Set RD in the queries");
    app.add_option("--edns-size", options.edns_size,
                   "Add an OPT record that offers this UDP size, octets");
    app.add_flag("--dnssec-ok", options.dnssec_ok, "Set DO in the OPT record (needs --edns-size)");
}

void add_dut_options(CLI::App &app, TrialOptions &options)
{
    app.add_option("--dut", options.dut,
                   "What the server is: authoritative, or dns64, which is asked with RD set")
        ->check(CLI::IsMember(duts))
        ->type_name("KIND")
        ->capture_default_str();
    app.add_option(
           "--aaaa-share", options.aaaa_share,
           "dns64: percent of the names with an AAAA record of their own, as AuthDNS has it "
           "(fakedns --aaaa-share)")
        ->check(decimal())
        ->check(CLI::Range(0, 100))
        ->type_name("PERCENT")
        ->capture_default_str();
    app.add_option("--aaaa-prefix", options.aaaa_prefix,
                   "dns64: prefix of those records' data (fakedns --aaaa-prefix)")
        ->type_name("PREFIX")
        ->capture_default_str();
    app.add_option(
           "--cached-share", options.cached_share,
           "dns64: percent of the queries that ask for one name, the first of --names, which "
           "is asked for before the trial")
        ->check(decimal())
        ->check(CLI::Range(0, 100))
        ->type_name("PERCENT")
        ->capture_default_str();
}

void add_how_it_is_sent(CLI::App &app, TrialOptions &options)
{
    app.add_option("--port", options.port, "UDP port of the server")
        ->check(CLI::Range(1, 65535))
        ->capture_default_str();
    app.add_option("--server-mac", options.server_mac,
                   "Next hop's MAC address, instead of the kernel's tables");
    app.add_option("--source", options.source, "Source address, instead of the kernel's choice");
    app.add_option("--vlan", options.vlan, "802.1Q identifier to tag queries with")
        ->check(CLI::Range(1, 4094));
    app.add_option("--source-ports", options.source_ports, "Source ports of each sender")
        ->check(CLI::Range(1, 65535))
        ->capture_default_str();
    app.add_option("--first-source-port", options.first_source_port, "The first of them")
        ->check(CLI::Range(1, 65535))
        ->capture_default_str();
    app.add_option("--cpus", options.cpus,
                   "CPUs to send on, one sender and one transmit queue each: 0,2-4 (default: one "
                   "sender on the first CPU allowed)")
        ->type_name("LIST");
    app.add_option("--max-lateness", options.max_lateness,
                   "Seconds any query may be late before the trial is invalid; more than the "
                   "default is not compliant with RFC 8219")
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option(
           "--max-overrun", options.max_overrun,
           "Seconds the last query may be late (or 0.001 % of the duration, if that is more) "
           "before the trial is invalid; of trials of 60 s or more it is 0.001 % unless this is "
           "above its default; more than that is not compliant with RFC 8219")
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("--xdp-mode", options.xdp_mode, "auto, native or generic")
        ->check(CLI::IsMember(xdp_modes))
        ->type_name("MODE")
        ->capture_default_str();
    app.add_flag("--busy-poll", options.busy_poll,
                 "Senders poll the driver as well: for zero-copy drivers, see bpf/xsk/README.md");
    app.add_option("--idle-cpus", options.idle_cpus,
                   "What CPUs do that have nothing to do: poll, so that none must be woken up "
                   "(needs root), or sleep, as the machine is set")
        ->check(CLI::IsMember(idle_cpus_modes))
        ->type_name("MODE")
        ->capture_default_str();
    app.add_option("--hardware-timestamps", options.stamps,
                   "RTTs by the card's clock as well: auto (where it stamps both ways), on (or "
                   "fail), off, or any: take what stamps there are and say which")
        ->check(CLI::IsMember(stamp_modes))
        ->type_name("MODE")
        ->capture_default_str();
    app.add_option("--af-xdp", options.copy_mode, "auto, copy or zero-copy")
        ->check(CLI::IsMember(copy_modes))
        ->type_name("MODE")
        ->capture_default_str();
}

double checked_accept(double percent)
{
    // A range check lets "nan" through.
    if (!std::isfinite(percent))
        throw SetupError("--accept must be a percentage, 0 to 100");
    const double steps = percent * static_cast<double>(accept_steps_per_percent);
    // What a double holds of such numbers is right to far less than this.
    if (std::abs(steps - std::round(steps)) > 1e-3)
        throw SetupError(
            fmt::format("--accept {}: give at most six digits behind the point", percent));
    return percent;
}

void set_dns64(TrialPlan &plan, const TrialOptions &options)
{
    if (plan.dut != Dut::dns64 && (options.aaaa_share != 0 || options.cached_share != 0))
        throw SetupError("--aaaa-share and --cached-share are of trials of a DNS64 server: give "
                         "--dut dns64, or leave them out");
    if (plan.dut == Dut::dns64 && plan.qtype != DNS_TYPE_AAAA)
        throw SetupError("--qtype A: a DNS64 server is asked for AAAA records, which it "
                         "synthesizes: leave --qtype out, or give --dut authoritative");
    plan.aaaa_share = options.aaaa_share;
    plan.aaaa_prefix = parse_pref64(options.aaaa_prefix);
    plan.cached = {options.cached_share};
}

bool is_well_known(const pref64 &prefix)
{
    return to_string(prefix) == "64:ff9b::/96";
}

} // namespace

void add_tester_options(CLI::App &app, TrialOptions &options)
{
    app.add_option("--interface", options.interface, "Interface to send from")->required();
    app.add_option("--server", options.server, "Address of the server")->required();
    app.add_option("--duration", options.duration, "Seconds to send for")
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("--timeout", options.timeout,
                   "Seconds a reply may take (default: 0.25, with --dut dns64 1)")
        ->type_name("SECONDS");
    app.add_option("--zone", options.zone, "Zone the names are in")->capture_default_str();
    app.add_option(
           "--answer-prefix", options.answer_prefix,
           "Right AAAA data: this prefix (RFC 6052) and the address in the name; of a DNS64 "
           "server its Pref64 (default: 2001:db8::/96, with --dut dns64 2001:db8:64::/96)")
        ->type_name("PREFIX");
    add_how_it_is_sent(app, options);
    app.add_option("--json", options.json, "Write the result to this file")->type_name("FILE");
    app.add_flag("--verbose", options.verbose, "Show libbpf's messages");
}

void add_trial_options(CLI::App &app, TrialOptions &options)
{
    add_tester_options(app, options);
    add_what_is_asked(app, options);
    add_dut_options(app, options);
}

TrialPlan make_plan(const TrialOptions &options)
{
    TrialPlan plan;
    plan.interface = options.interface;
    plan.server = parse_ip_address(options.server);
    plan.server_port = options.port;
    if (options.server_mac)
        plan.server_mac = parse_mac_address(*options.server_mac);
    if (options.source)
        plan.source = parse_ip_address(*options.source);
    if (plan.source && plan.source->is_ipv6 != plan.server.is_ipv6)
        throw SetupError("--source and --server must be of one family, IPv4 or IPv6");
    plan.vlan = options.vlan;
    plan.zone = parse_zone_name(options.zone);
    plan.names = parse_name_range(options.names);
    plan.allow_repeats = options.allow_repeats;
    plan.qtype = qtypes.at(options.qtype);
    plan.dut = duts.at(options.dut);
    plan.answer_prefix = parse_pref64(options.answer_prefix.value_or(answer_prefixes.at(plan.dut)));
    set_dns64(plan, options);
    plan.any_answer = options.answer == "any";
    plan.recursion_desired = options.recursion_desired || plan.dut == Dut::dns64;
    plan.edns_size = options.edns_size;
    plan.dnssec_ok = options.dnssec_ok;
    if (options.dnssec_ok && !options.edns_size)
        throw SetupError("--dnssec-ok needs --edns-size: DO is a bit of the OPT record");
    plan.duration = parse_seconds(options.duration, "--duration", duration_most);
    plan.timeout = parse_seconds(options.timeout.value_or(dut_timeouts.at(plan.dut)), "--timeout",
                                 timeout_most);
    plan.accept_percent = checked_accept(options.accept);
    plan.tolerances.lateness = parse_seconds(options.max_lateness, "--max-lateness", duration_most);
    plan.tolerances.overrun_least =
        parse_seconds(options.max_overrun, "--max-overrun", duration_most);
    plan.source_ports = options.source_ports;
    plan.first_source_port = options.first_source_port;
    if (options.cpus)
        plan.cpus = parse_cpus(*options.cpus, "--cpus");
    plan.xdp_mode = xdp_modes.at(options.xdp_mode);
    plan.stamps = stamp_modes.at(options.stamps);
    plan.idle_cpus = idle_cpus_modes.at(options.idle_cpus);
    plan.tx.busy_poll = options.busy_poll;
    plan.tx.copy_mode = copy_modes.at(options.copy_mode);
    return plan;
}

std::vector<std::string> notes_on(const TrialPlan &plan)
{
    std::vector<std::string> notes;
    if (plan.timeout > timeout_recommended)
        notes.push_back(fmt::format("RFC 8219 section 9.2 wants a timeout of at most {:g} s",
                                    seconds(timeout_recommended)));
    if (plan.dut != Dut::dns64)
        return notes;
    if (is_well_known(plan.answer_prefix))
        notes.emplace_back(
            "a DNS64 server must not put non-global addresses (10.0.0.0/8, 198.18.0.0/15, ...) "
            "into the well-known prefix (RFC 6052 section 3.1): names that stand for such "
            "addresses may not be answered; use a prefix of your own");
    if (!plan.server.is_ipv6)
        notes.emplace_back("RFC 8219 section 9.2 wants IPv6 towards a DNS64 server");
    return notes;
}

void print_notes(const std::vector<std::string> &notes)
{
    for (const std::string &note : notes)
        say("dnsgauge: note: {}\n", note);
}

} // namespace dnsgauge
