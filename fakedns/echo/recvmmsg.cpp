// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The echo whose workers wait for one datagram in recvmmsg(), which also takes what else has come.
// sendmmsg() then sends all echoes.
#include "echo/socket_worker.h"

#include <array>
#include <cerrno>

namespace dnsgauge
{

namespace
{

constexpr std::size_t batch_size = 64;

class RecvmmsgEcho : public SocketEcho
{
public:
    // The room stays uninitialised, so that only the pages which datagrams reach are ever touched.
    explicit RecvmmsgEcho(const EchoSeat &seat)
        : SocketEcho(seat),
          room_(std::make_unique_for_overwrite<std::uint8_t[]>(batch_size * datagram_max))
    {
    }

    void run() override
    {
        while (!stops())
            send(turn_all(receive()));
    }

private:
    std::size_t receive()
    {
        for (std::size_t i = 0; i < batch_size; i++) {
            vectors_[i] = {&room_[i * datagram_max], datagram_max};
            headers_[i] = {};
            headers_[i].msg_hdr.msg_name = &names_[i];
            headers_[i].msg_hdr.msg_namelen = sizeof(names_[i]);
            headers_[i].msg_hdr.msg_iov = &vectors_[i];
            headers_[i].msg_hdr.msg_iovlen = 1;
        }
        const int received =
            recvmmsg(socket(), headers_.data(), batch_size, MSG_WAITFORONE, nullptr);
        return received < 0 ? 0 : static_cast<std::size_t>(received);
    }

    // Turns datagrams into echoes, and moves echoes up into the places of datagrams that get none.
    // Returns the number of echoes.
    std::size_t turn_all(std::size_t received)
    {
        std::size_t echoes = 0;
        for (std::size_t i = 0; i < received; i++) {
            msghdr &header = headers_[i].msg_hdr;
            if (!turn(&room_[i * datagram_max], headers_[i].msg_len, names_[i], header.msg_namelen))
                continue;
            vectors_[i].iov_len = headers_[i].msg_len;
            header.msg_flags = 0;
            headers_[echoes++].msg_hdr = header;
        }
        return echoes;
    }

    void send(std::size_t echoes)
    {
        std::size_t done = 0;
        while (done < echoes) {
            const int sent =
                sendmmsg(socket(), &headers_[done], static_cast<unsigned>(echoes - done), 0);
            if (sent > 0) {
                count(ECHO_SENT, static_cast<std::uint64_t>(sent));
                done += static_cast<std::size_t>(sent);
            } else if (errno != EINTR) {
                count(ECHO_UNSENT);
                done++;
            }
        }
    }

    std::unique_ptr<std::uint8_t[]> room_;
    std::array<mmsghdr, batch_size> headers_{};
    std::array<iovec, batch_size> vectors_{};
    std::array<sockaddr_storage, batch_size> names_{};
};

} // namespace

std::unique_ptr<EchoWorker> make_recvmmsg_echo(const EchoSeat &seat)
{
    return std::make_unique<RecvmmsgEcho>(seat);
}

} // namespace dnsgauge
