// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The program fakedns at the other end of the Tester's link, started and ended by us.
#pragma once

#include "common/unique_fd.h"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct FakednsPlan {
    std::string program;   // its file
    std::string netns;     // empty: ours
    std::string interface; // there
    std::string zone;
    std::string aaaa_prefix;
    std::uint16_t port = 53;
    std::optional<unsigned> fault_cpu;
    std::vector<unsigned> kept_free; // CPUs that it stays off, if that leaves it any: the senders'
};

class FakednsProcess
{
public:
    // Ready when this returns. `faults` as for its --fault; empty: none. Throws SetupError with
    // what it said. It ends with us, however we end.
    FakednsProcess(const FakednsPlan &plan, const std::string &faults);
    ~FakednsProcess();
    FakednsProcess(const FakednsProcess &) = delete;
    FakednsProcess &operator=(const FakednsProcess &) = delete;

    // Throws SetupError: it has ended by itself.
    void check_alive() const;

private:
    void start(const FakednsPlan &plan, const std::string &faults);
    void wait_until_ready();
    void end() const;

    std::string program_;
    UniqueFd output_;
    pid_t pid_ = -1;
};

} // namespace dnsgauge
