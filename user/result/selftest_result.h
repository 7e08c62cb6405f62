// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a self-test of the Tester gives: plain values.
#pragma once

#include "result/certificate_cover.h"
#include "result/search_result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// What a self-test holds for: with another in any of this the Tester is another one.
struct TesterSetup {
    std::string version; // of dnsgauge
    std::string kernel;
    std::string host;
    std::string cpu_model;
    unsigned cpus = 0;
    std::string interface;
    std::string driver;
    std::uint32_t mtu = 0;
    std::uint64_t link_mbps = 0; // 0: unknown
    unsigned receive_queues = 0;
    unsigned transmit_queues = 0;
    std::vector<unsigned> sender_cpus;
    // As asked for.
    std::string xdp_mode;
    std::string af_xdp;
    bool busy_poll = false;
    std::string idle_cpus;
    std::string timestamps;
    std::uint32_t source_ports = 0;
    std::optional<std::uint16_t> vlan;
    bool is_ipv6 = false;
};

struct SelftestTrial {
    Rate r;            // the rate that the Tester is to be used at
    SearchTrial trial; // at the rate that the self-test asks for; a Tester at its limit has failed
};

struct SelftestResult {
    std::string server; // FakeDNS
    std::string zone;
    std::string answer;
    Rate min_rate; // of the rates r; the same as max_rate: only that one was asked for
    Rate max_rate;
    std::uint64_t resolution = 1;
    unsigned confirm = 0;
    double delta = 0;
    Nanoseconds timeout{}; // t, of the trials that it allows
    Nanoseconds duration{};
    Nanoseconds max_lateness{};
    Nanoseconds max_overrun{};
    std::vector<std::string> deviations; // from RFC 8219 section 9; none: compliant
    std::vector<std::string> command;
    std::string record;                    // its file; empty: nothing to record
    std::vector<std::string> record_notes; // what became of earlier self-tests in that file
    std::string finished;                  // UTC, ISO 8601
    TesterSetup setup;
    Circumstances circumstances; // of its last trial

    std::optional<CertificateCover> certificate; // of the last calibration
    std::vector<SelftestTrial> trials;
    SearchEnd end = SearchEnd::complete;
    std::optional<Rate> allowed;             // the highest r that passed
    std::optional<SelftestTrial> stopped_by; // the one right above it, or the one that ended it all
};

} // namespace dnsgauge
