// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tests the routes of user/machine against a kernel. Each test makes network namespaces of its own.
#include "machine/counters.h"
#include "machine/interface.h"
#include "machine/route.h"
#include "system/setup_error.h"
#include "system/unique_fd.h"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

using namespace dnsgauge;
using namespace std::chrono_literals;
using Catch::Contains;

namespace
{

constexpr auto patience = 5000ms;
constexpr auto no_patience = 30ms;

UniqueFd current_namespace()
{
    UniqueFd fd{open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)};
    REQUIRE(fd);
    return fd;
}

void run(const std::string &command)
{
    CAPTURE(command);
    REQUIRE(std::system(command.c_str()) == 0);
}

// Owns two namespaces with the pair net2a - net2b between them. The test is in the first namespace.
// The peer has the addresses 02:00:00:00:00:0b, 192.0.2.2 and 2001:db8::2.
class Lab
{
public:
    Lab()
    {
        REQUIRE(unshare(CLONE_NEWNET) == 0);
        peer_ = current_namespace();
        run("ip link set lo up");
        REQUIRE(unshare(CLONE_NEWNET) == 0);
        here_ = current_namespace();
        run("ip link add net2a numrxqueues 2 numtxqueues 3 address 02:00:00:00:00:0a mtu 1400 "
            "type veth peer name net2b address 02:00:00:00:00:0b");
        run("ip link set net2b netns /proc/" + std::to_string(getpid()) + "/fd/" +
            std::to_string(peer_.get()));
        run("ip link set lo up && ip link set net2a up");
        run("ip addr add 192.0.2.1/24 dev net2a && ip addr add 2001:db8::1/64 dev net2a nodad");
        in_peer("ip addr add 192.0.2.2/24 dev net2b && ip addr add 2001:db8::2/64 dev net2b nodad "
                "&& ip link set net2b up");
    }
    Lab &operator=(Lab &&) = delete;
    ~Lab() { setns(outside_.get(), CLONE_NEWNET); }

    void in_peer(const std::string &command)
    {
        REQUIRE(setns(peer_.get(), CLONE_NEWNET) == 0);
        const int status = std::system(command.c_str());
        REQUIRE(setns(here_.get(), CLONE_NEWNET) == 0);
        CAPTURE(command);
        REQUIRE(status == 0);
    }

private:
    UniqueFd outside_ = current_namespace();
    UniqueFd here_;
    UniqueFd peer_;
};

bool may_make_namespaces()
{
    if (geteuid() == 0)
        return true;
    std::cerr << "skipped: root is needed to make network namespaces\n";
    return false;
}

IpAddress ip(const char *text)
{
    return parse_ip_address(text);
}

const MacAddress peer_mac = parse_mac_address("02:00:00:00:00:0b");

} // namespace

TEST_CASE("an interface is described as the kernel has it", "[net]")
{
    if (!may_make_namespaces())
        return;
    const Lab lab;
    const Interface interface = find_interface("net2a", 20ms);
    CHECK(interface.name == "net2a");
    CHECK(interface.index != 0);
    CHECK(to_string(interface.mac) == "02:00:00:00:00:0a");
    CHECK(interface.mtu == 1400);
    CHECK(interface.rx_queues == 2);
    CHECK(interface.tx_queues == 3);
    CHECK(interface.driver == "veth");
    CHECK(interface.speed_mbps == 10000);
}

TEST_CASE("an interface that cannot be used is refused with what to do", "[net]")
{
    if (!may_make_namespaces())
        return;
    Lab lab;
    CHECK_THROWS_WITH(find_interface("eth9"), Contains("\"eth9\"") && Contains("net2a"));
    CHECK_THROWS_WITH(find_interface(""), Contains("no interface"));
    CHECK_THROWS_WITH(find_interface("net2a-and-far-more-letters"), Contains("no interface"));
    CHECK_THROWS_WITH(find_interface("lo"), Contains("not an Ethernet interface"));
    lab.in_peer("ip link set net2b down");
    CHECK_THROWS_WITH(find_interface("net2a"), Contains("no carrier"));
    run("ip link set net2a down");
    CHECK_THROWS_WITH(find_interface("net2a"), Contains("ip link set net2a up"));
    CHECK_THROWS_AS(find_interface("net2a"), SetupError);
}

