// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "capture/capture_reader.h"

#include "common/setup_error.h"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace dnsgauge
{

namespace
{

constexpr std::int64_t nanoseconds = 1'000'000'000;
constexpr std::int64_t seconds_most = 9'000'000'000; // as 64 bits hold in nanoseconds: year 2255

std::FILE *open_file(const std::string &path)
{
    if (path == "-")
        return stdin;
    std::FILE *file = std::fopen(path.c_str(), "rbe");
    if (file == nullptr)
        throw SetupError(fmt::format("cannot read the capture {}: {}", path, std::strerror(errno)));
    return file;
}

} // namespace

CaptureCounts &CaptureCounts::operator+=(const CaptureCounts &more)
{
    packets += more.packets;
    queries += more.queries;
    answers += more.answers;
    tcp += more.tcp;
    fragments += more.fragments;
    cut += more.cut;
    malformed += more.malformed;
    other += more.other;
    return *this;
}

void CaptureReader::Closer::operator()(pcap *capture) const
{
    pcap_close(capture);
}

CaptureReader::CaptureReader(std::string path, std::uint16_t port)
    : path_(std::move(path)), port_(port)
{
    std::array<char, PCAP_ERRBUF_SIZE> why{};
    std::FILE *file = open_file(path_);
    // Owns the file from here on.
    capture_.reset(
        pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, why.data()));
    if (!capture_) {
        if (file != stdin)
            std::fclose(file);
        throw SetupError(fmt::format("{} is no capture that libpcap reads ({}): give a file in "
                                     "pcap or pcapng format, as tcpdump -w writes it",
                                     path_, why.data()));
    }
    const int dlt = pcap_datalink(capture_.get());
    const std::optional<LinkType> link = link_type(dlt);
    if (!link) {
        const char *name = pcap_datalink_val_to_name(dlt);
        throw SetupError(fmt::format(
            "the capture {} has frames of link type {}: record it as Ethernet, Linux cooked, raw "
            "IP or loopback (tcpdump -y)",
            path_, name != nullptr ? std::string(name) : std::to_string(dlt)));
    }
    link_ = *link;
}

std::optional<CapturedMessage> CaptureReader::message_of(const CapturedFrame &frame)
{
    switch (frame.kind) {
    case FrameKind::udp:
        break;
    case FrameKind::tcp: {
        const bool is_dns = frame.source.port == port_ || frame.target.port == port_;
        (is_dns && !frame.payload.empty() ? counts_.tcp : counts_.other)++;
        return {};
    }
    case FrameKind::fragment:
        counts_.fragments++;
        return {};
    case FrameKind::cut:
        counts_.cut++;
        return {};
    case FrameKind::other:
        counts_.other++;
        return {};
    }
    if (frame.source.port != port_ && frame.target.port != port_) {
        counts_.other++;
        return {};
    }
    CapturedMessage message{
        .source = frame.source, .target = frame.target, .message = frame.payload};
    if (frame.payload.size() < DNS_HEADER_SIZE || message.server().port != port_) {
        counts_.malformed++;
        return {};
    }
    (message.is_answer() ? counts_.answers : counts_.queries)++;
    return message;
}

std::optional<CapturedMessage> CaptureReader::next()
{
    while (true) {
        pcap_pkthdr *header = nullptr;
        const u_char *octets = nullptr;
        const int got = pcap_next_ex(capture_.get(), &header, &octets);
        if (got == PCAP_ERROR_BREAK)
            return {};
        if (got != 1)
            throw SetupError(fmt::format("the capture {} is damaged behind packet {} ({}): "
                                         "tcpdump -r FILE -w NEW keeps what is whole",
                                         path_, counts_.packets, pcap_geterr(capture_.get())));
        counts_.packets++;
        // In a capture that is read like this, microseconds are nanoseconds.
        const std::int64_t since = header->ts.tv_sec;
        const std::int64_t rest = header->ts.tv_usec;
        if (since < 0 || since > seconds_most || rest < 0 || rest >= nanoseconds)
            throw SetupError(fmt::format("the capture {} has no time for packet {}: seconds {}, "
                                         "nanoseconds {}",
                                         path_, counts_.packets, since, rest));
        const auto captured = std::size_t{header->caplen};
        std::optional<CapturedMessage> message = message_of(
            read_frame(link_, {octets, captured}, std::max(captured, std::size_t{header->len})));
        if (!message)
            continue;
        message->time_ns = since * nanoseconds + rest;
        return message;
    }
}

bool is_capture(std::span<const std::uint8_t> first)
{
    if (first.size() < 4)
        return false;
    const std::uint32_t magic = wire_get32(first.data());
    // pcap of micro- and nanoseconds, in both orders of octets, and two old kinds; pcapng.
    constexpr std::array<std::uint32_t, 8> magics{0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1,
                                                  0xa1b2cd34, 0x34cdb2a1, 0xa1e2cb12, 0x0a0d0d0a};
    return std::ranges::find(magics, magic) != magics.end();
}

} // namespace dnsgauge
