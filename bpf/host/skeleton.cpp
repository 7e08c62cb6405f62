// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/skeleton.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
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

bool has(const std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> &held, unsigned number)
{
    return (held.at(number / 32).effective >> number % 32 & 1U) != 0;
}

// Without CAP_PERFMON the verifier forbids what kernel programs commonly do, each time in other
// words.
bool may_load()
{
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> held{};
    if (syscall(SYS_capget, &header, held.data()) != 0 || has(held, CAP_SYS_ADMIN))
        return true;
    return has(held, CAP_BPF) && has(held, CAP_NET_ADMIN) && has(held, CAP_PERFMON);
}

} // namespace

void set_libbpf_verbosity(bool verbose)
{
    libbpf_set_print(verbose ? print_to_stderr : print_nothing);
}

void load_object(bpf_object *object, const std::string &name)
{
    // Written by the kernel only when it refuses the program.
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
    const bool is_forbidden = (error == -EPERM || error == -EACCES) && log.front() == '\0';
    if (is_forbidden || !may_load())
        throw SetupError("may not load the BPF program " + name + ": " + capabilities_to_load);
    throw UnsupportedError(
        "the kernel refuses the BPF program " + name + " (" + std::strerror(-error) +
        "): Linux 6.1 or newer with CONFIG_BPF_JIT is needed; its verifier says:" +
        last_lines(log.data(), 8));
}

} // namespace dnsgauge
