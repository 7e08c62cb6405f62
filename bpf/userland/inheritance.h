// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Mends what a process may inherit from its parent and cannot work with.
#pragma once

namespace dnsgauge
{

// Called first in main(). Opens /dev/null for standard input, output and error that are closed:
// otherwise the next file opened would be one of them, and would get what is printed. Ignores
// SIGPIPE, so that write(2) returns an error when the reader is gone, and stops ignoring SIGCHLD,
// so that wait(2) can tell how a child ended.
void put_inheritance_right();

} // namespace dnsgauge
