// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/scratch_directory.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace dnsgauge
{

ScratchDirectory::ScratchDirectory()
    : TemporaryDirectory("dnsgauge-test",
                         std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : "/tmp")
{
}

std::size_t ScratchDirectory::entries() const
{
    using Iterator = std::filesystem::directory_iterator;
    return static_cast<std::size_t>(std::distance(Iterator(path()), Iterator()));
}

std::string read_file(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw std::runtime_error("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string &path, std::string_view content)
{
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << content;
    file.close();
    if (!file)
        throw std::runtime_error("cannot write " + path);
}

} // namespace dnsgauge
