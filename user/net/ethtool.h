// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Questions to an interface's driver (the ethtool ioctl of netdevice(7)). Private to this room.
#pragma once

#include "host/unique_fd.h"

#include <cstdint>
#include <map>
#include <string>

namespace dnsgauge
{

struct Channels {
    unsigned rx = 0;
    unsigned tx = 0;
};

// Each answer is empty or zero where the driver has none to give.
class Ethtool
{
public:
    // Throws SetupError.
    explicit Ethtool(std::string interface);

    [[nodiscard]] std::string driver() const;
    [[nodiscard]] Channels channels() const;
    [[nodiscard]] std::uint64_t speed_mbps() const;
    // Values of the same name are summed.
    [[nodiscard]] std::map<std::string, std::uint64_t> statistics() const;

private:
    [[nodiscard]] bool ask(void *command) const;

    std::string interface_;
    UniqueFd socket_;
};

} // namespace dnsgauge
