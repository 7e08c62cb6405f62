// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A gate's decisions, and how often they are wrong on a simulated machine.
#include "gate/gate.h"
#include "gate/gate_run.h"
#include "record/probe_fields.h"
#include "support/results.h"
#include "support/scratch_directory.h"
#include "system/setup_error.h"
#include "trial/verdict.h"

#include <boost/math/distributions/binomial.hpp>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <random>

using namespace dnsgauge;
using Catch::Contains;

namespace
{

constexpr double error_percent = 5;
constexpr unsigned runs = 400;
constexpr unsigned rounds_most = 60;

// A machine whose trials depend on the trials before, whose speed drifts, and which is sometimes
// far slower: it makes RTTs longer and loses queries.
class Machine
{
public:
    explicit Machine(std::uint64_t seed) : random_(seed) {}

    // Returns the logarithm of the factor by which a trial's RTT is longer.
    double next()
    {
        state_ = 0.9 * state_ + 0.01 * normal_(random_);
        drift_ += 0.001;
        return state_ + drift_ + 0.01 * normal_(random_) + (burst_(random_) ? 0.5 : 0);
    }
    bool coin() { return (random_() & 1) != 0; }

private:
    std::mt19937_64 random_;
    std::normal_distribution<> normal_;
    std::bernoulli_distribution burst_{0.05};
    double state_ = 0;
    double drift_ = 0;
};

// By how much the candidate is worse, in the figures' units.
using Shift = std::vector<double>;

// Returns a trial's values at this moment of the machine.
std::vector<double> trial(const GateFigures &figures, const Shift *shift, double moment)
{
    std::vector<double> values;
    for (std::size_t i = 0; i < figures.size(); i++) {
        const double more = shift != nullptr ? shift->at(i) : 0;
        values.push_back(is_share(figures[i]) ? 99 - 0.2 * moment - more
                                              : 1e6 * std::exp(moment) * (1 + more / 100));
    }
    return values;
}

Gate judged(const Shift &shift, std::uint64_t seed)
{
    const GateFigures figures = parse_gate_figures("share=0.1,p50=5,p90=5");
    Machine machine(seed);
    Gate gate(figures, error_percent);
    while (gate.verdict() == GateVerdict::cannot_tell && gate.rounds() < rounds_most) {
        const bool candidate_first = machine.coin();
        const double first = machine.next();
        const double second = machine.next();
        const std::vector<double> baseline =
            trial(figures, nullptr, candidate_first ? second : first);
        const std::vector<double> candidate =
            trial(figures, &shift, candidate_first ? first : second);
        std::vector<GatePair> values;
        for (std::size_t i = 0; i < figures.size(); i++)
            values.push_back({baseline[i], candidate[i]});
        gate.feed(values);
    }
    return gate;
}

// Returns how often each verdict comes, and prints that.
std::map<GateVerdict, unsigned> counted_verdicts(const std::string &what, const Shift &shift)
{
    std::map<GateVerdict, unsigned> counts;
    std::uint64_t rounds = 0;
    for (unsigned run = 0; run < runs; run++) {
        const Gate gate = judged(shift, run);
        counts[gate.verdict()]++;
        rounds += gate.rounds();
    }
    fmt::print("{}: {} runs: {} slower, {} not slower, {} cannot tell; {:.1f} rounds\n", what, runs,
               counts[GateVerdict::slower], counts[GateVerdict::not_slower],
               counts[GateVerdict::cannot_tell],
               static_cast<double>(rounds) / static_cast<double>(runs));
    return counts;
}

// Returns the most wrong runs that the stated error leaves likely: more come once in 1000 times.
double wrong_most()
{
    const boost::math::binomial distribution(runs, error_percent / 100);
    return boost::math::quantile(boost::math::complement(distribution, 0.001));
}

// A trial on a machine that stalls in seven trials of eight, and makes queries come in bursts then:
// a server loses `lost_in_bursts` of such queries. Returns the share of the queries that were
// answered; nothing if the trial is invalid.
std::optional<double> stalling_trial(std::mt19937_64 &random, double lost_in_bursts,
                                     double accept_percent)
{
    constexpr std::uint64_t sent = 1000;
    constexpr std::uint64_t in_bursts = 200;
    Evidence evidence;
    evidence.queries.sent = sent;
    evidence.sending.planned = sent;
    evidence.stalls.emplace();
    if ((random() & 7) != 0) {
        evidence.stalls->queries = in_bursts;
        evidence.stalls->tester.lost =
            std::binomial_distribution<std::uint64_t>(in_bursts, lost_in_bursts)(random);
        evidence.stalls->soon.queries = sent - in_bursts;
    }
    evidence.queries.lost = evidence.stalls->tester.lost;
    evidence.queries.valid = sent - evidence.queries.lost;
    evidence.accept_percent = accept_percent;
    evidence.tolerances = gate_plan().tolerances;
    if (judge(evidence).verdict == Verdict::invalid)
        return std::nullopt;
    return 100 * static_cast<double>(evidence.queries.valid) / sent;
}

// Returns the verdict on a baseline that loses 2 % of the queries in bursts, and on a candidate. A
// round with an invalid trial is made again.
GateVerdict verdict_beside_stalls(std::uint64_t seed, double lost_by_candidate,
                                  double accept_percent = gate_plan().accept_percent)
{
    std::mt19937_64 random(seed);
    Gate gate(parse_gate_figures("share=0.1"), error_percent);
    while (gate.verdict() == GateVerdict::cannot_tell && gate.rounds() < rounds_most) {
        const auto baseline = stalling_trial(random, 0.02, accept_percent);
        const auto candidate = stalling_trial(random, lost_by_candidate, accept_percent);
        if (baseline && candidate)
            gate.feed({{baseline, candidate}});
    }
    return gate.verdict();
}

std::string trial_json(double answered, int rtt)
{
    return fmt::format(R"({{"schema":"dnsgauge/trial/1","verdict":"pass","sent":1000,)"
                       R"("valid":{},"rtt_ns":{{"p50":{},"p90":{}}}}})",
                       answered, rtt, 2 * rtt);
}

} // namespace

