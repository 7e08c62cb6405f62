// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/server.h"

#include "base/descriptors.h"
#include "base/event_loop.h"
#include "base/interface.h"
#include "base/signal_handler.h"
#include "fakedns/counters.h"
#include "fakedns/link_watch.h"
#include "fakedns/metrics.h"
#include "fakedns/metrics_server.h"
#include "fakedns/misbehaviour.h"
#include "fakedns/reload.h"
#include "fakedns/served_interface.h"

#include "userland/privileges.h"
#include "userland/setup_error.h"
#include "userland/standard_output.h"

#include <fmt/format.h>

#include <systemd/sd-daemon.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <vector>

namespace dnsgauge
{

namespace
{

std::string joined(const auto &texts)
{
    return fmt::format("{}", fmt::join(texts, ", "));
}

class Server
{
public:
    Server(const ServerOptions &options, std::function<ServerOptions()> reread)
        : setup_(options.setup), faults_(options.faults), reread_(std::move(reread)),
          links_(loop_, [this] { look_at_interfaces(); }),
          signals_(loop_,
                   {{SIGUSR1, [this] { print_counters(); }}, {SIGHUP, [this] { reload(); }}}),
          tcp_(loop_, options.setup.tcp),
          reload_(
              loop_, [this] { return prepare(); }, [](const char *why) { refuse(why); })
    {
        udp_.limiter.set(options.content.rate_limit);
        if (options.faults.any())
            misbehaviour_ = std::make_unique<Misbehaviour>(loop_, faults_.plan);
        udp_.misbehaviour = misbehaviour_.get();
        for (const std::string &name : setup_.interfaces)
            interfaces_.push_back(
                std::make_unique<ServedInterface>(name, options, loop_, tcp_, counters_.tcp, udp_));
        if (!setup_.metrics.empty())
            metrics_ = std::make_unique<MetricsServer>(loop_, setup_.metrics,
                                                       [this] { return metrics_text(counters()); });
        reserve_descriptors(setup_.tcp.connections);
        const bool may_reload = !setup_.config_file.empty() && has_kernel_programs();
        drop_privileges(may_reload ? loading_capabilities : std::vector<unsigned>{}, setup_.user);
        say_ready(options.content.zones_text);
    }

    void run()
    {
        loop_.run();
        sd_notify(0, "STOPPING=1");
        print_counters();
        if (gone_.count() == interfaces_.size())
            throw InterfaceMissing("no interface is left to answer on");
    }

private:
    struct Change {
        ServedInterface &interface;
        ServedInterface::Next content;
    };

    [[nodiscard]] bool has_kernel_programs() const
    {
        return std::ranges::any_of(
            interfaces_, [](const auto &interface) { return interface->kernel() != nullptr; });
    }

    void say_ready(const std::string &zones)
    {
        std::vector<std::string> modes;
        for (const auto &interface : interfaces_)
            modes.emplace_back(interface->kernel() ? to_string(interface->kernel()->mode())
                                                   : "off");
        print_result(fmt::format("fakedns: ready on {}, port {}, zone {}, XDP {}\n",
                                 joined(setup_.interfaces), setup_.port, zones, joined(modes)));
        sd_notify(0, "READY=1");
    }

    void reload()
    {
        if (!reread_)
            return refuse("there is no --config to read anew");
        if (misbehaviour_)
            return refuse("a server with faults cannot change: restart it");
        sd_notify(0, "RELOADING=1");
        reload_.begin();
    }

    // Reads the configuration, and loads programs for it. Runs in a thread of its own.
    Reload::Result prepare()
    {
        const ServerOptions next = reread_();
        if (next.setup != setup_)
            throw SetupError(
                "only zones and --rate-limit may change while the server runs: restart "
                "it for anything else");
        auto changes = std::make_shared<std::vector<Change>>();
        for (const auto &interface : interfaces_)
            if (interface->is_there())
                changes->push_back({*interface, interface->prepare(next.content)});
        return [this, changes, content = next.content] { change(*changes, content); };
    }

