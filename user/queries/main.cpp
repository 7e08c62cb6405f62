// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge-queries: reads captures and lists of queries, converts each into the other, and makes
// captures of imaginary clients.
#include "input/unpack_limit.h"
#include "queries/anonymiser.h"
#include "queries/capture_stats.h"
#include "queries/message_filter.h"
#include "queries/message_sink.h"
#include "queries/message_source.h"
#include "queries/name_list.h"
#include "queries/query_maker.h"
#include "record/json_text.h"
#include "units/quantity_text.h"
#include "userland/chosen_word.h"
#include "userland/command_arguments.h"
#include "userland/help_layout.h"
#include "userland/output_file.h"
#include "userland/query_type.h"
#include "userland/run_program.h"
#include "userland/same_file.h"
#include "userland/setup_error.h"
#include "userland/standard_output.h"
#include "userland/version.h"
#include "userland/whole_file.h"
#include "workload/captured_queries.h"
#include "workload/query_list.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace
{

using namespace dnsgauge;

constexpr double seconds_most = 1e9;
constexpr std::uint64_t unpacked_mib_most = 1U << 30U;

constexpr auto output_forms = words<OutputForm>({{OutputForm::pcap, "pcap"},
                                                 {OutputForm::text, "text"},
                                                 {OutputForm::binary, "binary"},
                                                 {OutputForm::prepared, "prepared"}});

// The options of each subcommand. Those with a form of their own (rates, times, addresses) are
// texts, which the functions below parse.
struct InputTexts {
    std::vector<std::string> files;
    std::uint16_t port = CaptureReader::dns_port;
    std::uint64_t unpacked_most_mib = 0; // 0: the usual limit
    bool align = false;
};

struct ListTexts {
    std::string rate = "1000";
    std::string client = "198.18.0.1";
    std::string server = "198.18.0.2";
    bool recursion_desired = false;
};

struct FilterTexts {
    FilterOptions options;
    std::string since;
    std::string until;
};

struct OutputTexts {
    std::string file = "-";
    std::string form;
};

struct SliceTexts {
    std::string length;
};

struct AnonymiseTexts {
    std::string key;
    std::vector<std::string> kept;
};

struct StatsTexts {
    std::string interval = "1";
    std::string json;
    std::size_t top = 10;
};

struct MakeTexts {
    MakeOptions options;
    std::string rate = "1000";
    std::string duration = "10";
    std::string client_prefix = "198.19.0.0/16";
    std::string server = "198.18.0.2";
    std::string names = "10.0.0.0/16";
    std::string zone = "dns64perf.test";
    std::string name_list;
    std::string types = "A=60,AAAA=30,HTTPS=10";
    std::int64_t begin_s = 1577836800; // 2020
    bool no_recursion_desired = false;
};

const CLI::Range ports{1, 65535};
const CLI::Range percentages{0, 100};

void add_input(CLI::App &command, InputTexts &input, const std::string &what)
{
    begin_group(command, "Input");
    command.add_option("FILE", input.files, what)->required();
    command.add_option("--port", input.port, "The port of the DNS servers in captures")
        ->check(ports)
        ->capture_default_str();
    command
        .add_option("--unpacked-most", input.unpacked_most_mib,
                    fmt::format("Refuse a packed input that unpacks to more MiB than this; "
                                "default: {}, or {} times what it takes packed",
                                UnpackLimit{}.octets >> 20U, UnpackLimit{}.times))
        ->check(CLI::Range(std::uint64_t{1}, unpacked_mib_most));
}

UnpackLimit unpack_limit(const InputTexts &input)
{
    if (input.unpacked_most_mib == 0)
        return {};
    return {.octets = input.unpacked_most_mib << 20U, .times = 1};
}

void add_list(CLI::App &command, ListTexts &list)
{
    begin_group(command, "Lists");
    command
        .add_option(
            "--rate", list.rate,
            "Queries per second at which the queries of a list follow each other: 20000 or 20k")
        ->capture_default_str();
    command
        .add_option("--list-client", list.client, "Address that the queries of a list come from")
        ->capture_default_str();
    command.add_option("--list-server", list.server, "Address that the queries of a list go to")
        ->capture_default_str();
    command.add_flag("--recursion-desired", list.recursion_desired,
                     "Set RD (recursion desired) in the queries of a text list");
}

void add_filter(CLI::App &command, FilterTexts &filter)
{
    FilterOptions &options = filter.options;
    begin_group(command, "Choice");
    const auto repeatable = [&](const char *name, std::vector<std::string> &values,
                                const char *help) {
        command.add_option(name, values, help)->allow_extra_args(false);
    };
    repeatable("--type", options.types, "Keep only queries for this type (repeatable)");
    repeatable("--name", options.names,
               "Keep only queries for this name or a name below it (repeatable)");
    repeatable("--client", options.clients,
               "Keep only queries of clients in this prefix, and their answers (repeatable)");
    repeatable("--server", options.servers,
               "Keep only queries to this server, and its answers (repeatable)");
    command
        .add_option("--opcode", options.opcode, "Keep only messages with this opcode; 0 is QUERY")
        ->check(CLI::Range(0, 15));
    command.add_option("--since", filter.since,
                       "Leave out the messages of the first so many seconds");
    command.add_option(
        "--until", filter.until,
        "Leave out the messages from this second on, counted from the first message");
}

void add_output(CLI::App &command, OutputTexts &output)
{
    begin_group(command, "Output");
    command.add_option("--output", output.file, "File to write; - is standard output")
        ->capture_default_str();
    command.add_option(
        "--to", output.form,
        "Form of the output: pcap, text, binary (each message behind its length in "
        "16 bits), or prepared (what a trial maps into memory, of convert, merge and "
        "make); default: text for .txt, binary for .bin, prepared for .prepared, "
        "else pcap");
}

InputOptions input_options(const InputTexts &input, const ListTexts &list)
{
    InputOptions options{.port = input.port,
                         .rate = parse_rate(list.rate, "--rate"),
                         .client = parse_ip_address(list.client),
                         .server = parse_ip_address(list.server),
                         .recursion_desired = list.recursion_desired,
                         .unpack = unpack_limit(input),
                         .align = input.align};
    if (options.client.is_ipv6 != options.server.is_ipv6)
        throw SetupError("--list-client and --list-server are of different IP versions");
    return options;
}

FilterOptions filter_options(const FilterTexts &filter)
{
    FilterOptions options = filter.options;
    if (!filter.since.empty())
        options.since = parse_seconds_or_none(filter.since, "--since", seconds_most);
    if (!filter.until.empty())
        options.until = parse_seconds(filter.until, "--until", seconds_most);
    return options;
}

OutputForm output_form(const OutputTexts &output)
{
    if (output.form.empty())
        return output.file.ends_with(".txt")        ? OutputForm::text
               : output.file.ends_with(".bin")      ? OutputForm::binary
               : output.file.ends_with(".prepared") ? OutputForm::prepared
                                                    : OutputForm::pcap;
    return chosen(output_forms, output.form, "--to");
}

std::unique_ptr<MessageSink> open_output(const OutputTexts &output)
{
    const OutputForm form = output_form(output);
    if (output.file == "-" && form != OutputForm::text && isatty(STDOUT_FILENO) != 0)
        throw SetupError("a terminal cannot show captures or binary lists: name a file with "
                         "--output, or give --to text");
    return open_sink(output.file, form);
}

// These functions tell on standard error what the output lacks.
void tell_left_out(std::uint64_t count, const char *what)
{
    if (count != 0)
        say("dnsgauge-queries: left out: {} {}\n", count, what);
}

void say_left_out(const CaptureCounts &counts)
{
    tell_left_out(counts.tcp, "TCP segments with data");
    tell_left_out(counts.fragments, "fragments of IP packets");
    tell_left_out(counts.cut, "packets that were captured in part");
    tell_left_out(counts.malformed, "packets from or to the port that are no DNS messages");
}

void tell_dropped_answers(const MessageFilter &filter)
{
    tell_left_out(filter.dropped_answers(), "answers, which --answers keeps");
}

void say_losses(const CaptureCounts &counts, const MessageSink &sink, std::uint64_t disordered)
{
    say_left_out(counts);
    tell_left_out(sink.unfit, "messages that the output's form cannot hold");
    if (sink.simplified != 0)
        say("dnsgauge-queries: {} queries lost their flags or EDNS options, for which a text list "
            "has no place\n",
            sink.simplified);
    if (disordered != 0)
        say("dnsgauge-queries: {} messages follow a message of a later time\n", disordered);
}

void check_is_file(const std::string &output)
{
    if (output == "-")
        throw SetupError("--to prepared: a trial maps a file: name one with --output");
}

// Writes the queries that `next` yields, with their times and clients.
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

// Writes a list as it is, with what its lines say of replies. What the lines do not say, a trial's
// options do.
void prepare_list(const InputTexts &input, const ListTexts &list, const std::string &file)
{
    const QueryList queries = read_query_list(
        input.files[0],
        {.recursion_desired = list.recursion_desired, .edns_size = std::nullopt, .wants = 0}, "",
        unpack_limit(input));
    queries.save(file);
    say("dnsgauge-queries: prepared: a list of {} queries\n", queries.size());
}

bool is_one_list(const InputTexts &input)
{
    return input.files.size() == 1 && !is_prepared(input.files[0]) &&
           !holds_capture(input.files[0]);
}

void prepare_messages(const InputTexts &input, const ListTexts &list, const FilterTexts &filter,
                      const OutputTexts &output)
{
    check_is_file(output.file);
    FilterOptions wanted_options = filter_options(filter);
    if (is_one_list(input)) {
        if (!wanted_options.takes_all())
            throw SetupError(fmt::format("{}: a list is prepared whole: write the queries that you "
                                         "choose to a list first (--to text)",
                                         input.files[0]));
        return prepare_list(input, list, output.file);
    }
    wanted_options.answers = true; // they say what replies must be
    MessageFilter wanted(wanted_options);
    const std::unique_ptr<MessageSource> source =
        open_sources(input.files, input_options(input, list));
    prepare(
        [&] {
            std::optional<CapturedMessage> message = source->next();
            while (message && !wanted.passes(*message))
                message = source->next();
            return message;
        },
        output.file);
    say_left_out(source->counts());
}

void copy_messages(const InputTexts &input, const ListTexts &list, const FilterTexts &filter,
                   const OutputTexts &output)
{
    check_is_no_input(input.files, "--output", output.file);
    if (output_form(output) == OutputForm::prepared)
        return prepare_messages(input, list, filter, output);
    MessageFilter wanted(filter_options(filter));
    const std::unique_ptr<MessageSource> source =
        open_sources(input.files, input_options(input, list));
    const std::unique_ptr<MessageSink> sink = open_output(output);
    while (const std::optional<CapturedMessage> message = source->next())
        if (wanted.passes(*message))
            sink->put(*message);
    sink->commit();
    say_losses(source->counts(), *sink, source->disordered());
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

void slice_messages(const InputTexts &input, const ListTexts &list, const FilterTexts &filter,
                    const OutputTexts &output, const SliceTexts &slice)
{
    if (output.file == "-")
        throw SetupError("slice writes several files: name them with --output, as in part.pcap");
    MessageFilter wanted(filter_options(filter));
    const std::int64_t length = parse_seconds(slice.length, "--length", seconds_most).count();
    const OutputForm form = output_form(output);
    const std::unique_ptr<MessageSource> source =
        open_sources(input.files, input_options(input, list));
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
            const std::string file = slice_name(output.file, number);
            check_is_no_input(input.files, "--output", file);
            sink = open_sink(file, form);
        }
        sink->put(*message);
    }
    if (sink)
        sink->commit();
    say_left_out(source->counts());
    tell_dropped_answers(wanted);
    if (late != 0)
        say("dnsgauge-queries: {} messages followed a message of a later slice, and are in that "
            "slice\n",
            late);
}

