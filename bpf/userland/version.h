// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What --version says.
#pragma once

#include <string>

namespace dnsgauge
{

// Returns "PROGRAM 0.1.0 (commit 0123abcd), libbpf v1.1". `libbpf` is libbpf_version_string();
// empty: the program does not use that library. Built outside of a Git work tree there is no
// commit.
[[nodiscard]] std::string version_text(const std::string &program, const std::string &libbpf = {});

} // namespace dnsgauge
