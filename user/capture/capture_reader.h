// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads the DNS messages of a capture, pcap or pcapng, one after the other, so that memory does not
// grow with the file.
#pragma once

#include "capture/captured_frame.h"
#include "capture/pcap_owner.h"
#include "capture/tcp_messages.h"
#include "input/unpack_limit.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace dnsgauge
{

// What a capture holds. packets = queries + answers - tcp_messages + segments + everything that is
// left out.
struct CaptureCounts {
    std::uint64_t packets = 0;
    std::uint64_t queries = 0;
    std::uint64_t answers = 0;
    std::uint64_t tcp_messages = 0; // of these queries and answers
    std::uint64_t segments = 0;     // of TCP, with data that were read as messages or parts of them
    std::uint64_t tcp = 0;          // other segments with data from or to the DNS port
    std::uint64_t fragments = 0;    // of IP packets
    std::uint64_t cut = 0;          // captured in part (tcpdump -s)
    std::uint64_t malformed = 0;    // UDP from or to the DNS port, neither query nor answer
    std::uint64_t other = 0;        // everything else

    [[nodiscard]] std::uint64_t left_out() const
    {
        return tcp + fragments + cut + malformed + other;
    }
    CaptureCounts &operator+=(const CaptureCounts &more);
};

class CaptureReader
{
public:
    static constexpr std::uint16_t dns_port = 53;

    // Opens the file, which gzip, zstd or xz may have packed; "-" is standard input. A query is a
    // message to `port`, an answer a message from it. Throws SetupError if the file cannot be read,
    // is no capture, or has frames of a link type that is_link_known() does not know.
    explicit CaptureReader(std::string path, std::uint16_t port = dns_port, UnpackLimit limit = {});
    ~CaptureReader();
    CaptureReader &operator=(CaptureReader &&) = delete;

    // Returns the next message, valid until the next call; nothing at the end. Throws SetupError,
    // with the packet's number, if the file is damaged.
    [[nodiscard]] std::optional<CapturedMessage> next();

    // Returns the counts of the packets read so far.
    [[nodiscard]] const CaptureCounts &counts() const { return counts_; }

private:
    class Octets;

    [[nodiscard]] std::optional<CapturedMessage> message_of(const CapturedFrame &frame);
    void read_segment(const CapturedFrame &segment);
    void count(const CapturedMessage &message);

    std::string path_;
    std::uint16_t port_;
    std::unique_ptr<Octets> octets_; // outlives the next
    PcapOwner capture_;
    int link_ = 0; // DLT_...
    TcpMessages tcp_;
    CapturedMessage of_segment_{}; // what the messages of the last segment have in common
    CaptureCounts counts_;
};

// Returns whether the regular file `path`, packed or not, is a capture. Any other kind of file
// counts as a capture, because octets read from it are gone. Throws SetupError.
[[nodiscard]] bool holds_capture(const std::string &path);

} // namespace dnsgauge
