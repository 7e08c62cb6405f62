// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/absence_clock.h"
#include "machine/server_processes.h"

#include "support/scratch_directory.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;

namespace
{

using Found = std::map<int, std::string>;

// Namespaces, by the numbers that the tests give them.
constexpr std::uint64_t tester = 1;
constexpr std::uint64_t dut = 2;
constexpr std::uint64_t auth = 3;
constexpr std::uint64_t stranger = 4;
constexpr unsigned testers_interface = 70;

constexpr const char *any_ipv4 = "00000000:0035";
constexpr const char *loopback = "0100007F:0035";

// A copy of /proc, and the links between the namespaces of its processes.
class Machine
{
public:
    Machine()
    {
        links.own = tester;
        links.peer = dut;
        links.index = testers_interface;
        join(tester, "g0", testers_interface, dut, "d0", 3);
        add(1, tester, "init", 0);
    }

    // Adds a process, with a socket if `inode` is no empty text.
    void add(int process, std::uint64_t space, const std::string &name, int parent,
             const std::string &inode = {})
    {
        const auto directory = proc / std::to_string(process);
        std::filesystem::create_directories(directory / "fd");
        std::filesystem::create_directories(directory / "net");
        write_file(directory / "stat", std::to_string(process) + " (" + name + ") S " +
                                           std::to_string(parent) + " 1 1 0 -1 0\n");
        if (!inode.empty())
            std::filesystem::create_symlink("socket:[" + inode + "]", directory / "fd/3");
        processes.seen[space].insert(process);
    }

    // Has a namespace tell of sockets. The lowest of its process IDs is asked. A socket for UDP has
    // the state 07, a socket that listens for TCP 0A.
    void tell(std::uint64_t space, const std::vector<std::pair<std::string, std::string>> &sockets,
              const std::string &protocol = "udp", const std::string &state = "07")
    {
        std::string text = "  sl  local_address\n";
        for (const auto &[local, inode] : sockets)
            text += "  610: " + local + " 00000000:0000 " + state + " 0:0 00:0 0 0 0 " + inode +
                    " 2 0 0\n";
        write_file(net(space) / protocol, text);
    }

    void has_address(std::uint64_t space, const std::string &address)
    {
        write_file(net(space) / "fib_trie", "     |-- " + address + "\n        /32 host LOCAL\n");
    }

    void join(std::uint64_t one, const std::string &name, unsigned index, std::uint64_t other,
              const std::string &other_name, unsigned other_index)
    {
        links.ends[one].push_back({name, index, other_index, other});
        links.ends[other].push_back({other_name, other_index, index, one});
    }

    [[nodiscard]] ServerProcesses found(const std::string &address = "198.18.0.2",
                                        const std::string &process = {}) const
    {
        return find_server({.address = parse_ip_address(address), .port = 53, .process = process},
                           processes, links, proc);
    }
    [[nodiscard]] ServerProcesses named(const std::string &process) const
    {
        return found("198.18.0.2", process);
    }

    ScratchDirectory scratch;
    std::filesystem::path proc{scratch.file("proc")};
    NamespaceProcesses processes;
    VethLinks links;

private:
    [[nodiscard]] std::filesystem::path net(std::uint64_t space) const
    {
        return proc / std::to_string(*processes.seen.at(space).begin()) / "net";
    }
};

// A server with a worker, somebody else beside it and somebody in an unrelated namespace.
struct OneServer : Machine {
    OneServer()
    {
        add(10, dut, "nsd", 1);
        add(11, dut, "nsd", 10, "111");
        add(12, dut, "worker", 11);
        add(13, dut, "burner", 1, "222");
        add(20, stranger, "named", 1, "333");
        tell(dut, {{any_ipv4, "111"}, {"00000000:1F90", "222"}});
        tell(stranger, {{any_ipv4, "333"}});
        has_address(dut, "198.18.0.2");
    }
};

// Adds a thread to a copy of /proc, and where it may run.
void add_thread(const std::filesystem::path &proc, int process, int thread, const std::string &cpus)
{
    const auto directory = proc / std::to_string(process) / "task" / std::to_string(thread);
    std::filesystem::create_directories(directory);
    write_file(directory / "status", "Name:\tx\nCpus_allowed_list:\t" + cpus + "\n");
}

void add_kernel_thread(const std::filesystem::path &proc, int thread, const std::string &name,
                       const std::string &cpus)
{
    add_thread(proc, thread, thread, cpus);
    write_file(proc / std::to_string(thread) / "stat",
               std::to_string(thread) + " (" + name + ") S 2 0 0 0 -1 2129984\n");
}

} // namespace

