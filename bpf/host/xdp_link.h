// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Attaching an XDP program to an interface by a BPF link that this process owns. When the process
// ends, however it ends, the kernel detaches the program.
#pragma once

#include "system/unique_fd.h"
#include "system/words.h"

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

inline constexpr auto xdp_modes = words<XdpMode>(
    {{XdpMode::automatic, "auto"}, {XdpMode::native, "native"}, {XdpMode::generic, "generic"}});

[[nodiscard]] inline const char *to_string(XdpMode mode)
{
    return xdp_modes.text_of(mode);
}

// A program that an interface carries.
struct AttachedProgram {
    std::uint32_t id = 0;
    std::string name; // empty if it may not be known
    XdpMode mode = XdpMode::native;
    // BPF links, one of which holds the program. A link tells the number of its interface, but not
    // the network namespace of that number. Empty if netlink attached the program, or if this
    // process may not look at links.
    std::vector<std::uint32_t> links{};
    // The words in front of a command that runs in this network namespace: "ip netns exec NAME ".
    // Empty if this namespace is the machine's first one, or if it has no name.
    std::string way_in{};
};

// Returns nothing if the interface carries no program.
[[nodiscard]] std::optional<AttachedProgram> attached_program(unsigned interface_index);

// Returns the command that takes the program off `interface`, in whatever namespace it runs. If
// several links may hold the program, the text says how to find the right one.
[[nodiscard]] std::string detach_command(const AttachedProgram &program,
                                         const std::string &interface);

class XdpLink
{
public:
    // Attaches the loaded program `program_fd` to `interface`. Throws SetupError if the interface
    // carries a program already (the message names it), or if this process may not attach one;
    // UnsupportedError if the driver cannot.
    XdpLink(int program_fd, const std::string &interface, XdpMode mode);

    // Replaces the attached program by the loaded program `program_fd`; every packet meets one of
    // the two. Throws SetupError.
    void replace_program(int program_fd);

    // Returns false once somebody has detached the program, or the interface is gone.
    [[nodiscard]] bool is_attached() const;

    // Returns native or generic: the mode in use.
    [[nodiscard]] XdpMode mode() const { return mode_; }

private:
    UniqueFd link_;
    XdpMode mode_ = XdpMode::native;
};

} // namespace dnsgauge