TEST_CASE("equal servers are rarely called slower, and are mostly shown not to be")
{
    auto counts = counted_verdicts("equal", {0, 0, 0});
    CHECK(counts[GateVerdict::slower] <= wrong_most());
    CHECK(counts[GateVerdict::not_slower] >= 0.9 * runs);
}

TEST_CASE("a candidate at its margins in all figures is rarely called slower")
{
    auto counts = counted_verdicts("at all margins", {0.1, 5, 5});
    CHECK(counts[GateVerdict::slower] <= wrong_most());
    CHECK(counts[GateVerdict::not_slower] <= wrong_most());
}

TEST_CASE("a candidate at one margin, and far better else, is rarely called not slower")
{
    auto counts = counted_verdicts("at one margin", {-1, 5, -50});
    CHECK(counts[GateVerdict::not_slower] <= wrong_most());
    CHECK(counts[GateVerdict::slower] <= wrong_most());
}

TEST_CASE("a candidate that is slower by twice a margin is mostly called slower")
{
    auto counts = counted_verdicts("at twice a margin", {0, 10, 0});
    CHECK(counts[GateVerdict::slower] >= 0.9 * runs);
    CHECK(counts[GateVerdict::not_slower] <= wrong_most());
}

TEST_CASE("losses in stalls count, and equal losses are rarely called slower")
{
    unsigned slower = 0;
    unsigned equals_slower = 0;
    for (unsigned run = 0; run < runs; run++) {
        slower += verdict_beside_stalls(run, 0.5) == GateVerdict::slower;
        equals_slower += verdict_beside_stalls(run, 0.02) == GateVerdict::slower;
    }
    fmt::print("beside stalls: {} of {} runs slower, {} of equal ones\n", slower, runs,
               equals_slower);
    CHECK(slower >= 0.9 * runs);
    CHECK(equals_slower <= wrong_most());
}

