// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "result/trial_log.h"

#include "userland/listed.h"

#include <algorithm>

namespace dnsgauge
{

bool TrialLog::is_of_several() const
{
    return std::ranges::any_of(teams, [](const TesterTeam &team) { return team.hosts.size() > 1; });
}

std::vector<std::string> TrialLog::servers() const
{
    std::vector<std::string> all;
    for (const TesterTeam &team : teams)
        all.insert(all.end(), team.servers.begin(), team.servers.end());
    return each_once(all);
}

} // namespace dnsgauge
