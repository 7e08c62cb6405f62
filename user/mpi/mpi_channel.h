// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Messages between Testers that mpirun, or another launcher of MPI, started. MPI's own waiting
// takes a whole CPU, and ends with the job. Here a Tester that waits sleeps in between, and has a
// deadline.
#pragma once

#include "fleet/channel.h"

#include <cstdint>
#include <list>
#include <optional>
#include <string>

namespace dnsgauge
{

class MpiChannel final : public Channel
{
public:
    // Joins the Testers that were started together. There may be one channel in a process, and one
    // in its life.
    MpiChannel();
    // Leaves the others, and waits for them.
    ~MpiChannel() override;
    MpiChannel(const MpiChannel &) = delete;
    MpiChannel &operator=(const MpiChannel &) = delete;

    [[nodiscard]] std::uint32_t rank() const override { return rank_; }
    [[nodiscard]] std::uint32_t size() const override { return size_; }
    [[nodiscard]] bool send(std::uint32_t to, const std::string &text, Nanoseconds deadline,
                            Wait wait) override;
    [[nodiscard]] std::optional<std::string> receive(std::uint32_t from, Nanoseconds deadline,
                                                     Wait wait) override;
    [[nodiscard]] bool has_message(std::uint32_t from) override;

    // Ends all Testers, those that hang too, with this exit status. Does not return.
    [[noreturn]] void end_all(int status);

private:
    std::uint32_t rank_ = 0;
    std::uint32_t size_ = 1;
    std::list<std::string> texts_; // being sent, or never taken
};

} // namespace dnsgauge
