// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "server/server.h"

#include "server/counters.h"
#include "server/faults.h"
#include "server/reload.h"
#include "server/served_interface.h"

#include "userland/privileges.h"
#include "userland/setup_error.h"
#include "userland/standard_output.h"

#include <fmt/format.h>

#include <systemd/sd-daemon.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <vector>

namespace dnsgauge
{

namespace
{

class Server : public DnsServer
{
public:
    Server(const ServerOptions &options, std::function<ServerOptions()> reread)
        : DnsServer(options.setup), setup_(options.setup), faults_(options.faults),
          reread_(std::move(reread)), udp_(loop(), faults_.any() ? &faults_.plan : nullptr),
          reload_(
              loop(), [this] { return prepare(); }, [](const char *why) { refuse(why); })
    {
        udp_.limiter.set(options.content.rate_limit);
        if (options.faults.any()) {
            stream_faults_ = std::make_unique<StreamFaults>();
            stream_faults_->plan = faults_.plan;
            stream_faults_->plan.pad_to = 0; // padding is for UDP
            tcp().be_exact();
            if (quic() != nullptr)
                quic()->be_exact();
        }
        std::vector<std::string> modes;
        bool has_programs = false;
        for (const std::string &name : setup_.interfaces) {
            interfaces_.push_back(std::make_unique<ServedInterface>(
                name, options, tcp(), quic(), counters_, stream_faults_.get(), udp_));
            const KernelResponder *kernel = interfaces_.back()->kernel();
            has_programs = has_programs || kernel != nullptr;
            modes.emplace_back(kernel != nullptr ? to_string(kernel->mode()) : "off");
        }
        const bool may_reload = !setup_.config_file.empty() && has_programs;
        begin(may_reload ? loading_capabilities : std::vector<unsigned>{},
              "zone " + options.content.zones_text, modes);
    }

private:
    struct Change {
        ServedInterface &interface;
        ServedInterface::Next content;
    };

    void on_hangup() override
    {
        if (!reread_)
            return refuse("there is no --config to read anew");
        if (stream_faults_)
            return refuse("a server with faults cannot change: restart it");
        sd_notify(0, "RELOADING=1");
        reload_.begin();
    }

    // Reads the configuration, and loads programs for it. Runs in a thread of its own.
    Reload::Result prepare()
    {
        const ServerOptions next = reread_();
        if (next.setup != setup_)
            throw SetupError("only zones and --rate-limit may change while the server runs: "
                             "restart it for anything else");
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
            // An interface that has just disappeared cannot change. DnsServer reports that it is
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

    void look_at(std::size_t number) override
    {
        const ServedInterface &interface = *interfaces_[number];
        if (interface.kernel() == nullptr)
            return;
        if (interface.kernel()->is_attached()) {
            if (detached_.erase(&interface) != 0)
                say("fakedns: the XDP program is attached to {} again\n", interface.name());
        } else if (detached_.insert(&interface).second) {
            say("fakedns: somebody has detached the XDP program from {}: only sockets answer there "
                "until {}\n",
                interface.name(), reread_ && !stream_faults_ ? "SIGHUP or a restart" : "a restart");
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
            interface->kernel()->add_times(counters_.xdp_times);
        }
        counters_.udp = udp_.counters;
        counters_.udp_times = udp_.times;
        counters_.tls_handshakes = tcp().tls_counts();
        counters_.https_handshakes = tcp().https_counts();
        if (quic() != nullptr)
            counters_.quic_handshakes = quic()->counts();
        return counters_;
    }

    [[nodiscard]] ServerFaults faults() const
    {
        ServerFaults faults{.xdp = {}, .udp = udp_.faults(), .tcp = stream_faults_->counters};
        faults.tcp.waiting = tcp().waiting() + (quic() != nullptr ? quic()->waiting() : 0);
        for (const auto &interface : interfaces_)
            if (interface->kernel() != nullptr)
                faults.xdp += interface->kernel()->faults();
        return faults;
    }

    std::string table() override
    {
        return counters_table(counters()) +
               (setup_.connection_faults.any() ? connection_faults_table(tcp().fault_counts())
                                               : "") +
               (stream_faults_ ? faults_table(faults()) : "");
    }
    std::string metrics() override { return metrics_text(counters()); }

    ServerSetup setup_;
    FaultOptions faults_;
    std::function<ServerOptions()> reread_;
    ServerCounters counters_;
    UdpService udp_;
    std::unique_ptr<StreamFaults> stream_faults_;
    std::vector<std::unique_ptr<ServedInterface>> interfaces_;
    std::set<const ServedInterface *> detached_;
    Reload reload_; // declared after the members that its thread uses
};

} // namespace

void server_main(const ServerOptions &options, const std::optional<NameRange> &predict,
                 std::function<ServerOptions()> reread)
{
    if (predict) {
        print_result(prediction_table(options.faults.plan, *predict,
                                      options.content.zones.zone[0].aaaa_share));
        return;
    }
    block_server_signals();
    Server(options, std::move(reread)).run();
}

} // namespace dnsgauge
