// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search/tester_setup.h"

#include "engine/cpu_share.h"
#include "machine/interface.h"
#include "trial/circumstances.h"

#include <sys/utsname.h>

namespace dnsgauge
{

namespace
{

const char *text_of(CopyMode mode)
{
    switch (mode) {
    case CopyMode::copy:
        return "copy";
    case CopyMode::zero_copy:
        return "zero-copy";
    case CopyMode::automatic:
        break;
    }
    return "auto";
}

const char *text_of(XdpMode mode)
{
    return mode == XdpMode::automatic ? "auto" : to_string(mode);
}

const char *text_of(StampMode mode)
{
    switch (mode) {
    case StampMode::off:
        return "off";
    case StampMode::on:
        return "on";
    case StampMode::any:
        return "any";
    case StampMode::automatic:
        break;
    }
    return "auto";
}

std::string host_name()
{
    utsname name{};
    return uname(&name) == 0 ? name.nodename : "unknown";
}

} // namespace

TesterSetup describe_setup(const TrialPlan &plan)
{
    const Circumstances machine = machine_circumstances();
    const Interface interface = find_interface(plan.interface);
    TesterSetup setup;
    setup.version = machine.version;
    setup.kernel = machine.kernel;
    setup.host = host_name();
    setup.cpu_model = machine.cpu_model;
    setup.cpus = machine.cpus;
    setup.interface = interface.name;
    setup.driver = interface.driver;
    setup.mtu = interface.mtu;
    setup.link_mbps = interface.speed_mbps;
    setup.receive_queues = interface.rx_queues;
    setup.transmit_queues = interface.tx_queues;
    setup.sender_cpus = plan.cpus.empty() ? std::vector<unsigned>{allowed_cpus().at(0)} : plan.cpus;
    setup.xdp_mode = text_of(plan.xdp_mode);
    setup.af_xdp = text_of(plan.tx.copy_mode);
    setup.busy_poll = plan.tx.busy_poll;
    setup.idle_cpus = plan.idle_cpus == IdleCpus::poll ? "poll" : "sleep";
    setup.timestamps = text_of(plan.stamps);
    setup.source_ports = plan.source_ports;
    setup.vlan = plan.vlan;
    setup.is_ipv6 = plan.server.is_ipv6;
    return setup;
}

} // namespace dnsgauge
