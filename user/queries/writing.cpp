// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/writing.h"

#include "options/access.h"
#include "queries/reading.h"
#include "userland/setup_error.h"
#include "userland/standard_output.h"

#include <unistd.h>

namespace dnsgauge
{

namespace
{

constexpr auto output_forms = words<OutputForm>({{OutputForm::pcap, "pcap"},
                                                 {OutputForm::text, "text"},
                                                 {OutputForm::binary, "binary"},
                                                 {OutputForm::prepared, "prepared"}});

} // namespace

OutputForm Writing::form() const
{
    if (given_form)
        return *given_form;
    return file.ends_with(".txt")        ? OutputForm::text
           : file.ends_with(".bin")      ? OutputForm::binary
           : file.ends_with(".prepared") ? OutputForm::prepared
                                         : OutputForm::pcap;
}

Option output_row(std::string &file)
{
    return {"output", OptionGroup::output, "FILE", "File to write; - is standard output",
            text(file)};
}

Options rows(Writing &writing)
{
    return {output_row(writing.file),
            {.name = "to",
             .group = OptionGroup::output,
             .type = "FORM",
             .help = "Form of the output: pcap, text, binary (each message behind its length in 16 "
                     "bits), or prepared (mapped by trials; convert, merge and make write it)",
             .access = word(writing.given_form, output_forms),
             .usual = "text for .txt, binary for .bin, prepared for .prepared, else pcap"}};
}

std::unique_ptr<MessageSink> open_output(const Writing &writing)
{
    if (writing.file == "-" && writing.form() != OutputForm::text && isatty(STDOUT_FILENO) != 0)
        throw SetupError("a terminal cannot show captures or binary lists: name a file with "
                         "--output, or give --to text");
    return open_sink(writing.file, writing.form());
}

void check_is_file(const std::string &file)
{
    if (file == "-")
        throw SetupError("--to prepared: a trial maps a file: name one with --output");
}

void prepare(const CapturedQueries::NextMessage &next, const std::string &file)
{
    check_is_file(file);
    const CapturedQueries queries(next);
    queries.save(file);
    const ReplayOmissions &left_out = queries.omissions();
    tell_left_out(left_out.unreadable,
                  "messages that are no queries with one uncompressed question");
    tell_left_out(left_out.too_long, "queries that are too long");
    tell_left_out(left_out.outside, "queries more than a second older than the first message");
    say("dnsgauge-queries: prepared: {} queries of {} clients, {} of them with an answer\n",
        queries.size(), queries.clients(), queries.answered());
}

void tell_losses(const CaptureCounts &counts, const MessageSink &sink, std::uint64_t disordered)
{
    tell_left_out(counts);
    tell_left_out(sink.unfit, "messages that the output's form cannot hold");
    if (sink.simplified != 0)
        say("dnsgauge-queries: {} queries lost their flags or EDNS options, for which a text list "
            "has no place\n",
            sink.simplified);
    if (disordered != 0)
        say("dnsgauge-queries: {} messages follow a message of a later time\n", disordered);
}

} // namespace dnsgauge
