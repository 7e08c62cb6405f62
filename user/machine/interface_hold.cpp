// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/interface_hold.h"

#include "machine/text_files.h"
#include "userland/interface_number.h"
#include "userland/setup_error.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>

namespace dnsgauge
{

namespace
{

// An abstract name, not a file: it lives in the network namespace, as the interface does, and ends
// with its process.
struct HoldName {
    sockaddr_un address{};
    socklen_t length = 0;
};

HoldName hold_name(unsigned interface)
{
    const std::string text = fmt::format("dnsgauge/interface/{}", interface);
    HoldName name;
    name.address.sun_family = AF_UNIX;
    // The first octet of such a name is 0.
    std::memcpy(&name.address.sun_path[1], text.data(), text.size());
    name.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
    return name;
}

UniqueFd new_socket()
{
    UniqueFd made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!made)
        throw SetupError(std::string("cannot look who has the interface: ") + std::strerror(errno));
    return made;
}

// Returns the process that listens at the name; nothing if none does any more, or if it is unknown.
std::optional<ucred> holder_of(const HoldName &name)
{
    const UniqueFd asking = new_socket();
    ucred holder{};
    socklen_t size = sizeof(holder);
    if (connect(asking.get(), reinterpret_cast<const sockaddr *>(&name.address), name.length) !=
            0 ||
        getsockopt(asking.get(), SOL_SOCKET, SO_PEERCRED, &holder, &size) != 0)
        return std::nullopt;
    return holder;
}

// Returns whether the process is this one, or an ancestor: a command of --before-trial may be a
// Tester, too.
bool waits_for_this_process(pid_t process)
{
    pid_t one = getpid();
    while (one > 1 && one != process)
        one = leading_number<pid_t>(value_of(fmt::format("/proc/{}/status", one), "PPid:"))
                  .value_or(0);
    return one == process;
}

} // namespace

InterfaceHold::InterfaceHold(const std::string &interface)
{
    const unsigned number = interface_number(interface);
    if (number == 0)
        return;
    const HoldName name = hold_name(number);
    fd_ = new_socket();
    if (bind(fd_.get(), reinterpret_cast<const sockaddr *>(&name.address), name.length) == 0 &&
        listen(fd_.get(), SOMAXCONN) == 0)
        return;
    fd_ = UniqueFd();
    const std::optional<ucred> holder = holder_of(name);
    // A process that may not attach programs here cannot have the interface.
    if (!holder || waits_for_this_process(holder->pid) ||
        (holder->uid != 0 && holder->uid != geteuid()))
        return;
    throw SetupError("process {} has {} for its trials, and for the pauses between "
                     "them: wait until it has ended, or take another interface",
                     holder->pid, interface);
}

} // namespace dnsgauge
