// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/query_type.h"
#include "support/packed_file.h"
#include "support/packet.h"
#include "support/scratch_directory.h"
#include "system/setup_error.h"
#include "workload/schedule.h"
#include "workload/streams.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

using namespace dnsgauge;
using dnsgauge::testing::Bytes;
using dnsgauge::testing::dns_name;
using dnsgauge::testing::dns_opt;
using dnsgauge::testing::DnsMessage;

namespace
{

QueryList list_of(const std::vector<std::string> &lines, const MessageFormat &format = {})
{
    QueryList list("--queries queries.txt", format);
    for (const std::string &line : lines)
        list.add_line(line);
    list.finish();
    return list;
}

Bytes message(const QueryList &list, std::size_t index = 0)
{
    const auto octets = list.entry(index).message;
    return {octets.begin(), octets.end()};
}

std::string refusal(const std::vector<std::string> &lines)
{
    try {
        static_cast<void>(list_of(lines));
    } catch (const SetupError &error) {
        return error.what();
    }
    return {};
}

std::vector<std::string> texts(const QueryList &list)
{
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < list.size(); i++)
        texts.push_back(list.text(i));
    return texts;
}

} // namespace

TEST_CASE("a line becomes the message that it asks for")
{
    const DnsMessage plain{
        .id = 0, .flags = 0, .questions = {{.name = dns_name("www.Example.org"), .type = 15}}};
    CHECK(message(list_of({"www.Example.org MX"})) == plain.bytes());
    CHECK(message(list_of({" \twww.Example.org.\tmx \r"})) == plain.bytes());
    CHECK(message(list_of({"www.Example.org TYPE15"})) == plain.bytes());

    DnsMessage with_opt = plain;
    with_opt.additionals = {dns_opt()};
    CHECK(message(list_of({"www.Example.org MX E"})) == with_opt.bytes());
    with_opt.additionals = {dns_opt(0x8000)};
    CHECK(message(list_of({"www.Example.org MX D"})) == with_opt.bytes());
    CHECK(message(list_of({"www.Example.org MX ED"})) == with_opt.bytes());

    with_opt.flags = 0x0100;
    with_opt.additionals = {dns_opt(0x8000, {}, 4096)};
    CHECK(message(list_of({"www.Example.org MX"},
                          {{.recursion_desired = true, .edns_size = 4096, .dnssec_ok = true}})) ==
          with_opt.bytes());
}

