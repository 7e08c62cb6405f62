// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Every form of result fits its schema, with what may be missing and without.
#include "calibrate/calibration_result.h"
#include "experiment/experiment_json.h"
#include "options/options_json.h"
#include "record/json.h"
#include "record/machine_fields.h"
#include "record/selftest_record.h"
#include "record/selftest_result.h"
#include "series/replay/load_factors.h"
#include "series/replay/replay.h"
#include "series/search/search.h"
#include "series/soak/soak.h"
#include "series/sweep/sweep.h"
#include "series/windows/windows.h"
#include "support/results.h"
#include "support/scratch_directory.h"
#include "text/diagnosis.h"
#include "trial/trial_options.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace dnsgauge;
using namespace std::chrono_literals;
using Catch::Contains;
using Json = Journal::Json;
using testing::misfit;

namespace
{

constexpr const char *moment = "2026-11-21T14:00:00Z";

Circumstances circumstances()
{
    Circumstances with;
    with.started = moment;
    with.cpus = 8;
    with.sender_cpus = {2};
    with.sender_cpus_why = "it was idle";
    with.modes = {{"xdp_mode", "native"}};
    with.first_source_port = 1024;
    return with;
}

TesterSetup setup()
{
    TesterSetup setup;
    setup.sender_cpus = {2};
    TrialPlan plan = usual_plan();
    setup.options = setup_values(tester_options(plan));
    return setup;
}

SelftestCover cover()
{
    SelftestCover cover;
    cover.finished = moment;
    cover.allowed = Rate{1000};
    cover.deviations = {"trials of 1 s, not 60 s"};
    return cover;
}

CertificateCover certificate()
{
    CertificateCover certificate;
    certificate.finished = moment;
    certificate.lax = {"attempts 5"};
    return certificate;
}

TrialResult trial(Rate rate = Rate{10})
{
    TrialResult result;
    result.rate = rate;
    result.duration = 1s;
    result.timeout = 250ms;
    result.since = 1'700'000'000s;
    result.until = result.since + 1250ms;
    result.queries = {.sent = 10, .valid = 9, .late = 0, .lost = 1, .invalid = {}};
    result.circumstances = circumstances();
    result.verdict = rate > Rate{5} ? Verdict::fail : Verdict::pass;
    result.why = "1 of 10 queries was lost";
    return result;
}

Handled some_handled()
{
    Handled handled;
    handled.cpus[3].net_rx = 5;
    handled.queues["rx-0"] = {.packets = 7, .interrupts = 2, .has_packets = true};
    handled.queues["rx-1"] = {};
    return handled;
}

TrialResult full_trial()
{
    TrialResult result = trial();
    result.dns64 = Dns64Conditions{50, "2001:db8::/96", 10};
    result.caveats.selftest = cover();
    result.caveats.deviations = {"accepts 90 %"};
    result.rcodes[0] = 9;
    result.rtt = {.count = 9,
                  .min = 1,
                  .mean = 1.5,
                  .stddev = 0.5,
                  .p50 = 1,
                  .p90 = 2,
                  .p99 = 2,
                  .p99_9 = 2,
                  .max = 2,
                  .histogram = {{1, 1, 5}, {2, 2, 4}}};
    result.sending.bursts = {0, 8, 1};
    result.sending.lateness_histogram = {{1, 1, 9}};
    result.sending.lanes = {LaneSummary{.sent = 9}};
    result.own_losses.interface = {{"driver.rx_drops", 1}};
    result.circumstances.link_mbps = 10'000;
    result.circumstances.kick_budget = 32;
    CpuUse cpu;
    cpu.guests = {{.cpu = 0, .process = 1, .name = "init", .side = CpuGuest::Side::kernel}};
    cpu.absence = {.longest = Nanoseconds(5), .process = 1, .name = "init"};
    result.cpus = {cpu};
    result.circumstances.server_absences = "recorded";
    result.placement = PlacementResult{.handled = some_handled(),
                                       .notes = {"1 of 2 receive queues got packets"},
                                       .card_node = 1,
                                       .interrupts = "eth2-TxRx-0: 7",
                                       .places = {{.cpu = 3, .socket = 1, .core = 2, .l2 = 1}}};
    result.caveats.doubts = {"others had a tenth of CPU 0"};
    return result;
}

TrialResult trial_over_tcp()
{
    TrialResult result = trial();
    result.transport = Transport::tcp;
    result.circumstances.modes.clear();
    result.connections = ConnectionSummary{
        .at_once = 10, .queries_each = 3, .counts = {.opened = 12}, .handshakes = full_trial().rtt};
    return result;
}

TrialResult trial_over_tls()
{
    TrialResult result = trial_over_tcp();
    result.transport = Transport::dot;
    result.connections->tls = TlsSummary{
        .name = "dns.test",
        .suites = {{.version = "TLSv1.3", .cipher = "a cipher", .alpn = "dot", .connections = 12}}};
    return result;
}

TrialResult trial_over_https()
{
    TrialResult result = trial_over_tls();
    result.transport = Transport::doh;
    result.connections->http = HttpSummary{
        .url = "https://dns.test/dns-query", .statuses = {{"404", 3}}, .failure = "a reason"};
    return result;
}

TrialResult trial_over_quic()
{
    TrialResult result = trial_over_tls();
    result.transport = Transport::doq;
    result.connections->quic = QuicCounts{.datagrams_sent = 20, .no_error = 12};
    return result;
}

// The first line of the journal of a search with the usual options.
Json journal_header()
{
    SearchRequest request;
    request.search.range.max = Rate{8};
    return {{"schema", "dnsgauge/series-journal/1"},
            {"kind", "search"},
            {"options", journal_options(options_of(request))},
            {"setup", written(setup())}};
}

// Returns the lines of a journal that somebody went on with.
std::string resumed_journal(const ScratchDirectory &scratch)
{
    return read_file(scratch.file("journal")) + "{\"record\": \"resumed\"}\n";
}

SearchResult search(const std::string &journal_path)
{
    Journal journal = Journal::create(journal_path, journal_header());
    SearchPlan plan;
    plan.range = {Rate{1}, Rate{8}, 1};
    SearchResult result =
        run_search(plan, journal, [](const SearchPlace &place) { return trial(place.turn.rate); });
    result.min_rate = plan.range.min;
    result.max_rate = plan.range.max;
    return result;
}

SelftestResult selftest(Rate allowed)
{
    SelftestResult result;
    result.min_rate = Rate{1};
    result.max_rate = Rate{1000};
    result.timeout = 250ms;
    result.duration = 1s;
    result.allowed = allowed;
    result.trials = {{.r = allowed, .trial = {.rate = Rate{2200}, .why = "all was right"}}};
    result.stopped_by = result.trials.front();
    result.finished = moment;
    result.setup = setup();
    result.circumstances = circumstances();
    return result;
}

CalibrationResult calibration()
{
    CalibrationResult result;
    result.finished = moment;
    result.setup = setup();
    result.circumstances = circumstances();
    result.allowed = Rate{1000};
    result.kept = Rate{2200};
    result.doubts = {{"rtt_ns", "biased by 1 ms"}};
    CountingCheck counting;
    counting.rate = Rate{10};
    counting.classes = {{"sent", 10, 10}, {"wrong_data", 1, 1}};
    result.counting = {counting};
    result.at_once.resize(1);
    result.at_once[0].rate = Rate{1000};
    result.at_once[0].is_held = false;
    result.at_once[0].valid = 1;
    result.at_once[0].rtt.min = 2400;
    result.delays = {DelayCheck{}};
    result.delays[0].rate = result.before_edge.rate = result.behind_edge.rate = Rate{1000};
    PacingCheck pacing;
    pacing.rate = Rate{1000};
    result.pacing = {pacing};
    return result;
}

} // namespace

