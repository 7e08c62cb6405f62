// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What makes a result doubtful. The code that makes a result sets its caveats. Every form of the
// result shows them.
#pragma once

#include "units/rate.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// The floor of RTTs: the smallest RTT of a calibration's trials in which FakeDNS answered at once,
// by XDP, without a fault. Replies that FakeDNS holds take another path and do not count.
struct RttFloor {
    std::uint64_t least = 0; // nanoseconds

    // Returns the bound in nanoseconds: no trial on the same set-up has a shorter RTT. It is half
    // of the floor, because on a busy machine the smallest RTTs of trials differ by half, and all
    // trials of the calibration may have been unlucky.
    [[nodiscard]] std::uint64_t bound() const { return least / 2; }

    friend bool operator==(const RttFloor &, const RttFloor &) = default;
};

// Whether the latest calibration of its set-up vouches for a result.
struct CertificateCover {
    std::string record;             // its file
    std::string finished{};         // UTC, ISO 8601; empty if no certificate could be read
    std::string why_not;            // why it does not vouch for the result; empty if it does
    std::vector<std::string> lax{}; // terms that were laxer than by default
    // Missing if the certificate does not vouch for the result, or is from a version without a
    // floor.
    std::optional<RttFloor> rtt_floor{};

    [[nodiscard]] bool covers() const { return why_not.empty(); }
};

// Whether a self-test in the record of its set-up covers a result.
struct SelftestCover {
    std::string record{};           // its file
    std::string finished{};         // UTC, ISO 8601; empty if no self-test could be read
    std::optional<Rate> allowed{};  // highest rate that the self-test allows; missing if it failed
    bool was_asked_no_more = false; // the self-test passed all rates that it was asked for
    std::string why_not{};          // why no self-test covers the result; empty if one does
    std::vector<std::string> deviations{}; // of the self-test itself from RFC 8219 section 9
    // The modes that each Tester's engine used in the self-test, in words, by rank. A trial that it
    // covers must use the same modes.
    std::vector<std::string> modes{};

    [[nodiscard]] bool covers() const { return why_not.empty(); }
};

struct Caveats {
    std::vector<std::string> deviations{};         // from RFC 8219 section 9; none if compliant
    std::optional<SelftestCover> selftest{};       // missing if nobody looked
    std::optional<CertificateCover> certificate{}; // missing if nobody looked
    std::string scaled_down{};         // what the result's experiment made smaller; may be empty
    std::string tester_limit{};        // how the result met the Tester's limit; empty if it did not
    std::size_t capped = 0;            // searches that one unlucky trial may have capped
    std::vector<std::string> doubts{}; // what else may have had a part in the figures

    [[nodiscard]] bool is_compliant() const { return deviations.empty(); }
    // Returns whether no self-test covers the result, although one was looked for.
    [[nodiscard]] bool is_beyond_selftest() const { return selftest && !selftest->covers(); }
    [[nodiscard]] bool is_tester_limited() const { return !tester_limit.empty(); }
};

} // namespace dnsgauge
