// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/series_command.h"

#include "host/skeleton.h"
#include "options/access.h"
#include "userland/counted.h"
#include "userland/privileges.h"
#include "userland/standard_output.h"

#include <fmt/format.h>

namespace dnsgauge
{

Options journal_file_options(JournalFile &file, const std::string &owner)
{
    return {{.name = "journal",
             .group = OptionGroup::files,
             .type = "FILE",
             .help = "File in which each trial is recorded as soon as it has ended",
             .access = text(file.path),
             .is_required = true},
            {"resume", OptionGroup::files, "",
             "Go on with the " + owner + " that --journal records", flag(file.resume)}};
}

Options series_file_options(SeriesFiles &files, const std::string &owner)
{
    Options options = journal_file_options(files.journal, owner);
    options.push_back(form_option(files.form));
    append(options, output_options(files.output));
    return options;
}

void prepare(const SeriesFiles &files, const TrialPlan &trial)
{
    set_libbpf_verbosity(files.output.verbose);
    check_files({{"--json", files.output.json}, {"--journal", files.journal.path}}, trial.workload);
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
        say("dnsgauge: note: the journal ends with {} of a line, cut off now: the trial that the "
            "line was to record is made again\n",
            counted(journal.torn(), "octet"));
    return journal;
}

void say_interrupted()
{
    say("dnsgauge: interrupted: go on with --resume\n");
}

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

ExitStatus status_of(TrialsEnd end, const TrialLog &log, const std::string &less)
{
    switch (end) {
    case TrialsEnd::complete:
        return ExitStatus::criterion_met;
    case TrialsEnd::interrupted:
        say_interrupted();
        break;
    case TrialsEnd::invalid_trial:
        say_invalid(log, less);
        break;
    }
    return ExitStatus::nothing_learned;
}

} // namespace dnsgauge
