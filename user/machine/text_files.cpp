// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/text_files.h"

#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

namespace dnsgauge
{

namespace
{

constexpr const char *blanks = " \t\r\n";

std::string without_blanks(const std::string &text)
{
    const auto begin = text.find_first_not_of(blanks);
    if (begin == std::string::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

} // namespace

std::string first_line(const std::filesystem::path &file)
{
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return without_blanks(line);
}

std::string value_of(const std::filesystem::path &file, const std::string &key)
{
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);)
        if (line.starts_with(key))
            return without_blanks(line.substr(key.size()));
    return {};
}

std::vector<std::string> words_of(const std::string &text)
{
    std::istringstream words(text);
    return {std::istream_iterator<std::string>(words), {}};
}

bool is_like(const std::string &text, const char *pattern)
{
    return std::regex_match(text, std::regex(pattern, std::regex::extended));
}

std::string lower_case(std::string text)
{
    for (char &octet : text)
        octet = static_cast<char>(std::tolower(static_cast<unsigned char>(octet)));
    return text;
}

void for_each_number(const std::filesystem::path &directory, const std::function<void(int)> &each)
{
    std::error_code error;
    for (auto entry = std::filesystem::directory_iterator(directory, error);
         !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
        if (const auto number = leading_number<int>(entry->path().filename().string()))
            each(*number);
}

} // namespace dnsgauge
