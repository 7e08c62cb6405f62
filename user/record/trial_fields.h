// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The fields of a trial's result, and of what other results have as well. See fields.h.
#pragma once

#include "record/fields.h"
#include "result/rtt_curve.h"
#include "result/trial_result.h"

#include <string>
#include <vector>

namespace dnsgauge
{

inline constexpr auto verdict_words = words<Verdict>(
    {{Verdict::pass, "pass"}, {Verdict::fail, "fail"}, {Verdict::invalid, "invalid"}});

// The form of a field with counts by the names of RCODEs.
inline constexpr FieldForm rcode_names{.pattern = "^[A-Z]+[0-9]*[+]?$"};
// Returns the replies by the name of their RCODE, without RCODEs that did not occur.
[[nodiscard]] NamedCounts rcode_counts(const decltype(TrialResult::rcodes) &rcodes);

inline constexpr const char *histogram_text =
    "rows [from, to, count]: nanoseconds, both ends included, ascending; no row is empty";

// The rows of percentiles; `form` makes them null if nothing was counted.
template <class Times>
void rows_of_percentiles(Fields &row, Times &times, const FieldForm &form)
{
    row("p50", times.p50,
        "the median; percentiles follow RFC 2330 section 11.3 and are at most 0.8 % too high",
        form);
    row("p90", times.p90, "the 90th percentile", form);
    row("p99", times.p99, "the 99th percentile", form);
    row("p99_9", times.p99_9, "the 99.9th percentile", form);
}

// How a result deviates from RFC 8219 section 9.
struct Compliance {
    std::vector<std::string> deviations{};
};

// The four rows that say how many queries were slow.
void slowness_rows(Fields &row, RttCurve &curve, FieldForm form = {});

void fields(Fields &row, RttCurve &curve);
void fields(Fields &row, Compliance &compliance);
void fields(Fields &row, Dns64Conditions &dns64);
void fields(Fields &row, InvalidCounts &invalid);
void fields(Fields &row, Lateness &lateness);
void fields(Fields &row, SelftestCover &cover);
void fields(Fields &row, TrialResult &result);

} // namespace dnsgauge
