// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as a list of public suffixes in libpsl's binary form.
#include "fuzz.h"

#include "userland/setup_error.h"
#include "userland/suffix_graph.h"

using namespace dnsgauge;
using namespace dnsgauge::testing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    try {
        for (const std::string &name : suffix_graph_names({data, size})) {
            must(name.size() <= 253, "a name is no longer than names are");
            must(is_plain_line(name), "a name is of characters");
        }
    } catch (const SetupError &) { // NOLINT(bugprone-empty-catch): as it should
    }
    return 0;
}
