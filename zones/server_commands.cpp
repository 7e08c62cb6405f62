// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge-zone records, server, dns64, resolver: a zone, and servers ready to start.
#include "dns/pref64_text.h"
#include "options/dns_access.h"
#include "system/setup_error.h"
#include "zones/commands.h"
#include "zones/resolver_config.h"
#include "zones/server_config.h"
#include "zones/zone_writer.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <memory>
#include <string_view>

namespace dnsgauge
{

namespace
{

constexpr auto record_kinds = words<ZoneRecords>(
    {{ZoneRecords::a, "A"}, {ZoneRecords::aaaa, "AAAA"}, {ZoneRecords::mixed, "mixed"}});

constexpr auto server_kinds = words<ServerKind>({{ServerKind::bind9, "bind9"},
                                                 {ServerKind::nsd, "nsd"},
                                                 {ServerKind::knot, "knot"},
                                                 {ServerKind::yadifa, "yadifa"},
                                                 {ServerKind::pdns, "pdns"}});

constexpr auto dns64_kinds = words<Dns64Kind>({{Dns64Kind::unbound, "unbound"},
                                               {Dns64Kind::bind9, "bind9"},
                                               {Dns64Kind::pdns_recursor, "pdns-recursor"}});

constexpr auto resolver_kinds =
    words<ResolverKind>({{ResolverKind::unbound, "unbound"},
                         {ResolverKind::bind9, "bind9"},
                         {ResolverKind::knot_resolver, "knot-resolver"},
                         {ResolverKind::pdns_recursor, "pdns-recursor"}});

constexpr auto family_words =
    words<Families>({{Families::both, "both"}, {Families::ipv4, "4"}, {Families::ipv6, "6"}});

struct ZoneValues {
    ZoneSpec spec{.zone = parse_zone_name("dns64perf.test"),
                  .names = {},
                  .aaaa_prefix = parse_pref64("2001:db8::/96")};
    std::optional<unsigned> aaaa_share;
};

struct RecordsValues {
    ZoneValues zone;
    std::string output = "-";
};

struct ServerValues {
    ZoneValues zone;
    ServerSpec server;
    std::string dataset; // empty if the server serves the test zone
};

Options zone_rows(ZoneValues &values)
{
    constexpr std::uint64_t ttl_most = 2147483647; // RFC 2181 section 8
    ZoneSpec &spec = values.spec;
    return {
        Option("names", OptionGroup::zone, "CIDR", "The names, as an IPv4 prefix: 10.0.0.0/8",
               names(spec.names), {.is_required = true, .stand_ins = {"dataset"}}),
        {"zone", OptionGroup::zone, "NAME", "The zone of the names", zone(spec.zone)},
        {"type", OptionGroup::zone, "TYPES",
         "Records that each name owns: " + all_words(record_kinds),
         word(spec.records, record_kinds)},
        Option("aaaa-share", OptionGroup::zone, "PERCENT",
               "Percent of the names with an AAAA record (type mixed)",
               whole(values.aaaa_share, 0, 100), {.usual = "100"}),
        {"aaaa-prefix", OptionGroup::zone, "PREFIX",
         "Prefix of the AAAA records' addresses (RFC 6052)", prefix(spec.aaaa_prefix)},
        {"ttl", OptionGroup::zone, "SECONDS", "TTL of the records, seconds",
         whole(spec.ttl, 0, ttl_most)},
        {"negative-ttl", OptionGroup::zone, "SECONDS", "The SOA's MINIMUM, seconds",
         whole(spec.negative_ttl, 0, ttl_most)},
        Option("ns-address", OptionGroup::zone, "ADDRESS",
               "An address of the zone's name \"ns\" (repeatable)",
               each(spec.name_server, parse_ip_address), {.is_repeatable = true}),
    };
}

// Returns the options that all servers have. `workers_help` explains the option for workers.
template <class Spec, class Kinds>
Options server_rows(Spec &spec, const Kinds &kinds, const std::string &workers_help)
{
    return {
        Option("KIND", OptionGroup::other, "", "The server: " + all_words(kinds),
               word(spec.kind, kinds), {.is_required = true, .is_positional = true}),
        Option("directory", OptionGroup::other, "DIR",
               "The directory for all files; DIRECTORY/start starts the server",
               text(spec.directory), {.is_required = true}),
        Option("listen", OptionGroup::other, "ADDRESS", "An address to answer on (repeatable)",
               each(spec.listen, parse_ip_address), {.is_required = true, .is_repeatable = true}),
        {"port", OptionGroup::server, "PORT", "The UDP and TCP port", whole(spec.port, 1)},
        Option("workers", OptionGroup::server, "NUMBER", workers_help, whole(spec.workers, 1, 1024),
               {.usual = "as many as the server starts on its own"}),
        {"user", OptionGroup::server, "NAME",
         "The user that the server runs as once it has started", text(spec.user)},
        Option("tls-certificate", OptionGroup::server, "FILE",
               "Answer over TLS and, except nsd, over HTTPS, with this certificate, in PEM",
               text(spec.tls.certificate), {.needs = {"tls-key"}}),
        Option("tls-key", OptionGroup::server, "FILE", "Private key of the certificate, in PEM",
               text(spec.tls.key), {.needs = {"tls-certificate"}}),
        Option("tls-port", OptionGroup::server, "PORT", "TCP port for TLS", whole(spec.tls.port, 1),
               {.needs = {"tls-certificate"}}),
        Option("https-port", OptionGroup::server, "PORT", "TCP port for HTTPS",
               whole(spec.tls.https_port, 1), {.usual = "443", .needs = {"tls-certificate"}}),
    };
}

// Returns the zone. Its name server has `addresses` unless options give others. If `addresses` is
// empty, too, the name server has the DUT's addresses in the benchmarking ranges (RFC 2544 appendix
// C.2.2, RFC 5180 section 8).
ZoneSpec zone_of(const ZoneValues &values, const std::vector<IpAddress> &addresses = {})
{
    ZoneSpec spec = values.spec;
    if (spec.records != ZoneRecords::mixed && values.aaaa_share)
        throw SetupError(
            "--aaaa-share needs --type mixed: leave --aaaa-share out, or give that type");
    spec.aaaa_share = values.aaaa_share.value_or(spec.aaaa_share);
    if (spec.name_server.empty())
        spec.name_server = addresses;
    if (spec.name_server.empty())
        spec.name_server = {parse_ip_address("198.18.0.2"), parse_ip_address("2001:2::2")};
    return spec;
}

void write_records(const RecordsValues &values)
{
    const ZoneSpec spec = zone_of(values.zone);
    OutputFile output{values.output};
    write_zone(spec, output);
    output.commit();
}

void write_server(const ServerValues &values)
{
    const ServerSpec &server = values.server;
    if (!values.dataset.empty())
        return write_server(server, read_dataset(values.dataset));
    std::vector<IpAddress> addresses;
    std::ranges::copy_if(server.listen, std::back_inserter(addresses),
                         [](const IpAddress &address) { return !address.is_any(); });
    write_server(server, zone_of(values.zone, addresses));
}

// Reads a number of octets such as 30G.
OptionAccess octets(std::optional<std::uint64_t> &value)
{
    const auto read = [&value](const std::string &text, const std::string &name) {
        constexpr std::string_view units = "KMGT";
        constexpr unsigned bits_of_a_unit = 10;
        constexpr std::uint64_t most = std::uint64_t{1} << 20U; // less than 2^63 with any unit
        std::uint64_t number = 0;
        const char *end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, number);
        const std::string_view unit{rest, end};
        const bool is_known =
            unit.empty() || (unit.size() == 1 && units.find(unit) != std::string_view::npos);
        if (error != std::errc{} || !is_known || (!unit.empty() && number > most))
            throw SetupError(name + " \"" + text +
                             "\": give a number of octets, which may end with K, M, G or T: 30G");
        value = unit.empty() ? number : number << (bits_of_a_unit * (units.find(unit) + 1));
    };
    return {.set = read, .get = [&value]() -> OptionValue {
                return value ? OptionValue(*value) : OptionValue();
            }};
}

Options dns64_rows(Dns64Spec &spec)
{
    Options options = server_rows(spec, dns64_kinds, "Threads that answer");
    append(options, {{"zone", OptionGroup::zone, "NAME",
                      "The zone that the authoritative server has", zone(spec.zone)},
                     Option("forward", OptionGroup::other, "ADDRESS",
                            "An address of the authoritative server (repeatable)",
                            each(spec.authoritative, parse_ip_address),
                            {.is_required = true, .is_repeatable = true}),
                     {"forward-port", OptionGroup::zone, "PORT", "The authoritative server's port",
                      whole(spec.authoritative_port, 1)},
                     {"pref64", OptionGroup::answers, "PREFIX",
                      "Prefix of the synthesized addresses (RFC 6052); pdns-recursor: of length 96",
                      prefix(spec.prefix)}});
    return options;
}

Options resolver_rows(ResolverSpec &spec)
{
    Options options =
        server_rows(spec, resolver_kinds, "Threads that answer; knot-resolver: processes");
    append(options,
           {Option("hints", OptionGroup::other, "FILE",
                   "Root hints: the root's servers and their addresses, as a zone file",
                   text(spec.hints), {.is_required = true}),
            Option("trust-anchor", OptionGroup::server, "DS",
                   "DS data of the root's key to validate with", text(spec.trust_anchor),
                   {.usual = "no validation"}),
            {"family", OptionGroup::server, "FAMILY",
             "IP versions by which the resolver asks and answers: " + all_words(family_words),
             word(spec.families, family_words)},
            Option("cache-size", OptionGroup::server, "OCTETS",
                   "Size of the cache in octets, such as 512M or 30G (not pdns-recursor)",
                   octets(spec.cache_size), {.usual = "the server's own"}),
            Option("cache-entries", OptionGroup::server, "NUMBER",
                   "Records in the cache of pdns-recursor",
                   whole(spec.cache_entries, 1, std::uint64_t{1} << 32U),
                   {.usual = "the server's own"})});
    return options;
}

} // namespace

