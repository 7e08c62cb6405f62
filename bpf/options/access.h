// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Access to the values of options, by kind. Each function returns the OptionAccess that reads texts
// into `value` and returns the content of `value`, which must outlive the OptionAccess.
#pragma once

#include "options/option.h"
#include "userland/setup_error.h"
#include "userland/words.h"

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

[[nodiscard]] OptionAccess flag(bool &value);
[[nodiscard]] OptionAccess text(std::string &value);
[[nodiscard]] OptionAccess text(std::optional<std::string> &value);
[[nodiscard]] OptionAccess text(std::filesystem::path &value);
// For an option that may be given several times (Option::is_repeatable): appends each text.
[[nodiscard]] OptionAccess texts(std::vector<std::string> &values);
// Takes a number from `least` to `most`, which need not be whole.
[[nodiscard]] OptionAccess number(double &value, double least, double most);
[[nodiscard]] OptionAccess number(std::optional<double> &value, double least, double most);

// Returns the range as --help shows it; empty if it has no end that people need to know.
[[nodiscard]] std::string range_text(std::uint64_t least, std::uint64_t most);

// Returns the whole number that `text` is. Throws SetupError, which calls the option `name`.
[[nodiscard]] std::uint64_t read_whole(const std::string &text, const std::string &name,
                                       std::uint64_t least, std::uint64_t most);

template <std::unsigned_integral Value>
[[nodiscard]] OptionAccess whole(Value &value, std::uint64_t least,
                                 std::uint64_t most = std::numeric_limits<Value>::max())
{
    return {.set =
                [&value, least, most](const std::string &text, const std::string &name) {
                    value = static_cast<Value>(read_whole(text, name, least, most));
                },
            .get = [&value]() -> OptionValue { return std::uint64_t{value}; },
            .range = range_text(least, most)};
}

template <std::unsigned_integral Value>
[[nodiscard]] OptionAccess whole(std::optional<Value> &value, std::uint64_t least,
                                 std::uint64_t most = std::numeric_limits<Value>::max())
{
    return {.set =
                [&value, least, most](const std::string &text, const std::string &name) {
                    value = static_cast<Value>(read_whole(text, name, least, most));
                },
            .get = [&value]() -> OptionValue {
                return value ? OptionValue(std::uint64_t{*value}) : OptionValue();
            },
            .range = range_text(least, most)};
}

// Throws SetupError, which calls the option `name` and says which words there are.
[[noreturn]] void refuse_word(const std::string &text, const std::string &name,
                              const std::vector<std::string> &words);

template <class Value, std::size_t count>
[[nodiscard]] OptionAccess word(Value &value, const Words<Value, count> &words)
{
    return {.set =
                [&value, &words](const std::string &text, const std::string &name) {
                    const std::optional<Value> found = words.value_of(text);
                    if (!found) {
                        std::vector<std::string> known;
                        for (const Word<Value> &one : words)
                            if (*one.text != '\0')
                                known.emplace_back(one.text);
                        refuse_word(text, name, known);
                    }
                    value = *found;
                },
            .get = [&value, &words]() -> OptionValue { return std::string(words.text_of(value)); }};
}

template <class Value, std::size_t count>
[[nodiscard]] OptionAccess word(std::optional<Value> &value, const Words<Value, count> &words)
{
    return {.set =
                [&value, &words](const std::string &text, const std::string &name) {
                    Value known{};
                    word(known, words).set(text, name);
                    value = known;
                },
            .get = [&value, &words]() -> OptionValue {
                return value ? OptionValue(std::string(words.text_of(*value))) : OptionValue();
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
    return {.set = [&value, read](const std::string &text,
                                  const std::string &name) { value = read_as(name, text, read); },
            .get = [&value]() -> OptionValue { return to_string(value); }};
}

template <class Value, class Read>
[[nodiscard]] OptionAccess parsed(std::optional<Value> &value, Read read)
{
    return {.set = [&value, read](const std::string &text,
                                  const std::string &name) { value = read_as(name, text, read); },
            .get = [&value]() -> OptionValue {
                return value ? OptionValue(to_string(*value)) : OptionValue();
            }};
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
