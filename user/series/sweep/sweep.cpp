// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/sweep/sweep.h"

#include "options/option_error.h"
#include "series/windows/windows.h"
#include "units/quantity_access.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace dnsgauge
{

namespace
{

constexpr std::uint64_t rates_most = 10'000;

Options grid_options(SweepPlan &plan)
{
    return {
        {"steps", OptionGroup::rates, "COUNT", "Rates to try, both ends included",
         whole(plan.rates, 2, rates_most)},
        {"spacing", OptionGroup::rates, "KIND",
         "Spacing of the rates: linear, logarithmic, or bisected where the curve bends",
         word(plan.spacing, spacings)},
        {"repeat", OptionGroup::rates, "COUNT", "Times to try all rates",
         whole(plan.repeat, 1, 10000)},
        invalid_retries_option(plan.invalid_retries),
    };
}

void check_grid(const SweepPlan &plan)
{
    check_range(plan.min, plan.max);
    constexpr std::uint64_t bisected_least = 3;
    if (plan.spacing == Spacing::bisected && plan.rates < bisected_least)
        throw OptionError({"steps", "spacing"},
                          "--spacing bisected begins with {} rates: give --steps {} or "
                          "more",
                          bisected_least, bisected_least);
    const bool are_too_many = plan.max.per_second - plan.min.per_second < plan.rates - 1;
    std::vector<Rate> rates;
    if (!are_too_many)
        rates = rates_of(plan);
    if (are_too_many || std::ranges::adjacent_find(rates) != rates.end())
        throw OptionError({"steps", "min-rate", "max-rate"},
                          "--steps {} would try the same rate twice, because rates are whole "
                          "numbers: give fewer steps, or a wider range",
                          plan.rates);
}

Columns<TrialSummary> step_columns()
{
    return chosen(trial_columns(),
                  {"rate", "repetition", "sent", "answered", "answered_percent", "answered_rate",
                   "late", "invalid", "lost", "rtt_p50_ns", "rtt_p99_ns"});
}

std::string caption_of(const SweepResult &result)
{
    const SweepPlan &plan = result.plan;
    return fmt::format("Response rate of {} from {} to {} queries/s: {} of {} steps of {:g} s, "
                       "timeout {:g} s, {} spacing{}",
                       result.server, plan.min.per_second, plan.max.per_second, result.rows.size(),
                       plan.rates * plan.repeat, seconds(result.duration), seconds(result.timeout),
                       spacings.text_of(plan.spacing),
                       plan.repeat == 1 ? "" : fmt::format(", {} repetitions", plan.repeat));
}

// A bisected sweep divides no interval that is narrower than a quarter of a linear sweep's. Closer
// steps would follow the noise.
constexpr std::uint64_t finest_division = 4;

double position(const TrialSummary &step)
{
    return static_cast<double>(step.rate.per_second);
}

// Returns the distance of the curve at steps[at] from the straight line between the neighbouring
// steps, in answered queries per second. The neighbour before the first step is the rate 0, at
// which nothing is answered. The last step has no bend.
double bend_at(std::span<const TrialSummary> steps, std::size_t at)
{
    if (at + 1 == steps.size())
        return 0;
    const double below = at == 0 ? 0 : position(steps[at - 1]);
    const double answered_below = at == 0 ? 0 : steps[at - 1].answered_rate();
    const TrialSummary &above = steps[at + 1];
    const double way = (position(steps[at]) - below) / (position(above) - below);
    const double line = answered_below + way * (above.answered_rate() - answered_below);
    return std::abs(steps[at].answered_rate() - line);
}

std::uint64_t finest_interval(const SweepPlan &plan)
{
    const std::uint64_t range = plan.max.per_second - plan.min.per_second;
    return std::max<std::uint64_t>(2, range / (finest_division * (plan.rates - 1)));
}

} // namespace

std::vector<Rate> rates_of(const SweepPlan &plan)
{
    const std::uint64_t range = plan.max.per_second - plan.min.per_second;
    const double ratio =
        static_cast<double>(plan.max.per_second) / static_cast<double>(plan.min.per_second);
    const std::uint64_t last = plan.rates - 1;
    std::vector<Rate> rates;
    switch (plan.spacing) {
    case Spacing::linear:
        for (std::uint64_t i = 0; i <= last; i++) {
            __extension__ using wide = unsigned __int128;
            rates.push_back(
                Rate{plan.min.per_second + static_cast<std::uint64_t>(wide{range} * i / last)});
        }
        return rates;
    case Spacing::logarithmic:
        for (std::uint64_t i = 0; i < last; i++)
            rates.push_back(Rate{static_cast<std::uint64_t>(std::llround(
                static_cast<double>(plan.min.per_second) *
                std::pow(ratio, static_cast<double>(i) / static_cast<double>(last))))});
        rates.push_back(plan.max);
        return rates;
    case Spacing::bisected:
        break;
    }
    return {plan.min, Rate{plan.min.per_second + range / 2}, plan.max};
}

// The interval that holds the bend of the curve has the greatest sum of the bends at its ends. If
// intervals have the same sum, the interval with the highest rates is chosen. Sums are the same if
// a server keeps up in all intervals but the last.
std::optional<Rate> sharpest_bend(std::span<const TrialSummary> steps, std::uint64_t finest)
{
    std::optional<Rate> found;
    double sharpest = 0;
    std::uint64_t widest = 0;
    for (std::size_t i = 0; i + 1 < steps.size(); i++) {
        const std::uint64_t low = steps[i].rate.per_second;
        const std::uint64_t width = steps[i + 1].rate.per_second - low;
        const double bend = bend_at(steps, i) + bend_at(steps, i + 1);
        if (width < std::max<std::uint64_t>(2, finest) || bend < sharpest ||
            (bend == sharpest && width < widest))
            continue;
        sharpest = bend;
        widest = width;
        found = Rate{low + width / 2};
    }
    return found;
}

SweepSteps::SweepSteps(const SweepPlan &plan)
    : plan_(plan), rates_(rates_of(plan)), tries_(plan.min, plan.invalid_retries)
{
}

std::optional<SearchTurn> SweepSteps::next() const
{
    if (at_ == rates_.size())
        return std::nullopt;
    return SearchTurn{repetition_, static_cast<unsigned>(at_ + 1), rates_[at_]};
}

void SweepSteps::feed(const TrialSummary &step)
{
    if (step.verdict == Verdict::invalid) {
        if (!tries_.is_enough(step))
            return;
        leave_out_from(step.rate);
    } else {
        if (repetition_ == 1)
            made_.push_back(step);
        at_++;
    }
    tries_.reset();
    if (at_ < rates_.size())
        return;
    if (plan_.spacing == Spacing::bisected && repetition_ == 1)
        bisect();
    if (at_ < rates_.size() || repetition_ == plan_.repeat)
        return;
    // Later repetitions try the rates of the first one in ascending order.
    std::ranges::sort(rates_);
    repetition_++;
    at_ = 0;
}

void SweepSteps::leave_out_from(Rate limit)
{
    not_offered_ = limit;
    const auto ahead = rates_.begin() + static_cast<std::ptrdiff_t>(at_);
    rates_.erase(std::remove_if(ahead, rates_.end(), [=](Rate rate) { return rate >= limit; }),
                 rates_.end());
    if (plan_.spacing != Spacing::bisected || repetition_ != 1)
        return;
    // The curve's upper end is then between the highest step and the limit.
    const Rate highest = std::ranges::max(made_, {}, &TrialSummary::rate).rate;
    const std::uint64_t gap = limit.per_second - highest.per_second;
    if (gap > finest_interval(plan_))
        rates_.push_back(Rate{highest.per_second + gap / 2});
}

// Adds the rate that tells most, unless there are enough rates.
void SweepSteps::bisect()
{
    if (rates_.size() == plan_.rates)
        return;
    std::vector<TrialSummary> steps = made_;
    std::ranges::sort(steps, {}, &TrialSummary::rate);
    if (const std::optional<Rate> rate = sharpest_bend(steps, finest_interval(plan_)))
        rates_.push_back(*rate);
}

TrialsLeft SweepSteps::left() const
{
    const bool is_open = plan_.spacing == Spacing::bisected && repetition_ == 1;
    const std::uint64_t each = is_open ? plan_.rates : rates_.size();
    return {at_ == rates_.size() ? 0 : (plan_.repeat - repetition_ + 1) * each - at_};
}

Options options_of(SweepRequest &request)
{
    SweepPlan &plan = request.sweep;
    return together(
        {range_options(plan.min, plan.max, true), grid_options(plan), series_options(request)});
}

void complete(SweepRequest &request)
{
    const SweepPlan &plan = request.sweep;
    check_grid(plan);
    complete(request, plan.min, plan.max, plan.rates * plan.repeat, false);
}

SweepResult run_sweep(const SweepPlan &plan, Journal &journal, const TrialRunner &run)
{
    SweepSteps steps(plan);
    SweepResult result{run_series(steps, journal, run, "sweep", plan.invalid_retries), plan};
    result.not_offered = steps.not_offered();
    leave_valid(result);
    return result;
}

static SweepResult run_series(const SweepRequest &request, Journal &journal, const TrialRunner &run)
{
    return run_sweep(request.sweep, journal, run);
}

static ProgressWords words_of(const SweepRequest &request)
{
    return {.series = "repetition",
            .trial = "step",
            .outcome = answered_text,
            .repeat = request.sweep.repeat};
}

void fields(Fields &row, SweepResult &result)
{
    SweepPlan &plan = result.plan;
    begin_rows(row, "sweep", "a range of rates", result);
    range_rows(row, plan.min, plan.max, newer);
    row.word("spacing", plan.spacing, spacings,
             "how the rates follow each other; bisected: ever closer where the curve bends", newer);
    row("rates_wanted", plan.rates, "rates that were asked for", newer);
    row("repeat", plan.repeat, "how often every rate was to be tried", newer);
    row.made(
        "not_offered", result.not_offered,
        "the lowest rate that the Tester could not offer: the sweep leaves out all rates from here "
        "on. A missing value means that it offered all",
        sometimes);
    common_rows(row, result, {.end = newer});
    end_rows(row, result, trial_columns(), {"rate"});
}

std::string to_text(const SweepResult &result, TableForm form)
{
    Columns<TrialSummary> columns = step_columns();
    if (form != TableForm::csv && result.plan.repeat == 1)
        columns.erase(columns.begin() + 1);
    Table table = rows_table(result.rows, columns, form);
    table.caption = caption_of(result);
    table.notes = series_notes(result);
    return render(table, form);
}

namespace
{

// What the command is asked for: a sweep of rates, or of windows.
struct SweepChoice : SweepRequest {
    std::vector<std::uint64_t> windows{}; // empty if the steps are rates
};

Options options_of(SweepChoice &choice)
{
    Options options = dnsgauge::options_of(static_cast<SweepRequest &>(choice));
    for (Option &option : options)
        if (option.name == "min-rate" || option.name == "max-rate")
            option.stand_ins = {"windows"};
    return together({options, {windows_option(choice.windows)}});
}

ExitStatus run_command(SweepChoice &choice, const SeriesFiles &files, const std::string &name,
                       const std::vector<std::string> &words)
{
    if (choice.windows.empty())
        return run_command<SweepRequest>(choice, files, name, words);
    const SweepPlan &plan = choice.sweep;
    WindowsRequest request{choice, {choice.windows, plan.repeat, plan.invalid_retries}};
    return sweep_windows(request, files, name, words);
}

} // namespace

Command sweep_command(std::shared_ptr<Testers> testers)
{
    return series_command(
        {.name = "sweep",
         .summary = "Tell how much a server answers at each of a range of rates, or of windows",
         .examples = {"dnsgauge sweep --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                      "    --min-rate 50k --max-rate 1M --duration 5 --journal sweep.jsonl",
                      "dnsgauge sweep --interface eth1 --server 192.0.2.53 --queries root.txt \\",
                      "    --min-rate 1k --max-rate 1M --spacing logarithmic --repeat 5 \\",
                      "    --journal sweep.jsonl --json sweep.json --form csv",
                      "dnsgauge sweep --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                      "    --allow-repeats --windows 1,2,5,10,20,50,100,200,500 --repeat 5 \\",
                      "    --duration 2 --journal windows.jsonl --json windows.json"},
         .statuses = {{ExitStatus::criterion_met, "the sweep is complete"},
                      {ExitStatus::wrong_input, "the command or the environment is wrong"},
                      {ExitStatus::nothing_learned,
                       "a trial was invalid, or the sweep was interrupted: go on with --resume"}}},
        SweepChoice{}, std::move(testers));
}

} // namespace dnsgauge
