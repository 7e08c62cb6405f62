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

// The form of a field whose counts stand by the names of RCODEs.
inline constexpr FieldForm rcode_names{.pattern = "^[A-Z]+[0-9]*[+]?$"};
// Returns the replies by the name of their RCODE, without RCODEs that did not occur.
[[nodiscard]] NamedCounts rcode_counts(const decltype(TrialResult::rcodes) &rcodes);

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
void fields(Fields &row, SelftestCover &cover);
void fields(Fields &row, TrialResult &result);

} // namespace dnsgauge
