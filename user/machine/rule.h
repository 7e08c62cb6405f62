// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A doctor's rule: one topic, why it matters, and the function that judges it. Private to this
// room.
#pragma once

#include "result/diagnosis.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct DoctorJudgement {
    Severity severity = Severity::ok;
    std::string seen;
    std::string command = {};
    bool is_known = true;
};

// `Seen` is what the rule judges.
template <class Seen>
struct DoctorRule {
    const char *topic;
    const char *why;
    // Returns nothing if the topic has no meaning here.
    std::optional<DoctorJudgement> (*judge)(const Seen &seen);
};

inline DoctorJudgement fine(const std::string &seen)
{
    return {Severity::ok, seen};
}

inline DoctorJudgement noted(const std::string &seen, const std::string &command = {})
{
    return {Severity::note, seen, command};
}

inline DoctorJudgement warned(const std::string &seen, const std::string &command = {})
{
    return {Severity::warn, seen, command};
}

inline DoctorJudgement failed(const std::string &seen, const std::string &command = {})
{
    return {Severity::fail, seen, command};
}

inline DoctorJudgement unknown(const std::string &seen)
{
    return {Severity::note, seen, {}, false};
}

inline DoctorJudgement not_reported_by(const std::string &whom)
{
    return unknown("not reported by the " + whom);
}

template <class Seen, std::size_t count>
std::vector<Finding> judge_all(const std::array<DoctorRule<Seen>, count> &rules, const Seen &seen)
{
    std::vector<Finding> findings;
    for (const DoctorRule<Seen> &rule : rules)
        if (const auto judgement = rule.judge(seen))
            findings.push_back({.topic = rule.topic,
                                .severity = judgement->severity,
                                .is_known = judgement->is_known,
                                .seen = judgement->seen,
                                .why = rule.why,
                                .command = judgement->command});
    return findings;
}

} // namespace dnsgauge
