// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "capture/capture_reader.h"

#include "input/input_file.h"
#include "system/setup_error.h"

#include <pcap/pcap.h>

#include <sys/stat.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>

namespace dnsgauge
{

namespace
{

constexpr std::int64_t nanoseconds = 1'000'000'000;
constexpr std::int64_t seconds_most = 9'000'000'000; // as 64 bits hold in nanoseconds: year 2255

} // namespace

CaptureCounts &CaptureCounts::operator+=(const CaptureCounts &more)
{
    packets += more.packets;
    queries += more.queries;
    answers += more.answers;
    tcp_messages += more.tcp_messages;
    segments += more.segments;
    tcp += more.tcp;
    fragments += more.fragments;
    cut += more.cut;
    malformed += more.malformed;
    other += more.other;
    return *this;
}

// The source of libpcap's octets: the file, unpacked. No exception may pass through libpcap, so an
// error is kept for rethrow().
class CaptureReader::Octets
{
public:
    Octets(const std::string &path, UnpackLimit limit) : file_("the capture", path, limit) {}

    static ssize_t read(void *self, char *buffer, std::size_t size)
    {
        auto &octets = *static_cast<Octets *>(self);
        try {
            return static_cast<ssize_t>(octets.file_.read({buffer, size}));
        } catch (...) {
            octets.error_ = std::current_exception();
            errno = EIO;
            return -1;
        }
    }

    void rethrow() const
    {
        if (error_)
            std::rethrow_exception(error_);
    }

private:
    InputFile file_;
    std::exception_ptr error_;
};

CaptureReader::~CaptureReader() = default;

CaptureReader::CaptureReader(std::string path, std::uint16_t port, UnpackLimit limit)
    : path_(std::move(path)), port_(port), octets_(std::make_unique<Octets>(path_, limit)),
      tcp_(port)
{
    std::array<char, PCAP_ERRBUF_SIZE> why{};
    std::FILE *file =
        fopencookie(octets_.get(), "r",
                    {.read = Octets::read, .write = nullptr, .seek = nullptr, .close = nullptr});
    if (file == nullptr)
        throw std::bad_alloc();
    // Owns the file from here on.
    capture_.reset(
        pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, why.data()));
    if (!capture_) {
        std::fclose(file);
        octets_->rethrow();
        throw SetupError("{} is no capture that libpcap reads ({}): give a file in "
                         "pcap or pcapng format, as tcpdump -w writes it",
                         path_, why.data());
    }
    link_ = pcap_datalink(capture_.get());
    if (!is_link_known(link_)) {
        const char *name = pcap_datalink_val_to_name(link_);
        throw SetupError("the capture {} has frames of link type {}: record it as Ethernet, Linux "
                         "cooked, raw IP or loopback (tcpdump -y)",
                         path_, name != nullptr ? std::string(name) : std::to_string(link_));
    }
}

std::optional<CapturedMessage> CaptureReader::message_of(const CapturedFrame &frame)
{
    switch (frame.kind) {
    case FrameKind::udp:
        break;
    case FrameKind::tcp:
        read_segment(frame);
        return {};
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
    count(message);
    return message;
}

void CaptureReader::read_segment(const CapturedFrame &segment)
{
    const bool is_dns = segment.source.port == port_ || segment.target.port == port_;
    const bool is_read = is_dns && tcp_.read(segment);
    if (!is_dns || segment.payload.empty())
        counts_.other++;
    else
        (is_read ? counts_.segments : counts_.tcp)++;
    of_segment_.source = segment.source;
    of_segment_.target = segment.target;
}

void CaptureReader::count(const CapturedMessage &message)
{
    (message.is_answer() ? counts_.answers : counts_.queries)++;
}

std::optional<CapturedMessage> CaptureReader::next()
{
    while (true) {
        if (const auto message = tcp_.next()) {
            of_segment_.message = *message;
            of_segment_.over_tcp = true;
            count(of_segment_);
            counts_.tcp_messages++;
            return of_segment_;
        }
        pcap_pkthdr *header = nullptr;
        const u_char *octets = nullptr;
        const int got = pcap_next_ex(capture_.get(), &header, &octets);
        if (got == PCAP_ERROR_BREAK)
            return {};
        if (got != 1)
            octets_->rethrow();
        if (got != 1)
            throw SetupError("the capture {} is damaged after packet {} ({}): "
                             "tcpdump -r FILE -w NEW keeps what is whole",
                             path_, counts_.packets, pcap_geterr(capture_.get()));
        counts_.packets++;
        // libpcap puts nanoseconds there, as the constructor asked it to.
        const std::int64_t since = header->ts.tv_sec;
        const std::int64_t rest = header->ts.tv_usec;
        if (since < 0 || since > seconds_most || rest < 0 || rest >= nanoseconds)
            throw SetupError("the capture {} has no time for packet {}: seconds {}, nanoseconds {}",
                             path_, counts_.packets, since, rest);
        const auto captured = std::size_t{header->caplen};
        std::optional<CapturedMessage> message = message_of(
            read_frame(link_, {octets, captured}, std::max(captured, std::size_t{header->len})));
        of_segment_.time_ns = since * nanoseconds + rest;
        if (!message)
            continue;
        message->time_ns = of_segment_.time_ns;
        return message;
    }
}

bool holds_capture(const std::string &path)
{
    struct stat about = {};
    if (path == "-" || (stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode)))
        return true;
    InputFile file("the file", path);
    std::array<char, 4> first{};
    // The first octets of pcap of micro- and nanoseconds, in both orders of octets, and of two old
    // kinds; of pcapng.
    constexpr std::array<std::uint32_t, 8> magics{0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1,
                                                  0xa1b2cd34, 0x34cdb2a1, 0xa1e2cb12, 0x0a0d0d0a};
    std::size_t held = 0;
    while (held < first.size()) {
        const std::size_t got = file.read(std::span(first).subspan(held));
        if (got == 0)
            return false;
        held += got;
    }
    return std::ranges::count(magics, ntohl(std::bit_cast<std::uint32_t>(first))) != 0;
}

} // namespace dnsgauge
