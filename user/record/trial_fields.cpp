// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/trial_fields.h"
#include "record/json.h"
#include "record/json_text.h"
#include "record/machine_fields.h"
#include "record/probe_fields.h"
#include "result/labels.h"
#include "units/rcode.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr auto pace_words = words<Pace::Kind>({{Pace::Kind::constant, "constant"},
                                               {Pace::Kind::poisson, "poisson"},
                                               {Pace::Kind::steps, "steps"},
                                               {Pace::Kind::ramp, "ramp"},
                                               {Pace::Kind::original, "original"},
                                               {Pace::Kind::window, "window"}});

enum class WorkloadKind { names, list, captures, mix, handshakes };

constexpr auto workload_words = words<WorkloadKind>({{WorkloadKind::names, "names"},
                                                     {WorkloadKind::list, "list"},
                                                     {WorkloadKind::captures, "captures"},
                                                     {WorkloadKind::mix, "mix"},
                                                     {WorkloadKind::handshakes, "handshakes"}});

WorkloadKind kind_of(const TrialResult &result)
{
    if (result.has_handshakes_alone)
        return WorkloadKind::handshakes;
    if (result.replay)
        return WorkloadKind::captures;
    if (result.mix)
        return WorkloadKind::mix;
    return result.list ? WorkloadKind::list : WorkloadKind::names;
}

NamedCounts bursts_by_size(const std::vector<std::uint64_t> &bursts)
{
    NamedCounts counts;
    for (std::size_t size = 1; size < bursts.size(); size++)
        if (bursts[size] != 0)
            counts.emplace_back(std::to_string(size), bursts[size]);
    return counts;
}

} // namespace

static void mix_rows(Fields &row, const MixSummary &mix)
{
    row.made("do_percent", mix.dnssec_ok, "mix: percent of every hundred queries that have DO");
    row.made("nxdomain_percent", mix.nxdomain,
             "mix: percent of every hundred queries whose names do not exist");
    row.made("types", mix.types,
             "mix: the types, each with its percentage of every hundred queries");
    row.made("aaaa_share_percent", mix.aaaa_share,
             "mix: percent of the names that have an AAAA record");
    row.made("signed", mix.is_signed, "mix: whether the zone is signed");
}

// What was asked.
static void workload_rows(Fields &row, TrialResult &result)
{
    WorkloadKind kind = kind_of(result);
    row.word("kind", kind, workload_words,
             "names: names of the test zone; list: the queries of a list; captures: the queries "
             "of captures at their own times (rate is then their mean); mix: a mix of queries for "
             "names of the test zone; handshakes: nothing was asked, and each connection counts as "
             "a query: it is valid if it opened in time, and its RTT is the time of its handshake");
    const bool is_list = kind == WorkloadKind::list;
    const bool is_replay = kind == WorkloadKind::captures;
    const MixSummary mix = result.mix.value_or(MixSummary{});
    const ListSummary list = result.list.value_or(ListSummary{});
    const ReplaySummary replay = result.replay.value_or(ReplaySummary{});
    row.only_if(kind == WorkloadKind::mix);
    mix_rows(row, mix);
    row.only_if(is_list);
    row.made("file", list.file, "the list's file, as it was given");
    row.only_if(is_replay);
    row.made("files", replay.files, "the captures' files, as they were given");
    row.made("capture_server", replay.server,
             "the server whose queries in the captures are played; null: any server",
             {.is_null = replay.server.empty()});
    row.made("capture_port", replay.port, "the port of the servers in the captures", {.least = 1});
    row.only_if(is_list || is_replay);
    row.made("queries", is_list ? list.queries : replay.queries,
             "the number of queries in the list, or of the captures' queries that are to be sent");
    row.only_if(is_list);
    row.made("distinct", list.distinct,
             "the number of different questions in the list, capital and small letters being the "
             "same");
    row.only_if(is_replay);
    row.made("clients", replay.clients,
             "the number of clients; the clients of each slice are counted anew");
    row.made("client_ports", replay.keeps_ports,
             "each of the captures' queries left from its client's port; with several Testers, "
             "from each of them");
    row.made("clients_in", replay.clients_in,
             "the prefix in which each client has an address, or the prefixes of several Testers "
             "with commas; null: all queries of a Tester left from one address",
             {.is_null = replay.clients_in.empty()});
    row.made("played", replay.played, "captures, or slices of captures, that were played at once");
    row.made("speed", replay.speed, "how many times as fast as captured the captures were played",
             {.is_above_zero = true});
    row.made("skip_s", replay.skip, "seconds that were left out at the beginning of each capture");
    row.only_if(is_list || is_replay);
    row.made("memory_octets", is_list ? list.memory : replay.memory,
             "memory that the queries take");
    row.only_if(is_list);
    row.made("shuffle_seed", list.shuffle_seed,
             "the number from which the order follows; null: the file's order");
    row.only_if(is_list || is_replay);
    Expect expect = is_list ? list.expect : replay.expect;
    row.word("expect", expect, expectations,
             "what a reply must be, unless the query's line says it. answered: any RCODE; useful: "
             "NOERROR or NXDOMAIN; captured: RCODE, number of answers and data that the answer in "
             "the capture had (without the rule `data` under judged: RCODE and number)");
    row.only_if(is_replay);
    row.made("unanswered", replay.unanswered,
             "with expect captured: queries without a whole answer in the captures, whose replies "
             "must be useful; else 0");
    row.made("left_out", NamedCounts(replay.left_out.begin(), replay.left_out.end()),
             "queries and packets of the captures that were not sent, by reason: TCP segments "
             "without a whole message, fragments, packets captured in part, malformed messages; "
             "queries to "
             "another server; queries of another opcode than QUERY or without one uncompressed "
             "question (unreadable); queries that are too long, or outside of skip and duration "
             "(a capture that is played once is read until a second after the duration); queries "
             "with other records than one of OPT, where options are to be added (other_records)");
    row.only_if(kind != WorkloadKind::names && kind != WorkloadKind::handshakes);
    LetterSummary letters = is_list ? list.letters : is_replay ? replay.letters : mix.letters;
    row.word("letter_case", letters.letter_case, letter_cases,
             "whether a reply must repeat the letters of the name as they were sent (exact); a "
             "reply that does not is to a wrong question");
    row.made("edns_options", result.edns_options,
             "the EDNS options of every query, as --edns-options names them; a missing value means "
             "none",
             sometimes);
    row.made("mix_case_seed", letters.seed,
             "the number by which the letters of the names got their cases; null: they are as in "
             "the file");
}

