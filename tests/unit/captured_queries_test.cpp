// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "capture/capture_writer.h"
#include "support/exact_buffer.h"
#include "support/judgement_alone.h"
#include "support/packet.h"
#include "support/scratch_directory.h"
#include "system/setup_error.h"
#include "workload/captured_queries.h"
#include "workload/streams.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>

using namespace dnsgauge;
using namespace dnsgauge::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace
{

constexpr std::int64_t begin_ns = 1'600'000'000'000'000'000;

struct Asked {
    std::int64_t at_ns;
    const char *client = "192.0.2.1";
    const char *name = "www.example.org";
    const char *server = "192.0.2.53";
    std::uint16_t port = 5000;
};

class Captures
{
public:
    std::string write(const std::vector<Asked> &queries)
    {
        const std::string path = scratch_.file(std::to_string(scratch_.entries()) + ".pcap");
        CaptureWriter writer(path);
        for (const Asked &query : queries) {
            const Bytes message = message_for(query.name);
            writer.write({.time_ns = begin_ns + query.at_ns,
                          .source = {parse_ip_address(query.client), query.port},
                          .target = {parse_ip_address(query.server), 53},
                          .message = message});
        }
        writer.commit();
        return path;
    }
    static Bytes message_for(const char *name)
    {
        return DnsMessage{.questions = {{.name = dns_name(name)}}};
    }

private:
    ScratchDirectory scratch_;
};

CapturedQueries played(const ReplayWish &wish, Nanoseconds duration = 60s)
{
    return {wish, duration, WANTS_USEFUL};
}

// Returns the queries, which must outlive the object, as one Tester plays them alone.
PlayedQueries all_of(const CapturedQueries &queries)
{
    return PlayedQueries({std::shared_ptr<const CapturedQueries>(), &queries});
}

// Returns the queries of the clients in the shares. The queries must outlive the object.
PlayedQueries some_of(const CapturedQueries &queries, const ClientShares &shares)
{
    return {{std::shared_ptr<const CapturedQueries>(), &queries}, shares};
}

std::vector<std::int64_t> times(const CapturedQueries &queries)
{
    return {queries.due_ns().begin(), queries.due_ns().end()};
}

std::vector<std::uint32_t> clients(const CapturedQueries &queries)
{
    std::vector<std::uint32_t> found;
    for (std::size_t i = 0; i < queries.size(); i++)
        found.push_back(queries.entry(i).client);
    return found;
}

using Times = std::vector<std::int64_t>;

} // namespace

TEST_CASE("queries keep their octets, and their times to the nanosecond")
{
    Captures captures;
    const std::string file =
        captures.write({{0}, {1, "192.0.2.2", "a.test"}, {999'999'999, "192.0.2.1", "b.test"}});
    const CapturedQueries queries = played({.files = {file}});
    CHECK(times(queries) == Times{0, 1, 999'999'999});
    CHECK(clients(queries) == std::vector<std::uint32_t>{0, 1, 0});
    CHECK(queries.clients() == 2);
    const auto message = queries.entry(1).message;
    CHECK(Bytes(message.begin(), message.end()) == Captures::message_for("a.test"));
    CHECK(queries.longest() == Captures::message_for("www.example.org").size());
    __u64 hash = 0;
    REQUIRE(question_hash(ExactBuffer(message).cursor(), &queries.key(), &hash) != 0);
    CHECK(hash == queries.entry(1).expectation);
}

namespace
{

// A capture, and the same prepared.
struct Prepared {
    Captures captures;
    ScratchDirectory scratch;
    std::string capture;
    std::string file = scratch.file("some.prepared");

    explicit Prepared(const std::vector<Asked> &queries) : capture(captures.write(queries))
    {
        CaptureReader reader(capture);
        CapturedQueries([&reader] { return reader.next(); }).save(file);
    }
};

// Returns what a sender would send, and what replies would have to be.
std::vector<std::string> told(const CapturedQueries &queries)
{
    std::vector<std::string> all;
    for (std::size_t i = 0; i < queries.size(); i++) {
        const CapturedQueries::Entry entry = queries.entry(i);
        __u64 hash = 0;
        REQUIRE(question_hash(ExactBuffer(entry.message).cursor(), &queries.key(), &hash) != 0);
        CHECK(hash == entry.expectation);
        all.push_back(std::to_string(queries.due_ns()[i]) + ' ' + std::to_string(entry.client) +
                      ' ' + std::to_string(entry.port) + ' ' + std::to_string(entry.wants) + ' ' +
                      std::string(entry.message.begin(), entry.message.end()));
    }
    return all;
}

} // namespace

