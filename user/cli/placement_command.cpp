// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge placement
#include "cli/command.h"
#include "options/access.h"
#include "placement/show.h"
#include "record/json_text.h"
#include "series/progress.h"
#include "series/result_files.h"
#include "system/setup_error.h"
#include "system/standard_output.h"

#include <fmt/format.h>

#include <optional>
#include <string>

namespace dnsgauge
{

namespace
{

enum class Action { apply, restore, show };

constexpr auto actions =
    words<Action>({{Action::apply, "apply"}, {Action::restore, "restore"}, {Action::show, "show"}});

struct PlacementArguments {
    Action action = Action::show;
    std::string interface;
    PlacementWishes wishes;
    std::optional<std::string> record;
    std::optional<std::string> json;
};

ExitStatus apply(const PlacementArguments &request, const std::string &record)
{
    if (request.wishes.empty())
        throw SetupError("nothing to apply: give at least one setting, such as --irq-cpus 2");
    const Knobs machine(request.interface, "/");
    const std::vector<std::string> warnings = warnings_on(machine, request.wishes);
    for (const Change &change : apply_placement(machine, request.wishes, record))
        print_result(fmt::format("{}: {}: {} -> {}\n", change.setting, change.where, change.before,
                                 change.after));
    say_notes(warnings);
    return ExitStatus::criterion_met;
}

ExitStatus restore(const std::string &record)
{
    const Restored restored = restore_placement(record, "/");
    if (restored.changes.empty() && restored.notes.empty() && restored.refusals.empty())
        print_result(fmt::format("nothing to put back: {} has no change\n", record));
    for (const std::string &note : restored.notes)
        say("dnsgauge: {}\n", note);
    for (const Change &change : restored.changes)
        print_result(
            fmt::format("{}: {}: {} again\n", change.setting, change.where, change.before));
    for (const std::string &refusal : restored.refusals)
        say("dnsgauge: {}\n", refusal);
    return restored.refusals.empty() ? ExitStatus::criterion_met : ExitStatus::wrong_input;
}

ExitStatus show(const PlacementArguments &request, const std::string &record)
{
    ResultFile json(request.json, "--json");
    const ShownPlacement shown = show_placement(Knobs(request.interface, "/"), record);
    json.commit(json_text(written(shown)));
    if (request.json != "/dev/stdout")
        print_result(to_text(shown));
    return ExitStatus::criterion_met;
}

ExitStatus run(const PlacementArguments &request, const std::vector<std::string> & /*words*/)
{
    const std::string record = request.record.value_or(placement_record_path());
    if (request.action != Action::apply && !request.wishes.empty())
        throw SetupError("--{} belongs to dnsgauge placement apply", request.wishes.begin()->first);
    if (request.action != Action::show && request.json)
        throw SetupError("--json belongs to dnsgauge placement show");
    if (request.action == Action::restore)
        return restore(record);
    if (request.interface.empty())
        throw SetupError("--interface is required for {}: name the queues' interface",
                         actions.text_of(request.action));
    if (request.action == Action::apply)
        return apply(request, record);
    return show(request, record);
}

OptionAccess wish(PlacementWishes &wishes, const std::string &name)
{
    return {.set = [&wishes, name](const std::string &text,
                                   const std::string & /*name*/) { wishes[name] = text; },
            .get = [&wishes, name]() -> OptionValue {
                const auto found = wishes.find(name);
                return found == wishes.end() ? OptionValue() : OptionValue(found->second);
            }};
}

Options options_of(PlacementArguments &request)
{
    Options options = {
        Option("ACTION", OptionGroup::other, "",
               "apply the settings, restore the recorded values, or show the "
               "present ones",
               word(request.action, actions), {.is_required = true, .is_positional = true}),
        {"interface", OptionGroup::placement, "IF",
         "Interface whose queues and interrupts are placed", text(request.interface)}};
    for (const PlacementSetting &setting : placement_settings())
        options.push_back({setting.name, OptionGroup::placement, setting.type, setting.help,
                           wish(request.wishes, setting.name)});
    append(options,
           {Option("record", OptionGroup::files, "FILE", "Record of the values before the changes",
                   text(request.record),
                   {.usual = "/run/dnsgauge/placement-N.json, N is the network namespace"}),
            {"json", OptionGroup::files, "FILE", "Write the findings of show to this file",
             text(request.json)}});
    return options;
}

} // namespace

Command placement_command()
{
    return with_arguments<PlacementArguments>(
        {.name = "placement",
         .summary = "Choose CPUs and queues for a machine's packets, and put everything back",
         .remarks = "apply records each value on the disk before it changes the value; restore "
                    "puts the record's values back, also after a crash or kill -9 in between. A "
                    "setting that is not given stays as it is.",
         .examples = {"dnsgauge placement show --interface eth2",
                      "dnsgauge placement apply --interface eth2 --irqbalance stop --irq-cpus 7",
                      "dnsgauge placement restore"},
         .statuses = {{ExitStatus::criterion_met, "the settings are applied, put back or shown"},
                      {ExitStatus::wrong_input,
                       "a setting is impossible, or the kernel refused it: nothing is changed, "
                       "and what could not be put back stays in the record"}}});
}

} // namespace dnsgauge
