// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "calibrate/arrival_clock.h"

#include "host/percpu.h"

#include "arrival_clock.skel.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace dnsgauge
{

namespace
{

// A CPU that runs the program while the program is detached leaves it within this time.
constexpr auto detach_patience = std::chrono::milliseconds(5);

std::size_t whole_pages(std::size_t size)
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (size + page - 1) / page * page;
}

} // namespace

ArrivalClock::ArrivalClock(std::uint32_t first, std::uint32_t queries, std::uint16_t port,
                           const std::string &interface)
    : queries_(queries), skeleton_(open_skeleton<::arrival_clock>())
{
    skeleton_->rodata->config.first = first;
    skeleton_->rodata->config.port = port;
    bpf_map__set_max_entries(skeleton_->maps.arrivals, queries);
    load_object(skeleton_->obj, "arrival_clock");
    memory_.emplace(whole_pages(queries * sizeof(std::uint64_t)), MAP_SHARED,
                    bpf_map__fd(skeleton_->maps.arrivals));
    if (memory_->data() == nullptr)
        throw SetupError(std::string("cannot map the times of arrival: ") + std::strerror(errno));
    link_.emplace(bpf_program__fd(skeleton_->progs.arrival_clock), interface, XdpMode::automatic);
}

ArrivalClock::~ArrivalClock() = default;

void ArrivalClock::detach()
{
    link_.reset();
    std::this_thread::sleep_for(detach_patience);
}

std::span<const std::uint64_t> ArrivalClock::arrivals() const
{
    return {static_cast<const std::uint64_t *>(memory_->data()), queries_};
}

arrival_totals ArrivalClock::totals() const
{
    arrival_totals sum{};
    for (const arrival_totals &one :
         read_percpu<arrival_totals>(bpf_map__fd(skeleton_->maps.totals))) {
        sum.arrived += one.arrived;
        sum.repeated += one.repeated;
        sum.strange += one.strange;
    }
    return sum;
}

} // namespace dnsgauge
