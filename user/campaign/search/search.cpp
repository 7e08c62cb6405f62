// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search/search.h"

#include "record/circumstances_json.h"
#include "record/json.h"
#include "record/json_text.h"

#include <fmt/format.h>

#include <map>

namespace dnsgauge
{

namespace
{

using Json = Journal::Json;

Verdict read_verdict(const std::string &text)
{
    for (const Verdict verdict : {Verdict::pass, Verdict::fail, Verdict::invalid})
        if (text == to_string(verdict))
            return verdict;
    throw std::invalid_argument("no verdict: " + text);
}

// Reads a trial in the journal's form, so that a resumed search knows exactly what it knew.
SearchTrial read_trial(const Json &trial)
{
    SearchTrial read;
    read.rate = Rate{whole_number(trial.at("rate"))};
    read.verdict = read_verdict(plain_text(trial.at("verdict")));
    read.sent = whole_number(trial.at("sent"));
    read.valid = whole_number(trial.at("valid"));
    read.why = plain_text(trial.at("why"));
    return read;
}

// The highest rate that the search began with, which may have been raised since.
Rate max_at_first(const Journal &journal, const SearchPlan &plan)
{
    const Json options = journal.header().value("options", Json::object());
    const Json max = options.is_object() ? options.value("max-rate", Json()) : Json();
    return max.is_number_unsigned() ? Rate{max.get<std::uint64_t>()} : plan.range.max;
}

SearchPlan with_max(SearchPlan plan, Rate max)
{
    plan.range.max = max;
    return plan;
}

class Search
{
public:
    Search(const SearchPlan &plan, Journal &journal)
        : max_(plan.range.max), begun_max_(max_at_first(journal, plan)),
          repetitions_(with_max(plan, begun_max_)), journal_(journal)
    {
        result_.min_rate = plan.range.min;
        result_.max_rate = plan.range.max;
        result_.resolution = plan.range.resolution;
        result_.repeat = plan.repeat;
        result_.confirm = plan.confirm;
        result_.invalid_retries = plan.invalid_retries;
    }

    void replay();
    void run(const TrialRunner &run);
    [[nodiscard]] RecalledSearch recall();
    [[nodiscard]] SearchResult take();

private:
    void replay_record(const Journal::Record &record);
    void check_range();
    void record_resumption();
    void feed(const SearchTrial &trial, const Json &json);

    Rate max_;       // of the range, as the request has it now
    Rate begun_max_; // of the range, as the journal has it so far
    Repetitions repetitions_;
    Journal &journal_;
    unsigned invalid_in_turn_ = 0;
    bool is_raised_ = false; // the journal does not say so yet
    SearchResult result_;
};

void Search::replay()
{
    for (const Journal::Record &record : journal_.records()) {
        try {
            replay_record(record);
        } catch (const Json::exception &error) {
            journal_.refuse(record.line, std::string("it is no record: ") + error.what());
        } catch (const std::invalid_argument &error) {
            journal_.refuse(record.line, error.what());
        }
    }
    check_range();
    // The user has mended what made trials invalid before resuming the search.
    invalid_in_turn_ = 0;
}

// A search that has passed all of its range may go on with a higher one.
void Search::check_range()
{
    if (begun_max_ == max_)
        return;
    if (begun_max_ > max_ || repetitions_.state() != Bisection::State::above_range)
        journal_.refuse(1, fmt::format("it is of another search: max-rate was {}, now it is {}",
                                       begun_max_.per_second, max_.per_second));
    repetitions_.raise(max_);
    is_raised_ = true;
}

void Search::replay_record(const Journal::Record &record)
{
    const auto kind = plain_text(record.value.at("record"));
    if (kind == "resumed") {
        result_.resumed++;
        return;
    }
    if (kind == "range") {
        const Rate max{whole_number(record.value.at("max_rate"))};
        if (repetitions_.state() != Bisection::State::above_range || max <= begun_max_)
            throw std::invalid_argument("a higher range where the search has not passed its own");
        repetitions_.raise(max);
        begun_max_ = max;
        return;
    }
    if (kind == "result")
        return;
    if (kind != "trial")
        throw std::invalid_argument("no record of this version: " + kind);
    const Json &json = record.value.at("trial");
    const SearchTrial trial = read_trial(json);
    const std::optional<SearchTurn> turn = repetitions_.next();
    if (!turn)
        throw std::invalid_argument("a trial behind the end of the search");
    if (trial.rate != turn->rate)
        throw std::invalid_argument(
            fmt::format("a trial at {} queries/s where the search makes one at {}",
                        trial.rate.per_second, turn->rate.per_second));
    feed(trial, json);
}

void Search::feed(const SearchTrial &trial, const Json &json)
{
    result_.circumstances = read_circumstances(json.at("circumstances"));
    result_.trials++;
    result_.last_trial = trial;
    invalid_in_turn_ = trial.verdict == Verdict::invalid ? invalid_in_turn_ + 1 : 0;
    result_.invalid_trials += trial.verdict == Verdict::invalid;
    repetitions_.feed(trial);
}

void Search::run(const TrialRunner &run)
{
    bool is_recorded = journal_.records().empty();
    bool has_run = false;
    while (const std::optional<SearchTurn> turn = repetitions_.next()) {
        // "resumed" is on the disk before a trial begins: a crash may leave no record of that
        // trial.
        if (!std::exchange(is_recorded, true))
            record_resumption();
        const std::optional<TrialResult> trial =
            run({*turn, result_.trials + result_.resumed, repetitions_.trials_left()});
        if (!trial) {
            result_.end = SearchEnd::interrupted;
            return;
        }
        has_run = true;
        const Json json = to_json(*trial);
        journal_.append({{"record", "trial"},
                         {"repetition", turn->repetition},
                         {"number", turn->trial},
                         {"trial", json}});
        feed(read_trial(json), json);
        if (invalid_in_turn_ > result_.invalid_retries) {
            result_.end = SearchEnd::invalid_trial;
            return;
        }
    }
    result_.end = end_of(repetitions_.state());
    if (result_.end == SearchEnd::above_range && has_run)
        journal_.append({{"record", "result"}, {"at_least", max_.per_second}});
}

void Search::record_resumption()
{
    journal_.append({{"record", "resumed"}});
    result_.resumed++;
    if (std::exchange(is_raised_, false))
        journal_.append({{"record", "range"}, {"max_rate", max_.per_second}});
}

RecalledSearch Search::recall()
{
    const std::uint64_t left = repetitions_.trials_left();
    result_.end = left != 0 ? SearchEnd::interrupted : end_of(repetitions_.state());
    return {take(), left};
}

SearchResult Search::take()
{
    result_.repetitions = repetitions_.all();
    return std::move(result_);
}

} // namespace

SearchEnd end_of(Bisection::State state)
{
    switch (state) {
    case Bisection::State::below_range:
        return SearchEnd::below_range;
    case Bisection::State::above_range:
        return SearchEnd::above_range;
    case Bisection::State::open:
    case Bisection::State::found:
        break;
    }
    return SearchEnd::complete;
}

SearchResult run_search(const SearchPlan &plan, Journal &journal, const TrialRunner &run)
{
    Search search(plan, journal);
    search.replay();
    search.run(run);
    return search.take();
}

RecalledSearch recall_search(const SearchPlan &plan, Journal &journal)
{
    Search search(plan, journal);
    search.replay();
    return search.recall();
}

} // namespace dnsgauge
