// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The Testers that make a trial together. They give a trial its shares of the schedule, the common
// start, and the parts of the other Testers. A Tester that is alone has all shares and starts at
// once. user/fleet joins several Testers.
#pragma once

#include "dns/ip_prefix.h"
#include "options/option.h"
#include "result/tester_setup.h"
#include "trial/measurement.h"

#include "wire/scatter.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace dnsgauge
{

struct TrialPlan;

// What a Tester reports when it is ready to begin.
struct Readiness {
    Circumstances circumstances;
    std::optional<IpPrefix> clients; // the prefix of the captures' clients, if any
};

// A Tester that is ready to begin.
struct ReadyTester {
    std::string name; // as messages call it; empty if it makes its trials alone
    Circumstances circumstances;
};

// The shares of a schedule that one Tester's senders have: `first`, first + 1, and so on, of `all`.
// The queries of a capture are shared by their clients: see PlayedQueries.
struct Shares {
    std::uint32_t first = 0;
    std::uint32_t all = 1;
    scatter_key order{}; // of a random order of names; drawn for each trial
};

// One trial of all Testers. Destroying the object before exchange() calls the trial off.
class JointTrial
{
public:
    virtual ~JointTrial() = default;

    [[nodiscard]] virtual Shares shares() const = 0;
    // Waits until all Testers are ready to begin. Returns them by rank; nothing if another Tester
    // judges the trial. Throws SetupError with the name of a Tester that cannot begin.
    virtual std::vector<ReadyTester> get_ready(const Readiness &mine) = 0;
    // Returns the moment, soon, at which all begin, by this machine's CLOCK_MONOTONIC.
    [[nodiscard]] virtual Nanoseconds common_start() = 0;
    // Returns whether the other Testers want the trial to end early.
    [[nodiscard]] virtual bool is_stopped() = 0;
    // Sends this Tester's measurement, and returns all parts, ascending by rank. Returns only this
    // Tester's part if another Tester judges the trial. Throws SetupError if a Tester could not go
    // on.
    [[nodiscard]] virtual std::vector<TesterPart> exchange(Measurement mine) = 0;
};

// Servers that run for as long as the object lives.
class RunningServer
{
public:
    virtual ~RunningServer() = default;

    // Throws SetupError if a server has ended by itself.
    virtual void check_alive() const = 0;
};

// Only the Tester of rank 0 knows all others. A Tester of another rank overrides begin() alone.
class Testers
{
public:
    virtual ~Testers() = default;

    // Throws SetupError with the Tester's name if the plan is wrong with another Tester's own
    // values.
    virtual void check_others(const TrialPlan & /*plan*/) {}

    // Makes all Testers set the trial up. This one has `senders` senders. Throws SetupError.
    [[nodiscard]] virtual std::unique_ptr<JointTrial> begin(const TrialPlan &plan,
                                                            std::uint32_t senders) = 0;

    // Returns the set-ups of the other Testers for trials of the plan, by rank. Throws SetupError.
    [[nodiscard]] virtual std::vector<TesterSetup> others(const TrialPlan & /*plan*/) { return {}; }

    // Returns the address of the server that each Tester asks in trials of the plan, by rank.
    [[nodiscard]] virtual std::vector<std::string> servers(const TrialPlan & /*plan*/) const
    {
        return {};
    }

    // Makes each other Tester run FakeDNS at the other end of its own link, with these faults (the
    // value of fakedns --fault, or empty). Throws SetupError.
    [[nodiscard]] virtual std::unique_ptr<RunningServer> serve(const TrialPlan & /*plan*/,
                                                               const std::string & /*faults*/)
    {
        return nullptr;
    }
};

// Testers that make trials together, and the options of this one.
struct Team {
    std::vector<GivenOption> mine;
    std::shared_ptr<Testers> testers;
};

// Thrown if another Tester called the trial off; has the reason.
struct CalledOff : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Returns what messages call a Tester.
[[nodiscard]] std::string tester_name(std::uint32_t rank, const std::string &host);

// Returns the addresses of the servers that trials of the plan ask, each once.
[[nodiscard]] std::vector<std::string> servers_of(const TrialPlan &plan);

// Throws SetupError if the self-test covers trials, and a Tester uses other modes than in the
// self-test.
void check_same_modes(const SelftestCover &cover, const std::vector<ReadyTester> &testers);

// Returns the trial of a Tester that makes its trials alone.
[[nodiscard]] std::unique_ptr<JointTrial> make_alone(std::uint32_t senders);

} // namespace dnsgauge
