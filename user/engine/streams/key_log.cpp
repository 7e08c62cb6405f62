// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/key_log.h"

#include "userland/output_place.h"
#include "userland/setup_error.h"

#include <fcntl.h>
#include <unistd.h>

namespace dnsgauge
{

KeyLog::KeyLog(const std::string &path)
{
    const std::string name = "--key-log " + path;
    const OutputPlace place = output_place(path, name);
    fd_ = UniqueFd(openat(
        place.directory.get(), place.name.c_str(),
        O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600));
    if (!fd_)
        throw_errno("cannot write " + name);
}

void KeyLog::add(std::string line)
{
    line += '\n';
    if (write(fd_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        has_failed_ = true;
}

} // namespace dnsgauge
