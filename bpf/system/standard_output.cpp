// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/standard_output.h"

#include "system/setup_error.h"

namespace dnsgauge
{

namespace
{

// Replaces control characters by question marks, also Unicode's that begin a command (U+0080 to
// U+009F, in UTF-8 two octets). Tabs and line ends stay.
std::string printable(std::string text)
{
    for (std::size_t i = 0; i < text.size(); i++) {
        const auto octet = static_cast<unsigned char>(text[i]);
        const bool is_plain = octet == '\n' || octet == '\t' ||
                              (octet == '\r' && i + 1 < text.size() && text[i + 1] == '\n');
        if ((octet < 0x20 && !is_plain) || octet == 0x7f)
            text[i] = '?';
        if (octet == 0xc2 && i + 1 < text.size() &&
            static_cast<unsigned char>(text[i + 1]) >> 5U == 4)
            text.replace(i, 2, "?");
    }
    return text;
}

} // namespace

void print_message(const std::string &text)
{
    static_cast<void>(std::fputs(printable(text).c_str(), stderr));
}

void write_line_over(const std::string &text)
{
    static_cast<void>(std::fputs(("\r" + printable(text) + "\033[K").c_str(), stderr));
}

void print_result(const std::string &text)
{
    const std::string shown = printable(text);
    static_cast<void>(std::fwrite(shown.data(), 1, shown.size(), stdout));
    static_cast<void>(std::fflush(stdout));
}

void check_standard_output()
{
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
        throw SetupError("cannot write standard output: its reader is gone, or its disk is full");
}

} // namespace dnsgauge
