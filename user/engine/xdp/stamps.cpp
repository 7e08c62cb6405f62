// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/stamps.h"

#include "machine/interface.h"
#include "system/setup_error.h"

namespace dnsgauge
{

namespace
{

bool has_stamping_card(const StampSources &sources)
{
    return sources.card && sources.card->clock && sources.card->hardware_tx &&
           sources.card->hardware_rx_all;
}

} // namespace

std::string why_no_hardware_rtt(const StampSources &sources)
{
    if (!sources.native_xdp)
        return "generic XDP gets no receive stamps: leave --xdp-mode at auto";
    if (!sources.zero_copy)
        return "AF_XDP in copy mode gets no transmit stamps from the card: leave --af-xdp at auto";
    if (!sources.driver)
        return "this kernel does not tell what drivers can stamp: Linux 6.8 is needed";
    if (!has_stamping_card(sources))
        return sources.interface + " has no clock that stamps every packet (ethtool -T " +
               sources.interface + ")";
    if (!sources.driver->rx_timestamp)
        return "the driver of " + sources.interface + " has no receive stamps for XDP";
    if (!sources.driver->zero_copy || !sources.driver->tx_timestamp)
        return "the driver of " + sources.interface + " has no transmit stamps for AF_XDP";
    return {};
}

StampPlan plan_stamps(StampMode mode, const StampSources &sources)
{
    if (mode == StampMode::off)
        return {};
    if (mode == StampMode::any)
        return {.receive = sources.native_xdp && sources.driver && sources.driver->rx_timestamp,
                .transmit = true,
                .card = has_stamping_card(sources)};
    const std::string why = why_no_hardware_rtt(sources);
    if (why.empty())
        return {.receive = true, .transmit = true, .card = true};
    if (mode == StampMode::on)
        throw SetupError("--hardware-timestamps on: " + why);
    return {};
}

StampSources stamp_sources(const XdpOptions &options, const Interface &interface)
{
    return {.interface = interface.name,
            .driver = read_xdp_features(interface.index),
            .card = Ethtool(interface.name).timestamping(),
            .native_xdp = options.xdp_mode != XdpMode::generic,
            .zero_copy = options.tx.copy_mode != CopyMode::copy};
}

StampPlan start_stamping(StampMode mode, const StampSources &sources,
                         std::optional<CardStamping> &card)
{
    const StampPlan plan = plan_stamps(mode, sources);
    if (!plan.card)
        return plan;
    try {
        card.emplace(sources.interface);
    } catch (const UnsupportedError &) {
        if (mode == StampMode::on)
            throw;
        return mode == StampMode::any ? plan : StampPlan{};
    }
    return plan;
}

} // namespace dnsgauge
