// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/zone_writer.h"

#include "dns/pref64_text.h"
#include "support/file_size_limit.h"
#include "support/scratch_directory.h"
#include "system/setup_error.h"
#include "wire/test_name.h"

#include <arpa/inet.h>
#include <catch2/catch.hpp>
#include <sys/resource.h>

#include <array>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace dnsgauge;
using Catch::Contains;
namespace fs = std::filesystem;

namespace
{

ZoneSpec small_zone(const std::string &names)
{
    ZoneSpec spec;
    spec.zone = parse_zone_name("dns64perf.test");
    spec.names = parse_name_range(names);
    spec.aaaa_prefix = parse_pref64("2001:db8::/96");
    return spec;
}

std::string zone_text(const ZoneSpec &spec)
{
    const ScratchDirectory folder;
    OutputFile output{folder.file("zone")};
    write_zone(spec, output);
    output.commit();
    return read_file(folder.file("zone"));
}

struct Record {
    std::string owner;
    std::string type;
    std::string data;
};

// Returns the records of the names, which follow the name server's records.
std::vector<Record> records_of(const ZoneSpec &spec)
{
    std::istringstream lines{zone_text(spec)};
    std::vector<Record> records;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields{line};
        Record record;
        std::string more;
        fields >> record.owner >> record.type >> record.data;
        if (record.owner.size() != TEST_NAME_LABEL)
            continue;
        REQUIRE_FALSE(fields >> more);
        records.push_back(record);
    }
    return records;
}

std::uint32_t index_of(const Record &record)
{
    std::uint32_t address = 0;
    const auto *label = reinterpret_cast<const std::uint8_t *>(record.owner.data());
    REQUIRE(test_name_read(label, &address) == 1);
    return address;
}

long peak_kilobytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

} // namespace

TEST_CASE("a mixed zone, to the byte", "[zones]")
{
    ZoneSpec spec = small_zone("10.0.0.254/31");
    spec.names.count = 3; // across an octet's end
    spec.aaaa_share = 20;
    spec.ttl = 300;
    spec.negative_ttl = 60;
    spec.name_server = {parse_ip_address("198.18.0.2"), parse_ip_address("2001:2:0::2")};
    CHECK(zone_text(spec) == "$ORIGIN dns64perf.test.\n"
                             "$TTL 300\n"
                             "@\t60\tSOA\tns hostmaster 1 86400 7200 3600000 60\n"
                             "@\tNS\tns\n"
                             "ns\tA\t198.18.0.2\n"
                             "ns\tAAAA\t2001:2::2\n"
                             "010-000-000-254\tA\t10.0.0.254\n"
                             "010-000-000-255\tA\t10.0.0.255\n"
                             "010-000-000-255\tAAAA\t2001:db8:0:0:0:0:a00:ff\n"
                             "010-000-001-000\tA\t10.0.1.0\n");
}

TEST_CASE("the ends of the namespace", "[zones]")
{
    ZoneSpec spec = small_zone("255.255.255.254/31");
    spec.records = ZoneRecords::a;
    CHECK_THAT(zone_text(spec), Contains("\n255-255-255-254\tA\t255.255.255.254\n"
                                         "255-255-255-255\tA\t255.255.255.255\n"));
    CHECK(records_of(spec).size() == 2);
    spec.names = parse_name_range("0.0.0.0/32");
    CHECK_THAT(zone_text(spec), Contains("\n000-000-000-000\tA\t0.0.0.0\n"));
}

TEST_CASE("one kind of record alone", "[zones]")
{
    ZoneSpec spec = small_zone("10.1.0.0/22");
    spec.aaaa_share = 7; // has an effect on mixed zones only
    for (const auto &[records, type] :
         {std::pair{ZoneRecords::a, "A"}, std::pair{ZoneRecords::aaaa, "AAAA"}}) {
        spec.records = records;
        const std::vector<Record> found = records_of(spec);
        REQUIRE(found.size() == spec.names.count);
        for (std::size_t i = 0; i < found.size(); i++) {
            REQUIRE(index_of(found[i]) == spec.names.first + i);
            REQUIRE(found[i].type == type);
        }
    }
}

TEST_CASE("the share of AAAA records is exact in every aligned block of 100", "[zones]")
{
    ZoneSpec spec = small_zone("10.0.0.0/20");
    for (const std::uint32_t share : {0U, 1U, 20U, 50U, 99U, 100U}) {
        spec.aaaa_share = share;
        std::map<std::uint32_t, std::uint32_t> a_records;
        std::map<std::uint32_t, std::uint32_t> aaaa_records;
        for (const Record &record : records_of(spec))
            (record.type == "A" ? a_records : aaaa_records)[index_of(record) / 100]++;
        for (const auto &[block, count] : a_records) {
            if (count == 100)
                REQUIRE(aaaa_records[block] == share);
        }
        CHECK(a_records.size() > 40);
    }
}

