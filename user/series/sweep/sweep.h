// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A sweep, a response-rate curve: its steps, its options, its trials, and the forms of its result.
#pragma once

#include "series/kind.h"
#include "series/search/repetitions.h"
#include "system/words.h"
#include "text/table.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dnsgauge
{

// How the rates of a sweep follow each other.
enum class Spacing {
    linear,      // with equal differences
    logarithmic, // with equal ratios
    bisected,    // ever closer where the curve bends
};

inline constexpr auto spacings = words<Spacing>({{Spacing::linear, "linear"},
                                                 {Spacing::logarithmic, "logarithmic"},
                                                 {Spacing::bisected, "bisected"}});

struct SweepPlan {
    Rate min;
    Rate max; // above min
    Spacing spacing = Spacing::linear;
    // At least 2, or 3 if bisected; at most the number of whole rates from min to max.
    std::uint64_t rates = 20;
    unsigned repeat = 1;
    unsigned invalid_retries = 10; // times in a row that an invalid trial is made again
};

// Returns the rates of a plan, ascending. Rates are whole numbers, so two rates of a logarithmic
// plan may be the same. For a bisected plan returns the three rates with which it begins: both ends
// and the middle.
[[nodiscard]] std::vector<Rate> rates_of(const SweepPlan &plan);

// Returns the rate at which another step tells most about the response-rate curve. It is the middle
// of the interval between neighbouring steps in which the curve bends most, or of the widest
// interval if the curve does not bend. `steps` ascend by rate. Returns nothing if all intervals are
// narrower than `finest`.
[[nodiscard]] std::optional<Rate> sharpest_bend(std::span<const TrialSummary> steps,
                                                std::uint64_t finest);

class SweepSteps : public Strategy
{
public:
    explicit SweepSteps(const SweepPlan &plan);

    [[nodiscard]] std::optional<SearchTurn> next() const override;
    void feed(const TrialSummary &step) override;
    [[nodiscard]] TrialsLeft left() const override;

    // Returns the lowest rate that could not be offered; nothing if there was none.
    [[nodiscard]] std::optional<Rate> not_offered() const { return not_offered_; }

private:
    void bisect();
    void leave_out_from(Rate limit);

    SweepPlan plan_;
    std::vector<Rate> rates_;        // of a repetition, as far as they are known
    std::vector<TrialSummary> made_; // in the first repetition
    unsigned repetition_ = 1;
    std::size_t at_ = 0; // the next step's place in rates_
    OfferTries tries_;   // at next()
    std::optional<Rate> not_offered_;
};

struct SweepRequest : SeriesRequest {
    static constexpr const char *kind = "sweep";

    // A response-rate curve is not RFC 8219's benchmark, whose trials need a pause between them.
    SweepRequest() { between.pause = {}; }

    SweepPlan sweep;
};

// Its rows are the steps, without invalid trials.
struct SweepResult : SeriesResult {
    SweepPlan plan;
    std::optional<Rate> not_offered{}; // see SweepSteps
};

// Returns the options that decide the sweep.
[[nodiscard]] Options options_of(SweepRequest &request);

// Fills in what follows from the options that were read into the request. Throws SetupError if
// options contradict each other.
void complete(SweepRequest &request);

// Makes the sweep by `run`: see run_series().
[[nodiscard]] SweepResult run_sweep(const SweepPlan &plan, Journal &journal,
                                    const TrialRunner &run);

// Returns the command for sweeps of rates and of windows.
[[nodiscard]] Command sweep_command(std::shared_ptr<Testers> testers);

void fields(Fields &row, SweepResult &result);

// Returns a table with a row for each step. In CSV the heads are the names of the fields in JSON.
[[nodiscard]] std::string to_text(const SweepResult &result, TableForm form = TableForm::text);

} // namespace dnsgauge