TEST_CASE("a trial fits its schema")
{
    CHECK(misfit(to_json(trial()).dump()) == "");
    CHECK(misfit(to_json(full_trial()).dump()) == "");
    CHECK(misfit(to_json(trial_over_tcp()).dump()) == "");
    CHECK(misfit(to_json(trial_over_tls()).dump()) == "");
    CHECK(misfit(to_json(trial_over_https()).dump()) == "");
    CHECK(misfit(to_json(trial_over_quic()).dump()) == "");
}

TEST_CASE("repeated trials fit their schema, with and without figures")
{
    TrialResult invalid = trial();
    invalid.verdict = Verdict::invalid;
    for (const std::vector<TrialResult> &trials :
         {std::vector{full_trial(), trial()}, std::vector{invalid}}) {
        RepeatedTrials repeated;
        repeated.repeat = 2;
        repeated.trials = trials;
        CHECK(misfit(to_json(sum_up(repeated)).dump()) == "");
    }
}

TEST_CASE("a field that the schema or the result lacks is found, however deep")
{
    Json more = to_json(full_trial());
    more["sending"]["forgotten"] = 1;
    CHECK_THAT(misfit(more.dump()), Contains("$.sending") && Contains("forgotten"));
    Json less = to_json(full_trial());
    less["circumstances"]["timestamps"].erase("receive");
    CHECK_THAT(misfit(less.dump()), Contains("$.circumstances.timestamps") && Contains("receive"));
    Json wrong = to_json(full_trial());
    wrong["sent"] = -1;
    CHECK_THAT(misfit(wrong.dump()), Contains("$.sent"));
}

