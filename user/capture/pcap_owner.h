// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Owns a capture of libpcap.
#pragma once

#include "system/freed_by.h"

#include <memory>

struct pcap;

extern "C" void pcap_close(pcap *capture);

namespace dnsgauge
{

using PcapOwner = std::unique_ptr<pcap, FreedBy<pcap_close>>;

} // namespace dnsgauge
