// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Choices among the words of a table, for programs that keep their options in CLI11.
#pragma once

#include "userland/setup_error.h"
#include "userland/words.h"

#include <string>

namespace dnsgauge
{

// Returns the value that has this word. Throws SetupError, whose message begins with `what`, if
// none has.
template <class Value, std::size_t count>
[[nodiscard]] Value chosen(const Words<Value, count> &words, const std::string &text,
                           const std::string &what)
{
    if (const std::optional<Value> value = words.value_of(text))
        return *value;
    throw SetupError(what + " \"" + text + "\": choose one of " + all_words(words));
}

} // namespace dnsgauge
