// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Access to the values of options that are names, zones or prefixes. See options/access.h.
#pragma once

#include "dns/name_range.h"
#include "dns/zone_name.h"
#include "options/access.h"
#include "wire/pref64.h"

namespace dnsgauge
{

// A prefix without a length, and a range without a name, mean that the option was not given.
[[nodiscard]] OptionAccess prefix(pref64 &value);
[[nodiscard]] OptionAccess names(NameRange &value);
[[nodiscard]] OptionAccess zone(ZoneName &value);

} // namespace dnsgauge
