// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes DNS messages as a capture: pcap with nanoseconds, Ethernet frames.
//
// Each frame is made anew from the message, its addresses and its ports. So nothing else of an
// original frame (Ethernet addresses, VLAN tags, TTL, IP options) gets into the file.
#pragma once

#include "capture/captured_message.h"
#include "capture/pcap_owner.h"
#include "system/freed_by.h"
#include "system/output_file.h"

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <vector>

struct pcap_dumper;

extern "C" void pcap_dump_close(pcap_dumper *dump);

namespace dnsgauge
{

class CaptureWriter
{
public:
    // The longest message that fits a datagram over IPv4.
    static constexpr std::size_t longest_message = 65507;
    // libpcap reads the seconds of pcap as signed 32 bits: January 2038.
    static constexpr std::int64_t latest_ns = 2'147'483'647'999'999'999;

    // Every member throws SetupError as OutputFile does.
    explicit CaptureWriter(const std::filesystem::path &path);

    // Appends a message of at most longest_message octets, captured until latest_ns.
    void write(const CapturedMessage &message);

    // Ends the capture, and gives the file its name.
    void commit();

private:
    // libpcap writes to a stream of the C library, whose octets go to the file.
    struct Sink {
        explicit Sink(const std::filesystem::path &path) : file(path) {}
        OutputFile file;
        std::exception_ptr failure; // of a write: no exception may pass through the C library
    };

    static ssize_t take(void *sink, const char *text, std::size_t size);
    void check() const;

    Sink sink_;
    PcapOwner capture_;
    // Writes to sink_ when it is closed.
    std::unique_ptr<pcap_dumper, FreedBy<pcap_dump_close>> dump_;
    std::vector<std::uint8_t> frame_;
};

} // namespace dnsgauge
