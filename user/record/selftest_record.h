// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The record of the last self-test on a set-up: the file that later results stand on.
#pragma once

#include "result/selftest_cover.h"
#include "result/selftest_result.h"

#include <optional>
#include <string>

namespace dnsgauge
{

// Where the record for `setup` is, if the user names no other file: in the directory that
// DNSGAUGE_STATE names in the environment, or in /var/lib/dnsgauge.
[[nodiscard]] std::string record_path(const TesterSetup &setup);

// Likewise of any other `kind` of record for a set-up.
[[nodiscard]] std::string state_path(const std::string &kind, const TesterSetup &setup);

// What is in the record `path` of a `kind`; empty: `why_not` says why.
[[nodiscard]] std::optional<std::string> read_state(const std::string &path,
                                                    const std::string &kind, std::string &why_not);

// What is to be covered.
struct CoverWanted {
    Rate rate;
    Nanoseconds timeout{};
    Nanoseconds duration{};
    Nanoseconds max_lateness{};
    Nanoseconds max_overrun{};
};

// Whether the record `path` covers trials on `setup`: the self-test was on the same set-up, its
// trials were as long, its timeout and tolerances as strict, and it allows the rate. Whatever is
// wrong with the file is a reason not to.
[[nodiscard]] SelftestCover look_up_cover(const std::string &path, const TesterSetup &setup,
                                          const CoverWanted &wanted);

} // namespace dnsgauge
