// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/durable.h"

#include "userland/unique_fd.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace dnsgauge
{

bool write_all(int fd, std::string_view text, std::chrono::milliseconds patience)
{
    while (!text.empty()) {
        const ssize_t count = write(fd, text.data(), text.size());
        if (count >= 0) {
            text.remove_prefix(static_cast<std::size_t>(count));
        } else if (errno == EAGAIN) {
            pollfd writable{.fd = fd, .events = POLLOUT, .revents = 0};
            if (poll(&writable, 1, static_cast<int>(patience.count())) == 0) {
                errno = EAGAIN;
                return false;
            }
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool is_open_as(int fd, const std::string &path)
{
    struct stat open {
    };
    struct stat named {
    };
    return fstat(fd, &open) == 0 && stat(path.c_str(), &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

bool sync_directory_of(const std::string &path)
{
    const std::filesystem::path parent = std::filesystem::absolute(path).parent_path();
    const UniqueFd directory(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return directory && fsync(directory.get()) == 0;
}

} // namespace dnsgauge
