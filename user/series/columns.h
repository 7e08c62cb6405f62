// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The columns that a series' table and JSON have for each trial, and the notes below the table.
#pragma once

#include "record/fields.h"
#include "result/series_result.h"
#include "text/columns.h"

#include <nlohmann/json.hpp>

#include <concepts>
#include <functional>
#include <string>
#include <vector>

namespace dnsgauge
{

// These functions are Column::told for a member of a trial: a plain value, a percentage, an object,
// a list.
template <auto member>
void value_of(Fields &fields, const char *key, const char *meaning, const TrialSummary &trial)
{
    fields.made(key, std::invoke(member, trial), meaning);
}
template <auto member>
void percent_of(Fields &fields, const char *key, const char *meaning, const TrialSummary &trial)
{
    fields.made(key, std::invoke(member, trial), meaning, {.most = 100});
}
template <auto member>
void object_of(Fields &fields, const char *key, const char *meaning, const TrialSummary &trial)
{
    auto value = trial.*member;
    fields.object(key, value, meaning);
}
template <auto member>
void list_of(Fields &fields, const char *key, const char *meaning, const TrialSummary &trial)
{
    auto values = trial.*member;
    fields.list(key, values, meaning);
}

// Returns the columns that all series have in JSON, followed by `more`, which the kind adds.
[[nodiscard]] Columns<TrialSummary> trial_columns(const Columns<TrialSummary> &more = {});

// Returns how many queries of a trial were answered, or why the trial is invalid.
[[nodiscard]] std::string answered_text(const TrialResult &trial);

// Returns lines that say which Testers made the trials, through which interface, in which modes and
// from which CPUs, and what is noteworthy about the Tester's queues. Returns none if there was no
// trial.
[[nodiscard]] std::vector<std::string> through_lines(const TrialLog &log);
// The fields of a result that all kinds have. A kind's table of fields has begin_rows(), its own
// plan, common_rows(), its own findings, and end_rows(), in this order. `chosen_by` says what chose
// the trials. Files of older versions also have the `needed` members of a trial.
void begin_rows(Fields &row, const char *kind, const char *chosen_by, SeriesResult &result);
struct CommonForms {
    FieldForm duration = newer;
    FieldForm timeout = newer;
    FieldForm accept = newer;
    FieldForm end{};
};
void common_rows(Fields &row, SeriesResult &result, const CommonForms &forms = {});
void end_rows(Fields &row, SeriesResult &result, const Columns<TrialSummary> &columns,
              const std::vector<const char *> &needed = {});

// The fields of the range of rates, which several kinds have.
void range_rows(Fields &row, Rate &min, Rate &max, const FieldForm &form = {});

// Returns dnsgauge/series/1. `header` is the header of the series' journal.
template <std::derived_from<SeriesResult> Result>
[[nodiscard]] nlohmann::ordered_json to_json(const Result &result,
                                             const nlohmann::ordered_json &header)
{
    nlohmann::ordered_json json = written(result);
    json["setup"] = header.at("setup");
    json["options"] = header.at("options");
    return json;
}

// Returns how many trials were invalid, and what became of them.
[[nodiscard]] std::string invalid_trials_text(const TrialLog &log);

// Returns the notes that stand below the table of any series: its caveats, through_lines(), and, if
// `counts_invalid`, how many trials were invalid.
[[nodiscard]] std::vector<std::string> series_notes(const SeriesResult &result,
                                                    bool counts_invalid = true);

} // namespace dnsgauge
