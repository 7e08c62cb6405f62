// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/ip_address.h"
#include "machine/counters.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>

#include <string_view>

using namespace dnsgauge;

TEST_CASE("an IPv4 address takes the first four bytes")
{
    const IpAddress address = parse_ip_address("192.0.2.255");
    IpAddress expected;
    expected.bytes = {192, 0, 2, 255};
    CHECK_FALSE(address.is_ipv6);
    CHECK(address == expected);
    CHECK(to_string(address) == "192.0.2.255");
}

TEST_CASE("an IPv6 address takes all bytes and is written as RFC 5952 says")
{
    const IpAddress address = parse_ip_address("2001:DB8:0:0:1:0:0:1");
    IpAddress expected;
    expected.bytes = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
    expected.is_ipv6 = true;
    CHECK(address == expected);
    CHECK(to_string(address) == "2001:db8::1:0:0:1");
    CHECK(to_string(parse_ip_address("0:0:0:0:0:0:0:0")) == "::");
    CHECK(to_string(parse_ip_address("2001:db8:0:1:1:1:1:1")) == "2001:db8:0:1:1:1:1:1");
}

TEST_CASE("the same bytes of another family are another address")
{
    CHECK_FALSE(parse_ip_address("0.0.0.0") == parse_ip_address("::"));
}

TEST_CASE("what is not an IP address is refused by name")
{
    using namespace std::string_view_literals;
    const auto text =
        GENERATE(""sv, "192.0.2"sv, "192.0.2.256"sv, "192.0.2.1 "sv, "192.0.2.01x"sv,
                 "192.0.2.1\0"sv, "0x7f.1.1.1"sv, "2001:db8::1::2"sv, "fe80::1%lo"sv,
                 "1:2:3:4:5:6:7"sv, "[2001:db8::1]"sv, "192.0.2.0/24"sv, ":"sv, "example.test"sv);
    CAPTURE(text);
    CHECK_THROWS_AS(parse_ip_address(text), SetupError);
    CHECK_THROWS_WITH(parse_ip_address(text), Catch::Contains("is not an IP address"));
}

TEST_CASE("an Ethernet address is read in either case and written in lower case")
{
    const MacAddress address = parse_mac_address("02:aB:00:fF:10:0e");
    CHECK(address == MacAddress{0x02, 0xab, 0x00, 0xff, 0x10, 0x0e});
    CHECK(to_string(address) == "02:ab:00:ff:10:0e");
}

TEST_CASE("what is not an Ethernet address is refused by name")
{
    using namespace std::string_view_literals;
    const auto text =
        GENERATE(""sv, "02:ab:00:ff:10"sv, "02:ab:00:ff:10:0"sv, "02:ab:00:ff:10:0e:"sv,
                 "02-ab-00-ff-10-0e"sv, "02:ab:00:ff:10:0g"sv, "02:ab:00:ff:-1:0e"sv,
                 "02:ab:00:ff: 1:0e"sv, "02:ab:00:ff:+1:0e"sv, "2:ab:00:ff:10:0e0"sv,
                 "0x:ab:00:ff:10:0e"sv, "02:ab:00:ff:10:0\0"sv);
    CAPTURE(text);
    CHECK_THROWS_AS(parse_mac_address(text), SetupError);
}

TEST_CASE("only counters that grew are told, by how much")
{
    const CounterValues before{{"same", 7}, {"more", 7}, {"reset", 7}, {"gone", 7}};
    const CounterValues after{{"same", 7}, {"more", 9}, {"reset", 1}, {"new", 3}, {"idle", 0}};
    CHECK(grown(before, after) == CounterValues{{"more", 2}, {"new", 3}});
}

TEST_CASE("the growth of a driver's counters is not known if one reading lacks all of them")
{
    const CounterValues kernels{{"rx_dropped", 1}};
    const CounterValues all{{"rx_dropped", 2}, {"driver.rx_drops", 1'000'000}};
    CHECK_THROWS_AS(grown(kernels, all), SetupError);
    CHECK_THROWS_AS(grown(all, kernels), SetupError);
    CHECK(grown(kernels, {{"rx_dropped", 3}}) == CounterValues{{"rx_dropped", 2}});
    CHECK(grown(all, {{"driver.rx_drops", 1'000'001}, {"driver.new", 3}}) ==
          CounterValues{{"driver.rx_drops", 1}, {"driver.new", 3}});
}

