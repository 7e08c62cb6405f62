// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The table of the kinds of series.
#include "series/kind.h"
#include "series/mlr/loss_search.h"
#include "series/replay/replay.h"
#include "series/search/search.h"
#include "series/soak/soak.h"
#include "series/sweep/sweep.h"
#include "series/windows/windows.h"

namespace dnsgauge
{

const std::vector<SeriesKind> &series_kinds()
{
    static const std::vector<SeriesKind> kinds = {
        {search_command, {described<SearchResult>, described<LossSearchResult>}},
        {sweep_command, {described<SweepResult>, described<WindowsResult>}},
        {soak_command, {described<SoakResult>}},
        {replay_command, {described<ReplayResult>}},
    };
    return kinds;
}

} // namespace dnsgauge
