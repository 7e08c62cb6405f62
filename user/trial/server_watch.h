// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The server's processes on this machine, and when they had no CPU.
#pragma once

#include "machine/absence_clock.h"
#include "machine/interface.h"
#include "trial/cpu_use.h"
#include "trial/measurement.h"
#include "trial/plan.h"

#include <optional>
#include <string>

namespace dnsgauge
{

class ServerWatch
{
public:
    // Finds the server's processes. There are none if the link ends on another machine, unless the
    // user names them. Watches them for absences longer than `limit`, where that is possible.
    ServerWatch(const TrialPlan &plan, const Interface &interface, Nanoseconds limit);

    [[nodiscard]] const Sides &sides() const { return sides_; }
    // Returns whether absences are recorded, and why not: see Circumstances::server_absences.
    [[nodiscard]] const std::string &told() const { return told_; }

    void begin(Nanoseconds start);
    void end();
    // Puts the absences into `measured`, which began at `start`.
    void take_absences(Measurement &measured, Nanoseconds start) const;

private:
    Sides sides_;
    std::optional<AbsenceClock> clock_;
    std::string told_;
};

} // namespace dnsgauge
