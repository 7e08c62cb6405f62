// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the server may do once it is set up.
#pragma once

#include <string>

namespace dnsgauge
{

// Gives up every capability, and root for `user` unless that is empty; nothing executed later gets
// any back. With `keeps_loading` those that loading a program takes are kept, as far as they were
// there: CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON. Throws SetupError.
void drop_privileges(const std::string &user, bool keeps_loading);

} // namespace dnsgauge