TEST_CASE("over TCP the server is who listens there")
{
    OneServer machine;
    machine.add(14, dut, "proxy", 1, "444");
    machine.add(15, dut, "client", 1, "555");
    machine.tell(dut, {{any_ipv4, "444"}}, "tcp", "0A");
    machine.tell(dut, {{any_ipv4, "555"}}, "tcp6", "01");
    const ServerPlace place{.address = parse_ip_address("198.18.0.2"), .port = 53, .is_tcp = true};
    CHECK(find_server(place, machine.processes, machine.links, machine.proc).names ==
          Found{{14, "proxy"}});
    CHECK(machine.found().names.contains(11));
}

TEST_CASE("the drops of the server's own sockets are told")
{
    const OneServer machine;
    const ServerPlace place{.address = parse_ip_address("198.18.0.2"), .port = 53};
    const auto file = machine.proc / "10/net/udp";
    const auto line = [](const std::string &local, const std::string &inode, int drops) {
        return "  610: " + local + " 00000000:0000 07 0:0 00:0 0 0 0 " + inode + " 2 0 " +
               std::to_string(drops) + "\n";
    };
    write_file(file, "  sl\n" + line(any_ipv4, "111", 7) + line("00000000:1F90", "222", 9));
    CHECK(drops_by_socket(place, machine.found(), machine.proc) ==
          std::map<std::string, std::uint64_t>{{"111", 7}});
    CHECK(drops_by_socket(place, {}, machine.proc).empty());
}

TEST_CASE("the server's threads, and NAPI's of its link, are watched where they may run")
{
    const OneServer machine;
    ServerProcesses found = machine.found();
    found.unclear = {13};
    add_thread(machine.proc, 10, 10, "2");
    add_thread(machine.proc, 11, 11, "2");
    add_thread(machine.proc, 11, 14, "4-5");
    add_thread(machine.proc, 13, 13, "7");
    add_kernel_thread(machine.proc, 60, "napi/d0-8193", "6");
    add_kernel_thread(machine.proc, 61, "napi/g0-8194", "0");
    add_kernel_thread(machine.proc, 62, "ksoftirqd/2", "3");
    const WatchedServer watched = watched_server(found, machine.proc);
    CHECK(watched.processes == std::set<int>{10, 11, 12, 60});
    CHECK(watched.unclear == std::set<int>{13, 62});
    CHECK(watched.cpus == std::set<unsigned>{2, 4, 5, 6});
}

TEST_CASE("a CPU beyond those that can be watched is told")
{
    const OneServer machine;
    add_thread(machine.proc, 10, 10, "0-4095");
    CHECK_THROWS_WITH(watched_server(machine.found(), machine.proc),
                      Catch::Contains("CPUs of the server"));
}

TEST_CASE("the server is who has the socket at the link's other end, with relatives")
{
    const ServerProcesses found = OneServer().found();
    CHECK(found.names == Found{{10, "nsd"}, {11, "nsd"}, {12, "worker"}});
    CHECK(found.unclear.empty());
    CHECK(found.interfaces == std::set<std::string>{"d0"});
    CHECK(found.why == "who has the socket at 198.18.0.2 port 53, and whom they may ask");
    // The address may be one that the server's host lacks.
    CHECK(OneServer().found("198.18.0.77").names.size() == 3);
}

TEST_CASE("a harness that starts other programs beside the server is not the server")
{
    OneServer machine;
    SECTION("of the same name")
    {
        machine.add(14, dut, "nsd", 10);
        CHECK(machine.found().names == Found{{11, "nsd"}, {12, "worker"}});
    }
    SECTION("of another name, in another namespace")
    {
        machine.add(14, stranger, "burner", 10);
        CHECK(machine.found().names == Found{{11, "nsd"}, {12, "worker"}});
    }
    SECTION("unless it has the socket itself")
    {
        machine.add(14, dut, "nsd", 10);
        std::filesystem::create_symlink("socket:[111]", machine.proc / "10/fd/3");
        CHECK(machine.found().names ==
              Found{{10, "nsd"}, {11, "nsd"}, {12, "worker"}, {14, "nsd"}});
    }
    SECTION("and a parent of servers alone is")
    {
        machine.add(9, dut, "nsd", 1);
        machine.add(10, dut, "nsd", 9);
        machine.add(14, dut, "nsd", 10, "444");
        machine.tell(dut, {{any_ipv4, "111"}, {any_ipv4, "444"}});
        machine.has_address(dut, "198.18.0.2");
        CHECK(machine.found().names ==
              Found{{9, "nsd"}, {10, "nsd"}, {11, "nsd"}, {12, "worker"}, {14, "nsd"}});
    }
}

