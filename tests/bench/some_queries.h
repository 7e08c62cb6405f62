// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The list and the capture that benchmarks of the Tester's own work ask.
#pragma once

#include "capture/capture_writer.h"
#include "userland/ip_address.h"
#include "workload/captured_queries.h"
#include "workload/query_list.h"

#include <fmt/format.h>

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace dnsgauge::testing
{

// Returns a list of so many different names.
inline QueryList some_list(std::uint64_t names)
{
    QueryList list("some names", {.edns_size = 1232});
    for (std::uint64_t i = 0; i < names; i++)
        list.add_line(fmt::format("host-{}.department.example.org AAAA", i));
    list.finish();
    return list;
}

// Returns a capture of so many of the list's messages, from 250 clients, one `apart` after the
// other.
inline CapturedQueries some_capture(const QueryList &list, std::uint64_t queries,
                                    std::chrono::nanoseconds apart)
{
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / fmt::format("some_queries-{}.pcap", getpid());
    CaptureWriter writer(path);
    for (std::uint64_t i = 0; i < queries; i++)
        writer.write(
            {.time_ns = 1'600'000'000'000'000'000 + static_cast<std::int64_t>(i) * apart.count(),
             .source = {parse_ip_address(fmt::format("192.0.2.{}", i % 250)), 5000},
             .target = {parse_ip_address("192.0.2.253"), 53},
             .message = list.entry(i % list.size()).message});
    writer.commit();
    ReplayWish wish;
    wish.files = {path};
    CapturedQueries captured(wish, std::chrono::hours(1), WANTS_USEFUL);
    std::filesystem::remove(path);
    return captured;
}

} // namespace dnsgauge::testing