static void fields(Fields &row, Pace &pace)
{
    row.word("kind", pace.kind, pace_words,
             "constant: a query each 1 / rate; poisson: at random times, independent of each "
             "other; steps: at one constant rate after the other; ramp: at a rate that rises "
             "evenly; original: at the times of the "
             "captures; window: each when another one is answered in time, or times out");
    row.only_if(pace.kind == Pace::Kind::poisson);
    row.made("seed", pace.seed, "poisson: the number from which the times follow");
    row.only_if(pace.has_rates());
    row.made("from", pace.from, "steps, ramp: the first rate, queries per second");
    row.made("to", pace.to, "steps, ramp: the rates do not go beyond this one");
    row.only_if(pace.kind == Pace::Kind::steps);
    row.made("step", pace.step,
             "steps: the difference between two rates; each rate has an equal part of the "
             "duration",
             {.least = 1});
    row.only_if(pace.kind == Pace::Kind::window);
    row.made("window", pace.window, "window: the queries that each sender keeps open",
             {.least = 1});
    row.made("most", pace.most,
             "window: the rate that all senders together do not exceed, queries per second; null: "
             "there is none");
}

static void fields(Fields &row, WindowSummary &window)
{
    row("places", window.places, "the queries that all senders together keep open");
    row("answered_rate", window.answered_rate, "valid queries per second of sending.duration_ns");
    row("mean_open", window.mean_open,
        "the queries that were open on average, by the times at which places were taken and freed");
    row("mean_open_by_rtt", window.mean_open_by_rtt,
        "the same by Little's law: the queries that were sent per second, times their mean time, "
        "which is the RTT of a valid query and the timeout of every other one");
}

static void fields(Fields &row, RampSummary &ramp)
{
    row("left", ramp.left,
        "the rate at which too few queries were answered from then on, queries per second; null, "
        "as the next three: there is none");
    row("low", ramp.low,
        "the lower bound: of the rate, and of what a server with a buffer bears for longer");
    row("high", ramp.high, "the upper bound of the rate");
    row("answered", ramp.answered, "valid queries per second after that");
}

static void fields(Fields &row, JudgedBy &judged)
{
    row("rules", judged.rules, "rules in force");
    row("accepted", judged.accepted, "rules that the user has loosened: answers may break them");
}

static void fields(Fields &row, RunPath &path)
{
    row("engine", path.engine,
        "what sent the queries and took the replies: AF_XDP, or the kernel's sockets");
    row("rtt_begins", path.rtt_begins, "when an RTT begins");
    row("rtt_ends", path.rtt_ends, "when an RTT ends");
}

