// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "quickstart/quickstart.h"

#include "machine/findings.h"
#include "machine/interface.h"
#include "machine/veth_links.h"
#include "options/access.h"
#include "options/command_line.h"
#include "options/option_error.h"
#include "record/json.h"
#include "record/json_text.h"
#include "series/interruption.h"
#include "series/mlr/loss_search.h"
#include "series/tester_setup.h"
#include "series/trial_series.h"
#include "system/counted.h"
#include "system/listed.h"
#include "system/privileges.h"
#include "system/setup_error.h"
#include "system/shell_text.h"
#include "system/standard_output.h"
#include "system/whole_file.h"
#include "text/diagnosis.h"
#include "text/figure_text.h"
#include "text/trial_text.h"
#include "trial/trial_options.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

namespace dnsgauge
{

namespace
{

using namespace std::chrono_literals;

constexpr Rate usual_most{200'000};
// The resolution is the highest rate divided by this: of the search, and of the self-test.
constexpr std::uint64_t search_steps = 1000;
constexpr std::uint64_t selftest_steps = 64;
constexpr Rate calibration_least{1000};
constexpr Rate first_rate{1000}; // of the trial that sees whether the server answers
constexpr Nanoseconds first_duration = 1s;
constexpr unsigned first_retries = 3;

void append(std::vector<std::string> &words, std::vector<std::string> more)
{
    std::ranges::move(more, std::back_inserter(words));
}

// Completes the request from the options. Throws SetupError.
void complete(QuickstartRequest &request)
{
    if (request.fakedns.interface.empty() != request.fakedns.netns.empty())
        throw OptionError({"fakedns-interface", "fakedns-netns"},
                          "--fakedns-interface and --fakedns-netns name one place: give both");
    SearchPlan &plan = request.search.search;
    if (plan.range.resolution == 0)
        plan.range.resolution =
            std::max<std::uint64_t>(plan.range.max.per_second / search_steps, 1);
    complete(request.search, false);
}

void tell(const std::string &outcome)
{
    print_result("   " + outcome + "\n");
}

class Quickstart
{
public:
    Quickstart(QuickstartRequest &request, const StepCommands &commands,
               const std::vector<std::string> &words)
        : request_(request), given_(request), commands_(commands), words_(words),
          trial_(request.search.trial), range_(request.search.search.range)
    {
    }

    // Makes the steps until one finds something to mend. Throws SetupError.
    [[nodiscard]] ExitStatus run()
    {
        const InterfaceHold hold(trial_.interface); // also between the steps
        std::error_code error;
        std::filesystem::create_directories(request_.directory, error);
        if (error)
            throw SetupError("--directory {}: {}", request_.directory, error.message());
        if (!request_.resume && std::filesystem::exists(file("search.jsonl")))
            throw SetupError("--directory {} has a search already: go on with it by "
                             "--resume, or name another directory",
                             request_.directory);
        for (const auto step :
             {&Quickstart::look_at_machine, &Quickstart::ask_server, &Quickstart::test_tester,
              &Quickstart::calibrate_tester, &Quickstart::search_rate}) {
            ExitStatus status{};
            try {
                status = (this->*step)();
            } catch (const FakednsError &error) {
                throw SetupError("{}; where the server is FakeDNS itself, give "
                                 "--fakedns-port {}",
                                 error.what(), trial_.server_port);
            }
            if (stop_) {
                say("dnsgauge: interrupted: {} has what was measured, and the same command goes on "
                    "from there{}\n",
                    request_.directory,
                    std::filesystem::exists(file("search.jsonl")) ? ", with --resume" : "");
                return ExitStatus::nothing_learned;
            }
            if (status != ExitStatus::criterion_met)
                return status;
        }
        tell_what_next();
        return ExitStatus::criterion_met;
    }

private:
    [[nodiscard]] ExitStatus look_at_machine()
    {
        begin(fmt::format(
            "doctor: looks for wrong settings of {} for a benchmark, and changes nothing",
            trial_.interface));
        const Diagnosis diagnosis = diagnose_tester(trial_.interface);
        write("doctor.json", json_text(written(diagnosis)));
        std::vector<std::string> warnings;
        for (const Finding &finding : diagnosis.findings) {
            if (finding.severity == Severity::fail)
                return stop_for(ExitStatus::criterion_not_met,
                                fmt::format("{}: {}: {}{}", finding.topic, finding.seen,
                                            finding.why,
                                            finding.command.empty() ? "" : ": " + finding.command));
            if (finding.severity == Severity::warn)
                warnings.push_back(finding.topic);
        }
        tell(warnings.empty()
                 ? "nothing to mend"
                 : fmt::format(
                       "nothing prevents a benchmark; dnsgauge doctor --interface {} says what "
                       "costs rate or spoils RTTs: {}",
                       trial_.interface, join(warnings, ", ")));
        return ExitStatus::criterion_met;
    }

    [[nodiscard]] ExitStatus ask_server()
    {
        const Rate rate = std::min(first_rate, range_.max);
        begin(fmt::format("trial: asks {} port {} at {} queries/s, to see whether it answers right",
                          to_string(trial_.server), trial_.server_port, rate.per_second),
              first_duration + trial_.timeout);
        TrialSeries series(trial_, {}, stop_, [](const TrialProgress & /*none*/) {});
        std::optional<TrialResult> trial;
        for (unsigned retries = 0; retries <= first_retries; retries++) {
            trial = series.run(rate, 0, std::min(trial_.duration, first_duration), retries);
            if (!trial || stop_)
                return ExitStatus::nothing_learned;
            if (trial->verdict != Verdict::invalid)
                break;
        }
        trial->circumstances.command = words_;
        write("trial.json", json_text(to_json(*trial)));
        if (trial->verdict == Verdict::invalid)
            return stop_for(ExitStatus::nothing_learned, trial->why);
        if (trial->verdict == Verdict::fail)
            return stop_for(ExitStatus::criterion_not_met,
                            fmt::format("{}: {}", trial->why, trial_advice(*trial)));
        tell(trial->why);
        for (const std::string &doubt : trial->caveats.doubts)
            tell("doubtful: " + doubt);
        return ExitStatus::criterion_met;
    }

    [[nodiscard]] ExitStatus test_tester()
    {
        const SearchRange tested{
            .min = Rate{1},
            .max = range_.max,
            .resolution = std::max<std::uint64_t>(range_.max.per_second / selftest_steps, 1)};
        const unsigned confirm = request_.search.search.confirm;
        begin("selftest: finds the rates that this Tester may be used at, with FakeDNS beside the "
              "server",
              trial_time(trial_, 1s) *
                  static_cast<std::int64_t>(Bisection::most_trials(tested, confirm)));
        if (request_.search.cover.beyond) {
            tell("left out (--beyond-selftest): the result is marked");
            return ExitStatus::criterion_met;
        }
        if (find_cover(false))
            return ExitStatus::criterion_met;
        std::vector<std::string> words = tester_words(true);
        append(words, {"--max-rate", std::to_string(tested.max.per_second), "--min-rate", "1",
                       "--resolution", std::to_string(tested.resolution), "--confirm",
                       std::to_string(confirm), "--json", file("selftest.json")});
        if (const auto &record = request_.search.cover.record)
            append(words, {"--record", *record});
        const std::optional<FakednsWish> place = place_of_fakedns();
        std::optional<FakednsProcess> fakedns;
        if (place) {
            TrialPlan plan = trial_;
            plan.server_port = request_.fakedns_port;
            fakedns.emplace(plan_fakedns(*place, plan, describe_setup(trial_).sender_cpus), "");
        }
        std::string said;
        ExitStatus status{};
        try {
            status = run_command(
                commands_.selftest(nullptr, [&said](const std::string &text) { said = text; }),
                std::move(words));
        } catch (const SetupError &error) {
            if (place)
                throw;
            throw SetupError("{}; or beside the server, as fakedns --interface IF --port "
                             "{}",
                             error.what(), request_.fakedns_port);
        }
        if (fakedns)
            fakedns->check_alive();
        if (!said.empty())
            write("selftest.txt", said);
        if (stop_)
            return ExitStatus::nothing_learned;
        if (status == ExitStatus::criterion_met && find_cover(true))
            return status;
        print_result(said);
        return stop_for(status == ExitStatus::criterion_met ? ExitStatus::criterion_not_met
                                                            : status,
                        "no rate is allowed: see above what stopped the self-test");
    }

    [[nodiscard]] ExitStatus calibrate_tester()
    {
        begin("calibrate: shows by known faults and delays which figures of this Tester are right "
              "(about a minute)");
        const CertificateCover before = certificate_of(trial_);
        const std::optional<FakednsWish> place = place_of_fakedns();
        std::string why;
        if (before.covers())
            why = fmt::format("the certificate of {} vouches for the figures", before.finished);
        else if (request_.uncalibrated)
            why = "left out (--uncalibrated): no certificate vouches for the figures";
        else if (!place)
            why =
                "left out: no certificate vouches for the figures. dnsgauge calibrate makes one if "
                "the server is not FakeDNS itself, and if the link's other end is in a network "
                "namespace of this machine (--fakedns-interface, --fakedns-netns)";
        if (!why.empty()) {
            tell(why);
            return ExitStatus::criterion_met;
        }
        FakednsWish there = *place;
        FakednsWish nowhere;
        std::vector<std::string> words = tester_words(false);
        append(words, command_words(fakedns_options(there), fakedns_options(nowhere)));
        append(words, {"--max-rate", std::to_string(range_.max.per_second), "--min-rate",
                       std::to_string(std::min(calibration_least, range_.max).per_second), "--json",
                       file("calibration.json")});
        if (trial_.tolerances.shared_machine)
            append(words, {"--max-lateness-p99",
                           fmt::format("{:g}", seconds(lateness_allowed(trial_.timeout,
                                                                        trial_.tolerances)))});
        const ExitStatus status = run_command(
            commands_.calibrate(
                nullptr, [this](const std::string &said) { write("calibration.txt", said); }),
            std::move(words));
        const CertificateCover now = certificate_of(trial_);
        if (status == ExitStatus::criterion_not_met)
            return stop_for(
                status, fmt::format("no certificate vouches for the figures: {}; mend that ({} has "
                                    "all doubts), or give --uncalibrated to go on without",
                                    now.why_not, file("calibration.txt")));
        if (status == ExitStatus::criterion_met)
            tell(now.covers()
                     ? fmt::format(
                           "no doubt about any figure{}{}",
                           now.lax.empty() ? "" : "; laxer than by default: ", join(now.lax, ", "))
                     : "no doubt about any figure, and still no certificate: " + now.why_not);
        return status;
    }

    [[nodiscard]] ExitStatus search_rate()
    {
        const SearchRequest &search = request_.search;
        begin(fmt::format("search: finds the highest rate that {} keeps, {}",
                          to_string(trial_.server), counted(search.search.repeat, "time", "times")),
              trial_time(search) *
                  static_cast<std::int64_t>(Repetitions::most_trials(search.search)));
        SearchRequest usual;
        fill_in(usual.trial);
        SearchRequest values = search;
        const std::string journal = file("search.jsonl");
        std::vector<std::string> words = command_words(options_of(values), options_of(usual));
        append(words, {"--json", file("search.json"), "--journal", journal});
        if (std::filesystem::exists(journal))
            words.emplace_back("--resume");
        return run_command(search_command(), std::move(words));
    }

    // Says what the next step does, before the step begins.
    void begin(const std::string &what, std::optional<Nanoseconds> most = {})
    {
        print_result(
            fmt::format("{}. {}{}\n", ++number_, what,
                        most ? fmt::format(" (at most {})", waiting_text(seconds(*most))) : ""));
    }

    // Says what to mend.
    [[nodiscard]] ExitStatus stop_for(ExitStatus status, const std::string &what) const
    {
        say("dnsgauge: step {}: {}; then give the same command again\n", number_, what);
        return status;
    }

    [[nodiscard]] std::string file(const std::string &name) const
    {
        return (std::filesystem::path(request_.directory) / name).string();
    }

    void write(const std::string &name, const std::string &text) const
    {
        WholeFile(file(name), "--directory").commit(text);
    }

    // Returns where to start FakeDNS; nothing if the user starts it.
    [[nodiscard]] std::optional<FakednsWish> place_of_fakedns() const
    {
        FakednsWish place = request_.fakedns;
        if (request_.fakedns_port == trial_.server_port)
            return std::nullopt;
        if (!place.netns.empty())
            return place;
        const std::optional<NamedEnd> end = named_far_end(trial_.interface);
        if (!end)
            return std::nullopt;
        place.netns = end->netns;
        place.interface = end->interface;
        return place;
    }

    // Returns the options of the Tester, for FakeDNS as the server; `with_times` adds duration and
    // timeout.
    [[nodiscard]] std::vector<std::string> tester_words(bool with_times) const
    {
        TrialPlan plan = trial_;
        plan.server_port = request_.fakedns_port;
        TrialPlan usual = usual_plan();
        fill_in(usual);
        if (!with_times) {
            plan.duration = usual.duration;
            plan.timeout = usual.timeout;
        }
        return command_words(tester_options(plan), tester_options(usual));
    }

    // Finds the self-test that covers the search, and limits the search to what that self-test
    // allows. Returns false if a self-test must be made first. With `is_new` the self-test was made
    // just now.
    [[nodiscard]] bool find_cover(bool is_new)
    {
        CoverOptions looks = request_.search.cover;
        looks.beyond = true;
        SelftestCover cover = require_cover(looks, trial_);
        if (!cover.covers() && cover.allowed && (is_new || !cover.was_asked_no_more)) {
            TrialPlan slower = trial_;
            slower.rate = std::min(*cover.allowed, trial_.rate);
            cover = require_cover(looks, slower);
            if (cover.covers()) {
                trial_.rate = range_.max = slower.rate;
                range_.resolution =
                    std::min(range_.resolution,
                             std::max<std::uint64_t>(range_.max.per_second / search_steps, 1));
            }
        }
        if (cover.covers())
            tell(fmt::format(
                "by the self-test of {}, this Tester may be used up to {} queries/s{}",
                cover.finished, cover.allowed->per_second,
                range_.max == given_.search.search.range.max ? ""
                : is_new ? ": the search goes no further (" + file("selftest.txt") + " says why)"
                         : ": the search goes no further; dnsgauge selftest may find more"));
        return cover.covers();
    }

    [[nodiscard]] ExitStatus run_command(const Command &command,
                                         std::vector<std::string> words) const
    {
        words.insert(words.begin(), {"dnsgauge", command.name});
        return run_given(command, parse_words(command.options, {words.begin() + 2, words.end()}),
                         words);
    }

    // Prints the command that draws the results, and the command that makes RFC 8219's benchmark.
    void tell_what_next() const
    {
        QuickstartRequest usual;
        QuickstartRequest full = given_;
        full.search.search.repeat = SearchPlan{}.repeat;
        full.search.search.range.resolution = 1;
        full.search.between.pause = usual_pause;
        full.search.trial.duration = full_length;
        full.resume = false;
        full.directory += "-rfc8219";
        std::vector<std::string> words{"dnsgauge", "quickstart"};
        fill_in(usual.search.trial);
        append(words, command_words(options_of(full), options_of(usual)));
        std::string lacks;
        try {
            complete(full);
        } catch (const SetupError &error) {
            lacks = fmt::format("\n     (first mend this: {})", error.what());
        }
        const Nanoseconds most =
            trial_time(full.search) *
            static_cast<std::int64_t>(Repetitions::most_trials(full.search.search));
        print_result(fmt::format(
            "\nThe results are in {}. Next:\n"
            "   a page with figures: dnsgauge-report page {}/*.json --output {}\n"
            "   RFC 8219's benchmark, at most {} and a self-test: {}{}\n",
            request_.directory, shell_text({request_.directory}), shell_text({file("page.html")}),
            waiting_text(seconds(most)), shell_text(words), lacks));
    }

    QuickstartRequest &request_;
    const QuickstartRequest given_; // before the self-test limits the rates
    const StepCommands &commands_;
    const std::vector<std::string> &words_;
    TrialPlan &trial_;
    SearchRange &range_;
    const std::atomic<bool> &stop_ = catch_interruption();
    unsigned number_ = 0; // of the step
};

} // namespace

// The first search is to end within minutes.
QuickstartRequest::QuickstartRequest()
{
    search.search.range.max = usual_most;
    search.search.range.resolution = 0; // not given
    search.search.repeat = 3;
    search.between.pause = 1s;
    search.trial.duration = 5s;
}

Options options_of(QuickstartRequest &request)
{
    Options options = options_of(request.search);
    // With a DNS64 server AuthDNS is part of the Tester, and FakeDNS beside the server cannot
    // replace it.
    std::erase_if(options, [](const Option &option) {
        return option.name == "dut" || option.name == "cached-share";
    });
    for (Option &option : options) {
        if (option.name == "max-rate")
            option.is_required = false;
        if (option.name == "resolution")
            option.usual = "a thousandth of the highest rate";
        if (option.name == "timeout")
            option.usual = "0.25";
        if (option.name == "answer-prefix")
            option.usual = "2001:db8::/96";
    }
    for (Option &option : fakedns_options(request.fakedns)) {
        option.is_required = false;
        if (option.name == "fakedns-interface" || option.name == "fakedns-netns")
            option.usual = "the other end of the veth pair of --interface";
        options.push_back(std::move(option));
    }
    append(
        options,
        {{"fakedns-port", OptionGroup::fakedns, "PORT",
          "UDP port of FakeDNS, which answers beside the server in the self-test and the "
          "calibration. Give the server's own port if the server is FakeDNS itself",
          whole(request.fakedns_port, 1)},
         {"uncalibrated", OptionGroup::selftest, "",
          "Leave out the calibration; the result says that no certificate vouches for its figures",
          flag(request.uncalibrated)},
         {"directory", OptionGroup::files, "DIRECTORY", "Directory for the results of all steps",
          text(request.directory)},
         {"resume", OptionGroup::files, "",
          "Go on with the search in --directory, if one was begun", flag(request.resume)}});
    return options;
}

ExitStatus run_quickstart(QuickstartRequest &request, const StepCommands &commands,
                          const std::vector<std::string> &words)
{
    complete(request);
    require_trial_capabilities("dnsgauge quickstart");
    return Quickstart(request, commands, words).run();
}

} // namespace dnsgauge
