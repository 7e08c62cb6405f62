// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The echo whose workers wait in select(), and then receive one datagram.
#include "echo/socket_worker.h"

#include "userland/setup_error.h"

#include <sys/select.h>

#include <string>

namespace dnsgauge
{

namespace
{

class SelectEcho : public SocketEcho
{
public:
    explicit SelectEcho(const EchoSeat &seat) : SocketEcho(seat)
    {
        if (socket() >= FD_SETSIZE)
            throw SetupError("--io select takes descriptors below " + std::to_string(FD_SETSIZE) +
                             " alone: use fewer workers, or leave out --reuseport");
    }

    void run() override
    {
        fd_set readable;
        while (!stops()) {
            FD_ZERO(&readable);
            FD_SET(socket(), &readable);
            if (select(socket() + 1, &readable, nullptr, nullptr, nullptr) == 1)
                echo_one(MSG_DONTWAIT, 0);
        }
    }
};

} // namespace

std::unique_ptr<EchoWorker> make_select_echo(const EchoSeat &seat)
{
    return std::make_unique<SelectEcho>(seat);
}

} // namespace dnsgauge