TEST_CASE("lost received packets, and an XDP program's drops once")
{
    const CounterValues growth{{"rx_packets", 900},
                               {"rx_dropped", 4},
                               {"tx_dropped", 9},
                               {"driver.rx_queue_0_drops", 7},
                               {"driver.rx_queue_0_xdp_drops", 5},
                               {"driver.rx_queue_1_drops", 6},
                               {"driver.rx_queue_1_xdp_drops", 6}};
    CHECK(lost_receiving(growth) == CounterValues{{"rx_dropped", 4},
                                                  {"driver.rx_queue_0_drops", 2},
                                                  {"driver.rx_queue_0_xdp_drops", 5},
                                                  {"driver.rx_queue_1_xdp_drops", 6}});
}

TEST_CASE("names of counters that tell of lost packets, and which way they went")
{
    using Case = std::pair<const char *, Loss>;
    const auto [name, loss] = GENERATE(
        Case{"rx_dropped", Loss::receiving}, Case{"tx_errors", Loss::sending},
        Case{"rx_missed", Loss::receiving}, Case{"driver.rx_queue_0_drops", Loss::receiving},
        Case{"driver.rx_queue_0_xdp_tx_errors", Loss::receiving},
        Case{"driver.tx_queue_0_xdp_xmit_errors", Loss::sending},
        Case{"driver.rx0_drops", Loss::receiving}, Case{"driver.rx_crc_errors", Loss::receiving},
        Case{"driver.tx_queue_full", Loss::sending}, Case{"driver.tx_queue_dropped", Loss::sending},
        Case{"driver.rx_discards_phy", Loss::receiving},
        Case{"driver.rx_steer_missed_packets", Loss::receiving},
        Case{"driver.rx_no_dma_resources", Loss::receiving},
        Case{"driver.rx_drops_invalid_checksum[0]", Loss::receiving},
        Case{"driver.alloc_rx_buff_failed", Loss::receiving},
        Case{"driver.RxFIFOErr", Loss::receiving}, Case{"driver.port.tx_errors", Loss::sending},
        Case{"driver.queue_0_tx_dma_mapping_err", Loss::sending},
        Case{"driver.rx_out_of_buffer", Loss::receiving},
        Case{"driver.rx_no_buffer_count", Loss::receiving},
        Case{"driver.rx_overrun", Loss::receiving}, Case{"driver.symbol_errors", Loss::somewhere},
        Case{"driver.interrupt_errors", Loss::somewhere});
    CAPTURE(name);
    CHECK(loss_of(name) == loss);
}

TEST_CASE("names of counters that do not")
{
    const auto *const name = GENERATE(
        "rx_packets", "driver.tx_bytes", "driver.rx_interrupts", "driver.tx_deferred_ok",
        "driver.tx_transmissions", "driver.rx_xdp_redirect", "driver.multicast", "",
        // Drops by choice: of veth, virtio, mlx5 and ena.
        "driver.rx_queue_0_xdp_drops", "driver.rx0_xdp_drops", "driver.rx_xdp_drop",
        "driver.queue_0_rx_xdp_drop", "driver.rx_filter_dropped", "driver.mac_filter_discards",
        // Counters of page pools, caches, flow rules and rings.
        "driver.rx_pp_recycle_cache_full", "driver.rx_pp_recycle_ring_full", "driver.rx_cache_full",
        "driver.rx_arfs_err", "driver.fdir_miss", "driver.fdir_overflow", "driver.tx_xsk_full",
        // Packets that were received all the same.
        "driver.rx_csum_offload_errors", "driver.hw_csum_rx_error", "driver.rx_err_lane_0_phy");
    CAPTURE(name);
    CHECK(loss_of(name) == Loss::none);
}

TEST_CASE("what an XDP program dropped, among a driver's drops")
{
    const CounterValues growth{{"driver.rx_queue_0_drops", 12},
                               {"driver.rx_queue_0_xdp_drops", 10},
                               {"driver.rx_queue_1_drops", 3},
                               {"rx_dropped", 4}};
    CHECK(dropped_by_choice(growth, "driver.rx_queue_0_drops") == 10);
    CHECK(dropped_by_choice(growth, "driver.rx_queue_1_drops") == 0);
    CHECK(dropped_by_choice(growth, "rx_dropped") == 0);
}