TEST_CASE("AAAA data for every length of prefix, as in RFC 6052 section 2.4", "[zones]")
{
    const std::map<std::string, std::string> table{
        {"2001:db8::/32", "2001:db8:c000:221::"},
        {"2001:db8:100::/40", "2001:db8:1c0:2:21::"},
        {"2001:db8:122::/48", "2001:db8:122:c000:2:2100::"},
        {"2001:db8:122:300::/56", "2001:db8:122:3c0:0:221::"},
        {"2001:db8:122:344::/64", "2001:db8:122:344:c0:2:2100::"},
        {"2001:db8:122:344::/96", "2001:db8:122:344::c000:221"}};
    for (const auto &[prefix, wanted] : table) {
        ZoneSpec spec = small_zone("192.0.2.33/32");
        spec.records = ZoneRecords::aaaa;
        spec.aaaa_prefix = parse_pref64(prefix);
        const std::vector<Record> found = records_of(spec);
        REQUIRE(found.size() == 1);
        CHECK(parse_ip_address(found[0].data) == parse_ip_address(wanted));
    }
}

TEST_CASE("memory does not grow with the zone", "[zones]")
{
    ZoneSpec spec = small_zone("10.0.0.0/16");
    OutputFile nowhere{"/dev/null"};
    write_zone(spec, nowhere);
    const long before = peak_kilobytes();
    spec.names = parse_name_range("10.0.0.0/12");
    write_zone(spec, nowhere);
    CHECK(peak_kilobytes() - before < 1024);
}

TEST_CASE("a text longer than a block is written whole", "[zones]")
{
    const ScratchDirectory folder;
    const std::string text(5 * OutputFile::block_size / 2, 'x');
    OutputFile output{folder.file("long")};
    output.write("first ");
    output.write(text);
    output.commit();
    CHECK(read_file(folder.file("long")) == "first " + text);
}

TEST_CASE("a full device is told", "[zones]")
{
    OutputFile output{"/dev/full"};
    write_zone(small_zone("10.0.0.0/30"), output);
    CHECK_THROWS_WITH(output.commit(), "cannot write /dev/full: No space left on device");
    CHECK(fs::is_character_file("/dev/full"));

    OutputFile again{"/dev/full"};
    CHECK_THROWS_AS(write_zone(small_zone("10.0.0.0/12"), again), SetupError);
}

TEST_CASE("a disk that gets full leaves the older file and nothing else", "[zones]")
{
    const ScratchDirectory folder;
    write_file(folder.file("zone"), "older");
    {
        const FileSizeLimit limit{3 * OutputFile::block_size / 2};
        OutputFile output{folder.file("zone")};
        CHECK_THROWS_WITH(write_zone(small_zone("10.0.0.0/12"), output), Contains("cannot write"));
    }
    CHECK(read_file(folder.file("zone")) == "older");
    CHECK(folder.entries() == 1);
}

TEST_CASE("a reader that is gone is told", "[zones]")
{
    const ScratchDirectory folder;
    std::array<int, 2> ends{};
    REQUIRE(pipe(ends.data()) == 0);
    const UniqueFd writer{ends[1]};
    {
        const UniqueFd reader{ends[0]};
    }
    const auto handler = std::signal(SIGPIPE, SIG_IGN);
    OutputFile output{"/dev/fd/" + std::to_string(writer.get())};
    output.write("text");
    CHECK_THROWS_WITH(output.commit(), Contains("Broken pipe"));
    static_cast<void>(std::signal(SIGPIPE, handler));
}

TEST_CASE("a signal ends the writing of a file and takes effect afterwards", "[zones]")
{
    static volatile std::sig_atomic_t arrived = 0;
    const ScratchDirectory folder;
    const auto handler = std::signal(SIGTERM, [](int) { arrived = 1; });
    {
        OutputFile output{folder.file("zone")};
        REQUIRE(std::raise(SIGTERM) == 0);
        CHECK(arrived == 0);
        CHECK_THROWS_WITH(write_zone(small_zone("10.0.0.0/12"), output), Contains("interrupted"));
    }
    CHECK(arrived == 1);
    CHECK(folder.entries() == 0);
    static_cast<void>(std::signal(SIGTERM, handler));
}
