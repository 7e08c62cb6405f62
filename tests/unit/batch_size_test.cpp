// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/batch_size.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;

namespace
{

// Sends batches, each of which takes `kick_ns` and `query_ns` for each query. Returns the time of
// the last one.
std::int64_t send_batches(BatchSize &size, std::int64_t kick_ns, std::int64_t query_ns)
{
    std::int64_t took = 0;
    for (int batch = 0; batch < 20; batch++) {
        took = kick_ns + size.most() * query_ns;
        size.sent(size.most(), took);
    }
    return took;
}

} // namespace

TEST_CASE("a batch leaves within its time, and uses that time")
{
    BatchSize size(32);
    CHECK(size.most() == 1);
    for (const std::int64_t query_ns : {700, 250, 3300}) {
        const std::int64_t took = send_batches(size, 300, query_ns);
        CHECK(took <= BatchSize::time_most);
        CHECK(took + query_ns >= BatchSize::time_most);
    }
}

TEST_CASE("a batch has a query at least, and its limit at most")
{
    BatchSize size(32);
    size.sent(1, 0);
    CHECK(size.most() == 32);
    size.sent(32, 10'000'000);
    CHECK(size.most() == 1);
    size.sent(0, 1);
    CHECK(size.most() == 1);
}
