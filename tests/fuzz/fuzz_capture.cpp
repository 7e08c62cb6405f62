// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as a capture. Every packet is counted once, a packet that is understood is a
// message, the names of answers are read, and an error is one line.
#include "file_of.h"
#include "fuzz.h"

#include "capture/capture_reader.h"
#include "queries/capture_stats.h"
#include "queries/message_filter.h"
#include "queries/name_list.h"
#include "system/setup_error.h"

#include <nlohmann/json.hpp>

using namespace dnsgauge;
using namespace dnsgauge::testing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string path = file_of("capture", text_of({data, size}));
    try {
        CaptureReader reader(path);
        CaptureStudy study{.files = {"capture"}, .top = 5};
        MessageFilter filter({.types = {"A", "AAAA"}, .names = {"example.org"}, .answers = true});
        NameBook names;
        std::uint64_t messages = 0;
        while (const std::optional<CapturedMessage> message = reader.next()) {
            messages++;
            must(message->message.size() >= DNS_HEADER_SIZE, "a message has a header");
            must(message->server().port == CaptureReader::dns_port, "a server has the port");
            must(message->source.address.is_ipv6 == message->target.address.is_ipv6,
                 "both ends are of one family");
            must(message->time_ns >= 0, "a time is not before 1970");
            static_cast<void>(filter.passes(*message));
            study.stats.add(*message);
            names.add(*message);
        }
        const CaptureCounts &counts = reader.counts();
        must(counts.queries + counts.answers == messages, "every message is counted");
        must(counts.packets == messages - counts.tcp_messages + counts.segments + counts.left_out(),
             "every packet is counted once");
        must(names.answers == counts.answers, "every answer is looked at");
        must(names.lines().size() == names.size(), "every name that exists has a line");
        study.counts = counts;
        must(written(study)["queries"] == counts.queries, "JSON has the count");
        must(!to_text(study).empty(), "a terminal is told");
    } catch (const SetupError &error) {
        must(is_plain_line(error.what()), "what is wrong is told in one line");
    }
    return 0;
}
