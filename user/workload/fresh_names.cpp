// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/fresh_names.h"

#include "system/counted.h"
#include "system/setup_error.h"

#include <bit>

namespace dnsgauge
{

namespace
{

constexpr std::uint64_t names_most = std::uint64_t{1} << 32;

} // namespace

FreshNames::FreshNames(const NameRange &range, std::uint64_t queries, std::uint64_t trials)
    : range_(range), size_(queries > names_most ? names_most : std::bit_ceil(queries)),
      trials_(trials)
{
    __extension__ using wide = unsigned __int128;
    if (queries > names_most || static_cast<wide>(size_) * trials > range.count)
        throw SetupError(
            "fresh names for at most {} of at most {}, each rounded up to a power of two, need "
            "{:.0f} names, but --names {} has {}: use a larger range, a lower highest "
            "rate, shorter trials or fewer repetitions",
            counted(trials, "trial"), counted(queries, "query", "queries"),
            static_cast<double>(size_) * static_cast<double>(trials), to_string(range),
            range.count);
}

std::uint64_t FreshNames::needed() const
{
    return size_ * trials_;
}

NameRange FreshNames::share(std::uint64_t number) const
{
    if (number >= range_.count / size_)
        throw SetupError("all {} shares of the names {} have been asked for: an invalid "
                         "trial costs one, too, and so does each --resume; give more "
                         "--names, and begin anew",
                         range_.count / size_, to_string(range_));
    return {static_cast<std::uint32_t>(range_.first + number * size_), size_};
}

} // namespace dnsgauge
