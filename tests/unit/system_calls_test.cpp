// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A thread that sends keeps the system calls of sending, and nobody else is bound.
#include "system/system_calls.h"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace dnsgauge;

namespace
{

// Runs a check in a thread that is bound first. Catch's macros take no other thread, so the check
// returns a word for what went wrong; none: all is right.
template <class Bind, class Check>
std::string in_bound_thread(const Bind &bind, const Check &check)
{
    std::string wrong;
    std::thread([&] { wrong = bind() ? check() : "the kernel takes no filter"; }).join();
    return wrong;
}

bool is_refused(long result)
{
    return result == -1 && errno == EPERM;
}

// Returns 0, or why no program could be started.
int start_program()
{
    std::array<char, 10> path = {"/bin/true"};
    std::array<char *, 2> words = {path.data(), nullptr};
    pid_t child = 0;
    const int error = posix_spawn(&child, path.data(), nullptr, nullptr, words.data(), nullptr);
    if (error == 0)
        waitpid(child, nullptr, 0);
    return error;
}

std::string sending_works()
{
    std::ifstream file("/proc/thread-self/stat");
    std::string word;
    if (!(file >> word))
        return "reading a file";
    try {
        const std::vector<char> much(std::size_t{64} << 20U, 'x');
        throw std::runtime_error(std::string(much.data(), 100));
    } catch (const std::runtime_error &) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {};
}

std::string the_rest_is_refused()
{
    if (!is_refused(socket(AF_INET, SOCK_DGRAM, 0)))
        return "a socket";
    if (!is_refused(open("/tmp", O_WRONLY | O_TMPFILE, 0600)))
        return "a file to write to";
    if (!is_refused(open("/dev/null", O_RDWR)))
        return "a device to write to";
    if (!is_refused(unlink("/tmp/dnsgauge-no-such-file")))
        return "removing a file";
    const std::vector<char> page(2U * 4096U);
    const auto inside = (reinterpret_cast<std::uintptr_t>(page.data()) + 4095U) / 4096U * 4096U;
    if (!is_refused(syscall(SYS_mprotect, inside, 4096, PROT_READ | PROT_EXEC)))
        return "new code";
    if (!is_refused(kill(getppid(), 0)))
        return "a signal to another process";
    if (start_program() == 0)
        return "a program";
    return {};
}

} // namespace

TEST_CASE("a bound thread sends, waits, reads files and takes memory")
{
    std::array<int, 2> tube{};
    REQUIRE(socketpair(AF_UNIX, SOCK_DGRAM, 0, tube.data()) == 0);
    CHECK(in_bound_thread(confine_to_sending, sending_works) == "");
    CHECK(in_bound_thread(confine_to_sending, [&]() -> std::string {
              return sendto(tube[0], "x", 1, MSG_DONTWAIT, nullptr, 0) == 1 ? "" : "sending";
          }) == "");
    close(tube[0]);
    close(tube[1]);
}

TEST_CASE("it does nothing else")
{
    CHECK(in_bound_thread(confine_to_sending, the_rest_is_refused) == "");
}

TEST_CASE("a thread that is bound to connections opens TCP sockets, and does nothing else")
{
    CHECK(in_bound_thread(confine_to_connections, []() -> std::string {
              for (const int family : {AF_INET, AF_INET6}) {
                  const int made = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
                  if (made < 0 && errno == EPERM)
                      return "a TCP socket";
                  close(made);
                  if (!is_refused(socket(family, SOCK_RAW, IPPROTO_ICMP)))
                      return "a raw socket";
              }
              return is_refused(socket(AF_UNIX, SOCK_STREAM, 0)) ? "" : "another family's socket";
          }) == "");
    CHECK(in_bound_thread(confine_to_connections, the_rest_is_refused) == "");
}

TEST_CASE("a thread that is bound to QUIC opens UDP sockets alone")
{
    CHECK(in_bound_thread(confine_to_quic, []() -> std::string {
              for (const int family : {AF_INET, AF_INET6}) {
                  const int made = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
                  if (made < 0 && errno == EPERM)
                      return "a UDP socket";
                  close(made);
                  if (!is_refused(socket(family, SOCK_STREAM, 0)))
                      return "a TCP socket";
              }
              return {};
          }) == "");
}

TEST_CASE("a thread that refuses programs starts none, and goes on with the rest")
{
    CHECK(in_bound_thread(refuse_programs, []() -> std::string {
              int error = 0;
              std::thread([&] { error = start_program(); }).join();
              return error == EPERM && start_program() == EPERM ? "" : "a program";
          }) == "");
    CHECK(in_bound_thread(refuse_programs, []() -> std::string {
              const int made = socket(AF_INET, SOCK_DGRAM, 0);
              close(made);
              return made >= 0 ? "" : "a socket";
          }) == "");
}

TEST_CASE("other threads are not bound")
{
    CHECK(kernel_takes_filters());
    const int made = socket(AF_INET, SOCK_DGRAM, 0);
    CHECK(made >= 0);
    close(made);
    CHECK(start_program() == 0);
}
