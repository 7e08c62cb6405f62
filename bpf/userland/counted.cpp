// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/counted.h"

namespace dnsgauge
{

std::string counted(std::uint64_t count, std::string_view one, std::string_view many)
{
    return std::to_string(count).append(" ").append(count == 1 ? one : many);
}

std::string counted(std::uint64_t count, std::string_view one)
{
    return counted(count, one, std::string(one) + "s");
}

} // namespace dnsgauge