TEST_CASE("a server on the link has no gateway", "[net]")
{
    if (!may_make_namespaces())
        return;
    const Lab lab;
    const Interface interface = find_interface("net2a");
    const Route ipv4 = find_route(interface, ip("192.0.2.2"));
    CHECK(to_string(ipv4.source) == "192.0.2.1");
    CHECK_FALSE(ipv4.gateway);
    const Route ipv6 = find_route(interface, ip("2001:db8::2"));
    CHECK(to_string(ipv6.source) == "2001:db8::1");
    CHECK_FALSE(ipv6.gateway);
}

TEST_CASE("a server behind a gateway is reached from the address its route prefers", "[net]")
{
    if (!may_make_namespaces())
        return;
    const Lab lab;
    run("ip addr add 192.0.2.7/24 dev net2a");
    run("ip route add 198.51.100.0/24 via 192.0.2.2 src 192.0.2.7");
    run("ip -6 route add 2001:db8:1::/64 via 2001:db8::2");
    run("ip route add 203.0.113.0/24 via inet6 2001:db8::2");
    const Interface interface = find_interface("net2a");
    const Route ipv4 = find_route(interface, ip("198.51.100.1"));
    CHECK(to_string(ipv4.source) == "192.0.2.7");
    CHECK(ipv4.gateway == ip("192.0.2.2"));
    const Route ipv6 = find_route(interface, ip("2001:db8:1::5"));
    CHECK(to_string(ipv6.source) == "2001:db8::1");
    CHECK(ipv6.gateway == ip("2001:db8::2"));
    CHECK(find_route(interface, ip("203.0.113.1")).gateway == ip("2001:db8::2"));
}

TEST_CASE("no route is told with what to do", "[net]")
{
    if (!may_make_namespaces())
        return;
    const Lab lab;
    run("ip route add blackhole 203.0.113.0/24");
    run("ip -6 route add blackhole 2001:db8:9::/64");
    const Interface interface = find_interface("net2a");
    const auto *const server =
        GENERATE("198.51.100.1", "2001:db8:1::5", "203.0.113.1", "2001:db8:9::1");
    CAPTURE(server);
    CHECK_THROWS_AS(find_route(interface, ip(server)), SetupError);
    CHECK_THROWS_WITH(find_route(interface, ip(server)),
                      Contains("no route to " + std::string(server) + " on net2a") &&
                          Contains("route add"));
}

TEST_CASE("a route by another interface is told by its name", "[net]")
{
    if (!may_make_namespaces())
        return;
    const Lab lab;
    run("ip link add net2c type veth peer name net2d && ip link set net2c up && "
        "ip link set net2d up && ip addr add 198.51.100.7/24 dev net2c && "
        "ip addr add 2001:db8:1::7/64 dev net2c nodad");
    const Interface interface = find_interface("net2a");
    CHECK_THROWS_WITH(find_route(interface, ip("198.51.100.1")),
                      Contains("leaves by net2c, not net2a"));
    CHECK_THROWS_WITH(find_route(interface, ip("2001:db8:1::5")),
                      Contains("leaves by net2c, not net2a"));
    run("ip route add 198.51.100.0/24 via 192.0.2.2 metric 500");
    CHECK(find_route(interface, ip("198.51.100.1")).gateway == ip("192.0.2.2"));
}

