// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The directory of a data set, which any number of servers may serve:
//   dataset      a line for each zone: its name, a tab, its file's path in the directory
//   zones/       the zone files
//   queries.txt  the queries, with what is wanted of each reply
//   anchors      of signed zones: their keys, as "delv -a" reads them
#pragma once

#include "zones/dataset.h"
#include "zones/zone_signer.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct DatasetTimes {
    std::chrono::duration<double> writing{};
    std::chrono::duration<double> signing{};
};

// Writes the directory, with signed zones if there is a signing. Replaces an older data set, and
// refuses a directory with other files. Returns the time that it took. Throws SetupError.
DatasetTimes write_dataset(const DatasetSpec &spec, const std::optional<Signing> &signing,
                           const std::filesystem::path &directory);

// A zone that a server serves.
struct ServedZone {
    std::string name;           // with the last dot
    std::filesystem::path file; // absolute
    bool is_signed = false;
};

// Returns the zones of the data set in that directory. Throws SetupError.
[[nodiscard]] std::vector<ServedZone> read_dataset(const std::filesystem::path &directory);

} // namespace dnsgauge
