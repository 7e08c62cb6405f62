// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as each of the short texts that options take. A value that was read can be
// written, and reading that text gives the same value.
#include "fuzz.h"

#include "file_of.h"

#include "dns/fault_text.h"
#include "dns/ip_address.h"
#include "dns/ip_prefix.h"
#include "dns/name_range.h"
#include "dns/name_text.h"
#include "dns/pref64_text.h"
#include "dns/zone_name.h"
#include "system/cpus.h"
#include "system/setup_error.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

// Returns what `parse` makes of the text, or nothing if `parse` refuses it.
template <class Parse>
auto understood(Parse parse, std::string_view text) -> std::optional<decltype(parse(text))>
{
    try {
        auto value = parse(text);
        must(text.find('\0') == std::string_view::npos, "no zero byte is understood");
        return value;
    } catch (const SetupError &) {
        return std::nullopt;
    }
}

// Parses, writes and parses again. `bytes` makes values comparable.
template <class Parse, class Bytes>
void there_and_back(Parse parse, Bytes bytes, std::string_view text)
{
    const auto value = understood(parse, text);
    if (!value)
        return;
    const auto again = understood(parse, to_string(*value));
    must(again && bytes(*again) == bytes(*value), "what was written is understood as the same");
}

void zone_name(std::string_view text)
{
    const auto name = understood(parse_zone_name, text);
    if (!name)
        return;
    must(name->length >= 2 && name->length <= name->wire.size(), "a name fits");
    must(name->wire[name->length - 1] == 0, "a name ends in the root");
    const auto again = understood(parse_zone_name, name->text);
    must(again && again->wire == name->wire, "its text is the name");
}

void any_name(std::string_view text)
{
    NameOfText name;
    if (const char *wrong = read_name(text, name)) {
        must(is_plain_line(wrong), "what is wrong is told in one line");
        return;
    }
    must(name.size >= 1 && name.size <= name.octets.size(), "any name fits");
    must(name.octets[name.size - 1] == 0, "any name ends in the root");
    const std::string written = name_text(name.wire());
    must(written.find_first_of(std::string_view(" ;\",#\0", 6)) == std::string::npos &&
             is_plain_line(written),
         "a name is one word of a list");
    NameOfText again;
    must(read_name(written, again) == nullptr && again.size == name.size &&
             again.octets == name.octets,
         "a name that was written is read as the same");
}

void faults(std::string_view text)
{
    const auto plan = std::make_unique<fault_plan>();
    ConnectionFaultPlan connections;
    try {
        parse_faults(text, *plan, &connections);
    } catch (const SetupError &) {
        return;
    }
    must(std::is_sorted(std::begin(plan->end), std::end(plan->end)), "kinds have their order");
    must(plan->end[FAULTS - 1] <= FAULT_BLOCK, "all shares are at most the whole");
    must(std::ranges::is_sorted(connections.end) && connections.end.back() <= FAULT_BLOCK,
         "connections' kinds and shares, too");
    for (const auto &delays : plan->delay_ns)
        must(*std::max_element(std::begin(delays), std::end(delays)) <= 60'000'000'000,
             "no answer is held for ever");
}

void cpus(std::string_view text)
{
    const auto list =
        understood([](std::string_view words) { return parse_cpu_list("--cpus", words); }, text);
    must(!list || !list->empty(), "a list of CPUs has one");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text = text_of({data, size});
    there_and_back(
        parse_name_range,
        [](const NameRange &range) { return std::pair(range.first, range.count); }, text);
    there_and_back(
        parse_pref64,
        [](const pref64 &prefix) {
            return std::pair(prefix.length,
                             std::string(std::begin(prefix.bytes), std::end(prefix.bytes)));
        },
        text);
    there_and_back(
        parse_ip_address, [](const IpAddress &address) { return address.bytes; }, text);
    there_and_back(
        parse_ip_prefix, [](const IpPrefix &prefix) { return to_string(prefix); }, text);
    there_and_back(
        parse_mac_address, [](const dnsgauge::MacAddress &address) { return address; }, text);
    zone_name(text);
    any_name(text);
    faults(text);
    cpus(text);
    return 0;
}
