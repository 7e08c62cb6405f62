// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/trial_text.h"

#include "record/json.h"
#include "record/trial_fields.h"
#include "result/labels.h"
#include "stats/summary.h"
#include "system/counted.h"
#include "system/listed.h"
#include "text/columns.h"
#include "text/lines.h"
#include "text/probe_text.h"
#include "units/rate.h"
#include "units/rcode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

// A shorter wait is not shown: a driver that does not reset its link sends its first frame sooner.
constexpr Nanoseconds link_wait_told = std::chrono::milliseconds(50);

// Returns "9 opened, 1 refused by the server": the counts above zero, by the table of their labels.
std::string counts_text(const auto &counts, const auto &table)
{
    return joined(table, [&](const auto &each) {
        return counts.*each.count == 0 ? "" : fmt::format("{} {}", counts.*each.count, each.label);
    });
}

void add_queries(Lines &lines, const QueryCounts &queries)
{
    lines.row("sent", "{:>12}", queries.sent);
    lines.row("valid", "{:>12}   {} %", queries.valid, percent_text(queries.valid, queries.sent));
    lines.row("late", "{:>12}", queries.late);
    const std::string reasons = counts_text(queries.invalid, invalid_classes);
    lines.row("invalid", "{:>12}{}{}", queries.invalid.total(), reasons.empty() ? "" : "   ",
              reasons);
    lines.row("lost", "{:>12}", queries.lost);
}

// Adds a line for each count above zero.
void add_strays(Lines &lines, const StrayCounts &strays)
{
    for (const StrayClass &each : stray_classes)
        if (strays.*each.count != 0)
            lines.row(each.label, "{:>12}", strays.*each.count);
}

void add_losses(Lines &lines, const OwnLosses &losses)
{
    for (const OwnLoss &loss : losses.kinds)
        if (loss.count != 0)
            lines.row("own side", "{}",
                      fmt::format(fmt::runtime(loss.label[loss.count == 1 ? 0 : 1]), loss.count));
    for (const auto &[name, count] : losses.interface)
        lines.row("own side", "{} grew by {}", name, count);
}

// Adds what the stalls cost, if there were any.
void add_stalls(Lines &lines, const TrialResult &result)
{
    const std::optional<StallSummary> &stalls = result.stalls;
    const std::string &absences = result.circumstances.server_absences;
    if (!stalls)
        return;
    const auto add = [&](const char *who, const StallCosts &costs) {
        if (costs.all.stalls != 0)
            lines.row("stalls", "{} of {}, {} at most{}; lost because of them {}, late {}",
                      costs.all.stalls, who, duration(costs.all.longest.count()),
                      costs.all.largest_burst == 0
                          ? ""
                          : fmt::format(", and {} of up to {} queries",
                                        result.catch_up ? "backlogs" : "bursts",
                                        costs.all.largest_burst),
                      costs.lost, costs.late);
    };
    add("the Tester", stalls->tester);
    add("the server's CPU", stalls->server);
    if (stalls->forgotten != 0)
        lines.row("", "and {} short ones of the Tester, which were too many to keep",
                  stalls->forgotten);
    if (stalls->tester.all.stalls + stalls->server.all.stalls != 0)
        lines.row("",
                  "longer than {} of one sender, in which {} queries become due; {} of the trial's "
                  "were sent meanwhile",
                  duration(stalls->limit.count()), stalls->burst_allowed, stalls->queries);
    // Without a line a server on this machine had no stall.
    if (!absences.empty() && absences != "recorded")
        lines.row("stalls", "of the server's CPU: {}", absences);
}

void add_rtt(Lines &lines, const char *name, const RttSummary &rtt)
{
    if (rtt.count == 0)
        return;
    lines.row(name, "median {}, p90 {}, p99 {}, p99.9 {}", duration(rtt.p50), duration(rtt.p90),
              duration(rtt.p99), duration(rtt.p99_9));
    lines.row("", "min {}, mean {}, max {}, s.d. {}", duration(rtt.min), duration(rtt.mean),
              duration(rtt.max), duration(rtt.stddev));
}

// Adds a line with what became of a part of the queries.
void add_part(Lines &lines, const char *name, const QueryCounts &queries)
{
    lines.row(name, "sent {}, valid {} ({} %), late {}, invalid {}, lost {}", queries.sent,
              queries.valid, percent_text(queries.valid, queries.sent), queries.late,
              queries.invalid.total(), queries.lost);
}

