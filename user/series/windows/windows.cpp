// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/windows/windows.h"

#include "options/option_error.h"
#include "record/json.h"
#include "record/json_text.h"
#include "system/counted.h"
#include "system/listed.h"
#include "trial/compliance.h"
#include "trial/trial_options.h"
#include "units/pace.h"
#include "units/quantity_access.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

Pace pace_of_window(std::uint64_t window)
{
    return {.kind = Pace::Kind::window, .window = window};
}

std::vector<std::uint64_t> read_windows(const std::string &text, const std::string &name)
{
    std::vector<std::uint64_t> windows;
    for (const std::string_view window : split(text))
        windows.push_back(read_whole(std::string(window), name, 1, window_most));
    if (windows.size() < 2 ||
        std::ranges::adjacent_find(windows, std::ranges::greater_equal()) != windows.end())
        throw SetupError("{}: write two windows or more, from the smallest up: {} 1,10,100", name,
                         name);
    return windows;
}

template <class Windows>
std::string text_of(const Windows &windows, std::string_view between)
{
    return joined(
        windows, [](std::uint64_t window) { return std::to_string(window); }, between);
}

std::string without_figures(std::string text)
{
    std::erase_if(text, [](char one) { return (one >= '0' && one <= '9') || one == '.'; });
    return text;
}

// Tries all windows, and then all of them again.
class WindowSteps : public Strategy
{
public:
    explicit WindowSteps(const WindowsPlan &plan) : plan_(plan) {}

    [[nodiscard]] std::optional<SearchTurn> next() const override
    {
        if (made_ == all())
            return std::nullopt;
        const std::size_t windows = plan_.windows.size();
        const Pace pace = pace_of_window(plan_.windows[made_ % windows]);
        return SearchTurn{.repetition = static_cast<unsigned>(made_ / windows + 1),
                          .trial = static_cast<unsigned>(made_ % windows + 1),
                          .rate = SchedulePlan::highest_of(pace),
                          .pace = pace};
    }
    void feed(const TrialSummary &step) override { made_ += step.verdict != Verdict::invalid; }
    [[nodiscard]] TrialsLeft left() const override { return {all() - made_}; }
    void read(TrialSummary &step, const Json &whole) override
    {
        const Json &window = whole.at("window");
        step.window =
            WindowSummary{.places = whole_number(window.at("places")),
                          .answered_rate = window.at("answered_rate").get<double>(),
                          .mean_open = window.at("mean_open").get<double>(),
                          .mean_open_by_rtt = window.at("mean_open_by_rtt").get<double>()};
        if (step.window->places == 0)
            throw std::invalid_argument("a window without a place");
        if (step.verdict == Verdict::invalid)
            return;
        for (const std::string &doubt : plain_texts(whole.value("doubts", Json::array())))
            doubts_[doubt].insert(step.window->places);
    }

    // Returns each doubt once, with the windows that have it, in the order of the windows. If
    // doubts of one window differ only in figures, returns one of them.
    [[nodiscard]] std::vector<std::string> doubts() const
    {
        std::vector<std::pair<std::set<std::uint64_t>, std::string>> found;
        std::set<std::pair<std::uint64_t, std::string>> has_own;
        for (const auto &[doubt, windows] : doubts_)
            if (windows.size() > 1 ||
                has_own.emplace(*windows.begin(), without_figures(doubt)).second)
                found.emplace_back(windows, doubt);
        std::ranges::sort(found);
        std::vector<std::string> told;
        for (const auto &[windows, doubt] : found)
            told.push_back(fmt::format("{} of {}: {}", windows.size() == 1 ? "window" : "windows",
                                       text_of(windows, ", "), doubt));
        return told;
    }

private:
    [[nodiscard]] std::uint64_t all() const { return plan_.windows.size() * plan_.repeat; }

    WindowsPlan plan_;
    std::uint64_t made_ = 0;                                  // without invalid trials
    std::map<std::string, std::set<std::uint64_t>> doubts_{}; // with the windows that have them
};

void places_row(Fields &fields, const char *key, const char *meaning, const TrialSummary &step)
{
    fields.made(key, step.window ? step.window->places : 0, meaning, {.least = 1});
}
template <auto member>
void open_row(Fields &fields, const char *key, const char *meaning, const TrialSummary &step)
{
    fields.made(key, step.window ? (*step.window).*member : 0.0, meaning);
}

std::string open_text(const Json &open)
{
    return fmt::format("{:.2f}", open.get<double>());
}