TEST_CASE("the OPT record has the options that are wanted, and pads the message")
{
    const auto with = [](const std::string &options, const Bytes &data) {
        MessageFormat format;
        format.edns_options = parse_edns_options(options);
        DnsMessage expected{
            .id = 0, .flags = 0, .questions = {{.name = dns_name("a.example"), .type = 1}}};
        expected.additionals = {dns_opt(0, data)};
        CAPTURE(options);
        CHECK(message(list_of({"a.example A"}, format)) == expected.bytes());
    };
    with("nsid", {0, 3, 0, 0});
    with("keepalive", {0, 11, 0, 0});
    with("cookie=0001020304050607,65001:C0ffee",
         {0, 10, 0, 8, 0, 1, 2, 3, 4, 5, 6, 7, 0xfd, 0xe9, 0, 3, 0xc0, 0xff, 0xee});
    with("subnet=192.0.2.0/25", {0, 8, 0, 8, 0, 1, 25, 0, 192, 0, 2, 0});
    with("subnet=2001:db8::/32", {0, 8, 0, 8, 0, 2, 32, 0, 0x20, 0x01, 0x0d, 0xb8});
    for (const std::size_t block : {1U, 2U, 38U, 64U, 128U, 468U}) {
        MessageFormat format;
        format.edns_options = parse_edns_options("padding=" + std::to_string(block));
        for (const std::string line : {"a A", "a.example A", "www.some.longer.example A D"}) {
            const QueryList list = list_of({line}, format);
            CAPTURE(block, line);
            CHECK(list.entry(0).message.size() % block == 0);
            CHECK(list.entry(0).message.size() < 12 + 40 + 11 + 4 + block);
        }
    }
    for (const char *wrong : {"", "nsid,", "nsid=1", "cookie=00", "cookie=0g", "padding=0",
                              "padding=x", "subnet", "65536:00", "1:0", "1=00", "x"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(parse_edns_options(wrong), SetupError);
    }
}

TEST_CASE("comments and empty lines are no queries")
{
    CHECK(texts(list_of({"; dnsperf's", "", "# ours", " \t\r", "a A", "b AAAA"})) ==
          std::vector<std::string>{"a. A", "b. AAAA"});
}

TEST_CASE("names may have any octet, and the root is one")
{
    const Bytes name = {4, 'a', '.', 0, 0xff, 1, '\\', 0};
    const QueryList list = list_of({R"(a\.\000\255.\\ A)", ". NS"});
    CHECK(message(list) == DnsMessage{.id = 0, .flags = 0, .questions = {{.name = name}}}.bytes());
    CHECK(message(list, 1) ==
          DnsMessage{.id = 0, .flags = 0, .questions = {{.name = {0}, .type = 2}}}.bytes());
    CHECK(texts(list) == std::vector<std::string>{R"(a\.\000\255.\\. A)", ". NS"});
    // What would begin a comment, end a word or end a column stands as a number.
    CHECK(texts(list_of({R"(\#\;\032\". A)", R"(\044 A)"})) ==
          std::vector<std::string>{R"(\035\059\032\034. A)", R"(\044. A)"});
}

TEST_CASE("a text that was written is read as the same query")
{
    for (unsigned octet = 0; octet < 256; octet++) {
        std::string line = "x\\000y A";
        line.replace(2, 3,
                     std::string(3 - std::to_string(octet).size(), '0') + std::to_string(octet));
        const QueryList list = list_of({line});
        CAPTURE(line, list.text(0));
        CHECK(message(list_of({list.text(0)})) == message(list));
        CHECK(list.text(0).find(';') == std::string::npos);
    }
}

TEST_CASE("the longest names fit, longer ones are refused")
{
    const std::string label(63, 'a');
    const std::string longest = label + '.' + label + '.' + label + '.' + std::string(61, 'b');
    CHECK(list_of({longest + " A"}).longest() == 12 + 255 + 4);
    CHECK(list_of({longest + ". A"}).longest() == 12 + 255 + 4);
    CHECK(refusal({longest + "b A"}).find("at most 255 octets") != std::string::npos);
    CHECK(refusal({label + "a A"}).find("at most 63 octets") != std::string::npos);
    std::string shortest_labels;
    for (int i = 0; i < 127; i++)
        shortest_labels += "a.";
    CHECK(list_of({shortest_labels + " A"}).longest() == 12 + 255 + 4);
    CHECK(refusal({shortest_labels + "a A"}).find("at most 255 octets") != std::string::npos);
}

TEST_CASE("what is no query is named, with its line")
{
    const auto starts = [](const std::string &text, const std::string &with) {
        CAPTURE(text);
        CHECK(text.starts_with("--queries queries.txt, line 3: " + with));
    };
    const auto third = [](const std::string &line) { return refusal({"; one", "a A", line}); };
    starts(third("a..b A"), "\"a..b\" is no name: a label is empty");
    starts(third(".a A"), "\".a\" is no name: a label is empty");
    starts(third("a\\ A"), "\"a\\\" is no name: nothing follows the last backslash");
    starts(third("a\\25 A"), "\"a\\25\" is no name: three digits");
    starts(third("a\\256 A"), "\"a\\256\" is no name: three digits");
    starts(third("\x80 A"), "\"\x80\" is no name: write other characters as");
    starts(third("a"), "the name \"a\" has no type");
    starts(third("a BOGUS"), "\"BOGUS\" is no type");
    starts(third("a TYPE65536"), "\"TYPE65536\" is no type");
    starts(third("a TYPE"), "\"TYPE\" is no type");
    starts(third("a A X"), "\"X\" is neither flags");
    starts(third("a A D x"), "\"x\" is neither flags");
    starts(third("a A D D"), "\"D\" is neither flags");
    starts(third("a CLASS65536 A"), "\"CLASS65536\" is no type");
    starts(third("a IN"), "the name \"a\" has no type");
    starts(third("a A rcode=OK"), "\"rcode=OK\" names no RCODEs");
    starts(third("a A rcode="), "\"rcode=\" names no RCODEs");
    starts(third("a A rcode=NOERROR|"), "\"rcode=NOERROR|\" names no RCODEs");
    starts(third("a A answers=4096"), "\"answers=4096\" is no number of answers");
    starts(third("a A answers=-1"), "\"answers=-1\" is no number of answers");
    starts(third(std::string(70000, 'a')), "a line has at most 65536 octets");
    CHECK(refusal({"; nothing"}).starts_with("--queries queries.txt: there is no query in it"));
}

TEST_CASE("a class stands between name and type, and comes back")
{
    const QueryList list =
        list_of({"version.bind CH TXT", "a IN A", "a CLASS255 ANY", "a HS A", "a CLASS77 A"});
    CHECK(message(list) ==
          DnsMessage{.id = 0,
                     .flags = 0,
                     .questions = {{.name = dns_name("version.bind"), .type = 16, .dns_class = 3}}}
              .bytes());
    CHECK(texts(list) == std::vector<std::string>{"version.bind. CH TXT", "a. A", "a. CLASS255 ANY",
                                                  "a. HS A", "a. CLASS77 A"});
}

TEST_CASE("a line says what is wanted of its reply")
{
    const auto wants = [](const std::string &line, std::uint32_t usual = WANTS_USEFUL) {
        MessageFormat format;
        format.wants = usual;
        return list_of({line}, format).entry(0).wants;
    };
    const std::uint32_t nxdomain = 1U << DNS_RCODE_NXDOMAIN;
    CHECK(wants("a A") == WANTS_USEFUL);
    CHECK(wants("a A", WANTS_ANY_RCODE) == WANTS_ANY_RCODE);
    CHECK(wants("a A ED rcode=NXDOMAIN") == nxdomain);
    CHECK(wants("a A rcode=nxdomain|Refused", WANTS_ANY_RCODE) ==
          (nxdomain | 1U << DNS_RCODE_REFUSED));
    CHECK(wants("a A aa ad") == (WANTS_USEFUL | WANTS_AA | WANTS_AD));
    CHECK(wants("a A answers=0") == (WANTS_USEFUL | WANTS_COUNT));
    CHECK(wants("a A answers=7 rcode=NOERROR aa") ==
          (1U | WANTS_AA | WANTS_COUNT | 7U << WANTS_COUNT_SHIFT));
}

TEST_CASE("a message is sent as it is, but for its transaction ID")
{
    const DnsMessage asked{.id = 0x1234,
                           .flags = 0x0130,
                           .questions = {{.name = dns_name("A.example"), .type = 16}},
                           .additionals = {dns_opt(0x8000, {}, 4096)}};
    QueryList list("--queries queries", {});
    list.add_message(asked.bytes());
    list.finish();
    DnsMessage sent = asked;
    sent.id = 0;
    CHECK(message(list) == sent.bytes());
    CHECK(list.entry(0).wants == WANTS_USEFUL);
    CHECK(texts(list) == std::vector<std::string>{"A.example. TXT"});
}

TEST_CASE("what is no query of the binary form is named, with its number")
{
    const DnsMessage asked{.flags = 0x0100, .questions = {{.name = dns_name("a"), .type = 1}}};
    const auto starts = [&asked](const Bytes &second, const std::string &with) {
        QueryList list("--queries queries", {});
        list.add_message(asked.bytes());
        try {
            list.add_message(second);
            FAIL("it is taken for a query");
        } catch (const SetupError &error) {
            CAPTURE(error.what(), with);
            CHECK(
                std::string(error.what())
                    .starts_with("--queries queries, message 2: it is no query to send: " + with));
        }
    };
    starts({}, "it is shorter than a header");
    DnsMessage other = asked;
    other.flags = 0x8180;
    starts(other.bytes(), "it is a response");
    other.flags = 0x2800;
    starts(other.bytes(), "its opcode is not QUERY");
    other = asked;
    other.questions.clear();
    starts(other.bytes(), "it has not one question");
    other = asked;
    other.questions[0].name = {0xc0, 0x0c};
    starts(other.bytes(), "its question is cut off, or its name compressed");
    Bytes cut = asked.bytes();
    cut.pop_back();
    starts(cut, "its question is cut off, or its name compressed");
    Bytes longer = asked.bytes();
    longer.resize(longest_query + 1);
    starts(longer, "it is longer than 1,472 octets");
}

TEST_CASE("every type has its mnemonic or its number, and is read back")
{
    for (unsigned type = 0; type < 65536; type++)
        REQUIRE(parse_query_type(query_type_text(static_cast<std::uint16_t>(type))) == type);
    CHECK(parse_query_type("https") == 65);
    CHECK(query_type_text(731) == "TYPE731");
    CHECK_FALSE(parse_query_type("TYPE65536"));
    CHECK_FALSE(parse_query_type("TYPE"));
    CHECK_FALSE(parse_query_type("TYPE1x"));
}

TEST_CASE("distinct questions are counted with letters folded, flags apart")
{
    CHECK(list_of({"a.example A", "A.EXAMPLE A D", "a.example AAAA", "b.example A"}).distinct() ==
          3);
}

TEST_CASE("an expectation is the question's hash by the list's own key")
{
    const QueryList list = list_of({"a.example A", "A.EXAMPLE A"});
    Bytes octets = message(list);
    __u64 hash = 0;
    REQUIRE(question_hash({octets.data(), octets.data() + octets.size()}, &list.key(), &hash));
    CHECK(list.entry(0).expectation == hash);
    CHECK(list.entry(1).expectation == hash);
    CHECK(list_of({"a.example A"}).entry(0).expectation != hash);
}

TEST_CASE("a prepared list is asked as the list is, with what its lines say and what a trial says")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("list.prepared");
    const std::vector<std::string> lines = {"A.example A", "b.example MX D rcode=REFUSED aa",
                                            "c.example A answers=2", "d.example A data=192.0.2.1",
                                            "a.example A E rrsig"};
    QueryList made("list", {.wants = 0});
    for (const std::string &line : lines)
        made.add_line(line);
    made.finish();
    made.save(path);
    const QueryList original = list_of(lines);
    const QueryList mapped = read_query_list(path, {});
    REQUIRE(mapped.size() == lines.size());
    CHECK(mapped.distinct() == 4);
    CHECK(mapped.longest() == original.longest());
    CHECK(mapped.reads_data());
    CHECK(texts(mapped) == texts(original));
    for (std::size_t i = 0; i < lines.size(); i++) {
        const QueryList::Entry entry = mapped.entry(i);
        Bytes octets(entry.message.begin(), entry.message.end());
        __u64 hash = 0;
        REQUIRE(
            question_hash({octets.data(), octets.data() + octets.size()}, &mapped.key(), &hash));
        CHECK(entry.expectation == hash);
        CHECK(std::ranges::equal(entry.message, original.entry(i).message));
        // Wanted data are a hash by each list's own key.
        if (i != 3)
            CHECK(entry.wants == original.entry(i).wants);
    }
    CHECK(mapped.entry(3).wants == made.entry(3).wants);
    const QueryList any = read_query_list(path, {.wants = WANTS_ANY_RCODE});
    CHECK(any.entry(0).wants == WANTS_ANY_RCODE);
    CHECK(any.entry(1).wants == original.entry(1).wants);

    QueryList shuffled = read_query_list(path, {});
    QueryList as_original = list_of(lines);
    shuffled.shuffle(3);
    as_original.shuffle(3);
    CHECK(texts(shuffled) == texts(as_original));
    const QueryList mixed = read_query_list(path, {.letters = {.exact = true, .seed = 1}});
    CHECK(texts(mixed) != texts(original));
    CHECK(mixed.entry(0).expectation != mixed.entry(4).expectation);
    CHECK(mixed.distinct() == 4);
    CHECK_THROWS_WITH(read_query_list(path, {{.recursion_desired = true}}),
                      Catch::Contains("leave --recursion-desired"));
}