void add_transports(Lines &lines, const std::vector<TransportSummary> &transports)
{
    for (const TransportSummary &one : transports) {
        const char *const name = transport_names.text_of(one.transport);
        add_part(lines, name, one.queries);
        add_rtt(lines, fmt::format("RTT, {}", name).c_str(), one.rtt);
    }
}

void add_tls(Lines &lines, const TlsSummary &tls)
{
    for (const TlsSuite &suite : tls.suites)
        lines.row("TLS", "{} {}, {}: {}", suite.version, suite.cipher,
                  suite.alpn.empty() ? "no ALPN" : "ALPN " + suite.alpn,
                  counted(suite.connections, "connection"));
    add_rtt(lines, "TLS full", tls.full);
    add_rtt(lines, "TLS resumed", tls.resumed);
    if (!tls.name.empty())
        lines.row("", "server's name {}, {}", tls.name,
                  tls.is_checked ? "checked" : "certificate not checked");
    if (!tls.failure.empty())
        lines.row("", "failed first for this reason: {}", tls.failure);
}

void add_http(Lines &lines, const HttpSummary &http)
{
    lines.row("HTTP", "{} {}{}", http.method == HttpMethod::get ? "GET" : "POST", http.url,
              http.statuses.empty()
                  ? ""
                  : "; responses by status: " + joined(http.statuses, [](const auto &one) {
                        return fmt::format("{} {}", one.first, one.second);
                    }));
    if (!http.failure.empty())
        lines.row("", "failed first for this reason: {}", http.failure);
}

void add_connections(Lines &lines, const std::optional<ConnectionSummary> &connections)
{
    if (!connections)
        return;
    // Splits the list of result/connections.h: what became of connections, and the rest.
    const std::span all(connection_counts);
    const auto first_of_rest =
        std::ranges::find(all, &ConnectionCounts::waited_for_open, &ConnectionCount::count);
    const auto ends = static_cast<std::size_t>(first_of_rest - all.begin());
    lines.text("connections", counts_text(connections->counts, all.first(ends)));
    lines.text("", counts_text(connections->counts, all.subspan(ends)));
    add_rtt(lines, "handshakes", connections->handshakes);
    add_rtt(lines, "waited RTT", connections->waited);
    if (const auto &named = connections->keepalives; named && named->count != 0)
        lines.row("keepalive", "{} named the server's idle timeout: {} to {}",
                  counted(named->count, "reply", "replies"), duration(named->min),
                  duration(named->max));
    if (connections->tls)
        add_tls(lines, *connections->tls);
    if (connections->http)
        add_http(lines, *connections->http);
    if (connections->quic)
        lines.text("QUIC", counts_text(*connections->quic, std::span(quic_counts)));
}

// Adds lines where there are timestamps.
void add_stamps(Lines &lines, const Circumstances &with)
{
    if (with.receive_stamps == "none" && with.transmit_stamps == "none")
        return;
    lines.row("timestamps", "receive {}, transmit {}", with.receive_stamps, with.transmit_stamps);
    if (with.contradictory_stamps != 0)
        lines.row("", "{} of them cannot be true: no RTT by the card's clock is given",
                  with.contradictory_stamps);
}

// Returns "SERVFAIL 3, NXDOMAIN 1": the RCODEs that occurred.
std::string rcodes_text(const TrialResult &result)
{
    return joined(rcode_counts(result.rcodes),
                  [](const auto &one) { return fmt::format("{} {}", one.first, one.second); });
}

void add_replies(Lines &lines, const ReplyTraits &replies, std::uint64_t mbps)
{
    if (replies.count == 0)
        return;
    const std::uint64_t speed = mbps == 0 ? 10'000 : mbps;
    lines.row("replies", "{} to {} octets, mean {:.1f}: {:g} Gbit/s carry {:.0f}/s; AD {}, TC {}{}",
              replies.smallest, replies.largest, replies.mean_size,
              static_cast<double>(speed) / 1000, line_rate(replies.wire_octets, speed), replies.ad,
              replies.tc, replies.records_read ? fmt::format(", signed {}", replies.rrsig) : "");
    if (replies.no_question != 0)
        lines.row("", "{} without a question, as from a server that refuses to read it",
                  replies.no_question);
}

