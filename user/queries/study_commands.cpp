// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge-queries names, stats: tell what messages say.
#include "queries/capture_stats.h"
#include "queries/commands.h"
#include "queries/name_list.h"
#include "queries/reading.h"
#include "queries/writing.h"
#include "record/json_text.h"
#include "system/output_file.h"
#include "system/same_file.h"
#include "system/setup_error.h"
#include "system/standard_output.h"
#include "system/whole_file.h"
#include "units/quantity_access.h"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace dnsgauge
{

namespace
{

struct NamesValues {
    Reading reading;
    std::string output = "-";
};

struct StatsValues {
    Reading reading;
    Nanoseconds interval = std::chrono::seconds(1);
    std::string json; // the file; empty if none
    std::size_t top = 10;
};

void extract_names(const NamesValues &values)
{
    MessageFilter wanted(values.reading.filter);
    const std::unique_ptr<MessageSource> source = open_inputs(values.reading);
    check_is_no_input(values.reading.files, "--output", values.output);
    OutputFile output{values.output};
    NameBook book;
    while (const std::optional<CapturedMessage> message = source->next())
        if (wanted.passes(*message))
            book.add(*message);
    if (book.size() == 0)
        throw SetupError("no answer in the input says that a name exists: record answers, too");
    for (const std::string &line : book.lines())
        output.write(line + "\n");
    output.commit();
    tell_left_out(source->counts());
    tell_left_out(book.denied, "answers that say that a name does not exist");
    tell_left_out(book.useless, "answers that are errors, referrals or damaged");
    tell_left_out(book.uncounted, "mentions of names beyond the first million");
}

void tell_stats(const StatsValues &values)
{
    const Reading &reading = values.reading;
    MessageFilter wanted(reading.filter);
    std::optional<WholeFile> json;
    check_is_no_input(reading.files, "--json", values.json);
    if (!values.json.empty())
        json.emplace(values.json, "--json");
    const std::unique_ptr<MessageSource> source = open_inputs(reading);
    CaptureStudy study{
        .stats = CaptureStats(values.interval), .files = reading.files, .top = values.top};
    while (const std::optional<CapturedMessage> message = source->next()) {
        if (wanted.passes(*message))
            study.stats.add(*message);
        else
            study.filtered++;
    }
    study.counts = source->counts();
    study.disordered = source->disordered();
    if (json)
        json->commit(json_text(written(study)));
    print_result(to_text(study));
}

Options rows(StatsValues &values)
{
    Options options = rows(values.reading);
    append(
        options,
        {{"interval", OptionGroup::figures, "SECONDS", "Interval of the rates over time, seconds",
          dnsgauge::time(values.interval, seconds_most)},
         {"top", OptionGroup::figures, "NUMBER", "Number of names and of clients to list",
          whole(values.top, 0, BoundedCounts::most)},
         {"json", OptionGroup::figures, "FILE",
          "Write the statistics to this file, as JSON (dnsgauge/capture/1)", text(values.json)}});
    return options;
}

} // namespace

Command names_command()
{
    const auto values = std::make_shared<NamesValues>();
    values->reading.filter.answers = true;
    Options options = rows(values->reading);
    append(options, {output_row(values->output)});
    return {.name = "names",
            .summary = "List existing names, with types and TTLs, as captured answers had them",
            .options = std::move(options),
            .examples = {"dnsgauge-queries names day.pcap --output names.txt",
                         "dnsgauge-queries names day.pcap --server 192.0.2.53 --since 3600"},
            .run = doing([values] { extract_names(*values); })};
}

Command stats_command()
{
    const auto values = std::make_shared<StatsValues>();
    values->reading.filter.answers = true;
    return {.name = "stats",
            .summary = "Print rates over time, types, names, clients, and RCODEs of the answers",
            .options = rows(*values),
            .examples = {"dnsgauge-queries stats day.pcap",
                         "dnsgauge-queries stats day.pcap --interval 60 --top 5 --json day.json"},
            .run = doing([values] { tell_stats(*values); })};
}

} // namespace dnsgauge
