// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The program fakedns at the other end of the Tester's link, and the options that say where.
#pragma once

#include "options/option.h"
#include "result/trial_result.h"
#include "system/child_process.h"
#include "system/namespace_visit.h"
#include "system/setup_error.h"
#include "system/unique_fd.h"
#include "trial/testers.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct FakednsPlan {
    std::string program;   // its file
    std::string netns;     // empty for this process' namespace
    std::string interface; // in that namespace
    std::string zone;
    std::string aaaa_prefix;
    Transport transport = Transport::udp; // by which it is asked
    std::uint16_t port = 53;              // at which it is asked
    std::uint16_t plain_port = 53;        // where it answers over UDP and TCP
    std::uint16_t tls_port = 853;         // where it answers over TLS, if it does
    std::optional<unsigned> fault_cpu;
    std::uint64_t connections = 0;   // at once, at most, unless it is asked over UDP
    std::vector<unsigned> kept_free; // the senders' CPUs: fakedns uses other CPUs if it can
};

// FakeDNS cannot run at the other end of the link.
class FakednsError : public SetupError
{
public:
    using SetupError::SetupError;
};

// Owns a process of fakedns.
class FakednsProcess final : public RunningServer
{
public:
    // Starts fakedns and waits until it is ready and its interface has a carrier. `faults` is the
    // value of its --fault, or empty. Throws FakednsError with the place and with what fakedns
    // said. fakedns ends when this process ends, however this process ends.
    FakednsProcess(const FakednsPlan &plan, const std::string &faults);

    void check_alive() const override;

private:
    void start(const FakednsPlan &plan, const std::string &faults);
    void wait_until_ready();

    std::string program_;
    UniqueFd output_;
    std::optional<ChildProcess> process_;
};

// Makes the calling thread enter the namespace that "ip netns" calls `netns`, or stay where it is
// if `netns` is empty. Throws SetupError.
[[nodiscard]] NetworkNamespaceVisit visit_to(const std::string &netns);

struct FakednsWish {
    std::string interface;
    std::string netns;
    std::optional<std::string> program; // a missing value means the fakedns beside this program
    std::optional<unsigned> fault_cpu;
};

[[nodiscard]] Options fakedns_options(FakednsWish &wish);

// Returns the plan of fakedns for trials of `trial`. Throws OptionError.
[[nodiscard]] FakednsPlan plan_fakedns(const FakednsWish &wish, const TrialPlan &trial,
                                       std::vector<unsigned> sender_cpus);

// Starts fakedns at the other end of this Tester's link, for trials of `trial` from these CPUs.
// Uses the options of fakedns_options() among the command's options, `given`. Throws SetupError.
[[nodiscard]] std::unique_ptr<RunningServer> start_fakedns(const TrialPlan &trial,
                                                           std::vector<unsigned> sender_cpus,
                                                           const std::vector<GivenOption> &given,
                                                           const std::string &faults);

} // namespace dnsgauge
