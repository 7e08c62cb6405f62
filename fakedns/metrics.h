// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The counters in the form that Prometheus reads (text format 0.0.4).
#pragma once

#include "fakedns/counters.h"

#include <string>

namespace dnsgauge
{

[[nodiscard]] std::string metrics_text(const ServerCounters &counters);

} // namespace dnsgauge