TEST_CASE("mixed letters follow from the seed, and count where replies must repeat them")
{
    const auto mixed = [](std::uint64_t seed, bool is_exact) {
        QueryList list("list", {.letters = {.exact = is_exact, .seed = seed}});
        list.add_line("Abc-1.\\000\\.Z.example A");
        list.add_line("abc-1.\\000\\.z.EXAMPLE A");
        list.add_line(". NS");
        list.finish();
        return list;
    };
    const QueryList list = mixed(7, true);
    CHECK(texts(list) == texts(mixed(7, false)));
    CHECK(texts(list) != texts(mixed(8, true)));
    CHECK(list.text(0) != list.text(1));
    CHECK(list.text(2) == ". NS");
    const auto folded = [](std::string text) {
        std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
        return text;
    };
    CHECK(folded(list.text(0)) == folded("abc-1.\\000\\.z.example. A"));
    CHECK(folded(list.text(1)) == folded(list.text(0)));
    CHECK(list.entry(0).expectation != list.entry(1).expectation);
    CHECK(list.distinct() == 2);
    const QueryList any = mixed(7, false);
    CHECK(any.entry(0).expectation == any.entry(1).expectation);
    // Each letter has both cases, about as often.
    int capitals = 0;
    for (std::uint64_t seed = 0; seed < 1000; seed++)
        capitals += mixed(seed, true).text(0)[0] == 'A' ? 1 : 0;
    CHECK(std::abs(capitals - 500) < 100);
}

