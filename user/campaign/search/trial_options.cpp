// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search/trial_options.h"

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

namespace
{

constexpr double timeout_most = 60; // an RTT has 36 bits of nanoseconds

// FakeDNS' AAAA records and synthesized ones must be told apart, by a prefix that may hold any
// address.
const std::map<Dut, std::string> answer_prefixes{{Dut::authoritative, "2001:db8::/96"},
                                                 {Dut::dns64, "2001:db8:64::/96"}};

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
