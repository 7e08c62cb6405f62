// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/same_file.h"

#include "system/setup_error.h"

#include <system_error>

namespace dnsgauge
{

namespace fs = std::filesystem;

bool is_same_file(const fs::path &one, const fs::path &other)
{
    std::error_code error;
    const fs::file_type type = fs::status(one, error).type();
    if (type != fs::file_type::regular && type != fs::file_type::not_found)
        return false;
    if (fs::equivalent(one, other, error))
        return true;
    const fs::path a = fs::weakly_canonical(fs::absolute(one, error), error);
    const fs::path b = fs::weakly_canonical(fs::absolute(other, error), error);
    return !a.empty() && a == b;
}

void check_is_no_input(const std::vector<std::string> &inputs, const std::string &option,
                       const std::string &file)
{
    for (const std::string &input : inputs)
        if (file != "-" && input != "-" && is_same_file(input, file))
            throw SetupError(option + " " + file + " would replace the input " + input +
                             ": name another file");
}

} // namespace dnsgauge
