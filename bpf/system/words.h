// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The words for the values of an enumeration, as they stand on a command line, in results and in
// messages: one list that is read and printed.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace dnsgauge
{

template <class Value>
struct Word {
    Value value;
    const char *text;
};

template <class Value, std::size_t count>
class Words
{
public:
    // Does not compile unless the values of an enumeration come in their order, none skipped.
    constexpr explicit Words(std::array<Word<Value>, count> words) : words_(words)
    {
        if constexpr (std::is_enum_v<Value>)
            for (std::size_t i = 0; i < count; i++)
                if (static_cast<std::size_t>(words_[i].value) != i)
                    throw std::logic_error("a value without a word");
    }

    // Returns the word. Throws std::out_of_range if the value has none.
    [[nodiscard]] constexpr const char *text_of(Value value) const
    {
        for (const Word<Value> &word : words_)
            if (word.value == value)
                return word.text;
        throw std::out_of_range("a value without a word");
    }

    // Returns the value that has this word; nothing if none has.
    [[nodiscard]] constexpr std::optional<Value> value_of(std::string_view text) const
    {
        for (const Word<Value> &word : words_)
            if (word.text == text)
                return word.value;
        return std::nullopt;
    }

    [[nodiscard]] constexpr auto begin() const { return words_.begin(); }
    [[nodiscard]] constexpr auto end() const { return words_.end(); }

private:
    std::array<Word<Value>, count> words_;
};

// Returns the list {{value, text}, ...} as Words.
template <class Value, std::size_t count>
[[nodiscard]] constexpr Words<Value, count> words(const Word<Value> (&list)[count])
{
    return Words<Value, count>(std::to_array(list));
}

// Returns all words of the table with ", " between them.
template <class Value, std::size_t count>
[[nodiscard]] std::string all_words(const Words<Value, count> &words)
{
    std::string text;
    for (const Word<Value> &word : words)
        text.append(text.empty() ? "" : ", ").append(word.text);
    return text;
}

} // namespace dnsgauge
