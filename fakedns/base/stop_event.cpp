// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/stop_event.h"

#include <poll.h>
#include <sys/eventfd.h>

namespace dnsgauge
{

// The descriptor blocks, because io_uring would not wait for a descriptor that does not.
StopEvent::StopEvent() : event_(opened(eventfd(0, EFD_CLOEXEC), "cannot make an eventfd")) {}

void StopEvent::ask()
{
    is_asked_ = true;
    eventfd_write(event_.get(), 1);
}

void StopEvent::wait(std::chrono::milliseconds longest) const
{
    pollfd event{event_.get(), POLLIN, 0};
    poll(&event, 1, static_cast<int>(longest.count()));
}

} // namespace dnsgauge
