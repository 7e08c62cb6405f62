// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gate/gate_run.h"

#include "experiment/server_control.h"
#include "record/json.h"
#include "record/record_file.h"
#include "system/counted.h"
#include "system/listed.h"
#include "system/setup_error.h"
#include "system/standard_output.h"
#include "system/temporary_directory.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <random>

namespace dnsgauge
{

namespace
{

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

// Returns whether the text names a file that cannot be a program.
bool is_result_file(const std::string &text)
{
    std::error_code error;
    const fs::file_status status = fs::status(text, error);
    constexpr auto may_run = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
    return fs::is_regular_file(status) && (status.permissions() & may_run) == fs::perms::none;
}

// Returns whether the trial counts. If a trial in a file is invalid only because of the cost of
// stalls, it counts: see gate_plan().
bool is_telling(const Json &trial)
{
    return trial.at("verdict") != "invalid" ||
           trial.value(Json::json_pointer("/stalls/decided"), false);
}

// Returns the trials in the files that count, and the number of the others.
std::vector<Json> read_trials(const std::vector<std::string> &files, std::uint64_t &invalid)
{
    std::vector<Json> trials;
    for (const std::string &file : files) {
        const Json result = read_json_file(file);
        const std::string form = result.is_object() ? result.value("schema", "") : "";
        if (form == "dnsgauge/trials/1")
            trials.insert(trials.end(), result.at("trials").begin(), result.at("trials").end());
        else if (form == "dnsgauge/trial/1")
            trials.push_back(result);
        else
            throw SetupError("{} is not the result of trials: give files that \"dnsgauge trial "
                             "--json\" wrote, best with --repeat",
                             file);
    }
    invalid += trials.size();
    std::erase_if(trials, [](const Json &trial) { return !is_telling(trial); });
    invalid -= trials.size();
    return trials;
}

class GateRun
{
public:
    GateRun(const GateRequest &request, const std::atomic<bool> &stop)
        : request_(request), stop_(stop), gate_(request.figures, request.error_percent),
          series_(request.plan, request.between, stop, [](const TrialProgress & /*not shown*/) {}),
          random_(request.seed)
    {
    }

    [[nodiscard]] GateResult run();

private:
    [[nodiscard]] bool make_round();
    [[nodiscard]] std::optional<Json> make_trial(const char *side, const std::string &command);
    void tell_round() const;
    [[nodiscard]] std::string why_over(Clock::time_point begin) const;

