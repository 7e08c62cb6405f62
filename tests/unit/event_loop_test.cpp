// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers that destroy others whose events the loop has taken together with theirs.
#include "base/event_loop.h"

#include "system/unique_fd.h"

#include <catch2/catch.hpp>

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <array>
#include <memory>

using namespace dnsgauge;

namespace
{

// Each destroys the other, so that exactly one of them is called.
struct Rival : EventHandler {
    Rival(EventLoop &loop, std::unique_ptr<Rival> &other, int &calls)
        : loop_(loop), other_(other), calls_(calls), fd_(eventfd(1, EFD_CLOEXEC))
    {
        loop.add(fd_.get(), EPOLLIN, *this);
    }

    void on_ready(std::uint32_t) override
    {
        other_.reset();
        if (++calls_ == 3)
            loop_.stop();
    }

private:
    EventLoop &loop_;
    std::unique_ptr<Rival> &other_;
    int &calls_;
    UniqueFd fd_;
};

} // namespace

TEST_CASE("a handler may destroy another one whose event waits")
{
    EventLoop loop;
    std::array<std::unique_ptr<Rival>, 2> rivals;
    int calls = 0;
    rivals[0] = std::make_unique<Rival>(loop, rivals[1], calls);
    rivals[1] = std::make_unique<Rival>(loop, rivals[0], calls);
    loop.run();
    CHECK(calls == 3);
    CHECK((rivals[0] == nullptr) != (rivals[1] == nullptr));
}