void fields(Fields &row, InvalidCounts &invalid)
{
    row.made("total", invalid.total(), "the sum of the reasons below");
    row("rcode", invalid.rcode,
        "the server says no: RCODE is not NOERROR; of a list: none of the wanted RCODEs");
    row("no_answer", invalid.no_answer,
        "NOERROR without a record of the type; of a list: fewer answers than wanted");
    row("wrong_data", invalid.wrong_data,
        "records of the type, but none with the right data; of a list: more answers than wanted");
    row("wrong_owner", invalid.wrong_owner,
        "a record of the type asked for belongs to a name that was not asked for", newer);
    row("extra_records", invalid.extra_records,
        "a record in the answer section does not belong there, or stands there twice", newer);
    row("trailing_octets", invalid.trailing_octets, "the message goes on after its last record",
        newer);
    row("wrong_flags", invalid.wrong_flags,
        "a flag that was wanted is clear, or one that must be clear is set", newer);
    row("truncated", invalid.truncated, "TC is set");
    row("wrong_question", invalid.wrong_question,
        "the reply answers another question, and no right reply came in time");
    row("malformed", invalid.malformed,
        "the packet is no readable DNS reply, and no right reply came in time");
}

static void octet_rows(Fields &row, ReplyTraits &replies)
{
    const FieldForm form{.is_null = replies.count == 0};
    row.made("min", replies.smallest, "the smallest", form);
    row.made("mean", replies.mean_size, "the mean, exact", form);
    row.made("max", replies.largest, "the largest", form);
}

static void fields(Fields &row, ReplyTraits &replies)
{
    constexpr std::uint64_t ten_gigabit = 10'000; // Mbit/s
    const FieldForm of_some{.presence = Presence::newer, .is_null = replies.count == 0};
    const FieldForm of_records{.presence = Presence::newer, .is_null = !replies.records_read};
    row("count", replies.count, "the number of these replies");
    row.group<octet_rows>("octets", replies,
                          "size of the DNS messages, octets; null where there is no reply");
    row.made("octets_histogram", replies.sizes,
             "rows [from, to, count]: octets, both ends included, ascending; no row is empty");
    row.made("wire_octets_mean", replies.wire_octets,
             "octets that a reply takes on the wire on average: with its headers, preamble, frame "
             "check sequence and gap",
             of_some);
    row.made("line_rate_10g", line_rate(replies.wire_octets, ten_gigabit),
             "how many replies of this mean size fill 10 Gbit/s in a second: no server can send "
             "more over such a link",
             of_some);
    row("aa", replies.aa, "replies with AA");
    row("ad", replies.ad, "replies with AD");
    row("tc", replies.tc, "replies with TC");
    row("rd", replies.rd, "replies with RD", newer);
    row("ra", replies.ra, "replies with RA", newer);
    row("cd", replies.cd, "replies with CD", newer);
    row("z", replies.z, "replies with the reserved bit Z", newer);
    row("read_whole", replies.whole,
        "replies whose records were all read; the next three fields are sure of these replies. "
        "null: a result of an older version, which did not read records",
        of_records);
    row("with_rrsig", replies.rrsig,
        "replies with an RRSIG record in the answer section; null: records were not read",
        of_records);
    row.made("without_rrsig", replies.count - std::min(replies.count, replies.rrsig),
             "replies without such a record; null: records were not read", of_records);
    row("no_question", replies.no_question,
        "replies that do not repeat the question, as from a server that refuses to read the "
        "query; null: records were not read",
        of_records);
}

// Without a reply a figure is null, not zero.
static void fields(Fields &row, RttSummary &rtt)
{
    const FieldForm form{.is_null = rtt.count == 0};
    row("count", rtt.count, "the number of replies behind these figures");
    row("min", rtt.min, "the shortest RTT, exact", form);
    row("mean", rtt.mean, "the mean, exact", form);
    row("stddev", rtt.stddev, "the standard deviation of the population, exact", form);
    rows_of_percentiles(row, rtt, form);
    row("max", rtt.max, "the longest RTT, exact", form);
}

void slowness_rows(Fields &row, RttCurve &curve, FieldForm form)
{
    form.most = 1;
    row("slower_than_1ms", curve.slower_than_1ms,
        "share of the queries without a valid reply within 1 ms", form);
    row("slower_than_10ms", curve.slower_than_10ms,
        "share of the queries without a valid reply within 10 ms", form);
    row("slower_than_100ms", curve.slower_than_100ms,
        "share of the queries without a valid reply within 100 ms", form);
    row("slower_than_1s", curve.slower_than_1s,
        "share of the queries without a valid reply within a second", form);
}

void fields(Fields &row, RttCurve &curve)
{
    slowness_rows(row, curve);
    row("points", curve.points,
        "rows [share, RTT] of a logarithmic percentile histogram, ten for each power of ten: "
        "this share of the queries needs at least this RTT, nanoseconds; a query that got no "
        "right answer counts with the timeout");
}

// The rows of what became of a part's queries.
static void part_rows(Fields &row, auto &part)
{
    row("sent", part.queries.sent, "queries of this part that were handed to the kernel");
    row("valid", part.queries.valid, "valid queries of this part");
    row("late", part.queries.late, "late queries of this part");
    row("lost", part.queries.lost, "lost queries of this part");
    row.object("invalid", part.queries.invalid, "invalid queries of this part, by reason");
    row.made("rcodes", rcode_counts(part.rcodes),
             "replies that decided a query of this part, by the name of their RCODE", rcode_names);
    row.object("rtt_ns", part.rtt, "RTT of the valid replies, nanoseconds");
}