// Names the interval in which the smallest share of the queries was valid.
void add_intervals(Lines &lines, const TrialResult &result)
{
    const auto invalid_share = [](const IntervalSummary &interval) {
        const auto sent = static_cast<double>(interval.queries.sent);
        return sent == 0 ? 0 : 1 - static_cast<double>(interval.queries.valid) / sent;
    };
    const auto worst = std::ranges::max_element(result.intervals, {}, invalid_share);
    if (result.intervals.size() > 1)
        lines.row(
            "intervals", "{} of {:g} s; {}", result.intervals.size(), seconds(result.interval),
            result.queries.valid == result.queries.sent
                ? "in each all queries were valid"
                : fmt::format("fewest valid in the one from {:g} s on: {} of {}",
                              seconds(worst->since), worst->queries.valid, worst->queries.sent));
    if (!result.later_part)
        return;
    const IntervalSummary &later = *result.later_part;
    add_part(lines, fmt::format("since {:g} s", seconds(later.since)).c_str(), later.queries);
    add_rtt(lines, "", later.rtt);
}

// Returns ", letters exact" and the seed that mixed them; an empty text if letters do not count.
std::string letters_text(const LetterSummary &letters)
{
    std::string text = letters.seed ? fmt::format(", letters mixed by {}", *letters.seed) : "";
    if (letters.letter_case == LetterCase::exact)
        text += ", letters exact";
    return text;
}

void add_list(Lines &lines, const ListSummary &list, Nanoseconds timeout)
{
    lines.row("list", "{}: {}, {}, {:.1f} MiB{}", list.file,
              counted(list.queries, "query", "queries"),
              counted(list.distinct, "different question"),
              static_cast<double>(list.memory) / (1U << 20U),
              list.shuffle_seed ? fmt::format(", shuffled by {}", *list.shuffle_seed) : "");
    lines.row("", "replies expected: {}{}, timeout {:g} s", expectations.text_of(list.expect),
              letters_text(list.letters), seconds(timeout));
}

// Returns the words for a key of "left_out": "other server" for "other_server".
std::string omission_text(std::string key)
{
    if (key == "outside")
        return "outside of --skip and --duration, in the part that was read";
    std::ranges::replace(key, '_', ' ');
    return key;
}

void add_replay(Lines &lines, const ReplaySummary &replay, Nanoseconds timeout)
{
    lines.row("captures",
              "{}: {} queries of {} clients{}, {} played at once, {:g} times as fast, {:.1f} MiB",
              join(replay.files, ", "), replay.queries, replay.clients,
              replay.clients_in.empty()
                  ? ""
                  : fmt::format(" in {}, from {} ports", replay.clients_in,
                                replay.keeps_ports ? "their own" : "the Tester's"),
              replay.played, replay.speed, static_cast<double>(replay.memory) / (1U << 20U));
    lines.row("", "replies expected: {}{}{}, timeout {:g} s", expectations.text_of(replay.expect),
              replay.unanswered == 0
                  ? ""
                  : fmt::format(" ({} have no whole answer there: useful)", replay.unanswered),
              letters_text(replay.letters), seconds(timeout));
    lines.text("left out", left_out_text(replay.left_out));
}

// Returns "10.0.0.0/8 under dns64perf.test", and the order if it is not the usual one.
std::string names_text(const TrialResult &result)
{
    return fmt::format("{} under {}{}", result.names, result.zone,
                       result.name_order == NameOrder::random ? " in random order" : "");
}

void add_mix(Lines &lines, const TrialResult &result, const MixSummary &mix)
{
    lines.row("names", "{}, timeout {:g} s", names_text(result), seconds(result.timeout));
    lines.row("mix", "{}; {} % with DO, {} % for names that do not exist{}{}", mix.types,
              mix.dnssec_ok, mix.nxdomain, mix.is_signed ? "; the zone is signed" : "",
              letters_text(mix.letters));
}