void anonymise_queries(const InputTexts &input, const ListTexts &list, const FilterTexts &filter,
                       const OutputTexts &output, const AnonymiseTexts &texts)
{
    check_is_no_input(input.files, "--output", output.file);
    if (!texts.key.empty())
        check_is_no_input({texts.key}, "--output", output.file);
    std::vector<IpPrefix> kept;
    for (const std::string &prefix : texts.kept)
        kept.push_back(parse_ip_prefix(prefix));
    Anonymiser anonymiser(texts.key.empty() ? random_secret() : read_secret(texts.key),
                          std::move(kept));
    FilterOptions wanted_options = filter_options(filter);
    wanted_options.answers = true;
    MessageFilter wanted(wanted_options);
    const std::unique_ptr<MessageSource> source =
        open_sources(input.files, input_options(input, list));
    const std::unique_ptr<MessageSink> sink = open_output(output);
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
    say_losses(source->counts(), *sink, source->disordered());
    tell_left_out(answers, "answers, whose records are not anonymised");
    tell_left_out(odd, "queries with other content than one question and at most an OPT record");
    if (texts.key.empty())
        say("dnsgauge-queries: nobody knows the key: another run gives other pseudonyms, unless "
            "both "
            "have the same --key\n");
}

void tell_stats(const InputTexts &input, const ListTexts &list, const FilterTexts &filter,
                const StatsTexts &texts)
{
    FilterOptions wanted_options = filter_options(filter);
    wanted_options.answers = true;
    MessageFilter wanted(wanted_options);
    std::optional<WholeFile> json;
    check_is_no_input(input.files, "--json", texts.json);
    if (!texts.json.empty())
        json.emplace(texts.json, "--json");
    CaptureStats stats(parse_seconds(texts.interval, "--interval", seconds_most));
    const std::unique_ptr<MessageSource> source =
        open_sources(input.files, input_options(input, list));
    StatsInput facts{.files = input.files, .top = texts.top};
    while (const std::optional<CapturedMessage> message = source->next()) {
        if (wanted.passes(*message))
            stats.add(*message);
        else
            facts.filtered++;
    }
    facts.counts = source->counts();
    facts.disordered = source->disordered();
    if (json)
        json->commit(json_text(to_json(stats, facts)));
    print_result(to_text(stats, facts));
}

