// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/diagnosis.h"

#include "userland/words.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iterator>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr auto severities = words<Severity>({{Severity::ok, "ok"},
                                             {Severity::note, "note"},
                                             {Severity::warn, "warn"},
                                             {Severity::fail, "fail"}});

std::string summary(const Diagnosis &diagnosis)
{
    const char *const verdict = diagnosis.count(Severity::fail) != 0
                                    ? "no benchmark is possible like this"
                                : diagnosis.count(Severity::warn) != 0
                                    ? "a benchmark is possible, but this is not at its best"
                                    : "ready";
    return fmt::format("{}: {} fail, {} warn, {} note, {} ok: {}", diagnosis.interface,
                       diagnosis.count(Severity::fail), diagnosis.count(Severity::warn),
                       diagnosis.count(Severity::note), diagnosis.count(Severity::ok), verdict);
}

} // namespace

std::string to_text(const Diagnosis &diagnosis)
{
    std::string text = fmt::format("{} ({}), Linux {}\n", diagnosis.interface,
                                   diagnosis.driver.empty() ? "driver not known" : diagnosis.driver,
                                   diagnosis.kernel);
    const auto add = [&text](const char *severity, const std::string &topic,
                             const std::string &rest) {
        fmt::format_to(std::back_inserter(text), "{:<5} {:<16} {}\n", severity, topic, rest);
    };
    for (const Finding &finding : diagnosis.findings) {
        add(severities.text_of(finding.severity), finding.topic, finding.seen);
        if (finding.severity != Severity::ok && finding.is_known)
            add("", "", "why:  " + finding.why);
        if (!finding.command.empty())
            add("", "",
                (finding.severity == Severity::note ? "or:   " : "mend: ") + finding.command);
    }
    return text + summary(diagnosis) + "\n";
}

nlohmann::ordered_json to_json(const Diagnosis &diagnosis)
{
    Json findings = Json::array();
    for (const Finding &finding : diagnosis.findings)
        findings.push_back({{"topic", finding.topic},
                            {"severity", severities.text_of(finding.severity)},
                            {"known", finding.is_known},
                            {"seen", finding.seen},
                            {"why", finding.why},
                            {"command", finding.command.empty() ? Json() : Json(finding.command)}});
    Json counts;
    for (const Severity severity : {Severity::fail, Severity::warn, Severity::note, Severity::ok})
        counts[severities.text_of(severity)] = diagnosis.count(severity);
    return {{"schema", "dnsgauge/doctor/1"},
            {"interface", diagnosis.interface},
            {"driver", diagnosis.driver},
            {"kernel", diagnosis.kernel},
            {"counts", counts},
            {"findings", findings}};
}

} // namespace dnsgauge
