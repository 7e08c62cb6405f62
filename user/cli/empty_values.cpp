// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/empty_values.h"

#include "common/setup_error.h"

namespace dnsgauge
{

namespace
{

[[noreturn]] void refuse(const std::string &option)
{
    throw SetupError(option + " has no value: give one, or leave the option out");
}

} // namespace

void refuse_empty_values(const std::vector<std::string> &words)
{
    for (const std::string &word : words)
        if (word.starts_with("--") && word.find('=') == word.size() - 1)
            refuse(word.substr(0, word.size() - 1));
}

void refuse_empty_values(const CLI::App &app)
{
    for (const CLI::Option *option : app.get_options())
        for (const std::string &value : option->results())
            if (value.empty())
                refuse(option->get_name());
}

} // namespace dnsgauge
