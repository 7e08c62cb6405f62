// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/xdp_options.h"

#include <catch2/catch.hpp>

#include <any>
#include <cstdint>
#include <string>

using namespace dnsgauge;

TEST_CASE("options that nobody gave are the default ones")
{
    std::any held;
    const Options rows = xdp_option_rows(held);
    CHECK(find_option(rows, "xdp-mode")->access.get() == OptionValue(std::string("auto")));
    CHECK(find_option(rows, "hardware-timestamps")->access.get() ==
          OptionValue(std::string("auto")));
    CHECK(find_option(rows, "busy-poll")->access.get() == OptionValue(false));
    CHECK(find_option(rows, "source-ports")->access.get() == OptionValue(std::uint64_t{4000}));
    CHECK(find_option(rows, "vlan")->access.get() == OptionValue());
    CHECK_FALSE(held.has_value());
}

TEST_CASE("rows read options one after the other, and a copy of what holds them is apart")
{
    std::any held;
    const Options rows = xdp_option_rows(held);
    read_values(rows, {{"xdp-mode", "generic"}, {"busy-poll", ""}});
    std::any copy = held;
    read_values(xdp_option_rows(copy), {{"xdp-mode", "native"}, {"af-xdp", "copy"}, {"vlan", "7"}});
    read_values(rows, {{"hardware-timestamps", "off"}});
    CHECK(xdp_options_in(held).xdp_mode == XdpMode::generic);
    CHECK(xdp_options_in(held).tx.copy_mode == CopyMode::automatic);
    CHECK(xdp_options_in(held).tx.busy_poll);
    CHECK(xdp_options_in(held).stamps == StampMode::off);
    CHECK_FALSE(xdp_options_in(held).vlan);
    CHECK(xdp_options_in(copy).xdp_mode == XdpMode::native);
    CHECK(xdp_options_in(copy).tx.copy_mode == CopyMode::copy);
    CHECK(xdp_options_in(copy).tx.busy_poll);
    CHECK(xdp_options_in(copy).stamps == StampMode::automatic);
    CHECK(xdp_options_in(copy).vlan == 7);
    // Rows look at what is held by now.
    held = copy;
    CHECK(find_option(rows, "af-xdp")->access.get() == OptionValue(std::string("copy")));
}

TEST_CASE("a wrong mode is refused, and leaves the options as they were")
{
    std::any held;
    CHECK_THROWS_WITH(read_values(xdp_option_rows(held), {{"af-xdp", "fast"}}),
                      Catch::StartsWith("--af-xdp"));
    CHECK(xdp_options_in(held).tx.copy_mode == CopyMode::automatic);
}