static void fields(Fields &row, IntervalSummary &interval)
{
    row("since_s", interval.since, "seconds from the start of sending until the part began");
    part_rows(row, interval);
}

// The names of the counts and their meanings are in result/connections.h.
static void fields(Fields &row, TlsSuite &suite)
{
    row("version", suite.version, "the version of TLS");
    row("cipher", suite.cipher, "the cipher");
    row("alpn", suite.alpn, "the protocol by ALPN; empty: the server chose none");
    row("connections", suite.connections, "connections that agreed on these");
}

static void fields(Fields &row, TlsSummary &tls)
{
    row.word("resumption", tls.resumption, resumptions,
             "what handshakes were to be: --resumption; tls_full and tls_resumed say what they "
             "were");
    row("name", tls.name, "the server's name, which the server was told; empty: none");
    row("is_checked", tls.is_checked, "whether certificates had to vouch for the name");
    row.list("suites", tls.suites, "what handshakes agreed on");
    row.object("full_ns", tls.full,
               "time from the open TCP connection, or from QUIC's first datagram, until TLS was "
               "open, nanoseconds; of full handshakes");
    row.made("full_histogram_ns", tls.full.histogram, histogram_text);
    row.object("resumed_ns", tls.resumed, "the same, of resumed handshakes");
    row.made("resumed_histogram_ns", tls.resumed.histogram, histogram_text);
    row("failure", tls.failure, "why TLS failed the first time; empty: it did not");
}

static void fields(Fields &row, HttpSummary &http)
{
    row.word("method", http.method, http_methods, "how queries travelled in requests");
    row("url", http.url, "what the requests asked for");
    row.made("statuses", http.statuses, "responses with another status than 200, by their status",
             {.pattern = "^[1-9][0-9][0-9]$"});
    row("failure", http.failure,
        "why HTTP/2 failed the first time, or why the server refused further requests; empty: "
        "neither");
}

// The names of the counts and their meanings are in result/quic.h.
static void fields(Fields &row, QuicCounts &counts)
{
    for (const QuicCount &each : quic_counts)
        row(each.key, counts.*each.count, each.label);
}

static void fields(Fields &row, ConnectionSummary &connections)
{
    row("at_once", connections.at_once,
        "connections that each sender was to keep open at once: --connections; 0: each client of "
        "the captures had a connection of its own");
    row("queries_each", connections.queries_each,
        "queries after which a connection was closed; 0: connections stayed open");
    row("pipeline", connections.pipeline,
        "queries without a reply that a connection had at most: --pipeline; 0: no limit");
    row.word("acks", connections.acks, acks_words,
             "when the Tester acknowledged what it had read: at once, or as the kernel does");
    row.made(
        "idle_timeout", connections.idle_times,
        "seconds after which a client's idle connection was closed, or several times with "
        "percent of the clients, as in --idle-timeout; null: no client had a connection of its "
        "own",
        {.is_null = connections.idle_times.empty()});
    for (const ConnectionCount &each : connection_counts)
        row(each.key, connections.counts.*each.count, each.label);
    row.object("handshake_ns", connections.handshakes,
               "time from the call that opens a connection until it is open, nanoseconds; of all "
               "that opened");
    row.made("handshake_histogram_ns", connections.handshakes.histogram, histogram_text);
    row.object("waited_for_open_rtt_ns", connections.waited,
               "RTT of the valid replies whose query waited for its connection to open, "
               "nanoseconds; they are in rtt_ns, too");
    row.made("backlog", std::vector(connections.backlog.begin(), connections.backlog.end()),
             "queries without a reply when a quarter of all, a half, three quarters and all had "
             "been sent; they wait on the way, at the server, or for a place on a connection",
             newer);
    row.object("keepalive_ns", connections.keepalives,
               "idle timeouts that replies named (edns-tcp-keepalive, RFC 7828), nanoseconds; a "
               "missing value means that no query asked for them",
               sometimes);
    row.object("tls", connections.tls,
               "TLS on these connections; a missing value means a transport without TLS",
               sometimes);
    row.object("http", connections.http,
               "HTTP/2 on these connections; a missing value means a transport without HTTP",
               sometimes);
    row.object("quic", connections.quic,
               "QUIC on these connections; a missing value means a transport without QUIC",
               sometimes);
}

void fields(Fields &row, Lateness &lateness)
{
    row("p50", lateness.p50, "the median");
    row("p99", lateness.p99, "the 99th percentile");
    row("max", lateness.max, "the largest");
}

