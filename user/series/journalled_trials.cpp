// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/journalled_trials.h"

#include "record/json.h"
#include "record/json_text.h"
#include "record/machine_fields.h"
#include "record/probe_fields.h"
#include "record/trial_fields.h"
#include "result/labels.h"
#include "system/listed.h"
#include "system/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = Journal::Json;

// More queries than the longest trial sends at the highest rate; sums of such counts stay exact.
constexpr std::uint64_t sent_most = 10'000'000'000'000'000;

Verdict read_verdict(const std::string &text)
{
    if (const std::optional<Verdict> verdict = verdict_words.value_of(text))
        return *verdict;
    throw std::invalid_argument("no verdict: " + text);
}

// Reads a trial in the journal's form. A trial that was just made is read back in this way, too. So
// a resumed series knows the same as an uninterrupted one.
TrialSummary read_trial(const Json &trial)
{
    TrialSummary read;
    read.rate = Rate{whole_number(trial.at("rate"))};
    read.verdict = read_verdict(plain_text(trial.at("verdict")));
    read.sent = whole_number(trial.at("sent"));
    read.valid = whole_number(trial.at("valid"));
    read.why = plain_text(trial.at("why"));
    read.rate_not_offered = trial.value("rate_not_offered", false);
    read.late = whole_number(trial.at("late"));
    read.invalid = whole_number(trial.at("invalid").at("total"));
    read.lost = whole_number(trial.at("lost"));
    read.rtt_p50 = number_or_none(trial.at("rtt_ns").at("p50"));
    read.rtt_p99 = number_or_none(trial.at("rtt_ns").at("p99"));
    if (const Json mean = trial.at("rtt_ns").value("mean", Json()); !mean.is_null())
        read.rtt_mean = mean.get<double>();
    read.started = plain_text(trial.at("circumstances").at("started"));
    read.duration = read_seconds(trial.at("duration_s"));
    if (read.sent > sent_most)
        throw std::invalid_argument(fmt::format("a trial of {} queries", read.sent));
    if (read.valid > read.sent)
        throw std::invalid_argument(
            fmt::format("a trial with more answers than queries: {}, {}", read.valid, read.sent));
    std::uint64_t left = read.sent - read.valid;
    for (const std::uint64_t count : {read.late, read.invalid, read.lost}) {
        if (count > left)
            throw std::invalid_argument("a trial with more replies and losses than queries");
        left -= count;
    }
    if (read.sent == 0 && read.verdict != Verdict::invalid)
        throw std::invalid_argument("a trial without a query, which is not invalid");
    if (const auto probe = trial.find("probe"); probe != trial.end())
        read.probe = read_or_none<ProbeResult>(*probe);
    if (read.probe) {
        for (const Stage &stage : stages)
            ((*read.probe).*stage.times).histogram.clear();
        read.probe->by_time.clear();
    }
    return read;
}

// Returns the Testers that made the trial. A trial without `testers` was made by the journal's host
// alone.
TesterTeam team_of(const Json &trial, const Json &header)
{
    TesterTeam team;
    for (const Json &tester : trial.value("testers", Json::array())) {
        const Json &part = tester.at("trial");
        team.hosts.push_back(plain_text(tester.at("host")));
        team.servers.push_back(part.is_null() ? "" : plain_text(part.at("server")));
    }
    if (team.hosts.empty()) {
        team.hosts.push_back(plain_text(header.at("setup").value("host", Json(""))));
        team.servers.push_back(plain_text(trial.at("server")));
    }
    return team;
}

// Returns whether the Testers are the same and ask the same servers, as far as is known.
bool is_same(const TesterTeam &one, const TesterTeam &other)
{
    return one.hosts == other.hosts &&
           std::ranges::equal(one.servers, other.servers,
                              [](const std::string &asked, const std::string &asks) {
                                  return asked.empty() || asks.empty() || asked == asks;
                              });
}

// Returns whether a Tester sent no part of the trial.
bool lacks_a_tester(const TrialResult &trial)
{
    return std::ranges::any_of(trial.testers,
                               [](const TesterResult &tester) { return !tester.trial; });
}

void count(std::vector<TesterTeam> &teams, const TesterTeam &team)
{
    if (teams.empty() || !is_same(teams.back(), team))
        teams.push_back(team);
    TesterTeam &last = teams.back();
    for (std::size_t rank = 0; rank < last.servers.size(); rank++)
        if (last.servers[rank].empty())
            last.servers[rank] = team.servers[rank];
    last.trials++;
}

// Returns the servers that the last trial asked, each once; nothing if one of them is unknown.
std::vector<std::string> last_asked(const TrialLog &log)
{
    if (log.teams.empty() || std::ranges::any_of(log.teams.back().servers, &std::string::empty))
        return {};
    return each_once(log.teams.back().servers);
}

class JournalledTrials
{
public:
    JournalledTrials(Journal &journal, Strategy &strategy, std::string name,
                     unsigned invalid_retries)
        : journal_(journal), strategy_(strategy), name_(std::move(name))
    {
        result_.journal = journal.path();
        result_.invalid_retries = invalid_retries;
    }

    // Feeds the journal's trials to the strategy.
    void replay()
    {
        for (const Journal::Record &record : journal_.records()) {
            try {
                const std::string kind = plain_text(record.value.at("record"));
                if (kind == "resumed")
                    result_.resumed++;
                else if (kind == "trial")
                    replay_trial(record.value);
                else if (!strategy_.take(kind, record.value))
                    throw std::invalid_argument("no record of this version: " + kind);
            } catch (const Json::exception &error) {
                journal_.refuse(record.line, std::string("it is no record: ") + error.what());
            } catch (const std::invalid_argument &error) {
                journal_.refuse(record.line, error.what());
            }
        }
        // A user who resumes has mended what made trials invalid.
        invalid_in_turn_ = 0;
        strategy_.begin(journal_);
    }