    const GateRequest &request_;
    const std::atomic<bool> &stop_;
    Gate gate_;
    TrialSeries series_;
    std::mt19937_64 random_;
    TemporaryDirectory output_{"dnsgauge-gate"}; // what servers print
    GateResult result_;
    std::uint64_t begun_ = 0; // trials
    unsigned invalid_in_turn_ = 0;
    std::string invalid_why_;
    Clock::duration longest_{}; // round
};

// Returns nothing if it was stopped.
std::optional<Json> GateRun::make_trial(const char *side, const std::string &command)
{
    const std::string name = fmt::format("--{}", side);
    // If some other server answers, both servers would look alike.
    if (begun_ < 2 && series_.is_ready())
        throw SetupError("a server answers before {} has started its own: end that server", name);
    ServerControl server({.name = name,
                          .directory = output_.path() / side,
                          .log = output_.path() / (std::string(side) + ".log"),
                          .start = {"/bin/sh", "-c", command}},
                         {}, stop_);
    const auto check = [&] {
        server.check_alive();
        if (!server.is_in_foreground())
            throw SetupError("the command of {} has ended: give a command that runs the server in "
                             "the foreground",
                             name);
    };
    if (!server.start() || !series_.wait_until_ready("the start of " + name, check))
        return std::nullopt;
    const std::optional<TrialResult> trial =
        series_.run(request_.plan.rate, begun_++, {}, invalid_in_turn_);
    if (!trial || stop_)
        return std::nullopt;
    check();
    result_.circumstances = trial->circumstances;
    for (const std::string &doubt : trial->caveats.doubts)
        result_.doubts.push_back(fmt::format("trial {} ({}): {}", begun_, side, doubt));
    if (!server.end())
        return std::nullopt;
    if (trial->verdict == Verdict::invalid) {
        result_.invalid_trials++;
        invalid_why_ = trial->why;
    }
    return to_json(*trial);
}

// Returns false if it was stopped.
bool GateRun::make_round()
{
    const bool candidate_first = (random_() & 1) != 0;
    std::array<std::optional<Json>, 2> trials; // the baseline's first
    for (const bool is_candidate : {candidate_first, !candidate_first}) {
        trials.at(is_candidate) = is_candidate ? make_trial("candidate", request_.candidate.front())
                                               : make_trial("baseline", request_.baseline.front());
        if (!trials.at(is_candidate))
            return false;
        if (!is_telling(*trials.at(is_candidate))) {
            say("dnsgauge: the round is made again, because a trial of the {} is invalid{}\n",
                is_candidate ? "candidate" : "baseline",
                invalid_in_turn_++ == 0 ? ": " + invalid_why_ : ", too");
            return true;
        }
    }
    invalid_in_turn_ = 0;
    result_.first.emplace_back(candidate_first ? "candidate" : "baseline");
    gate_.feed(*trials[0], *trials[1]);
    tell_round();
    return true;
}

void GateRun::tell_round() const
{
    const std::string differences = joined(gate_.figures(), [](const JudgedFigure &one) {
        const auto [baseline, candidate] = one.rounds.back().values;
        const std::optional<double> worse = difference(one.figure, baseline, candidate);
        return one.figure.name + ' ' + (worse ? difference_text(one.figure, *worse) : "-");
    });
    say("dnsgauge: round {} (the {} first): {}\n", gate_.rounds(), result_.first.back(),
        differences);
}

// Returns why no further round is made; empty if one is.
std::string GateRun::why_over(Clock::time_point begin) const
{
    if (stop_)
        return "interrupted";
    if (invalid_in_turn_ > request_.invalid_retries)
        return "too many trials in turn were invalid (" + invalid_why_ + ")";
    if (gate_.rounds() >= request_.rounds_most)
        return fmt::format("--rounds {} are over", request_.rounds_most);
    if (Clock::now() - begin + longest_ > request_.time)
        return fmt::format("--time {:g} has no room for another round", seconds(request_.time));
    return {};
}

GateResult GateRun::run()
{
    const auto begin = Clock::now();
    std::string end;
    while (gate_.needs_rounds() && (end = why_over(begin)).empty()) {
        const auto round = Clock::now();
        if (make_round())
            longest_ = std::max(longest_, Clock::now() - round);
    }
    result_.has_trials = true;
    result_.seed = request_.seed;
    result_.spent = Clock::now() - begin;
    conclude(result_, gate_, end);
    return std::move(result_);
}

GateResult with_conditions(GateResult result, const GateRequest &request)
{
    result.baseline = request.baseline;
    result.candidate = request.candidate;
    result.error_percent = request.error_percent;
    return result;
}

} // namespace

TrialPlan gate_plan()
{
    TrialPlan plan = usual_plan();
    plan.duration = std::chrono::seconds(5);
    plan.accept_percent = 0;
    plan.tolerances.others_percent = 100;
    return plan;
}

bool are_results(const GateRequest &request)
{
    std::vector<std::string> all = request.baseline;
    all.insert(all.end(), request.candidate.begin(), request.candidate.end());
    for (const std::string &text : all)
        if (text.ends_with(".json") && !fs::exists(text))
            throw SetupError("{}: there is no such file: give results that \"dnsgauge trial "
                             "--json\" wrote, or commands that run servers",
                             text);
    const auto files = static_cast<std::size_t>(std::ranges::count_if(all, is_result_file));
    if (files == all.size())
        return true;
    if (files == 0 && all.size() == 2)
        return false;
    throw SetupError("--baseline and --candidate must both be files of results, or both be one "
                     "command: two servers' trials tell a difference only if they take turns");
}

GateResult judge_files(const GateRequest &request)
{
    GateResult result;
    try {
        const std::vector<Json> baseline = read_trials(request.baseline, result.invalid_trials);
        const std::vector<Json> candidate = read_trials(request.candidate, result.invalid_trials);
        Gate gate(request.figures, request.error_percent);
        for (std::size_t i = 0; i < std::min(baseline.size(), candidate.size()); i++)
            gate.feed(baseline[i], candidate[i]);
        if (baseline.size() != candidate.size())
            result.doubts.push_back(
                fmt::format("{} of the baseline and {} of the candidate: the rest is not judged",
                            counted(baseline.size(), "trial"), counted(candidate.size(), "trial")));
        result.doubts.emplace_back(
            "no coin ordered these trials: what changed between them besides "
            "the server is in the difference");
        conclude(result, gate, "the files have no more trials");
    } catch (const Json::exception &error) {
        throw SetupError(std::string("a result lacks a field of its schema: ") + error.what());
    }
    return with_conditions(std::move(result), request);
}

GateResult run_gate(const GateRequest &request, const std::atomic<bool> &stop)
{
    return with_conditions(GateRun(request, stop).run(), request);
}

} // namespace dnsgauge