TEST_CASE("figures have margins of their own, or usual ones")
{
    CHECK(to_string(parse_gate_figures("p99=7.5,share")) == "p99=7.5,share=0.1");
    CHECK_THROWS_WITH(parse_gate_figures("p51"), Contains("\"p51\" is no figure: there are share"));
    CHECK_THROWS_WITH(parse_gate_figures("p50,p50=1"), Contains("names p50 twice"));
    CHECK_THROWS_WITH(parse_gate_figures(""), Contains("no figure"));
    CHECK_THROWS_WITH(parse_gate_figures("share=101"), Contains("the margin of share"));
}

TEST_CASE("a server that answers nothing is infinitely slow, and two of them tell nothing")
{
    const GateFigure p50{"p50", 5};
    CHECK(difference(p50, 100.0, std::nullopt) == INFINITY);
    CHECK(difference(p50, std::nullopt, 100.0) == -INFINITY);
    CHECK(!difference(p50, std::nullopt, std::nullopt));
    CHECK(difference(p50, 100.0, 107.0) == Approx(7));
    CHECK(difference({"share", 1}, 99.5, 99.0) == Approx(0.5));
    CHECK(difference_text(p50, -3.21) == "3.21 % better");
    CHECK(difference_text({"share", 1}, 1234.5) == "1234 points worse");
}

TEST_CASE("a verdict keeps the bounds that it rests on, and later bounds stay in order")
{
    Gate gate(parse_gate_figures("p50=5"), error_percent);
    const auto feed = [&gate](double candidate) { gate.feed({{100.0, candidate}}); };
    for (int i = 0; i < 7; i++)
        feed(120);
    REQUIRE(gate.verdict() == GateVerdict::slower);
    for (int i = 0; i < 100; i++)
        feed(80);
    const JudgedFigure &p50 = gate.figures().front();
    CHECK(p50.decided_in == 7);
    CHECK(p50.low == Approx(20));
    CHECK(p50.median == Approx(20));
    for (const GateRound &round : p50.rounds)
        CHECK((!round.low || !round.high || *round.low <= *round.high));
    CHECK(p50.rounds.back().high == Approx(-20));
}

TEST_CASE("answers per second are judged in windows alone")
{
    const GateFigure rate{"rate", 5};
    const auto answered = [&](const std::string &window) {
        return value_of(rate, nlohmann::ordered_json::parse(
                                  R"({"sent":9,"valid":9,"rtt_ns":{},"window":)" + window + "}"));
    };
    CHECK(answered(R"({"places":5,"answered_rate":250.5})") == 250.5);
    CHECK_THROWS_WITH(answered("null"), Contains("--judge rate"));
    CHECK(difference(rate, 200.0, 190.0) == Approx(5));
    CHECK(difference(rate, 200.0, std::nullopt) == INFINITY);
}

TEST_CASE("files are judged as rounds are, and told in every form")
{
    const ScratchDirectory scratch;
    std::string trials;
    for (int i = 0; i < 9; i++)
        trials += (i == 0 ? "" : ",") + trial_json(1000, 100 + i);
    write_file(scratch.file("old.json"),
               R"({"schema":"dnsgauge/trials/1","trials":[)" + trials + "]}");
    GateRequest request;
    request.baseline = {scratch.file("old.json")};
    for (int i = 0; i < 9; i++) {
        write_file(scratch.file(fmt::format("{}.json", i)), trial_json(1000, 120 + i));
        request.candidate.push_back(scratch.file(fmt::format("{}.json", i)));
    }
    REQUIRE(are_results(request));
    const GateResult slower = judge_files(request);
    CHECK(slower.verdict == GateVerdict::slower);
    CHECK_THAT(to_text(slower),
               Contains("gate: slower: p50 at least 18.5 % worse, 5 % allowed; p90"));
    CHECK_THAT(to_markdown(slower), Contains("| p50 |"));
    const auto junit = [](const GateResult &result) { return to_junit(result, "alpha", {}); };
    CHECK_THAT(junit(slower),
               Contains("timestamp=\"1970-01-01T00:00:00\" hostname=\"alpha\" tests=\"3\" "
                        "failures=\"2\" errors=\"0\" time=\"0.000\"") &&
                   Contains("<failure type=\"slower\" message=\"gate: slower"));
    CHECK(testing::misfit(written(slower).dump()) == "");

    std::swap(request.baseline, request.candidate);
    CHECK(judge_files(request).verdict == GateVerdict::not_slower);
    request.baseline = request.candidate = {scratch.file("0.json")};
    const GateResult unknown = judge_files(request);
    CHECK(unknown.verdict == GateVerdict::cannot_tell);
    CHECK_THAT(to_text(unknown), Contains("cannot tell: the files have no more trials: share not "
                                          "known yet, 0.1 points allowed"));
    CHECK_THAT(junit(unknown),
               Contains("errors=\"3\"") && Contains("<error type=\"cannot tell\" message="));
    CHECK(testing::misfit(written(unknown).dump()) == "");
}

