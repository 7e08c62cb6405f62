// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Paper 002's model of a DNS64 server (section 7.2). From the rates measured at several shares of
// cached names and of names with an AAAA record, the model finds the times of the steps of a query.
//
// This is formula (6) without sending and receiving, which (7) and (8) leave out:
//   α / R = TC + (1 - pC) (TA + (1 - p4A) (TA + TS))
// TC is the time of a cache lookup, TA of an answer from the authoritative server, TS of a
// synthesis. Formula (7) is the case pC = 0, formula (8) the case p4A = 0. Formulas (4) to (6) add
// TQ and TR, which rates alone cannot tell from TC.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dnsgauge
{

struct RateAtShares {
    double cached = 0; // share of names in the server's cache, 0..1
    double aaaa = 0;   // share of names with an AAAA record, 0..1
    double rate = 0;   // queries per second, above 0
};

// A time of the model, or a sum of them, in seconds per unit of α. Rates do not tell α, which the
// model takes to be the same for all points: compare the times with each other.
struct ModelTime {
    std::string name;              // "TC", "TA", "TS", "TC + TA", ...
    std::optional<double> seconds; // none if the data do not determine it
    std::optional<double> margin;  // of `seconds`, at 95 %; none with as few points as unknowns
    std::string why_not;           // the reason where there is no value
};

struct Dns64Model {
    std::vector<ModelTime> times;
    std::vector<double> fitted;     // rates, in the order of the points
    double worst_residual = 0;      // of a fitted rate, percent of the measured one
    std::vector<std::string> notes; // what a reader of the times must know
};

// Returns the least-squares fit of 1 / R over all points at once: a sweep of either share, both
// sweeps, or the grid. The fit keeps times from being below 0. Throws std::invalid_argument if
// there are fewer than two different points, or if a rate or a share is out of its range.
[[nodiscard]] Dns64Model fit_dns64_model(std::span<const RateAtShares> points);

} // namespace dnsgauge
