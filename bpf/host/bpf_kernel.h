// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What this kernel does with BPF programs.
#pragma once

#include <optional>

namespace dnsgauge
{

// BPF programs read CLOCK_MONOTONIC of the first time namespace. In another time namespace (see
// time_namespaces(7)) this process' clock may differ, and every RTT between the two clocks would be
// wrong. Throws SetupError if the kernel says that the clocks differ.
void check_bpf_clock();

// Returns whether the kernel compiles BPF programs or interprets them, as loading a program of two
// instructions shows; nothing if loading is not permitted.
[[nodiscard]] std::optional<bool> bpf_is_compiled();

} // namespace dnsgauge
