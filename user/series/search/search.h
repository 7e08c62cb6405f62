// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A search for the highest rate: its options, its trials, and the forms of its result.
#pragma once

#include "series/kind.h"
#include "series/search/repetitions.h"
#include "text/statistics_table.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace dnsgauge
{

struct SearchRequest : SeriesRequest {
    static constexpr const char *kind = "search";
    static constexpr bool has_form = false;

    SearchPlan search;
};

// Returns the options that decide the search. An experiment may set the same options.
[[nodiscard]] Options options_of(SearchRequest &request);

// Returns the option --confirm, which self-tests have, too.
[[nodiscard]] Option confirm_option(unsigned &confirm);

// Fills in what follows from the options that were read into the request. `starts_anew` says that
// the caller starts the server anew before each trial. Throws SetupError if options contradict each
// other.
void complete(SearchRequest &request, bool starts_anew = false);

// Returns the request that these options make. Throws SetupError.
[[nodiscard]] SearchRequest read_search(const std::vector<GivenOption> &given, bool starts_anew);

// Returns the caveats that are known before the search: deviations from RFC 8219 section 9, the
// self-test and the certificate that were looked for, and what is scaled down.
[[nodiscard]] Caveats caveats_of(const SearchRequest &request);

// Returns the deviations of a search with such trials; empty if it complies. The plan does not
// deviate if invalid trials may be made again, up to the default number of times. The result says
// whether this happened.
[[nodiscard]] std::vector<std::string> search_deviations(const SearchPlan &search,
                                                         const TrialPlan &trial);

// Makes the search by `run`: see run_series().
[[nodiscard]] SearchResult run_search(const SearchPlan &plan, Journal &journal,
                                      const TrialRunner &run);

// A search, as far as its journal has it.
struct RecalledSearch {
    SearchResult result;    // its end is `interrupted` if trials are missing
    std::uint64_t left = 0; // trials to come
};

// Returns what the journal says about the search. Makes no trial, and leaves the journal as it is.
// Throws SetupError if a record does not belong to this search.
[[nodiscard]] RecalledSearch recall_search(const SearchPlan &plan, Journal &journal);

// What an experiment of many searches does around each search.
struct SearchSurroundings {
    // Runs before each trial. Returns false if the user stopped it. May throw SetupError.
    BeforeTrial before_trial = [](TrialSeries & /*series*/) { return true; };
    Nanoseconds beyond{};        // the time for the searches that follow
    bool follows_trials = false; // of an earlier search, or of this one before --resume
};

// Makes the trials that the journal lacks, until `stop` is set. Throws SetupError.
[[nodiscard]] SearchResult make_search(const SearchRequest &request, Journal &journal,
                                       const SearchSurroundings &surroundings,
                                       const std::atomic<bool> &stop);

// Makes the search of the command `search`. Throws SetupError, also if even the lowest rate of the
// range failed.
[[nodiscard]] SearchResult make_series(const SearchRequest &request, Journal &journal,
                                       const std::atomic<bool> &stop);

void fields(Fields &row, SearchResult &result);

// Returns a line for each repetition, finished or not, and the statistics of the finished ones.
[[nodiscard]] std::string to_text(const SearchResult &result);

// Returns the bounds of the last search if it has no result: ">= 50000", "20000..30000", "< 30000".
// Returns an empty text if it has a result, or if nothing is known.
[[nodiscard]] std::string bound_text(const SearchResult &result);

// Returns the result as a column of a table of searches, without notes.
[[nodiscard]] StatisticsColumn column_of(const SearchResult &result,
                                         std::vector<std::string> settings);

// Returns what every form of the result must say besides its figures: bounds in place of a rate,
// and invalid trials.
[[nodiscard]] std::vector<std::string> search_notes(const SearchResult &result);

// Adds to the result what the request says.
void describe(SearchResult &result, const SearchRequest &request);

// Returns the exit status of the command `search`. After a search that passed all of its range,
// says how to find the highest rate. Throws SetupError if even the lowest rate of the range failed.
[[nodiscard]] ExitStatus status_of(const SearchRequest &request, const SearchResult &result);

// Returns how to find the highest rate, if the search passed all of its range; otherwise an empty
// text. With `goes_beyond` the user has already given --beyond-selftest.
[[nodiscard]] std::string how_to_find_more(const SearchResult &result, bool goes_beyond);

} // namespace dnsgauge
