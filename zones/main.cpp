// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge-zone: zone files of the test namespace, data sets, and servers that are ready to start
// on them.
#include "userland/chosen_word.h"
#include "userland/command_arguments.h"
#include "userland/help_layout.h"
#include "userland/pref64_text.h"
#include "userland/query_mix.h"
#include "userland/run_program.h"
#include "userland/setup_error.h"
#include "userland/standard_output.h"
#include "userland/version.h"
#include "zones/dataset_directory.h"
#include "zones/dns64_config.h"
#include "zones/resolver_config.h"
#include "zones/server_config.h"
#include "zones/zone_writer.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace
{

using namespace dnsgauge;

// The name server's addresses unless options give others: the DUT's addresses in the benchmarking
// ranges (RFC 2544 appendix C.2.2, RFC 5180 section 8).
const std::vector<std::string> default_name_server{"198.18.0.2", "2001:2::2"};

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

constexpr auto dataset_kinds = words<DatasetKind>(
    {{DatasetKind::root, "root"}, {DatasetKind::tld, "tld"}, {DatasetKind::hosting, "hosting"}});

// The options of a zone, most as texts that are yet to be parsed.
struct ZoneOptions {
    std::string names;
    std::string zone = "dns64perf.test";
    std::string type = "mixed";
    std::string aaaa_prefix = "2001:db8::/96";
    CLI::Option *aaaa_share_given = nullptr;
    std::uint32_t aaaa_share = 100;
    std::uint32_t ttl = ZoneSpec{}.ttl;
    std::uint32_t negative_ttl = ZoneSpec{}.negative_ttl;
    std::vector<std::string> name_server;
};

// Options of every server.
struct CommonOptions {
    std::string kind;
    std::string directory;
    std::vector<std::string> listen;
    std::uint16_t port = 53;
    unsigned workers = 0;
    std::string user;
};

struct ServerOptions {
    CommonOptions common;
    std::string dataset;
    std::string xdp_interface;
};

struct DatasetOptions {
    std::string kind;
    std::string directory;
    std::string zone = "test";
    DatasetSpec values; // numbers alone
    CLI::Option *names_given = nullptr;
    CLI::Option *ds_given = nullptr;
    unsigned algorithm = 0; // 0: not signed
    bool nsec3 = false;
    bool opts_out = false;
    unsigned iterations = 0;
    std::string salt;
};

struct Dns64Options {
    CommonOptions common;
    std::string zone = "dns64perf.test";
    std::vector<std::string> forward;
    std::uint16_t forward_port = 53;
    std::string pref64 = "2001:db8:64::/96";
};

struct ResolverOptions {
    CommonOptions common;
    std::string hints;
    std::string trust_anchor;
    std::string family = "both";
    std::string cache_size;          // empty: the server's own default
    std::uint64_t cache_entries = 0; // 0: likewise
};

struct MixOptions {
    std::string names;
    std::string zone = "dns64perf.test";
    std::string types = "A=50,AAAA=50";
    QueryMix mix;
    std::string aaaa_prefix = "2001:db8::/96";
    std::optional<std::string> answer;
    std::uint64_t queries = 0;
    std::string output = "-";
};

const CLI::Range ports{1, 65535};

void add_common_options(CLI::App &command, CommonOptions &options, const std::string &kinds,
                        const std::string &workers)
{
    command.add_option("KIND", options.kind, "The server: " + kinds)->required();
    command
        .add_option("--directory", options.directory,
                    "The directory for all files; DIRECTORY/start starts the server")
        ->required();
    command.add_option("--listen", options.listen, "An address to answer on (repeatable)")
        ->allow_extra_args(false)
        ->required();
    command.add_option("--port", options.port, "The UDP and TCP port")
        ->check(ports)
        ->capture_default_str();
    command
        .add_option("--workers", options.workers,
                    workers + "; default: as many as the server starts on its own")
        ->check(CLI::Range(1, 1024));
    command.add_option("--user", options.user,
                       "The user that the server runs as once it has started");
}

// With `dataset` the command serves a data set instead, if that is asked for.
void add_zone_options(CLI::App &command, ZoneOptions &options, std::string *dataset = nullptr)
{
    const CLI::Range seconds{0, 2147483647}; // RFC 2181 section 8
    CLI::Option *names =
        command.add_option("--names", options.names, "The names, as an IPv4 prefix: 10.0.0.0/8");
    if (dataset == nullptr)
        names->required();
    else
        command
            .add_option("--dataset", *dataset,
                        "A data set to serve, in place of --names: the directory that "
                        "\"dnsgauge-zone dataset\" wrote")
            ->excludes(names);
    command.add_option("--zone", options.zone, "The zone of the names")->capture_default_str();
    command.add_option("--type", options.type, "What each name owns: " + all_words(record_kinds))
        ->capture_default_str();
    options.aaaa_share_given =
        command
            .add_option("--aaaa-share", options.aaaa_share,
                        "Percent of the names that own an AAAA record (type mixed)")
            ->check(CLI::Range(0, 100))
            ->capture_default_str();
    command
        .add_option("--aaaa-prefix", options.aaaa_prefix,
                    "Prefix of the AAAA records' addresses (RFC 6052)")
        ->capture_default_str();
    command.add_option("--ttl", options.ttl, "TTL of the records, seconds")
        ->check(seconds)
        ->capture_default_str();
    command.add_option("--negative-ttl", options.negative_ttl, "The SOA's MINIMUM, seconds")
        ->check(seconds)
        ->capture_default_str();
    command
        .add_option("--ns-address", options.name_server,
                    "An address of the zone's name \"ns\" (repeatable)")
        ->allow_extra_args(false);
}

std::vector<IpAddress> addresses(const std::vector<std::string> &given)
{
    std::vector<IpAddress> parsed;
    std::ranges::transform(given, std::back_inserter(parsed), parse_ip_address);
    return parsed;
}

ZoneSpec zone_spec(const ZoneOptions &options)
{
    ZoneSpec spec;
    spec.zone = parse_zone_name(options.zone);
    spec.names = parse_name_range(options.names);
    spec.records = chosen(record_kinds, options.type, "--type");
    if (spec.records != ZoneRecords::mixed && options.aaaa_share_given->count() != 0)
        throw SetupError(
            "--aaaa-share needs --type mixed: leave --aaaa-share out, or give that type");
    spec.aaaa_share = options.aaaa_share;
    spec.aaaa_prefix = parse_pref64(options.aaaa_prefix);
    spec.ttl = options.ttl;
    spec.negative_ttl = options.negative_ttl;
    spec.name_server = addresses(options.name_server);
    return spec;
}

void write_records(const ZoneOptions &options, const std::string &path)
{
    ZoneSpec spec = zone_spec(options);
    if (spec.name_server.empty())
        spec.name_server = addresses(default_name_server);
    OutputFile output{path};
    write_zone(spec, output);
    output.commit();
}

// Returns the addresses of "ns": those that the server listens on, unless it listens on all of
// them.
std::vector<IpAddress> name_server_of(const ServerSpec &server)
{
    std::vector<IpAddress> found;
    std::ranges::copy_if(server.listen, std::back_inserter(found),
                         [](const IpAddress &address) { return !address.is_any(); });
    return found.empty() ? addresses(default_name_server) : found;
}

// Takes what every kind of server has into its specification. `workers` is its number of threads or
// processes, which stays as it is unless the option is given.
template <class Spec>
void take_common(const CommonOptions &common, Spec &spec, std::optional<unsigned> &workers)
{
    spec.directory = common.directory;
    spec.listen = addresses(common.listen);
    spec.port = common.port;
    if (common.workers != 0)
        workers = common.workers;
    spec.user = common.user;
}

void write_server_directory(const ZoneOptions &zone_options, const ServerOptions &options)
{
    ServerSpec server;
    const CommonOptions &common = options.common;
    server.kind = chosen(server_kinds, common.kind, "server");
    take_common(common, server, server.workers);
    server.xdp_interface = options.xdp_interface;

    if (!options.dataset.empty()) {
        write_server(server, read_dataset(options.dataset));
        return;
    }
    if (zone_options.names.empty())
        throw SetupError("nothing to serve: give --names, or --dataset");
    ZoneSpec zone = zone_spec(zone_options);
    if (zone.name_server.empty())
        zone.name_server = name_server_of(server);
    write_server(server, zone);
}

void add_server_options(CLI::App &command, ServerOptions &options)
{
    add_common_options(command, options.common, all_words(server_kinds),
                       "Threads or processes that answer (for yadifa: per address)");
    command.add_option("--xdp", options.xdp_interface,
                       "Interface on which knot answers UDP by AF_XDP (knot alone)");
}

void add_dataset_options(CLI::App &command, DatasetOptions &options)
{
    const CLI::Range percent{0, 100};
    command.add_option("KIND", options.kind, "What is made: " + all_words(dataset_kinds))
        ->required();
    command.add_option("--out", options.directory, "The directory for all files")->required();
    options.names_given =
        command
            .add_option("--names", options.values.names,
                        "Delegations, or zones of a hoster; default: 1500 of the root, else 10000")
            ->check(CLI::Range(std::uint64_t{1}, dataset_names_most));
    command
        .add_option("--zone", options.zone,
                    "tld: the zone; hosting: the domain above the zones; root: without effect")
        ->capture_default_str();
    command.add_option("--queries", options.values.queries, "Lines of the list of queries")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
        ->capture_default_str();
    options.ds_given =
        command
            .add_option("--ds-share", options.values.ds_share,
                        "How many percent of the delegations have DS records; default: 90 of the "
                        "root, else 50")
            ->check(percent);
    command
        .add_option("--nxdomain-share", options.values.nxdomain_share,
                    "How many percent of the queries are for names that do not exist")
        ->check(percent)
        ->capture_default_str();
    command
        .add_option("--do-share", options.values.dnssec_ok_share,
                    "How many percent of the queries have DO, and an OPT record")
        ->check(percent)
        ->capture_default_str();
    command.add_option("--seed", options.values.seed, "The seed of what is made up")
        ->capture_default_str();
    begin_group(command, "Signatures");
    CLI::Option *sign = command.add_option("--sign", options.algorithm,
                                           "Sign the zones with this algorithm, by its number, "
                                           "such as 8, 13 or 15: needs ldns-signzone");
    CLI::Option *nsec3 =
        command.add_flag("--nsec3", options.nsec3, "Deny with NSEC3 in place of NSEC")->needs(sign);
    command.add_option("--nsec3-iterations", options.iterations, "Iterations of NSEC3")
        ->needs(nsec3)
        ->capture_default_str();
    command
        .add_option("--nsec3-salt", options.salt, "Salt of NSEC3, in hexadecimal; default: none")
        ->needs(nsec3);
    command.add_flag("--opt-out", options.opts_out, "Opt-out of NSEC3: delegations without DS")
        ->needs(nsec3);
}

void write_dataset_directory(const DatasetOptions &options)
{
    DatasetSpec spec = options.values;
    spec.kind = chosen(dataset_kinds, options.kind, "kind of data set");
    spec.parent = parse_zone_name(options.zone);
    const bool is_root = spec.kind == DatasetKind::root;
    constexpr std::uint64_t usual_names = 10'000;
    constexpr unsigned usual_ds = 50;
    if (options.names_given->count() == 0 && !is_root)
        spec.names = usual_names;
    if (options.ds_given->count() == 0 && !is_root)
        spec.ds_share = usual_ds;
    std::optional<Signing> signing;
    if (options.algorithm != 0)
        signing = Signing{.algorithm = options.algorithm};
    if (options.nsec3)
        signing->nsec3 = Nsec3{options.iterations, options.salt, options.opts_out};
    spec.is_signed = signing.has_value();
    const DatasetTimes times = write_dataset(spec, signing, options.directory);
    say("dnsgauge-zone: {} zone{} and {} queries in {}: {:.1f} s to write, {:.1f} s to sign\n",
        zones_of(spec), zones_of(spec) == 1 ? "" : "s", spec.queries, options.directory,
        times.writing.count(), times.signing.count());
}

void write_dns64_directory(const Dns64Options &options)
{
    Dns64Spec spec;
    const CommonOptions &common = options.common;
    spec.kind = chosen(dns64_kinds, common.kind, "DNS64 server");
    take_common(common, spec, spec.threads);
    spec.zone = parse_zone_name(options.zone);
    spec.authoritative = addresses(options.forward);
    spec.authoritative_port = options.forward_port;
    spec.prefix = parse_pref64(options.pref64);
    write_dns64_server(spec);
}

void add_dns64_options(CLI::App &command, Dns64Options &options)
{
    add_common_options(command, options.common, all_words(dns64_kinds), "Threads that answer");
    command.add_option("--zone", options.zone, "The zone that the authoritative server has")
        ->capture_default_str();
    command
        .add_option("--forward", options.forward,
                    "An address of the authoritative server (repeatable)")
        ->allow_extra_args(false)
        ->required();
    command.add_option("--forward-port", options.forward_port, "The authoritative server's port")
        ->check(ports)
        ->capture_default_str();
    command
        .add_option("--pref64", options.pref64,
                    "Prefix of the synthesized addresses (RFC 6052); pdns-recursor: of length 96")
        ->capture_default_str();
}

// Returns the number of octets that a text such as 30G says. Throws SetupError.
std::uint64_t parse_size(const std::string &text, const std::string &option)
{
    constexpr std::string_view units = "KMGT";
    constexpr unsigned bits_of_a_unit = 10;
    constexpr std::uint64_t most = std::uint64_t{1} << 20U; // with any unit, less than 2^63
    std::uint64_t number = 0;
    const char *end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const std::string_view unit{rest, end};
    const bool is_known =
        unit.empty() || (unit.size() == 1 && units.find(unit) != std::string_view::npos);
    if (error != std::errc{} || !is_known || (!unit.empty() && number > most))
        throw SetupError(option + " \"" + text +
                         "\": give a number of octets, with K, M, G or T behind it if wanted: 30G");
    return unit.empty() ? number : number << (bits_of_a_unit * (units.find(unit) + 1));
}

void write_resolver_directory(const ResolverOptions &options)
{
    ResolverSpec spec;
    const CommonOptions &common = options.common;
    spec.kind = chosen(resolver_kinds, common.kind, "resolver");
    take_common(common, spec, spec.threads);
    spec.hints = options.hints;
    spec.trust_anchor = options.trust_anchor;
    spec.families = chosen(family_words, options.family, "--family");
    if (!options.cache_size.empty())
        spec.cache_size = parse_size(options.cache_size, "--cache-size");
    if (options.cache_entries != 0)
        spec.cache_entries = options.cache_entries;
    write_resolver(spec);
}

void add_resolver_options(CLI::App &command, ResolverOptions &options)
{
    add_common_options(command, options.common, all_words(resolver_kinds),
                       "Threads that answer; knot-resolver: processes");
    command
        .add_option("--hints", options.hints,
                    "Root hints: the root's servers and their addresses, as a zone file")
        ->required();
    command.add_option("--trust-anchor", options.trust_anchor,
                       "DS data of the root's key, with which the resolver validates; default: it "
                       "does not validate");
    command
        .add_option("--family", options.family,
                    "IP versions by which it asks and answers: " + all_words(family_words))
        ->capture_default_str();
    command.add_option("--cache-size", options.cache_size,
                       "Size of the cache in octets, such as 512M or 30G (not pdns-recursor); "
                       "default: the server's own");
    command
        .add_option("--cache-entries", options.cache_entries,
                    "Records in the cache of pdns-recursor; default: the server's own")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32U));
}

