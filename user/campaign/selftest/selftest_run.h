// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The request for a self-test: its options, its trials against FakeDNS, what they found, and which
// placements it tries.
#pragma once

#include "options/option.h"
#include "record/selftest_result.h"
#include "result/placement_result.h"
#include "selftest/selftest.h"
#include "trial/trial.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct SelftestRequest {
    SelftestPlan plan;
    TrialPlan trial; // the trial as for a server, with the server's timeout
    Nanoseconds pause = std::chrono::seconds(1);
    TesterSetup setup;
    std::string record;
    std::vector<unsigned> walked_cpus; // with --placements: the CPUs of --cpus, or all

    // The options as given. complete() fills in the members above from them.
    std::optional<Rate> rate;
    std::optional<Rate> max_rate;
    double delta = SelftestRule::delta_least;
    Dut dut = Dut::authoritative;
    std::optional<std::string> record_file;
    bool placements = false;
    std::uint64_t repeat = 5; // searches of each placement
};

// Returns a request with the defaults of all options.
[[nodiscard]] SelftestRequest usual_selftest();

// Returns all options of self-tests but --json and --verbose.
[[nodiscard]] Options selftest_options(SelftestRequest &request);

// Returns the option --record of a command whose outcome is called `what` in the help.
[[nodiscard]] Option record_option(std::optional<std::string> &file, const std::string &what);

// Fills in what follows from the options that were read into the request. Throws SetupError if
// options contradict each other, or if there is no such interface.
void complete(SelftestRequest &request);

// Makes the self-test send from that CPU through that transmit queue; a null queue is the usual
// one.
void set_sender(SelftestRequest &request, unsigned cpu, const std::optional<unsigned> &queue);

// Finds out whether the server is FakeDNS, and says what a user should know before the trials.
// Returns false if it was stopped. Throws SetupError if the server is not FakeDNS.
[[nodiscard]] bool begin_selftest(const SelftestRequest &request, const std::atomic<bool> &stop);

// Makes the trials of one search, until `stop` is set. `follows_trials` tells that other trials
// were made directly before. Throws what a trial throws.
[[nodiscard]] SelftestOutcome search_rates(const SelftestRequest &request, bool follows_trials,
                                           const std::atomic<bool> &stop);

// Makes the trials, until `stop` is set. The outcome has no circumstances if no trial was made.
// Throws SetupError if the server is not FakeDNS, and what a trial throws.
[[nodiscard]] SelftestOutcome make_selftest(const SelftestRequest &request,
                                            const std::atomic<bool> &stop);

// Returns whether the outcome tells what the Tester is fit for. Only such an outcome is recorded.
[[nodiscard]] bool is_decided(const SelftestOutcome &outcome);

// Returns the result: the outcome, with the circumstances that the request knows.
[[nodiscard]] SelftestResult describe(const SelftestRequest &request,
                                      const SelftestOutcome &outcome);

[[nodiscard]] std::string to_text(const SelftestResult &result);

struct WalkOutcome {
    PlacementWalk walk;
    // The self-test that allows least, among the searches with the sender's best CPU and transmit
    // queue and no other change of the machine. If a search decided nothing, the walk ended with
    // it, and this is that search.
    SelftestOutcome selftest;
};

// Makes the searches, `request.repeat` for each placement: README.md tells their order. Records
// changes of the machine before it makes them, like dnsgauge placement, and puts them back after
// each search. Sets the request to the sender's best CPU and transmit queue. Throws what
// make_selftest() throws.
[[nodiscard]] WalkOutcome walk_placements(SelftestRequest &request, const std::atomic<bool> &stop);

// Returns "CPU 2", or "CPU 2 with transmit queue 3 and --irq-cpus 4".
[[nodiscard]] std::string placement_name(const WalkedPlacement &placement);

// Returns one CPU of each nearness to `cpu`, from that CPU itself to the farthest: another CPU of
// its core, another CPU of its L2 cache, and so on. Leaves out a nearness that no CPU has. `all`
// must have `cpu`.
[[nodiscard]] std::vector<unsigned> one_of_each_nearness(unsigned cpu,
                                                         const std::vector<CpuPlace> &all);

// Returns the first queue of each nearness to `cpu`, except for the nearness of the queue `usual`.
// `queues` has the CPU of each queue, and `all` must have `cpu`.
[[nodiscard]] std::vector<unsigned>
one_queue_of_each_nearness(unsigned cpu, unsigned usual, const std::map<unsigned, unsigned> &queues,
                           const std::vector<CpuPlace> &all);

// Fills in `best`, `gain_percent` and `found`. The first placement is the usual one. Another
// placement is better if each of its searches found more than every search of the usual one, by at
// least the searches' resolution. The best of the better ones has the highest median.
void choose_best(PlacementStage &stage, std::uint64_t resolution);

} // namespace dnsgauge
