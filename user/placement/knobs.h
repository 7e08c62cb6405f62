// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads and sets the values that changes set. No other code reads or writes them.
#pragma once

#include "placement/change.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// The daemon that moves interrupts. No other process is stopped.
inline constexpr const char *irqbalance = "irqbalance";

class Knobs
{
public:
    // Reads and writes the files below `root`.
    Knobs(std::string interface, std::filesystem::path root);

    [[nodiscard]] const std::string &interface() const { return interface_; }
    [[nodiscard]] const std::filesystem::path &root() const { return root_; }

    // Returns "/sys/class/net/IF".
    [[nodiscard]] std::string folder() const;
    // Throws SetupError if there is no such interface.
    void require_interface() const;

    // Returns the value; nothing if there is no such thing, or if the kernel or driver does not
    // tell the value.
    [[nodiscard]] std::optional<std::string> read(Knob knob, const std::string &where) const;
    // Sets the value. Returns why the kernel refuses the value; empty if the value is set.
    [[nodiscard]] std::string write(Knob knob, const std::string &where,
                                    const std::string &value) const;
    // Returns the path of "/proc/..." or "/sys/..." below the root.
    [[nodiscard]] std::filesystem::path below_root(const std::string &path) const;

private:
    std::string interface_;
    std::filesystem::path root_;
};

// Returns the numbers of queues in a record's form: "rx 0 tx 0 combined 4".
[[nodiscard]] std::string channels_text(unsigned rx, unsigned tx, unsigned combined);

// Returns the parts of a packet that these letters of ethtool -N name; nothing if a letter is
// unknown.
[[nodiscard]] std::optional<std::uint64_t> hash_fields_of(const std::string &letters);

// Returns the key in a text such as "6d:5a:..."; nothing if the text is not a key.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> hash_key_of(const std::string &text);

// Returns the processes that run the program of this name, in the form of Change::where.
[[nodiscard]] std::vector<std::string> processes_running(const std::filesystem::path &root,
                                                         const std::string &name);
// Returns the names of the threads that receive the interface's packets, "napi/eth0-8193", in the
// order of their numbers. Returns nothing if an interface of the same name in another network
// namespace may have such threads, too, and the kernel does not tell whose they are.
[[nodiscard]] std::optional<std::vector<std::string>>
napi_threads(const std::string &interface, const std::filesystem::path &root);
// Returns the message for users in that case.
[[nodiscard]] std::string mixed_threads(const std::string &interface);

// Returns whether two values of a knob mean the same. The kernel writes sets of CPUs without
// leading zeros.
[[nodiscard]] bool is_same(Knob knob, const std::string &where, const std::string &one,
                           const std::string &other);

// Returns "0-3,8" for CPUs in ascending order.
[[nodiscard]] std::string cpu_list_text(const std::vector<unsigned> &cpus);

} // namespace dnsgauge
