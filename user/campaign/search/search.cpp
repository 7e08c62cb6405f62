// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search/search.h"

#include "record/json_text.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = Journal::Json;

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
          repetitions_(with_max(plan, begun_max_)), journal_(journal),
          trials_(journal,
                  {.next = [this] { return repetitions_.next(); },
                   .feed = [this](const SearchTrial &trial,
                                  const Json & /*whole*/) { repetitions_.feed(trial); },
                   .left = [this] { return TrialsLeft{repetitions_.trials_left()}; }},
                  "search", plan.invalid_retries)
    {
        result_.min_rate = plan.range.min;
        result_.max_rate = plan.range.max;
        result_.resolution = plan.range.resolution;
        result_.repeat = plan.repeat;
        result_.confirm = plan.confirm;
    }
    // The sequence refers to this object.
    Search(const Search &) = delete;
    Search &operator=(const Search &) = delete;

    void replay();
    void run(const TrialRunner &run);
    [[nodiscard]] RecalledSearch recall();
    [[nodiscard]] SearchResult take();

private:
    bool replay_record(const std::string &kind, const Json &record);
    void check_range();

    Rate max_;       // of the range, as the request has it now
    Rate begun_max_; // of the range, as the journal has it so far
    Repetitions repetitions_;
    Journal &journal_;
    JournalledTrials trials_;
    bool is_raised_ = false; // the journal does not say so yet
    SearchResult result_;
};

void Search::replay()
{
    trials_.replay([this](const std::string &kind, const Json &record) {
        return replay_record(kind, record);
    });
    check_range();
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

bool Search::replay_record(const std::string &kind, const Json &record)
{
    if (kind != "range")
        return kind == "result";
    const Rate max{whole_number(record.at("max_rate"))};
    if (repetitions_.state() != Bisection::State::above_range || max <= begun_max_)
        throw std::invalid_argument("a higher range where the search has not passed its own");
    repetitions_.raise(max);
    begun_max_ = max;
    return true;
}

void Search::run(const TrialRunner &run)
{
    const std::uint64_t before = trials_.log().trials;
    const TrialsEnd end = trials_.run(run, [this] {
        if (std::exchange(is_raised_, false))
            journal_.append({{"record", "range"}, {"max_rate", max_.per_second}});
    });
    switch (end) {
    case TrialsEnd::interrupted:
        result_.end = SearchEnd::interrupted;
        return;
    case TrialsEnd::invalid_trial:
        result_.end = SearchEnd::invalid_trial;
        return;
    case TrialsEnd::complete:
        break;
    }
    result_.end = end_of(repetitions_.state());
    if (result_.end == SearchEnd::above_range && trials_.log().trials > before)
        journal_.append({{"record", "result"}, {"at_least", max_.per_second}});
}

RecalledSearch Search::recall()
{
    const std::uint64_t left = repetitions_.trials_left();
    result_.end = left != 0 ? SearchEnd::interrupted : end_of(repetitions_.state());
    return {take(), left};
}

SearchResult Search::take()
{
    static_cast<TrialLog &>(result_) = trials_.log();
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
