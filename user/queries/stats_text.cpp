// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/capture_stats.h"

#include "dns/query_type.h"
#include "queries/name_list.h"
#include "record/trial_fields.h"
#include "system/utc_text.h"
#include "text/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace dnsgauge
{

namespace
{

constexpr std::array<const char *, 16> opcode_names{
    "QUERY",   "IQUERY",  "STATUS",   "OPCODE3",  "NOTIFY",   "UPDATE",   "DSO",      "OPCODE7",
    "OPCODE8", "OPCODE9", "OPCODE10", "OPCODE11", "OPCODE12", "OPCODE13", "OPCODE14", "OPCODE15"};

std::string address_text(const std::string &octets)
{
    return to_string(
        IpAddress::of({reinterpret_cast<const std::uint8_t *>(octets.data()), octets.size()}));
}

std::string time_text(std::int64_t time_ns)
{
    const auto at = std::chrono::system_clock::from_time_t(time_ns / 1'000'000'000);
    return fmt::format("{}.{:09}Z", utc_text(at), time_ns % 1'000'000'000);
}

NamedCounts opcode_counts(const CaptureStats &stats)
{
    NamedCounts counts;
    for (std::size_t i = 0; i < stats.opcodes.size(); i++)
        if (stats.opcodes.at(i) != 0)
            counts.emplace_back(opcode_names.at(i), stats.opcodes.at(i));
    return counts;
}

// Returns the types and how often they came, the most frequent first.
NamedCounts types_of(const CaptureStats &stats)
{
    NamedCounts types;
    for (const auto &[type, count] : stats.types)
        types.emplace_back(query_type_text(type), count);
    std::ranges::stable_sort(types, std::ranges::greater{}, &NamedCounts::value_type::second);
    return types;
}

// The texts that came most often.
struct Frequent {
    struct Text {
        std::string text;
        std::uint64_t queries = 0;
    };
    std::uint64_t distinct = 0;
    std::uint64_t uncounted = 0;
    std::vector<Text> most_frequent{};
};

Frequent frequent(const BoundedCounts &counts, std::size_t top,
                  std::string (*text)(const std::string &))
{
    Frequent found{.distinct = counts.distinct(), .uncounted = counts.uncounted()};
    for (const auto &[key, count] : counts.most_frequent(top))
        found.most_frequent.push_back({text(key), count});
    return found;
}

std::string share_text(std::uint64_t part, std::uint64_t whole)
{
    if (whole == 0)
        return "";
    return fmt::format("{:.2f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string share_table(const std::string &head, const NamedCounts &rows, std::uint64_t whole)
{
    Table table;
    table.heads = {{head, "count", "share"}};
    for (const auto &[text, count] : rows)
        table.rows.push_back({text, std::to_string(count), share_text(count, whole)});
    return rows.empty() ? "" : "\n" + render(table, TableForm::text);
}

std::string frequent_table(const std::string &what, const BoundedCounts &counts, std::size_t top,
                           std::uint64_t queries, std::string (*text)(const std::string &))
{
    NamedCounts rows;
    for (const auto &[key, count] : counts.most_frequent(top))
        rows.emplace_back(text(key), count);
    const std::string head = fmt::format(
        "{} ({}{})", what, counts.uncounted() != 0 ? "more than " : "", counts.distinct());
    return share_table(head, rows, queries);
}

// A terminal gets at most this many intervals.
constexpr std::size_t shown_intervals = 30;

// Returns messages per second; "-" if the time is too short for a rate.
std::string rate_text(std::uint64_t count, Nanoseconds covered, Nanoseconds interval)
{
    if (covered < interval / 100)
        return "-";
    return fmt::format("{:.1f}", static_cast<double>(count) / seconds(covered));
}

std::string intervals_table(const CaptureStats &stats)
{
    Table table;
    table.heads = {{"from, s", "for, s", "queries/s", "answers/s"}};
    const std::vector<CaptureStats::Moment> moments = stats.over_time();
    for (const CaptureStats::Moment &moment : moments) {
        if (table.rows.size() == shown_intervals) {
            table.notes.push_back(fmt::format("{} of {} intervals; --json has all of them.",
                                              shown_intervals, moments.size()));
            break;
        }
        const auto rate_of = [&](std::uint64_t count) {
            return rate_text(count, moment.covered, stats.interval());
        };
        table.rows.push_back(
            {fmt::format("{:.3f}", seconds(Nanoseconds{moment.since_ns - stats.first_ns})),
             fmt::format("{:.3f}", seconds(moment.covered)), rate_of(moment.counts.queries),
             rate_of(moment.counts.answers)});
    }
    return "\n" + render(table, TableForm::text);
}

} // namespace

static void fields(Fields &row, CaptureCounts &left_out)
{
    row("tcp", left_out.tcp,
        "TCP segments from or to the DNS port that hold no whole message, and "
        "whose stream is not known so far");
    row("fragments", left_out.fragments, "fragments of IP packets");
    row("cut", left_out.cut, "packets that were captured in part");
    row("malformed", left_out.malformed,
        "UDP datagrams from or to the port that are no DNS messages");
    row("other", left_out.other, "all other packets");
}

static void fields(Fields &row, CaptureStats::Sizes &sizes)
{
    row("min", sizes.least, "the smallest");
    row.made("mean", static_cast<double>(sizes.sum) / static_cast<double>(sizes.count), "the mean");
    row("max", sizes.most, "the largest");
}

static void fields(Fields &row, Frequent::Text &text)
{
    row("text", text.text, "the name, as in a zone file, or the client's address");
    row("queries", text.queries, "the number of its queries", {.least = 1});
}

static void fields(Fields &row, Frequent &found)
{
    row("distinct", found.distinct, "how many were counted, at most a million");
    row("uncounted_queries", found.uncounted, "queries of further ones");
    row.list("most_frequent", found.most_frequent, "the ones with the most queries");
}

static void fields(Fields &row, CaptureStats::Moment &moment)
{
    row.made("since_ns", moment.since_ns,
             "the interval's beginning, nanoseconds since 1970-01-01 UTC; the first one begins "
             "with the first message",
             {.least = 0});
    row("covered_s", moment.covered,
        "seconds of the interval that lie between the first message and the last, by which a rate "
        "divides; 0: its messages came at once",
        newer);
    row("queries", moment.counts.queries, "queries in the interval");
    row("answers", moment.counts.answers, "answers in the interval");
}

void fields(Fields &row, CaptureStudy &study)
{
    CaptureStats &stats = study.stats;
    const bool is_empty = stats.queries + stats.answers == 0;
    row.form("capture", "What captures, or lists of queries, hold. dnsgauge-queries stats --json "
                        "writes it.");
    row("files", study.files, "the inputs");
    row("packets", study.counts.packets,
        "packets that were read: the sum of queries, answers, filtered, tcp_segments and all of "
        "left_out, less tcp_messages");
    row("queries", stats.queries, "messages to the DNS port that the filters let through");
    row("answers", stats.answers, "messages from the DNS port that the filters let through");
    row("filtered", study.filtered, "messages that the filters did not let through");
    row("tcp_messages", study.counts.tcp_messages, "of all messages, the ones over TCP", newer);
    row("tcp_segments", study.counts.segments,
        "TCP segments that held these messages or parts of them", newer);
    row.object("left_out", study.counts, "packets without a message that could be read");
    row("disordered", study.disordered, "messages that come after one of a later time");
    row.made("since_ns", stats.first_ns,
             "the time of the earliest message, nanoseconds since 1970-01-01 UTC; null: there is "
             "none",
             {.is_null = is_empty, .least = 0});
    row.made("until_ns", stats.last_ns,
             "the time of the latest message, nanoseconds since 1970-01-01 UTC; null: there is "
             "none",
             {.is_null = is_empty, .least = 0});
    row.made("rate", stats.rate(),
             "queries per second between these times; null: both times are the same, or there is "
             "no message");
    row.made("types", types_of(stats), "queries by type");
    row.made("opcodes", opcode_counts(stats), "queries by opcode");
    row.made("rcodes", rcode_counts(stats.rcodes),
             "answers by the name of their RCODE, whose upper bits stand in the OPT record");
    row("unreadable", stats.unreadable, "queries without exactly one uncompressed question");
    row("recursion_desired", stats.recursion_desired, "queries with RD");
    row("edns", stats.edns, "queries with an OPT record");
    row("dnssec_ok", stats.dnssec_ok, "queries with DO");
    row("doubled", stats.doubled,
        "queries that follow, within a millisecond, a query of the same client, port, server, ID "
        "and question: packets that were captured twice",
        newer);
    row.object("query_octets", stats.query_octets, "octets of the queries; null: there are none",
               {.is_null = stats.queries == 0});
    row.object("answer_octets", stats.answer_octets, "octets of the answers; null: there are none",
               {.is_null = stats.answers == 0});
    Frequent names = frequent(stats.names, study.top, name_text);
    row.object("names", names, "the names of the queries");
    Frequent clients = frequent(stats.clients, study.top, address_text);
    row.object("clients", clients, "the clients of the queries");
    row.made("interval_s", stats.interval(), "the length of an interval, seconds",
             {.is_above_zero = true});
    std::vector<CaptureStats::Moment> moments = stats.over_time();
    row.list("over_time", moments,
             "the intervals from the first message to the last, those without a message too");
}

std::string to_text(const CaptureStudy &study)
{
    const CaptureStats &stats = study.stats;
    Table facts;
    facts.heads = {{"what", "how much"}};
    const auto add = [&](const std::string &what, std::uint64_t count, bool always = false) {
        if (always || count != 0)
            facts.rows.push_back({what, std::to_string(count)});
    };
    add("packets", study.counts.packets, true);
    add("queries", stats.queries, true);
    add("answers", stats.answers, true);
    add("messages not wanted", study.filtered);
    add("messages over TCP", study.counts.tcp_messages);
    add("left out: TCP segments without a whole message", study.counts.tcp);
    add("left out: fragments", study.counts.fragments);
    add("left out: captured in part", study.counts.cut);
    add("left out: malformed", study.counts.malformed);
    add("left out: other than DNS", study.counts.other);
    add("messages after a later one", study.disordered);
    if (stats.queries + stats.answers != 0) {
        facts.rows.push_back({"from", time_text(stats.first_ns)});
        facts.rows.push_back({"for, s", fmt::format("{:.6f}", seconds(stats.duration()))});
    }
    if (const std::optional<double> rate = stats.rate())
        facts.rows.push_back({"queries per second", fmt::format("{:.1f}", *rate)});
    add("queries without one plain question", stats.unreadable);
    add("queries with RD", stats.recursion_desired);
    add("queries with EDNS", stats.edns);
    add("queries with DO", stats.dnssec_ok);
    add("queries again within 1 ms", stats.doubled);
    if (const std::string doubt = doubled_text(stats.doubled, stats.queries); !doubt.empty())
        facts.notes.push_back(doubt);
    std::string text = render(facts, TableForm::text);
    text += share_table("type", types_of(stats), stats.queries);
    text += share_table("opcode", opcode_counts(stats), stats.queries);
    text += share_table("RCODE", rcode_counts(stats.rcodes), stats.answers);
    text += frequent_table("name", stats.names, study.top, stats.queries, name_text);
    text += frequent_table("client", stats.clients, study.top, stats.queries, address_text);
    if (stats.queries + stats.answers != 0)
        text += intervals_table(stats);
    return text;
}

} // namespace dnsgauge
