// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An XDP program on an interface, attached by a BPF link that this process owns: when the process
// ends, however it ends, the interface is as it was.
#pragma once

#include "host/unique_fd.h"

#include <string>

namespace dnsgauge
{

enum class XdpMode {
    automatic, // native if the driver can, else generic
    native,    // in the driver
    generic,   // in the stack, after a socket buffer has been made: slow, works everywhere
};

[[nodiscard]] const char *to_string(XdpMode mode);

class XdpLink
{
public:
    // Attaches the loaded program `program_fd` to `interface`. Throws SetupError: the interface
    // carries a program already (which is named), or it is not permitted; UnsupportedError: the
    // driver cannot.
    XdpLink(int program_fd, const std::string &interface, XdpMode mode);

    // native or generic: what it came to
    [[nodiscard]] XdpMode mode() const { return mode_; }

private:
    UniqueFd link_;
    XdpMode mode_ = XdpMode::native;
};

} // namespace dnsgauge
