// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as the options of a search, as a user or an experiment's file gives them. The
// parser refuses the options, or the search keeps to their bounds.
#include "fuzz.h"

#include "file_of.h"
#include "words_of.h"

#include "options/access.h"
#include "options/command_line.h"
#include "series/search/search.h"
#include "system/setup_error.h"
#include "xdp/xdp_options.h"

#include <algorithm>
#include <chrono>
#include <optional>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

using namespace std::chrono_literals;

void check_trial(const TrialPlan &trial)
{
    must(trial.duration > 0s && trial.duration <= 7 * 24h, "a trial has its time");
    must(trial.timeout > 0s && trial.timeout <= 60s, "a reply has its time");
    must(trial.accept_percent >= 0 && trial.accept_percent <= 100, "a share is a percentage");
    if (const auto *names = part_of<NamesWorkload>(trial.workload))
        must(names->cached.percent <= 100, "and so is this");
    const XdpOptions xdp = xdp_options_in(trial.engine_options);
    must(trial.server_port != 0 && xdp.first_source_port != 0, "there are ports");
    must(xdp.source_ports != 0 && xdp.source_ports <= 65535,
         "the number of source ports is possible");
    if (const auto *zone = part_of<ZoneNames>(trial.workload)) {
        must(zone->aaaa_share <= 100, "and so is this");
        must(zone->zone.length >= 2 && zone->zone.length <= zone->zone.wire.size(),
             "a zone has a name");
        must(count_names(trial) <= zone->names.count || zone->allow_repeats,
             "there are names enough");
    }
    std::vector<unsigned> cpus = trial.cpus;
    std::ranges::sort(cpus);
    must(std::ranges::adjacent_find(cpus) == cpus.end(), "no CPU is given twice");
}

void check(const SearchRequest &request)
{
    const SearchRange &range = request.search.range;
    must(range.min.per_second >= 1 && range.min < range.max, "there is a range");
    must(range.resolution >= 1, "a search ends");
    must(request.search.repeat >= 1 && request.search.repeat <= 10000, "it is repeated");
    must(request.between.pause >= 0s && request.between.command_limit > 0s, "it waits for others");
    must(!request.selftest, "nothing was looked up");
    check_trial(request.trial);
    must(trial_time(request) > request.trial.duration, "a trial takes longer than it sends");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    try {
        SearchRequest request;
        Options options = options_of(request);
        // The command has these, too, which make no search another one.
        std::optional<std::string> file;
        bool is_set = false;
        append(options, {Option("journal", text(file), {.is_required = true}),
                         {"json", text(file)},
                         {"resume", flag(is_set)},
                         {"verbose", flag(is_set)}});
        read_options(options, parse_words(options, words_of(text_of({data, size}))));
        complete(request, true);
        check(request);
    } catch (const SetupError &) { // NOLINT(bugprone-empty-catch): as it should
    }
    return 0;
}