TEST_CASE("a shuffled list has the same queries in an order that follows from the seed")
{
    std::vector<std::string> lines;
    for (int i = 0; i < 1000; i++)
        lines.push_back("n" + std::to_string(i) + ". A");
    QueryList once = list_of(lines);
    QueryList again = list_of(lines);
    QueryList other = list_of(lines);
    once.shuffle(1);
    again.shuffle(1);
    other.shuffle(2);
    CHECK(texts(once) == texts(again));
    CHECK(texts(once) != texts(other));
    CHECK(texts(once) != lines);
    std::vector<std::string> sorted = texts(once);
    std::ranges::sort(sorted);
    std::ranges::sort(lines);
    CHECK(sorted == lines);
}

TEST_CASE("a file is read whole, whatever its lines' ends and its blocks")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("queries.txt");
    std::ofstream file(path, std::ios::binary);
    std::vector<std::string> lines;
    for (int i = 0; i < 50'000; i++) {
        lines.push_back("name-" + std::to_string(i) + ".example. TYPE" +
                        std::to_string(1000 + i % 30'000));
        file << lines.back() << (i % 2 == 0 ? "\n" : "\r\n");
    }
    file << "the.last A";
    file.close();
    lines.emplace_back("the.last. A");
    const QueryList list = read_query_list(path, {});
    CHECK(texts(list) == lines);
    CHECK(list.memory() < 80 * list.size());
}

namespace
{

std::string refusal_of_file(const std::string &path)
{
    try {
        static_cast<void>(read_query_list(path, {}));
    } catch (const SetupError &error) {
        return error.what();
    }
    return {};
}

} // namespace

TEST_CASE("a file may be packed, in either form; a damaged one is told")
{
    const std::string filter = GENERATE(as<std::string>{}, "none", "gzip", "xz", "zstd");
    const bool is_binary = GENERATE(false, true);
    const ScratchDirectory scratch;
    const std::string path = scratch.file("queries");
    std::vector<std::string> lines;
    std::string octets;
    std::mt19937_64 random(3);
    for (int i = 0; i < 5000; i++) {
        lines.push_back("n" + std::to_string(random()) + ". A");
        if (!is_binary) {
            octets += lines.back() + "\n";
            continue;
        }
        const Bytes asked = message(list_of({lines.back()}));
        octets += std::string(1, '\0') + static_cast<char>(asked.size()) +
                  std::string(asked.begin(), asked.end());
    }
    testing::write_packed(path, filter, octets);
    CAPTURE(filter, is_binary);
    CHECK(texts(read_query_list(path, {})) == lines);

    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 3);
    const std::string why = refusal_of_file(path);
    CAPTURE(why);
    if (filter != "none")
        CHECK(why.starts_with("cannot read --queries " + path + ": "));
    else if (is_binary)
        CHECK(why == "--queries " + path + ": the file ends inside message 5000");
    else
        CHECK(why == "--queries " + path + ", line 5000: the name \"" +
                         lines.back().substr(0, lines.back().size() - 2) + "\" has no type: " +
                         "write it after the name, as in \"www.example.org A\"");
}

