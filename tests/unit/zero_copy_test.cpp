// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/card.h"

#include <catch2/catch.hpp>

#include <initializer_list>
#include <string>

using namespace dnsgauge;
using Catch::Contains;

namespace
{

std::string with(std::initializer_list<std::size_t> features)
{
    std::string digits(64, '0');
    for (const std::size_t feature : features)
        digits[feature] = '1';
    return digits;
}

} // namespace

TEST_CASE("what a virtio device lacks for zero-copy")
{
    // MRG_RXBUF 15, ACCESS_PLATFORM 33; TSO4, TSO6, ECN, UFO 7 to 10.
    CHECK(zero_copy_obstacle("virtio_net", with({15, 33})).empty());
    CHECK(zero_copy_obstacle("virtio_net", with({7, 8, 9, 10, 15, 33})).empty());
    CHECK(zero_copy_obstacle("virtio_net", with({33})).empty());
    CHECK_THAT(zero_copy_obstacle("virtio_net", with({15})),
               Contains("VIRTIO_F_ACCESS_PLATFORM") && Contains("iommu_platform=on"));
    for (const std::size_t merging : {7U, 8U, 9U, 10U})
        CHECK_THAT(zero_copy_obstacle("virtio_net", with({merging, 33})),
                   Contains("VIRTIO_NET_F_MRG_RXBUF") && Contains("mrg_rxbuf=on"));
}

TEST_CASE("where nothing is known nothing is in the way of zero-copy")
{
    CHECK(zero_copy_obstacle("igb", "").empty());
    CHECK(zero_copy_obstacle("igb", with({})).empty());
    CHECK(zero_copy_obstacle("virtio_net", "").empty());
}
