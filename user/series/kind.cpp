// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/kind.h"

#include "options/access.h"
#include "system/counted.h"
#include "system/privileges.h"

#include <fmt/format.h>

namespace dnsgauge
{

namespace
{

void say_invalid(const TrialLog &log, const std::string &less)
{
    if (log.lacks_a_tester) {
        say("dnsgauge: a trial at {} queries/s is invalid: {}; go on with --resume, with the same "
            "Testers or others\n",
            log.last_trial->rate.per_second, log.last_trial->why);
        return;
    }
    say("dnsgauge: a trial at {} queries/s is invalid: {}; nothing was learned from it: "
        "mend that, then go on with --resume, or begin anew with {}{}\n",
        log.last_trial->rate.per_second, log.last_trial->why, less,
        log.invalid_retries == 0 ? ""
                                 : fmt::format(" (it was made again {}: --invalid-retries)",
                                               counted(log.invalid_retries, "time")));
}

} // namespace

Options series_file_options(SeriesFiles &files, const std::string &owner, bool has_form)
{
    Options options = {Option("journal", OptionGroup::files, "FILE",
                              "File in which each trial is recorded as soon as it has ended",
                              text(files.journal.path), {.is_required = true}),
                       {"resume", OptionGroup::files, "",
                        "Go on with the " + owner + " that --journal records",
                        flag(files.journal.resume)}};
    if (has_form)
        options.push_back(form_option(files.form));
    options.push_back(json_option(files.json));
    return options;
}

void check_files(const SeriesFiles &files, const TrialPlan &trial,
                 const std::vector<NamedFile> &others)
{
    std::vector<NamedFile> all = {{"--json", files.json}, {"--journal", files.journal.path}};
    all.insert(all.end(), others.begin(), others.end());
    check_files(all, trial.workload);
}

void require_capabilities(const JournalFile &file, const std::string &command)
{
    if (!file.resume)
        require_trial_capabilities(command);
}

Journal open_journal(const JournalFile &file, const nlohmann::ordered_json &header)
{
    if (!file.resume)
        return Journal::create(*file.path, header);
    Journal journal = Journal::resume(*file.path, header);
    if (journal.torn() != 0)
        say("dnsgauge: note: the journal's last line was incomplete and is cut off ({}): its trial "
            "is made again\n",
            counted(journal.torn(), "octet"));
    return journal;
}

ExitStatus status_of(TrialsEnd end, const TrialLog &log, const std::string &less)
{
    switch (end) {
    case TrialsEnd::complete:
    case TrialsEnd::below_range:
    case TrialsEnd::above_range:
    case TrialsEnd::not_offered:
        return ExitStatus::criterion_met;
    case TrialsEnd::interrupted:
        say("dnsgauge: interrupted: go on with --resume\n");
        break;
    case TrialsEnd::invalid_trial:
        say_invalid(log, less);
        break;
    }
    return ExitStatus::nothing_learned;
}

ExitStatus status_of(const SeriesRequest & /*any*/, const SeriesResult &result)
{
    return status_of(result.end, result, "a lower --max-rate");
}

std::vector<Command> series_commands(const std::shared_ptr<Testers> &testers)
{
    std::vector<Command> commands;
    for (const SeriesKind &kind : series_kinds())
        commands.push_back(kind.command(testers));
    return commands;
}

} // namespace dnsgauge
