// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search/tester_setup.h"

#include "engine/cpu_share.h"
#include "machine/interface.h"
#include "trial/circumstances.h"
#include "trial/sender_cpu.h"
#include "trial/trial_options.h"

#include <sys/utsname.h>

#include <stdexcept>

namespace dnsgauge
{

namespace
{

// Returns the value of the option that the set-up has by this key.
template <class Value>
Value value_of(const Options &options, const std::string &key)
{
    for (const Option &option : options)
        if (option.setup_key == key)
            return std::get<Value>(option.access.get());
    throw std::logic_error("no option is recorded as " + key);
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
    setup.sender_cpus = plan.cpus.empty() ? std::vector<unsigned>{default_sender_cpu()} : plan.cpus;
    TrialPlan values = plan;
    const Options options = tester_options(values);
    setup.xdp_mode = value_of<std::string>(options, "xdp_mode");
    setup.af_xdp = value_of<std::string>(options, "af_xdp");
    setup.busy_poll = value_of<bool>(options, "busy_poll");
    setup.idle_cpus = value_of<std::string>(options, "idle_cpus");
    setup.timestamps = value_of<std::string>(options, "timestamps");
    setup.source_ports = plan.source_ports;
    setup.vlan = plan.vlan;
    setup.is_ipv6 = plan.server.is_ipv6;
    return setup;
}

} // namespace dnsgauge