void extract_names(const InputTexts &input, const ListTexts &list, const FilterTexts &filter,
                   const std::string &file)
{
    FilterOptions wanted_options = filter_options(filter);
    wanted_options.answers = true;
    MessageFilter wanted(wanted_options);
    const std::unique_ptr<MessageSource> source =
        open_sources(input.files, input_options(input, list));
    check_is_no_input(input.files, "--output", file);
    OutputFile output{file};
    NameBook book;
    while (const std::optional<CapturedMessage> message = source->next())
        if (wanted.passes(*message))
            book.add(*message);
    if (book.size() == 0)
        throw SetupError("no answer in the input says that a name exists: record answers, too");
    for (const std::string &line : book.lines())
        output.write(line + "\n");
    output.commit();
    say_left_out(source->counts());
    tell_left_out(book.denied, "answers that say that a name does not exist");
    tell_left_out(book.useless, "answers that are errors, referrals or damaged");
    tell_left_out(book.uncounted, "mentions of names beyond the first million");
}

void make_queries(const MakeTexts &texts, const OutputTexts &output)
{
    MakeOptions options = texts.options;
    options.rate = parse_rate(texts.rate, "--rate");
    options.duration = parse_seconds(texts.duration, "--duration", seconds_most);
    options.client_prefix = parse_ip_prefix(texts.client_prefix);
    options.server.address = parse_ip_address(texts.server);
    options.names = parse_name_range(texts.names);
    options.zone = parse_zone_name(texts.zone);
    if (!texts.name_list.empty())
        check_is_no_input({texts.name_list}, "--output", output.file);
    if (!texts.name_list.empty())
        options.name_list = read_name_list(texts.name_list, "--name-list");
    options.types = numbered(parse_type_shares(texts.types));
    options.recursion_desired = !texts.no_recursion_desired;
    options.begin_ns = texts.begin_s * static_cast<std::int64_t>(nanoseconds_per_second);
    QueryMaker maker(options);
    if (output_form(output) == OutputForm::prepared)
        return prepare([&maker] { return maker.next(); }, output.file);
    const std::unique_ptr<MessageSink> sink = open_output(output);
    while (const std::optional<CapturedMessage> query = maker.next())
        sink->put(*query);
    sink->commit();
    say_losses({}, *sink, 0);
}

