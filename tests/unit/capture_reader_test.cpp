// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "capture/capture_reader.h"
#include "capture/capture_writer.h"

#include "support/packed_file.h"
#include "support/packet.h"
#include "support/scratch_directory.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

using namespace dnsgauge;
using namespace dnsgauge::testing;
using Catch::Contains;

namespace
{

// pcap as its authors describe it, in little-endian order: microseconds unless `magic` says
// otherwise.
class Pcap
{
public:
    explicit Pcap(std::uint32_t link = 1, std::uint32_t magic = 0xa1b2c3d4)
    {
        put32(magic);
        put32(0x00040002);
        put32(0);
        put32(0);
        put32(262144);
        put32(link);
    }

    void add(std::uint32_t seconds, std::uint32_t rest, const Bytes &frame,
             std::uint32_t on_wire = 0)
    {
        put32(seconds);
        put32(rest);
        put32(static_cast<std::uint32_t>(frame.size()));
        put32(std::max(on_wire, static_cast<std::uint32_t>(frame.size())));
        text_.append(frame.begin(), frame.end());
    }

    [[nodiscard]] const std::string &text() const { return text_; }

private:
    void put32(std::uint32_t value)
    {
        for (int i = 0; i < 4; i++, value >>= 8U)
            text_ += static_cast<char>(value & 0xffU);
    }

    std::string text_;
};

Bytes message(std::uint16_t flags = 0x0100)
{
    return DnsMessage{.flags = flags, .questions = {{.name = dns_name("www.example.org")}}};
}

// A TCP segment from the client to the server, or back.
struct Segment {
    std::uint32_t sequence = 1;
    Bytes data{};
    std::uint8_t flags = 0x18;
    bool is_answer = false;
    std::uint16_t client_port = 40000;

    [[nodiscard]] Bytes frame() const
    {
        Bytes ports{static_cast<std::uint8_t>(client_port >> 8U),
                    static_cast<std::uint8_t>(client_port), 0, 53};
        if (is_answer)
            std::rotate(ports.begin(), ports.begin() + 2, ports.end());
        Bytes octets = ports;
        for (unsigned shift = 32; shift != 0; shift -= 8)
            octets.push_back(static_cast<std::uint8_t>(sequence >> (shift - 8)));
        octets.insert(octets.end(), {0, 0, 0, 0, 0x50, flags, 0, 0, 0, 0, 0, 0});
        octets.insert(octets.end(), data.begin(), data.end());
        Ipv4 ip{.protocol = 6};
        if (is_answer)
            std::swap(ip.source, ip.target);
        return Ethernet{} / ip / Payload{octets};
    }
};

constexpr std::uint8_t syn = 2;
constexpr std::uint8_t fin = 0x11;

Bytes framed(std::initializer_list<Bytes> messages)
{
    Bytes octets;
    for (const Bytes &one : messages) {
        octets.push_back(static_cast<std::uint8_t>(one.size() >> 8U));
        octets.push_back(static_cast<std::uint8_t>(one.size()));
        octets.insert(octets.end(), one.begin(), one.end());
    }
    return octets;
}

Bytes part_of(const Bytes &octets, std::size_t begin, std::size_t end)
{
    return {octets.begin() + static_cast<std::ptrdiff_t>(begin),
            octets.begin() + static_cast<std::ptrdiff_t>(end)};
}

Bytes query_frame()
{
    return Ethernet{} / Ipv4{} / Udp{} / Payload{message()};
}

struct Read {
    std::int64_t time_ns;
    std::string client;
    Bytes message;
};

class Reading
{
public:
    explicit Reading(const std::string &content, std::uint16_t port = 53)
    {
        write_file(scratch_.file("capture"), content);
        reader_.emplace(scratch_.file("capture"), port);
    }

    std::vector<Read> all()
    {
        std::vector<Read> messages;
        while (const auto message = reader_->next())
            messages.push_back({message->time_ns,
                                to_string(message->client().address),
                                {message->message.begin(), message->message.end()}});
        return messages;
    }
    [[nodiscard]] const CaptureCounts &counts() const { return reader_->counts(); }

private:
    ScratchDirectory scratch_;
    std::optional<CaptureReader> reader_;
};

} // namespace