    // Makes the trials that the journal lacks, until the strategy ends or something ends it.
    [[nodiscard]] TrialsEnd run(const TrialRunner &run)
    {
        bool is_recorded = journal_.records().empty();
        while (const std::optional<SearchTurn> turn = strategy_.next()) {
            // "resumed" is on the disk before a trial begins, because a crash may leave no record
            // of the trial.
            if (!std::exchange(is_recorded, true)) {
                journal_.append({{"record", "resumed"}});
                result_.resumed++;
                if (const std::optional<Json> record = strategy_.resumed())
                    journal_.append(*record);
            }
            const std::optional<TrialResult> trial = run({.turn = *turn,
                                                          .begun = result_.trials + result_.resumed,
                                                          .left = strategy_.left(),
                                                          .retries = invalid_in_turn_,
                                                          .last_asked = last_asked(result_)});
            if (!trial)
                return TrialsEnd::interrupted;
            const Json json = to_json(*trial);
            journal_.append({{"record", "trial"},
                             {"repetition", turn->repetition},
                             {"number", turn->trial},
                             {"trial", json}});
            feed(*turn, json);
            result_.lacks_a_tester = lacks_a_tester(*trial);
            if (result_.lacks_a_tester || invalid_in_turn_ > result_.invalid_retries)
                return TrialsEnd::invalid_trial;
        }
        return strategy_.end();
    }

    // Returns the result so far, except for `end`.
    [[nodiscard]] SeriesResult &result() { return result_; }

private:
    void replay_trial(const Json &record)
    {
        const Json &json = record.at("trial");
        const Rate rate{whole_number(json.at("rate"))};
        const std::optional<SearchTurn> turn = strategy_.next();
        if (!turn)
            throw std::invalid_argument("a trial after the end of the " + name_);
        if (turn->pace) {
            const std::uint64_t window = whole_number(json.at("pace").at("window"));
            if (window != turn->pace->window)
                throw std::invalid_argument(
                    fmt::format("a trial of a window of {} where the {} makes one of {}", window,
                                name_, turn->pace->window));
        } else if (rate != turn->rate)
            throw std::invalid_argument(
                fmt::format("a trial at {} queries/s where the {} makes one at {}", rate.per_second,
                            name_, turn->rate.per_second));
        if (turn->duration && json.at("duration_s") != seconds(*turn->duration))
            throw std::invalid_argument(
                fmt::format("a trial of {} s where the {} makes one of {} s",
                            json.at("duration_s").dump(), name_, seconds(*turn->duration)));
        // Without this a line that is in the journal twice would count twice.
        const std::uint64_t repetition = whole_number(record.at("repetition"));
        const std::uint64_t number = whole_number(record.at("number"));
        if (repetition != turn->repetition || number != turn->trial)
            throw std::invalid_argument(
                fmt::format("trial {} of repetition {} where trial {} of repetition {} belongs",
                            number, repetition, turn->trial, turn->repetition));
        feed(*turn, json);
    }

    void feed(const SearchTurn &turn, const Json &json)
    {
        TrialSummary trial = read_trial(json);
        trial.repetition = turn.repetition;
        strategy_.read(trial, json);
        result_.circumstances = read_fields<Circumstances>(json.at("circumstances"));
        result_.transport =
            transports.value_of(json.value("transport", "")).value_or(Transport::udp);
        if (const auto connections = json.find("connections"); connections != json.end())
            result_.connections = whole_number(connections->at("at_once"));
        if (const auto placement = json.find("placement"); placement != json.end())
            if (const std::optional<PlacementResult> more =
                    read_or_none<PlacementResult>(*placement))
                add(result_.placement, *more);
        result_.trials++;
        count(result_.teams, team_of(json, journal_.header()));
        result_.last_trial = trial;
        invalid_in_turn_ = trial.verdict == Verdict::invalid ? invalid_in_turn_ + 1 : 0;
        result_.invalid_trials += trial.verdict == Verdict::invalid;
        strategy_.feed(trial);
        const std::optional<SearchTurn> next = strategy_.next();
        if (trial.verdict == Verdict::invalid && (!next || next->rate != turn.rate)) {
            result_.gone_below++;
            invalid_in_turn_ = 0;
        }
        result_.rows.push_back(std::move(trial));
    }

    Journal &journal_;
    Strategy &strategy_;
    std::string name_;
    SeriesResult result_;
    unsigned invalid_in_turn_ = 0;
};

} // namespace

SeriesResult run_series(Strategy &strategy, Journal &journal, const TrialRunner &run,
                        const std::string &name, unsigned invalid_retries)
{
    JournalledTrials trials(journal, strategy, name, invalid_retries);
    trials.replay();
    SeriesResult &result = trials.result();
    try {
        result.end = trials.run(run);
    } catch (const SetupError &error) {
        if (!strategy.survives_errors() || result.rows.empty())
            throw;
        result.end = TrialsEnd::interrupted;
        result.error = error.what();
    }
    return std::move(result);
}

SeriesResult recall_series(Strategy &strategy, Journal &journal, const std::string &name,
                           unsigned invalid_retries)
{
    JournalledTrials trials(journal, strategy, name, invalid_retries);
    trials.replay();
    SeriesResult &result = trials.result();
    result.end = strategy.next() ? TrialsEnd::interrupted : strategy.end();
    return std::move(result);
}

} // namespace dnsgauge
