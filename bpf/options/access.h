// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Access to the values of options, by kind. Each function returns the OptionAccess that reads texts
// into `value` and returns the content of `value`, which must outlive the OptionAccess.
#pragma once

#include "options/option.h"
#include "system/setup_error.h"
#include "system/words.h"

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

// Returns what `show` makes of the value; nothing if a value that may be missing (std::optional) is
// missing.
template <class Value, class Show>
[[nodiscard]] OptionValue shown(const Value &value, Show show)
{
    return show(value);
}
template <class Value, class Show>
[[nodiscard]] OptionValue shown(const std::optional<Value> &value, Show show)
{
    return value ? OptionValue(show(*value)) : OptionValue();
}

[[nodiscard]] OptionAccess flag(bool &value);
// For an option that may be given several times (Option::is_repeatable): appends each text.
[[nodiscard]] OptionAccess texts(std::vector<std::string> &values);

// For a text or a path.
template <class Value>
[[nodiscard]] OptionAccess text(Value &value)
{
    return {
        .set = [&value](const std::string &text, const std::string & /*name*/) { value = text; },
        .get =
            [&value] { return shown(value, [](const auto &one) -> std::string { return one; }); }};
}

// Returns the number that `text` is, which need not be whole. Throws SetupError, which calls the
// option `name`.
[[nodiscard]] double read_real(const std::string &text, const std::string &name, double least,
                               double most);
[[nodiscard]] std::string range_of_reals(double least, double most);

template <class Value>
[[nodiscard]] OptionAccess number(Value &value, double least, double most)
{
    return {.set = [&value, least,
                    most](const std::string &text,
                          const std::string &name) { value = read_real(text, name, least, most); },
            .get = [&value] { return shown(value, [](double one) { return one; }); },
            .range = range_of_reals(least, most)};
}

// Returns the range as --help shows it; empty if it has no end that people need to know.
[[nodiscard]] std::string range_text(std::uint64_t least, std::uint64_t most);

// Returns the whole number that `text` is. Throws SetupError, which calls the option `name`.
[[nodiscard]] std::uint64_t read_whole(const std::string &text, const std::string &name,
                                       std::uint64_t least, std::uint64_t most);

// The type of the number that a value holds, if it holds one. Nothing calls these functions.
template <std::unsigned_integral Number>
Number whole_in(const Number &value);
template <std::unsigned_integral Number>
Number whole_in(const std::optional<Number> &value);

template <class Value, class Number = decltype(whole_in(std::declval<Value &>()))>
[[nodiscard]] OptionAccess whole(Value &value, std::uint64_t least,
                                 std::uint64_t most = std::numeric_limits<Number>::max())
{
    return {.set =
                [&value, least, most](const std::string &text, const std::string &name) {
                    value = static_cast<Number>(read_whole(text, name, least, most));
                },
            .get = [&value] { return shown(value, [](std::uint64_t one) { return one; }); },
            .range = range_text(least, most)};
}

// Throws SetupError, which calls the option `name` and says which words there are.
[[noreturn]] void refuse_word(const std::string &text, const std::string &name,
                              const std::vector<std::string> &words);

template <class Value, class Known, std::size_t count>
[[nodiscard]] OptionAccess word(Value &value, const Words<Known, count> &words)
{
    return {.set =
                [&value, &words](const std::string &text, const std::string &name) {
                    const std::optional<Known> found = words.value_of(text);
                    if (!found) {
                        std::vector<std::string> known;
                        for (const Word<Known> &one : words)
                            if (*one.text != '\0')
                                known.emplace_back(one.text);
                        refuse_word(text, name, known);
                    }
                    value = *found;
                },
            .get =
                [&value, &words] {
                    return shown(value,
                                 [&words](Known one) { return std::string(words.text_of(one)); });
                }};
}

// Returns what `read` returns for `text`. Throws what `read` throws, with the option's name in
// front.
template <class Read>
[[nodiscard]] auto read_as(const std::string &name, const std::string &text, Read read)
{
    try {
        return read(text);
    } catch (const SetupError &error) {
        throw SetupError(name + ": " + error.what());
    }
}

// For a value that `read` makes from a text, and to_string() turns into a text. Errors of `read`
// get the option's name in front.
template <class Value, class Read>
[[nodiscard]] OptionAccess parsed(Value &value, Read read)
{
    return {
        .set = [&value, read](const std::string &text,
                              const std::string &name) { value = read_as(name, text, read); },
        .get = [&value] { return shown(value, [](const auto &one) { return to_string(one); }); }};
}

// For an option that may be given several times: appends what `read` makes of each text.
template <class Value, class Read>
[[nodiscard]] OptionAccess each(std::vector<Value> &values, Read read)
{
    return {.set = [&values,
                    read](const std::string &text,
                          const std::string &name) { values.push_back(read_as(name, text, read)); },
            .get = [&values]() -> OptionValue {
                std::vector<std::string> texts;
                for (const Value &value : values)
                    texts.push_back(to_string(value));
                return texts;
            }};
}

} // namespace dnsgauge
