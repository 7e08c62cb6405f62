// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/run_program.h"

#include "userland/inheritance.h"
#include "userland/standard_output.h"

#include <exception>
#include <new>

namespace dnsgauge
{

namespace
{

constexpr int wrong_setup = 2;

} // namespace

int run_program(const char *name, const std::function<int()> &run)
{
    put_inheritance_right();
    try {
        const int status = run();
        check_standard_output();
        return status;
    } catch (const std::bad_alloc &) {
        say("{}: this process may have no more memory: raise its limit (ulimit -v, or LimitAS= of "
            "a "
            "unit), or free some\n",
            name);
        return wrong_setup;
    } catch (const std::exception &error) {
        say("{}: {}\n", name, error.what());
        return wrong_setup;
    }
}

} // namespace dnsgauge
