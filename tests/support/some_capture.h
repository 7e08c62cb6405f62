// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A capture of a query a second, as tests make it up.
#pragma once

#include "capture/capture_writer.h"
#include "dns/ip_address.h"
#include "support/packet.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dnsgauge::testing
{

// Writes a capture in which each of the clients asks a query, a second after the one before.
inline void write_capture(const std::string &path, const std::vector<std::string> &clients)
{
    constexpr std::int64_t second = 1'000'000'000;
    CaptureWriter writer(path);
    std::int64_t time_ns = 1'600'000'000 * second;
    const Bytes octets = DnsMessage{.questions = {{.name = dns_name("www.example.org")}}};
    for (const std::string &client : clients) {
        writer.write({.time_ns = time_ns,
                      .source = {parse_ip_address(client), 5000},
                      .target = {parse_ip_address("192.0.2.253"), 53},
                      .message = octets});
        time_ns += second;
    }
    writer.commit();
}

} // namespace dnsgauge::testing