Command records_command()
{
    const auto values = std::make_shared<RecordsValues>();
    Options options = zone_rows(values->zone);
    append(options, {{"output", OptionGroup::files, "FILE", "The file; - is standard output",
                      text(values->output)}});
    return {.name = "records",
            .summary = "Write a zone file",
            .options = std::move(options),
            .examples = {"dnsgauge-zone records --names 10.0.0.0/12 --output dns64perf.zone",
                         "dnsgauge-zone records --names 10.0.0.0/16 --type A --output a.zone"},
            .run = doing([values] { write_records(*values); })};
}

Command server_command()
{
    const auto values = std::make_shared<ServerValues>();
    ServerSpec &server = values->server;
    Options options = server_rows(server, server_kinds,
                                  "Threads or processes that answer (for yadifa: per address)");
    append(options, {{"xdp", OptionGroup::server, "IF",
                      "Interface on which knot answers UDP by AF_XDP (knot alone)",
                      text(server.xdp_interface)},
                     Option("dataset", OptionGroup::zone, "DIR",
                            "A data set to serve, in place of a zone of --names: the directory "
                            "that \"dnsgauge-zone dataset\" wrote",
                            text(values->dataset),
                            {.excludes = {"names", "zone", "type", "aaaa-share", "aaaa-prefix",
                                          "ttl", "negative-ttl", "ns-address"}})});
    append(options, zone_rows(values->zone));
    return {.name = "server",
            .summary = "Write a zone, a configuration and a start script",
            .options = std::move(options),
            .examples = {"dnsgauge-zone server nsd --directory nsd --names 10.0.0.0/12 \\",
                         "    --listen 198.18.0.2 --workers 2",
                         "dnsgauge-zone server knot --directory knot --dataset tld \\",
                         "    --listen 198.18.0.2 --listen 2001:2::2"},
            .run = doing([values] { write_server(*values); })};
}

