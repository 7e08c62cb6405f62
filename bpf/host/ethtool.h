// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Questions to an interface's driver (the ethtool ioctl of netdevice(7)).
#pragma once

#include "system/unique_fd.h"

#include <linux/ethtool.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// Numbers of queues. A queue for both ways counts in rx and in tx.
struct Channels {
    unsigned rx = 0;
    unsigned tx = 0;
    unsigned rx_most = 0;
    unsigned tx_most = 0;
    bool are_combined = false; // one number sets both ways
};

enum class UdpFlow { ipv4, ipv6 };

// The parts of a packet that the driver hashes to choose the receive queue.
struct FlowHash {
    bool addresses = false;
    bool ports = false;
};

struct Timestamping {
    bool hardware_tx = false;
    bool hardware_rx_all = false;  // of any packet
    bool hardware_rx_ptp = false;  // of PTP's packets only
    std::optional<unsigned> clock; // /dev/ptpN
};

struct Feature {
    bool is_on = false;
    bool is_fixed = false; // the driver does not let anybody change it
};

// Each function returns an empty or zero answer where the driver gives none.
class Ethtool
{
public:
    // Throws SetupError.
    explicit Ethtool(std::string interface);

    [[nodiscard]] std::string driver() const;
    // Returns the device's place, "0000:01:00.0"; empty if there is no device behind the interface.
    [[nodiscard]] std::string bus() const;
    [[nodiscard]] Channels channels() const;
    [[nodiscard]] std::uint64_t speed_mbps() const;
    // Returns the driver's counters. Counters of the same name are summed.
    [[nodiscard]] std::map<std::string, std::uint64_t> statistics() const;
    // Returns the features by the kernel's names ("rx-gro"). ethtool -K has other names for some.
    [[nodiscard]] std::map<std::string, Feature> features() const;
    [[nodiscard]] std::optional<ethtool_ringparam> rings() const
    {
        return answer_to<ethtool_ringparam>(ETHTOOL_GRINGPARAM);
    }
    [[nodiscard]] std::optional<FlowHash> flow_hash(UdpFlow flow) const;
    // Returns the table of receive queues by hash value.
    [[nodiscard]] std::vector<std::uint32_t> indirection() const;
    [[nodiscard]] std::optional<ethtool_coalesce> coalescing() const
    {
        return answer_to<ethtool_coalesce>(ETHTOOL_GCOALESCE);
    }
    [[nodiscard]] std::optional<ethtool_pauseparam> pause() const
    {
        return answer_to<ethtool_pauseparam>(ETHTOOL_GPAUSEPARAM);
    }
    [[nodiscard]] std::optional<Timestamping> timestamping() const;
    [[nodiscard]] bool has_gro() const;
    // Returns the numbers of queues as ethtool -L sets them.
    [[nodiscard]] std::optional<ethtool_channels> channel_counts() const
    {
        return answer_to<ethtool_channels>(ETHTOOL_GCHANNELS);
    }
    // Returns the key of the hash that chooses the receive queue.
    [[nodiscard]] std::vector<std::uint8_t> hash_key() const;
    // Returns the parts of a packet that are hashed, a bit each (RXH_* of linux/ethtool.h).
    [[nodiscard]] std::optional<std::uint64_t> hash_fields(UdpFlow flow) const;
    // Return false if the kernel refused; errno says why.
    [[nodiscard]] bool set_gro(bool on) const;
    [[nodiscard]] bool set_channel_counts(const ethtool_channels &counts) const
    {
        return answer_to(ETHTOOL_SCHANNELS, counts).has_value();
    }
    [[nodiscard]] bool set_hash_key(const std::vector<std::uint8_t> &key) const;
    [[nodiscard]] bool set_hash_fields(UdpFlow flow, std::uint64_t fields) const;

private:
    [[nodiscard]] bool ask(void *command) const;
    // Returns what the kernel made of `answer`; nothing if it refuses the command.
    template <class Answer>
    [[nodiscard]] std::optional<Answer> answer_to(std::uint32_t command, Answer answer = {}) const
    {
        answer.cmd = command;
        return ask(&answer) ? std::optional(answer) : std::nullopt;
    }
    [[nodiscard]] std::vector<std::string> strings(std::uint32_t set) const;

    std::string interface_;
    UniqueFd socket_;
};

} // namespace dnsgauge
