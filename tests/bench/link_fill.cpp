// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fills a link with packets that the other end drops: what AF_XDP and the link take, whoever sends.
//
//     link_fill drop INTERFACE
//     link_fill send INTERFACE SECONDS
//
// "drop" drops everything by XDP, says "ready", and waits for the signal that ends it. "send" sends
// the same packet as fast as it can, and prints packets per second.
//
// The sender does nothing besides: its frames were written before, and go round.
#include "host/xdp_link.h"
#include "system/run_program.h"
#include "system/setup_error.h"
#include "system/unique_fd.h"
#include "xsk/tx_socket.h"
#include "xsk/umem.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

using namespace dnsgauge;

namespace
{

using Clock = std::chrono::steady_clock;

// What dnsgauge's query for an AAAA record of the test zone takes.
constexpr std::uint32_t packet_octets = 90;
constexpr std::uint32_t frames = 4096;
constexpr std::uint32_t batch = 64;

int drop(const std::string &interface)
{
    // The program: return XDP_DROP.
    const std::array<bpf_insn, 2> code{
        bpf_insn{.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = XDP_DROP},
        bpf_insn{.code = BPF_JMP | BPF_EXIT}};
    const UniqueFd program(
        bpf_prog_load(BPF_PROG_TYPE_XDP, "drop", "GPL", code.data(), code.size(), nullptr));
    if (!program)
        throw SetupError("cannot load a program of two instructions: be root");
    const XdpLink link(program.get(), interface, XdpMode::native);
    std::puts("ready");
    static_cast<void>(std::fflush(stdout));
    pause();
    return 0;
}

// Writes what the stack of no host takes: the local experimental EtherType, to the lab's DUT.
void write_packet(std::span<std::uint8_t> frame)
{
    constexpr std::array<std::uint8_t, 14> head{0x02, 0x00, 0xc6, 0x12, 0x00, 0x02, 0x02,
                                                0x00, 0xc6, 0x12, 0x00, 0x01, 0x88, 0xb5};
    std::ranges::fill(frame.first(packet_octets), std::uint8_t{0});
    std::ranges::copy(head, frame.begin());
}

int send(const std::string &interface, double seconds)
{
    Umem umem(frames, false);
    TxSocket socket(interface, 0, umem, {.copy_mode = CopyMode::copy});
    for (std::uint32_t i = 0; i < frames; i++)
        write_packet(umem.frame(umem.address_of(i)));
    std::uint64_t queued = 0;
    const Clock::time_point begin = Clock::now();
    const Clock::time_point end =
        begin + std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
    while (Clock::now() < end) {
        umem.reap([](std::uint64_t /*address*/) {});
        const std::uint32_t room = socket.room(batch);
        for (std::uint32_t i = 0; i < room; i++)
            socket.queue(umem.take(), packet_octets);
        socket.submit();
        queued += room;
        if (socket.wants_kick() && socket.kick() == Kick::failed)
            throw SetupError(interface + ": the link is down");
    }
    const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
    fmt::print("{:.0f}\n", static_cast<double>(queued - socket.not_taken()) / elapsed);
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    const std::vector<std::string> words(argv, argv + argc);
    return run_program("link_fill", [&words] {
        if (words.size() == 3 && words[1] == "drop")
            return drop(words[2]);
        if (words.size() == 4 && words[1] == "send")
            return send(words[2], std::stod(words[3]));
        throw SetupError("usage: link_fill drop INTERFACE | send INTERFACE SECONDS");
    });
}
