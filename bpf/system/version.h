// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What --version says.
#pragma once

#include <string>

namespace dnsgauge
{

// Returns "PROGRAM 0.1.0 (commit 0123abcd), libbpf v1.1". `libbpf` is libbpf_version_string();
// empty if the program does not use that library. A build outside of a Git work tree has no commit.
[[nodiscard]] std::string version_text(const std::string &program, const std::string &libbpf = {});

} // namespace dnsgauge
