// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as a result to compare. The parser refuses the result, or the result
// has its column.
#include "fuzz.h"

#include "file_of.h"

#include "record/json_text.h"
#include "text/comparison.h"

#include <algorithm>

using namespace dnsgauge;
using namespace dnsgauge::testing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const nlohmann::ordered_json result = parse_json(text_of({data, size}));
    if (!is_comparable(result))
        return 0;
    try {
        std::string table = compare({{"one", &result}, {"other", &result}});
        must(table.find("other") != std::string::npos, "a column has its head");
        must(std::ranges::count(table, '\n') > 12, "every figure has its line");
        std::erase(table, '\n');
        must(is_plain_line(table), "which tell a terminal nothing");
    } catch (const nlohmann::json::exception &) { // NOLINT(bugprone-empty-catch): as it should
    }
    return 0;
}
