// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search/tester_setup.h"

#include "engine/cpu_share.h"
#include "machine/interface.h"
#include "record/selftest_record.h"
#include "trial/circumstances.h"
#include "trial/sender_cpu.h"
#include "trial/trial_options.h"

#include <sys/utsname.h>

namespace dnsgauge
{

namespace
{

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
    TrialPlan values = plan;
    setup.options = setup_values(tester_options(values));
    setup.is_ipv6 = plan.server.is_ipv6;
    setup.sender_cpus = plan.cpus;
    if (plan.cpus.empty())
        setup.sender_cpus = {default_sender_cpu(cpus_with_record(setup, allowed_cpus()))};
    return setup;
}

} // namespace dnsgauge
