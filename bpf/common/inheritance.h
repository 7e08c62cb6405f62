// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Mends what a process inherits from its parent and cannot work with.
#pragma once

namespace dnsgauge
{

// Called first in main(). Opens /dev/null for standard input, output and error that are closed:
// otherwise the next file opened would be one of them, and would get what is printed. Makes a
// reader that is gone an error of write(2) instead of a signal, and keeps the exit status of
// children.
void put_inheritance_right();

} // namespace dnsgauge