std::string rate_text(const TrialResult &result)
{
    if (result.has_handshakes_alone && result.pace.kind == Pace::Kind::constant)
        return counted(result.rate.per_second, "connection/s", "connections/s");
    const Pace &pace = result.pace;
    switch (pace.kind) {
    case Pace::Kind::poisson:
        return fmt::format("{} queries/s at random (Poisson, seed {})", result.rate.per_second,
                           pace.seed);
    case Pace::Kind::steps:
        return fmt::format("{} to {} queries/s in {} steps", pace.from.per_second,
                           pace.to.per_second, pace.rates());
    case Pace::Kind::ramp:
        return fmt::format("{} queries/s, rising evenly to {}", pace.from.per_second,
                           pace.to.per_second);
    case Pace::Kind::original:
        return fmt::format("{} queries/s on average, at the captures' times",
                           result.rate.per_second);
    case Pace::Kind::window:
        return fmt::format(
            "window of {}{}{}", counted(pace.window, "query", "queries"),
            result.sending.lanes.size() > 1 ? " of each sender" : "",
            pace.most ? fmt::format(" at {} queries/s or less", pace.most->per_second) : "");
    case Pace::Kind::constant:
        break;
    }
    return counted(result.rate.per_second, "query/s", "queries/s");
}

std::string ramp_text(const RampSummary &ramp, Rate to)
{
    if (!ramp.left)
        return fmt::format("no rate up to {} queries/s from which on too few were answered",
                           to.per_second);
    return fmt::format(
        "the server left the line at {} queries/s, or between {} and {}; then it answered {}/s",
        *ramp.left, ramp.low.value_or(0), ramp.high.value_or(0), ramp.answered.value_or(0));
}

void add_times(Lines &lines, const TrialResult &result)
{
    add_replies(lines, result.replies, result.circumstances.link_mbps);
    add_rtt(lines, "RTT", result.rtt);
    add_stamps(lines, result.circumstances);
    add_rtt(lines, "RTT by card", result.rtt_hardware);
    const SendingSummary &sending = result.sending;
    add_intervals(lines, result);
    if (const std::optional<WindowSummary> &window = result.window)
        lines.row("window", "{:.0f} answers/s; {:.2f} of {} open on average, {:.2f} by RTT",
                  window->answered_rate, window->mean_open,
                  counted(window->places, "query", "queries"), window->mean_open_by_rtt);
    if (const std::optional<RampSummary> &ramp = result.ramp)
        lines.text("ramp", ramp_text(*ramp, result.pace.to));
    lines.row("sending", "{:.0f} queries/s over {:.6f} s; lateness median {}, p99 {}, max {}",
              sending.achieved_rate, seconds(sending.duration), duration(sending.lateness.p50),
              duration(sending.lateness.p99), duration(sending.lateness.max));
}

// Returns "2 queues", or their numbers if these are not 0, 1 and so on.
std::string queues_text(const TrialResult &result)
{
    std::vector<std::uint32_t> queues;
    bool are_usual = true;
    for (const LaneSummary &lane : result.sending.lanes) {
        are_usual = are_usual && lane.queue == queues.size();
        queues.push_back(lane.queue);
    }
    // The lanes of several Testers have the queues of all.
    return are_usual || result.circumstances.queues != queues.size()
               ? counted(result.circumstances.queues, "queue")
               : fmt::format("queue {}", join(queues, ","));
}

// Returns what carried the queries: "1 queue, XDP native, AF_XDP copy".
std::string means_text(const TrialResult &result)
{
    const std::string datagrams =
        fmt::format("{}, {}", queues_text(result), modes_text(result.circumstances.modes));
    if (!result.connections)
        return datagrams;
    const ConnectionSummary &connections = *result.connections;
    const auto most = [](std::uint64_t count, const char *what) {
        return count == 0 ? "" : fmt::format(", {} {}", counted(count, "query", "queries"), what);
    };
    const std::string each = most(connections.queries_each, "each at most") +
                             most(connections.pipeline, "at most without a reply");
    const std::string transport = result.transport == Transport::capture
                                      ? datagrams + ", and TCP"
                                      : transport_names.text_of(result.transport);
    if (result.has_handshakes_alone)
        return fmt::format("{}, connections that are opened and closed", transport);
    if (!connections.idle_times.empty())
        return fmt::format("{}, a connection of each client, closed after {} s without use{}",
                           transport, connections.idle_times, each);
    return fmt::format("{}, {} at once{}{}", transport, counted(connections.at_once, "connection"),
                       result.sending.lanes.size() > 1 ? " of each sender" : "", each);
}

