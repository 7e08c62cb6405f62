// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include "streams/connection_set.h"

#include <memory>

namespace dnsgauge
{

// Returns a lane's connections over the plan's transport. `owner` must outlive them. Throws
// SetupError.
[[nodiscard]] std::unique_ptr<ConnectionSet> make_connection_set(const ConnectionPlan &plan,
                                                                 ConnectionOwner &owner);

} // namespace dnsgauge
