// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/version.h"

#include "commit.h"

namespace dnsgauge
{

std::string version_text(const std::string &program, const std::string &libbpf)
{
    const std::string commit = DNSGAUGE_COMMIT;
    return program + " " + DNSGAUGE_RELEASE + (commit.empty() ? "" : " (commit " + commit + ")") +
           (libbpf.empty() ? "" : ", libbpf " + libbpf);
}

} // namespace dnsgauge