TEST_CASE("a search and its journal fit their schemas")
{
    const ScratchDirectory scratch;
    SearchResult result = search(scratch.file("journal"));
    const Json header = journal_header();
    CHECK(misfit(dnsgauge::to_json(result, header).dump()) == "");
    result.dns64 = Dns64Conditions{50, "2001:db8::/96", 10};
    result.caveats.selftest = cover();
    result.caveats.certificate = certificate();
    result.repetitions.front().cap = Cap{.trial = 0, .passed_behind_it = 6};
    CHECK(misfit(dnsgauge::to_json(result, header).dump()) == "");

    std::string lines = read_file(scratch.file("journal"));
    CHECK(std::count(lines.begin(), lines.end(), '\n') > 3);
    for (const Json &record :
         {Json{{"record", "resumed"}}, Json{{"record", "range"}, {"max_rate", 9}},
          Json{{"record", "result"}, {"at_least", 9}}})
        lines += record.dump() + "\n";
    CHECK(testing::misfits(lines) == "");
    CHECK_THAT(testing::misfits(lines + "{\"record\": \"unheard of\"}\n"), Contains("unheard of"));
    // Half a last line is what a crash leaves.
    CHECK(testing::misfits(lines + "{\"record\": \"tri") == "");
}

TEST_CASE("a sweep and its journal fit their schemas")
{
    const ScratchDirectory scratch;
    SweepRequest request;
    request.sweep = {.min = Rate{1}, .max = Rate{8}, .rates = 3};
    Json header = journal_header();
    header["kind"] = "sweep";
    header["options"] = journal_options(options_of(request));
    Journal journal = Journal::create(scratch.file("journal"), header);
    SweepResult result = run_sweep(request.sweep, journal,
                                   [](const SearchPlace &place) { return trial(place.turn.rate); });
    CHECK(misfit(dnsgauge::to_json(result, header).dump()) == "");
    result.caveats.selftest = cover();
    result.caveats.certificate = certificate();
    result.rows.front().valid = 0;
    CHECK(misfit(dnsgauge::to_json(result, header).dump()) == "");
    const std::string lines = resumed_journal(scratch);
    CHECK(testing::misfits(lines) == "");
    CHECK_THAT(testing::misfits(lines + R"({"record": "range", "max": 9})"
                                        "\n"),
               Contains("max"));
}