TEST_CASE("an empty file has no query")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("queries");
    std::ofstream(path).close();
    CHECK(refusal_of_file(path).find("there is no query in it") != std::string::npos);
}

TEST_CASE("messages name the file as the user gave it, with its option or without one")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("queries");
    std::ofstream(path) << "www.example.org\n";
    CHECK_THROWS_WITH(read_query_list(path, {}),
                      Catch::StartsWith("--queries " + path + ", line 1: "));
    CHECK_THROWS_WITH(read_query_list(path, {}, ""), Catch::StartsWith(path + ", line 1: "));
    CHECK_THROWS_WITH(read_query_list("/nowhere/queries", {}, ""),
                      Catch::StartsWith("cannot read /nowhere/queries: "));
}

TEST_CASE("a file that cannot be read, or has an endless line, is told")
{
    CHECK_THROWS_AS(read_query_list("/nowhere/queries.txt", {}), SetupError);
    CHECK_THROWS_AS(read_query_list("/", {}), SetupError);
    CHECK_THROWS_AS(read_query_list("/dev/zero", {}), SetupError);
}

static_assert(QueryStream<MessageStream<QueryList::Cursor, ConstantRate>>);

TEST_CASE("senders share a list: together they ask it in order, over and over")
{
    const std::size_t size = GENERATE(as<std::size_t>{}, 1, 2, 3, 7, 64);
    const std::uint64_t senders = GENERATE(as<std::uint64_t>{}, 1, 2, 3, 5);
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < size; i++)
        lines.push_back("n" + std::to_string(i) + " A");
    const QueryList list = list_of(lines);
    const Rate rate{1000};
    const IpAddress source = parse_ip_address("192.0.2.1");
    for (std::uint64_t sender = 0; sender < senders; sender++) {
        MessageStream stream(QueryList::Cursor(list, sender, senders), source,
                             ConstantRate(rate, sender, senders));
        for (std::uint64_t i = sender; i < 200; i += senders) {
            CAPTURE(size, senders, sender, i);
            REQUIRE(stream.due() == due_at(rate, i).count());
            const Query query = stream.next();
            REQUIRE(query.due_ns == due_at(rate, i).count());
            REQUIRE(query.source == source);
            REQUIRE(query.expectation == list.entry(i % size).expectation);
            REQUIRE(query.message.data() == list.entry(i % size).message.data());
        }
    }
}

