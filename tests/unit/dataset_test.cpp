// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Data sets: what is in the zones, and that the queries expect just that. lab.datasets has real
// servers answer the queries.
#include "zones/dataset.h"

#include "support/scratch_directory.h"
#include "zones/dataset_directory.h"
#include "zones/zone_signer.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace dnsgauge;
using Catch::Contains;
namespace fs = std::filesystem;

namespace
{

DatasetSpec spec_of(DatasetKind kind, std::uint64_t names = 300)
{
    DatasetSpec spec;
    spec.kind = kind;
    spec.parent = parse_zone_name("test");
    spec.names = names;
    spec.queries = 5'000;
    return spec;
}

std::string zone_text(const DatasetSpec &spec, std::uint64_t zone = 0)
{
    std::string text;
    put_zone(spec, zone, [&text](const std::string &more) { text += more; });
    return text;
}

// The records of all zones, by absolute name and type.
using Records = std::map<std::pair<std::string, std::string>, unsigned>;

std::string absolute(const std::string &name, const std::string &origin)
{
    if (name == "@")
        return origin;
    if (name.ends_with('.'))
        return name;
    return name + "." + (origin == "." ? "" : origin);
}

Records records_of(const DatasetSpec &spec)
{
    Records records;
    for (std::uint64_t zone = 0; zone < zones_of(spec); zone++) {
        std::istringstream in(zone_text(spec, zone));
        std::string origin;
        for (std::string line; std::getline(in, line);) {
            std::istringstream words(line);
            std::string name;
            std::string type;
            words >> name >> type;
            if (name == "$ORIGIN")
                origin = type;
            if (name.starts_with('$'))
                continue;
            if (type.find_first_not_of("0123456789") == std::string::npos)
                words >> type; // it was a TTL
            records[{absolute(name, origin), type}]++;
        }
    }
    return records;
}

struct Line {
    std::string name;
    std::string type;
    bool is_do = false;
    std::string rcode;
    unsigned answers = 0;
    bool is_authoritative = false;
};

std::vector<Line> lines_of(const DatasetSpec &spec)
{
    std::vector<Line> lines;
    put_queries(spec, [&lines](const std::string &text) {
        std::istringstream words(text);
        Line line;
        words >> line.name >> line.type;
        for (std::string word; words >> word;) {
            if (word == "D")
                line.is_do = true;
            else if (word.starts_with("rcode="))
                line.rcode = word.substr(6);
            else if (word.starts_with("answers="))
                line.answers = static_cast<unsigned>(std::stoul(word.substr(8)));
            else if (word == "aa")
                line.is_authoritative = true;
            else
                REQUIRE(word == "E");
        }
        lines.push_back(line);
    });
    return lines;
}

unsigned count(const Records &records, const std::string &name, const std::string &type)
{
    const auto found = records.find({name, type});
    return found == records.end() ? 0 : found->second;
}

// Whether a name or anything below it is in the zones.
bool exists(const std::set<std::string> &names, const std::string &name)
{
    return std::ranges::any_of(
        names, [&](const std::string &one) { return one == name || one.ends_with("." + name); });
}

std::string percent_off(std::uint64_t part, std::uint64_t all, unsigned wanted)
{
    const double found = 100.0 * static_cast<double>(part) / static_cast<double>(all);
    return std::abs(found - wanted) < 3 ? "" : std::to_string(found);
}

} // namespace

TEST_CASE("labels are all different, and begin with a consonant")
{
    for (const std::uint64_t names :
         {std::uint64_t{1}, std::uint64_t{10'000}, std::uint64_t{20'000}}) {
        std::set<std::string> labels;
        for (std::uint64_t index = 0; index < names; index++) {
            const std::string label = dataset_label(index, names);
            REQUIRE(std::string("aeiou").find(label.front()) == std::string::npos);
            REQUIRE(label.size() <= 63);
            labels.insert(label);
        }
        CHECK(labels.size() == names);
    }
}

TEST_CASE("the same options give the same octets, and another seed others")
{
    for (const DatasetKind kind : {DatasetKind::root, DatasetKind::tld, DatasetKind::hosting}) {
        DatasetSpec spec = spec_of(kind);
        const std::string before = zone_text(spec);
        CHECK(zone_text(spec) == before);
        spec.seed = 2;
        CHECK(zone_text(spec) != before);
    }
}

