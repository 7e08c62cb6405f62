// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/reasons.h"

#include "system/counted.h"
#include "system/listed.h"

#include <fmt/format.h>

#include <algorithm>

namespace dnsgauge
{

namespace
{

// Returns which options to compare if more than half of a DNS64 server's answers have other data
// than the options say; otherwise an empty text.
std::string disagreeing_options(const Evidence &evidence)
{
    const QueryCounts &queries = evidence.queries;
    if (!evidence.dns64 || queries.invalid.wrong_data <= queries.sent / 2)
        return {};
    return fmt::format("; more than half of the answers are right but for their data, so options "
                       "disagree: compare --answer-prefix ({}) with the DNS64 server's Pref64, and "
                       "--aaaa-share ({}) and --aaaa-prefix ({}) with fakedns' own",
                       evidence.answer, evidence.dns64->aaaa_share, evidence.dns64->aaaa_prefix);
}

// Returns the counts above zero that explain a failure, with their labels.
std::string describe_counts(const char *name, const auto &counts, const auto &rows)
{
    const std::string told = joined(rows, [&counts](const auto &each) {
        const std::uint64_t count = counts.*each.count;
        return count != 0 && each.role == CountRole::explains
                   ? fmt::format("{} {}", count, each.label)
                   : "";
    });
    return told.empty() ? "" : fmt::format("; {}: {}", name, told);
}

// Returns how the server ended connections, and which queries this cost.
std::string describe_connections(const ConnectionSummary &connections)
{
    std::string text = describe_counts("connections", connections.counts, connection_counts);
    if (connections.quic)
        text += describe_counts("QUIC", *connections.quic, quic_counts);
    const auto add = [&text](const char *what, const std::string &failure) {
        if (!failure.empty())
            text += fmt::format("; {} failed first for this reason: {}", what, failure);
    };
    if (connections.tls)
        add(connections.quic ? "QUIC" : "TLS", connections.tls->failure);
    if (connections.http)
        add("HTTP/2", connections.http->failure);
    return text;
}

// Returns "a burst of 901 queries that the Tester sent", or "3 bursts of up to 901 queries that
// ...". With a limit of the pace a burst is a backlog.
std::string bursts_text(const StallGroup &group, const std::optional<double> &catch_up)
{
    const char *what = catch_up ? "backlog" : "burst";
    const std::string how =
        catch_up ? fmt::format(", at {:g} times the rate at most,", *catch_up) : "";
    const std::string queries = counted(group.largest_burst, "query", "queries");
    return (group.stalls == 1
                ? fmt::format("a {} of {}", what, queries)
                : fmt::format("{} of up to {}", counted(group.stalls, what), queries)) +
           " that the Tester sent" + how;
}

} // namespace

std::string milliseconds(std::uint64_t nanoseconds)
{
    return fmt::format("{:.3f} ms", static_cast<double>(nanoseconds) / 1e6);
}

std::string milliseconds(Nanoseconds time)
{
    return milliseconds(static_cast<std::uint64_t>(time.count()));
}

const char *describe_success(const Evidence &evidence)
{
    const bool all = evidence.queries.valid == evidence.queries.sent;
    if (evidence.has_handshakes_alone)
        return all ? "every connection was opened in time"
                   : "enough connections were opened in time";
    return all ? "every query was answered right and in time"
               : "enough queries were answered right and in time";
}

std::string describe_failure(const Evidence &evidence)
{
    const QueryCounts &queries = evidence.queries;
    std::string text =
        evidence.has_handshakes_alone
            ? fmt::format("{} of {} not opened in time:", queries.sent - queries.valid,
                          counted(queries.sent, "connection"))
            : fmt::format("{} of {} not answered right in time:", queries.sent - queries.valid,
                          counted(queries.sent, "query", "queries"));
    const auto add = [&text](std::uint64_t count, const char *what) {
        if (count != 0)
            text += fmt::format(" {} {},", count, what);
    };
    add(queries.lost, "lost");
    add(queries.late, "late");
    for (const InvalidClass &each : invalid_classes)
        add(queries.invalid.*each.count, each.reason);
    text.pop_back();
    if (evidence.connections)
        text += describe_connections(*evidence.connections);
    if (evidence.silent_since)
        text += fmt::format("; the server stopped answering at {:.1f} s",
                            seconds(*evidence.silent_since));
    return text + disagreeing_options(evidence);
}

std::string describe_stalls(const Evidence &evidence)
{
    const StallSummary &stalls = *evidence.stalls;
    const std::uint64_t all = evidence.queries.sent - evidence.queries.valid;
    std::string text;
    const auto add = [&](const StallCosts &costs, const std::string &what) {
        const std::uint64_t failed = costs.lost + costs.late;
        if (failed == 0)
            return;
        text += fmt::format("{}{} within {} {}{}", text.empty() ? "" : ", and ",
                            failed == all ? std::string("all") : fmt::format("{} of these", failed),
                            milliseconds(std::max(costs.reach, Nanoseconds{})), what,
                            costs.costly.stalls == 1 ? "" : "up to ");
        text += milliseconds(costs.costly.longest);
    };
    add(stalls.tester, "of " + bursts_text(stalls.tester.costly, evidence.catch_up) +
                           " after it had stood still for ");
    add(stalls.server, "after the server's CPU had been away " +
                           (stalls.server.costly.stalls == 1
                                ? std::string()
                                : counted(stalls.server.costly.stalls, "time") + ", ") +
                           "for ");
    return text;
}

} // namespace dnsgauge
