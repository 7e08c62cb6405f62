// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A carrier has an engine, and the little that a trial asks only one kind of engine. This header
// also says what a plan means for an engine.
#pragma once

#include "engine/engine.h"
#include "machine/interface.h"
#include "trial/measurement.h"
#include "trial/plan.h"
#include "trial/testers.h"
#include "workload/query_source.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace dnsgauge
{

// What a trial tells its carrier. The trial outlives the carrier.
struct CarrierPlan {
    const TrialPlan &trial; // whose workload is loaded
    const Interface &interface;
    Shares shares;
    RunPlan run;
};

class Carrier
{
public:
    virtual ~Carrier() = default;

    [[nodiscard]] virtual Engine &engine() = 0;
    // Returns the capabilities that destroying the engine needs.
    [[nodiscard]] virtual std::vector<unsigned> capabilities() const { return {}; }

    // Add what only trials over this transport have: describe() what is known before the run,
    // describe_run() what the run showed.
    virtual void describe(Measurement &measured) const = 0;
    virtual void describe_run(Measurement & /*measured*/) const {}

    // Returns the CPUs, besides the senders', that are known to have dealt with replies.
    [[nodiscard]] virtual std::vector<unsigned> receiving_cpus() const { return {}; }
    // Returns whether the queries went to another Ethernet address than the next hop's.
    [[nodiscard]] virtual bool next_hop_moved() const { return false; }
};

// Return the carriers of one transport. Throw SetupError, and then leave nothing behind.
[[nodiscard]] std::unique_ptr<Carrier> make_datagrams(CarrierPlan plan); // UDP, by AF_XDP
[[nodiscard]] std::unique_ptr<Carrier>
make_streams(const CarrierPlan &plan); // TCP, TLS and HTTPS, by sockets
[[nodiscard]] std::unique_ptr<Carrier>
make_mixed(const CarrierPlan &plan); // UDP and TCP, as captures had them

// Returns the carrier of the plan's transport.
[[nodiscard]] std::unique_ptr<Carrier> make_carrier(CarrierPlan plan);

// Octets around an Ethernet packet: preamble, frame check sequence and gap.
inline constexpr unsigned wire_gap = 24;

// Returns the highest rate of all this Tester's `senders` over twice the timeout or more. The
// plan's workload is loaded.
[[nodiscard]] Rate peak_of(const TrialPlan &plan, const Shares &shares, std::uint32_t senders);

// Returns what this Tester's senders send from `source`. The plan's workload is loaded.
[[nodiscard]] QuerySources query_sources(const CarrierPlan &plan, const IpAddress &source);

// Returns the rules by which replies are judged. The plan's workload is loaded.
[[nodiscard]] JudgePlan judge_plan(const TrialPlan &plan);

// Returns how long a sender may stand still without a stall. Does not count the bursts of a Poisson
// pace itself.
[[nodiscard]] Nanoseconds stall_limit_of(const TrialPlan &plan);

} // namespace dnsgauge
