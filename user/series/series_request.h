// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the requests for all kinds of series have in common.
#pragma once

#include "options/option.h"
#include "result/caveats.h"
#include "result/tester_setup.h"
#include "result/trial_log.h"
#include "series/tester_setup.h"
#include "series/trial_series.h"
#include "trial/trial_options.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// A new request has the defaults of all options.
struct SeriesRequest {
    TrialPlan trial = usual_plan(); // its rate is the highest
    BetweenTrials between{.pause = usual_pause,
                          .command_limit = std::chrono::seconds(30),
                          .ready_limit = std::chrono::seconds(60)};
    bool fresh_names = false;
    CoverOptions cover;
    std::optional<SelftestCover> selftest;       // missing before require_selftest()
    std::optional<CertificateCover> certificate; // missing before require_selftest()
    std::string scaled_down; // what the request's experiment makes smaller; may be empty

    static constexpr bool has_form = true; // its command has --form
};

// Returns the options of all parts.
[[nodiscard]] Options together(std::initializer_list<Options> parts);

// Returns --min-rate and --max-rate, the ends of the range of rates.
[[nodiscard]] Options range_options(Rate &min, Rate &max, bool is_min_required);
// Throws SetupError unless the lowest rate is below the highest.
void check_range(Rate min, Rate max);

// Returns the option --invalid-retries.
[[nodiscard]] Option invalid_retries_option(unsigned &retries);

// Return --pause and --fresh-names, which a trial has as well.
[[nodiscard]] Option pause_option(Nanoseconds &pause);
[[nodiscard]] Option fresh_names_option(bool &fresh_names);

// Returns the options that all series have: of trials, of the work between trials, and of the
// self-test that covers them.
[[nodiscard]] Options series_options(SeriesRequest &request);

// Fills in what follows from the options, for at most `most_trials` trials at `min` to `max`
// queries per second. `starts_anew` says that the caller starts the server anew before each trial.
// Throws SetupError if options contradict each other.
void complete(SeriesRequest &request, Rate min, Rate max, std::uint64_t most_trials,
              bool starts_anew);

// Does the part of complete() that follows the completion of `request.trial`. The pace may be a
// window.
void complete_series(SeriesRequest &request, Rate min, Rate max, std::uint64_t most_trials,
                     bool starts_anew);

// Looks for the self-test that covers the trials, and for the certificate that vouches for their
// figures. Throws SetupError if there is no such self-test, unless the request says
// --beyond-selftest.
void require_selftest(SeriesRequest &request);

// Returns the time for a trial and the work before it.
[[nodiscard]] Nanoseconds trial_time(const SeriesRequest &request);
// Returns the same for a trial after a pause.
[[nodiscard]] Nanoseconds trial_time(const TrialPlan &trial, Nanoseconds pause);

// Returns the first line of a journal, in the form `dnsgauge/series-journal/1`. It has the Tester's
// set-up, and the options on which results depend. Throws SetupError if a list cannot be read.
[[nodiscard]] nlohmann::ordered_json journal_header(const SeriesRequest &request,
                                                    const std::string &kind, const Options &options,
                                                    TesterSetup setup);
// Returns the same for the set-up as it is now. Also throws SetupError if there is no such
// interface, or if it is down.
[[nodiscard]] nlohmann::ordered_json
journal_header(const SeriesRequest &request, const std::string &kind, const Options &options);

// Returns the caveats that are known before the trials.
[[nodiscard]] Caveats caveats_of(const SeriesRequest &request, std::vector<std::string> deviations);
// Returns the same for a series in which only trials can deviate from RFC 8219.
[[nodiscard]] Caveats caveats_of(const SeriesRequest &request);

// Returns what users should know before the trials.
[[nodiscard]] std::vector<std::string> notes_on(const SeriesRequest &request);

// Returns the servers that the trials asked, or are to ask if there was no trial yet.
[[nodiscard]] std::string servers_text(const TrialLog &log, const TrialPlan &plan);

} // namespace dnsgauge
