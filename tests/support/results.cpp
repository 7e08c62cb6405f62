// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/results.h"

#include "support/scratch_directory.h"

#include <array>
#include <cstdio>
#include <memory>

namespace dnsgauge::testing
{

namespace
{

// Returns what check_results.py says about a file with this content.
std::string said_of(const std::string &content, bool is_older)
{
    const ScratchDirectory scratch;
    const std::string file = scratch.file("result.json");
    write_file(file, content);
    const std::string command =
        std::string("PYTHONWARNINGS=ignore " DNSGAUGE_CHECK_RESULTS " " DNSGAUGE_SCHEMAS " ") +
        (is_older ? "--older " : "") + file + " 2>&1";
    const auto close = [](FILE *pipe) { pclose(pipe); };
    const std::unique_ptr<FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
    if (!pipe)
        return "cannot run " + command;
    std::string said;
    std::array<char, 4096> buffer{};
    while (fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr)
        said += buffer.data();
    return said;
}

} // namespace

std::string misfit(const std::string &json, bool is_older)
{
    const std::string said = said_of(json, is_older);
    return said == "1 results fit their schemas\n" ? "" : said;
}

std::string misfits(const std::string &journal, bool is_older)
{
    const std::string said = said_of(journal, is_older);
    const bool is_one_line = said.find('\n') == said.size() - 1;
    return is_one_line && said.ends_with(" results fit their schemas\n") ? "" : said;
}

} // namespace dnsgauge::testing