Command dns64_command()
{
    const auto spec = std::make_shared<Dns64Spec>();
    spec->zone = parse_zone_name("dns64perf.test");
    spec->prefix = parse_pref64("2001:db8:64::/96");
    return {.name = "dns64",
            .summary =
                "Write a configuration and a start script of a DNS64 server that asks FakeDNS",
            .options = dns64_rows(*spec),
            .examples = {"dnsgauge-zone dns64 unbound --directory unbound --listen 2001:2::2 \\",
                         "    --forward 198.18.2.1",
                         "dnsgauge-zone dns64 bind9 --directory bind9 --listen 2001:2::2 \\",
                         "    --forward 198.18.2.1 --pref64 64:ff9b::/96"},
            .run = doing([spec] { write_dns64_server(*spec); })};
}

Command resolver_command()
{
    const auto spec = std::make_shared<ResolverSpec>();
    return {
        .name = "resolver",
        .summary =
            "Write a configuration and a start script of a resolver with root hints of its own",
        .options = resolver_rows(*spec),
        .examples = {"dnsgauge-zone resolver unbound --directory unbound --listen 198.18.0.2 \\",
                     "    --hints root.hints",
                     "dnsgauge-zone resolver bind9 --directory bind9 --listen 198.18.0.2 \\",
                     "    --hints root.hints --cache-size 30G --workers 16"},
        .run = doing([spec] { write_resolver(*spec); })};
}

} // namespace dnsgauge
