// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An XDP program on an interface, attached by a BPF link that this process owns: when the process
// ends, however it ends, the interface is as it was.
#pragma once

#include "host/unique_fd.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dnsgauge
{

enum class XdpMode {
    automatic, // native if the driver can, else generic
    native,    // in the driver
    generic,   // in the stack, after a socket buffer has been made: slow, works everywhere
};

[[nodiscard]] const char *to_string(XdpMode mode);

// A program that an interface carries.
struct AttachedProgram {
    std::uint32_t id = 0;
    std::string name; // empty if it may not be known
    XdpMode mode = XdpMode::native;
    std::optional<std::uint32_t> link; // the BPF link that holds it; none: it was set by netlink
};

// Nothing where there is none.
[[nodiscard]] std::optional<AttachedProgram> attached_program(unsigned interface_index);

// The command that takes the program off `interface`.
[[nodiscard]] std::string detach_command(const AttachedProgram &program,
                                         const std::string &interface);

class XdpLink
{
public:
    // Attaches the loaded program `program_fd` to `interface`. Throws SetupError: the interface
    // carries a program already (which is named), or it is not permitted; UnsupportedError: the
    // driver cannot.
    XdpLink(int program_fd, const std::string &interface, XdpMode mode);

    // The loaded program `program_fd` takes the place of the attached one; no packet meets neither.
    // Throws SetupError.
    void replace_program(int program_fd);

    // native or generic: what it came to
    [[nodiscard]] XdpMode mode() const { return mode_; }

private:
    UniqueFd link_;
    XdpMode mode_ = XdpMode::native;
};

} // namespace dnsgauge
