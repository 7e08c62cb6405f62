// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge-zone mix, dataset: lists of queries, and zones that they fit.
#include "dns/pref64_text.h"
#include "dns/query_mix.h"
#include "options/dns_access.h"
#include "system/standard_output.h"
#include "zones/commands.h"
#include "zones/dataset_directory.h"

#include <memory>

namespace dnsgauge
{

namespace
{

constexpr auto answers = words<bool>({{false, ""}, {true, "any"}});

constexpr auto dataset_kinds = words<DatasetKind>(
    {{DatasetKind::root, "root"}, {DatasetKind::tld, "tld"}, {DatasetKind::hosting, "hosting"}});

struct MixValues {
    QueryMix mix{
        .zone = parse_zone_name("dns64perf.test"), .names = {}, .types = {{"A", 50}, {"AAAA", 50}}};
    pref64 aaaa_prefix = parse_pref64("2001:db8::/96");
    bool any_answer = false;
    std::uint64_t queries = 0;
    std::string output = "-";
};

struct DatasetValues {
    DatasetSpec spec{.parent = parse_zone_name("test")};
    std::optional<std::uint64_t> names;
    std::optional<unsigned> ds_share;
    std::string directory;
    std::optional<unsigned> algorithm; // missing if the zones are not signed
    bool has_nsec3 = false;
    Nsec3 nsec3;
};

Options rows(MixValues &values)
{
    QueryMix &mix = values.mix;
    return {
        Option("names", OptionGroup::other, "CIDR", "The names, as an IPv4 prefix: 10.0.0.0/8",
               names(mix.names), {.is_required = true}),
        Option("queries", OptionGroup::other, "NUMBER",
               "Number of lines; with multiples of 100 the shares are exact",
               whole(values.queries, 1, std::uint64_t{1} << 32U), {.is_required = true}),
        {"zone", OptionGroup::zone, "NAME", "The zone of the names", zone(mix.zone)},
        {"aaaa-share", OptionGroup::zone, "PERCENT",
         "Percent of the names with an AAAA record, as in the zone", whole(mix.aaaa_share, 0, 100)},
        {"aaaa-prefix", OptionGroup::zone, "PREFIX",
         "Prefix of the AAAA records' addresses (RFC 6052), as in the zone",
         prefix(values.aaaa_prefix)},
        {"signed", OptionGroup::zone, "",
         "The zone is signed: an answer to a query with DO has one RRSIG record",
         flag(mix.is_signed)},
        Option("answer", OptionGroup::queries, "any",
               "'any' makes lines want the number of records, whatever their data",
               word(values.any_answer, answers), {.excludes = {"aaaa-prefix"}}),
        {"do", OptionGroup::queries, "PERCENT", "Percent of the queries with DO",
         whole(mix.dnssec_ok, 0, 100)},
        {"nxdomain", OptionGroup::queries, "PERCENT",
         "Percent of the queries for names that do not exist", whole(mix.nxdomain, 0, 100)},
        {"types", OptionGroup::queries, "SHARES",
         "Percent of the queries for each type, 100 together: A=60,AAAA=30,MX=10",
         parsed(mix.types, parse_mix_types)},
        {"output", OptionGroup::files, "FILE", "The file; - is standard output",
         text(values.output)},
    };
}

void write_mix(const MixValues &values)
{
    OutputFile output{values.output};
    write_query_mix(values.mix, values.queries,
                    values.any_answer ? std::nullopt : std::optional(values.aaaa_prefix), output);
    output.commit();
}

Options signature_rows(DatasetValues &values)
{
    constexpr std::uint64_t iterations_most = 65535;
    return {
        {"sign", OptionGroup::signatures, "NUMBER",
         "Sign the zones with this algorithm, by its number, such as 8, 13 or 15: needs "
         "ldns-signzone",
         whole(values.algorithm, 1, 255)},
        Option("nsec3", OptionGroup::signatures, "", "Deny with NSEC3 in place of NSEC",
               flag(values.has_nsec3), {.needs = {"sign"}}),
        Option("nsec3-iterations", OptionGroup::signatures, "NUMBER", "Iterations of NSEC3",
               whole(values.nsec3.iterations, 0, iterations_most), {.needs = {"nsec3"}}),
        Option("nsec3-salt", OptionGroup::signatures, "HEX", "Salt of NSEC3, in hexadecimal",
               text(values.nsec3.salt), {.usual = "none", .needs = {"nsec3"}}),
        Option("opt-out", OptionGroup::signatures, "",
               "Leave delegations without DS out of NSEC3 (opt-out)", flag(values.nsec3.opts_out),
               {.needs = {"nsec3"}}),
    };
}

Options rows(DatasetValues &values)
{
    DatasetSpec &spec = values.spec;
    Options options{
        Option("KIND", OptionGroup::other, "", "What is made: " + all_words(dataset_kinds),
               word(spec.kind, dataset_kinds), {.is_required = true, .is_positional = true}),
        Option("out", OptionGroup::other, "DIR", "The directory for all files",
               text(values.directory), {.is_required = true}),
        Option(
            "names", OptionGroup::zone, "NUMBER", "Number of delegations, or of a hoster's zones",
            whole(values.names, 1, dataset_names_most), {.usual = "1500 for the root, else 10000"}),
        {"zone", OptionGroup::zone, "NAME",
         "Zone that is made (tld), or domain above the zones (hosting); the root has none",
         zone(spec.parent)},
        Option("ds-share", OptionGroup::zone, "PERCENT",
               "Percent of the delegations with DS records", whole(values.ds_share, 0, 100),
               {.usual = "90 for the root, else 50"}),
        {"seed", OptionGroup::zone, "NUMBER", "Seed of everything that is made up",
         whole(spec.seed, 0)},
        {"queries", OptionGroup::queries, "NUMBER", "Lines of the list of queries",
         whole(spec.queries, 1, 1'000'000'000)},
        {"nxdomain-share", OptionGroup::queries, "PERCENT",
         "Percent of the queries for names that do not exist", whole(spec.nxdomain_share, 0, 100)},
        {"do-share", OptionGroup::queries, "PERCENT",
         "Percent of the queries with DO, and an OPT record", whole(spec.dnssec_ok_share, 0, 100)},
    };
    append(options, signature_rows(values));
    return options;
}

void write_dataset(const DatasetValues &values)
{
    DatasetSpec spec = values.spec;
    const bool is_root = spec.kind == DatasetKind::root;
    constexpr std::uint64_t usual_names = 10'000;
    constexpr unsigned usual_ds = 50;
    spec.names = values.names.value_or(is_root ? spec.names : usual_names);
    spec.ds_share = values.ds_share.value_or(is_root ? spec.ds_share : usual_ds);
    std::optional<Signing> signing;
    if (values.algorithm)
        signing = Signing{.algorithm = *values.algorithm};
    if (values.has_nsec3)
        signing->nsec3 = values.nsec3;
    spec.is_signed = signing.has_value();
    const DatasetTimes times = write_dataset(spec, signing, values.directory);
    say("dnsgauge-zone: {} zone{} and {} queries in {}: {:.1f} s to write, {:.1f} s to sign\n",
        zones_of(spec), zones_of(spec) == 1 ? "" : "s", spec.queries, values.directory,
        times.writing.count(), times.signing.count());
}

} // namespace

Command mix_command()
{
    const auto values = std::make_shared<MixValues>();
    return {.name = "mix",
            .summary =
                "Write a list of queries for the names, in exact shares of types, DO and NXDOMAIN",
            .options = rows(*values),
            .examples = {"dnsgauge-zone mix --names 10.0.0.0/16 --queries 100000 --output mix.txt",
                         "dnsgauge-zone mix --names 10.0.0.0/16 --queries 100000 --do 80 \\",
                         "    --nxdomain 30 --types A=60,AAAA=30,MX=10 --output mix.txt"},
            .run = doing([values] { write_mix(*values); })};
}

Command dataset_command()
{
    const auto values = std::make_shared<DatasetValues>();
    return {.name = "dataset",
            .summary =
                "Write zones like real ones, and queries with what is expected of each reply",
            .options = rows(*values),
            .examples = {"dnsgauge-zone dataset tld --names 1000000 --out tld",
                         "dnsgauge-zone dataset root --sign 8 --nxdomain-share 10 --out root"},
            .run = doing([values] { write_dataset(*values); })};
}

} // namespace dnsgauge
