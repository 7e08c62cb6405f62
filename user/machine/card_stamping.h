// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A card's own timestamps, of every packet, switched on for as long as they are needed.
#pragma once

#include "common/unique_fd.h"

#include <linux/net_tstamp.h>

#include <optional>
#include <string>

namespace dnsgauge
{

class CardStamping
{
public:
    // Has `interface` stamp all that it sends and receives, unless it does so already. Throws
    // UnsupportedError: its driver cannot, or it is not permitted.
    explicit CardStamping(const std::string &interface);
    // Sets it back to what it was.
    ~CardStamping();
    CardStamping(const CardStamping &) = delete;
    CardStamping &operator=(const CardStamping &) = delete;

private:
    UniqueFd socket_;
    std::string interface_;
    std::optional<hwtstamp_config> before_; // none: it was so already
};

} // namespace dnsgauge