void add_make(CLI::App &command, MakeTexts &texts)
{
    MakeOptions &options = texts.options;
    options.server.port = CaptureReader::dns_port;
    options.clients = 1000;
    begin_group(command, "Queries");
    command
        .add_option("--seed", options.seed,
                    "Seed of the random numbers: the same seed gives the same queries")
        ->capture_default_str();
    command
        .add_option("--rate", texts.rate, "Queries per second of all clients together, on average")
        ->capture_default_str();
    command.add_option("--duration", texts.duration, "Length of the capture, seconds")
        ->capture_default_str();
    command
        .add_option("--begin", texts.begin_s,
                    "Time at which the capture begins, seconds since 1970-01-01 UTC")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{2'000'000'000}))
        ->capture_default_str();
    command.add_option("--clients", options.clients, "Number of clients")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32U))
        ->capture_default_str();
    command
        .add_option("--client-prefix", texts.client_prefix,
                    "Prefix of the clients' addresses; the first client has its first address")
        ->capture_default_str();
    command.add_option("--server", texts.server, "Address that the queries go to")
        ->capture_default_str();
    command.add_option("--port", options.server.port, "UDP port that the queries go to")
        ->check(ports)
        ->capture_default_str();
    CLI::Option *names =
        command
            .add_option("--names", texts.names,
                        "Names to ask for, as an IPv4 prefix; the first name is the most popular")
            ->capture_default_str();
    command
        .add_option("--name-list", texts.name_list,
                    "Names to ask for, in place of --names: the first words of this file's lines, "
                    "the most popular first")
        ->excludes(names);
    command.add_option("--zone", texts.zone, "Zone of the names")->capture_default_str();
    command
        .add_option(
            "--zipf", options.zipf,
            "Exponent of Zipf's law: the n-th name is asked for 1/n^ZIPF as often as the first")
        ->check(CLI::Range(0.0, 10.0))
        ->capture_default_str();
    command
        .add_option("--types", texts.types,
                    "Types to ask for, each with its percentage, exact in every hundred queries")
        ->capture_default_str();
    command
        .add_option(
            "--nxdomain", options.nxdomain,
            "Percent of the queries that ask for names that do not exist; some of these names are "
            "popular")
        ->check(percentages)
        ->capture_default_str();
    command
        .add_option("--random-subdomains", options.random_subdomains,
                    "Percent of the queries that ask for random labels below existing names")
        ->check(percentages)
        ->capture_default_str();
    command.add_option("--edns", options.edns, "Percent of the queries with an OPT record")
        ->check(percentages)
        ->capture_default_str();
    command
        .add_option("--do", options.dnssec_ok,
                    "Percent of the queries with DO, at most those with an OPT record")
        ->check(percentages)
        ->capture_default_str();
    command.add_option("--edns-size", options.edns_size, "UDP size that OPT records offer")
        ->capture_default_str();
    command.add_flag("--no-recursion-desired", texts.no_recursion_desired,
                     "Do not set RD in the queries");
}

