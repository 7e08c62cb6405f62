// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The request for a soak: the values of its options, and what follows from these values.
#pragma once

#include "options/option.h"
#include "result/caveats.h"
#include "search/series_request.h"
#include "soak/soak.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace dnsgauge
{

struct SoakRequest : SeriesRequest {
    SoakPlan soak;                   // its rate and number of rows follow from the options
    std::optional<Rate> rate;        // as it was given
    std::optional<std::string> from; // the result of the search that the rate is a part of
    std::optional<double> percent;   // of the rate that the search found, as it was given
    double hours = 8;                // for which queries are sent

    static constexpr double usual_percent = 80;
    [[nodiscard]] double part_percent() const { return percent.value_or(usual_percent); }
};

// Returns a request with the defaults of all options.
[[nodiscard]] SoakRequest usual_soak();

// Returns the options that decide the soak.
[[nodiscard]] Options soak_options(SoakRequest &request);

// Fills in what follows from the options that were read into the request. Throws SetupError if
// options contradict each other, or if the search's result has no rate for this server.
void complete(SoakRequest &request);

// Returns the first line of the soak's journal: the Tester's set-up as it is now, and every option
// that results depend on. Throws SetupError if there is no such interface, or if it is down.
[[nodiscard]] nlohmann::ordered_json journal_header(const SoakRequest &request);

// Returns the caveats that are known before the soak: those of its trials.
[[nodiscard]] Caveats caveats_of(const SoakRequest &request);

} // namespace dnsgauge
