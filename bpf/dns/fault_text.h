// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Faults in the form of a command line, and how many names of a range have each fault.
#pragma once

#include "dns/connection_faults.h"
#include "dns/name_range.h"

#include "wire/fault.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dnsgauge
{

// Adds to `plan` the faults of `text`: "loss=1%,delay=2%:500us,late=0.5%:uniform:2s:3s". A share is
// a multiple of 0.1 %. All shares together are at most 100 %. Each kind is named once. A delay is a
// time (ns, us, ms, s), or the quantiles of a distribution (Boost.Math) at (i + 1/2) /
// FAULT_QUANTILES:
//     uniform:LEAST:MOST  exponential:MEAN  normal:MEAN:SD  lognormal:MEDIAN:SIGMA
//     pareto:LEAST:ALPHA
// Quantiles below zero become zero; none may be above fault_delay_max. Adds faults of connections,
// "reset=1%:20", to `connections`, and refuses them if it is null. Throws SetupError.
void parse_faults(std::string_view text, fault_plan &plan,
                  ConnectionFaultPlan *connections = nullptr);

// Returns the share in `text`, such as "0.5%", in thousandths. Throws SetupError, which begins with
// `place`, if `text` is no multiple of 0.1 % up to 100 %.
[[nodiscard]] std::uint16_t parse_thousandths(std::string_view place, std::string_view text);

// Sets `delays`, in ns, to a time or to the quantiles of a distribution. `text` has the form that
// parse_faults() reads after the first colon. Throws SetupError, which begins with `place`.
void parse_delays(std::string_view place, std::string_view text,
                  std::span<std::uint64_t, FAULT_QUANTILES> delays);

constexpr std::uint64_t fault_delay_max = 60'000'000'000; // ns

// Returns the name of the fault that parse_faults() reads, such as "loss"; for FAULT_NONE "none".
[[nodiscard]] std::string_view fault_name(unsigned kind);

// Return the names of all kinds in a sentence: "loss, delay ... or not-authoritative".
[[nodiscard]] std::string fault_names();
[[nodiscard]] std::string connection_fault_names();

// Returns whether any name has a fault of this kind.
[[nodiscard]] bool has_fault(const fault_plan &plan, unsigned kind);

// Returns whether any answer must wait or leave twice.
[[nodiscard]] bool has_held_faults(const fault_plan &plan);

// Returns how many names of a range have each fault if each is asked for AAAA, and `aaaa_share`
// percent of the names own such a record.
using FaultCounts = std::array<std::uint64_t, FAULTS>;
[[nodiscard]] FaultCounts predict_faults(const fault_plan &plan, const NameRange &names,
                                         std::uint32_t aaaa_share);

} // namespace dnsgauge