TEST_CASE("every query of a parent expects what the zone has")
{
    DatasetSpec spec = spec_of(GENERATE(DatasetKind::root, DatasetKind::tld));
    spec.is_signed = GENERATE(false, true);
    const Records records = records_of(spec);
    const std::string zone = zone_name_of(spec, 0);
    std::set<std::string> cuts;
    for (const auto &[record, number] : records)
        if (record.second == "NS" && record.first != zone)
            cuts.insert(record.first);
    CHECK(cuts.size() == spec.names);
    std::uint64_t absent = 0;
    std::uint64_t with_do = 0;
    const std::vector<Line> lines = lines_of(spec);
    CHECK(lines.size() == spec.queries);
    for (const Line &line : lines) {
        CAPTURE(line.name, line.type);
        with_do += line.is_do;
        const auto cut = std::ranges::find_if(cuts, [&](const std::string &one) {
            return line.name == one || line.name.ends_with("." + one);
        });
        if (line.rcode == "NXDOMAIN") {
            absent++;
            REQUIRE(cut == cuts.end());
            REQUIRE(count(records, line.name, line.type) == 0);
            REQUIRE(line.is_authoritative);
            REQUIRE(line.answers == 0);
        } else if (cut == cuts.end() || (line.type == "DS" && *cut == line.name)) {
            const unsigned own = count(records, line.name, line.type);
            REQUIRE(line.answers == own + (own != 0 && line.is_do && spec.is_signed ? 1 : 0));
            REQUIRE(line.is_authoritative);
            REQUIRE((line.name == zone || line.type == "DS"));
        } else {
            REQUIRE(line.answers == 0);
            REQUIRE_FALSE(line.is_authoritative);
        }
    }
    CHECK(percent_off(absent, lines.size(), spec.nxdomain_share) == "");
    CHECK(percent_off(with_do, lines.size(), spec.dnssec_ok_share) == "");
}

TEST_CASE("every query of a hoster's zones expects what they have")
{
    DatasetSpec spec = spec_of(DatasetKind::hosting, 100);
    spec.is_signed = GENERATE(false, true);
    const Records records = records_of(spec);
    std::set<std::string> names;
    for (const auto &[record, number] : records)
        names.insert(record.first);
    for (const Line &line : lines_of(spec)) {
        CAPTURE(line.name, line.type);
        REQUIRE(line.is_authoritative);
        REQUIRE((line.rcode == "NXDOMAIN") != exists(names, line.name));
        unsigned wanted = count(records, line.name, line.type);
        unsigned sets = wanted == 0 ? 0 : 1;
        if (count(records, line.name, "CNAME") != 0) { // the alias, and one address
            wanted = 2;
            sets = 2;
        }
        REQUIRE(line.answers == wanted + (line.is_do && spec.is_signed ? sets : 0));
    }
}

TEST_CASE("shares are as they were asked for, at their ends exactly")
{
    DatasetSpec spec = spec_of(DatasetKind::tld, 2'000);
    spec.ds_share = GENERATE(0U, 40U, 100U);
    const Records records = records_of(spec);
    const auto secure = std::ranges::count_if(
        records, [](const auto &record) { return record.first.second == "DS"; });
    CHECK(percent_off(static_cast<std::uint64_t>(secure), spec.names, spec.ds_share) == "");
    spec.nxdomain_share = 0;
    spec.dnssec_ok_share = 100;
    CHECK(std::ranges::all_of(
        lines_of(spec), [](const Line &line) { return line.rcode == "NOERROR" && line.is_do; }));
}

TEST_CASE("a data set's directory has its zones, and is no one else's")
{
    const ScratchDirectory scratch;
    const fs::path directory = scratch.path() / "set";
    write_dataset(spec_of(DatasetKind::hosting, 1'200), std::nullopt, directory);
    const std::vector<ServedZone> zones = read_dataset(directory);
    REQUIRE(zones.size() == 1'200);
    for (const ServedZone &zone : zones)
        REQUIRE_THAT(read_file(zone.file), Catch::StartsWith("$ORIGIN " + zone.name + "\n"));
    write_dataset(spec_of(DatasetKind::root), std::nullopt, directory);
    CHECK(read_dataset(directory).at(0).name == ".");
    CHECK_FALSE(fs::exists(directory / "zones/0"));

    std::ofstream{scratch.file("letter")} << "mine";
    CHECK_THROWS_WITH(write_dataset(spec_of(DatasetKind::root), std::nullopt, scratch.path()),
                      Contains("more than a data set"));
    CHECK(read_file(scratch.file("letter")) == "mine");
    CHECK_THROWS_WITH(read_dataset(scratch.path()), Contains("no data set"));
    std::ofstream{directory / "dataset"} << "test.\tzones/../../letter\n";
    CHECK_THROWS_WITH(read_dataset(directory), Contains("dataset line 1"));
}

TEST_CASE("a signing that cannot be is refused")
{
    CHECK_THROWS_WITH(ZoneSigner({.algorithm = 3}),
                      Contains("choose one of 5, 7, 8, 10, 13, 14, 15"));
    CHECK_THROWS_WITH(ZoneSigner({.algorithm = 5, .nsec3 = Nsec3{}}), Contains("algorithm 7"));
    CHECK_THROWS_WITH(ZoneSigner({.algorithm = 8, .nsec3 = Nsec3{.salt = "abc"}}),
                      Contains("\"abc\" is no salt"));
    CHECK_THROWS_WITH(ZoneSigner({.algorithm = 8, .nsec3 = Nsec3{.salt = "xy"}}),
                      Contains("no salt"));
}