TEST_CASE("a sweep of windows and its journal fit their schemas")
{
    const ScratchDirectory scratch;
    Json header = journal_header();
    header["kind"] = "window-sweep";
    Journal journal = Journal::create(scratch.file("journal"), header);
    const unsigned repeat = GENERATE(1U, 4U);
    const WindowsResult result = run_windows(
        {.windows = {1, 2, 5, 10, 20}, .repeat = repeat}, journal, [](const SearchPlace &place) {
            const auto open = static_cast<double>(place.turn.pace->window);
            const double rate = std::min(open, 5.0) * (1000 + place.turn.repetition);
            TrialResult made = trial(Rate{static_cast<std::uint64_t>(rate)});
            made.pace = *place.turn.pace;
            made.window = WindowSummary{.places = made.pace.window,
                                        .answered_rate = rate,
                                        .mean_open = open,
                                        .mean_open_by_rtt = open};
            return made;
        });
    CHECK(result.knee().open.has_value() == (repeat == 4));
    CHECK(misfit(dnsgauge::to_json(result, header).dump()) == "");
    CHECK(testing::misfits(read_file(scratch.file("journal"))) == "");
}

TEST_CASE("a soak and its journal fit their schemas")
{
    const ScratchDirectory scratch;
    SoakRequest request;
    Json header = journal_header();
    header["kind"] = "soak";
    header["options"] = journal_options(options_of(request));
    Journal journal = Journal::create(scratch.file("journal"), header);
    SoakResult result = run_soak(
        {.rate = Rate{8}, .rows = 2}, journal,
        [](const SearchPlace &place) { return trial(place.turn.rate); },
        [] {
            return std::vector<ProcessMemory>{{7, "named", 9'000'000}};
        });
    CHECK(misfit(dnsgauge::to_json(result, header).dump()) == "");
    result.caveats.selftest = cover();
    result.caveats.certificate = certificate();
    result.rate_from = "80 % of a file";
    result.rows.front().processes.clear();
    CHECK(misfit(dnsgauge::to_json(result, header).dump()) == "");
    const std::string lines = resumed_journal(scratch);
    CHECK(testing::misfits(lines) == "");
    CHECK_THAT(testing::misfits(lines + R"({"record": "memory", "processes": [{}]})"
                                        "\n"),
               Contains("process"));
}

TEST_CASE("a replay and its journal fit their schemas")
{
    const ScratchDirectory scratch;
    ReplayRequest request;
    Json header = journal_header();
    header["kind"] = "replay";
    header["options"] = journal_options(options_of(request));
    header["captures_crc64"] = {"0123456789abcdef"};
    Journal journal = Journal::create(scratch.file("journal"), header);
    ReplayResult result =
        run_replay({.runs = 2, .rates = {Rate{8}}}, journal, [](const SearchPlace &place) {
            TrialResult run = trial(place.turn.rate);
            IntervalSummary interval;
            interval.queries.sent = 5;
            interval.queries.valid = place.turn.repetition;
            interval.rcodes[0] = 1;
            run.intervals = {interval, IntervalSummary{}};
            if (place.turn.repetition == 2)
                run.later_part = interval;
            return run;
        });
    result.interval = std::chrono::seconds(1);
    CHECK(misfit(dnsgauge::to_json(result, header).dump()) == "");
    result.caveats.selftest = cover();
    result.caveats.certificate = certificate();
    result.caveats.doubts = {"a doubt"};
    result.capture_server = "192.0.2.7";
    result.before_trial = "true";
    CHECK(misfit(dnsgauge::to_json(result, header).dump()) == "");
    const std::string lines = resumed_journal(scratch);
    CHECK(testing::misfits(lines) == "");
    LoadFactorResult found{.margin_percent = 0.1, .most = 9, .factors = {1, 2}, .borne = 1};
    CHECK(misfit(dnsgauge::to_json(found, {dnsgauge::to_json(result, header)}).dump()) == "");
    found.overload = Overload{2, OverloadSign::latency, "why"};
    CHECK(misfit(dnsgauge::to_json(found, {}).dump()) == "");
}

