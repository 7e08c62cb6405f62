// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

namespace dnsgauge
{

// What is said of every result that accepted less than 100 % of the queries, wherever it is shown
// (paper 000 heads such tables "non-RFC 8219 compliant!").
inline constexpr const char *not_compliant = "not compliant with RFC 8219";

} // namespace dnsgauge
