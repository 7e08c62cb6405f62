// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge-queries make
#include "dns/query_type.h"
#include "options/dns_access.h"
#include "queries/commands.h"
#include "queries/name_list.h"
#include "queries/query_maker.h"
#include "queries/reading.h"
#include "queries/writing.h"
#include "system/same_file.h"
#include "units/quantity_access.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace dnsgauge
{

namespace
{

struct MakeValues {
    MakeOptions make{
        .duration = std::chrono::seconds(10),
        .clients = 1000,
        .client_prefix = parse_ip_prefix("198.19.0.0/16"),
        .server = {.address = parse_ip_address("198.18.0.2"), .port = CaptureReader::dns_port},
        .names = parse_name_range("10.0.0.0/16"),
        .name_list = {},
        .zone = parse_zone_name("dns64perf.test"),
        .types = {}};
    std::uint64_t begin_s = 1577836800; // 2020
    std::string name_list;              // the file; empty if none
    std::vector<TypeShare> types = parse_type_shares("A=60,AAAA=30,HTTPS=10");
    bool no_recursion_desired = false;
    Writing writing;
};

// Returns the row of a share of the queries.
Option share_row(const char *name, unsigned &percent, const char *help)
{
    return {name, OptionGroup::queries, "PERCENT", help, whole(percent, 0, 100)};
}

Options client_rows(MakeValues &values)
{
    MakeOptions &make = values.make;
    return {
        {"seed", OptionGroup::queries, "NUMBER",
         "Seed of the random numbers: the same seed gives the same queries", whole(make.seed, 0)},
        {"rate", OptionGroup::queries, "QPS",
         "Queries per second of all clients together, on average", rate(make.rate)},
        {"duration", OptionGroup::queries, "SECONDS", "Length of the capture, seconds",
         dnsgauge::time(make.duration, seconds_most)},
        {"begin", OptionGroup::queries, "SECONDS",
         "Time at which the capture begins, seconds since 1970-01-01 UTC",
         whole(values.begin_s, 0, 2'000'000'000)},
        {"clients", OptionGroup::queries, "NUMBER", "Number of clients",
         whole(make.clients, 1, std::uint64_t{1} << 32U)},
        {"client-prefix", OptionGroup::queries, "PREFIX",
         "Prefix of the clients' addresses; the first client has its first address",
         parsed(make.client_prefix, parse_ip_prefix)},
        {"server", OptionGroup::queries, "ADDRESS", "Address that the queries go to",
         parsed(make.server.address, parse_ip_address)},
        {"port", OptionGroup::queries, "PORT", "UDP port that the queries go to",
         whole(make.server.port, 1)},
    };
}

Options question_rows(MakeValues &values)
{
    MakeOptions &make = values.make;
    return {
        {"names", OptionGroup::queries, "CIDR",
         "Names to ask for, as an IPv4 prefix; the first name is the most popular",
         names(make.names)},
        Option("name-list", OptionGroup::queries, "FILE",
               "File of names to ask for, in place of --names: the first words of its lines, the "
               "most popular first",
               text(values.name_list), {.excludes = {"names"}}),
        {"zone", OptionGroup::queries, "NAME", "Zone of the names", zone(make.zone)},
        {"zipf", OptionGroup::queries, "EXPONENT",
         "Exponent of Zipf's law: the n-th name is asked for 1/n^EXPONENT as often as the first",
         number(make.zipf, 0, 10)},
        {"types", OptionGroup::queries, "SHARES",
         "Types to ask for, each with its percentage, exact in every hundred queries",
         parsed(values.types, parse_type_shares)},
        share_row(
            "nxdomain", make.nxdomain,
            "Percent of the queries for names that do not exist; some of these names are popular"),
        share_row("random-subdomains", make.random_subdomains,
                  "Percent of the queries for random labels below existing names"),
        share_row("edns", make.edns, "Percent of the queries with an OPT record"),
        share_row("do", make.dnssec_ok,
                  "Percent of the queries with DO, at most those with an OPT record"),
        {"edns-size", OptionGroup::queries, "OCTETS", "UDP size that OPT records offer",
         whole(make.edns_size, 0)},
        {"no-recursion-desired", OptionGroup::queries, "", "Do not set RD in the queries",
         flag(values.no_recursion_desired)},
    };
}

void make_queries(const MakeValues &values)
{
    const Writing &writing = values.writing;
    MakeOptions make = values.make;
    if (!values.name_list.empty()) {
        check_is_no_input({values.name_list}, "--output", writing.file);
        make.name_list = read_name_list(values.name_list, "--name-list");
    }
    make.types = numbered(values.types);
    make.recursion_desired = !values.no_recursion_desired;
    make.begin_ns = static_cast<std::int64_t>(values.begin_s * nanoseconds_per_second);
    const auto next = make_queries(make);
    if (writing.form() == OutputForm::prepared)
        return prepare(next, writing.file);
    const std::unique_ptr<MessageSink> sink = open_output(writing);
    while (const std::optional<CapturedMessage> query = next())
        sink->put(*query);
    sink->commit();
    tell_losses({}, *sink, 0);
}

} // namespace

Command make_command()
{
    const auto values = std::make_shared<MakeValues>();
    Options options = client_rows(*values);
    append(options, question_rows(*values));
    append(options, rows(values->writing));
    return {.name = "make",
            .summary =
                "Make the capture of imaginary clients: Poisson arrivals, names by Zipf's law",
            .options = std::move(options),
            .examples = {"dnsgauge-queries make --rate 20k --duration 60 --output made.pcap",
                         "dnsgauge-queries make --clients 5000 --rate 20k --duration 60 \\",
                         "    --nxdomain 10 --output made.pcap"},
            .run = doing([values] { make_queries(*values); })};
}

} // namespace dnsgauge
