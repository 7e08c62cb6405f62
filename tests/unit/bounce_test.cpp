// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The mode of programs that send frames back, on a veth pair.
#include "host/bounce.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;
using Catch::Contains;

TEST_CASE("where the other end polls, the mode stays as wanted")
{
    const bool has_gro = GENERATE(false, true);
    for (const XdpMode wanted : {XdpMode::automatic, XdpMode::native}) {
        const BounceMode chosen = veth_bounce_mode("d0", wanted, true, has_gro);
        CHECK(chosen.mode == wanted);
        CHECK(chosen.remark.empty());
    }
}

TEST_CASE("where the other end does not poll, automatic becomes generic")
{
    const bool has_gro = GENERATE(false, true);
    const BounceMode chosen = veth_bounce_mode("d0", XdpMode::automatic, false, has_gro);
    CHECK(chosen.mode == XdpMode::generic);
    CHECK_THAT(chosen.remark, Contains("the other end of d0's veth pair does not poll"));
    const BounceMode native = veth_bounce_mode("d0", XdpMode::native, false, has_gro);
    CHECK(native.mode == XdpMode::native);
    CHECK_THAT(native.remark, Contains("are lost"));
}

TEST_CASE("where the kernel does not tell, this end's GRO decides")
{
    CHECK(veth_bounce_mode("d0", XdpMode::automatic, std::nullopt, true).mode ==
          XdpMode::automatic);
    const BounceMode chosen = veth_bounce_mode("d0", XdpMode::automatic, std::nullopt, false);
    CHECK(chosen.mode == XdpMode::generic);
    CHECK_THAT(chosen.remark, Contains("d0 itself has GRO off"));
}
