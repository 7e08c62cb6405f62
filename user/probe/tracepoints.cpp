// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "probe/tracepoints.h"

#include "result/probe_result.h"
#include "system/setup_error.h"

namespace dnsgauge
{

Tracepoints tracepoints_of(const std::function<bool(const std::string &name)> &has, bool is_sample)
{
    // Linux 6.3 and later have a tracepoint for reads. Before, the end of a system call must do.
    const char *const reads = has("sock_recv_length") ? "sock_recv_length" : "sys_exit";
    Tracepoints made;
    for (const char *needed : {"netif_receive_skb", reads, "net_dev_start_xmit"}) {
        if (!has(needed))
            throw UnsupportedError("the probe cannot follow queries: the kernel lacks the "
                                   "tracepoint {}, or its types (CONFIG_DEBUG_INFO_BTF)",
                                   needed);
        made.used.emplace(needed);
    }
    const auto wants = [&](const OptionalTracepoint &one) { return one.in_samples || !is_sample; };
    std::set<Telling> untold;
    for (const OptionalTracepoint &one : optional_tracepoints)
        if (wants(one) && !has(one.name)) {
            made.lacking.emplace_back(one.name);
            untold.insert(one.telling);
        }
    for (const OptionalTracepoint &one : optional_tracepoints)
        if (wants(one) && !untold.contains(one.telling))
            made.used.emplace(one.name);
    return made;
}

} // namespace dnsgauge
