// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/bpf_jit.h"

#include "userland/unique_fd.h"

#include <bpf/bpf.h>

#include <array>

namespace dnsgauge
{

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