// Adds why senders have their CPUs.
void add_senders(Lines &lines, const TrialResult &result)
{
    const auto add = [&lines](const std::string &whose, const Circumstances &with) {
        if (!with.sender_cpus_why.empty())
            lines.row("sender", "{}CPU {}: {}", whose, join(with.sender_cpus, ","),
                      with.sender_cpus_why);
    };
    if (result.testers.empty())
        add("", result.circumstances);
    for (const TesterResult &tester : result.testers)
        if (tester.trial)
            add(fmt::format("Tester {}: ", tester.rank), tester.trial->circumstances);
}

// Adds what was asked, and how.
void add_request(Lines &lines, const TrialResult &result)
{
    const Circumstances &with = result.circumstances;
    lines.line(fmt::format("{}{} for {:g} s to {} port {}",
                           result.qtype.empty() ? "" : result.qtype + " ", rate_text(result),
                           seconds(result.duration), result.server, result.port));
    if (result.catch_up)
        lines.row("catching up", "at {:g} times the rate at most, after a stall of the Tester",
                  *result.catch_up);
    if (result.replay)
        add_replay(lines, *result.replay, result.timeout);
    else if (result.list)
        add_list(lines, *result.list, result.timeout);
    else if (result.mix)
        add_mix(lines, result, *result.mix);
    else if (result.has_handshakes_alone)
        lines.row("handshakes",
                  "connections that carry no query: sent are those begun, valid those opened in "
                  "time, RTT is the time until then; timeout {:g} s",
                  seconds(result.timeout));
    else
        lines.row("names", "{}, answer expected: {}, timeout {:g} s", names_text(result),
                  result.answer, seconds(result.timeout));
    lines.text("EDNS", result.edns_options);
    if (result.dns64)
        lines.row("DNS64",
                  "{} % of the names have AAAA records in {}, {} % of the queries are for "
                  "one name in its cache",
                  result.dns64->aaaa_share, result.dns64->aaaa_prefix, result.dns64->cached_share);
    lines.row("through", "{} ({}), {}", with.interface, with.driver, means_text(result));
    add_senders(lines, result);
    if (with.link_wait >= link_wait_told)
        lines.row("link",
                  "came back {} after the program had been attached; then queries were sent",
                  duration(with.link_wait.count()));
}

void add_verdict(Lines &lines, Verdict verdict, const std::string &why, const Caveats &caveats)
{
    lines.row("verdict", "{}: {}", to_string(verdict), why);
    for (const CaveatLine &line : caveat_lines(caveats))
        lines.row(line.name, "{}", line.text);
}

// Returns the columns of a table of trials. With `leaves_invalid` invalid trials have no figures.
Columns<TrialResult> trial_columns(bool leaves_invalid)
{
    Columns<TrialResult> columns = {
        {"verdict", "verdict", [](const TrialResult &trial) { return to_string(trial.verdict); }}};
    const auto add = [&](const std::string &key, const SpreadFigure &figure) {
        columns.push_back({key, figure.label, [=, of = figure.of](const TrialResult &trial) {
                               const std::optional<double> value = of(trial);
                               const bool is_left =
                                   leaves_invalid && trial.verdict == Verdict::invalid;
                               return value && !is_left ? Json(*value) : Json();
                           }});
    };
    add(answered_share.key, answered_share);
    for (const SpreadFigure &rtt : rtt_figures)
        add(fmt::format("{}_ns", rtt.key), rtt);
    return columns;
}

Table trials_table(const std::vector<TrialResult> &trials)
{
    constexpr std::array bands{BandRow{"median", &Band::median}, BandRow{"min", &Band::min},
                               BandRow{"max", &Band::max}};
    Table table = rows_table(trials, trial_columns(false));
    number_rows(table, "", "trial ");
    add_bands<TrialResult>(table, trials, trial_columns(true), bands);
    if (const std::uint64_t telling = telling_trials(trials); telling != trials.size())
        table.notes.push_back(fmt::format("Median, min and max are of {} that {} not invalid.",
                                          counted(telling, "trial"), telling == 1 ? "is" : "are"));
    return table;
}

std::string roles_of(const CpuUse &use)
{
    const bool serves = use.server_ran + use.server_waited > Nanoseconds{};
    return joined(std::array{std::pair(use.sends, "sends"), std::pair(use.receives, "receives"),
                             std::pair(serves, "runs the server")},
                  [](const auto &role) { return role.first ? role.second : ""; });
}

