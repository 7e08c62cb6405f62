// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The log of a probe's queries: a CSV file with a line for each query whose reply left, or that was
// dropped. A thread takes the records out of the kernel's ring, and writes them.
#pragma once

#include "system/whole_file.h"

#include "probe_abi.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

struct ring_buffer; // libbpf's

namespace dnsgauge
{

// Returns the kernel's name of a reason for a drop.
using ReasonName = std::function<std::string(std::uint64_t reason)>;

// What columns_of() writes.
inline constexpr const char *probe_columns =
    "fate;wire_ns;stack_ns;queue_ns;wakeup_ns;server_ns;leave_ns";
inline constexpr const char *no_probe_columns = ";;;;;;"; // of a query of which nothing is known

// Returns whether the query's reply left, and the stages are known.
[[nodiscard]] bool has_stages(const probe_record &record);
// Returns the times of a query that has_stages(), in the order of `stages`. A stage that the probe
// did not see is 0; its time is in a neighbouring stage.
[[nodiscard]] std::array<std::uint64_t, 5> stage_times(const probe_record &record);
[[nodiscard]] std::string columns_of(const probe_record &record, const ReasonName &reason_name);

// Returns the line of a query. Times of arrival count from `start_ns`.
[[nodiscard]] std::string log_line(const probe_record &record, std::uint64_t start_ns,
                                   const ReasonName &reason_name);

class ProbeLog
{
public:
    // Opens `path` for the option --per-query. Throws SetupError if it cannot be written.
    explicit ProbeLog(const std::string &path);
    ~ProbeLog();
    ProbeLog &operator=(ProbeLog &&) = delete;

    // Takes records from the ring. Throws SetupError if the kernel refuses that.
    void start(int ring_fd, std::uint64_t start_ns, ReasonName reason_name);
    // Writes what is left, and gives the file its name. If the file could not be written in full,
    // throws SetupError and leaves no file.
    void finish();

private:
    static int take(void *log, void *data, std::size_t size);
    void run(const std::stop_token &stop);
    void write_text();

    WholeFile file_;
    std::uint64_t start_ns_ = 0;
    ReasonName reason_name_;
    std::string text_;  // not yet in the file
    std::string error_; // the first one
    std::unique_ptr<ring_buffer, void (*)(ring_buffer *)> ring_;
    std::jthread writer_;
};

} // namespace dnsgauge
