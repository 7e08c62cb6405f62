// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The record of a set-up's self-tests, a file that later results refer to. It keeps the best
// self-test, and others that cover trials which the best one does not cover.
#pragma once

#include "record/selftest_result.h"
#include "result/caveats.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the path of the record for `setup`, if the user names no other file: see record_file.h.
[[nodiscard]] std::string record_path(const TesterSetup &setup);

// Returns the CPUs of `cpus` for which this set-up, with one sender on that CPU, has a record.
[[nodiscard]] std::vector<unsigned> cpus_with_record(const TesterSetup &setup,
                                                     const std::vector<unsigned> &cpus);

// What the latest self-test found that walked placements.
struct FoundPlacement {
    std::string finished; // UTC, ISO 8601
    unsigned sender_cpu = 0;
    std::optional<unsigned> sender_queue;        // missing if it is the usual one
    std::string sender_found;                    // a clause: "found CPU 1 best: ..."
    std::string queue_found;                     // a clause; empty if there was no choice
    std::map<std::string, std::string> settings; // of dnsgauge placement apply, that are best
    std::string settings_found;                  // a clause; empty if no settings could be tried
};

// Returns the findings of the latest record of this set-up with one sender, on any of `cpus` and
// with any transmit queue; nothing if there is none.
[[nodiscard]] std::optional<FoundPlacement> found_placement(const TesterSetup &setup,
                                                            const std::vector<unsigned> &cpus);

// The trials to cover.
struct CoverWanted {
    Rate rate;
    Nanoseconds timeout{};
    Nanoseconds duration{};
    Nanoseconds max_lateness{};
    Nanoseconds max_overrun{};
};

// Returns whether the record `path` covers the wanted trials on `setup`. A self-test in the record
// must have been on the same set-up, with trials as long and with a timeout and tolerances as
// strict, and must allow the rate. If none does, the result names the best one that covers slower
// trials, if there is one. A file with any error covers nothing.
[[nodiscard]] SelftestCover look_up_cover(const std::string &path, const TesterSetup &setup,
                                          const CoverWanted &wanted);

// The change of a record after another self-test.
struct RecordUpdate {
    nlohmann::ordered_json record;  // its new content
    std::vector<std::string> notes; // clauses about the record: "keeps ..."
};

// Returns the new content of the record `path` after the self-test `result`, which has decided
// something. The record keeps an earlier self-test that allows more, or was stricter. It drops an
// earlier self-test in these cases:
// - `result` failed at a rate that the earlier one passed, and its terms were no stricter;
// - `result` used other modes.
// Findings about placements stay until another self-test tries them.
[[nodiscard]] RecordUpdate update_record(const std::string &path, const SelftestResult &result);

} // namespace dnsgauge
