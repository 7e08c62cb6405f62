// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/search/repetitions.h"

#include "record/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace dnsgauge
{

namespace
{

// One unlucky trial may have capped a search if at least this many last steps all passed, although
// each could as well have failed. Without such a trial this happens in one search of 64.
constexpr unsigned suspicious_passes = 6;

// A rate is more than the Tester can offer if this many trials say so.
constexpr unsigned tries_to_offer = 2;

SearchPlan with_max(SearchPlan plan, std::optional<Rate> max)
{
    plan.range.max = max.value_or(plan.range.max);
    return plan;
}

std::optional<Cap> find_cap(const Repetition &repetition, const Bisection &bisection)
{
    if (bisection.passed_since_failure() < suspicious_passes)
        return std::nullopt;
    // Finds the last failed trial at the lowest rate that failed: the rate right above the result.
    std::optional<Cap> cap;
    for (std::size_t i = 0; i < repetition.trials.size(); i++) {
        const TrialSummary &trial = repetition.trials[i];
        if (trial.verdict == Verdict::fail && trial.rate > bisection.found() &&
            (!cap || trial.rate <= repetition.trials[cap->trial].rate))
            cap = Cap{i, bisection.passed_since_failure()};
    }
    return cap;
}

} // namespace

bool OfferTries::is_enough(const TrialSummary &trial)
{
    tries_ += trial.rate_not_offered && trial.rate > min_;
    return tries_ >= std::min(tries_to_offer, 1 + retries_);
}

// The first repetition tries the ends of the range first, to find out whether the range holds the
// result. Later repetitions begin in the middle.
Repetitions::Repetitions(const SearchPlan &plan, std::optional<Rate> begun_max)
    : plan_(with_max(plan, begun_max)), max_(plan.range.max),
      bisection_(plan_.range, plan.confirm, Bisection::first_ends(plan_.range)),
      tries_(plan.range.min, plan.invalid_retries), repetitions_(1)
{
}

TrialsEnd end_of(Bisection::State state)
{
    switch (state) {
    case Bisection::State::below_range:
        return TrialsEnd::below_range;
    case Bisection::State::above_range:
        return TrialsEnd::above_range;
    case Bisection::State::not_offered:
        return TrialsEnd::not_offered;
    case Bisection::State::open:
    case Bisection::State::found:
        break;
    }
    return TrialsEnd::complete;
}

bool Repetitions::take(const std::string &kind, const Journal::Json &record)
{
    if (kind != "range")
        return kind == "result";
    const Rate max{whole_number(record.at("max_rate"))};
    if (end() != TrialsEnd::above_range || max <= plan_.range.max)
        throw std::invalid_argument("a higher range where the search has not passed its own");
    raise(max);
    return true;
}

void Repetitions::begin(const Journal &journal)
{
    const Rate was = plan_.range.max;
    if (was == max_)
        return;
    if (was > max_ || end() != TrialsEnd::above_range)
        journal.refuse(1, fmt::format("it is of another search: max-rate was {}, now it is {}",
                                      was.per_second, max_.per_second));
    raise(max_);
    is_raised_ = true;
}

std::optional<Journal::Json> Repetitions::resumed()
{
    if (!std::exchange(is_raised_, false))
        return std::nullopt;
    return Journal::Json{{"record", "range"}, {"max_rate", max_.per_second}};
}

std::optional<SearchTurn> Repetitions::next() const
{
    if (bisection_.state() != Bisection::State::open)
        return std::nullopt;
    return SearchTurn{static_cast<unsigned>(repetitions_.size()),
                      static_cast<unsigned>(repetitions_.back().trials.size() + 1),
                      bisection_.next()};
}

void Repetitions::feed(const TrialSummary &trial)
{
    Repetition &repetition = repetitions_.back();
    if (trial.verdict == Verdict::invalid) {
        if (!tries_.is_enough(trial))
            return;
        bisection_.feed_not_offered();
    } else {
        repetition.trials.push_back(trial);
        bisection_.feed(trial.verdict == Verdict::pass);
    }
    tries_.reset();
    repetition.passed = bisection_.passed();
    repetition.failed = bisection_.failed();
    repetition.not_offered = bisection_.not_offered();
    if (bisection_.state() == Bisection::State::above_range ||
        bisection_.state() == Bisection::State::not_offered)
        repetition.at_least = bisection_.passed();
    if (bisection_.state() != Bisection::State::found)
        return;
    repetition.rate = bisection_.found();
    repetition.cap = find_cap(repetition, bisection_);
    if (repetitions_.size() == plan_.repeat)
        return;
    repetitions_.emplace_back();
    bisection_ = Bisection(plan_.range, plan_.confirm, Bisection::Ends::last, guess());
}

std::optional<Guess> Repetitions::guess() const
{
    const std::optional<Rate> &first = repetitions_.front().rate;
    if (plan_.near_percent <= 0 || !first)
        return std::nullopt;
    constexpr double all = 100;
    const auto reach = static_cast<std::uint64_t>(static_cast<double>(first->per_second) *
                                                  plan_.near_percent / all);
    const std::uint64_t wide = std::max(reach, plan_.range.resolution);
    const std::uint64_t low = first->per_second > wide ? first->per_second - wide : 0;
    return Guess{Rate{low}, Rate{first->per_second + wide}};
}

void Repetitions::raise(Rate max)
{
    plan_.range.max = max;
    bisection_.raise(max);
    repetitions_.back().at_least.reset();
}

std::uint64_t Repetitions::trials_left() const
{
    if (bisection_.state() != Bisection::State::open)
        return 0;
    const Bisection fresh(plan_.range, plan_.confirm, Bisection::Ends::last, guess());
    return bisection_.trials_left() +
           (plan_.repeat - repetitions_.size()) * std::uint64_t{fresh.trials_left()};
}

std::uint64_t Repetitions::most_trials(const SearchPlan &plan)
{
    const std::uint64_t ends = plan.near_percent > 0 ? 2 : 0; // of the guess
    return plan.repeat * (Bisection::most_trials(plan.range, plan.confirm) +
                          ends * (1 + std::uint64_t{plan.confirm}));
}

} // namespace dnsgauge
