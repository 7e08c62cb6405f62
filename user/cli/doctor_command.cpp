// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge doctor
#include "cli/command.h"
#include "machine/facts.h"
#include "machine/findings.h"
#include "options/access.h"
#include "placement/placement.h"
#include "record/json_text.h"
#include "record/probe_fields.h"
#include "record/record_file.h"
#include "record/selftest_record.h"
#include "series/result_files.h"
#include "series/tester_setup.h"
#include "system/setup_error.h"
#include "system/standard_output.h"
#include "text/diagnosis.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

namespace
{

// Without --role the role is unknown, so the unknown role has no word.
constexpr auto roles =
    words<Role>({{Role::unknown, ""}, {Role::tester, "tester"}, {Role::dut, "dut"}});

struct DoctorArguments {
    std::string interface;
    Role role = Role::unknown;
    std::optional<std::string> probe;
    std::optional<std::string> json;
};

// Returns a clause about the first setting that the machine lacks; empty if it has them all.
std::string difference(const std::string &interface,
                       const std::map<std::string, std::string> &settings)
{
    try {
        const std::vector<Change> needed = needed_changes(Knobs(interface, "/"), settings);
        if (needed.empty())
            return {};
        return fmt::format("; now {} of {} is {}", needed.front().setting, needed.front().where,
                           needed.front().before);
    } catch (const SetupError &error) {
        return fmt::format("; now these settings cannot be made: {}", error.what());
    }
}

// Adds the Tester's placement that a self-test found best.
void add_placement(Diagnosis &diagnosis)
{
    const std::optional<FoundPlacement> found = found_placement(diagnosis.interface);
    if (!found)
        return;
    const std::string queue =
        found->queue_found.empty() ? "" : "; with that CPU it " + found->queue_found;
    const std::string settings =
        found->settings_found.empty() ? "" : "; with that it " + found->settings_found;
    const std::string differs = difference(diagnosis.interface, found->settings);
    diagnosis.findings.push_back(
        {.topic = "placement",
         .severity = differs.empty() ? Severity::ok : Severity::note,
         .seen = fmt::format("the self-test of {} {}{}{}{}", found->finished, found->sender_found,
                             queue, settings, differs),
         .why = fmt::format("without --cpus a trial sends from that CPU{}; it changes no setting",
                            found->sender_queue ? " and by that transmit queue" : ""),
         .command = differs.empty()
                        ? ""
                        : fmt::format("dnsgauge placement apply --interface {} {}",
                                      diagnosis.interface, settings_text(found->settings))});
}

// Returns what the result in the file says about the server.
std::vector<Finding> findings_of_probe(const std::string &path)
{
    const nlohmann::ordered_json result = read_json_file(path);
    try {
        return probe_findings(probe_in(result));
    } catch (const nlohmann::json::exception &) {
        throw SetupError(
            "--probe {}: the file has no probe: give what dnsgauge trial, sweep or search --probe "
            "--json wrote, or dnsgauge probe --json",
            path);
    }
}

Options options_of(DoctorArguments &given)
{
    return {
        Option("interface", OptionGroup::tester, "IF", "Interface to look at",
               text(given.interface), {.is_required = true}),
        {"role", OptionGroup::tester, "ROLE",
         "Owner of the interface: tester or dut. Without this option a finding says what is "
         "right for each of the two",
         word(given.role, roles)},
        {"probe", OptionGroup::files, "FILE",
         "Judge the server's sockets, threads and CPUs by this result: of a trial with a probe, of "
         "several (the worst of them counts), or of dnsgauge probe --json",
         text(given.probe)},
        {"json", OptionGroup::files, "FILE", "Write the findings to this file", text(given.json)}};
}

ExitStatus run(const DoctorArguments &request, const std::vector<std::string> & /*words*/)
{
    check_files({{"--json", request.json}, {"--probe", request.probe}});
    const std::vector<Finding> of_probe =
        request.probe ? findings_of_probe(*request.probe) : std::vector<Finding>();
    ResultFile json(request.json, "--json");
    Facts facts = read_facts(request.interface, "/");
    facts.role = request.role;
    Diagnosis diagnosis = diagnose(facts);
    if (request.role != Role::dut && facts.interface.link.is_up && facts.interface.link.has_carrier)
        add_placement(diagnosis);
    diagnosis.findings.insert(diagnosis.findings.end(), of_probe.begin(), of_probe.end());
    write_and_print([&] { json.commit(json_text(written(diagnosis))); }, to_text(diagnosis));
    return diagnosis.count(Severity::fail) == 0 ? ExitStatus::criterion_met
                                                : ExitStatus::criterion_not_met;
}

} // namespace

Command doctor_command()
{
    return with_arguments<DoctorArguments>(
        {.name = "doctor",
         .summary = "Say what an interface can do, and what is set wrongly for a benchmark",
         .remarks = "Changes nothing. A finding is ok, note (good to know), warn (costs rate, "
                    "loses packets or spoils RTTs) or fail (no benchmark is possible).",
         .examples = {"dnsgauge doctor --interface eth1",
                      "dnsgauge doctor --interface eth2 --role dut",
                      "dnsgauge doctor --interface eth2 --role dut --probe probe.json",
                      "dnsgauge doctor --interface eth1 --json findings.json"},
         .statuses = {{ExitStatus::criterion_met, "no finding is fail"},
                      {ExitStatus::criterion_not_met, "a finding is fail"},
                      {ExitStatus::wrong_input, "the command or the environment is wrong"}}});
}

} // namespace dnsgauge
