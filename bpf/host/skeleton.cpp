// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/skeleton.h"

#include "host/mapped_memory.h"
#include "system/privileges.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <vector>

namespace dnsgauge
{

namespace
{

int print_nothing(libbpf_print_level, const char *, va_list)
{
    return 0;
}

int print_to_stderr(libbpf_print_level, const char *format, va_list arguments)
{
    return std::vfprintf(stderr, format, arguments);
}

std::string last_lines(const std::string &text, int lines)
{
    std::size_t from = text.size();
    while (lines-- > 0 && from != std::string::npos && from != 0)
        from = text.rfind('\n', from - 1);
    return from == std::string::npos ? text : text.substr(from);
}

// Returns whether this process may not have the memory that the kernel's type information takes.
// libbpf then says that it did not find this information.
bool lacks_address_space()
{
    constexpr std::size_t enough = std::size_t{64} << 20U;
    return MappedMemory(enough, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1).data() == nullptr;
}

} // namespace

void set_libbpf_verbosity(bool verbose)
{
    libbpf_set_print(verbose ? print_to_stderr : print_nothing);
}

void load_object(bpf_object *object, const std::string &name)
{
    // The kernel writes this log only when it refuses the program.
    std::vector<char> log(1U << 20U);
    bpf_program *program = nullptr;
    bpf_object__for_each_program(program, object)
    {
        bpf_program__set_log_buf(program, log.data(), log.size());
    }
    const int error = bpf_object__load(object);
    bpf_object__for_each_program(program, object)
    {
        bpf_program__set_log_buf(program, nullptr, 0);
    }
    if (error == 0)
        return;
    if (error == -ENOMEM)
        throw NoMemoryError("the kernel has no memory for the BPF program " + name +
                            " and its maps: free some");
    if (error == -EPERM || error == -EACCES)
        if (const std::string missing = missing_capabilities(loading_capabilities);
            !missing.empty())
            throw SetupError("may not load the BPF program " + name + ": run as root, or grant " +
                             missing);
    if (lacks_address_space())
        throw SetupError(
            "this process may not have the address space that loading the BPF program " + name +
            " takes: raise its limit (ulimit -v, or LimitAS= of a unit)");
    throw UnsupportedError("the kernel refuses the BPF program {} ({}): Linux 6.1 or newer with "
                           "CONFIG_BPF_JIT is needed; its verifier says:{}",
                           name, std::strerror(-error), last_lines(log.data(), 8));
}

} // namespace dnsgauge