TEST_CASE("an address that is not another host's is no server", "[net]")
{
    if (!may_make_namespaces())
        return;
    const Lab lab;
    const Interface interface = find_interface("net2a");
    for (const char *own : {"192.0.2.1", "2001:db8::1", "127.0.0.1", "::1"})
        CHECK_THROWS_WITH(find_route(interface, ip(own)), Contains("address of this host"));
    for (const char *many : {"192.0.2.255", "224.0.0.1", "ff02::1"})
        CHECK_THROWS_WITH(find_route(interface, ip(many)), Contains(many));
}

TEST_CASE("an interface without an address has nothing to send from", "[net]")
{
    if (!may_make_namespaces())
        return;
    const Lab lab;
    run("ip -4 addr flush dev net2a && ip route add 192.0.2.0/24 dev net2a");
    CHECK_THROWS_WITH(find_route(find_interface("net2a"), ip("192.0.2.2")),
                      Contains("no address to send to 192.0.2.2 from"));
}

TEST_CASE("a neighbour nobody has spoken to yet is asked for", "[net]")
{
    if (!may_make_namespaces())
        return;
    const Lab lab;
    const Interface interface = find_interface("net2a");
    CHECK(find_neighbour(interface, ip("192.0.2.2"), patience) == peer_mac);
    CHECK(find_neighbour(interface, ip("2001:db8::2"), patience) == peer_mac);
    CHECK(find_neighbour(interface, ip("192.0.2.2"), 0ms) == peer_mac);
}

TEST_CASE("a neighbour set by hand or grown stale is taken as it is", "[net]")
{
    if (!may_make_namespaces())
        return;
    const Lab lab;
    run("ip neigh add 192.0.2.9 lladdr 02:00:00:00:00:99 dev net2a nud permanent");
    run("ip neigh add 2001:db8::9 lladdr 02:00:00:00:00:98 dev net2a nud stale");
    const Interface interface = find_interface("net2a");
    CHECK(to_string(find_neighbour(interface, ip("192.0.2.9"), 0ms)) == "02:00:00:00:00:99");
    CHECK(to_string(find_neighbour(interface, ip("2001:db8::9"), 0ms)) == "02:00:00:00:00:98");
}

TEST_CASE("a neighbour that does not answer is given up", "[net]")
{
    if (!may_make_namespaces())
        return;
    const Lab lab;
    const Interface interface = find_interface("net2a");
    const auto *const hop = GENERATE("192.0.2.77", "2001:db8::77");
    CHECK_THROWS_AS(find_neighbour(interface, ip(hop), no_patience), SetupError);
    CHECK_THROWS_WITH(find_neighbour(interface, ip(hop), no_patience),
                      Contains("nobody answers for " + std::string(hop) + " on net2a") &&
                          Contains("--server-mac"));
}

TEST_CASE("a neighbour that had failed is found once it is there", "[net]")
{
    if (!may_make_namespaces())
        return;
    Lab lab;
    const Interface interface = find_interface("net2a");
    run("ip neigh add 192.0.2.78 dev net2a nud failed");
    CHECK_THROWS_AS(find_neighbour(interface, ip("192.0.2.78"), 0ms), SetupError);
    lab.in_peer("ip addr add 192.0.2.78/24 dev net2b");
    CHECK(find_neighbour(interface, ip("192.0.2.78"), patience) == peer_mac);
}

TEST_CASE("counters tell of packets that went by", "[net]")
{
    if (!may_make_namespaces())
        return;
    const Lab lab;
    const Interface interface = find_interface("net2a");
    const CounterValues before = read_counters(interface);
    CHECK(before.count("rx_dropped") == 1);
    CHECK(before.count("driver.rx_queue_0_drops") == 1);
    REQUIRE(find_neighbour(interface, ip("192.0.2.2"), patience) == peer_mac);
    const CounterValues growth = grown(before, read_counters(interface));
    CHECK(growth.count("tx_packets") == 1);
    CHECK(growth.count("rx_packets") == 1);
    run("ip link del net2a");
    CHECK_THROWS_WITH(read_counters(interface), Contains("counters of net2a"));
}