Columns<TrialSummary> window_columns()
{
    return trial_columns(
        {{"window", "window", "the queries that all senders together keep open", places_row},
         {"mean_open", "open",
          "queries that were open on average, by the times at which places were taken and freed",
          open_row<&WindowSummary::mean_open>, open_text},
         {"mean_open_by_rtt", "by RTT",
          "the same by Little's law: queries per second times their RTTs, or the timeout",
          open_row<&WindowSummary::mean_open_by_rtt>, open_text}});
}

Columns<TrialSummary> shown_columns()
{
    return chosen(window_columns(),
                  {"window", "repetition", "mean_open", "mean_open_by_rtt", "answered_rate", "sent",
                   "answered", "late", "invalid", "lost", "rtt_p50_ns", "rtt_p99_ns"});
}

std::string caption_of(const WindowsResult &result)
{
    const WindowsPlan &plan = result.plan;
    return fmt::format("Answers of {} by open queries, windows of {} to {}: {} of {} steps of {:g} "
                       "s, timeout {:g} s{}",
                       result.server, plan.windows.front(), plan.windows.back(), result.rows.size(),
                       plan.windows.size() * plan.repeat, seconds(result.duration),
                       seconds(result.timeout),
                       plan.repeat == 1 ? "" : fmt::format(", {} repetitions", plan.repeat));
}

std::string window_outcome(const TrialResult &trial)
{
    if (trial.verdict == Verdict::invalid || !trial.window)
        return answered_text(trial);
    return fmt::format("{:.1f} answers/s; {:.2f} of {} open on average, {:.2f} by RTT",
                       trial.window->answered_rate, trial.window->mean_open,
                       counted(trial.window->places, "query", "queries"),
                       trial.window->mean_open_by_rtt);
}

std::string knee_text(const Knee &knee)
{
    std::string text;
    if (!knee.open)
        text = "No knee is told: " + knee.why_not;
    else
        text = fmt::format(
            "The knee lies at {:.4g} open queries (95 %: {:.4g} to {:.4g}) and {:.0f} answers/s: "
            "below it twice as many bring {:.3f} times the answers ({:.3f} to {:.3f}), above it "
            "{:.3f} times ({:.3f} to {:.3f}); two lines fitted to each of {}",
            knee.open->value, knee.open->low, knee.open->high, knee.answered_rate, knee.below.value,
            knee.below.low, knee.below.high, knee.above.value, knee.above.low, knee.above.high,
            counted(knee.runs, "run"));
    if (knee.falls_from)
        text += fmt::format("; from {:g} open queries on answers/s fall", *knee.falls_from);
    return text;
}

// Returns the greatest deviation from Little's law.
std::string law_text(const std::vector<TrialSummary> &rows)
{
    const auto off = [](const TrialSummary &row) {
        return row.window->mean_open <= 0
                   ? 0
                   : std::abs(row.window->mean_open_by_rtt / row.window->mean_open - 1);
    };
    const auto most = std::ranges::max_element(rows, {}, off);
    constexpr double all = 100;
    return fmt::format("Little's law: queries/s times RTT differ from the open queries by {:.2g} % "
                       "at most (window of {})",
                       all * off(*most), most->window->places);
}

} // namespace

Knee WindowsResult::knee() const
{
    std::map<unsigned, std::vector<double>> runs;
    std::vector<double> open;
    for (const TrialSummary &row : rows) {
        // The logarithm of 0 is no figure, so a server that answers nothing gets a small rate.
        runs[row.repetition].push_back(std::max(row.answered_rate(), 1e-3));
        if (row.repetition == 1)
            open.push_back(static_cast<double>(row.window->places));
    }
    std::erase_if(runs,
                  [this](const auto &run) { return run.second.size() != plan.windows.size(); });
    std::vector<std::vector<double>> complete;
    for (auto &[number, run] : runs)
        complete.push_back(std::move(run));
    return find_knee(open, complete);
}

Option windows_option(std::vector<std::uint64_t> &windows)
{
    return Option(
        "windows", OptionGroup::rates, "COUNT,...",
        "Windows to try instead of rates: queries that each sender keeps open",
        {.set = [&windows](const std::string &text,
                           const std::string &name) { windows = read_windows(text, name); },
         .get = [&windows]() -> OptionValue {
             if (windows.empty())
                 return {};
             return text_of(windows, ",");
         }},
        {.excludes = {"min-rate", "max-rate", "steps", "spacing"}});
}

