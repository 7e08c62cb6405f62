// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whether BPF programs and this process read the same clock.
#pragma once

namespace dnsgauge
{

// BPF programs read CLOCK_MONOTONIC of the first time namespace. In another time namespace (see
// time_namespaces(7)) this process' clock may differ, and every RTT between the two clocks would be
// wrong. Throws SetupError if the kernel says that the clocks differ.
void check_bpf_clock();

} // namespace dnsgauge
