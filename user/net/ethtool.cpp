// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "net/ethtool.h"

#include "host/setup_error.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace dnsgauge
{

namespace
{

// A command whose head is followed by as many bytes as the kernel has to fill in.
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

} // namespace

Ethtool::Ethtool(std::string interface)
    : interface_(std::move(interface)), socket_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))
{
    if (!socket_)
        throw SetupError(std::string("cannot open a socket: ") + std::strerror(errno));
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
    ethtool_drvinfo info{};
    info.cmd = ETHTOOL_GDRVINFO;
    if (!ask(&info))
        return {};
    return {info.driver, strnlen(info.driver, sizeof(info.driver))};
}

Channels Ethtool::channels() const
{
    ethtool_channels channels{};
    channels.cmd = ETHTOOL_GCHANNELS;
    if (!ask(&channels))
        return {};
    return {.rx = channels.rx_count + channels.combined_count,
            .tx = channels.tx_count + channels.combined_count};
}

std::uint64_t Ethtool::speed_mbps() const
{
    // The kernel's first answer is how many words its link modes take, negated; the second is real.
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

std::map<std::string, std::uint64_t> Ethtool::statistics() const
{
    LongCommand<ethtool_sset_info> sizes(ETHTOOL_GSSET_INFO, sizeof(std::uint32_t));
    sizes.head().sset_mask = std::uint64_t{1} << ETH_SS_STATS;
    if (!ask(&sizes.head()) || sizes.head().sset_mask == 0)
        return {};
    const std::uint32_t count = sizes.head().data[0];

    LongCommand<ethtool_gstrings> names(ETHTOOL_GSTRINGS, std::size_t{count} * ETH_GSTRING_LEN);
    names.head().string_set = ETH_SS_STATS;
    names.head().len = count;
    LongCommand<ethtool_stats> values(ETHTOOL_GSTATS, count * sizeof(std::uint64_t));
    values.head().n_stats = count;
    if (count == 0 || !ask(&names.head()) || !ask(&values.head()) || names.head().len != count ||
        values.head().n_stats != count)
        return {};

    std::map<std::string, std::uint64_t> statistics;
    for (std::uint32_t i = 0; i < count; i++) {
        const auto *const name =
            reinterpret_cast<const char *>(names.head().data + std::size_t{i} * ETH_GSTRING_LEN);
        statistics[std::string(name, strnlen(name, ETH_GSTRING_LEN))] += values.head().data[i];
    }
    return statistics;
}

} // namespace dnsgauge
