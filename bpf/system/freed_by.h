// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lets a std::unique_ptr free what a library of C made: std::unique_ptr<pcap, FreedBy<pcap_close>>.
#pragma once

namespace dnsgauge
{

template <auto function>
struct FreedBy {
    void operator()(auto *owned) const { function(owned); }
};

} // namespace dnsgauge
