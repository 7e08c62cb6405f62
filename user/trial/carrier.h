// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What carries a trial's queries and replies: an engine, what a trial asks one kind of engine
// alone, and what a plan means for an engine.
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
    // Returns the capabilities that the engine's end needs.
    [[nodiscard]] virtual std::vector<unsigned> capabilities() const { return {}; }

    // Both add what trials over this transport alone have: what is known before the run, and what
    // the run and its tally tell.
    virtual void describe(Measurement &measured) const = 0;
    virtual void describe_run(Measurement & /*measured*/) const {}

    // Returns the CPUs that dealt with the replies, as far as they are known, besides the senders'.
    [[nodiscard]] virtual std::vector<unsigned> receiving_cpus() const { return {}; }
    // Returns whether the queries went to another Ethernet address than the next hop's.
    [[nodiscard]] virtual bool next_hop_moved() const { return false; }
};

// Each returns the carrier of one transport. Each throws SetupError, and then leaves nothing
// behind.
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

// Returns by which rules replies are judged. The plan's workload is loaded.
[[nodiscard]] JudgePlan judge_plan(const TrialPlan &plan);

// Returns how long a sender may stand still before that is a stall. A Poisson pace's own bursts are
// left out.
[[nodiscard]] Nanoseconds stall_limit_of(const TrialPlan &plan);

} // namespace dnsgauge