static void fields(Fields &row, TransportSummary &one)
{
    row.word("transport", one.transport, transports, "what carried the queries");
    row("planned", one.planned, "queries that this transport was to carry");
    part_rows(row, one);
    row.object("lateness_ns", one.lateness, "how late queries were handed over, nanoseconds");
}

static void fields(Fields &row, LaneSummary &lane)
{
    row("share", lane.share, "number of the sender's share of the whole schedule, from 0");
    row("queue", lane.queue, "number of the transmit queue on the sender's host, from 0");
    row("cpu", lane.cpu, "the number of the CPU that the sender ran on");
    row("sent", lane.sent, "queries of the sender that the kernel has sent");
    row("last_sent_ns", lane.last_sent,
        "nanoseconds from the start until the sender handed its last query over");
    row.object("lateness_ns", lane.lateness, "the lateness of the sender's queries");
    row("driver_lag_ns", lane.driver_lag,
        "nanoseconds: the longest that one of the sender's queries is known to have been due "
        "while the driver still had it");
    row("kicks", lane.kicks, "system calls by which the sender made the kernel send");
    row("waited_ns", lane.waited,
        "nanoseconds that the sender was ready to run and waited for its CPU");
}

static void fields(Fields &row, SendingSummary &sending)
{
    row("planned", sending.planned, "queries that the rate and the duration ask for");
    row("duration_ns", sending.duration,
        "nanoseconds from the start until the last query was handed over, and one gap");
    row("achieved_rate", sending.achieved_rate, "queries per second over that time");
    row.object("lateness_ns", sending.lateness,
               "the lateness of all queries: nanoseconds from a query's due time until it was "
               "handed over");
    row.made("lateness_histogram_ns", sending.lateness_histogram, histogram_text, newer);
    row("driver_lag_ns", sending.driver_lag,
        "the longest time, in nanoseconds, for which a query is known to have been due while the "
        "driver still had it (in zero-copy mode: had not even taken it)",
        newer);
    row("kicks", sending.kicks, "system calls that made the kernel send", newer);
    row.made("bursts", bursts_by_size(sending.bursts),
             "how often a batch of that many queries was handed over at once, by the size of the "
             "batch",
             {.pattern = "^[1-9][0-9]*$"});
    row.list("lanes", sending.lanes, "what each sender sent, by its share of the schedule", newer);
}

static void fields(Fields &row, OwnLosses &losses)
{
    static constexpr std::array meanings{
        std::pair{"no_descriptor", "connections that the Tester had no file descriptor for"},
        std::pair{"no_port", "connections that the Tester had no port for"},
        std::pair{"no_memory", "times that the Tester had no memory for what it sent"},
        std::pair{"unsent", "queries that were given to the kernel, and that it did not send; "
                            "over TCP connections whose queries stayed in the Tester's buffers"},
        std::pair{"late_openings", "connections whose TLS handshakes the Tester was too slow with, "
                                   "while queries waited for them"},
        std::pair{"unread", "datagrams of QUIC that the Tester's sockets had no room for"},
        std::pair{"invalid_descriptors", "queries that AF_XDP refused"},
        std::pair{"recycled_early", "slots that were used again before their timeout had passed: "
                                    "the sender stalled too long"}};
    for (const auto &[name, meaning] : meanings) {
        const auto loss = std::ranges::find(losses.kinds, name, &OwnLoss::name);
        row.only_if(loss != losses.kinds.end());
        row.made(name, loss != losses.kinds.end() ? loss->count : std::uint64_t{0}, meaning);
    }
    row.always();
    row.made("interface", losses.interface,
             "counters of losses that grew, of the kernel and of the driver (driver.NAME), "
             "without the packets that the XDP program itself dropped, or passed to a kernel that "
             "had no use for them");
    row("interface_doubtful", losses.interface_doubtful,
        "packets in such counters that the kernel may have dropped after the XDP program had "
        "passed them",
        newer);
}

static void fields(Fields &row, PortLosses &losses)
{
    row("ports", losses.ports, "source ports of all senders");
    row("with_losses", losses.with_losses, "the ports among them from which lost queries had left");
}

static void fields(Fields &row, DueQueries &part)
{
    row("queries", part.queries, "the number of queries");
    row("failed", part.failed, "the queries among them that were lost or late");
}

static void fields(Fields &row, StallCosts &costs)
{
    row("stalls", costs.all.stalls, "the number of stalls");
    row("longest_ns", costs.all.longest,
        "the longest time that anybody stood still without a break");
    row("largest_burst", costs.all.largest_burst,
        "the most queries of a sender that were overdue at once, and were then sent at once; 0 "
        "where the server's CPU stood still");
    row("costly", costs.costly.stalls, "stalls because of which queries were lost or late");
    row("lost", costs.lost, "queries that were lost because of stalls");
    row("late", costs.late, "queries that were answered late because of stalls");
    row("reach_ns", costs.reach,
        "how long after the end of its stall the last of these queries was sent, at most");
}

