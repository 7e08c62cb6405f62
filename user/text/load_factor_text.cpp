// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/load_factor_text.h"

#include <fmt/format.h>

namespace dnsgauge
{

namespace
{

std::string factor_text(const LoadFactorResult &result)
{
    if (!result.borne)
        return "no load factor was tried to the end";
    const bool has_bands = result.replays.front().runs.size() >= runs_with_bands;
    const std::string latency =
        has_bands ? ""
                  : fmt::format("; latency was not compared: that takes {} runs", runs_with_bands);
    const std::string open = result.end == TrialsEnd::complete ? "" : ", so far";
    if (result.undecided)
        return fmt::format(
            "highest load factor without overload: at least {}{}; the runs cannot "
            "tell at {}: {}: {}{}",
            *result.borne,
            result.overload ? fmt::format(", less than {}", result.overload->load_factor) : "",
            result.undecided->load_factor, result.undecided->why,
            result.runs_most == 1 ? "give --before-trial, which more than one run needs"
                                  : "allow more of them with --runs-most, and go on with --resume",
            latency);
    if (!result.overload)
        return fmt::format("highest load factor without overload{}: {} or more{}", open,
                           *result.borne, latency);
    return fmt::format("highest load factor without overload{}: {}; overloaded at {} by {}: {}{}",
                       open, *result.borne, result.overload->load_factor,
                       overload_signs.text_of(result.overload->sign), result.overload->why,
                       latency);
}

} // namespace

std::string verdict_text(const LoadFactorResult &result)
{
    std::string text = factor_text(result);
    for (const std::string &doubt : result.doubts)
        text += "; doubt: " + doubt;
    return text;
}

} // namespace dnsgauge
