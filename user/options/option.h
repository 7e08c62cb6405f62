// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An option as a row of a table: all that is said of it. The command line, --help, the manual, a
// search's journal, --resume, the self-test's set-up, an experiment's keys and the command lines
// that messages show are made from the rows.
//
// A table is a function that takes the values which options set, and returns a row for each. The
// rows refer to the values, which must outlive them. What the values hold before anything is read
// are the defaults.
#pragma once

#include "options/option_value.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

// The headings of --help, in their order.
enum class OptionGroup {
    what_is_tested,
    queries,
    judgement,
    rates,
    between_trials,
    sending,
    tester,
    selftest,
    fakedns,
    files,
    other,
};

[[nodiscard]] const char *to_string(OptionGroup group);

// How an option's text gets into its value, and how the value comes out.
struct OptionAccess {
    // Reads `text`. Throws SetupError, which calls the option `name`.
    std::function<void(const std::string &text, const std::string &name)> set{};
    std::function<OptionValue()> get{};
    bool is_flag = false; // needs no text
};

struct Option {
    std::string name; // without hyphens
    OptionGroup group = OptionGroup::other;
    std::string type{}; // what --help calls the text; empty: a flag
    std::string help{};
    OptionAccess access{};
    bool is_required = false;
    bool is_positional = false;          // no option but a word of its own; `name` is what it is
    bool is_repeatable = false;          // likewise, any number of them
    std::string usual{};                 // the default in words, where no value can tell it
    std::vector<std::string> excludes{}; // options that must not be given with it
    bool is_in_journal = true;           // a search is another one with another value
    std::string setup_key{};             // the self-test's set-up has the value by this key
};

using Options = std::vector<Option>;

// Adds `more` behind `options`.
void append(Options &options, Options more);

// Returns the row with this name, or null.
[[nodiscard]] const Option *find_option(const Options &options, const std::string &name);

// An option with a text, as somebody gave it.
struct GivenOption {
    std::string option; // without hyphens
    std::string text;   // empty where a flag was given without
};

// Reads what was given into the values. Throws OptionError: no such option, one that is required
// is missing, two exclude each other, one was given twice, or its text is wrong.
void read_options(const Options &options, const std::vector<GivenOption> &given);

// Returns the words that ask for the values of `options` where they are not those of `usual`, a
// table of the same options.
[[nodiscard]] std::vector<std::string> command_words(const Options &options, const Options &usual);

// Returns the values that a self-test's set-up has, by their keys, in the options' order.
[[nodiscard]] std::vector<std::pair<std::string, OptionValue>> setup_values(const Options &options);

} // namespace dnsgauge