TEST_CASE("a line says which data are right")
{
    const auto wanted = [](const std::string &type, const std::vector<Bytes> &all) {
        std::string text;
        for (const Bytes &data : all) {
            text += text.empty() ? "" : "|";
            for (const std::uint8_t octet : data)
                text += fmt::format("{:02x}", octet);
        }
        const QueryList list = list_of({"a " + type + " data=" + text});
        std::uint64_t sum = 0;
        for (const Bytes &data : all) {
            Bytes octets(8);
            octets.insert(octets.end(), data.begin(), data.end());
            sum += question_data(octets.data() + 8, static_cast<__u32>(data.size()),
                                 octets.data() + octets.size(), &list.key());
        }
        CHECK(list.reads_data());
        return std::pair(list.entry(0).wants, wants_data(sum));
    };
    const auto [one, right_one] = wanted("TXT", {{1, 'x'}});
    CHECK(one == right_one);
    const auto [two, right_two] = wanted("TYPE731", {{1, 2, 3}, Bytes(64, 0xff)});
    CHECK(two == right_two);
    const QueryList list =
        list_of({"a A data=192.0.2.1|192.0.2.2 aa", "a TYPE1 data=192.0.2.2|192.0.2.1",
                 "a A data=192.0.2.2", "a AAAA data=2001:db8::1 rrsig", "a A"});
    CHECK(list.entry(0).wants == (list.entry(1).wants | WANTS_AA));
    CHECK(list.entry(1).wants != list.entry(2).wants);
    CHECK((list.entry(3).wants & (WANTS_DATA | WANTS_RRSIG | WANTS_COUNT)) ==
          (WANTS_DATA | WANTS_RRSIG));
    CHECK(list.entry(4).wants == WANTS_USEFUL);
}

TEST_CASE("data that cannot be judged are refused")
{
    const auto starts = [](const std::string &line, const std::string &with) {
        const std::string said = refusal({line});
        CAPTURE(said);
        CHECK(said.starts_with("--queries queries.txt, line 1: " + with));
    };
    starts("a A data=2001:db8::1", "data=: 2001:db8::1 belongs to the other family");
    starts("a A data=", "data=: ");
    starts("a A data=1.2.3.4|", "data=: ");
    starts("a MX data=00", "data=: a server may write the names in the data of MX in several ways");
    starts("a TXT data=123", "data=: \"123\" are no octets");
    starts("a TXT data=" + std::string(130, '0'), "data=: the data have more than 64 octets");
    starts("a A data=1.2.3.4 answers=1", "\"answers=1\": data= says RCODE and number");
    starts("a A rcode=NXDOMAIN data=1.2.3.4", "\"data=1.2.3.4\": data= says RCODE and number");
}
