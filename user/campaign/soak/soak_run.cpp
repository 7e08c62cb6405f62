// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "soak/soak_run.h"

#include "machine/server_memory.h"
#include "result/labels.h"
#include "search/shown_trials.h"
#include "text/sweep_text.h"

#include <fmt/format.h>

namespace dnsgauge
{

namespace
{

void describe(SoakResult &result, const SoakRequest &request)
{
    result.server = servers_text(result, request.trial);
    if (request.from)
        result.rate_from = fmt::format("{:g} % of {}", request.part_percent(), *request.from);
    result.row = request.trial.duration;
    result.timeout = request.trial.timeout;
    result.accept_percent = request.trial.accept_percent;
    result.caveats = caveats_of(request);
}

} // namespace

SoakResult make_soak(const SoakRequest &request, Journal &journal, const std::atomic<bool> &stop)
{
    SearchProgress progress(1, request.trial.duration, trial_time(request),
                            caveats_text(caveats_of(request)), {},
                            {.series = "soak", .trial = "row", .outcome = answered_text});
    SoakResult result = run_soak(request.soak, journal, shown_trials(request, progress, stop), [&] {
        return server_memory(request.trial.server, request.trial.server_port,
                             request.trial.interface);
    });
    result.end = end_with(result.end, stop);
    describe(result, request);
    return result;
}

} // namespace dnsgauge
