// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/interface_losses.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;

namespace
{

constexpr std::uint64_t replies = 1000;

// Counters of a trial with `replies` replies, which the program dropped. The program passed five
// packets.
OwnLosses attributed(const CounterValues &growth, XdpMode mode = XdpMode::native)
{
    ReplyTally tally;
    tally.queries.states[QUERY_VALID] = replies;
    tally.passed = 5;
    OwnLosses losses;
    attribute_losses(losses, growth, tally, mode);
    return losses;
}

} // namespace

TEST_CASE("the counters of an honest trial are no losses")
{
    const CounterValues growth = GENERATE(
        // veth
        CounterValues{{"rx_packets", 1000},
                      {"driver.rx_queue_0_xdp_packets", 1005},
                      {"driver.rx_queue_0_xdp_drops", 1000},
                      {"driver.rx_pp_recycle_ring_full", 7},
                      {"driver.rx_pp_alloc_slow", 3}},
        // virtio_net: its drops contain the program's
        CounterValues{{"rx_dropped", 1005},
                      {"driver.rx_queue_0_drops", 600},
                      {"driver.rx_queue_0_xdp_drops", 600},
                      {"driver.rx_queue_1_drops", 400},
                      {"driver.rx_queue_1_xdp_drops", 400},
                      {"driver.tx_queue_0_kicks", 30}},
        // virtio_net in zero-copy mode: a queue's drops and all drops are the program's
        CounterValues{{"driver.rx_drops", 1000},
                      {"driver.rx_xdp_packets", 1005},
                      {"driver.rx0_drops", 600},
                      {"driver.rx1_drops", 400}});
    const OwnLosses losses = attributed(growth);
    CHECK(losses.interface.empty());
    CHECK(losses.interface_sending == 0);
    CHECK(losses.interface_receiving == 0);
}

TEST_CASE("what only the driver counts is lost as well")
{
    CHECK(attributed({{"driver.rx_discards_phy", 12}}).interface_receiving == 12);
    CHECK(attributed({{"driver.rx_queue_0_drops", 3}}).interface_receiving == 3);
    CHECK(attributed({{"driver.tx_queue_dropped", 12}}).interface_sending == 12);
    const OwnLosses losses = attributed({{"driver.rx0_drops", 3}, {"driver.tx_errors", 4}});
    CHECK(losses.interface_receiving == 3);
    CHECK(losses.interface_sending == 4);
    CHECK(losses.interface.size() == 2);
    // Where drops contain the program's, the rest is lost, and is told as the driver counts it.
    const OwnLosses more = attributed(
        {{"driver.rx_drops", replies + 2}, {"driver.rx0_drops", 600}, {"driver.rx1_drops", 402}});
    CHECK(more.interface_receiving == 2);
    CHECK(more.interface.at("driver.rx_drops") == replies + 2);
}

TEST_CASE("a loss that is counted under several names is one")
{
    const OwnLosses losses = attributed({{"tx_dropped", 12},
                                         {"tx_errors", 1},
                                         {"driver.tx_queue_dropped", 12},
                                         {"driver.tx0_dropped", 5},
                                         {"driver.tx1_dropped", 7},
                                         {"rx_missed", 3},
                                         {"driver.rx_prio0_discards", 20},
                                         {"driver.rx_prio1_discards", 10},
                                         {"driver.rx_discards_phy", 30}});
    CHECK(losses.interface_sending == 13);
    CHECK(losses.interface_receiving == 30);
    CHECK(losses.interface.at("driver.tx1_dropped") == 7);
}

TEST_CASE("a driver's drops may be the program's, with or without losses, but not its discards")
{
    CHECK(attributed({{"driver.rx0_drops", 400}, {"driver.rx1_drops", 600}}).interface_receiving ==
          0);
    CHECK(attributed({{"driver.rx0_drops", 400}, {"driver.rx1_drops", 602}}).interface_receiving ==
          2);
    CHECK(attributed({{"driver.rx_discards_phy", 1000}}).interface_receiving == 1000);
    // This driver counts the two apart.
    CHECK(attributed({{"driver.rx_queue_0_drops", 2001}, {"driver.rx_queue_0_xdp_drops", 1000}})
              .interface_receiving == 1001);
}

TEST_CASE("what the kernel dropped since nobody wanted it is no loss")
{
    CHECK(attributed({{"rx_dropped", 5}}).interface_receiving == 0);
    CHECK(attributed({{"rx_dropped", 6}}).interface_receiving == 1);
    CHECK(attributed({{"rx_dropped", 5}}, XdpMode::generic).interface_receiving == 5);
    CHECK(attributed({{"driver.rx0_drops", 5}}).interface_receiving == 5);
}

TEST_CASE("a driver's counter of neither way is told, and decides nothing")
{
    const OwnLosses losses = attributed({{"driver.symbol_errors", 8}});
    CHECK(losses.interface == CounterValues{{"driver.symbol_errors", 8}});
    CHECK(losses.interface_sending == 0);
    CHECK(losses.interface_receiving == 0);
}

TEST_CASE("drops that may all be packets of others are no losses, but doubtful")
{
    // It is unknown whether the drops are some of the five packets that the program passed, or
    // replies.
    CHECK(attributed({{"rx_dropped", 3}}).interface_doubtful == 3);
    CHECK(attributed({{"rx_dropped", 3}}).interface_receiving == 0);
    CHECK(attributed({{"rx_dropped", 7}}).interface_doubtful == 5);
    CHECK(attributed({{"rx_dropped", 7}}).interface_receiving == 2);
    // Packets that the program dropped are not doubtful.
    CHECK(attributed({{"rx_dropped", replies}}).interface_doubtful == 0);
    CHECK(attributed({{"rx_dropped", replies + 2}}).interface_doubtful == 2);
    // A generic program passes what the kernel has counted already.
    CHECK(attributed({{"rx_dropped", 3}}, XdpMode::generic).interface_doubtful == 0);
}
