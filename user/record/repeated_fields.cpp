// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/json.h"

#include "record/trial_fields.h"
#include "stats/summary.h"

#include <nlohmann/json.hpp>

namespace dnsgauge
{

static void band_rows(Fields &row, std::optional<Band> &band)
{
    const Band found = band.value_or(Band{});
    const FieldForm form{.is_null = !band};
    row.made("min", found.min, "the least", form);
    row.made("median", found.median,
             "the median; of an even number of trials the mean of the two central ones", form);
    row.made("max", found.max, "the greatest", form);
}

static void spread_row(Fields &row, const SpreadFigure &figure,
                       const std::vector<TrialResult> &trials, const char *meaning)
{
    std::optional<Band> spread = band_of(values_of(figure, trials));
    row.group<band_rows>(figure.key, spread, meaning);
}

static void rtt_spreads(Fields &row, std::vector<TrialResult> &trials)
{
    for (const SpreadFigure &figure : rtt_figures)
        spread_row(row, figure, trials, "the spread of this figure of the trials");
}

static void spreads(Fields &row, std::vector<TrialResult> &trials)
{
    row.made("trials", telling_trials(trials),
             "the number of trials behind the figures: the trials that are not invalid");
    spread_row(row, answered_share, trials,
               "percent of the queries that were answered right in time");
    row.group<rtt_spreads>(
        "rtt_ns", trials,
        "the spread of each figure of the trials' rtt_ns, nanoseconds; trials without RTTs "
        "are left out");
}

void fields(Fields &row, RepeatedTrials &repeated)
{
    row.form("trials", "Several trials of one plan, one after the other, and their spread. "
                       "dnsgauge trial --repeat N --json writes it.");
    row("repeat", repeated.repeat,
        "trials that were asked for; trials has fewer where an interruption or an error ended "
        "them");
    row("pause_s", repeated.pause, "seconds between two trials");
    row("fresh_names", repeated.fresh_names, "whether no trial asked for the names of another one");
    Compliance compliance{repeated.caveats.deviations};
    row.object("rfc8219", compliance, "whether each trial is what RFC 8219 section 9 demands");
    row.object("selftest", repeated.caveats.selftest,
               "whether a self-test of the Tester covers the trials; null: the server is "
               "authoritative and was asked over UDP, or nobody looked for a self-test");
    row.group<spreads>("spread", repeated.trials,
                       "how far the trials lie apart; invalid trials are left out");
    row.word("verdict", repeated.verdict, verdict_words,
             "pass if all trials pass; invalid if one is invalid or missing; else fail");
    row("why", repeated.why, "the reason of the verdict, in words");
    row.made("error", repeated.error,
             "what kept the trial after the last one from being made, such as an interface that "
             "is gone; null: nothing, or an interruption",
             {.presence = Presence::newer, .is_null = repeated.error.empty()});
    row("doubts", repeated.caveats.doubts,
        "the doubts of the trials, each with its trial's number");
    row.list("trials", repeated.trials,
             "the trials, in their order; the last one may have been cut short");
}

nlohmann::ordered_json to_json(const RepeatedTrials &repeated)
{
    return written(repeated);
}

} // namespace dnsgauge
