// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/link.h"

#include <catch2/catch.hpp>

#include <chrono>

using namespace dnsgauge;
using namespace std::chrono_literals;

TEST_CASE("no RTT is shorter than the link allows")
{
    const auto least = [](const char *driver, std::uint64_t mbps) {
        Interface interface;
        interface.driver = driver;
        interface.speed_mbps = mbps;
        return path_over(interface).least_rtt;
    };
    CHECK(least("veth", 10'000) == veth_rtt_least);
    CHECK(least("ixgbe", 10'000) == 134ns);
    CHECK(least("r8169", 1000) == 1344ns);
    CHECK(least("virtio_net", 0) == 0ns);
}