static void fields(Fields &row, StallSummary &stalls)
{
    row("burst_allowed", stalls.burst_allowed,
        "this number of queries at once is no burst: a quarter of what a socket's usual buffer "
        "(212,992 "
        "octets) holds");
    row("limit_ns", stalls.limit,
        "nanoseconds: the time in which that many queries become due; a stall is longer");
    row("forgotten", stalls.forgotten,
        "stalls of the Testers' senders that were too many to be kept, the shortest ones: what "
        "they cost is in no other figure here");
    row("queries", stalls.queries,
        "queries that were due during stalls, or while queries were still lost or late because of "
        "them");
    row("delayed", stalls.delayed,
        "queries of all Testers that were due while the Testers or the server stood still; the two "
        "count each apart",
        newer);
    row.object("soon", stalls.soon,
               "queries of the first halves of the times between stalls, without what follows a "
               "stall at once");
    row.object("later", stalls.later, "queries of the second halves of these times");
    row("decided", stalls.decided,
        "whether the trial is invalid because of stalls: the other queries meet the "
        "criterion, or are too few to judge");
    row.object("tester", stalls.tester, "stalls of the Testers' senders");
    row.object("server", stalls.server,
               "stalls of the server's CPU, without what the Testers' own stalls cost");
}

static void fields(Fields &row, ClockReading &reading)
{
    row.made("offset_ns", std::int64_t{reading.offset.count()},
             "this clock less the clock of the Tester of rank 0, nanoseconds");
    row("bound_ns", reading.bound,
        "the true offset is at most so far from offset_ns: half of the shortest round trip");
}

static void fields(Fields &row, Hint &hint)
{
    row("kind", hint.kind, "which pattern: trial/README.md has the condition of each");
    row("text", hint.text, "what the figures look like, in words");
    row("figures", hint.figures,
        "the figures that the hint comes from, by name; the end of a name says the unit");
}

static void fields(Fields &row, TesterResult &tester)
{
    row("rank", tester.rank, "the Tester's number, from 0");
    row("host", tester.host, "the name of its host");
    row.object("clock_before", tester.clock.before,
               "its clock before the trial; by this offset it began");
    row.object("clock_after", tester.clock.after,
               "its clock after the trial; null: it did not answer any more");
    row.made("schedule_error_ns", tester.clock.error(),
             "nanoseconds: the most by which its queries left off the common schedule because "
             "clocks differ; their lateness comes on top; null: the clock is not known after the "
             "trial");
    row.object("trial", tester.trial,
               "what the Tester found, as if its share of the queries were a trial of its own; "
               "null: it sent no result in time");
}

void fields(Fields &row, Dns64Conditions &dns64)
{
    constexpr FieldForm percent{.most = 100};
    row.shared("dns64",
               "what the trial presupposes of AuthDNS and of the server's cache; null: the server "
               "is authoritative",
               true);
    row("aaaa_share_percent", dns64.aaaa_share,
        "percent of the names that have an AAAA record of their own", percent);
    row("aaaa_prefix", dns64.aaaa_prefix,
        "the prefix of the data of such records, into which the address in the name is embedded; "
        "for these names that data is the right answer");
    row("cached_share_percent", dns64.cached_share,
        "percent of the queries that ask for the first name, which was asked for before the trial "
        "too",
        percent);
}

void fields(Fields &row, Compliance &compliance)
{
    row.shared("rfc8219", "whether the result is what RFC 8219 section 9 demands");
    row.made("compliant", compliance.deviations.empty(),
             "whether nothing deviates from RFC 8219 section 9");
    row("deviations", compliance.deviations, "each deviation, in words");
}

void fields(Fields &row, SelftestCover &cover)
{
    const FieldForm of_read{.is_null = cover.finished.empty()};
    row.shared("selftest_cover", "whether a self-test of the Tester covers the result", true);
    row.made("covers", cover.covers(),
             "whether a self-test in the set-up's record covers the result");
    row.made("why_not", cover.why_not, "why no self-test covers the result; null: one does",
             {.is_null = cover.covers()});
    row.made("finished", cover.finished,
             "when the self-test that covers the result finished, or, if none covers it, the best "
             "self-test in the record: UTC, ISO 8601; null: no self-test could be read",
             {.is_null = cover.finished.empty(), .pattern = utc_moment.pattern});
    row.made("allowed_rate", cover.allowed,
             "the highest rate that the self-test allows, queries per second; null: none");
    Compliance compliance{cover.deviations};
    row.object("rfc8219", compliance,
               "whether that self-test is itself what RFC 8219 section 9 demands; null: no "
               "self-test could be read",
               of_read);
    row.made("record", cover.record, "the file of the set-up's record");
}

