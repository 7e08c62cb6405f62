// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An option as a row of a table. The command line, --help, the manual, a search's journal,
// --resume, the self-test's set-up, an experiment's keys and the command lines that messages show
// are made from the rows.
//
// A table is a function: it takes the values that options set, and returns a row for each. The rows
// refer to the values, which must outlive the rows. A value's content before reading is the
// default.
#pragma once

#include "system/words.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dnsgauge
{

// Nothing, a flag, a number, a text, a list of numbers (CPUs, queues), or the texts of an option
// that was given several times. Times are seconds.
using OptionValue = std::variant<std::monostate, bool, std::uint64_t, double, std::string,
                                 std::vector<unsigned>, std::vector<std::string>>;

// Returns the value as people read it, with commas between several texts; empty if there is no
// value.
[[nodiscard]] std::string text_of(const OptionValue &value);

// Returns the texts that set the value on a command line, each for one occurrence of the option.
[[nodiscard]] std::vector<std::string> texts_of(const OptionValue &value);

// The parts of --help, in their order.
enum class OptionGroup {
    input,
    what_is_tested,
    server,
    answers,
    zone,
    signatures,
    queries,
    output,
    figures,
    choice,
    lists,
    judgement,
    rates,
    between_trials,
    sending,
    tester,
    selftest,
    fakedns,
    placement,
    watching,
    faults,
    internet,
    files,
    other,
};

// The headings of these parts.
inline constexpr auto option_groups = words<OptionGroup>(
    {{OptionGroup::input, "Input"},         {OptionGroup::what_is_tested, "Server"},
     {OptionGroup::server, "Server"},       {OptionGroup::answers, "Answers"},
     {OptionGroup::zone, "Zone"},           {OptionGroup::signatures, "Signatures"},
     {OptionGroup::queries, "Queries"},     {OptionGroup::output, "Output"},
     {OptionGroup::figures, "Figures"},     {OptionGroup::choice, "Choice"},
     {OptionGroup::lists, "Lists"},         {OptionGroup::judgement, "Answers"},
     {OptionGroup::rates, "Rates"},         {OptionGroup::between_trials, "Between trials"},
     {OptionGroup::sending, "Packets"},     {OptionGroup::tester, "Tester"},
     {OptionGroup::selftest, "Self-test"},  {OptionGroup::fakedns, "FakeDNS"},
     {OptionGroup::placement, "Placement"}, {OptionGroup::watching, "Watching"},
     {OptionGroup::faults, "Faults"},       {OptionGroup::internet, "Internet"},
     {OptionGroup::files, "Files"},         {OptionGroup::other, "Other"}});

// How an option's text gets into its value, and how the value comes out.
struct OptionAccess {
    // Reads `text` into the value. Throws SetupError, whose message calls the option `name`.
    std::function<void(const std::string &text, const std::string &name)> set{};
    std::function<OptionValue()> get{};
    bool is_flag = false; // needs no text
    std::string range{};  // "0 to 100", for --help; empty if no range is worth a word
    // What messages call the sources of queries that have the value, one of which must be given.
    // Empty means all.
    std::vector<std::string> sources{};
};

// An option with some of its values; no option: any.
struct OptionChoice {
    const char *option = ""; // without hyphens
    const char *text = "";
    std::array<const char *, 5> other_texts{}; // further values; null if none
};

// Names of options, without hyphens; null if no more.
using OptionNames = std::array<const char *, 12>;

// What a row may say besides.
struct OptionForm {
    bool is_required = false;
    // If one of these is given, the required option may be left out. Names that the table lacks are
    // ignored.
    OptionNames stand_ins{};
    bool is_positional = false;  // a word without an option's name, such as FILE
    bool is_repeatable = false;  // may be given several times; `access` collects the texts
    const char *usual = "";      // the default in words, if the value alone does not show it
    OptionNames excludes{};      // options that must not be given with this one
    OptionNames needs{};         // options that must be given with this one
    OptionChoice only_with{};    // the option is refused where that one has other values
    bool chooses_source = false; // chooses the first one of its value's sources of queries
    bool is_in_journal = true;   // a search with another value is another search
    const char *setup_key = "";  // the value's key in the self-test's set-up; empty if it has none
};

struct Option : OptionForm {
    Option(std::string_view its_name, OptionGroup its_group, std::string_view its_type,
           std::string_view its_help, OptionAccess its_access, const OptionForm &form = {});
    // A row that no user reads.
    Option(std::string_view its_name, OptionAccess its_access, const OptionForm &form = {});

    std::string name; // without hyphens
    OptionGroup group;
    // What --help calls the text; empty for a flag. "[FILE]" is optional; "NAME..." are several.
    std::string type;
    std::string help;
    OptionAccess access;
};

using Options = std::vector<Option>;

// Adds `more` at the end of `options`.
void append(Options &options, Options more);

// Returns the row with this name, or null.
[[nodiscard]] const Option *find_option(const Options &options, const std::string &name);

// Returns the name of the option that the user of `name` probably meant; empty if none is near.
[[nodiscard]] std::string nearest_option(const Options &options, const std::string &name);

// An option with a text, as somebody gave it.
struct GivenOption {
    std::string option;  // without hyphens
    std::string text;    // empty if a flag was given without one
    std::string place{}; // what messages call the option where a file has it: "FILE:2: ttl"
};

// Returns whether the option may be given without a text.
[[nodiscard]] bool may_lack_text(const Option &option);

// Returns whether the option may be given with queries of the source that `chooser` chooses.
[[nodiscard]] bool belongs_to(const Option &option, const Option &chooser);

// Returns the stand-ins of `option` that the table has: "--queries or --capture".
[[nodiscard]] std::string stand_ins_text(const Options &options, const Option &option);

// Reads what was given into the values. Throws OptionError if
//
// - there is no such option, or it was given twice, or its text is wrong;
// - required options are missing: the error names all;
// - an option excludes another one, or needs another one;
// - an option belongs to another source of queries, or to another choice;
// - an option has no source in common with one that chooses a source.
void read_options(const Options &options, const std::vector<GivenOption> &given);

// Reads what was given into the values, but does not look at what belongs together.
void read_values(const Options &options, const std::vector<GivenOption> &given);

// Returns the words of a command line that set the values of `options` where they differ from
// `usual`, a table of the same options. A repeatable option comes once for each text.
[[nodiscard]] std::vector<std::string> command_words(const Options &options, const Options &usual);

// Returns the values that a self-test's set-up has, by their keys, in the options' order.
[[nodiscard]] std::vector<std::pair<std::string, OptionValue>> setup_values(const Options &options);

} // namespace dnsgauge
