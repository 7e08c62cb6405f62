// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "result/labels.h"

#include <fmt/format.h>

namespace dnsgauge
{

std::string compliance_label(const std::vector<std::string> &deviations)
{
    if (deviations.empty())
        return {};
    return fmt::format("{}: {}", not_compliant, fmt::join(deviations, "; "));
}

std::string cover_text(const SelftestCover &cover)
{
    if (!cover.covers())
        return fmt::format("{}: {}", beyond_selftest, cover.why_not);
    const std::string label = compliance_label(cover.deviations);
    return fmt::format("self-test of {}: allows {} queries/s ({}){}{}", cover.finished,
                       cover.allowed->per_second, cover.record, label.empty() ? "" : "; itself ",
                       label);
}

std::vector<std::string> lax_terms(const CalibrationTerms &terms)
{
    const CalibrationTerms usual;
    std::vector<std::string> found;
    const auto most = [&found](const char *option, Nanoseconds given, Nanoseconds by_default) {
        if (given > by_default)
            found.push_back(fmt::format("{} of {:g} s, not at most {:g} s", option, seconds(given),
                                        seconds(by_default)));
    };
    const auto least = [&found](const char *option, Nanoseconds given, Nanoseconds by_default) {
        if (given < by_default)
            found.push_back(fmt::format("{} of {:g} s, not at least {:g} s", option, seconds(given),
                                        seconds(by_default)));
    };
    most("--max-bias", terms.limits.bias, usual.limits.bias);
    most("--max-lateness", terms.limits.lateness, usual.limits.lateness);
    most("--max-lateness-p99", terms.limits.lateness_p99, usual.limits.lateness_p99);
    most("--max-overrun", terms.limits.overrun, usual.limits.overrun);
    least("--timeout", terms.timeout, usual.timeout);
    least("--duration", terms.duration, usual.duration);
    if (terms.attempts > usual.attempts)
        found.push_back(
            fmt::format("--attempts of {}, not at most {}", terms.attempts, usual.attempts));
    return found;
}

std::string lax_text(const std::vector<std::string> &lax)
{
    return lax.empty() ? "" : fmt::format("; laxer than by default: {}", fmt::join(lax, "; "));
}

std::string certificate_text(const CertificateCover &certificate)
{
    if (!certificate.covers())
        return "no certificate: " + certificate.why_not;
    return fmt::format("certificate of {} ({}){}", certificate.finished, certificate.record,
                       lax_text(certificate.lax));
}

} // namespace dnsgauge
