// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/handled.h"

#include "machine/card.h"
#include "machine/text_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

namespace dnsgauge
{

namespace
{

namespace fs = std::filesystem;

// Columns of a line of /proc/net/softnet_stat.
constexpr std::size_t processed_column = 0;
constexpr std::size_t dropped_column = 1;
constexpr std::size_t squeezed_column = 2;
constexpr std::size_t cpu_column = 12; // since Linux 5.10

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

} // namespace

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
    for (const char *way : {"rx", "tx"})
        for (const std::string &queue : queue_names(interface, way, root))
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
        const bool is_tx_only = interrupt.way == QueueWay::transmit;
        QueueHandled &queue =
            handled.queues[fmt::format("{}-{}", is_tx_only ? "tx" : "rx", interrupt.queue)];
        for (std::size_t i = 0; i < interrupt.counts.size() && i < cpus.size(); i++) {
            queue.interrupts += interrupt.counts[i];
            handled.cpus[cpus[i]].interrupts += interrupt.counts[i];
        }
    }
    return handled;
}

} // namespace dnsgauge