TEST_CASE("a capture's messages have their octets, clients and times")
{
    Pcap capture;
    capture.add(1'600'000'000, 123'456, query_frame());
    capture.add(1'600'000'000, 123'457,
                Ethernet{} / Ipv4{.source = {192, 0, 2, 53}, .target = {192, 0, 2, 7}} /
                    Udp{.source_port = 53, .target_port = 40000} / Payload{message(0x8180)});
    Reading reading(capture.text());
    const std::vector<Read> messages = reading.all();
    REQUIRE(messages.size() == 2);
    CHECK(messages[0].time_ns == 1'600'000'000'123'456'000);
    CHECK(messages[0].client == "192.0.2.1");
    CHECK(messages[0].message == message());
    CHECK(messages[1].time_ns == 1'600'000'000'123'457'000);
    CHECK(messages[1].client == "192.0.2.7");
    CHECK(reading.counts().queries == 1);
    CHECK(reading.counts().answers == 1);
    CHECK(reading.counts().packets == 2);
}

TEST_CASE("a capture with nanoseconds keeps them")
{
    Pcap capture(1, 0xa1b23c4d);
    capture.add(5, 999'999'999, query_frame());
    const std::vector<Read> messages = Reading(capture.text()).all();
    REQUIRE(messages.size() == 1);
    CHECK(messages[0].time_ns == 5'999'999'999);
}

TEST_CASE("each packet that is no message is counted as what it is")
{
    Pcap capture;
    const Bytes tcp_header = {0x9c, 0x40, 0, 53, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 0, 0, 0, 0, 0, 0, 0};
    Bytes tcp_data = tcp_header;
    tcp_data.insert(tcp_data.end(), {0, 1, 2});
    capture.add(1, 0, query_frame());
    capture.add(1, 0, Ethernet{} / Ipv4{.protocol = 6} / Payload{tcp_header});
    capture.add(1, 0, Ethernet{} / Ipv4{.protocol = 6} / Payload{tcp_data});
    capture.add(1, 0, Ethernet{} / Ipv4{.fragment = 0x2000} / Udp{} / Payload{message()});
    capture.add(1, 0, Ethernet{.type = 0x0806} / Payload{Bytes(28, 0)});
    capture.add(1, 0, Ethernet{} / Ipv4{} / Udp{.target_port = 123} / Payload{message()});
    capture.add(1, 0, Ethernet{} / Ipv4{} / Udp{} / Payload{Bytes(11, 0)});
    capture.add(1, 0, Ethernet{} / Ipv4{} / Udp{} / Payload{message(0x8000)});
    Bytes part = query_frame();
    part.resize(60);
    capture.add(1, 0, part, static_cast<std::uint32_t>(query_frame().size()));

    Reading reading(capture.text());
    CHECK(reading.all().size() == 1);
    const CaptureCounts &counts = reading.counts();
    CHECK(counts.packets == 9);
    CHECK(counts.queries == 1);
    CHECK(counts.tcp == 1);
    CHECK(counts.fragments == 1);
    CHECK(counts.malformed == 2);
    CHECK(counts.cut == 1);
    CHECK(counts.other == 3);
    CHECK(counts.packets == counts.queries + counts.answers + counts.left_out());
}

TEST_CASE("a segment of whole messages is read, whatever came before")
{
    Pcap capture;
    const Bytes two = framed({message(), message(0)});
    capture.add(1, 0, Segment{.sequence = 1000, .data = two}.frame());
    capture.add(
        1, 7,
        Segment{.sequence = 77, .data = framed({message(0x8180)}), .is_answer = true}.frame());
    // The same octets again are no messages.
    capture.add(1, 8, Segment{.sequence = 1000, .data = two}.frame());
    capture.add(1, 9, Segment{.data = framed({message()}), .client_port = 40001}.frame());
    Reading reading(capture.text());
    const std::vector<Read> found = reading.all();
    REQUIRE(found.size() == 4);
    CHECK(found[0].message == message());
    CHECK(found[1].message == message(0));
    CHECK(found[2].message == message(0x8180));
    CHECK(found[0].client == found[2].client);
    CHECK(found[2].time_ns == 1'000'007'000);
    CHECK(reading.counts().queries == 3);
    CHECK(reading.counts().answers == 1);
    CHECK(reading.counts().tcp_messages == 4);
    CHECK(reading.counts().segments == 4);
    CHECK(reading.counts().left_out() == 0);
}

TEST_CASE("a stream whose beginning is captured is read in pieces of any size")
{
    const Bytes octets = framed({message(), message(0), message()});
    const std::uint32_t begin = GENERATE(7U, 0xfffffff0U); // the numbers begin again at 0
    const std::size_t piece = GENERATE(1U, 2U, 3U, 50U, 1000U);
    Pcap capture;
    capture.add(1, 0, Segment{.sequence = begin - 1, .flags = syn}.frame());
    std::uint64_t segments = 0;
    for (std::size_t at = 0; at < octets.size(); at += piece, segments++) {
        const Segment segment{.sequence = begin + static_cast<std::uint32_t>(at),
                              .data = part_of(octets, at, std::min(at + piece, octets.size()))};
        capture.add(2, 0, segment.frame());
        // A retransmission, which adds nothing.
        if (at == 0)
            capture.add(2, 0, segment.frame());
    }
    capture.add(3, 0,
                Segment{.sequence = begin + static_cast<std::uint32_t>(octets.size()), .flags = fin}
                    .frame());
    Reading reading(capture.text());
    const std::vector<Read> found = reading.all();
    REQUIRE(found.size() == 3);
    CHECK(found[0].message == message());
    CHECK(found[1].message == message(0));
    CHECK(reading.counts().segments == segments + 1);
    CHECK(reading.counts().tcp == 0);
    CHECK(reading.counts().other == 2);
}

TEST_CASE("segments that cannot be understood are counted, and the next whole message is read")
{
    const Bytes octets = framed({message()});
    const Bytes first = part_of(octets, 0, 20);
    const Bytes second = part_of(octets, 20, octets.size());
    Pcap capture;
    std::uint64_t left_out = 0;
    SECTION("a stream's beginning is missing")
    {
        capture.add(1, 0, Segment{.sequence = 21, .data = second}.frame());
        left_out = 1;
    }
    SECTION("a segment in the middle is missing")
    {
        capture.add(1, 0, Segment{.sequence = 0, .flags = syn}.frame());
        capture.add(1, 0, Segment{.sequence = 1, .data = part_of(first, 0, 10)}.frame());
        capture.add(1, 0, Segment{.sequence = 21, .data = second}.frame());
        left_out = 1;
    }
    SECTION("a message is shorter than a header")
    {
        capture.add(1, 0, Segment{.data = framed({Bytes(11, 0)})}.frame());
        left_out = 1;
    }
    SECTION("a client sends answers")
    {
        capture.add(1, 0, Segment{.data = framed({message(), message(0x8180)})}.frame());
        left_out = 1;
    }
    capture.add(2, 0, Segment{.sequence = 5000, .data = octets}.frame());
    Reading reading(capture.text());
    const std::vector<Read> found = reading.all();
    REQUIRE(found.size() == 1);
    CHECK(found[0].time_ns == 2'000'000'000);
    const CaptureCounts &counts = reading.counts();
    CHECK(counts.tcp == left_out);
    CHECK(counts.packets == counts.segments + counts.left_out());
}

TEST_CASE("another port makes other queries")
{
    Pcap capture;
    capture.add(1, 0, Ethernet{} / Ipv4{} / Udp{.target_port = 5300} / Payload{message()});
    CHECK(Reading(capture.text()).all().empty());
    CHECK(Reading(capture.text(), 5300).all().size() == 1);
}

TEST_CASE("a file that is no capture is refused in one line")
{
    CHECK_THROWS_WITH(CaptureReader("/does/not/exist"),
                      Contains("cannot read the capture /does/not/exist: No such file"));
    CHECK_THROWS_WITH(Reading(""), Contains("is no capture that libpcap reads"));
    CHECK_THROWS_WITH(Reading("www.example.org A\n"), Contains("pcap or pcapng"));
    CHECK_THROWS_WITH(Reading(Pcap(105).text()), Contains("link type IEEE802_11"));
}

TEST_CASE("a capture may be packed; a damaged one is told")
{
    const std::string filter = GENERATE(as<std::string>{}, "none", "gzip", "xz", "zstd");
    constexpr std::uint32_t packets = 5000;
    Pcap capture;
    for (std::uint32_t i = 0; i < packets; i++)
        capture.add(i, 0, Ethernet{} / Ipv4{} / Udp{} / Payload{message()});
    const ScratchDirectory scratch;
    const std::string path = scratch.file("packed");
    write_packed(path, filter, capture.text());
    CAPTURE(filter);
    CHECK(holds_capture(path));
    CaptureReader reader(path);
    while (reader.next()) {
    }
    CHECK(reader.counts().queries == packets);

    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 3);
    const auto read_all = [&] {
        CaptureReader cut(path);
        while (cut.next()) {
        }
    };
    CHECK_THROWS_WITH(read_all(),
                      Contains(filter == "none" ? "is damaged after packet 4999"
                                                : "cannot read the capture " + path + ": "));

    write_packed(path, filter, "www.example.org A\n");
    CHECK_FALSE(holds_capture(path));
    CHECK(holds_capture("-"));
    CHECK_THROWS_WITH(holds_capture("/does/not/exist"), Contains("/does/not/exist: No such file"));
}

TEST_CASE("a damaged capture is refused after the packets that are whole")
{
    Pcap capture;
    capture.add(1, 0, query_frame());
    capture.add(2, 0, query_frame());
    Reading cut(capture.text().substr(0, capture.text().size() - 1));
    CHECK_THROWS_WITH(cut.all(), Contains("damaged after packet 1"));
    CHECK(cut.counts().queries == 1);

    Pcap timeless(1, 0xa1b23c4d);
    timeless.add(1, 1'000'000'000, query_frame());
    CHECK_THROWS_WITH(Reading(timeless.text()).all(), Contains("no time for packet 1"));
}

TEST_CASE("what is written is read again, in both families")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("written");
    const Bytes query = message();
    const Bytes answer = message(0x8180);
    const Endpoint client4{parse_ip_address("192.0.2.1"), 40000};
    const Endpoint server4{parse_ip_address("192.0.2.53"), 53};
    const Endpoint client6{parse_ip_address("2001:db8::1"), 1024};
    const Endpoint server6{parse_ip_address("2001:db8::53"), 53};
    const std::vector<CapturedMessage> written{
        {.time_ns = 1'600'000'000'000'000'001,
         .source = client4,
         .target = server4,
         .message = query},
        {.time_ns = 1'600'000'000'000'000'002,
         .source = server6,
         .target = client6,
         .message = answer},
        {.time_ns = CaptureWriter::latest_ns,
         .source = client6,
         .target = server6,
         .message = query},
    };
    CaptureWriter writer(path);
    for (const CapturedMessage &each : written)
        writer.write(each);
    CHECK_FALSE(std::filesystem::exists(path));
    writer.commit();

    CaptureReader reader(path);
    for (const CapturedMessage &each : written) {
        const auto found = reader.next();
        REQUIRE(found);
        CHECK(found->time_ns == each.time_ns);
        CHECK(found->source == each.source);
        CHECK(found->target == each.target);
        CHECK(std::ranges::equal(found->message, each.message));
    }
    CHECK_FALSE(reader.next());

    // The frames' checksums are right: UDP's with the pseudo header, by the plainest loop.
    const std::string text = read_file(path);
    const Bytes frame(text.begin() + 24 + 16,
                      text.begin() + 24 + 16 + 42 + static_cast<std::ptrdiff_t>(query.size()));
    const Bytes expected = Ethernet{.target = {0x02, 0, 0, 0, 0, 0x02}} /
                           Ipv4{.fragment = 0, .target = {192, 0, 2, 53}} / Udp{} / Payload{query};
    CHECK(hexdump(frame) == hexdump(expected));
}

TEST_CASE("a capture that is not committed leaves nothing")
{
    const ScratchDirectory scratch;
    {
        CaptureWriter writer(scratch.file("written"));
    }
    CHECK(scratch.entries() == 0);
}
