// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/system_calls.h"

#include "system/freed_by.h"

#include <fcntl.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>

namespace dnsgauge
{

namespace
{

constexpr std::uint32_t refuse = SCMP_ACT_ERRNO(EPERM);

// The system calls of a sender's loop and of a log's writer, and the C library's for memory,
// waiting, signals and the end of a thread. UBSan reads an object through a pipe when it sees the
// object's type for the first time.
constexpr const char *sending_calls =
    "sendto getsockopt read write writev lseek fstat newfstatat close poll ppoll futex "
    "clock_gettime clock_nanosleep nanosleep sched_yield brk munmap mremap madvise rt_sigreturn "
    "rt_sigaction rt_sigprocmask sigaltstack getpid gettid getrandom restart_syscall exit "
    "exit_group pipe pipe2";

// What a loop over connections needs, too.
constexpr const char *connection_calls =
    "bind connect recvmsg setsockopt epoll_ctl epoll_wait epoll_pwait";

using Filter = std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, FreedBy<seccomp_release>>;

// Adds to a filter which system calls get an action of their own. Remembers whether all could be
// added.
class Rules
{
public:
    explicit Rules(scmp_filter_ctx filter) : filter_(filter) {}

    void add(std::uint32_t action, int call, std::initializer_list<scmp_arg_cmp> arguments = {})
    {
        const auto count = static_cast<unsigned>(arguments.size());
        note(seccomp_rule_add_array(filter_, action, call, count, arguments.begin()));
    }
    void note(int result) { are_taken_ = are_taken_ && result == 0; }
    [[nodiscard]] bool are_taken() const { return are_taken_; }

private:
    scmp_filter_ctx filter_;
    bool are_taken_ = true;
};

// `other` is the action for a call that `add` has no rule for. The filter bounds what a flaw of
// ours can do; it does not guard a stranger's code. So the processor's speculation stays as fast as
// it was.
bool confine(std::uint32_t other, void (*add)(Rules &))
{
    // libseccomp keeps what it knows of the kernel for all threads.
    static std::mutex turn;
    const std::scoped_lock lock(turn);
    const Filter filter(seccomp_init(other));
    if (!filter)
        return false;
    Rules rules(filter.get());
    rules.note(seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_SSB, 1));
    rules.note(seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2));
    add(rules);
    return rules.are_taken() && seccomp_load(filter.get()) == 0;
}

// Compares true if the argument has none of the bits of `mask`.
scmp_arg_cmp without(unsigned argument, std::uint64_t mask)
{
    return {.arg = argument, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = 0};
}

void allow_calls(Rules &rules, const char *names)
{
    std::istringstream calls(names);
    for (std::string call; calls >> call;)
        rules.add(SCMP_ACT_ALLOW, seccomp_syscall_resolve_name(call.c_str()));
}

void allow_sending(Rules &rules)
{
    allow_calls(rules, sending_calls);
    // Files are read, not made nor changed.
    rules.add(SCMP_ACT_ALLOW, SCMP_SYS(openat), {without(2, O_ACCMODE | O_CREAT | O_TRUNC)});
    // Memory holds no new code.
    rules.add(SCMP_ACT_ALLOW, SCMP_SYS(mmap), {without(2, PROT_EXEC)});
    rules.add(SCMP_ACT_ALLOW, SCMP_SYS(mprotect), {without(2, PROT_EXEC)});
    // abort(3) ends the process itself.
    rules.add(SCMP_ACT_ALLOW, SCMP_SYS(tgkill),
              {{.arg = 0,
                .op = SCMP_CMP_EQ,
                .datum_a = static_cast<std::uint64_t>(getpid()),
                .datum_b = 0}});
}

void allow_sockets(Rules &rules, std::uint64_t kind)
{
    allow_sending(rules);
    allow_calls(rules, connection_calls);
    for (const std::uint64_t family : {std::uint64_t{AF_INET}, std::uint64_t{AF_INET6}})
        rules.add(SCMP_ACT_ALLOW, SCMP_SYS(socket),
                  {{.arg = 0, .op = SCMP_CMP_EQ, .datum_a = family, .datum_b = 0},
                   {.arg = 1,
                    .op = SCMP_CMP_MASKED_EQ,
                    .datum_a = ~std::uint64_t{SOCK_CLOEXEC | SOCK_NONBLOCK},
                    .datum_b = kind}});
}

} // namespace

bool confine_to_sending()
{
    return confine(refuse, allow_sending);
}

bool confine_to_connections()
{
    return confine(refuse, [](Rules &rules) { allow_sockets(rules, SOCK_STREAM); });
}

bool confine_to_quic()
{
    return confine(refuse, [](Rules &rules) { allow_sockets(rules, SOCK_DGRAM); });
}

bool refuse_programs()
{
    return confine(SCMP_ACT_ALLOW, [](Rules &rules) {
        rules.add(refuse, SCMP_SYS(execve));
        rules.add(refuse, SCMP_SYS(execveat));
    });
}

bool kernel_takes_filters()
{
    bool are_taken = false;
    std::thread([&] { are_taken = confine_to_sending(); }).join();
    return are_taken;
}

} // namespace dnsgauge
