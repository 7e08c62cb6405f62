// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/message_sink.h"

#include "capture/capture_writer.h"
#include "userland/output_file.h"
#include "userland/setup_error.h"
#include "workload/query_list.h"

#include <array>
#include <limits>

namespace dnsgauge
{

namespace
{

std::string_view text_of(std::span<const std::uint8_t> octets)
{
    return {reinterpret_cast<const char *>(octets.data()), octets.size()};
}

class ToCapture final : public MessageSink
{
public:
    explicit ToCapture(const std::filesystem::path &path) : writer_(path) {}

    void put(const CapturedMessage &message) override
    {
        if (message.message.size() > CaptureWriter::longest_message || message.time_ns < 0 ||
            message.time_ns > CaptureWriter::latest_ns) {
            unfit++;
            return;
        }
        writer_.write(message);
    }
    void commit() override { writer_.commit(); }

private:
    CaptureWriter writer_;
};

class ToText final : public MessageSink
{
public:
    explicit ToText(const std::filesystem::path &path) : file_(path) {}

    void put(const CapturedMessage &message) override
    {
        dns_query query{};
        if (dns_read_query(reading_cursor(message.message), 0, &query) != DNS_QUERY_GOOD ||
            query.class_ != DNS_CLASS_IN) {
            unfit++;
            return;
        }
        std::string line = question_text(message.message);
        if (query.has_edns != 0)
            line += query.dnssec_ok != 0 ? " D" : " E";
        file_.write(line + '\n');
        constexpr unsigned kept_flags = DNS_RD;
        const std::size_t behind_name = DNS_HEADER_SIZE + query.name_length + DNS_QUESTION_TAIL;
        const bool has_options =
            query.has_edns != 0 && message.message.size() > behind_name + DNS_OPT_SIZE;
        simplified += (query.flags & ~kept_flags) != 0 || has_options ? 1U : 0U;
    }
    void commit() override { file_.commit(); }

private:
    OutputFile file_;
};

class ToBinary final : public MessageSink
{
public:
    explicit ToBinary(const std::filesystem::path &path) : file_(path) {}

    void put(const CapturedMessage &message) override
    {
        const std::size_t size = message.message.size();
        if (message.is_answer() || size > std::numeric_limits<std::uint16_t>::max()) {
            unfit++;
            return;
        }
        std::array<std::uint8_t, 2> length{};
        wire_put16(length.data(), static_cast<std::uint16_t>(size));
        file_.write(text_of(length));
        file_.write(text_of(message.message));
    }
    void commit() override { file_.commit(); }

private:
    OutputFile file_;
};

} // namespace

std::unique_ptr<MessageSink> open_sink(const std::filesystem::path &path, OutputForm form)
{
    switch (form) {
    case OutputForm::pcap:
        return std::make_unique<ToCapture>(path);
    case OutputForm::text:
        return std::make_unique<ToText>(path);
    case OutputForm::binary:
        return std::make_unique<ToBinary>(path);
    case OutputForm::prepared:
        throw SetupError("--to prepared is of convert, merge and make: give another form here, and "
                         "convert the file");
    }
    __builtin_unreachable();
}

} // namespace dnsgauge
