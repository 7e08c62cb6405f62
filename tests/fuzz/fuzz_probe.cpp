// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as a result with a probe. The reader refuses the result, or what is said of the
// probe fills lines, the probe is written as it was read, and its counts add up.
#include "fuzz.h"

#include "file_of.h"

#include "machine/findings.h"
#include "record/json_text.h"
#include "record/probe_fields.h"
#include "text/probe_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

void check(const LoadedProbe &probed)
{
    const ProbeResult &probe = probed.probe;
    const nlohmann::ordered_json json = written(probe);
    must(written(read_fields<ProbeResult>(json)) == json, "a probe is read as it was written");
    std::string text = to_text(probe);
    must(std::ranges::count(text, '\n') >= 2, "arrivals and departures have their lines");
    std::erase(text, '\n');
    must(is_plain_line(text), "which tell a terminal nothing");
    for (const Finding &finding : probe_findings(probed))
        must(!finding.seen.empty() && is_plain_line(finding.seen), "what is seen fills a line");
    constexpr std::uint64_t sent = 1'000'000;
    const std::uint64_t replied = std::min(probe.left, sent);
    for (const Fate &fate : fates_of_lost(probe, sent, replied))
        must(fate.count != 0 && is_plain_line(fate.text), "a fate is some queries', in a line");
    if (const auto places = places_of_lost(probe, sent, replied))
        must(places->before_server + places->at_server + places->behind_server == sent - replied,
             "each lost query has one place");
    std::uint64_t lost = 0;
    for (const Fate &fate : fates_of_lost(probe, sent, replied))
        lost += fate.count;
    const bool knows_all = places_of_lost(probe, sent, replied).has_value();
    must(!knows_all || lost == sent - replied, "each lost query has one fate");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    try {
        check(probe_in(parse_json(text_of({data, size}))));
    } catch (const nlohmann::json::exception &) { // NOLINT(bugprone-empty-catch): as it should
    }
    return 0;
}
