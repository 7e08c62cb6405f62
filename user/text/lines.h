// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the lines of a result for people: a name, then figures.
#pragma once

#include "text/figure_text.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace dnsgauge
{

class Lines
{
public:
    template <class... T>
    void row(const char *name, fmt::format_string<T...> format, T &&...values)
    {
        line(fmt::format("  {:<12}", name) + fmt::format(format, std::forward<T>(values)...));
    }
    // Adds a row unless the text is empty.
    void text(const char *name, const std::string &text)
    {
        if (!text.empty())
            row(name, "{}", text);
    }
    void line(const std::string &text) { text_ += text + "\n"; }
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    std::string text_;
};

// Most durations are whole nanoseconds; a mean is a fraction.
template <class N>
std::string duration(N nanoseconds)
{
    return duration_text(static_cast<double>(nanoseconds));
}

} // namespace dnsgauge
