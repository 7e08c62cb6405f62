// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Interfaces by name and number. The C library's if_nametoindex() finds no interface if it gets no
// descriptor.
#pragma once

#include <string>

struct ifreq;

namespace dnsgauge
{

// Makes a request of netdevice(7). Returns 0, or the error.
[[nodiscard]] int ask_interface(unsigned long question, ifreq &request);

// Returns the number of the interface in this network namespace; 0 if none has the name. Throws
// SetupError if the system cannot tell, as without a free descriptor.
[[nodiscard]] unsigned interface_number(const std::string &name);

// Returns the interface's present name; empty if it is not in this network namespace. Throws
// SetupError if the system cannot tell.
[[nodiscard]] std::string interface_name(unsigned number);

} // namespace dnsgauge
