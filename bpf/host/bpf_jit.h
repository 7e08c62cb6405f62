// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whether the kernel compiles BPF programs or interprets them.
#pragma once

#include <optional>

namespace dnsgauge
{

// Returns what loading a program of two instructions shows; nothing if loading is not permitted.
[[nodiscard]] std::optional<bool> bpf_is_compiled();

} // namespace dnsgauge
