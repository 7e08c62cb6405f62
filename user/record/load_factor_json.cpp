// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/load_factor_json.h"

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

Json overload_json(const std::optional<Overload> &overload)
{
    if (!overload)
        return nullptr;
    return {{"load_factor", overload->load_factor},
            {"sign", overload_signs.text_of(overload->sign)},
            {"why", overload->why}};
}

Json undecided_json(const std::optional<Undecided> &undecided)
{
    if (!undecided)
        return nullptr;
    return {{"load_factor", undecided->load_factor}, {"why", undecided->why}};
}

} // namespace

Json to_json(const LoadFactorResult &result, const std::vector<Json> &replays)
{
    return {{"schema", "dnsgauge/load-factor/1"},
            {"caveat", for_comparison_alone},
            {"margin_percent", result.margin_percent},
            {"most", result.most},
            {"runs_most", result.runs_most},
            {"load_factor", result.borne ? Json(*result.borne) : Json()},
            {"overload", overload_json(result.overload)},
            {"undecided", undecided_json(result.undecided)},
            {"doubts", result.doubts},
            {"end", trials_ends.text_of(result.end)},
            {"factors", result.factors},
            {"replays", replays}};
}

} // namespace dnsgauge
