// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/ethtool.h"

#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace dnsgauge
{

namespace
{

// A command with its head, and room after it for the bytes that the kernel fills in.
template <class Command>
class LongCommand
{
public:
    LongCommand(std::uint32_t command, std::size_t bytes_that_follow)
        : words_((sizeof(Command) + bytes_that_follow + 7) / 8)
    {
        head().cmd = command;
    }
    Command &head() { return *reinterpret_cast<Command *>(words_.data()); }

private:
    std::vector<std::uint64_t> words_;
};

ethtool_rxnfc hash_command(std::uint32_t command, UdpFlow flow, std::uint64_t fields = 0)
{
    ethtool_rxnfc hash{};
    hash.cmd = command;
    hash.flow_type = flow == UdpFlow::ipv4 ? UDP_V4_FLOW : UDP_V6_FLOW;
    hash.data = fields;
    return hash;
}

std::string to_string(std::span<const char> text)
{
    return {text.data(), strnlen(text.data(), text.size())};
}

} // namespace

Ethtool::Ethtool(std::string interface)
    : interface_(std::move(interface)),
      socket_(opened(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "cannot open a socket"))
{
}

bool Ethtool::ask(void *command) const
{
    ifreq request{};
    interface_.copy(request.ifr_name, sizeof(request.ifr_name) - 1);
    request.ifr_data = static_cast<char *>(command);
    return ioctl(socket_.get(), SIOCETHTOOL, &request) == 0;
}

std::string Ethtool::driver() const
{
    const auto info = answer_to<ethtool_drvinfo>(ETHTOOL_GDRVINFO);
    return info ? to_string(info->driver) : std::string();
}

std::string Ethtool::bus() const
{
    const auto info = answer_to<ethtool_drvinfo>(ETHTOOL_GDRVINFO);
    return info ? to_string(info->bus_info) : std::string();
}

Channels Ethtool::channels() const
{
    const auto channels = channel_counts();
    if (!channels)
        return {};
    // If a driver has both kinds of queues, each maximum already counts the queues of the other
    // kind.
    return {.rx = channels->rx_count + channels->combined_count,
            .tx = channels->tx_count + channels->combined_count,
            .rx_most = std::max(channels->max_rx, channels->max_combined),
            .tx_most = std::max(channels->max_tx, channels->max_combined),
            .are_combined = channels->max_combined != 0};
}

std::uint64_t Ethtool::speed_mbps() const
{
    // The kernel's first answer is the negated number of words that link modes take; the second
    // answer has the settings.
    ethtool_link_settings shape{};
    shape.cmd = ETHTOOL_GLINKSETTINGS;
    if (!ask(&shape) || shape.link_mode_masks_nwords >= 0)
        return 0;
    const auto mode_words = static_cast<std::size_t>(-shape.link_mode_masks_nwords);
    LongCommand<ethtool_link_settings> settings(ETHTOOL_GLINKSETTINGS,
                                                3 * mode_words * sizeof(std::uint32_t));
    settings.head().link_mode_masks_nwords = static_cast<std::int8_t>(mode_words);
    if (!ask(&settings.head()))
        return 0;
    const std::uint32_t speed = settings.head().speed;
    return speed == static_cast<std::uint32_t>(SPEED_UNKNOWN) ? 0 : speed;
}

std::vector<std::string> Ethtool::strings(std::uint32_t set) const
{
    LongCommand<ethtool_sset_info> sizes(ETHTOOL_GSSET_INFO, sizeof(std::uint32_t));
    sizes.head().sset_mask = std::uint64_t{1} << set;
    if (!ask(&sizes.head()) || sizes.head().sset_mask == 0)
        return {};
    const std::uint32_t count = sizes.head().data[0];

    LongCommand<ethtool_gstrings> names(ETHTOOL_GSTRINGS, std::size_t{count} * ETH_GSTRING_LEN);
    names.head().string_set = set;
    names.head().len = count;
    if (count == 0 || !ask(&names.head()) || names.head().len != count)
        return {};
    std::vector<std::string> strings;
    for (std::uint32_t i = 0; i < count; i++) {
        const auto *const name =
            reinterpret_cast<const char *>(names.head().data + std::size_t{i} * ETH_GSTRING_LEN);
        strings.push_back(to_string({name, ETH_GSTRING_LEN}));
    }
    return strings;
}

std::map<std::string, std::uint64_t> Ethtool::statistics() const
{
    const std::vector<std::string> names = strings(ETH_SS_STATS);
    LongCommand<ethtool_stats> values(ETHTOOL_GSTATS, names.size() * sizeof(std::uint64_t));
    values.head().n_stats = static_cast<std::uint32_t>(names.size());
    if (names.empty() || !ask(&values.head()) || values.head().n_stats != names.size())
        return {};

    std::map<std::string, std::uint64_t> statistics;
    for (std::size_t i = 0; i < names.size(); i++)
        statistics[names[i]] += values.head().data[i];
    return statistics;
}

std::map<std::string, Feature> Ethtool::features() const
{
    const std::vector<std::string> names = strings(ETH_SS_FEATURES);
    const std::size_t blocks = (names.size() + 31) / 32;
    LongCommand<ethtool_gfeatures> values(ETHTOOL_GFEATURES,
                                          blocks * sizeof(ethtool_get_features_block));
    values.head().size = static_cast<std::uint32_t>(blocks);
    if (names.empty() || !ask(&values.head()) || values.head().size != blocks)
        return {};

    std::map<std::string, Feature> features;
    for (std::size_t i = 0; i < names.size(); i++) {
        const ethtool_get_features_block &block = values.head().features[i / 32];
        const std::uint32_t bit = std::uint32_t{1} << (i % 32);
        features[names[i]] = {.is_on = (block.active & bit) != 0,
                              .is_fixed =
                                  (block.available & bit) == 0 || (block.never_changed & bit) != 0};
    }
    return features;
}

std::vector<std::uint8_t> Ethtool::hash_key() const
{
    ethtool_rxfh shape{};
    shape.cmd = ETHTOOL_GRSSH;
    if (!ask(&shape) || shape.key_size == 0)
        return {};
    const std::size_t table_bytes = shape.indir_size * sizeof(std::uint32_t);
    LongCommand<ethtool_rxfh> whole(ETHTOOL_GRSSH, table_bytes + shape.key_size);
    whole.head().indir_size = shape.indir_size;
    whole.head().key_size = shape.key_size;
    if (!ask(&whole.head()))
        return {};
    const auto *const key =
        reinterpret_cast<const std::uint8_t *>(whole.head().rss_config) + table_bytes;
    return {key, key + shape.key_size};
}

bool Ethtool::set_hash_key(const std::vector<std::uint8_t> &key) const
{
    LongCommand<ethtool_rxfh> whole(ETHTOOL_SRSSH, key.size());
    whole.head().indir_size = ETH_RXFH_INDIR_NO_CHANGE;
    whole.head().key_size = static_cast<std::uint32_t>(key.size());
    std::memcpy(whole.head().rss_config, key.data(), key.size());
    return ask(&whole.head());
}

std::optional<std::uint64_t> Ethtool::hash_fields(UdpFlow flow) const
{
    auto hash = hash_command(ETHTOOL_GRXFH, flow);
    return ask(&hash) ? std::optional(std::uint64_t{hash.data}) : std::nullopt;
}

bool Ethtool::set_hash_fields(UdpFlow flow, std::uint64_t fields) const
{
    auto hash = hash_command(ETHTOOL_SRXFH, flow, fields);
    return ask(&hash);
}

std::optional<FlowHash> Ethtool::flow_hash(UdpFlow flow) const
{
    const std::optional<std::uint64_t> fields = hash_fields(flow);
    if (!fields)
        return std::nullopt;
    constexpr std::uint64_t addresses = RXH_IP_SRC | RXH_IP_DST;
    constexpr std::uint64_t ports = RXH_L4_B_0_1 | RXH_L4_B_2_3;
    return FlowHash{.addresses = (*fields & addresses) == addresses,
                    .ports = (*fields & ports) == ports};
}

std::vector<std::uint32_t> Ethtool::indirection() const
{
    ethtool_rxfh_indir shape{};
    shape.cmd = ETHTOOL_GRXFHINDIR;
    if (!ask(&shape) || shape.size == 0)
        return {};
    LongCommand<ethtool_rxfh_indir> table(ETHTOOL_GRXFHINDIR, shape.size * sizeof(std::uint32_t));
    table.head().size = shape.size;
    if (!ask(&table.head()) || table.head().size != shape.size)
        return {};
    const std::uint32_t *const queues = table.head().ring_index;
    return {queues, queues + shape.size};
}

bool Ethtool::has_gro() const
{
    const auto gro = answer_to<ethtool_value>(ETHTOOL_GGRO);
    return gro && gro->data != 0;
}

bool Ethtool::set_gro(bool on) const
{
    return answer_to(ETHTOOL_SGRO, ethtool_value{.cmd = 0, .data = on ? 1U : 0U}).has_value();
}

std::optional<Timestamping> Ethtool::timestamping() const
{
    const auto info = answer_to<ethtool_ts_info>(ETHTOOL_GET_TS_INFO);
    if (!info)
        return std::nullopt;
    Timestamping timestamping;
    timestamping.hardware_tx = (info->so_timestamping & SOF_TIMESTAMPING_TX_HARDWARE) != 0;
    if ((info->so_timestamping & SOF_TIMESTAMPING_RX_HARDWARE) != 0) {
        constexpr std::uint32_t all = std::uint32_t{1} << HWTSTAMP_FILTER_ALL;
        timestamping.hardware_rx_all = (info->rx_filters & all) != 0;
        timestamping.hardware_rx_ptp = !timestamping.hardware_rx_all;
    }
    if (info->phc_index >= 0)
        timestamping.clock = static_cast<unsigned>(info->phc_index);
    return timestamping;
}

} // namespace dnsgauge
