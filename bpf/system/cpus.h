// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lists of CPUs and queues as users write them, and the pinning of threads to CPUs.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

// The highest number of a CPU that Linux can be configured for.
inline constexpr unsigned cpu_most = 8191;
// The highest number of a CPU that pin_thread() takes.
inline constexpr unsigned pinnable_cpu_most = 1023;

// Returns the numbers of "0,2-5" in the order in which they are written; a number may occur more
// than once. Throws SetupError, whose message begins with `option`, if `text` is no such list of
// `things` ("CPUs") or has a number above `most`.
[[nodiscard]] std::vector<unsigned> parse_number_list(const std::string &option,
                                                      std::string_view text, unsigned most,
                                                      const char *things);

// Returns the numbers of CPUs, as parse_number_list() does.
[[nodiscard]] std::vector<unsigned> parse_cpu_list(const std::string &option, std::string_view text,
                                                   unsigned most = pinnable_cpu_most);

// Returns the CPUs that the thread may use; 0 is the calling thread. Returns none if there is no
// such thread.
[[nodiscard]] std::vector<unsigned> cpus_of_thread(pid_t thread);

// Returns false when this process has no such CPU.
[[nodiscard]] bool pin_thread(pthread_t thread, unsigned cpu);

} // namespace dnsgauge
