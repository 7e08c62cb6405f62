// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Completes plans, and finds contradictions in them, and what RFCs advise against.
#include "dns/pref64_text.h"
#include "options/option_error.h"
#include "streams/stream_engine.h"
#include "trial/compliance.h"
#include "trial/testers.h"
#include "trial/trial_options.h"

#include "wire/dns.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace dnsgauge
{

namespace
{

// Returns the default prefix. With it FakeDNS' own AAAA records differ from those that a DNS64
// server synthesizes, and it may hold any address.
const char *usual_answer_prefix(Dut dut)
{
    return dut == Dut::dns64 ? "2001:db8:64::/96" : "2001:db8::/96";
}

bool is_well_known(const pref64 &prefix)
{
    return to_string(prefix) == "64:ff9b::/96";
}

void check_messages(const MessageWish &wish, const QueryHeader &header)
{
    if (wish.edns.client_subnet)
        throw OptionError({"edns-options", "capture"},
                          "--edns-options: subnet=client is the subnet of a capture's client: give "
                          "--capture, or subnet=PREFIX");
    if (header.dnssec_ok && !header.edns_size && wish.edns.empty())
        throw OptionError({"dnssec-ok", "edns-size"},
                          "--dnssec-ok needs --edns-size: DO is a bit of the OPT record");
}

void check_no_dns64(const TrialPlan &plan, const char *option)
{
    if (plan.dut == Dut::dns64)
        throw OptionError({"dut", option},
                          "--dut dns64: the answers of a DNS64 server are right or "
                          "wrong for names of the test zone alone: leave --dut out, or "
                          "give --names instead of --{}",
                          option);
}

void check(const NamesWorkload &names, const TrialPlan &plan)
{
    check_messages({}, names);
    if (plan.dut != Dut::dns64 && (names.aaaa_share || names.cached.percent != 0))
        throw OptionError(
            {names.aaaa_share ? "aaaa-share" : "cached-share", "aaaa-share", "cached-share", "dut"},
            "--aaaa-share and --cached-share belong to trials of a DNS64 server, "
            "--aaaa-share also to a mix (--types, --do, --nxdomain): give --dut "
            "dns64, or leave them out");
    if (plan.dut == Dut::dns64 && names.qtype != DNS_TYPE_AAAA)
        throw OptionError({"qtype", "dut"},
                          "--qtype A: a DNS64 server is asked for AAAA records, which it "
                          "synthesizes: leave --qtype out, or give --dut authoritative");
}

void check(const MixWorkload &mix, const TrialPlan &plan)
{
    if (mix.is_signed && mix.with_do == 0)
        throw OptionError({"signed", "do"},
                          "--signed: only answers to queries with DO have signatures: give --do");
    if (plan.dut == Dut::dns64)
        throw OptionError({"dut", "types", "do", "nxdomain"},
                          "--dut dns64: the answers of a DNS64 server are right or wrong for AAAA "
                          "queries of names that exist: leave --types, --do and --nxdomain out");
    check_messages(mix, mix);
}

void check(const ListWorkload &list, const TrialPlan &plan)
{
    check_no_dns64(plan, "queries");
    check_messages(list, list);
    if (list.expect == Expect::captured)
        throw OptionError({"capture", "expect"},
                          "--expect captured: only a capture has answers: give --capture, or "
                          "--expect answered or useful");
}

void check(const HandshakesWorkload & /*none*/, const TrialPlan &plan)
{
    check_no_dns64(plan, "handshakes");
}

void check(const CaptureWorkload &capture, const TrialPlan &plan)
{
    constexpr unsigned network_bits = 64; // of an IPv6 prefix: the kernel hashes the rest
    check_no_dns64(plan, "capture");
    const std::size_t played =
        capture.load_factor == 0 ? capture.files.size() : capture.load_factor;
    const std::size_t slices = std::max<std::size_t>(capture.slices, played);
    if (capture.slices != 0 && capture.slices < played)
        throw OptionError({"slices", "load-factor"},
                          "--slices {}: {} are played: give at least that many", capture.slices,
                          played);
    if (capture.first_slice >= slices)
        throw OptionError({"first-slice", "slices"},
                          "--first-slice {}: there are the slices 0 to {}", capture.first_slice,
                          slices - 1);
    if (capture.clients && capture.clients->first.is_ipv6 != plan.server.is_ipv6)
        throw OptionError({"clients", "server"},
                          "--clients and --server must be of one family, IPv4 or IPv6");
    if (capture.clients && capture.clients->first.is_ipv6 && capture.clients->length < network_bits)
        throw OptionError({"clients"}, "--clients: an IPv6 prefix has a length of 64 or more");
}

void check_keepalive(const TrialPlan &plan)
{
    if (asks_keepalive(plan) && plan.transport != Transport::tcp &&
        plan.transport != Transport::dot)
        throw OptionError({"edns-options", "transport"},
                          "--edns-options keepalive belongs to TCP (RFC 7828): give --transport "
                          "tcp or dot, or leave keepalive out");
}

void check_transport(const TrialPlan &plan)
{
    if (plan.transport != Transport::capture)
        return;
    if (part_of<CaptureWorkload>(plan.workload) == nullptr)
        throw OptionError({"transport", "capture"},
                          "--transport capture: only captures say what carried their queries: give "
                          "--capture, or another transport");
    if (plan.testers)
        throw OptionError({"transport"},
                          "--transport capture belongs to one Tester: give udp or tcp");
    if (plan.per_query_file)
        throw OptionError({"transport", "per-query"},
                          "--per-query is for one transport: give --transport udp or tcp, or leave "
                          "--per-query out");
}

void check_pace(const TrialPlan &plan)
{
    const bool is_original = pace_of(plan).kind == Pace::Kind::original;
    const bool is_played = part_of<CaptureWorkload>(plan.workload) != nullptr;
    if (is_original && !is_played)
        throw OptionError({"pace", "capture"},
                          "--pace original: only the queries of captures have times of their own: "
                          "give --capture, or another pace");
    if (!is_original && is_played)
        throw OptionError({"pace", "capture"},
                          "--pace {}: the queries of captures leave at their own times: leave "
                          "--pace out, or give --queries a file that \"dnsgauge-queries convert "
                          "--to binary\" made, without times",
                          to_string(*plan.pace));
}

void check_window(const TrialPlan &plan)
{
    if (has_handshakes_alone(plan))
        throw OptionError({"pace", "handshakes"},
                          "--pace window keeps queries open: give another pace, or leave "
                          "--handshakes out");
    // A highest rate bounds the number of connections that end.
    if (!plan.pace->most && (plan.queries_per_connection != 0 || asks_keepalive(plan)))
        throw OptionError({"pace", "queries-per-connection", "edns-options"},
                          "--pace window={} with connections that end needs a highest rate: write "
                          "--pace window={},rate=R",
                          plan.pace->window, plan.pace->window);
    if (plan.dut == Dut::dns64)
        throw OptionError({"pace", "dut"},
                          "--pace window: a self-test covers a DNS64 server's trial at one rate: "
                          "leave one of --pace and --dut out");
    if (plan.catch_up)
        throw OptionError({"catch-up", "pace"},
                          "--catch-up: a window has no overdue queries: leave --catch-up out");
}

constexpr std::int64_t intervals_most = 10'000; // each takes a sender some 30 KiB

void check_intervals(const TrialPlan &plan)
{
    const Nanoseconds interval = plan.interval.value_or(Nanoseconds{});
    if (interval == Nanoseconds{}) {
        if (plan.since != Nanoseconds{})
            throw OptionError({"since", "interval"},
                              "--since counts whole intervals: give --interval more than 0");
        return;
    }
    if (plan.duration / interval > intervals_most)
        throw OptionError({"interval", "duration"},
                          "--interval {:g} cuts {:g} s into more than {} intervals: "
                          "give a longer one",
                          seconds(interval), seconds(plan.duration), intervals_most);
    if (plan.since % interval != Nanoseconds{})
        throw OptionError({"since", "interval"}, "--since {:g} is no multiple of --interval {:g}",
                          seconds(plan.since), seconds(interval));
    if (plan.since >= plan.duration)
        throw OptionError({"since", "duration"},
                          "--since {:g} is not before the end of sending, --duration "
                          "{:g}",
                          seconds(plan.since), seconds(plan.duration));
}

// Throws OptionError if several Testers cannot make the trial together.
void check_joint(const TrialPlan &plan)
{
    for (const QueryFile &file : files_of(plan.workload))
        if (file.path == "-")
            throw OptionError({file.option + 2},
                              "{} -: there is one standard input, and several Testers: "
                              "write the file on each host",
                              file.option);
}

} // namespace

Nanoseconds usual_timeout(Dut dut)
{
    return std::chrono::milliseconds(dut == Dut::dns64 ? 1000 : 250);
}

Nanoseconds usual_interval(Nanoseconds duration, const Pace &pace)
{
    using std::chrono::seconds;
    constexpr std::int64_t usual_most = 600;
    constexpr std::int64_t of_ramp = 100;
    if (pace.kind == Pace::Kind::ramp)
        return std::max(duration / of_ramp, Nanoseconds(1));
    return std::max(seconds(1), std::chrono::ceil<seconds>(duration / usual_most));
}

Rate checked_rate(const std::optional<Rate> &given, const TrialPlan &plan)
{
    const Pace pace = pace_of(plan);
    const bool has_rates = pace.has_rates() || pace.kind == Pace::Kind::window;
    if (!given && part_of<CaptureWorkload>(plan.workload) == nullptr && !has_rates)
        throw OptionError({"rate"}, "--rate is required: only --pace steps and --pace ramp have "
                                    "rates of their own");
    if (given && pace.kind == Pace::Kind::window)
        throw OptionError({"rate", "pace"},
                          "--pace window sends as fast as answers come: leave "
                          "--rate out, or write --pace window={},rate={}",
                          pace.window, given->per_second);
    if (given && has_rates)
        throw OptionError({"rate", "pace"}, "--pace {} has rates of its own: leave --rate out",
                          to_string(pace));
    return given.value_or(Rate{});
}

void complete(TrialPlan &plan)
{
    check_pace(plan);
    check_keepalive(plan);
    check_transport(plan);
    std::visit([&plan](const auto &workload) { check(workload, plan); }, plan.workload);
    if (plan.testers)
        check_joint(plan);
    check_intervals(plan);
    if (pace_of(plan).kind == Pace::Kind::ramp && plan.interval == Nanoseconds{})
        throw OptionError({"interval", "pace"},
                          "--pace ramp: intervals tell where the server left the line: give "
                          "--interval more than 0");
    if (pace_of(plan).has_rates() && plan.dut == Dut::dns64)
        throw OptionError(
            {"pace", "dut"},
            "--pace steps and ramp: a self-test covers a DNS64 server's trial at one rate: "
            "leave one of --pace and --dut out");
    if (pace_of(plan).kind == Pace::Kind::window) {
        check_window(plan);
        plan.rate = SchedulePlan::highest_of(*plan.pace);
    }
    if (pace_of(plan).has_rates())
        plan.rate = SchedulePlan::of_rates(*plan.pace, plan.duration).rate;
    if (plan.source && plan.source->is_ipv6 != plan.server.is_ipv6)
        throw OptionError({"source", "server"},
                          "--source and --server must be of one family, IPv4 or IPv6");
    if (plan.transport == Transport::doq && !speaks_quic())
        throw OptionError({"transport"},
                          "--transport doq: this dnsgauge was built without QUIC: build it with "
                          "libngtcp2 1.11 or newer, which Debian 13 has, or give --transport dot");
    fill_in(plan);
    if (plan.testers)
        plan.testers->check_others(plan);
}

void fill_in(TrialPlan &plan)
{
    if (plan.has_usual_port &&
        (plan.transport == Transport::dot || plan.transport == Transport::doq))
        plan.server_port = dot_port;
    if (plan.has_usual_port && plan.transport == Transport::doh)
        plan.server_port = doh_port;
    if (plan.timeout == Nanoseconds{})
        plan.timeout = usual_timeout(plan.dut);
    if (plan.answer_prefix.length == 0)
        plan.answer_prefix = parse_pref64(usual_answer_prefix(plan.dut));
    if (auto *header = part_of<QueryHeader>(plan.workload); header && plan.dut == Dut::dns64)
        header->recursion_desired = true;
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

} // namespace dnsgauge
