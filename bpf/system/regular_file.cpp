// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/regular_file.h"

#include "system/setup_error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace dnsgauge
{

UniqueFd open_input(const std::string &path, std::string_view about)
{
    constexpr int patience_ms = 10'000;
    UniqueFd file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat status = {};
    if (!file || fstat(file.get(), &status) != 0)
        throw SetupError("{}: {}", about, std::strerror(errno));
    pollfd wait{.fd = file.get(), .events = POLLIN, .revents = 0};
    if (S_ISFIFO(status.st_mode) && poll(&wait, 1, patience_ms) == 0)
        throw SetupError("{}: it is a pipe into which nothing came for {} s", about,
                         patience_ms / 1000);
    fcntl(file.get(), F_SETFL, O_RDONLY); // waits from now on
    return file;
}

std::string read_open_file(int file, std::size_t most, std::string_view about)
{
    const auto refuse = [&](std::string_view why) { throw SetupError("{}: {}", about, why); };
    const auto refuse_size = [&] {
        refuse(fmt::format("it is larger than {} MiB, and so no file of this kind", most >> 20U));
    };
    struct stat status = {};
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
        static_cast<std::uint64_t>(status.st_size) > most)
        refuse_size();
    std::string content;
    std::array<char, 65536> part{};
    for (;;) {
        const ssize_t count = read(file, part.data(), part.size());
        if (count < 0 && errno != EINTR)
            refuse(std::strerror(errno));
        if (count == 0)
            return content;
        if (count > 0)
            content.append(part.data(), static_cast<std::size_t>(count));
        if (content.size() > most)
            refuse_size();
    }
}

std::string read_regular_file(const std::string &path, std::string_view option, std::size_t most)
{
    const std::string about = fmt::format("{}: cannot read {}", option, path);
    const auto refuse = [&](std::string_view why) { throw SetupError("{}: {}", about, why); };
    const UniqueFd file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat status = {};
    if (!file || fstat(file.get(), &status) != 0)
        refuse(std::strerror(errno));
    if (S_ISDIR(status.st_mode))
        refuse("it is a directory");
    if (!S_ISREG(status.st_mode))
        refuse("it is a pipe or a device: name a regular file");
    return read_open_file(file.get(), most, about);
}

} // namespace dnsgauge
