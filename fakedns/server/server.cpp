// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "server/server.h"

#include "server/counters.h"
#include "server/faults.h"
#include "server/loader.h"
#include "server/reload.h"
#include "server/responder_udp.h"

#include "base/interface.h"
#include "host/bounce.h"
#include "system/interface_number.h"
#include "system/privileges.h"
#include "system/setup_error.h"
#include "system/standard_output.h"

#include <fmt/format.h>

#include <systemd/sd-daemon.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dnsgauge
{

namespace
{

constexpr unsigned ipv6_udp_headers = 48;
constexpr std::chrono::milliseconds keepalive_unit{100};

// Serves one interface and its VLAN interfaces. Owns the sockets, the kernel program, and the
// zones. The zones of two interfaces differ only in the addresses of "ns".
class ServedInterface
{
public:
    // All arguments but the name must outlive the object. If `quic` is null, nothing answers over
    // QUIC. If `faults` is null, all answers over connections are right. Throws SetupError.
    ServedInterface(const std::string &name, const ServerOptions &options, TcpResponder &tcp,
                    QuicResponder *quic, ServerCounters &counters, StreamFaults *faults,
                    UdpService &udp)
        : name_(name), index_(interface_number(name)), setup_(options.setup)
    {
        if (const unsigned mtu = interface_mtu(name);
            options.faults.plan.pad_to + ipv6_udp_headers > mtu)
            throw SetupError("--pad-to {}: the MTU of {} is {}, and {} octets are headers",
                             options.faults.plan.pad_to, name, mtu, ipv6_udp_headers);
        zones_ = own_zones(options.content);
        for (const std::string &interface : with_vlan_interfaces(name)) {
            for (const Family family : {Family::ipv4, Family::ipv6}) {
                const auto listen = [&](Framing framing, std::uint16_t port, const char *option,
                                        Counters &of_path) {
                    // RFC 9250 section 5.5.2: QUIC has an idle timeout itself.
                    const auto keepalive =
                        framing == Framing::quic ? 0 : setup_.tcp.idle / keepalive_unit;
                    const StreamOptions with{.keepalive = static_cast<std::uint16_t>(keepalive),
                                             .pads = framing != Framing::tcp};
                    const Endpoint endpoint{.family = family,
                                            .interface = interface,
                                            .port = port,
                                            .port_option = option};
                    auto answerer_of = [this, faults, &of_path, with](int) {
                        return std::make_unique<ZoneAnswerer>(zones_, of_path, with, faults);
                    };
                    if (framing == Framing::quic)
                        quic->listen(endpoint, answerer_of);
                    else
                        tcp.listen(endpoint, answerer_of, framing);
                };
                listen(Framing::tcp, setup_.port, "--port", counters.tcp);
                if (setup_.tls.is_wanted())
                    listen(Framing::tls, setup_.tls.port, "--tls-port", counters.tls);
                if (setup_.tls.https_port != 0)
                    listen(Framing::https, setup_.tls.https_port, "--https-port", counters.https);
                if (quic != nullptr)
                    listen(Framing::quic, setup_.tls.quic_port, "--quic-port", counters.quic);
                udp_.push_back(udp.listen({family, interface, setup_.port}, zones_));
            }
        }
        if (setup_.xdp)
            attach(options);
    }

    // Returns the name that the interface had at the start.
    [[nodiscard]] const std::string &name() const { return name_; }
    // Returns whether the interface is still in this network namespace, under any name. Another
    // thread may call this function.
    [[nodiscard]] bool is_there() const { return interface_exists(index_); }

    // Returns null if only sockets answer.
    [[nodiscard]] const KernelResponder *kernel() const { return kernel_.get(); }

    // Other content, prepared for exchange().
    struct Next {
        answer_zones zones;
        std::shared_ptr<const KernelResponder::Program> program; // null if only sockets answer
    };

    // Prepares other content. Another thread may call this function: see
    // KernelResponder::prepare(). Throws SetupError.
    [[nodiscard]] Next prepare(const ServerContent &content) const
    {
        Next next{own_zones(content), nullptr};
        if (kernel_)
            next.program = kernel_->prepare(kernel_config(content, next.zones));
        return next;
    }

    // Swaps the content with `next`. If this throws SetupError, nothing has changed.
    void exchange(Next &next)
    {
        if (kernel_)
            kernel_->exchange(next.program);
        std::swap(zones_, next.zones);
    }

private:
    [[nodiscard]] answer_zones own_zones(const ServerContent &content) const
    {
        const InterfaceAddresses own = interface_addresses(interface_name(index_));
        answer_zones zones = content.zones;
        for (answer_zone &zone : zones.zone) {
            std::ranges::copy(own.ipv4.octets(), zone.server_ipv4);
            std::ranges::copy(own.ipv6.octets(), zone.server_ipv6);
        }
        return zones;
    }
    [[nodiscard]] fakedns_config kernel_config(const ServerContent &content,
                                               const answer_zones &zones) const
    {
        fakedns_config config{};
        config.zones = zones;
        config.port = setup_.port;
        config.time_every = setup_.time_every;
        config.rate_interval_ns = rate_interval_ns(content.rate_limit);
        return config;
    }

    // Loads and attaches the kernel program. If that is impossible and the mode is automatic, goes
    // on without it.
    void attach(const ServerOptions &options)
    {
        const fakedns_config config = kernel_config(options.content, zones_);
        const BounceMode bounce = bounce_mode(name_, *setup_.xdp);
        if (!bounce.remark.empty())
            say("fakedns: {}\n", bounce.remark);
        try {
            kernel_ = std::make_unique<KernelResponder>(config, options.faults, name_, bounce.mode);
        } catch (const UnsupportedError &error) {
            if (*setup_.xdp != XdpMode::automatic)
                throw;
            const std::string_view why = error.what();
            say("fakedns: no XDP on {}, answering by sockets alone: {}\n", name_,
                why.substr(0, why.find('\n')));
        }
    }

    std::string name_;
    unsigned index_;
    const ServerSetup &setup_;
    answer_zones zones_;
    std::vector<std::unique_ptr<UdpListener>> udp_;
    std::unique_ptr<KernelResponder> kernel_;
};

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

    // Reads the configuration, and loads programs for it. Runs in its own thread.
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
