// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/xdp_options.h"

#include "options/access.h"

namespace dnsgauge
{

namespace
{

constexpr auto copy_modes = words<CopyMode>(
    {{CopyMode::automatic, "auto"}, {CopyMode::copy, "copy"}, {CopyMode::zero_copy, "zero-copy"}});
constexpr auto stamp_modes = words<StampMode>({{StampMode::automatic, "auto"},
                                               {StampMode::off, "off"},
                                               {StampMode::on, "on"},
                                               {StampMode::any, "any"}});

// Returns access to what `access_to` finds in the options.
template <class Access>
OptionAccess in(std::any &held, Access access_to)
{
    XdpOptions usual;
    OptionAccess access = access_to(usual);
    access.get = [&held, access_to] {
        XdpOptions options = xdp_options_in(held);
        return access_to(options).get();
    };
    access.set = [&held, access_to](const std::string &text, const std::string &name) {
        XdpOptions options = xdp_options_in(held);
        access_to(options).set(text, name);
        held = options;
    };
    return access;
}

} // namespace

XdpOptions xdp_options_in(const std::any &held)
{
    return held.has_value() ? std::any_cast<XdpOptions>(held) : XdpOptions{};
}

Options xdp_option_rows(std::any &held)
{
    return {
        Option("xdp-mode", OptionGroup::tester, "MODE",
               "Mode of the XDP program: auto, native or generic",
               in(held, [](XdpOptions &its) { return word(its.xdp_mode, xdp_modes); }),
               {.setup_key = "xdp_mode"}),
        Option("af-xdp", OptionGroup::tester, "MODE",
               "Mode of the AF_XDP sockets: auto, copy or zero-copy",
               in(held, [](XdpOptions &its) { return word(its.tx.copy_mode, copy_modes); }),
               {.setup_key = "af_xdp"}),
        Option("busy-poll", OptionGroup::tester, "",
               "Let senders poll the driver as well; for zero-copy drivers, with the interface's "
               "napi_defer_hard_irqs and gro_flush_timeout set",
               in(held, [](XdpOptions &its) { return flag(its.tx.busy_poll); }),
               {.setup_key = "busy_poll"}),
        Option("hardware-timestamps", OptionGroup::tester, "MODE",
               "Take RTTs by the card's clock as well: auto (where the card stamps both ways), "
               "on (or fail), off, or any (take the stamps that there are, and say which)",
               in(held, [](XdpOptions &its) { return word(its.stamps, stamp_modes); }),
               {.setup_key = "timestamps"}),
        Option("source-ports", OptionGroup::sending, "COUNT", "Source ports of each sender",
               in(held, [](XdpOptions &its) { return whole(its.source_ports, 1, 65535); }),
               {.setup_key = "source_ports"}),
        {"first-source-port", OptionGroup::sending, "PORT",
         "First source port of the first sender; the others follow",
         in(held, [](XdpOptions &its) { return whole(its.first_source_port, 1); })},
        {"server-mac", OptionGroup::sending, "MAC",
         "Next hop's MAC address, in place of the one in the kernel's tables",
         in(held, [](XdpOptions &its) { return parsed(its.server_mac, parse_mac_address); })},
        Option("vlan", OptionGroup::sending, "ID", "802.1Q identifier to tag queries with",
               in(held, [](XdpOptions &its) { return whole(its.vlan, 1, 4094); }),
               {.setup_key = "vlan"}),
    };
}

} // namespace dnsgauge