TEST_CASE("the user may name the server's processes by ID or by name")
{
    OneServer machine;
    machine.join(dut, "d2", 4, auth, "a0", 2);
    machine.add(30, auth, "fakedns", 1, "444");
    machine.tell(auth, {{any_ipv4, "444"}});
    ServerProcesses found = machine.named("13");
    CHECK(found.names == Found{{13, "burner"}, {30, "fakedns"}});
    CHECK(found.interfaces == std::set<std::string>{"d0", "d2", "a0"});
    CHECK(found.unclear.empty());
    CHECK(found.why == "--server-process 13 names them, and whom they may ask");
    // Children count, parents do not; nobody's socket is asked for.
    CHECK(machine.named("11").names == Found{{11, "nsd"}, {12, "worker"}, {30, "fakedns"}});
    CHECK(machine.named("named").names == Found{{20, "named"}});
    // The kernel keeps 15 characters of a name.
    machine.add(41, stranger, "pdns_recursor-a", 1);
    CHECK(machine.named("pdns_recursor-authoritative").names == Found{{41, "pdns_recursor-a"}});
    for (const char *nobody : {"99", "nobody", "0"})
        CHECK_THROWS_WITH(machine.named(nobody),
                          Catch::StartsWith("--server-process " + std::string(nobody) +
                                            ": no process of this machine has this "));
    // The link may end anywhere: on a card whose cable leads back to this machine.
    machine.links = {};
    found = machine.named("nsd");
    CHECK(found.names == Found{{10, "nsd"}, {11, "nsd"}, {12, "worker"}});
    CHECK(found.interfaces.empty());
}

TEST_CASE("whom the server may ask is the server's, too")
{
    OneServer machine;
    machine.join(dut, "d2", 4, auth, "a0", 2);
    machine.add(30, auth, "fakedns", 1, "444");
    machine.add(31, auth, "burner", 1, "555");
    machine.tell(auth, {{any_ipv4, "444"}, {"00000000:1F90", "555"}});
    ServerProcesses found = machine.found();
    CHECK(found.names.contains(30));
    CHECK_FALSE(found.names.contains(31));
    CHECK(found.interfaces == std::set<std::string>{"d0", "d2", "a0"});
    // One that serves its own host alone is not.
    machine.tell(auth, {{loopback, "444"}});
    found = machine.found();
    CHECK(found.names.size() == 3);
    CHECK(found.interfaces == std::set<std::string>{"d0"});
}

TEST_CASE("the Tester's host may have what the server asks, on another link")
{
    OneServer machine;
    machine.add(40, tester, "fakedns", 1, "666");
    machine.tell(tester, {{any_ipv4, "666"}});
    CHECK_FALSE(machine.found().names.contains(40));
    machine.join(tester, "g1", testers_interface + 1, dut, "d1", 5);
    CHECK(machine.found().names.contains(40));
}

TEST_CASE("behind a bridge the server is who has the address")
{
    Machine machine;
    constexpr std::uint64_t bridge = dut;
    machine.add(10, bridge, "dnsmasq", 1, "111");
    machine.add(20, auth, "knotd", 1, "222");
    machine.add(30, stranger, "named", 1, "333");
    machine.tell(bridge, {{any_ipv4, "111"}});
    machine.tell(auth, {{any_ipv4, "222"}});
    machine.tell(stranger, {{any_ipv4, "333"}});
    machine.join(bridge, "v1", 8, auth, "eth0", 2);
    machine.join(bridge, "v2", 9, stranger, "eth0", 2);
    machine.has_address(auth, "198.18.0.2");
    ServerProcesses found = machine.found();
    CHECK(found.names.contains(20));
    CHECK_FALSE(found.names.contains(30));
    CHECK(found.interfaces.contains("v1"));
    CHECK_FALSE(found.interfaces.contains("v2"));
}

TEST_CASE("where no socket is seen nobody is the server for sure")
{
    OneServer machine;
    machine.processes.hidden = {50};
    SECTION("nobody listens")
    {
        machine.tell(dut, {{"00000000:0036", "111"}});
        const ServerProcesses found = machine.found();
        CHECK(found.names.empty());
        CHECK(found.unclear == std::set<int>{10, 11, 12, 13, 50});
        CHECK(found.why == "no socket at 198.18.0.2 port 53 can be seen at the link's other end");
    }
    SECTION("a socket is somebody's who is hidden")
    {
        machine.tell(dut, {{any_ipv4, "111"}, {any_ipv4, "999"}});
        const ServerProcesses found = machine.found();
        CHECK(found.names.size() == 3);
        CHECK(found.unclear == std::set<int>{50});
    }
    SECTION("everybody at the other end is hidden")
    {
        machine.links.peer = 0;
        const ServerProcesses found = machine.found();
        CHECK(found.names.empty());
        CHECK(found.unclear == std::set<int>{50});
        CHECK(found.why == "no process can be seen at the link's other end");
    }
}

TEST_CASE("a service manager that holds the server's socket is not the server")
{
    OneServer machine;
    machine.processes.seen[dut].insert(1);
    std::filesystem::create_symlink("socket:[111]", machine.proc / "1/fd/3");
    machine.tell(dut, {{any_ipv4, "111"}});
    machine.has_address(dut, "198.18.0.2");
    CHECK(machine.found().names == Found{{10, "nsd"}, {11, "nsd"}, {12, "worker"}});
}