TEST_CASE("a self-test and the record of several fit their schema")
{
    const ScratchDirectory scratch;
    SelftestResult result = selftest(Rate{1000});
    CHECK(misfit(to_json(result).dump()) == "");
    write_file(scratch.file("record"), to_json(result).dump());
    // Under terms that the first one does not cover.
    result = selftest(Rate{500});
    result.duration = 60s;
    result.caveats.certificate = certificate();
    result.placements = PlacementWalk{.finished = moment,
                                      .repeat = 2,
                                      .stages = {{.part = "sender",
                                                  .walked = {{.sender_cpu = 2, .rates = {400, 500}},
                                                             {.sender_cpu = 3,
                                                              .sender_queue = 1,
                                                              .settings = {{"irq-cpus", "3"}},
                                                              .rates = {0, 9}}},
                                                  .gain_percent = 12.5,
                                                  .found = "found CPU 2 best"}},
                                      .not_walked = {"g0 has no interrupts of its own"}};
    CHECK(misfit(to_json(result).dump()) == "");
    const RecordUpdate update = update_record(scratch.file("record"), result);
    REQUIRE(update.record.contains("others"));
    CHECK(misfit(update.record.dump()) == "");
    result.allowed.reset();
    result.stopped_by.reset();
    CHECK(misfit(to_json(result).dump()) == "");
}

TEST_CASE("a calibration fits its schema")
{
    CalibrationResult result = calibration();
    CHECK(misfit(to_json(result).dump()) == "");
    for (const std::uint32_t rank : {0U, 1U}) {
        result.counting[0].testers.push_back({rank, "host", calibration().counting[0]});
        result.at_once[0].testers.push_back({rank, "host", calibration().at_once[0]});
        result.delays[0].testers.push_back({rank, "host", calibration().delays[0]});
    }
    result.doubts[0].testers = {1};
    CHECK(misfit(to_json(result).dump()) == "");
    result.delays.clear();
    result.allowed.reset();
    CHECK(misfit(to_json(result).dump()) == "");
}

TEST_CASE("an experiment fits its schema")
{
    const ScratchDirectory scratch;
    write_file(scratch.file("e.toml"), R"(
title = "BIND by cores"
reproduces = { paper = "000" }
[matrix]
cores = [1, 2]
[dut]
cpu-method = "cpuset"
cpu-list = [0, 1]
)");
    const Experiment experiment =
        read_experiment(read_config("the experiment", scratch.file("e.toml")), {});
    Json header = journal_header();
    CellResults cells;
    for (const Cell &cell : cells_of(experiment, "/d", {}))
        cells.push_back({cell, {}, header});
    cells[0].outcome.result = search(scratch.file("journal"));
    cells[1].outcome.failure = "even max-rate 9 passes";
    cells[0].outcome.placement =
        PlacementResult{.handled = some_handled(),
                        .notes = {"1 of 2 receive queues got packets"},
                        .card_node = 1,
                        .interrupts = "eth2-TxRx-0: 7",
                        .places = {{.cpu = 3, .socket = 1, .core = 2, .l2 = 1}}};
    const Json json = written(ExperimentResult{experiment, "e.toml", cells});
    CHECK(misfit(json.dump()) == "");
    CHECK(json["server_topology"][0]["socket"] == 1);
    header["experiment"] = written(CellHeader{experiment, cells[0].cell});
    CHECK(misfit(header.dump()) == "");
}

TEST_CASE("findings fit their schema")
{
    const Diagnosis diagnosis{.interface = "eth1",
                              .driver = "",
                              .kernel = "6.1",
                              .findings = {{"link", Severity::ok, true, "up", "", ""},
                                           {"rings", Severity::warn, true, "256", "", "ethtool"}}};
    CHECK(misfit(written(diagnosis).dump()) == "");
}