// Returns how long the server was kept from a CPU, and by whom.
std::string absence_text(const std::optional<CpuAbsence> &absence)
{
    if (!absence || absence->longest == Nanoseconds{})
        return {};
    if (absence->process == 0)
        return fmt::format("; the server waited for the hypervisor {} at most",
                           duration(absence->longest.count()));
    return fmt::format("; the server waited for {} ({}) {} at most", absence->name,
                       absence->process, duration(absence->longest.count()));
}

// Adds who else had the trial's CPUs: the shares that --max-others limits.
void add_cpus(Lines &lines, const std::vector<CpuUse> &cpus)
{
    for (const CpuUse &use : cpus) {
        if (use.elapsed <= Nanoseconds{})
            continue;
        const auto share = [&use](Nanoseconds time) {
            return fmt::format("{:.2f} %", 100 * seconds(time) / seconds(use.elapsed));
        };
        lines.row(fmt::format("CPU {}", use.cpu).c_str(), "{}; others had {}, the hypervisor {}{}",
                  roles_of(use), share(use.others + use.unseen), share(use.steal),
                  (use.sends ? ", and the sender waited for " + share(use.sender_waited) : "") +
                      absence_text(use.absence));
    }
}

// Adds notes on the Tester's queues.
void add_queues(Lines &lines, const std::optional<PlacementResult> &placement)
{
    if (placement)
        for (const std::string &note : placement->notes)
            lines.row("queues", "{}", note);
}

// Returns the columns of a table of several Testers, by the fields of `testers` in JSON. A Tester
// without a part of the result has no figures.
Columns<Json> tester_columns()
{
    return {{"", "Tester",
             [](const Json &tester) {
                 return fmt::format("{} {}", tester.at("rank").get<unsigned>(),
                                    tester.at("host").get<std::string>());
             }},
            field("/trial/circumstances/interface", "interface"),
            field("/trial/sent", "sent"),
            field("/trial/valid", "valid"),
            {"", "wrong",
             [](const Json &tester) {
                 const Json &trial = tester.at("trial");
                 return trial.is_null()
                            ? Json()
                            : Json(trial.at("late").get<std::uint64_t>() +
                                   trial.at("invalid").at("total").get<std::uint64_t>());
             }},
            field("/trial/lost", "lost"),
            field("/trial/rtt_ns/p50", "RTT median"),
            field("/trial/rtt_ns/p99", "RTT p99"),
            field("/trial/sending/lateness_ns/max", "late max"),
            field("/schedule_error_ns", "clock"),
            {"", "verdict", [](const Json &tester) {
                 const Json &trial = tester.at("trial");
                 return trial.is_null() ? Json(to_string(Verdict::invalid)) : trial.at("verdict");
             }}};
}

std::string wall_clock_text(const WallClock &clock)
{
    std::string state = "synchronised or not: unknown";
    if (clock.is_synchronised)
        state = *clock.is_synchronised ? "synchronised to " + duration(clock.error_most.count())
                                       : std::string("not synchronised");
    return fmt::format("{} ({})", state,
                       clock.programs.empty() ? std::string("no program keeps it")
                                              : join(clock.programs, ", "));
}

// Returns the state of each Tester's wall clock, or one state if all are alike.
std::string wall_clocks_text(const std::vector<TesterResult> &testers)
{
    std::vector<std::string> states;
    std::vector<std::string> by_rank;
    for (const TesterResult &tester : testers)
        if (tester.trial && tester.trial->circumstances.wall_clock) {
            states.push_back(wall_clock_text(*tester.trial->circumstances.wall_clock));
            by_rank.push_back(fmt::format("{} {}", tester.rank, states.back()));
        }
    if (states.empty())
        return {};
    if (std::ranges::count(states, states.front()) == static_cast<std::ptrdiff_t>(testers.size()))
        return "each " + states.front();
    return join(by_rank, "; ");
}

// Adds what each of several Testers did.
void add_testers(Lines &lines, const TrialResult &result)
{
    if (result.testers.empty())
        return;
    const auto testers = to_json(result).at("testers").get<std::vector<Json>>();
    Table table = rows_table<Json>(testers, tester_columns());
    table.notes.emplace_back("clock: queries left at most so far off the common schedule, because "
                             "clocks differ.");
    if (const std::string clocks = wall_clocks_text(result.testers); !clocks.empty())
        table.notes.push_back("Wall clocks, which no trial uses: " + clocks + ".");
    lines.line("\n" + render(table, TableForm::text));
}

