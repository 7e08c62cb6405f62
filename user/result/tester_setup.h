// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The Tester's set-up: plain values.
#pragma once

#include "options/option.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

// The set-up that a self-test is valid for. A Tester that differs in anything here is another
// Tester.
struct TesterSetup {
    std::string version; // of dnsgauge
    std::string kernel;
    std::string host;
    std::string cpu_model;
    unsigned cpus = 0;
    std::string interface;
    std::string driver;
    std::uint32_t mtu = 0;
    std::uint64_t link_mbps = 0; // 0 if unknown
    unsigned receive_queues = 0;
    unsigned transmit_queues = 0;
    std::vector<unsigned> sender_cpus;
    // The options with a setup_key (options/option.h), by these keys, in the options' order.
    std::vector<std::pair<std::string, OptionValue>> options;
    bool is_ipv6 = false;
    std::vector<TesterSetup> others{}; // of the Testers that make the trials with this one
};

} // namespace dnsgauge