void add_mix_options(CLI::App &command, MixOptions &options)
{
    const CLI::Range percent{0, 100};
    command.add_option("--names", options.names, "The names, as an IPv4 prefix: 10.0.0.0/8")
        ->required();
    command
        .add_option("--queries", options.queries,
                    "How many lines; with multiples of 100 the shares are exact")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32U))
        ->required();
    command.add_option("--zone", options.zone, "The zone of the names")->capture_default_str();
    command
        .add_option("--aaaa-share", options.mix.aaaa_share,
                    "How many percent of the names own an AAAA record, as of the zone")
        ->check(percent)
        ->capture_default_str();
    CLI::Option *prefix =
        command
            .add_option("--aaaa-prefix", options.aaaa_prefix,
                        "Prefix of the AAAA records' addresses (RFC 6052), as of the zone")
            ->capture_default_str();
    command
        .add_option("--answer", options.answer,
                    "'any': lines want the number of records, whatever their data")
        ->check(CLI::IsMember({"any"}))
        ->excludes(prefix);
    command.add_option("--do", options.mix.dnssec_ok, "Percent of the queries with DO")
        ->check(percent)
        ->capture_default_str();
    command
        .add_option("--nxdomain", options.mix.nxdomain,
                    "Percent of the queries whose names do not exist")
        ->check(percent)
        ->capture_default_str();
    command
        .add_option("--types", options.types,
                    "Percent of the queries for each type, 100 together: A=60,AAAA=30,MX=10")
        ->capture_default_str();
    command.add_flag("--signed", options.mix.is_signed,
                     "The zone is signed: an answer to a query with DO has one RRSIG record");
    command.add_option("--output", options.output, "The file; - is standard output")
        ->capture_default_str();
}

