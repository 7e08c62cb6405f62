// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/fixtures.h"

#include <fstream>
#include <stdexcept>

namespace dnsgauge::testing
{

std::map<std::string, Bytes> read_fixtures(const std::filesystem::path &file)
{
    std::ifstream in(file);
    std::map<std::string, Bytes> fixtures;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with('#'))
            continue;
        const std::size_t space = line.find(' ');
        if (space == std::string::npos)
            throw std::runtime_error(file.string() + ": no space in '" + line + "'");
        fixtures[line.substr(0, space)] = from_hex(line.substr(space));
    }
    if (fixtures.empty())
        throw std::runtime_error(file.string() + ": no fixtures in it");
    return fixtures;
}

} // namespace dnsgauge::testing
