// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What becomes of a server that is short of descriptors.
#include "base/sockets.h"

#include "base/config_file.h"
#include "base/event_loop.h"
#include "base/interface.h"
#include "support/no_descriptors.h"
#include "support/scratch_directory.h"
#include "system/interface_number.h"
#include "system/privileges.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

using namespace dnsgauge;
using Catch::Contains;

namespace
{

// Returns whether `what` is true in a process of its own, which may raise no limit beyond `most`.
bool in_child(rlim_t limit, rlim_t most, bool (*what)())
{
    if (fork() == 0) {
        const rlimit wanted{.rlim_cur = limit, .rlim_max = most};
        if (setrlimit(RLIMIT_NOFILE, &wanted) != 0)
            _exit(2);
        drop_privileges();
        _exit(what() ? 0 : 1);
    }
    int status = -1;
    REQUIRE(wait(&status) > 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

constexpr unsigned loopback = 1;
constexpr unsigned nothing = 0x7fffffff;

} // namespace

TEST_CASE("the limit is raised to what is needed")
{
    CHECK(in_child(100, 2000, [] {
        reserve_for_clients(1000);
        rlimit limit{};
        return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 1000 &&
               limit.rlim_cur < 1300 && limit.rlim_max == 2000;
    }));
    CHECK(in_child(1500, 2000, [] {
        reserve_for_clients(1000);
        rlimit limit{};
        return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == 1500;
    }));
}

TEST_CASE("a limit that cannot be raised is told, and how many connections fit")
{
    CHECK(in_child(1024, 1024, [] {
        try {
            reserve_for_clients(1000);
        } catch (const SetupError &error) {
            const std::string said = error.what();
            const std::string most = "--tcp-connections be ";
            const std::size_t at = said.find(most);
            if (at == std::string::npos || said.find("the limit is 1024") == std::string::npos)
                return false;
            const unsigned fitting = std::stoul(said.substr(at + most.size()));
            reserve_for_clients(fitting);
            return fitting > 800 && fitting < 1000;
        }
        return false;
    }));
}

TEST_CASE("a want of descriptors is taken for no absence")
{
    CHECK(interface_exists(loopback));
    CHECK_FALSE(interface_exists(nothing));
    CHECK(interface_number("lo") == loopback);
    CHECK(interface_number("nosuch0") == 0);
    const NoDescriptors none;
    CHECK(interface_exists(loopback));
    CHECK_THROWS_WITH(interface_name(loopback), Contains("Too many open files"));
    CHECK_THROWS_WITH(interface_number("lo"), Contains("Too many open files"));
    CHECK_THROWS_WITH(require_interface_up("lo"), Contains("Too many open files"));
}

TEST_CASE("a configuration that is a pipe or a device is refused at once")
{
    const ScratchDirectory folder;
    const std::string pipe = folder.file("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(read_config_file(pipe, "--config"),
                      "--config: cannot read " + pipe +
                          ": it is a pipe or a device: name a regular file");
    CHECK_THROWS_WITH(read_config_file("/dev/zero", "--config"), Contains("name a regular file"));
}

TEST_CASE("a listener without a descriptor for a connection rests, and serves it later")
{
    const auto new_socket = [] {
        return UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    };
    const UniqueFd first = new_socket();
    const UniqueFd client = new_socket();
    UniqueFd server = new_socket();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    REQUIRE(bind(server.get(), reinterpret_cast<sockaddr *>(&address), size) == 0);
    REQUIRE(listen(server.get(), 1) == 0);
    REQUIRE(getsockname(server.get(), reinterpret_cast<sockaddr *>(&address), &size) == 0);

    EventLoop loop;
    DueTimer deadline(loop, [&] { loop.stop(); });
    unsigned served = 0;
    unsigned wanted = 0;
    unsigned connections = 3; // that may be closed, which frees no descriptor here
    const Listener listener(
        loop, std::move(server),
        [&](const AcceptedConnection &) {
            served++;
            loop.stop();
        },
        [&] {
            wanted++;
            return connections-- != 0;
        });
    // UBSan opens a pipe when it sees an object of a type for the first time: the types of both
    // handlers are seen before descriptors are short.
    deadline.set(ktime_ns() + 1'000'000);
    loop.run();
    connect(first.get(), reinterpret_cast<sockaddr *>(&address), size);
    deadline.set(ktime_ns() + 20'000'000'000);
    loop.run();
    CHECK(served == 1);
    connect(client.get(), reinterpret_cast<sockaddr *>(&address), size);
    {
        const NoDescriptors none;
        deadline.set(ktime_ns() + 100'000'000);
        loop.run();
    }
    CHECK(served == 1);
    CHECK(wanted == 4);
    deadline.set(ktime_ns() + 20'000'000'000);
    loop.run();
    CHECK(served == 2);
}
