// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An XDP program on an interface, attached by a BPF link that this process owns: when the process
// ends, however it ends, the interface is as it was.
#pragma once

#include "common/unique_fd.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
    // BPF links, one of which holds it: a link tells the number of its interface, but not whose
    // network namespace that counts in. None: it was set by netlink, or they may not be looked at.
    std::vector<std::uint32_t> links{};
    // What a command begins with to be run in this network namespace from the machine's first one;
    // empty: it is that one, or has no name.
    std::string way_in{};
};

// Nothing where there is none.
[[nodiscard]] std::optional<AttachedProgram> attached_program(unsigned interface_index);

// The command that takes the program off `interface`, in whatever namespace it is run. Where
// several links may hold the program it says how to tell which.
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

    // Returns false once somebody has detached the program, or the interface is gone.
    [[nodiscard]] bool is_attached() const;

    // native or generic: what it came to
    [[nodiscard]] XdpMode mode() const { return mode_; }

private:
    UniqueFd link_;
    XdpMode mode_ = XdpMode::native;
};

} // namespace dnsgauge
