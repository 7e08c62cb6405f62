// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "capture/capture_writer.h"

#include "system/setup_error.h"

#include "wire/packet.h"

#include <pcap/pcap.h>

#include <algorithm>
#include <array>
#include <new>

namespace dnsgauge
{

namespace
{

constexpr int snapshot_length = 262144; // libpcap's limit
constexpr std::int64_t frame_nanoseconds = 1'000'000'000;

// Locally administered addresses, which say nothing about the sender of the original.
constexpr std::array<std::uint8_t, 6> client_mac{0x02, 0, 0, 0, 0, 0x01};
constexpr std::array<std::uint8_t, 6> server_mac{0x02, 0, 0, 0, 0, 0x02};

} // namespace

ssize_t CaptureWriter::take(void *sink, const char *text, std::size_t size)
{
    auto &to = *static_cast<Sink *>(sink);
    if (to.failure)
        return 0;
    try {
        to.file.write({text, size});
    } catch (...) {
        to.failure = std::current_exception();
        return 0;
    }
    return static_cast<ssize_t>(size);
}

CaptureWriter::CaptureWriter(const std::filesystem::path &path) : sink_(path)
{
    capture_.reset(pcap_open_dead_with_tstamp_precision(DLT_EN10MB, snapshot_length,
                                                        PCAP_TSTAMP_PRECISION_NANO));
    if (!capture_)
        throw std::bad_alloc();
    std::FILE *stream = fopencookie(
        &sink_, "wb", {.read = nullptr, .write = take, .seek = nullptr, .close = nullptr});
    if (stream == nullptr)
        throw std::bad_alloc();
    dump_.reset(pcap_dump_fopen(capture_.get(), stream));
    if (!dump_) {
        std::fclose(stream);
        throw SetupError("cannot write " + path.string() + ": " + pcap_geterr(capture_.get()));
    }
}

void CaptureWriter::check() const
{
    if (sink_.failure)
        std::rethrow_exception(sink_.failure);
}

void CaptureWriter::write(const CapturedMessage &message)
{
    const bool is_ipv6 = message.source.address.is_ipv6;
    const std::size_t ip_size = is_ipv6 ? PACKET_IPV6_SIZE : PACKET_IPV4_SIZE;
    const std::size_t headers = PACKET_ETHERNET_SIZE + ip_size + PACKET_UDP_SIZE;
    frame_.assign(headers + message.message.size(), 0);

    const bool answers = message.is_answer();
    std::uint8_t *at = frame_.data();
    std::ranges::copy(answers ? client_mac : server_mac, at);
    std::ranges::copy(answers ? server_mac : client_mac, at + 6);
    wire_put16(at + PACKET_ETHERNET_SIZE - 2, is_ipv6 ? PACKET_TYPE_IPV6 : PACKET_TYPE_IPV4);
    std::uint8_t *ip = at + PACKET_ETHERNET_SIZE;
    if (is_ipv6) {
        ip[0] = 0x60;
        ip[PACKET_IPV6_NEXT] = PACKET_PROTOCOL_UDP;
        std::ranges::copy(message.source.address.bytes, ip + PACKET_IPV6_SOURCE);
        std::ranges::copy(message.target.address.bytes, ip + PACKET_IPV6_TARGET);
    } else {
        ip[0] = 0x45;
        ip[PACKET_IPV4_PROTOCOL] = PACKET_PROTOCOL_UDP;
        std::copy_n(message.source.address.bytes.begin(), 4, ip + PACKET_IPV4_SOURCE);
        std::copy_n(message.target.address.bytes.begin(), 4, ip + PACKET_IPV4_TARGET);
    }
    std::uint8_t *udp = ip + ip_size;
    wire_put16(udp, message.source.port);
    wire_put16(udp + PACKET_UDP_TARGET, message.target.port);
    std::ranges::copy(message.message, udp + PACKET_UDP_SIZE);

    packet layout{};
    layout.ip_offset = PACKET_ETHERNET_SIZE;
    layout.udp_offset = static_cast<std::uint32_t>(PACKET_ETHERNET_SIZE + ip_size);
    layout.is_ipv6 = is_ipv6 ? 1 : 0;
    // The frame has room for all headers: it is never too short.
    static_cast<void>(packet_complete({.pos = at, .end = at + frame_.size()}, &layout,
                                      static_cast<std::uint32_t>(message.message.size()), 0,
                                      1U << 16U));

    pcap_pkthdr header{};
    header.ts.tv_sec = message.time_ns / frame_nanoseconds;
    header.ts.tv_usec = message.time_ns % frame_nanoseconds;
    header.caplen = header.len = static_cast<std::uint32_t>(frame_.size());
    pcap_dump(reinterpret_cast<u_char *>(dump_.get()), &header, at);
    check();
}

void CaptureWriter::commit()
{
    const int flushed = pcap_dump_flush(dump_.get());
    check();
    if (flushed != 0)
        throw SetupError("cannot write the capture: the C library's stream failed");
    dump_.reset();
    check();
    sink_.file.commit();
}

} // namespace dnsgauge