// Returns a column for each figure of an interval, by its fields in JSON. Without a valid reply
// there is no RTT.
Columns<Json> interval_columns()
{
    Columns<Json> columns;
    const auto add = [&columns](const std::string &key, const std::string &pointer) {
        columns.push_back(field(pointer.c_str(), ""));
        columns.back().key = key;
    };
    for (const char *key : {"since_s", "sent", "valid", "late", "lost"})
        add(key, fmt::format("/{}", key));
    add("invalid", "/invalid/total");
    for (const InvalidClass &each : invalid_classes)
        add(fmt::format("invalid_{}", each.key), fmt::format("/invalid/{}", each.key));
    for (unsigned rcode = 0; rcode < IntervalSummary{}.rcodes.size(); rcode++)
        columns.push_back({fmt::format("rcode_{}", rcode_text(rcode)), "",
                           [name = rcode_text(rcode)](const Json &part) {
                               return part.at("rcodes").value(name, std::uint64_t{0});
                           }});
    for (const char *figure : {"min", "p50", "p90", "p99", "p99_9", "max", "mean"})
        add(fmt::format("rtt_{}_ns", figure), fmt::format("/rtt_ns/{}", figure));
    columns.back().plain = [](const Json &mean) {
        return mean.is_null() ? "" : fmt::format("{:.1f}", mean.get<double>());
    };
    return columns;
}

} // namespace

std::string left_out_text(const std::vector<std::pair<const char *, std::uint64_t>> &left_out)
{
    return joined(left_out, [](const auto &one) {
        const auto &[reason, count] = one;
        return count == 0 ? "" : fmt::format("{} {}", omission_text(reason), count);
    });
}

std::string to_text(const TrialResult &result)
{
    Lines lines;
    add_request(lines, result);
    add_queries(lines, result.queries);
    if (result.list || result.replay || result.mix || result.queries.invalid.rcode != 0)
        lines.text("RCODEs", rcodes_text(result));
    add_strays(lines, result.strays);
    add_transports(lines, result.by_transport);
    add_connections(lines, result.connections);
    add_losses(lines, result.own_losses);
    add_stalls(lines, result);
    add_times(lines, result);
    if (result.probe)
        add_probe(lines, *result.probe, &result.rtt);
    add_cpus(lines, result.cpus);
    add_queues(lines, result.placement);
    add_testers(lines, result);
    add_verdict(lines, result.verdict, result.why, result.caveats);
    for (const Hint &hint : result.hints)
        lines.text("hint", hint.text);
    return lines.take();
}

std::string to_text(const RepeatedTrials &repeated)
{
    Lines lines;
    add_request(lines, repeated.trials.front());
    lines.line("\n" + render(trials_table(repeated.trials), TableForm::text));
    std::optional<PlacementResult> all;
    for (const TrialResult &trial : repeated.trials)
        if (trial.placement)
            add(all, *trial.placement);
    add_queues(lines, all);
    add_verdict(lines, repeated.verdict, repeated.why, repeated.caveats);
    return lines.take();
}

std::string intervals_csv(const TrialResult &result)
{
    const auto intervals = to_json(result).at("intervals").get<std::vector<Json>>();
    return render(rows_table(intervals, interval_columns(), TableForm::csv), TableForm::csv);
}

std::string trial_advice(const TrialResult &trial)
{
    const QueryCounts &queries = trial.queries;
    const std::uint64_t unanswered = queries.lost + queries.late;
    if (queries.lost == queries.sent)
        return fmt::format("nothing answers: see whether the server runs, listens at {} port {}, "
                           "and lets the Tester ask (firewalls, access lists)",
                           trial.server, trial.port);
    if (queries.invalid.rcode >= unanswered && queries.invalid.rcode != 0)
        return "the server lacks the names, or may not answer for them: give it a zone with them "
               "(dnsgauge-zone server), or ask for names that it has (--names, --queries)";
    if (unanswered != 0)
        return fmt::format("the server drops queries, or answers late, even at {} queries/s: "
                           "switch its response-rate limiting off, and see what else delays it",
                           trial.rate.per_second);
    return "the server answers, and not as expected: see whether its data fits --zone and "
           "--answer-prefix, or accept other answers (--answer, --accept-answers)";
}

} // namespace dnsgauge
