// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/wrapped_text.h"

namespace dnsgauge
{

std::string wrapped(std::string_view first, std::size_t indent, std::string_view text)
{
    std::string lines{first};
    std::size_t column = first.size();
    if (!first.empty() && column + 1 > indent && !text.empty()) {
        lines += "\n";
        column = 0;
    }
    lines += std::string(indent - column, ' ');
    column = indent;
    bool is_line_empty = true;
    while (!text.empty()) {
        const std::size_t blank = text.find(' ');
        const std::string_view word = text.substr(0, blank);
        text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
        if (!is_line_empty && column + 1 + word.size() > help_width) {
            lines += "\n" + std::string(indent, ' ');
            column = indent;
            is_line_empty = true;
        }
        if (!is_line_empty) {
            lines += " ";
            column++;
        }
        lines += word;
        column += word.size();
        is_line_empty = false;
    }
    return lines + "\n";
}

} // namespace dnsgauge
