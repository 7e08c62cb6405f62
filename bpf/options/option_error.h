// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An error in the values of options, which names these options.
#pragma once

#include "system/setup_error.h"

#include <fmt/core.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

class OptionError : public SetupError
{
public:
    // `options` are the options that the user may change, without hyphens; the first one is most
    // likely wrong. `message` calls each of them "--NAME".
    OptionError(std::vector<std::string> options, const std::string &message)
        : SetupError(message), options_(std::move(options))
    {
    }
    template <class First, class... Rest>
    OptionError(std::vector<std::string> options, fmt::format_string<First, Rest...> format,
                First &&first, Rest &&...rest)
        : OptionError(std::move(options),
                      fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...))
    {
    }

    [[nodiscard]] const std::vector<std::string> &options() const { return options_; }

    // Returns the message with `name_of(NAME)` in place of each "--NAME", for users who gave the
    // options under other names, as in a file. Commands in the message stay as they are.
    [[nodiscard]] std::string
    called(const std::function<std::string(const std::string &)> &name_of) const;

private:
    std::vector<std::string> options_;
};

} // namespace dnsgauge
