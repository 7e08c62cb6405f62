// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The owner of reply_clock.bpf.c: configured, attached, and its counters read.
#pragma once

#include "engine/histogram.h"
#include "host/skeleton.h"
#include "host/xdp_link.h"
#include "result/trial_result.h"

#include "reply_clock_abi.h"

#include <optional>
#include <string>

struct reply_clock;

namespace dnsgauge
{

// The program's counters, all CPUs together.
struct ReplyCounts {
    reply_totals totals{};
    Histogram rtts;
};

// Adds the counters of `one` to `sum`.
void add(reply_totals &sum, const reply_totals &one);

class ReplyClock
{
public:
    // Loads the program; for the interface `stamping`, if given, and where kernel and driver can,
    // the one that takes the card's receive stamps. Throws SetupError.
    ReplyClock(const reply_clock_config &config, std::optional<unsigned> stamping);
    ~ReplyClock();

    // Throws SetupError.
    void attach(const std::string &interface, XdpMode mode);
    // From here on nothing more is counted.
    void detach();

    [[nodiscard]] XdpMode mode() const { return link_->mode(); }
    [[nodiscard]] bool takes_stamps() const { return takes_stamps_; }
    [[nodiscard]] int slots_fd() const;
    [[nodiscard]] reply_totals totals() const;
    [[nodiscard]] ReplyCounts counts() const;

private:
    Skeleton<::reply_clock> skeleton_;
    bool takes_stamps_ = false;
    std::optional<XdpLink> link_;
};

// Mean and standard deviation are exact, percentiles to within a bucket.
[[nodiscard]] RttSummary summarize_rtt(const ReplyCounts &counts);

} // namespace dnsgauge
