// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/capture_stats.h"

#include "queries/name_list.h"
#include "record/json.h"
#include "record/json_text.h"
#include "text/table.h"
#include "userland/query_type.h"
#include "workload/query_list.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

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
    const std::time_t at = time_ns / 1'000'000'000;
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z", fmt::gmtime(at), time_ns % 1'000'000'000);
}

Json opcodes_json(const std::array<std::uint64_t, 16> &opcodes)
{
    Json json = Json::object();
    for (std::size_t i = 0; i < opcodes.size(); i++)
        if (opcodes[i] != 0)
            json[opcode_names[i]] = opcodes[i];
    return json;
}

// Returns the types and how often they came, the most frequent first.
std::vector<std::pair<std::string, std::uint64_t>> types_of(const CaptureStats &stats)
{
    std::vector<std::pair<std::string, std::uint64_t>> types;
    for (const auto &[type, count] : stats.types)
        types.emplace_back(query_type_text(type), count);
    std::ranges::stable_sort(types, std::ranges::greater{},
                             &std::pair<std::string, std::uint64_t>::second);
    return types;
}

Json sizes_json(const CaptureStats::Sizes &sizes, std::uint64_t count)
{
    if (count == 0)
        return nullptr;
    return {{"min", sizes.least},
            {"mean", static_cast<double>(sizes.sum) / static_cast<double>(count)},
            {"max", sizes.most}};
}

Json frequent_json(const BoundedCounts &counts, std::size_t top,
                   std::string (*text)(const std::string &))
{
    Json list = Json::array();
    for (const auto &[key, count] : counts.most_frequent(top))
        list.push_back({{"text", text(key)}, {"queries", count}});
    return {{"distinct", counts.distinct()},
            {"uncounted_queries", counts.uncounted()},
            {"most_frequent", list}};
}

std::string share_text(std::uint64_t part, std::uint64_t whole)
{
    if (whole == 0)
        return "";
    return fmt::format("{:.2f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

template <class Rows>
std::string share_table(const std::string &head, const Rows &rows, std::uint64_t whole)
{
    Table table;
    table.heads = {{head, "count", "share"}};
    for (const auto &[text, count] : rows)
        table.rows.push_back({text, std::to_string(count), share_text(count, whole)});
    return rows.empty() ? "" : "\n" + render(table, TableForm::text);
}

std::vector<std::pair<std::string, std::uint64_t>> rows_of(const Json &counts)
{
    std::vector<std::pair<std::string, std::uint64_t>> rows;
    for (const auto &[name, count] : counts.items())
        rows.emplace_back(name, count.get<std::uint64_t>());
    return rows;
}

std::string frequent_table(const std::string &what, const BoundedCounts &counts, std::size_t top,
                           std::uint64_t queries, std::string (*text)(const std::string &))
{
    std::vector<std::pair<std::string, std::uint64_t>> rows;
    for (const auto &[key, count] : counts.most_frequent(top))
        rows.emplace_back(text(key), count);
    const std::string head = fmt::format(
        "{} ({}{})", what, counts.uncounted() != 0 ? "more than " : "", counts.distinct());
    return share_table(head, rows, queries);
}

// A terminal gets at most this many intervals.
constexpr std::size_t shown_intervals = 30;

// Returns messages per second; "-" if the time is too short to tell a rate.
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

Json to_json(const CaptureStats &stats, const StatsInput &input)
{
    const bool is_empty = stats.queries + stats.answers == 0;
    Json json;
    json["schema"] = "dnsgauge/capture/1";
    json["files"] = input.files;
    json["packets"] = input.counts.packets;
    json["queries"] = stats.queries;
    json["answers"] = stats.answers;
    json["filtered"] = input.filtered;
    json["left_out"] = {{"tcp", input.counts.tcp},
                        {"fragments", input.counts.fragments},
                        {"cut", input.counts.cut},
                        {"malformed", input.counts.malformed},
                        {"other", input.counts.other}};
    json["disordered"] = input.disordered;
    json["since_ns"] = is_empty ? Json(nullptr) : Json(stats.first_ns);
    json["until_ns"] = is_empty ? Json(nullptr) : Json(stats.last_ns);
    const std::optional<double> rate = stats.rate();
    json["rate"] = rate ? Json(*rate) : Json(nullptr);
    json["types"] = Json::object();
    for (const auto &[type, count] : types_of(stats))
        json["types"][type] = count;
    json["opcodes"] = opcodes_json(stats.opcodes);
    json["rcodes"] = rcodes_json(stats.rcodes);
    json["unreadable"] = stats.unreadable;
    json["recursion_desired"] = stats.recursion_desired;
    json["edns"] = stats.edns;
    json["dnssec_ok"] = stats.dnssec_ok;
    json["doubled"] = stats.doubled;
    json["query_octets"] = sizes_json(stats.query_octets, stats.queries);
    json["answer_octets"] = sizes_json(stats.answer_octets, stats.answers);
    json["names"] = frequent_json(stats.names, input.top, name_text);
    json["clients"] = frequent_json(stats.clients, input.top, address_text);
    json["interval_s"] = seconds(stats.interval());
    json["over_time"] = Json::array();
    for (const CaptureStats::Moment &moment : stats.over_time())
        json["over_time"].push_back({{"since_ns", moment.since_ns},
                                     {"covered_s", seconds(moment.covered)},
                                     {"queries", moment.counts.queries},
                                     {"answers", moment.counts.answers}});
    return json;
}

std::string to_text(const CaptureStats &stats, const StatsInput &input)
{
    Table facts;
    facts.heads = {{"what", "how much"}};
    const auto add = [&](const std::string &what, std::uint64_t count, bool always = false) {
        if (always || count != 0)
            facts.rows.push_back({what, std::to_string(count)});
    };
    add("packets", input.counts.packets, true);
    add("queries", stats.queries, true);
    add("answers", stats.answers, true);
    add("messages not wanted", input.filtered);
    add("left out: TCP segments with data", input.counts.tcp);
    add("left out: fragments", input.counts.fragments);
    add("left out: captured in part", input.counts.cut);
    add("left out: malformed", input.counts.malformed);
    add("left out: other than DNS", input.counts.other);
    add("messages after a later one", input.disordered);
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
    text += share_table("opcode", rows_of(opcodes_json(stats.opcodes)), stats.queries);
    text += share_table("RCODE", rows_of(rcodes_json(stats.rcodes)), stats.answers);
    text += frequent_table("name", stats.names, input.top, stats.queries, name_text);
    text += frequent_table("client", stats.clients, input.top, stats.queries, address_text);
    if (stats.queries + stats.answers != 0)
        text += intervals_table(stats);
    return text;
}

} // namespace dnsgauge