// The trial as it was asked for.
static void asked_rows(Fields &row, TrialResult &result)
{
    const bool is_names = !result.list && !result.replay && !result.has_handshakes_alone;
    row("server", result.server,
        "the server's address, or the addresses that several Testers asked, with commas");
    row("port", result.port, "the server's port");
    row.word("transport", result.transport, transports, "how the queries travelled");
    row.group<workload_rows>(
        "workload", result,
        "what was asked; where the kind is names or handshakes, the object has "
        "kind alone",
        newer);
    row.only_if(is_names);
    row("zone", result.zone, "the zone that the names are in");
    row("names", result.names, "the names' range under the zone, in CIDR notation");
    row.word("name_order", result.name_order, name_orders,
             "the order in which the names were asked for; random: by a key that was drawn for "
             "this trial");
    row("answer", result.answer,
        "the data of a right answer: an RFC 6052 prefix (of AAAA; A has the address in the name), "
        "the address in the name, or any; of names and mixes");
    row.only_if(is_names && !result.mix);
    row("qtype", result.qtype, "the type that was asked for");
    row.always();
    row.object("dns64", result.dns64, "", newer);
    Compliance compliance{result.caveats.deviations};
    row.object("rfc8219", compliance,
               "whether the trial is what RFC 8219 section 9 demands; what a whole search lacks, "
               "such as 20 repetitions, stands in the search's object",
               newer);
    row.object("selftest", result.caveats.selftest,
               "whether a self-test of the Tester covers the trial; null: the server is "
               "authoritative and was asked over UDP, or nobody looked for a self-test",
               newer);
    row.made("rate", result.rate,
             "the rate asked for, queries per second; the mean where the pace is steps or ramp, or "
             "where captures are played; in a window the rate at which queries were sent");
    row.object("pace", result.pace, "the rule by which queries were due", newer);
    row.made("catch_up", result.catch_up,
             "after a stall of its own the Tester caught up at this many times the rate at most; "
             "null: it sent as fast as it could",
             newer);
    row("duration_s", result.duration,
        "how long queries were to be sent, seconds: the duration asked for; where captures end "
        "before, the time to their last query and one mean gap. sending.duration_ns tells how "
        "long sending took",
        {.is_above_zero = true});
    row("timeout_s", result.timeout, "the timeout asked for, seconds", {.is_above_zero = true});
    row("since_ns", result.since, "when sending began, nanoseconds since 1970-01-01 UTC", newer);
    row("until_ns", result.until,
        "when no reply could count any more, nanoseconds since 1970-01-01 UTC", newer);
    row("accept_percent", result.accept_percent,
        "percent of the queries that must be valid for a pass, as asked for", {.most = 100});
    row.object("judged", result.judged,
               "the judge's rules that can be loosened (--accept-answers), by name: the manual's "
               "table says what each wants of a reply",
               newer);
    row.object("path", result.path, "how queries and replies travelled", newer);
}

// What became of the queries.
static void count_rows(Fields &row, TrialResult &result)
{
    row("sent", result.queries.sent,
        "queries that the kernel has sent: always the sum of valid, late, invalid.total and lost");
    row("valid", result.queries.valid,
        "queries that were answered right, at or before the timeout");
    row("late", result.queries.late,
        "queries that were answered right after the timeout and within twice that time; a reply "
        "that comes later counts as unexpected, and its query as lost");
    row("lost", result.queries.lost,
        "queries that no reply answered, or only a wrong reply after the timeout");
    row.object("invalid", result.queries.invalid,
               "queries that were answered in time but wrong, by reason; each query counts once");
    row("duplicate", result.strays.duplicate,
        "replies to queries that an earlier reply had decided");
    row("unexpected", result.strays.unexpected,
        "replies that belong to no outstanding query, or that decided nothing");
    row("wrong_source", result.strays.wrong_source,
        "packets that came to the Tester's ports, but not from the server; the kernel got them");
    row("bad_checksum", result.strays.bad_checksum,
        "packets that were not judged, because their checksum is wrong");
    row("fragments", result.strays.fragments,
        "packets that were not judged, because they are fragments");
    row.made("rcodes", rcode_counts(result.rcodes),
             "replies that decided their query, by the name of their RCODE, whose upper bits "
             "stand in the OPT record; RCODE31+ stands for 31 and all above. Their sum is valid, "
             "late and invalid without wrong_question and malformed",
             rcode_names);
    row.object("replies", result.replies,
               "the properties of the replies that decided their query, right or wrong, in time "
               "or late",
               newer);
}

