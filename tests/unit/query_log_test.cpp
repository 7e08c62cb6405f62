// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Senders put records into rings while one thread writes them to the file.
#include "engine/query_log.h"

#include "dns/name_text.h"
#include "support/scratch_directory.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>

#include <sstream>
#include <thread>

using namespace dnsgauge;

namespace
{

constexpr std::uint32_t senders = 2;
constexpr std::uint64_t records_each = 20'000;

std::vector<std::string> lines_of(const std::string &text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

char *put_name(char *end, const QueryRecord &record)
{
    return put_test_name(end, static_cast<std::uint32_t>(record.expectation), "dns64perf.test");
}

} // namespace

TEST_CASE("the file has all records of all senders, each sender's in order")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("queries.csv");
    QueryLog log({.file = path, .put_query = put_name}, senders);
    log.start(1000);
    std::vector<std::jthread> threads;
    for (std::uint32_t sender = 0; sender < senders; sender++)
        threads.emplace_back([&log, sender] {
            for (std::uint64_t i = 0; i < records_each;)
                if (log.ring(sender).push({.query = i * senders + sender,
                                           .sent_ns = 1000 + i,
                                           .rtt_ns = i,
                                           .expectation = 0x0a000000 + i,
                                           .sender = sender,
                                           .state = QUERY_VALID}))
                    i++;
        });
    threads.clear();
    REQUIRE(log.finish());

    const std::vector<std::string> lines = lines_of(read_file(path));
    REQUIRE(lines.size() == 1 + senders * records_each);
    CHECK(lines[0] == "number;query;sender;sent_ns;class;rtt_ns");
    std::vector<std::uint64_t> next(senders);
    for (std::size_t at = 1; at < lines.size(); at++) {
        const auto sender = static_cast<std::uint32_t>(std::stoull(lines[at]) % senders);
        const std::uint64_t i = next[sender]++;
        if (i == 258)
            CHECK(lines[at] == std::to_string(i * senders + sender) +
                                   ";010-000-001-002.dns64perf.test;" + std::to_string(sender) +
                                   ";258;valid;258");
        REQUIRE(std::stoull(lines[at]) == i * senders + sender);
    }
}

TEST_CASE("a query that nothing was heard of has no RTT")
{
    const ScratchDirectory scratch;
    QueryLog log({.file = scratch.file("queries.csv"), .put_query = put_name}, 1);
    log.start(0);
    REQUIRE(log.ring(0).push({.expectation = 1}));
    REQUIRE(log.finish());
    CHECK(lines_of(read_file(scratch.file("queries.csv"))).back() ==
          "0;000-000-000-001.dns64perf.test;0;0;lost;");
}

TEST_CASE("a file that is not whole is not there")
{
    const ScratchDirectory scratch;
    {
        QueryLog log({.file = scratch.file("queries.csv"), .put_query = put_name}, 1);
        log.start(0);
    }
    CHECK(scratch.entries() == 0);
}

TEST_CASE("a file that cannot be written is told")
{
    CHECK_THROWS_AS(QueryLog({.file = "/nowhere/queries.csv", .put_query = put_name}, 1),
                    SetupError);
    QueryLog full({.file = "/dev/full", .put_query = put_name}, 1);
    full.start(0);
    CHECK_FALSE(full.finish());
}

TEST_CASE("a function may take the records in place of a file")
{
    std::vector<std::uint64_t> taken;
    QueryLog log({.take = [&taken](const QueryRecord &record) { taken.push_back(record.query); }},
                 2);
    log.start(0);
    REQUIRE(log.ring(1).push({.query = 5}));
    REQUIRE(log.ring(1).push({.query = 7}));
    REQUIRE(log.finish());
    CHECK(taken == std::vector<std::uint64_t>{5, 7});
}

namespace
{

// Knows odd queries in the end alone.
class OddLater final : public QueryWitness
{
public:
    [[nodiscard]] std::string heads() const override { return ";seen"; }
    void look() override {}
    void finish() override { is_finished_ = true; }
    [[nodiscard]] std::optional<std::string> judge(const QueryRecord &record,
                                                   PortAndId sent) override
    {
        if (record.query % 2 == 1 && !is_finished_)
            return std::nullopt;
        return ';' + std::to_string(sent.port);
    }

private:
    bool is_finished_ = false;
};

} // namespace

TEST_CASE("what a witness saw stands beside what the Tester knows, once it is known")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("queries.csv");
    OddLater witness;
    const auto sent = [](const QueryRecord &record) {
        return PortAndId{.port = static_cast<std::uint16_t>(100 + record.place)};
    };
    QueryLog log({.file = path, .put_query = put_name, .witness = &witness, .sent = sent}, 1);
    log.start(0);
    for (std::uint64_t i = 0; i < 3; i++)
        REQUIRE(log.ring(0).push({.query = i, .place = 7 + i, .state = QUERY_OUTSTANDING}));
    REQUIRE(log.finish());
    const std::vector<std::string> lines = lines_of(read_file(path));
    REQUIRE(lines.size() == 4);
    CHECK(lines[0] == "number;query;sender;sent_ns;class;rtt_ns;seen");
    CHECK_THAT(lines[1], Catch::StartsWith("0;"));
    CHECK_THAT(lines[1], Catch::EndsWith(";0;0;lost;;107"));
    CHECK_THAT(lines[2], Catch::StartsWith("2;"));
    CHECK_THAT(lines[3], Catch::StartsWith("1;"));
    CHECK_THAT(lines[3], Catch::EndsWith(";lost;;108"));
}
