// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/temporary_directory.h"

#include "userland/setup_error.h"

#include <cstdlib>
#include <string>
#include <system_error>

namespace dnsgauge
{

TemporaryDirectory::TemporaryDirectory(std::string_view name, const std::filesystem::path &parent)
{
    std::string made = (parent / name).string() + ".XXXXXX";
    if (mkdtemp(made.data()) == nullptr)
        throw_errno("cannot make the directory " + made);
    path_ = made;
}

TemporaryDirectory::~TemporaryDirectory()
{
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

} // namespace dnsgauge
