// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The values of one entry of a per-CPU array map.
#pragma once

#include "system/setup_error.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <cstring>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns one value per possible CPU. T is the map's value type; its size is a multiple of eight.
// Throws SetupError.
template <class T>
std::vector<T> read_percpu(int map_fd, __u32 key = 0)
{
    static_assert(sizeof(T) % 8 == 0, "the kernel lays per-CPU values out in steps of eight");
    const int cpus = libbpf_num_possible_cpus();
    if (cpus < 0)
        throw SetupError(std::string("cannot read the number of CPUs: ") + std::strerror(-cpus));
    std::vector<T> values(static_cast<std::size_t>(cpus));
    if (bpf_map_lookup_elem(map_fd, &key, values.data()) != 0)
        throw_errno("cannot read a BPF map");
    return values;
}

} // namespace dnsgauge
