// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The system calls that a thread may still make, limited by the kernel's seccomp filters.
#pragma once

namespace dnsgauge
{

// Leaves the calling thread only the system calls for sending, waiting, taking memory, reading
// files and writing to open files. Every other call returns EPERM: the thread opens no socket and
// no file for writing, runs no program and no new code, starts no thread, and talks to no kernel
// program. Nothing lifts the filter. Returns whether the kernel took it; without it the thread goes
// on as before.
[[nodiscard]] bool confine_to_sending();

// Likewise, with the system calls of a client of servers over TCP: the thread opens TCP sockets,
// too.
[[nodiscard]] bool confine_to_connections();

// Likewise for a client of servers over QUIC: the thread opens UDP sockets in place of TCP sockets.
[[nodiscard]] bool confine_to_quic();

// Forbids (EPERM) the calling thread, its later threads and their child processes to run another
// program. Nothing lifts that. Returns whether the kernel took the filter.
[[nodiscard]] bool refuse_programs();

// Returns whether the kernel takes filters of system calls from this process. Filters no thread of
// the caller.
[[nodiscard]] bool kernel_takes_filters();

} // namespace dnsgauge
