// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/writing.h"

#include "capture/capture_writer.h"
#include "options/access.h"
#include "queries/reading.h"
#include "system/output_file.h"
#include "system/setup_error.h"
#include "system/standard_output.h"
#include "workload/query_list.h"

#include <unistd.h>

#include <array>
#include <limits>

namespace dnsgauge
{

namespace
{

constexpr auto output_forms = words<OutputForm>({{OutputForm::pcap, "pcap"},
                                                 {OutputForm::text, "text"},
                                                 {OutputForm::binary, "binary"},
                                                 {OutputForm::prepared, "prepared"}});

std::string_view text_of(std::span<const std::uint8_t> octets)
{
    return {reinterpret_cast<const char *>(octets.data()), octets.size()};
}

class ToCapture final : public MessageSink
{
public:
    explicit ToCapture(const std::filesystem::path &path) : writer_(path) {}

    void put(const CapturedMessage &message) override
    {
        if (message.message.size() > CaptureWriter::longest_message || message.time_ns < 0 ||
            message.time_ns > CaptureWriter::latest_ns) {
            unfit++;
            return;
        }
        writer_.write(message);
    }
    void commit() override { writer_.commit(); }

private:
    CaptureWriter writer_;
};

class ToText final : public MessageSink
{
public:
    explicit ToText(const std::filesystem::path &path) : file_(path) {}

    void put(const CapturedMessage &message) override
    {
        dns_query query{};
        if (dns_read_query(reading_cursor(message.message), 0, &query) != DNS_QUERY_GOOD ||
            query.class_ != DNS_CLASS_IN) {
            unfit++;
            return;
        }
        std::string line = question_text(message.message);
        if (query.has_edns != 0)
            line += query.dnssec_ok != 0 ? " D" : " E";
        file_.write(line + '\n');
        constexpr unsigned kept_flags = DNS_RD;
        const std::size_t behind_name = DNS_HEADER_SIZE + query.name_length + DNS_QUESTION_TAIL;
        const bool has_options =
            query.has_edns != 0 && message.message.size() > behind_name + DNS_OPT_SIZE;
        simplified += (query.flags & ~kept_flags) != 0 || has_options ? 1U : 0U;
    }
    void commit() override { file_.commit(); }

private:
    OutputFile file_;
};

class ToBinary final : public MessageSink
{
public:
    explicit ToBinary(const std::filesystem::path &path) : file_(path) {}

    void put(const CapturedMessage &message) override
    {
        const std::size_t size = message.message.size();
        if (message.is_answer() || size > std::numeric_limits<std::uint16_t>::max()) {
            unfit++;
            return;
        }
        std::array<std::uint8_t, 2> length{};
        wire_put16(length.data(), static_cast<std::uint16_t>(size));
        file_.write(text_of(length));
        file_.write(text_of(message.message));
    }
    void commit() override { file_.commit(); }

private:
    OutputFile file_;
};

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
            Option("to", OptionGroup::output, "FORM",
                   "Form of the output: pcap, text, binary (each message after its length in 16 "
                   "bits), or prepared (mapped by trials; convert, merge and make write it)",
                   word(writing.given_form, output_forms),
                   {.usual = "text for .txt, binary for .bin, prepared for .prepared, else pcap"})};
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

std::unique_ptr<MessageSink> open_sink(const std::filesystem::path &path, OutputForm form)
{
    switch (form) {
    case OutputForm::pcap:
        return std::make_unique<ToCapture>(path);
    case OutputForm::text:
        return std::make_unique<ToText>(path);
    case OutputForm::binary:
        return std::make_unique<ToBinary>(path);
    case OutputForm::prepared:
        throw SetupError("--to prepared belongs to convert, merge and make: give another form "
                         "here, and convert the file");
    }
    __builtin_unreachable();
}

} // namespace dnsgauge