// The times, and the parts of the counts.
static void time_rows(Fields &row, TrialResult &result)
{
    row.object("rtt_ns", result.rtt,
               "RTT of the valid replies, nanoseconds; null where there is no such reply. path "
               "says when an RTT begins and ends");
    RttCurve curve = curve_of(result.queries.sent, result.rtt, result.timeout);
    row.object("rtt_curve", curve,
               "how slow the slowest queries are; a query without a valid reply counts as slower "
               "than all others",
               newer);
    row.object("rtt_hardware_ns", result.rtt_hardware,
               "RTT by the card's clock, nanoseconds, of the valid replies with stamps both ways",
               newer);
    row.made("rtt_histogram_ns", result.rtt.histogram, histogram_text, newer);
    row.made("rtt_hardware_histogram_ns", result.rtt_hardware.histogram, histogram_text, newer);
    row("interval_s", result.interval,
        "seconds: the length of an interval; null: nobody asked for intervals",
        {.presence = Presence::newer,
         .is_null = result.interval == Nanoseconds{},
         .is_above_zero = true});
    row.list("intervals", result.intervals,
             "what became of the queries that were sent in each interval, ascending; the counts "
             "add up to the counts of the trial",
             newer);
    row.object("later_part", result.later_part,
               "what became of the queries that were sent from --since on; null: --since was not "
               "given",
               newer);
    std::optional<RttCurve> later;
    if (result.later_part)
        later = curve_of(result.later_part->queries.sent, result.later_part->rtt, result.timeout);
    row.object("later_rtt_curve", later,
               "rtt_curve of the queries of later_part; null: --since was not given", newer);
    row.object("connections", result.connections,
               "the connections of all senders: what became of them, and of queries that lost "
               "their place on one. Attempts are the sum of the first six counts; the next "
               "eight say how open connections ended. A missing value means a transport without "
               "connections",
               sometimes);
    row.list("by_transport", result.by_transport,
             "with --transport capture: what became of the queries of each transport; the counts "
             "add up to the counts of the trial",
             sometimes);
}

// How the queries were sent, and what else explains the verdict.
static void condition_rows(Fields &row, TrialResult &result)
{
    row.object("sending", result.sending, "how the queries were sent");
    row.object("window", result.window,
               "the answers and the open queries of a window; a missing value means another pace",
               sometimes);
    row.object("ramp", result.ramp,
               "where the server left the line of a ramp, by the intervals; a missing value means "
               "another pace",
               sometimes);
    row.object("own_losses", result.own_losses,
               "packets that were lost on the Tester's side: how the transport names what it "
               "loses, and the interface's counters");
    row.object("port_losses", result.port_losses,
               "the source ports of lost queries; a missing value means connections, or queries "
               "that kept their clients' ports",
               sometimes);
    row.object("stalls", result.stalls,
               "times in which the Tester's sender or the server's CPU stood still for longer "
               "than limit_ns, and the queries that were lost or late because of them",
               newer);
    row.list("cpus", result.cpus,
             "each CPU of this machine that sent, received replies or ran a server behind a veth "
             "pair; where several Testers made the trial, the trials in testers have them",
             newer);
    row.made("server_drops", result.server_drops,
             "of each UDP socket of the server on this machine: datagrams that found its buffer "
             "full during the trial, which RcvbufErrors contains, too; a missing value means that "
             "no such socket was seen, or that several Testers made the trial",
             sometimes);
    row.object("probe", result.probe, "", sometimes);
    row.object("placement", result.placement, "", newer);
    row.object("circumstances", result.circumstances,
               "the conditions of the trial; where several Testers made it, the conditions of the "
               "first one");
    row.word("verdict", result.verdict, verdict_words,
             "pass and fail judge the server; invalid: the Tester was the limit, or was "
             "interrupted, so nothing was learned");
    row("why", result.why, "the reason of the verdict, in words", {.least = 1});
    row("rate_not_offered", result.rate_not_offered,
        "the trial is invalid because its rate is more than the Tester can offer: a search goes on "
        "below; a missing value means that this is not so",
        sometimes);
    row("doubts", result.caveats.doubts, "what else may have had a part in the figures", newer);
    row.list("hints", result.hints,
             "patterns that the figures look like; they change no verdict. A missing value means "
             "that there is none",
             sometimes);
    row.list("testers", result.testers,
             "where several Testers made the trial together (dnsgauge-mpi), the part of each, "
             "ascending by rank; the counts and histograms outside are their sums",
             {.presence = Presence::sometimes, .least = 2});
}

void fields(Fields &row, TrialResult &result)
{
    row.form("trial", "One trial: queries at one rate. Counts are exact. dnsgauge trial --json "
                      "writes it.");
    asked_rows(row, result);
    count_rows(row, result);
    time_rows(row, result);
    condition_rows(row, result);
}

NamedCounts rcode_counts(const decltype(TrialResult::rcodes) &rcodes)
{
    NamedCounts counts;
    for (unsigned i = 0; i < rcodes.size(); i++)
        if (rcodes.at(i) != 0)
            counts.emplace_back(rcode_text(i), rcodes.at(i));
    return counts;
}

const char *to_string(Verdict verdict)
{
    return verdict_words.text_of(verdict);
}

nlohmann::ordered_json to_json(const TrialResult &result)
{
    return written(result);
}

} // namespace dnsgauge
