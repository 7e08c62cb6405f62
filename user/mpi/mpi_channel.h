// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Messages between Testers that mpirun, or another launcher of MPI, started. MPI's waiting calls
// use a whole CPU, and have no deadline. Here a waiting Tester looks every millisecond, sleeps in
// between, and gives up at the deadline.
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
    // Joins the Testers that were started together. A process makes one channel in its life.
    MpiChannel();
    // Leaves the others, and waits for them.
    ~MpiChannel() override;
    MpiChannel &operator=(MpiChannel &&) = delete;

    [[nodiscard]] std::uint32_t rank() const override { return rank_; }
    [[nodiscard]] std::uint32_t size() const override { return size_; }
    [[nodiscard]] bool send(std::uint32_t to, const std::string &text, Nanoseconds deadline,
                            Wait wait) override;
    [[nodiscard]] std::optional<std::string> receive(std::uint32_t from, Nanoseconds deadline,
                                                     Wait wait) override;
    [[nodiscard]] bool has_message(std::uint32_t from) override;

    // Ends all Testers with this exit status, even Testers that hang.
    [[noreturn]] void end_all(int status);

private:
    std::uint32_t rank_ = 0;
    std::uint32_t size_ = 1;
    std::list<std::string> texts_; // texts that are being sent, or that were never taken
};

} // namespace dnsgauge
