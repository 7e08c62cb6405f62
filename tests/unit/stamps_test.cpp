// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/stamps.h"

#include <catch2/catch.hpp>

#include <functional>
#include <string>

using namespace dnsgauge;

namespace
{

// Returns a card and a driver that can do everything.
StampSources best()
{
    StampSources sources;
    sources.interface = "eth7";
    sources.driver =
        XdpFeatures{.native = true, .zero_copy = true, .rx_timestamp = true, .tx_timestamp = true};
    sources.card = Timestamping{.hardware_tx = true, .hardware_rx_all = true, .clock = 0};
    return sources;
}

struct Lack {
    std::string why; // the message
    std::function<void(StampSources &)> take_away;
};

// veth on a new kernel.
StampSources veth()
{
    StampSources sources = best();
    sources.card = Timestamping{};
    sources.driver = XdpFeatures{.native = true, .rx_timestamp = true};
    return sources;
}

} // namespace

TEST_CASE("all there is needed: both stamps, from the card")
{
    const StampMode mode = GENERATE(StampMode::automatic, StampMode::on, StampMode::any);
    const StampPlan plan = plan_stamps(mode, best());
    CHECK(plan.receive);
    CHECK(plan.transmit);
    CHECK(plan.card);
}

TEST_CASE("without one of what is needed there are no stamps, and `on` is refused")
{
    const Lack lack = GENERATE(values<Lack>({
        {"generic XDP", [](StampSources &s) { s.native_xdp = false; }},
        {"copy mode", [](StampSources &s) { s.zero_copy = false; }},
        {"Linux 6.8", [](StampSources &s) { s.driver.reset(); }},
        {"no clock", [](StampSources &s) { s.card.reset(); }},
        {"no clock", [](StampSources &s) { s.card->clock.reset(); }},
        {"no clock", [](StampSources &s) { s.card->hardware_tx = false; }},
        {"no clock", [](StampSources &s) { s.card->hardware_rx_all = false; }},
        {"no receive stamps", [](StampSources &s) { s.driver->rx_timestamp = false; }},
        {"no transmit stamps", [](StampSources &s) { s.driver->tx_timestamp = false; }},
        {"no transmit stamps", [](StampSources &s) { s.driver->zero_copy = false; }},
    }));
    StampSources sources = best();
    lack.take_away(sources);
    CAPTURE(lack.why);
    CHECK_THAT(why_no_hardware_rtt(sources), Catch::Contains(lack.why));
    const StampPlan plan = plan_stamps(StampMode::automatic, sources);
    CHECK_FALSE((plan.receive || plan.transmit || plan.card));
    CHECK_THROWS_WITH(plan_stamps(StampMode::on, sources), Catch::Contains(lack.why));
}

TEST_CASE("`off` asks for nothing, `any` for whatever there is")
{
    const StampPlan off = plan_stamps(StampMode::off, best());
    CHECK_FALSE((off.receive || off.transmit || off.card));

    const StampPlan any = plan_stamps(StampMode::any, veth());
    CHECK(any.receive);
    CHECK(any.transmit);
    CHECK_FALSE(any.card);

    StampSources old_kernel = veth();
    old_kernel.driver.reset();
    CHECK_FALSE(plan_stamps(StampMode::any, old_kernel).receive);
    StampSources generic = veth();
    generic.native_xdp = false;
    CHECK_FALSE(plan_stamps(StampMode::any, generic).receive);
}
