// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The echo whose workers wait for one datagram in recvmmsg(), which also takes what else has come.
// sendmmsg() then sends all echoes.
#include "base/udp_batch.h"
#include "echo/socket_worker.h"

namespace dnsgauge
{

namespace
{

class RecvmmsgEcho : public SocketEcho
{
public:
    explicit RecvmmsgEcho(const EchoSeat &seat) : SocketEcho(seat) {}

    void run() override
    {
        while (!stops()) {
            const std::size_t received = batch_.receive(socket(), MSG_WAITFORONE);
            const std::size_t echoes = batch_.answer(received, [this](const UdpQuery &query) {
                return turn(query.room.data(), query.length, query.from, query.header.msg_namelen)
                           ? query.length
                           : 0;
            });
            const std::size_t refused = batch_.send(socket(), echoes, 0);
            count(ECHO_SENT, echoes - refused);
            count(ECHO_UNSENT, refused);
        }
    }

private:
    UdpBatch batch_;
};

} // namespace

std::unique_ptr<EchoWorker> make_recvmmsg_echo(const EchoSeat &seat)
{
    return std::make_unique<RecvmmsgEcho>(seat);
}

} // namespace dnsgauge
