// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/durable.h"

#include "host/unique_fd.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

namespace dnsgauge
{

bool sync_file(const std::string &path)
{
    const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return file && fsync(file.get()) == 0;
}

bool sync_directory_of(const std::string &path)
{
    const std::filesystem::path parent = std::filesystem::absolute(path).parent_path();
    const UniqueFd directory(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return directory && fsync(directory.get()) == 0;
}

} // namespace dnsgauge
