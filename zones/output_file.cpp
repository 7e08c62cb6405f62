// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/output_file.h"

#include "host/setup_error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace dnsgauge
{

namespace fs = std::filesystem;

namespace
{

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};
constexpr unsigned temporaries_most = 1000; // that others may have left

bool is_ignored(int signal)
{
    struct sigaction action {
    };
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// What `path` stands for once symbolic links are followed: a link stays one when its file is
// replaced.
fs::path final_target(const fs::path &path)
{
    std::error_code error;
    const fs::path target = fs::canonical(path, error);
    return error ? path : target;
}

} // namespace

HeldSignals::HeldSignals()
{
    sigemptyset(&held_);
    for (const int signal : ending_signals) {
        if (!is_ignored(signal))
            sigaddset(&held_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &held_, &previous_);
}

HeldSignals::~HeldSignals()
{
    pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

bool HeldSignals::pending() const
{
    sigset_t arrived;
    sigpending(&arrived);
    return std::ranges::any_of(ending_signals, [&](int signal) {
        return sigismember(&held_, signal) == 1 && sigismember(&arrived, signal) == 1;
    });
}

OutputFile::OutputFile(const fs::path &path) : block_(block_size)
{
    if (path == "-") {
        fd_ = STDOUT_FILENO;
        return;
    }
    if (path.empty())
        throw SetupError("no file to write to: give its name, or - for standard output");
    path_ = final_target(path);
    std::error_code error;
    const fs::file_status status = fs::status(path_, error);
    if (fs::is_directory(status))
        throw SetupError("cannot write " + path_.string() + ": it is a directory");
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        owned_ = UniqueFd(open(path_.c_str(), O_WRONLY | O_CLOEXEC));
    } else {
        held_.emplace();
        open_temporary();
    }
    fd_ = owned_.get();
    if (fd_ < 0)
        fail(errno);
}

// Of no other writer's name, though it may be one in another container, with the same process ID.
void OutputFile::open_temporary()
{
    for (unsigned number = 0; number < temporaries_most; number++) {
        fs::path name = path_;
        name += fmt::format(".{}-{}.tmp", getpid(), number);
        owned_ = UniqueFd(open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (owned_)
            temporary_ = name;
        if (owned_ || errno != EEXIST)
            return;
    }
}

OutputFile::~OutputFile()
{
    if (!temporary_.empty())
        unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view text)
{
    filled_to(std::ranges::copy(text, reserve(text.size())).out);
}

void OutputFile::commit()
{
    write_block();
    if (temporary_.empty())
        return;
    // Some file systems tell only here that the disk is full.
    if (fsync(fd_) != 0)
        fail(errno);
    if (rename(temporary_.c_str(), path_.c_str()) != 0)
        fail(errno);
    temporary_.clear();
    held_.reset();
}

void OutputFile::write_block()
{
    if (held_ && held_->pending())
        throw SetupError("interrupted: " + path_.string() + " was not written");
    for (std::size_t done = 0; done < used_;) {
        const ssize_t written = ::write(fd_, block_.data() + done, used_ - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            fail(errno);
        done += static_cast<std::size_t>(written);
    }
    used_ = 0;
}

void OutputFile::fail(int error) const
{
    const std::string name = path_.empty() ? "standard output" : path_.string();
    throw SetupError("cannot write " + name + ": " + std::strerror(error));
}

} // namespace dnsgauge
