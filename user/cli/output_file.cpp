// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/output_file.h"

#include "host/durable.h"
#include "host/setup_error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace dnsgauge
{

namespace
{

// Of a file that is made in the usual way.
mode_t usual_mode()
{
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

} // namespace

OutputFile::OutputFile(std::string path, const std::string &option)
    : path_(std::move(path)), temporary_(path_ + ".tmpXXXXXX")
{
    if (path_.empty())
        throw SetupError(option + " needs the name of a file");
    std::error_code error;
    if (std::filesystem::is_directory(path_, error))
        throw SetupError("cannot write " + option + " " + path_ + ": it is a directory");
    // A name that nobody can have known, and put a link there.
    file_ = UniqueFd(mkostemp(temporary_.data(), O_CLOEXEC));
    if (!file_ || fchmod(file_.get(), usual_mode()) != 0)
        throw SetupError("cannot write " + option + " " + path_ + ": " + std::strerror(errno));
}

OutputFile::~OutputFile()
{
    if (file_)
        unlink(temporary_.c_str());
}

void OutputFile::write(const std::string &text)
{
    if (!write_all(file_.get(), text) || fsync(file_.get()) != 0 ||
        rename(temporary_.c_str(), path_.c_str()) != 0)
        throw SetupError("cannot write " + path_ + ": " + std::strerror(errno));
    file_ = {};
    if (!sync_directory_of(path_))
        throw SetupError("cannot make sure of " + path_ + ": " + std::strerror(errno));
}

void check_files_differ(const char *one, const std::optional<std::string> &file, const char *other,
                        const std::optional<std::string> &other_file)
{
    if (file && file == other_file)
        throw SetupError(
            fmt::format("{} and {} both name {}: give them different files", one, other, *file));
}

} // namespace dnsgauge
