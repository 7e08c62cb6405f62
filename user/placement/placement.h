// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Changes a machine's placement as a user wishes, and puts it back.
#pragma once

#include "placement/knobs.h"
#include "placement/placement_record.h"
#include "placement/settings.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Makes the changes, and returns them. Each change is on the disk in `record_file` before it is
// made. Throws SetupError before any change if a wish is impossible, or if `record_file` has
// changes that were not put back. If the kernel refuses a later change, puts back what was changed,
// and then throws SetupError.
std::vector<Change> apply_placement(const Knobs &machine, const PlacementWishes &wishes,
                                    const std::string &record_file);

// Returns the changes that apply_placement() would begin with; none if the machine is already as
// wished. Throws SetupError if a wish is impossible.
[[nodiscard]] std::vector<Change> needed_changes(const Knobs &machine,
                                                 const PlacementWishes &wishes);

struct Restored {
    std::vector<Change> changes{};    // as recorded, in the order in which they were put back
    std::vector<std::string> notes{}; // what was gone, and what somebody else had changed
    // Changes that are not put back, and why: the interface is elsewhere, or the kernel refuses the
    // value. The record keeps these changes.
    std::vector<std::string> refusals{};
};

// Returns warnings of what may undo a placement while it is in use: irqbalance, which moves
// interrupts.
[[nodiscard]] std::vector<std::string> warnings_on(const Knobs &machine,
                                                   const PlacementWishes &wishes);

// Puts back the changes in `record_file`, last change first, and removes the file. If the machine
// was started anew since, only removes the file. Does nothing without a record. Interrupts,
// processes and threads are put back from any network namespace. Settings of the interface or of
// its namespace can be put back only from that namespace. If the interface or the namespace is
// gone, a note says so. Throws SetupError if the record cannot be read or written.
Restored restore_placement(const std::string &record_file, const std::filesystem::path &root);

struct PresentPlacement {
    std::vector<Change> values; // all settings that the interface has, with their present values
    std::vector<std::string> notes; // which values are left out, and why
};

[[nodiscard]] PresentPlacement present_placement(const Knobs &machine);

// Returns a sentence for each setting of the record that no longer has its value. Leaves out
// records of values that stayed as they were.
[[nodiscard]] std::vector<std::string> displacements(const PlacementRecord &record,
                                                     const std::vector<Change> &present);

} // namespace dnsgauge
