// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/card.h"

#include "machine/facts.h"
#include "machine/text_files.h"
#include "system/listed.h"
#include "system/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <fstream>
#include <initializer_list>
#include <regex>
#include <set>
#include <sstream>

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
    return std::ranges::any_of(
        words, [&text](const char *word) { return text.find(word) != std::string::npos; });
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

QueueDirection direction_of(const std::string &name, const std::string &interface)
{
    const std::string word =
        lower_case(name.starts_with(interface) ? name.substr(interface.size()) : name);
    const bool transmits = has_any(word, {"tx", "output"});
    const bool receives = has_any(word, {"rx", "input"});
    if (transmits == receives)
        return QueueDirection::both;
    return transmits ? QueueDirection::transmit : QueueDirection::receive;
}

std::vector<unsigned> handling_cpus(unsigned interrupt, const fs::path &root)
{
    const fs::path folder = root / fmt::format("proc/irq/{}", interrupt);
    std::vector<unsigned> cpus = cpus_of_list(first_line(folder / "effective_affinity_list"));
    if (cpus.empty()) // not every architecture tells the effective CPUs
        cpus = cpus_of_list(first_line(folder / "smp_affinity_list"));
    return cpus;
}

// Reads all but the queue: " 38:   0   55100 PCI-MSIX-0000:00:03.0   1-edge      virtio2-input.0".
std::optional<QueueInterrupt> read_line(const std::string &line, std::size_t cpus)
{
    std::istringstream words(line);
    QueueInterrupt read;
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

// Columns of a line of /proc/net/softnet_stat.
constexpr std::size_t processed_column = 0;
constexpr std::size_t dropped_column = 1;
constexpr std::size_t squeezed_column = 2;
constexpr std::size_t cpu_column = 12; // since Linux 5.10

// Returns the numbers of the CPUs with counts in /proc/interrupts or /proc/softirqs, in their
// order.
std::vector<unsigned> counted_cpus(const fs::path &file)
{
    std::vector<unsigned> cpus;
    for (const std::string &word : words_of(first_line(file)))
        if (word.starts_with("CPU"))
            if (const auto cpu = leading_number<unsigned>(word.substr(3)))
                cpus.push_back(*cpu);
    return cpus;
}

void read_softirqs(Handled &handled, const fs::path &root)
{
    const std::vector<unsigned> cpus = counted_cpus(root / "proc/softirqs");
    std::ifstream file(root / "proc/softirqs");
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        if (name != "NET_RX:" && name != "NET_TX:")
            continue;
        for (const unsigned cpu : cpus) {
            std::uint64_t count = 0;
            if (words >> count)
                (name == "NET_RX:" ? handled.cpus[cpu].net_rx : handled.cpus[cpu].net_tx) = count;
        }
    }
}

void read_softnet(Handled &handled, const fs::path &root)
{
    std::ifstream file(root / "proc/net/softnet_stat");
    unsigned row = 0;
    for (std::string line; std::getline(file, line); row++) {
        std::vector<std::uint64_t> columns;
        for (const std::string &word : words_of(line))
            columns.push_back(leading_number<std::uint64_t>(word, 16).value_or(0));
        if (columns.size() <= squeezed_column)
            continue;
        CpuHandled &cpu =
            handled.cpus[columns.size() > cpu_column ? static_cast<unsigned>(columns[cpu_column])
                                                     : row];
        cpu.processed = columns[processed_column];
        cpu.dropped = columns[dropped_column];
        cpu.squeezed = columns[squeezed_column];
    }
}

// Numbers of features in VIRTIO 1.2, sections 5.1.3 and 6.
// VIRTIO_NET_F_GUEST_TSO4, TSO6, ECN, UFO
constexpr std::array<std::size_t, 4> merging = {7, 8, 9, 10};
constexpr std::size_t mergeable_buffers = 15; // VIRTIO_NET_F_MRG_RXBUF
constexpr std::size_t platform_access = 33;   // VIRTIO_F_ACCESS_PLATFORM

} // namespace

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
        std::optional<QueueInterrupt> read = read_line(line, cpus);
        if (!read || !of_device.contains(read->number))
            continue;
        if (const auto queue = queue_of(read->name, interface)) {
            read->queue = *queue;
            read->direction = direction_of(read->name, interface);
            found.push_back(*std::move(read));
        }
    }
    std::ranges::sort(found, {}, [](const auto &one) { return std::pair(one.queue, one.number); });
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
    std::ranges::stable_sort(interrupts, {}, &QueueInterrupt::direction);
    std::map<unsigned, unsigned> found;
    for (const QueueInterrupt &interrupt : interrupts)
        if (const std::vector<unsigned> cpus = handling_cpus(interrupt.number, root); !cpus.empty())
            found.try_emplace(interrupt.queue, cpus.front());
    return found;
}

