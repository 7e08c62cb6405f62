// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The tracepoints of the running kernel that programs (tp_btf) can be attached to.
#pragma once

#include <string>
#include <string_view>

struct bpf_program;

namespace dnsgauge
{

// Returns whether the running kernel has a tracepoint of this name, and tells its types.
[[nodiscard]] bool has_tracepoint(const std::string &name);

// Returns the name of the tracepoint that a program of a section tp_btf/NAME is for.
[[nodiscard]] std::string_view tracepoint_of(const bpf_program *program);

} // namespace dnsgauge