TEST_CASE("a prepared capture is played as the capture is")
{
    const Prepared prepared({{0, "192.0.2.7", "a.test"},
                             {2'000'000'000, "2001:db8::1", "b.test", "2001:db8::53"},
                             {1'000'000'000, "192.0.2.9", "C.test"},
                             {3'000'000'000, "192.0.2.7", "d.test"}});
    const std::vector<ReplayWish> wishes = {{},
                                            {.clients = parse_ip_prefix("10.0.0.0/8")},
                                            {.speed = 2},
                                            {.load_factor = 2},
                                            {.skip = 1s},
                                            {.edns_options = parse_edns_options("subnet=client")},
                                            {.letters = {.exact = true}},
                                            {.letters = {.exact = true, .seed = 3}}};
    for (ReplayWish wish : wishes) {
        for (const Nanoseconds duration :
             {Nanoseconds(2s), Nanoseconds(2500ms), Nanoseconds(60s)}) {
            CAPTURE(wish.speed, wish.load_factor, wish.skip.count(), duration.count());
            wish.files = {prepared.capture};
            // In the capture, clients have their numbers in the order of the file.
            const CapturedQueries original = played(wish, duration);
            wish.files = {prepared.file};
            const CapturedQueries mapped = played(wish, duration);
            CHECK(mapped.size() == original.size());
            CHECK(times(mapped) == times(original));
            CHECK(mapped.clients() == original.clients());
            CHECK(mapped.omissions().outside == original.omissions().outside);
            if (!wish.letters.seed && mapped.size() == 4)
                CHECK(told(mapped).back() == told(original).back());
            static_cast<void>(told(mapped));
        }
    }
    CHECK(clients(played({.files = {prepared.file}})) == std::vector<std::uint32_t>{0, 1, 2, 0});
    CHECK_THROWS_WITH(played({.files = {prepared.file}, .server = parse_ip_address("192.0.2.53")}),
                      Contains("--capture-server"));
    CHECK_THROWS_WITH(
        played({.files = {prepared.file}, .clients = parse_ip_prefix("10.0.0.0/31")}, 60s),
        Contains("3 clients need an address each"));
}

TEST_CASE("a prepared capture holds what the capture's answers were")
{
    const ScratchDirectory scratch;
    const Bytes query = DnsMessage{.questions = {{.name = dns_name("a.test")}}};
    const Bytes answer = DnsMessage{.flags = 0x8183, .questions = {{.name = dns_name("A.test")}}};
    const Endpoint client{parse_ip_address("192.0.2.1"), 5000};
    const Endpoint server{parse_ip_address("192.0.2.53"), 53};
    // A query without an answer, one with its answer, and an answer that comes too late to count.
    const std::vector<CapturedMessage> messages = {
        {.time_ns = begin_ns, .source = client, .target = server, .message = query},
        {.time_ns = begin_ns + 25'000'000'000,
         .source = client,
         .target = server,
         .message = query},
        {.time_ns = begin_ns + 25'000'000'001,
         .source = server,
         .target = client,
         .message = answer},
        {.time_ns = begin_ns + 25'000'000'002,
         .source = server,
         .target = client,
         .message = answer}};
    std::size_t next = 0;
    CapturedQueries([&]() -> std::optional<CapturedMessage> {
        return next < messages.size() ? std::optional(messages[next++]) : std::nullopt;
    }).save(scratch.file("p"));
    const CapturedQueries captured({.files = {scratch.file("p")}}, 60s, std::nullopt);
    CHECK(captured.answered() == 1);
    CHECK(captured.entry(0).wants == WANTS_USEFUL);
    CHECK(captured.entry(1).wants == (1U << DNS_RCODE_NXDOMAIN | WANTS_COUNT));
    const CapturedQueries useful({.files = {scratch.file("p")}}, 60s, WANTS_ANY_RCODE);
    CHECK(useful.entry(1).wants == WANTS_ANY_RCODE);
}

TEST_CASE("an answer with an RCODE above 15 does not say what a reply must be")
{
    const ScratchDirectory scratch;
    const Bytes query = DnsMessage{.questions = {{.name = dns_name("a.test")}}};
    const auto wanted_after = [&](std::uint16_t flags, std::uint32_t ttl) {
        const Bytes answer = DnsMessage{.flags = flags,
                                        .questions = {{.name = dns_name("a.test")}},
                                        .additionals = {dns_opt(ttl)}};
        const Endpoint client{parse_ip_address("192.0.2.1"), 5000};
        const Endpoint server{parse_ip_address("192.0.2.53"), 53};
        std::vector<CapturedMessage> messages = {
            {.time_ns = begin_ns, .source = client, .target = server, .message = query},
            {.time_ns = begin_ns + 1, .source = server, .target = client, .message = answer}};
        std::size_t next = 0;
        CapturedQueries([&]() -> std::optional<CapturedMessage> {
            return next < messages.size() ? std::optional(messages[next++]) : std::nullopt;
        }).save(scratch.file("p"));
        return CapturedQueries({.files = {scratch.file("p")}}, 60s, std::nullopt).entry(0).wants;
    };
    CHECK(wanted_after(0x8187, 0) == (1U << 7 | WANTS_COUNT));
    CHECK(wanted_after(0x8187, 1U << 24U) == WANTS_USEFUL); // BADCOOKIE
    CHECK(wanted_after(0x8180, 1U << 24U) == WANTS_USEFUL); // BADVERS
}

TEST_CASE("a prepared file that is damaged is refused, whatever is wrong")
{
    const Prepared prepared({{0, "192.0.2.7", "a.test"}, {5, "192.0.2.8", "b.test"}});
    const std::string whole = read_file(prepared.file);
    const std::string damaged = prepared.scratch.file("damaged.prepared");
    const auto refused = [&](const std::string &content) {
        write_file(damaged, content);
        try {
            static_cast<void>(PreparedFile("--capture", damaged, PreparedKind::captures));
        } catch (const SetupError &error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(refused(whole).empty());
    for (std::size_t size = 0; size < whole.size(); size++)
        CHECK_THAT(refused(whole.substr(0, size)), Contains("cut off"));
    CHECK_THAT(refused(whole + 'x'), Contains("cut off or damaged"));
    // Hashes, names, types, places and most of the head count; clients' addresses, for instance,
    // are what the file says they are.
    constexpr std::size_t least = 100;
    std::size_t noticed = 0;
    for (std::size_t at = 0; at < whole.size(); at++) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 0x80);
        noticed += refused(changed).empty() ? 0U : 1U;
    }
    CHECK(noticed > least);
    std::string other = whole;
    other[12] = 1; // the version
    CHECK_THAT(refused(other), Contains("version 1"));
    CHECK_THROWS_WITH(PreparedFile("--queries", prepared.file, PreparedKind::list),
                      Contains("--queries " + prepared.file + ": it holds queries with times"));
    CHECK_THROWS_WITH(PreparedFile("--capture", prepared.scratch.file("none"), PreparedKind::list),
                      Contains("cannot read --capture"));
    CHECK_FALSE(is_prepared(prepared.capture));
    CHECK(is_prepared(prepared.file));
}

TEST_CASE("letters are mixed by the seed, and then count")
{
    Captures captures;
    const std::string file = captures.write({{0, "192.0.2.1", "a.long.name.test"}});
    const Bytes original = Captures::message_for("a.long.name.test");
    const CapturedQueries queries =
        played({.files = {file}, .letters = {.exact = true, .seed = 1}});
    const auto message = queries.entry(0).message;
    const Bytes sent(message.begin(), message.end());
    CHECK(sent != original);
    __u64 hash = 0;
    REQUIRE(question_hash(ExactBuffer(sent).cursor(), &queries.key(), &hash) != 0);
    CHECK(hash == queries.entry(0).expectation);
    REQUIRE(question_hash(ExactBuffer(original).cursor(), &queries.key(), &hash) != 0);
    CHECK(hash != queries.entry(0).expectation);
    question_key folding = queries.key();
    folding.exact = 0;
    __u64 of_sent = 0;
    REQUIRE(question_hash(ExactBuffer(original).cursor(), &folding, &hash) != 0);
    REQUIRE(question_hash(ExactBuffer(sent).cursor(), &folding, &of_sent) != 0);
    CHECK(hash == of_sent);
}

TEST_CASE("messages out of order come in the order of their times")
{
    Captures captures;
    const std::string file = captures.write({{500}, {2000}, {1000}, {400}});
    CHECK(times(played({.files = {file}})) == Times{0, 0, 500, 1500});
}

TEST_CASE("speed compresses times, skip and duration cut both ends")
{
    Captures captures;
    const std::string file =
        captures.write({{0}, {1'000'000'000}, {2'000'000'000}, {3'000'000'000}});
    CHECK(times(played({.files = {file}, .speed = 2})) ==
          Times{0, 500'000'000, 1'000'000'000, 1'500'000'000});
    const CapturedQueries cut = played({.files = {file}, .skip = 1s}, 2s);
    CHECK(times(cut) == Times{0, 1'000'000'000});
    CHECK(cut.omissions().outside == 2);
    CHECK(times(played({.files = {file}, .speed = 2}, 1s)) == Times{0, 500'000'000});
}

TEST_CASE("several captures are played at once, each from its beginning, with clients of its own")
{
    Captures captures;
    const std::string one = captures.write({{0}, {100}});
    const std::string other = captures.write({{5'000'000'000}, {5'000'000'050, "192.0.2.2"}});
    const CapturedQueries both = played({.files = {one, other}});
    CHECK(times(both) == Times{0, 0, 50, 100});
    CHECK(both.clients() == 3);
    CHECK(both.played() == 2);
    const CapturedQueries first = played({.files = {one, other}, .load_factor = 1});
    CHECK(times(first) == Times{0, 100});
}

TEST_CASE("a load factor above the number of files cuts slices, whose clients are others")
{
    Captures captures;
    std::vector<Asked> all;
    for (std::int64_t i = 0; i < 12; i++)
        all.push_back({i * 100});
    const CapturedQueries three = played({.files = {captures.write(all)}, .load_factor = 3});
    // Slices of 367 ns: 0 to 366, 367 to 733, 734 to 1100.
    CHECK(times(three) == Times{0, 33, 66, 100, 133, 166, 200, 233, 266, 300, 333, 366});
    CHECK(three.clients() == 3);
    CHECK(three.played() == 3);
    std::set<std::uint32_t> at_once;
    for (std::size_t i = 0; i < 3; i++)
        at_once.insert(three.entry(i).client);
    CHECK(at_once.size() == 3);
}

TEST_CASE("if only some slices are played, they have the clients that they have among all")
{
    Captures captures;
    std::vector<Asked> all;
    for (std::int64_t i = 0; i < 12; i++)
        all.push_back({i * 100});
    const std::string file = captures.write(all);
    const auto from = [&](std::uint32_t first, std::uint32_t factor) {
        return played({.files = {file}, .load_factor = factor, .slices = 3, .first_slice = first});
    };
    // Slices of 367 ns: 0 to 366, 367 to 733, 734 to 1100.
    const CapturedQueries second = from(1, 1);
    CHECK(times(second) == Times{33, 133, 233, 333});
    CHECK(clients(second) == std::vector<std::uint32_t>(4, 1));
    CHECK(second.clients() == 1);
    CHECK(second.played() == 1);
    CHECK(second.slices().size() == 3);
    // After the last slice comes the first.
    const CapturedQueries round = from(2, 2);
    CHECK(times(round) == Times{0, 66, 100, 166, 200, 266, 300, 366});
    CHECK(clients(round) == std::vector<std::uint32_t>{0, 2, 0, 2, 0, 2, 0, 2});
    for (std::uint32_t first = 0; first < 3; first++)
        CHECK(second.mean_rate_from(first) == from(first, 1).mean_rate());
    CHECK(round.mean_rate_from(1) == from(1, 2).mean_rate());
    // The prefix has an address for each client of every slice.
    CHECK_THROWS_WITH(played({.files = {file},
                              .clients = parse_ip_prefix("10.0.0.0/31"),
                              .load_factor = 1,
                              .slices = 3}),
                      Contains("3 clients need an address"));
    CHECK_THROWS_WITH(
        played({.files = {captures.write({{0}, {900}})}, .slices = 3, .first_slice = 1}),
        Contains("no query to send"));
}

TEST_CASE("packets that were captured twice are counted")
{
    Captures captures;
    const std::string file = captures.write({{0},
                                             {20'000}, // once more
                                             {30'000, "192.0.2.2"},
                                             {40'000, "192.0.2.1", "a.test"},
                                             {50'000, "192.0.2.1", "a.test", "192.0.2.54"},
                                             {60'000, "192.0.2.1", "a.test", "192.0.2.53", 5001},
                                             {900'000, "192.0.2.2"}, // once more
                                             {5'000'000}});          // asked again, later
    CHECK(played({.files = {file}}).doubled() == 2);
    CHECK(played({.files = {file}}).size() == 8);
    const std::vector<std::string> doubts = played({.files = {file}}).doubts();
    REQUIRE(doubts.size() == 1);
    CHECK_THAT(doubts.front(), Contains("25.0 % of the captures' queries come again within 1 ms"));
}

TEST_CASE("queries to other servers are left out, and so is what cannot be judged")
{
    Captures captures;
    const std::string file = captures.write({{0}, {1, "192.0.2.1", "a.test", "192.0.2.54"}, {2}});
    const CapturedQueries queries =
        played({.files = {file}, .server = parse_ip_address("192.0.2.53")});
    CHECK(queries.size() == 2);
    CHECK(queries.omissions().other_server == 1);
    CHECK_THROWS_WITH(played({.files = {file}, .server = parse_ip_address("192.0.2.55")}),
                      Contains("3 went to other servers than --capture-server"));
    CHECK_THROWS_WITH(played({.files = {file}, .port = 54}), Contains("no query to send"));
}

TEST_CASE("each client has its own address, or all the Tester's")
{
    Captures captures;
    const std::string file = captures.write({{0}, {1, "192.0.2.9"}, {2}});
    const IpPrefix prefix = parse_ip_prefix("198.19.0.0/16");
    const CapturedQueries queries = played({.files = {file}, .clients = prefix});
    const PlayedQueries all = all_of(queries);
    CaptureStream stream(all, 0, 1, parse_ip_address("198.18.0.1"), prefix);
    const Query first = stream.next();
    const Query second = stream.next();
    const Query third = stream.next();
    CHECK(to_string(first.source) == "198.19.0.1");
    CHECK(to_string(second.source) == "198.19.0.2");
    CHECK(third.source == first.source);
    CHECK(third.due_ns == 2);
    CHECK(first.expectation == third.expectation);
    CHECK(first.expectation != second.expectation); // the same question of somebody else
    CHECK(stream.due() == std::numeric_limits<std::int64_t>::max());

    CaptureStream plain(all, 1, 2, parse_ip_address("198.18.0.1"), {});
    const Query only = plain.next();
    CHECK(only.due_ns == 1);
    CHECK(to_string(only.source) == "198.18.0.1");
    CHECK(only.expectation == queries.entry(1).expectation);

    CHECK_THROWS_WITH(played({.files = {file}, .clients = parse_ip_prefix("198.19.0.0/31")}),
                      Contains("2 clients need an address each"));
}

TEST_CASE("each client has its own port, where ports are kept")
{
    Captures captures;
    const CapturedQueries queries =
        played({.files = {captures.write(
                    {{.at_ns = 0}, {.at_ns = 5, .client = "192.0.2.2", .port = 1}})}});
    const IpPrefix prefix = parse_ip_prefix("198.19.0.0/24");
    const PlayedQueries all = all_of(queries);
    CaptureStream stream(all, 0, 1, parse_ip_address("198.18.0.1"), prefix, true);
    for (std::size_t i = 0; i < 2; i++) {
        const Query query = stream.next();
        CHECK(query.port == (i == 0 ? 5000 : 1));
        CHECK(query.expectation ==
              queries.entry(i).expectation +
                  question_client(query.source.bytes.data(), 0, query.port, &queries.key()));
    }
}

TEST_CASE("captured queries get options, and each client its own subnet")
{
    Captures captures;
    ReplayWish wish{.files = {captures.write(
                        {{.at_ns = 0},
                         {.at_ns = 5, .client = "2001:db8:1:2:3::4", .server = "2001:db8::53"}})}};
    wish.edns_options = parse_edns_options("nsid,subnet=client");
    const CapturedQueries queries = played(wish);
    REQUIRE(queries.size() == 2);
    const auto octets = [&queries](std::size_t i) {
        const auto message = queries.entry(i).message;
        return Bytes(message.begin(), message.end());
    };
    DnsMessage sent{.questions = {{.name = dns_name("www.example.org")}}};
    sent.additionals = {dns_opt(0, from_hex("0003 0000 0008 0007 0001 1800 c00002"), 1232)};
    sent.id = 0;
    Bytes first = octets(0);
    first[0] = first[1] = 0;
    CHECK(first == sent.bytes());
    sent.additionals = {dns_opt(0, from_hex("0003 0000 0008 000b 0002 3800 20010db8000100"), 1232)};
    Bytes second = octets(1);
    second[0] = second[1] = 0;
    CHECK(second == sent.bytes());
}

TEST_CASE("options take the place of those with their codes, and others stay")
{
    DnsMessage asked{.questions = {{.name = dns_name("a.test")}}};
    asked.additionals = {
        dns_opt(0x8000, from_hex("0008 0007 0001 1800 0a0000 000a 0002 0102 000c 0001 00"), 4096)};
    const IpAddress client = parse_ip_address("192.0.2.77");
    const auto made =
        with_options(asked.bytes(), parse_edns_options("subnet=client/20/48,padding=16"), client);
    REQUIRE(made);
    CHECK(made->size() % 16 == 0);
    const Bytes begin =
        DnsMessage{.questions = asked.questions, .additionals = {dns_opt(0x8000, {}, 4096)}}
            .bytes();
    CHECK(std::equal(begin.begin(), begin.end() - 2, made->begin()));
    const Bytes options = from_hex("0008 0007 0001 1400 c00000 000a 0002 0102 000c");
    CHECK(std::search(made->begin(), made->end(), options.begin(), options.end()) ==
          made->begin() + static_cast<long>(begin.size()));
    asked.authorities = {{.type = 6}};
    CHECK_FALSE(with_options(asked.bytes(), parse_edns_options("nsid"), client));
    CHECK_THROWS_AS(parse_edns_options("subnet=client/33/1"), SetupError);
    CHECK_THROWS_AS(parse_edns_options("subnet=client/24"), SetupError);
    CHECK_THROWS_AS(parse_edns_options("subnet=clients"), SetupError);
}

TEST_CASE("rates tell the mean, and the peak for which there must be slots")
{
    Captures captures;
    std::vector<Asked> all;
    for (std::int64_t i = 0; i < 100; i++)
        all.push_back({i * 1'000'000});
    all.push_back({10'000'000'000});
    const CapturedQueries queries = played({.files = {captures.write(all)}});
    CHECK(queries.mean_rate().per_second == 10);
    CHECK(all_of(queries).peak_rate(1s).per_second >= 100);
    CHECK(all_of(queries).peak_rate(1s).per_second <= 102);
    CHECK(played({.files = {captures.write({{0}})}}).mean_rate().per_second == 1);
}

TEST_CASE("sending takes no longer than was asked for, and ends a gap after the last query")
{
    Captures captures;
    std::vector<Asked> all;
    for (std::int64_t i = 0; i < 101; i++)
        all.push_back({i * 10'000'000});
    const ReplayWish wish{.files = {captures.write(all)}};
    CHECK(CapturedQueries(wish, 60s, {}).sending_time() == 1010ms);
    CHECK(CapturedQueries(wish, 1005ms, {}).sending_time() == 1005ms);
    CHECK(CapturedQueries(wish, 500ms, {}).sending_time() == 500ms);
}

TEST_CASE("one Tester has all queries of a client, in their order and at their times")
{
    constexpr std::uint32_t shares = 4;
    Captures captures;
    std::vector<Asked> all;
    std::vector<std::string> addresses;
    for (int client = 0; client < 9; client++)
        addresses.push_back("192.0.2." + std::to_string(client + 1));
    // Client 0 asks at every time, and each other one at some: their loads differ.
    for (std::int64_t i = 0; i < 200; i++) {
        all.push_back({i * 1000, addresses[0].c_str()});
        all.push_back({i * 1000 + 1, addresses[static_cast<std::size_t>(i * i % 9)].c_str()});
    }
    const CapturedQueries queries = played({.files = {captures.write(all)}});
    std::set<std::uint64_t> seen;
    std::map<std::uint32_t, int> testers_of_client;
    // Three Testers, of which one has two senders.
    for (const auto &[first, count] :
         std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 1}, {1, 2}, {3, 1}}) {
        const PlayedQueries mine = some_of(queries, {first, count, shares});
        CHECK(mine.numbers().size() == mine.size());
        std::set<std::uint32_t> clients;
        for (std::size_t i = 0; i < mine.size(); i++) {
            CHECK(seen.insert(mine.number(i)).second);
            CHECK((i == 0 || mine.number(i - 1) < mine.number(i)));
            CHECK(mine.due_ns(i) == queries.due_ns()[mine.number(i)]);
            CHECK(mine.entry(i).client == queries.entry(mine.number(i)).client);
            clients.insert(mine.entry(i).client);
        }
        for (const std::uint32_t client : clients)
            testers_of_client[client]++;
        std::uint64_t planned = 0;
        for (std::uint32_t share = first; share < first + count; share++)
            planned += queries_by_share(queries, shares)[share];
        CHECK(planned == mine.size());
        // The senders of a Tester have its queries in turn.
        std::size_t sent = 0;
        for (std::uint32_t sender = 0; sender < count; sender++) {
            CaptureStream stream(mine, sender, count, parse_ip_address("198.18.0.1"), {});
            for (; stream.due() != std::numeric_limits<std::int64_t>::max(); sent++)
                CHECK(stream.due() == stream.next().due_ns);
        }
        CHECK(sent == mine.size());
    }
    CHECK(seen.size() == queries.size());
    CHECK(testers_of_client.size() == queries.clients());
    for (const auto &[client, testers] : testers_of_client)
        CHECK(testers == 1);
}

TEST_CASE("a Tester has the rate of its own clients, and needs one")
{
    Captures captures;
    std::vector<Asked> all;
    for (std::int64_t i = 0; i < 100; i++)
        all.push_back({i * 1'000'000});
    all.push_back({500'000'000, "192.0.2.2"});
    const CapturedQueries queries = played({.files = {captures.write(all)}});
    CHECK(some_of(queries, {0, 1, 2}).peak_rate(1s).per_second >= 100);
    CHECK(some_of(queries, {1, 1, 2}).peak_rate(1s).per_second == 2);
    CHECK(some_of(queries, {0, 2, 2}).size() == queries.size());
    CHECK(some_of(queries, {0, 2, 2}).numbers().empty());
    CHECK_THROWS_WITH(some_of(queries, {2, 1, 3}),
                      Contains("the captures have 2 clients, and all Testers have 3 senders: one"));
}

TEST_CASE("clients that hold something for a time: how many hold something at once")
{
    Captures captures;
    // The first client asks until 2 s, and again at 9 s. The second client begins at 5 s.
    const CapturedQueries queries = played({.files = {captures.write({{0},
                                                                      {1'000'000'000},
                                                                      {2'000'000'000},
                                                                      {5'000'000'000, "192.0.2.2"},
                                                                      {9'000'000'000}})}});
    const auto at_once = [&](Nanoseconds first, Nanoseconds second) {
        return all_of(queries).clients_at_once(
            [&](std::uint32_t client) { return client == 0 ? first : second; });
    };
    CHECK(all_of(queries).client_numbers() == 2);
    CHECK(at_once(0s, 0s) == 1);
    CHECK(at_once(2s, 3s) == 1);
    CHECK(at_once(2s, 4s) == 2);
    CHECK(at_once(3s, 0s) == 2);
    CHECK(at_once(100s, 100s) == 2);
}

TEST_CASE("a reply is expected to be as the capture's own answer was")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("answered.pcap");
    const Endpoint client{parse_ip_address("192.0.2.1"), 5000};
    const Endpoint other{parse_ip_address("192.0.2.2"), 5000};
    const Endpoint server{parse_ip_address("192.0.2.53"), 53};
    CaptureWriter writer(path);
    std::int64_t now = begin_ns;
    const auto ask = [&](std::uint16_t id, const Endpoint &from, const char *name) {
        const Bytes message = DnsMessage{.id = id, .questions = {{.name = dns_name(name)}}};
        writer.write({.time_ns = now++, .source = from, .target = server, .message = message});
    };
    const auto answer = [&](std::uint16_t id, const Endpoint &to, const char *name,
                            std::uint16_t flags, std::uint16_t count) {
        const Bytes message = DnsMessage{.id = id,
                                         .flags = flags,
                                         .questions = {{.name = dns_name(name)}},
                                         .answer_count = count};
        writer.write({.time_ns = now++, .source = server, .target = to, .message = message});
    };
    ask(1, client, "a.test");
    ask(1, other, "a.test");
    ask(2, client, "b.test");
    ask(3, client, "cut.test");
    ask(4, client, "lost.test");
    ask(5, client, "mixed.test");
    answer(1, other, "A.test", 0x8183, 0); // NXDOMAIN
    answer(1, client, "a.test", 0x8180, 2);
    answer(1, client, "a.test", 0x8182, 9); // a second one changes nothing
    answer(2, client, "c.test", 0x8180, 1); // to another question
    answer(3, client, "cut.test", 0x8380, 1);
    answer(6, client, "mixed.test", 0x8180, 1); // to another ID
    writer.commit();

    const CapturedQueries queries({.files = {path}}, 60s, std::nullopt);
    REQUIRE(queries.size() == 6);
    CHECK(queries.entry(0).wants ==
          (1U << DNS_RCODE_NOERROR | WANTS_COUNT | 2U << WANTS_COUNT_SHIFT));
    CHECK(queries.entry(1).wants == (1U << DNS_RCODE_NXDOMAIN | WANTS_COUNT));
    for (std::size_t i = 2; i < 6; i++)
        CHECK(queries.entry(i).wants == WANTS_USEFUL);
    CHECK(queries.answered() == 2);
    CHECK(played({.files = {path}}).entry(0).wants == WANTS_USEFUL);
}

namespace
{

// A capture of a query, and of an answer with these records, prepared.
struct AnsweredCapture {
    ScratchDirectory scratch;
    std::string file = scratch.file("p");

    explicit AnsweredCapture(const DnsMessage &answer)
    {
        const Endpoint client = endpoint("192.0.2.1", 1024);
        const Endpoint server = endpoint("192.0.2.53", 53);
        DnsMessage asked = answer;
        asked.flags = 0x0100;
        asked.answers.clear();
        asked.additionals.clear();
        const Bytes query = asked;
        const Bytes reply = answer;
        const std::vector<CapturedMessage> messages = {
            {.time_ns = 1'000'000'000, .source = client, .target = server, .message = query},
            {.time_ns = 1'000'000'001, .source = server, .target = client, .message = reply}};
        std::size_t next = 0;
        CapturedQueries([&]() -> std::optional<CapturedMessage> {
            return next < messages.size() ? std::optional(messages[next++]) : std::nullopt;
        }).save(file);
    }

    static Endpoint endpoint(const char *address, std::uint16_t port)
    {
        return {.address = parse_ip_address(address), .port = port};
    }
};

DnsMessage answer_of(std::uint16_t type, std::vector<DnsRecord> answers)
{
    return {.id = 7,
            .flags = 0x8180,
            .questions = {{.name = dns_name("www.example.org"), .type = type}},
            .answers = std::move(answers)};
}

// Returns the judgement of a reply to the query whose answer in the capture was another one.
judgement judged_as_captured(const DnsMessage &captured, const DnsMessage &reply,
                             bool without_data = false)
{
    const AnsweredCapture capture(captured);
    const CapturedQueries queries({.files = {capture.file}, .without_data = without_data}, 60s,
                                  std::nullopt);
    CHECK(queries.answered() == 1);
    CHECK(queries.reads_data() == ((queries.entry(0).wants & WANTS_DATA) != 0));
    CHECK((!without_data || !queries.reads_data()));
    judge_rule rule{};
    rule.accepts = ACCEPTS_CNAMES;
    rule.counts_answers = 1;
    std::uint32_t rcode = 0;
    const Bytes octets = reply;
    return judge_question_reply(ExactBuffer(octets).cursor(), &queries.key(), &rule,
                                queries.entry(0).expectation, queries.entry(0).wants, &rcode);
}

} // namespace

TEST_CASE("a reply must have the data of the capture's own answer, in any order")
{
    const DnsRecord one{.type = 1, .data = {1, 2, 3, 4}};
    const DnsRecord two{.type = 1, .data = {6, 6, 6, 6}};
    const DnsRecord signature{.type = 46, .data = Bytes(30)};
    const DnsMessage captured = answer_of(1, {one});
    CHECK(judged_as_captured(captured, captured) == JUDGE_VALID);
    CHECK(judged_as_captured(captured, answer_of(1, {two})) == JUDGE_WRONG_DATA);
    CHECK(judged_as_captured(captured, answer_of(1, {two}), true) == JUDGE_VALID);
    CHECK(judged_as_captured(captured, answer_of(1, {one, two}), true) == JUDGE_WRONG_DATA);
    CHECK(judged_as_captured(captured, answer_of(1, {one, signature})) == JUDGE_WRONG_DATA);
    CHECK(judged_as_captured(captured, answer_of(1, {})) == JUDGE_NO_ANSWER);
    const DnsMessage both = answer_of(1, {one, two});
    CHECK(judged_as_captured(both, answer_of(1, {two, one})) == JUDGE_VALID);
    CHECK(judged_as_captured(both, answer_of(1, {one})) == JUDGE_WRONG_DATA);
    // A capture's answer may break a rule, as that no alias follows the data.
    DnsRecord behind = one;
    behind.owner = dns_name("b");
    const DnsRecord alias{.type = 5, .data = dns_name("b")};
    CHECK(judged_as_captured(answer_of(1, {behind, alias}), answer_of(1, {alias, behind})) ==
          JUDGE_VALID);
    CHECK(judged_as_captured(answer_of(1, {alias, behind}), answer_of(1, {one})) ==
          JUDGE_WRONG_DATA);
}

TEST_CASE("where an answer has no data that all servers write alike, their number is right")
{
    const auto by_number = [](const DnsMessage &captured) {
        const AnsweredCapture capture(captured);
        const CapturedQueries queries({.files = {capture.file}}, 60s, std::nullopt);
        return (queries.entry(0).wants & (WANTS_DATA | WANTS_COUNT)) == WANTS_COUNT;
    };
    const DnsRecord address{.type = 1, .data = {1, 2, 3, 4}};
    CHECK_FALSE(by_number(answer_of(1, {address})));
    CHECK_FALSE(by_number(answer_of(16, {{.type = 16, .data = {1, 'a'}}})));
    CHECK(by_number(answer_of(1, {})));
    CHECK(by_number(answer_of(1, {{.type = 5, .data = dns_name("b")}})));
    for (const std::uint16_t type : {std::uint16_t{2}, std::uint16_t{15}})
        CHECK(by_number(answer_of(type, {{.type = type, .data = dns_name("b")}})));
    CHECK(by_number(answer_of(255, {address})));
    CHECK(by_number(answer_of(251, {address})));
    CHECK_FALSE(by_number(answer_of(250, {{.type = 250, .data = {1}}})));
    DnsMessage error = answer_of(1, {address});
    error.flags = 0x8183;
    CHECK(by_number(error));
    DnsMessage extended = answer_of(1, {address});
    extended.additionals = {dns_opt(1U << 24U)};
    // Nobody can want an RCODE above 15: the query counts as one without an answer.
    CHECK_FALSE(by_number(extended));
    DnsMessage cut = answer_of(1, {address});
    cut.answer_count = 2;
    CHECK(by_number(cut));
}

TEST_CASE("a signature in the capture's answer must be in a reply")
{
    const DnsRecord address{.type = 1, .data = {1, 2, 3, 4}};
    const DnsRecord signature{.type = 46, .data = Bytes(30)};
    const DnsMessage captured = answer_of(1, {address, signature});
    CHECK(judged_as_captured(captured, captured) == JUDGE_VALID);
    const AnsweredCapture capture(captured);
    const CapturedQueries queries({.files = {capture.file}}, 60s, std::nullopt);
    CHECK((queries.entry(0).wants & WANTS_RRSIG) != 0);
}

TEST_CASE("prepared captures are played together where data are hashed by one key")
{
    const AnsweredCapture one(answer_of(1, {{.type = 1, .data = {1, 2, 3, 4}}}));
    const AnsweredCapture other(answer_of(1, {{.type = 1, .data = {1, 2, 3, 4}}}));
    const CapturedQueries exact({.files = {one.file}, .letters = {.exact = true}}, 60s,
                                std::nullopt);
    const CapturedQueries plain({.files = {one.file}}, 60s, std::nullopt);
    CHECK(exact.key().exact == QUESTION_EXACT);
    CHECK(exact.entry(0).wants == plain.entry(0).wants);
    CHECK(std::ranges::equal(exact.key().name, plain.key().name));
    CHECK(CapturedQueries({.files = {one.file, one.file}}, 60s, std::nullopt).size() == 2);
    CHECK_THROWS_WITH(CapturedQueries({.files = {one.file, other.file}}, 60s, std::nullopt),
                      Contains("cannot be compared by one key"));
    CHECK(
        CapturedQueries({.files = {one.file, other.file}, .without_data = true}, 60s, std::nullopt)
            .answered() == 2);
    CHECK(CapturedQueries({.files = {one.file, other.file}}, 60s, WANTS_USEFUL).size() == 2);
}
