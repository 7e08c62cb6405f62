// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Runs Catch2's main if BPF programs can be loaded at all. If they cannot, nothing is tested, which
// is neither success nor failure: exit status 77, ctest's "skipped".
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "support/prog_run.h"

#include <cstdio>

int main(int argc, char **argv)
{
    dnsgauge::set_libbpf_verbosity(false);
    const std::string why_not = dnsgauge::testing::why_no_bpf();
    if (!why_not.empty()) {
        std::fprintf(stderr, "skipped: %s\n", why_not.c_str());
        return 77;
    }
    return Catch::Session().run(argc, argv);
}