    // Changes all interfaces, or none.
    void change(std::vector<Change> &changes, const ServerContent &content)
    {
        auto next = changes.begin();
        try {
            for (; next != changes.end(); ++next)
                exchange(*next);
        } catch (const SetupError &) {
            while (next != changes.begin())
                go_back(*--next);
            throw;
        }
        udp_.limiter.set(content.rate_limit);
        print_result(fmt::format("fakedns: read {} anew, zone {}\n", setup_.config_file,
                                 content.zones_text));
        sd_notify(0, "READY=1");
    }

    static void exchange(Change &change)
    {
        try {
            change.interface.exchange(change.content);
        } catch (const SetupError &) {
            // An interface that has just disappeared cannot change. links_ will report that it is
            // gone.
            if (change.interface.is_there())
                throw;
        }
    }

    static void go_back(Change &change)
    {
        try {
            exchange(change);
        } catch (const SetupError &error) {
            say("fakedns: interface {} stays changed: {}\n", change.interface.name(), error.what());
        }
    }

    void look_at_interfaces()
    {
        for (const auto &interface : interfaces_) {
            if (gone_.note(interface->name(), interface->is_there()))
                look_at_program(*interface);
        }
        if (gone_.count() == interfaces_.size())
            loop_.stop();
    }

    void look_at_program(const ServedInterface &interface)
    {
        if (interface.kernel() == nullptr)
            return;
        if (interface.kernel()->is_attached()) {
            if (detached_.erase(&interface) != 0)
                say("fakedns: the XDP program is attached to {} again\n", interface.name());
        } else if (detached_.insert(&interface).second) {
            say("fakedns: somebody has detached the XDP program from {}: only sockets answer there "
                "until {}\n",
                interface.name(), reread_ && !misbehaviour_ ? "SIGHUP or a restart" : "a restart");
        }
    }

    static void refuse(const char *why)
    {
        say("fakedns: the configuration stays as it was: {}\n", why);
        sd_notify(0, "READY=1");
    }

    ServerCounters counters()
    {
        counters_.queues.clear();
        counters_.programs.clear();
        counters_.xdp_times = {};
        for (const auto &interface : interfaces_) {
            if (interface->kernel() == nullptr)
                continue;
            std::ranges::move(interface->kernel()->counters(),
                              std::back_inserter(counters_.queues));
            counters_.programs.push_back({interface->name(), interface->kernel()->is_attached()});
            interface->add_times(counters_.xdp_times);
        }
        counters_.udp = udp_.counters;
        counters_.udp_times = udp_.times;
        return counters_;
    }

    [[nodiscard]] ServerFaults faults() const
    {
        ServerFaults faults{.xdp = {}, .udp = misbehaviour_->counters()};
        for (const auto &interface : interfaces_)
            if (const auto *kernel =
                    dynamic_cast<const FaultyKernelResponder *>(interface->kernel()))
                faults.xdp += kernel->faults();
        return faults;
    }

    void print_counters()
    {
        print_result(counters_table(counters()) + (misbehaviour_ ? faults_table(faults()) : ""));
    }

    ServerSetup setup_;
    FaultOptions faults_;
    std::function<ServerOptions()> reread_;
    ServerCounters counters_;
    UdpService udp_;
    EventLoop loop_;
    LinkWatch links_; // starts before the interfaces are looked at
    SignalHandler signals_;
    TcpResponder tcp_;
    std::unique_ptr<Misbehaviour> misbehaviour_;
    std::vector<std::unique_ptr<ServedInterface>> interfaces_;
    GoneInterfaces gone_;
    std::set<const ServedInterface *> detached_;
    std::unique_ptr<MetricsServer> metrics_;
    Reload reload_; // declared after the members that its thread uses
};

} // namespace

void serve(const ServerOptions &options, std::function<ServerOptions()> reread)
{
    Server(options, std::move(reread)).run();
}

} // namespace dnsgauge
