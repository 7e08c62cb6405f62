// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "server/reload.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>

namespace dnsgauge
{

Reload::Reload(EventLoop &loop, std::function<Result()> prepare,
               std::function<void(const char *)> refused)
    : prepare_(std::move(prepare)), refused_(std::move(refused)),
      done_(opened(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "cannot create an event"))
{
    loop.add(done_.get(), EPOLLIN, *this);
}

void Reload::begin()
{
    again_ = under_way_.valid();
    if (again_)
        return;
    try {
        under_way_ = std::async(std::launch::async, [this] {
            struct Signal {
                int fd;
                ~Signal() { eventfd_write(fd, 1); }
            };
            const Signal at_the_end{done_.get()};
            return prepare_();
        });
    } catch (const std::system_error &error) {
        refused_(error.what()); // the system could not start a thread
    }
}

void Reload::on_ready(std::uint32_t)
{
    eventfd_t count = 0;
    if (eventfd_read(done_.get(), &count) != 0)
        return;
    try {
        under_way_.get()();
    } catch (const std::exception &error) {
        refused_(error.what());
    }
    if (again_)
        begin();
}

} // namespace dnsgauge
