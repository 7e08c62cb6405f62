// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Ends a test before its first case where no BPF program can be loaded. Nothing is tested there,
// which is neither success nor failure: exit status 77, ctest's "skipped".
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <catch2/catch.hpp>

#include "support/prog_run.h"

#include <cstdio>
#include <string>

namespace
{

class BpfRequired final : public Catch::TestEventListenerBase
{
public:
    using Catch::TestEventListenerBase::TestEventListenerBase;

    void testRunStarting(const Catch::TestRunInfo & /*run*/) override
    {
        dnsgauge::set_libbpf_verbosity(false);
        const std::string why_not = dnsgauge::testing::why_no_bpf();
        if (why_not.empty())
            return;
        std::fprintf(stderr, "skipped: %s\n", why_not.c_str());
        std::_Exit(77);
    }
};

} // namespace

CATCH_REGISTER_LISTENER(BpfRequired)
