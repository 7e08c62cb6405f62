// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A doctor's rule: one topic, why it matters, and the function that judges it. Private to this
// room.
#pragma once

#include "machine/facts.h"
#include "result/diagnosis.h"

#include <optional>
#include <span>
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

struct DoctorRule {
    const char *topic;
    const char *why;
    // Returns nothing if the topic has no meaning for such an interface.
    std::optional<DoctorJudgement> (*judge)(const Facts &facts);
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

inline std::vector<Finding> judge_all(std::span<const DoctorRule> rules, const Facts &facts)
{
    std::vector<Finding> findings;
    for (const DoctorRule &rule : rules)
        if (const auto judgement = rule.judge(facts))
            findings.push_back({.topic = rule.topic,
                                .severity = judgement->severity,
                                .is_known = judgement->is_known,
                                .seen = judgement->seen,
                                .why = rule.why,
                                .command = judgement->command});
    return findings;
}

} // namespace dnsgauge
