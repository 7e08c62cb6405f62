// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Switches a card's own timestamps of every packet on, for as long as the object lives.
#pragma once

#include "system/unique_fd.h"

#include <linux/net_tstamp.h>

#include <optional>
#include <string>

namespace dnsgauge
{

class CardStamping
{
public:
    // Makes the card of `interface` stamp every packet that it sends and receives, unless it does
    // so already. Throws UnsupportedError if the driver cannot, or if this process may not change
    // it.
    explicit CardStamping(const std::string &interface);
    // Restores the setting as it was.
    ~CardStamping();
    CardStamping &operator=(CardStamping &&) = delete;

private:
    UniqueFd socket_;
    std::string interface_;
    std::optional<hwtstamp_config> before_; // none if the card stamped every packet already
};

} // namespace dnsgauge
