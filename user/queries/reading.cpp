// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/reading.h"

#include "units/quantity_access.h"
#include "userland/setup_error.h"
#include "userland/standard_output.h"

#include <fmt/format.h>

namespace dnsgauge
{

namespace
{

OptionAccess unpacked_most(UnpackLimit &limit)
{
    constexpr std::uint64_t mib_most = 1U << 30U;
    constexpr unsigned bits_of_a_mib = 20;
    return {.set =
                [&limit](const std::string &text, const std::string &name) {
                    limit = {.octets = read_whole(text, name, 1, mib_most) << bits_of_a_mib,
                             .times = 1};
                },
            .get = [] { return OptionValue(); },
            .range = range_text(1, mib_most)};
}

Options input_rows(Reading &reading)
{
    InputOptions &input = reading.input;
    return {
        {.name = "FILE",
         .help = "Captures (pcap, pcapng) or lists of queries; the program merges several by time",
         .access = texts(reading.files),
         .is_required = true,
         .is_positional = true,
         .is_repeatable = true},
        {"port", OptionGroup::input, "PORT", "The port of the DNS servers in captures",
         whole(input.port, 1)},
        {.name = "unpacked-most",
         .group = OptionGroup::input,
         .type = "MIB",
         .help = "Refuse a packed input that unpacks to more MiB than this",
         .access = unpacked_most(input.unpack),
         .usual = fmt::format("{}, or {} times its packed size", UnpackLimit{}.octets >> 20U,
                              UnpackLimit{}.times)},
    };
}

Options choice_rows(FilterOptions &filter)
{
    return {
        {.name = "type",
         .group = OptionGroup::choice,
         .type = "TYPE",
         .help = "Keep only queries for this type (repeatable)",
         .access = texts(filter.types),
         .is_repeatable = true},
        {.name = "name",
         .group = OptionGroup::choice,
         .type = "NAME",
         .help = "Keep only queries for this name or a name below it (repeatable)",
         .access = texts(filter.names),
         .is_repeatable = true},
        {.name = "client",
         .group = OptionGroup::choice,
         .type = "PREFIX",
         .help = "Keep only queries of clients in this prefix, and their answers (repeatable)",
         .access = each(filter.clients, parse_ip_prefix),
         .is_repeatable = true},
        {.name = "server",
         .group = OptionGroup::choice,
         .type = "ADDRESS",
         .help = "Keep only queries to this server, and its answers (repeatable)",
         .access = each(filter.servers, parse_ip_address),
         .is_repeatable = true},
        {"opcode", OptionGroup::choice, "NUMBER", "Keep only messages with this opcode; 0 is QUERY",
         whole(filter.opcode, 0, 15)},
        {"since", OptionGroup::choice, "SECONDS",
         "Leave out the messages before this second, counted from the first message",
         time_or_none(filter.since, seconds_most)},
        {"until", OptionGroup::choice, "SECONDS",
         "Leave out the messages from this second on, counted from the first message",
         dnsgauge::time(filter.until, seconds_most)},
    };
}

Options list_rows(InputOptions &input)
{
    return {
        {"rate", OptionGroup::lists, "QPS", "Rate of a list's queries, per second: 20000 or 20k",
         rate(input.rate)},
        {"list-client", OptionGroup::lists, "ADDRESS", "Source address of a list's queries",
         parsed(input.client, parse_ip_address)},
        {"list-server", OptionGroup::lists, "ADDRESS", "Target address of a list's queries",
         parsed(input.server, parse_ip_address)},
        {"recursion-desired", OptionGroup::lists, "",
         "Set RD (recursion desired) in the queries of a text list", flag(input.recursion_desired)},
    };
}

} // namespace

Options rows(Reading &reading)
{
    Options options = input_rows(reading);
    append(options, choice_rows(reading.filter));
    append(options, list_rows(reading.input));
    return options;
}

std::unique_ptr<MessageSource> open_inputs(const Reading &reading)
{
    if (reading.input.client.is_ipv6 != reading.input.server.is_ipv6)
        throw SetupError("--list-client and --list-server are of different IP versions");
    return open_sources(reading.files, reading.input);
}

void tell_left_out(std::uint64_t count, const char *what)
{
    if (count != 0)
        say("dnsgauge-queries: left out: {} {}\n", count, what);
}

void tell_left_out(const CaptureCounts &counts)
{
    tell_left_out(counts.tcp, "TCP segments with data");
    tell_left_out(counts.fragments, "fragments of IP packets");
    tell_left_out(counts.cut, "packets that were captured in part");
    tell_left_out(counts.malformed, "packets from or to the port that are no DNS messages");
}

} // namespace dnsgauge
