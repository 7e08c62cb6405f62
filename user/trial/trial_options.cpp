// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/trial_options.h"

#include "engine/catch_up.h"
#include "options/dns_access.h"
#include "options/option_error.h"
#include "result/labels.h"
#include "streams/stream_engine.h"
#include "trial/compliance.h"
#include "trial/testers.h"
#include "units/quantity_access.h"
#include "userland/listed.h"
#include "userland/pref64_text.h"
#include "userland/query_mix.h"
#include "userland/query_type.h"
#include "userland/setup_error.h"
#include "xdp/xdp_options.h"

#include "wire/dns.h"
#include "wire/judge_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>

namespace dnsgauge
{

namespace
{

// A port of the Tester's for each, of one address to one server.
constexpr std::uint64_t connections_most = 60'000;

constexpr auto qtypes = words<std::uint16_t>({{DNS_TYPE_A, "A"}, {DNS_TYPE_AAAA, "AAAA"}});
constexpr auto idle_cpus_modes =
    words<IdleCpus>({{IdleCpus::poll, "poll"}, {IdleCpus::sleep, "sleep"}});
constexpr auto answers = words<bool>({{false, ""}, {true, "any"}});

constexpr OptionChoice over_udp{.option = "transport", .text = "udp", .other_texts = {"capture"}};
constexpr OptionChoice over_connections{
    .option = "transport", .text = "tcp", .other_texts = {"dot", "doh", "doq", "capture"}};
constexpr OptionChoice over_tcp{
    .option = "transport", .text = "tcp", .other_texts = {"dot", "doh", "capture"}};
constexpr OptionChoice over_tcp_or_tls{
    .option = "transport", .text = "tcp", .other_texts = {"dot"}};
constexpr OptionChoice over_tls{
    .option = "transport", .text = "dot", .other_texts = {"doh", "doq"}};
constexpr OptionChoice over_http{.option = "transport", .text = "doh"};

// Says that the value belongs to the sources whose workloads have the part.
template <class Part>
OptionAccess beside(OptionAccess access)
{
    if constexpr (std::derived_from<NamesWorkload, Part>)
        access.sources.emplace_back("names");
    if constexpr (std::derived_from<MixWorkload, Part>)
        access.sources.emplace_back("a mix");
    if constexpr (std::derived_from<ListWorkload, Part>)
        access.sources.emplace_back("a list");
    if constexpr (std::derived_from<CaptureWorkload, Part>)
        access.sources.emplace_back("a capture");
    if constexpr (std::derived_from<HandshakesWorkload, Part>)
        access.sources.emplace_back("handshakes alone");
    return access;
}

// Returns access to what `access_to` finds in a part of the workload. The workload changes into one
// that has the part if it gets another value than the default.
template <class Part>
OptionAccess of_part(Workload &workload, const std::function<OptionAccess(Part &part)> &access_to)
{
    Part usual;
    OptionAccess access = beside<Part>(access_to(usual));
    access.get = [&workload, access_to] {
        Part none;
        Part *part = part_of<Part>(workload);
        return access_to(part == nullptr ? none : *part).get();
    };
    access.set = [&workload, access_to](const std::string &text, const std::string &name) {
        if (Part *part = part_of<Part>(workload))
            return access_to(*part).set(text, name);
        Part values;
        const OptionAccess given = access_to(values);
        const OptionValue before = given.get();
        given.set(text, name);
        if (given.get() != before)
            access_to(give_part<Part>(workload)).set(text, name);
    };
    return access;
}

// Returns access to a member of a part. `access_to` makes the access to a value.
template <class Part, class Value, class Access>
OptionAccess of(Workload &workload, Value Part::*member, Access access_to)
{
    return of_part<Part>(workload, [=](Part &part) { return access_to(part.*member); });
}

// Each returns a function that makes access to a value, for of().
auto whole_of(std::uint64_t least, std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
{
    return [=](auto &value) { return whole(value, least, most); };
}
template <class All>
auto word_of(const All &all)
{
    return [&all](auto &value) { return word(value, all); };
}
template <class Read>
auto read_by(Read read)
{
    return [=](auto &value) { return parsed(value, read); };
}

// Returns access to a percentage, which may have as many digits as verdicts count with.
OptionAccess percentage(double &percent)
{
    OptionAccess access = number(percent, 0, 100);
    access.set = [&percent, set = access.set](const std::string &text, const std::string &name) {
        set(text, name);
        const double steps = percent * static_cast<double>(accept_steps_per_percent);
        // A double holds such numbers with a far smaller error than this.
        if (std::abs(steps - std::round(steps)) > 1e-3)
            throw SetupError("{} {}: give at most six digits behind the point", name, percent);
    };
    return access;
}

// Returns the default prefix. It must tell FakeDNS' AAAA records from a DNS64 server's synthesized
// ones, and may hold any address.
const char *usual_answer_prefix(Dut dut)
{
    return dut == Dut::dns64 ? "2001:db8:64::/96" : "2001:db8::/96";
}

std::string rule_names()
{
    return all_words(judge_rules);
}

OptionAccess process(std::optional<std::string> &value)
{
    OptionAccess access = text(value);
    access.set = [&value](const std::string &text, const std::string &name) {
        if (text.empty())
            throw SetupError(name + ": give the ID or the name of a process");
        value = text;
    };
    return access;
}

OptionAccess accepted_rules(std::uint32_t &accepts)
{
    return {.set =
                [&accepts](const std::string &text, const std::string &name) {
                    std::uint32_t given = 0;
                    for (const std::string_view word : split(text)) {
                        const std::optional<std::uint32_t> rule = judge_rules.value_of(word);
                        if (!rule)
                            throw SetupError("{} {}: the judge's rules are {}", name, word,
                                             rule_names());
                        given |= *rule;
                    }
                    accepts = given;
                },
            .get = [&accepts]() -> OptionValue {
                const std::string text = joined(
                    judge_rules,
                    [&accepts](const auto &rule) -> std::string {
                        return (accepts & rule.value) != 0 ? rule.text : "";
                    },
                    ",");
                return text.empty() ? OptionValue() : OptionValue(text);
            }};
}

// Returns access to a text. The value is missing if the text is empty.
OptionAccess text_or_none(std::string &value)
{
    OptionAccess access = text(value);
    access.get = [&value] { return value.empty() ? OptionValue() : OptionValue(value); };
    return access;
}

OptionAccess server_port(TrialPlan &plan)
{
    OptionAccess access = whole(plan.server_port, 1);
    access.set = [&plan, set = access.set](const std::string &text, const std::string &name) {
        set(text, name);
        plan.has_usual_port = false;
    };
    return access;
}

Options server_options(TrialPlan &plan)
{
    return {
        Option("interface", OptionGroup::what_is_tested, "IF", "Interface to send queries from",
               text(plan.interface), {.is_required = true}),
        Option("server", OptionGroup::what_is_tested, "ADDRESS", "Address of the server",
               parsed(plan.server, parse_ip_address), {.is_required = true}),
        Option("port", OptionGroup::what_is_tested, "PORT", "Port of the server", server_port(plan),
               {.usual = "53, with --transport dot or doq 853, doh 443"}),
        {"duration", OptionGroup::queries, "SECONDS", "Seconds for which queries are sent",
         time(plan.duration, duration_most)},
        Option("timeout", OptionGroup::judgement, "SECONDS",
               "Seconds that a reply may take; a later reply is late",
               time(plan.timeout, timeout_most), {.usual = "0.25, with --dut dns64 1"}),
        {"zone", OptionGroup::queries, "NAME", "Zone that the names are in",
         of(plan.workload, &ZoneNames::zone, zone)},
        Option("answer-prefix", OptionGroup::judgement, "PREFIX",
               "Prefix of right AAAA data, which embed the address in the name (RFC 6052); with "
               "--dut dns64 the server's Pref64",
               beside<ZoneNames>(prefix(plan.answer_prefix)),
               {.usual = "2001:db8::/96, with --dut dns64 2001:db8:64::/96"}),
    };
}

Options packet_options(TrialPlan &plan)
{
    return {
        Option("source-ports", OptionGroup::sending, "COUNT", "Source ports of each sender",
               whole(plan.source_ports, 1, 65535),
               {.only_with = over_udp, .setup_key = "source_ports"}),
        Option("first-source-port", OptionGroup::sending, "PORT",
               "First source port of the first sender; the others follow",
               whole(plan.first_source_port, 1), {.only_with = over_udp}),
        Option("server-mac", OptionGroup::sending, "MAC",
               "Next hop's MAC address, in place of the one in the kernel's tables",
               parsed(plan.server_mac, parse_mac_address), {.only_with = over_udp}),
        {"source", OptionGroup::sending, "ADDRESS",
         "Source address, in place of the kernel's choice", parsed(plan.source, parse_ip_address)},
        Option("vlan", OptionGroup::sending, "ID", "802.1Q identifier to tag queries with",
               whole(plan.vlan, 1, 4094), {.only_with = over_udp, .setup_key = "vlan"}),
    };
}

// Returns access to --connections. The value is missing if each client has a connection.
OptionAccess connections_at_once(TrialPlan &plan)
{
    OptionAccess access = whole(plan.connections, 1, connections_most);
    access.get = [&plan] {
        const std::uint64_t count = shared_connections(plan);
        return count == 0 ? OptionValue() : OptionValue(count);
    };
    return access;
}

std::string parse_url_path(const std::string &text)
{
    const auto is_right = [](char letter) {
        return letter > ' ' && letter <= '~' && letter != '#';
    };
    if (!text.starts_with('/') || !std::ranges::all_of(text, is_right))
        throw SetupError("\"{}\" is no path: write it like /dns-query", text);
    return text;
}

OptionAccess url_path(std::string &path)
{
    OptionAccess access = text(path);
    access.set = [&path](const std::string &text, const std::string &name) {
        path = read_as(name, text, parse_url_path);
    };
    return access;
}

Options transport_options(TrialPlan &plan)
{
    static const std::string usual_count =
        fmt::format("{}, with --capture a connection of each client", usual_connections);
    return {
        Option(
            "transport", OptionGroup::sending, "TRANSPORT",
            "What carries queries and replies: udp (by AF_XDP), tcp (by the kernel's sockets), "
            "dot (TLS, RFC 7858), doh (HTTP/2, RFC 8484), doq (QUIC, RFC 9250) or capture (udp or "
            "tcp, as each query was captured); only udp complies with RFC 8219",
            word(plan.transport, transports), {.setup_key = "transport"}),
        Option("connections", OptionGroup::sending, "COUNT",
               "not udp: connections that each sender keeps open at once, which take queries in "
               "turn",
               connections_at_once(plan),
               {.usual = usual_count.c_str(),
                .only_with = over_connections,
                .setup_key = "connections"}),
        Option("queries-per-connection", OptionGroup::sending, "COUNT",
               "not udp: queries after which a connection is closed and another one opened; 0: "
               "connections stay open",
               whole(plan.queries_per_connection, 0),
               {.only_with = over_connections, .setup_key = "queries_per_connection"}),
        Option("pipeline", OptionGroup::sending, "COUNT",
               "not udp: most queries without a reply on a connection (RFC 7766); further ones "
               "wait, and their RTTs go on; 0: no limit",
               whole(plan.pipeline, 0), {.only_with = over_connections, .setup_key = "pipeline"}),
        Option(
            "acks", OptionGroup::sending, "MODE",
            "tcp, dot, doh: acknowledge replies at once (quick), or as the kernel does by itself "
            "(delayed): with the next query, or after 40 ms",
            word(plan.acks, acks_words), {.only_with = over_tcp, .setup_key = "acks"}),
        Option("resumption", OptionGroup::sending, "KIND",
               "dot, doh, doq: kind of TLS handshakes: full, or ticket, which resumes an earlier "
               "session of the same sender if the server agrees",
               word(plan.resumption, resumptions),
               {.only_with = over_tls, .setup_key = "resumption"}),
        Option("tls-name", OptionGroup::sending, "NAME",
               "dot, doh, doq: name of the server, which TLS tells it (SNI)",
               text_or_none(plan.tls_name), {.only_with = over_tls}),
        Option("tls-ca", OptionGroup::sending, "FILE",
               "dot, doh, doq: certificates (PEM) that must vouch for --tls-name",
               text_or_none(plan.tls_ca),
               {.usual = "the server's certificate is not checked",
                .needs = {"tls-name"},
                .only_with = over_tls}),
        Option("key-log", OptionGroup::files, "FILE",
               "dot, doh, doq: append the secrets of TLS to this file, in the format of "
               "SSLKEYLOGFILE, with which Wireshark decodes a capture of the trial",
               text_or_none(plan.key_log), {.only_with = over_tls, .is_in_journal = false}),
        Option("http-method", OptionGroup::sending, "METHOD",
               "doh: put queries into the body (post) or into the URL (get) of requests",
               word(plan.http_method, http_methods), {.only_with = over_http}),
        Option("doh-path", OptionGroup::sending, "PATH",
               "doh: path of the server's DNS service, which begins with /",
               url_path(plan.doh_path), {.only_with = over_http}),
    };
}

Options machine_options(TrialPlan &plan)
{
    return {
        Option(
            "cpus", OptionGroup::tester, "LIST",
            "CPUs to send on, such as 0,2-4: each gets a sender and a transmit queue",
            cpus(plan.cpus),
            {.usual =
                 "one sender, on the CPU that selftest --placements found best, or an idle one"}),
        Option("sender-queues", OptionGroup::tester, "LIST",
               "Transmit queues of the senders, such as 3 or 4-7: one for each CPU of --cpus",
               queues(plan.sender_queues),
               {.usual =
                    "0, 1 and so on; without --cpus the one that selftest --placements found best",
                .only_with = over_udp,
                .setup_key = "sender_queues"}),
        {"max-lateness", OptionGroup::tester, "SECONDS",
         "Seconds that a query may be late: a later one makes the trial invalid; more than the "
         "default is not compliant with RFC 8219",
         time(plan.tolerances.lateness, duration_most)},
        {"max-overrun", OptionGroup::tester, "SECONDS",
         "Seconds that the last query may be late: more makes the trial invalid. 0.001 % of the "
         "duration is allowed if that is more. In trials of 60 s or more the limit is 0.001 %, "
         "unless the option is above its default, which is not compliant with RFC 8219",
         time(plan.tolerances.overrun_least, duration_most)},
        {"max-others", OptionGroup::tester, "PERCENT",
         "Percent of a trial's CPU that other processes may take. If they take more, a failing "
         "trial is invalid, because they may be the reason. 100 allows everything; more than the "
         "default is not compliant with RFC 8219",
         whole(plan.tolerances.others_percent, 0, 100)},
        {"shared-machine", OptionGroup::tester, "",
         "Bear a machine that others use, by larger limits: 0.1 % of the duration for the last "
         "query's lateness (10 ms at least), 5 % of the timeout for any query's, and 25 % of a CPU "
         "for others. The result says what that did. Not compliant with RFC 8219",
         flag(plan.tolerances.shared_machine)},
    };
}

Options idle_options(TrialPlan &plan)
{
    return {Option("idle-cpus", OptionGroup::tester, "MODE",
                   "What idle CPUs do: poll, so that no CPU must be woken up (needs root), or "
                   "sleep as the machine's settings say",
                   word(plan.idle_cpus, idle_cpus_modes), {.setup_key = "idle_cpus"})};
}

// Returns the rows of the engine that sends datagrams.
Options of_datagrams(Options options)
{
    for (Option &option : options)
        option.only_with = over_udp;
    return options;
}

Options query_options(TrialPlan &plan)
{
    return {
        Option("names", OptionGroup::queries, "CIDR",
               "Names to ask for, as an IPv4 prefix: 10.0.0.0/8 means 010-000-000-000 to "
               "010-255-255-255",
               of(plan.workload, &ZoneNames::names, names),
               {.is_required = true,
                .stand_ins = {"queries", "capture", "handshakes"},
                .chooses_source = true}),
        Option("handshakes", OptionGroup::queries, "",
               "tcp, dot: open connections at --rate, in place of queries, and close them again: "
               "what a server bears. Those that open in time are valid, and RTTs are the times of "
               "handshakes",
               of(plan.workload, &HandshakesWorkload::is_wanted, flag),
               {.excludes = {"connections", "queries-per-connection", "pipeline"},
                .only_with = over_tcp_or_tls,
                .chooses_source = true}),
        {"name-order", OptionGroup::queries, "ORDER",
         "Order of the names: ascending, or random. Each trial has another random order, so "
         "that no server can tell the next name",
         of(plan.workload, &ZoneNames::name_order, word_of(name_orders))},
        {"qtype", OptionGroup::queries, "TYPE", "Type to ask for: A or AAAA",
         of(plan.workload, &ZoneNames::qtype, word_of(qtypes))},
        Option("pace", OptionGroup::queries, "PACE",
               "When queries are due: constant; poisson or poisson=SEED, at random times that "
               "average --rate; steps=FROM:TO:STEP, at these rates in place of --rate, each for "
               "an equal part of the duration; ramp=FROM:TO, at a rate that rises evenly in place "
               "of --rate; original, at the times of --capture; window=N: each "
               "sender keeps N queries open, the next leaves when one is answered or times out; "
               "window=N,rate=R: at most R a second",
               parsed(plan.pace, parse_pace), {.usual = "constant, with --capture original"}),
        Option("catch-up", OptionGroup::sending, "FACTOR",
               "Send overdue queries, after a stall of the Tester, at FACTOR times the rate at "
               "most; not compliant with RFC 8219",
               number(plan.catch_up, CatchUp::least, CatchUp::most),
               {.usual = "at once, as fast as the Tester can"}),
        {"answer", OptionGroup::judgement, "any",
         "'any' takes any record of the type for right, whatever its data",
         of(plan.workload, &ZoneNames::any_answer, word_of(answers))},
        Option("accept-answers", OptionGroup::judgement, "RULES",
               "Rules that a right answer may break, told in the result: " + rule_names(),
               accepted_rules(plan.accepts), {.usual = "none"}),
        {"accept", OptionGroup::judgement, "PERCENT",
         "Percent of the queries that must be answered right in time; less than 100 is not "
         "compliant with RFC 8219",
         percentage(plan.accept_percent)},
        {"allow-repeats", OptionGroup::queries, "",
         "Begin again with the first name when all names have been asked for",
         of(plan.workload, &ZoneNames::allow_repeats, flag)},
        {"recursion-desired", OptionGroup::queries, "", "Set RD in the queries",
         of(plan.workload, &QueryHeader::recursion_desired, flag)},
        {"edns-size", OptionGroup::queries, "OCTETS",
         "Add an OPT record that offers this UDP size to each query",
         of(plan.workload, &QueryHeader::edns_size, whole_of(0, 65535))},
        {"dnssec-ok", OptionGroup::queries, "", "Set DO in the OPT record (needs --edns-size)",
         of(plan.workload, &QueryHeader::dnssec_ok, flag)},
    };
}

Options list_options(TrialPlan &plan)
{
    return {
        Option("queries", OptionGroup::queries, "FILE",
               "Ask the queries of this file, over and over, instead of --names. The file has "
               "lines of name, type and flags (as dnsperf, flamethrower and kxdpgun read them), "
               "or messages (as dnsperf -B reads them), or what dnsgauge-queries prepared. It "
               "may be packed with gzip, zstd or xz; - is standard input",
               of(plan.workload, &ListWorkload::file, text_or_none), {.chooses_source = true}),
        {"shuffle", OptionGroup::queries, "SEED",
         "Ask the queries of --queries in an order that follows from this number",
         of(plan.workload, &ListWorkload::shuffle_seed, whole_of(0))},
        {"edns-options", OptionGroup::queries, "LIST",
         "EDNS options of every query of a list, a mix or a capture, with commas between "
         "them: nsid, cookie, cookie=HEX, padding (to 128 octets, RFC 8467), padding=BLOCK, "
         "subnet=PREFIX (RFC 7871), CODE:HEX, and over tcp and dot keepalive, which asks for the "
         "server's idle timeout (RFC 7828). A capture also has subnet=client, each client's own "
         "subnet, or "
         "subnet=client/24/56 with the bits to send",
         of(plan.workload, &MessageWish::edns, read_by(parse_edns_options))},
        Option("expect", OptionGroup::judgement, "WHAT",
               "Replies that are right, for a list or a capture: answered (any RCODE), useful "
               "(NOERROR or NXDOMAIN) or captured (RCODE, number of answers and data as in the "
               "capture). The line of a list's query may say otherwise",
               of(plan.workload, &ReplyWish::expect, word_of(expectations)), {.usual = "useful"}),
        {"mix-case", OptionGroup::queries, "SEED",
         "Mix the case of letters in names of a list or a capture by this number, as "
         "resolvers do to recognize their replies (DNS 0x20)",
         of(plan.workload, &ReplyWish::case_seed, whole_of(0))},
        Option("letter-case", OptionGroup::judgement, "HOW",
               "Letter case of names in right replies: any, or exact, as they were sent: another "
               "case is then a wrong question (DNS 0x20). For a list, a mix or a capture",
               of(plan.workload, &MessageWish::letter_case, word_of(letter_cases)),
               {.usual = "any, with --mix-case exact"}),
    };
}

// Also throws SetupError if a type has no number.
std::vector<TypeShare> read_mix_types(const std::string &text)
{
    std::vector<TypeShare> types = parse_mix_types(text);
    static_cast<void>(numbered(types));
    return types;
}

OptionAccess type_shares(std::vector<TypeShare> &value)
{
    return {
        .set = [&value](const std::string &text,
                        const std::string &name) { value = read_as(name, text, read_mix_types); },
        .get = [&value]() -> OptionValue {
            return value.empty() ? OptionValue() : OptionValue(to_string(value));
        }};
}

Options mix_options(TrialPlan &plan)
{
    return {
        Option(
            "types", OptionGroup::queries, "SHARES",
            "Percent of the queries for each type, exact in every hundred, 100 together: "
            "A=60,AAAA=30,MX=10; names have no other records than A and AAAA",
            of(plan.workload, &MixShares::types, type_shares),
            {.usual = "--qtype alone", .excludes = {"qtype", "dnssec-ok"}, .chooses_source = true}),
        Option("do", OptionGroup::queries, "PERCENT",
               "Percent of the queries with DO in an OPT record, exact in every hundred",
               of(plan.workload, &MixShares::with_do, whole_of(0, 100)),
               {.excludes = {"dnssec-ok"}, .chooses_source = true}),
        Option("nxdomain", OptionGroup::queries, "PERCENT",
               "Percent of the queries for names that do not exist (no-010-000-000-000), exact "
               "in every hundred; the right answer is NXDOMAIN",
               of(plan.workload, &MixShares::nxdomain, whole_of(0, 100)),
               {.excludes = {"dnssec-ok"}, .chooses_source = true}),
        Option("signed", OptionGroup::what_is_tested, "",
               "The zone is signed: each answer to a query with DO (--do) also has one RRSIG "
               "record",
               of(plan.workload, &MixShares::is_signed, flag), {.chooses_source = true}),
    };
}

Options dut_options(TrialPlan &plan)
{
    return {
        Option("server-process", OptionGroup::what_is_tested, "PROCESS",
               "ID or name of the server's processes on this machine. All other processes are "
               "others, whatever CPU they take",
               process(plan.server_process),
               {.usual = "the process with the socket asked, if the link ends on this machine",
                .is_in_journal = false}),
        Option("probe", OptionGroup::what_is_tested, "",
               "Follow queries through the kernel of the server, which is on this machine: stages, "
               "and what became of lost queries",
               flag(plan.probe), {.only_with = over_udp}),
        Option("probe-share", OptionGroup::what_is_tested, "PERCENT",
               "Share of queries that --probe follows, by chance",
               number(plan.probe_percent, 0.001, 100), {.needs = {"probe"}}),
        {"dut", OptionGroup::what_is_tested, "KIND",
         "Kind of the server: authoritative, or dns64, which is asked with RD set",
         word(plan.dut, duts)},
        Option("aaaa-share", OptionGroup::what_is_tested, "PERCENT",
               "Percent of the names with an AAAA record of their own, for dns64 at AuthDNS, or "
               "for a mix (fakedns --aaaa-share)",
               of(plan.workload, &ZoneNames::aaaa_share, whole_of(0, 100)),
               {.usual = "for dns64 0, for a mix 100"}),
        Option("aaaa-prefix", OptionGroup::what_is_tested, "PREFIX",
               "Prefix of the names' own AAAA data, for dns64 (fakedns --aaaa-prefix)",
               of(plan.workload, &NamesWorkload::aaaa_prefix, prefix)),
        Option("cached-share", OptionGroup::queries, "PERCENT",
               "Percent of the queries for the first of --names, for dns64. The Tester also asks "
               "for it before the trial",
               of(plan.workload, &NamesWorkload::cached,
                  [](CachedShare &share) { return whole(share.percent, 0, 100); })),
    };
}

bool is_well_known(const pref64 &prefix)
{
    return to_string(prefix) == "64:ff9b::/96";
}

} // namespace

TrialPlan usual_plan()
{
    TrialPlan plan;
    plan.duration = std::chrono::seconds(60);
    return plan;
}

Options tester_options(TrialPlan &plan)
{
    Options options = server_options(plan);
    append(options, machine_options(plan));
    append(options, of_datagrams(mode_options(plan.engine_options)));
    append(options, idle_options(plan));
    append(options, of_datagrams(stamp_options(plan.engine_options)));
    append(options, packet_options(plan));
    append(options, transport_options(plan));
    return options;
}

Options trial_options(TrialPlan &plan)
{
    Options options = tester_options(plan);
    append(options, query_options(plan));
    append(options, list_options(plan));
    append(options, mix_options(plan));
    append(options, dut_options(plan));
    return options;
}

Options interval_options(TrialPlan &plan)
{
    return {
        Option("interval", OptionGroup::judgement, "SECONDS",
               "Count queries also by intervals of this length, in which they were sent; 0 "
               "counts no intervals",
               time_or_none(plan.interval, duration_most),
               {.usual = "1, but never more than 600 intervals"}),
        {"since", OptionGroup::judgement, "SECONDS",
         "Also count the queries sent from this second on, as one part; a multiple of --interval",
         time_or_none(plan.since, duration_most)},
    };
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

Options replay_options(TrialPlan &plan)
{
    return {
        Option("capture", OptionGroup::queries, "FILE",
               "Send the queries of this capture (pcap, pcapng, or what dnsgauge-queries prepared) "
               "at their times, up to --duration; several captures play at once (repeatable)",
               of(plan.workload, &ReplayWish::files, texts),
               {.is_repeatable = true, .excludes = {"rate"}, .chooses_source = true}),
        {"capture-server", OptionGroup::queries, "ADDRESS",
         "Play only the captures' queries to this server",
         of(plan.workload, &ReplayWish::server, read_by(parse_ip_address))},
        {"capture-port", OptionGroup::queries, "PORT", "Port of the servers in the captures",
         of(plan.workload, &ReplayWish::port, whole_of(1, 65535))},
        Option("clients", OptionGroup::sending, "PREFIX",
               "Give each client of the captures an address of its own in this prefix, which the "
               "server must reach through the Tester",
               of(plan.workload, &ReplayWish::clients, read_by(parse_ip_prefix)),
               {.usual = "all queries leave from one address", .excludes = {"connections"}}),
        Option("idle-timeout", OptionGroup::sending, "SECONDS",
               "not udp: seconds after which a client's connection is closed if the client asks "
               "nothing more. Its next query opens another one. 0=40,10=35,30=25 gives 40 % of the "
               "clients 0 s, 35 % 10 s and 25 % 30 s",
               beside<CaptureWorkload>(parsed(plan.idle_times, parse_idle_times)),
               {.excludes = {"connections"}, .only_with = over_connections}),
        Option("load-factor", OptionGroup::queries, "COUNT",
               "Play so many captures at once. Fewer captures are cut into slices, whose clients "
               "count as different ones",
               of(plan.workload, &ReplayWish::load_factor, whole_of(1, 10'000)),
               {.usual = "one for each --capture"}),
        Option("slices", OptionGroup::queries, "COUNT",
               "Cut the captures into so many slices, and play --load-factor of them",
               of(plan.workload, &ReplayWish::slices, whole_of(1, 10'000)),
               {.usual = "as many as are played"}),
        {"first-slice", OptionGroup::queries, "NUMBER",
         "First of the --slices to play, from 0 on; the first slice follows the last",
         of(plan.workload, &ReplayWish::first_slice, whole_of(0, 9'999))},
        {"speed", OptionGroup::queries, "FACTOR", "Play the captures so many times as fast",
         of(plan.workload, &ReplayWish::speed,
            [](double &speed) { return number(speed, 0.001, 1000); })},
        {"skip", OptionGroup::queries, "SECONDS",
         "Leave out so many seconds at each capture's beginning",
         of(plan.workload, &ReplayWish::skip,
            [](Nanoseconds &skip) { return time_or_none(skip, duration_most); })},
    };
}

Nanoseconds usual_timeout(Dut dut)
{
    return std::chrono::milliseconds(dut == Dut::dns64 ? 1000 : 250);
}

namespace
{

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
                          "--slices {}: {} are played: give so many or more", capture.slices,
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
    // The number of connections that may end follows from a rate.
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
