// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The modes of engines, a row for each. Results and texts are made from these rows.
#pragma once

#include <array>
#include <map>
#include <string>

namespace dnsgauge
{

struct EngineMode {
    const char *name;    // in results
    const char *meaning; // in the schema
    // In texts. A mode without a label is in no text, and a self-test is valid for all its values.
    const char *label = "";
    const char *option = ""; // the option that sets the mode
    bool is_newer = false;   // results of older versions lack it
};

inline constexpr std::array engine_modes{
    EngineMode{"xdp_mode", "the mode in which the XDP program ran: native or generic", "XDP",
               "--xdp-mode"},
    EngineMode{"af_xdp_mode", "the mode in which AF_XDP sent: copy or zero-copy", "AF_XDP",
               "--af-xdp"},
    EngineMode{.name = "umem_pages",
               .meaning = "the size of the pages in which packets lay: huge or normal",
               .is_newer = true}};

// The modes that an engine used, by their names; none if the engine has no modes.
using UsedModes = std::map<std::string, std::string>;

// Returns "XDP native, AF_XDP copy".
[[nodiscard]] std::string modes_text(const UsedModes &modes, const char *separator = ", ");

// Returns "--xdp-mode and --af-xdp".
[[nodiscard]] std::string mode_options_text();

} // namespace dnsgauge
