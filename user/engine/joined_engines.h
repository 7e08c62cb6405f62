// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Two engines that run at the same time, and count together.
#pragma once

#include "engine/engine.h"

#include <array>

namespace dnsgauge
{

class JoinedEngines final : public Engine
{
public:
    // Both engines must outlive the object.
    JoinedEngines(Engine &first, Engine &second) : first_(first), second_(second) {}

    // Describes both paths, with the shorter one's least RTT.
    [[nodiscard]] RunPath path() const override;

    // Runs both from `start` on, the first one in the calling thread. A function of the watch is
    // called when both engines have come that far. The lanes of the second engine are numbered
    // after the first one's.
    [[nodiscard]] Tally run(Nanoseconds start, const RunWatch &watch) override;
    [[nodiscard]] OwnLosses losses(const Tally &tally, const CounterValues &growth) const override;

    // Return what each engine counted.
    [[nodiscard]] const Tally &first() const { return tallies_[0]; }
    [[nodiscard]] const Tally &second() const { return tallies_[1]; }

private:
    Engine &first_;
    Engine &second_;
    std::array<Tally, 2> tallies_;
};

} // namespace dnsgauge