void write_mix(MixOptions &options)
{
    QueryMix &mix = options.mix;
    mix.zone = parse_zone_name(options.zone);
    mix.names = parse_name_range(options.names);
    mix.types = parse_mix_types(options.types);
    std::optional<pref64> aaaa_prefix;
    if (!options.answer)
        aaaa_prefix = parse_pref64(options.aaaa_prefix);
    OutputFile output{options.output};
    write_query_mix(mix, options.queries, aaaa_prefix, output);
    output.commit();
}

void run(int argc, char **argv)
{
    CLI::App app{"Zone files of the dns64perf test namespace, data sets, and servers ready to "
                 "start on them.",
                 "dnsgauge-zone"};
    app.set_version_flag("--version", version_text("dnsgauge-zone"));
    app.require_subcommand(1);

    ZoneOptions records_zone;
    std::string output = "-";
    CLI::App *records = app.add_subcommand("records", "Write a zone file");
    add_zone_options(*records, records_zone);
    records->add_option("--output", output, "The file; - is standard output")
        ->capture_default_str();
    show_examples(*records, {"dnsgauge-zone records --names 10.0.0.0/12 --output dns64perf.zone",
                             "dnsgauge-zone records --names 10.0.0.0/16 --type A --output a.zone"});
    records->callback([&] { write_records(records_zone, output); });

    ZoneOptions server_zone;
    ServerOptions server_options;
    CLI::App *server =
        app.add_subcommand("server", "Write a zone, a configuration and a start script");
    add_server_options(*server, server_options);
    add_zone_options(*server, server_zone, &server_options.dataset);
    show_examples(*server, {"dnsgauge-zone server nsd --directory nsd --names 10.0.0.0/12 \\",
                            "    --listen 198.18.0.2 --workers 2",
                            "dnsgauge-zone server knot --directory knot --dataset tld \\",
                            "    --listen 198.18.0.2 --listen 2001:2::2"});
    server->callback([&] { write_server_directory(server_zone, server_options); });

    Dns64Options dns64_options;
    CLI::App *dns64 = app.add_subcommand(
        "dns64", "Write a configuration and a start script of a DNS64 server that asks FakeDNS");
    add_dns64_options(*dns64, dns64_options);
    show_examples(*dns64, {"dnsgauge-zone dns64 unbound --directory unbound --listen 2001:2::2 \\",
                           "    --forward 198.18.2.1",
                           "dnsgauge-zone dns64 bind9 --directory bind9 --listen 2001:2::2 \\",
                           "    --forward 198.18.2.1 --pref64 64:ff9b::/96"});
    dns64->callback([&] { write_dns64_directory(dns64_options); });

    ResolverOptions resolver_options;
    CLI::App *resolver = app.add_subcommand(
        "resolver",
        "Write a configuration and a start script of a resolver with root hints of its own");
    add_resolver_options(*resolver, resolver_options);
    show_examples(*resolver,
                  {"dnsgauge-zone resolver unbound --directory unbound --listen 198.18.0.2 \\",
                   "    --hints root.hints",
                   "dnsgauge-zone resolver bind9 --directory bind9 --listen 198.18.0.2 \\",
                   "    --hints root.hints --cache-size 30G --workers 16"});
    resolver->callback([&] { write_resolver_directory(resolver_options); });

    MixOptions mix_options;
    CLI::App *mix = app.add_subcommand(
        "mix", "Write a list of queries for the names, in exact shares of types, DO and NXDOMAIN");
    add_mix_options(*mix, mix_options);
    show_examples(*mix, {"dnsgauge-zone mix --names 10.0.0.0/16 --queries 100000 --output mix.txt",
                         "dnsgauge-zone mix --names 10.0.0.0/16 --queries 100000 --do 80 \\",
                         "    --nxdomain 30 --types A=60,AAAA=30,MX=10 --output mix.txt"});
    mix->callback([&] { write_mix(mix_options); });

    DatasetOptions dataset_options;
    CLI::App *dataset = app.add_subcommand(
        "dataset", "Write zones like real ones, and queries with what is expected of each reply");
    add_dataset_options(*dataset, dataset_options);
    show_examples(*dataset, {"dnsgauge-zone dataset tld --names 1000000 --out tld",
                             "dnsgauge-zone dataset root --sign 8 --nxdomain-share 10 --out root"});
    dataset->callback([&] { write_dataset_directory(dataset_options); });

    app.footer("Exit status:\n"
               "  0  all is written\n"
               "  2  the command or the environment is wrong\n");
    name_values(app, {{"--names", "CIDR"},         {"--zone", "NAME"},
                      {"--type", "TYPES"},         {"--types", "SHARES"},
                      {"--aaaa-prefix", "PREFIX"}, {"--pref64", "PREFIX"},
                      {"--ns-address", "ADDRESS"}, {"--listen", "ADDRESS"},
                      {"--forward", "ADDRESS"},    {"--hints", "FILE"},
                      {"--trust-anchor", "DS"},    {"--family", "FAMILY"},
                      {"--cache-size", "OCTETS"},  {"--cache-entries", "NUMBER"},
                      {"--output", "FILE"},        {"--directory", "DIR"},
                      {"--dataset", "DIR"},        {"--out", "DIR"},
                      {"--user", "NAME"},          {"--xdp", "IF"},
                      {"--nsec3-salt", "HEX"}});
    static_cast<void>(read_arguments(app, argc, argv));
}

} // namespace

int main(int argc, char **argv)
{
    return dnsgauge::run_program("dnsgauge-zone", [=] {
        run(argc, argv);
        return 0;
    });
}
