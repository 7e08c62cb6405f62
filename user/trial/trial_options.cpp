// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/trial_options.h"

#include "engine/catch_up.h"
#include "options/dns_access.h"
#include "result/labels.h"
#include "trial/plan_access.h"
#include "units/quantity_access.h"
#include "xdp/xdp_options.h"

#include "wire/dns.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace dnsgauge
{

namespace
{

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
               "wait, which their RTTs include; 0: no limit",
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

// Inserts a row before the row `name`, so that --help tells like options together.
void insert_before(Options &options, const std::string &name, Option row)
{
    options.insert(std::ranges::find(options, name, &Option::name), std::move(row));
}

// Returns the rows of the engine that sends datagrams, and between them two rows of all transports.
Options packet_options(TrialPlan &plan)
{
    Options options = xdp_option_rows(plan.engine_options);
    for (Option &option : options)
        option.only_with = over_udp;
    insert_before(options, "hardware-timestamps",
                  Option("idle-cpus", OptionGroup::tester, "MODE",
                         "What idle CPUs do: poll, so that no CPU must be woken up (needs root), "
                         "or sleep as the machine's settings say",
                         word(plan.idle_cpus, idle_cpus_modes), {.setup_key = "idle_cpus"}));
    insert_before(options, "vlan",
                  {"source", OptionGroup::sending, "ADDRESS",
                   "Source address, in place of the kernel's choice",
                   parsed(plan.source, parse_ip_address)});
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
               "what a server bears. Connections that open in time are valid, and RTTs are the "
               "times of handshakes",
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
         "'any' accepts any record of the type, whatever its data",
         of(plan.workload, &ZoneNames::any_answer, word_of(answers))},
        Option("accept-answers", OptionGroup::judgement, "RULES",
               "Rules that a right answer may break, which the result names: " +
                   all_words(judge_rules),
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
        Option(
            "probe-first-sight", OptionGroup::what_is_tested, "",
            "Also stamp queries by an XDP program at the server's interface: the time from there "
            "to the network stack. Packets take another way then",
            flag(plan.probe_first_sight), {.needs = {"probe"}}),
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
               "Play this number of captures at once. Fewer captures are cut into slices, whose "
               "clients "
               "count as different ones",
               of(plan.workload, &ReplayWish::load_factor, whole_of(1, 10'000)),
               {.usual = "one for each --capture"}),
        Option("slices", OptionGroup::queries, "COUNT",
               "Cut the captures into this number of slices, and play --load-factor of them",
               of(plan.workload, &ReplayWish::slices, whole_of(1, 10'000)),
               {.usual = "as many as are played"}),
        {"first-slice", OptionGroup::queries, "NUMBER",
         "First of the --slices to play, from 0 on; the first slice follows the last",
         of(plan.workload, &ReplayWish::first_slice, whole_of(0, 9'999))},
        {"speed", OptionGroup::queries, "FACTOR", "Play the captures this many times as fast",
         of(plan.workload, &ReplayWish::speed,
            [](double &speed) { return number(speed, 0.001, 1000); })},
        {"skip", OptionGroup::queries, "SECONDS",
         "Leave out this many seconds at each capture's beginning",
         of(plan.workload, &ReplayWish::skip,
            [](Nanoseconds &skip) { return time_or_none(skip, duration_most); })},
    };
}

} // namespace dnsgauge