static void complete(WindowsRequest &request)
{
    if (request.trial.pace)
        throw OptionError({"pace", "windows"}, "--windows is a pace of its own: leave --pace out");
    const WindowsPlan &plan = request.plan;
    request.trial.pace = pace_of_window(plan.windows.back());
    const Rate rate = SchedulePlan::highest_of(*request.trial.pace);
    complete(request.trial);
    complete_series(request, rate, rate, plan.windows.size() * plan.repeat, false);
}

// The trials need no self-test: the number of open queries shows whether the Tester was slow.
static void require_selftest(WindowsRequest &request)
{
    request.certificate = request.trial.certificate = certificate_of(request.trial);
}

static Options options_of(WindowsRequest &request)
{
    WindowsPlan &plan = request.plan;
    return together({{windows_option(plan.windows),
                      {"repeat", OptionGroup::rates, "COUNT", "Times to try all windows",
                       whole(plan.repeat, 1, 10000)},
                      invalid_retries_option(plan.invalid_retries)},
                     series_options(request)});
}

static Caveats caveats_of(const WindowsRequest &request)
{
    TrialPlan trial = request.trial;
    trial.pace.reset();
    std::vector<std::string> deviations = trial_deviations(trial);
    deviations.emplace_back("windows of open queries, not a constant rate");
    return caveats_of(request, std::move(deviations));
}

WindowsResult run_windows(const WindowsPlan &plan, Journal &journal, const TrialRunner &run)
{
    WindowSteps steps(plan);
    WindowsResult result{run_series(steps, journal, run, "sweep", plan.invalid_retries), plan};
    leave_valid(result);
    result.caveats.doubts = steps.doubts();
    return result;
}

static WindowsResult run_series(const WindowsRequest &request, Journal &journal,
                                const TrialRunner &run)
{
    return run_windows(request.plan, journal, run);
}

static ProgressWords words_of(const WindowsRequest &request)
{
    return {.series = "repetition",
            .trial = "step",
            .outcome = window_outcome,
            .repeat = request.plan.repeat};
}

static ExitStatus status_of(const WindowsRequest & /*request*/, const WindowsResult &result)
{
    return status_of(result.end, result, "smaller --windows");
}

ExitStatus sweep_windows(WindowsRequest &request, const SeriesFiles &files, const std::string &name,
                         const std::vector<std::string> &words)
{
    return run_command(request, files, name, words);
}

static void fields(Fields &row, Bounded &bounded)
{
    row("value", bounded.value, "the figure");
    row("low", bounded.low, "the lower end of its 95 % interval");
    row("high", bounded.high, "the upper end");
}

static void fields(Fields &row, Knee &knee)
{
    row.object("open", knee.open,
               "the open queries at the knee: the geometric mean of the runs' knees, and Student's "
               "t interval; null: none is told (why_not)");
    row.made("answered_rate", knee.answered_rate, "answers per second at the knee",
             {.is_null = !knee.open});
    row.object("below", knee.below,
               "by what answers per second are multiplied below the knee where the open queries "
               "are doubled; 0: nothing was fitted");
    row.object("above", knee.above, "the same above the knee");
    row.made("falls_from", knee.falls_from,
             "the first window from which on answers per second are below 90 % of the highest "
             "ones, which the fit leaves out; null: there is none");
    row.made("runs", knee.runs, "complete runs through all windows");
    row.made("why_not", knee.why_not, "why no knee is told; empty: one is");
}

void fields(Fields &row, WindowsResult &result)
{
    begin_rows(row, "window-sweep", "windows of open queries", result);
    row.made("windows", result.plan.windows, "the queries that each sender kept open, ascending",
             {.least = 1});
    row("repeat", result.plan.repeat, "how often every window was to be tried");
    common_rows(row, result, {.duration = {}, .timeout = {}, .accept = {}});
    Knee knee = row.describes() ? Knee{} : result.knee();
    row.object("knee", knee,
               "from how many open queries on more of them bring no more answers per second: "
               "where two lines meet that are fitted to each run, log answers per second by log "
               "open queries");
    end_rows(row, result, window_columns(),
             {"rate", "window", "mean_open", "mean_open_by_rtt", "answered_rate"});
}

std::string to_text(const WindowsResult &result, TableForm form)
{
    Columns<TrialSummary> columns = shown_columns();
    if (form != TableForm::csv && result.plan.repeat == 1)
        columns.erase(columns.begin() + 1);
    Table table = rows_table(result.rows, columns, form);
    table.caption = caption_of(result);
    if (!result.rows.empty())
        table.notes = {knee_text(result.knee()), law_text(result.rows)};
    std::ranges::copy(series_notes(result), std::back_inserter(table.notes));
    return render(table, form);
}

} // namespace dnsgauge
