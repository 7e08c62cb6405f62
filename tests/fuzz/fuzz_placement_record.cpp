// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as the record of a placement, which restore obeys as root. A record that is
// accepted asks only for changes that a setting makes.
#include "fuzz.h"

#include "file_of.h"

#include "placement/change.h"
#include "placement/placement_record.h"
#include "system/setup_error.h"

#include <nlohmann/json.hpp>

using namespace dnsgauge;
using namespace dnsgauge::testing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    try {
        const auto record =
            read_placement_record(file_of("placement-record", text_of({data, size})));
        must(record.has_value(), "the file is there");
        for (const Change &change : record->changes) {
            must(scope_of(change.knob, change.where, record->interface).has_value(),
                 "a change is one that a setting makes");
            must(change.where.find("..") == std::string::npos, "and leads nowhere else");
            must(is_plain_line(change.before + change.after + change.setting),
                 "what is told of it fills a line");
        }
        must(record_of(written(*record)) == *record, "it is written as it was read");
    } catch (const SetupError &refusal) {
        must(is_plain_line(refusal.what()), "a refusal fills a line");
    }
    return 0;
}
