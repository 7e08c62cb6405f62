// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/cache_fill.h"

#include "trial/trial.h"
#include "userland/setup_error.h"

#include <atomic>
#include <string>

namespace dnsgauge
{

void fill_cache(const TrialPlan &plan)
{
    constexpr unsigned tries = 3;
    const auto *names = part_of<NamesWorkload>(plan.workload);
    if (names == nullptr || names->cached.percent == 0)
        return;
    NamesWorkload first;
    static_cast<ZoneNames &>(first) = *names;
    static_cast<QueryHeader &>(first) = *names;
    first.aaaa_prefix = names->aaaa_prefix;
    first.names = {CachedShare::name(names->names), 1};
    const TrialPlan one = plan_of_one(plan, first);
    const std::atomic<bool> never{false};
    std::string why;
    for (unsigned i = 0; i < tries; i++) {
        Trial trial(one);
        const TrialResult result = trial.run(never, [](const TrialProgress & /*none*/) {});
        if (result.queries.valid == 1)
            return;
        why = result.why;
    }
    throw SetupError(
        "the server did not answer the name that is to be in its cache, the first of {}, right in "
        "{} tries: {}: see what is wrong with the server (dnsgauge trial --rate 1 --duration 1)",
        to_string(names->names), tries, why);
}

} // namespace dnsgauge
