// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a process gets from whoever started it, and cannot work with.
#pragma once

namespace dnsgauge
{

// To be called first in main(). Standard input, output and error that are closed become /dev/null,
// or the next file opened would be one of them and get what is printed. A reader that is gone is an
// error of write(2), not a signal, and a child's exit status is not thrown away.
void put_inheritance_right();

} // namespace dnsgauge
