// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/output_file.h"

#include "system/setup_error.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};

bool is_ignored(int signal)
{
    struct sigaction action = {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
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

OutputFile::OutputFile(const std::filesystem::path &path) : path_(path), block_(block_size)
{
    if (path == "-")
        return;
    held_.emplace();
    file_.emplace(path);
    if (file_->is_direct())
        held_.reset();
}

void OutputFile::write(std::string_view text)
{
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view part = rest.substr(0, block_size);
        filled_to(std::ranges::copy(part, reserve(part.size())).out);
        rest.remove_prefix(part.size());
    }
}

void OutputFile::commit()
{
    write_block();
    if (file_)
        file_->commit();
    held_.reset();
}

void OutputFile::write_block()
{
    if (held_ && held_->pending())
        throw SetupError("interrupted: " + path_.string() + " was not written");
    const std::string_view text(block_.data(), std::exchange(used_, 0));
    if (file_)
        file_->write(text);
    else if (!write_all(STDOUT_FILENO, text))
        throw SetupError("cannot write standard output: " + std::string(std::strerror(errno)));
}

} // namespace dnsgauge
