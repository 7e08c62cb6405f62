// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The owner of reply_clock.bpf.c, the program that judges, times and counts the replies.
#pragma once

#include "engine/query_tally.h"
#include "host/skeleton.h"
#include "host/xdp_link.h"
#include "workload/query.h"

#include "reply_clock_abi.h"

#include <optional>
#include <string>
#include <vector>

struct reply_clock;

namespace dnsgauge
{

// Returns what the program counted on one CPU.
[[nodiscard]] ReplyTally tally_of(const reply_totals &totals, const rtt_histogram &rtts,
                                  const reply_traits &traits);

class ReplyClock
{
public:
    // Loads the program that judges by the expectations in the slots. Also loads the program that
    // takes the card's receive stamps, if the interface `stamping` is given and kernel and driver
    // can stamp. Throws SetupError.
    ReplyClock(const reply_clock_config &config, ExpectationKind expectations,
               std::optional<unsigned> stamping);
    ~ReplyClock();

    // Attaches the program to the interface. Throws SetupError.
    void attach(const std::string &interface, XdpMode mode);
    // Sets all counters to zero. No query may be outstanding.
    void forget();
    // Detaches the program. After it has returned nothing is counted any more.
    void detach();

    [[nodiscard]] XdpMode mode() const { return link_->mode(); }
    [[nodiscard]] bool takes_stamps() const { return takes_stamps_; }
    [[nodiscard]] int slots_fd() const;
    // Returns how many queries got a reply that counts, without their RTTs.
    [[nodiscard]] QueryTally answered() const;
    // Returns what all CPUs counted.
    [[nodiscard]] ReplyTally tally() const;
    // Returns the CPUs that dealt with at least a hundredth of the replies each.
    [[nodiscard]] std::vector<unsigned> receiving_cpus() const;

private:
    ExpectationKind expectations_;
    Skeleton<::reply_clock> skeleton_;
    bool takes_stamps_ = false;
    std::optional<XdpLink> link_;
};

} // namespace dnsgauge
