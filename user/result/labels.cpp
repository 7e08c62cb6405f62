// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "result/labels.h"

#include "system/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace dnsgauge
{

namespace
{

std::string scaled_down_text(const Caveats &caveats)
{
    return caveats.scaled_down.empty() ? "" : "scaled down: " + caveats.scaled_down;
}

} // namespace

std::string compliance_label(const std::vector<std::string> &deviations)
{
    if (deviations.empty())
        return {};
    return fmt::format("{}: {}", not_compliant, join(deviations, "; "));
}

std::string carrier_text(const TesterSetup &setup, const Circumstances &with)
{
    const auto value = [&setup](std::string_view key) {
        for (const auto &[name, option] : setup.options)
            if (name == key)
                return text_of(option);
        return std::string();
    };
    // Set-ups of records that are older than the option are of UDP.
    const Transport transport = transports.value_of(value("transport")).value_or(Transport::udp);
    if (transport == Transport::udp)
        return modes_text(with.modes) + (with.busy_poll ? ", busy polling" : "");
    const std::string each = value("queries_per_connection");
    return fmt::format("{}, connections of each sender at once: {}{}",
                       transport_names.text_of(transport), value("connections"),
                       each == "0" ? "" : fmt::format(", queries of each at most: {}", each));
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

std::vector<CaveatLine> caveat_lines(const Caveats &caveats)
{
    std::vector<CaveatLine> lines;
    const auto add = [&lines](const char *name, const std::string &text) {
        if (!text.empty())
            lines.push_back({name, text});
    };
    for (const std::string &doubt : caveats.doubts)
        add("doubt", doubt);
    add("", compliance_label(caveats.deviations));
    add("self-test", caveats.selftest ? cover_text(*caveats.selftest) : "");
    add("calibration", caveats.certificate ? certificate_text(*caveats.certificate) : "");
    add("", scaled_down_text(caveats));
    return lines;
}

std::string caveats_text(const Caveats &caveats)
{
    std::vector<std::string> texts;
    if (!caveats.is_compliant())
        texts.push_back(compliance_label(caveats.deviations));
    if (caveats.is_beyond_selftest())
        texts.push_back(cover_text(*caveats.selftest));
    if (const std::string text = scaled_down_text(caveats); !text.empty())
        texts.push_back(text);
    texts.insert(texts.end(), caveats.doubts.begin(), caveats.doubts.end());
    return join(texts, "; ");
}

std::vector<std::string> caveat_sentences(std::span<const Caveats> results)
{
    std::vector<std::string> sentences;
    const auto add = [&sentences](const std::string &sentence) {
        if (std::ranges::find(sentences, sentence) == sentences.end())
            sentences.push_back(sentence);
    };
    for (const Caveats &caveats : results)
        if (!caveats.scaled_down.empty())
            add("Scaled down, not the conditions of the publication: " + caveats.scaled_down);
    for (const Caveats &caveats : results)
        if (!caveats.is_compliant())
            add(compliance_label(caveats.deviations));
    for (const Caveats &caveats : results)
        if (caveats.selftest && caveats.selftest->covers() && !caveats.selftest->deviations.empty())
            add("The Tester's self-test is itself " +
                compliance_label(caveats.selftest->deviations));
    if (std::ranges::any_of(results, &Caveats::is_beyond_selftest))
        add("Beyond the Tester's self-test: the Tester may be what limits these results");
    return sentences;
}

std::string lax_text(const std::vector<std::string> &lax)
{
    return lax.empty() ? "" : fmt::format("; laxer than by default: {}", join(lax, "; "));
}

std::string certificate_text(const CertificateCover &certificate)
{
    if (!certificate.covers())
        return "no certificate: " + certificate.why_not;
    return fmt::format("certificate of {} ({}){}", certificate.finished, certificate.record,
                       lax_text(certificate.lax));
}

} // namespace dnsgauge
