// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/doctor_command.h"

#include "cli/result_files.h"
#include "common/standard_output.h"
#include "host/skeleton.h"
#include "machine/findings.h"
#include "record/json_text.h"
#include "text/diagnosis.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>

namespace dnsgauge
{

namespace
{

struct DoctorOptions {
    std::string interface;
    Role role = Role::unknown;
    std::optional<std::string> json;
};

ExitStatus run_doctor(const DoctorOptions &options)
{
    set_libbpf_verbosity(false);
    std::optional<WholeFile> json;
    if (options.json)
        json.emplace(*options.json, "--json");
    Facts facts = read_facts(options.interface, "/");
    facts.role = options.role;
    const Diagnosis diagnosis = diagnose(facts);
    print_result(to_text(diagnosis));
    if (json)
        json->commit(json_text(to_json(diagnosis)));
    return diagnosis.count(Severity::fail) == 0 ? ExitStatus::criterion_met
                                                : ExitStatus::criterion_not_met;
}

} // namespace

void add_doctor_command(CLI::App &app, Command &chosen)
{
    auto options = std::make_shared<DoctorOptions>();
    CLI::App *command = app.add_subcommand(
        "doctor", "Say what an interface can do, and what is set wrongly for a benchmark");
    command->add_option("--interface", options->interface, "Interface to look at")->required();
    command
        ->add_option_function<std::string>(
            "--role",
            [options](const std::string &role) {
                options->role = role == "dut" ? Role::dut : Role::tester;
            },
            "What the interface is for: tester or dut, where the server's XDP program belongs")
        ->type_name("ROLE")
        ->check(CLI::IsMember({"tester", "dut"}));
    command->add_option("--json", options->json, "Write the findings to this file")
        ->type_name("FILE");
    command->footer(
        "Changes nothing. A finding is ok, note (good to know), warn (costs rate, loses "
        "packets or\nspoils RTTs) or fail (no benchmark is possible). Exit status: 0 no "
        "finding is fail,\n1 one is, 2 the command is wrong.");
    command->callback([options, &chosen] { chosen = [options] { return run_doctor(*options); }; });
}

} // namespace dnsgauge
