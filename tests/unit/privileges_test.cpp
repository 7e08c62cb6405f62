// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Root has capabilities to give up; other users have none and keep none.
#include "system/privileges.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <fstream>
#include <string>
#include <thread>

using namespace dnsgauge;

namespace
{

struct Status {
    std::uint64_t effective = 0;
    std::uint64_t permitted = 0;
    std::uint64_t inheritable = 0;
    bool no_new_privileges = false;
};

Status of_this_thread()
{
    Status status;
    std::ifstream file("/proc/thread-self/status");
    for (std::string word; file >> word;) {
        std::string value;
        if (word == "CapEff:" && file >> value)
            status.effective = std::stoull(value, nullptr, 16);
        else if (word == "CapPrm:" && file >> value)
            status.permitted = std::stoull(value, nullptr, 16);
        else if (word == "CapInh:" && file >> value)
            status.inheritable = std::stoull(value, nullptr, 16);
        else if (word == "NoNewPrivs:" && file >> value)
            status.no_new_privileges = value == "1";
    }
    return status;
}

Status after_dropping(const std::vector<unsigned> &kept)
{
    Status status;
    std::thread([&] {
        drop_privileges(kept);
        status = of_this_thread();
    }).join();
    return status;
}

std::uint64_t bit(unsigned capability)
{
    return std::uint64_t{1} << capability;
}

} // namespace

TEST_CASE("a thread gives up all but what it keeps, and nobody else does")
{
    const Status before = of_this_thread();
    const Status nothing = after_dropping({});
    CHECK(nothing.effective == 0);
    CHECK(nothing.permitted == 0);
    CHECK(nothing.inheritable == 0);
    CHECK(nothing.no_new_privileges);

    const Status some = after_dropping({CAP_NET_RAW, CAP_BPF});
    CHECK(some.permitted == (before.permitted & (bit(CAP_NET_RAW) | bit(CAP_BPF))));
    CHECK(some.effective == some.permitted);

    CHECK(of_this_thread().effective == before.effective);
    CHECK(of_this_thread().no_new_privileges == before.no_new_privileges);
}

TEST_CASE("what begins later has no more than who began it")
{
    Status status;
    std::thread([&] {
        drop_privileges();
        std::thread([&] { status = of_this_thread(); }).join();
    }).join();
    CHECK(status.permitted == 0);
    CHECK(status.no_new_privileges);
}

TEST_CASE("what is given up can be given up again")
{
    std::thread([] {
        drop_privileges({CAP_NET_RAW});
        drop_privileges({CAP_NET_RAW, CAP_BPF});
        CHECK((of_this_thread().permitted & bit(CAP_BPF)) == 0);
        drop_privileges();
        CHECK(of_this_thread().permitted == 0);
    }).join();
}
