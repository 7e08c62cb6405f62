// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/bpf_clock.h"

#include "userland/setup_error.h"
#include "userland/unique_fd.h"

#include <bpf/bpf.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>

namespace dnsgauge
{

namespace
{

// A program's time may differ by this much while the kernel adjusts its clock.
constexpr std::int64_t tolerance_ns = 10'000;

[[noreturn]] void cannot_read()
{
    throw SetupError(std::string("cannot read the clock of BPF programs: ") + std::strerror(errno) +
                     ": run as root, or grant CAP_BPF");
}

// Returns a loaded program that stores the time in its context.
UniqueFd load_reader()
{
    constexpr std::array<bpf_insn, 5> store_time = {{
        {.code = BPF_ALU64 | BPF_MOV | BPF_X,
         .dst_reg = BPF_REG_6,
         .src_reg = BPF_REG_1,
         .off = 0,
         .imm = 0},
        {.code = BPF_JMP | BPF_CALL,
         .dst_reg = 0,
         .src_reg = 0,
         .off = 0,
         .imm = BPF_FUNC_ktime_get_ns},
        {.code = BPF_STX | BPF_MEM | BPF_DW,
         .dst_reg = BPF_REG_6,
         .src_reg = BPF_REG_0,
         .off = 0,
         .imm = 0},
        {.code = BPF_ALU64 | BPF_MOV | BPF_K,
         .dst_reg = BPF_REG_0,
         .src_reg = 0,
         .off = 0,
         .imm = 0},
        {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0},
    }};
    LIBBPF_OPTS(bpf_prog_load_opts, options, .prog_flags = BPF_F_SLEEPABLE);
    return UniqueFd{bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "read_clock", "Dual BSD/GPL",
                                  store_time.data(), store_time.size(), &options)};
}

std::int64_t read_clock(int program)
{
    std::int64_t time = 0;
    LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = &time, .ctx_size_in = sizeof(time));
    if (bpf_prog_test_run_opts(program, &options) != 0)
        cannot_read();
    return time;
}

std::int64_t own_clock()
{
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

} // namespace

void check_bpf_clock()
{
    const UniqueFd program = load_reader();
    if (!program)
        cannot_read();
    const std::int64_t before = own_clock();
    const std::int64_t theirs = read_clock(program.get());
    const std::int64_t after = own_clock();
    if (theirs >= before - tolerance_ns && theirs <= after + tolerance_ns)
        return;
    throw SetupError(
        "in this time namespace the monotonic clock is not the clock of BPF programs (" +
        std::to_string(before - theirs) +
        " ns apart), so that every time would be wrong: run the command in the first time "
        "namespace (nsenter --time --target 1)");
}

} // namespace dnsgauge
