// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge-queries convert, merge, slice, anonymise: messages from files to files.
#include "queries/commands.h"
#include "queries/pseudonyms.h"
#include "queries/reading.h"
#include "queries/writing.h"
#include "system/same_file.h"
#include "system/setup_error.h"
#include "system/standard_output.h"
#include "units/quantity_access.h"
#include "workload/query_list.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace dnsgauge
{

namespace
{

struct CopyValues {
    Reading reading;
    Writing writing;
    Nanoseconds slice{};        // the length of a slice
    std::string key;            // the key's file; empty for a random key
    std::vector<IpPrefix> kept; // addresses that keep their octets
};

Options rows(CopyValues &values)
{
    Options options = rows(values.reading);
    append(options, rows(values.writing));
    return options;
}

Option answers_row(CopyValues &values)
{
    return {"answers", OptionGroup::output, "",
            "Keep answers as well as queries; a list cannot hold answers",
            flag(values.reading.filter.answers)};
}

void tell_dropped_answers(const MessageFilter &filter)
{
    tell_left_out(filter.dropped_answers(), "answers, which --answers keeps");
}

// Writes a list as it is, with what its lines want of replies. A trial's options add what the lines
// do not say.
void prepare_list(const CopyValues &values)
{
    const Reading &reading = values.reading;
    MessageFormat format{{.recursion_desired = reading.input.recursion_desired}};
    format.wants = 0;
    const QueryList queries = read_query_list(reading.files[0], format, "", reading.input.unpack);
    queries.save(values.writing.file);
    say("dnsgauge-queries: prepared: a list of {} queries\n", queries.size());
}

bool is_one_list(const std::vector<std::string> &files)
{
    return files.size() == 1 && !is_prepared(files[0]) && !holds_capture(files[0]);
}

void prepare_messages(const CopyValues &values)
{
    check_is_file(values.writing.file);
    const Reading &reading = values.reading;
    FilterOptions filter = reading.filter;
    if (is_one_list(reading.files)) {
        if (!filter.takes_all())
            throw SetupError("{}: a list is prepared whole: write the queries that you "
                             "choose to a list first (--to text)",
                             reading.files[0]);
        return prepare_list(values);
    }
    filter.answers = true; // answers tell what replies must be
    MessageFilter wanted(filter);
    const std::unique_ptr<MessageSource> source = open_inputs(reading);
    prepare(
        [&] {
            std::optional<CapturedMessage> message = source->next();
            while (message && !wanted.passes(*message))
                message = source->next();
            return message;
        },
        values.writing.file);
    tell_left_out(source->counts());
}

void copy_messages(const CopyValues &values)
{
    check_is_no_input(values.reading.files, "--output", values.writing.file);
    if (values.writing.form() == OutputForm::prepared)
        return prepare_messages(values);
    MessageFilter wanted(values.reading.filter);
    const std::unique_ptr<MessageSource> source = open_inputs(values.reading);
    const std::unique_ptr<MessageSink> sink = open_output(values.writing);
    while (const std::optional<CapturedMessage> message = source->next())
        if (wanted.passes(*message))
            sink->put(*message);
    sink->commit();
    tell_losses(source->counts(), *sink, source->disordered());
    tell_dropped_answers(wanted);
}

// Returns the name of a slice: "part-0003.pcap" of "part.pcap" and 3.
std::string slice_name(const std::string &file, std::int64_t number)
{
    std::filesystem::path path(file);
    const std::filesystem::path extension = path.extension();
    path.replace_extension();
    return fmt::format("{}-{:04}{}", path.string(), number, extension.string());
}

void slice_messages(const CopyValues &values)
{
    const std::string &output = values.writing.file;
    if (output == "-")
        throw SetupError("slice writes several files: name them with --output, as in part.pcap");
    MessageFilter wanted(values.reading.filter);
    const std::int64_t length = values.slice.count();
    const std::unique_ptr<MessageSource> source = open_inputs(values.reading);
    std::unique_ptr<MessageSink> sink;
    std::optional<std::int64_t> begin_ns; // of the first slice
    std::int64_t number = 0;              // of the slice that is written
    std::uint64_t late = 0;
    while (const std::optional<CapturedMessage> message = source->next()) {
        begin_ns = begin_ns.value_or(message->time_ns);
        const std::int64_t own = (message->time_ns - *begin_ns) / length;
        late += own < number ? 1U : 0U;
        if (own > number) {
            if (sink)
                sink->commit();
            sink.reset();
            number = own;
        }
        if (!wanted.passes(*message))
            continue;
        if (!sink) {
            const std::string file = slice_name(output, number);
            check_is_no_input(values.reading.files, "--output", file);
            sink = open_sink(file, values.writing.form());
        }
        sink->put(*message);
    }
    if (sink)
        sink->commit();
    tell_left_out(source->counts());
    tell_dropped_answers(wanted);
    if (late != 0)
        say("dnsgauge-queries: {} messages followed a message of a later slice, and are in that "
            "slice\n",
            late);
}

void anonymise_queries(const CopyValues &values)
{
    const std::string &output = values.writing.file;
    check_is_no_input(values.reading.files, "--output", output);
    if (!values.key.empty())
        check_is_no_input({values.key}, "--output", output);
    Anonymiser anonymiser(values.key.empty() ? random_secret() : read_secret(values.key),
                          values.kept);
    MessageFilter wanted(values.reading.filter);
    const std::unique_ptr<MessageSource> source = open_inputs(values.reading);
    const std::unique_ptr<MessageSink> sink = open_output(values.writing);
    std::uint64_t answers = 0;
    std::uint64_t odd = 0;
    while (const std::optional<CapturedMessage> message = source->next()) {
        if (!wanted.passes(*message))
            continue;
        if (const std::optional<CapturedMessage> query = anonymiser.pseudonym(*message))
            sink->put(*query);
        else
            (message->is_answer() ? answers : odd)++;
    }
    sink->commit();
    tell_losses(source->counts(), *sink, source->disordered());
    tell_left_out(answers, "answers, whose records are not anonymised");
    tell_left_out(odd, "queries with other content than one question and at most an OPT record");
    if (values.key.empty())
        say("dnsgauge-queries: the key is random and forgotten: another run gives other "
            "pseudonyms, unless both have the same --key\n");
}

} // namespace

Command convert_command()
{
    const auto values = std::make_shared<CopyValues>();
    Options options = rows(*values);
    append(options, {answers_row(*values)});
    return {.name = "convert",
            .summary = "Convert captures into lists, lists into captures, and both into prepared "
                       "files that a trial maps",
            .options = std::move(options),
            .examples = {"dnsgauge-queries convert day.pcap --output day.txt",
                         "dnsgauge-queries convert day.pcap --type AAAA --client 192.0.2.0/24 \\",
                         "    --output list.txt",
                         "dnsgauge-queries convert day.pcap --output day.prepared"},
            .run = doing([values] { copy_messages(*values); })};
}

Command merge_command()
{
    const auto values = std::make_shared<CopyValues>();
    Options options = rows(*values);
    append(options, {answers_row(*values),
                     {"align", OptionGroup::output, "",
                      "Shift the times of all inputs so that all begin when the earliest begins",
                      flag(values->reading.input.align)}});
    return {
        .name = "merge",
        .summary = "Make one capture of several",
        .options = std::move(options),
        .examples = {"dnsgauge-queries merge east.pcap west.pcap --output both.pcap",
                     "dnsgauge-queries merge monday.pcap friday.pcap --align --output both.pcap"},
        .run = doing([values] { copy_messages(*values); })};
}

Command slice_command()
{
    const auto values = std::make_shared<CopyValues>();
    Options options = rows(*values);
    append(options, {answers_row(*values),
                     Option("length", OptionGroup::other, "SECONDS", "Length of a slice, seconds",
                            dnsgauge::time(values->slice, seconds_most), {.is_required = true})});
    return {.name = "slice",
            .summary = "Cut captures into slices by time: NAME-0000.pcap, NAME-0001.pcap, ...",
            .options = std::move(options),
            .examples = {"dnsgauge-queries slice hour.pcap --length 60 --output hour.pcap",
                         "dnsgauge-queries slice day.pcap.zst --length 3600 --since 28800 \\",
                         "    --output hours.pcap"},
            .run = doing([values] { slice_messages(*values); })};
}

Command anonymise_command()
{
    const auto values = std::make_shared<CopyValues>();
    values->reading.filter.answers = true; // to count them
    Options options = rows(*values);
    append(options,
           {{"key", OptionGroup::output, "FILE",
             "File with a secret key: the same key gives the same pseudonyms", text(values->key)},
            Option("keep", OptionGroup::output, "PREFIX",
                   "Keep addresses in this prefix as they are (repeatable)",
                   each(values->kept, parse_ip_prefix), {.is_repeatable = true})});
    return {.name = "anonymise",
            .summary = "Replace addresses and names by pseudonyms, which keep common prefixes of "
                       "addresses, lengths of labels and public suffixes",
            .options = std::move(options),
            .examples =
                {"dnsgauge-queries anonymise clients.pcap --key secret.key --output shared.pcap",
                 "dnsgauge-queries anonymise clients.pcap --keep 198.51.100.0/24 \\",
                 "    --output shared.pcap"},
            .run = doing([values] { anonymise_queries(*values); })};
}

} // namespace dnsgauge
