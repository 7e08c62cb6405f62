// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The kinds of servers that are tested, as they stand on a command line.
#pragma once

#include "result/trial_result.h"

#include <map>
#include <string>

namespace dnsgauge
{

inline const std::map<std::string, Dut> duts{{"authoritative", Dut::authoritative},
                                             {"dns64", Dut::dns64}};

// The --timeout of each: RFC 8219 section 9.2.1 and Lencse 2020 section III.
inline const std::map<Dut, std::string> dut_timeouts{{Dut::authoritative, "0.25"},
                                                     {Dut::dns64, "1"}};

} // namespace dnsgauge
