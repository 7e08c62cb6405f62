// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whether BPF programs and this process read the same clock.
#pragma once

namespace dnsgauge
{

// BPF programs read CLOCK_MONOTONIC as the first time namespace has it. In another one (see
// time_namespaces(7)) ours differs, and so would be every time that is taken by both. Throws
// SetupError then, or where the programs' clock cannot be read. Needs CAP_BPF.
void check_bpf_clock();

} // namespace dnsgauge
