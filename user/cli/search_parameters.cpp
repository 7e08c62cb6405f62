// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/search_parameters.h"

#include "common/pref64_text.h"
#include "record/selftest_json.h"
#include "search/compliance.h"
#include "selftest/tester_setup.h"
#include "trial/circumstances.h"
#include "units/rate.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

template <class T>
Json given(const std::optional<T> &value)
{
    return value ? Json(*value) : Json();
}

// Numbers as they were understood, so that 60 and 60.0 are the same.
Json trial_options_json(const SearchRequest &request)
{
    const TrialOptions &options = request.options;
    const TrialPlan &plan = request.trial;
    return {{"interface", plan.interface},
            {"server", to_string(plan.server)},
            {"port", plan.server_port},
            {"duration", seconds(plan.duration)},
            {"timeout", seconds(plan.timeout)},
            {"names", to_string(plan.names)},
            {"zone", plan.zone.text},
            {"qtype", options.qtype},
            {"dut", options.dut},
            {"answer-prefix", to_string(plan.answer_prefix)},
            {"answer", options.answer},
            {"aaaa-share", plan.aaaa_share},
            {"aaaa-prefix", to_string(plan.aaaa_prefix)},
            {"cached-share", plan.cached.percent},
            {"accept", plan.accept_percent},
            {"allow-repeats", plan.allow_repeats},
            {"recursion-desired", plan.recursion_desired},
            {"edns-size", given(plan.edns_size)},
            {"dnssec-ok", plan.dnssec_ok},
            {"server-mac", given(options.server_mac)},
            {"source", given(options.source)},
            {"vlan", given(plan.vlan)},
            {"source-ports", plan.source_ports},
            {"first-source-port", plan.first_source_port},
            {"cpus", plan.cpus},
            {"max-lateness", seconds(plan.tolerances.lateness)},
            {"max-overrun", seconds(plan.tolerances.overrun_least)},
            {"xdp-mode", options.xdp_mode},
            {"af-xdp", options.copy_mode},
            {"busy-poll", options.busy_poll},
            {"hardware-timestamps", options.stamps},
            {"idle-cpus", options.idle_cpus}};
}

} // namespace

void add_confirm_option(CLI::App &app, unsigned &confirm)
{
    app.add_option("--confirm", confirm,
                   "Times to try a failed trial again before it counts; any is not compliant "
                   "with RFC 8219")
        ->check(CLI::Range(0, 100))
        ->capture_default_str();
}

Json journal_header(const SearchRequest &request)
{
    const SearchPlan &search = request.search;
    Json options = {{"min-rate", search.range.min.per_second},
                    {"max-rate", search.range.max.per_second},
                    {"resolution", search.range.resolution},
                    {"repeat", search.repeat},
                    {"confirm", search.confirm},
                    {"pause", seconds(request.between.pause)},
                    {"before-trial", given(request.between.command)},
                    {"fresh-names", request.between.fresh_names.has_value()},
                    {"beyond-selftest", request.selftest && !request.selftest->covers()}};
    options.update(trial_options_json(request));
    return {{"schema", "dnsgauge/search-journal/1"},
            {"options", options},
            {"setup", setup_json(describe_setup(request.trial))}};
}

std::vector<std::string> rfc8219_deviations(const SearchRequest &request)
{
    return search_deviations(request.search, request.trial, request.invalid_retries);
}

} // namespace dnsgauge
