// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which system calls a thread may still make, by the kernel's seccomp filters.
#pragma once

namespace dnsgauge
{

// Leaves to the calling thread the system calls that sending, waiting, taking memory, reading files
// and writing to open files take. Every other call returns EPERM: the thread opens no socket and no
// file for writing, runs no program and no new code, starts no thread, and talks to no kernel
// program. Nothing lifts the bound. Returns whether the kernel took the filter; without it the
// thread goes on as before.
[[nodiscard]] bool confine_to_sending();

// Refuses (EPERM) to run another program in place of the calling thread's process, and to processes
// that this thread and threads of its making start. Nothing lifts that. Returns whether the kernel
// took the filter.
[[nodiscard]] bool refuse_programs();

// Returns whether the kernel takes filters of system calls from this process. Binds no thread of
// the caller's.
[[nodiscard]] bool kernel_takes_filters();

} // namespace dnsgauge
