// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The interrupts of a network card's queues.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// What an interrupt's name tells about its queue. The kinds that tell most about sending come
// first.
enum class QueueWay { transmit, both, receive };

struct QueueInterrupt {
    unsigned number = 0; // /proc/irq/NUMBER
    std::string name;    // "virtio2-input.0", "eth0-TxRx-3"
    unsigned queue = 0;
    QueueWay way = QueueWay::both;
    std::vector<std::uint64_t> counts; // handled so far, by CPU, in the order of the kernel's list
};

// Returns the interrupts of the interface's queues, by queue; none if the interface has no device.
// Leaves out interrupts that belong to no queue (a card's link, its mailbox).
[[nodiscard]] std::vector<QueueInterrupt> queue_interrupts(const std::string &interface,
                                                           const std::filesystem::path &root);

// Returns a CPU that handles the interrupt of each transmit queue, by queue. If a queue has several
// interrupts, an interrupt for sending alone comes first ("virtio2-output.0", "eth0-tx-0"), then an
// interrupt for both ways ("eth0-TxRx-0", "eth0-0"), then an interrupt for receiving.
[[nodiscard]] std::map<unsigned, unsigned> transmit_queue_cpus(const std::string &interface,
                                                               const std::filesystem::path &root);

// Returns the memory node next to the interface's card; nothing if there is no card, or if the
// kernel does not know.
[[nodiscard]] std::optional<unsigned> card_node(const std::string &interface,
                                                const std::filesystem::path &root);

// Returns the CPUs that may handle each of these interrupts: "eth2-TxRx-0: 7, eth2-TxRx-1: 0-3".
[[nodiscard]] std::string interrupt_cpus(const std::string &interface,
                                         const std::filesystem::path &root);

// Returns the numbers of the CPUs with counts in /proc/interrupts or /proc/softirqs, in their
// order.
[[nodiscard]] std::vector<unsigned> counted_cpus(const std::filesystem::path &file);

// Returns the names of the interface's queues of one way ("rx" or "tx"), by number: "rx-0".
[[nodiscard]] std::vector<std::string> queue_names(const std::string &interface,
                                                   const std::string &way,
                                                   const std::filesystem::path &root);

} // namespace dnsgauge