namespace
{

// Returns the median and how often a stage was taken.
StageTimes times(std::uint64_t p50)
{
    return {.count = 900, .p50 = p50};
}

// Returns a trial of 1,000 queries whose probe saw these medians of two stages, and these losses.
nlohmann::ordered_json probed(std::uint64_t queue, std::uint64_t server, std::uint64_t full,
                              std::uint64_t unread)
{
    ProbeResult probe{.arrived = 1000, .followed = 1000, .unread = unread};
    if (full != 0)
        probe.dropped = {{"socket_rcvbuff", full}};
    probe.sockets = {{.process = 7 + static_cast<std::uint32_t>(full), .name = "nsd"}};
    probe.left = 1000 - full - unread;
    probe.queue = times(queue);
    probe.server = times(server);
    return {{"sent", 1000U}, {"lost", full + unread}, {"probe", written(probe)}};
}

} // namespace

TEST_CASE("a gate tells which stage became slower, and what became of lost queries")
{
    ProbeComparison comparison;
    CHECK_FALSE(comparison.seen(error_percent));
    comparison.feed({{"sent", 1U}, {"lost", 0U}}, probed(1, 1, 0, 0));
    CHECK_FALSE(comparison.seen(error_percent));
    for (std::uint64_t i = 0; i < 8; i++)
        comparison.feed(probed(5000 + i % 2, 10'000 + i, 0, i),
                        probed(5001 - i % 2, 20'000, 100, i));
    const std::optional<GateProbe> early = comparison.seen(error_percent);
    REQUIRE(early);
    CHECK(comparison.needs_rounds(error_percent));
    // Five stages share the error, and two fates do.
    CHECK_THAT(to_text(*early), Contains("p50 on the server's machine: too few rounds to say more "
                                         "of queue 5.0 us -> 5.0 us, server 10.0 us -> 20.0 us\n"));
    comparison.feed(probed(5000, 10'000, 0, 0), probed(5001, 20'000, 100, 0));
    CHECK_FALSE(comparison.needs_rounds(error_percent));
    const std::optional<GateProbe> seen = comparison.seen(error_percent);
    REQUIRE(seen);
    CHECK_THAT(to_text(*seen),
               Contains("machine: server 10.0 us -> 20.0 us (99.9 to 100 % longer); not shown to "
                        "change: queue 5.0 us -> 5.0 us (0.02 % shorter to 0.02 % longer)\n"));
    CHECK_THAT(to_text(*seen),
               Contains("lost: 28 of 9000 -> 928 of 9000 queries: 0 -> 900 dropped before the "
                        "server: a full socket buffer (net.core.rmem_max, SO_RCVBUF) (10 points "
                        "more); 28 -> 28 not read by the server until the end (0 points fewer to 0 "
                        "points more)\n"));
    REQUIRE(seen->fates.size() == 2);
    CHECK(seen->fates[0].figure.low == 10);
    CHECK(seen->fates[0].figure.rounds.size() == 9);
    CHECK_THAT(to_markdown(*seen), Contains("| server | 10.0 us | 20.0 us | +99."));
    CHECK_THAT(to_markdown(*seen), Contains("| 0 of 9000 | 900 of 9000 | +10 points |"));
}

TEST_CASE("a gate goes on until a probe's stages have bounds, whatever its verdict")
{
    for (const int candidate : {100, 120}) {
        Gate gate(parse_gate_figures("p50=5"), error_percent);
        const auto trial = [](int rtt) {
            nlohmann::ordered_json json = nlohmann::ordered_json::parse(trial_json(1000, rtt));
            json.update(probed(5000, 10'000, 0, 0));
            return json;
        };
        for (int round = 1; round <= 9; round++) {
            CHECK(gate.needs_rounds());
            gate.feed(trial(100), trial(candidate));
            CHECK((gate.verdict() == GateVerdict::cannot_tell) == (round < 7));
        }
        CHECK_FALSE(gate.needs_rounds());
        CHECK_THAT(to_text(gate.probe().value()), !Contains("too few rounds"));
    }
}

TEST_CASE("a gate's sample tells fates of what was followed, and other losses are unknown")
{
    nlohmann::ordered_json sample = probed(1, 1, 10, 0);
    sample["probe"]["arrived"] = 5000U;
    nlohmann::ordered_json other = probed(1, 1, 0, 0);
    other["lost"] = 30U;
    other["probe"]["left"] = 0U;
    ProbeComparison comparison;
    comparison.feed(sample, other);
    const std::string told = to_text(comparison.seen(error_percent).value());
    CHECK_THAT(told, Contains("lost: 10 of 1000 -> 30 of 1000 queries: 10 -> 0 dropped before") &&
                         Contains("0 -> 30 lost where the probe does not see"));
}

TEST_CASE("queries that never arrived are one fate, whatever the interface's counters say")
{
    const auto trial = [](std::uint64_t dropped) {
        nlohmann::ordered_json json = probed(1, 1, 0, 0);
        json["sent"] = 1000 + dropped;
        json["lost"] = dropped;
        json["probe"]["interface_drops"]["rx_missed"] = dropped;
        return json;
    };
    ProbeComparison comparison;
    for (std::uint64_t i = 0; i < 9; i++)
        comparison.feed(trial(1 + i), trial(100 + i));
    const std::optional<GateProbe> seen = comparison.seen(error_percent);
    REQUIRE(seen);
    REQUIRE(seen->fates.size() == 1);
    CHECK(seen->fates[0].name == "never reached the server's network stack");
    CHECK(seen->fates[0].figure.rounds.size() == 9);
    CHECK(seen->fates[0].figure.low > 0);
}

TEST_CASE("a gate's result says what a probe saw")
{
    GateResult result;
    CHECK(probe_text(result).empty());
    CHECK_FALSE(written(result).contains("probe"));
    ProbeComparison comparison;
    comparison.feed(probed(1, 2, 3, 0), probed(4, 5, 0, 0));
    result.probe = comparison.seen(error_percent);
    result.error_percent = error_percent;
    CHECK(testing::misfit(written(result).dump()) == "");
    CHECK(written(result).at("probe").at("fates").at(0).at("baseline") == 3);
    CHECK_THAT(to_markdown(result), Contains("The probe, which decided nothing: p50"));
}

TEST_CASE("files' invalid trials count if stalls alone made them invalid")
{
    const ScratchDirectory scratch;
    const auto invalid = [](bool by_stalls) {
        return fmt::format(
            R"({{"schema":"dnsgauge/trial/1","verdict":"invalid","sent":10,"valid":9,)"
            R"("rtt_ns":{{"p50":1,"p90":2}},"stalls":{{"decided":{}}}}})",
            by_stalls);
    };
    write_file(scratch.file("0.json"), invalid(true));
    write_file(scratch.file("1.json"), invalid(false));
    GateRequest request;
    request.baseline = request.candidate = {scratch.file("0.json"), scratch.file("1.json")};
    const GateResult result = judge_files(request);
    CHECK(result.rounds() == 1);
    CHECK(result.invalid_trials == 2);
}

TEST_CASE("files and commands do not mix, and other files are refused")
{
    const ScratchDirectory scratch;
    write_file(scratch.file("old.json"), "{}");
    GateRequest request;
    request.baseline = {scratch.file("old.json")};
    request.candidate = {"named -f"};
    CHECK_THROWS_WITH(are_results(request),
                      Contains("both be files of results, or both be one command"));
    request.baseline = {"old/named -f"};
    CHECK(!are_results(request));
    request.baseline = request.candidate = {scratch.file("old.json")};
    CHECK_THROWS_WITH(judge_files(request), Contains("is not the result of trials"));
}
