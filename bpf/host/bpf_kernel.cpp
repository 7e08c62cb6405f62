// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/bpf_kernel.h"

#include "system/setup_error.h"
#include "system/unique_fd.h"

#include <array>
#include <bpf/bpf.h>
#include <cstdint>
#include <fstream>
#include <string>

namespace dnsgauge
{

void check_bpf_clock()
{
    // A kernel without time namespaces has no such file.
    std::ifstream offsets("/proc/self/timens_offsets");
    std::string clock;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    while (offsets >> clock >> seconds >> nanoseconds)
        if (const std::int64_t apart = seconds * 1'000'000'000 + nanoseconds;
            clock == "monotonic" && apart != 0)
            throw SetupError("in this time namespace the monotonic clock is not the clock of BPF "
                             "programs ({} ns apart), so that every time would be wrong: run the "
                             "command in the first time namespace (nsenter --time --target 1)",
                             apart);
}

std::optional<bool> bpf_is_compiled()
{
    constexpr std::array<bpf_insn, 2> pass_all = {{
        {.code = BPF_ALU64 | BPF_MOV | BPF_K,
         .dst_reg = BPF_REG_0,
         .src_reg = 0,
         .off = 0,
         .imm = 2 /* XDP_PASS */},
        {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0},
    }};
    const UniqueFd program{bpf_prog_load(BPF_PROG_TYPE_XDP, "is_compiled", "GPL", pass_all.data(),
                                         pass_all.size(), nullptr)};
    bpf_prog_info info{};
    __u32 size = sizeof(info);
    if (!program || bpf_obj_get_info_by_fd(program.get(), &info, &size) != 0)
        return std::nullopt;
    return info.jited_prog_len != 0;
}

} // namespace dnsgauge