std::vector<std::string> queue_names(const std::string &interface, const std::string &direction,
                                     const fs::path &root)
{
    std::map<unsigned, std::string> names;
    std::error_code error;
    for (const fs::directory_entry &entry :
         fs::directory_iterator(interface_folder(interface, root) / "queues", error)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with(direction + "-"))
            continue;
        if (const auto number = leading_number<unsigned>(name.substr(direction.size() + 1)))
            names[*number] = name;
    }
    std::vector<std::string> sorted;
    for (const auto &[number, name] : names)
        sorted.push_back(name);
    return sorted;
}

std::string queue_counted_by(const std::string &name)
{
    // igb, ixgbe, virtio_net, veth: rx_queue_0_packets; mlx5, virtio_net: rx0_packets;
    // i40e, ice: rx-0.packets; ena: queue_0_rx_cnt. veth counts only what its XDP programs see.
    static const std::regex way_first(
        R"((rx|tx)[-_]?(?:queue[-_])?(\d+)[-_.](?:(?:rx|tx)_)?(packets|xdp_packets))");
    static const std::regex queue_first(R"(queue_(\d+)_(rx|tx)_cnt)");
    std::smatch parts;
    if (std::regex_match(name, parts, way_first))
        return parts[1].str() + "-" + parts[2].str();
    if (std::regex_match(name, parts, queue_first))
        return parts[2].str() + "-" + parts[1].str();
    return {};
}

Handled read_handled(const std::string &interface,
                     const std::map<std::string, std::uint64_t> &driver, const fs::path &root)
{
    Handled handled;
    read_softirqs(handled, root);
    read_softnet(handled, root);
    for (const char *direction : {"rx", "tx"})
        for (const std::string &queue : queue_names(interface, direction, root))
            handled.queues[queue];
    for (const auto &[name, count] : driver) {
        const auto queue = handled.queues.find(queue_counted_by(name));
        if (queue == handled.queues.end())
            continue;
        // A driver that counts XDP's packets apart also counts them among all packets.
        queue->second.packets = std::max(queue->second.packets, count);
        queue->second.has_packets = true;
    }
    const std::vector<unsigned> cpus = counted_cpus(root / "proc/interrupts");
    for (const QueueInterrupt &interrupt : queue_interrupts(interface, root)) {
        const bool is_tx_only = interrupt.direction == QueueDirection::transmit;
        QueueHandled &queue =
            handled.queues[fmt::format("{}-{}", is_tx_only ? "tx" : "rx", interrupt.queue)];
        for (std::size_t i = 0; i < interrupt.counts.size() && i < cpus.size(); i++) {
            queue.interrupts += interrupt.counts[i];
            handled.cpus[cpus[i]].interrupts += interrupt.counts[i];
        }
    }
    return handled;
}

std::string zero_copy_obstacle(std::string_view driver, std::string_view virtio_features)
{
    const auto has = [virtio_features](std::size_t feature) {
        return feature < virtio_features.size() && virtio_features[feature] == '1';
    };
    if (driver != "virtio_net" || virtio_features.empty())
        return {};
    if (!has(platform_access))
        return "this device lacks VIRTIO_F_ACCESS_PLATFORM "
               "(QEMU: virtio-net-pci,iommu_platform=on,disable-legacy=on)";
    if (!has(mergeable_buffers) && std::ranges::any_of(merging, has))
        return "this device merges packets that it receives, and lacks VIRTIO_NET_F_MRG_RXBUF "
               "(QEMU: virtio-net-pci,mrg_rxbuf=on)";
    return {};
}

std::string zero_copy_obstacle(const Interface &interface, const std::filesystem::path &root)
{
    return zero_copy_obstacle(
        interface.driver, first_line(root / "sys/class/net" / interface.name / "device/features"));
}

void refuse_obstacle_to_zero_copy(const Interface &interface)
{
    const std::string obstacle = zero_copy_obstacle(interface, "/");
    if (!obstacle.empty())
        throw SetupError("{} cannot have --af-xdp zero-copy: its driver has it, but {}: "
                         "mend that, or leave --af-xdp at auto",
                         interface.name, obstacle);
}

} // namespace dnsgauge
