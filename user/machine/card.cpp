// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/card.h"

#include "machine/host_facts.h"
#include "machine/text_files.h"
#include "userland/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <initializer_list>
#include <set>
#include <sstream>
#include <tuple>

namespace dnsgauge
{

namespace
{

namespace fs = std::filesystem;

fs::path interface_folder(const std::string &interface, const fs::path &root)
{
    return root / "sys/class/net" / interface;
}

// Returns the numbers of the device's interrupts. A virtio device has the interrupts of the PCI
// device above it.
std::set<unsigned> device_interrupts(const std::string &interface, const fs::path &root)
{
    std::set<unsigned> numbers;
    std::error_code error;
    const fs::path device = fs::canonical(interface_folder(interface, root) / "device", error);
    if (error)
        return numbers;
    for (const fs::path &folder : {device / "msi_irqs", device.parent_path() / "msi_irqs"}) {
        for_each_number(folder, [&](int number) { numbers.insert(static_cast<unsigned>(number)); });
        if (!numbers.empty())
            break;
    }
    return numbers;
}

bool has_any(const std::string &text, std::initializer_list<const char *> words)
{
    return std::any_of(words.begin(), words.end(),
                       [&text](const char *word) { return text.find(word) != std::string::npos; });
}

// Returns the number of the queue whose interrupt has this name: "virtio2-output.1",
// "eth0-TxRx-3", "mlx5_comp7@pci:0000:01:00.0", "eth0-3".
std::optional<unsigned> queue_of(const std::string &name, const std::string &interface)
{
    const std::string head = name.substr(0, name.find('@'));
    std::size_t digits = head.size();
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(head[digits - 1])) != 0)
        digits--;
    const std::string word = lower_case(head.substr(0, digits));
    const bool is_queue = word == interface + "-" ||
                          has_any(word, {"rx", "tx", "input", "output", "comp", "queue", "-q"});
    return is_queue ? leading_number<unsigned>(head.substr(digits)) : std::nullopt;
}

QueueWay way_of(const std::string &name, const std::string &interface)
{
    const std::string word =
        lower_case(name.starts_with(interface) ? name.substr(interface.size()) : name);
    const bool transmits = has_any(word, {"tx", "output"});
    const bool receives = has_any(word, {"rx", "input"});
    if (transmits == receives)
        return QueueWay::both;
    return transmits ? QueueWay::transmit : QueueWay::receive;
}

std::vector<unsigned> handling_cpus(unsigned interrupt, const fs::path &root)
{
    const fs::path folder = root / fmt::format("proc/irq/{}", interrupt);
    std::vector<unsigned> cpus = cpus_of_list(first_line(folder / "effective_affinity_list"));
    if (cpus.empty()) // not every architecture tells the effective CPUs
        cpus = cpus_of_list(first_line(folder / "smp_affinity_list"));
    return cpus;
}

struct InterruptLine {
    unsigned number = 0;
    std::string name;
    std::vector<std::uint64_t> counts;
};

// Reads " 38:   0   55100 PCI-MSIX-0000:00:03.0   1-edge      virtio2-input.0".
std::optional<InterruptLine> read_line(const std::string &line, std::size_t cpus)
{
    std::istringstream words(line);
    InterruptLine read;
    char colon = 0;
    if (!(words >> read.number >> colon) || colon != ':')
        return std::nullopt;
    std::uint64_t count = 0;
    while (read.counts.size() < cpus && words >> count)
        read.counts.push_back(count);
    for (std::string word; words >> word;)
        read.name = word;
    return read;
}

} // namespace

std::vector<unsigned> counted_cpus(const fs::path &file)
{
    std::vector<unsigned> cpus;
    for (const std::string &word : words_of(first_line(file)))
        if (word.starts_with("CPU"))
            if (const auto cpu = leading_number<unsigned>(word.substr(3)))
                cpus.push_back(*cpu);
    return cpus;
}

std::vector<QueueInterrupt> queue_interrupts(const std::string &interface, const fs::path &root)
{
    const std::set<unsigned> of_device = device_interrupts(interface, root);
    const std::size_t cpus = counted_cpus(root / "proc/interrupts").size();
    std::vector<QueueInterrupt> found;
    if (of_device.empty())
        return found;
    std::ifstream file(root / "proc/interrupts");
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::optional<InterruptLine> read = read_line(line, cpus);
        if (!read || !of_device.contains(read->number))
            continue;
        if (const auto queue = queue_of(read->name, interface))
            found.push_back({read->number, read->name, *queue, way_of(read->name, interface),
                             std::move(read->counts)});
    }
    std::sort(found.begin(), found.end(), [](const auto &one, const auto &other) {
        return std::tie(one.queue, one.number) < std::tie(other.queue, other.number);
    });
    return found;
}

// The kernel writes -1 if it does not know the node.
std::optional<unsigned> card_node(const std::string &interface, const fs::path &root)
{
    return leading_number<unsigned>(
        first_line(interface_folder(interface, root) / "device/numa_node"));
}

std::string interrupt_cpus(const std::string &interface, const fs::path &root)
{
    return joined(queue_interrupts(interface, root), [&](const QueueInterrupt &interrupt) {
        return interrupt.name + ": " +
               first_line(root / fmt::format("proc/irq/{}/smp_affinity_list", interrupt.number));
    });
}

std::map<unsigned, unsigned> transmit_queue_cpus(const std::string &interface, const fs::path &root)
{
    std::vector<QueueInterrupt> interrupts = queue_interrupts(interface, root);
    std::ranges::stable_sort(interrupts, {}, &QueueInterrupt::way);
    std::map<unsigned, unsigned> found;
    for (const QueueInterrupt &interrupt : interrupts)
        if (const std::vector<unsigned> cpus = handling_cpus(interrupt.number, root); !cpus.empty())
            found.try_emplace(interrupt.queue, cpus.front());
    return found;
}

std::vector<std::string> queue_names(const std::string &interface, const std::string &way,
                                     const fs::path &root)
{
    std::map<unsigned, std::string> names;
    std::error_code error;
    for (const fs::directory_entry &entry :
         fs::directory_iterator(interface_folder(interface, root) / "queues", error)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with(way + "-"))
            continue;
        if (const auto number = leading_number<unsigned>(name.substr(way.size() + 1)))
            names[*number] = name;
    }
    std::vector<std::string> sorted;
    for (const auto &[number, name] : names)
        sorted.push_back(name);
    return sorted;
}

} // namespace dnsgauge
