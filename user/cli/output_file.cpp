// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/output_file.h"

#include "host/durable.h"
#include "host/setup_error.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace dnsgauge
{

OutputFile::OutputFile(std::string path, const std::string &option)
    : path_(std::move(path)), temporary_(path_ + ".tmp" + std::to_string(getpid()))
{
    if (path_.empty())
        throw SetupError(option + " needs the name of a file");
    std::error_code error;
    if (std::filesystem::is_directory(path_, error))
        throw SetupError("cannot write " + option + " " + path_ + ": it is a directory");
    errno = 0;
    if (!std::ofstream(temporary_))
        throw SetupError("cannot write " + option + " " + path_ + ": " + std::strerror(errno));
}

OutputFile::~OutputFile()
{
    if (!written_)
        unlink(temporary_.c_str());
}

void OutputFile::write(const std::string &text)
{
    errno = 0;
    std::ofstream file(temporary_);
    file << text;
    file.close();
    std::error_code error;
    const bool is_whole = file && sync_file(temporary_);
    if (is_whole)
        std::filesystem::rename(temporary_, path_, error);
    if (!is_whole || error || !sync_directory_of(path_))
        throw SetupError("cannot write " + path_ + ": " +
                         (error ? error.message() : std::strerror(errno)));
    written_ = true;
}

void check_files_differ(const char *one, const std::optional<std::string> &file, const char *other,
                        const std::optional<std::string> &other_file)
{
    if (file && file == other_file)
        throw SetupError(
            fmt::format("{} and {} both name {}: give them different files", one, other, *file));
}

} // namespace dnsgauge
