// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// The floor of RTTs: the smallest RTT of a calibration's trials in which FakeDNS answered at once,
// by XDP, without a fault. Replies that FakeDNS holds take another path through it, and have
// nothing to do with the floor.
struct RttFloor {
    std::uint64_t least = 0; // nanoseconds

    // Returns the bound in nanoseconds: no trial on the same set-up has a shorter RTT. The margin
    // is half of the floor. Trials at one rate differ by half of their smallest RTT on a busy
    // machine, and the calibration's few may all have been unlucky.
    [[nodiscard]] std::uint64_t bound() const { return least / 2; }

    friend bool operator==(const RttFloor &, const RttFloor &) = default;
};

// Whether the last calibration of its set-up vouches for a result.
struct CertificateCover {
    std::string record;           // its file
    std::string finished;         // UTC, ISO 8601; empty: no certificate could be read
    std::string why_not;          // why it does not vouch for the result; empty: it does
    std::vector<std::string> lax; // terms that were laxer than by default
    // Absent where it does not vouch for the result, and in certificates of versions that had no
    // such floor.
    std::optional<RttFloor> rtt_floor{};

    [[nodiscard]] bool covers() const { return why_not.empty(); }
};

} // namespace dnsgauge
