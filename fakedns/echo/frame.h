// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The common part of workers that take whole frames from a ring of the kernel, and put echoes on
// another ring.
#pragma once

#include "base/stop_event.h"
#include "echo/worker.h"

#include "wire/echo.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>

namespace dnsgauge
{

class FrameEcho : public EchoWorker
{
public:
    explicit FrameEcho(const EchoSeat &seat) : port_(seat.options.port), counters_(seat.counters) {}

    void run() override
    {
        constexpr int most_kicks = 1000;
        while (!stop_.is_asked()) {
            const bool has_taken = take();
            kick();
            if (!has_taken)
                rest(stop_);
        }
        // The kernel may still have to send some frames.
        for (int i = 0; i < most_kicks && wants_kick(); i++)
            kick();
    }
    void stop() override { stop_.ask(); }

protected:
    // Turns the frame into its echo, and sets frame.end to the echo's end. Returns false if there
    // is nothing to send, and then counts a query to the echo's port as ignored.
    [[nodiscard]] bool turn(wire_cursor &frame)
    {
        packet packet{};
        if (echo_frame_is_query(frame, port_, &packet) == 0)
            return false;
        const int padding = packet_padding(&packet, static_cast<__u32>(frame.end - frame.pos));
        frame.end -= padding;
        if (padding >= 0 && echo_frame(frame, &packet) != 0)
            return true;
        counters_.value[ECHO_IGNORED]++;
        return false;
    }
    // Counts an echo. Returns whether it was sent.
    bool count(bool is_sent)
    {
        counters_.value[is_sent ? ECHO_SENT : ECHO_UNSENT]++;
        return is_sent;
    }

    // Waits until more may have arrived, unless there are echoes to send.
    virtual void rest(const StopEvent &stop)
    {
        std::array<pollfd, 2> events{{{stop.fd(), POLLIN, 0}, {fd(), POLLIN, 0}}};
        if (wants_kick())
            return;
        poll(events.data(), events.size(), -1);
        // Clears the error of an interface that went down, because the interface may come up again.
        int error = 0;
        socklen_t size = sizeof(error);
        if ((events[1].revents & POLLERR) != 0)
            getsockopt(fd(), SOL_SOCKET, SO_ERROR, &error, &size);
    }

private:
    // Echoes frames that have arrived. Returns whether there were any.
    virtual bool take() = 0;
    // Makes the kernel send what is on the ring.
    virtual void kick() = 0;
    // Returns whether there are frames on the ring that the kernel has not taken yet.
    [[nodiscard]] virtual bool wants_kick() const = 0;
    [[nodiscard]] virtual int fd() const = 0;

    std::uint16_t port_;
    echo_counters &counters_;
    StopEvent stop_;
};

} // namespace dnsgauge