void run(int argc, char **argv)
{
    CLI::App app{"Reads, converts, anonymises and makes captures and lists of queries.",
                 "dnsgauge-queries"};
    app.set_version_flag("--version", version_text("dnsgauge-queries"));
    app.require_subcommand(1);

    InputTexts input;
    ListTexts list;
    FilterTexts filter;
    OutputTexts output;
    SliceTexts slice_texts;
    AnonymiseTexts anonymise_texts;
    StatsTexts stats_texts;
    MakeTexts make_texts;
    const std::string files =
        "Captures (pcap, pcapng) or lists of queries; the program merges several by time";
    const auto add_copying = [&](const char *name, const char *help) {
        CLI::App *command = app.add_subcommand(name, help);
        add_input(*command, input, files);
        add_output(*command, output);
        add_filter(*command, filter);
        add_list(*command, list);
        begin_group(*command, "Output");
        return command;
    };
    const auto add_answers = [&](CLI::App *command) {
        command->add_flag("--answers", filter.options.answers,
                          "Keep answers as well as queries; a list cannot hold answers");
    };

    CLI::App *convert = add_copying(
        "convert",
        "Convert captures into lists and lists into captures, whole or in part, and both "
        "into what a trial maps into memory");
    add_answers(convert);
    show_examples(*convert,
                  {"dnsgauge-queries convert day.pcap --output day.txt",
                   "dnsgauge-queries convert day.pcap --type AAAA --client 192.0.2.0/24 \\",
                   "    --output list.txt",
                   "dnsgauge-queries convert day.pcap --output day.prepared"});
    convert->callback([&] { copy_messages(input, list, filter, output); });

    CLI::App *merge = add_copying("merge", "Make one capture of several");
    add_answers(merge);
    merge->add_flag("--align", input.align,
                    "Shift the times of all inputs so that all begin when the earliest begins");
    show_examples(*merge,
                  {"dnsgauge-queries merge east.pcap west.pcap --output both.pcap",
                   "dnsgauge-queries merge monday.pcap friday.pcap --align --output both.pcap"});
    merge->callback([&] { copy_messages(input, list, filter, output); });

    CLI::App *slice = add_copying(
        "slice", "Cut captures into slices by time: NAME-0000.pcap, NAME-0001.pcap, ...");
    add_answers(slice);
    slice->add_option("--length", slice_texts.length, "Length of a slice, seconds")->required();
    show_examples(*slice, {"dnsgauge-queries slice hour.pcap --length 60 --output hour.pcap",
                           "dnsgauge-queries slice day.pcap.zst --length 3600 --since 28800 \\",
                           "    --output hours.pcap"});
    slice->callback([&] { slice_messages(input, list, filter, output, slice_texts); });

    CLI::App *anonymise = add_copying(
        "anonymise", "Replace addresses and names by pseudonyms, which keep common prefixes "
                     "of addresses, lengths of labels and public suffixes");
    anonymise->add_option("--key", anonymise_texts.key,
                          "File with a secret key: the same key gives the same pseudonyms");
    anonymise
        ->add_option("--keep", anonymise_texts.kept,
                     "Keep addresses in this prefix as they are (repeatable)")
        ->allow_extra_args(false);
    show_examples(*anonymise,
                  {"dnsgauge-queries anonymise clients.pcap --key secret.key --output shared.pcap",
                   "dnsgauge-queries anonymise clients.pcap --keep 198.51.100.0/24 \\",
                   "    --output shared.pcap"});
    anonymise->callback([&] { anonymise_queries(input, list, filter, output, anonymise_texts); });

    std::string names_file = "-";
    CLI::App *names = app.add_subcommand(
        "names", "List the names that exist, with types and TTLs, as captured answers had them");
    add_input(*names, input, files);
    add_filter(*names, filter);
    add_list(*names, list);
    begin_group(*names, "Output");
    names->add_option("--output", names_file, "File to write; - is standard output")
        ->capture_default_str();
    show_examples(*names, {"dnsgauge-queries names day.pcap --output names.txt",
                           "dnsgauge-queries names day.pcap --server 192.0.2.53 --since 3600"});
    names->callback([&] { extract_names(input, list, filter, names_file); });

    CLI::App *stats = app.add_subcommand(
        "stats", "Print rates over time, types, names, clients, and RCODEs of the answers");
    add_input(*stats, input, files);
    begin_group(*stats, "Figures");
    stats
        ->add_option("--interval", stats_texts.interval, "Interval of the rates over time, seconds")
        ->capture_default_str();
    stats->add_option("--top", stats_texts.top, "Number of names and of clients to list")
        ->check(CLI::Range(std::size_t{0}, BoundedCounts::most))
        ->capture_default_str();
    stats->add_option("--json", stats_texts.json,
                      "Write the statistics to this file, as JSON (dnsgauge/capture/1)");
    add_filter(*stats, filter);
    add_list(*stats, list);
    show_examples(*stats,
                  {"dnsgauge-queries stats day.pcap",
                   "dnsgauge-queries stats day.pcap --interval 60 --top 5 --json day.json"});
    stats->callback([&] { tell_stats(input, list, filter, stats_texts); });

    CLI::App *make = app.add_subcommand(
        "make", "Make the capture of imaginary clients: Poisson arrivals, names by Zipf's law");
    add_make(*make, make_texts);
    add_output(*make, output);
    show_examples(*make, {"dnsgauge-queries make --rate 20k --duration 60 --output made.pcap",
                          "dnsgauge-queries make --clients 5000 --rate 20k --duration 60 \\",
                          "    --nxdomain 10 --output made.pcap"});
    make->callback([&] { make_queries(make_texts, output); });

    app.footer("Exit status:\n"
               "  0  the work is done\n"
               "  2  the command, a file or the environment is wrong\n");
    name_values(
        app, {{"--output", "FILE"},         {"--to", "FORM"},        {"--type", "TYPE"},
              {"--types", "SHARES"},        {"--name", "NAME"},      {"--zone", "NAME"},
              {"--names", "CIDR"},          {"--client", "PREFIX"},  {"--client-prefix", "PREFIX"},
              {"--keep", "PREFIX"},         {"--server", "ADDRESS"}, {"--list-client", "ADDRESS"},
              {"--list-server", "ADDRESS"}, {"--rate", "QPS"},       {"--since", "SECONDS"},
              {"--until", "SECONDS"},       {"--length", "SECONDS"}, {"--interval", "SECONDS"},
              {"--duration", "SECONDS"},    {"--json", "FILE"},      {"--key", "FILE"},
              {"--name-list", "FILE"}});
    static_cast<void>(read_arguments(app, argc, argv));
}

} // namespace

int main(int argc, char **argv)
{
    return dnsgauge::run_program("dnsgauge-queries", [=] {
        run(argc, argv);
        return 0;
    });
}
