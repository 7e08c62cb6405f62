// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Watches the server's processes on this machine, and when they have no CPU.
#pragma once

#include "machine/absence_clock.h"
#include "machine/interface.h"
#include "probe/probe.h"
#include "trial/cpu_use.h"
#include "trial/measurement.h"
#include "trial/plan.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

class ServerWatch
{
public:
    // Finds the server's processes. There are none if the link ends on another machine, unless the
    // user names them. Watches them, if possible, for absences longer than `limit`. Throws
    // SetupError if the plan has a probe but the link ends on another machine.
    ServerWatch(const TrialPlan &plan, const Interface &interface, Nanoseconds limit);

    [[nodiscard]] const Sides &sides() const { return sides_; }
    // Returns whether absences are recorded, or why not: see Circumstances::server_absences.
    [[nodiscard]] const std::string &told() const { return told_; }

    // Returns the witness of each query; null if the plan has no probe.
    [[nodiscard]] QueryWitness *witness() const { return probe_ ? probe_->witness() : nullptr; }
    void begin(Nanoseconds start);
    void end();
    // Returns what each UDP socket of the server dropped between the set-up and end(); empty if no
    // socket was seen.
    [[nodiscard]] std::vector<std::uint64_t> drops() const;
    // Returns what the probe saw; nothing without a probe.
    [[nodiscard]] std::optional<ProbeResult> probed();
    // Adds the absences to `measured`, whose schedule began at `start`.
    void take_absences(Measurement &measured, Nanoseconds start) const;

private:
    using Drops = std::map<std::string, std::uint64_t>;
    [[nodiscard]] Drops drops_so_far() const;

    ServerPlace place_;
    Sides sides_;
    Drops before_;
    Drops after_{};
    std::optional<AbsenceClock> clock_;
    std::optional<Probe> probe_;
    std::string told_;
};

} // namespace dnsgauge
