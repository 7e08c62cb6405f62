// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The record of what a placement has changed. It is on the disk before anything is changed.
#pragma once

#include "placement/change.h"
#include "record/fields.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct PlacementRecord {
    std::string boot;  // the kernel's boot ID: a new start of the machine undoes everything
    std::string netns; // the network namespace, by the number of its file, which the kernel reuses
    std::uint64_t netns_cookie = 0; // the namespace, by a number that the kernel never reuses
    std::string interface;
    unsigned interface_index = 0; // a namespace does not reuse it
    std::string device;           // the interface's device in /sys/devices; empty if it has none
    std::vector<Change> changes;  // in the order in which they are made
    bool operator==(const PlacementRecord &) const = default;
};

// Returns a record for this machine, network namespace and interface, without changes. The
// interface need not exist.
[[nodiscard]] PlacementRecord new_record(const std::string &interface,
                                         const std::filesystem::path &root);

// Returns the record's default file. Each network namespace has one, in /run/dnsgauge: like the
// settings, it does not outlive the machine's next start.
[[nodiscard]] std::string placement_record_path();

// Returns the record; nothing if there is no such file. Throws SetupError if the file is not a
// record, if it has a change that no setting makes, or if somebody besides root and this user may
// have written it.
[[nodiscard]] std::optional<PlacementRecord> read_placement_record(const std::string &path);

// Writes the whole record to the disk before it returns. Throws SetupError.
void write_placement_record(const std::string &path, const PlacementRecord &record);

void fields(Fields &row, PlacementRecord &record);
// Returns the record in the object. Throws SetupError or nlohmann::json::exception if the object is
// not a record, or if it has a change that no setting makes.
[[nodiscard]] PlacementRecord record_of(const nlohmann::ordered_json &json);

} // namespace dnsgauge
