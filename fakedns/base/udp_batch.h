// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Datagrams that are received together, and their answers. A query's control message names its
// target. It goes back unchanged with the answer, where it sets the source.
#pragma once

#include "base/event_loop.h"
#include "base/sockets.h"

#include <linux/errqueue.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace dnsgauge
{

// A datagram, in room that suffices for any answer.
struct UdpQuery {
    std::span<std::uint8_t> room;
    std::size_t length;
    sockaddr_storage &from;
    msghdr &header;

    // Returns whether an answer can go back from the address that was asked. It cannot if the
    // datagram was sent to a group of hosts, or if it has no source port.
    [[nodiscard]] bool can_be_answered() const;

    // Returns the address that was asked, in network byte order; empty if nothing names it, or if
    // it is a group's.
    [[nodiscard]] std::span<const std::uint8_t> target() const;
};

// Sends datagrams. Returns how many the stack refused: their clients will ask again. The flags are
// of sendmmsg(2).
std::size_t send_together(int fd, std::span<mmsghdr> datagrams, int flags = MSG_DONTWAIT);

class UdpBatch
{
public:
    UdpBatch();

    // Returns the number of datagrams received; 0 if there are none. The flags are of recvmmsg(2).
    std::size_t receive(int fd, int flags = MSG_DONTWAIT);

    // Returns a datagram that was received.
    [[nodiscard]] UdpQuery query(std::size_t i)
    {
        return {room(i), headers_[i].msg_len, names_[i], headers_[i].msg_hdr};
    }

    // Calls answer(UdpQuery) for each of `count` queries, which overwrites the query by its answer
    // and returns the answer's length, 0 for none. Returns the number of answers.
    template <class Answer>
    std::size_t answer(std::size_t count, Answer &&answer)
    {
        std::size_t answers = 0;
        for (std::size_t i = 0; i < count; i++) {
            const std::size_t length = answer(query(i));
            if (length == 0)
                continue;
            // Answers move up into the places of queries without an answer.
            vectors_[i].iov_len = length;
            headers_[i].msg_hdr.msg_flags = 0;
            headers_[answers++].msg_hdr = headers_[i].msg_hdr;
        }
        return answers;
    }

    // Sends the answers, as send_together() does.
    std::size_t send(int fd, std::size_t count, int flags = MSG_DONTWAIT)
    {
        return send_together(fd, std::span(headers_).first(count), flags);
    }

private:
    static constexpr std::size_t size = 64;
    static constexpr std::size_t message_room = 65536; // for any datagram, and for any answer

    struct alignas(cmsghdr) Control {
        std::array<std::uint8_t,
                   CMSG_SPACE(sizeof(in6_pktinfo)) + CMSG_SPACE(sizeof(scm_timestamping))>
            bytes;
    };

    [[nodiscard]] std::span<std::uint8_t> room(std::size_t i)
    {
        return {&room_[i * message_room], message_room};
    }

    std::unique_ptr<std::uint8_t[]> room_; // not initialised: only pages with messages take memory
    std::array<mmsghdr, size> headers_{};
    std::array<iovec, size> vectors_{};
    std::array<sockaddr_storage, size> names_{};
    std::array<Control, size> controls_{};
};

// A UDP socket of an event loop.
class UdpListener : public EventHandler
{
public:
    // Answers a query, received at `now_ns` by the socket `fd`, as UdpBatch::answer() has it.
    using Answer = std::function<std::size_t(const UdpQuery &query, int fd, std::uint64_t now_ns)>;
    // Notes the number of answers to queries received at `now_ns`, of which `unsent` did not leave.
    using Note = std::function<void(std::uint64_t now_ns, std::size_t answers, std::size_t unsent)>;

    // `loop` outlives the listener. Throws SetupError as open_udp_socket() does. Serves nothing if
    // the machine lacks the address family.
    UdpListener(EventLoop &loop, const Endpoint &endpoint, Answer answer, Note note);

    // Answers at most one batch, so that other handlers get their turn.
    void on_ready(std::uint32_t events) override;

private:
    UniqueFd socket_;
    UdpBatch batch_;
    Answer answer_;
    Note note_;
};

// Datagrams that wait in memory until they are due, and are then sent. Memory of sent datagrams is
// used again, so it grows only with the number that waits at a time.
class HeldDatagrams
{
public:
    // At most `most` datagrams wait at a time. Throws SetupError.
    HeldDatagrams(EventLoop &loop, std::size_t most, Punctuality punctuality);

    // Sends a copy of `message` by the socket `fd` at `due_ns` (ktime_ns()), from the target to the
    // source of the datagram with `header`. Counts the copy as unsent if too many wait. The socket
    // must stay open until then.
    void hold(int fd, std::span<const std::uint8_t> message, const msghdr &header,
              std::uint64_t due_ns);

    // Sends `message` at once, in the same way.
    void send_now(int fd, std::span<const std::uint8_t> message, const msghdr &header);

    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
    [[nodiscard]] std::uint64_t unsent() const { return unsent_; }

private:
    // A datagram with its target and its source.
    struct Datagram {
        int fd = -1;
        std::vector<std::uint8_t> message;
        std::vector<std::uint8_t> name;
        std::vector<std::uint8_t> control;
    };
    using Place = std::uint32_t; // in datagrams_

    [[nodiscard]] Place copy(int fd, std::span<const std::uint8_t> message, const msghdr &header);
    void send(Place place);
    void send_due();
    void arm();

    std::size_t most_;
    Punctuality punctuality_;
    DueTimer timer_;
    std::deque<Datagram> datagrams_;
    std::vector<Place> free_;
    DueQueue<Place> waiting_;
    std::uint64_t unsent_ = 0;
};

} // namespace dnsgauge
